//! Reload: replaces the serving state of a running server.
//!
//! The server reads CURRENT every two seconds and at SIGHUP, opens a new generation beside the running one and
//! swaps it in when it is good. One that is not is logged and shown on `/readyz`, the old one keeps serving, and
//! [`Retry`] decides when it is tried again. At UTC midnight the day is replaced, whatever CURRENT holds and however
//! long a disk takes to answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use net::lock;
use serde::Serialize;
use snapshot::time::Day;
use store::live_id;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::clock;
use crate::server::Server;
use crate::serving_state::{OpenError, OpenGeneration, ServingState};

/// Time between two looks at CURRENT.
const POLL: Duration = Duration::from_secs(2);

/// First and longest time between two attempts.
const WAIT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Why the generation that CURRENT names is not served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReloadFailure {
    /// Name of the generation, or `CURRENT`.
    pub generation: String,
    /// What is wrong.
    pub reason: String,
    /// Whether it may pass by itself: files that are not there yet, a disk that does not answer. Otherwise it was read
    /// and is not what was published.
    #[serde(skip)]
    pub is_transient: bool,
}

/// A failure, and when the next attempt is due.
#[derive(Debug)]
pub(crate) struct Retry {
    pub(crate) failure: ReloadFailure,
    /// Time to the next attempt: twice the one before.
    wait: Duration,
    pub(crate) due: Instant,
}

impl Retry {
    /// After an attempt that ended at `now`. `before` is the failure of the attempt before it.
    pub(crate) fn new(failure: ReloadFailure, before: Option<&Self>, now: Instant) -> Self {
        let same = before.filter(|before| before.failure.generation == failure.generation);
        let wait = same.map_or(WAIT.0, |before| (before.wait * 2).min(WAIT.1));
        Self { failure, wait, due: now + wait }
    }

    /// Whether to try a generation now.
    pub(crate) fn is_due(&self, generation: &str, now: Instant) -> bool {
        self.due <= now || self.failure.generation != generation
    }
}

impl Server {
    /// Why the generation that CURRENT names is not served; none when it is.
    pub fn failed_reload(&self) -> Option<ReloadFailure> {
        lock(&self.retry).as_ref().map(|retry| retry.failure.clone())
    }

    /// Takes the new day and opens the live generation anew, also the one that is served (damaged files may have been
    /// restored) and one that failed before: what SIGHUP requests. Blocks while it opens files; meant for a thread of its own, where retired states are freed too.
    pub fn refresh(&self) {
        self.turn();
        self.look(Instant::now(), true);
    }

    /// Takes the new generation, if there is one. After a failure it is tried again when it or CURRENT has changed
    /// and, after a transient one, when the wait is over. Blocks like [`Self::refresh`].
    pub fn poll(&self, now: Instant) {
        self.look(now, false);
    }

    /// Serves another day. Touches no file.
    pub fn set_day(&self, day: Day) {
        let _turning = lock(&self.turning);
        self.swap(ServingState::new(Arc::clone(&self.state.load().open), day, &self.options));
    }

    /// Takes the new day, if it has changed.
    fn turn(&self) {
        if self.is_over() {
            let day = self.today();
            self.set_day(day);
            tracing::info!(day = day.date().map(tracing::field::display), "a new day");
        }
    }

    /// Whether the day of the current state is over.
    fn is_over(&self) -> bool {
        self.today() != self.state.load().dated.day()
    }

    fn today(&self) -> Day {
        if self.options.frozen {
            self.state.load().dated.day()
        } else {
            clock::day_of((self.options.clock)())
        }
    }

    fn look(&self, now: Instant, forced: bool) {
        lock(&self.retired).retain(|state| Arc::strong_count(state) > 1);
        // Pulled again, because it was damaged.
        let is_replaced = || self.state().generation().is_replaced();
        let failed = match live_id(&self.options.root) {
            Ok(id) if !forced && id == self.state().generation().id() && !is_replaced() => {
                *lock(&self.retry) = None;
                return;
            }
            Ok(id) => {
                let id = id.to_string();
                if !forced && lock(&self.retry).as_ref().is_some_and(|retry| !retry.is_due(&id, now)) {
                    return;
                }
                self.take(&id).map_err(|error| (id, error))
            }
            Err(error) => Err(("CURRENT".to_owned(), error.into())),
        };
        if let Err((id, error)) = failed {
            self.fail(id, &error, now, forced);
        }
    }

    fn take(&self, id: &str) -> Result<(), OpenError> {
        let generation = OpenGeneration::open_copying(&self.options.root, self.options.copy_index)?;
        let _turning = lock(&self.turning);
        self.swap(ServingState::new(Arc::new(generation), self.today(), &self.options));
        *lock(&self.retry) = None;
        self.metrics.loads.add();
        tracing::info!(generation = id, "serving a generation");
        Ok(())
    }

    /// Replaces the state. `turning` must be held.
    fn swap(&self, state: ServingState) {
        let old = self.state.swap(Arc::new(state));
        lock(&self.retired).push(old);
        // No request can hit the answers of the state before.
        self.answers.clear();
    }

    /// Notes a failure. It is logged and counted once for each reason, and whenever the attempt was forced.
    fn fail(&self, generation: String, error: &OpenError, now: Instant, forced: bool) {
        let failure =
            ReloadFailure { generation, reason: error.to_string(), is_transient: error.is_transient() };
        let mut retry = lock(&self.retry);
        if forced || retry.as_ref().is_none_or(|before| before.failure != failure) {
            let serving = self.state().generation().id().to_string();
            self.metrics.refusals.add();
            let ReloadFailure { generation, reason, .. } = &failure;
            tracing::error!(generation, reason, serving, "a generation was refused");
        }
        *retry = Some(Retry::new(failure, retry.as_ref(), now));
    }
}

/// Reloads for ever, once awaited. Must be called inside a tokio runtime.
pub fn follow(server: Arc<Server>) -> impl Future<Output = ()> {
    // From here on, not only once it is awaited, SIGHUP does not kill the process.
    let hangup = signal(SignalKind::hangup()).ok();
    async move {
        // Concurrent: a disk that does not answer delays no midnight.
        tokio::join!(follow_days(Arc::clone(&server)), follow_current(server, hangup));
    }
}

async fn follow_days(server: Arc<Server>) {
    loop {
        let until_midnight = Duration::from_secs(86_400 - (server.options.clock)() % 86_400);
        tokio::time::sleep(POLL.min(until_midnight)).await;
        if server.is_over() {
            let server = Arc::clone(&server);
            blocking(move || server.turn()).await;
        }
    }
}

async fn follow_current(server: Arc<Server>, mut hangup: Option<Signal>) {
    loop {
        let due = lock(&server.retry).as_ref().map(|retry| retry.due);
        let wait = due.map_or(POLL, |due| due.saturating_duration_since(Instant::now()).min(POLL));
        let hangup = async {
            match &mut hangup {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        let forced = tokio::time::timeout(wait, hangup).await.is_ok();
        let server = Arc::clone(&server);
        blocking(move || if forced { server.refresh() } else { server.poll(Instant::now()) }).await;
    }
}

async fn blocking(work: impl FnOnce() + Send + 'static) {
    if tokio::task::spawn_blocking(work).await.is_err() {
        tracing::error!("refreshing failed; trying again");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_retried_after_1_2_4_up_to_60_seconds() {
        let failure = |generation: &str| ReloadFailure {
            generation: generation.to_owned(),
            reason: "gone".to_owned(),
            is_transient: true,
        };
        let mut now = Instant::now();
        let mut retry = Retry::new(failure("a"), None, now);
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            assert_eq!(retry.due - now, Duration::from_secs(seconds));
            assert!(!retry.is_due("a", retry.due - Duration::from_millis(1)));
            assert!(retry.is_due("a", retry.due) && retry.is_due("b", now));
            now = retry.due;
            retry = Retry::new(failure("a"), Some(&retry), now);
        }
        let other = Retry::new(failure("b"), Some(&retry), now);
        assert_eq!(other.due, now + Duration::from_secs(1), "another generation starts at 1 s");
    }
}
