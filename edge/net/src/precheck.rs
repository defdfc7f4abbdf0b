//! Checks of a request's head before anything is looked up: methods, hosts, bodies and sizes. The first check that
//! fails answers the request.

use std::fmt;

use http::{HeaderMap, Method, StatusCode, header};

use crate::request_head::RequestHead;

/// Longest request target, in bytes.
pub(crate) const TARGET_MAX: usize = 8 * 1024;
/// Most name-value pairs of a query.
pub(crate) const PAIRS_MAX: usize = 256;

/// Refuses a method on a path that only reads.
pub const ONLY_READS: &str =
    "Only GET, HEAD and OPTIONS are supported here; the tool endpoint, /mcp, takes POST.";

/// Names that requests may be addressed to, lower case, without port.
#[derive(Clone, Debug)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// From names as people write them: `Example.org`, `example.org:8080`.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        // A name that is no authority is kept: nothing will be addressed to it.
        let bare = |name: String| host_of(&name).unwrap_or(&name).to_ascii_lowercase();
        Self(names.into_iter().map(bare).collect())
    }
}

/// The names, separated by commas.
impl fmt::Display for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

/// Host of an authority: without port and without the dot of the root. `None` where what follows the host is no
/// port (RFC 3986, section 3.2).
fn host_of(authority: &str) -> Option<&str> {
    let end = match authority.strip_prefix('[') {
        Some(_) => authority.find(']')? + 1,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, port) = authority.split_at(end);
    let is_port = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit()) && (port.is_empty() || port.parse::<u16>().is_ok())
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    let valid = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    (valid && !host.is_empty()).then_some(host)
}

/// The error that answers a refused request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpError {
    /// Its status.
    pub status: StatusCode,
    /// Message for the client.
    pub message: &'static str,
    /// Whether the connection is closed after the response.
    pub close: bool,
}

impl HttpError {
    /// After which the connection stays.
    pub const fn new(status: StatusCode, message: &'static str) -> Self {
        Self { status, message, close: false }
    }
}

const fn refuse_and_close(status: StatusCode, message: &'static str) -> HttpError {
    HttpError { status, message, close: true }
}

/// Checks a request's head. `takes_body` is whether its route accepts a body.
///
/// # Errors
///
/// The error that answers the request.
pub fn check(head: &RequestHead, hosts: &Hosts, takes_body: bool) -> Result<(), HttpError> {
    if head.method == Method::CONNECT {
        return Err(refuse_and_close(StatusCode::METHOD_NOT_ALLOWED, "CONNECT is not supported."));
    }
    if !takes_body && has_body(&head.headers) {
        return Err(match head.method {
            Method::GET | Method::HEAD | Method::OPTIONS => {
                refuse_and_close(StatusCode::BAD_REQUEST, "This path takes no request body.")
            }
            _ => refuse_and_close(StatusCode::METHOD_NOT_ALLOWED, ONLY_READS),
        });
    }
    if is_recoded(&head.headers) {
        const MESSAGE: &str = "No transfer coding but chunked is supported.";
        return Err(refuse_and_close(StatusCode::NOT_IMPLEMENTED, MESSAGE));
    }
    check_host(head, hosts)?;
    let query = head.uri.query();
    let length = head.path().len() + query.map_or(0, |query| 1 + query.len());
    let pairs = query.map_or(0, |query| query.bytes().filter(|byte| *byte == b'&').count() + 1);
    if length > TARGET_MAX || pairs > PAIRS_MAX {
        return Err(HttpError::new(StatusCode::URI_TOO_LONG, "The request target is too long."));
    }
    Ok(())
}

fn has_body(headers: &HeaderMap) -> bool {
    let lengths = headers.get_all(header::CONTENT_LENGTH).iter();
    headers.contains_key(header::TRANSFER_ENCODING) || lengths.into_iter().any(|length| length != "0")
}

/// Whether a body has a transfer coding besides `chunked` (RFC 9112, section 6.1), which hyper does not decode.
fn is_recoded(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let only = |coding: &http::HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    codings.next().is_some_and(|coding| !only(coding)) || codings.next().is_some()
}

/// The host of an absolute target counts, not that of the `Host` besides it (RFC 9112, section 3.2.2), which must be
/// valid all the same.
fn check_host(head: &RequestHead, hosts: &Hosts) -> Result<(), HttpError> {
    const BAD: HttpError =
        refuse_and_close(StatusCode::BAD_REQUEST, "A request needs exactly one valid Host.");
    let mut named = head.headers.get_all(header::HOST).iter();
    let target = head.uri.authority().map(http::uri::Authority::as_str);
    if target.is_some() && head.uri.scheme().is_none() {
        return Err(BAD);
    }
    let (Some(host), None) = (named.next(), named.next()) else { return Err(BAD) };
    let host = valid_host(host.to_str().map_err(|_| BAD)?).ok_or(BAD)?;
    let authority = target.map_or(Some(host), valid_host).ok_or(BAD)?;
    if hosts.0.iter().any(|known| known.eq_ignore_ascii_case(authority)) {
        Ok(())
    } else {
        Err(HttpError::new(StatusCode::MISDIRECTED_REQUEST, "This server does not answer for that host."))
    }
}

/// Host of an authority that has no user information.
fn valid_host(authority: &str) -> Option<&str> {
    host_of(authority).filter(|_| !authority.contains(['@', '/', ' ', '\t', ',']))
}
