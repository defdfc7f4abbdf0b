//! Which records each publication added, changed and removed: what `history.bin` keeps so that whoever holds a copy of
//! the records can follow, and people can read what was published when.
//!
//! ```text
//! root        Digest        of the manifest that the history began with
//! log         Publication   of each publication, oldest first
//! record      Record        of each record, in the order of its page's path
//! record.id   [u8; 16]      of each record: its id, zeros where it is not known
//! removed     u8            paths of records that are no more, a line each, in the order of `removed.sequence`
//! removed.sequence  u64     when each went
//! removed.id  [u8; 16]      the id of each, zeros where it is not known
//! floor       u64           the last publication whose removals may be forgotten
//! made        Key           what each record was made from, in the order of `record`; zeros where nobody said so
//! ```
//!
//! A record is a program, an organization or a recipient; its pages are those of the REST interface in every language.
//! What in them follows from the day is no part of its version: the day's turn changes no record. A record is told
//! once, at its last change. Histories from before ids were kept have neither section of them; what they say is taken
//! over without.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};
use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::FxHashMap;
use uuid::Uuid;

use super::build_info::{NewFile, RecordFingerprint, RecordIds};
use super::digest::{Digest, Hex};
use super::sections::{Section, SectionError, SectionWriter, Sections};
use super::table::FileTable;

/// Kinds of records, as addresses have them.
pub const RECORD_KINDS: [&str; 3] = ["organizations", "programs", "recipients"];
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
    /// Records of each of [`RECORD_KINDS`] that it added, changed and removed.
    pub counts: [[u32; 3]; 3],
    /// When it is said to have changed what it changed, in seconds since 1970; 0 in histories that say nothing of it.
    at: i64,
}

impl Publication {
    /// When its dataset was published.
    #[must_use]
    pub fn published(&self) -> Timestamp {
        Timestamp::from_second(self.published).unwrap_or_default()
    }

    /// When it is said to have changed what it changed: when its dataset was published, and later than what the
    /// publications before it are said to have changed, also where it goes back to one of them.
    fn told_at(&self) -> i64 {
        if self.at == 0 { self.published } else { self.at }
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
    version: RecordVersion,
    /// The publication that gave it this version.
    sequence: u64,
}

/// Tells what a record says from all that it said before.
pub type RecordVersion = [u8; 16];

/// Version and key of each record, by the path of its page.
pub(super) type Known = FxHashMap<String, (RecordVersion, RecordFingerprint)>;

/// The kind and slug of a record's page; that of another language is none.
fn record_of(path: &str) -> Option<(&str, &str)> {
    let (kind, name) = path.strip_prefix(RECORDS)?.split_once('/')?;
    let slug = name.strip_suffix(".json")?;
    (RECORD_KINDS.contains(&kind) && !slug.contains(['/', '.'])).then_some((kind, slug))
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
    kept: BTreeMap<String, RecordVersion>,
    made: FxHashMap<String, RecordFingerprint>,
}

impl Gathered {
    /// Takes a page in, if it is one of a record.
    pub(super) fn add(&mut self, page: &NewFile<'_>, identity: Digest) {
        let Some(record) = page_of(page.path) else { return };
        let digest = if page.holes.is_empty() { identity } else { without_holes(page) };
        self.pages.entry(record).or_default().insert(page.path.to_owned(), digest);
    }

    /// What a record is made from.
    pub(super) fn made(&mut self, record: &str, from: RecordFingerprint) {
        self.made.insert(record.to_owned(), from);
    }

    /// Takes a record in that is as it was.
    pub(super) fn keep(&mut self, record: &str, version: RecordVersion) {
        self.kept.insert(record.to_owned(), version);
    }

    /// What all records say, sorted by path.
    pub(super) fn versions(&self, ids: &RecordIds) -> Versions {
        let version = |pages: &BTreeMap<String, Digest>| {
            let all: Vec<u8> = pages.values().flat_map(|digest| digest.0).collect();
            let mut version = RecordVersion::default();
            version.copy_from_slice(&Digest::of(&all).0[..16]);
            version
        };
        let id = |path: &str| {
            let (kind, slug) = record_of(path)?;
            ids.get(&format!("{kind}/{slug}")).copied().map(Uuid::into_bytes)
        };
        let made = self.pages.iter().map(|(path, pages)| (path, version(pages)));
        let all = made.chain(self.kept.iter().map(|(path, version)| (path, *version)));
        let said = |(path, version): (&String, RecordVersion)| Said {
            path: path.clone(),
            version,
            id: id(path).unwrap_or(UNKNOWN),
            made: self.made.get(path).copied().unwrap_or(UNKNOWN),
        };
        let mut versions: Versions = all.map(said).collect();
        versions.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        versions
    }
}

fn without_holes(page: &NewFile<'_>) -> Digest {
    let (mut rest, mut at) = (Vec::with_capacity(page.body.len()), 0);
    for hole in page.holes {
        let start = hole.start as usize;
        rest.extend_from_slice(page.body.get(at..start).unwrap_or_default());
        at = start + hole.len as usize;
    }
    rest.extend_from_slice(page.body.get(at..).unwrap_or_default());
    Digest::of(&rest)
}

/// A record's id as it is written.
type RecordId = [u8; 16];

/// An id or a key that is not known: the one that no record has.
const UNKNOWN: RecordId = [0; 16];

/// What a record says, by the path of its page.
pub(super) struct Said {
    path: String,
    version: RecordVersion,
    id: RecordId,
    made: RecordFingerprint,
}

/// What all records say, sorted by path.
pub(super) type Versions = Vec<Said>;

/// A publication that is being made.
pub(super) struct Next<'a> {
    /// The history and the pages of the generation before.
    pub(super) live: Option<(&'a History, &'a FileTable)>,
    /// Its manifest, hashed.
    pub(super) manifest: Digest,
    pub(super) sequence: u64,
    pub(super) published: Timestamp,
    pub(super) day: Date,
}

impl Next<'_> {
    /// Writes the sections.
    pub(super) fn write(&self, versions: &Versions, history: &mut SectionWriter) {
        let before = self.live.map(|(changes, _)| changes);
        let known: FxHashMap<&str, (Record, RecordId)> =
            self.live.map(|(changes, files)| changes.records(files)).unwrap_or_default();
        let mut counts = [[0; 3]; 3];
        let record = |said: &Said| {
            let new = Record { version: said.version, sequence: self.sequence };
            match known.get(&*said.path) {
                Some((old, _)) if old.version == said.version => return *old,
                Some(_) => add(&mut counts, &said.path, 1),
                None => add(&mut counts, &said.path, 0),
            }
            new
        };
        let records: Vec<Record> = versions.iter().map(record).collect();
        let id = |said: &Said| match said.id {
            UNKNOWN => known.get(&*said.path).map_or(UNKNOWN, |(_, id)| *id),
            id => id,
        };
        let ids: Vec<RecordId> = versions.iter().map(id).collect();
        let (gone, mut floor) = self.gone(versions, &known);
        gone.iter().filter(|gone| gone.sequence == self.sequence).for_each(|it| add(&mut counts, it.path, 2));
        let mut log: Vec<Publication> = before.map(|before| before.log.to_vec()).unwrap_or_default();
        log.push(self.publication(counts));
        let forgotten = log.len().saturating_sub(LOG_MAX);
        floor = log.drain(..forgotten).map(|old| old.sequence).fold(floor, u64::max);
        let paths: Vec<u8> = gone.iter().flat_map(|gone| [gone.path.as_bytes(), b"\n"].concat()).collect();
        history.put("root", [before.map_or(self.manifest, |before| before.root)]);
        history.put("log", log);
        history.put("record", records);
        history.put("record.id", ids);
        history.put::<u8>("removed", paths);
        history.put::<u64>("removed.sequence", gone.iter().map(|gone| gone.sequence).collect::<Vec<_>>());
        history.put::<RecordId>("removed.id", gone.iter().map(|gone| gone.id).collect::<Vec<_>>());
        history.put::<u64>("floor", [floor]);
        history.put::<RecordFingerprint>("made", versions.iter().map(|said| said.made).collect::<Vec<_>>());
    }

    /// The removals that are told, in order, and the last publication of which some are told no longer.
    fn gone<'a>(
        &self,
        versions: &Versions,
        known: &FxHashMap<&'a str, (Record, RecordId)>,
    ) -> (Vec<Gone<'a>>, u64)
    where
        Self: 'a,
    {
        let before = self.live.map(|(changes, _)| changes);
        let is_there = |path: &str| versions.binary_search_by(|said| said.path.as_str().cmp(path)).is_ok();
        let mut floor = before.map_or(0, |before| before.floor);
        let mut told = Vec::new();
        for gone in before.into_iter().flat_map(History::gone).filter(|gone| !is_there(gone.path)) {
            match before.is_some_and(|before| self.is_old(before, gone.sequence)) {
                true => floor = floor.max(gone.sequence),
                false => told.push(gone),
            }
        }
        let lost = known.iter().filter(|(path, _)| !is_there(path));
        let lost = lost.map(|(path, (_, id))| Gone { path, sequence: self.sequence, id: *id });
        let mut lost: Vec<Gone<'a>> = lost.collect();
        lost.sort_unstable_by_key(|gone| gone.path);
        told.append(&mut lost);
        (told, floor)
    }

    /// Whether a removal need not be told any longer.
    fn is_old(&self, before: &History, sequence: u64) -> bool {
        before.at(sequence).is_none_or(|at| self.published.as_second() - at.published > KEPT)
    }

    fn publication(&self, counts: [[u32; 3]; 3]) -> Publication {
        let [month, day] = [self.day.month(), self.day.day()].map(i32::from);
        let day = (i32::from(self.day.year()) * 100 + month) * 100 + day;
        let published = self.published.as_second();
        let last = self.live.and_then(|(before, _)| before.log.last().map(Publication::told_at));
        let at = last.map_or(published, |last| published.max(last.saturating_add(1)));
        Publication { sequence: self.sequence, published, day, counts, at }
    }
}

fn add(counts: &mut [[u32; 3]; 3], path: &str, change: usize) {
    let kind = record_of(path).and_then(|(kind, _)| RECORD_KINDS.iter().position(|known| *known == kind));
    if let Some(kind) = kind {
        counts[kind][change] += 1;
    }
}

/// A record at its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordChange<'a> {
    /// The publication that changed it.
    pub sequence: u64,
    /// When that publication's dataset was published, and later than any change of the publications before it. Of
    /// a publication that is forgotten, as of the oldest that is known.
    pub at: Timestamp,
    /// One of [`RECORD_KINDS`].
    pub kind: &'a str,
    /// The record's slug.
    pub slug: &'a str,
    /// The record's id, if it was ever told.
    pub id: Option<Uuid>,
    /// What it says; none if it was removed.
    pub version: Option<RecordVersion>,
}

/// A record that is no more.
struct Gone<'a> {
    path: &'a str,
    sequence: u64,
    id: RecordId,
}

/// How far a reader is: all of the publications before and, of this one, all or what comes up to a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryPosition {
    /// A publication; 0 at the beginning.
    pub sequence: u64,
    /// `kind/slug` of the last record of it that was read; none if all of it was.
    pub record: Option<String>,
    /// What was live when somebody began to read from the beginning and has not read so far yet; 0 otherwise.
    pub begun: u64,
}

/// The history of a generation.
pub struct History {
    root: Digest,
    log: Section<Publication>,
    records: Section<Record>,
    ids: Option<Section<RecordId>>,
    gone: Vec<String>,
    gone_sequence: Section<u64>,
    gone_ids: Option<Section<RecordId>>,
    floor: u64,
    made: Option<Section<RecordFingerprint>>,
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

impl History {
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
        let (ids, gone_ids) = (ids_of(history, "record.id")?, ids_of(history, "removed.id")?);
        if ids.as_ref().is_some_and(|ids| ids.len() != records.len()) {
            return Err(wrong("record.id"));
        }
        if gone_ids.as_ref().is_some_and(|ids| ids.len() != gone.len()) {
            return Err(wrong("removed.id"));
        }
        let (made, order) = (ids_of(history, "made")?, OnceLock::new());
        Ok(Self { root, log, records, ids, gone, gone_sequence, gone_ids, floor, made, order })
    }

    /// The beginning of the hash of the manifest that the history began with: another one is of another directory.
    #[must_use]
    pub fn name(&self) -> String {
        Hex(&self.root.0[..8]).to_string()
    }

    /// The publications that are known, oldest first.
    #[must_use]
    pub fn log(&self) -> &[Publication] {
        &self.log
    }

    /// The last publication whose removals may be forgotten: who was not further begins anew.
    #[must_use]
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// A publication.
    fn at(&self, sequence: u64) -> Option<&Publication> {
        let at = self.log.binary_search_by_key(&sequence, |publication| publication.sequence).ok()?;
        self.log.get(at)
    }

    /// Whether all changes after a position are known. A client that starts from the beginning needs no removals; one
    /// that started and has not read to the end needs those after its start.
    #[must_use]
    pub fn reaches(&self, from: &HistoryPosition) -> bool {
        let is_begin = from.sequence == 0 && from.record.is_none();
        let is_past = from.sequence > self.floor || from.sequence == self.floor && from.record.is_none();
        is_begin || is_past || from.begun > 0 && self.floor <= from.begun
    }

    /// Where a reader is after a record that was read from a position on.
    #[must_use]
    pub fn next(&self, from: &HistoryPosition, last: &RecordChange<'_>) -> HistoryPosition {
        let is_begin = from.sequence == 0 && from.record.is_none();
        let begun = if is_begin { self.log.last().map_or(0, |live| live.sequence) } else { from.begun };
        let begun = if last.sequence < begun { begun } else { 0 };
        HistoryPosition {
            sequence: last.sequence,
            record: Some(format!("{}/{}", last.kind, last.slug)),
            begun,
        }
    }

    fn gone(&self) -> impl Iterator<Item = Gone<'_>> {
        let gone = self.gone.iter().zip(self.gone_sequence.iter()).enumerate();
        gone.map(|(at, (path, sequence))| Gone { path, sequence: *sequence, id: id_in(&self.gone_ids, at) })
    }

    /// When a publication is said to have changed what it changed.
    fn told_at(&self, sequence: u64) -> Timestamp {
        let at = self.at(sequence).or(self.log.first()).map(Publication::told_at);
        at.and_then(|at| Timestamp::from_second(at).ok()).unwrap_or_default()
    }

    /// Records that changed after a position, `most` of them at most, in order of publications and addresses.
    #[must_use]
    pub fn after<'a>(
        &'a self,
        files: &'a FileTable,
        from: &HistoryPosition,
        most: usize,
    ) -> Vec<RecordChange<'a>> {
        let order = self.order.get_or_init(|| self.order(files));
        let last = from.record.as_ref().map(|record| format!("{RECORDS}{record}.json"));
        let is_read = |told: &Told| match told.sequence.cmp(&from.sequence) {
            Ordering::Equal => last.as_deref().is_none_or(|last| self.path(files, told.number) <= last),
            other => other == Ordering::Less,
        };
        let start = order.partition_point(is_read);
        let told = order.get(start..).unwrap_or_default().iter().take(most);
        told.filter_map(|told| self.changed(files, told)).collect()
    }

    /// The records that changed last, the newest first.
    #[must_use]
    pub fn newest<'a>(&'a self, files: &'a FileTable, most: usize) -> Vec<RecordChange<'a>> {
        let order = self.order.get_or_init(|| self.order(files));
        order.iter().rev().take(most).filter_map(|told| self.changed(files, told)).collect()
    }

    fn changed<'a>(&'a self, files: &'a FileTable, told: &Told) -> Option<RecordChange<'a>> {
        let &Told { sequence, number, record } = told;
        let (kind, slug) = record_of(self.path(files, number))?;
        let version = self.records.get(record as usize).map(|record| record.version);
        let id = match version {
            Some(_) => id_in(&self.ids, record as usize),
            None => id_in(&self.gone_ids, (number as usize).saturating_sub(files.len())),
        };
        let id = (id != UNKNOWN).then(|| Uuid::from_bytes(id));
        Some(RecordChange { sequence, at: self.told_at(sequence), kind, slug, id, version })
    }

    /// Records by the path of their page, with their ids.
    fn records<'a>(&self, files: &'a FileTable) -> FxHashMap<&'a str, (Record, RecordId)> {
        let records = self.records.iter().enumerate();
        pages(files).zip(records.map(|(at, record)| (*record, id_in(&self.ids, at)))).collect()
    }

    /// What the records say, to publish them again.
    pub(super) fn versions(&self, files: &FileTable) -> Versions {
        let records = pages(files).zip(self.records.iter()).enumerate();
        let said = records.map(|(at, (path, record))| Said {
            path: path.to_owned(),
            version: record.version,
            id: id_in(&self.ids, at),
            made: id_in(&self.made, at),
        });
        said.collect()
    }

    /// The records of which it is known what they were made from.
    pub(super) fn made(&self, files: &FileTable) -> Known {
        let records = self.versions(files).into_iter().filter(|said| said.made != UNKNOWN);
        records.map(|said| (said.path, (said.version, said.made))).collect()
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

/// Ids or keys of a history; nothing of one that has none.
fn ids_of(history: &Sections, name: &'static str) -> Result<Option<Section<RecordId>>, SectionError> {
    match history.get(name) {
        Err(SectionError::Missing(_)) => Ok(None),
        found => found.map(Some),
    }
}

fn id_in(ids: &Option<Section<RecordId>>, at: usize) -> RecordId {
    ids.as_ref().and_then(|ids| ids.get(at).copied()).unwrap_or(UNKNOWN)
}
