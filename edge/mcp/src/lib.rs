#![doc = include_str!("../README.md")]
// Requests reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

mod arguments;
mod concise;
mod context;
mod contract;
mod detail;
mod dispatch;
mod endpoint;
mod envelope;
mod nearest;
mod options;
mod organizations;
mod prompts_and_resources;
mod protocol_version;
mod question;
mod record;
mod reply;
mod request_body;
mod search;
mod state;
mod statements;
mod vocabulary;

pub use context::{Context, ReadDetail, Unreadable};
pub use endpoint::{Config, Endpoint, PendingCall};
