//! What it costs to answer with what is in memory already.

use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use edge::answer::Place;
use edge::service::checked;
use http::StatusCode;
use http::header::{ETAG, HOST, IF_NONE_MATCH};
use net::connection::Limits;
use net::request_head::Head;
use tests::snapshots::{self, open};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::server::SAMPLE;

/// Most that an unused connection keeps, in bytes; its client's end in this test is within it.
const UNUSED_MOST: i64 = 4 * 1024;

#[test]
fn an_unused_connection_keeps_none_of_the_buffers_that_requests_need() {
    const CONNECTIONS: usize = 50;
    const PARK: Duration = Duration::from_millis(50);
    // One thread does everything, so that everything is counted.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let live = Arc::new(open(&SAMPLE.root, 64 << 20));
    let server = edge::server(live, mcp::Config::default(), net::client::Proxies::default()).unwrap();
    let limits = Limits { park: PARK, ..Limits::default() };
    runtime.spawn(edge::serve(listener, server, limits, std::future::pending()));
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
            tokio::time::sleep(10 * PARK).await;
        });
    });
    let each = taken.bytes_current / CONNECTIONS as i64;
    assert!(each <= UNUSED_MOST, "{each} bytes for an unused connection");
}

/// A map of headers is two blocks: the entries, and where to find them.
const HEAD: u64 = 2;

#[test]
fn a_static_hit_allocates_nothing_but_the_head_of_its_answer() {
    let live = open(&SAMPLE.root, 64 << 20);
    let epoch = live.epoch();
    let record = format!("/api/v1/programs/{}", SAMPLE.directory.programs[0].slug);
    for target in [&record, "/api/v1/openapi.json", "/about", "/es"] {
        let request = http::Request::get(target).header(HOST, snapshots::HOST);
        let mut head = Head::from(request.body(()).unwrap().into_parts().0);
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
