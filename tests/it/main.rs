//! One test binary: a list of modules.

mod canary;
mod consistency;
mod contract;
mod examples;
mod openapi;
mod parity;
mod protocol;
mod publish;
mod server;
