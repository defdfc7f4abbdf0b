//! A generation of which the bodies were left in a store: each is fetched once, compared, kept, and found again; without
//! a store nothing is taken for whole that is not.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use super::packs::PACKS;
use super::travel::{Elsewhere, pages};
use super::*;
use crate::{
    DiskCache, Fetch, FetchMode, LazyBodies, PackOptions, PackRange, PackedGeneration, ReadMode, take_present,
};

/// A store that counts requests and fails as configured.
struct Store {
    packs: Elsewhere,
    requests: AtomicUsize,
    /// What comes is cut, turned over, or not there, so many times.
    wrong: AtomicUsize,
    dead: AtomicBool,
}

impl Fetch for Store {
    fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
        self.requests.fetch_add(1, Relaxed);
        if self.dead.load(Relaxed) {
            return Err("it is away".to_owned());
        }
        let mut came: Vec<Vec<u8>> = pieces.iter().map(|piece| self.packs.piece(piece)).collect();
        if self.wrong.load(Relaxed) > 0 {
            match self.wrong.fetch_sub(1, Relaxed) % 3 {
                0 => came[0][0] ^= 1,
                1 => drop(came.pop()),
                _ => came[0].truncate(3),
            }
        }
        Ok(came)
    }
}

struct Setup {
    from: Scratch,
    to: Scratch,
    store: Arc<Store>,
    outgoing: PackedGeneration,
}

fn all_pages() -> Vec<(String, Vec<u8>)> {
    let mut all = pages("");
    all.push(("index/x.bin".to_owned(), packs::noise(200_000)));
    all
}

fn setup() -> Setup {
    let [from, to] = [Scratch::new(), Scratch::new()];
    packs::put(&from, &PACKS, &all_pages());
    let packs = Elsewhere::default();
    let (outgoing, _) = packs.push(&from, None, 1);
    let fetched = packs.pull_as(&to, &outgoing, FetchMode::IndexOnly).unwrap();
    // Half of 800,000 in all, as noise compresses.
    assert!((100_000..200_000).contains(&fetched), "index, table and dictionary: {fetched}");
    let store = Store {
        packs,
        requests: AtomicUsize::new(0),
        wrong: AtomicUsize::new(0),
        dead: AtomicBool::new(false),
    };
    Setup { from, to, store: Arc::new(store), outgoing }
}

impl Setup {
    fn away(&self, capacity: u64) -> Arc<LazyBodies> {
        Arc::new(LazyBodies::new(
            Arc::clone(&self.store) as Arc<_>,
            DiskCache::open(&self.to, capacity).unwrap(),
        ))
    }

    fn open(&self, capacity: u64) -> Generation {
        let live = Generation::open_current(&self.to).unwrap();
        live.attach(&self.away(capacity));
        live
    }

    fn requests(&self) -> usize {
        self.store.requests.load(Relaxed)
    }
}

fn read(of: &Generation, path: &str, reach: ReadMode) -> Result<Vec<u8>, StoreError> {
    of.read_with(of.files().find(path.as_bytes()).unwrap(), Coding::Identity, reach)
}

#[test]
fn every_body_is_fetched_once_and_kept_over_restarts() {
    let setup = setup();
    for round in 0..2 {
        let live = setup.open(64 << 20);
        assert!(live.is_lazy() && live.is_packed());
        for (path, body) in all_pages() {
            let near = read(&live, &path, ReadMode::LocalOnly);
            match round == 1 || path.starts_with("index/") {
                true => assert!(near.unwrap() == body),
                false => {
                    assert!(matches!(
                        near,
                        Err(StoreError::BodyUnavailable { why: BodyUnavailable::NotLocal, .. })
                    ));
                    assert!(read(&live, &path, ReadMode::AllowRemote).unwrap() == body, "{path}");
                }
            }
        }
        assert_eq!(setup.requests(), all_pages().len() - 1, "each once: a body of several objects too");
    }
}

#[test]
fn concurrent_reads_of_a_body_are_one_request() {
    let setup = setup();
    let (live, barrier) = (setup.open(64 << 20), Barrier::new(8));
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                barrier.wait();
                assert!(read(&live, "public/big.txt", ReadMode::AllowRemote).is_ok());
            });
        }
    });
    assert_eq!(setup.requests(), 1);
}

#[test]
fn a_damaged_body_is_requested_again_and_never_returned() {
    let setup = setup();
    let live = setup.open(64 << 20);
    for wrong in [1, 2] {
        setup.store.wrong.store(wrong, Relaxed);
        let path = format!("public/p/{wrong}.html");
        let expected = all_pages().into_iter().find(|(name, _)| *name == path).unwrap().1;
        assert!(read(&live, &path, ReadMode::AllowRemote).unwrap() == expected);
    }
    setup.store.wrong.store(9, Relaxed);
    let error = read(&live, "public/p/9.html", ReadMode::AllowRemote).unwrap_err();
    assert!(error.to_string().contains("not what was published"), "{error}");
}

#[test]
fn a_damaged_ring_gives_out_nothing_and_the_body_is_fetched_again() {
    let setup = setup();
    let path = "public/p/7.html";
    let body = read(&setup.open(64 << 20), path, ReadMode::AllowRemote).unwrap();
    let file = setup.to.join("bodies/00000001.ring");
    let good = fs::read(&file).unwrap();
    let before = setup.requests();
    for at in 48..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        fs::write(&file, bytes).unwrap();
        let live = setup.open(64 << 20);
        // A few bits make no difference to what is decoded.
        if let Ok(near) = read(&live, path, ReadMode::LocalOnly) {
            assert!(near == body, "byte {at}");
        }
        assert!(read(&live, path, ReadMode::AllowRemote).unwrap() == body, "byte {at}");
    }
    let (requests, bytes) = (setup.requests() - before, good.len() - 48);
    assert!(requests * 2 > bytes && requests <= bytes, "{requests} of {bytes}");
}

#[test]
fn without_its_store_cached_bodies_are_read_and_all_else_is_an_error() {
    let setup = setup();
    let live = setup.open(64 << 20);
    read(&live, "public/p/1.html", ReadMode::AllowRemote).unwrap();
    setup.store.dead.store(true, Relaxed);
    assert!(read(&live, "public/p/1.html", ReadMode::LocalOnly).is_ok());
    let error = read(&live, "public/p/2.html", ReadMode::AllowRemote).unwrap_err();
    assert!(error.may_pass() && error.to_string().contains("it is away"), "{error}");
    setup.store.dead.store(false, Relaxed);
    assert!(read(&live, "public/p/2.html", ReadMode::AllowRemote).is_ok());
}

#[test]
fn a_generation_without_its_bodies_is_taken_for_a_whole_one_nowhere() {
    let setup = setup();
    let is_index_only = |error: &StoreError| error.to_string().contains("only its index is here");
    for mode in [VerifyMode::Fast, VerifyMode::Files, VerifyMode::Deep] {
        let faults = faults(&setup.to, mode);
        assert!(faults.len() == 1 && faults[0].contains("only its index is here"), "{faults:?}");
    }
    let live = Generation::open_current(&setup.to).unwrap();
    assert!(is_index_only(&live.require_whole().unwrap_err()));
    assert!(is_index_only(&read(&live, "public/p/1.html", ReadMode::AllowRemote).unwrap_err()));
    let how = PackOptions { salt: 3, level: 3, jobs: 1 };
    assert!(is_index_only(&live.outgoing(None, how, &|_, _| Ok(())).unwrap_err()));
    let manifest = &setup.outgoing.manifest;
    assert_eq!(take_present(&setup.to, manifest, FetchMode::All).unwrap(), None);
    assert_eq!(take_present(&setup.to, manifest, FetchMode::IndexOnly).unwrap(), Some((live.id(), true)));
    // The same generation comes whole, while the one without bodies is open.
    assert!(!live.is_replaced());
    setup.store.packs.pull(&setup.to, &setup.outgoing).unwrap();
    assert!(live.is_replaced() && faults(&setup.to, VerifyMode::Deep).is_empty());
    let whole = take_present(&setup.to, manifest, FetchMode::IndexOnly).unwrap();
    assert_eq!(whole, Some((live.id(), true)), "what is whole is good enough");
    assert!(!Generation::open_current(&setup.to).unwrap().is_lazy());
}

#[test]
fn the_next_generation_reuses_local_objects_and_one_built_on_it_is_whole() {
    let setup = setup();
    let mut changed = all_pages();
    changed[7].1.extend(b"changed");
    packs::put(&setup.from, &PACKS, &changed);
    let (second, _) = setup.store.packs.push(&setup.from, Some(&setup.outgoing), 2);
    let fetched = setup.store.packs.pull_as(&setup.to, &second, FetchMode::IndexOnly).unwrap();
    assert!(fetched < 100_000, "only the table is another: {fetched}");
    let live = setup.open(64 << 20);
    assert!(live.is_lazy() && read(&live, "public/p/7.html", ReadMode::AllowRemote).unwrap() == changed[7].1);
    assert!(rollback(&setup.to, None, DAY).is_err(), "the one before is not whole");
    for layout in [PACKS, tree("tenth 1")] {
        changed[3].1.extend(b"changed too");
        packs::put(&setup.to, &layout, &changed);
        assert!(faults(&setup.to, VerifyMode::Deep).is_empty());
        assert_eq!(
            Generation::open_current(&setup.to).unwrap().id().sequence,
            live_id(&setup.to).unwrap().sequence
        );
    }
    let gone = gc(&setup.to, 1, SystemTime::now() + Duration::from_secs(9)).unwrap();
    assert!(!gone.is_empty());
}

#[test]
fn an_index_that_is_damaged_is_fetched_anew() {
    let setup = setup();
    let live = live_id(&setup.to).unwrap();
    let pack = fs::read_dir(dir(&setup.to, live).join("packs")).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(&pack).unwrap();
    overwrite(&pack, &bytes[1..]);
    assert_eq!(take_present(&setup.to, &setup.outgoing.manifest, FetchMode::IndexOnly).unwrap(), None);
    setup.store.packs.pull_as(&setup.to, &setup.outgoing, FetchMode::IndexOnly).unwrap();
    assert!(read(&setup.open(1 << 20), "public/p/1.html", ReadMode::AllowRemote).is_ok());
}
