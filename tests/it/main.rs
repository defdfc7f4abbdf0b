//! One test binary: a list of modules.

mod corruption;
mod facets;
mod harness;
mod oracle;
mod readme;
mod search;
mod tidy;
mod time;
