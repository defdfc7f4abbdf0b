//! What a publication adds to the change log: the versions of its records, and the records that it added, changed and
//! removed.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::{FxHashMap, FxHashSet};
use uuid::Uuid;

use super::body::Digest;
use super::build_info::{NewFile, RecordIds};
use super::changes::{
    ChangeLog, KnownRecord, Publication, RECORD_KINDS, Record, RecordId, RecordState, RecordVersion, Removed,
    Span, UNKNOWN, Versions, of_kind, record_of,
};
use super::reuse::RecordFingerprint;
use super::sections::SectionWriter;
use super::table::FileTable;

/// How long removals are remembered, in seconds.
const REMEMBERED: i64 = 400 * 86_400;
/// Most publications in the log.
const LOG_MAX: usize = 4_096;

/// Path of the English page of a record, from that of its page in any language.
fn english_page(path: &str) -> Option<String> {
    let english = path.strip_suffix(".es.json").map(|start| format!("{start}.json"));
    Some(english.unwrap_or_else(|| path.to_owned())).filter(|path| record_of(path).is_some())
}

/// The records of a generation being built, by the path of their page.
#[derive(Default)]
pub(super) struct GatheredRecords(BTreeMap<String, GatheredRecord>);

#[derive(Default)]
struct GatheredRecord {
    /// Hashes of its pages without holes, by path.
    pages: BTreeMap<String, Digest>,
    /// Its version, if the pages of the live generation are kept.
    kept: Option<RecordVersion>,
    fingerprint: RecordFingerprint,
}

impl GatheredRecord {
    fn version(&self) -> RecordVersion {
        self.kept.unwrap_or_else(|| {
            let hashes: Vec<u8> = self.pages.values().flat_map(|digest| digest.0).collect();
            let mut version = RecordVersion::default();
            version.copy_from_slice(&Digest::of(&hashes).0[..16]);
            version
        })
    }
}

impl GatheredRecords {
    /// Adds a page, if it is a record's.
    pub(super) fn add(&mut self, page: &NewFile<'_>, identity: Digest) {
        let Some(record) = english_page(page.path) else { return };
        let digest = if page.holes.is_empty() { identity } else { digest_without_holes(page) };
        self.0.entry(record).or_default().pages.insert(page.path.to_owned(), digest);
    }

    pub(super) fn set_fingerprint(&mut self, record: &str, fingerprint: RecordFingerprint) {
        self.0.entry(record.to_owned()).or_default().fingerprint = fingerprint;
    }

    /// Adds a record that has not changed.
    pub(super) fn keep(&mut self, record: &str, version: RecordVersion) {
        self.0.entry(record.to_owned()).or_default().kept = Some(version);
    }

    pub(super) fn versions(&self, ids: &RecordIds) -> Versions {
        let id = |path: &str| {
            let (kind, slug) = record_of(path)?;
            ids.get(&format!("{kind}/{slug}")).copied().map(Uuid::into_bytes)
        };
        let records = self.0.iter().filter(|(_, it)| it.kept.is_some() || !it.pages.is_empty());
        let state = records.map(|(path, record)| RecordState {
            path: path.clone(),
            version: record.version(),
            id: id(path).unwrap_or(UNKNOWN),
            fingerprint: record.fingerprint,
        });
        state.collect()
    }
}

fn digest_without_holes(page: &NewFile<'_>) -> Digest {
    let (mut rest, mut at) = (Vec::with_capacity(page.body.len()), 0);
    for hole in page.holes {
        let start = hole.start as usize;
        rest.extend_from_slice(page.body.get(at..start).unwrap_or_default());
        at = start + hole.len as usize;
    }
    rest.extend_from_slice(page.body.get(at..).unwrap_or_default());
    Digest::of(&rest)
}

fn find<'v>(versions: &'v Versions, path: &str) -> Option<&'v RecordState> {
    versions.binary_search_by(|it| it.path.as_str().cmp(path)).ok().map(|at| &versions[at])
}

/// A publication that is being made.
pub(super) struct NextPublication<'a> {
    /// Log and pages of the generation before.
    pub(super) live: Option<(&'a ChangeLog, &'a FileTable)>,
    /// Hash of its manifest.
    pub(super) manifest: Digest,
    pub(super) sequence: u64,
    pub(super) published: Timestamp,
    pub(super) day: Date,
}

impl NextPublication<'_> {
    /// Writes the sections of the log.
    pub(super) fn write(&self, versions: &Versions, history: &mut SectionWriter) {
        let before = self.live.map(|(log, _)| log);
        let known: FxHashMap<&str, KnownRecord> =
            self.live.map(|(log, files)| log.records(files)).unwrap_or_default();
        let gone = before.into_iter().flat_map(ChangeLog::removed).map(|it| (it.path, it.span[0]));
        let gone: FxHashMap<&str, u64> = gone.collect();
        let mut counts = [[0; 3]; 3];
        let (mut records, mut ids, mut added) = (Vec::new(), Vec::new(), Vec::new());
        for state in versions {
            let old = known.get(&*state.path);
            let same = old.map(|old| old.record).filter(|old| old.version == state.version);
            if same.is_none() {
                count(&mut counts, &state.path, usize::from(old.is_some()));
            }
            records.push(same.unwrap_or(Record { version: state.version, sequence: self.sequence }));
            ids.push(if state.id == UNKNOWN { old.map_or(UNKNOWN, |old| old.id) } else { state.id });
            let first = old.map(|old| old.added).or_else(|| gone.get(&*state.path).copied());
            added.push(first.unwrap_or(self.sequence));
        }
        let (removed, mut floor) = self.removed(versions, &known);
        let is_free = |path: &str| find(versions, path).is_none();
        for removed in removed.iter().filter(|it| it.sequence == self.sequence && is_free(it.path)) {
            count(&mut counts, removed.path, 2);
        }
        let mut log: Vec<Publication> = before.map(|before| before.log.to_vec()).unwrap_or_default();
        log.push(self.publication(counts));
        let forgotten = log.len().saturating_sub(LOG_MAX);
        floor = log.drain(..forgotten).map(|old| old.sequence).fold(floor, u64::max);
        let paths: Vec<u8> = removed.iter().flat_map(|it| [it.path.as_bytes(), b"\n"].concat()).collect();
        history.put("root", [before.map_or(self.manifest, |before| before.root)]);
        history.put("log", log);
        history.put("record", records);
        history.put("record.id", ids);
        history.put::<u64>("record.added", added);
        history.put::<u8>("removed", paths);
        history.put::<u64>("removed.sequence", Vec::from_iter(removed.iter().map(|it| it.sequence)));
        history.put::<RecordId>("removed.id", Vec::from_iter(removed.iter().map(|it| it.id)));
        history.put::<Span>("removed.span", Vec::from_iter(removed.iter().map(|it| it.span)));
        history.put::<u64>("floor", [floor]);
        history.put::<RecordId>("made", Vec::from_iter(versions.iter().map(|it| it.fingerprint)));
    }

    /// The removals that the log remembers, in order, and the last publication whose removals it may not remember.
    fn removed<'a>(
        &self,
        versions: &Versions,
        known: &FxHashMap<&'a str, KnownRecord>,
    ) -> (Vec<Removed<'a>>, u64)
    where
        Self: 'a,
    {
        let before = self.live.map(|(log, _)| log);
        let ids =
            LazyCell::new(|| versions.iter().map(|it| of_kind(&it.path, it.id)).collect::<FxHashSet<_>>());
        // Nothing is at its address, or another record that took it while this one got no other.
        let is_gone = |path: &str, id: RecordId| {
            find(versions, path).is_none_or(|now| {
                ![now.id, UNKNOWN].contains(&id) && now.id != UNKNOWN && !ids.contains(&of_kind(path, id))
            })
        };
        let (old, recent): (Vec<_>, Vec<_>) = before
            .into_iter()
            .flat_map(ChangeLog::removed)
            .filter(|removed| is_gone(removed.path, removed.id))
            .partition(|removed| before.is_some_and(|before| self.is_old(before, removed.sequence)));
        let floor = before.map_or(0, |before| before.floor);
        let floor = old.iter().map(|removed| removed.sequence).fold(floor, u64::max);
        let lost = known.iter().filter(|(path, it)| is_gone(path, it.id));
        let lost = lost.map(|(path, it)| {
            let span = [it.added, it.record.sequence];
            Removed { path, sequence: self.sequence, id: it.id, span }
        });
        let mut lost: Vec<Removed<'a>> = lost.collect();
        lost.sort_unstable_by_key(|removed| removed.path);
        ([recent, lost].concat(), floor)
    }

    /// Whether a removal may be forgotten.
    fn is_old(&self, before: &ChangeLog, sequence: u64) -> bool {
        before.at(sequence).is_none_or(|at| self.published.as_second() - at.published > REMEMBERED)
    }

    fn publication(&self, counts: [[u32; 3]; 3]) -> Publication {
        let [month, day] = [self.day.month(), self.day.day()].map(i32::from);
        let day = (i32::from(self.day.year()) * 100 + month) * 100 + day;
        let published = self.published.as_second();
        let last = self.live.and_then(|(before, _)| before.log.last().map(Publication::stated_at));
        let at = last.map_or(published, |last| published.max(last.saturating_add(1)));
        Publication { sequence: self.sequence, published, day, counts, at }
    }
}

fn count(counts: &mut [[u32; 3]; 3], path: &str, change: usize) {
    let kind = record_of(path).and_then(|(kind, _)| RECORD_KINDS.iter().position(|known| *known == kind));
    if let Some(kind) = kind {
        counts[kind][change] += 1;
    }
}
