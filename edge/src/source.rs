//! A store that is followed: what is live there is brought into the root, where it is found as any new generation is.
//!
//! It runs on a thread of its own, and nothing that answers waits for it: a store that is away, denies or lies stops
//! no edge and no restart.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use remote::address;
use remote::error::{Kind, RemoteError};
use remote::keys::Trust;
use remote::pull::Puller;
use remote::target::{Target, Version};
use tokio::runtime::Runtime;

use crate::clock;

/// First and longest wait after an error.
const BACKOFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));
/// Generations that stay in the root, beside those of the last day.
const KEPT: usize = 3;
const KEPT_FOR: u64 = 86_400;

/// A store that is followed.
pub struct Source {
    target: Arc<dyn Target>,
    trust: Trust,
    root: PathBuf,
    poll: Duration,
    /// Its connections live as long as it does.
    runtime: Runtime,
    told: Mutex<Told>,
}

/// How it goes.
#[derive(Clone, Debug, Default)]
pub struct Told {
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

impl Told {
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

impl Source {
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
        poll: Duration,
    ) -> Result<Self, RemoteError> {
        let unsigned = allow_unsigned || keys.is_empty() && url.starts_with("file://");
        let trust = Trust::of(keys, unsigned)?;
        if trust.is_empty() {
            let problem = "nobody is trusted; name a public key with --trust, or --allow-unsigned".to_owned();
            return Err(RemoteError::Address { url: url.to_owned(), problem });
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let failed = |error: std::io::Error| RemoteError::File {
            name: "the thread of the store".to_owned(),
            problem: error.to_string(),
        };
        let runtime = runtime.map_err(failed)?;
        Ok(Self { target: address::open(url)?, trust, root, poll, runtime, told: Mutex::default() })
    }

    /// Its address.
    #[must_use]
    pub fn place(&self) -> String {
        self.target.place()
    }

    /// How it goes.
    #[must_use]
    pub fn told(&self) -> Told {
        self.state().clone()
    }

    fn state(&self) -> MutexGuard<'_, Told> {
        // A panic leaves it whole: it is counted in single steps.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks once, and takes what is there unless it is `known`. Blocks.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or believed, or the root cannot be written.
    fn look(&self, known: &mut Option<Version>) -> Result<(), RemoteError> {
        let puller = Puller { target: &*self.target, trust: &self.trust, jobs: 1 };
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
    /// serve. Blocks.
    ///
    /// # Errors
    ///
    /// If that cannot pass by itself: nobody is believed, or the root cannot be written.
    pub fn begin(&self) -> Result<(), RemoteError> {
        let mut wait = BACKOFF.0;
        while snapshot::store::live_id(&self.root).is_err() {
            match self.look(&mut None) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == Kind::Unreadable => self.fails(&error),
                Err(error) => return Err(error),
            }
            std::thread::sleep(jittered(wait));
            wait = (wait * 2).min(BACKOFF.1);
        }
        Ok(())
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
                    std::thread::sleep(around(self.poll));
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
            Source::new(url, &[], unsigned, PathBuf::from("root"), Duration::from_secs(30)).map(|_| ())
        };
        assert!(source("s3://bucket/site", false).unwrap_err().to_string().contains("--trust"));
        assert!(source("file:///site", false).is_ok());
        assert!(source("file:///site", true).is_ok());
        assert!(
            source("ftp://store.example/site", true).unwrap_err().to_string().contains("no stores of ftp")
        );
    }
}
