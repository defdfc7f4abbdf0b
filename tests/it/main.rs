//! One test binary: a list of modules.

mod contract;
mod openapi;
mod server;
