//! What a request costs that sends no body or a part of one, and where long bodies are read.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use edge::Server;
use http::header::{CONTENT_LENGTH, ETAG, IF_MATCH, IF_NONE_MATCH, LAST_MODIFIED, RANGE};
use serde_json::json;
use snapshot::time::Day;
use store::Digest;
use tempfile::TempDir;
use tests::entry;
use tests::in_process::{get, send};
use tests::snapshots;
use tests::world::World;

use crate::records::{cycle, organization, programs};
use crate::server::{AS_OF, build, copy, options};

/// A snapshot with three programs of 3 MB each, and a short one.
static BUILT: LazyLock<TempDir> = LazyLock::new(|| {
    let members = ["One", "Two", "Three", "Short"].map(|name| json!({"name": name}));
    // It opens on the day after.
    let season = json!({"label": "Round", "opensOn": AS_OF.tomorrow().unwrap(), "deadlineOn": "2027-05-03"});
    let tables = [organization(), programs(&members), ("cycles", vec![cycle(1, 1, season)])];
    let mut directory = World::tables(&tables).directory;
    // Longer than a dataset may have it.
    for program in &mut directory.programs[..3] {
        program.description = Some("+ ".repeat(1_500_000));
    }
    let folder = snapshots::folder();
    build(&directory, Digest([0; 32]), &options(folder.path()));
    folder
});

/// An edge of a copy of it in a folder.
fn live(folder: &Path) -> Arc<Server> {
    copy(BUILT.path(), folder);
    snapshots::open(folder, 16 << 20)
}

/// Makes a body of what is live another one of the same length.
fn damage(folder: &Path, name: &str) {
    let live = fs::read_to_string(folder.join("CURRENT")).unwrap();
    entry::damage(&folder.join("generations").join(live.trim()).join("site.zip"), name);
}

#[test]
fn head_and_conditions_are_answered_without_reading_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let live = live(folder.path());
    let bodies = snapshots::bodies(folder.path());
    for (name, target) in [
        ("data/programs.ndjson", "/data/programs.ndjson"),
        ("api/v1/openapi.json", "/api/v1/openapi.json"),
        ("docs/api.html", "/docs/api"),
    ] {
        let length = bodies[name].len().to_string();
        damage(folder.path(), name);
        let head = send(&live, "HEAD", target, &[]);
        assert_eq!(head.status, 200, "{target}");
        assert_eq!(head.headers[CONTENT_LENGTH], length, "{target}");
        let etag = head.headers[ETAG].to_str().unwrap();
        let fresh = send(&live, "GET", target, &[(IF_NONE_MATCH, etag)]);
        assert_eq!((fresh.status.as_u16(), fresh.headers[ETAG].to_str().unwrap()), (304, etag), "{target}");
        assert_eq!(send(&live, "GET", target, &[(IF_MATCH, "\"other\"")]).status, 412, "{target}");
        assert_eq!(get(&live, target).status, 500, "{target}: what is sent is read");
    }
}

#[test]
fn a_long_file_that_is_filled_for_another_day_is_read_for_the_first_head_only() {
    let folder = tempfile::tempdir().unwrap();
    copy(BUILT.path(), folder.path());
    let next = Day::new(AS_OF.tomorrow().unwrap());
    let live = Server::open(edge::Options { body_cache: 1 << 20, ..snapshots::frozen(folder.path(), next) })
        .unwrap();
    let record = |number: usize| format!("/api/v1/programs/p{number}");
    let whole = get(&live, &record(1));
    let published = get(&snapshots::open(folder.path(), 1 << 20), &record(1));
    assert_eq!(whole.status, 200);
    assert_ne!(whole.headers[ETAG], published.headers[ETAG], "a day changes the record");
    // Another takes its place in memory.
    assert_eq!(get(&live, &record(2)).status, 200);
    damage(folder.path(), "api/v1/programs/p1.json");
    let head = send(&live, "HEAD", &record(1), &[]);
    assert_eq!((head.status.as_u16(), head.pooled), (200, false));
    assert_eq!(head.headers[CONTENT_LENGTH], whole.body.len().to_string());
    for name in [ETAG, LAST_MODIFIED] {
        assert_eq!(head.headers[&name], whole.headers[&name]);
    }
    assert_eq!(get(&live, &record(1)).status, 500);
}

#[test]
fn a_long_body_is_read_in_a_pool_and_kept_beside_the_short_ones() {
    let folder = tempfile::tempdir().unwrap();
    let live = live(folder.path());
    let whole = &snapshots::bodies(folder.path())["data/programs.ndjson"];
    let (short, long) = ("/api/v1/programs/p4", |number: usize| format!("/api/v1/programs/p{number}"));
    assert!(!get(&live, short).pooled);
    // Each takes the place of the one before. A pool may be done before it is looked at.
    assert!((0..15).any(|turn| get(&live, &long(turn % 3 + 1)).pooled));
    for number in [1, 2, 3] {
        let first = get(&live, &long(number));
        damage(folder.path(), &format!("api/v1/programs/p{number}.json"));
        let again = get(&live, &long(number));
        assert_eq!((again.status.as_u16(), again.pooled, again.body == first.body), (200, false, true));
    }
    assert_eq!(get(&live, &long(1)).status, 500, "the last one is kept");
    damage(folder.path(), "api/v1/programs/p4.json");
    assert_eq!(get(&live, short).status, 200, "short ones stay");
    let part = |range: &str| send(&live, "GET", "/data/programs.ndjson", &[(RANGE, range)]);
    // Of two pieces, and of one, which is kept.
    assert_eq!(part("bytes=1048570-1048580").body, whole[1_048_570..1_048_581]);
    assert_eq!(part("bytes=-7").status, 206);
    let kept = part("bytes=-7");
    assert_eq!((kept.pooled, &kept.body[..]), (false, &whole[whole.len() - 7..]));
}

#[test]
fn details_are_priced_and_bounded_by_the_length_of_the_records() {
    let folder = tempfile::tempdir().unwrap();
    let live = live(folder.path());
    let few = get(&live, "/api/v1/details?program=p4&program=p5");
    assert_eq!((few.status.as_u16(), few.pooled), (200, false));
    let many = || get(&live, "/api/v1/details?program=p1&program=p2&program=p4");
    assert!(many().status == 200 && (0..15).any(|_| many().pooled));
    let all = get(&live, "/api/v1/details?program=p1&program=p2&program=p3");
    let text = String::from_utf8_lossy(&all.body);
    assert_eq!((all.status.as_u16(), all.pooled), (400, false), "{text}");
    assert!(text.contains("more than 8388608 bytes in all; request fewer records at once"), "{text}");
}
