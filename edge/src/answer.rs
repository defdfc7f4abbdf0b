//! Answers to GET on REST paths and pages: a pure function of the epoch, the request and the time.

use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};
use sha2::{Digest as _, Sha256};
use snapshot::facet::Facet;
use snapshot::page::{error, facet, list, search};
use snapshot::query::{
    ExportFormat, List, Query, parse_export, parse_facet, parse_list, parse_locale, parse_search,
};
use snapshot::record::{EntityType, Locale};
use snapshot::search::text::fold;
use snapshot::store::{FileEntry, StoreError};

use crate::epoch::Epoch;
use crate::reply::{Content, Lifetime, Reply};
use crate::route::Route;

/// Where REST pages are among the files.
const API: &str = "api/v1/";
const SECONDS_A_DAY: u64 = 86_400;

/// A request on its way to an answer.
pub struct Asked<'a> {
    /// The state that answers it.
    pub epoch: &'a Epoch,
    /// Its head.
    pub head: &'a Parts,
    /// When it came, in seconds since 1970.
    pub now: u64,
}

/// Answers a request on any path but `/mcp`.
#[must_use]
pub fn answer(asked: &Asked<'_>, route: &Route<'_>) -> Reply {
    match asked.head.method {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => return Reply::options(),
        _ => return Reply::method_not_allowed(),
    }
    match route {
        Route::Search => asked.search(),
        Route::Program(slug) => asked.program(slug),
        Route::Facet(name) => asked.facet(name),
        Route::List(list) => asked.list(*list),
        Route::Organization(slug) => asked.organization(slug),
        Route::Recipient(slug) => asked.recipient(slug),
        Route::Export => asked.export(),
        Route::OpenApi => asked.document(&["openapi.json"]),
        Route::Mcp | Route::NoApi | Route::Page(_) => not_found("There is nothing at this path."),
    }
}

fn not_found(message: &str) -> Reply {
    Reply::error(StatusCode::NOT_FOUND, error::message(message), Lifetime::Short)
}

/// 404 of a record that is known by another slug.
fn moved(message: &str, canonical: &str) -> Reply {
    Reply::error(StatusCode::NOT_FOUND, error::moved(message, canonical), Lifetime::Short)
}

impl<'a> Asked<'a> {
    fn query(&self) -> &'a str {
        self.head.uri.query().unwrap_or_default()
    }

    /// Lifetime of what depends on the day.
    fn until_midnight(&self) -> Lifetime {
        if self.epoch.frozen {
            return Lifetime::Usual;
        }
        let midnight = (i64::from(self.epoch.dated.day().0) + 1) * SECONDS_A_DAY.cast_signed();
        Lifetime::UntilMidnight(midnight.saturating_sub_unsigned(self.now).max(0).cast_unsigned())
    }

    /// ETag of a computed answer, without quotes: generation, day and canonical question.
    fn validator(&self, what: &str, canonical: &str, invalid: &[String]) -> String {
        let mut hash = Sha256::new();
        for part in [what, canonical].into_iter().chain(invalid.iter().map(String::as_str)) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let hash = hash.finalize();
        let mut validator = self.epoch.validator.clone();
        for byte in &hash[..10] {
            validator.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            validator.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        }
        validator
    }

    fn search(&self) -> Reply {
        let index = &self.epoch.site().index;
        let (query, invalid) = parse_search(self.query(), |facet, value| index.values.find(facet, value));
        let canonical = query.canonical(|ordinal| index.values.text(ordinal));
        let validator = self.validator("search", &canonical, &invalid);
        let content = Content::json(self.until_midnight())
            .with(header::CONTENT_LANGUAGE, language(query.locale))
            .with(header::LINK, link("/api/v1/search", &canonical, "canonical"));
        content.computed(&self.head.headers, &validator, || self.search_body(&query, &invalid))
    }

    fn search_body(&self, query: &Query, invalid: &[String]) -> Vec<u8> {
        search::search(self.epoch.site(), &self.epoch.dated, query, invalid)
    }

    fn list(&self, of: List) -> Reply {
        let (query, invalid) = parse_list(of, self.query());
        let canonical = query.canonical();
        let validator = self.validator(of.name(), &canonical, &invalid);
        let lifetime = if of == List::Cycles { self.until_midnight() } else { Lifetime::Usual };
        let path = format!("/{API}{}", of.name());
        let content = Content::json(lifetime).with(header::LINK, link(&path, &canonical, "canonical"));
        content.computed(&self.head.headers, &validator, || {
            list::list(self.epoch.site(), &self.epoch.dated, of, &query, &invalid)
        })
    }

    fn facet(&self, name: &str) -> Reply {
        let Some(of) = Facet::parse(name) else {
            return Reply::error(StatusCode::NOT_FOUND, error::unknown_facet(), Lifetime::Short);
        };
        let query = match parse_facet(self.query()) {
            Ok(query) => query,
            Err(faults) => {
                return Reply::error(StatusCode::BAD_REQUEST, error::facet_faults(&faults), Lifetime::Short);
            }
        };
        let asked = format!("{}\n{}\n{}", query.page.limit, query.page.offset, query.text);
        let validator = self.validator(name, &asked, &[]);
        let lifetime = if of == Facet::OpenStates { self.until_midnight() } else { Lifetime::Usual };
        Content::json(lifetime).computed(&self.head.headers, &validator, || {
            facet::facet(self.epoch.site(), &self.epoch.dated, of, &query)
        })
    }

    fn program(&self, slug: &str) -> Reply {
        let locale = parse_locale(self.query());
        let suffix = if locale == Locale::Es { ".es.json" } else { ".json" };
        match self.epoch.generation().files().lookup(&[API, "programs/", slug, suffix]) {
            Some(file) => {
                let content = Content::json(self.until_midnight());
                self.file(file, content.with(header::CONTENT_LANGUAGE, language(locale)))
            }
            None => self.unknown(EntityType::Program, "There is no published program with this slug.", slug),
        }
    }

    fn recipient(&self, slug: &str) -> Reply {
        match self.epoch.generation().files().lookup(&[API, "recipients/", slug, ".json"]) {
            Some(file) => self.file(file, Content::json(Lifetime::Usual)),
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
        let files = self.epoch.generation().files();
        if let Some(file) = files.lookup(&[API, "organizations/", slug, ".json"]) {
            return self.file(file, Content::json(self.until_midnight()));
        }
        let tidy = normalised(slug);
        let lists = &self.epoch.site().lists;
        let alias = |slug: &str| lists.canonical_slug(EntityType::Organization, slug).map(str::to_owned);
        let canonical = alias(slug).or_else(|| alias(&tidy)).or_else(|| {
            let exists = files.lookup(&[API, "organizations/", &tidy, ".json"]).is_some();
            exists.then_some(tidy)
        });
        match canonical {
            None => not_found("There is no organization with this slug."),
            Some(canonical) => redirect(&canonical, self.head.uri.query()),
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
        let mut content = Content { ranges: true, ..Content::json(self.until_midnight()) };
        if format == ExportFormat::Csv {
            content.media_type = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
            let name = format!("attachment; filename=\"opportunities-{}.csv\"", date_of(self.epoch));
            content = content.with(header::CONTENT_DISPOSITION, value(&name));
        }
        let total = self.epoch.site().index.len();
        if total > snapshot::page::export::ROWS_MAX {
            content = content.with(http::HeaderName::from_static("x-total-count"), value(&total.to_string()));
        }
        self.file(file, content)
    }

    fn document(&self, parts: &[&str]) -> Reply {
        let path: Vec<&str> = std::iter::once(&API).chain(parts).copied().collect();
        match self.epoch.generation().files().lookup(&path) {
            Some(file) => self.file(file, Content::json(Lifetime::Usual)),
            None => no_pages(),
        }
    }

    fn file(&self, file: FileEntry<'_>, content: Content) -> Reply {
        let content = content
            .with(header::LINK, HeaderValue::from_static(LICENSE))
            .with(header::LINK, HeaderValue::from_static(SERVICE_DESCRIPTION));
        let body = |coding| self.epoch.body(file, coding);
        let reply = content.stored(&self.head.headers, |coding| self.epoch.offers(file, coding), body);
        reply.unwrap_or_else(|error| damaged(&error))
    }
}

const LICENSE: &str = "<https://creativecommons.org/licenses/by/4.0/>; rel=\"license\"";
const SERVICE_DESCRIPTION: &str = "</api/v1/openapi.json>; rel=\"service-desc\"";

/// A file that cannot be sent as it was published is not sent.
fn damaged(error: &StoreError) -> Reply {
    tracing::error!(%error, "a file of the snapshot cannot be served");
    Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, "The record could not be read.")
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

fn link(path: &str, query: &str, relation: &str) -> HeaderValue {
    let separator = if query.is_empty() { "" } else { "?" };
    value(&format!("<{path}{separator}{query}>; rel=\"{relation}\""))
}

fn language(locale: Locale) -> HeaderValue {
    HeaderValue::from_static(locale.as_str())
}

fn date_of(epoch: &Epoch) -> String {
    epoch.dated.day().date().map(|date| date.to_string()).unwrap_or_default()
}

/// A header value of text that was checked or encoded before.
fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

/// Detail of a program as MCP hands it on: the REST body for today.
pub fn program_body(epoch: &Epoch, slug: &str, locale: Locale) -> Option<bytes::Bytes> {
    let suffix = if locale == Locale::Es { ".es.json" } else { ".json" };
    let file = epoch.generation().files().lookup(&[API, "programs/", slug, suffix])?;
    epoch.body(file, snapshot::store::Coding::Identity).ok().map(|body| body.bytes)
}
