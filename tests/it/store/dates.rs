//! Validators over publications: the date and ETag of a copy say whether there is another,
//! after an edit, on a new day, and after a rollback. Each time with data that says the same `publishedAt`.

use std::path::Path;

use edge::Server;
use http::header::{ETAG, IF_MODIFIED_SINCE, LAST_MODIFIED};
use jiff::ToSpan as _;
use jiff::civil::Date;
use snapshot::time::Day;
use store::rollback;
use tests::in_process::{Reply, get, send};
use tests::snapshots::frozen;

use crate::server::AS_OF;
use crate::store::diff::{Edit, publish_on};

const EDIT: Edit = Edit {
    file: "programs/grants-prizes-and-other.ndjson",
    from: "\"summary\":\"",
    to: "\"summary\":\"Now with more words. ",
};
/// Kinds of files, the export among them, and two answers that are computed.
const TARGETS: [&str; 10] = [
    "/",
    "/es",
    "/deadlines",
    "/es/deadlines/2026-12",
    "/programs/archaeometry",
    "/programs/archaeometry.md",
    "/api/v1/programs/archaeometry",
    "/api/v1/exports/latest",
    "/api/v1/search?q=words",
    "/api/v1/search",
];
const EXPORT: usize = 7;

fn date_of(reply: &Reply) -> &str {
    reply.headers[LAST_MODIFIED].to_str().unwrap()
}

fn second(reply: &Reply) -> jiff::Timestamp {
    jiff::fmt::rfc2822::parse(date_of(reply)).unwrap().timestamp()
}

/// Asks for all targets on a day, and compares each answer with the one before.
fn look(root: &Path, today: Date, seen: &mut [Vec<Reply>]) {
    let live = Server::open(frozen(root, Day::new(today))).unwrap();
    for (target, seen) in TARGETS.iter().zip(seen) {
        let new = get(&live, target);
        assert_eq!(new.status, 200, "{target}");
        if let Some(old) = seen.last() {
            assert!(second(old) <= second(&new), "{target}: {} then {}", date_of(old), date_of(&new));
            if old.body != new.body {
                assert!(second(old) < second(&new), "{target}: {} twice, {today}", date_of(old));
                assert_ne!(old.headers[ETAG], new.headers[ETAG], "{target}");
                let again = send(&live, "GET", target, &[(IF_MODIFIED_SINCE, date_of(old))]);
                assert_eq!(again.status, 200, "{target} since {}", date_of(old));
            }
        }
        seen.push(new);
    }
}

#[test]
fn a_date_moves_forward_whenever_the_bytes_are_others_and_answers_304_for_no_other_date() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mut seen = TARGETS.map(|_| Vec::new());
    publish_on(root, &[], AS_OF);
    look(root, AS_OF, &mut seen);
    publish_on(root, &[EDIT], AS_OF);
    let days: Vec<Date> = (0..20).map(|days| AS_OF + days.days()).collect();
    days.iter().for_each(|today| look(root, *today, &mut seen));
    for (target, seen) in TARGETS.iter().zip(&seen).take(EXPORT + 1) {
        let moved = seen[1..].windows(2).any(|pair| pair[0].body != pair[1].body);
        assert!(moved, "{target} is the same on every day");
    }
    let last = days[19];
    publish_on(root, &[EDIT], last);
    look(root, last, &mut seen);
    rollback(root, None, last).unwrap();
    look(root, last, &mut seen);
    publish_on(root, &[], last);
    look(root, last, &mut seen);
    let live = Server::open(frozen(root, Day::new(last))).unwrap();
    let export = seen[EXPORT].last().unwrap();
    let since = |date: &str| send(&live, "GET", TARGETS[EXPORT], &[(IF_MODIFIED_SINCE, date)]).status;
    assert_eq!(since(date_of(export)), 304);
    let later = second(export).checked_add(jiff::SignedDuration::from_hours(24)).unwrap();
    let later = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&later).unwrap();
    assert_eq!(since(&later), 200, "a date that was never given out");
}
