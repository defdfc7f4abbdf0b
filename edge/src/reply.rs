//! Replies: status, headers and bytes. The headers that every answer of a class carries, the
//! lifetimes, and how conditions and codings turn a body into a reply.

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use snapshot::page::error;
use snapshot::store::Coding;

use crate::conditional::{Part, coding_name, etag_suffix, http_date, is_fresh, negotiate, part};

/// A reply without its connection.
#[derive(Debug)]
pub struct Reply {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
}

/// What a body may be kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// The usual times.
    Usual,
    /// The usual times, but no longer than these seconds: the bytes depend on the day.
    UntilMidnight(u64),
    /// A short time: the answer says that something is not there.
    Short,
    /// A day: a redirect.
    Redirect,
    /// Not at all.
    None,
}

/// Freshness in browsers, in caches, and how long a stale answer may stand in; in seconds.
const MAX_AGE: u64 = 60;
const SHARED_MAX_AGE: u64 = 300;
const STALE_WHILE_REVALIDATE: u64 = 600;
const STALE_IF_ERROR: u64 = 86_400;

impl Lifetime {
    fn header(self) -> HeaderValue {
        match self {
            Self::Usual => HeaderValue::from_static(
                "public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400",
            ),
            Self::UntilMidnight(left) if left > SHARED_MAX_AGE + STALE_IF_ERROR => Self::Usual.header(),
            Self::UntilMidnight(left) => {
                let shared = SHARED_MAX_AGE.min(left);
                let stale = left - shared;
                let text = format!(
                    "public, max-age={}, s-maxage={shared}, stale-while-revalidate={}, stale-if-error={}",
                    MAX_AGE.min(left),
                    STALE_WHILE_REVALIDATE.min(stale),
                    STALE_IF_ERROR.min(stale),
                );
                HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("no-store"))
            }
            Self::Short => HeaderValue::from_static("public, max-age=10, s-maxage=30"),
            Self::Redirect => HeaderValue::from_static("public, max-age=86400"),
            Self::None => HeaderValue::from_static("no-store"),
        }
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Headers of every REST answer, errors too.
fn rest_headers(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("ETag, Link, Location, Retry-After, X-Total-Count, Content-Language"),
    );
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
}

impl Reply {
    /// An error of the REST interface; `body` is an ErrorResponse.
    #[must_use]
    pub fn error(status: StatusCode, body: Vec<u8>, lifetime: Lifetime) -> Self {
        let mut headers = HeaderMap::with_capacity(12);
        rest_headers(&mut headers);
        headers.insert(header::CONTENT_TYPE, JSON);
        headers.insert(header::CACHE_CONTROL, lifetime.header());
        Self { status, headers, body: body.into() }
    }

    /// An error that says only what happened.
    #[must_use]
    pub fn refusal(status: StatusCode, message: &str) -> Self {
        Self::error(status, error::message(message), Lifetime::None)
    }

    /// Sets a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The answer to `OPTIONS` on a REST path or page.
    #[must_use]
    pub fn options() -> Self {
        let mut headers = HeaderMap::with_capacity(12);
        rest_headers(&mut headers);
        headers.insert(header::ALLOW, ALLOW);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, ALLOW);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400"));
        Self { status: StatusCode::NO_CONTENT, headers, body: Bytes::new() }
    }

    /// Refuses a method on a path that only reads.
    #[must_use]
    pub fn method_not_allowed() -> Self {
        Self::refusal(StatusCode::METHOD_NOT_ALLOWED, "Only GET, HEAD and OPTIONS are supported here.")
            .with(header::ALLOW, ALLOW)
    }
}

/// Methods of everything but `/mcp`.
const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// What a good answer is, before conditions and codings are applied to it.
#[derive(Debug)]
pub struct Content {
    /// Media type.
    pub media_type: HeaderValue,
    /// How long it may be kept.
    pub lifetime: Lifetime,
    /// Further headers.
    pub headers: HeaderMap,
    /// When it last changed, in seconds since 1970.
    pub changed: Option<i64>,
    /// Whether parts of it may be asked for.
    pub ranges: bool,
}

impl Content {
    /// JSON of the REST interface.
    #[must_use]
    pub fn json(lifetime: Lifetime) -> Self {
        Self { media_type: JSON, lifetime, headers: HeaderMap::new(), changed: None, ranges: false }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// A reply to a request that already has these bytes.
    fn not_modified(self, etag: &str, coding: Coding) -> Reply {
        let mut reply = self.head(etag, coding);
        reply.status = StatusCode::NOT_MODIFIED;
        for name in [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_DISPOSITION] {
            reply.headers.remove(name);
        }
        reply
    }

    /// Everything but the body.
    fn head(self, etag: &str, coding: Coding) -> Reply {
        let mut headers = HeaderMap::with_capacity(16);
        rest_headers(&mut headers);
        headers.extend(self.headers);
        headers.insert(header::CONTENT_TYPE, self.media_type);
        headers.insert(header::CACHE_CONTROL, self.lifetime.header());
        if let Ok(etag) = HeaderValue::from_str(etag) {
            headers.insert(header::ETAG, etag);
        }
        if let Some(changed) = self.changed.and_then(http_date) {
            headers.insert(header::LAST_MODIFIED, changed);
        }
        if let Some(coding) = coding_name(coding) {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        if self.ranges {
            headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        }
        Reply { status: StatusCode::OK, headers, body: Bytes::new() }
    }

    /// A reply with a stored body. `body` is not called when the client has it.
    pub fn stored<E>(
        self,
        request: &HeaderMap,
        offered: impl Fn(Coding) -> bool,
        body: impl FnOnce(Coding) -> Result<crate::bodies::Body, E>,
    ) -> Result<Reply, E> {
        let asks_for_part = self.ranges && request.contains_key(header::RANGE);
        let coding = if asks_for_part { Coding::Identity } else { negotiate(request, offered) };
        let body = body(coding)?;
        let content = Self { changed: Some(body.changed), ..self };
        if is_fresh(request, &body.etag, Some(body.changed)) {
            return Ok(content.not_modified(&body.etag, coding));
        }
        let wanted = if asks_for_part { part(request, &body.etag, body.bytes.len()) } else { Part::Whole };
        let mut reply = content.head(&body.etag, coding);
        let length = body.bytes.len();
        match wanted {
            Part::Whole => reply.body = body.bytes,
            Part::Bytes(range) => {
                reply.status = StatusCode::PARTIAL_CONTENT;
                set_range(&mut reply.headers, &format!("bytes {}-{}/{length}", range.start, range.end - 1));
                reply.body = body.bytes.slice(range);
            }
            Part::Unsatisfiable => {
                reply = Reply::refusal(StatusCode::RANGE_NOT_SATISFIABLE, "There are no such bytes.");
                set_range(&mut reply.headers, &format!("bytes */{length}"));
            }
        }
        Ok(reply)
    }

    /// A reply with a computed body. `validator` is its ETag without quotes and coding, known before
    /// the body is: a client that has it costs no computing.
    pub fn computed(self, request: &HeaderMap, validator: &str, body: impl FnOnce() -> Vec<u8>) -> Reply {
        /// Smaller bodies are not worth compressing.
        const ENCODED_LEAST: usize = 1024;
        let coding = negotiate(request, |coding| matches!(coding, Coding::Gzip | Coding::Zstd));
        let etag = format!("\"{validator}{}\"", etag_suffix(coding));
        if is_fresh(request, &etag, self.changed) {
            return self.not_modified(&etag, coding);
        }
        let body = body();
        let encoded = if body.len() < ENCODED_LEAST { None } else { crate::encode::encode(coding, &body) };
        let mut reply = match &encoded {
            Some(_) => self.head(&etag, coding),
            None => self.head(&format!("\"{validator}\""), Coding::Identity),
        };
        reply.body = encoded.unwrap_or(body).into();
        reply
    }
}

fn set_range(headers: &mut HeaderMap, range: &str) {
    if let Ok(range) = HeaderValue::from_str(range) {
        headers.insert(header::CONTENT_RANGE, range);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_lifetime_outlasts_the_day() {
        for left in [0, 1, 59, 61, 299, 400, 5000, 86_399] {
            let header = Lifetime::UntilMidnight(left).header();
            let text = header.to_str().unwrap();
            let of = |name: &str| -> u64 {
                let found = text.split(", ").find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
                found.unwrap().parse().unwrap()
            };
            assert!(of("max-age") <= left);
            for stale in ["stale-while-revalidate", "stale-if-error"] {
                assert!(of("s-maxage") + of(stale) <= left, "{text}");
            }
        }
    }
}
