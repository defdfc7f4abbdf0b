//! Searches that take long, kept off the path of everything else: few at a time on threads of their
//! own, a short queue behind them, and a refusal beyond that.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::sync::Semaphore;

/// Searches that may wait for one under way.
const QUEUE_MAX: usize = 64;
/// How long they may.
const PATIENCE: Duration = Duration::from_secs(2);
/// Work, in units of the search, that is done at once: about a third of a millisecond.
const INLINE_MAX: u64 = 200_000;
/// Units of folding a text and looking into it.
pub const TEXT_UNITS: u64 = 64;

/// Whether so much work is better done elsewhere.
#[must_use]
pub fn is_heavy(work: u64) -> bool {
    work > INLINE_MAX
}

/// What a request comes to among other requests.
#[derive(Debug)]
pub enum Outcome<R, W> {
    /// An answer.
    Ready(R),
    /// Work that would hold others up: to be done aside, when it is its turn.
    Heavy(W),
    /// Work that has to wait for a body from a store: to be done aside too, but not in the place of such as can go on.
    Far(W),
}

impl<R, W> From<R> for Outcome<R, W> {
    fn from(ready: R) -> Self {
        Self::Ready(ready)
    }
}

/// Permits for long searches.
#[derive(Debug)]
pub struct Searches {
    permits: Semaphore,
    waiting: AtomicUsize,
}

/// Too many searches are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

impl Default for Searches {
    /// One fewer at a time than there are cores.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(cores.saturating_sub(1))
    }
}

impl Searches {
    /// So many at a time, at least one.
    #[must_use]
    pub fn new(at_once: usize) -> Self {
        Self { permits: Semaphore::new(at_once.max(1)), waiting: AtomicUsize::new(0) }
    }

    /// Runs `search` on a thread for blocking work, as soon as it is its turn. A search that panics
    /// counts as busy; its panic is logged by the hook.
    ///
    /// # Errors
    ///
    /// If too many searches wait, or this one panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        search: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        let _permit = self.permit().await?;
        tokio::task::spawn_blocking(search).await.map_err(|_| Busy)
    }

    async fn permit(&self) -> Result<tokio::sync::SemaphorePermit<'_>, Busy> {
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(permit);
        }
        let _place = Place::take(&self.waiting)?;
        match tokio::time::timeout(PATIENCE, self.permits.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Busy),
        }
    }
}

/// A place in the queue; given back when dropped, also by a client that went away.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Result<Self, Busy> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Relaxed) < QUEUE_MAX { Ok(place) } else { Err(Busy) }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test]
    async fn one_search_runs_some_wait_and_the_rest_are_refused() {
        let searches = Arc::new(Searches::new(1));
        let held = searches.permits.acquire().await.unwrap();
        let ask = |_| {
            let searches = Arc::clone(&searches);
            tokio::spawn(async move { searches.run(|| ()).await })
        };
        let asked: Vec<_> = (0..QUEUE_MAX + 10).map(ask).collect();
        tokio::task::yield_now().await;
        while searches.waiting.load(Relaxed) < QUEUE_MAX {
            tokio::task::yield_now().await;
        }
        drop(held);
        let mut refused = 0;
        for answer in asked {
            refused += usize::from(answer.await.unwrap() == Err(Busy));
        }
        assert_eq!(refused, 10);
        assert_eq!(searches.waiting.load(Relaxed), 0);
    }
}
