//! Follows a store: its live generation is pulled into the root, where `reload` finds it like any new generation.
//!
//! It runs on a thread of its own and no request waits for it: a store that is unreachable, refuses or is damaged stops
//! neither the edge nor a restart.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use clap::ValueEnum;
use remote::{
    ErrorClass, FetchStats, Fetcher, ObjectVersion, Puller, RemoteError, Target, Trust, shown_address,
};
use store::{self, DiskCache, Fetch, FetchMode, Generation, LazyBodies, PackRange};
use tokio::runtime::Runtime;

use crate::clock;

/// First and longest wait after an error.
const BACKOFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));
/// Generations that stay in the root, besides those of the last day.
const RETAINED: usize = 3;
const RETAINED_FOR: u64 = 86_400;

/// Which bodies of a generation are fetched before it is served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Prefetch {
    /// All of them
    #[default]
    Full,
    /// Those of search and lists; every other body at its first request
    Lazy,
}

/// How a store is followed.
#[derive(Clone, Debug)]
pub(crate) struct FollowOptions {
    /// Time between polls.
    pub poll: Duration,
    /// Which bodies are fetched ahead.
    pub ahead: Prefetch,
    /// Most bytes of lazily fetched bodies on disk.
    pub body_disk: u64,
}

/// A store that is followed.
pub struct Follower {
    target: Arc<dyn Target>,
    trust: Trust,
    root: PathBuf,
    options: FollowOptions,
    /// Fetches bodies that are not in the root.
    fetcher: Arc<Fetcher>,
    lazy_bodies: Arc<LazyBodies>,
    /// Gets a message when an object of the served generation is gone from the store.
    gone: Mutex<Receiver<()>>,
    status: Mutex<FollowStatus>,
    /// Its connections live as long as the follower.
    runtime: Runtime,
}

/// State and counters of a follower.
#[derive(Clone, Debug, Default)]
pub(crate) struct FollowStatus {
    /// When CURRENT was last read and its generation was live here, in seconds since 1970.
    pub looked: Option<u64>,
    /// Why that failed since, if so.
    pub error: Option<String>,
    /// How often it failed.
    pub errors: u64,
    /// How often the store showed an older state than one accepted before.
    pub stale: u64,
    /// Generations that were pulled.
    pub taken: u64,
    /// Until when the live generation is valid, in seconds since 1970.
    pub expires: Option<i64>,
}

impl FollowStatus {
    /// Seconds since CURRENT was last read.
    #[must_use]
    pub(crate) fn age(&self) -> Option<u64> {
        self.looked.map(|looked| clock::now().saturating_sub(looked))
    }

    /// Whether the live generation is no longer valid.
    #[must_use]
    pub(crate) fn is_expired(&self) -> bool {
        self.expires.is_some_and(|expires| expires < clock::now().cast_signed())
    }
}

impl Follower {
    /// Follows the store at an address that signs with one of these keys.
    ///
    /// # Errors
    ///
    /// If the address or a key is invalid, or nothing is trusted.
    pub(crate) fn new(
        url: &str,
        keys: &[String],
        allow_unsigned: bool,
        root: PathBuf,
        options: FollowOptions,
    ) -> Result<Self, RemoteError> {
        let trust = Trust::new(keys, allow_unsigned || keys.is_empty() && url.starts_with("file://"))?;
        if trust.is_empty() {
            let problem = "no key is trusted; name a public key with --trust, or --allow-unsigned".to_owned();
            return Err(RemoteError::Address { url: shown_address(url), problem });
        }
        let target = remote::open(url)?;
        // A thread of its own, since bodies are fetched between polls too.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| file_error("the thread of the store", &error))?;
        let (send, gone) = sync_channel(1);
        let fetcher = Arc::new(Fetcher::new(Arc::clone(&target), runtime.handle().clone(), send));
        let cache = DiskCache::open(&root, options.body_disk);
        let cache = cache.map_err(|error| file_error(&root.display().to_string(), &error))?;
        let logged = LoggedFetch { fetcher: Arc::clone(&fetcher), is_failing: AtomicBool::new(false) };
        let lazy_bodies = Arc::new(LazyBodies::new(Arc::new(logged), cache));
        let (gone, status) = (Mutex::new(gone), Mutex::default());
        Ok(Self { target, trust, root, options, fetcher, lazy_bodies, gone, status, runtime })
    }

    /// The bodies that are not fetched ahead.
    #[must_use]
    pub(crate) fn lazy_bodies(&self) -> &Arc<LazyBodies> {
        &self.lazy_bodies
    }

    /// Counters of the bodies that are not fetched ahead.
    #[must_use]
    pub(crate) fn fetch_stats(&self) -> FetchStats {
        self.fetcher.stats()
    }

    /// Whether only the index is fetched ahead.
    #[must_use]
    pub(crate) fn is_lazy(&self) -> bool {
        self.options.ahead == Prefetch::Lazy
    }

    /// The store's address.
    #[must_use]
    pub(crate) fn place(&self) -> String {
        self.target.place()
    }

    /// State and counters.
    #[must_use]
    pub(crate) fn status(&self) -> FollowStatus {
        self.state().clone()
    }

    fn state(&self) -> MutexGuard<'_, FollowStatus> {
        // A panic leaves the counters whole: each changes in one step.
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Polls once, and pulls the live generation unless CURRENT has the version `known`. Blocks.
    fn poll(&self, known: &mut Option<ObjectVersion>) -> Result<(), RemoteError> {
        let mode = if self.is_lazy() { FetchMode::IndexOnly } else { FetchMode::All };
        let puller = Puller { target: &*self.target, trust: &self.trust, jobs: 1, mode };
        let pulled = self.runtime.block_on(puller.pull(&self.root, known.as_ref()))?;
        let mut state = self.state();
        state.looked = Some(clock::now());
        state.error = None;
        let Some(pulled) = pulled else { return Ok(()) };
        state.expires = pulled.current.current.expires.map(jiff::Timestamp::as_second);
        state.taken += u64::from(!pulled.unchanged);
        drop(state);
        *known = Some(pulled.current.version);
        if !pulled.unchanged {
            tracing::info!(generation = %pulled.id, bytes = pulled.bytes, "fetched a generation");
            self.collect_garbage();
        }
        Ok(())
    }

    fn collect_garbage(&self) {
        let since = SystemTime::UNIX_EPOCH + Duration::from_secs(clock::now().saturating_sub(RETAINED_FOR));
        if let Err(error) = store::gc(&self.root, RETAINED, since) {
            tracing::warn!(%error, "old generations stay");
        }
    }

    /// Counts a failed poll, and logs its reason once.
    fn record_failure(&self, error: &RemoteError) {
        let text = error.to_string();
        let mut state = self.state();
        state.errors += 1;
        state.stale += u64::from(error.is_stale());
        if state.error.as_ref() != Some(&text) {
            tracing::error!(reason = text, "the store is not followed just now");
        }
        state.error = Some(text);
    }

    /// Waits until a root without a generation has one. If the root is lazy and should not be, its bodies are fetched
    /// if possible. Blocks.
    ///
    /// # Errors
    ///
    /// If waiting cannot help: the store is not trusted, or the root cannot be written.
    pub(crate) fn begin(&self) -> Result<(), RemoteError> {
        if !self.is_lazy() {
            let is_root_lazy = || Generation::open_current(&self.root).is_ok_and(|live| live.is_lazy());
            if is_root_lazy()
                && let Err(error) = self.poll(&mut None)
            {
                self.record_failure(&error);
            }
            // The cache is of no use to a complete root.
            if !is_root_lazy()
                && let Err(error) = DiskCache::remove(&self.root)
            {
                tracing::warn!(%error, "cached bodies stay on disk");
            }
        }
        let mut wait = BACKOFF.0;
        while store::live_id(&self.root).is_err() {
            match self.poll(&mut None) {
                Ok(()) => return Ok(()),
                Err(error) if error.class() == ErrorClass::Unreadable => self.record_failure(&error),
                Err(error) => return Err(error),
            }
            std::thread::sleep(jittered(wait));
            wait = (wait * 2).min(BACKOFF.1);
        }
        Ok(())
    }

    /// Waits for a time, or until an object of the served generation is gone, but at least a second.
    fn wait(&self, time: Duration) {
        let began = Instant::now();
        let gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = gone.recv_timeout(time);
        std::thread::sleep(BACKOFF.0.saturating_sub(began.elapsed()));
    }

    /// Polls for ever, on a thread of its own.
    ///
    /// # Errors
    ///
    /// If the thread cannot be started.
    pub fn follow(self: Arc<Self>) -> std::io::Result<()> {
        let thread = std::thread::Builder::new().name("source".to_owned());
        thread.spawn(move || self.poll_for_ever()).map(drop)
    }

    fn poll_for_ever(&self) {
        let (mut known, mut wait) = (None, BACKOFF.0);
        loop {
            match self.poll(&mut known) {
                Ok(()) => {
                    wait = BACKOFF.0;
                    self.wait(around(self.options.poll));
                }
                Err(error) => {
                    self.record_failure(&error);
                    std::thread::sleep(jittered(wait));
                    wait = (wait * 2).min(BACKOFF.1);
                }
            }
        }
    }
}

/// Logs when bodies can no longer be fetched, and when they can be again.
struct LoggedFetch {
    fetcher: Arc<Fetcher>,
    is_failing: AtomicBool,
}

impl Fetch for LoggedFetch {
    fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
        let fetched = self.fetcher.fetch(pieces);
        match (&fetched, self.is_failing.swap(fetched.is_err(), Relaxed)) {
            (Err(reason), false) => {
                tracing::error!(reason, "bodies that are not here cannot be fetched from the store");
            }
            (Ok(_), true) => tracing::info!("bodies can be fetched from the store again"),
            _ => {}
        }
        fetched
    }
}

fn file_error(name: &str, error: &std::io::Error) -> RemoteError {
    RemoteError::File { name: name.to_owned(), problem: error.to_string() }
}

/// A random number from 0 to 1, so that edges that start together do not poll together.
fn chance() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

/// A fifth more or less.
fn around(time: Duration) -> Duration {
    time.mul_f64(0.8 + 0.4 * chance())
}

/// From a tenth of the time to all of it.
fn jittered(time: Duration) -> Duration {
    time.mul_f64(0.1 + 0.9 * chance())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_spread() {
        let waits: Vec<Duration> = (0..100).map(|_| around(Duration::from_secs(30))).collect();
        assert!(waits.iter().all(|wait| (24..=36).contains(&wait.as_secs())));
        assert!(waits.iter().any(|wait| wait.as_secs() < 29) && waits.iter().any(|wait| wait.as_secs() > 31));
        assert!((0..100).all(|_| jittered(BACKOFF.1) >= BACKOFF.1 / 10 && jittered(BACKOFF.1) <= BACKOFF.1));
    }

    #[test]
    fn an_unsigned_store_needs_a_flag_unless_it_is_a_folder() {
        let follower = |url: &str, unsigned| {
            let options =
                FollowOptions { poll: Duration::from_secs(30), ahead: Prefetch::Full, body_disk: 1 << 20 };
            let root = tempfile::tempdir().unwrap();
            Follower::new(url, &[], unsigned, root.path().to_owned(), options).map(|_| ())
        };
        let error = follower("s3://user:secret@bucket/site", false).unwrap_err().to_string();
        assert!(error.contains("--trust") && !error.contains("secret"), "{error}");
        assert!(follower("file:///site", false).is_ok());
        assert!(follower("file:///site", true).is_ok());
        let error = follower("ftp://store.example/site", true).unwrap_err().to_string();
        assert!(error.contains("ftp is not supported"), "{error}");
    }
}
