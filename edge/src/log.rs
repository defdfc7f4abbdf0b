//! Logs: lines for people or JSON for machines, on standard error. Text from clients is escaped and cut before it is
//! logged.

use std::collections::HashMap;
use std::fmt;
use std::io::Write as _;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use http::uri::PathAndQuery;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use net::lock;
use net::request_head::RequestHead;

use crate::log_lines::LINES;

/// Characters of a client's text that are kept.
const CLIENT_TEXT_MAX: usize = 256;

/// Time in which equal errors have one line.
const REPEATED: Duration = Duration::from_secs(60);
/// Most errors with lines of their own in that time.
const ERRORS_MAX: usize = 32;
/// Stands for all others.
const FURTHER: &str = "all others";

/// Format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Lines for people
    #[default]
    Text,
    /// One JSON object a line
    Json,
    /// Nothing
    Off,
}

/// Starts logging, panics included. Call once, before anything is logged.
pub(crate) fn start(format: Format) {
    LINES.start();
    // Strangers cause what HTTP libraries log, as often as they like; failures of a store are the follower's to report.
    let filter = Targets::new().with_targets(["edge", "net"].map(|ours| (ours, LevelFilter::INFO)));
    let lines = tracing_subscriber::fmt().with_writer(|| &*LINES).with_target(false);
    // Those would be printed, which panics where nothing can be printed.
    let lines = lines.log_internal_errors(false);
    match format {
        Format::Text => lines.finish().with(filter).init(),
        Format::Json => lines.json().flatten_event(true).finish().with(filter).init(),
        Format::Off => {}
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let payload = panic.payload();
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        error("a panic", &format!("{place}: {}", message.unwrap_or("unknown")));
    }));
}

/// Writes a message as it is, whatever the format of lines.
pub(crate) fn print(message: &str) {
    let _ = (&*LINES).write_all(format!("opdir-edge: {message}\n").as_bytes());
}

/// Logs an error of a request. Equal ones are one line a minute, with their number since the line before.
pub(crate) fn error(what: &'static str, error: &str) {
    static ERRORS: LazyLock<Mutex<Repeats>> = LazyLock::new(|| Mutex::new(Repeats::every(REPEATED)));
    let counted = lock(&ERRORS).count(error, Instant::now());
    if let Some((error, times)) = counted {
        tracing::error!(error, times, "{what}");
    }
}

/// Logs a host that a refused request was addressed to: each once in ten minutes, and how many others there were. A wrong
/// one is the commonest fault of settings.
pub(crate) fn misdirected(head: &RequestHead) {
    static HOSTS: LazyLock<Mutex<Repeats>> = LazyLock::new(|| Mutex::new(Repeats::every(10 * REPEATED)));
    let named = head.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
    let host = head.uri.authority().map_or(named, |authority| Some(authority.as_str())).unwrap_or_default();
    let counted = lock(&HOSTS).count(host, Instant::now());
    if let Some((host, times)) = counted {
        let host = client_text(host);
        tracing::warn!(times, %host, "421: this host is not approved; if it is yours, add it with --allowed-host");
    }
}

/// For each error: when it was last logged, and how often it occurred since.
struct Repeats {
    every: Duration,
    counted: HashMap<String, (Instant, u64)>,
}

impl Repeats {
    /// Equal errors have one line in this time.
    fn every(every: Duration) -> Self {
        Self { every, counted: HashMap::new() }
    }

    /// Counts an error; if it is to be logged, as which, and how often it occurred.
    fn count<'a>(&mut self, error: &'a str, now: Instant) -> Option<(&'a str, u64)> {
        let (errors, every) = (&mut self.counted, self.every);
        let is_recent = |logged: Instant| now.saturating_duration_since(logged) < every;
        if errors.len() >= ERRORS_MAX && !errors.contains_key(error) {
            errors.retain(|error, (logged, _)| error == FURTHER || is_recent(*logged));
        }
        let has_line = errors.len() < ERRORS_MAX || errors.contains_key(error);
        let error = if has_line { error } else { FURTHER };
        let Some((logged, times)) = errors.get_mut(error) else {
            errors.insert(error.to_owned(), (now, 0));
            return Some((error, 1));
        };
        *times += 1;
        if is_recent(*logged) {
            return None;
        }
        *logged = now;
        Some((error, std::mem::take(times)))
    }
}

/// Text from a client, cut, with control characters and everything beyond ASCII escaped.
fn client_text(text: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        for c in text.chars().take(CLIENT_TEXT_MAX) {
            match c {
                '\\' => f.write_str("\\\\")?,
                ' '..='~' => fmt::Write::write_char(f, c)?,
                _ => write!(f, "{}", c.escape_unicode())?,
            }
        }
        if text.chars().nth(CLIENT_TEXT_MAX).is_some() { f.write_str("...") } else { Ok(()) }
    })
}

/// Logs a request and its answer.
pub(crate) fn access(head: &RequestHead, status: u16, bytes: usize, took: Duration) {
    let target = head.uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    tracing::info!(
        peer = head.peer.map(|peer| peer.to_string()),
        method = %client_text(head.method.as_str()),
        target = %client_text(target),
        status,
        bytes,
        micros = took.as_micros() as u64,
        agent = %client_text(header(http::header::USER_AGENT)),
        "request"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_errors_have_one_line_a_minute_with_their_number() {
        let (mut repeats, start) = (Repeats::every(REPEATED), Instant::now());
        assert_eq!(repeats.count("a", start), Some(("a", 1)));
        for second in 0..59 {
            assert_eq!(repeats.count("a", start + Duration::from_secs(second)), None);
        }
        assert_eq!(repeats.count("b", start + REPEATED), Some(("b", 1)));
        assert_eq!(repeats.count("a", start + REPEATED), Some(("a", 60)));
        assert_eq!(repeats.count("a", start + REPEATED), None);
    }

    #[test]
    fn errors_that_all_differ_have_few_lines_a_minute() {
        let (mut repeats, start) = (Repeats::every(REPEATED), Instant::now());
        let mut lines =
            |now| (0..10_000).filter_map(|n| repeats.count(&n.to_string(), now).map(drop)).count();
        assert_eq!(lines(start), ERRORS_MAX + 1);
        assert_eq!(lines(start + REPEATED / 2), 0);
        assert!((2..=2 * ERRORS_MAX).contains(&lines(start + REPEATED)));
        assert!(repeats.counted.len() <= ERRORS_MAX + 1);
        let later = start + 2 * REPEATED;
        assert_eq!(repeats.count("one's own", later), Some(("one's own", 1)), "hidden no longer");
        let others: Vec<_> = (0..100).map(|n| format!("other {n}")).collect();
        let counted =
            others.iter().filter_map(|error| repeats.count(error, later)).find(|it| it.0 == FURTHER);
        assert_eq!(counted, Some((FURTHER, 10_000 - ERRORS_MAX as u64)), "since the line before");
    }

    #[test]
    fn a_client_cannot_forge_a_line_or_drive_a_terminal() {
        let forged = client_text("a\r\n{\"level\":\"ERROR\"}\u{1b}[2J\u{202e}é\\").to_string();
        assert_eq!(forged, r#"a\u{d}\u{a}{"level":"ERROR"}\u{1b}[2J\u{202e}\u{e9}\\"#);
        assert_eq!(client_text(&"x".repeat(1000)).to_string().len(), CLIENT_TEXT_MAX + 3);
    }
}
