//! Fetches bodies that a lazy root has left in its store: concurrently, within a time limit, and on tasks of its own, so
//! that no thread that serves requests does it.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use store::{Fetch, PackRange};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::objects::{TRIES, join_ranges, pack_path};
use crate::target::{Target, TargetError};

/// Concurrent requests.
const CONCURRENT: usize = 64;
/// Concurrent requests for one body.
const CONCURRENT_FOR_ONE: usize = 8;
/// Longest time for a request, waiting for its turn included.
const LIMIT: Duration = Duration::from_secs(2);

/// Fetches parts of packs from a store.
pub struct Fetcher {
    inner: Arc<Inner>,
    /// The runtime of the requests.
    handle: Handle,
}

struct Inner {
    target: Arc<dyn Target>,
    permits: Semaphore,
    stats: Mutex<FetchStats>,
    gone: SyncSender<()>,
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
    #[must_use]
    pub fn new(target: Arc<dyn Target>, handle: Handle, gone: SyncSender<()>) -> Self {
        let inner = Inner { target, permits: Semaphore::new(CONCURRENT), stats: Mutex::default(), gone };
        Self { inner: Arc::new(inner), handle }
    }

    /// The counters.
    #[must_use]
    pub fn stats(&self) -> FetchStats {
        self.inner.stats().clone()
    }
}

impl Fetch for Fetcher {
    fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
        let (inner, pieces) = (Arc::clone(&self.inner), pieces.to_vec());
        let (send, receive) = sync_channel(1);
        self.handle.spawn(async move {
            let _ = send.send(inner.fetch(&pieces).await);
        });
        // The channel is closed without a message only if the runtime has ended.
        let fetched = receive.recv().unwrap_or_else(|_| Err("this program ends".to_owned()));
        let mut stats = self.inner.stats();
        stats.failures += u64::from(fetched.is_err());
        stats.error = fetched.as_ref().err().cloned();
        fetched
    }
}

impl Inner {
    fn stats(&self) -> MutexGuard<'_, FetchStats> {
        // A panic leaves the counters whole: each changes in one step.
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches pieces in the order of the packs, so that neighbours share a request, and gives them in their own order.
    async fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
        let mut sorted: Vec<(PackRange, usize)> = pieces.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let requests = join_ranges(sorted.iter().map(|(piece, _)| *piece));
        let ranges: Vec<_> = requests
            .iter()
            .map(|request| self.range(pack_path(&request.pack), request.start, request.length))
            .collect();
        let ranges: Vec<Bytes> = stream::iter(ranges).buffered(CONCURRENT_FOR_ONE).try_collect().await?;
        let parts = requests.iter().zip(&ranges).flat_map(|(request, bytes)| request.split(bytes));
        let mut placed: Vec<(usize, Vec<u8>)> =
            sorted.iter().zip(parts).map(|((_, at), (_, part))| (*at, part.to_vec())).collect();
        placed.sort_unstable_by_key(|(at, _)| *at);
        Ok(placed.into_iter().map(|(_, part)| part).collect())
    }

    async fn range(&self, path: String, start: u64, length: u64) -> Result<Bytes, String> {
        let request = async {
            let _permit = self.permits.acquire().await;
            let mut fetched = self.target.range(&path, start, length).await;
            for _ in 1..TRIES {
                match &fetched {
                    // A connection that broke off proves nothing about the next one.
                    Err(TargetError::Failed(_) | TargetError::Length) => {
                        fetched = self.target.range(&path, start, length).await;
                    }
                    _ => break,
                }
            }
            fetched
        };
        let bytes = match tokio::time::timeout(LIMIT, request).await {
            Err(_) => return Err(format!("no answer within {} seconds", LIMIT.as_secs())),
            Ok(Err(TargetError::Missing)) => {
                // A full channel holds a message already.
                let _ = self.gone.try_send(());
                return Err(format!("{path} is not there any more"));
            }
            Ok(fetched) => fetched.map_err(|error| error.to_string())?,
        };
        if bytes.len() as u64 != length {
            return Err(format!("{path} was cut"));
        }
        let mut stats = self.stats();
        stats.requests += 1;
        stats.bytes += length;
        Ok(bytes)
    }
}
