//! Writes `history.bin`: what a generation records about those before it. See `changes` for the sections of records and
//! `diff` for those of pages.
//!
//! `changed` has the date of each page's `Last-Modified`. A page that differs from the live generation's page of this
//! path gets a date later than any before, whether it was edited, has another day's state or has an earlier text again;
//! an unchanged page keeps its date. So the date alone is enough for a client to see that its copy is outdated. Dates
//! come from the data, the day and the dates before; there is no clock here.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;

use super::body::{Body, Digest};
use super::build_info::MadeFrom;
use super::changes::Versions;
use super::diff;
use super::generation::{Generation, ids, open_sections};
use super::layout::{HISTORY, directory_of};
use super::manifest::Manifest;
use super::publication::NextPublication;
use super::sections::{SectionWriter, Sections};
use super::staging::StagingDir;
use super::table::FileTable;
use super::vfs::Vfs;

/// The file of a generation with these pages, sorted by path, published for this day.
pub(super) fn write<'a>(
    staging: &StagingDir,
    manifest: &Manifest,
    pages: impl Iterator<Item = (&'a str, Body)> + Clone,
    versions: &Versions,
    (day, made_from): (Date, Option<MadeFrom>),
) -> Sections {
    let live = staging.live();
    let now = change_date(manifest.generated_at, day, latest_change(&*staging.vfs, live));
    let manifest_hash = Digest::of(&manifest.to_bytes());
    let mut history = SectionWriter::default();
    history.put("manifest", [manifest_hash]);
    history.put::<i64>("changed", change_dates(pages.clone(), live.map(Generation::files), now));
    let next = NextPublication {
        live: live.map(|live| (live.changes(), live.files())),
        manifest: manifest_hash,
        sequence: manifest.sequence,
        published: manifest.generated_at,
        day,
    };
    next.write(versions, &mut history);
    history.put::<MadeFrom>("recipe", Vec::from_iter(made_from));
    if let Some(live) = live {
        diff::write(live, pages, &mut history);
    }
    history.finish()
}

/// The date of a publication's changes, in seconds since 1970: after `latest`, the latest date of a page so far, and
/// after midnight of the day, which readers that fill holes for the day may have stated.
fn change_date(published: Timestamp, day: Date, latest: Option<i64>) -> i64 {
    let published = published.as_second();
    let midnight = Offset::UTC.to_timestamp(day.to_datetime(Time::midnight()));
    let midnight = midnight.map_or(published, Timestamp::as_second);
    match latest {
        None => published.max(midnight),
        Some(latest) => published.max(latest.max(midnight).saturating_add(1)),
    }
}

/// The latest date of a page so far. If the live generation is damaged, its history and other generations have it.
fn latest_change(vfs: &dyn Vfs, live: Option<&Generation>) -> Option<i64> {
    if let Some(live) = live {
        return live.files().latest_change();
    }
    let dates = |id| open_sections(vfs, &directory_of(id), HISTORY).ok()?.get::<i64>("changed").ok();
    let found = ids(vfs).unwrap_or_default().into_iter().filter_map(dates);
    found.filter_map(|dates| dates.iter().max().copied()).max()
}

/// The date of each page: that of the live generation's page if it has the same body, else `now`.
fn change_dates<'a>(
    pages: impl Iterator<Item = (&'a str, Body)>,
    live: Option<&FileTable>,
    now: i64,
) -> Vec<i64> {
    let kept = |(path, body): (&str, Body)| {
        let entry = live?.find(path.as_bytes())?;
        (entry.identity() == body).then(|| entry.changed())
    };
    pages.map(|page| kept(page).unwrap_or(now)).collect()
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
