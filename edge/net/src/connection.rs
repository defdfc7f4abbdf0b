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
//! - `limits`: how long each step may take, and the service that answers;
//! - `drive`: hyper's protocol machine beside it, dropped while a connection is unused;
//! - `backpressure`: how many bytes of answers may wait to be sent;
//! - `outgoing`, `streams`: answers in pieces, and the streams of HTTP/2 that stop taking them.

mod accept;
mod backpressure;
mod counters;
mod detect;
mod drive;
mod limits;
mod outgoing;
mod socket;
mod streams;
mod timeouts;

#[cfg(test)]
mod tests;

pub use accept::{adopt, bind};
pub use backpressure::{InFlight, SharedBody};
pub use counters::{CloseReason, Count, Counters};
pub use limits::{HttpService, Limits};

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use accept::Acceptor;
use drive::Drain;
use socket::Wire;

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
        let nth = self.counters.accepted.add();
        let Ok(permit) = self.permits.clone().try_acquire_owned() else {
            self.counters.refused.add();
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
