//! Ranking against judged queries. Runs where `OPDIR_DATA` names a folder with `published/` (a
//! dataset) and `relevance/queries.json` (lists of query, locale and relevant slugs).

use std::path::PathBuf;

use generator::diagnostics::Diagnostics;
use generator::read::Input;
use serde_json::Value;
use snapshot::page::{Dated, Site};
use snapshot::query::{Page, Query};
use snapshot::search::rank;

fn data() -> Option<PathBuf> {
    std::env::var_os("OPDIR_DATA").map(PathBuf::from)
}

fn open(folder: PathBuf) -> (Site, Dated) {
    let mut report = Diagnostics::new();
    let tables = generator::read::read(&Input::Folder(folder), &mut report).unwrap();
    let linked = generator::link::link(tables, &mut report);
    let directory = linked.unwrap_or_else(|| {
        report.print(generator::diagnostics::MessageFormat::Human, &mut std::io::stdout()).unwrap();
        panic!("the dataset has errors");
    });
    let day = snapshot::time::Day::new(jiff::civil::date(2026, 11, 20));
    generator::generate::in_memory(&directory, day).unwrap()
}

#[test]
fn judged_queries_find_nearly_everything_that_is_relevant_and_that_first() {
    let Some(data) = data() else { return };
    let (site, dated) = open(data.join("published"));
    let judged = std::fs::read(data.join("relevance/queries.json")).unwrap();
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
        let ranked = rank::search(&site.index, &query, &dated.today, true);
        let found: Vec<&str> = ranked.rows.iter().map(|(doc, _)| site.index.slug(*doc)).collect();
        let hits = relevant.iter().filter(|slug| found.contains(slug)).count();
        let first = found.iter().position(|slug| relevant.contains(slug));
        println!("{text}: {hits}/{} first {first:?} total {}", relevant.len(), ranked.total);
        for (row, kind) in ranked.rows.iter().zip(&found) {
            println!("   {} {kind} {:?}", if relevant.contains(kind) { "*" } else { " " }, row.1);
        }
        recall += hits as f64 / relevant.len().min(10) as f64;
        reciprocal += first.map_or(0.0, |place| 1.0 / (place + 1) as f64);
    }
    let count = judged.len() as f64;
    println!("recall@10 {:.3}, MRR {:.3}", recall / count, reciprocal / count);
    assert!(recall / count >= 0.95 && reciprocal / count >= 0.97);
}
