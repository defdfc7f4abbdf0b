//! The change log of `changes.bin`: which records each publication added, changed and removed, so that a client with a
//! copy of the records can follow, and people can read what was published when. `changes_writer.rs` writes it.
//!
//! ```text
//! root          Digest       of the manifest that the log began with
//! log           Publication  of each publication, oldest first
//! record        Record       of each record, in the order of its page's path
//! removed       Record       of each removed record
//! removed.path  u8           their paths, a line each
//! floor         u64          the last publication whose removals may be forgotten
//! ```
//!
//! A record is a program, an organization or a recipient; its pages are those of the REST interface in every language.
//! Its version ignores what depends on the day: the turn of the day changes no record. The log has each record once, at
//! its last change.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};
use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan as _};
use rustc_hash::{FxHashMap, FxHashSet};
use uuid::Uuid;

use super::body::{Digest, Hex};
use super::layout::RECORDS;
use super::sections::{Section, SectionError, Sections, ensure};
use super::table::FileTable;

/// Kinds of records, as in addresses.
pub const RECORD_KINDS: [&str; 3] = ["organizations", "programs", "recipients"];

/// A publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub struct Publication {
    /// Its number, with which its name begins.
    pub sequence: u64,
    /// When its dataset was published, in seconds since 1970.
    pub(super) published: i64,
    /// The day it was made for, in days since 1970.
    pub(super) day: i32,
    /// Records of each of [`RECORD_KINDS`] that it added, changed and removed.
    pub counts: [[u32; 3]; 3],
    /// The stated time of its changes, in seconds since 1970: when its dataset was published, but later than those of
    /// earlier publications, also if it goes back to one of them.
    pub(super) at: i64,
}

impl Publication {
    /// When its dataset was published.
    pub fn published(&self) -> Timestamp {
        Timestamp::from_second(self.published).unwrap_or_default()
    }

    /// The day it was made for.
    pub fn day(&self) -> Option<Date> {
        date(1970, 1, 1).checked_add(self.day.days()).ok()
    }
}

/// A record at its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Record {
    /// Truncated hash of its pages.
    pub(super) version: RecordVersion,
    /// [`UNKNOWN`] if it is not known.
    pub(super) id: RecordId,
    /// The publication that gave it this version, or removed it.
    pub(super) sequence: u64,
}

/// Identifies the content of a record among all its earlier contents.
pub type RecordVersion = [u8; 16];

pub(super) type RecordId = [u8; 16];

/// Ids of records by `kind/slug`.
pub type RecordIds = FxHashMap<String, Uuid>;

/// An unknown id: no record has it.
pub(super) const UNKNOWN: RecordId = [0; 16];

/// The kind of the record of a page, and an id: ids are unique among records of one kind.
pub(super) fn of_kind(path: &str, id: RecordId) -> (&'static str, RecordId) {
    (record_of(path).map_or("", |(kind, _)| kind), id)
}

/// Kind and slug of the record of a page; `None` for pages in other languages than English.
pub(super) fn record_of(path: &str) -> Option<(&'static str, &str)> {
    let (kind, name) = path.strip_prefix(RECORDS)?.split_once('/')?;
    let slug = name.strip_suffix(".json").filter(|slug| !slug.contains(['/', '.']))?;
    Some((RECORD_KINDS.into_iter().find(|known| *known == kind)?, slug))
}

/// All records of a generation by the path of their page.
pub(super) type Records = BTreeMap<String, Record>;

/// A record at its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordChange<'a> {
    /// The publication that changed it.
    pub sequence: u64,
    /// The stated time of that publication's changes; if it is no longer in the log, of the oldest that is.
    pub at: Timestamp,
    /// One of [`RECORD_KINDS`].
    pub kind: &'a str,
    /// The record's slug.
    pub slug: &'a str,
    /// The record's id, if it is known.
    pub id: Option<Uuid>,
    /// Its version; `None` if it was removed.
    pub version: Option<RecordVersion>,
    /// The slug that a removed record has now, if it moved.
    pub moved_to: Option<&'a str>,
}

/// How far a client has read: all publications before one, and of that one all records or those up to one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangePosition {
    /// A publication; 0 at the beginning.
    pub sequence: u64,
    /// `kind/slug` of the last record of it that was read, `-kind/slug` of a removed one; `None` if all of it was.
    pub record: Option<String>,
    /// The publication that was live when the client started from the beginning, while it has not read further; else 0.
    pub begun: u64,
}

impl ChangePosition {
    fn is_beginning(&self) -> bool {
        self.sequence == 0 && self.record.is_none()
    }
}

/// The change log of a generation.
pub struct ChangeLog {
    pub(super) root: Digest,
    /// The publications of the log, oldest first.
    pub log: Section<Publication>,
    records: Section<Record>,
    removed: Section<Record>,
    removed_paths: Vec<String>,
    /// The last publication whose removals may be forgotten: a client before it has to start again.
    pub floor: u64,
    order: OnceLock<Order>,
}

struct Order {
    /// All records with the row of their page: by publication, removed ones first, then by address. Removed records follow
    /// the rows.
    all: Vec<(u32, Record)>,
    /// Rows of the pages of removed records that have another address now.
    moved: FxHashMap<(&'static str, RecordId), u32>,
}

impl ChangeLog {
    pub(super) fn open(history: &Sections) -> Result<Self, SectionError> {
        const WRONG: &str = "does not fit the others";
        let wrong = |section| SectionError(section, WRONG);
        let text = history.get::<u8>("removed.path")?;
        let text = std::str::from_utf8(&text).map_err(|_| wrong("removed.path"))?;
        let log = Self {
            root: *history.get::<Digest>("root")?.first().ok_or(wrong("root"))?,
            log: history.get("log")?,
            records: history.get("record")?,
            removed: history.get("removed")?,
            removed_paths: text.lines().map(str::to_owned).collect(),
            floor: *history.get::<u64>("floor")?.first().ok_or(wrong("floor"))?,
            order: OnceLock::new(),
        };
        let are_paths = log.removed_paths.iter().all(|path| record_of(path).is_some());
        ensure(are_paths && log.removed_paths.len() == log.removed.len(), "removed.path", WRONG)?;
        let is_sorted = log.log.array_windows().all(|[a, b]| a.sequence < b.sequence);
        ensure(is_sorted && !log.log.is_empty(), "log", WRONG)?;
        Ok(log)
    }

    /// Start of the hash of the manifest that the log began with: that of another directory differs.
    pub fn name(&self) -> String {
        Hex(&self.root.0[..8]).to_string()
    }

    pub(super) fn at(&self, sequence: u64) -> Option<&Publication> {
        let at = self.log.binary_search_by_key(&sequence, |publication| publication.sequence).ok()?;
        self.log.get(at)
    }

    /// Whether all changes after a position are known. A client that starts from the beginning needs no removals; one
    /// that started and has not read to the end needs those after its start.
    pub fn reaches(&self, from: &ChangePosition) -> bool {
        let is_past = from.sequence > self.floor || from.sequence == self.floor && from.record.is_none();
        from.is_beginning() || is_past || from.begun > 0 && self.floor <= from.begun
    }

    /// The position of a client that read, from a position, what [`Self::after`] returned for `most`.
    pub fn next(&self, from: &ChangePosition, read: &[RecordChange<'_>], most: usize) -> ChangePosition {
        let Some(last) = read.last() else { return from.clone() };
        if read.len() < most {
            return ChangePosition { sequence: self.newest_sequence(), ..ChangePosition::default() };
        }
        let begun = self.begun(from);
        let begun = if last.sequence <= begun { begun } else { 0 };
        let mark = if last.version.is_some() { "" } else { "-" };
        let record = Some(format!("{mark}{}/{}", last.kind, last.slug));
        ChangePosition { sequence: last.sequence, record, begun }
    }

    /// The publication that is live, or was when a client started that is still reading what was there then; else 0.
    fn begun(&self, from: &ChangePosition) -> u64 {
        if from.is_beginning() { self.newest_sequence() } else { from.begun }
    }

    /// The last publication.
    pub fn newest_sequence(&self) -> u64 {
        self.log.last().map_or(0, |live| live.sequence)
    }

    pub(super) fn removed(&self) -> impl Iterator<Item = (&str, Record)> {
        self.removed_paths.iter().map(String::as_str).zip(self.removed.iter().copied())
    }

    /// At most `most` records that changed after a position, in the order of publications, removals of each first:
    /// a moved record is removed and there again with the same id. A client that is still reading what
    /// was there when it began gets no removals from before that.
    pub fn after<'a>(
        &'a self,
        files: &'a FileTable,
        from: &ChangePosition,
        most: usize,
    ) -> Vec<RecordChange<'a>> {
        let order = &self.order.get_or_init(|| self.order(files)).all;
        let last = from.record.as_deref().map(|record| {
            let removed = record.strip_prefix('-');
            (removed.is_none(), format!("{RECORDS}{}.json", removed.unwrap_or(record)))
        });
        let is_read = |(number, record): &(u32, Record)| match record.sequence.cmp(&from.sequence) {
            Ordering::Equal => {
                let place = (is_there(files, *number), self.path(files, *number));
                last.as_ref().is_none_or(|(was_there, last)| place <= (*was_there, last))
            }
            other => other == Ordering::Less,
        };
        let begun = self.begun(from);
        let is_news = |of: &&(u32, Record)| is_there(files, of.0) || of.1.sequence > begun;
        let rest = order.partition_point(is_read);
        let rest = order.get(rest..).unwrap_or_default().iter().filter(is_news);
        rest.take(most).filter_map(|record| self.change(files, record)).collect()
    }

    /// The records that changed last, newest first.
    pub fn newest<'a>(&'a self, files: &'a FileTable, most: usize) -> Vec<RecordChange<'a>> {
        let order = self.order.get_or_init(|| self.order(files));
        order.all.iter().rev().take(most).filter_map(|record| self.change(files, record)).collect()
    }

    fn change<'a>(&'a self, files: &'a FileTable, of: &(u32, Record)) -> Option<RecordChange<'a>> {
        let (number, Record { version, id, sequence }) = *of;
        let is_there = is_there(files, number);
        let path = self.path(files, number);
        let (kind, slug) = record_of(path)?;
        let version = is_there.then_some(version);
        let moved = self.order.get().filter(|_| !is_there).and_then(|it| it.moved.get(&of_kind(path, id)));
        let moved_to = moved.and_then(|row| Some(record_of(self.path(files, *row))?.1));
        let id = (id != UNKNOWN).then(|| Uuid::from_bytes(id));
        let at = self.at(sequence).or(self.log.first()).map_or(0, |publication| publication.at);
        let at = Timestamp::from_second(at).unwrap_or_default();
        Some(RecordChange { sequence, at, kind, slug, id, version, moved_to })
    }

    /// All records with the path of their page, sorted by path.
    pub(super) fn records<'a>(&self, files: &'a FileTable) -> impl Iterator<Item = (&'a str, Record)> {
        let pages = files.entries().map(|entry| entry.path()).filter(|path| record_of(path).is_some());
        pages.zip(self.records.iter().copied())
    }

    fn path<'a>(&'a self, files: &'a FileTable, number: u32) -> &'a str {
        let removed =
            || self.removed_paths.get((number as usize).checked_sub(files.len())?).map(String::as_str);
        files.get(number).map(|entry| entry.path()).or_else(removed).unwrap_or_default()
    }

    /// The cost of an answer of so many lines, in units: the first answer sorts all records.
    pub fn price(&self, files: &FileTable, lines: usize) -> u64 {
        let order = if self.order.get().is_some() { 0 } else { files.len() };
        (order + lines) as u64
    }

    fn order(&self, files: &FileTable) -> Order {
        let pages = files.entries().filter(|entry| record_of(entry.path()).is_some());
        let there = pages.map(|entry| entry.number).zip(self.records.iter().copied());
        let removed = (files.len() as u32..).zip(self.removed.iter().copied());
        let mut all: Vec<(u32, Record)> = there.chain(removed).collect();
        let place = |it: &(u32, Record)| (it.1.sequence, is_there(files, it.0), self.path(files, it.0));
        all.sort_unstable_by(|a, b| place(a).cmp(&place(b)));
        let gone: FxHashSet<_> = self.removed().map(|(path, it)| of_kind(path, it.id)).collect();
        let known = all.iter().filter(|(number, it)| is_there(files, *number) && it.id != UNKNOWN);
        let moved = known.map(|(number, it)| (of_kind(self.path(files, *number), it.id), *number));
        let moved = moved.filter(|(of, _)| gone.contains(of)).collect();
        Order { all, moved }
    }
}

/// Whether a number of [`Order`] is a row.
fn is_there(files: &FileTable, number: u32) -> bool {
    (number as usize) < files.len()
}
