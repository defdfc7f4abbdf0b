//! The live state: which epoch answers now, and what replaces it. The edge looks at CURRENT every
//! two seconds and at SIGHUP, opens a new generation beside the running one, and swaps it in when
//! it is good; a bad one is named and the old one keeps serving. At UTC midnight the day is
//! replaced in the same way.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use http::HeaderName;
use snapshot::store::live_id;
use snapshot::time::Day;
use tokio::signal::unix::Signal;

use crate::bodies::Body;
use crate::cache::Cache;
use crate::clock;
use crate::epoch::{Epoch, OpenError, Opened, Setting};
use crate::metrics::Metrics;
use crate::searches::Searches;

/// How often CURRENT is looked at.
const POLL: Duration = Duration::from_secs(2);

/// The live state.
pub struct Live {
    root: PathBuf,
    setting: Setting,
    epoch: ArcSwap<Epoch>,
    /// Epochs that were replaced, until no request holds them: so none has to free a whole snapshot.
    retired: Mutex<Vec<Arc<Epoch>>>,
    /// A generation that was refused: its name and why. Not tried again until CURRENT changes.
    refused: Mutex<Option<(String, String)>>,
    /// What is counted.
    pub metrics: Metrics,
    /// Permits for searches that take long.
    pub searches: Searches,
    /// How requests are served.
    pub serving: Serving,
    /// Computed answers by ETag, which names generation, day, question and coding.
    pub answers: Cache<String, Body>,
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
    pub fn open(root: PathBuf, day: Day, setting: Setting) -> Result<Self, OpenError> {
        let opened = Arc::new(Opened::current(&root)?);
        let epoch = Epoch::new(opened, day, &setting);
        Ok(Self {
            root,
            setting,
            epoch: ArcSwap::from_pointee(epoch),
            retired: Mutex::default(),
            refused: Mutex::default(),
            metrics: Metrics::default(),
            searches: Searches::default(),
            serving: Serving::default(),
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

    /// The generation that was refused last, and why, while CURRENT still names it.
    #[must_use]
    pub fn refused(&self) -> Option<(String, String)> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a new generation or a new day, if there is one. Blocks while it opens; meant for a
    /// thread of its own, where old epochs are freed too, once no request holds them.
    pub fn refresh(&self) {
        self.retired().retain(|epoch| Arc::strong_count(epoch) > 1);
        let current = self.epoch.load_full();
        let day = if self.setting.frozen { current.dated.day() } else { clock::today() };
        match live_id(&self.root) {
            Ok(id) if id == current.generation().id() => self.set_refused(None),
            Ok(id) => return self.take(&id.to_string(), day),
            Err(error) => self.refuse("CURRENT", &error.to_string()),
        }
        if day != current.dated.day() {
            self.swap(Epoch::new(Arc::clone(&current.opened), day, &self.setting));
            tracing::info!(day = ?day.date(), "a new day");
        }
    }

    fn take(&self, id: &str, day: Day) {
        if self.refused().is_some_and(|(refused, _)| refused == id) {
            return;
        }
        match Opened::current(&self.root) {
            Ok(opened) => {
                self.swap(Epoch::new(Arc::new(opened), day, &self.setting));
                self.set_refused(None);
                self.metrics.loads.add();
                tracing::info!(generation = id, "serving a new generation");
            }
            Err(error) => self.refuse(id, &error.to_string()),
        }
    }

    fn swap(&self, epoch: Epoch) {
        let old = self.epoch.swap(Arc::new(epoch));
        self.retired().push(old);
        // Answers of the epoch before are never asked for again.
        self.answers.clear();
    }

    fn refuse(&self, id: &str, reason: &str) {
        if self.refused().is_none_or(|(refused, _)| refused != id) {
            let serving = self.epoch().generation().id().to_string();
            self.metrics.refusals.add();
            tracing::error!(generation = id, reason, serving, "a generation was refused");
        }
        self.set_refused(Some((id.to_owned(), reason.to_owned())));
    }

    fn retired(&self) -> MutexGuard<'_, Vec<Arc<Epoch>>> {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_refused(&self, refused: Option<(String, String)>) {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = refused;
    }
}

/// Keeps the live state fresh for ever, once awaited. Must be called inside a tokio runtime.
pub fn follow(live: Arc<Live>) -> impl Future<Output = ()> {
    // From here on, not only once it is awaited, SIGHUP does not kill the process.
    let hangup = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok();
    follow_with(live, hangup)
}

async fn follow_with(live: Arc<Live>, mut hangup: Option<Signal>) {
    loop {
        let until_midnight = Duration::from_secs(86_400 - clock::now() % 86_400);
        tokio::select! {
            () = tokio::time::sleep(POLL.min(until_midnight)) => {}
            () = async {
                match &mut hangup {
                    Some(signal) => { signal.recv().await; }
                    None => std::future::pending().await,
                }
            } => {}
        }
        let live = Arc::clone(&live);
        if tokio::task::spawn_blocking(move || live.refresh()).await.is_err() {
            tracing::error!("refreshing failed; trying again");
        }
    }
}
