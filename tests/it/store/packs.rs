//! A snapshot in packs is the same snapshot: one name, the same answers in every coding, and the same files again
//! when it is exported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use dataset::Input;
use edge::Server;
use generator::{SUMS, export};
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, LAST_MODIFIED};
use jiff::civil::date;
use site::Effort;
use site::{BuildOptions, Storage};
use snapshot::page::address::url_of;
use store::{Generation, GenerationId, VerifyMode, verify};
use tests::in_process::{self, Reply};
use tests::snapshots::{frozen, open};

use super::publish::files;
use crate::server::{build, load, options};

fn published(root: &Path, layout: Storage) -> GenerationId {
    let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
    let options = BuildOptions { layout, ..options(root, Effort::Fast) };
    build(&directory, source, &options).manifest.id()
}

/// Addresses of all files.
fn targets(server: &Server) -> BTreeSet<String> {
    server.state().generation().files().entries().filter_map(|file| url_of(file.path())).collect()
}

fn ask(server: &Arc<Server>, target: &str, coding: &'static str) -> Reply {
    let request = http::Request::get(target).header(ACCEPT_ENCODING, coding);
    in_process::ask(server, request.body(Bytes::new()).unwrap())
}

fn decoded(coding: &str, bytes: &[u8]) -> Vec<u8> {
    match coding {
        "gzip" => {
            let mut out = vec![0; 8 << 20];
            let length = libdeflater::Decompressor::new().gzip_decompress(bytes, &mut out).unwrap();
            out.truncate(length);
            out
        }
        "zstd" => zstd::decode_all(bytes).unwrap(),
        _ => bytes.to_vec(),
    }
}

#[test]
fn an_edge_answers_alike_from_packs_and_a_tree_in_every_coding() {
    let [tree, pack] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    assert_eq!(published(tree.path(), Storage::Tree), published(pack.path(), Storage::Pack));
    verify(pack.path(), None, VerifyMode::Deep, 2, &|_, _| ()).unwrap();
    let [one, two] = [&tree, &pack].map(|root| open(root.path(), 64 << 20));
    let mut coded = 0;
    for target in targets(&one) {
        let plain = ask(&one, &target, "identity");
        if target.ends_with("/404") {
            assert_eq!(plain.status, StatusCode::NOT_FOUND);
            continue;
        }
        for coding in ["identity", "gzip", "zstd"] {
            let packed = ask(&two, &target, coding);
            let sent =
                packed.headers.get(CONTENT_ENCODING).map_or("identity", |coding| coding.to_str().unwrap());
            assert!(decoded(sent, &packed.body) == plain.body, "{target} {coding}");
            assert_eq!(packed.headers[LAST_MODIFIED], plain.headers[LAST_MODIFIED], "{target} {coding}");
            assert_eq!(packed.headers[ETAG] == plain.headers[ETAG], sent == "identity", "{target} {coding}");
            coded += usize::from(sent != "identity");
        }
    }
    assert!(coded > 100, "{coded}");
    let later = snapshot::time::Day::new(date(2027, 3, 1));
    let [one, two] = [&tree, &pack].map(|root| Server::open(frozen(root.path(), later)).unwrap());
    for target in targets(&one) {
        let [left, right] = [&one, &two].map(|server| ask(server, &target, "identity"));
        assert!(left.body == right.body && left.headers == right.headers, "{target}, later");
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
        let written = export(&generation, &to, false, "", Effort::Fast).unwrap();
        let (expected, found): (BTreeMap<_, _>, BTreeMap<_, _>) =
            (files(&tree.path().join(format!("generations/{id}/public"))), files(&to));
        assert_eq!(written, found.len());
        // What changed and the sums of all are of the export alone.
        let mut found = found;
        found.retain(|path, _| !path.to_string_lossy().starts_with("changes") && path != Path::new(SUMS));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        assert!(found == expected);
        assert!(
            export(&generation, &to, false, "", Effort::Fast).unwrap_err().to_string().contains("not empty")
        );
    }
}
