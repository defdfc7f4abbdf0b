//! Throughput over HTTP, asked by `wrk`: distinct searches of the edge without its response cache, the
//! same questions of tantivy behind the same connection driver and the same splicing of answers, and
//! a static record of the edge; and that record beside nginx with the same body and headers.
//!
//! `cargo bench --bench http`; needs `wrk` on the path, and `nginx` for that comparison. `OPDIR_BENCH_PROGRAMS`
//! names other sizes than 10,000, separated by commas.

mod baseline;
mod nginx;

use std::convert::Infallible;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use baseline::Baseline;
use bytes::Bytes;
use dataset::Input;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use net::connection::{self, Counters, Limits};
use nginx::Nginx;
use snapshot::page::{Dated, Site, search};
use snapshot::record::Directory;
use snapshot::time::Day;
use tests::questions::{Class, questions};
use tests::synth::TODAY;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const QUESTIONS: usize = 2_000;
const SEED: u64 = 1;
const CONNECTIONS: usize = 32;
const SECONDS: usize = 4;
const ROUNDS: usize = 3;

fn main() {
    let sizes = std::env::var("OPDIR_BENCH_PROGRAMS").unwrap_or_else(|_| "10000".to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads start");
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let sample = instruments::load(&Input::Embedded(dataset::sample::FILES));
    let record = format!("/api/v1/programs/{}", sample.programs[0].slug);
    let records = edge(&runtime, &sample, &folder.path().join("sample"), false);
    compare_with_nginx(folder.path(), records, &record);
    for programs in sizes.split(',').filter_map(|size| size.parse::<usize>().ok()) {
        let directory = instruments::directory(programs);
        let out = folder.path().join(programs.to_string());
        let searches = edge(&runtime, &directory, &out, true);
        let tantivy = tantivy(&runtime, &directory, &out);
        drop(directory);
        println!("\n{programs} programs");
        for class in [Class::Main, Class::Filter1, Class::Text1, Class::NoFacet] {
            let asked =
                questions(class, QUESTIONS, SEED).iter().map(|q| format!("/api/v1/search?{q}")).collect();
            compare(
                &class.name(),
                folder.path(),
                [(searches, &asked), (tantivy, &asked), (records, &vec![record.clone()])],
            );
        }
    }
}

/// Three servers in turn, and their medians side by side.
fn compare(name: &str, folder: &Path, runs: [(SocketAddr, &Vec<String>); 3]) {
    let mut rates = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for ((address, targets), rates) in runs.iter().zip(&mut rates) {
            rates.push(ask(*address, targets, folder, || cpu_seconds("self")));
        }
    }
    let [ours, theirs, record] = rates.map(middle);
    println!(
        "{name:<8} edge {:>8.0}/s {:>6.1} µs CPU   tantivy {:>7.0}/s {:>8.1} µs   {:>6.1} ×   record {:>8.0}/s {:>5.1} µs   share {:.3}",
        ours.0,
        ours.1,
        theirs.0,
        theirs.1,
        ours.0 / theirs.0,
        record.0,
        record.1,
        ours.0 / record.0
    );
}

/// The static record of the edge and of nginx in turn, and the medians side by side.
fn compare_with_nginx(folder: &Path, edge: SocketAddr, record: &str) {
    let Some(nginx) = Nginx::start(folder, edge, record) else {
        return println!("record beside nginx: left out, nginx is not installed");
    };
    let (record, file) = ([record.to_owned()], [nginx::PATH.to_owned()]);
    let mut rates = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        rates[0].push(ask(edge, &record, folder, || cpu_seconds("self")));
        rates[1].push(ask(nginx.address, &file, folder, || nginx.cpu_seconds()));
    }
    let [ours, theirs] = rates.map(middle);
    println!(
        "record   edge {:>8.0}/s {:>6.1} µs CPU   nginx {:>9.0}/s {:>8.1} µs CPU   of its CPU {:.2}",
        ours.0,
        ours.1,
        theirs.0,
        theirs.1,
        ours.1 / theirs.1
    );
}

/// The median by the rate.
fn middle(mut rates: Vec<(f64, f64)>) -> (f64, f64) {
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    rates[ROUNDS / 2]
}

/// Answers a second, and microseconds of processor time for each by the seconds that `cpu` counts.
fn ask(address: SocketAddr, targets: &[String], folder: &Path, cpu: impl Fn() -> f64) -> (f64, f64) {
    let list = folder.join("targets");
    let mut file = std::fs::File::create(&list).expect("the temporary folder is writable");
    targets.iter().for_each(|target| writeln!(file, "{target}").expect("the temporary folder is writable"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/questions.lua");
    let used = cpu();
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{SECONDS}s"), "-s"])
        .arg(script)
        .arg(format!("http://{address}"))
        .env("TARGETS", &list)
        .output()
        .expect("wrk is on the path");
    let used = cpu() - used;
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains("Non-2xx"), "{text}");
    let number = |before: &str, after: &str| -> f64 {
        let start = text.find(before).map_or(0, |at| at + before.len());
        let word = text[start..].split(after).next().unwrap_or_default();
        word.split_whitespace().last().and_then(|word| word.parse().ok()).expect("wrk says it")
    };
    (number("Requests/sec:", "\n"), used * 1e6 / number("", "requests in"))
}

/// Processor time of a process so far, from `/proc` in ticks of 10 ms.
fn cpu_seconds(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("this is Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields[11..13].iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn edge(runtime: &Runtime, directory: &Directory, out: &Path, index_only: bool) -> SocketAddr {
    instruments::publish(directory, out, index_only);
    let options = tests::snapshots::frozen(out, Day::new(TODAY));
    let server = edge::Server::open(options).expect("it was just built");
    let (listener, address) = listen(runtime);
    runtime.spawn(edge::serve(listener, server, Limits::DEFAULT, std::future::pending()));
    address
}

fn listen(runtime: &Runtime) -> (TcpListener, SocketAddr) {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    (listener, address)
}

/// What the baseline's front needs for an answer.
struct Front {
    site: Site,
    dated: Dated,
    baseline: Baseline,
}

fn tantivy(runtime: &Runtime, directory: &Directory, out: &Path) -> SocketAddr {
    let (site, dated) = instruments::site(out);
    let baseline = Baseline::new(directory, &site, &dated);
    let front = Arc::new(Front { site, dated, baseline });
    let service = service_fn(move |request: Request<Incoming>| {
        let body = front.answer(request.uri().query().unwrap_or_default());
        std::future::ready(Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(body)))))
    });
    let (listener, address) = listen(runtime);
    let counters = Arc::new(Counters::default());
    runtime.spawn(connection::serve(listener, service, Limits::DEFAULT, counters, std::future::pending()));
    address
}

impl Front {
    fn answer(&self, query: &str) -> Vec<u8> {
        let (query, invalid) = self.site.index.parse(query);
        let answer = self.baseline.search(&self.site, &query);
        search::render(&self.site, &self.dated, &query, &invalid, &answer).bytes
    }
}
