//! Which records each publication added, changed and removed: what `history.bin` keeps besides the dates of pages, so
//! that whoever holds a copy of the records can follow, and people can read what was published when.
//!
//! ```text
//! root        Digest        of the manifest that the history began with
//! log         Publication   of each publication, oldest first
//! gone        u8            paths of records that are no more, a line each, in the order of `gone.date`
//! gone.date   i64           when each went
//! floor       u64           the last publication whose removals may be forgotten
//! ```
//!
//! A record is the page of a program, an organization or a recipient in the REST interface; it is told once, at its
//! last change, and stands in the publication whose date its page has, see `dates`.

use std::cmp::Ordering;
use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};
use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::FxHashSet;

use super::body::Body;
use super::digest::Digest;
use super::generation::Generation;
use super::sections::{Section, SectionError, SectionWriter, Sections};
use super::table::FileTable;

/// Kinds of records, as addresses have them.
pub const KINDS: [&str; 3] = ["organizations", "programs", "recipients"];
/// Where their pages are.
const RECORDS: &str = "public/api/v1/";
/// How long removals are told, in seconds.
const KEPT: i64 = 400 * 86_400;
/// Most publications that are told of.
const LOG_MAX: usize = 4_096;

/// A publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub struct Publication {
    /// Its number, which its name begins with.
    pub sequence: u64,
    /// The date of the pages that it changed, in seconds since 1970; later than those of all before.
    date: i64,
    /// When its dataset was published, in seconds since 1970.
    published: i64,
    /// The day it was made for, in days since 1970.
    day: i32,
    /// Records of each of [`KINDS`] that it added, changed and removed.
    pub counts: [[u32; 3]; 3],
}

impl Publication {
    /// When its dataset was published.
    #[must_use]
    pub fn published(&self) -> Timestamp {
        Timestamp::from_second(self.published).unwrap_or_default()
    }

    /// The day it was made for.
    #[must_use]
    pub fn day(&self) -> Option<Date> {
        crate::time::Day(self.day).date()
    }
}

/// The kind and slug of a record's page; that of another language is none.
fn record_of(path: &str) -> Option<(&str, &str)> {
    let (kind, name) = path.strip_prefix(RECORDS)?.split_once('/')?;
    let slug = name.strip_suffix(".json")?;
    (KINDS.contains(&kind) && !slug.contains(['/', '.'])).then_some((kind, slug))
}

/// The page of the same record in the other language.
fn spanish(path: &str) -> String {
    format!("{}.es.json", path.strip_suffix(".json").unwrap_or(path))
}

/// A publication that is being made.
pub(super) struct Next<'a> {
    pub(super) live: Option<&'a Generation>,
    /// Its manifest, hashed.
    pub(super) manifest: Digest,
    pub(super) sequence: u64,
    pub(super) published: Timestamp,
    pub(super) day: Date,
    /// The date of what it changes.
    pub(super) date: i64,
}

impl Next<'_> {
    /// Writes the sections, of pages sorted by path.
    pub(super) fn write(&self, pages: &[(&str, Body)], history: &mut SectionWriter) {
        let before = self.live.map(Generation::changes);
        let mut floor = before.map_or(0, |before| before.floor);
        let mut counts = [[0; 3]; 3];
        let there = self.count(pages, &mut counts);
        let mut gone: Vec<(&str, i64)> = Vec::new();
        for (path, date) in
            before.into_iter().flat_map(Changes::gone).filter(|(path, _)| !there.contains(path))
        {
            match before.filter(|_| self.date - date > KEPT) {
                Some(before) => floor = floor.max(before.sequence_of(date)),
                None => gone.push((path, date)),
            }
        }
        for entry in self.live.iter().flat_map(|live| live.files().entries()) {
            if let Some((kind, _)) = record_of(entry.path()).filter(|_| !there.contains(entry.path())) {
                add(&mut counts, kind, 2);
                gone.push((entry.path(), self.date));
            }
        }
        let mut log: Vec<Publication> = before.map(|before| before.log.to_vec()).unwrap_or_default();
        log.push(self.publication(counts));
        let forgotten = log.len().saturating_sub(LOG_MAX);
        floor = log.drain(..forgotten).map(|old| old.sequence).fold(floor, u64::max);
        let paths = gone.iter().flat_map(|(path, _)| [path.as_bytes(), b"\n"].concat());
        history.put("root", [before.map_or(self.manifest, |before| before.root)]);
        history.put("log", log);
        history.put::<u8>("gone", paths.collect::<Vec<_>>());
        history.put::<i64>("gone.date", gone.iter().map(|(_, date)| *date).collect::<Vec<_>>());
        history.put::<u64>("floor", [floor]);
    }

    /// The records' pages; counts those that are new or other.
    fn count<'p>(&self, pages: &[(&'p str, Body)], counts: &mut [[u32; 3]; 3]) -> FxHashSet<&'p str> {
        let live = self.live.map(Generation::files);
        let before = |path: &str| Some(live?.find(path.as_bytes())?.identity());
        let mut there = FxHashSet::default();
        for (path, body) in pages {
            let Some((kind, _)) = record_of(path) else { continue };
            there.insert(*path);
            let other = spanish(path);
            let translated = pages.binary_search_by(|(path, _)| (*path).cmp(&other)).ok();
            let translated = translated.and_then(|at| pages.get(at)).map(|(_, body)| *body);
            match before(path) {
                None => add(counts, kind, 0),
                Some(old) if old != *body || before(&other) != translated => add(counts, kind, 1),
                Some(_) => {}
            }
        }
        there
    }

    fn publication(&self, counts: [[u32; 3]; 3]) -> Publication {
        Publication {
            sequence: self.sequence,
            date: self.date,
            published: self.published.as_second(),
            day: crate::time::Day::new(self.day).0,
            counts,
        }
    }
}

fn add(counts: &mut [[u32; 3]; 3], kind: &str, change: usize) {
    if let Some(kind) = KINDS.iter().position(|known| *known == kind) {
        counts[kind][change] += 1;
    }
}

/// A record at its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed<'a> {
    /// The publication that changed it.
    pub sequence: u64,
    /// When that publication's dataset was published.
    pub at: Timestamp,
    /// One of [`KINDS`].
    pub kind: &'a str,
    /// The record's slug.
    pub slug: &'a str,
    /// Hash of its page; none if it was removed.
    pub sha256: Option<Digest>,
}

/// How far a reader is: all of the publications before and, of this one, all or what comes up to a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// A publication; 0 at the beginning.
    pub sequence: u64,
    /// `kind/slug` of the last record of it that was read; none if all of it was.
    pub record: Option<String>,
    /// What was live when somebody began to read from the beginning and has not read so far yet; 0 otherwise.
    pub begun: u64,
}

/// The history of a generation.
pub struct Changes {
    root: Digest,
    log: Section<Publication>,
    gone: Vec<String>,
    gone_date: Section<i64>,
    floor: u64,
    /// Publication and number of each record, those that are gone after those that are there; in order.
    order: OnceLock<Vec<(u64, u32)>>,
}

impl Changes {
    pub(super) fn open(history: &Sections) -> Result<Self, SectionError> {
        let wrong = |section| SectionError::Content(section, "does not fit the others");
        let text = history.get::<u8>("gone")?;
        let text = std::str::from_utf8(&text).map_err(|_| SectionError::Content("gone", "is not UTF-8"))?;
        let gone: Vec<String> = text.lines().map(str::to_owned).collect();
        let gone_date = history.get::<i64>("gone.date")?;
        let log = history.get::<Publication>("log")?;
        let ascending = log.array_windows().all(|[a, b]| a.sequence < b.sequence && a.date < b.date);
        if gone.len() != gone_date.len() || !gone.iter().all(|path| record_of(path).is_some()) {
            return Err(wrong("gone"));
        }
        if log.is_empty() || !ascending {
            return Err(wrong("log"));
        }
        let root = *history.get::<Digest>("root")?.first().ok_or(wrong("root"))?;
        let floor = *history.get::<u64>("floor")?.first().ok_or(wrong("floor"))?;
        Ok(Self { root, log, gone, gone_date, floor, order: OnceLock::new() })
    }

    /// The manifest that the history began with: another one is of another directory.
    #[must_use]
    pub fn root(&self) -> Digest {
        self.root
    }

    /// The publications that are known, oldest first.
    #[must_use]
    pub fn log(&self) -> &[Publication] {
        &self.log
    }

    /// The date of the last publication.
    pub(super) fn latest(&self) -> Option<i64> {
        self.log.last().map(|last| last.date)
    }

    /// Whether all that happened after a position is known. Who begins needs to know of no removal.
    #[must_use]
    pub fn reaches(&self, from: &Position) -> bool {
        let is_begin = from.sequence == 0 && from.record.is_none();
        let is_past = from.sequence > self.floor || from.sequence == self.floor && from.record.is_none();
        is_begin || is_past || from.begun > 0 && self.floor <= from.begun
    }

    /// Where a reader is after a record that was read from a position on.
    #[must_use]
    pub fn next(&self, from: &Position, last: &Changed<'_>) -> Position {
        let is_begin = from.sequence == 0 && from.record.is_none();
        let begun = if is_begin { self.log.last().map_or(0, |live| live.sequence) } else { from.begun };
        let begun = if last.sequence < begun { begun } else { 0 };
        Position { sequence: last.sequence, record: Some(format!("{}/{}", last.kind, last.slug)), begun }
    }

    fn gone(&self) -> impl Iterator<Item = (&str, i64)> {
        self.gone.iter().map(String::as_str).zip(self.gone_date.iter().copied())
    }

    /// The publication of a date; 0 if it is older than all that are known.
    fn sequence_of(&self, date: i64) -> u64 {
        let at = self.log.partition_point(|publication| publication.date <= date);
        at.checked_sub(1).and_then(|at| self.log.get(at)).map_or(0, |publication| publication.sequence)
    }

    /// Records that changed after a position, `most` of them at most, in order of publications and addresses.
    #[must_use]
    pub fn after<'a>(&'a self, files: &'a FileTable, from: &Position, most: usize) -> Vec<Changed<'a>> {
        let order = self.order.get_or_init(|| self.order(files));
        let last = from.record.as_ref().map(|record| format!("{RECORDS}{record}.json"));
        let is_read = |(sequence, number): &(u64, u32)| match sequence.cmp(&from.sequence) {
            Ordering::Equal => last.as_deref().is_none_or(|last| self.path(files, *number) <= last),
            other => other == Ordering::Less,
        };
        let start = order.partition_point(is_read);
        let told = order.get(start..).unwrap_or_default().iter().take(most);
        told.filter_map(|(sequence, number)| self.changed(files, *sequence, *number)).collect()
    }

    fn path<'a>(&'a self, files: &'a FileTable, number: u32) -> &'a str {
        let gone = || self.gone.get(number as usize - files.len()).map_or("", String::as_str);
        files.get(number).map_or_else(gone, |entry| entry.path())
    }

    fn changed<'a>(&'a self, files: &'a FileTable, sequence: u64, number: u32) -> Option<Changed<'a>> {
        let (kind, slug) = record_of(self.path(files, number))?;
        let at = self.log.binary_search_by_key(&sequence, |publication| publication.sequence).ok();
        let at = at.and_then(|at| self.log.get(at)).map_or(Timestamp::default(), Publication::published);
        Some(Changed {
            sequence,
            at,
            kind,
            slug,
            sha256: files.get(number).map(|entry| entry.identity().sha256),
        })
    }

    fn order(&self, files: &FileTable) -> Vec<(u64, u32)> {
        let since = |path: &str| {
            let own = files.find(path.as_bytes()).map(|entry| entry.changed());
            own.max(files.find(spanish(path).as_bytes()).map(|entry| entry.changed()))
        };
        let there = files.entries().filter(|entry| record_of(entry.path()).is_some());
        let there = there.map(|entry| (since(entry.path()).unwrap_or(i64::MIN), entry.number()));
        let gone = self.gone_date.iter().zip(files.len() as u32..).map(|(date, number)| (*date, number));
        let mut order: Vec<(u64, u32)> =
            there.chain(gone).map(|(date, number)| (self.sequence_of(date), number)).collect();
        order.sort_unstable_by(|(a, x), (b, y)| {
            a.cmp(b).then_with(|| self.path(files, *x).cmp(self.path(files, *y)))
        });
        order
    }
}
