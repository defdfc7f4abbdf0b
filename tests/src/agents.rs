//! Agents at work with the tools: what calls cost them, and how far they get.

#![expect(clippy::unwrap_used, reason = "a measure that cannot be taken has failed")]

pub mod host;
pub mod measure;
pub mod model;
pub mod play;
pub mod task;

pub use host::{Host, Reply};
pub use task::{HOSTILE, ORDER, Set, Task};

/// Tokens of a text, as the vocabulary `o200k_base` cuts it.
#[must_use]
pub fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}
