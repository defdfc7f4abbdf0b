//! Keys and signatures: which are trusted, and that no secret is shown or readable by others.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::{Place, Ran};

impl Place {
    /// A folder with a key and a file that it signed; and the public key.
    fn signed() -> (Self, String) {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let key = place.key();
        fs::write(place.path("manifest.json"), "what is published").unwrap();
        let signed = place.opdir(&["keys", "sign", "manifest.json", "--key", "key"]).succeeds();
        assert_eq!(signed, "signed: manifest.json.minisig\n");
        (place, key)
    }

    fn verify(&self, trusted: &[&str]) -> Ran {
        let trusted = trusted.iter().flat_map(|key| ["--trust", key]);
        self.opdir(&["keys", "verify", "manifest.json"].into_iter().chain(trusted).collect::<Vec<_>>())
    }
}

#[test]
fn a_signature_verifies_only_with_a_trusted_key_and_the_signed_bytes() {
    let (place, key) = Place::signed();
    assert_eq!(place.opdir(&["keys", "public", "key"]).succeeds().trim(), key);
    let stranger = place.opdir(&["keys", "new", "other"]).succeeds();
    let stranger = stranger.trim();
    for trusted in [&[&*key][..], &[stranger, &key], &["key.pub"]] {
        assert_eq!(place.verify(trusted).succeeds(), format!("good: signed by {key}\n"));
    }
    place.verify(&[stranger]).fails(5, &["not trusted"]);
    place.verify(&["nobody"]).fails(2, &["neither a public key nor a file"]);
    fs::write(place.path("manifest.json"), "what is Published").unwrap();
    place.verify(&[&key]).fails(5, &["does not match its signature"]);
    fs::write(place.path("manifest.json"), "what is published").unwrap();
    let path = place.path("manifest.json.minisig");
    let good = fs::read_to_string(&path).unwrap();
    // Its comment is signed too.
    fs::write(&path, good.replace("file:manifest", "file:Manifest")).unwrap();
    place.verify(&[&key]).fails(5, &["does not match its signature"]);
    fs::write(&path, "x").unwrap();
    place.verify(&[&key]).fails(5, &["invalid signature"]);
}

#[test]
fn a_secret_key_in_place_of_a_public_key_is_not_shown() {
    let (place, _) = Place::signed();
    let text = fs::read_to_string(place.path("key")).unwrap();
    for text in [text.as_str(), text.lines().nth(1).unwrap()] {
        for (ran, words) in [
            (place.verify(&[text]), "neither a public key"),
            (place.opdir(&["keys", "public", text]), "OPDIR_KEY"),
        ] {
            ran.fails(2, &["a text of ", words]);
            assert!(!ran.err.contains(text.trim()), "{}", ran.err);
        }
    }
}

#[test]
fn a_secret_key_that_others_may_use_is_refused() {
    let (place, _) = Place::signed();
    let sign = || place.opdir(&["keys", "sign", "manifest.json", "--key", "key"]);
    for mode in [0o644, 0o640, 0o604, 0o622] {
        fs::set_permissions(place.path("key"), fs::Permissions::from_mode(mode)).unwrap();
        sign().fails(2, &["chmod 600 key"]);
    }
    fs::set_permissions(place.path("key"), fs::Permissions::from_mode(0o400)).unwrap();
    sign().succeeds();
}

#[test]
fn a_secret_key_is_readable_by_its_owner_only_and_never_overwritten_or_left_without_its_public_key() {
    let (place, _) = Place::signed();
    assert_eq!(fs::metadata(place.path("key")).unwrap().permissions().mode() & 0o777, 0o600);
    place.opdir(&["keys", "new", "key"]).fails(4, &["key: "]);
    fs::write(place.path("key"), "no key").unwrap();
    place.opdir(&["keys", "public", "key"]).fails(2, &["key: "]);
    fs::write(place.path("other.pub"), "another").unwrap();
    place.opdir(&["keys", "new", "other"]).fails(4, &["other.pub: "]);
    assert!(!place.path("other").exists());
    assert_eq!(fs::read_to_string(place.path("other.pub")).unwrap(), "another");
}

#[test]
fn minisign_verifies_our_signatures() {
    let (place, key) = Place::signed();
    let mut command = Command::new("minisign");
    let file = place.path("manifest.json");
    match command.args(["-V", "-q", "-P", &key, "-m"]).arg(&file).status() {
        Ok(status) => assert!(status.success()),
        Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "not installed"),
    }
}
