//! Fetches bodies that a lazy root has left in its store: concurrently, within a time limit, and on tasks of its own, so
//! that no thread that serves requests does it.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use store::{Fetch, PackRange};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::objects::{FetchBudget, RangeRequest, fetch_range, join_ranges, pack_path};
use crate::target::{Target, TargetError};

/// Bodies that are fetched at a time, and concurrent requests for one.
const CONCURRENT: usize = 64;
const CONCURRENT_FOR_ONE: usize = 8;
/// How long a request of a client waits for a body. It is fetched nevertheless, for the next request.
const WAIT: Duration = Duration::from_secs(2);
/// Longest time for a body, waiting for its turn included.
const LIMIT: Duration = Duration::from_secs(60);
/// Most bodies, and most of their bytes, for which nothing waits any more.
const LATE: usize = CONCURRENT / 2;
const LATE_BYTES: u64 = 64 << 20;
/// How long a damaged body is not fetched again; most of them that are known.
const REJECTED: Duration = Duration::from_secs(120);
const REJECTED_MOST: usize = 1024;

/// Fetches parts of packs from a store.
pub struct Fetcher {
    inner: Arc<Inner>,
    /// The runtime of the requests.
    handle: Handle,
}

struct Inner {
    target: Arc<dyn Target>,
    permits: Semaphore,
    budget: FetchBudget,
    stats: Mutex<FetchStats>,
    /// Bodies that were not there in time, oldest first.
    late: Mutex<VecDeque<Late>>,
    /// Ranges that are damaged in the store, and since when that is known.
    rejected: Mutex<HashMap<PackRange, Instant>>,
    gone: SyncSender<()>,
}

type Fetched = Result<Vec<Vec<u8>>, String>;

/// A body that is being fetched, or was, and for which nothing waits.
struct Late {
    pieces: Vec<PackRange>,
    task: JoinHandle<()>,
    fetched: Receiver<Fetched>,
}

/// Counters of a fetcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FetchStats {
    /// Why the last body could not be fetched, if so.
    pub error: Option<String>,
    /// Requests that succeeded.
    pub requests: u64,
    /// Fetched bytes.
    pub bytes: u64,
    /// Bodies that could not be fetched.
    pub failures: u64,
}

impl Fetcher {
    /// Fetches on a runtime that runs by itself. `gone` gets a message when an object is no longer there: another
    /// generation may be live then.
    pub fn new(target: Arc<dyn Target>, handle: Handle, budget: FetchBudget, gone: SyncSender<()>) -> Self {
        let inner = Inner {
            target,
            permits: Semaphore::new(CONCURRENT),
            budget,
            stats: Mutex::default(),
            late: Mutex::default(),
            rejected: Mutex::default(),
            gone,
        };
        Self { inner: Arc::new(inner), handle }
    }

    /// The counters.
    pub fn stats(&self) -> FetchStats {
        self.inner.stats().clone()
    }
}

impl Fetch for Fetcher {
    fn fetch(&self, pieces: &[PackRange]) -> Fetched {
        let fetched = match self.inner.is_rejected(pieces) {
            true => Err("it is damaged there; it is tried again in minutes".to_owned()),
            false => self.fetch_in_time(pieces),
        };
        let mut stats = self.inner.stats();
        stats.failures += u64::from(fetched.is_err());
        stats.error = fetched.as_ref().err().cloned();
        fetched
    }

    fn reject(&self, damaged: &[PackRange]) {
        let mut rejected = lock(&self.inner.rejected);
        rejected.retain(|_, since| since.elapsed() < REJECTED);
        if rejected.len() < REJECTED_MOST {
            rejected.extend(damaged.iter().map(|piece| (*piece, Instant::now())));
        }
    }
}

impl Fetcher {
    fn fetch_in_time(&self, pieces: &[PackRange]) -> Fetched {
        let late = self.inner.take_late(pieces).unwrap_or_else(|| {
            let (send, fetched) = sync_channel(1);
            let (inner, pieces) = (Arc::clone(&self.inner), pieces.to_vec());
            let wanted = pieces.clone();
            let task = self.handle.spawn(async move {
                let fetched = tokio::time::timeout(LIMIT, inner.fetch(&wanted)).await;
                let seconds = LIMIT.as_secs();
                let _ =
                    send.send(fetched.unwrap_or_else(|_| Err(format!("no answer within {seconds} seconds"))));
            });
            Late { pieces, task, fetched }
        });
        match late.fetched.recv_timeout(WAIT) {
            Ok(fetched) => fetched,
            Err(RecvTimeoutError::Timeout) => {
                self.inner.keep_late(late);
                Err(format!("no answer within {} seconds", WAIT.as_secs()))
            }
            // Without a message only if the runtime has ended.
            Err(RecvTimeoutError::Disconnected) => Err("this program ends".to_owned()),
        }
    }
}

impl Inner {
    fn stats(&self) -> MutexGuard<'_, FetchStats> {
        lock(&self.stats)
    }

    fn is_rejected(&self, pieces: &[PackRange]) -> bool {
        let rejected = lock(&self.rejected);
        let is_rejected = |piece| rejected.get(piece).is_some_and(|since| since.elapsed() < REJECTED);
        pieces.iter().any(is_rejected)
    }

    fn take_late(&self, pieces: &[PackRange]) -> Option<Late> {
        let mut late = lock(&self.late);
        let at = late.iter().position(|late| late.pieces == pieces)?;
        late.remove(at)
    }

    /// Keeps a body for the next request, and gives up the oldest ones that are too many.
    fn keep_late(&self, new: Late) {
        let bytes = |late: &Late| late.pieces.iter().map(|piece| u64::from(piece.len)).sum::<u64>();
        let mut late = lock(&self.late);
        late.push_back(new);
        while late.len() > LATE || late.iter().map(bytes).sum::<u64>() > LATE_BYTES && late.len() > 1 {
            if let Some(oldest) = late.pop_front() {
                oldest.task.abort();
            }
        }
    }

    /// Fetches pieces in the order of the packs, so that neighbours share a request, and gives them in their own order.
    async fn fetch(&self, pieces: &[PackRange]) -> Fetched {
        let _permit = self.permits.acquire().await;
        let mut sorted: Vec<(PackRange, usize)> = pieces.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let requests = join_ranges(sorted.iter().map(|(piece, _)| *piece));
        let parts: Vec<_> = requests.iter().map(|request| self.parts(request)).collect();
        let parts: Vec<Vec<Vec<u8>>> = stream::iter(parts).buffered(CONCURRENT_FOR_ONE).try_collect().await?;
        let parts = parts.into_iter().flatten();
        let mut placed: Vec<(usize, Vec<u8>)> = sorted.iter().map(|(_, at)| *at).zip(parts).collect();
        placed.sort_unstable_by_key(|(at, _)| *at);
        Ok(placed.into_iter().map(|(_, part)| part).collect())
    }

    /// The pieces of a request.
    async fn parts(&self, request: &RangeRequest) -> Fetched {
        let path = pack_path(&request.pack);
        let range = (&*path, request.start, request.length);
        let fetched = match fetch_range(&*self.target, &self.budget, range).await {
            Err(TargetError::Missing) => {
                // A full channel holds a message already.
                let _ = self.gone.try_send(());
                return Err(format!("{path} is not there any more"));
            }
            Err(TargetError::Length) => return Err(format!("{path} was cut")),
            fetched => fetched.map_err(|error| error.to_string())?,
        };
        let mut stats = self.stats();
        stats.requests += 1;
        stats.bytes += request.length;
        drop(stats);
        Ok(request.split(&fetched.bytes).map(|(_, part)| part.to_vec()).collect())
    }
}

/// A panic leaves what these mutexes guard whole: it changes in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
