#![doc = include_str!("../README.md")]
// A stranger's bytes reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

pub mod accepted;
pub mod address;
pub mod away;
pub mod collect;
pub mod contents;
pub mod error;
mod form;
pub mod keys;
pub mod local;
pub mod pending;
pub mod pointer;
pub mod probe;
pub mod publish;
pub mod pull;
pub mod rollout;
pub mod target;

#[cfg(test)]
mod tests;
