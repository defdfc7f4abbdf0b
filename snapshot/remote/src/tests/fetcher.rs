//! Bodies fetched one by one: in the requested order, in few requests, within a time limit, and with a message when an
//! object is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use bytes::Bytes;
use store::{Digest, Fetch, PackRange};
use tokio::runtime::{Builder, Runtime};

use crate::fetcher::Fetcher;
use crate::objects::FetchBudget;
use crate::target::{FetchedObject, ObjectVersion, Precondition, Target, TargetError, TargetFuture};

/// A pack whose byte n is n, and whose requests take a while.
#[derive(Default)]
struct Slow {
    takes: Duration,
    in_flight: AtomicUsize,
    most: AtomicUsize,
    requests: AtomicUsize,
    is_gone: bool,
}

/// A request under way, until it ends or is given up.
struct InFlight<'a>(&'a Slow);

impl<'a> InFlight<'a> {
    fn begin(of: &'a Slow) -> Self {
        of.most.fetch_max(of.in_flight.fetch_add(1, Relaxed) + 1, Relaxed);
        Self(of)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}

impl Target for Slow {
    fn place(&self) -> String {
        "slow://".to_owned()
    }

    fn range<'a>(&'a self, _: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes> {
        Box::pin(async move {
            self.requests.fetch_add(1, Relaxed);
            let in_flight = InFlight::begin(self);
            tokio::time::sleep(self.takes).await;
            drop(in_flight);
            match self.is_gone {
                true => Err(TargetError::Missing),
                false => Ok((start..start + length).map(|n| n as u8).collect()),
            }
        })
    }

    fn get<'a>(
        &'a self,
        _: &'a str,
        _: Option<&'a ObjectVersion>,
        _: u64,
    ) -> TargetFuture<'a, Option<FetchedObject>> {
        unreachable!("bodies are ranges")
    }

    fn write<'a>(&'a self, _: &'a str, _: Bytes, _: Precondition<'a>) -> TargetFuture<'a, ObjectVersion> {
        unreachable!("nothing is written")
    }

    fn delete<'a>(&'a self, _: &'a str) -> TargetFuture<'a, ()> {
        unreachable!("nothing is removed")
    }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn piece(pack: &[u8], offset: u64, len: u32) -> PackRange {
    PackRange::new(Digest::of(pack), offset, len)
}

#[test]
fn parts_come_in_the_requested_order_and_neighbours_share_a_request() {
    let (runtime, slow, (send, _gone)) = (runtime(), Arc::new(Slow::default()), sync_channel(1));
    let fetcher =
        Fetcher::new(Arc::clone(&slow) as Arc<_>, runtime.handle().clone(), FetchBudget::default(), send);
    let pieces = [piece(b"b", 40, 3), piece(b"a", 9, 2), piece(b"b", 7, 1), piece(b"b", 9_000_000, 1)];
    let parts = fetcher.fetch(&pieces).unwrap();
    assert_eq!(parts, [vec![40, 41, 42], vec![9, 10], vec![7], vec![(9_000_000 % 256) as u8]]);
    assert_eq!(slow.requests.load(Relaxed), 3);
    let stats = fetcher.stats();
    assert_eq!((stats.requests, stats.bytes, stats.failures, stats.error), (3, 36 + 2 + 1, 0, None));
}

#[test]
fn a_request_to_a_stalled_store_fails_after_two_seconds_its_turn_included() {
    // Five turns of 64: ten seconds, if each began to count at its turn.
    const REQUESTS: u64 = 320;
    let (runtime, (send, _gone)) = (runtime(), sync_channel(1));
    let slow = Arc::new(Slow { takes: Duration::from_secs(60), ..Slow::default() });
    let fetcher =
        Fetcher::new(Arc::clone(&slow) as Arc<_>, runtime.handle().clone(), FetchBudget::default(), send);
    let began = Instant::now();
    std::thread::scope(|threads| {
        for n in 0..REQUESTS {
            let fetcher = &fetcher;
            threads.spawn(move || {
                let reason = fetcher.fetch(&[piece(b"a", n * 1_000_000, 1)]).unwrap_err();
                assert_eq!(reason, "no answer within 2 seconds");
            });
        }
    });
    assert!((2..9).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    assert_eq!((slow.most.load(Relaxed), fetcher.stats().failures), (64, REQUESTS));
}

#[test]
fn a_missing_object_sends_one_message_to_the_follower() {
    let (runtime, (send, gone)) = (runtime(), sync_channel(1));
    let slow = Arc::new(Slow { is_gone: true, ..Slow::default() });
    let fetcher = Fetcher::new(slow, runtime.handle().clone(), FetchBudget::default(), send);
    for _ in 0..3 {
        assert!(fetcher.fetch(&[piece(b"a", 0, 1)]).unwrap_err().ends_with("is not there any more"));
    }
    assert!(gone.try_recv().is_ok() && gone.try_recv().is_err(), "once is enough");
    assert!(fetcher.stats().error.is_some());
}
