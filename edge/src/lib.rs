//! Edge.

pub mod client;
pub mod connection;
pub mod limit;
pub mod mcp;
