//! Records, the export and documents: bodies of the generation, and how a record is found by a slug.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use mcp::Unreadable;
use net::conditional::{RequestedRange, negotiate};
use net::lock;
use net::precheck::HttpError;
use percent_encoding::percent_decode_str;
use rustix::io::Errno;
use snapshot::page::export::is_cut;
use snapshot::page::{changes, error};
use snapshot::query::{ExportFormat, is_slug, parse_export, parse_locale};
use snapshot::record::{EntityType, Locale};
use snapshot::text::fold;
use store::{Coding, FileEntry, StoreError};

use crate::cache_control;
use crate::reply::{DAMAGED, Reply, UNREADABLE, value};
use crate::representation::{CachedResponse, Representation};
use crate::request::{Answer, Request};
use crate::serving_state::ServingState;

/// Folder of the REST interface among the files.
pub(super) const API: &str = "api/v1/";

/// Parts of a query that make no difference, by kind of file (No-Vary-Search).
const ALL_BUT_LOCALE: HeaderValue =
    HeaderValue::from_static("key-order, params, except=(\"locale\" \"lang\")");
const ALL_BUT_FORMAT: HeaderValue = HeaderValue::from_static("key-order, params, except=(\"format\")");
pub(super) const ALL: HeaderValue = HeaderValue::from_static("params");

/// A longer part is cut from the whole, which is in memory once for all who read it.
const PART_MAX: usize = 8 << 20;

/// Most damaged bodies that are listed.
const DAMAGED_MAX: usize = 16;

const NO_PAGES: HttpError = HttpError::new(StatusCode::NOT_FOUND, "This snapshot was built without pages.");

impl Request {
    /// The last segment of the path, percent-decoded once.
    pub(super) fn last_segment(&self) -> Cow<'_, str> {
        let segment = self.head.path().rsplit('/').next().unwrap_or_default();
        percent_decode_str(segment).decode_utf8_lossy()
    }

    /// The file of a record. A slug that is not valid finds nothing: `x.es` is the name of a file, not of a record.
    pub(super) fn record_file(&self, kind: EntityType, slug: &str, locale: Locale) -> Option<FileEntry<'_>> {
        let suffix = match (kind, locale) {
            (EntityType::Program, Locale::Es) => ".es.json",
            _ => ".json",
        };
        is_slug(slug)
            .then(|| self.state.generation().files().lookup(&[API, kind.as_str(), "s/", slug, suffix]))?
    }

    /// The body of a record's file.
    pub(super) fn record_body(
        &self,
        kind: EntityType,
        file: FileEntry<'_>,
        locale: Locale,
    ) -> Result<Bytes, StoreError> {
        // No slug has a dot.
        let name = file.path().rsplit('/').next().unwrap_or_default();
        let slug = name.split('.').next().unwrap_or_default();
        let response = self.read(file, Coding::Identity, || record(&self.state, kind, slug, locale));
        response.map(|response| response.bytes.clone())
    }

    /// ProgramDetailResponse of a slug, for the tools; one that cannot be read is not unknown.
    pub(crate) fn detail(&self, slug: &str, locale: Locale) -> Result<Option<Bytes>, Unreadable> {
        let Some(file) = self.record_file(EntityType::Program, slug, locale) else { return Ok(None) };
        self.record_body(EntityType::Program, file, locale).map(Some).map_err(|_| Unreadable)
    }

    pub(super) fn record(&self, kind: EntityType) -> Answer {
        let (slug, locale) = (&self.last_segment(), parse_locale(self.head.query()));
        let Some(file) = self.record_file(kind, slug, locale) else { return self.unknown(kind, slug).into() };
        let lifetime = match kind {
            EntityType::Recipient => cache_control::USUAL,
            _ => self.until_midnight(),
        };
        self.file(file, lifetime, false, move |request| {
            record(&request.state, kind, &request.last_segment(), locale)
        })
    }

    /// 404 of a record, with its slug of today if it was renamed. An organization is redirected to it.
    fn unknown(&self, kind: EntityType, slug: &str) -> Reply {
        let message = match kind {
            EntityType::Organization => "There is no organization with this slug.",
            EntityType::Recipient => "There is no recipient with this slug.",
            _ => "There is no published program with this slug.",
        };
        let Some(canonical) = self.canonical_slug(kind, slug) else { return Reply::not_found(message) };
        if kind != EntityType::Organization {
            let body = error::moved(message, &canonical);
            return Reply::error(StatusCode::NOT_FOUND, body, cache_control::SHORT);
        }
        let query = self.head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let body = error::moved("The organization has another slug.", &canonical);
        Reply::redirect(&format!("/api/v1/organizations/{canonical}{query}"), body)
    }

    /// The slug of a record by a former one; that of an organization also by one that is written otherwise.
    pub(super) fn canonical_slug(&self, kind: EntityType, slug: &str) -> Option<String> {
        let alias = |slug: &str| self.state.site().lists.canonical_slug(kind, slug).map(str::to_owned);
        alias(slug).or_else(|| {
            let tidy = Some(normalized(slug)).filter(|_| kind == EntityType::Organization)?;
            alias(&tidy).or_else(|| self.record_file(kind, &tidy, Locale::En).map(|_| tidy))
        })
    }

    pub(super) fn export(&self) -> Answer {
        let format = match parse_export(self.head.query()) {
            _ if self.head.path().ends_with(".csv") => ExportFormat::Csv,
            Ok(format) => format,
            Err(value) => return Reply::bad_request(error::export_format(&value)).into(),
        };
        let extension = if format == ExportFormat::Csv { ".csv" } else { ".json" };
        let Some(file) = self.state.generation().files().lookup(&[API, "exports/latest", extension]) else {
            return Reply::from(NO_PAGES).into();
        };
        self.file(file, self.until_midnight(), true, move |request| request.whole(format))
    }

    pub(super) fn openapi(&self) -> Answer {
        match self.state.generation().files().lookup(&[API, "openapi.json"]) {
            Some(file) => self.file(file, cache_control::USUAL, false, |_| document("openapi.json")),
            None => Reply::from(NO_PAGES).into(),
        }
    }

    /// Answers with a file in the coding that the client prefers: from memory, without its body where that is not sent,
    /// else by reading it, in a pool if that takes long. Where it has `parts`, these are of the identity body.
    pub(super) fn file(
        &self,
        file: FileEntry<'_>,
        lifetime: HeaderValue,
        parts: bool,
        representation: impl Fn(&Self) -> Representation + Send + 'static,
    ) -> Answer {
        let coding = self.coding_of(file);
        if let Some(response) = self.server.metrics.bodies.count(self.state.bodies.cached(file, coding)) {
            return self.sent(&response, lifetime, parts).into();
        }
        if let Some(reply) = self.without_body(file, coding, &lifetime, parts, &representation) {
            return reply.into();
        }
        if let Some(answer) = parts.then(|| self.part(file, &lifetime, &representation)).flatten() {
            return answer;
        }
        let number = file.number;
        let read = move |request: &Self| {
            let file = request.state.generation().files().get(number);
            let Some(file) = file else { return Reply::not_found("There is nothing at this path.") };
            match request.read(file, coding, || representation(request)) {
                Ok(response) => request.sent(&response, lifetime, parts),
                Err(error) => failed(&error),
            }
        };
        self.weighed(self.state.price(file, coding), |server| &server.reads, read)
    }

    /// The requested part of a long file, of which no more is read than that.
    fn part(
        &self,
        file: FileEntry<'_>,
        lifetime: &HeaderValue,
        representation: impl Fn(&Self) -> Representation,
    ) -> Option<Answer> {
        let headers = &self.head.headers;
        if !headers.contains_key(header::RANGE) || !self.state.has_parts(file) {
            return None;
        }
        let head = self.state.head(file, Coding::Identity, || representation(self))?;
        let RequestedRange::Bytes(range) = head.range(headers) else { return None };
        if range.len() > PART_MAX {
            return None;
        }
        let (number, price) = (file.number, self.state.bodies.part_price(file, &range));
        let lifetime = lifetime.clone();
        let read = move |request: &Self| {
            let file = request.state.generation().files().get(number);
            let Some(file) = file else { return NO_PAGES.into() };
            let state = &request.state;
            match request.noted(file, state.bodies.part(state.generation(), file, &range)) {
                Ok(part) => head.reply_part(&range, part, lifetime),
                Err(error) => failed(&error),
            }
        };
        Some(self.weighed(price, |server| &server.reads, read))
    }

    /// The coding that the client prefers; ranges are of the identity body.
    pub(super) fn coding_of(&self, file: FileEntry<'_>) -> Coding {
        match self.head.headers.contains_key(header::RANGE) {
            true => Coding::Identity,
            false => negotiate(&self.head.headers, || file.offers(Coding::Gzip)),
        }
    }

    /// The reply to HEAD, 304 and 412, where these are known without reading the file.
    fn without_body(
        &self,
        file: FileEntry<'_>,
        coding: Coding,
        lifetime: &HeaderValue,
        parts: bool,
        representation: impl Fn(&Self) -> Representation,
    ) -> Option<Reply> {
        const CONDITIONS: [HeaderName; 4] =
            [header::IF_MATCH, header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE, header::IF_UNMODIFIED_SINCE];
        let is_head = self.head.method == Method::HEAD;
        if !is_head && !CONDITIONS.iter().any(|name| self.head.headers.contains_key(name)) {
            return None;
        }
        let head = self.state.head(file, coding, || representation(self))?;
        // A body of no bytes has no parts.
        let reply = self.sent(&head, lifetime.clone(), parts && is_head);
        (is_head || reply.status != StatusCode::OK).then_some(reply)
    }

    /// A file's response, as the request's method, conditions and range require.
    fn sent(&self, response: &CachedResponse, lifetime: HeaderValue, parts: bool) -> Reply {
        let headers = &self.head.headers;
        match parts {
            true => response.reply_range(headers, self.head.method == Method::HEAD, lifetime),
            false => response.reply(headers, lifetime),
        }
    }

    /// Reads a body.
    pub(super) fn read(
        &self,
        file: FileEntry<'_>,
        coding: Coding,
        representation: impl FnOnce() -> Representation,
    ) -> Result<Arc<CachedResponse>, StoreError> {
        self.noted(file, self.state.response(file, coding, representation))
    }

    /// What was read of a file. One that cannot be sent as it was published is logged, and listed until it can.
    fn noted<T>(&self, file: FileEntry<'_>, read: Result<T, StoreError>) -> Result<T, StoreError> {
        let damaged = &self.state.open.damaged;
        match &read {
            Ok(_) => drop(lock(damaged).remove(file.path())),
            Err(error) => {
                crate::log::error("a file of the snapshot cannot be served", &error.to_string());
                if !is_exhausted(error) {
                    let mut damaged = lock(damaged);
                    if damaged.len() < DAMAGED_MAX {
                        damaged.insert(file.path().to_owned(), error.to_string());
                    }
                    self.server.options.source.iter().for_each(|source| source.check_soon());
                }
            }
        }
        read
    }
}

/// JSON of the REST interface at a path below [`API`].
fn document(path: &str) -> Representation {
    let document = Representation::json().no_vary_search(ALL);
    document.link(&format!("/{API}{path}"), "", "canonical").language(Locale::En)
}

/// A record. `Content-Language` of a program is that of the record's text, not the requested one.
fn record(state: &ServingState, kind: EntityType, slug: &str, locale: Locale) -> Representation {
    if kind != EntityType::Program {
        return document(&format!("{}s/{slug}", kind.as_str()));
    }
    let site = state.site();
    let languages = site.index.find(slug).map_or(locale.as_str(), |doc| site.rows.languages(doc, locale));
    let query = if locale == Locale::Es { "locale=es" } else { "" };
    Representation::json()
        .no_vary_search(ALL_BUT_LOCALE)
        .link(&format!("/{API}programs/{slug}"), query, "canonical")
        .with(header::CONTENT_LANGUAGE, value(languages))
}

impl Request {
    /// Every program; of too many the first, and how many there are.
    fn whole(&self, format: ExportFormat) -> Representation {
        let (media_type, query) = match format {
            ExportFormat::Csv => ("text/csv; charset=utf-8; header=present", "format=csv"),
            ExportFormat::Json => ("application/json", ""),
        };
        let export = Representation::new(HeaderValue::from_static(media_type)).no_vary_search(ALL_BUT_FORMAT);
        let export = export.link("/api/v1/exports/latest", query, "canonical").language(Locale::En);
        let (state, total) = (&self.state, self.state.site().index.programs());
        let export = match is_cut(total) {
            true => export.total(total),
            false => export.link(changes::LINES, &self.position(), "next"),
        };
        if format == ExportFormat::Json {
            return export;
        }
        let day = state.dated.day().date().map(|date| date.to_string()).unwrap_or_default();
        let name = format!("attachment; filename=\"opportunities-{day}.csv\"");
        export.with(header::CONTENT_DISPOSITION, value(&name))
    }
}

/// A file that cannot be sent as it was published is not sent. Where only descriptors or memory have run out, it can be
/// soon.
pub(super) fn failed(error: &StoreError) -> Reply {
    if is_exhausted(error) { UNREADABLE.into() } else { DAMAGED.into() }
}

/// Whether memory, or the descriptors of the system or the process, have run out.
fn is_exhausted(error: &StoreError) -> bool {
    let StoreError::Io { source, .. } = error else { return false };
    matches!(Errno::from_io_error(source), Some(Errno::NOMEM | Errno::NFILE | Errno::MFILE))
}

/// A slug without accents, capitals and repeated separators.
fn normalized(slug: &str) -> String {
    let folded = fold(slug);
    let words = folded.split(|c: char| matches!(c, '-' | '_') || c.is_whitespace());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
