//! Follows a store: its live generation is pulled into the root, where `reload` finds it like any new generation.
//!
//! It runs on a thread of its own and no request waits for it: a store that is unreachable, refuses or is damaged stops
//! neither the edge nor a restart.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use net::lock;
use remote::{ErrorClass, FetchedCurrent, ObjectVersion, Pulled, Puller, RemoteError, Target, Trust};
use store::StoreError;
use tokio::runtime::Runtime;

use crate::clock;

/// First wait after an error; the longest is the time between polls.
const BACKOFF: Duration = Duration::from_secs(1);
/// First and longest wait before a generation that could not be taken is tried again. Until then CURRENT is polled only.
const RETRY: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(600));
/// Generations that stay in the root, besides those of the last day.
const RETAINED: usize = 3;
const RETAINED_FOR: u64 = 86_400;

/// A store that is followed.
pub struct Follower {
    /// The store.
    pub(crate) target: Arc<dyn Target>,
    trust: Trust,
    root: PathBuf,
    /// Time between polls.
    poll: Duration,
    status: Mutex<FollowStatus>,
    /// Whether a body of the live generation was found damaged since the last poll.
    damaged: AtomicBool,
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
    pub(crate) fn age(&self) -> Option<u64> {
        self.looked.map(|looked| clock::now().saturating_sub(looked))
    }

    /// Whether the live generation is no longer valid.
    pub(crate) fn is_expired(&self) -> bool {
        self.expires.is_some_and(|expires| expires < clock::now().cast_signed())
    }
}

impl Follower {
    /// Follows the store at an address that signs with one of these keys, and polls it at this interval.
    pub(crate) fn new(
        url: &str,
        (keys, allow_unsigned): (&[String], bool),
        root: PathBuf,
        poll: Duration,
    ) -> Result<Self, RemoteError> {
        let trust = Trust::new(keys, allow_unsigned || keys.is_empty() && url.starts_with("file://"))?;
        if trust.is_empty() {
            let problem = "no key is trusted; name a public key with --trust, or --allow-unsigned";
            return Err(RemoteError::Usage(format!("{}: {problem}", remote::secrets::shown_address(url))));
        }
        let target = remote::open(url)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            let (name, problem) = ("the connections of the store".to_owned(), error.to_string());
            RemoteError::File { name, problem }
        })?;
        let expires = remote::accepted_expiry(&root, &target.place()).map(jiff::Timestamp::as_second);
        let status = Mutex::new(FollowStatus { expires, ..FollowStatus::default() });
        Ok(Self { target, trust, root, poll, status, damaged: AtomicBool::new(false), runtime })
    }

    /// Has the next poll check what is here, and fetch again what is damaged.
    pub(crate) fn check_soon(&self) {
        self.damaged.store(true, Relaxed);
    }

    /// State and counters.
    pub(crate) fn status(&self) -> FollowStatus {
        lock(&self.status).clone()
    }

    /// Polls once, and pulls the live generation unless CURRENT is the one that was seen. Gives the generation, if it was
    /// pulled. Blocks.
    fn poll(&self, seen: &mut Seen) -> Result<Option<Pulled>, RemoteError> {
        let puller = Puller { target: &*self.target, trust: &self.trust };
        // A pull that failed is tried again when it is due.
        if self.damaged.swap(false, Relaxed) && seen.failed.is_none() {
            seen.version = None;
        }
        let is_due = seen.failed.as_ref().is_some_and(|failed| failed.due <= Instant::now());
        let unless = seen.version.as_ref().filter(|_| !is_due);
        let Some(current) = self.runtime.block_on(remote::look(puller.target, puller.trust, unless))? else {
            if seen.failed.is_none() {
                self.record_success();
            }
            return Ok(None);
        };
        let version = current.version.clone();
        let pulled = self.accept(&puller, &current);
        let before = seen.failed.take().filter(|_| seen.version.as_ref() == Some(&version));
        seen.failed = pulled.as_ref().err().and_then(|error| Self::failed_pull(error, before.as_ref()));
        seen.version = (pulled.is_ok() || seen.failed.is_some()).then_some(version);
        let pulled = pulled?;
        self.record_success();
        let mut state = lock(&self.status);
        state.expires = pulled.current.current.expires.map(jiff::Timestamp::as_second);
        state.taken += u64::from(!pulled.unchanged);
        drop(state);
        if !pulled.unchanged {
            tracing::info!(generation = %pulled.id, bytes = pulled.bytes, "fetched a generation");
            self.collect_garbage(RETAINED, RETAINED_FOR);
        }
        Ok(Some(pulled))
    }

    /// Pulls a generation, with room made before and, where there is none nevertheless, again.
    fn accept(&self, puller: &Puller<'_>, current: &FetchedCurrent) -> Result<Pulled, RemoteError> {
        if store::live_id(&self.root).is_ok_and(|live| live != current.current.live.generation) {
            self.collect_garbage(RETAINED, RETAINED_FOR);
        }
        match self.runtime.block_on(puller.accept(&self.root, current.clone())) {
            Err(error) if is_out_of_space(&error) => {
                self.collect_garbage(0, 0);
                self.runtime.block_on(puller.accept(&self.root, current.clone()))
            }
            pulled => pulled,
        }
    }

    /// When to try again after a failure that is not of the connection.
    fn failed_pull(error: &RemoteError, before: Option<&FailedPull>) -> Option<FailedPull> {
        let is_of_content = matches!(
            error,
            RemoteError::Damaged { .. } | RemoteError::Malformed { .. } | RemoteError::Snapshot(_)
        );
        let wait = before.map_or(RETRY.0, |before| (before.wait * 2).min(RETRY.1));
        is_of_content.then(|| FailedPull { due: Instant::now() + wait, wait })
    }

    /// Removes old generations: `keep` stay, and those of the last seconds.
    fn collect_garbage(&self, keep: usize, seconds: u64) {
        let since = SystemTime::UNIX_EPOCH + Duration::from_secs(clock::now().saturating_sub(seconds));
        if let Err(error) = store::gc(&self.root, keep, since) {
            tracing::warn!(%error, "old generations stay");
        }
    }

    fn record_success(&self) {
        let mut state = lock(&self.status);
        state.looked = Some(clock::now());
        state.error = None;
    }

    /// Counts a failed poll, and logs its reason once.
    fn record_failure(&self, error: &RemoteError) {
        // Which file did not fit is another one each time.
        let text = match is_out_of_space(error) {
            true => format!("{}: no space is left for another generation; make room", self.root.display()),
            false => error.to_string(),
        };
        let mut state = lock(&self.status);
        state.errors += 1;
        state.stale += u64::from(error.is_stale());
        if state.error.as_ref() != Some(&text) {
            tracing::error!(reason = text, "the store is not followed just now");
        }
        state.error = Some(text);
    }

    /// Waits until a root without a generation has one. Blocks.
    /// An error is one that waiting cannot help.
    pub(crate) fn begin(&self) -> Result<(), RemoteError> {
        store::live_id(&self.root).map(drop).or_else(|_| self.pull_at_last().map(drop))
    }

    /// Fetches again what is damaged of the live generation, as soon as the store gives it. Gives whether anything is
    /// another generation, or was damaged. Blocks.
    pub(crate) fn repair(&self, reason: &str) -> Result<bool, RemoteError> {
        tracing::error!(reason, "what is here cannot be served; fetching it from the store");
        self.pull_at_last()
    }

    fn pull_at_last(&self) -> Result<bool, RemoteError> {
        let (mut seen, mut wait) = (Seen::default(), BACKOFF);
        loop {
            match self.poll(&mut seen) {
                Ok(Some(pulled)) => return Ok(!pulled.unchanged),
                Ok(None) => {}
                Err(error) if may_pass(&error) => self.record_failure(&error),
                Err(error) => return Err(error),
            }
            std::thread::sleep(random(wait, 0.1, 1.0));
            wait = longer(wait, self.poll);
        }
    }

    /// Polls for ever, on a thread of its own.
    ///
    /// # Errors
    ///
    /// If the thread cannot be started.
    pub(crate) fn follow(self: Arc<Self>) -> std::io::Result<()> {
        let thread = std::thread::Builder::new().name("source".to_owned());
        thread.spawn(move || self.poll_for_ever()).map(drop)
    }

    fn poll_for_ever(&self) {
        let (mut seen, mut wait) = (Seen::default(), BACKOFF);
        loop {
            match self.poll(&mut seen) {
                Ok(_) => {
                    wait = BACKOFF;
                    std::thread::sleep(random(self.poll, 0.8, 1.2));
                }
                Err(error) => {
                    self.record_failure(&error);
                    std::thread::sleep(random(wait, 0.1, 1.0));
                    wait = longer(wait, self.poll);
                }
            }
        }
    }
}

/// What polls have seen of the store.
#[derive(Default)]
struct Seen {
    /// The CURRENT whose generation is live here, or could not be pulled.
    version: Option<ObjectVersion>,
    failed: Option<FailedPull>,
}

/// A generation that could not be pulled, and when it is tried again although CURRENT is the same.
struct FailedPull {
    due: Instant,
    wait: Duration,
}

fn is_out_of_space(error: &RemoteError) -> bool {
    matches!(error, RemoteError::Snapshot(error) if error.is_out_of_space())
}

/// Whether the same pull may succeed later.
fn may_pass(error: &RemoteError) -> bool {
    let passes =
        matches!(error, RemoteError::Damaged { .. } | RemoteError::Snapshot(StoreError::Locked { .. }));
    passes || error.class() == ErrorClass::Unreadable || error.is_stale() || is_out_of_space(error)
}

/// The wait after one more failure: a store that is back is seen within the time between polls.
fn longer(wait: Duration, poll: Duration) -> Duration {
    (wait * 2).min(poll)
}

/// A random time between two multiples of one, so that edges that start together do not poll together.
fn random(time: Duration, least: f64, most: f64) -> Duration {
    let chance = RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64;
    time.mul_f64(least + (most - least) * chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_spread() {
        let waits: Vec<Duration> = (0..100).map(|_| random(Duration::from_secs(30), 0.8, 1.2)).collect();
        assert!(waits.iter().all(|wait| (24..=36).contains(&wait.as_secs())));
        assert!(waits.iter().any(|wait| wait.as_secs() < 29) && waits.iter().any(|wait| wait.as_secs() > 31));
    }

    #[test]
    fn a_wait_doubles_up_to_the_time_between_polls() {
        let poll = Duration::from_secs(30);
        let waits = std::iter::successors(Some(BACKOFF), |wait| Some(longer(*wait, poll)));
        let seconds: Vec<u64> = waits.take(8).map(|wait| wait.as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 30, 30, 30]);
    }
}
