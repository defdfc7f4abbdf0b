//! Bodies that were left in a store, asked for when they are wanted: many at a time, none for long, and by tasks of their
//! own, so that nobody who serves others does it.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use snapshot::store::{Fetch, PackRange};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::index::pack_path;
use crate::pull::spans;
use crate::target::{Target, TargetError};

/// Requests at a time.
const AT_ONCE: usize = 64;
/// Requests at a time for one body.
const AT_ONCE_FOR_ONE: usize = 8;
/// How long one may take, waiting for its turn included.
const LIMIT: Duration = Duration::from_secs(2);

/// How often an answer that broke off is asked for.
const TRIES: usize = 3;

/// A store that is asked for parts of packs.
pub struct Fetcher {
    inner: Arc<Inner>,
    /// Where requests are made.
    handle: Handle,
}

struct Inner {
    target: Arc<dyn Target>,
    permits: Semaphore,
    told: Mutex<FetchStats>,
    gone: SyncSender<()>,
}

/// How it goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FetchStats {
    /// Why the last body could not be had, if so.
    pub error: Option<String>,
    /// Requests that were answered.
    pub requests: u64,
    /// Bytes that came.
    pub bytes: u64,
    /// Bodies that could not be had.
    pub failures: u64,
}

impl Fetcher {
    /// Asks a store by tasks of a runtime, which has to go on by itself. `gone` hears of it when something is not
    /// there any more: another generation may be live then.
    #[must_use]
    pub fn new(target: Arc<dyn Target>, handle: Handle, gone: SyncSender<()>) -> Self {
        let inner = Inner { target, permits: Semaphore::new(AT_ONCE), told: Mutex::default(), gone };
        Self { inner: Arc::new(inner), handle }
    }

    /// How it goes.
    #[must_use]
    pub fn stats(&self) -> FetchStats {
        self.inner.lock_stats().clone()
    }
}

impl Fetch for Fetcher {
    fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
        let (inner, pieces) = (Arc::clone(&self.inner), pieces.to_vec());
        let (send, came) = sync_channel(1);
        self.handle.spawn(async move {
            let _ = send.send(inner.bring(&pieces).await);
        });
        // Nothing is sent only if the runtime has ended.
        let came = came.recv().unwrap_or_else(|_| Err("this program ends".to_owned()));
        let mut told = self.inner.lock_stats();
        told.failures += u64::from(came.is_err());
        told.error = came.as_ref().err().cloned();
        came
    }
}

impl Inner {
    fn lock_stats(&self) -> MutexGuard<'_, FetchStats> {
        // A panic leaves it whole: it is counted in single steps.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn bring(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
        // As they lie, so that neighbours come together; they are given back in the order in which they were asked for.
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|at| pieces.get(*at).copied());
        let sorted: Vec<PackRange> = order.iter().filter_map(|at| pieces.get(*at).copied()).collect();
        let spans = spans(&sorted);
        let places: Vec<_> =
            spans.iter().map(|span| (pack_path(&span.pack), span.start, span.length)).collect();
        let asks = places.into_iter().map(|(path, start, length)| self.range(path, start, length));
        let came: Vec<Bytes> = stream::iter(asks).buffered(AT_ONCE_FOR_ONE).try_collect().await?;
        let parts = spans.iter().zip(&came).flat_map(|(span, bytes)| span.parts(bytes));
        let mut placed: Vec<(usize, Vec<u8>)> =
            order.into_iter().zip(parts.map(|(_, part)| part.to_vec())).collect();
        placed.sort_unstable_by_key(|(at, _)| *at);
        Ok(placed.into_iter().map(|(_, part)| part).collect())
    }

    async fn range(&self, path: String, start: u64, length: u64) -> Result<Bytes, String> {
        let ask = async {
            let _permit = self.permits.acquire().await;
            // A connection that broke off says nothing about the next one.
            let mut came = self.target.range(&path, start, length).await;
            for _ in 1..TRIES {
                match &came {
                    Err(TargetError::Failed(_) | TargetError::Length) => {
                        came = self.target.range(&path, start, length).await;
                    }
                    _ => break,
                }
            }
            came
        };
        let came = match tokio::time::timeout(LIMIT, ask).await {
            Err(_) => return Err(format!("no answer within {} seconds", LIMIT.as_secs())),
            Ok(Err(TargetError::Missing)) => {
                // Full: it will be heard.
                let _ = self.gone.try_send(());
                return Err(format!("{path} is not there any more"));
            }
            Ok(came) => came.map_err(|refusal| refusal.to_string())?,
        };
        if came.len() as u64 != length {
            return Err(format!("{path} was cut"));
        }
        let mut told = self.lock_stats();
        told.requests += 1;
        told.bytes += length;
        Ok(came)
    }
}
