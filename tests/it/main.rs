//! One test binary: a list of modules.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod admission;
mod allocations;
mod any_bytes;
mod canary;
mod canonical;
mod consistency;
mod contract;
mod corruption;
mod data;
mod dates;
mod diff;
mod examples;
mod facets;
mod mcp;
mod openapi;
mod oracle;
mod pages;
mod parity;
mod probes;
mod protocol;
mod publish;
mod readme;
mod refusals;
mod relevance;
mod search;
mod server;
mod storm;
mod tidy;
mod time;
mod words;
