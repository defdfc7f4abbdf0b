//! Replies: status, headers and bytes. The headers that every answer of a class carries, the
//! lifetimes, and how conditions and codings turn a body into a reply.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use snapshot::page::error;

use crate::bodies::{About, Body};
use crate::conditional::{Part, coding_name, http_date, is_fresh, part};
use crate::connection::Lent;
use crate::guard::ONLY_READS;

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
    /// For ever: the address changes with the bytes.
    Immutable,
    /// Not at all.
    None,
}

/// Freshness in browsers, in caches, and how long a stale answer may stand in; in seconds.
const MAX_AGE: u64 = 60;
const SHARED_MAX_AGE: u64 = 300;
const STALE_WHILE_REVALIDATE: u64 = 600;
const STALE_IF_ERROR: u64 = 86_400;

impl Lifetime {
    /// `Cache-Control`.
    #[must_use]
    pub fn header(self) -> HeaderValue {
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
            Self::Immutable => HeaderValue::from_static("public, max-age=31536000, immutable"),
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
        HeaderValue::from_static(
            "ETag, Link, Location, Retry-After, X-Total-Count, Content-Disposition, Content-Language, \
             Content-Range",
        ),
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

/// What a good answer is, before conditions and codings are applied to it.
#[derive(Debug)]
pub struct Content {
    /// Media type.
    media_type: HeaderValue,
    /// Further headers.
    headers: HeaderMap,
    /// What a cache may purge it by, separated by spaces.
    tags: String,
    /// Links to paths of this site, and their relations.
    links: Vec<(String, &'static str)>,
}

/// Licence of all data.
const LICENSE: &str = "<https://creativecommons.org/licenses/by/4.0/>; rel=\"license\"";

impl Content {
    /// JSON of the REST interface.
    #[must_use]
    pub fn json() -> Self {
        let links = vec![("/api/v1/openapi.json".to_owned(), "service-desc")];
        Self { media_type: JSON, headers: HeaderMap::new(), tags: "all".to_owned(), links }
    }

    /// The same in another media type.
    #[must_use]
    pub fn of(mut self, media_type: HeaderValue) -> Self {
        self.media_type = media_type;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Adds a link to a path of this site.
    #[must_use]
    pub fn link(mut self, path: &str, query: &str, relation: &'static str) -> Self {
        let separator = if query.is_empty() { "" } else { "?" };
        self.links.push((format!("{path}{separator}{query}"), relation));
        self
    }

    /// `Link` (RFC 8288). Targets are absolute: many a client hands them on without the address they came from.
    fn links(&self, base_url: &str) -> String {
        let mut links = LICENSE.to_owned();
        for (path, relation) in &self.links {
            links.push_str(&format!(", <{base_url}{path}>; rel=\"{relation}\""));
        }
        links
    }

    /// Says which parts of the query make no difference (RFC to be, draft-ietf-httpbis-no-vary-search).
    #[must_use]
    pub fn no_vary_search(self, rule: &'static str) -> Self {
        self.with(HeaderName::from_static("no-vary-search"), HeaderValue::from_static(rule))
    }

    /// Adds what a cache may purge it by.
    #[must_use]
    pub fn tag(mut self, tag: &str) -> Self {
        self.tags.push(' ');
        self.tags.push_str(tag);
        self
    }

    /// Headers of the whole answer. `Cache-Control` holds a place that [`ready`] fills.
    pub(crate) fn head(self, etag: &HeaderValue, about: &About<'_>) -> HeaderMap {
        let &About { base_url, coding, changed, tag_header, .. } = about;
        let links = self.links(base_url);
        let mut headers = HeaderMap::with_capacity(20);
        rest_headers(&mut headers);
        headers.extend(self.headers);
        headers.insert(header::CONTENT_TYPE, self.media_type);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::ETAG, etag.clone());
        let tags = tag_header.map_or_else(String::new, |name| separated(self.tags, name));
        for (name, text) in [(Some(&header::LINK), links), (tag_header, tags)] {
            if let (Some(name), Ok(value)) = (name, HeaderValue::try_from(text)) {
                headers.insert(name, value);
            }
        }
        if let Some(changed) = changed.and_then(http_date) {
            headers.insert(header::LAST_MODIFIED, changed);
        }
        if let Some(coding) = coding_name(coding) {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        headers
    }
}

/// Tags as a header separates them: Fastly's and Varnish's by spaces, all others by commas.
fn separated(tags: String, header: &HeaderName) -> String {
    if matches!(header.as_str(), "surrogate-key" | "xkey") { tags } else { tags.replace(' ', ",") }
}

/// What of an answer's headers belongs into a 304 (RFC 9110, section 15.4.5), and what browsers need to
/// let a script see it.
pub(crate) fn not_modified_head(head: &HeaderMap, tag_header: Option<&HeaderName>) -> HeaderMap {
    let kept = [
        header::ETAG,
        header::CACHE_CONTROL,
        header::VARY,
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
    ];
    let mut headers = HeaderMap::with_capacity(kept.len() + 1);
    for name in kept.iter().chain(tag_header) {
        if let Some(value) = head.get(name) {
            headers.insert(name, value.clone());
        }
    }
    headers
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use snapshot::store::Coding;

    const ABOUT: About<'_> = About {
        base_url: "https://directory.example",
        etag: "\"e\"",
        coding: Coding::Identity,
        changed: None,
        dated: false,
        tag_header: None,
    };

    #[test]
    fn links_say_where_they_lead_without_the_address_they_came_from() {
        let head = Content::json().link("/api/v1/awards", "limit=5", "first").head(&JSON, &ABOUT);
        let expected = "<https://creativecommons.org/licenses/by/4.0/>; rel=\"license\", \
                        <https://directory.example/api/v1/openapi.json>; rel=\"service-desc\", \
                        <https://directory.example/api/v1/awards?limit=5>; rel=\"first\"";
        assert_eq!(head[header::LINK], expected);
    }

    #[test]
    fn tags_are_separated_the_way_their_header_is_read() {
        for (name, expected) in [
            ("surrogate-key", "all programs/a-b search"),
            ("cache-tag", "all,programs/a-b,search"),
            ("edge-cache-tag", "all,programs/a-b,search"),
        ] {
            let content = Content::json().tag("programs/a-b").tag("search");
            let name = HeaderName::from_static(name);
            let about = About { tag_header: Some(&name), ..ABOUT };
            let head = content.head(&HeaderValue::from_static("\"e\""), &about);
            assert_eq!(head[&name], expected);
        }
    }

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
