//! Answers to GET on REST paths and pages: a pure function of the epoch, the request and the time.

use std::convert::Infallible;
use std::sync::Arc;

use http::{HeaderValue, Method, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest as _, Sha256};
use snapshot::facet::Facet;
use snapshot::page::address::{FACETS_TAG, SEARCH_TAG};
use snapshot::page::{Paged, error, facet, list, search};
use snapshot::query::{
    ExportFormat, FACET_LIMIT_DEFAULT, FacetQuery, List, is_slug, parse_export, parse_facet, parse_list,
    parse_locale, parse_search,
};
use snapshot::record::{EntityType, Locale};
use snapshot::search::text::fold;
use snapshot::store::{Coding, FileEntry, Hex, StoreError};

use crate::conditional::{etag_suffix, is_fresh, negotiate};
use crate::content::{About, Body, Content};
use crate::epoch::Epoch;
use crate::head::Head;
use crate::lifetime::Lifetime;
use crate::live::Live;
use crate::reply::Reply;
use crate::route::Route;
use crate::searches::{Outcome, TEXT_UNITS, is_heavy};

/// Where REST pages are among the files.
const API: &str = "api/v1/";

/// What of a query makes no difference, by route (No-Vary-Search). Names that search and lists do not
/// know are reported in the answer and so do make one, but for the junk of trackers.
const JUNK: &str = "key-order, params=(\"utm_source\" \"utm_medium\" \"utm_campaign\" \"utm_term\" \
                    \"utm_content\" \"utm_id\" \"fbclid\" \"gclid\" \"_\")";
const ALL_BUT_LOCALE: &str = "key-order, params, except=(\"locale\" \"lang\")";
const ALL_BUT_FACET: &str = "key-order, params, except=(\"q\" \"limit\" \"offset\")";
const ALL_BUT_FORMAT: &str = "key-order, params, except=(\"format\")";
const ALL: &str = "params";

/// Where an answer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among other requests: what takes long is left to be done aside.
    Here,
    /// On a thread of its own.
    Aside,
}

/// A request on its way to an answer.
pub struct Asked<'a> {
    /// What outlives epochs.
    pub live: &'a Live,
    /// The state that answers it.
    pub epoch: &'a Epoch,
    /// Its head.
    pub head: &'a Head,
    /// When it came, in seconds since 1970.
    pub now: u64,
    /// Where the answer is made.
    pub place: Place,
}

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
    pub(crate) page: snapshot::query::Page,
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

/// A reply, or how much work it would be.
pub type Attempt = Outcome<Reply, u64>;

/// Answers a request on any path but `/mcp`, or says how much work that would be.
#[must_use]
pub fn attempt(asked: &Asked<'_>, route: &Route<'_>) -> Attempt {
    match asked.head.method {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => return Reply::options().into(),
        _ => return Reply::method_not_allowed().into(),
    }
    match route {
        Route::Search => asked.search(),
        Route::Program(slug) => asked.program(slug).into(),
        Route::Facet(name) => asked.facet(name),
        Route::List(list) => asked.list(*list),
        Route::Organization(slug) => asked.organization(slug).into(),
        Route::Recipient(slug) => asked.recipient(slug).into(),
        Route::Export => asked.export().into(),
        Route::OpenApi => asked.document("openapi.json").into(),
        Route::Page(path) => asked.page(path),
        Route::Mcp | Route::NoApi => not_found("There is nothing at this path.").into(),
    }
}

/// Answers a request on any path but `/mcp`; what is too much work where it is asked is refused.
#[must_use]
pub fn answer(asked: &Asked<'_>, route: &Route<'_>) -> Reply {
    match attempt(asked, route) {
        Outcome::Ready(reply) => reply,
        Outcome::Heavy(_) => Reply::overloaded(),
    }
}

pub(crate) fn not_found(message: &str) -> Reply {
    Reply::error(StatusCode::NOT_FOUND, error::message(message), Lifetime::Short)
}

/// 404 of a record that is known by another slug.
fn moved(message: &str, canonical: &str) -> Reply {
    Reply::error(StatusCode::NOT_FOUND, error::moved(message, canonical), Lifetime::Short)
}

impl<'a> Asked<'a> {
    pub(crate) fn query(&self) -> &'a str {
        self.head.query.as_deref().unwrap_or_default()
    }

    /// `Cache-Control` of what depends on the day.
    pub(crate) fn until_midnight(&self) -> HeaderValue {
        self.epoch.until_midnight(self.now)
    }

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
        let base_url = &self.epoch.generation().manifest().base_url;
        let tag_header = self.live.serving.tag_header.as_ref();
        About { base_url, etag, coding, changed, dated: false, tag_header }
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
        let encoded = if body.len() < ENCODED_LEAST { None } else { crate::encode::encode(coding, &body) };
        match encoded {
            Some(encoded) => Body::new(encoded.into(), content, &self.about(etag, coding, question)),
            None => {
                let etag = format!("\"{}\"", question.validator);
                Body::new(body.into(), content, &self.about(&etag, Coding::Identity, question))
            }
        }
    }

    fn search(&self) -> Attempt {
        let index = &self.epoch.site().index;
        let (query, invalid) = parse_search(self.query(), |facet, value| index.values.find(facet, value));
        let canonical = query.canonical(|ordinal| index.values.text(ordinal));
        let read = index.read(&query);
        let question = Question {
            path: Some("/api/v1/search"),
            validator: self.validator("search", &canonical, &invalid),
            canonical,
            depends_on_day: true,
            page: query.page,
            work: index.price_read(&query, read.as_ref()),
        };
        let content = || {
            let content = Content::json().no_vary_search(JUNK).tag(SEARCH_TAG);
            content.with(header::CONTENT_LANGUAGE, language(query.locale))
        };
        self.computed(&question, content, || {
            let (site, dated) = (self.epoch.site(), &self.epoch.dated);
            search::search_read(site, dated, &query, read.as_ref(), &invalid).into()
        })
    }

    fn list(&self, of: List) -> Attempt {
        let (query, invalid) = parse_list(of, self.query());
        let canonical = query.canonical();
        let path = format!("/{API}{}", of.name());
        let question = Question {
            path: Some(&path),
            validator: self.validator(of.name(), &canonical, &invalid),
            canonical,
            depends_on_day: of == List::Cycles,
            page: query.page,
            work: list::price(self.epoch.site(), of, &query),
        };
        let content = || {
            let content = Content::json().no_vary_search(JUNK).tag(of.name());
            content.with(header::CONTENT_LANGUAGE, language(Locale::En))
        };
        self.computed(&question, content, || {
            list::list(self.epoch.site(), &self.epoch.dated, of, &query, &invalid).into()
        })
    }

    fn facet(&self, name: &str) -> Attempt {
        let Some(of) = Facet::parse(name) else {
            return Reply::error(StatusCode::NOT_FOUND, error::unknown_facet(), Lifetime::Short).into();
        };
        let query = match parse_facet(self.query()) {
            Ok(query) => query,
            Err(faults) => {
                let body = error::facet_faults(&faults);
                return Reply::error(StatusCode::BAD_REQUEST, body, Lifetime::Short).into();
            }
        };
        let canonical = canonical_facet(&query);
        let path = format!("/{API}facets/{name}");
        let question = Question {
            path: Some(&path),
            validator: self.validator(name, &canonical, &[]),
            canonical,
            depends_on_day: of.spec().daily,
            page: query.page,
            work: self.epoch.site().index.values.of(of).len() as u64 * TEXT_UNITS,
        };
        let content = || {
            let content = Content::json().no_vary_search(ALL_BUT_FACET).tag(FACETS_TAG);
            content.with(header::CONTENT_LANGUAGE, language(Locale::En))
        };
        self.computed(&question, content, || {
            facet::facet(self.epoch.site(), &self.epoch.dated, of, &query).into()
        })
    }

    /// The page of a record. What is no slug finds nothing: `x.es` is a file's name, not a record's.
    fn record(&self, folder: &str, slug: &str, suffix: &str) -> Option<FileEntry<'a>> {
        is_slug(slug).then(|| self.epoch.generation().files().lookup(&[API, folder, slug, suffix]))?
    }

    fn program(&self, slug: &str) -> Reply {
        let locale = parse_locale(self.query());
        let suffix = if locale == Locale::Es { ".es.json" } else { ".json" };
        match self.record("programs/", slug, suffix) {
            Some(file) => {
                self.file(file, self.until_midnight(), || program_content(self.epoch, slug, locale))
            }
            None => self.unknown(EntityType::Program, "There is no published program with this slug.", slug),
        }
    }

    fn recipient(&self, slug: &str) -> Reply {
        match self.record("recipients/", slug, ".json") {
            Some(file) => {
                self.file(file, Lifetime::Usual.header(), || detail_content("recipients/", slug, ALL))
            }
            None => self.unknown(EntityType::Recipient, "There is no recipient with this slug.", slug),
        }
    }

    fn unknown(&self, entity: EntityType, message: &str, slug: &str) -> Reply {
        match self.epoch.site().lists.canonical_slug(entity, slug) {
            Some(canonical) => moved(message, canonical),
            None => not_found(message),
        }
    }

    fn organization(&self, slug: &str) -> Reply {
        if let Some(file) = self.record("organizations/", slug, ".json") {
            return self.file(file, self.until_midnight(), || detail_content("organizations/", slug, ALL));
        }
        let tidy = normalised(slug);
        let lists = &self.epoch.site().lists;
        let alias = |slug: &str| lists.canonical_slug(EntityType::Organization, slug).map(str::to_owned);
        let canonical = alias(slug).or_else(|| alias(&tidy)).or_else(|| {
            let exists = self.record("organizations/", &tidy, ".json").is_some();
            exists.then_some(tidy)
        });
        match canonical {
            None => not_found("There is no organization with this slug."),
            Some(canonical) => redirect(&canonical, self.head.query.as_deref()),
        }
    }

    fn export(&self) -> Reply {
        let format = match parse_export(self.query()) {
            Ok(format) => format,
            Err(value) => {
                return Reply::error(StatusCode::BAD_REQUEST, error::export_format(&value), Lifetime::Short);
            }
        };
        let extension = if format == ExportFormat::Csv { ".csv" } else { ".json" };
        let Some(file) = self.epoch.generation().files().lookup(&[API, "exports/latest", extension]) else {
            return no_pages();
        };
        self.body(file, || self.export_content(format))
            .map(|body| body.part(&self.head.headers, self.until_midnight()))
            .unwrap_or_else(|error| damaged(&error))
    }

    fn export_content(&self, format: ExportFormat) -> Content {
        let mut content = Content::json().no_vary_search(ALL_BUT_FORMAT);
        if format == ExportFormat::Csv {
            let name = format!("attachment; filename=\"opportunities-{}.csv\"", date_of(self.epoch));
            content = content
                .of(HeaderValue::from_static("text/csv; charset=utf-8; header=present"))
                .with(header::CONTENT_DISPOSITION, value(&name));
        }
        let total = self.epoch.site().index.len();
        if total > snapshot::page::export::ROWS_MAX {
            content = content.with(http::HeaderName::from_static("x-total-count"), value(&total.to_string()));
        }
        let query = if format == ExportFormat::Csv { "format=csv" } else { "" };
        content
            .link("/api/v1/exports/latest", query, "canonical")
            .with(header::CONTENT_LANGUAGE, language(Locale::En))
    }

    fn document(&self, name: &str) -> Reply {
        match self.epoch.generation().files().lookup(&[API, name]) {
            Some(file) => self.file(file, Lifetime::Usual.header(), || {
                let content =
                    Content::json().no_vary_search(ALL).link(&format!("/{API}{name}"), "", "canonical");
                content.with(header::CONTENT_LANGUAGE, language(Locale::En))
            }),
            None => no_pages(),
        }
    }

    pub(crate) fn file(
        &self,
        file: FileEntry<'_>,
        lifetime: HeaderValue,
        content: impl FnOnce() -> Content,
    ) -> Reply {
        self.body(file, content)
            .map(|body| body.reply(&self.head.headers, lifetime))
            .unwrap_or_else(|error| damaged(&error))
    }

    /// A file's body in the coding that the client likes best; a part is one of the identity body.
    pub(crate) fn body(
        &self,
        file: FileEntry<'_>,
        content: impl FnOnce() -> Content,
    ) -> Result<Arc<Body>, StoreError> {
        let headers = &self.head.headers;
        let coding = match headers.contains_key(header::RANGE) {
            true => Coding::Identity,
            false => negotiate(headers, |coding| self.epoch.offers(file, coding)),
        };
        if let Some(body) = self.live.metrics.bodies.count(self.epoch.kept(file, coding)) {
            return Ok(body);
        }
        self.epoch.body(file, coding, self.live.serving.tag_header.as_ref(), content)
    }
}

fn detail_content(family: &str, slug: &str, no_vary_search: &'static str) -> Content {
    Content::json()
        .no_vary_search(no_vary_search)
        .link(&format!("/{API}{family}{slug}"), "", "canonical")
        .with(header::CONTENT_LANGUAGE, language(Locale::En))
}

/// The language of the record's text is said, not that which was asked for.
fn program_content(epoch: &Epoch, slug: &str, locale: Locale) -> Content {
    let site = epoch.site();
    let tongues = site.index.find(slug).map_or(locale.as_str(), |doc| site.rows.tongues(doc, locale));
    let query = if locale == Locale::Es { "locale=es" } else { "" };
    Content::json()
        .no_vary_search(ALL_BUT_LOCALE)
        .link(&format!("/{API}programs/{slug}"), query, "canonical")
        .with(header::CONTENT_LANGUAGE, value(tongues))
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

/// All but the unreserved characters of an address (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A question to the facet endpoint as a query string, defaults left out.
fn canonical_facet(query: &FacetQuery) -> String {
    let mut pairs = Vec::new();
    if !query.text.is_empty() {
        pairs.push(format!("q={}", utf8_percent_encode(&query.text, RESERVED)));
    }
    if query.page.limit != FACET_LIMIT_DEFAULT {
        pairs.push(format!("limit={}", query.page.limit));
    }
    if query.page.offset != 0 {
        pairs.push(format!("offset={}", query.page.offset));
    }
    pairs.join("&")
}

/// A file that cannot be sent as it was published is not sent. Where only descriptors or memory have run out,
/// it can be soon.
pub(crate) fn damaged(error: &StoreError) -> Reply {
    tracing::error!(%error, "a file of the snapshot cannot be served");
    if matches!(error, StoreError::Io { source, .. } if is_want(source)) {
        return Reply::unreadable_now();
    }
    Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, "The record could not be read.")
}

/// Whether something has run out that will be given back: memory, or descriptors of the system or the process
/// (the numbers are the same on every Unix).
fn is_want(error: &std::io::Error) -> bool {
    const ENOMEM: i32 = 12;
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    matches!(error.raw_os_error(), Some(ENOMEM | ENFILE | EMFILE))
}

/// The snapshot was built without pages.
fn no_pages() -> Reply {
    Reply::refusal(StatusCode::NOT_FOUND, "This snapshot was built without pages.")
}

fn redirect(canonical: &str, query: Option<&str>) -> Reply {
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let location = format!("/api/v1/organizations/{canonical}{query}");
    let body = error::moved("The organization has another slug.", canonical);
    Reply::error(StatusCode::PERMANENT_REDIRECT, body, Lifetime::Redirect)
        .with(header::LOCATION, value(&location))
}

/// What a slug would be had it been typed carefully.
fn normalised(slug: &str) -> String {
    let folded = fold(slug.trim());
    let mut tidy = String::with_capacity(folded.len());
    for c in folded.chars() {
        let c = if c == '_' || c.is_whitespace() { '-' } else { c };
        if c != '-' || !tidy.ends_with('-') {
            tidy.push(c);
        }
    }
    tidy.trim_matches('-').to_owned()
}

fn language(locale: Locale) -> HeaderValue {
    HeaderValue::from_static(locale.as_str())
}

fn date_of(epoch: &Epoch) -> String {
    epoch.dated.day().date().map(|date| date.to_string()).unwrap_or_default()
}

/// A header value of text that was checked or encoded before.
pub(crate) fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

/// Detail of a program as MCP hands it on: the REST body for today.
pub fn program_body(live: &Live, epoch: &Epoch, slug: &str, locale: Locale) -> Option<bytes::Bytes> {
    if !is_slug(slug) {
        return None;
    }
    let suffix = if locale == Locale::Es { ".es.json" } else { ".json" };
    let file = epoch.generation().files().lookup(&[API, "programs/", slug, suffix])?;
    let tag_header = live.serving.tag_header.as_ref();
    let body = epoch.body(file, Coding::Identity, tag_header, || program_content(epoch, slug, locale));
    body.ok().map(|body| body.bytes.clone())
}
