//! Limits of connections, and the service that answers their requests.

use std::convert::Infallible;
use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::service::Service;

/// How many connections, how long each step may take, and how large a request head may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections served at once; one more is closed as soon as it is accepted.
    pub max_connections: usize,
    /// From accept until HTTP/1 and HTTP/2 can be distinguished.
    pub detect: Duration,
    /// HTTP/1: from the first byte of a request until the first byte of its response.
    pub request: Duration,
    /// Unused until the connection is closed. Up to the shorter of `request` and `write_stall` may pass on top:
    /// that is how often the connection's timer looks.
    pub idle: Duration,
    /// HTTP/1: unused until the connection is parked, that is, gives back what only requests need. Up to 64
    /// times as long for a connection that is used again and again.
    pub park: Duration,
    /// The client reads nothing while a response waits to be sent.
    pub write_stall: Duration,
    /// HTTP/2: the client takes nothing more of an answer, 16 KB at a time, until its stream is reset. For the
    /// last 16 KB the connection is cut instead, after up to twice that.
    pub stream_stall: Duration,
    /// Age, ± 10 %, at which a connection takes no further request; at twice that it is cut.
    pub max_age: Duration,
    /// HTTP/2: from GOAWAY until streams still in flight are cut.
    pub goaway: Duration,
    /// HTTP/1: from shutdown, or the maximum age, until a connection without a request is closed. A request
    /// that comes before is answered with `Connection: close`; one that crosses the closing would be lost.
    pub parting: Duration,
    /// From shutdown until requests still in flight are cut.
    pub drain: Duration,
    /// Request line and headers, in bytes (HTTP/1: at least 8192, hyper's least buffer).
    pub head_bytes: u32,
    /// HTTP/2: concurrent streams on one connection.
    pub h2_streams: u32,
    /// Bodies in flight of one connection, in bytes, and with each what an answer takes besides. Beyond, requests
    /// are refused; one body is always allowed.
    pub connection_flight_bytes: usize,
    /// Bodies in flight of all connections.
    pub flight_bytes: usize,
    /// HTTP/2: between two PING frames that check whether the client still answers.
    pub h2_ping: Duration,
    /// HTTP/2: for the answer to such a PING.
    pub h2_pong: Duration,
}

impl Limits {
    /// Limits for the open Internet.
    pub const DEFAULT: Self = Self {
        max_connections: 10_000,
        detect: Duration::from_secs(5),
        request: Duration::from_secs(15),
        idle: Duration::from_secs(75),
        park: Duration::from_millis(20),
        write_stall: Duration::from_secs(15),
        stream_stall: Duration::from_secs(30),
        max_age: Duration::from_secs(600),
        goaway: Duration::from_secs(60),
        parting: Duration::from_secs(1),
        drain: Duration::from_secs(20),
        head_bytes: 16_384,
        h2_streams: 128,
        connection_flight_bytes: 16 << 20,
        flight_bytes: 64 << 20,
        h2_ping: Duration::from_secs(10),
        h2_pong: Duration::from_secs(5),
    };
}

/// A service that answers every request.
///
/// Implemented by every hyper [`Service`] of the right shape; it only names the bounds once.
pub trait HttpService:
    Service<Request<Incoming>, Response = Response<Self::Payload>, Error = Infallible>
{
    /// The response body.
    type Payload: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static;
}

impl<S, B> HttpService for S
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
{
    type Payload = B;
}
