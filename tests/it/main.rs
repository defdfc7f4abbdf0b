//! One test binary: a list of modules.

mod corruption;
mod facets;
mod harness;
mod mcp;
mod oracle;
mod search;
mod time;
