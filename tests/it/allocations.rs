//! What it costs to answer with what is in memory already.

use allocation_counter::measure;
use edge::answer::Place;
use edge::http::checked;
use http::StatusCode;
use http::header::{ETAG, HOST, IF_NONE_MATCH};
use tests::snapshots::{self, open};

use crate::server::SAMPLE;

/// A map of headers is two blocks: the entries, and where to find them.
const HEAD: u64 = 2;

#[test]
fn a_static_hit_allocates_nothing_but_the_head_of_its_answer() {
    let live = open(&SAMPLE.root, 64 << 20);
    let epoch = live.epoch();
    let record = format!("/api/v1/programs/{}", SAMPLE.directory.programs[0].slug);
    for target in [&record, "/api/v1/openapi.json", "/about", "/es"] {
        let request = http::Request::get(target).header(HOST, snapshots::HOST);
        let (mut head, ()) = request.body(()).unwrap().into_parts();
        // Read from its file, and kept.
        let first = checked(&live, &epoch, &head, Place::Here);
        let mut again = None;
        let taken = measure(|| again = Some(checked(&live, &epoch, &head, Place::Here)));
        let again = again.unwrap();
        assert_eq!((again.status, &again.body), (StatusCode::OK, &first.body), "{target}");
        assert_eq!(taken.count_total, HEAD, "{target}");

        head.headers.insert(IF_NONE_MATCH, first.headers[ETAG].clone());
        let mut unchanged = None;
        let taken = measure(|| unchanged = Some(checked(&live, &epoch, &head, Place::Here)));
        assert_eq!(unchanged.unwrap().status, StatusCode::NOT_MODIFIED, "{target}");
        assert_eq!(taken.count_total, HEAD, "{target}");
    }
}
