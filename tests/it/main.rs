//! One test binary: a list of modules.

mod canary;
mod consistency;
mod contract;
mod corruption;
mod examples;
mod facets;
mod harness;
mod mcp;
mod openapi;
mod oracle;
mod parity;
mod protocol;
mod publish;
mod readme;
mod search;
mod server;
mod tidy;
mod time;
