#![doc = include_str!("../README.md")]
// A stranger's bytes reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

pub mod blocking_pool;
pub mod client_address;
pub mod conditional;
pub mod connection;
pub mod count;
pub mod encode;
pub mod in_flight;
pub mod precheck;
pub mod rate_limit;
pub mod request_head;
pub mod sockets;
mod waiting;

pub use store::lock;
