//! Records, the export and documents: bodies that were made ahead, and how a record is found by a slug.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use http::{HeaderName, HeaderValue, StatusCode, header};
use snapshot::page::error;
use snapshot::page::export::ROWS_MAX;
use snapshot::query::{ExportFormat, is_slug, parse_export, parse_locale};
use snapshot::record::{EntityType, Locale};
use snapshot::search::fold;
use snapshot::store::{BodyUnavailable, Coding, FileEntry, ReadMode, StoreError};

use super::{API, Asked, Place, language, not_found, value};
use crate::cache_control::Lifetime;
use crate::reload::Live;
use crate::reply::Reply;
use crate::representation::{Body, Content};
use crate::serving_state::Epoch;
use net::conditional::negotiate;

/// What of a query makes no difference, by kind of file (No-Vary-Search).
const ALL_BUT_LOCALE: &str = "key-order, params, except=(\"locale\" \"lang\")";
const ALL_BUT_FORMAT: &str = "key-order, params, except=(\"format\")";
const ALL: &str = "params";
/// 404 of a record that is known by another slug.
fn moved(message: &str, canonical: &str) -> Reply {
    Reply::error(StatusCode::NOT_FOUND, error::moved(message, canonical), Lifetime::Short)
}

impl<'a> Asked<'a> {
    /// The page of a record. What is no slug finds nothing: `x.es` is a file's name, not a record's.
    fn record(&self, folder: &str, slug: &str, suffix: &str) -> Option<FileEntry<'a>> {
        is_slug(slug).then(|| self.epoch.generation().files().lookup(&[API, folder, slug, suffix]))?
    }

    pub(super) fn program(&self, slug: &str) -> Reply {
        let locale = parse_locale(self.query());
        let suffix = if locale == Locale::Es { ".es.json" } else { ".json" };
        match self.record("programs/", slug, suffix) {
            Some(file) => {
                self.file(file, self.until_midnight(), || program_content(self.epoch, slug, locale))
            }
            None => self.unknown(EntityType::Program, "There is no published program with this slug.", slug),
        }
    }

    pub(super) fn recipient(&self, slug: &str) -> Reply {
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

    pub(super) fn organization(&self, slug: &str) -> Reply {
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

    pub(super) fn export(&self) -> Reply {
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
        if total > ROWS_MAX {
            content = content.with(HeaderName::from_static("x-total-count"), value(&total.to_string()));
        }
        let query = if format == ExportFormat::Csv { "format=csv" } else { "" };
        content
            .link("/api/v1/exports/latest", query, "canonical")
            .with(header::CONTENT_LANGUAGE, language(Locale::En))
    }

    pub(super) fn document(&self, name: &str) -> Reply {
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
        let kept = self.epoch.kept(file, coding);
        let generation = self.epoch.generation();
        if kept.is_none() && self.place == Place::Here && !generation.is_local(file) {
            // Counted where it is fetched.
            self.far.set(true);
            return Err(generation.not_local());
        }
        if let Some(body) = self.live.metrics.bodies.count(kept) {
            return Ok(body);
        }
        let tag_header = self.live.serving.tag_header.as_ref();
        let made = self.epoch.body_within(file, (coding, reach(self.place)), tag_header, content);
        if matches!(made, Err(StoreError::BodyUnavailable { why: BodyUnavailable::NotLocal, .. })) {
            self.far.set(true);
        }
        made
    }
}

/// How far may be gone where an answer is made: among other requests nobody waits.
fn reach(place: Place) -> ReadMode {
    if place == Place::Here { ReadMode::LocalOnly } else { ReadMode::AllowRemote }
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
    let tongues = site.index.find(slug).map_or(locale.as_str(), |doc| site.rows.languages(doc, locale));
    let query = if locale == Locale::Es { "locale=es" } else { "" };
    Content::json()
        .no_vary_search(ALL_BUT_LOCALE)
        .link(&format!("/{API}programs/{slug}"), query, "canonical")
        .with(header::CONTENT_LANGUAGE, value(tongues))
}

/// A file that cannot be sent as it was published is not sent. Where only descriptors or memory have run out,
/// it can be soon.
pub(crate) fn damaged(error: &StoreError) -> Reply {
    if matches!(error, StoreError::BodyUnavailable { .. }) {
        // Whoever asks the store counts it and says why.
        return Reply::unreadable_now();
    }
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

fn date_of(epoch: &Epoch) -> String {
    epoch.dated.day().date().map(|date| date.to_string()).unwrap_or_default()
}

/// Detail of a program as MCP hands it on: the REST body for today.
pub fn program_body(live: &Live, epoch: &Epoch, slug: &str, locale: Locale) -> Option<bytes::Bytes> {
    detail((live, epoch), ReadMode::AllowRemote, slug, locale).ok()?
}

/// The same among other requests: sets `far` where it has to come from a store first.
pub(crate) fn near_body(
    at: (&Live, &Epoch),
    far: &AtomicBool,
    slug: &str,
    locale: Locale,
) -> Option<bytes::Bytes> {
    let found = detail(at, ReadMode::LocalOnly, slug, locale);
    far.fetch_or(
        matches!(found, Err(StoreError::BodyUnavailable { why: BodyUnavailable::NotLocal, .. })),
        Relaxed,
    );
    found.ok()?
}

fn detail(
    (live, epoch): (&Live, &Epoch),
    reach: ReadMode,
    slug: &str,
    locale: Locale,
) -> Result<Option<bytes::Bytes>, StoreError> {
    if !is_slug(slug) {
        return Ok(None);
    }
    let suffix = if locale == Locale::Es { ".es.json" } else { ".json" };
    let Some(file) = epoch.generation().files().lookup(&[API, "programs/", slug, suffix]) else {
        return Ok(None);
    };
    let tag_header = live.serving.tag_header.as_ref();
    let content = || program_content(epoch, slug, locale);
    epoch
        .body_within(file, (Coding::Identity, reach), tag_header, content)
        .map(|body| Some(body.bytes.clone()))
}
