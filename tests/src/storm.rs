//! Load for an edge that is put to the test meanwhile: swapped, or crowded by others. What
//! every answer must be is recorded at rest beforehand, so that a wrong, torn or mixed one is noticed.

pub mod client;
pub mod load;

use std::net::SocketAddr;

/// Where an edge is.
#[derive(Clone, Debug)]
pub struct Place {
    /// Address it listens on.
    pub address: SocketAddr,
    /// Host it answers for.
    pub host: String,
}
