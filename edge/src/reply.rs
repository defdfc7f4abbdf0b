//! Replies: status, headers and bytes, and the errors among them.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use net::in_flight::SharedBody;
use net::precheck::{HttpError, ONLY_READS};
use snapshot::page::error;

use crate::cache_control;

/// Too many bytes of answers wait for their clients to read them.
pub(crate) const CONGESTED: HttpError = unavailable("Too many answers wait to be read; try again shortly.");
/// A pool is full.
pub(crate) const OVERLOADED: HttpError =
    unavailable("Too many long answers are under way; try again shortly.");
/// A file cannot be read now, but may be soon.
pub(crate) const UNREADABLE: HttpError =
    unavailable("The record cannot be read at the moment; try again shortly.");
/// A method that writes.
pub(crate) const METHOD_NOT_ALLOWED: HttpError = HttpError::new(StatusCode::METHOD_NOT_ALLOWED, ONLY_READS);
/// A panic.
pub(crate) const FAILED: HttpError = failed("The server could not complete the request.");
/// A file that is not as it was published.
pub(crate) const DAMAGED: HttpError = failed("The record could not be read.");

const fn unavailable(message: &'static str) -> HttpError {
    HttpError::new(StatusCode::SERVICE_UNAVAILABLE, message)
}

const fn failed(message: &'static str) -> HttpError {
    HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
}

/// Media type of answers of the REST interface.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Methods of everything but `/mcp`.
const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// Sets the headers of every REST answer, errors included.
pub(crate) fn rest_headers(headers: &mut HeaderMap) {
    /// Constants, so that their bytes are checked when the program is compiled.
    const HEADERS: [(HeaderName, HeaderValue); 5] = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(
                "ETag, Link, Location, Retry-After, X-Total-Count, Content-Disposition, Content-Language, \
                 Content-Range, Opdir-Generation, Deprecation, Sunset",
            ),
        ),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
        ),
    ];
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
}

/// A reply before it is bound to a connection.
#[derive(Debug)]
pub(crate) struct Reply {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
    /// The body in memory of which `body` is all or a part, and its length.
    pub(crate) shared: Option<(usize, Arc<SharedBody>)>,
}

impl Reply {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        Self { status, headers, body: body.into(), shared: None }
    }

    /// An error of the REST interface; `body` is an ErrorResponse.
    pub(crate) fn error(status: StatusCode, body: Vec<u8>, lifetime: HeaderValue) -> Self {
        let mut headers = HeaderMap::with_capacity(12);
        rest_headers(&mut headers);
        headers.insert(header::CONTENT_TYPE, JSON);
        headers.insert(header::CACHE_CONTROL, lifetime);
        Self::new(status, headers, body)
    }

    pub(crate) fn not_found(message: &str) -> Self {
        Self::error(StatusCode::NOT_FOUND, error::message(message), cache_control::SHORT)
    }

    pub(crate) fn bad_request(body: Vec<u8>) -> Self {
        Self::error(StatusCode::BAD_REQUEST, body, cache_control::SHORT)
    }

    /// 308 to a path of this site.
    pub(crate) fn redirect(location: &str, body: Vec<u8>) -> Self {
        let reply = Self::error(StatusCode::PERMANENT_REDIRECT, body, cache_control::REDIRECT);
        reply.with(header::LOCATION, value(location))
    }

    /// The answer to `OPTIONS` on a path that only reads.
    pub(crate) fn options() -> Self {
        let mut headers = HeaderMap::with_capacity(12);
        rest_headers(&mut headers);
        headers.insert(header::ALLOW, ALLOW);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, ALLOW);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        headers.insert(header::CACHE_CONTROL, cache_control::REDIRECT);
        Self::new(StatusCode::NO_CONTENT, headers, Bytes::new())
    }

    /// Adds since when a parameter of the request is deprecated (RFC 9745), until when it stays (RFC 8594), and
    /// where that is explained.
    pub(crate) fn deprecated(mut self) -> Self {
        // 2026-11-23.
        const SINCE: HeaderValue = HeaderValue::from_static("@1795392000");
        const UNTIL: HeaderValue = HeaderValue::from_static("Sun, 31 Dec 2028 23:59:59 GMT");
        const WHY: HeaderValue =
            HeaderValue::from_static("</docs/api#changes>; rel=\"deprecation\"; type=\"text/html\"");
        self.headers.append(header::LINK, WHY);
        self.with(HeaderName::from_static("deprecation"), SINCE)
            .with(HeaderName::from_static("sunset"), UNTIL)
    }

    /// Sets a header.
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

impl From<HttpError> for Reply {
    fn from(HttpError { status, message, close }: HttpError) -> Self {
        let mut reply = Self::error(status, error::message(message), cache_control::NONE);
        match status {
            StatusCode::METHOD_NOT_ALLOWED => drop(reply.headers.insert(header::ALLOW, ALLOW)),
            StatusCode::SERVICE_UNAVAILABLE => drop(reply.headers.insert(header::RETRY_AFTER, 2.into())),
            _ => {}
        }
        if close { reply.with(header::CONNECTION, HeaderValue::from_static("close")) } else { reply }
    }
}

impl From<Response<Bytes>> for Reply {
    fn from(response: Response<Bytes>) -> Self {
        let (parts, body) = response.into_parts();
        Self::new(parts.status, parts.headers, body)
    }
}

impl From<Reply> for Response<Bytes> {
    fn from(reply: Reply) -> Self {
        let mut response = Self::new(reply.body);
        *response.status_mut() = reply.status;
        *response.headers_mut() = reply.headers;
        response
    }
}

/// A header value of text that was checked or encoded before.
pub(crate) fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}
