//! Logs: lines for people or JSON for machines, on standard error. Text from clients is escaped and cut before it is
//! logged.

use std::fmt;
use std::time::Duration;

use clap::ValueEnum;
use http::StatusCode;
use http::uri::PathAndQuery;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use net::request_head::RequestHead;

/// Characters of a client's text that are kept.
const CLIENT_TEXT_MAX: usize = 256;

/// Format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
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
    // The follower reports failures of a store; the retries of its client are not logged as well.
    let filter = Targets::new().with_default(LevelFilter::INFO).with_target("object_store", LevelFilter::OFF);
    let lines = tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false);
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    match format {
        Format::Text => lines.with_ansi(is_terminal).finish().with(filter).init(),
        Format::Json => lines.json().flatten_event(true).finish().with(filter).init(),
        Format::Off => {}
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let payload = panic.payload();
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        tracing::error!(place, reason = message.unwrap_or("unknown"), "a panic");
    }));
}

/// Text from a client, cut, with control characters and everything beyond ASCII escaped.
#[derive(Clone, Copy, Debug)]
struct ClientText<'a>(&'a str);

impl fmt::Display for ClientText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars().take(CLIENT_TEXT_MAX) {
            match c {
                '\\' => f.write_str("\\\\")?,
                ' '..='~' => fmt::Write::write_char(f, c)?,
                _ => write!(f, "{}", c.escape_unicode())?,
            }
        }
        if self.0.chars().nth(CLIENT_TEXT_MAX).is_some() { f.write_str("...") } else { Ok(()) }
    }
}

/// Logs a request and its answer.
pub(crate) fn access(head: &RequestHead, status: StatusCode, bytes: usize, took: Duration) {
    let target = head.uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    tracing::info!(
        peer = head.peer.map(|peer| peer.to_string()),
        method = %ClientText(head.method.as_str()),
        target = %ClientText(target),
        status = status.as_u16(),
        bytes,
        micros = took.as_micros() as u64,
        agent = %ClientText(header(http::header::USER_AGENT)),
        "request"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_cannot_forge_a_line_or_drive_a_terminal() {
        let forged = ClientText("a\r\n{\"level\":\"ERROR\"}\u{1b}[2J\u{202e}é\\").to_string();
        assert_eq!(forged, r#"a\u{d}\u{a}{"level":"ERROR"}\u{1b}[2J\u{202e}\u{e9}\\"#);
        assert_eq!(ClientText(&"x".repeat(1000)).to_string().len(), CLIENT_TEXT_MAX + 3);
    }
}
