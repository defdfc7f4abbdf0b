//! A running edge over a snapshot that was just built, and a client of it that holds every answer against the
//! contract.

use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use dataset::Input;
use edge::Server;
use http::{HeaderMap, HeaderName, HeaderValue};
use net::connection::Limits;
use serde_json::{Value, json};
use snapshot::record::Directory;
use store::Digest;
use tempfile::TempDir;
use tests::client;
use tests::in_process;
pub(crate) use tests::snapshots::{AS_OF, HOST, build, load, options};
use tests::snapshots::{folder, open};
use tests::world::World;
use tokio::runtime::Runtime;

use crate::contract::openapi;

/// The embedded sample, served for all tests.
pub(crate) static SAMPLE: LazyLock<Edge> =
    LazyLock::new(|| Edge::serve(&Input::Embedded(dataset::sample::FILES)));

/// A dataset to run the heavier tests on as well, where one is given.
pub(crate) fn real_data() -> Option<PathBuf> {
    std::env::var_os("OPDIR_TEST_DATA").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Limits that nobody who dawdles stays within.
pub(crate) fn impatient(wait: Duration) -> Limits {
    Limits { request: wait, write_stall: wait, ..Limits::DEFAULT }
}

/// Copies what is in a folder to another.
pub(crate) fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").args([&from.join("."), to]).status().unwrap().success());
}

/// A runtime for servers.
pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap()
}

/// Serves on a port of its own for as long as the runtime lives.
pub(crate) fn spawn(runtime: &Runtime, server: Arc<Server>, limits: Limits) -> SocketAddr {
    let listener = runtime.block_on(async { tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap() });
    let address = listener.local_addr().unwrap();
    runtime.spawn(edge::serve(listener, server, limits, std::future::pending()));
    address
}

/// A served snapshot. Answers for [`AS_OF`] for ever.
pub(crate) struct Edge {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// What was published.
    pub(crate) directory: Directory,
    /// Folder that holds CURRENT.
    pub(crate) root: PathBuf,
    idle: Mutex<Vec<TcpStream>>,
    _folder: TempDir,
    _runtime: Runtime,
}

impl Edge {
    /// Builds a dataset with fast compression and serves it on a port of its own.
    pub(crate) fn serve(input: &Input<'_>) -> Self {
        let folder = folder();
        let (directory, source) = load(input);
        build(&directory, source, &options(folder.path()));
        let runtime = runtime();
        let address = spawn(&runtime, open(folder.path(), 64 << 20), Limits::DEFAULT);
        Self {
            address,
            directory,
            root: folder.path().to_owned(),
            idle: Mutex::default(),
            _folder: folder,
            _runtime: runtime,
        }
    }

    /// GET, answered as the contract says.
    pub(crate) fn get(&self, target: &str) -> Response {
        self.ask("GET", target, &[])
    }

    /// JSON of a GET that is answered 200.
    pub(crate) fn json(&self, target: &str) -> Value {
        let response = self.get(target);
        assert_eq!(response.status, 200, "{target}: {}", response.text());
        response.json()
    }

    /// A request with the right Host, answered as the contract says.
    pub(crate) fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Response {
        let mut request = format!("{method} {target} HTTP/1.1\r\nHost: {HOST}\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        self.send(method, target, request.as_bytes())
    }

    /// A request as it stands, answered as the contract says.
    pub(crate) fn send(&self, method: &str, target: &str, request: &[u8]) -> Response {
        let kept = self.idle.lock().unwrap().pop();
        let kept = kept.and_then(|mut stream| exchange(&mut stream, request).map(|r| (stream, r)));
        let (stream, response) = kept.unwrap_or_else(|| {
            let mut stream = TcpStream::connect(self.address).unwrap();
            stream.set_nodelay(true).unwrap();
            let response = exchange(&mut stream, request).expect("an answer");
            (stream, response)
        });
        if response.headers.get("connection").is_none_or(|value| value != "close") {
            self.idle.lock().unwrap().push(stream);
        }
        // Pages for people are no part of the contract.
        if !target.starts_with('/') || target.starts_with("/api/") || target.starts_with("/changes") {
            openapi::CONTRACT.check(method, target, &response);
        }
        response
    }
}

/// A server of small tables in a folder of its own, called without a connection.
pub(crate) struct Live {
    pub(crate) server: Arc<Server>,
    pub(crate) folder: TempDir,
}

impl Live {
    pub(crate) fn of(world: &World) -> Self {
        let folder = tempfile::tempdir().unwrap();
        build(&world.directory, Digest([0; 32]), &options(folder.path()));
        Self { server: open(folder.path(), 1 << 20), folder }
    }

    /// The text of an answer.
    pub(crate) fn get(&self, target: &str) -> String {
        String::from_utf8(in_process::get(&self.server, target).body.to_vec()).unwrap()
    }

    /// The text of what a tool answers.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        String::from_utf8(in_process::post(&self.server, call.to_string()).body.to_vec()).unwrap()
    }
}

/// Sends a request and reads its answer; `None` when the connection was closed meanwhile.
pub(crate) fn exchange(stream: &mut TcpStream, request: &[u8]) -> Option<Response> {
    let answer = client::exchange(stream, request).ok()?;
    let headers: HeaderMap = answer.head.lines().skip(1).map(header).collect();
    let length = headers.get("content-length").map_or(0, |value| value.to_str().unwrap().parse().unwrap());
    let bodiless = request.starts_with(b"HEAD ") || matches!(answer.status(), 204 | 304);
    assert_eq!(answer.body.len(), if bodiless { 0 } else { length }, "the length that was announced");
    Some(Response { status: answer.status(), headers, body: answer.body })
}

fn header(line: &str) -> (HeaderName, HeaderValue) {
    let (name, value) = line.split_once(':').unwrap();
    (name.parse().unwrap(), HeaderValue::from_str(value.trim()).unwrap())
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    /// Status.
    pub(crate) status: u16,
    /// Headers.
    pub(crate) headers: HeaderMap,
    /// Body, as it came.
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// A header's first value; empty when there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The body without its content coding.
    pub(crate) fn identity(&self) -> Vec<u8> {
        match self.header("content-encoding") {
            "" => self.body.clone(),
            "gzip" => gunzipped(&self.body),
            other => panic!("no request was for the coding {other}"),
        }
    }

    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.identity()).unwrap()
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.identity()).unwrap()
    }

    /// `meta.invalid`.
    pub(crate) fn invalid(&self) -> Vec<String> {
        texts(&self.json()["meta"]["invalid"])
    }
}

/// What one member of gzip holds.
pub(crate) fn gunzipped(member: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    flate2::read::GzDecoder::new(member).read_to_end(&mut body).unwrap();
    body
}

/// The strings of a JSON array.
pub(crate) fn texts(array: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    array.as_array().unwrap().iter().map(text).collect()
}

/// The part of a text between two others.
pub(crate) fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    rest.split_once(end).unwrap().0
}

/// A parameter's value as it stands in a query.
pub(crate) fn encode(value: &str) -> String {
    url::form_urlencoded::byte_serialize(value.as_bytes()).collect()
}
