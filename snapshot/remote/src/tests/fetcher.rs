//! Bodies that are asked for one by one: in the order they are wanted, few requests, none for ever, and word of what is
//! gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use bytes::Bytes;
use snapshot::store::{Digest, Fetch, PackRange};
use tokio::runtime::{Builder, Runtime};

use crate::fetcher::Fetcher;
use crate::target::{FetchedObject, ObjectVersion, Target, TargetError, TargetFuture};

/// A pack of which byte n is n, that takes its time.
#[derive(Default)]
struct Slow {
    takes: Duration,
    under_way: AtomicUsize,
    most: AtomicUsize,
    store_error: AtomicUsize,
    is_gone: bool,
}

/// A request that is under way, until it is given up too.
struct Place<'a>(&'a Slow);

impl<'a> Place<'a> {
    fn take(of: &'a Slow) -> Self {
        of.most.fetch_max(of.under_way.fetch_add(1, Relaxed) + 1, Relaxed);
        Self(of)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Relaxed);
    }
}

impl Target for Slow {
    fn place(&self) -> String {
        "slow://".to_owned()
    }

    fn range<'a>(&'a self, _: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes> {
        Box::pin(async move {
            self.store_error.fetch_add(1, Relaxed);
            let place = Place::take(self);
            tokio::time::sleep(self.takes).await;
            drop(place);
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

    fn written<'a>(&'a self, _: &'a str) -> TargetFuture<'a, i64> {
        unreachable!("nobody asks")
    }

    fn put<'a>(&'a self, _: &'a str, _: Bytes) -> TargetFuture<'a, ()> {
        unreachable!("nothing is written")
    }

    fn create<'a>(&'a self, _: &'a str, _: Bytes) -> TargetFuture<'a, ObjectVersion> {
        unreachable!("nothing is written")
    }

    fn replace<'a>(&'a self, _: &'a str, _: Bytes, _: &'a ObjectVersion) -> TargetFuture<'a, ObjectVersion> {
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
fn parts_come_in_the_order_they_were_asked_for_and_neighbours_together() {
    let (runtime, slow, (send, _gone)) = (runtime(), Arc::new(Slow::default()), sync_channel(1));
    let fetcher = Fetcher::new(Arc::clone(&slow) as Arc<_>, runtime.handle().clone(), send);
    let pieces = [piece(b"b", 40, 3), piece(b"a", 9, 2), piece(b"b", 7, 1), piece(b"b", 9_000_000, 1)];
    let came = fetcher.fetch(&pieces).unwrap();
    assert_eq!(came, [vec![40, 41, 42], vec![9, 10], vec![7], vec![(9_000_000 % 256) as u8]]);
    assert_eq!(slow.store_error.load(Relaxed), 3);
    let told = fetcher.stats();
    assert_eq!((told.requests, told.bytes, told.failures, told.error), (3, 36 + 2 + 1, 0, None));
}

#[test]
fn a_store_that_stalls_is_waited_for_two_seconds_whoever_waits_for_a_turn_too() {
    let (runtime, (send, _gone)) = (runtime(), sync_channel(1));
    let slow = Arc::new(Slow { takes: Duration::from_secs(60), ..Slow::default() });
    let fetcher = Fetcher::new(Arc::clone(&slow) as Arc<_>, runtime.handle().clone(), send);
    let began = Instant::now();
    std::thread::scope(|threads| {
        for n in 0..100 {
            let fetcher = &fetcher;
            threads.spawn(move || {
                let why = fetcher.fetch(&[piece(b"a", n * 1_000_000, 1)]).unwrap_err();
                assert_eq!(why, "no answer within 2 seconds");
            });
        }
    });
    assert!((2..4).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    assert_eq!((slow.most.load(Relaxed), fetcher.stats().failures), (64, 100));
}

#[test]
fn whoever_follows_the_store_hears_that_something_is_gone() {
    let (runtime, (send, gone)) = (runtime(), sync_channel(1));
    let slow = Arc::new(Slow { is_gone: true, ..Slow::default() });
    let fetcher = Fetcher::new(slow, runtime.handle().clone(), send);
    for _ in 0..3 {
        assert!(fetcher.fetch(&[piece(b"a", 0, 1)]).unwrap_err().ends_with("is not there any more"));
    }
    assert!(gone.try_recv().is_ok() && gone.try_recv().is_err(), "once is enough");
    assert!(fetcher.stats().error.is_some());
}
