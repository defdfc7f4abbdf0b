//! Engine time for each class of questions: median, 99th percentile and worst question.
//!
//! `cargo bench -p tests --bench search` on 10,000 and 100,000 programs; `OPDIR_BENCH_PROGRAMS`
//! names other sizes, separated by commas, and words behind `--` name the classes that are asked.

mod corpus;

use std::time::{Duration, Instant};

use snapshot::query::Query;
use tests::questions::Class;

/// How often each question is asked; its median counts.
const ROUNDS: usize = 15;

fn main() {
    let sizes = std::env::var("OPDIR_BENCH_PROGRAMS").unwrap_or_else(|_| "10000,100000".to_owned());
    for programs in sizes.split(',').filter_map(|size| size.parse().ok()) {
        let directory = corpus::directory(programs);
        let (file, seconds) = corpus::index(&directory);
        drop(directory);
        println!("\n{programs} programs, index {:.1} MB, built in {seconds:.2} s", file.len() as f64 / 1e6);
        let started = Instant::now();
        let (index, today) = corpus::open(&file);
        println!("open {:.2} ms", started.elapsed().as_secs_f64() * 1e3);
        for class in Class::ALL.into_iter().filter(|class| is_asked(class.name())) {
            let queries = corpus::queries(&index, class);
            report(class.name(), &queries, |query| index.search(query, &today).total);
        }
    }
}

fn is_asked(class: &str) -> bool {
    let mut names = std::env::args().skip(1).filter(|word| !word.starts_with("--")).peekable();
    names.peek().is_none() || names.any(|name| name == class)
}

fn report(name: &str, queries: &[Query], search: impl Fn(&Query) -> usize) {
    let mut hits = 0;
    let mut times = vec![Vec::with_capacity(ROUNDS); queries.len()];
    for _ in 0..ROUNDS {
        for (query, times) in queries.iter().zip(&mut times) {
            let started = Instant::now();
            hits += std::hint::black_box(search(std::hint::black_box(query)));
            times.push(started.elapsed());
        }
    }
    let mut medians: Vec<Duration> = times.iter_mut().map(|times| middle(times)).collect();
    let median = middle(&mut medians);
    let at = |share: f64| medians[((medians.len() as f64 * share) as usize).min(medians.len() - 1)];
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "{name:<8} median {:>9.1} µs   p99 {:>9.1} µs   worst {:>9.1} µs   {:>9.1} hits",
        micros(median),
        micros(at(0.99)),
        micros(at(1.0)),
        hits as f64 / (ROUNDS * queries.len()) as f64
    );
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
