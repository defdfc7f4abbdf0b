//! A scripted agent that solves tasks with the MCP tools, in process.

#![expect(clippy::unwrap_used, reason = "a test helper panics on failure")]

pub mod host;
pub mod play;
pub mod task;

pub use host::{Host, Reply};
pub use task::{HOSTILE, ORDER, Set, Task};
