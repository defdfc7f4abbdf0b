//! Replies: status, headers and bytes; refusals, and how conditions turn a body into a reply.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use snapshot::page::error;

use crate::cache_control::Lifetime;
use crate::representation::{Body, JSON, rest_headers};
use net::conditional::{Part, is_fresh, part};
use net::connection::Lent;
use net::precheck::ONLY_READS;

/// A reply without its connection.
#[derive(Debug)]
pub struct Reply {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
    /// Common to all replies with the same body in memory, of which `body` may be a part.
    pub lent: Option<(usize, Arc<Lent>)>,
}

impl Reply {
    /// An error of the REST interface; `body` is an ErrorResponse.
    #[must_use]
    pub fn error(status: StatusCode, body: Vec<u8>, lifetime: Lifetime) -> Self {
        let mut headers = HeaderMap::with_capacity(12);
        rest_headers(&mut headers);
        headers.insert(header::CONTENT_TYPE, JSON);
        headers.insert(header::CACHE_CONTROL, lifetime.header());
        Self { status, headers, body: body.into(), lent: None }
    }

    /// An error that says only what happened.
    #[must_use]
    pub fn refusal(status: StatusCode, message: &str) -> Self {
        Self::error(status, error::message(message), Lifetime::None)
    }

    /// Refuses what is too much work now.
    #[must_use]
    pub fn overloaded() -> Self {
        Self::refusal(StatusCode::SERVICE_UNAVAILABLE, "Too many searches are under way; try again shortly.")
            .with(header::RETRY_AFTER, HeaderValue::from_static("2"))
    }

    /// Refuses to hold yet another answer that nobody may read.
    #[must_use]
    pub fn congested() -> Self {
        Self::refusal(StatusCode::SERVICE_UNAVAILABLE, CONGESTED)
            .with(header::RETRY_AFTER, HeaderValue::from_static("2"))
    }

    /// Says that a file cannot be read, but may be soon.
    #[must_use]
    pub fn unreadable_now() -> Self {
        const MESSAGE: &str = "The record cannot be read at the moment; try again shortly.";
        Self::refusal(StatusCode::SERVICE_UNAVAILABLE, MESSAGE)
            .with(header::RETRY_AFTER, HeaderValue::from_static("2"))
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
        Self { status: StatusCode::NO_CONTENT, headers, body: Bytes::new(), lent: None }
    }

    /// Refuses a method on a path that only reads.
    #[must_use]
    pub fn method_not_allowed() -> Self {
        Self::refusal(StatusCode::METHOD_NOT_ALLOWED, ONLY_READS).with(header::ALLOW, ALLOW)
    }
}

/// Too much waits to be read.
pub const CONGESTED: &str = "Too many answers wait to be read; try again shortly.";

/// Methods of everything but `/mcp`.
const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// A reply with prepared headers.
fn ready(status: StatusCode, head: &HeaderMap, lifetime: HeaderValue) -> Reply {
    let mut headers = head.clone();
    headers.insert(header::CACHE_CONTROL, lifetime);
    Reply { status, headers, body: Bytes::new(), lent: None }
}

impl Body {
    /// The answer to a client that has these bytes.
    #[must_use]
    pub fn not_modified(&self, lifetime: HeaderValue) -> Reply {
        ready(StatusCode::NOT_MODIFIED, &self.not_modified, lifetime)
    }

    /// The answer to a client that may have these bytes already.
    #[must_use]
    pub fn reply(&self, request: &HeaderMap, lifetime: HeaderValue) -> Reply {
        if is_fresh(request, self.etag(), self.since) {
            return self.not_modified(lifetime);
        }
        let lent = Some((self.bytes.len(), Arc::clone(&self.lent)));
        Reply { body: self.bytes.clone(), lent, ..ready(StatusCode::OK, &self.head, lifetime) }
    }

    /// The same, where the client may ask for a part.
    #[must_use]
    pub fn part(&self, request: &HeaderMap, lifetime: HeaderValue) -> Reply {
        let mut reply = self.reply(request, lifetime);
        if reply.status != StatusCode::OK {
            return reply;
        }
        reply.headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        let length = self.bytes.len();
        match part(request, self.etag(), length) {
            Part::Whole => {}
            Part::Bytes(range) => {
                reply.status = StatusCode::PARTIAL_CONTENT;
                set_range(&mut reply.headers, &format!("bytes {}-{}/{length}", range.start, range.end - 1));
                reply.body = self.bytes.slice(range);
            }
            Part::Unsatisfiable => {
                reply = Reply::refusal(StatusCode::RANGE_NOT_SATISFIABLE, "There are no such bytes.");
                set_range(&mut reply.headers, &format!("bytes */{length}"));
            }
        }
        reply
    }
}

fn set_range(headers: &mut HeaderMap, range: &str) {
    if let Ok(range) = HeaderValue::from_str(range) {
        headers.insert(header::CONTENT_RANGE, range);
    }
}
