//! What edge servers serve: requests `/snapshot` from their admin listeners, which have private addresses and speak
//! plain HTTP, and reports each in a line.

use std::error::Error;
use std::time::Duration;

use dataset::text::printable;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::HOST;
use hyper_util::rt::TokioIo;
use remote::secrets::shown_address;
use serde::Deserialize;
use tokio::net::TcpStream;

/// Time for connecting and for the whole response.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Longest response body, in bytes.
const BODY_MAX: usize = 64 << 10;

/// The response to `/snapshot`, as far as it is reported.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    generation: String,
    day: Option<String>,
    age_seconds: i64,
    refused: Option<RefusedGeneration>,
    source: Option<SourceStatus>,
}

#[derive(Debug, Deserialize)]
struct RefusedGeneration {
    generation: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
struct SourceStatus {
    error: Option<String>,
    expired: bool,
}

/// Two lines for each edge and a summary; and whether all are healthy and serve the same generation.
pub(crate) fn report(edges: &[String]) -> std::io::Result<(String, bool)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let statuses = runtime.block_on(async {
        let requests: Vec<_> = edges.iter().cloned().map(|edge| tokio::spawn(request(edge))).collect();
        let mut statuses = Vec::new();
        for request in requests {
            statuses.push(request.await.unwrap_or_else(|error| Err(error.to_string())));
        }
        statuses
    });
    let mut text = String::new();
    for (edge, status) in edges.iter().zip(&statuses) {
        let line = status.as_ref().map_or_else(Clone::clone, line);
        // A response must not control the terminal or add lines.
        text.push_str(&format!("{}\n  {}\n", printable(&shown_address(edge)), printable(&line)));
    }
    let generations = || statuses.iter().flatten().map(|snapshot| snapshot.generation.as_str());
    let newest = generations().max().unwrap_or("nothing");
    let count = generations().filter(|generation| *generation == newest).count();
    text.push_str(&format!("{count} of {} serve {}", edges.len(), printable(newest)));
    let is_healthy = statuses.iter().flatten().all(|snapshot| problem(snapshot).is_none());
    Ok((text, is_healthy && count == edges.len()))
}

fn line(snapshot: &Snapshot) -> String {
    let day = snapshot.day.as_deref().map(|day| format!(" on {day}")).unwrap_or_default();
    let hours = snapshot.age_seconds / 3600;
    let age = if hours < 48 { format!("{hours} h") } else { format!("{} days", hours / 24) };
    let state = problem(snapshot).unwrap_or_else(|| "healthy".to_owned());
    format!("{}{day}, data {age} old: {state}", snapshot.generation)
}

/// Why an edge does not serve the live generation, or may soon not.
fn problem(snapshot: &Snapshot) -> Option<String> {
    let refused = snapshot.refused.as_ref().map(|it| format!("refuses {}: {}", it.generation, it.reason));
    let source = snapshot.source.as_ref();
    let failing = source.and_then(|source| source.error.as_ref());
    let failing = failing.map(|error| format!("cannot follow its store: {error}"));
    let expired =
        source.filter(|source| source.expired).map(|_| "its store's snapshot has expired".to_owned());
    refused.or(failing).or(expired)
}

async fn request(edge: String) -> Result<Snapshot, String> {
    if edge.starts_with("https://") {
        return Err(
            "invalid address: admin listeners speak plain HTTP, as in http://10.0.0.1:9090".to_owned()
        );
    }
    let authority = edge.strip_prefix("http://").unwrap_or(&edge);
    let authority = authority.split('/').next().unwrap_or_default();
    if authority.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
        return Err("invalid address: it has no port, as in http://10.0.0.1:9090".to_owned());
    }
    let body = match tokio::time::timeout(TIMEOUT, fetch(authority)).await {
        Ok(body) => body.map_err(|error| format!("does not answer: {error}"))?,
        Err(_) => {
            return Err(format!("does not answer: no complete response within {} s", TIMEOUT.as_secs()));
        }
    };
    serde_json::from_slice(&body).map_err(|_| {
        "answers, but is not the admin listener of an edge (`opdir-edge --admin-listen ADDR`)".to_owned()
    })
}

/// The body of `/snapshot`.
async fn fetch(authority: &str) -> Result<Bytes, Box<dyn Error + Send + Sync>> {
    let stream = TcpStream::connect(authority).await?;
    let (mut client, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::get("/snapshot").header(HOST, authority).body(Empty::<Bytes>::new())?;
    let response = client.send_request(request).await?;
    Ok(Limited::new(response.into_body(), BODY_MAX).collect().await?.to_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::time::Instant;

    use super::*;

    fn report(edges: &[String]) -> (String, bool) {
        super::report(edges).unwrap()
    }

    /// An edge that answers once.
    fn edge(body: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 256];
            let _ = stream.read(&mut request);
            let _ = write!(stream, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{body}");
        });
        address
    }

    const HEALTHY: &str =
        r#"{"generation":"000002-b","day":"2026-11-21","ageSeconds":7200,"refused":null,"source":null}"#;

    #[test]
    fn edges_are_healthy_only_if_all_serve_one_generation_without_a_problem() {
        let url = format!("http://{}/", edge(HEALTHY));
        let (text, is_healthy) = report(&[edge(HEALTHY), url.clone()]);
        assert!(is_healthy && text.ends_with("2 of 2 serve 000002-b"), "{text}");
        assert!(
            text.contains(&format!("{url}\n  000002-b on 2026-11-21, data 2 h old: healthy\n")),
            "{text}"
        );
        let behind = r#"{"generation":"000001-a","day":null,"ageSeconds":864000,"refused":{"generation":"000002-b","reason":"it is cut"},"source":null}"#;
        let (text, is_healthy) = report(&[edge(HEALTHY), edge(behind)]);
        assert!(!is_healthy && text.ends_with("1 of 2 serve 000002-b"), "{text}");
        assert!(text.contains("\n  000001-a, data 10 days old: refuses 000002-b: it is cut\n"), "{text}");
        let lost = r#"{"generation":"000002-b","day":null,"ageSeconds":0,"refused":null,"source":{"error":"denied","expired":true}}"#;
        let (text, is_healthy) = report(&[edge(lost)]);
        assert!(!is_healthy && text.contains(": cannot follow its store: denied\n"), "{text}");
    }

    #[test]
    fn unreachable_and_foreign_servers_are_reported() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let https = "https://user:secret@10.0.0.1:9090".to_owned();
        let (text, is_healthy) = report(&[closed, edge("<html>"), "nonsense".to_owned(), https]);
        assert!(text.contains("https://10.0.0.1:9090") && !text.contains("secret"), "{text}");
        assert!(!is_healthy && text.ends_with("0 of 4 serve nothing"), "{text}");
        for problem in ["does not answer: ", "not the admin listener", "no port", "plain HTTP"] {
            assert!(text.contains(problem), "{problem}: {text}");
        }
    }

    #[test]
    fn responses_cannot_control_the_terminal() {
        let hostile = r#"{"generation":"\u001b[2J000002-b","day":"a\nhttp://other","ageSeconds":0,"refused":{"generation":"x","reason":"\u001b]0;y\u0007"}}"#;
        let (text, is_healthy) = report(&[edge(hostile)]);
        assert!(!is_healthy && text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert_eq!(text.lines().count(), 3, "{text:?}");
    }

    #[test]
    fn a_response_of_a_byte_at_a_time_times_out() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ");
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let start = Instant::now();
        let (text, _) = report(&[address]);
        assert!(start.elapsed() < 3 * TIMEOUT && text.contains("does not answer: "), "{text}");
    }
}
