//! What is computed for a question: once, encoded if that pays, kept, and linked to the rows around it.

use std::convert::Infallible;

use http::header;
use sha2::{Digest as _, Sha256};
use snapshot::page::Paged;
use snapshot::query::Page;
use snapshot::store::{Coding, Hex};

use super::{Asked, Attempt, Place};
use crate::cache_control::Lifetime;
use crate::representation::{About, Body, Content};
use net::blocking_pool::{Outcome, is_heavy};
use net::conditional::{etag_suffix, is_fresh, negotiate};

/// A question whose answer is computed.
pub(crate) struct Question<'a> {
    /// Path that the answer's links lead to; pages carry their own links.
    pub(crate) path: Option<&'a str>,
    /// The question as a query string.
    pub(crate) canonical: String,
    /// See [`Asked::validator`].
    pub(crate) validator: String,
    /// Whether the answer does.
    pub(crate) depends_on_day: bool,
    /// Which rows.
    pub(crate) page: Page,
    /// In units of the search.
    pub(crate) work: u64,
}

/// What was computed for a question.
pub(crate) struct Computed {
    bytes: Vec<u8>,
    /// How many rows there are on all pages, where the links to these are to be told.
    total: Option<usize>,
}

impl From<Paged> for Computed {
    fn from(Paged { bytes, total }: Paged) -> Self {
        Self { bytes, total: Some(total) }
    }
}

impl From<Vec<u8>> for Computed {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, total: None }
    }
}

impl Asked<'_> {
    /// ETag of a computed answer, without quotes: generation, day, program and canonical question.
    pub(crate) fn validator(&self, what: &str, canonical: &str, invalid: &[String]) -> String {
        let mut hash = Sha256::new();
        for part in [what, canonical].into_iter().chain(invalid.iter().map(String::as_str)) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        format!("{}{}", self.epoch.validator, Hex(&hash.finalize()[..10]))
    }

    /// Answers by what the client has, by what is in memory, or by computing, in this order.
    pub(crate) fn computed(
        &self,
        question: &Question<'_>,
        content: impl FnOnce() -> Content,
        compute: impl FnOnce() -> Computed,
    ) -> Attempt {
        let lifetime = match question.depends_on_day {
            true => self.until_midnight(),
            false => Lifetime::Usual.header(),
        };
        let headers = &self.head.headers;
        let coding = negotiate(headers, |coding| matches!(coding, Coding::Gzip | Coding::Zstd));
        let tag = |coding| format!("\"{}{}\"", question.validator, etag_suffix(coding));
        let etag = tag(coding);
        // A short answer is not encoded: its ETag is that of identity whatever was negotiated.
        for known in [&etag, &tag(Coding::Identity)] {
            if is_fresh(headers, known, None) && headers.contains_key(header::IF_NONE_MATCH) {
                let about = self.about(known, Coding::Identity, question);
                return Body::new(bytes::Bytes::new(), content(), &about).not_modified(lifetime).into();
            }
        }
        if let Some(body) = self.live.metrics.answers.count(self.live.answers.get(&etag)) {
            return body.reply(headers, lifetime).into();
        }
        if self.place == Place::Here && is_heavy(question.work) {
            return Outcome::Heavy(question.work);
        }
        let make = || Ok::<_, Infallible>(self.made(question, &etag, coding, content(), compute()));
        let Ok(body) = self.live.answers.get_or_make(&etag, make);
        body.reply(headers, lifetime).into()
    }

    fn about<'b>(&'b self, etag: &'b str, coding: Coding, question: &Question<'_>) -> About<'b> {
        let changed = Some(self.epoch.changed(question.depends_on_day));
        // The date of a computed answer informs; only its ETag tells it from others.
        let generation = self.epoch.generation().id();
        let base_url = &self.epoch.generation().manifest().base_url;
        let tag_header = self.live.serving.tag_header.as_ref();
        About { base_url, generation, etag, coding, changed, dated: false, tag_header }
    }

    /// A computed body, encoded if that pays.
    fn made(
        &self,
        question: &Question<'_>,
        etag: &str,
        coding: Coding,
        content: Content,
        computed: Computed,
    ) -> Body {
        /// Smaller bodies are not worth compressing.
        const ENCODED_LEAST: usize = 1024;
        let Computed { bytes: body, total } = computed;
        let content = match question.path {
            Some(path) => linked(content, path, question, total),
            None => content,
        };
        let encoded = if body.len() < ENCODED_LEAST { None } else { net::encode::encode(coding, &body) };
        match encoded {
            Some(encoded) => Body::new(encoded.into(), content, &self.about(etag, coding, question)),
            None => {
                let etag = format!("\"{}\"", question.validator);
                Body::new(body.into(), content, &self.about(&etag, Coding::Identity, question))
            }
        }
    }
}

/// Adds links to the answer itself and to the pages around it (RFC 8288). `last` begins where counting in
/// whole pages from the first row ends; beyond it, `prev` leads back to it.
fn linked(content: Content, path: &str, question: &Question<'_>, total: Option<usize>) -> Content {
    let page = question.page;
    let content = content.link(path, &question.canonical, "canonical");
    let Some(total) = total.map(|total| total as u64) else { return content };
    let last = total.saturating_sub(1) / page.limit.max(1) * page.limit;
    let next = page.offset.saturating_add(page.limit);
    let around = [
        (true, 0, "first"),
        (page.offset > 0, page.offset.saturating_sub(page.limit).min(last), "prev"),
        (next < total, next, "next"),
        (true, last, "last"),
    ];
    let there = around.into_iter().filter(|(there, ..)| *there);
    there.fold(content, |content, (_, offset, relation)| {
        content.link(path, &with_offset(&question.canonical, offset), relation)
    })
}

/// A canonical query with another offset.
fn with_offset(canonical: &str, offset: u64) -> String {
    let mut query = String::with_capacity(canonical.len() + 24);
    for pair in canonical.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("offset=")) {
        query.push_str(pair);
        query.push('&');
    }
    match offset {
        0 => query.truncate(query.len().saturating_sub(1)),
        _ => query.push_str(&format!("offset={offset}")),
    }
    query
}
