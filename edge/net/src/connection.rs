//! The connection driver: accepts, limits, times out and drains the connections that carry requests, in HTTP/1.1.
//!
//! hyper does not bound how long a client may stay silent before the first byte, how long a request may take once the
//! idle time is generous, or how long a reader may refuse to read. This module does, with one timer per connection:
//!
//! - `accept`: the listener, and survival when descriptors run out;
//! - `socket`: the socket as hyper sees it, noting what it waits for and since when;
//! - `deadlines`: what is due for that;
//! - `drive`: hyper's protocol machine beside that timer and the signal to drain.

mod accept;
mod counters;
mod deadlines;
mod drive;
mod http_service;
mod socket;

#[cfg(test)]
mod tests;

pub(crate) use accept::adopt;
pub use accept::bind;
pub use counters::{CloseReason, Counters};
pub use http_service::HttpService;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;

use accept::Acceptor;
use socket::Wire;

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
    fn of_a_client(&self) -> usize {
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

/// Serves `listener` until `shutdown` resolves, then drains: connections already queued are still taken, every
/// connection finishes its request and announces its end (`Connection: close`), and what is left after
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
    // Each connection is to end; the last that does closes the channel.
    server.draining.send_replace(true);
    server.draining.closed().await;
}

/// What all connections share.
struct Server<S> {
    service: S,
    limits: Limits,
    counters: Arc<Counters>,
    /// Whether the server shuts down. Each connection has a receiver.
    draining: watch::Sender<bool>,
}

impl<S> Server<S>
where
    S: HttpService<Future: Send> + Clone + Send + Unpin + 'static,
{
    fn new(service: S, limits: Limits, counters: Arc<Counters>) -> Self {
        counters.most.store(limits.max_connections, Relaxed);
        Self { service, limits, counters, draining: watch::Sender::new(false) }
    }

    /// Gives the connection a task of its own, or closes it when there are too many, of all clients or of its own.
    fn admit(&self, stream: impl Wire, address: SocketAddr) {
        let nth = self.counters.accepted.add();
        if self.draining.receiver_count() >= self.limits.max_connections {
            self.counters.refused.add();
            return;
        }
        let reader = self.counters.in_flight.reader(nth, address.ip());
        if reader.connections() > self.limits.of_a_client() {
            self.counters.crowding.add();
            return;
        }
        let connection = drive::Connection {
            peer: SocketAddr::new(address.ip().to_canonical(), address.port()),
            service: self.service.clone(),
            limits: Limits { max_age: spread(self.limits.max_age, nth), ..self.limits },
            reader,
            draining: self.draining.subscribe(),
        };
        let open = self.counters.clone().open();
        tokio::spawn(async move { open.close(connection.run(stream).await) });
    }
}

/// `age` ± 10 %, so that connections opened together do not all reconnect together. Multiples of the golden
/// ratio spread evenly however many have come before.
fn spread(age: Duration, nth: u64) -> Duration {
    let unit = (nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as f64 / f64::from(u32::MAX);
    age.mul_f64(0.9 + 0.2 * unit)
}
