//! Which records each publication added, changed and removed: what `history.bin` keeps so that whoever holds a copy of
//! the records can follow, and people can read what was published when.
//!
//! ```text
//! root        Digest        of the manifest that the history began with
//! log         Publication   of each publication, oldest first
//! record      Record        of each record, in the order of its page's path
//! removed     u8            paths of records that are no more, a line each, in the order of `removed.sequence`
//! removed.sequence  u64     when each went
//! floor       u64           the last publication whose removals may be forgotten
//! made        Key           what each record was made from, in the order of `record`; zeros where nobody said so
//! ```
//!
//! A record is a program, an organization or a recipient; its pages are those of the REST interface in every language.
//! What in them follows from the day is no part of its version: the day's turn changes no record. A record is told
//! once, at its last change.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};
use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::FxHashMap;

use super::digest::Digest;
use super::sections::{Section, SectionError, SectionWriter, Sections};
use super::table::FileTable;
use super::told::{Key, Page};

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
    /// When its dataset was published, in seconds since 1970.
    published: i64,
    /// The day it was made for, as the number 20261121.
    day: i32,
    /// Records of each of [`KINDS`] that it added, changed and removed.
    pub counts: [[u32; 3]; 3],
    /// Fills the row.
    unused: u64,
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
        let [month, day] = [self.day / 100, self.day].map(|number| i8::try_from(number % 100));
        Date::new(i16::try_from(self.day / 10_000).ok()?, month.ok()?, day.ok()?).ok()
    }
}

/// A record that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
struct Record {
    /// Hash of its pages, cut short.
    version: Version,
    /// The publication that gave it this version.
    sequence: u64,
}

/// Tells what a record says from all that it said before.
pub type Version = [u8; 16];

/// Version and key of each record, by the path of its page.
pub(super) type Known = FxHashMap<String, (Version, Key)>;

/// The kind and slug of a record's page; that of another language is none.
fn record_of(path: &str) -> Option<(&str, &str)> {
    let (kind, name) = path.strip_prefix(RECORDS)?.split_once('/')?;
    let slug = name.strip_suffix(".json")?;
    (KINDS.contains(&kind) && !slug.contains(['/', '.'])).then_some((kind, slug))
}

/// The same of a page in any language.
fn page_of(path: &str) -> Option<String> {
    match path.strip_suffix(".es.json") {
        Some(start) => Some(format!("{start}.json")).filter(|path| record_of(path).is_some()),
        None => record_of(path).map(|_| path.to_owned()),
    }
}

/// Records while a generation is made.
#[derive(Default)]
pub(super) struct Gathered {
    /// By the path of the record: paths of its pages and their hashes without the holes.
    pages: BTreeMap<String, BTreeMap<String, Digest>>,
    /// Those whose pages are as they were.
    kept: BTreeMap<String, Version>,
    made: FxHashMap<String, Key>,
}

impl Gathered {
    /// Takes a page in, if it is one of a record.
    pub(super) fn add(&mut self, page: &Page<'_>, identity: Digest) {
        let Some(record) = page_of(page.path) else { return };
        let digest = if page.holes.is_empty() { identity } else { without_holes(page) };
        self.pages.entry(record).or_default().insert(page.path.to_owned(), digest);
    }

    /// What a record is made from.
    pub(super) fn made(&mut self, record: &str, from: Key) {
        self.made.insert(record.to_owned(), from);
    }

    /// Takes a record in that is as it was.
    pub(super) fn keep(&mut self, record: &str, version: Version) {
        self.kept.insert(record.to_owned(), version);
    }

    /// All records.
    pub(super) fn finish(&self) -> Records {
        let version = |pages: &BTreeMap<String, Digest>| {
            let all: Vec<u8> = pages.values().flat_map(|digest| digest.0).collect();
            let mut version = Version::default();
            version.copy_from_slice(&Digest::of(&all).0[..16]);
            version
        };
        let made = self.pages.iter().map(|(path, pages)| (path, version(pages)));
        let all = made.chain(self.kept.iter().map(|(path, version)| (path, *version)));
        let key = |path: &String| self.made.get(path).copied().unwrap_or_default();
        let mut records: Records = all.map(|(path, version)| (path.clone(), version, key(path))).collect();
        records.sort_unstable();
        records
    }
}

fn without_holes(page: &Page<'_>) -> Digest {
    let (mut rest, mut at) = (Vec::with_capacity(page.body.len()), 0);
    for hole in page.holes {
        let start = hole.start as usize;
        rest.extend_from_slice(page.body.get(at..start).unwrap_or_default());
        at = start + hole.len as usize;
    }
    rest.extend_from_slice(page.body.get(at..).unwrap_or_default());
    Digest::of(&rest)
}

/// Records by the path of their page, sorted; the version of each, and what it was made from.
pub(super) type Records = Vec<(String, Version, Key)>;

/// A publication that is being made.
pub(super) struct Next<'a> {
    /// The history and the pages of the generation before.
    pub(super) live: Option<(&'a Changes, &'a FileTable)>,
    /// Its manifest, hashed.
    pub(super) manifest: Digest,
    pub(super) sequence: u64,
    pub(super) published: Timestamp,
    pub(super) day: Date,
}

impl Next<'_> {
    /// Writes the sections.
    pub(super) fn write(&self, all: &Records, history: &mut SectionWriter) {
        let before = self.live.map(|(changes, _)| changes);
        let known: FxHashMap<&str, Record> =
            self.live.map(|(changes, files)| changes.records(files)).unwrap_or_default();
        let mut counts = [[0; 3]; 3];
        let record = |(path, version, _): &(String, Version, Key)| {
            let new = Record { version: *version, sequence: self.sequence };
            match known.get(&**path) {
                Some(old) if old.version == *version => return *old,
                Some(_) => add(&mut counts, path, 1),
                None => add(&mut counts, path, 0),
            }
            new
        };
        let records: Vec<Record> = all.iter().map(record).collect();
        let is_there = |path: &str| all.binary_search_by(|(other, ..)| other.as_str().cmp(path)).is_ok();
        let mut floor = before.map_or(0, |before| before.floor);
        let mut gone: Vec<(&str, u64)> = Vec::new();
        for (path, sequence) in before.into_iter().flat_map(Changes::gone).filter(|(path, _)| !is_there(path))
        {
            match before.is_some_and(|before| self.is_old(before, sequence)) {
                true => floor = floor.max(sequence),
                false => gone.push((path, sequence)),
            }
        }
        let mut lost: Vec<&str> = known.keys().copied().filter(|path| !is_there(path)).collect();
        lost.sort_unstable();
        lost.iter().for_each(|path| add(&mut counts, path, 2));
        gone.extend(lost.into_iter().map(|path| (path, self.sequence)));
        let mut log: Vec<Publication> = before.map(|before| before.log.to_vec()).unwrap_or_default();
        log.push(self.publication(counts));
        let forgotten = log.len().saturating_sub(LOG_MAX);
        floor = log.drain(..forgotten).map(|old| old.sequence).fold(floor, u64::max);
        let paths: Vec<u8> = gone.iter().flat_map(|(path, _)| [path.as_bytes(), b"\n"].concat()).collect();
        history.put("root", [before.map_or(self.manifest, |before| before.root)]);
        history.put("log", log);
        history.put("record", records);
        history.put::<u8>("removed", paths);
        history
            .put::<u64>("removed.sequence", gone.iter().map(|(_, sequence)| *sequence).collect::<Vec<_>>());
        history.put::<u64>("floor", [floor]);
        history.put::<Key>("made", all.iter().map(|(.., from)| *from).collect::<Vec<_>>());
    }

    /// Whether a removal need not be told any longer.
    fn is_old(&self, before: &Changes, sequence: u64) -> bool {
        before.at(sequence).is_none_or(|at| self.published.as_second() - at.published > KEPT)
    }

    fn publication(&self, counts: [[u32; 3]; 3]) -> Publication {
        let [month, day] = [self.day.month(), self.day.day()].map(i32::from);
        let day = (i32::from(self.day.year()) * 100 + month) * 100 + day;
        Publication { sequence: self.sequence, published: self.published.as_second(), day, counts, unused: 0 }
    }
}

fn add(counts: &mut [[u32; 3]; 3], path: &str, change: usize) {
    let kind = record_of(path).and_then(|(kind, _)| KINDS.iter().position(|known| *known == kind));
    if let Some(kind) = kind {
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
    /// What it says; none if it was removed.
    pub version: Option<Version>,
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
    records: Section<Record>,
    gone: Vec<String>,
    gone_sequence: Section<u64>,
    floor: u64,
    made: Section<Key>,
    /// All records in the order in which they are told.
    order: OnceLock<Vec<Told>>,
}

/// Where a record stands in the order.
#[derive(Clone, Copy)]
struct Told {
    sequence: u64,
    /// Of its page, after those the removed records.
    number: u32,
    /// Of its version; none of a removed one.
    record: u32,
}

impl Changes {
    pub(super) fn open(history: &Sections) -> Result<Self, SectionError> {
        let wrong = |section| SectionError::Content(section, "does not fit the others");
        let text = history.get::<u8>("removed")?;
        let text =
            std::str::from_utf8(&text).map_err(|_| SectionError::Content("removed", "is not UTF-8"))?;
        let gone: Vec<String> = text.lines().map(str::to_owned).collect();
        let gone_sequence = history.get::<u64>("removed.sequence")?;
        let log = history.get::<Publication>("log")?;
        if gone.len() != gone_sequence.len() || !gone.iter().all(|path| record_of(path).is_some()) {
            return Err(wrong("removed"));
        }
        if log.is_empty() || !log.array_windows().all(|[a, b]| a.sequence < b.sequence) {
            return Err(wrong("log"));
        }
        let root = *history.get::<Digest>("root")?.first().ok_or(wrong("root"))?;
        let floor = *history.get::<u64>("floor")?.first().ok_or(wrong("floor"))?;
        let records = history.get::<Record>("record")?;
        let made = history.get::<Key>("made")?;
        Ok(Self { root, log, records, gone, gone_sequence, floor, made, order: OnceLock::new() })
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

    /// A publication.
    fn at(&self, sequence: u64) -> Option<&Publication> {
        let at = self.log.binary_search_by_key(&sequence, |publication| publication.sequence).ok()?;
        self.log.get(at)
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

    fn gone(&self) -> impl Iterator<Item = (&str, u64)> {
        self.gone.iter().map(String::as_str).zip(self.gone_sequence.iter().copied())
    }

    /// Records that changed after a position, `most` of them at most, in order of publications and addresses.
    #[must_use]
    pub fn after<'a>(&'a self, files: &'a FileTable, from: &Position, most: usize) -> Vec<Changed<'a>> {
        let order = self.order.get_or_init(|| self.order(files));
        let last = from.record.as_ref().map(|record| format!("{RECORDS}{record}.json"));
        let is_read = |told: &Told| match told.sequence.cmp(&from.sequence) {
            Ordering::Equal => last.as_deref().is_none_or(|last| self.path(files, told.number) <= last),
            other => other == Ordering::Less,
        };
        let start = order.partition_point(is_read);
        let told = order.get(start..).unwrap_or_default().iter().take(most);
        told.filter_map(|Told { sequence, number, record }| {
            let (kind, slug) = record_of(self.path(files, *number))?;
            let at = self.at(*sequence).map_or(Timestamp::default(), Publication::published);
            let version = self.records.get(*record as usize).map(|record| record.version);
            Some(Changed { sequence: *sequence, at, kind, slug, version })
        })
        .collect()
    }

    /// Records by the path of their page.
    fn records<'a>(&self, files: &'a FileTable) -> FxHashMap<&'a str, Record> {
        pages(files).zip(self.records.iter().copied()).collect()
    }

    /// The records as they were published, to publish them again.
    pub(super) fn published(&self, files: &FileTable) -> Records {
        let key = |at: usize| self.made.get(at).copied().unwrap_or_default();
        let records = pages(files).zip(self.records.iter()).enumerate();
        records.map(|(at, (path, record))| (path.to_owned(), record.version, key(at))).collect()
    }

    /// The records of which it is known what they were made from.
    pub(super) fn made(&self, files: &FileTable) -> Known {
        let records = self.published(files).into_iter().filter(|(.., from)| *from != Key::default());
        records.map(|(path, version, from)| (path, (version, from))).collect()
    }

    fn path<'a>(&'a self, files: &'a FileTable, number: u32) -> &'a str {
        let removed = || self.gone.get((number as usize).checked_sub(files.len())?).map(String::as_str);
        files.get(number).map(|entry| entry.path()).or_else(removed).unwrap_or_default()
    }

    /// How much work an answer of so many lines is, in units: the first one puts all records in order.
    #[must_use]
    pub fn price(&self, files: &FileTable, lines: usize) -> u64 {
        let order = if self.order.get().is_some() { 0 } else { files.len() };
        (order + lines) as u64
    }

    fn order(&self, files: &FileTable) -> Vec<Told> {
        let numbers =
            files.entries().filter(|entry| record_of(entry.path()).is_some()).map(|entry| entry.number());
        let there = numbers.zip(self.records.iter()).zip(0..);
        let there =
            there.map(|((number, record), at)| Told { sequence: record.sequence, number, record: at });
        let gone = self.gone_sequence.iter().zip(files.len() as u32..);
        let gone = gone.map(|(sequence, number)| Told { sequence: *sequence, number, record: u32::MAX });
        let mut order: Vec<Told> = there.chain(gone).collect();
        order.sort_unstable_by(|a, b| {
            let paths = || self.path(files, a.number).cmp(self.path(files, b.number));
            a.sequence.cmp(&b.sequence).then_with(paths)
        });
        order
    }
}

/// Paths of the records that are there, sorted.
fn pages(files: &FileTable) -> impl Iterator<Item = &str> {
    files.entries().map(|entry| entry.path()).filter(|path| record_of(path).is_some())
}
