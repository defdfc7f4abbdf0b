#![doc = include_str!("../README.md")]
// Foreign bytes reach this crate: outside its tests nothing may panic on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

mod current;
mod error;
mod gc;
mod objects;
mod publish;
mod pull;
mod rollback_guard;
pub mod secrets;
mod stores;

#[cfg(test)]
mod tests;

pub use current::{Current, FetchedCurrent, Trust, look};
pub use error::{ErrorClass, RemoteError};
pub use publish::{LocalRoot, Publisher, Pushed};
pub use pull::{Pulled, Puller};
pub use rollback_guard::accepted_expiry;
pub use stores::{ObjectVersion, Target, is_address, open};
