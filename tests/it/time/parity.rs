//! A precomputed page and a live answer are the same function: byte for byte on the day of the
//! build, and over an old snapshot on every day that changes anything in the next 400.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use dataset::Input;
use edge::Server;
use site::Effort;
use site::Records;
use site::RestPages;
use site::{GenerateError, in_memory};
use snapshot::facet::FACETS;
use snapshot::page::list::Numbers;
use snapshot::page::{Dated, Site, listing, search};
use snapshot::query::{List, parse_list, parse_search};
use snapshot::record::Directory;
use snapshot::search::document_order;
use snapshot::time::Day;

use tests::in_process::get;
use tests::snapshots::open;

use crate::server::{AS_OF, HOST, SAMPLE, build, load, options};
use crate::store::publish::files;

/// URLs that a file below `public/` answers.
fn urls(path: &str) -> Vec<String> {
    let Some(rest) = path.strip_prefix("api/v1/") else { return Vec::new() };
    match rest.rsplit_once('.') {
        _ if rest == "openapi.json" => vec![format!("/{path}")],
        _ if rest == "search.json" => ["search", "programs"].map(|name| format!("/api/v1/{name}")).into(),
        Some((name, "csv")) => vec![format!("/api/v1/{name}?format=csv")],
        Some((name, "json")) => match name.strip_suffix(".es") {
            Some(name) => vec![format!("/api/v1/{name}?locale=es")],
            None => vec![format!("/api/v1/{name}")],
        },
        _ => Vec::new(),
    }
}

#[test]
fn every_precomputed_page_is_what_the_edge_answers() {
    let id = store::live_id(&SAMPLE.root).unwrap();
    let public = SAMPLE.root.join(format!("generations/{id}/public"));
    let mut compared = 0;
    for (path, bytes) in files(&public) {
        for url in urls(path.to_str().unwrap()) {
            let answer = SAMPLE.get(&url);
            assert_eq!(answer.status, 200, "{url}");
            assert!(answer.body == bytes, "{url} is not its file");
            compared += 1;
        }
    }
    let directory = &SAMPLE.directory;
    let details = 2 * directory.programs.len() + directory.organizations.len() + directory.recipients.len();
    // Facets, lists, both names of search, both exports, the contract.
    assert_eq!(compared, details + FACETS.len() + List::ALL.len() + 2 + 2 + 1);
}

/// Questions whose answers are not files.
const QUESTIONS: [&str; 14] = [
    "/api/v1/search?sort=name&limit=100",
    "/api/v1/search?sort=recent&locale=es&limit=100",
    "/api/v1/search?limit=100&facets=false",
    "/api/v1/search?open=true",
    "/api/v1/search?rolling=true&lang=es",
    "/api/v1/search?openState=closing_soon&openState=upcoming",
    "/api/v1/search?deadlineFrom=2027-01-15&deadlineTo=2027-06-30",
    "/api/v1/search?q=research&type=fellowship&openState=open",
    "/api/v1/search?citizenship=US&funded=true&page=2&limit=5",
    "/api/v1/search?type=nope&limit=500",
    "/api/v1/cycles?limit=100",
    "/api/v1/cycles?upcoming=false&limit=100&offset=20",
    "/api/v1/recipients?year=2025",
    "/api/v1/awards?limit=7&offset=3",
];

/// Days in the next 400 on which anything may change.
fn turning_days(directory: &Directory) -> BTreeSet<Day> {
    let first = Day::new(AS_OF);
    // Some days between, should this list of reasons miss one.
    let mut days: BTreeSet<Day> = (1..=400).step_by(19).map(|day| Day(first.0 + day)).collect();
    for cycle in &directory.cycles {
        let known = |date| Day::or_none(date).known().map(|day: Day| day.0);
        days.extend(known(cycle.opens_on).map(Day));
        // The day after a deadline, and the first of the two weeks before.
        days.extend(known(cycle.deadline_on).into_iter().flat_map(|day| [Day(day + 1), Day(day - 14)]));
        days.extend(known(cycle.starts_on).map(|day| Day(day + 1)));
    }
    days.retain(|day| (first.0 + 1..=first.0 + 400).contains(&day.0));
    days
}

/// What a snapshot built on a day says.
fn built_on(directory: &Directory, day: Day) -> BTreeMap<String, Vec<u8>> {
    let (site, dated) = in_memory(directory, day).unwrap();
    let numbers = Numbers::new(directory, &document_order(directory, day));
    let base_url = &format!("https://{HOST}");
    let renderer = RestPages { directory, numbers: &numbers, site: &site, dated: &dated, base_url };
    let pages = Mutex::new(BTreeMap::new());
    for family in renderer.rest(&Records::all(directory)) {
        let put = |path: &str, filled: &snapshot::page::hole::Filled| {
            let path = path.strip_prefix("public/").unwrap();
            let mut pages = pages.lock().unwrap();
            urls(path).into_iter().for_each(|url| drop(pages.insert(url, filled.bytes.clone())));
            Ok::<(), GenerateError>(())
        };
        family.render(put, || ()).unwrap();
    }
    let mut pages = pages.into_inner().unwrap();
    pages.extend(QUESTIONS.map(|question| (question.to_owned(), answer_to(&site, &dated, question))));
    pages
}

fn answer_to(site: &Site, dated: &Dated, question: &str) -> Vec<u8> {
    let (path, query) = question.split_once('?').unwrap();
    let name = path.rsplit('/').next().unwrap();
    match List::ALL.into_iter().find(|list| list.name() == name) {
        Some(of) => {
            let (query, invalid) = parse_list(of, query);
            listing::list(site, dated, of, &query, &invalid).bytes
        }
        None => {
            let values = &site.index.values;
            let (query, invalid) = parse_search(query, |facet, value| values.find(facet, value));
            search::search(site, dated, &query, &invalid).bytes
        }
    }
}

fn answered(live: &Arc<Server>, url: &str) -> Vec<u8> {
    let reply = get(live, url);
    assert_eq!(reply.status, 200, "{url}");
    reply.body.to_vec()
}

#[test]
fn an_old_snapshot_says_what_one_built_that_day_would_for_400_days() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
    build(&directory, source, &options(folder.path(), Effort::None));
    let live = open(folder.path(), 1 << 20);
    let days = turning_days(&directory);
    let mut changes = 0;
    let mut before = BTreeMap::new();
    for day in days {
        live.set_day(day);
        let built = built_on(&directory, day);
        for (url, bytes) in &built {
            assert!(answered(&live, url) == *bytes, "{url} on {:?}", day.date());
        }
        changes += usize::from(built != before);
        before = built;
    }
    assert!(changes > 30, "only {changes} days changed anything");
}
