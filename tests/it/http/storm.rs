//! The storm of `tests/instruments/src/bin/storm` in small, within this process: swaps under load mix nothing and lose
//! nothing, and connections that keep the server waiting keep nobody else waiting.

use std::sync::Arc;
use std::time::Duration;

use dataset::Input;
use edge::Server;
use net::connection::Limits;
use site::Effort;
use snapshot::time::Day;
use store::{GenerationId, rollback};
use tempfile::TempDir;
use tests::snapshots::frozen;
use tests::storm::Place;
use tests::storm::load::{Expected, during};
use tests::storm::slow::{Kind, hold};
use tests::storm::window::{Outcome, attack};
use tests::synth;
use tokio::runtime::Runtime;

use crate::server::{AS_OF, HOST, build, impatient, load, options, runtime, spawn};

/// Two generations of different data, one of them served.
struct Stage {
    folder: TempDir,
    generations: [GenerationId; 2],
    live: Arc<Server>,
    place: Place,
    expected: Expected,
    _runtime: Runtime,
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
            build(&directory, source, &options(&root, Effort::None)).manifest.id()
        });
        let options = frozen(&root, Day::new(AS_OF));
        let live = Server::open(edge::Options { response_cache: 1 << 20, ..options }).unwrap();
        let runtime = runtime();
        let address = spawn(&runtime, Arc::clone(&live), limits);
        let place = Place { address, host: HOST.to_owned() };
        let expected = Expected::of(targets);
        let mut stage = Self { folder, generations, live, place, expected, _runtime: runtime };
        for generation in 0..2 {
            stage.swap_to(generation);
            stage.expected.record(&stage.place).unwrap();
        }
        stage
    }

    fn swap_to(&self, generation: usize) {
        rollback(&self.folder.path().join("site"), Some(self.generations[generation]), AS_OF).unwrap();
        self.live.refresh();
    }
}

#[test]
fn swaps_under_load_lose_no_request_and_mix_no_answer() {
    let stage = Stage::set(Limits::DEFAULT);
    let tally = during(&stage.place, &stage.expected, 3, || {
        for swap in 0..10 {
            stage.swap_to(swap % 2);
            assert!(stage.expected.await_generation(&stage.place, swap % 2));
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    assert_eq!((tally.failed, tally.mixed, &tally.first_fault), (0, 0, &None));
    assert!(tally.answered.iter().all(|answers| *answers > 0), "{:?}", tally.answered);
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
fn connections_that_keep_the_server_waiting_are_closed_and_hold_up_nobody() {
    let short = Duration::from_millis(500);
    let stage = Stage::set(impatient(short));
    for kind in Kind::ALL {
        let mut held = None;
        let tally = during(&stage.place, &stage.expected, 1, || {
            held = hold(&stage.place, kind, 20, short / 5, Duration::from_secs(60)).ok();
        });
        assert_eq!(held.map(|held| (held.closed, held.left)), Some((20, 0)), "{kind:?}");
        assert_eq!((tally.failed, tally.mixed, &tally.first_fault), (0, 0, &None), "{kind:?}");
        assert!(tally.good() > 0, "{kind:?}");
    }
}

#[test]
fn a_client_that_reads_no_answer_over_http2_holds_little_memory_and_is_reset() {
    const BYTES: usize = 128 << 10;
    let limits = Limits {
        flight_bytes: 4 * BYTES,
        connection_flight_bytes: BYTES,
        stream_stall: Duration::from_millis(500),
        ..Limits::DEFAULT
    };
    let stage = Stage::set(limits);
    let counters = &stage.live.metrics.connections;
    let mut most = 0;
    let target = |nth: usize| format!("/api/v1/programs?limit=30&ageMax={nth}");
    let look = |_: &Outcome| most = most.max(counters.flying());
    let outcome = attack(&stage.place, (6, 100), target, Duration::from_secs(60), look).unwrap();
    assert_eq!((outcome.answered + outcome.refused, outcome.closed), (600, 0), "every stream was answered");
    assert!(outcome.answered > 0 && outcome.refused > 300, "{outcome:?}");
    assert!(most > BYTES && most <= 4 * BYTES + BYTES / 2, "{most} bytes in flight of {}", 4 * BYTES);
    assert_eq!(outcome.reset, 600, "a client that does not read even a refusal is reset too");
    assert_eq!(counters.flying(), 0);
    assert_eq!(stage.live.metrics.panics.get(), 0);
}
