//! What was fetched is kept in files that are found again, go when they are too many, and are believed in nothing.

use std::fs::File;

use super::*;
use crate::DiskCache;
use crate::codec::{Object, ObjectId, encode};

/// An object that compresses to nothing.
fn object(n: u32, len: usize) -> (Object, Vec<u8>) {
    let mut state = u64::from(n) + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let bytes: Vec<u8> = (0..len).map(|_| next()).collect();
    encode(ObjectId::of(&bytes), &bytes, 1, None)
}

#[test]
fn what_is_kept_is_found_again_by_the_next_one_up_to_where_a_file_was_cut() {
    let root = Scratch::new();
    let objects: Vec<_> = (0..20).map(|n| object(n, 1000)).collect();
    let ring = DiskCache::open(&root, 1 << 20).unwrap();
    objects.iter().for_each(|(object, stored)| ring.put(object, stored));
    let bytes = ring.bytes();
    assert_eq!(bytes, 20 * (48 + 1000));
    drop(ring);
    let again = DiskCache::open(&root, 1 << 20).unwrap();
    assert_eq!(again.bytes(), bytes);
    assert!(objects.iter().all(|(object, stored)| again.get(&object.id).unwrap().1 == *stored));
    drop(again);
    let file = root.join("bodies/00000001.ring");
    File::options().write(true).open(&file).unwrap().set_len(bytes - 1).unwrap();
    let cut = DiskCache::open(&root, 1 << 20).unwrap();
    assert_eq!(cut.bytes(), bytes - 1048);
    assert!(cut.get(&objects[19].0.id).is_none() && cut.get(&objects[18].0.id).is_some());
    cut.put(&objects[19].0, &objects[19].1);
    assert_eq!(cut.get(&objects[19].0.id).unwrap().1, objects[19].1);
    assert_eq!(fs::metadata(&file).unwrap().len(), bytes, "it goes on in the file that was cut");
}

#[test]
fn the_oldest_goes_when_there_is_too_much_and_never_more_is_on_disk() {
    let root = Scratch::new();
    let capacity = 100_000;
    let ring = DiskCache::open(&root, capacity).unwrap();
    let objects: Vec<_> = (0..300).map(|n| object(n, 1000)).collect();
    for (object, stored) in &objects {
        ring.put(object, stored);
        let on_disk: u64 = fs::read_dir(root.join("bodies"))
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!(on_disk <= capacity && on_disk == ring.bytes(), "{on_disk}");
    }
    assert!(ring.get(&objects[0].0.id).is_none());
    assert!(objects[250..].iter().all(|(object, _)| ring.has(&object.id)));
    drop(ring);
    let smaller = DiskCache::open(&root, 30_000).unwrap();
    assert!(smaller.bytes() <= 30_000 && smaller.has(&objects[299].0.id));
    DiskCache::remove(&root).unwrap();
    DiskCache::remove(&root).unwrap();
    assert!(!root.join("bodies").exists());
}

#[test]
fn two_at_once_write_to_files_of_their_own() {
    let root = Scratch::new();
    let [one, other] = [0, 1].map(|_| DiskCache::open(&root, 1 << 20).unwrap());
    let objects: Vec<_> = (0..10).map(|n| object(n, 500)).collect();
    for (object, stored) in &objects {
        one.put(object, stored);
        other.put(object, stored);
    }
    for ring in [one, other] {
        assert!(objects.iter().all(|(object, stored)| ring.get(&object.id).unwrap().1 == *stored));
    }
}

#[test]
fn a_damaged_row_is_not_taken_for_one() {
    let root = Scratch::new();
    let ring = DiskCache::open(&root, 1 << 20).unwrap();
    let (one, stored) = object(1, 100);
    ring.put(&one, &stored);
    let file = root.join("bodies/00000001.ring");
    for at in 0..48 {
        let mut bytes = fs::read(&file).unwrap();
        bytes[at] ^= 1;
        let copy = Scratch::new();
        fs::create_dir_all(copy.join("bodies")).unwrap();
        fs::write(copy.join("bodies/00000001.ring"), bytes).unwrap();
        assert_eq!(DiskCache::open(&copy, 1 << 20).unwrap().bytes(), 0, "byte {at}");
    }
    ring.forget(&one.id);
    assert!(ring.get(&one.id).is_none());
}
