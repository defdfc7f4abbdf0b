//! Ranking: against judged queries, and what holds for every question.

use serde_json::Value;
use snapshot::query::{Page, Query};
use snapshot::search::rank::{self, Row, Wish};
use snapshot::time::Day;
use tests::synth::TODAY;

use crate::server::real_data;
use tests::world::World;

/// What was reached; may only rise. The share of relevant records among the first ten, and the mean of
/// one over the place of the first relevant one.
const RECALL: f64 = 0.97;
const RECIPROCAL: f64 = 0.99;

#[test]
fn judged_queries_find_nearly_everything_that_is_relevant_and_that_first() {
    let Some(data) = real_data() else { return };
    let Ok(judged) = std::fs::read(data.join("../relevance/queries.json")) else { return };
    let site = World::folder(&data).site;
    let dated = site.dated(Day::new(TODAY));
    let judged: Vec<Value> = serde_json::from_slice(&judged).unwrap();
    let (mut recall, mut reciprocal) = (0.0, 0.0);
    for entry in &judged {
        let text = entry["q"].as_str().unwrap();
        let relevant: Vec<&str> =
            entry["relevant"].as_array().unwrap().iter().map(|slug| slug.as_str().unwrap()).collect();
        let query = Query {
            text: Some(text.to_owned()),
            page: Page { offset: 0, limit: 10 },
            facets: false,
            ..Query::default()
        };
        let ranked = rank::search(&site.index, &query, &dated.today, Wish::BEST);
        let found: Vec<&str> = ranked.rows.iter().map(|row| site.index.slug(row.doc)).collect();
        let hits = relevant.iter().filter(|slug| found.contains(slug)).count();
        let first = found.iter().position(|slug| relevant.contains(slug));
        recall += hits as f64 / relevant.len().min(10) as f64;
        reciprocal += first.map_or(0.0, |place| 1.0 / (place + 1) as f64);
    }
    let count = judged.len() as f64;
    let (recall, reciprocal) = (recall / count, reciprocal / count);
    println!("recall@10 {recall:.3}, MRR {reciprocal:.3}");
    assert!(recall >= RECALL && reciprocal >= RECIPROCAL, "recall@10 {recall:.3}, MRR {reciprocal:.3}");
}

fn query(text: &str, offset: u64, limit: u64) -> Query {
    Query { text: Some(text.to_owned()), page: Page { offset, limit }, facets: false, ..Query::default() }
}

#[test]
fn pages_follow_one_another_all_before_any_and_the_total_is_that_of_the_rest_interface() {
    for seed in 0..40 {
        let site = World::tiny(seed).site;
        let dated = site.dated(Day::new(TODAY));
        for text in [
            "grant nurse",
            "soil health labs",
            "\"living labs\" grant",
            "beca -solar nurse",
            "early career grant",
        ] {
            let rank = |offset, limit| {
                rank::search(&site.index, &query(text, offset, limit), &dated.today, Wish::BEST)
            };
            let whole = rank(0, 100);
            assert_eq!(
                whole.total,
                site.index.search(&query(text, 0, 1), &dated.today).total,
                "{seed} {text}"
            );
            let all = whole.rows.iter().take_while(|row| row.tier.is_full()).count();
            assert_eq!(all, whole.total);
            assert!(whole.rows.is_sorted_by_key(|row| row.tier), "{seed} {text}");
            assert!(
                whole.rows.iter().all(|row| row.tier.is_full() == row.missing.is_empty()),
                "{seed} {text}"
            );
            let mut docs: Vec<u32> = whole.rows.iter().map(|Row { doc, .. }| *doc).collect();
            let mut paged = Vec::new();
            for offset in (0..).step_by(3) {
                let page = rank(offset, 3);
                paged.extend(page.rows);
                if !page.more {
                    break;
                }
            }
            assert_eq!(paged, whole.rows, "{seed} {text}");
            docs.sort_unstable();
            docs.dedup();
            assert_eq!(docs.len(), whole.rows.len());
        }
    }
}
