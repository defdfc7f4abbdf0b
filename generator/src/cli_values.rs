//! Values of the command line, and their parsers.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use remote::is_address;

/// Output formats of a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DiffFormat {
    /// Text: changed records and pages, a line each
    #[default]
    Words,
    /// What caches have to purge, one per line: `url ADDRESS` or `tag NAME`
    Purge,
}

/// Output formats of `due`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DueFormat {
    /// A table for a terminal
    #[default]
    Table,
    /// CSV, one row for each record and reason
    Csv,
    /// Markdown for an issue, with a box to tick for each line
    Markdown,
}

/// Parses a base URL to its origin.
pub(crate) fn base_url(text: &str) -> Result<String, String> {
    let url = url::Url::parse(text).map_err(|error| format!("{error}; write https://example.org"))?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let anonymous = url.username().is_empty() && url.password().is_none();
    match url.scheme() {
        "http" | "https" if bare && anonymous => Ok(url.origin().ascii_serialization()),
        "http" | "https" => Err("expected only scheme and host, as in https://example.org".to_owned()),
        _ => Err("the scheme must be http or https, as in https://example.org".to_owned()),
    }
}

/// Parses the path of a folder; the URL of a store is an error.
pub(crate) fn folder() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|text| match text.to_str() {
        Some(text) if is_address(text) => Err(
            "this is the URL of a store, expected a folder; `opdir pull` downloads its snapshot to a folder",
        ),
        _ => Ok(PathBuf::from(text)),
    })
}

/// Parses the path of a site: `/repo`, `/a/b`; a slash at its end is ignored.
pub(crate) fn site_path(text: &str) -> Result<String, String> {
    let path = text.trim_end_matches('/');
    let is_segment = |segment: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
        !matches!(segment, "" | "." | "..") && segment.bytes().all(known)
    };
    match path.strip_prefix('/') {
        Some(rest) if rest.split('/').all(is_segment) => Ok(path.to_owned()),
        None if path.is_empty() => Ok(String::new()),
        _ => Err("expected a path of letters, digits, `-`, `_`, `.` and `~`, such as /repo".to_owned()),
    }
}

/// Parses `7d` or `36h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let hours = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((number, "d")) => number.parse::<u64>().ok().and_then(|days| days.checked_mul(24)),
        Some((number, "h")) => number.parse().ok(),
        _ => None,
    };
    let hours = hours.filter(|hours| (1..=3650 * 24).contains(hours));
    let hours = hours.ok_or("expected hours or days from 1h to 3650d, as in 36h or 7d")?;
    Ok(Duration::from_secs(hours * 3600))
}
