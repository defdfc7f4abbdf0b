//! Engine time for each class of questions: median, 99th percentile and worst question; for some
//! classes beside tantivy's on the same data.
//!
//! `cargo bench --bench search` on 10,000 and 100,000 programs; `OPDIR_BENCH_PROGRAMS`
//! names other sizes, separated by commas, and words behind `--` name the classes that are asked.

mod baseline;

use std::time::{Duration, Instant};

use baseline::Baseline;
use snapshot::query::Query;
use snapshot::record::Directory;
use snapshot::search::{document_order, write_index};
use snapshot::time::Day;
use store::sections::SectionWriter;
use tests::questions::{Class, queries};
use tests::synth::TODAY;

/// How many questions of each class are asked.
const QUESTIONS: usize = 200;
const SEED: u64 = 1;

/// How often each question is asked; its median counts.
const ROUNDS: usize = 15;
/// The same for the baseline, which takes long.
const BASELINE_ROUNDS: usize = 3;
/// Classes that the baseline is asked too.
const COMPARED: [Class; 4] = [Class::Filter1, Class::Text1, Class::Main, Class::NoFacet];

fn main() {
    let sizes = std::env::var("OPDIR_BENCH_PROGRAMS").unwrap_or_else(|_| "10000,100000".to_owned());
    for programs in sizes.split(',').filter_map(|size| size.parse().ok()) {
        let directory = tools::directory(programs);
        let (bytes, seconds) = index(&directory);
        println!("\n{programs} programs, index {:.1} MB, built in {seconds:.2} s", bytes as f64 / 1e6);
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("it is writable");
        tools::publish(&directory, folder.path(), true);
        let started = Instant::now();
        let (site, dated) = tools::site(folder.path());
        println!("open {:.2} ms", started.elapsed().as_secs_f64() * 1e3);
        let started = Instant::now();
        let tomorrow = site.dated(Day(dated.day().0 + 1));
        println!("next day {:.2} ms", started.elapsed().as_secs_f64() * 1e3);
        drop(tomorrow);
        let (opened, today) = (&site.index, &dated.today);
        let baseline = Baseline::new(&directory, &site, &dated);
        drop(directory);
        for class in Class::ALL.into_iter().filter(|class| is_selected(class.name())) {
            let asked = queries(class, QUESTIONS, SEED, opened);
            let ours = report(class.name(), &asked, ROUNDS, |query| opened.search(query, today).total);
            if COMPARED.contains(&class) {
                let search = |query: &Query| baseline.search(&site, query).total;
                let theirs = report("  tantivy", &asked, BASELINE_ROUNDS, search);
                println!("  ratio  median {:>9.1}", theirs.as_secs_f64() / ours.as_secs_f64());
            }
        }
    }
}

/// Bytes of the search index of a directory, and how long it took to build, in seconds.
fn index(directory: &Directory) -> (usize, f64) {
    let started = Instant::now();
    let order = document_order(directory, Day::new(TODAY));
    let mut writer = SectionWriter::default();
    write_index(directory, &order, &mut writer).expect("synthetic values are few");
    (writer.finish().bytes().len(), started.elapsed().as_secs_f64())
}

fn is_selected(class: &str) -> bool {
    let mut names = std::env::args().skip(1).filter(|word| !word.starts_with("--")).peekable();
    names.peek().is_none() || names.any(|name| name == class)
}

/// Asks every question and prints what it took; the median.
fn report(name: &str, queries: &[Query], rounds: usize, search: impl Fn(&Query) -> usize) -> Duration {
    let mut hits = 0;
    let mut times = vec![Vec::with_capacity(rounds); queries.len()];
    for _ in 0..rounds {
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
        "{name:<9} median {:>9.1} µs   p99 {:>9.1} µs   worst {:>9.1} µs   {:>9.1} hits",
        micros(median),
        micros(at(0.99)),
        micros(at(1.0)),
        hits as f64 / (rounds * queries.len()) as f64
    );
    median
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
