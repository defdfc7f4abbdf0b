//! Since when a page has been the bytes that it is: what `history.bin` keeps and `Last-Modified` says.
//!
//! Whoever holds a copy with a date must be able to tell by it that there is something else now. So a page that is
//! not what the live generation has under this path gets a date later than any that was given out before,
//! whether it was edited, has another day's state or went back to an earlier text; and one that is the same
//! keeps its date. Dates come from the data, the day and the dates before: there is no clock here.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;

use super::HISTORY;
use super::body::Body;
use super::generation::{Generation, directory_of, ids, open_sections};
use super::table::FileTable;
use super::vfs::Vfs;

/// The date of what a publication changes, in seconds since 1970. Until then readers that fill holes for
/// `day` may have said that the day began a page; `latest` is the latest date of the pages themselves.
pub(super) fn date_of(published: Timestamp, day: Date, latest: Option<i64>) -> i64 {
    let published = published.as_second();
    let midnight = Offset::UTC.to_timestamp(day.to_datetime(Time::midnight()));
    let midnight = midnight.map_or(published, Timestamp::as_second);
    match latest {
        None => published.max(midnight),
        Some(latest) => published.max(latest.max(midnight).saturating_add(1)),
    }
}

/// The latest date that was given out. Where the live generation is damaged, those that are beside it and the
/// rest of it know.
pub(super) fn latest(vfs: &dyn Vfs, live: Option<&Generation>) -> Option<i64> {
    if let Some(live) = live {
        return live.files().latest_change();
    }
    let of = |id| open_sections(vfs, &directory_of(id), HISTORY).ok()?.get::<i64>("changed").ok();
    let found = ids(vfs).unwrap_or_default().into_iter().filter_map(of);
    found.filter_map(|changed| changed.iter().max().copied()).max()
}

/// For each page, since when it has been its bytes: the live generation's word if that has them, else `now`.
pub(super) fn changed<'a>(
    pages: impl Iterator<Item = (&'a str, Body)>,
    live: Option<&FileTable>,
    now: i64,
) -> Vec<i64> {
    let since = |(path, body): (&str, Body)| {
        let entry = live?.find(path.as_bytes())?;
        (entry.identity() == body).then(|| entry.changed())
    };
    pages.map(|page| since(page).unwrap_or(now)).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// `date -d 2026-11-20T06:00:00Z +%s`
    const SIX: i64 = 1_795_154_400;
    const HOURS: i64 = 3600;

    #[test]
    fn a_date_is_after_all_dates_before_and_after_the_midnight_that_readers_may_have_said() {
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
            assert_eq!(date_of(published, day, latest), expected, "{day} after {latest:?}");
        }
    }
}
