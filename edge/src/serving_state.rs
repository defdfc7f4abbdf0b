//! The state that answers are computed from: one generation on one day. Immutable; replaced as a whole when either
//! changes, so that a request sees exactly one.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use bytes::Bytes;
use html::{Filler, Html, PagesError};
use http::HeaderValue;
use net::conditional::etag_suffix;
use net::precheck::Hosts;
use sha2::{Digest as _, Sha256};
use snapshot::page::address::tag_of;
use snapshot::page::hole::{Fill, last_modified, refill};
use snapshot::page::{Dated, Site};
use snapshot::time::Day;
use store::sections::Sections;
use store::{Coding, FileEntry, Generation, Hex, StoreError};

use crate::bodies::{BYTE_UNITS, Bodies, is_long};
use crate::build_id;
use crate::cache_control;
use crate::reply::value;
use crate::representation::{CachedResponse, Metadata, Origin, Representation};
use crate::server::{COPIED_INDEX, Options};

const SECONDS_A_DAY: i64 = 86_400;

/// Why a generation cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its files are not as they were published.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its index is not one that this program reads.
    #[error("generation {id}: {source}; rebuild it with `opdir build` of this version")]
    Index {
        /// Name of the generation.
        id: String,
        /// What is wrong.
        source: PagesError,
    },
    /// The embedded contract of the tool endpoint cannot be read.
    #[error("the tool contract cannot be read: {0}")]
    Contract(#[from] serde_json::Error),
}

impl OpenError {
    /// Whether another attempt may succeed although nothing is rebuilt.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Self::Store(error) if error.may_pass())
    }
}

/// An open generation.
pub struct OpenGeneration {
    /// Its files.
    pub generation: Generation,
    /// What is kept in memory.
    pub site: Site,
    /// What pages for people are rendered from, where the snapshot has such pages.
    pub html: Option<Html>,
    /// When any of its files last changed, in seconds since 1970.
    changed: i64,
    /// Assets that pages of earlier generations name, by path.
    pub(crate) earlier_assets: HashMap<String, Bytes>,
    /// Bodies that could not be read as they were published, by path, and why, until they can.
    pub(crate) damaged: Mutex<BTreeMap<String, String>>,
}

impl OpenGeneration {
    /// Opens the current generation of a root and checks it: every listed file is there with its size, and what
    /// is kept in memory is what was published.
    ///
    /// # Errors
    ///
    /// If there is no current generation, or it is damaged, incomplete or of another version.
    pub fn open(root: &Path) -> Result<Self, OpenError> {
        Self::open_copying(root, COPIED_INDEX)
    }

    /// The same: an index of at most `copy` bytes is copied into memory.
    pub(crate) fn open_copying(root: &Path, copy: u64) -> Result<Self, OpenError> {
        let generation = Generation::open_current_copying(root, copy)?;
        let (present, [search, rows, lists]) = files(&generation);
        present?;
        let (search, rows, lists) = (search?, rows?, lists?);
        let opened = Site::open(&search, &rows, &lists).map_err(PagesError::from);
        let opened = match generation.manifest().complete {
            false => opened.map(|site| (site, None)),
            true => {
                let sections = generation.index("pages.bin")?;
                let opened = opened.and_then(|site| {
                    let html = Html::open(&sections, &site)?;
                    html.try_out(&site, Day::new(generation.manifest().as_of))?;
                    Ok((site, Some(html)))
                });
                sections.let_go();
                opened
            }
        };
        // Every offset has been checked; most pages will not be needed soon.
        [search, rows, lists].iter().for_each(Sections::let_go);
        let index_error = |source| OpenError::Index { id: generation.id().to_string(), source };
        let (site, html) = opened.map_err(index_error)?;
        let changed = generation.files().latest_change();
        let changed = changed.unwrap_or_else(|| generation.manifest().generated_at.as_second());
        let earlier = generation.earlier_assets()?.into_iter();
        let earlier_assets = earlier.map(|asset| (asset.path, asset.bytes.into())).collect();
        let damaged = Mutex::default();
        Ok(Self { generation, site, html, changed, earlier_assets, damaged })
    }
}

/// Checks that all files are present, and opens those of search, rows and lists. Checking them takes most of the
/// time of opening, so each has a thread.
fn files(generation: &Generation) -> (Result<(), StoreError>, [Result<Sections, StoreError>; 3]) {
    std::thread::scope(|threads| {
        let files =
            ["search.bin", "rows.bin", "lists.bin"].map(|name| threads.spawn(move || generation.index(name)));
        let present = generation.check_presence();
        (present, files.map(|file| file.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))))
    })
}

/// A generation on a day.
pub struct ServingState {
    /// The generation.
    pub(crate) open: Arc<OpenGeneration>,
    /// What depends on the day.
    pub dated: Dated,
    /// Bodies of files in memory.
    pub(crate) bodies: Bodies,
    /// Whether the day never ends.
    frozen: bool,
    /// What all of its answers have in common.
    pub(crate) origin: Origin,
    /// Start of the ETags of computed answers.
    pub(crate) validator: String,
    /// `Cache-Control` of what depends on the day, for one second.
    until_midnight: ArcSwap<(u64, HeaderValue)>,
    /// Host names that requests may be addressed to.
    pub(crate) hosts: Hosts,
}

impl ServingState {
    /// Derives the state of a day.
    pub(crate) fn new(open: Arc<OpenGeneration>, day: Day, options: &Options) -> Self {
        let base_url = &open.generation.manifest().base_url;
        let authority = base_url.split_once("://").map_or(base_url.as_str(), |(_, authority)| authority);
        let hosts = std::iter::once(authority.to_owned()).chain(options.hosts.iter().cloned());
        let hash = Hex(&open.generation.id().hash).to_string();
        Self {
            dated: open.site.dated(day),
            bodies: Bodies::new(options.body_cache),
            validator: format!("d{}.{}.{}.", &hash[..12], day.0, build_id::id()),
            origin: Origin { generation: value(&hash), tag_header: options.tag_header.clone() },
            until_midnight: ArcSwap::from_pointee((u64::MAX, cache_control::NONE)),
            frozen: options.frozen,
            hosts: Hosts::new(hosts),
            open,
        }
    }

    /// `Cache-Control`, at a time, of what depends on the day. Formatted once a second.
    pub(crate) fn until_midnight(&self, now: u64) -> HeaderValue {
        if self.frozen {
            return cache_control::USUAL;
        }
        let kept = self.until_midnight.load();
        if kept.0 == now {
            return kept.1.clone();
        }
        let midnight = (i64::from(self.dated.day().0) + 1) * SECONDS_A_DAY;
        let left = midnight.saturating_sub_unsigned(now).max(0).cast_unsigned();
        let header = cache_control::until_midnight(left);
        self.until_midnight.store(Arc::new((now, header.clone())));
        header
    }

    /// `Last-Modified` of a computed answer, in seconds since 1970: when anything in the snapshot changed or, where
    /// the answer depends on the day, when the day began.
    pub(crate) fn changed(&self, depends_on_day: bool) -> i64 {
        let day = i64::from(self.dated.day().0) * SECONDS_A_DAY;
        if depends_on_day { self.open.changed.max(day) } else { self.open.changed }
    }

    /// What is kept in memory.
    pub fn site(&self) -> &Site {
        &self.open.site
    }

    /// The files of the generation.
    pub fn generation(&self) -> &Generation {
        &self.open.generation
    }

    /// Scheme and authority of the public address.
    pub(crate) fn base_url(&self) -> &str {
        &self.generation().manifest().base_url
    }

    /// A file's response in a coding that it offers. `representation` is called unless it is in memory, and must
    /// be the same whenever the file is requested.
    pub(crate) fn response(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        representation: impl FnOnce() -> Representation,
    ) -> Result<Arc<CachedResponse>, StoreError> {
        let moved = self.moved(entry);
        self.bodies.response(entry, coding, moved, || {
            let body = match moved {
                true => self.filled(entry, coding)?,
                false => (self.generation().read(entry, coding)?, entry.identity().sha256.0, entry.changed()),
            };
            Ok(Arc::new(self.describe(body, entry, coding, representation())))
        })
    }

    /// A file's response without its body, if that is known without reading it: the table has hash, date and length of
    /// what is sent as it was stored.
    pub(crate) fn head(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        representation: impl FnOnce() -> Representation,
    ) -> Option<Arc<CachedResponse>> {
        if self.moved(entry) {
            return self.bodies.head(entry, coding);
        }
        let known = (Vec::new(), entry.identity().sha256.0, entry.changed());
        let response = self.describe(known, entry, coding, representation());
        Some(Arc::new(response.without_body(entry.length(coding))))
    }

    /// Whether parts of a body are read on their own: those of a long file that is sent as it was stored.
    pub(crate) fn has_parts(&self, entry: FileEntry<'_>) -> bool {
        is_long(entry) && !self.moved(entry)
    }

    /// The price of reading a file, filling its holes and encoding it, in units of the search.
    pub(crate) fn price(&self, entry: FileEntry<'_>, coding: Coding) -> u64 {
        let coding = if self.moved(entry) { Coding::Identity } else { coding };
        entry.length(coding) * BYTE_UNITS
    }

    /// Whether a file's bytes may differ from the stored ones today.
    fn moved(&self, entry: FileEntry<'_>) -> bool {
        !entry.holes().is_empty() && self.dated.day() != Day::new(self.generation().manifest().as_of)
    }

    /// The response of a body, by its bytes, the hash of the identity body and its date.
    fn describe(
        &self,
        (bytes, hash, changed): (Vec<u8>, [u8; 32], i64),
        entry: FileEntry<'_>,
        coding: Coding,
        representation: Representation,
    ) -> CachedResponse {
        // 128 bits of the identity body's hash, and the coding.
        let etag = format!("\"{}{}\"", Hex(&hash[..16]), etag_suffix(coding));
        // Another generation with an older date may fill its holes on the same day: then only the ETag
        // distinguishes the two.
        let dated = !self.moved(entry);
        let metadata = Metadata { origin: &self.origin, etag: &etag, coding, changed, dated };
        CachedResponse::new(bytes.into(), representation.tag(tag_of(entry.path())), &metadata)
    }

    /// Bytes, hash of the identity body and date of a body that is not as it was stored.
    fn filled(&self, entry: FileEntry<'_>, coding: Coding) -> Result<(Vec<u8>, [u8; 32], i64), StoreError> {
        let stored = self.generation().read(entry, Coding::Identity)?;
        let pages = self.open.html.as_ref().map(|html| Filler::new(html, &self.dated));
        let filler: &dyn Fill = pages.as_ref().map_or(&self.dated, |pages| pages);
        // Holes are checked against the body when the table is opened; should they not fit, the
        // stored body is still one that was true once.
        let filled = refill(&stored, entry.holes(), filler).unwrap_or(stored);
        let hash = Sha256::digest(&filled).into();
        let changed = last_modified(entry.holes(), filler)
            .map_or(entry.changed(), |day| entry.changed().max(i64::from(day.0) * SECONDS_A_DAY));
        Ok((net::encode::encode(coding, &filled).unwrap_or(filled), hash, changed))
    }
}
