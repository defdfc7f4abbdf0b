//! Validators over publications: whoever holds a copy is told by its date and ETag when there is another,
//! after an edit, on a new day, and after a rollback. Each time with data that says the same `publishedAt`.

use bytes::Bytes;
use edge::Server;
use http::header::{ETAG, IF_MODIFIED_SINCE, LAST_MODIFIED};
use jiff::civil::Date;
use snapshot::time::Day;
use store::rollback;
use tests::in_process::{self, Reply};
use tests::snapshots::frozen;

use crate::server::AS_OF;
use crate::store::diff::{Edit, publish_on};

const EDIT: Edit = Edit {
    file: "programs/grants-prizes-and-other.ndjson",
    from: "\"summary\":\"",
    to: "\"summary\":\"Now with more words. ",
};
/// A file and two that are computed.
const TARGETS: [&str; 3] = ["/api/v1/exports/latest", "/api/v1/search?q=words", "/api/v1/search"];

fn ask(root: &std::path::Path, today: Date, target: &str, since: Option<&str>) -> Reply {
    let live = Server::open(frozen(root, Day::new(today))).unwrap();
    let mut request = http::Request::get(target);
    if let Some(since) = since {
        request = request.header(IF_MODIFIED_SINCE, since);
    }
    in_process::ask(&live, request.body(Bytes::new()).unwrap())
}

fn date_of(reply: &Reply) -> &str {
    reply.headers[LAST_MODIFIED].to_str().unwrap()
}

#[test]
fn a_date_moves_forward_whenever_the_bytes_are_others_and_answers_304_for_no_other_date() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let tomorrow = AS_OF.tomorrow().unwrap();
    let mut seen: Vec<Vec<(Reply, Date)>> = TARGETS.iter().map(|_| Vec::new()).collect();
    let mut look = |today: Date| {
        for (target, seen) in TARGETS.iter().zip(&mut seen) {
            seen.push((ask(root, today, target, None), today));
        }
    };
    publish_on(root, &[], AS_OF);
    look(AS_OF);
    publish_on(root, &[EDIT], AS_OF);
    look(AS_OF);
    look(tomorrow);
    publish_on(root, &[EDIT], tomorrow);
    look(tomorrow);
    rollback(root, None, tomorrow).unwrap();
    look(tomorrow);
    publish_on(root, &[], tomorrow);
    look(tomorrow);
    let second = |reply: &Reply| jiff::fmt::rfc2822::parse(date_of(reply)).unwrap().timestamp();
    for (target, seen) in TARGETS.iter().zip(&seen) {
        for pair in seen.windows(2) {
            let ([(old, _), (new, today)], moved) = (pair, pair[0].0.body != pair[1].0.body) else {
                continue;
            };
            assert!(second(old) <= second(new), "{target}: {} then {}", date_of(old), date_of(new));
            if moved {
                assert!(second(old) < second(new), "{target}: {} twice", date_of(old));
                assert_ne!(old.headers[ETAG], new.headers[ETAG], "{target}");
                let again = ask(root, *today, target, Some(date_of(old)));
                assert_eq!(again.status, 200, "{target} since {}", date_of(old));
            }
        }
    }
    let (last, _) = &seen[0][5];
    assert_eq!(ask(root, tomorrow, TARGETS[0], Some(date_of(last))).status, 304);
    let later = second(last).checked_add(jiff::SignedDuration::from_hours(24)).unwrap();
    let later = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&later).unwrap();
    assert_eq!(ask(root, tomorrow, TARGETS[0], Some(&later)).status, 200, "a date that was never given out");
}
