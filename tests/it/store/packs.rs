//! A snapshot in packs is the same snapshot: one name, the same answers in every coding, and the same files again
//! when it is exported.

use std::collections::BTreeMap;
use std::path::Path;

use dataset::Input;
use edge::representation::Content;
use generator::{SUMS, export};
use jiff::civil::date;
use site::Effort;
use site::{BuildOptions, Storage};
use snapshot::store::{Coding, Generation, GenerationId, VerifyMode, live_id, verify};
use tests::snapshots::open;

use super::publish::files;
use crate::server::{build, load, options};

fn published(root: &Path, layout: Storage) -> GenerationId {
    let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
    let options = BuildOptions { layout, ..options(root, Effort::Fast) };
    build(&directory, source, &options).manifest.id()
}

fn decoded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    match coding {
        Coding::Gzip => {
            let mut out = vec![0; 8 << 20];
            let length = libdeflater::Decompressor::new().gzip_decompress(bytes, &mut out).unwrap();
            out.truncate(length);
            out
        }
        Coding::Zstd => zstd::decode_all(bytes).unwrap(),
        Coding::Identity | Coding::Brotli => bytes.to_vec(),
    }
}

#[test]
fn an_edge_says_the_same_from_packs_as_from_a_tree_in_every_coding() {
    let [tree, pack] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    assert_eq!(published(tree.path(), Storage::Tree), published(pack.path(), Storage::Pack));
    verify(pack.path(), None, VerifyMode::Deep, 2, &|_, _| ()).unwrap();
    let [one, two] = [&tree, &pack].map(|root| open(root.path(), 64 << 20));
    let (one, two) = (one.epoch(), two.epoch());
    let mut coded = 0;
    for entry in one.generation().files().entries().filter(|entry| entry.path().starts_with("public/")) {
        let other = two.generation().files().get(entry.number()).unwrap();
        for coding in [Coding::Identity, Coding::Gzip, Coding::Zstd] {
            if !two.offers(other, coding) {
                continue;
            }
            let body = |epoch: &edge::serving_state::Epoch, entry, coding| {
                let body = epoch.body(entry, coding, None, Content::json).unwrap();
                (body.etag().to_owned(), decoded(coding, &body.bytes), body.since)
            };
            let (tag, bytes, since) = body(&two, other, coding);
            let (plain_tag, plain, plain_since) = body(&one, entry, Coding::Identity);
            assert!(bytes == plain && since == plain_since, "{} {coding:?}", entry.path());
            assert_eq!(tag == plain_tag, coding == Coding::Identity, "{}", entry.path());
            coded += usize::from(coding != Coding::Identity);
        }
    }
    assert!(coded > 100, "{coded}");
}

#[test]
fn a_day_later_packs_are_filled_as_a_tree_is() {
    let [tree, pack] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    published(tree.path(), Storage::Tree);
    published(pack.path(), Storage::Pack);
    let setting = edge::serving_state::Setting { frozen: true, body_cache: 1 << 20, hosts: Vec::new() };
    let day = snapshot::time::Day::new(date(2027, 3, 1));
    let [one, two] = [&tree, &pack]
        .map(|root| edge::reload::Live::open(root.path().to_owned(), day, setting.clone()).unwrap());
    let (one, two) = (one.epoch(), two.epoch());
    for entry in one.generation().files().entries().filter(|entry| !entry.holes().is_empty()) {
        let other = two.generation().files().get(entry.number()).unwrap();
        let [left, right] = [(&one, entry), (&two, other)]
            .map(|(epoch, entry)| epoch.body(entry, Coding::Identity, None, Content::json).unwrap());
        assert!(left.bytes == right.bytes && left.etag() == right.etag(), "{}", entry.path());
    }
}

#[test]
fn exported_packs_are_the_public_folder_of_a_tree() {
    let [tree, pack, out] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let id = published(tree.path(), Storage::Tree);
    published(pack.path(), Storage::Pack);
    for root in [&tree, &pack] {
        let generation = Generation::open_current(root.path()).unwrap();
        let to = out.path().join(if generation.is_packed() { "pack" } else { "tree" });
        let written = export(&generation, &to, false, Effort::Fast).unwrap();
        let (expected, found): (BTreeMap<_, _>, BTreeMap<_, _>) =
            (files(&tree.path().join(format!("generations/{id}/public"))), files(&to));
        assert_eq!(written, found.len());
        // What changed and the sums of all are of the export alone.
        let mut found = found;
        found.retain(|path, _| !path.to_string_lossy().starts_with("changes") && path != Path::new(SUMS));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        assert!(found == expected);
        assert!(export(&generation, &to, false, Effort::Fast).unwrap_err().to_string().contains("not empty"));
    }
}

#[test]
fn a_day_later_packs_share_what_the_day_does_not_touch() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
    let options = BuildOptions { layout: Storage::Pack, ..options(folder.path(), Effort::Fast) };
    let first = build(&directory, source, &options);
    let second = build(&directory, source, &BuildOptions { as_of: date(2027, 3, 1), ..options.clone() });
    assert!(second.linked.files > first.manifest.files.count / 2, "{second:?}");
    assert!(second.written.bytes < first.written.bytes / 2, "{second:?}");
    verify(folder.path(), None, VerifyMode::Deep, 2, &|_, _| ()).unwrap();
    assert!(build(&directory, source, &BuildOptions { as_of: date(2027, 3, 1), ..options }).unchanged);
    assert_eq!(live_id(folder.path()).unwrap().sequence, 2);
}
