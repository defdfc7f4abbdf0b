//! CURRENT is accepted only with a trusted signature, in exactly the bytes that were written, and never again after a later
//! version.

use std::io::Cursor;
use std::path::Path;

use jiff::Timestamp;
use minisign::{KeyPair, SignatureBox};
use store::{Digest, GenerationId};
use uuid::Uuid;

use super::memory::{Client, Memory, NOW, run_alone};
use super::schedules::{TestSource, as_publisher, collect, pushed, unsigned};
use crate::current::{
    Current, DROPPED, DroppedGeneration, FORMAT, FetchedCurrent, GenerationRef, LIMIT, RETAINED, Trust,
};
use crate::error::{ErrorClass, RemoteError};
use crate::publish::Publisher;
use crate::rollback_guard::RollbackGuard;
use crate::stores::{FetchedObject, ObjectVersion};

fn at() -> Timestamp {
    "2026-11-20T06:00:00Z".parse().unwrap()
}

fn generation(sequence: u64) -> GenerationRef {
    let hash = *Digest::of(&sequence.to_le_bytes()).0.first_chunk().unwrap();
    let generation = GenerationId { sequence, hash };
    GenerationRef { generation, manifest: Digest::of(b"manifest"), at: at() }
}

fn current(version: u64) -> Current {
    Current {
        format: FORMAT,
        root: Uuid::from_u128(7),
        version,
        live: generation(43),
        retained: vec![generation(41), generation(42)],
        dropped: vec![DroppedGeneration { of: generation(40), since: Some(NOW) }],
        expires: Some(at()),
    }
}

/// A signer and its public key.
pub(super) fn key() -> (impl Fn(&[u8]) -> Result<String, String>, String) {
    let pair = KeyPair::generate_unencrypted_keypair().unwrap();
    let public = pair.pk.to_base64();
    let sign = move |line: &[u8]| {
        let signed = minisign::sign(None, &pair.sk, Cursor::new(line), None, None);
        signed.map(SignatureBox::into_string).map_err(|error| error.to_string())
    };
    (sign, public)
}

fn parse(bytes: &[u8], trust: &Trust) -> Result<FetchedCurrent, RemoteError> {
    let object =
        FetchedObject { bytes: bytes.to_vec().into(), version: ObjectVersion::default(), modified: 0 };
    FetchedCurrent::parse("store", &object, trust)
}

#[track_caller]
fn is_unverified(bytes: &[u8], trust: &Trust, expected: &str) {
    let error = parse(bytes, trust).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Unverified);
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn no_byte_can_differ_and_none_can_be_missing() {
    let (sign, public) = key();
    let trust = Trust::new(&[public], false).unwrap();
    let bytes = current(57).to_bytes(Some(&sign)).unwrap().to_vec();
    let text = String::from_utf8(bytes.clone()).unwrap();
    // The first comment of a signature is not signed.
    let start = text.find("untrusted comment: ").unwrap();
    let comment = start..start + text[start..].find('\n').unwrap();
    for at in (0..bytes.len() - 1).filter(|at| !comment.contains(at)) {
        for flip in [1, 0x20, 0x80] {
            let mut other = bytes.clone();
            other[at] ^= flip;
            assert!(parse(&other, &trust).is_err(), "byte {at} of {}", bytes.len());
        }
        assert!(parse(&bytes[..at], &trust).is_err(), "cut at {at}");
    }
}

#[test]
fn foreign_and_later_formats_are_named() {
    let assert_unverified = |text: &str, expected| is_unverified(text.as_bytes(), &unsigned(), expected);
    let line = String::from_utf8(current(57).to_bytes(None).unwrap().to_vec()).unwrap();
    assert_unverified("{\"format\":3,\"anything\":[]}\n", "update this program");
    assert_unverified("<html>\n", "not one of ours");
    assert_unverified("", "no line");
    assert_unverified(&line.replace("\"version\":57", "\"version\":0"), "out of bounds");
    assert_unverified(&line.replace("\"version\":57", "\"version\": 57"), "not written the way");
    assert_unverified(&line.replace("\"version\"", "\"extra\":1,\"version\""), "unknown field");
    let many = Current { retained: vec![current(1).live; 65], ..current(57) };
    assert_unverified(std::str::from_utf8(&many.to_bytes(None).unwrap()).unwrap(), "out of bounds");
}

#[test]
fn the_longest_current_can_still_be_written_by_garbage_collection() {
    let longest = GenerationRef {
        generation: GenerationId { sequence: u64::MAX, hash: [255; 16] },
        at: "2026-11-20T06:00:00.123456789Z".parse().unwrap(),
        ..generation(1)
    };
    let dropped = DroppedGeneration { of: longest.clone(), since: Some(i64::MAX) };
    let full = Current { live: longest, dropped: vec![dropped; DROPPED + 2 * RETAINED], ..current(u64::MAX) };
    assert!(full.to_bytes(Some(&key().0)).unwrap().len() as u64 <= LIMIT);
}

fn guard(root: &Path) -> RollbackGuard {
    RollbackGuard::read(root).unwrap()
}

fn read(current: Current, key: &str) -> FetchedCurrent {
    let line = Digest::of(&current.to_bytes(None).unwrap());
    FetchedCurrent { current, line, key: key.to_owned(), version: ObjectVersion::default() }
}

#[test]
fn the_guard_keeps_a_version_for_each_store() {
    let (root, (_, key)) = (tempfile::tempdir().unwrap(), key());
    let trust = Trust::new(std::slice::from_ref(&key), false).unwrap();
    let one = |version| read(current(version), &key);
    let other = |version| read(Current { root: Uuid::from_u128(8), ..current(version) }, &key);
    guard(root.path()).record(&one(57), "first").unwrap();
    guard(root.path()).check_push(Some(&other(3)), "second", &trust).unwrap();
    guard(root.path()).record(&other(3), "second").unwrap();
    guard(root.path()).record(&one(57), "first").unwrap();
    let check = |read: &FetchedCurrent, place| guard(root.path()).check(read, place, &trust);
    assert!(check(&one(57), "first").is_ok() && check(&other(3), "second").is_ok());
    assert!(check(&one(56), "first").unwrap_err().is_stale());
    assert!(check(&other(2), "second").unwrap_err().is_stale());
    // The content of one store at the address of the other.
    assert!(matches!(check(&other(4), "first").unwrap_err(), RemoteError::Foreign { .. }));
    let split = check(&read(Current { expires: None, ..current(57) }, &key), "first").unwrap_err();
    assert!(matches!(split, RemoteError::Split { version: 57, .. }));
    guard(root.path()).record(&one(3), "first").unwrap();
    assert!(check(&one(56), "first").is_err(), "no record lowers a version");
    let emptied = guard(root.path()).check_push(None, "first", &trust).unwrap_err();
    assert!(matches!(emptied, RemoteError::Gone { accepted: 57, .. }));
    assert!(guard(root.path()).check_push(None, "third", &trust).is_ok());
    std::fs::write(root.path().join("accepted"), "{").unwrap();
    let error = RollbackGuard::read(root.path()).err().unwrap();
    assert!(error.to_string().contains("accepted"));
}

/// A recovery trusts nothing that is in the store: it uploads all again, and garbage collection keeps it.
#[test]
fn a_recovery_of_what_is_live_repairs_the_store_and_is_not_collected() {
    let (memory, root) = (Memory::empty(), tempfile::tempdir().unwrap());
    let client = Client::of(&memory);
    for sequence in 1..=3 {
        let source = TestSource::new(sequence, "own").of(root.path());
        run_alone(pushed(&client, 0, source)).unwrap();
    }
    let whole = memory.objects.lock().unwrap().clone();
    let damaged: Vec<String> = memory.names().into_iter().filter(|name| name.contains("g/000003")).collect();
    damaged.iter().for_each(|name| memory.put(name, "damaged"));
    run_alone(as_publisher(&client, 0, async |publisher| {
        let recovering = Publisher { recover: true, ..*publisher };
        recovering.push(&TestSource::new(3, "own").of(root.path())).await.unwrap();
    }));
    run_alone(collect(client, 3));
    let objects = memory.objects.lock().unwrap();
    assert!(damaged.len() == 4 && damaged.iter().all(|name| objects[name].0 == whole[name].0));
    assert!(!objects.keys().any(|name| name.contains("g/000001")), "others are");
}

#[test]
fn a_push_of_what_is_live_renews_its_validity_with_one_request_more() {
    let memory = Memory::empty();
    let push = |valid_for: Option<u64>| {
        let mut pushed = None;
        memory.requests.lock().unwrap().clear();
        run_alone(as_publisher(&Client::of(&memory), 0, async |publisher| {
            let valid_for = valid_for.map(std::time::Duration::from_secs);
            let publisher = Publisher { valid_for, ..*publisher };
            pushed = Some(publisher.push(&TestSource::new(1, "own")).await.unwrap());
        }));
        let pushed = pushed.unwrap();
        let expires = pushed.current.current.expires.map(Timestamp::as_second);
        (pushed.unchanged, pushed.current.current.version, expires, memory.requests.lock().unwrap().len())
    };
    assert_eq!(push(Some(3600)).2, Some(NOW + 3600));
    memory.pass(60);
    assert_eq!(push(Some(3600)), (true, 2, Some(NOW + 3660), 2));
    assert_eq!(push(None), (true, 3, None, 2), "as a push of other content would");
    assert_eq!(push(None), (true, 3, None, 1));
}
