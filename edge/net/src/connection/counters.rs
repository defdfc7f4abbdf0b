//! Counters of the connection driver. Except for the bodies in flight they change when a connection opens, closes or
//! is refused, never with a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::client_address::TrustedProxies;
use crate::count::Count;
use crate::in_flight::{BUDGET, InFlight};

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// In the normal course: the client left, or sent `Connection: close`.
    Done,
    /// No response begun within the request deadline.
    Request,
    /// No request for too long.
    Idle,
    /// The client stopped reading.
    Stall,
    /// The client stopped reading, a short while ago, and others needed the room of its answer.
    Room,
    /// Past its maximum age.
    Age,
    /// The server shut down.
    Drain,
    /// The bytes were not HTTP, or exceeded a limit on the syntax.
    Malformed,
    /// The connection broke.
    Broken,
}

impl CloseReason {
    /// Metric labels, in the order in which reasons are declared.
    const LABELS: [&str; 9] =
        ["done", "request", "idle", "stall", "room", "age", "drain", "malformed", "broken"];
}

/// Counts of connections since the start, and of those open now.
#[derive(Debug, Default)]
pub struct Counters {
    /// Connections taken from the listener; those refused too.
    pub accepted: Count,
    /// Closed at once because [`super::Limits::max_connections`] were open.
    pub refused: Count,
    /// Closed at once because a quarter of all that may be open were of its client.
    pub crowding: Count,
    /// Failed accepts, such as those for want of descriptors.
    pub accept_errors: Count,
    closed: [Count; CloseReason::LABELS.len()],
    open: AtomicU64,
    /// Most that may be open.
    pub most: AtomicUsize,
    /// Bodies in flight.
    pub in_flight: Arc<InFlight>,
}

impl Counters {
    /// Of a server behind proxies that name their clients.
    pub fn behind(proxies: TrustedProxies) -> Self {
        Self { in_flight: Arc::new(InFlight::new(BUDGET, proxies)), ..Self::default() }
    }

    /// Connections open now.
    pub fn open_now(&self) -> u64 {
        self.open.load(Relaxed)
    }

    /// Connections that ended for this reason.
    pub fn closed(&self, reason: CloseReason) -> u64 {
        self.closed[reason as usize].get()
    }

    /// Connections that ended, by the metric label of each reason.
    pub fn all_closed(&self) -> impl Iterator<Item = (&'static str, u64)> {
        CloseReason::LABELS.into_iter().zip(self.closed.iter().map(Count::get))
    }

    /// Counts an open connection until the returned value is closed or dropped.
    pub(super) fn open(self: Arc<Self>) -> Open {
        self.open.fetch_add(1, Relaxed);
        Open { counters: self, reason: CloseReason::Broken }
    }
}

/// One open connection. Dropped without a reason, as by a panic, it counts as broken.
pub(super) struct Open {
    counters: Arc<Counters>,
    reason: CloseReason,
}

impl Open {
    pub(super) fn close(mut self, reason: CloseReason) {
        self.reason = reason;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.counters.open.fetch_sub(1, Relaxed);
        self.counters.closed[self.reason as usize].add();
    }
}
