//! Processor time of the engine for each class of questions: median, 99th percentile and worst question; for some
//! classes beside tantivy on the same data, in turns.
//!
//! `cargo bench --bench search` on 10,000 and 100,000 programs; `OPDIR_BENCH_PROGRAMS`
//! names other sizes, separated by commas, and words behind `--` name the classes to measure.
//! `OPDIR_BENCH_SNAPSHOT` names a published snapshot of synthetic programs to measure instead, which may be larger than
//! memory; tantivy is left out then.

mod baseline;

use std::time::Instant;

use baseline::Baseline;
use rustix::time::{ClockId, clock_gettime};
use snapshot::page::{Dated, Site};
use snapshot::query::Query;
use snapshot::record::Directory;
use snapshot::time::Day;
use tests::questions::{Class, queries};
use tests::synth::TODAY;

/// Questions of each class.
const QUESTIONS: usize = 200;
const SEED: u64 = 1;

/// Times that each question is answered; the median counts.
const ROUNDS: usize = 15;
/// The same for tantivy, which takes long.
const ROUNDS_OF_TANTIVY: usize = 3;
/// Classes that it answers too.
const COMPARED: [Class; 4] = [Class::Filter1, Class::Text1, Class::Main, Class::NoFacet];

fn main() {
    println!("{}; processor time of one thread", machine());
    if let Some(root) = std::env::var_os("OPDIR_BENCH_SNAPSHOT") {
        let (site, dated) = instruments::site(root.as_ref());
        println!("{} programs", site.index.programs());
        return measure(&site, &dated, None);
    }
    let sizes = std::env::var("OPDIR_BENCH_PROGRAMS").unwrap_or_else(|_| "10000,100000".to_owned());
    for programs in sizes.split(',').filter_map(|size| size.parse().ok()) {
        let directory = instruments::directory(programs);
        let (bytes, seconds) = index(&directory);
        println!("\n{programs} programs, index {:.1} MB, built in {seconds:.2} s", bytes as f64 / 1e6);
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("it is writable");
        instruments::publish(&directory, folder.path(), true);
        let started = Instant::now();
        let (site, dated) = instruments::site(folder.path());
        println!("open {:.2} ms", started.elapsed().as_secs_f64() * 1e3);
        let started = Instant::now();
        let tomorrow = site.dated(Day(dated.day().0 + 1));
        println!("next day {:.2} ms", started.elapsed().as_secs_f64() * 1e3);
        drop(tomorrow);
        let tantivy = Baseline::new(&directory, &site, &dated);
        drop(directory);
        let tantivy = Engine {
            name: "tantivy",
            rounds: ROUNDS_OF_TANTIVY,
            search: &|query| tantivy.search(&site, query).total,
        };
        measure(&site, &dated, Some(&tantivy));
    }
}

/// Prints the times of each selected class, beside those of the other where it answers too.
fn measure(site: &Site, dated: &Dated, other: Option<&Engine<'_>>) {
    println!(
        "{:<9}{:<9}{:>11}{:>11}{:>11}{:>9}{:>10}",
        "question", "engine", "median µs", "p99 µs", "worst µs", "×", "hits"
    );
    let ours = Engine {
        name: "opdir",
        rounds: ROUNDS,
        search: &|query| site.index.search(query, &dated.today).total,
    };
    for class in Class::ALL.into_iter().filter(|class| is_selected(&class.name())) {
        let other = other.filter(|_| COMPARED.contains(&class));
        let engines: Vec<&Engine<'_>> = std::iter::once(&ours).chain(other).collect();
        compare(&class.name(), &queries(class, QUESTIONS, SEED, &site.index), &engines);
    }
}

/// Bytes of the search index of a directory, and how long it took to build, in seconds.
fn index(directory: &Directory) -> (usize, f64) {
    let started = Instant::now();
    let [search, ..] = site::index_files(directory, Day::new(TODAY)).expect("synthetic values are few");
    (search.bytes().len(), started.elapsed().as_secs_f64())
}

fn is_selected(class: &str) -> bool {
    let mut names = std::env::args().skip(1).filter(|word| !word.starts_with("--")).peekable();
    names.peek().is_none() || names.any(|name| name == class)
}

/// Something that answers questions with the number of hits.
struct Engine<'a> {
    name: &'a str,
    /// How often it answers each question.
    rounds: usize,
    search: &'a dyn Fn(&Query) -> usize,
}

/// Lets engines answer each question in turns, and prints a line for each.
fn compare(class: &str, queries: &[Query], engines: &[&Engine<'_>]) {
    let mut times: Vec<_> = engines.iter().map(|_| vec![Vec::new(); queries.len()]).collect();
    let mut hits = vec![0; engines.len()];
    for round in 0..ROUNDS {
        for (at, query) in queries.iter().enumerate() {
            let answers = |engine: &Engine<'_>| round < engine.rounds;
            for (number, engine) in engines.iter().enumerate().filter(|(_, engine)| answers(engine)) {
                let started = processor_micros();
                let found = std::hint::black_box((engine.search)(std::hint::black_box(query)));
                times[number][at].push(processor_micros() - started);
                hits[number] += if round == 0 { found } else { 0 };
            }
        }
    }
    let mut ours = 0.0;
    for ((engine, times), hits) in engines.iter().zip(&mut times).zip(hits) {
        let mut medians: Vec<f64> = times.iter_mut().map(|times| at(times, 0.5)).collect();
        let median = at(&mut medians, 0.5);
        ours = if ours == 0.0 { median } else { ours };
        println!(
            "{class:<9}{:<9}{median:>11.1}{:>11.1}{:>11.1}{:>9.1}{:>10.1}",
            engine.name,
            at(&mut medians, 0.99),
            at(&mut medians, 1.0),
            median / ours,
            hits as f64 / queries.len() as f64
        );
    }
}

/// Processor time of this thread so far.
fn processor_micros() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// The time below which a share of the times lies.
fn at(times: &mut [f64], share: f64) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[((times.len() as f64 * share) as usize).min(times.len() - 1)]
}

/// Name of the processor and number of its cores.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown processor");
    format!("{}, {cores} cores", name.trim_start_matches([' ', '\t', ':']))
}
