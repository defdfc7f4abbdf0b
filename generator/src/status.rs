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
