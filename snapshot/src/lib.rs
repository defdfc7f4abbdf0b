#![doc = include_str!("../README.md")]
// Untrusted input reaches this crate: nothing outside its tests may panic on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

mod distinct;
pub mod facet;
pub mod page;
pub mod patterns;
pub mod place;
pub mod query;
pub mod record;
mod rounds;
pub mod search;

pub mod stem;
pub mod text;
pub mod time;
pub mod truncate;
