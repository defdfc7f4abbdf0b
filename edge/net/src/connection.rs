//! The connection driver: accepts, limits, times out and drains the connections that carry requests.
//!
//! Neither hyper nor its utilities bound how long a client may stay silent before the first byte, how long a
//! request head may take once the idle time is generous, or how long a reader may refuse to read. This module
//! does, with one timer per connection and no lock on the way of a request:
//!
//! - `accept`: the listener, the cap on connections, and survival when descriptors run out;
//! - `detect`: HTTP/1 or HTTP/2, within a deadline;
//! - `socket`: the socket as hyper sees it, noting when it waits for a request or for a reader;
//! - `timeouts`: that one timer;
//! - `drive`: hyper's protocol machine beside it, dropped while a connection is unused;
//! - `backpressure`: how many bytes of answers may wait to be sent;
//! - `outgoing`, `streams`: answers in pieces, and the streams of HTTP/2 that stop taking them.

mod accept;
mod backpressure;
mod counters;
mod detect;
mod drive;
mod outgoing;
mod socket;
mod streams;
mod timeouts;

#[cfg(test)]
mod tests;

pub use accept::{adopt, bind};
pub use backpressure::{InFlight, SharedBody};
pub use counters::{CloseReason, Counters, Counts};

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::service::Service;
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use accept::Acceptor;
use drive::Drain;
use socket::Wire;

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

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
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

/// Serves `listener` until `shutdown` resolves, then drains: connections already queued are still taken, every
/// connection finishes its requests and announces its end (`Connection: close`, GOAWAY), and what is left after
/// [`Limits::drain`] is cut. Returns when the last connection is gone.
pub async fn serve<S>(
    listener: TcpListener,
    service: S,
    limits: Limits,
    counters: Arc<Counters>,
    shutdown: impl Future<Output = ()>,
) where
    S: HttpService<Future: Send> + Clone + Send + Unpin + 'static,
{
    let server = Server::new(service, limits, counters);
    let mut acceptor = Acceptor::new(listener, server.counters.clone());
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            (stream, peer) = acceptor.next() => server.admit(stream, peer),
        }
    }
    while let Some((stream, peer)) = acceptor.queued().await {
        server.admit(stream, peer);
    }
    drop(acceptor);
    server.drain.start();
    server.closed().await;
}

/// What all connections share.
struct Server<S> {
    service: S,
    limits: Limits,
    counters: Arc<Counters>,
    drain: Arc<Drain>,
    permits: Arc<Semaphore>,
    capacity: u32,
}

impl<S> Server<S>
where
    S: HttpService<Future: Send> + Clone + Send + Unpin + 'static,
{
    fn new(service: S, limits: Limits, counters: Arc<Counters>) -> Self {
        let most = Semaphore::MAX_PERMITS.min(u32::MAX as usize);
        let capacity = limits.max_connections.clamp(1, most) as u32;
        let permits = Arc::new(Semaphore::new(capacity as usize));
        Self { service, limits, counters, drain: Arc::default(), permits, capacity }
    }

    /// Gives the connection a task of its own, or closes it when there are too many.
    fn admit(&self, stream: impl Wire, address: SocketAddr) {
        let nth = self.counters.accepted();
        let Ok(permit) = self.permits.clone().try_acquire_owned() else {
            self.counters.refused();
            return;
        };
        let connection = drive::Connection {
            peer: SocketAddr::new(address.ip().to_canonical(), address.port()),
            service: self.service.clone(),
            limits: self.limits,
            max_age: spread(self.limits.max_age, nth),
            counters: self.counters.clone(),
            drain: self.drain.clone(),
        };
        let open = self.counters.clone().open();
        tokio::spawn(async move {
            let _permit: OwnedSemaphorePermit = permit;
            let reason = connection.run(stream).await;
            open.close(reason);
        });
    }

    /// Waits until every permit is back, that is, until no connection is left.
    async fn closed(&self) {
        // The semaphore is never closed, so the only outcome is the permits.
        let _ = self.permits.acquire_many(self.capacity).await;
    }
}

/// `age` ± 10 %, so that connections opened together do not all reconnect together. Multiples of the golden
/// ratio spread evenly however many have come before.
fn spread(age: Duration, nth: u64) -> Duration {
    let unit = (nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as f64 / f64::from(u32::MAX);
    age.mul_f64(0.9 + 0.2 * unit)
}
