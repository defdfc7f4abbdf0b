//! A pool for work that takes long, so that it does not delay other requests: few tasks at a time on blocking
//! threads, a short queue, and a refusal when the queue is full.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most tasks in the queue.
const QUEUE_MAX: usize = 64;
/// Longest wait in the queue.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most work, in units of the search, that is done on the thread of the request: about a third of a millisecond.
const INLINE_MAX: u64 = 200_000;
/// Units for folding a text and searching it.
pub const TEXT_UNITS: u64 = 64;

/// Whether this much work, in units of the search, belongs in a pool.
pub fn is_heavy(work: u64) -> bool {
    work > INLINE_MAX
}

/// An answer, or the work that leads to it.
#[derive(Debug)]
pub enum Outcome<R, W> {
    /// An answer.
    Ready(R),
    /// Work that would delay other requests: for the pool.
    Heavy(W),
}

impl<R, W> From<R> for Outcome<R, W> {
    fn from(ready: R) -> Self {
        Self::Ready(ready)
    }
}

/// A pool of blocking threads with a bounded queue.
#[derive(Debug)]
pub struct BlockingPool {
    at_once: usize,
    permits: Arc<Semaphore>,
    /// Places in the queue; given back also by a client that went away.
    places: Semaphore,
}

/// The queue is full, the wait was too long, or the task panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolFull;

impl BlockingPool {
    /// At most `at_once` tasks at a time, at least one.
    pub fn new(at_once: usize) -> Self {
        let at_once = at_once.max(1);
        Self { at_once, permits: Arc::new(Semaphore::new(at_once)), places: Semaphore::new(QUEUE_MAX) }
    }

    /// Tasks that run, those that nobody waits for any more among them, and most of these; tasks in the queue, and most
    /// of these.
    pub fn usage(&self) -> [(usize, usize); 2] {
        let used = |most: usize, left: &Semaphore| (most.saturating_sub(left.available_permits()), most);
        [used(self.at_once, &self.permits), used(QUEUE_MAX, &self.places)]
    }

    /// Runs `search` on a thread for blocking work, as soon as it is its turn; not at all once nobody waits for it. One that
    /// has begun keeps its place in the pool to its end. A search that panics counts as busy; its panic is
    /// logged by the hook.
    ///
    /// # Errors
    ///
    /// If too many searches wait, or this one panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        search: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolFull> {
        let permit = self.permit().await?;
        let task = move || {
            let _permit = permit;
            search()
        };
        tokio::task::spawn_blocking(task).await.map_err(|_| PoolFull)
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, PoolFull> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let _place = self.places.try_acquire().map_err(|_| PoolFull)?;
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.permits).acquire_owned()).await;
        permit.map_err(|_| PoolFull)?.map_err(|_| PoolFull)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[tokio::test]
    async fn one_search_runs_some_wait_and_the_rest_are_refused() {
        let searches = Arc::new(BlockingPool::new(1));
        let held = searches.permits.acquire().await.unwrap();
        let spawn = |_| {
            let searches = Arc::clone(&searches);
            tokio::spawn(async move { searches.run(|| ()).await })
        };
        let requests: Vec<_> = (0..QUEUE_MAX + 10).map(spawn).collect();
        tokio::task::yield_now().await;
        while searches.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        drop(held);
        let mut refused = 0;
        for request in requests {
            refused += usize::from(request.await.unwrap() == Err(PoolFull));
        }
        assert_eq!(refused, 10);
        assert_eq!(searches.places.available_permits(), QUEUE_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_waits_two_seconds_for_its_turn_and_no_longer() {
        let searches = BlockingPool::new(1);
        let _held = searches.permits.acquire().await.unwrap();
        let began = tokio::time::Instant::now();
        assert_eq!(searches.run(|| ()).await, Err(PoolFull));
        assert!((PATIENCE..2 * PATIENCE).contains(&began.elapsed()));
    }

    #[tokio::test]
    async fn what_nobody_waits_for_keeps_its_place_while_it_runs_and_is_not_begun_otherwise() {
        let pool = Arc::new(BlockingPool::new(1));
        let (begun, has_begun) = channel();
        let (finish, finished) = channel::<()>();
        let spawn = |work: Box<dyn FnOnce() + Send>| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.run(work).await })
        };
        let first = begun.clone();
        let running = spawn(Box::new(move || {
            first.send("first").unwrap();
            let _ = finished.recv();
        }));
        let second = begun.clone();
        let waiting = spawn(Box::new(move || second.send("second").unwrap()));
        let usage = || pool.usage().map(|(used, _)| used);
        while usage() != [1, 1] {
            tokio::task::yield_now().await;
        }
        assert_eq!(has_begun.recv(), Ok("first"));
        running.abort();
        waiting.abort();
        assert!(running.await.is_err() && waiting.await.is_err());
        assert_eq!(usage(), [1, 0]);
        let third = spawn(Box::new(move || begun.send("third").unwrap()));
        while usage() != [1, 1] {
            tokio::task::yield_now().await;
        }
        drop(finish);
        assert_eq!(third.await.unwrap(), Ok(()));
        assert_eq!((has_begun.recv(), has_begun.recv().is_err()), (Ok("third"), true));
        assert_eq!(usage(), [0, 0]);
    }
}
