//! One test binary: a list of modules.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod canary;
mod consistency;
mod contract;
mod openapi;
mod parity;
mod protocol;
mod publish;
mod server;
