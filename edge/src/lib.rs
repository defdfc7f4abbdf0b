//! Edge.

pub mod connection;
