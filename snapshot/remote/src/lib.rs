#![doc = include_str!("../README.md")]
// A stranger's bytes reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

pub mod address;
pub mod current;
pub mod error;
pub mod fetcher;
pub mod gc;
pub mod index;
pub mod keys;
pub mod local;
pub mod probe;
pub mod publish;
pub mod pull;
pub mod rollback_guard;
pub mod rollout;
pub mod target;
pub mod uploads;
mod versioned_json;

#[cfg(test)]
mod tests;
