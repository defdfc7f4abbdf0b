//! CURRENT is believed of who is trusted, in just these bytes, and never again once a later one was taken.

use std::io::Cursor;

use jiff::Timestamp;
use minisign::{KeyPair, SignatureBox};
use snapshot::store::{Digest, GenerationId};
use uuid::Uuid;

use crate::current::{Current, FetchedCurrent, GenerationRef, Next};
use crate::error::{ErrorClass, RemoteError};
use crate::keys::Trust;
use crate::rollback_guard::RollbackGuard;
use crate::target::ObjectVersion;

fn at() -> Timestamp {
    "2026-11-20T06:00:00Z".parse().unwrap()
}

fn named(sequence: u64) -> GenerationRef {
    GenerationRef {
        generation: GenerationId::new(sequence, &Digest::of(&sequence.to_le_bytes())),
        push: Uuid::from_u128(u128::from(sequence)),
        contents: Digest::of(b"contents"),
        at: at(),
    }
}

fn pointer(version: u64) -> Current {
    Current {
        format: 1,
        root: Uuid::from_u128(7),
        version,
        live: named(43),
        retained: vec![named(41), named(42)],
        next: None,
        spent: None,
        retired: Some(Digest::of(b"retired")),
        expires: Some(at()),
    }
}

/// The same while another generation is rolled out.
fn rolling(percent: u8) -> Current {
    Current { live: named(42), next: Some(Next { named: named(43), percent }), ..pointer(57) }
}

/// A key pair: what signs, and the public key in one line.
fn key() -> (impl Fn(&[u8]) -> Result<String, String>, String) {
    let pair = KeyPair::generate_unencrypted_keypair().unwrap();
    let public = pair.pk.to_base64();
    let sign = move |line: &[u8]| {
        let signed = minisign::sign(None, &pair.sk, Cursor::new(line), None, None);
        signed.map(SignatureBox::into_string).map_err(|error| error.to_string())
    };
    (sign, public)
}

fn read(bytes: &[u8], trust: &Trust) -> Result<Current, RemoteError> {
    Current::read("store", bytes, trust).map(|(pointer, _, _)| pointer)
}

#[test]
fn it_is_read_as_it_was_written_by_who_is_trusted() {
    let ((sign, public), (_, other)) = (key(), key());
    let expected = pointer(57);
    let bytes = expected.write(Some(&sign)).unwrap();
    for keys in [vec![public.clone()], vec![other.clone(), public.clone()]] {
        let (found, line, by) = Current::read("store", &bytes, &Trust::of(&keys, false).unwrap()).unwrap();
        assert_eq!((found, &by), (expected.clone(), &public));
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        assert_eq!(line, Digest::of(&bytes[..end]), "line 1 with its end is what was signed");
    }
    let refused = |bytes: &[u8], trust: Trust| {
        let error = read(bytes, &trust).unwrap_err();
        assert_eq!(error.kind(), ErrorClass::Unverified);
        error.to_string()
    };
    assert!(
        refused(&bytes, Trust::of(&[other], false).unwrap()).contains("not signed by a key that is trusted")
    );
    assert!(refused(&bytes, Trust::of(&[], true).unwrap()).contains("name the key"));
    let unsigned = expected.write(None).unwrap();
    assert_eq!(read(&unsigned, &Trust::of(&[], true).unwrap()).unwrap(), expected);
    assert!(
        refused(&unsigned, Trust::of(std::slice::from_ref(&public), false).unwrap()).contains("not signed")
    );
    assert!(Trust::of(&[public[1..].to_owned()], false).is_err());
}

#[test]
fn no_byte_of_it_can_be_another_and_none_can_be_missing() {
    let (sign, public) = key();
    let trust = Trust::of(&[public], false).unwrap();
    let bytes = pointer(57).write(Some(&sign)).unwrap().to_vec();
    let text = String::from_utf8(bytes.clone()).unwrap();
    // The first comment of a signature is nobody's word.
    let start = text.find("untrusted comment: ").unwrap();
    let comment = start..start + text[start..].find('\n').unwrap();
    for at in (0..bytes.len()).filter(|at| !comment.contains(at)) {
        for flip in [1, 0x20, 0x80] {
            let mut other = bytes.clone();
            other[at] ^= flip;
            let believed = read(&other, &trust);
            assert!(believed.is_err() || at + 1 == bytes.len(), "byte {at} of {}: {believed:?}", bytes.len());
        }
        assert!(read(&bytes[..at], &trust).is_err() || at + 1 == bytes.len(), "cut at {at}");
    }
}

#[test]
fn what_is_not_ours_or_of_later_is_named() {
    let trust = Trust::of(&[], true).unwrap();
    let told = |text: &str| {
        let error = read(text.as_bytes(), &trust).unwrap_err();
        assert_eq!(error.kind(), ErrorClass::Unverified);
        error.to_string()
    };
    let line = String::from_utf8(pointer(57).write(None).unwrap().to_vec()).unwrap();
    assert!(told("{\"format\":2,\"anything\":[]}\n").contains("update this program"));
    assert!(told("<html>\n").contains("not one of ours"));
    assert!(told("").contains("no line"));
    assert!(told(&line.replace("\"version\":57", "\"version\":0")).contains("out of bounds"));
    assert!(told(&line.replace("\"version\":57", "\"version\": 57")).contains("not written the way"));
    assert!(told(&line.replace("\"version\"", "\"extra\":1,\"version\"")).contains("unknown field"));
    let many = Current { retained: vec![pointer(1).live; 65], ..pointer(57) };
    assert!(told(std::str::from_utf8(&many.write(None).unwrap()).unwrap()).contains("out of bounds"));
}

#[test]
fn a_rollout_is_read_as_it_was_written_and_no_other_way() {
    let trust = Trust::of(&[], true).unwrap();
    let text = |pointer: &Current| String::from_utf8(pointer.write(None).unwrap().to_vec()).unwrap();
    let expected = Current { spent: Some(41), ..rolling(5) };
    assert_eq!(read(text(&expected).as_bytes(), &trust).unwrap(), expected);
    let told = |text: &str| read(text.as_bytes(), &trust).unwrap_err().to_string();
    let line = text(&rolling(5));
    for percent in ["0", "100", "255"] {
        let other = line.replace("\"percent\":5", &format!("\"percent\":{percent}"));
        assert!(told(&other).contains("out of bounds"), "{percent}");
    }
    assert!(told(&line.replace("\"percent\":5", "\"percent\":256")).contains("not one of ours"));
    assert!(told(&line.replace("\"percent\"", "\"extra\":1,\"percent\"")).contains("unknown field"));
    // Of what no rollout touched nothing else is written than before there were any.
    let still = text(&pointer(57));
    assert!(!still.contains("next") && !still.contains("spent"));
    for absent in ["next", "spent"] {
        let other = still.replace("\"retired\"", &format!("\"{absent}\":null,\"retired\""));
        assert!(told(&other).contains("not written the way"), "{absent}");
    }
}

#[test]
fn an_edge_takes_what_is_rolled_out_if_its_draw_is_below_the_percent() {
    // `{ xxd -r -p <<<00000000000000000000000000000007; printf %s 000043-8bf3cd6bb2af61dde37441d65f1b1f6b edge-1; } |
    // sha256sum`: its first 16 digits are a number, of which these are the last two in decimal.
    for (edge, drawn) in [("edge-1", 9), ("edge-2", 72), ("edge-3", 8), ("edge-4", 35), ("", 90), ("é", 61)]
    {
        for percent in 1..100 {
            let expected = if drawn < percent { 43 } else { 42 };
            let found = rolling(percent).of_edge(Some(edge)).generation.sequence;
            assert_eq!(found, expected, "{edge} at {percent} %");
        }
    }
    assert_eq!(rolling(99).of_edge(None).generation.sequence, 42, "who has no name is no edge");
    assert_eq!(pointer(57).of_edge(Some("edge-3")).generation.sequence, 43, "no rollout, so what is live");
}

#[test]
fn an_older_one_another_of_the_same_version_and_another_store_are_refused_key_by_key() {
    let root = tempfile::tempdir().unwrap();
    let read = |pointer: Current, key: &str| {
        let line = Digest::of(&pointer.write(None).unwrap());
        FetchedCurrent { pointer, line, key: key.to_owned(), version: ObjectVersion::default() }
    };
    let judge = |read: &FetchedCurrent| {
        let before = RollbackGuard::of(root.path()).unwrap();
        RollbackGuard::judge(before.as_ref(), read, "store", root.path())
    };
    assert!(judge(&read(pointer(1), "a")).is_ok(), "nothing was taken yet");
    RollbackGuard::note(None, &read(pointer(57), "a"), root.path()).unwrap();
    assert!(judge(&read(pointer(57), "a")).is_ok() && judge(&read(pointer(58), "a")).is_ok());
    let older = judge(&read(pointer(56), "a")).unwrap_err();
    assert!(older.is_stale() && older.to_string().contains("older (56)"));
    let split = judge(&read(Current { expires: None, ..pointer(57) }, "a")).unwrap_err();
    assert!(matches!(split, RemoteError::Split { version: 57, .. }));
    let foreign = judge(&read(Current { root: Uuid::from_u128(8), ..pointer(58) }, "a")).unwrap_err();
    assert!(matches!(foreign, RemoteError::Foreign { .. }));
    assert!(judge(&read(pointer(3), "b")).is_ok(), "what a stolen key signed binds no other");
    let before = RollbackGuard::of(root.path()).unwrap();
    RollbackGuard::note(before, &read(pointer(3), "b"), root.path()).unwrap();
    assert!(judge(&read(pointer(2), "b")).is_err() && judge(&read(pointer(56), "a")).is_err());
    std::fs::write(root.path().join("accepted"), "{").unwrap();
    assert!(RollbackGuard::of(root.path()).unwrap_err().to_string().contains("accepted"));
}
