//! Representations: the headers that describe a body, and the cached response that is made of both.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use net::conditional::{RequestedRange, http_date, is_fresh, is_precondition_failed, requested_range};
use net::in_flight::SharedBody;
use net::precheck::HttpError;
use snapshot::record::Locale;
use store::Coding;

use crate::reply::{JSON, Reply, rest_headers, value};

/// Parts of a query that make no difference (draft-ietf-httpbis-no-vary-search).
const NO_VARY_SEARCH: HeaderName = HeaderName::from_static("no-vary-search");
/// Names the generation that answers.
const GENERATION: HeaderName = HeaderName::from_static("opdir-generation");

/// Licence of all data.
const LICENSE: &str = "<https://creativecommons.org/licenses/by/4.0/>; rel=\"license\"";

/// Most bytes of `Link`, which repeats the query for each page: proxies bound the head of an answer. With the link of a
/// deprecated parameter it is 1 KB.
const LINKS_MAX: usize = 960;

/// A range that the body does not have.
const UNSATISFIABLE: HttpError =
    HttpError::new(StatusCode::RANGE_NOT_SATISFIABLE, "There are no such bytes.");

/// `If-Match` or `If-Unmodified-Since` does not hold.
pub(crate) const PRECONDITION_FAILED: HttpError = HttpError::new(
    StatusCode::PRECONDITION_FAILED,
    "The answer is no longer the one that If-Match or If-Unmodified-Since names; request all of it again.",
);

/// What all answers of a state have in common.
pub(crate) struct Origin {
    /// The hash in the name of the generation that answers. Without the sequence number: an answer that is cached across a
    /// rollback is the same before and after it.
    pub(crate) generation: HeaderValue,
    /// Header for the tags by which a cache may purge an answer.
    pub(crate) tag_header: Option<HeaderName>,
}

/// What is known of a body besides its bytes.
pub(crate) struct Metadata<'a> {
    pub(crate) origin: &'a Origin,
    /// Strong ETag, quoted.
    pub(crate) etag: &'a str,
    /// Content coding of the bytes.
    pub(crate) coding: Coding,
    /// When they last changed, in seconds since 1970.
    pub(crate) changed: i64,
    /// Whether that date identifies these bytes among all of this URL.
    pub(crate) dated: bool,
}

/// The headers of an answer, before conditions and codings are applied.
#[derive(Debug)]
pub(crate) struct Representation {
    headers: HeaderMap,
    /// Tags by which a cache may purge it, separated by spaces.
    tags: String,
    /// `Link` (RFC 8288). Targets are relative to the address of the answer.
    links: String,
}

impl Representation {
    /// Of a media type.
    pub(crate) fn new(media_type: HeaderValue) -> Self {
        let mut headers = HeaderMap::with_capacity(20);
        rest_headers(&mut headers);
        headers.insert(header::CONTENT_TYPE, media_type);
        let mut links = String::with_capacity(LINKS_MAX);
        links.push_str(LICENSE);
        let representation = Self { headers, tags: "all".to_owned(), links };
        representation.link("/api/v1/openapi.json", "", "service-desc")
    }

    /// JSON of the REST interface.
    pub(crate) fn json() -> Self {
        Self::new(JSON)
    }

    /// Adds a header.
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Adds `Content-Language`.
    pub(crate) fn language(self, locale: Locale) -> Self {
        self.with(header::CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str()))
    }

    /// Adds a link to a path of this site, unless all would be too long with it.
    pub(crate) fn link(mut self, path: &str, query: &str, relation: &str) -> Self {
        let separator = if query.is_empty() { "" } else { "?" };
        let link = [", <", path, separator, query, ">; rel=\"", relation, "\""];
        if self.links.len() + link.map(str::len).iter().sum::<usize>() <= LINKS_MAX {
            self.links.extend(link);
        }
        self
    }

    /// Adds the number of rows that there are, where the body has fewer.
    pub(crate) fn total(self, rows: usize) -> Self {
        self.with(HeaderName::from_static("x-total-count"), HeaderValue::from(rows))
    }

    /// Adds `No-Vary-Search`.
    pub(crate) fn no_vary_search(self, rule: HeaderValue) -> Self {
        self.with(NO_VARY_SEARCH, rule)
    }

    /// Adds a tag.
    pub(crate) fn tag(mut self, tag: &str) -> Self {
        self.tags.push(' ');
        self.tags.push_str(tag);
        self
    }
}

/// Tags as a header separates them: Fastly's and Varnish's by spaces, all others by commas.
fn separated(tags: String, header: &HeaderName) -> String {
    if matches!(header.as_str(), "surrogate-key" | "xkey") { tags } else { tags.replace(' ', ",") }
}

/// The headers that a 304 repeats (RFC 9110, section 15.4.5), and those by which browsers let a script read it.
fn not_modified_headers(headers: &HeaderMap, tag_header: Option<&HeaderName>) -> HeaderMap {
    let repeated = [
        header::ETAG,
        header::CACHE_CONTROL,
        header::VARY,
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
    ];
    let mut chosen = HeaderMap::with_capacity(repeated.len() + 1);
    for name in repeated.iter().chain(tag_header) {
        if let Some(value) = headers.get(name) {
            chosen.insert(name, value.clone());
        }
    }
    chosen
}

/// A response that is ready to be sent as often as it is requested.
#[derive(Clone, Debug)]
pub(crate) struct CachedResponse {
    /// The body, in its coding.
    pub(crate) bytes: Bytes,
    /// Its length, also where `bytes` are left out.
    length: u64,
    /// Headers of a 200.
    headers: HeaderMap,
    /// Header for the tags by which a cache may purge it.
    tag_header: Option<HeaderName>,
    /// When the body last changed, in seconds since 1970.
    changed: i64,
    /// The same, if it identifies the body.
    dated: Option<i64>,
    /// Common to all replies with these bytes.
    shared: Arc<SharedBody>,
}

impl CachedResponse {
    /// Prepares the headers of a body. `Cache-Control` is a placeholder that is replaced when the answer is sent.
    pub(crate) fn new(bytes: Bytes, representation: Representation, metadata: &Metadata<'_>) -> Self {
        let &Metadata { origin, etag, coding, changed, dated } = metadata;
        let Representation { mut headers, tags, links } = representation;
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::ETAG, HeaderValue::from_str(etag).unwrap_or(HeaderValue::from_static("\"\"")));
        headers.insert(GENERATION, origin.generation.clone());
        let tag_header = origin.tag_header.clone();
        let tags = tag_header.as_ref().map_or_else(String::new, |name| separated(tags, name));
        for (name, text) in [(Some(&header::LINK), links), (tag_header.as_ref(), tags)] {
            if let (Some(name), Ok(value)) = (name, HeaderValue::try_from(text)) {
                headers.insert(name, value);
            }
        }
        if let Some(changed) = http_date(changed) {
            headers.insert(header::LAST_MODIFIED, changed);
        }
        if coding == Coding::Gzip {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        let (length, dated) = (bytes.len() as u64, dated.then_some(changed));
        Self { bytes, length, headers, tag_header, changed, dated, shared: Arc::default() }
    }

    /// The same without its body, of this length.
    pub(crate) fn without_body(&self, length: u64) -> Self {
        Self { bytes: Bytes::new(), length, ..self.clone() }
    }

    fn etag(&self) -> &str {
        self.headers.get(header::ETAG).and_then(|etag| etag.to_str().ok()).unwrap_or_default()
    }

    /// Its size in memory, roughly.
    pub(crate) fn weight(&self) -> usize {
        /// A map of some twenty headers.
        const HEADERS: usize = 4096;
        self.bytes.len() + HEADERS
    }

    /// 304.
    pub(crate) fn not_modified(&self, lifetime: HeaderValue) -> Reply {
        let headers = not_modified_headers(&self.headers, self.tag_header.as_ref());
        reply(StatusCode::NOT_MODIFIED, headers, lifetime)
    }

    /// 200, or 412 and 304 by the request's conditions.
    pub(crate) fn reply(&self, request: &HeaderMap, lifetime: HeaderValue) -> Reply {
        if is_precondition_failed(request, self.etag(), self.changed) {
            return PRECONDITION_FAILED.into();
        }
        if is_fresh(request, self.etag(), self.dated) {
            return self.not_modified(lifetime);
        }
        let shared = Some((self.bytes.len(), Arc::clone(&self.shared)));
        let mut reply = reply(StatusCode::OK, self.headers.clone(), lifetime);
        if self.bytes.len() as u64 != self.length {
            reply.headers.insert(header::CONTENT_LENGTH, self.length.into());
        }
        Reply { body: self.bytes.clone(), shared, ..reply }
    }

    /// The same, or 206 and 416 by the request's range; HEAD has none.
    pub(crate) fn reply_range(&self, request: &HeaderMap, is_head: bool, lifetime: HeaderValue) -> Reply {
        let mut reply = self.reply(request, lifetime);
        if reply.status != StatusCode::OK {
            return reply;
        }
        reply.headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        match self.range(request) {
            RequestedRange::Bytes(range) if !is_head => {
                reply.body = self.bytes.slice(range.clone());
                self.partial(reply, &range)
            }
            RequestedRange::Unsatisfiable if !is_head => {
                let length = value(&format!("bytes */{}", self.length));
                Reply::from(UNSATISFIABLE).with(header::CONTENT_RANGE, length)
            }
            _ => reply,
        }
    }

    /// The part of the body that is requested.
    pub(crate) fn range(&self, request: &HeaderMap) -> RequestedRange {
        requested_range(request, self.etag(), self.dated, self.length as usize)
    }

    /// 206 with a part of the body that was read on its own.
    pub(crate) fn reply_part(&self, range: &Range<usize>, part: Bytes, lifetime: HeaderValue) -> Reply {
        let mut reply = reply(StatusCode::OK, self.headers.clone(), lifetime);
        reply.headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        self.partial(Reply { body: part, ..reply }, range)
    }

    fn partial(&self, reply: Reply, range: &Range<usize>) -> Reply {
        let (last, length) = (range.end - 1, self.length);
        let reply = Reply { status: StatusCode::PARTIAL_CONTENT, ..reply };
        reply.with(header::CONTENT_RANGE, value(&format!("bytes {}-{last}/{length}", range.start)))
    }
}

fn reply(status: StatusCode, mut headers: HeaderMap, lifetime: HeaderValue) -> Reply {
    headers.insert(header::CACHE_CONTROL, lifetime);
    Reply::new(status, headers, Bytes::new())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    static ORIGIN: Origin = Origin { generation: JSON, tag_header: None };
    pub(crate) static METADATA: Metadata<'_> =
        Metadata { origin: &ORIGIN, etag: "\"e\"", coding: Coding::Identity, changed: 0, dated: false };

    #[test]
    fn tags_are_separated_as_their_header_requires() {
        for (name, expected) in [
            ("surrogate-key", "all programs/a-b search"),
            ("cache-tag", "all,programs/a-b,search"),
            ("edge-cache-tag", "all,programs/a-b,search"),
        ] {
            let tagged = Representation::json().tag("programs/a-b").tag("search");
            let tag_header = Some(HeaderName::from_static(name));
            let origin = &Origin { generation: JSON, tag_header };
            let metadata = Metadata { origin, ..METADATA };
            assert_eq!(CachedResponse::new(Bytes::new(), tagged, &metadata).headers[name], expected);
        }
    }
}
