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
fn a_date_moves_forward_whenever_the_bytes_are_others() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mut seen = TARGETS.map(|_| Vec::new());
    publish_on(root, &[], AS_OF);
    look(root, AS_OF, &mut seen);
    publish_on(root, &[EDIT], AS_OF);
    let days: Vec<Date> = (0..20).map(|days| AS_OF + days.days()).collect();
    days.iter().for_each(|today| look(root, *today, &mut seen));
    for (target, seen) in TARGETS.iter().zip(&seen[..8]) {
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
}
