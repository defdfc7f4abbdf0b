//! Raw requests of the kinds that break servers, each with the one answer it may get. After each probe a
//! plain request follows on the same connection: it is answered 404 where the connection stays open.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::server::{HOST, SAMPLE};

/// What follows a probe: nothing is there, and the connection ends with it.
const SENTINEL: &str = "GET /sentinel HTTP/1.1\r\nHost: directory.example\r\nConnection: close\r\n\r\n";
/// Longer than any deadline here, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Statuses of everything that is answered until the connection is closed.
fn statuses(address: SocketAddr, probe: &[u8]) -> Vec<u16> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // A server that has said no may close before it has read everything.
    let _ = stream.write_all(probe);
    let mut answer = Vec::new();
    let end = stream.read_to_end(&mut answer);
    assert!(end.is_ok() || !answer.is_empty(), "{end:?}");
    let text = String::from_utf8_lossy(&answer);
    text.match_indices("HTTP/1.")
        .map(|(at, start)| text[at + start.len() + 2..][..3].parse().unwrap())
        .collect()
}

#[track_caller]
fn answers(what: &str, probe: impl AsRef<[u8]>, expected: &[u16]) {
    let probe = [probe.as_ref(), SENTINEL.as_bytes()].concat();
    assert_eq!(statuses(SAMPLE.address, &probe), expected, "{what}");
}

/// A GET of a page that is there, with other headers.
fn get(headers: &str) -> String {
    request("GET", "/api/v1/facets/types", headers)
}

fn request(method: &str, target: &str, headers: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nHost: {HOST}\r\n{headers}\r\n")
}

/// Headers of a call to a tool.
const JSON: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

/// The request is answered and the connection goes on.
const KEPT: [u16; 2] = [200, 404];

#[test]
fn only_one_host_counts_wherever_it_is_named() {
    let to = |target: &str, hosts: &str| format!("GET {target} HTTP/1.1\r\n{hosts}\r\n");
    let path = "/api/v1/facets/types";
    let host = format!("Host: {HOST}\r\n");
    answers("no Host", to(path, ""), &[400]);
    answers("two Hosts", to(path, &host.repeat(2)), &[400]);
    answers("no Host in HTTP/1.0", format!("GET {path} HTTP/1.0\r\n\r\n"), &[400]);
    answers("empty Host", to(path, "Host:\r\n"), &[400]);
    answers("userinfo", to(path, &format!("Host: a@{HOST}\r\n")), &[400]);
    answers("a port that is none", to(path, &format!("Host: {HOST}:evil\r\n")), &[400]);
    for port in [":65536", ":99999999", ":+80", ":80:80"] {
        answers("a port that is none", to(path, &format!("Host: {HOST}{port}\r\n")), &[400]);
    }
    for host in ["[::1]evil", "[::1", ":80", "."] {
        answers(host, to(path, &format!("Host: {host}\r\n")), &[400]);
    }
    for port in [":", ":65535"] {
        answers("any port", to(path, &format!("Host: {HOST}{port}\r\n")), &KEPT);
    }
    answers("a list of hosts", to(path, &format!("Host: {HOST}, {HOST}\r\n")), &[400]);
    answers("port, dot and case", to(path, "Host: Directory.EXAMPLE.:8443\r\n"), &KEPT);
    answers("another host", to(path, "Host: elsewhere.example\r\n"), &[421, 404]);
    answers(
        "a host that only begins right",
        to(path, &format!("Host: {HOST}.evil.example\r\n")),
        &[421, 404],
    );
    answers("an address", to(path, "Host: 127.0.0.1\r\n"), &[421, 404]);
    answers("absolute form", to(&format!("http://{HOST}{path}"), &host), &KEPT);
    let absolute = |host: &str, hosts: &str| to(&format!("http://{host}{path}"), hosts);
    answers("absolute form to another host", absolute("elsewhere.example", &host), &[421, 404]);
    answers("absolute form with another Host", absolute(HOST, "Host: elsewhere.example\r\n"), &KEPT);
    answers("absolute form without Host", absolute(HOST, ""), &[400]);
    answers("absolute form with two Hosts", absolute(HOST, &host.repeat(2)), &[400]);
    answers("a host as target", to(HOST, &host), &[400]);
    answers("absolute form with userinfo", to(&format!("http://a@{HOST}{path}"), &host), &[400]);
}

#[test]
fn bodies_are_framed_one_way_or_refused() {
    let chunked = "Transfer-Encoding: chunked\r\n";
    let length = "Content-Length: 5\r\n";
    for (what, headers) in [
        ("a body", length.to_owned()),
        ("chunks", chunked.to_owned()),
        ("length, then chunks", format!("{length}{chunked}")),
        ("chunks, then length", format!("{chunked}{length}")),
        ("two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n".to_owned()),
        ("a signed length", "Content-Length: +5\r\n".to_owned()),
        ("a negative length", "Content-Length: -1\r\n".to_owned()),
        ("a length beyond numbers", "Content-Length: 99999999999999999999\r\n".to_owned()),
        ("an unknown coding", "Transfer-Encoding: xchunked\r\n".to_owned()),
        ("a coding after chunks", "Transfer-Encoding: chunked, identity\r\n".to_owned()),
    ] {
        answers(what, get(&headers), &[400]);
    }
    for method in ["POST", "PUT", "DELETE"] {
        answers(method, request(method, "/api/v1/search", length), &[405]);
        answers(method, request(method, "/api/v1/search", chunked), &[405]);
    }
    answers("a length of nothing", get("Content-Length: 0\r\n"), &KEPT);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let chunks = format!("{:x};ext=1\r\n{call}\r\n0\r\n\r\n", call.len());
    let post = |framing: &str, body: &str| request("POST", "/mcp", &format!("{JSON}{framing}")) + body;
    answers("a call", post(&format!("Content-Length: {}\r\n", call.len()), call), &KEPT);
    answers("a call in chunks", post(chunked, &chunks), &[200]);
    for codings in
        ["gzip, chunked", "gzip,chunked", "identity, chunked", "chunked\r\nTransfer-Encoding: chunked"]
    {
        answers(codings, post(&format!("Transfer-Encoding: {codings}\r\n"), &chunks), &[501]);
    }
    answers("a call in chunks with a length", post(&format!("{length}{chunked}"), &chunks), &[200]);
}

#[test]
fn heads_that_are_not_http_are_refused() {
    for (what, probe) in [
        ("a space before the colon", get("X : y\r\n")),
        ("a folded line", get("X: y\r\n z\r\n")),
        ("NUL in a value", get("X: a\0b\r\n")),
        ("a bare CR in a value", get("X: a\rb\r\n")),
        ("NUL in the target", request("GET", "/api/v1/\0", "")),
        ("a space in the target", request("GET", "/api/v1/a b", "")),
        ("no version", format!("GET /\r\nHost: {HOST}\r\n\r\n")),
        ("a version to come", format!("GET / HTTP/9.9\r\nHost: {HOST}\r\n\r\n")),
        ("no name", get(": y\r\n")),
        ("no target", format!("GET  HTTP/1.1\r\nHost: {HOST}\r\n\r\n")),
    ] {
        answers(what, probe, &[400]);
    }
    answers("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", &[400]);
    answers("a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", &[400]);
    answers(
        "bytes beyond ASCII",
        [b"GET /\xff\xfe HTTP/1.1\r\nHost: ", HOST.as_bytes(), b"\r\n\r\n"].concat(),
        &[400],
    );
    answers("bare line feeds", get("").replace("\r\n", "\n"), &KEPT);
    answers("an empty line first", format!("\r\n{}", get("")), &KEPT);
    answers("two at once", get("") + &get(""), &[200, 200, 404]);
    answers(
        "a wish to upgrade",
        get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
        &KEPT,
    );
}

#[test]
fn sizes_are_bounded() {
    let query = |query: &str| request("GET", &format!("/api/v1/search?{query}"), "");
    answers("9 KB of target", query(&"x".repeat(9_000)), &[414, 404]);
    answers("60 KB of target", query(&"x".repeat(60_000)), &[431]);
    answers("300 parameters", query(&"a=1&".repeat(300)), &[414, 404]);
    answers("9,000 parameters", query(&"a=1&b=".repeat(9_000)), &[431]);
    answers("101 headers", get(&"x: y\r\n".repeat(101)), &[431]);
    answers("20 KB of headers", get(&format!("x: {}\r\n", "y".repeat(20_000))), &[431]);
    answers("300 KB of headers", get(&format!("x: {}\r\n", "y".repeat(300_000))), &[431]);
    answers("an offset past 2^63", query("offset=9223372036854775809&limit=-1"), &KEPT);
    answers("digits of other scripts", query("limit=%D9%A3&offset=%E0%A5%A9"), &KEPT);
    answers("a question of many words", query(&format!("q={}", "a+".repeat(3_000))), &KEPT);
    let call = request("POST", "/mcp", &format!("{JSON}Content-Length: 70000\r\n")) + &" ".repeat(70_000);
    answers("a call beyond 64 KB", call, &[413, 404]);
}

#[test]
fn paths_are_decoded_once_and_lead_nowhere_else() {
    let slug = &SAMPLE.directory.programs[0].slug;
    let get = |path: &str| request("GET", path, "");
    let (first, rest) = slug.split_at(1);
    let byte = first.as_bytes()[0];
    answers("decoded", get(&format!("/api/v1/programs/%{byte:02x}{rest}")), &KEPT);
    for path in [
        format!("/api/v1/programs/%25{byte:02x}{rest}"),
        "/api/v1/programs/..%2f..%2fmanifest.json".to_owned(),
        "/api/v1/programs/../../manifest.json".to_owned(),
        "/../manifest.json".to_owned(),
        "/api/v1/programs/a%00b".to_owned(),
        "/api/v1/programs/%ff%fe".to_owned(),
        "/api/v1/programs/%c0%ae%c0%ae".to_owned(),
        "/api/v1/programs/a;b=c".to_owned(),
        "/api/v1/programs/a\\b".to_owned(),
        "/api/v1/programs/%".to_owned(),
        "//api/v1/search".to_owned(),
        "/404".to_owned(),
        "/es/404".to_owned(),
        "/index".to_owned(),
        "/es/index".to_owned(),
        "/api/v1/search/".to_owned(),
        "/api/".to_owned(),
        "/api/v1/".to_owned(),
        "/api/v1/programs/".to_owned(),
        "/api/v1/programs/a/b".to_owned(),
        "/api/v1/admin/x".to_owned(),
        "/api/v2/search".to_owned(),
        "/api/v1//search".to_owned(),
        "/index/search.bin".to_owned(),
        format!("/api/v1/programs/{slug}.es"),
    ] {
        answers(&path, get(&path), &[404, 404]);
    }
}
