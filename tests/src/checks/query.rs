//! Any question to search, lists and facets has a canonical form that stays what it is, and an answer of
//! the rows it asks for.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use edge::Server;
use http::HeaderMap;
use serde_json::Value;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::{Dated, Site, facet, listing, search};
use snapshot::query::{
    FacetQuery, List, ListQuery, Page, Query, parse_export, parse_facet, parse_list, parse_locale,
};
use snapshot::record::Locale;
use snapshot::search::RankOptions;

use crate::checks::request::get;

/// No answer to a question of a few kilobytes has more bytes, whatever it repeats of the question.
const LONGEST: usize = 1 << 20;

/// Paths of pages and feeds that are made for each question.
const PAGES: [&str; 4] = ["/programs", "/es/programs", "/programs.csv", "/programs.json"];

/// Asks one query string of everything that reads one.
pub fn holds(live: &Arc<Server>, text: &str) {
    let state = live.state();
    engine_holds(state.site(), &state.dated, text);
    for path in PAGES {
        if let Ok(target) = format!("{path}?{text}").parse() {
            let reply = get(live, target, HeaderMap::new());
            assert!([200, 400, 414].contains(&reply.status.as_u16()), "{path}?{text}: {}", reply.status);
            assert!(reply.body.len() < LONGEST, "{path}?{text}: {} bytes", reply.body.len());
        }
    }
}

fn engine_holds(site: &Site, dated: &Dated, text: &str) {
    let values = &site.index.values;
    let write = |query: &Query| query.canonical(|ordinal| values.text(ordinal));
    let (query, invalid) = canonical(text, |text| site.index.parse(text), write);
    check(&search::search(site, dated, &query, &invalid).bytes, query.page);
    ranked(site, dated, &query);
    for of in List::ALL.iter().copied() {
        let read = |text: &str| parse_list(of, text, |slug| site.index.organizations.canonical(slug));
        let (query, invalid) = canonical(text, read, ListQuery::canonical);
        check(&listing::list(site, dated, of, &query, &invalid).bytes, query.page);
    }
    if let Ok(query) = parse_facet(text) {
        facets(site, dated, text.len(), &query);
    }
    let _ = (parse_locale(text), parse_export(text));
}

/// Reads a question and holds its canonical form against it.
fn canonical<Q: Debug + PartialEq>(
    text: &str,
    read: impl Fn(&str) -> (Q, Vec<String>),
    write: impl Fn(&Q) -> String,
) -> (Q, Vec<String>) {
    let (query, invalid) = read(text);
    let canonical = write(&query);
    let (again, complaints) = read(&canonical);
    assert_eq!(again, query, "{canonical}");
    assert_eq!(complaints, [""; 0], "{canonical}");
    assert_eq!(write(&again), canonical);
    (query, invalid)
}

/// Rows by relevance: no more than asked for, each once, and all that match before any other.
fn ranked(site: &Site, dated: &Dated, query: &Query) {
    let ranked = site.index.ranked(query, &dated.today, RankOptions::by_relevance());
    let docs: BTreeSet<u32> = ranked.rows.iter().map(|row| row.doc).collect();
    assert_eq!(docs.len(), ranked.rows.len());
    assert!(docs.last().is_none_or(|doc| (*doc as usize) < site.index.programs()));
    assert!(ranked.rows.len() as u64 <= query.page.limit);
    assert!(ranked.rows.is_sorted_by_key(|row| !row.tier.is_full()));
}

/// One of the facets, as the endpoint and as the form sees it.
fn facets(site: &Site, dated: &Dated, choice: usize, query: &FacetQuery) {
    let of: Facet = FACETS[choice % FACETS.len()].facet;
    check(&facet::facet(site, dated, of, query).bytes, query.page);
    for locale in Locale::ALL {
        let _ = facet::options(site, dated, of, &query.text, *locale);
    }
}

/// An answer is JSON, not endless, and has the rows of the page.
fn check(body: &[u8], page: Page) {
    assert!(body.len() < LONGEST, "{} bytes", body.len());
    let body: Value = serde_json::from_slice(body).unwrap();
    let total = body["meta"]["total"].as_u64().unwrap() as usize;
    let rows = body.as_object().unwrap().values().find_map(Value::as_array).unwrap();
    assert_eq!(rows.len(), page.range(total).len(), "{}", body["meta"]);
}
