//! Options of a server.

use std::path::PathBuf;
use std::sync::Arc;

use http::HeaderName;
use net::client_address::TrustedProxies;
use snapshot::time::Day;

use crate::clock;
use crate::follower::Follower;

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
