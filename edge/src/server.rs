//! The server: its options, its current state, and everything that outlives a state.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use arc_swap::{ArcSwap, Guard};
use http::HeaderName;
use mcp::Endpoint;
use net::blocking_pool::BlockingPool;
use net::client_address::TrustedProxies;
use net::connection::Counters;
use snapshot::time::Day;

use crate::bodies::{Cache, cache};
use crate::clock;
use crate::follower::Follower;
use crate::metrics::Metrics;
use crate::reload::Retry;
use crate::serving_state::{OpenError, OpenGeneration, ServingState};

/// Default for the largest index that is copied into memory, in bytes. A copy is not affected when its files are
/// overwritten.
pub(crate) const COPIED_INDEX: u64 = 128 << 20;
/// Default size of the cache of file bodies, in bytes.
const BODY_CACHE: u64 = 16 << 20;

/// The options of a server.
#[derive(Clone)]
pub struct Options {
    /// Folder that holds CURRENT.
    pub root: PathBuf,
    /// The first day to answer for.
    pub day: Day,
    /// Whether that day stays for ever: for tests and archives.
    pub frozen: bool,
    /// Seconds since 1970; tests may replace the system's clock.
    pub clock: fn() -> u64,
    /// Host names that requests may be addressed to, besides that of the base URL.
    pub hosts: Vec<String>,
    /// Largest index that is copied into memory, in bytes.
    pub copy_index: u64,
    /// Size of the cache of file bodies, in bytes.
    pub body_cache: u64,
    /// Size of the cache of computed answers, in bytes; 0 turns it off.
    pub response_cache: u64,
    /// Header for the tags by which a CDN may purge an answer.
    pub tag_header: Option<HeaderName>,
    /// Whether every request is logged.
    pub access_log: bool,
    /// How the tool endpoint answers.
    pub mcp: mcp::Config,
    /// Proxies that name the client.
    pub proxies: TrustedProxies,
    /// The store that is followed.
    pub source: Option<Arc<Follower>>,
}

impl Options {
    /// The defaults for a root and a day: no cache of computed answers, no proxies, no store.
    pub fn new(root: PathBuf, day: Day) -> Self {
        Self {
            root,
            day,
            frozen: false,
            clock: clock::now,
            hosts: Vec::new(),
            copy_index: COPIED_INDEX,
            body_cache: BODY_CACHE,
            response_cache: 0,
            tag_header: None,
            access_log: false,
            mcp: mcp::Config::default(),
            proxies: TrustedProxies::default(),
            source: None,
        }
    }
}

/// A server: its current state, and everything that outlives a state.
pub struct Server {
    pub(crate) options: Options,
    pub(crate) state: ArcSwap<ServingState>,
    /// Held while a state is derived from the one before and put in its place.
    pub(crate) turning: Mutex<()>,
    /// States that were replaced, until no request holds them: so none has to free a whole snapshot.
    pub(crate) retired: Mutex<Vec<Arc<ServingState>>>,
    /// The last failed reload, while it stands.
    pub(crate) retry: Mutex<Option<Retry>>,
    /// Counters.
    pub metrics: Metrics,
    /// Pool for searches that take long.
    pub(crate) searches: BlockingPool,
    /// Pool for long bodies and joins of many: its own, so that downloads refuse no search.
    pub(crate) reads: BlockingPool,
    /// Computed answers by ETag, which names generation, day, query and coding.
    pub(crate) answers: Cache<String>,
    /// The tool endpoint.
    pub(crate) mcp: Endpoint,
    /// Zero of the clock that rates are counted by.
    pub(crate) started: Instant,
    draining: AtomicBool,
}

impl Server {
    /// Opens the current generation of a root.
    ///
    /// # Errors
    ///
    /// If there is no current generation, or it is damaged, incomplete or of another version.
    pub fn open(options: Options) -> Result<Arc<Self>, OpenError> {
        let generation = Arc::new(OpenGeneration::open_copying(&options.root, options.copy_index)?);
        let state = ServingState::new(generation, options.day, &options);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Arc::new(Self {
            state: ArcSwap::from_pointee(state),
            turning: Mutex::default(),
            retired: Mutex::default(),
            retry: Mutex::default(),
            metrics: Metrics::new(Counters::behind(options.proxies.clone())),
            searches: BlockingPool::new(cores - 1),
            reads: BlockingPool::new(1),
            answers: cache(options.response_cache),
            mcp: Endpoint::new(options.mcp.clone())?,
            started: Instant::now(),
            draining: AtomicBool::new(false),
            options,
        }))
    }

    /// The current state; to be held for one request.
    pub fn state(&self) -> Guard<Arc<ServingState>> {
        self.state.load()
    }

    /// Announces on `/readyz` that no new requests should be sent here.
    pub fn drain(&self) {
        self.draining.store(true, Relaxed);
    }

    /// What clients may use up, and whether they have nearly done so: with more than half of the memory used, those that
    /// read nothing are cut sooner.
    pub(crate) fn saturation(&self) -> [(&'static str, bool); 4] {
        let connections = &self.metrics.connections;
        let (in_flight, most) = (&connections.in_flight, connections.most.load(Relaxed) as u64);
        let is_full = |pool: &BlockingPool| {
            let [_, (waiting, most)] = pool.usage();
            waiting == most
        };
        [
            ("answers", 2 * in_flight.bytes() > in_flight.budget),
            ("connections", 10 * connections.open_now() > 9 * most),
            ("searches", is_full(&self.searches)),
            ("reads", is_full(&self.reads)),
        ]
    }

    /// Whether the server is about to end.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Relaxed)
    }
}
