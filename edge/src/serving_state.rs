//! The state that answers are made of: one generation on one day. Immutable; swapped whole when
//! either changes, so that a request sees exactly one.

use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use html::Html;
use http::HeaderValue;
use snapshot::page::{Dated, Site};
use snapshot::store::sections::{SectionError, Sections};
use snapshot::store::{Coding, Generation, LazyBodies, StoreError};
use snapshot::time::Day;

use crate::build_id;
use crate::cache::Cache;
use crate::cache_control::Lifetime;
use net::precheck::Hosts;

const SECONDS_A_DAY: i64 = 86_400;
/// Largest index that is copied into memory unless told otherwise, in bytes: what is written over its files
/// does not reach it then.
pub const COPIED_INDEX: u64 = 128 << 20;

/// Why a generation was not taken.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its files are not as they were published.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its index is not what this program reads.
    #[error("generation {id}: {source}; rebuild it with `opdir build` of this version")]
    Index {
        /// Which generation.
        id: String,
        /// What is wrong.
        source: SectionError,
    },
}

impl OpenError {
    /// Whether opening again may succeed although nobody builds anything.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Store(error) => error.may_pass(),
            Self::Index { .. } => false,
        }
    }
}

/// An open generation.
pub struct Opened {
    /// Its files.
    pub generation: Generation,
    /// What is kept in memory.
    pub site: Site,
    /// Fragments of pages for people, where the snapshot has such pages.
    pub html: Option<Html>,
    /// When any of its files last changed, in seconds since 1970.
    changed: i64,
}

impl Opened {
    /// Opens the live generation of a root and checks it: every listed file is there with its size, and what
    /// is kept in memory is what was published. An index of at most [`COPIED_INDEX`] bytes is copied.
    ///
    /// # Errors
    ///
    /// If there is no live generation, or it is damaged, incomplete or of another version.
    pub fn current(root: &Path) -> Result<Self, OpenError> {
        Self::current_copying(root, COPIED_INDEX, None)
    }

    /// The same, for an index of at most `copy` bytes. Bodies that were left in a store are asked for there.
    ///
    /// # Errors
    ///
    /// As of [`Self::current`]; and if bodies were left in a store, and nobody says in which.
    pub fn current_copying(
        root: &Path,
        copy: u64,
        away: Option<&Arc<LazyBodies>>,
    ) -> Result<Self, OpenError> {
        let generation = Generation::open_current_copying(root, copy)?;
        match away {
            Some(away) => generation.attach(away),
            None => generation.require_whole()?,
        }
        let (present, [search, rows, lists]) = files(&generation);
        present?;
        let (search, rows, lists) = (search?, rows?, lists?);
        let site = Site::open(&search, &rows, &lists);
        let mut html = Ok(None);
        if generation.manifest().complete {
            let sections = generation.index("html.bin")?;
            html = site.as_ref().ok().map(|site| Html::open(&sections, site)).transpose();
            sections.let_go();
        }
        // Every offset has been looked at; most will not be needed soon.
        [search, rows, lists].iter().for_each(Sections::let_go);
        match site.and_then(|site| Ok((site, html?))) {
            Ok((site, html)) => {
                let changed = generation.files().latest_change();
                let changed = changed.unwrap_or_else(|| generation.manifest().generated_at.as_second());
                Ok(Self { generation, site, html, changed })
            }
            Err(source) => Err(OpenError::Index { id: generation.id().to_string(), source }),
        }
    }
}

/// Whether all files are there, and those of search, rows and lists. To check them takes most of the time of
/// opening, so each has a thread.
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

/// Start of the ETags of what a program makes of a generation on a day.
fn validator(maker: &str, generation: &str, day: Day) -> String {
    format!("d{}.{}.{maker}.", &generation[..generation.len().min(12)], day.0)
}

/// A generation on a day.
pub struct Epoch {
    /// The generation.
    pub opened: Arc<Opened>,
    /// What depends on the day.
    pub dated: Dated,
    /// Bodies of files that were asked for, by file and coding.
    pub bodies: Cache<(u32, Coding)>,
    /// Whether the day never ends, for tests and archives.
    pub frozen: bool,
    /// Start of the ETags of computed answers.
    pub validator: String,
    /// `Cache-Control` of what depends on the day, for one second.
    until_midnight: ArcSwap<(u64, HeaderValue)>,
    /// Names that requests may be addressed to.
    pub hosts: Hosts,
}

/// What an epoch is told besides its generation and day.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Whether the day never ends.
    pub frozen: bool,
    /// Bytes of file bodies that are kept in memory.
    pub body_cache: u64,
    /// Names that requests may be addressed to, besides the base URL's.
    pub hosts: Vec<String>,
}

impl Epoch {
    /// Derives the state of a day.
    #[must_use]
    pub fn new(opened: Arc<Opened>, day: Day, setting: &Setting) -> Self {
        let base_url = &opened.generation.manifest().base_url;
        let authority = base_url.split_once("://").map_or(base_url.as_str(), |(_, authority)| authority);
        let hosts = std::iter::once(authority.to_owned()).chain(setting.hosts.iter().cloned());
        let id = opened.generation.id().to_string();
        let hash = id.rsplit('-').next().unwrap_or_default();
        Self {
            dated: opened.site.dated(day),
            bodies: Cache::new(setting.body_cache),
            validator: validator(build_id::id(), hash, day),
            until_midnight: ArcSwap::from_pointee((u64::MAX, HeaderValue::from_static("no-store"))),
            frozen: setting.frozen,
            hosts: Hosts::new(hosts),
            opened,
        }
    }

    /// `Cache-Control` at a time of what depends on the day. Made once a second.
    #[must_use]
    pub fn until_midnight(&self, now: u64) -> HeaderValue {
        if self.frozen {
            return Lifetime::Usual.header();
        }
        let made = self.until_midnight.load();
        if made.0 == now {
            return made.1.clone();
        }
        let midnight = (i64::from(self.dated.day().0) + 1) * SECONDS_A_DAY;
        let left = midnight.saturating_sub_unsigned(now).max(0).cast_unsigned();
        let header = Lifetime::UntilMidnight(left).header();
        self.until_midnight.store(Arc::new((now, header.clone())));
        header
    }

    /// Since when an answer that is computed has been what it is, in seconds since 1970: since anything in
    /// the snapshot changed or, where it depends on the day, since the day began.
    #[must_use]
    pub fn changed(&self, depends_on_day: bool) -> i64 {
        let day = i64::from(self.dated.day().0) * SECONDS_A_DAY;
        if depends_on_day { self.opened.changed.max(day) } else { self.opened.changed }
    }

    /// What is kept in memory.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.opened.site
    }

    /// The generation.
    #[must_use]
    pub fn generation(&self) -> &Generation {
        &self.opened.generation
    }
}
