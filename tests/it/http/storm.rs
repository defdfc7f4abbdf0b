//! Load within this process: swaps mix nothing and lose nothing, and clients that read no answer hold little memory.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use dataset::Input;
use edge::Server;
use net::client_address::TrustedProxies;
use net::connection::{CloseReason, Counters, Limits, serve};
use net::in_flight::InFlight;
use snapshot::time::Day;
use store::{GenerationId, rollback};
use tempfile::TempDir;
use tests::client;
use tests::snapshots::frozen;
use tests::synth;
use tokio::runtime::Runtime;
use warp::Filter as _;

use crate::server::{AS_OF, HOST, build, impatient, load, options, runtime, spawn};

/// Status, ETag and body.
type Answer = (u16, String, Vec<u8>);

/// Two generations of different data, one of them served.
struct Stage {
    folder: TempDir,
    generations: [GenerationId; 2],
    live: Arc<Server>,
    address: SocketAddr,
    targets: Vec<String>,
    /// What each generation answers to them at rest.
    expected: Vec<Vec<Answer>>,
    runtime: Runtime,
}

impl Stage {
    fn set(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("site");
        let mut targets =
            ["/api/v1/search?q=a", "/api/v1/cycles", "/api/v1/exports/latest", "/", "/programs"]
                .map(str::to_owned)
                .to_vec();
        let generations = [1, 2].map(|seed| {
            let data = folder.path().join(format!("data-{seed}"));
            synth::write(&data, &synth::Options { programs: 30, seed }).unwrap();
            let (directory, source) = load(&Input::Folder(data));
            targets.push(format!("/api/v1/programs/{}", directory.programs[0].slug));
            build(&directory, source, &options(&root)).manifest.id()
        });
        let options = frozen(&root, Day::new(AS_OF));
        let live = Server::open(edge::Options { response_cache: 1 << 20, ..options }).unwrap();
        let runtime = runtime();
        let address = spawn(&runtime, Arc::clone(&live), limits);
        let mut stage = Self { folder, generations, live, address, targets, expected: Vec::new(), runtime };
        for generation in 0..2 {
            stage.swap_to(generation);
            let mut stream = None;
            let answers = stage.targets.iter().map(|target| stage.get(&mut stream, target));
            let answers = answers.collect();
            stage.expected.push(answers);
        }
        stage
    }

    /// An answer over a connection that is kept; once more over another if that was closed before it began.
    fn get(&self, kept: &mut Option<TcpStream>, target: &str) -> Answer {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {HOST}\r\n\r\n");
        let answer = match kept.as_mut().map(|stream| client::exchange(stream, request.as_bytes())) {
            Some(Err((_, false))) | None => {
                let stream = kept.insert(TcpStream::connect(self.address).unwrap());
                stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
                client::exchange(stream, request.as_bytes())
            }
            Some(answer) => answer,
        };
        let answer = answer.unwrap_or_else(|(error, _)| panic!("{target}: {error}"));
        (answer.status(), answer.field("etag").to_owned(), answer.body)
    }

    /// Asks for each target until it is time to stop, a minute at most; counts the generations that answer the first.
    fn ask(&self, counts: &[AtomicU32; 2], stop: &AtomicBool) {
        let (mut stream, began) = (None, Instant::now());
        while !stop.load(Relaxed) && began.elapsed() < Duration::from_secs(60) {
            for (at, target) in self.targets.iter().enumerate() {
                let answer = self.get(&mut stream, target);
                let of = self.expected.iter().position(|answers| answers[at] == answer);
                let of = of.unwrap_or_else(|| panic!("{target}: no generation answers {}", answer.1));
                counts[of].fetch_add(u32::from(at == 0), Relaxed);
            }
        }
    }

    fn swap_to(&self, generation: usize) {
        rollback(&self.folder.path().join("site"), Some(self.generations[generation]), AS_OF).unwrap();
        self.live.refresh();
    }
}

#[test]
fn swaps_under_load_lose_no_request_and_mix_no_answer() {
    let stage = Stage::set(Limits::DEFAULT);
    let (counts, stop, mut swaps) = (<[AtomicU32; 2]>::default(), AtomicBool::new(false), 0);
    std::thread::scope(|scope| {
        let clients = [(); 3].map(|()| scope.spawn(|| stage.ask(&counts, &stop)));
        let have_ended = || clients.iter().all(std::thread::ScopedJoinHandle::is_finished);
        while swaps < 10 && !have_ended() {
            stage.swap_to(swaps % 2);
            let count = &counts[swaps % 2];
            let before = count.load(Relaxed);
            while count.load(Relaxed) < before + 10 && !have_ended() {
                std::thread::sleep(Duration::from_millis(1));
            }
            swaps += usize::from(count.load(Relaxed) >= before + 10);
        }
        stop.store(true, Relaxed);
    });
    assert_eq!(swaps, 10, "the other generation did not answer");
    assert_eq!(stage.live.metrics.panics.get(), 0);
}

#[test]
fn no_request_has_to_free_the_snapshot_that_it_was_the_last_to_read() {
    let stage = Stage::set(Limits::DEFAULT);
    let read = Arc::clone(&stage.live.state());
    let old = Arc::downgrade(&read);
    stage.swap_to(0);
    stage.live.refresh();
    drop(read);
    assert!(old.upgrade().is_some(), "the reader freed it");
    stage.live.refresh();
    assert!(old.upgrade().is_none(), "nobody frees it");
}

#[test]
fn clients_that_read_no_answer_hold_little_memory_and_are_cut() {
    const BYTES: usize = 128 << 10;
    let stage = Stage::set(Limits::DEFAULT);
    let mut counters = Counters::default();
    let header = http::header::HeaderName::from_static("x-forwarded-for");
    let proxies = TrustedProxies::new(vec!["127.0.0.0/8".parse().unwrap()], header);
    counters.in_flight = Arc::new(InFlight::new(BYTES, proxies));
    let counters = Arc::new(counters);
    let server = Arc::clone(&stage.live);
    let routes = edge::routes(move || Some(Arc::clone(&server))).recover(edge::error_response).unify();
    let listener = stage.runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    // Refusals are short: who gets nothing else is not stalled, and then unused.
    let short = Duration::from_millis(500);
    let limits = Limits { idle: short, ..impatient(short) };
    let service = edge::service(routes);
    stage.runtime.spawn(serve(listener, service, limits, Arc::clone(&counters), std::future::pending()));
    let ask = |nth: usize| {
        // Every program was updated before: each answer is computed anew, and has the same ten kilobytes.
        let target = format!("/api/v1/programs?limit=5&updatedTo=2027-01-{:02}", nth + 1);
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("Host: {HOST}\r\nX-Forwarded-For: 192.0.2.{nth}\r\n");
        let requests = format!("GET {target} HTTP/1.1\r\n{head}\r\n").repeat(1_000);
        stream.write_all(requests.as_bytes()).unwrap();
        stream
    };
    let _deaf: Vec<TcpStream> = (0..12).map(ask).collect();
    let (began, mut most) = (Instant::now(), 0);
    let closed = || counters.all_closed().map(|(_, count)| count).sum::<u64>();
    while closed() < 12 {
        assert!(began.elapsed() < Duration::from_secs(60), "a connection stayed open");
        most = most.max(counters.in_flight.bytes());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(most > BYTES / 2 && most <= BYTES + BYTES / 2, "{most} bytes in flight of {BYTES}");
    assert!(counters.in_flight.refused.get() > 0 && counters.closed(CloseReason::Stall) > 0);
    assert_eq!(counters.in_flight.bytes(), 0);
    assert_eq!(stage.live.metrics.panics.get(), 0);
}
