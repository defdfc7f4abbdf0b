//! Garbage collection by the store's clock, whatever the publisher's clock is, and the first push to a store.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::memory::{Broken, Client, DAY, Memory, NOW, Objects, run_alone};
use super::schedules::{Published, TestSource, as_publisher, collect, push, unsigned, with_clock};
use crate::current::{CURRENT, Current, FetchedCurrent, RETAINED};
use crate::gc::{GRACE, Retention};
use crate::index::{CONTENTS, GenerationIndex, Table};
use crate::objects::retired_path;
use crate::uploads::PENDING;

const YEAR: i64 = 365 * DAY;

/// A store, and a publisher whose clock is so many seconds ahead.
struct Store {
    memory: Arc<Memory>,
    ahead: i64,
}

impl Store {
    fn new(ahead: i64) -> Self {
        Self { memory: Memory::empty(), ahead }
    }

    fn push(&self, sequence: u64) {
        run_alone(as_publisher(&Client::of(&self.memory), self.ahead, async |publisher| {
            publisher.push(&mut TestSource::new(sequence, "own")).await.unwrap();
        }));
    }

    /// Removed objects, and those that wait for it.
    fn collect(&self, since: i64) -> (u64, u64) {
        let collected = Mutex::new((0, 0));
        run_alone(as_publisher(&Client::of(&self.memory), self.ahead, async |publisher| {
            let retention = Retention { newest: 1, since: Timestamp::from_second(since).unwrap() };
            let report = publisher.collect(retention).await.unwrap();
            *collected.lock().unwrap() = (report.objects, report.waiting);
        }));
        collected.into_inner().unwrap()
    }

    /// Names of all objects that CURRENT needs.
    fn needed(&self) -> BTreeSet<String> {
        let current = self.current();
        let lists = current.retired.map(|sha256| retired_path(&sha256));
        let generations = std::iter::once(&current.live).chain(&current.retained);
        let names = generations.flat_map(|generation| {
            let bytes = self.memory.object(&generation.path(CONTENTS)).bytes;
            serde_json::from_slice::<GenerationIndex>(&bytes).unwrap().names(generation)
        });
        names.chain(lists).collect()
    }

    fn current(&self) -> Current {
        FetchedCurrent::parse("", &self.memory.object(CURRENT), &unsigned()).unwrap().current
    }
}

#[test]
fn garbage_waits_a_week_by_the_clock_of_the_store() {
    for ahead in [-YEAR, 0, YEAR] {
        let mut store = Store::new(ahead);
        store.push(1);
        store.push(2);
        let (removed, waiting) = store.collect(NOW + 2 * YEAR);
        assert!(removed == 0 && waiting > 0, "{ahead}: {removed} removed");
        store.memory.pass(GRACE.as_secs() as i64 - 1);
        assert_eq!(store.collect(NOW + 2 * YEAR).0, 0, "{ahead}");
        // A clock that is set meanwhile makes no difference.
        store.ahead = -ahead;
        assert_eq!(store.collect(NOW + 2 * YEAR).0, 0, "{ahead}");
        store.memory.pass(2);
        assert!(store.collect(NOW + 2 * YEAR).0 > 0, "{ahead}");
        store.push(3);
        assert_eq!(store.current().live.generation.sequence, 3);
    }
}

#[test]
fn times_in_current_are_by_the_clock_of_the_publisher_until_its_next_push() {
    for ahead in [-YEAR, 0, YEAR] {
        let mut store = Store::new(ahead);
        store.push(1);
        let current = store.current();
        assert_eq!(current.live.at.as_second(), NOW + ahead);
        assert_eq!(current.expires.unwrap().as_second(), NOW + ahead + 7 * DAY);
        store.ahead = 0;
        store.push(2);
        assert_eq!(store.current().expires.unwrap().as_second(), NOW + 7 * DAY);
        // Retention goes by the time of the push: a clock that was ahead retains longer, never shorter.
        store.collect(NOW);
        assert_eq!(store.current().retained.len(), usize::from(ahead >= 0), "{ahead}");
    }
}

#[test]
fn a_clock_that_jumps_during_a_push_makes_it_late_at_worst() {
    for (jump, is_live) in [(YEAR, false), (-YEAR, false), (3600, true)] {
        let (store, reads) = (Store::new(0), AtomicI64::new(0));
        store.push(1);
        let clock = || Timestamp::from_second(NOW + reads.fetch_add(1, Relaxed).min(1) * jump).unwrap();
        run_alone(with_clock(&Client::of(&store.memory), &clock, async |publisher| {
            let pushed = publisher.push(&mut TestSource::new(2, "second")).await;
            assert_eq!(pushed.is_ok(), is_live, "{jump}: {pushed:?}");
        }));
        assert_eq!(store.current().live.generation.sequence, 1 + u64::from(is_live));
    }
}

#[test]
fn garbage_of_dropped_generations_and_killed_pushes_is_removed_after_a_week_and_not_before() {
    let store = Store::new(0);
    let names = || store.memory.objects.lock().unwrap().keys().cloned().collect::<Vec<_>>();
    (1..=3).for_each(|sequence| store.push(sequence));
    let whole = names().len();
    let source = TestSource::new(4, "fourth");
    let mut killed = Box::pin(push(Client::of(&store.memory), source, Published::default()));
    while names().len() < whole + 2 {
        assert!(killed.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    drop(killed);
    let collect = |times| run_alone(collect(Client::of(&store.memory), times));
    collect(1);
    assert!(names().len() > whole, "there is one more list, and nothing is removed");
    store.memory.pass(6 * DAY);
    collect(1);
    assert!(names().len() > whole, "six days are less than a week");
    collect(4);
    // CURRENT, pending, the clock, two packs, two tables and the index.
    assert_eq!(names().len(), 8, "{:#?}", names());
}

/// `pending` as an intruder writes it: it names these objects, and they were seen long ago.
pub(super) fn pending_of(names: &[String]) -> Bytes {
    let entry = |name| json!({"push": Uuid::new_v4(), "names": [name], "seen": 0});
    let entries: Vec<_> = names.iter().map(entry).collect();
    json!({"format": 1, "entries": entries}).to_string().into()
}

#[test]
fn garbage_collection_removes_nothing_that_is_needed_whatever_pending_names() {
    let store = Store::new(0);
    (1..=3).for_each(|sequence| store.push(sequence));
    store.collect(NOW + YEAR);
    let put =
        |name: &str, bytes| store.memory.objects.lock().unwrap().insert(name.to_owned(), (bytes, 9_999));
    let names = || store.memory.objects.lock().unwrap().keys().cloned().collect::<Vec<_>>();
    let before = names();
    let garbage = format!("p/ab/{}.pack", "ab".repeat(32));
    put(&garbage, Bytes::from_static(b"of a killed push"));
    let foreign =
        ["/etc/passwd", "../victim", "CURRENT", "pending", "clock", "p/../CURRENT", "g/x/../../CURRENT"];
    let hostile = [&foreign.map(str::to_owned)[..], &before, std::slice::from_ref(&garbage)].concat();
    // What was given up by CURRENT is retired already.
    let needed = store.needed();
    put(PENDING, pending_of(&hostile));
    store.memory.requests.lock().unwrap().clear();
    store.collect(NOW + YEAR);
    assert!(names().contains(&garbage), "it waits a week, whatever time is claimed");
    store.memory.pass(8 * DAY);
    store.collect(NOW + YEAR);
    let requests = store.memory.requests.lock().unwrap().clone();
    assert!(requests.contains(&format!("delete {garbage}")), "{requests:#?}");
    for name in foreign.iter().copied().chain(needed.iter().map(String::as_str)) {
        // The list that CURRENT named then was replaced since.
        assert!(name.starts_with("retired/") || !requests.contains(&format!("delete {name}")), "{name}");
    }
    assert!(store.needed().iter().all(|name| names().contains(name)));
    let warnings = store.memory.warnings.lock().unwrap().join("\n");
    assert!(warnings.contains("\"../victim\" is not the name of an object"), "{warnings}");
    // Nothing is left that the next run would warn of.
    store.memory.warnings.lock().unwrap().clear();
    store.memory.pass(8 * DAY);
    store.collect(NOW + YEAR);
    store.push(4);
    assert_eq!(store.memory.warnings.lock().unwrap().len(), 0);
}

#[test]
fn garbage_collection_goes_on_without_its_list() {
    let store = Store::new(0);
    (1..=2).for_each(|sequence| store.push(sequence));
    store.collect(NOW + YEAR);
    let list = retired_path(&store.current().retired.unwrap());
    store.memory.objects.lock().unwrap().remove(&list).unwrap();
    store.collect(NOW + YEAR);
    assert!(store.memory.warnings.lock().unwrap()[0].contains("the objects that it names stay"));
    assert_eq!(store.current().retired, None);
    store.push(3);
    store.collect(NOW + YEAR);
    assert_eq!(store.memory.warnings.lock().unwrap().len(), 1);
}

#[test]
fn a_malformed_pending_is_set_aside_and_blocks_nobody() {
    let long = vec![b' '; (16 << 20) + 1];
    for bytes in [&b"{"[..], b"", b"[]", b"{\"format\":2,\"entries\":[]}", b"\xff", &long] {
        let store = Store::new(0);
        store.push(1);
        let bytes = Bytes::copy_from_slice(bytes);
        let put = || store.memory.objects.lock().unwrap().insert(PENDING.to_owned(), (bytes.clone(), 9_999));
        put();
        store.push(2);
        put();
        store.collect(NOW + YEAR);
        assert_eq!(store.current().live.generation.sequence, 2);
        let warnings = store.memory.warnings.lock().unwrap().clone();
        assert!(warnings.len() == 2 && warnings[0].contains("is set aside"), "{warnings:?}");
        if bytes.len() < long.len() {
            assert_eq!(store.memory.object("pending.set-aside").bytes, bytes);
        }
    }
}

#[test]
fn a_killed_first_push_leaves_nothing_that_stays() {
    for requests in 0..20 {
        let store = Store::new(0);
        let killed = push(Client::of(&store.memory), TestSource::new(1, "killed"), Published::default());
        let mut killed = Box::pin(killed);
        for _ in 0..requests {
            if killed.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                break;
            }
        }
        drop(killed);
        if !store.memory.objects.lock().unwrap().contains_key(CURRENT) {
            store.push(1);
        }
        run_alone(collect(Client::of(&store.memory), 4));
        let needed = store.needed();
        let names = store.memory.objects.lock().unwrap().keys().cloned().collect::<Vec<_>>();
        let left: Vec<&String> = names.iter().filter(|name| !needed.contains(*name)).collect();
        assert_eq!(left, ["CURRENT", "clock", "pending"], "killed after {requests} requests");
    }
}

#[test]
fn garbage_of_generations_beyond_the_longest_list_is_removed_too() {
    let store = Store::new(0);
    (1..=RETAINED as u64 + 2).for_each(|sequence| store.push(sequence));
    let retained: Vec<u64> = store.current().retained.iter().map(|it| it.generation.sequence).collect();
    assert_eq!((retained.len(), retained[0]), (RETAINED, 2));
    let is_there = |sequence: u64| {
        let objects = store.memory.objects.lock().unwrap();
        objects.keys().any(|name| name.starts_with(&format!("g/{sequence:06}-")))
    };
    assert!(is_there(1));
    run_alone(collect(Client::of(&store.memory), 3));
    assert!(!is_there(1) && is_there(RETAINED as u64 + 2));
}

#[test]
fn a_first_push_refuses_a_store_that_ignores_preconditions() {
    for conditions in [false, true] {
        let memory = Memory::new(Objects::new(), Broken { conditions, ..Broken::default() });
        let published = Published::default();
        run_alone(push(Client::of(&memory), TestSource::new(1, "first"), Arc::clone(&published)));
        assert_eq!(published.lock().unwrap().is_empty(), conditions);
        assert_eq!(memory.objects.lock().unwrap().contains_key(CURRENT), !conditions);
        assert!(!memory.objects.lock().unwrap().keys().any(|name| name.starts_with("probe-")));
    }
}

#[test]
fn a_table_is_decompressed_to_exactly_its_stated_length() {
    let bytes = b"objects ".repeat(1000);
    let (table, stored) = Table::compress(&bytes).unwrap();
    assert_eq!(table.decompress(&stored), Some(bytes));
    for length in [table.length - 1, table.length + 1, u64::MAX] {
        assert_eq!(Table { length, ..table.clone() }.decompress(&stored), None);
    }
    assert_eq!(table.decompress(&stored[..stored.len() - 1]), None);
}
