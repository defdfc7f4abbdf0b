//! What the connection driver allows: how many connections, and how long each step may take.

use std::time::Duration;

/// How many connections, and how long each step may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections served at once; one more is closed as soon as it is accepted.
    pub max_connections: usize,
    /// From accept, later from the first byte of a request, until the first byte of its response.
    pub request: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// The client reads nothing while a response waits to be sent.
    pub write_stall: Duration,
    /// Age, ± 10 %, at which a connection takes no further request; at twice that it is cut.
    pub max_age: Duration,
    /// From shutdown, or the maximum age, until a connection without a request is closed. A request that comes before
    /// is answered with `Connection: close`; one that crosses the closing would be lost.
    pub parting: Duration,
    /// From shutdown until requests still in flight are cut.
    pub drain: Duration,
}

impl Limits {
    /// Connections of one client at once: a quarter of all, and a few in any case.
    pub(super) fn of_a_client(&self) -> usize {
        const FEW: usize = 16;
        (self.max_connections / 4).max(FEW)
    }

    /// Limits for the open Internet.
    pub const DEFAULT: Self = Self {
        max_connections: 10_000,
        request: Duration::from_secs(15),
        idle: Duration::from_secs(75),
        write_stall: Duration::from_secs(15),
        max_age: Duration::from_secs(600),
        parting: Duration::from_secs(1),
        drain: Duration::from_secs(20),
    };
}
