//! A store that is followed: what is live there is brought into the root, where it is found as any new generation is.
//!
//! It runs on a thread of its own, and nothing that answers waits for it: a store that is away, denies or lies stops
//! no edge and no restart.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use clap::ValueEnum;
use remote::address;
use remote::error::{ErrorClass, RemoteError};
use remote::fetcher::{self, Fetcher};
use remote::keys::Trust;
use remote::pull::Puller;
use remote::target::{ObjectVersion, Target};
use snapshot::store::{DiskCache, Fetch, FetchMode, Generation, LazyBodies, PackRange};
use tokio::runtime::Runtime;

use crate::clock;

/// First and longest wait after an error.
const BACKOFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));
/// Generations that stay in the root, beside those of the last day.
const KEPT: usize = 3;
const KEPT_FOR: u64 = 86_400;

/// What of a store is fetched ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Prefetch {
    /// All of a generation, before it is served
    #[default]
    Full,
    /// What search and lists are made of; every other body when it is first asked for
    Lazy,
}

/// How a store is followed.
#[derive(Clone, Debug)]
pub struct FollowOptions {
    /// Time between looks.
    pub poll: Duration,
    /// What is fetched ahead.
    pub ahead: Prefetch,
    /// Most bytes of bodies that are kept on disk where they are not fetched ahead.
    pub body_disk: u64,
    /// What this edge is called: whether it takes part in a rollout follows from that.
    pub name: String,
}

/// A store that is followed.
pub struct Follower {
    target: Arc<dyn Target>,
    trust: Trust,
    root: PathBuf,
    how: FollowOptions,
    /// Where bodies come from that are not here.
    fetcher: Arc<Fetcher>,
    away: Arc<LazyBodies>,
    /// Hears of it when something that is served is gone from the store.
    gone: Mutex<Receiver<()>>,
    told: Mutex<FollowStatus>,
    /// Its connections live as long as it does.
    runtime: Runtime,
}

/// How it goes.
#[derive(Clone, Debug, Default)]
pub struct FollowStatus {
    /// When the store was last read and said what is live here, in seconds since 1970.
    pub looked: Option<u64>,
    /// Why it could not be read or believed since, if so.
    pub error: Option<String>,
    /// How often that was.
    pub errors: u64,
    /// How often it showed an older state than what was taken before.
    pub stale: u64,
    /// Generations that were brought here.
    pub taken: u64,
    /// When somebody should look why nothing new came, in seconds since 1970.
    pub expires: Option<i64>,
}

impl FollowStatus {
    /// Seconds since the store last said what is live.
    #[must_use]
    pub fn age(&self) -> Option<u64> {
        self.looked.map(|looked| clock::now().saturating_sub(looked))
    }

    /// Whether what is served is good no longer.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        self.expires.is_some_and(|expires| expires < clock::now().cast_signed())
    }
}

impl Follower {
    /// A store by its address, whose word is taken if one of these keys signed it.
    ///
    /// # Errors
    ///
    /// If the address is none, a key is none, or nobody would be believed.
    pub fn new(
        url: &str,
        keys: &[String],
        allow_unsigned: bool,
        root: PathBuf,
        how: FollowOptions,
    ) -> Result<Self, RemoteError> {
        let unsigned = allow_unsigned || keys.is_empty() && url.starts_with("file://");
        let trust = Trust::of(keys, unsigned)?;
        if trust.is_empty() {
            let problem = "nobody is trusted; name a public key with --trust, or --allow-unsigned".to_owned();
            return Err(RemoteError::Address { url: url.to_owned(), problem });
        }
        let target = address::open(url)?;
        // A thread of its own: bodies come while it looks, and while nobody does.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| failed("the thread of the store", &error))?;
        let (send, gone) = sync_channel(1);
        let fetcher = Arc::new(Fetcher::new(Arc::clone(&target), runtime.handle().clone(), send));
        let ring = DiskCache::open(&root, how.body_disk);
        let ring = ring.map_err(|error| failed(&root.display().to_string(), &error))?;
        let asked = Arc::new(LoggedFetch { fetcher: Arc::clone(&fetcher), fails: AtomicBool::new(false) });
        let away = Arc::new(LazyBodies::new(asked, ring));
        let (gone, told) = (Mutex::new(gone), Mutex::default());
        Ok(Self { target, trust, root, how, fetcher, away, gone, told, runtime })
    }

    /// Where bodies come from that were not fetched ahead.
    #[must_use]
    pub fn lazy_bodies(&self) -> &Arc<LazyBodies> {
        &self.away
    }

    /// How it goes with those.
    #[must_use]
    pub fn fetch_stats(&self) -> fetcher::FetchStats {
        self.fetcher.stats()
    }

    /// Whether bodies are not fetched ahead.
    #[must_use]
    pub fn is_lazy(&self) -> bool {
        self.how.ahead == Prefetch::Lazy
    }

    /// Its address.
    #[must_use]
    pub fn place(&self) -> String {
        self.target.place()
    }

    /// How it goes.
    #[must_use]
    pub fn status(&self) -> FollowStatus {
        self.state().clone()
    }

    fn state(&self) -> MutexGuard<'_, FollowStatus> {
        // A panic leaves it whole: it is counted in single steps.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks once, and takes what is there unless it is `known`. Blocks.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or believed, or the root cannot be written.
    fn look(&self, known: &mut Option<ObjectVersion>) -> Result<(), RemoteError> {
        let take = if self.is_lazy() { FetchMode::IndexOnly } else { FetchMode::All };
        let edge = Some(self.how.name.as_str());
        let puller = Puller { target: &*self.target, trust: &self.trust, jobs: 1, take, edge };
        let pulled = self.runtime.block_on(puller.pull(&self.root, known.as_ref()))?;
        let mut state = self.state();
        state.looked = Some(clock::now());
        state.error = None;
        let Some(pulled) = pulled else { return Ok(()) };
        state.expires = pulled.read.pointer.expires.map(jiff::Timestamp::as_second);
        state.taken += u64::from(!pulled.unchanged);
        drop(state);
        *known = Some(pulled.read.version);
        if !pulled.unchanged {
            tracing::info!(generation = %pulled.id, bytes = pulled.bytes, "fetched a generation");
            self.tidy();
        }
        Ok(())
    }

    /// Removes what nobody reads any more.
    fn tidy(&self) {
        let since = SystemTime::UNIX_EPOCH + Duration::from_secs(clock::now().saturating_sub(KEPT_FOR));
        if let Err(error) = snapshot::store::gc(&self.root, KEPT, since) {
            tracing::warn!(%error, "old generations stay");
        }
    }

    /// Told once for each reason, counted each time.
    fn fails(&self, error: &RemoteError) {
        let text = error.to_string();
        let mut state = self.state();
        state.errors += 1;
        state.stale += u64::from(error.is_stale());
        if state.error.as_ref() != Some(&text) {
            tracing::error!(reason = text, "the store is not followed just now");
        }
        state.error = Some(text);
    }

    /// Brings what is live into a root in which nothing is, however long that takes, so that there is something to
    /// serve. Where there is a generation without its bodies, and there should be none, they are fetched if they can
    /// be. Blocks.
    ///
    /// # Errors
    ///
    /// If that cannot pass by itself: nobody is believed, or the root cannot be written.
    pub fn begin(&self) -> Result<(), RemoteError> {
        if !self.is_lazy() {
            let lazy = || Generation::open_current(&self.root).is_ok_and(|live| live.is_lazy());
            if lazy()
                && let Err(error) = self.look(&mut None)
            {
                self.fails(&error);
            }
            // What is kept is of use to nobody then.
            if !lazy()
                && let Err(error) = DiskCache::remove(&self.root)
            {
                tracing::warn!(%error, "bodies that were kept stay");
            }
        }
        let mut wait = BACKOFF.0;
        while snapshot::store::live_id(&self.root).is_err() {
            match self.look(&mut None) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == ErrorClass::Unreadable => self.fails(&error),
                Err(error) => return Err(error),
            }
            std::thread::sleep(jittered(wait));
            wait = (wait * 2).min(BACKOFF.1);
        }
        Ok(())
    }

    /// Waits, but not longer than until something that is served is found to be gone, and never less than a second.
    fn rest(&self, time: Duration) {
        let began = Instant::now();
        let gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = gone.recv_timeout(time);
        std::thread::sleep(BACKOFF.0.saturating_sub(began.elapsed()));
    }

    /// Follows for ever, on a thread of its own.
    ///
    /// # Errors
    ///
    /// If there are no more threads.
    pub fn follow(self: Arc<Self>) -> std::io::Result<()> {
        let thread = std::thread::Builder::new().name("source".to_owned());
        thread.spawn(move || self.look_for_ever()).map(drop)
    }

    fn look_for_ever(&self) {
        let (mut known, mut wait) = (None, BACKOFF.0);
        loop {
            match self.look(&mut known) {
                Ok(()) => {
                    wait = BACKOFF.0;
                    self.rest(around(self.how.poll));
                }
                Err(error) => {
                    self.fails(&error);
                    std::thread::sleep(jittered(wait));
                    wait = (wait * 2).min(BACKOFF.1);
                }
            }
        }
    }
}

/// Bodies of a store; says when they can be had no longer, and when they can again.
struct LoggedFetch {
    fetcher: Arc<Fetcher>,
    fails: AtomicBool,
}

impl Fetch for LoggedFetch {
    fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
        let came = self.fetcher.fetch(pieces);
        match (&came, self.fails.swap(came.is_err(), Relaxed)) {
            (Err(reason), false) => {
                tracing::error!(reason, "bodies that are not here cannot be had from the store");
            }
            (Ok(_), true) => tracing::info!("bodies can be had from the store again"),
            _ => {}
        }
        came
    }
}

fn failed(name: &str, error: &std::io::Error) -> RemoteError {
    RemoteError::File { name: name.to_owned(), problem: error.to_string() }
}

/// A number from 0 to 1 that is another for each edge: many that start together do not ask together.
fn chance() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

/// A fifth more or less.
fn around(time: Duration) -> Duration {
    time.mul_f64(0.8 + 0.4 * chance())
}

/// Anything up to a time, but no less than a tenth of it.
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
    fn nobody_is_believed_unless_somebody_says_so() {
        let source = |url: &str, unsigned| {
            let (poll, name) = (Duration::from_secs(30), "edge".to_owned());
            let how = FollowOptions { poll, ahead: Prefetch::Full, body_disk: 1 << 20, name };
            let root = tempfile::tempdir().unwrap();
            Follower::new(url, &[], unsigned, root.path().to_owned(), how).map(|_| ())
        };
        assert!(source("s3://bucket/site", false).unwrap_err().to_string().contains("--trust"));
        assert!(source("file:///site", false).is_ok());
        assert!(source("file:///site", true).is_ok());
        assert!(
            source("ftp://store.example/site", true).unwrap_err().to_string().contains("no stores of ftp")
        );
    }
}
