//! The change log of `changes.bin`: which records each publication added, changed and removed, so that a client with a
//! copy of the records can follow, and people can read what was published when. `history.rs` writes it.
//!
//! ```text
//! root        Digest        of the manifest that the log began with
//! log         Publication   of each publication, oldest first
//! record      Record        of each record, in the order of its page's path
//! record.id   [u8; 16]      id of each record, zeros if unknown
//! removed     u8            paths of removed records, a line each, in the order of `removed.sequence`
//! removed.sequence  u64     publication that removed each
//! removed.id  [u8; 16]      id of each, zeros if unknown
//! floor       u64           the last publication whose removals may be forgotten
//! ```
//!
//! A record is a program, an organization or a recipient; its pages are those of the REST interface in every language.
//! Its version ignores what depends on the day: the turn of the day changes no record. The log has each record once, at
//! its last change.

use std::cmp::Ordering;
use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};
use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::{FxHashMap, FxHashSet};
use uuid::Uuid;

use super::body::{Digest, Hex};
use super::layout::{RECORDS, page_of};
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
    /// The day it was made for, as the number 20261121.
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
        let [month, day] = [self.day / 100, self.day].map(|number| i8::try_from(number % 100));
        Date::new(i16::try_from(self.day / 10_000).ok()?, month.ok()?, day.ok()?).ok()
    }
}

/// A record that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Record {
    /// Truncated hash of its pages.
    pub(super) version: RecordVersion,
    /// The publication that gave it this version.
    pub(super) sequence: u64,
}

/// Identifies the content of a record among all its earlier contents.
pub type RecordVersion = [u8; 16];

pub(super) type RecordId = [u8; 16];

/// An unknown id: no record has it.
pub(super) const UNKNOWN: RecordId = [0; 16];

/// The kind of the record of a page, and an id: ids are unique among records of one kind.
pub(super) fn of_kind(path: &str, id: RecordId) -> (&str, RecordId) {
    (record_of(path).map_or("", |(kind, _)| kind), id)
}

/// Kind and slug of the record of a page; `None` for pages in other languages than English.
pub(super) fn record_of(path: &str) -> Option<(&str, &str)> {
    let (kind, name) = path.strip_prefix(RECORDS)?.split_once('/')?;
    let slug = name.strip_suffix(".json")?;
    (RECORD_KINDS.contains(&kind) && !slug.contains(['/', '.'])).then_some((kind, slug))
}

/// A record of a generation.
pub(super) struct RecordState {
    pub(super) path: String,
    pub(super) version: RecordVersion,
    pub(super) id: RecordId,
}

/// All records of a generation, sorted by path.
pub(super) type Versions = Vec<RecordState>;

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

/// A removed record.
#[derive(Clone, Copy)]
pub(super) struct Removed<'a> {
    pub(super) path: &'a str,
    pub(super) sequence: u64,
    pub(super) id: RecordId,
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
    pub(super) log: Section<Publication>,
    records: Section<Record>,
    ids: Section<RecordId>,
    removed: Vec<String>,
    removed_sequence: Section<u64>,
    removed_ids: Section<RecordId>,
    pub(super) floor: u64,
    order: OnceLock<Order>,
}

struct Order {
    /// All records: by publication, removed ones first, then by address.
    all: Vec<OrderedRecord>,
    /// Rows of the pages of removed records that have another address now.
    moved: FxHashMap<(&'static str, RecordId), u32>,
}

#[derive(Clone, Copy)]
struct OrderedRecord {
    sequence: u64,
    /// Row of its page; removed records follow the rows.
    number: u32,
    /// Its number in `records`; `u32::MAX` if it was removed.
    record: u32,
}

impl OrderedRecord {
    fn is_there(&self) -> bool {
        self.record != u32::MAX
    }
}

impl ChangeLog {
    pub(super) fn open(history: &Sections) -> Result<Self, SectionError> {
        const WRONG: &str = "does not fit the others";
        let wrong = |section| SectionError::Content(section, WRONG);
        let text = history.get::<u8>("removed")?;
        let text =
            std::str::from_utf8(&text).map_err(|_| SectionError::Content("removed", "is not UTF-8"))?;
        let log = Self {
            root: *history.get::<Digest>("root")?.first().ok_or(wrong("root"))?,
            log: history.get("log")?,
            records: history.get("record")?,
            ids: history.get("record.id")?,
            removed: text.lines().map(str::to_owned).collect(),
            removed_sequence: history.get("removed.sequence")?,
            removed_ids: history.get("removed.id")?,
            floor: *history.get::<u64>("floor")?.first().ok_or(wrong("floor"))?,
            order: OnceLock::new(),
        };
        let removed = log.removed.len();
        let are_paths = log.removed.iter().all(|path| record_of(path).is_some());
        ensure(are_paths && removed == log.removed_sequence.len(), "removed", WRONG)?;
        let is_sorted = log.log.array_windows().all(|[a, b]| a.sequence < b.sequence);
        ensure(is_sorted && !log.log.is_empty(), "log", WRONG)?;
        ensure(log.ids.len() == log.records.len(), "record.id", WRONG)?;
        ensure(log.removed_ids.len() == removed, "removed.id", WRONG)?;
        Ok(log)
    }

    /// Start of the hash of the manifest that the log began with: that of another directory differs.
    pub fn name(&self) -> String {
        Hex(&self.root.0[..8]).to_string()
    }

    /// The publications of the log, oldest first.
    pub fn log(&self) -> &[Publication] {
        &self.log
    }

    /// The last publication whose removals may be forgotten: a client before it has to start again.
    pub fn floor(&self) -> u64 {
        self.floor
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

    pub(super) fn removed(&self) -> impl Iterator<Item = Removed<'_>> {
        let removed = self.removed.iter().zip(self.removed_sequence.iter()).enumerate();
        removed.map(|(at, (path, sequence))| Removed {
            path,
            sequence: *sequence,
            id: value_at(&self.removed_ids, at),
        })
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
            let (kind, slug) = removed.unwrap_or(record).split_once('/').unwrap_or_default();
            (removed.is_none(), page_of(kind, slug))
        });
        let is_read = |sequence: u64, is_there: bool, of: &OrderedRecord| match sequence.cmp(&from.sequence) {
            Ordering::Equal => {
                let place = (is_there, self.path(files, of.number));
                last.as_ref().is_none_or(|(was_there, last)| place <= (*was_there, last))
            }
            other => other == Ordering::Less,
        };
        let begun = self.begun(from);
        let is_news = |of: &&OrderedRecord| of.is_there() || of.sequence > begun;
        let rest = order.partition_point(|record| is_read(record.sequence, record.is_there(), record));
        let rest = order.get(rest..).unwrap_or_default().iter().filter(is_news);
        rest.take(most).filter_map(|record| self.change(files, record)).collect()
    }

    /// The records that changed last, newest first.
    pub fn newest<'a>(&'a self, files: &'a FileTable, most: usize) -> Vec<RecordChange<'a>> {
        let order = self.order.get_or_init(|| self.order(files));
        order.all.iter().rev().take(most).filter_map(|record| self.change(files, record)).collect()
    }

    fn change<'a>(&'a self, files: &'a FileTable, of: &OrderedRecord) -> Option<RecordChange<'a>> {
        let &OrderedRecord { sequence, number, record } = of;
        let path = self.path(files, number);
        let (kind, slug) = record_of(path)?;
        let version = self.records.get(record as usize).map(|record| record.version);
        let id = match version {
            Some(_) => value_at(&self.ids, record as usize),
            None => value_at(&self.removed_ids, (number as usize).saturating_sub(files.len())),
        };
        let moved =
            self.order.get().filter(|_| version.is_none()).and_then(|it| it.moved.get(&of_kind(path, id)));
        let moved_to = moved.and_then(|row| Some(record_of(self.path(files, *row))?.1));
        let id = (id != UNKNOWN).then(|| Uuid::from_bytes(id));
        let at = self.at(sequence).or(self.log.first()).map_or(0, |publication| publication.at);
        let at = Timestamp::from_second(at).unwrap_or_default();
        Some(RecordChange { sequence, at, kind, slug, id, version, moved_to })
    }

    /// All records with the path of their page and their id, sorted by path.
    pub(super) fn records<'a>(
        &self,
        files: &'a FileTable,
    ) -> impl Iterator<Item = (&'a str, Record, RecordId)> {
        let pages = files.entries().map(|entry| entry.path()).filter(|path| record_of(path).is_some());
        pages.zip(&*self.records).zip(&*self.ids).map(|((path, record), id)| (path, *record, *id))
    }

    fn path<'a>(&'a self, files: &'a FileTable, number: u32) -> &'a str {
        let removed = || self.removed.get((number as usize).checked_sub(files.len())?).map(String::as_str);
        files.get(number).map(|entry| entry.path()).or_else(removed).unwrap_or_default()
    }

    /// The cost of an answer of so many lines, in units: the first answer sorts all records.
    pub fn price(&self, files: &FileTable, lines: usize) -> u64 {
        let order = if self.order.get().is_some() { 0 } else { files.len() };
        (order + lines) as u64
    }

    fn order(&self, files: &FileTable) -> Order {
        let numbers =
            files.entries().filter(|entry| record_of(entry.path()).is_some()).map(|entry| entry.number());
        let records = numbers.zip(self.records.iter()).zip(0..);
        let records =
            records.map(|((number, it), record)| OrderedRecord { sequence: it.sequence, number, record });
        let removed = self.removed_sequence.iter().zip(files.len() as u32..);
        let removed =
            removed.map(|(sequence, number)| OrderedRecord { sequence: *sequence, number, record: u32::MAX });
        let mut all: Vec<OrderedRecord> = records.chain(removed).collect();
        all.sort_unstable_by(|a, b| {
            let place = |it: &OrderedRecord| (it.is_there(), self.path(files, it.number));
            a.sequence.cmp(&b.sequence).then_with(|| place(a).cmp(&place(b)))
        });
        let gone: FxHashSet<_> = self.removed().map(|it| of_kind(it.path, it.id)).collect();
        let there = all.iter().filter(|it| it.is_there()).map(|it| {
            (of_kind(self.path(files, it.number), value_at(&self.ids, it.record as usize)), it.number)
        });
        let known = there.filter(|((_, id), _)| *id != UNKNOWN);
        let moved = known.filter(|(id, _)| gone.contains(id)).filter_map(|((kind, id), number)| {
            let kind = RECORD_KINDS.into_iter().find(|known| *known == kind)?;
            Some(((kind, id), number))
        });
        let moved = moved.collect();
        Order { all, moved }
    }
}

/// A value of a column; zeros beyond its end.
fn value_at<T: Pod>(column: &Section<T>, at: usize) -> T {
    column.get(at).copied().unwrap_or(T::zeroed())
}
