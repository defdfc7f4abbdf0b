//! Garbage collection by the store's clock, whatever the publisher's clock is, and the first push to a store.

use std::sync::Arc;

use jiff::Timestamp;

use super::memory::{Broken, Client, DAY, Memory, NOW, Objects, run_alone, run_until};
use super::schedules::{Published, TestSource, as_publisher, collect, needed, push, pushed};
use crate::current::{CURRENT, Current, DROPPED, DroppedGeneration, RETAINED};
use crate::error::{ErrorClass, RemoteError};
use crate::gc::{GRACE, GcReport};
use crate::objects::MANIFEST;

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

    fn try_push(&self, sequence: u64) -> Result<(), RemoteError> {
        let source = TestSource::new(sequence, "own");
        run_alone(pushed(&Client::of(&self.memory), self.ahead, source)).map(drop)
    }

    fn push(&self, sequence: u64) {
        self.try_push(sequence).unwrap();
    }

    /// Collects what was pushed before a time; gives the numbers of removed objects, and of generations that wait for it.
    fn collect(&self, since: i64) -> (u64, u64) {
        let mut report = GcReport::default();
        run_alone(as_publisher(&Client::of(&self.memory), self.ahead, async |publisher| {
            let since = Timestamp::from_second(since).unwrap();
            report = publisher.collect(1, since).await.unwrap();
        }));
        (report.objects, report.waiting)
    }

    /// Names of all objects that CURRENT needs.
    fn needed(&self) -> Vec<String> {
        let current = self.memory.current();
        needed(&self.memory.objects.lock().unwrap(), &current).unwrap()
    }

    fn manifest_of(&self, sequence: u64) -> String {
        let start = format!("g/{sequence:06}-");
        let mut names = self.memory.names().into_iter();
        names.find(|name| name.starts_with(&start) && name.ends_with(MANIFEST)).unwrap()
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
        assert_eq!(store.memory.current().live.generation.sequence, 3);
    }
}

#[test]
fn times_in_current_are_by_the_clock_of_the_publisher_until_its_next_push() {
    for ahead in [-YEAR, 0, YEAR] {
        let mut store = Store::new(ahead);
        store.push(1);
        let current = store.memory.current();
        assert_eq!(current.live.at.as_second(), NOW + ahead);
        assert_eq!(current.expires.unwrap().as_second(), NOW + ahead + 7 * DAY);
        store.ahead = 0;
        store.push(2);
        assert_eq!(store.memory.current().expires.unwrap().as_second(), NOW + 7 * DAY);
        // Retention goes by the time of the push: a clock that was ahead retains longer, never shorter.
        store.collect(NOW);
        assert_eq!(store.memory.current().retained.len(), usize::from(ahead >= 0), "{ahead}");
    }
}

#[test]
fn dropped_generations_are_removed_after_a_week_and_nothing_else_ever_is() {
    let store = Store::new(0);
    (1..=3).for_each(|sequence| store.push(sequence));
    let live = store.memory.current().live;
    // What others put there, next to and inside of folders of generations, and what a killed push left.
    let foreign = [
        "mine.txt".to_owned(),
        "g/mine.txt".to_owned(),
        live.path("mine.txt"),
        store.manifest_of(1).replace(MANIFEST, "mine.txt"),
        "g/000001-00112233445566778899aabbccddeeff.0011223344556677/site.zip".to_owned(),
    ];
    foreign.iter().for_each(|name| store.memory.put(name, "mine"));
    let whole = store.memory.names().len();
    assert_eq!(store.collect(NOW + YEAR), (0, 2));
    store.memory.pass(6 * DAY);
    assert_eq!(store.collect(NOW + YEAR), (0, 2), "six days are less than a week");
    store.memory.take_requests();
    store.memory.pass(2 * DAY);
    assert_eq!(store.collect(NOW + YEAR), (8, 0), "two times three files and a manifest");
    let requests = store.memory.take_requests();
    assert!(requests.iter().filter(|request| request.starts_with("delete ")).all(|request| {
        request.starts_with("delete g/000001-") || request.starts_with("delete g/000002-")
    }));
    let names = store.memory.names();
    // And the clock.
    assert_eq!(names.len(), whole - 8 + 1);
    assert!(foreign.iter().chain(&store.needed()).all(|name| names.contains(name)));
    assert!(store.memory.current().dropped.is_empty() && store.memory.warnings.lock().unwrap().is_empty());
}

#[test]
fn a_manifest_that_is_not_what_was_pushed_is_reported_and_has_nothing_removed() {
    let store = Store::new(0);
    (1..=3).for_each(|sequence| store.push(sequence));
    let manifest = store.manifest_of(1);
    let before = store.memory.object(&manifest).bytes;
    let hostile = String::from_utf8(before.to_vec()).unwrap().replace("changes.bin", "../../CURRENT");
    for bytes in [hostile.as_bytes(), b"", b"{\"format\":9}"] {
        store.memory.put(&manifest, bytes.to_vec());
        store.collect(NOW + YEAR);
        store.memory.pass(8 * DAY);
        store.collect(NOW + YEAR);
        let warnings = std::mem::take(&mut *store.memory.warnings.lock().unwrap());
        let is_named = |text: &String| text.contains(&manifest) && text.contains("stay");
        assert!(warnings.iter().all(is_named), "{warnings:?}");
        // The other one is removed, this one waits.
        assert_eq!((warnings.is_empty(), store.memory.current().dropped.len()), (false, 1));
    }
    let names = store.memory.names();
    assert!(names.contains(&manifest) && store.needed().iter().all(|name| names.contains(name)));
    store.memory.put(&manifest, before);
    assert_eq!(store.collect(NOW + YEAR), (4, 0));
}

#[test]
fn a_garbage_collection_that_is_killed_anywhere_is_finished_by_the_next() {
    for requests in 1..20 {
        let store = Store::new(0);
        (1..=3).for_each(|sequence| store.push(sequence));
        store.collect(NOW + YEAR);
        store.memory.pass(8 * DAY);
        store.memory.take_requests();
        run_until(&store.memory, requests, collect(Client::of(&store.memory), 1));
        assert!(store.needed().iter().all(|name| store.memory.names().contains(name)));
        assert_eq!(store.collect(NOW + YEAR).1, 0);
        let mut expected = [store.needed(), vec![CURRENT.to_owned(), "clock".to_owned()]].concat();
        expected.sort();
        assert_eq!(store.memory.names(), expected, "killed after {requests} requests");
    }
}

#[test]
fn too_many_dropped_generations_stop_pushes_until_they_are_collected() {
    let store = Store::new(0);
    store.push(1);
    let mut current = store.memory.current();
    let of = current.live.clone();
    store.push(2);
    current = Current { version: 3, live: store.memory.current().live, ..current };
    current.dropped = vec![DroppedGeneration { of, since: None }; DROPPED];
    store.memory.put(CURRENT, current.to_bytes(None).unwrap());
    let error = store.try_push(3).unwrap_err();
    assert!(error.class() == ErrorClass::Unwritable && error.to_string().contains("`opdir gc`"), "{error}");
    assert_eq!(store.collect(NOW).1, DROPPED as u64);
    store.memory.pass(8 * DAY);
    assert_eq!(store.collect(NOW), (4, 0));
    store.push(3);
}

#[test]
fn garbage_of_generations_beyond_the_longest_list_is_removed_too() {
    let store = Store::new(0);
    (1..=RETAINED as u64 + 2).for_each(|sequence| store.push(sequence));
    let retained: Vec<u64> =
        store.memory.current().retained.iter().map(|it| it.generation.sequence).collect();
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
