//! What a search costs as a page beside the same search as JSON: median time of each by class of
//! question, and their ratio. Questions that want no facets say less than a page must: not comparable.
//! And what suggestions cost for the beginnings of all names, by their length.
//!
//! `cargo bench --bench pages`; `OPDIR_BENCH_PROGRAMS` names another number than 10,000.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

use edge::OpenGeneration;
use html::PageOptions;
use snapshot::page::search;
use snapshot::query::Query;
use snapshot::record::Locale;
use snapshot::text::words_of;
use snapshot::time::Day;
use tests::questions::{Class, queries};
use tests::synth::TODAY;

/// How many questions of each class are asked.
const QUESTIONS: usize = 200;
const SEED: u64 = 1;
/// How often each question is asked; its median counts.
const ROUNDS: usize = 9;

fn main() {
    let programs = std::env::var("OPDIR_BENCH_PROGRAMS").ok().and_then(|size| size.parse().ok());
    let folder = tempfile::tempdir().expect("there is room for a snapshot");
    let directory = instruments::directory(programs.unwrap_or(10_000));
    instruments::publish(&directory, folder.path(), false);
    let opened = OpenGeneration::open(folder.path()).expect("it was just published");
    let (site, dated) = (&opened.site, &opened.site.dated(Day::new(TODAY)));
    let fragments = opened.html.as_ref().expect("the snapshot has pages");
    for class in Class::ALL {
        let queries = queries(class, QUESTIONS, SEED, &site.index);
        let json = median(&queries, |query| search::search(site, dated, query, &[]).bytes.len());
        let page = median(&queries, |query| {
            html::search_page(site, fragments, dated, (query, &PageOptions::default()), &[])
                .expect("it renders")
                .len()
        });
        let name = class.name();
        println!("{name:<8} JSON {json:>8.1} µs   page {page:>8.1} µs   ratio {:.2}", page / json);
    }
    let names: Vec<String> = directory.programs.iter().map(|it| words_of(&it.name).join(" ")).collect();
    for length in [1, 2, 3, 4, 8, usize::MAX] {
        let begins = |name: &String| name.chars().take(length).collect::<String>();
        let typed: BTreeSet<String> = names.iter().map(begins).collect();
        let hints = |typed: &String| fragments.hints(black_box(typed), Locale::En).len();
        let mut times: Vec<f64> = typed.iter().map(|typed| of_rounds(|| hints(typed))).collect();
        let middle = middle(times.clone());
        times.sort_unstable_by(f64::total_cmp);
        let most = times[times.len() - 1];
        println!(
            "suggestions for {:>6} beginnings: median {middle:.1} µs, at most {most:.1} µs",
            typed.len()
        );
    }
}

/// Median over the questions of each one's median, in microseconds.
fn median(queries: &[Query], answer: impl Fn(&Query) -> usize) -> f64 {
    middle(queries.iter().map(|query| of_rounds(|| answer(black_box(query)))).collect())
}

/// The median of some rounds, in microseconds.
fn of_rounds(answer: impl Fn() -> usize) -> f64 {
    let time = |_| {
        let started = Instant::now();
        black_box(answer());
        started.elapsed().as_secs_f64() * 1e6
    };
    middle((0..ROUNDS).map(time).collect())
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}
