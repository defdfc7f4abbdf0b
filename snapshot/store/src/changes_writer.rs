//! Writes `changes.bin`: what a generation records about those before it. See `changes` for the sections of records and
//! `diff` for those of pages.
//!
//! `changed` has the date of each page's `Last-Modified`. A page that differs from the live generation's page of this
//! path gets a date later than any before, whether it was edited, has another day's state or has an earlier text again;
//! an unchanged page keeps its date. So the date alone is enough for a client to see that its copy is outdated. Dates
//! come from the data, the day and the dates before; there is no clock here.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use rustc_hash::FxHashSet;

use super::body::{Body, Digest};
use super::changes::{
    ChangeLog, Publication, RECORD_KINDS, Record, RecordId, RecordIds, Records, UNKNOWN, of_kind, record_of,
};
use super::diff;
use super::disk::Disk;
use super::earlier_assets;
use super::error::StoreError;
use super::generation::{Generation, ids, open_sections, read_manifest};
use super::layout::{CHANGES, GenerationId, directory_of};
use super::manifest::{Manifest, StoredFile};
use super::publish::StagingDir;
use super::sections::{SectionWriter, ensure};
use super::table::{NewFile, StagedFile};

/// The file of a generation with these pages, sorted by path, published for this day.
pub(super) fn write<'a>(
    staging: &StagingDir,
    manifest: &Manifest,
    pages: impl Iterator<Item = (&'a str, Body)> + Clone,
    records: &Records,
    (day, earlier): (Date, Option<GenerationId>),
) -> SectionWriter {
    let live = staging.live.as_ref();
    let now = change_date(manifest.generated_at, day, latest_change(&*staging.disk, live));
    let mut history = SectionWriter::default();
    history.put("manifest", [manifest.own_hash()]);
    // The date of each page: that of the live generation's page if it has the same body.
    let kept = |path: &str, body| {
        let entry = live?.files().find(path.as_bytes()).filter(|entry| entry.identity() == body)?;
        Some(entry.changed())
    };
    let dates: Vec<i64> = pages.clone().map(|(path, body)| kept(path, body).unwrap_or(now)).collect();
    history.put("changed", dates);
    write_log((live, manifest), records, &mut history);
    history.put::<u8>(EARLIER, earlier.map(|id| id.to_string()).unwrap_or_default());
    if let Some(live) = live {
        diff::write(live, pages.clone(), &mut history);
        earlier_assets::write(live, pages.map(|(path, _)| path), &mut history);
    }
    history
}

/// Name of the section of [`earlier`].
const EARLIER: &str = "earlier";

/// The generation to which a rollback returns: the one that was live before this content was first published. The parent of
/// a generation that is itself a rollback is the one that was left.
pub(super) fn earlier(of: &Generation) -> Result<Option<GenerationId>, StoreError> {
    let damaged = |problem| of.damaged(CHANGES, problem);
    let name = of.history.get::<u8>(EARLIER).map_err(damaged)?;
    let id = std::str::from_utf8(&name).ok().and_then(|name| name.parse().ok());
    ensure(name.is_empty() || id.is_some(), EARLIER, "is no name of a generation").map_err(damaged)?;
    Ok(id)
}

/// The date of a publication's changes, in seconds since 1970: after `latest`, the latest date of a page so far, and
/// after midnight of the day, which readers that fill holes for the day may have stated.
fn change_date(published: Timestamp, day: Date, latest: Option<i64>) -> i64 {
    let (published, midnight) = (published.as_second(), midnight_of(day));
    match latest {
        None => published.max(midnight),
        Some(latest) => published.max(latest.max(midnight).saturating_add(1)),
    }
}

/// When a day begins, in seconds since 1970.
fn midnight_of(day: Date) -> i64 {
    let midnight = Offset::UTC.to_timestamp(day.to_datetime(Time::midnight()));
    midnight.map_or(i64::MIN, Timestamp::as_second)
}

/// The latest date of a page so far. If the live generation is damaged, its history and other generations have it.
fn latest_change(disk: &dyn Disk, live: Option<&Generation>) -> Option<i64> {
    if let Some(live) = live {
        return live.files().latest_change();
    }
    let dates = |id| {
        let (dir, file) = (directory_of(id), format!("{}/{CHANGES}", directory_of(id)));
        let manifest = read_manifest(disk, &dir).ok();
        let expected = manifest.as_ref().and_then(|manifest| manifest.stored(CHANGES)).map(StoredFile::body);
        open_sections(disk, &file, false, expected).ok()?.get::<i64>("changed").ok()
    };
    let found = ids(disk).unwrap_or_default().into_iter().filter_map(dates);
    found.filter_map(|dates| dates.iter().max().copied()).max()
}

/// How long removals are remembered, in seconds.
const REMEMBERED: i64 = 400 * 86_400;
/// Most publications in the log.
const LOG_MAX: usize = 4_096;

/// Path of the English page of a record, from that of its page in any language.
fn english_page(path: &str) -> Option<String> {
    let english = path.strip_suffix(".es.json").map(|start| format!("{start}.json"));
    Some(english.unwrap_or_else(|| path.to_owned())).filter(|path| record_of(path).is_some())
}

/// The records of a generation being built, from its files, which are sorted by path. The version of a record follows from
/// the hashes of its pages on any day.
pub(super) fn records_of(files: &[StagedFile], ids: &RecordIds) -> Records {
    let mut pages: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for file in files {
        if let Some(record) = english_page(&file.path) {
            pages.entry(record).or_default().extend(file.on_any_day.0);
        }
    }
    let record = |(path, hashes): (String, Vec<u8>)| {
        let id = record_of(&path).and_then(|(kind, slug)| ids.get(&format!("{kind}/{slug}")));
        let id = id.map_or(UNKNOWN, |id| id.into_bytes());
        (path, Record { version: Digest::of(&hashes).half(), id, sequence: 0 })
    };
    pages.into_iter().map(record).collect()
}

/// The hash of a page of a record, with what its holes follow from in place of the holes.
pub(super) fn digest_on_any_day(page: &NewFile<'_>, identity: Digest) -> Digest {
    if page.holes.is_empty() || english_page(page.path).is_none() {
        return identity;
    }
    let (mut rest, mut at) = (Vec::with_capacity(page.body.len()), 0);
    for hole in page.holes {
        let start = hole.start as usize;
        rest.extend_from_slice(page.body.get(at..start).unwrap_or_default());
        at = start + hole.len as usize;
    }
    rest.extend_from_slice(page.body.get(at..).unwrap_or_default());
    rest.extend_from_slice(page.inputs);
    Digest::of(&rest)
}

/// Writes the sections of the log: `live` is the generation before.
fn write_log((live, manifest): (Option<&Generation>, &Manifest), new: &Records, history: &mut SectionWriter) {
    let before = live.map(Generation::changes);
    let sequence = manifest.sequence;
    let known = live.into_iter().flat_map(|live| live.changes().records(live.files()));
    let known: BTreeMap<&str, Record> = known.collect();
    let (mut records, mut counts) = (Vec::new(), [[0; 3]; 3]);
    for (path, now) in new {
        let old = known.get(&**path);
        let same = old.filter(|old| old.version == now.version);
        if same.is_none() {
            count(&mut counts, path, usize::from(old.is_some()));
        }
        let id = if now.id == UNKNOWN { old.map_or(UNKNOWN, |old| old.id) } else { now.id };
        records.push(Record { id, sequence: same.map_or(sequence, |same| same.sequence), ..*now });
    }
    let (removed, mut floor) = removed(live, manifest, new, &known);
    for (path, it) in &removed {
        if it.sequence == sequence && !new.contains_key(*path) {
            count(&mut counts, path, 2);
        }
    }
    let mut log: Vec<Publication> = before.map(|before| before.log.to_vec()).unwrap_or_default();
    let published = manifest.generated_at.as_second();
    let at = log.last().map_or(published, |last| published.max(last.at.saturating_add(1)));
    let day = (midnight_of(manifest.as_of) / 86_400) as i32;
    log.push(Publication { sequence, published, day, counts, at });
    let forgotten = log.len().saturating_sub(LOG_MAX);
    floor = log.drain(..forgotten).map(|old| old.sequence).fold(floor, u64::max);
    let (paths, removed): (Vec<&str>, Vec<Record>) = removed.into_iter().unzip();
    let root = before.map_or_else(|| Digest::of(&manifest.to_bytes()), |before| before.root);
    history.put("root", [root]);
    history.put("log", log);
    history.put("record", records);
    history.put("removed", removed);
    history.put::<u8>("removed.path", paths.join("\n"));
    history.put::<u64>("floor", [floor]);
}

/// The removals that the log remembers, in order, and the last publication whose removals it may not remember.
fn removed<'a>(
    live: Option<&'a Generation>,
    manifest: &Manifest,
    new: &Records,
    known: &BTreeMap<&'a str, Record>,
) -> (Vec<(&'a str, Record)>, u64) {
    let before = live.map(Generation::changes);
    let published = manifest.generated_at.as_second();
    let is_old = |removed: &Record| {
        let at = before.and_then(|before| before.at(removed.sequence));
        at.is_none_or(|at| published - at.published > REMEMBERED)
    };
    let ids = LazyCell::new(|| new.iter().map(|(path, it)| of_kind(path, it.id)).collect::<FxHashSet<_>>());
    // Nothing is at its address, or another record that took it while this one got no other.
    let is_gone = |path: &str, id: RecordId| {
        new.get(path).is_none_or(|now| {
            ![now.id, UNKNOWN].contains(&id) && now.id != UNKNOWN && !ids.contains(&of_kind(path, id))
        })
    };
    let (old, recent): (Vec<_>, Vec<_>) = before
        .into_iter()
        .flat_map(ChangeLog::removed)
        .filter(|(path, it)| is_gone(path, it.id))
        .partition(|(_, it)| is_old(it));
    let floor = before.map_or(0, |before| before.floor);
    let floor = old.iter().map(|(_, it)| it.sequence).fold(floor, u64::max);
    let lost = known.iter().filter(|(path, it)| is_gone(path, it.id));
    let lost = lost.map(|(path, it)| (*path, Record { sequence: manifest.sequence, ..*it }));
    (recent.into_iter().chain(lost).collect(), floor)
}

fn count(counts: &mut [[u32; 3]; 3], path: &str, change: usize) {
    let kind = record_of(path).and_then(|(kind, _)| RECORD_KINDS.iter().position(|known| *known == kind));
    if let Some(kind) = kind {
        counts[kind][change] += 1;
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// `date -d 2026-11-20T06:00:00Z +%s`
    const SIX: i64 = 1_795_154_400;
    const HOURS: i64 = 3600;

    #[test]
    fn a_change_date_is_after_all_dates_before_and_after_midnight_of_the_day() {
        let published: Timestamp = "2026-11-20T06:00:00Z".parse().unwrap();
        let [before, same, next] = [19, 20, 21].map(|day| date(2026, 11, day));
        for (day, latest, expected) in [
            (before, None, SIX),
            (same, None, SIX),
            (next, None, SIX + 18 * HOURS),
            (same, Some(SIX - 1), SIX),
            (same, Some(SIX), SIX + 1),
            (same, Some(SIX + 7), SIX + 8),
            (next, Some(SIX), SIX + 18 * HOURS + 1),
            (before, Some(SIX), SIX + 1),
        ] {
            assert_eq!(change_date(published, day, latest), expected, "{day} after {latest:?}");
        }
    }
}
