//! BlockingPool that take long, kept off the path of everything else: few at a time on threads of their
//! own, a short queue behind them, and a refusal beyond that.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::sync::Semaphore;

/// BlockingPool that may wait for one under way.
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
    /// Work that has to wait for a body from the store: for another pool, so that it does not hold up the heavy work.
    Remote(W),
}

impl<R, W> From<R> for Outcome<R, W> {
    fn from(ready: R) -> Self {
        Self::Ready(ready)
    }
}

/// Permits for long searches.
#[derive(Debug)]
pub struct BlockingPool {
    permits: Semaphore,
    waiting: AtomicUsize,
}

/// Too many searches are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolFull;

impl Default for BlockingPool {
    /// One fewer at a time than there are cores.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(cores.saturating_sub(1))
    }
}

impl BlockingPool {
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
    ) -> Result<T, PoolFull> {
        let _permit = self.permit().await?;
        tokio::task::spawn_blocking(search).await.map_err(|_| PoolFull)
    }

    async fn permit(&self) -> Result<tokio::sync::SemaphorePermit<'_>, PoolFull> {
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(permit);
        }
        let _place = QueueSlot::take(&self.waiting)?;
        match tokio::time::timeout(PATIENCE, self.permits.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(PoolFull),
        }
    }
}

/// A place in the queue; given back when dropped, also by a client that went away.
struct QueueSlot<'a>(&'a AtomicUsize);

impl<'a> QueueSlot<'a> {
    fn take(waiting: &'a AtomicUsize) -> Result<Self, PoolFull> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Relaxed) < QUEUE_MAX { Ok(place) } else { Err(PoolFull) }
    }
}

impl Drop for QueueSlot<'_> {
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
        let searches = Arc::new(BlockingPool::new(1));
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
            refused += usize::from(answer.await.unwrap() == Err(PoolFull));
        }
        assert_eq!(refused, 10);
        assert_eq!(searches.waiting.load(Relaxed), 0);
    }
}
