//! What a connection waits for, and since when.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use crate::lock;

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The first byte of the next request.
    Request,
    /// The first byte of the response to a request of which some bytes were read.
    Response,
    /// The client, to read what is sent.
    Reader,
}

/// What a connection waits for and since when. The connection's own task reads and writes it: the lock is always free,
/// and only satisfies that the task may move between threads.
#[derive(Clone, Debug)]
pub(crate) struct Waiting(Arc<Mutex<(Wait, Instant)>>);

impl Waiting {
    /// A new connection, which is to send its first request at once.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new((Wait::Response, Instant::now()))))
    }

    pub(crate) fn get(&self) -> (Wait, Instant) {
        *lock(&self.0)
    }

    /// How long the client has read nothing of what is sent, if that is what is waited for.
    pub(crate) fn stalled(&self, now: Instant) -> Option<Duration> {
        let (wait, since) = self.get();
        (wait == Wait::Reader).then(|| now.saturating_duration_since(since))
    }

    /// From now on the connection waits for something else, unless `stays` holds for what it waits for.
    pub(crate) fn become_unless(&self, stays: impl Fn(Wait) -> bool, wait: Wait) {
        let mut waiting = lock(&self.0);
        if !stays(waiting.0) {
            *waiting = (wait, Instant::now());
        }
    }
}
