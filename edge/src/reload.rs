//! The live state: which epoch answers now, and what replaces it. The edge looks at CURRENT every
//! two seconds and at SIGHUP, opens a new generation beside the running one, and swaps it in when
//! it is good; one that is not is named, the old one keeps serving, and `refusal` says when it is tried
//! again. At UTC midnight the day is replaced, whatever CURRENT says and however long a disk takes to say it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};
use http::HeaderName;
use snapshot::store::{RootStat, live_id, stat_root};
use snapshot::time::Day;
use tokio::signal::unix::Signal;

use crate::cache::Cache;
use crate::clock;
use crate::follower::Follower;
use crate::metrics::Metrics;
use crate::reload_retry::{Refusal, Refused};
use crate::serving_state::{COPIED_INDEX, Epoch, OpenError, Opened, Setting};
use net::blocking_pool::Searches;

/// How often CURRENT is looked at.
const POLL: Duration = Duration::from_secs(2);
/// Requests that wait for a body from the store at a time; as many more wait for their turn.
const FETCHES: usize = 64;

/// The live state.
pub struct Live {
    root: PathBuf,
    setting: Setting,
    /// Largest index that is copied into memory, in bytes.
    copy: u64,
    epoch: ArcSwap<Epoch>,
    /// Held while an epoch is derived from the one before and put in its place.
    turning: Mutex<()>,
    /// Epochs that were replaced, until no request holds them: so none has to free a whole snapshot.
    retired: Mutex<Vec<Arc<Epoch>>>,
    /// What CURRENT names, if it is not served.
    refused: Mutex<Option<Refusal>>,
    /// What is counted.
    pub metrics: Metrics,
    /// Permits for searches that take long.
    pub searches: Searches,
    /// Permits for requests that wait for a body from the store.
    pub fetches: Searches,
    /// How requests are served.
    pub serving: Serving,
    /// The store that is followed, if one is.
    pub source: Option<Arc<Follower>>,
    /// Computed answers by ETag, which names generation, day, question and coding.
    pub answers: Cache<String>,
    /// Whether the server is about to end.
    draining: AtomicBool,
}

/// How requests are served, whatever the generation.
#[derive(Clone, Debug, Default)]
pub struct Serving {
    /// Bytes of computed answers that are kept; 0 keeps none.
    pub answers: u64,
    /// Header that names what a cache may purge an answer by, if any.
    pub tag_header: Option<HeaderName>,
    /// Whether every request is logged.
    pub access_log: bool,
}

impl Live {
    /// Opens the live generation of a root for a day.
    ///
    /// # Errors
    ///
    /// If there is no live generation, or it is damaged, incomplete or of another version.
    pub fn open(root: PathBuf, day: Day, setting: Setting) -> Result<Self, OpenError> {
        Self::open_following(root, day, setting, COPIED_INDEX, None)
    }

    /// The same; an index of at most `copy` bytes is copied into memory, here and whenever a generation is
    /// taken, and what comes into the root comes from `source`.
    ///
    /// # Errors
    ///
    /// As of [`Self::open`].
    pub fn open_following(
        root: PathBuf,
        day: Day,
        setting: Setting,
        copy: u64,
        source: Option<Arc<Follower>>,
    ) -> Result<Self, OpenError> {
        let away = source.as_ref().map(|source| source.lazy_bodies());
        let opened = Arc::new(Opened::current_copying(&root, copy, away)?);
        let epoch = Epoch::new(opened, day, &setting);
        Ok(Self {
            root,
            setting,
            copy,
            epoch: ArcSwap::from_pointee(epoch),
            turning: Mutex::default(),
            retired: Mutex::default(),
            refused: Mutex::default(),
            metrics: Metrics::default(),
            searches: Searches::default(),
            fetches: Searches::new(FETCHES),
            serving: Serving::default(),
            source,
            answers: Cache::new(0),
            draining: AtomicBool::new(false),
        })
    }

    /// The same, served as told.
    #[must_use]
    pub fn serving(self, serving: Serving) -> Self {
        Self { answers: Cache::new(serving.answers), serving, ..self }
    }

    /// Tells whoever asks that no new requests should be sent here.
    pub fn drain(&self) {
        self.draining.store(true, Relaxed);
    }

    /// Whether the server is about to end.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.draining.load(Relaxed)
    }

    /// The epoch that answers now; held for one request.
    pub fn epoch(&self) -> Guard<Arc<Epoch>> {
        self.epoch.load()
    }

    /// What CURRENT names and why that is not served, if so.
    #[must_use]
    pub fn refused(&self) -> Option<Refused> {
        self.refusal().as_ref().map(|refusal| refusal.told.clone())
    }

    /// Takes a new day and a new generation, if there is one, also one that was refused before: what SIGHUP
    /// asks for. Blocks while it opens; meant for a thread of its own, where old epochs are freed too, once no
    /// request holds them.
    pub fn refresh(&self) {
        self.turn();
        self.look(Instant::now(), true);
    }

    /// Takes a new generation, if there is one. What was refused is tried again when it or CURRENT has changed,
    /// and what may pass also when its time has come. Blocks like [`Self::refresh`].
    pub fn poll(&self, now: Instant) {
        self.look(now, false);
    }

    /// When a refused generation is tried again though nothing changed.
    fn again(&self) -> Option<Instant> {
        self.refusal().as_ref().and_then(Refusal::again)
    }

    /// Takes a new day, if it is one. Touches no file.
    pub fn turn(&self) {
        let _turning = lock(&self.turning);
        let current = self.epoch.load_full();
        let day = self.day_after(&current);
        if day != current.dated.day() {
            self.swap(Epoch::new(Arc::clone(&current.opened), day, &self.setting));
            tracing::info!(day = ?day.date(), "a new day");
        }
    }

    /// Whether [`Self::turn`] has something to do.
    fn is_over(&self) -> bool {
        let current = self.epoch.load();
        self.day_after(&current) != current.dated.day()
    }

    fn day_after(&self, epoch: &Epoch) -> Day {
        if self.setting.frozen { epoch.dated.day() } else { clock::today() }
    }

    fn look(&self, now: Instant, asked: bool) {
        lock(&self.retired).retain(|epoch| Arc::strong_count(epoch) > 1);
        // Seen before anything is read: what changes from here on is tried again.
        let look = Look { now, asked, seen: stat_root(&self.root) };
        match live_id(&self.root) {
            Ok(id) if id == self.epoch().generation().id() && !self.is_replaced() => *self.refusal() = None,
            Ok(id) => {
                let id = id.to_string();
                let over = |refusal: &Refusal| refusal.is_over(&id, &look.seen, now);
                if asked || self.refusal().as_ref().is_none_or(over) {
                    self.take(&id, look);
                }
            }
            Err(error) => self.refuse("CURRENT", &error.into(), look),
        }
    }

    /// Whether what is served without its bodies has come with them since.
    fn is_replaced(&self) -> bool {
        let epoch = self.epoch();
        epoch.generation().is_lazy() && epoch.generation().is_replaced()
    }

    fn take(&self, id: &str, look: Look) {
        let away = self.source.as_ref().map(|source| source.lazy_bodies());
        match Opened::current_copying(&self.root, self.copy, away) {
            Ok(opened) => {
                let _turning = lock(&self.turning);
                let day = self.day_after(&self.epoch());
                self.swap(Epoch::new(Arc::new(opened), day, &self.setting));
                *self.refusal() = None;
                self.metrics.loads.add();
                tracing::info!(generation = id, "serving a new generation");
            }
            Err(error) => self.refuse(id, &error, look),
        }
    }

    /// To be called with `turning` held.
    fn swap(&self, epoch: Epoch) {
        let old = self.epoch.swap(Arc::new(epoch));
        lock(&self.retired).push(old);
        // Answers of the epoch before are never asked for again.
        self.answers.clear();
    }

    /// Told and counted once for each reason, however often it is tried, unless somebody asked.
    fn refuse(&self, id: &str, error: &OpenError, look: Look) {
        let told =
            Refused { generation: id.to_owned(), reason: error.to_string(), may_pass: error.may_pass() };
        let mut refusal = self.refusal();
        if look.asked || refusal.as_ref().is_none_or(|before| before.told != told) {
            let serving = self.epoch().generation().id().to_string();
            self.metrics.refusals.add();
            tracing::error!(
                generation = id,
                reason = told.reason,
                tried_again = told.may_pass,
                serving,
                "a generation was refused"
            );
        }
        *refusal = Some(Refusal::new(told, look.seen, refusal.as_ref(), look.now));
    }

    fn refusal(&self) -> MutexGuard<'_, Option<Refusal>> {
        lock(&self.refused)
    }
}

/// One look at CURRENT.
struct Look {
    now: Instant,
    /// Whether somebody asked for it.
    asked: bool,
    /// How the root looked.
    seen: RootStat,
}

/// A panic in another thread leaves what these mutexes guard whole: it is only ever replaced.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the live state fresh for ever, once awaited. Must be called inside a tokio runtime.
pub fn follow(live: Arc<Live>) -> impl Future<Output = ()> {
    // From here on, not only once it is awaited, SIGHUP does not kill the process.
    let hangup = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok();
    async move {
        // Side by side: a disk that does not answer holds up no midnight.
        tokio::join!(follow_days(Arc::clone(&live)), follow_current(live, hangup));
    }
}

async fn follow_days(live: Arc<Live>) {
    loop {
        let until_midnight = Duration::from_secs(86_400 - clock::now() % 86_400);
        tokio::time::sleep(POLL.min(until_midnight)).await;
        if live.is_over() {
            let live = Arc::clone(&live);
            apart(move || live.turn()).await;
        }
    }
}

async fn follow_current(live: Arc<Live>, mut hangup: Option<Signal>) {
    loop {
        let again = live.again().map(|again| again.saturating_duration_since(Instant::now()));
        let asked = async {
            match &mut hangup {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        let asked = tokio::time::timeout(again.unwrap_or(POLL).min(POLL), asked).await.is_ok();
        let live = Arc::clone(&live);
        apart(move || if asked { live.refresh() } else { live.poll(Instant::now()) }).await;
    }
}

/// Runs what blocks on a thread where it may.
async fn apart(work: impl FnOnce() + Send + 'static) {
    if tokio::task::spawn_blocking(work).await.is_err() {
        tracing::error!("refreshing failed; trying again");
    }
}
