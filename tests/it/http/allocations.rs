//! What it costs to answer with what is in memory already.

use allocation_counter::measure;
use bytes::Bytes;
use edge::{Options, Server};
use http::header::{ETAG, IF_NONE_MATCH};
use http::{Request, StatusCode};
use net::connection::Limits;
use snapshot::time::Day;
use tests::in_process::{ask_measured, get};
use tests::snapshots::{self, frozen, open};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::server::{AS_OF, SAMPLE};

/// Most that an unused connection keeps, in bytes: hyper's two buffers of 8 KB, of which few pages are ever written
/// to, and as much besides; its client's end in this test is within it.
const UNUSED_MOST: i64 = 24 * 1024;

#[test]
fn an_unused_connection_keeps_little_memory() {
    const CONNECTIONS: usize = 50;
    // One thread does everything, so that everything is counted.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let server = open(&SAMPLE.root, 64 << 20);
    runtime.spawn(edge::serve(listener, server, Limits::DEFAULT, std::future::pending()));
    let request = format!("GET /api/v1/facets/types HTTP/1.1\r\nHost: {}\r\n\r\n", snapshots::HOST);
    let used = async || {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(request.as_bytes()).await.unwrap();
        let (mut answer, mut buffer) = (Vec::new(), [0; 4096]);
        while !answer.ends_with(b"}") {
            let got = client.read(&mut buffer).await.unwrap();
            answer.extend_from_slice(&buffer[..got]);
        }
        client
    };
    // What is kept for good is there before.
    runtime.block_on(async { drop(used().await) });
    let mut clients = Vec::with_capacity(CONNECTIONS);
    let taken = measure(|| {
        runtime.block_on(async {
            for _ in 0..CONNECTIONS {
                clients.push(used().await);
            }
        });
    });
    let each = taken.bytes_current / CONNECTIONS as i64;
    assert!(each <= UNUSED_MOST, "{each} bytes for an unused connection");
}

/// A map of headers is two blocks: the entries, and where to find them. warp puts the bodies of request and response
/// into a box each.
const HEADERS_AND_BOXES: u64 = 2 + 2;

#[test]
fn a_static_hit_allocates_its_headers_and_a_box_for_each_body_only() {
    // The header that ends with the day is formatted once a second.
    let server = Server::open(Options { clock: || 0, ..frozen(&SAMPLE.root, Day::new(AS_OF)) }).unwrap();
    let record = format!("/api/v1/programs/{}", SAMPLE.directory.programs[0].slug);
    for target in [&record, "/api/v1/openapi.json", "/about", "/es"] {
        // Read from its file, and cached.
        let first = get(&server, target);
        for (status, etag) in [(StatusCode::OK, None), (StatusCode::NOT_MODIFIED, first.headers.get(ETAG))] {
            let mut request = Request::get(target).body(Bytes::new()).unwrap();
            request.headers_mut().extend(etag.map(|etag| (IF_NONE_MATCH, etag.clone())));
            let mut taken = 0;
            let again = ask_measured(&server, request, |answer| taken = measure(answer).count_total);
            assert_eq!((again.status, again.pooled), (status, false), "{target}");
            assert_eq!(taken, HEADERS_AND_BOXES, "{target} {status}");
        }
    }
}
