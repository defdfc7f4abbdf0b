//! A small server and raw clients for the tests of the connection driver.
//!
//! Connections are pipes in memory and the clock stands still until everything waits for it, so that a deadline
//! takes no time and comes neither early nor late. What the tests assert is that nothing closes before its
//! deadline, that it does close within [`PATIENCE`], and the reason counted. Sockets are for `listening` alone.

mod deadlines;
mod http1;
mod listening;
mod shutdown;

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::Service;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::socket::Wire;
use super::{CloseReason, Counters, Limits, bind, serve};
use crate::client_address::TrustedProxies;
use crate::in_flight::InFlight;
use crate::request_head::RequestHead;

/// Address of clients in memory, as a dual-stack listener reports an IPv4 client.
const CLIENT: SocketAddr = SocketAddr::new(IpAddr::V6(Ipv4Addr::new(192, 0, 2, 7).to_ipv6_mapped()), 1234);
/// Another client.
const OTHER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1)), 80);
/// What a connection in memory holds for a reader that does not read.
const HELD_BACK: usize = 64 << 10;

/// More than any deadline here by far.
const PATIENCE: Duration = Duration::from_secs(20);
/// A deadline the test waits for.
const SHORT: Duration = Duration::from_millis(200);

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const HELD: &[u8] = b"GET /held HTTP/1.1\r\nhost: x\r\n\r\n";
const BIG_GET: &[u8] = b"GET /big HTTP/1.1\r\nhost: x\r\n\r\n";

/// Far more than is held for a reader that does not read.
const BIG: usize = 4 << 20;

/// Most that is in flight in tests of that, and a body of which three fit.
const FLIGHT: usize = 1 << 20;
const COUNTED: usize = 200 << 10;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Limits that no test reaches by accident.
fn generous() -> Limits {
    let long = Duration::from_secs(60);
    Limits { request: long, idle: long, write_stall: long, drain: long, ..Limits::DEFAULT }
}

/// Lets a test hold back the answer to `/held`.
#[derive(Default)]
struct Gate {
    entered: Notify,
    release: Notify,
}

/// Answers the requests of the tests.
#[derive(Clone)]
struct Site(Arc<Gate>);

impl Service<Request<Incoming>> for Site {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        Box::pin(answer(request, self.0.clone()))
    }
}

impl Wire for DuplexStream {
    fn forget_unsent(&self) {}
}

/// A server whose connections are in memory: only its deadlines take time, on a clock that is advanced at once.
struct Server {
    driver: super::Server<Site>,
    counters: Arc<Counters>,
    gate: Arc<Gate>,
}

impl Server {
    fn start(limits: Limits) -> Self {
        Self::with(limits, InFlight::default())
    }

    fn with(limits: Limits, in_flight: InFlight) -> Self {
        let mut counters = Counters::default();
        counters.in_flight = Arc::new(in_flight);
        let (counters, gate) = (Arc::new(counters), Arc::<Gate>::default());
        let driver = super::Server::new(Site(gate.clone()), limits, counters.clone());
        Self { driver, counters, gate }
    }

    fn connect(&self) -> DuplexStream {
        self.connect_from(CLIENT)
    }

    fn connect_from(&self, client: SocketAddr) -> DuplexStream {
        let (ours, stream) = tokio::io::duplex(HELD_BACK);
        self.driver.admit(stream, client);
        ours
    }

    /// A connection of a client whose first request was answered.
    async fn answered(&self, client: SocketAddr) -> DuplexStream {
        let mut stream = self.connect_from(client);
        stream.write_all(GET).await.unwrap();
        read_until(&mut stream, "path /").await;
        stream
    }

    /// A connection that has sent `bytes`.
    async fn send(&self, bytes: &[u8]) -> DuplexStream {
        let mut stream = self.connect();
        stream.write_all(bytes).await.unwrap();
        stream
    }

    fn stop(&self) {
        self.driver.draining.send_replace(true);
    }

    /// Waits until no connection is left.
    async fn closed(&self) {
        tokio::time::timeout(PATIENCE, self.driver.draining.closed())
            .await
            .expect("a connection stayed open");
    }

    async fn closed_for(&self, reason: CloseReason) {
        eventually(|| self.counters.closed(reason) == 1).await;
        let all: u64 = self.counters.all_closed().map(|(_, count)| count).sum();
        assert_eq!(all, 1, "one connection, closed once, for {reason:?}");
    }
}

async fn answer(request: Request<Incoming>, gate: Arc<Gate>) -> Result<Response<Full<Bytes>>, Infallible> {
    let head = Arc::clone(request.extensions().get::<Arc<RequestHead>>().unwrap());
    let _turn = head.turn().await;
    let text = match request.uri().path() {
        "/held" => {
            gate.entered.notify_one();
            gate.release.notified().await;
            "held".into()
        }
        "/peer" => head.peer.unwrap().to_string(),
        "/length" => match request.into_body().collect().await {
            Ok(body) => body.to_bytes().len().to_string(),
            Err(_) => "broken".into(),
        },
        "/big" => return Ok(Response::new(Full::from(vec![b'x'; BIG]))),
        "/refused" => {
            let mut response = Response::new(Full::from("refused"));
            *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
            return Ok(response);
        }
        "/counted" => {
            let held = head.hold(vec![b'x'; COUNTED].into(), COUNTED, None);
            let mut response = Response::new(Full::from(held.clone().unwrap_or_default()));
            if held.is_none() {
                *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            }
            return Ok(response);
        }
        path => format!("path {path}"),
    };
    Ok(Response::new(Full::from(text)))
}

async fn eventually(condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "never came true");
        tokio::time::sleep(ms(5)).await;
    }
}

/// Reads until the server closes, cleanly or not, and returns the bytes.
async fn read_to_close(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    let _ = tokio::time::timeout(PATIENCE, read).await.expect("the connection stayed open");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads until `end` has arrived, and returns everything up to it.
async fn read_until(stream: &mut (impl AsyncRead + Unpin), end: &str) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(end.as_bytes()) {
        let byte = tokio::time::timeout(PATIENCE, stream.read_u8()).await.expect("too late");
        bytes
            .push(byte.unwrap_or_else(|error| panic!("{error} after {:?}", String::from_utf8_lossy(&bytes))));
    }
    String::from_utf8(bytes).unwrap()
}
