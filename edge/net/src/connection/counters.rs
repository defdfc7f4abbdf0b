//! Counters of the connection driver. Except for the bytes in flight they change when a connection opens, closes or
//! is refused, never with a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// In the normal course: the client left, or sent `Connection: close`.
    Done,
    /// No protocol recognised in time.
    Detect,
    /// No response begun within the request deadline.
    Request,
    /// No request for too long.
    Idle,
    /// The client stopped reading.
    Stall,
    /// An HTTP/2 PING stayed unanswered.
    Ping,
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
    /// Every reason, in the order they are declared.
    pub const ALL: [Self; 10] = [
        Self::Done,
        Self::Detect,
        Self::Request,
        Self::Idle,
        Self::Stall,
        Self::Ping,
        Self::Age,
        Self::Drain,
        Self::Malformed,
        Self::Broken,
    ];

    /// The reason as a metric label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Detect => "detect",
            Self::Request => "request",
            Self::Idle => "idle",
            Self::Stall => "stall",
            Self::Ping => "ping",
            Self::Age => "age",
            Self::Drain => "drain",
            Self::Malformed => "malformed",
            Self::Broken => "broken",
        }
    }
}

/// Counts of connections since the start, and of those open now.
#[derive(Debug, Default)]
pub struct Counters {
    accepted: AtomicU64,
    refused: AtomicU64,
    accept_errors: AtomicU64,
    open: AtomicU64,
    closed: [AtomicU64; CloseReason::ALL.len()],
    /// Bytes of bodies in flight.
    pub(super) flying: AtomicUsize,
    refused_flights: AtomicU64,
    reset_streams: AtomicU64,
}

/// A reading of [`Counters`]. `accepted` includes those `refused`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Connections taken from the listener.
    pub accepted: u64,
    /// Closed at once because [`super::Limits::max_connections`] were open.
    pub refused: u64,
    /// Failed accepts, such as those for want of descriptors.
    pub accept_errors: u64,
    /// Open now.
    pub open: u64,
    /// Bytes of bodies that are made and not yet taken, and what each of them takes besides.
    pub flying: usize,
    /// Answers that were refused because too many such bytes were held.
    pub refused_flights: u64,
    /// HTTP/2 streams that were reset because the client took nothing more of the answer.
    pub reset_streams: u64,
}

impl Counters {
    /// The current counts.
    pub fn read(&self) -> Counts {
        Counts {
            accepted: self.accepted.load(Relaxed),
            refused: self.refused.load(Relaxed),
            accept_errors: self.accept_errors.load(Relaxed),
            open: self.open.load(Relaxed),
            flying: self.flying.load(Relaxed),
            refused_flights: self.refused_flights.load(Relaxed),
            reset_streams: self.reset_streams.load(Relaxed),
        }
    }

    /// Connections that ended for this reason.
    pub fn closed(&self, reason: CloseReason) -> u64 {
        self.closed[reason as usize].load(Relaxed)
    }

    /// Counts an accepted connection and returns how many came before it.
    pub(super) fn accepted(&self) -> u64 {
        self.accepted.fetch_add(1, Relaxed)
    }

    pub(super) fn refused(&self) {
        self.refused.fetch_add(1, Relaxed);
    }

    pub(super) fn accept_error(&self) {
        self.accept_errors.fetch_add(1, Relaxed);
    }

    pub(super) fn refused_flight(&self) {
        self.refused_flights.fetch_add(1, Relaxed);
    }

    pub(super) fn reset_stream(&self) {
        self.reset_streams.fetch_add(1, Relaxed);
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
        self.counters.closed[self.reason as usize].fetch_add(1, Relaxed);
    }
}
