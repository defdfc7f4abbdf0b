//! Who serves what: asks the admin listeners of edges, which live at private addresses and speak plain HTTP, and tells a
//! line of each.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use serde::Deserialize;

use dataset::text::printable;

/// How long an edge may take to connect, and then for its answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// Longest answer that is read, in bytes.
const LONGEST: usize = 64 << 10;

/// What `/snapshot` of an admin listener says, as far as it is told here.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    generation: String,
    day: Option<String>,
    age_seconds: i64,
    refused: Option<Refusal>,
    source: Option<Source>,
}

#[derive(Debug, Deserialize)]
struct Refusal {
    generation: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
struct Source {
    error: Option<String>,
    expired: bool,
}

/// A line for every edge and one about all; and whether all serve one generation and none complains.
#[must_use]
pub fn report(edges: &[String]) -> (String, bool) {
    let asked: Vec<(&String, Result<Snapshot, String>)> = std::thread::scope(|threads| {
        let threads: Vec<_> = edges.iter().map(|edge| (edge, threads.spawn(move || ask(edge)))).collect();
        let joined = |(edge, thread): (_, std::thread::ScopedJoinHandle<'_, _>)| {
            (edge, thread.join().unwrap_or_else(|_| Err("was not asked".to_owned())))
        };
        threads.into_iter().map(joined).collect()
    });
    let (mut text, mut is_well) = (String::new(), true);
    let mut generations: Vec<&str> = Vec::new();
    for (edge, answer) in &asked {
        let line = match answer {
            Ok(snapshot) => {
                generations.push(&snapshot.generation);
                is_well &= complaint(snapshot).is_none();
                line(snapshot)
            }
            Err(reason) => {
                is_well = false;
                reason.clone()
            }
        };
        // Whoever answers there may not write to the terminal what it acts on, nor a line of another.
        text.push_str(&format!("{}\n  {}\n", printable(edge), printable(&line)));
    }
    let newest = generations.iter().copied().max().unwrap_or("nothing");
    let count = generations.iter().filter(|generation| **generation == newest).count();
    text.push_str(&format!("{count} of {} serve {}", edges.len(), printable(newest)));
    (text, is_well && count == edges.len())
}

fn line(snapshot: &Snapshot) -> String {
    let day = snapshot.day.as_deref().map(|day| format!(" on {day}")).unwrap_or_default();
    let hours = snapshot.age_seconds / 3600;
    let age = if hours < 48 { format!("{hours} h") } else { format!("{} days", hours / 24) };
    let state = complaint(snapshot).unwrap_or_else(|| "well".to_owned());
    format!("{}{day}, data of {age} ago: {state}", snapshot.generation)
}

/// Why it does not serve what is live, or may soon not.
fn complaint(snapshot: &Snapshot) -> Option<String> {
    let refused = snapshot.refused.as_ref().map(|it| format!("refuses {}: {}", it.generation, it.reason));
    let source = snapshot.source.as_ref();
    let failing = source
        .and_then(|source| source.error.as_ref())
        .map(|error| format!("cannot follow its store: {error}"));
    let expired =
        source.filter(|source| source.expired).map(|_| "is past what its publisher vouches for".to_owned());
    refused.or(failing).or(expired)
}

fn ask(edge: &str) -> Result<Snapshot, String> {
    if edge.starts_with("https://") {
        return Err(
            "is not asked: admin listeners speak plain HTTP, and live at private addresses".to_owned()
        );
    }
    let authority = edge.strip_prefix("http://").unwrap_or(edge);
    let authority = authority.split('/').next().unwrap_or_default();
    if authority.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
        return Err("is not asked: its address has no port, as in http://10.0.0.1:9090".to_owned());
    }
    let body = fetch(authority).map_err(|error| format!("does not answer: {error}"))?;
    serde_json::from_slice(&body).map_err(|_| {
        "answers, but not as an admin listener does (`opdir-edge --admin-listen ADDR`)".to_owned()
    })
}

/// The body of `/snapshot`.
fn fetch(authority: &str) -> io::Result<Vec<u8>> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in authority.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return exchange(stream, authority, Instant::now() + PATIENCE),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// HTTP/1.0: the answer ends with the connection and comes in one piece.
fn exchange(mut stream: TcpStream, authority: &str, until: Instant) -> io::Result<Vec<u8>> {
    stream.set_write_timeout(Some(PATIENCE))?;
    // In one piece: who has answered half of it and closes would reset the connection.
    stream.write_all(format!("GET /snapshot HTTP/1.0\r\nHost: {authority}\r\n\r\n").as_bytes())?;
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    while answer.len() < LONGEST {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "its answer does not end"));
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => break,
            read => answer.extend_from_slice(part.get(..read).unwrap_or_default()),
        }
    }
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let end = end.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "that was no HTTP"))?;
    Ok(answer.split_off(end + 4))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// An edge that answers once.
    fn edge(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 256];
            let _ = stream.read(&mut request);
            let _ = write!(stream, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{answer}");
        });
        address
    }

    const WELL: &str =
        r#"{"generation":"000002-b","day":"2026-11-21","ageSeconds":7200,"refused":null,"source":null}"#;

    #[test]
    fn each_edge_has_a_line_and_it_is_well_only_if_all_serve_the_same_without_complaint() {
        let url = format!("http://{}/", edge(WELL));
        let (text, is_well) = report(&[edge(WELL), url.clone()]);
        assert!(is_well && text.ends_with("2 of 2 serve 000002-b"), "{text}");
        assert!(
            text.contains(&format!("{url}\n  000002-b on 2026-11-21, data of 2 h ago: well\n")),
            "{text}"
        );
        let behind = r#"{"generation":"000001-a","day":null,"ageSeconds":864000,"refused":{"generation":"000002-b","reason":"it is cut"},"source":null}"#;
        let (text, is_well) = report(&[edge(WELL), edge(behind)]);
        assert!(!is_well && text.ends_with("1 of 2 serve 000002-b"), "{text}");
        assert!(text.contains("\n  000001-a, data of 10 days ago: refuses 000002-b: it is cut\n"), "{text}");
        let lost = r#"{"generation":"000002-b","day":null,"ageSeconds":0,"refused":null,"source":{"error":"denied","expired":true}}"#;
        let (text, is_well) = report(&[edge(lost)]);
        assert!(!is_well && text.contains(": cannot follow its store: denied\n"), "{text}");
    }

    #[test]
    fn what_is_no_edge_is_told_and_nothing_waits_for_it() {
        let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let (text, is_well) = report(&[gone, edge("<html>"), "nonsense".to_owned()]);
        assert!(!is_well && text.ends_with("0 of 3 serve nothing"), "{text}");
        assert!(
            text.contains("does not answer: ") && text.contains("not as an admin listener does"),
            "{text}"
        );
    }

    #[test]
    fn an_edge_writes_nothing_to_the_terminal_that_it_acts_on() {
        let hostile = r#"{"generation":"\u001b[2J000002-b","day":"a\nhttp://other","ageSeconds":0,"refused":{"generation":"x","reason":"\u001b]0;y\u0007"}}"#;
        let (text, is_well) = report(&[edge(hostile)]);
        assert!(!is_well && text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert_eq!(text.lines().count(), 3, "{text:?}");
    }

    #[test]
    fn who_answers_a_byte_at_a_time_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let start = Instant::now();
        let (text, _) = report(&[address]);
        assert!(start.elapsed() < 3 * PATIENCE && text.contains("does not answer: "), "{text}");
    }

    #[test]
    fn addresses_that_nobody_can_answer_at_are_told_why() {
        let (text, _) =
            report(&["https://10.0.0.1:9090".to_owned(), "http://edge.example/snapshot".to_owned()]);
        assert!(text.contains("plain HTTP") && text.contains("no port"), "{text}");
    }
}
