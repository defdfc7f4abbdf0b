//! Push and pull as publishers and operators meet them, over a folder as a store: what goes well, and each of the ways
//! in which it does not, in a sentence and an exit code.

use std::fs;

use super::harness::content;
use super::{BUILD, Place};

impl Place {
    /// The address of a store in this folder.
    pub(super) fn store(&self) -> String {
        format!("file://{}", self.path("store").display())
    }

    pub(super) fn key(&self) -> String {
        self.opdir(&["keys", "new", "key"]).succeeds().trim().to_owned()
    }

    pub(super) fn push(&self) -> super::Ran {
        self.opdir(&["push", "root", &self.store(), "--key", "key"])
    }

    pub(super) fn pull(&self, root: &str, key: &str) -> super::Ran {
        self.opdir(&["pull", &self.store(), root, "--trust", key])
    }

    /// Builds the data of the day after, or any other.
    pub(super) fn build_day(&self, root: &str, day: &str) {
        let mut args = BUILD;
        (args[6], args[8]) = (root, day);
        self.opdir(&args).succeeds();
    }
}

/// How much a pull fetched, in KiB.
fn fetched_kib(printed: &str) -> f64 {
    let (rest, _) = printed.split_once(" fetched").unwrap();
    let mut words = rest.rsplit(' ');
    let unit = if words.next() == Some("MiB") { 1024.0 } else { 1.0 };
    unit * words.next().unwrap().parse::<f64>().unwrap()
}

#[test]
fn what_is_pushed_is_pulled_under_its_name_and_a_day_later_only_what_changed() {
    let place = Place::with_snapshot();
    let key = place.key();
    assert!(place.push().succeeds().contains(&format!("{} is live in file://", place.live())));
    assert!(place.push().succeeds().starts_with("unchanged: "));
    let pulled = place.pull("other", &key).succeeds();
    assert!(pulled.contains("is live in other"), "{pulled}");
    place.pull("data", &key).fails(4, &["not a snapshot directory", "empty directory"]);
    assert!(!place.path("data/incoming").exists() && !place.path("data/lock").exists());
    let whole = fetched_kib(&pulled);
    assert!(place.pull("other", "key.pub").succeeds().starts_with("unchanged: "));
    place.opdir(&["verify", "other"]).succeeds();
    place.build_day("root", "2026-11-22");
    place.push().succeeds();
    let pulled = place.pull("other", &key).succeeds();
    assert!(fetched_kib(&pulled) < whole / 2.0, "{pulled}");
    place.opdir(&["verify", "other"]).succeeds();
    assert_eq!(fs::read_to_string(place.path("other/CURRENT")).unwrap().trim(), place.live());
    place.opdir(&["rollback", "root"]).succeeds();
    place.push().succeeds();
    place.pull("other", &key).succeeds();
    assert!(place.live().starts_with("000003-"), "a rollback goes forward: {}", place.live());
    assert_eq!(fs::read_to_string(place.path("other/CURRENT")).unwrap().trim(), place.live());
    let gone = place.opdir(&["gc", &place.store(), "--key", "key", "--keep", "1", "--days", "0"]).succeeds();
    assert_eq!(gone.matches("given up: ").count(), 2, "{gone}");
    place.pull("new", &key).succeeds();
    place.opdir(&["verify", "new"]).succeeds();
}

#[test]
fn a_publisher_who_did_not_see_what_is_live_is_held_back_until_he_pulls_it() {
    let place = Place::with_snapshot();
    let key = place.key();
    place.push().succeeds();
    place.build_day("second", "2026-11-22");
    let pushed = place.opdir(&["push", "second", &place.store(), "--key", "key"]);
    pushed.fails(6, &[&place.live(), "another publisher pushed", "opdir pull"]);
    place.pull("second", &key).succeeds();
    place.build_day("second", "2026-11-23");
    place.opdir(&["push", "second", &place.store(), "--key", "key"]).succeeds();
}

#[test]
fn addresses_that_are_none_are_named() {
    let place = Place::with_snapshot();
    let push = |url: &str| place.opdir(&["push", "root", url, "--allow-unsigned"]);
    push("store").fails(2, &["s3://bucket/folder"]);
    push("ftp://host/store").fails(2, &["ftp is not supported"]);
    push("s3://user:secret@bucket/store").fails(2, &["credentials do not belong into an address"]);
    push("s3://bucket/store?versionId=1").fails(2, &["only a scheme, a bucket and a folder"]);
    push("file://host/store").fails(2, &["file:///folder"]);
    place.opdir(&["pull", &place.store(), "other"]).fails(3, &["nothing was pushed here"]);
    assert!(!place.path("other").exists());
}

#[test]
fn who_is_not_trusted_is_not_believed_and_the_live_snapshot_stays() {
    let place = Place::with_snapshot();
    let key = place.key();
    let stranger = place.opdir(&["keys", "new", "stranger"]).succeeds().trim().to_owned();
    place.opdir(&["push", "root", "s3://bucket/site"]).fails(2, &["nothing would be signed", "--key"]);
    place.opdir(&["pull", "s3://bucket/site", "other"]).fails(2, &["no key is trusted", "--trust"]);
    place.push().succeeds();
    place.pull("other", &key).succeeds();
    let live = content(&place.path("other"));
    place.pull("other", &stranger).fails(5, &["not signed by a trusted key"]);
    place.pull("other", "nobody").fails(2, &["neither a public key nor a file"]);
    place.opdir(&["pull", &place.store(), "other"]).fails(5, &["is signed", "--trust"]);
    let push = |more: &[&str]| place.opdir(&[&["push", "root", &place.store()], more].concat());
    push(&[]).fails(5, &["is signed", "--key"]);
    push(&["--trust", &stranger]).fails(2, &["nothing would be signed"]);
    push(&["--key", "stranger"]).fails(5, &["not signed by a trusted key"]);
    assert!(content(&place.path("other")) == live, "nothing was touched");
}

#[test]
fn a_key_is_changed_by_trusting_both_for_a_while() {
    let place = Place::with_snapshot();
    let old = place.key();
    place.push().succeeds();
    let new = place.opdir(&["keys", "new", "next"]).succeeds().trim().to_owned();
    place.build_day("root", "2026-11-22");
    place.opdir(&["push", "root", &place.store(), "--key", "next", "--trust", &old]).succeeds();
    place.pull("other", &old).fails(5, &["not signed by a trusted key"]);
    place.opdir(&["pull", &place.store(), "other", "--trust", &old, "--trust", &new]).succeeds();
}

#[test]
fn a_store_that_went_back_or_is_another_or_of_before_is_refused() {
    let place = Place::with_snapshot();
    let key = place.key();
    place.push().succeeds();
    let old = fs::read(place.path("store/CURRENT")).unwrap();
    place.build_day("root", "2026-11-22");
    place.push().succeeds();
    place.pull("other", &key).succeeds();
    let new = fs::read(place.path("store/CURRENT")).unwrap();
    fs::write(place.path("store/CURRENT"), old).unwrap();
    place.pull("other", &key).fails(5, &["version 1, older than version 2"]);
    fs::write(place.path("store/CURRENT"), &new).unwrap();
    let elsewhere = format!("file://{}", place.path("elsewhere").display());
    place.build_day("third", "2026-11-25");
    place.opdir(&["push", "third", &elsewhere, "--key", "key"]).succeeds();
    place.opdir(&["pull", &elsewhere, "other", "--trust", &key]).fails(5, &["another store"]);
    fs::write(place.path("store/CURRENT"), "{\"format\":1}\n").unwrap();
    place
        .opdir(&["pull", &place.store(), "new", "--allow-unsigned"])
        .fails(5, &["format 1", "to another address"]);
}

#[test]
fn a_store_that_went_back_takes_a_push_only_to_recover_and_readers_accept_that() {
    let place = Place::with_snapshot();
    let key = place.key();
    let push =
        |more: &[&str]| place.opdir(&[&["push", "root", &place.store(), "--key", "key"], more].concat());
    push(&[]).succeeds();
    let old = fs::read(place.path("store/CURRENT")).unwrap();
    for day in ["2026-11-22", "2026-11-23"] {
        place.build_day("root", day);
        push(&[]).succeeds();
    }
    place.pull("other", &key).succeeds();
    fs::write(place.path("store/CURRENT"), &old).unwrap();
    for more in [&[][..], &["--valid-for", "7d"]] {
        push(more).fails(6, &["version 1, older than version 3", "--recover"]);
    }
    assert_eq!(fs::read(place.path("store/CURRENT")).unwrap(), old);
    push(&["--recover"]).succeeds();
    place.pull("other", &key).succeeds();
    place.pull("new", &key).succeeds();
    fs::remove_dir_all(place.path("store")).unwrap();
    push(&[]).fails(6, &["its CURRENT is gone", "--recover"]);
    push(&["--recover"]).succeeds();
    place.pull("other", &key).succeeds();
    assert!(push(&["--valid-for", "7d"]).succeeds().contains("already, valid until "));
    place.opdir(&["verify", "new"]).succeeds();
    let names = |folder: &str| content(&place.path(folder)).into_keys().filter(|name| name.contains('.'));
    assert!(!names("store").chain(names("root")).any(|name| name.starts_with('.') && name != ".lock"));
}

#[test]
fn what_is_damaged_in_a_store_is_not_taken() {
    let place = Place::with_snapshot();
    let key = place.key();
    place.push().succeeds();
    place.pull("other", &key).succeeds();
    let live = fs::read(place.path("other/CURRENT")).unwrap();
    place.build_day("root", "2026-11-22");
    place.push().succeeds();
    // Of one file: what any byte of each does, `remote` tests.
    let is_it = |(name, _): &(String, _)| name.contains("/000002-") && name.ends_with("files.bin.gz");
    let (name, good) = content(&place.path("store")).into_iter().find(is_it).unwrap();
    let path = place.path("store").join(name);
    fs::write(&path, &good[..100]).unwrap();
    place.pull("other", &key).fails(5, &["not what was"]);
    fs::remove_file(&path).unwrap();
    place.pull("other", &key).fails(3, &["not there"]);
    assert_eq!(fs::read(place.path("other/CURRENT")).unwrap(), live);
    fs::write(&path, good).unwrap();
    place.pull("other", &key).succeeds();
    place.opdir(&["verify", "other"]).succeeds();
    assert!(!content(&place.path("other")).keys().any(|name| name.starts_with("incoming/")));
}
