//! What an edge answers is what stands in the archive, in both codings, and what an export writes.

use std::path::Path;

use generator::export;
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, LAST_MODIFIED};
use snapshot::page::address::url_of;
use tests::in_process::send;
use tests::snapshots::{files, open};

use crate::server::{SAMPLE, gunzipped};

#[test]
fn an_edge_answers_what_an_export_writes_in_both_codings() {
    let out = tempfile::tempdir().unwrap();
    let server = open(&SAMPLE.root, 64 << 20);
    let state = server.state();
    let dir = out.path().join("site");
    export(state.generation(), &dir, false, "").unwrap();
    let written = files(&dir);
    let mut packed = 0;
    for entry in state.generation().files().entries() {
        let target = url_of(entry.path());
        let plain = send(&server, "GET", &target, &[(ACCEPT_ENCODING, "identity")]);
        if target.ends_with("/404") {
            assert_eq!(plain.status, StatusCode::NOT_FOUND);
            continue;
        }
        let path = entry.path();
        assert!(written[Path::new(path)] == plain.body, "{target}");
        let coded = send(&server, "GET", &target, &[(ACCEPT_ENCODING, "gzip")]);
        let is_coded = coded.headers.contains_key(CONTENT_ENCODING);
        assert_eq!(is_coded, coded.headers[ETAG] != plain.headers[ETAG], "{target}");
        assert_eq!(coded.headers[LAST_MODIFIED], plain.headers[LAST_MODIFIED], "{target}");
        if is_coded {
            packed += 1;
            assert!(gunzipped(&coded.body) == plain.body, "{target}");
            assert!(gunzipped(&written[Path::new(&format!("{path}.gz"))]) == plain.body, "{target}");
        }
    }
    assert!(packed > 100, "{packed}");
}
