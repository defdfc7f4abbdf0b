//! The state that answers are computed from: one generation on one day. Immutable; replaced as a whole when either
//! changes, so that a request sees exactly one.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use bytes::Bytes;
use html::{Html, PagesError};
use http::{HeaderName, HeaderValue};
use net::lock;
use net::precheck::Hosts;
use snapshot::page::{Dated, Site};
use snapshot::time::Day;
use store::sections::Sections;
use store::{Coding, Generation, StoreError};

use crate::bodies::Bodies;
use crate::build_id;
use crate::cache_control::CacheControl;
use crate::options::{COPIED_INDEX, Options};
use crate::reply::value;
use crate::representation::Metadata;

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

/// Most damaged bodies that are listed.
const DAMAGED_MAX: usize = 16;

/// Bodies of a generation that could not be read as they were published, by path, and why.
#[derive(Default)]
pub(crate) struct DamagedBodies(Mutex<BTreeMap<String, String>>);

impl DamagedBodies {
    /// Lists a body until it can be read again.
    pub(crate) fn insert(&self, path: &str, error: &StoreError) {
        let mut bodies = lock(&self.0);
        if bodies.len() < DAMAGED_MAX {
            bodies.insert(path.to_owned(), error.to_string());
        }
    }

    /// Removes a body that was read.
    pub(crate) fn remove(&self, path: &str) {
        lock(&self.0).remove(path);
    }

    /// At most [`DAMAGED_MAX`] of them.
    pub(crate) fn list(&self) -> BTreeMap<String, String> {
        lock(&self.0).clone()
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
    /// Bodies that could not be read.
    pub(crate) damaged: DamagedBodies,
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
        let damaged = DamagedBodies::default();
        Ok(Self { generation, site, html, changed, earlier_assets, damaged })
    }
}

/// Checks that all files are present, and opens those of search, rows and lists. Checking them takes most of the
/// time of opening, so each has a thread.
fn files(generation: &Generation) -> (Result<(), StoreError>, [Result<Sections, StoreError>; 3]) {
    let mut files = ["search.bin", "rows.bin", "lists.bin"].map(|name| (name, None));
    let present = std::thread::scope(|threads| {
        for (name, file) in &mut files {
            threads.spawn(|| *file = Some(generation.index(name)));
        }
        generation.check_presence()
    });
    (present, files.map(|(name, file)| file.unwrap_or_else(|| generation.index(name))))
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
    /// Header that names the generation. Without the sequence number: an answer that is cached across a rollback is
    /// the same before and after it.
    generation_header: HeaderValue,
    /// Start of the ETags of computed answers.
    pub(crate) validator: String,
    /// `Cache-Control` of what depends on the day, for one second.
    until_midnight: ArcSwap<(u64, HeaderValue)>,
    /// Host names that requests may be addressed to.
    pub(crate) hosts: Hosts,
    /// Header for the tags by which a CDN may purge an answer.
    tag_header: Option<HeaderName>,
}

impl ServingState {
    /// Derives the state of a day.
    pub(crate) fn new(open: Arc<OpenGeneration>, day: Day, options: &Options) -> Self {
        let base_url = &open.generation.manifest().base_url;
        let authority = base_url.split_once("://").map_or(base_url.as_str(), |(_, authority)| authority);
        let hosts = std::iter::once(authority.to_owned()).chain(options.hosts.iter().cloned());
        let hash = store::Hex(&open.generation.id().hash).to_string();
        Self {
            dated: open.site.dated(day),
            bodies: Bodies::new(options.body_cache),
            validator: format!("d{}.{}.{}.", &hash[..12], day.0, build_id::id()),
            generation_header: value(&hash),
            until_midnight: ArcSwap::from_pointee((u64::MAX, HeaderValue::from_static("no-store"))),
            frozen: options.frozen,
            hosts: Hosts::new(hosts),
            tag_header: options.tag_header.clone(),
            open,
        }
    }

    /// `Cache-Control`, at a time, of what depends on the day. Formatted once a second.
    pub(crate) fn until_midnight(&self, now: u64) -> HeaderValue {
        if self.frozen {
            return CacheControl::Usual.header();
        }
        let kept = self.until_midnight.load();
        if kept.0 == now {
            return kept.1.clone();
        }
        let midnight = (i64::from(self.dated.day().0) + 1) * SECONDS_A_DAY;
        let left = midnight.saturating_sub_unsigned(now).max(0).cast_unsigned();
        let header = CacheControl::UntilMidnight(left).header();
        self.until_midnight.store(Arc::new((now, header.clone())));
        header
    }

    /// `Last-Modified` of a computed answer, in seconds since 1970: when anything in the snapshot changed or, where
    /// the answer depends on the day, when the day began.
    pub(crate) fn changed(&self, depends_on_day: bool) -> i64 {
        let day = i64::from(self.dated.day().0) * SECONDS_A_DAY;
        if depends_on_day { self.open.changed.max(day) } else { self.open.changed }
    }

    /// What is known of a body besides its bytes; see there.
    pub(crate) fn metadata<'a>(
        &'a self,
        etag: &'a str,
        coding: Coding,
        changed: i64,
        dated: bool,
    ) -> Metadata<'a> {
        let (generation, tag_header) = (self.generation_header.clone(), self.tag_header.as_ref());
        Metadata { generation, etag, coding, changed, dated, tag_header }
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
}
