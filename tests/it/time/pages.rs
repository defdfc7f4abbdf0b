//! Pages for people: a file and what the edge answers for it are the same bytes, on the day of the
//! build and, over an old snapshot, on later days; what is not there is told as 404 and nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use dataset::Input;
use site::Effort;
use snapshot::time::Day;

use tests::in_process::get;
use tests::snapshots::open;

use crate::server::{AS_OF, SAMPLE, build, load, options};
use crate::store::publish::files;

/// The files of the live snapshot of a root that are not the API's, by the address of each.
fn pages(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let id = store::live_id(root).unwrap();
    let files = files(&root.join(format!("generations/{id}/public"))).into_iter();
    let addressed = files.filter_map(|(path, bytes)| {
        let path = path.to_str().unwrap();
        let address = path.strip_suffix(".html").unwrap_or(path);
        let hidden = path.starts_with("api/") || address.ends_with("404");
        let encoded = [".gz", ".br", ".zst"].iter().any(|end| path.ends_with(end));
        let address = match address {
            "index" => "",
            "es/index" => "es",
            other => other,
        };
        (!hidden && !encoded).then(|| (format!("/{address}"), bytes))
    });
    addressed.collect()
}

#[test]
fn every_page_is_what_the_edge_answers() {
    let pages = pages(&SAMPLE.root);
    for (address, bytes) in &pages {
        let answer = SAMPLE.get(address);
        assert_eq!(answer.status, 200, "{address}");
        assert!(answer.body == *bytes, "{address} is not its file");
    }
    for known in ["/", "/es/deadlines/2026-12", "/programs", "/es/programs.atom", "/data/facts.ndjson"] {
        assert!(pages.contains_key(known), "{known}");
    }
}

#[test]
fn pages_of_an_old_snapshot_say_what_those_of_a_new_one_would() {
    let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
    let folder = tempfile::tempdir().unwrap();
    build(&directory, source, &options(folder.path(), Effort::None));
    let live = open(folder.path(), 1 << 20);
    for days in [1, 13, 40, 250] {
        let day = Day(Day::new(AS_OF).0 + days);
        let folder = tempfile::tempdir().unwrap();
        let as_of = day.date().unwrap();
        build(&directory, source, &site::BuildOptions { as_of, ..options(folder.path(), Effort::None) });
        live.set_day(day);
        let mut moved = 0;
        for (address, bytes) in pages(folder.path()) {
            let reply = get(&live, &address);
            assert!(reply.body == bytes, "{address} after {days} days");
            moved += usize::from(SAMPLE.get(&address).body != bytes);
        }
        assert!(moved > 10, "{moved} pages changed in {days} days");
    }
}

#[test]
fn a_page_that_is_not_there_is_404_whatever_the_condition() {
    for (address, language) in
        [("/programs/there-is-none", "en"), ("/es/nothing", "es"), ("/data/none.csv", "en")]
    {
        let plain = SAMPLE.get(address);
        assert_eq!((plain.status, plain.header("content-language")), (404, language), "{address}");
        assert_eq!((plain.header("etag"), plain.header("last-modified")), ("", ""), "{address}");
        for condition in [("If-None-Match", "*"), ("If-Modified-Since", "Sat, 21 Nov 2099 06:00:00 GMT")] {
            assert_eq!(SAMPLE.ask("GET", address, &[condition]).status, 404, "{address} {condition:?}");
        }
    }
}

#[test]
fn downloads_are_taken_up_where_they_broke_off() {
    let whole = SAMPLE.get("/data/programs.csv");
    let part = SAMPLE.ask("GET", "/data/programs.csv", &[("Range", "bytes=100-199")]);
    assert_eq!((part.status, &part.body[..]), (206, &whole.body[100..200]));
    assert_eq!(whole.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(SAMPLE.get("/data/facts.ndjson").header("content-type"), "application/x-ndjson");
    assert_eq!(SAMPLE.get("/data/catalog.jsonld").header("content-type"), "application/ld+json");
}
