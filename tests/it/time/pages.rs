//! Pages and answers that are files: a file and what the edge answers for it are the same bytes, on the day of
//! the build and, over an old snapshot, on later days; what is not there is a 404 and nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use snapshot::facet::FACETS;
use snapshot::page::address::url_of;
use snapshot::query::List;
use snapshot::time::Day;

use tests::in_process::get;
use tests::snapshots::{bodies, open};

use crate::server::{AS_OF, SAMPLE};
use crate::store::diff::publish_on;

/// The files of the live snapshot of a root, by the address of each.
fn pages(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let served = bodies(root).into_iter().filter(|(path, _)| !path.ends_with("404.html"));
    served.map(|(path, bytes)| (url_of(&path), bytes)).collect()
}

#[test]
fn an_address_that_is_spelled_otherwise_leads_to_the_usual_one() {
    let program = format!("/programs/{}", SAMPLE.directory.programs[0].slug);
    for (given, usual) in [
        ("/programs/".to_owned(), "/programs"),
        ("/es/programs/?q=sea".to_owned(), "/es/programs?q=sea"),
        (format!("{program}//"), &*program),
        ("/%70rograms".to_owned(), "/programs"),
        ("/robots%2Etxt".to_owned(), "/robots.txt"),
    ] {
        let answer = SAMPLE.get(&given);
        assert_eq!((answer.status, answer.header("location")), (308, usual), "{given}");
        assert_eq!(SAMPLE.get(usual).status, 200, "{usual}");
    }
    for nothing in
        ["/none/", "//", "/index/", "//evil.example/", "/%2F%2Fevil.example", "/programs/%2E%2E/", "/%ff/"]
    {
        assert_eq!(SAMPLE.get(nothing).status, 404, "{nothing}");
    }
}

#[test]
fn every_page_is_what_the_edge_answers_also_over_an_old_snapshot() {
    let directory = &SAMPLE.directory;
    let live = open(&SAMPLE.root, 1 << 20);
    let published = pages(&SAMPLE.root);
    for known in ["/", "/es/deadlines/2026-12", "/programs", "/es/programs.atom", "/data/facts.ndjson"] {
        assert!(published.contains_key(known), "{known}");
    }
    let details = 2 * directory.programs.len() + directory.organizations.len() + directory.recipients.len();
    let answers = published.keys().filter(|address| address.starts_with("/api/")).count();
    // Facets, lists, search, both exports, the contract.
    assert_eq!(answers, details + FACETS.len() + List::ALL.len() + 1 + 2 + 1);
    for days in [1, 13, 40, 250] {
        let day = Day(Day::new(AS_OF).0 + days);
        let folder = tempfile::tempdir().unwrap();
        publish_on(folder.path(), &[], day.date().unwrap());
        live.set_day(day);
        let mut moved = 0;
        for (address, bytes) in pages(folder.path()) {
            let reply = get(&live, &address);
            assert!(reply.status == 200 && reply.body == bytes, "{address} after {days} days");
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
fn files_that_have_a_media_type_of_their_own_bear_it() {
    for (path, media_type) in [
        ("/data/programs.csv", "text/csv; charset=utf-8; header=present"),
        ("/data/facts.ndjson", "application/x-ndjson"),
        ("/data/catalog.jsonld", "application/ld+json"),
        ("/data/datapackage.json", "application/vnd.datapackage+json"),
        ("/data/dataset.json", "application/json"),
        ("/opensearch.xml", "application/opensearchdescription+xml"),
        ("/sitemap.xml", "application/xml; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
    ] {
        assert_eq!(SAMPLE.get(path).header("content-type"), media_type, "{path}");
    }
}
