//! Computed answers: computed once, encoded if that pays, cached, and linked to the pages around them.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::header;
use net::conditional::{etag_suffix, is_fresh, is_precondition_failed, negotiate};
use sha2::{Digest as _, Sha256};
use snapshot::page::Paged;
use snapshot::query::Page;
use store::{Coding, Hex};

use crate::cache_control;
use crate::reply::{FAILED, Reply};
use crate::representation::{CachedResponse, Metadata, PRECONDITION_FAILED, Representation};
use crate::request::{Answer, Request};

/// A query whose answer is computed.
pub(super) struct Query {
    /// Path that the answer's links lead to; pages carry their own links.
    pub(super) path: Option<String>,
    /// The canonical query string.
    pub(super) canonical: String,
    /// Quoted ETag of the answer: generation, day, program, canonical query and what of the query was left out.
    pub(super) validator: String,
    pub(super) depends_on_day: bool,
    /// Which rows, where the answer has a total.
    pub(super) page: Page,
    /// Its price, in units of the search.
    pub(super) work: u64,
}

/// The body of a computed answer.
pub(super) struct Computed {
    /// None if a template failed.
    pub(super) bytes: Option<Vec<u8>>,
    /// Rows on all pages, where the answer links to the pages around it.
    pub(super) total: Option<usize>,
    /// Path and query of the next answer, where only the body shows which that is.
    pub(super) next: Option<(&'static str, String)>,
}

impl From<Paged> for Computed {
    fn from(Paged { bytes, total }: Paged) -> Self {
        Self { total: Some(total), ..bytes.into() }
    }
}

impl From<Vec<u8>> for Computed {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: Some(bytes), total: None, next: None }
    }
}

impl Request {
    /// A query by the name of its route and its canonical form, without links, rows and work. `invalid` was left out.
    pub(super) fn query(&self, name: &str, canonical: String, invalid: &[String]) -> Query {
        let mut hash = Sha256::new();
        for part in [name, &canonical].into_iter().chain(invalid.iter().map(String::as_str)) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let validator = format!("\"{}{}\"", self.state.validator, Hex(&hash.finalize()[..10]));
        let page = Page { offset: 0, limit: 0 };
        Query { path: None, canonical, validator, depends_on_day: false, page, work: 0 }
    }

    /// Answers by the client's copy, from the cache, or by computing, in this order. Heavy work is returned.
    pub(super) fn computed(
        &self,
        query: Query,
        representation: impl Fn() -> Representation + Send + 'static,
        compute: impl FnOnce(&Self) -> Computed + Send + 'static,
    ) -> Answer {
        if let Some(reply) = self.known(&query, &representation) {
            return reply.into();
        }
        self.weighed(
            query.work,
            |server| &server.searches,
            move |request| request.compute(&query, representation(), || compute(request)),
        )
    }

    /// The answer that the client or the cache has.
    pub(super) fn known(&self, query: &Query, representation: impl Fn() -> Representation) -> Option<Reply> {
        let headers = &self.head.headers;
        let etag = query.etag(self.coding());
        // A short answer is not encoded: its ETag is that of identity whatever was negotiated.
        let known = [&etag, &query.etag(Coding::Identity)];
        let changed = self.state.changed(query.depends_on_day);
        if known.iter().all(|known| is_precondition_failed(headers, known, changed)) {
            return Some(PRECONDITION_FAILED.into());
        }
        if headers.contains_key(header::IF_NONE_MATCH) {
            for known in known {
                if is_fresh(headers, known, None) && !is_precondition_failed(headers, known, changed) {
                    let metadata = self.metadata(known, Coding::Identity, query);
                    let response = CachedResponse::new(Bytes::new(), representation(), &metadata);
                    return Some(response.not_modified(self.lifetime(query)));
                }
            }
        }
        let cached = self.server.metrics.answers.count(self.server.answers.get(&*etag));
        cached.map(|response| response.reply(headers, self.lifetime(query)))
    }

    /// Computes an answer, unless another request has just done that.
    pub(super) fn compute(
        &self,
        query: &Query,
        representation: Representation,
        compute: impl FnOnce() -> Computed,
    ) -> Reply {
        let etag = query.etag(self.coding());
        let make = || {
            let Computed { bytes, total, next } = compute();
            let mut linked = linked(representation, query, total);
            if let Some((path, query)) = next {
                linked = linked.link(path, &query, "next");
            }
            bytes.map(|bytes| Arc::new(self.encoded(query, linked, bytes))).ok_or(FAILED)
        };
        match self.server.answers.get_or_insert_with(&*etag, make) {
            Ok(response) => response.reply(&self.head.headers, self.lifetime(query)),
            Err(error) => error.into(),
        }
    }

    fn coding(&self) -> Coding {
        negotiate(&self.head.headers, || true)
    }

    fn lifetime(&self, query: &Query) -> http::HeaderValue {
        if query.depends_on_day { self.until_midnight() } else { cache_control::USUAL }
    }

    fn metadata<'a>(&'a self, etag: &'a str, coding: Coding, query: &Query) -> Metadata<'a> {
        let changed = self.state.changed(query.depends_on_day);
        // Where it is the beginning of the day, two generations from before that day have it.
        let dated = changed == self.state.changed(false);
        Metadata { origin: &self.state.origin, etag, coding, changed, dated }
    }

    /// A computed answer, encoded if that pays.
    fn encoded(&self, query: &Query, representation: Representation, bytes: Vec<u8>) -> CachedResponse {
        /// Smaller bodies are not worth compressing.
        const ENCODED_LEAST: usize = 1024;
        let coding = if bytes.len() < ENCODED_LEAST { Coding::Identity } else { self.coding() };
        let (bytes, coding) = match net::encode::encode(coding, &bytes) {
            Some(encoded) => (encoded, coding),
            None => (bytes, Coding::Identity),
        };
        let etag = query.etag(coding);
        CachedResponse::new(bytes.into(), representation, &self.metadata(&etag, coding, query))
    }
}

impl Query {
    /// The quoted ETag of the answer in a coding.
    fn etag(&self, coding: Coding) -> Cow<'_, str> {
        match (etag_suffix(coding), self.validator.strip_suffix('"')) {
            ("", _) | (_, None) => Cow::Borrowed(&self.validator),
            (suffix, Some(start)) => Cow::Owned([start, suffix, "\""].concat()),
        }
    }
}

/// Adds links to the pages around the answer and to itself (RFC 8288), the most useful first. `last` begins where
/// counting in whole pages from the first row ends; beyond it, `prev` leads back to it. A feed has no pages: where it is cut, it
/// states the number of all rows.
fn linked(representation: Representation, query: &Query, total: Option<usize>) -> Representation {
    let page = query.page;
    let Some(path) = &query.path else {
        let more = total.filter(|total| *total as u64 > page.limit);
        return match more {
            Some(total) => representation.total(total),
            None => representation,
        };
    };
    let mut linked = representation;
    let paged = total.map_or(0, |total| total as u64);
    let last = paged.saturating_sub(1) / page.limit.max(1) * page.limit;
    let next = page.offset.saturating_add(page.limit);
    let around = [
        (next < paged, next, "next"),
        (page.offset > 0, page.offset.saturating_sub(page.limit).min(last), "prev"),
        (true, 0, "first"),
        (true, last, "last"),
    ];
    let pairs = query.canonical.split('&').filter(|pair| !pair.starts_with("offset="));
    let question = pairs.collect::<Vec<_>>().join("&");
    let and = if question.is_empty() { "" } else { "&" };
    for (_, offset, relation) in around.into_iter().filter(|(is_there, ..)| *is_there && total.is_some()) {
        linked = match offset {
            0 => linked.link(path, &question, relation),
            _ => linked.link(path, &format!("{question}{and}offset={offset}"), relation),
        };
    }
    linked.link(path, &query.canonical, "canonical")
}
