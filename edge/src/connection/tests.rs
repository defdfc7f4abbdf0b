//! A small server and raw clients on loopback for the tests of the connection driver.
//!
//! Deadlines are short; what the tests assert is that nothing closes before its deadline, that it does close
//! within [`PATIENCE`], and the reason counted.

mod deadlines;
mod http1;
mod http2;
mod listening;
mod shutdown;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use super::{Arrival, Counters, Limits, Reason, bind, serve};

/// More than any deadline here by far, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// A deadline the test waits for.
const SHORT: Duration = Duration::from_millis(200);

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/// More than the kernel holds for a reader that does not read.
const BIG: usize = 64 << 20;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Limits none of which a test meets by accident.
fn generous() -> Limits {
    let long = Duration::from_secs(60);
    Limits { detect: long, request: long, idle: long, write_stall: long, drain: long, ..Limits::default() }
}

/// Lets a test hold back the answer to `/held`.
#[derive(Default)]
struct Gate {
    entered: Notify,
    release: Notify,
}

struct Server {
    address: SocketAddr,
    counters: Arc<Counters>,
    gate: Arc<Gate>,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

impl Server {
    fn start(limits: Limits) -> Self {
        let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let counters = Arc::<Counters>::default();
        let gate = Arc::<Gate>::default();
        let (stop, stopped) = oneshot::channel::<()>();
        let held = gate.clone();
        let service = service_fn(move |request| answer(request, held.clone()));
        let shutdown = async { _ = stopped.await };
        let served = tokio::spawn(serve(listener, service, limits, counters.clone(), shutdown));
        Self { address, counters, gate, stop: Some(stop), served }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A connection that has sent `bytes`.
    async fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.unwrap();
        stream
    }

    fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    async fn closed_for(&self, reason: Reason) {
        eventually(|| self.counters.closed(reason) == 1).await;
        let all: u64 = Reason::ALL.iter().map(|&reason| self.counters.closed(reason)).sum();
        assert_eq!(all, 1, "one connection, closed once, for {reason:?}");
    }
}

async fn answer(request: Request<Incoming>, gate: Arc<Gate>) -> Result<Response<Full<Bytes>>, Infallible> {
    let text = match request.uri().path() {
        "/held" => {
            gate.entered.notify_one();
            gate.release.notified().await;
            "held".into()
        }
        "/peer" => request.extensions().get::<Arrival>().unwrap().peer.unwrap().0.to_string(),
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

/// Reads until the server closes, cleanly or not, and returns what came before.
async fn read_to_close(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    let _ = tokio::time::timeout(PATIENCE, read).await.expect("the connection stayed open");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads until `end` has come, and returns everything up to then.
async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(end.as_bytes()) {
        let byte = tokio::time::timeout(PATIENCE, stream.read_u8()).await.expect("too late");
        bytes
            .push(byte.unwrap_or_else(|error| panic!("{error} after {:?}", String::from_utf8_lossy(&bytes))));
    }
    String::from_utf8(bytes).unwrap()
}
