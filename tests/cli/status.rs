//! What `opdir status` reports of edges, from the answers of their admin listeners.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use super::{Place, Ran};

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

fn report(edges: &[String]) -> Ran {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    place.opdir(&["status"].into_iter().chain(edges.iter().map(String::as_str)).collect::<Vec<_>>())
}

/// The report of edges that are not all healthy.
#[track_caller]
fn unhealthy(edges: &[String]) -> String {
    let ran = report(edges);
    assert_eq!(ran.code, 5, "{}", ran.out);
    ran.out
}

const HEALTHY: &str =
    r#"{"generation":"000002-b","day":"2026-11-21","ageSeconds":7200,"refused":null,"source":null}"#;

#[test]
fn edges_are_healthy_only_if_all_serve_one_generation_without_a_problem() {
    let url = format!("http://{}/", edge(HEALTHY));
    let text = report(&[edge(HEALTHY), url.clone()]).succeeds();
    assert!(text.ends_with("2 of 2 serve 000002-b\n"), "{text}");
    assert!(text.contains(&format!("{url}\n  000002-b on 2026-11-21, data 2 h old: healthy\n")), "{text}");
    let behind = r#"{"generation":"000001-a","day":null,"ageSeconds":864000,"refused":{"generation":"000002-b","reason":"it is cut"},"source":null}"#;
    let text = unhealthy(&[edge(HEALTHY), edge(behind)]);
    assert!(text.ends_with("1 of 2 serve 000002-b\n"), "{text}");
    assert!(text.contains("\n  000001-a, data 10 days old: refuses 000002-b: it is cut\n"), "{text}");
    let lost = r#"{"generation":"000002-b","day":null,"ageSeconds":0,"refused":null,"source":{"error":"denied","expired":true}}"#;
    let text = unhealthy(&[edge(lost)]);
    assert!(text.contains(": cannot follow its store: denied\n"), "{text}");
}

#[test]
fn unreachable_and_foreign_servers_are_reported() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let https = "https://user:secret@10.0.0.1:9090".to_owned();
    let text = unhealthy(&[closed, edge("<html>"), "nonsense".to_owned(), https]);
    assert!(text.contains("https://10.0.0.1:9090") && !text.contains("secret"), "{text}");
    assert!(text.ends_with("0 of 4 serve nothing\n"), "{text}");
    for problem in ["does not answer: ", "not the admin listener", "no port", "plain HTTP"] {
        assert!(text.contains(problem), "{problem}: {text}");
    }
}

#[test]
fn responses_cannot_control_the_terminal() {
    let hostile = r#"{"generation":"\u001b[2J000002-b","day":"a\nhttp://other","ageSeconds":0,"refused":{"generation":"x","reason":"\u001b]0;y\u0007"}}"#;
    let text = unhealthy(&[edge(hostile)]);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert_eq!(text.lines().count(), 3, "{text:?}");
}

#[test]
fn a_response_of_a_byte_at_a_time_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 256]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ");
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let text = unhealthy(&[address]);
    assert!(text.contains("does not answer: no complete response within 3 s"), "{text}");
}
