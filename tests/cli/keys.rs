//! Keys and signatures: which are trusted, and that no secret is shown or readable by others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::Place;

#[test]
fn a_secret_key_in_place_of_a_public_key_is_not_shown() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    place.key();
    let text = fs::read_to_string(place.path("key")).unwrap();
    for text in [text.as_str(), text.lines().nth(1).unwrap()] {
        for (ran, words) in [
            (place.pull("other", text), "neither a public key"),
            (place.opdir(&["keys", "public", text]), "OPDIR_KEY"),
        ] {
            ran.fails(2, &["a text of ", words]);
            assert!(!ran.err.contains(text.trim()), "{}", ran.err);
        }
    }
}

#[test]
fn a_secret_key_is_readable_by_its_owner_only_and_never_overwritten_or_left_without_its_public_key() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let key = place.key();
    let public = || place.opdir(&["keys", "public", "key"]);
    assert_eq!(fs::metadata(place.path("key")).unwrap().permissions().mode() & 0o777, 0o600);
    for mode in [0o644, 0o640, 0o604, 0o622] {
        fs::set_permissions(place.path("key"), fs::Permissions::from_mode(mode)).unwrap();
        public().fails(2, &["chmod 600 key"]);
    }
    fs::set_permissions(place.path("key"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(public().succeeds().trim(), key);
    place.pull("other", "nobody").fails(2, &["neither a public key nor a file"]);
    place.opdir(&["keys", "new", "key"]).fails(4, &["key: "]);
    fs::write(place.path("key"), "no key").unwrap();
    public().fails(2, &["key: "]);
    fs::write(place.path("other.pub"), "another").unwrap();
    place.opdir(&["keys", "new", "other"]).fails(4, &["other.pub: "]);
    assert!(!place.path("other").exists());
    assert_eq!(fs::read_to_string(place.path("other.pub")).unwrap(), "another");
}
