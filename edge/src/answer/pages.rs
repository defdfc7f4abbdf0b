//! Pages for people: which file a path names, and the search page and its feeds, which are computed.

use std::borrow::Cow;

use html::feed::{self, Feed};
use html::{Html, PageOptions};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use jiff::civil::Date;
use percent_encoding::percent_decode_str;
use snapshot::page::address::SEARCH_TAG;
use snapshot::page::{changes, error, listing};
use snapshot::query::{self as search_query, List, ListQuery, is_filter, parse_list};
use snapshot::record::Locale;
use snapshot::text::words_of;
use store::Coding;

use super::computed::{Computed, Query};
use super::files::ALL;
use crate::cache_control;
use crate::reply::{Reply, value};
use crate::representation::{CachedResponse, Metadata, Representation};
use crate::request::{Answer, Request};
use crate::route::{Route, kind_of};

/// What a page may load: nothing but its own style, script and search results.
pub const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// Media type of a page.
pub const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// The part of a query that makes a difference for suggestions (No-Vary-Search).
const ALL_BUT_TEXT: HeaderValue = HeaderValue::from_static("key-order, params, except=(\"q\")");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

/// What a path outside the REST interface names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target<'a> {
    /// An answer that is computed, in a language.
    Live(Locale, Live),
    /// A file, as it is.
    File(&'a str),
    /// A page; its file ends in `.html`.
    Page(&'a str),
    /// A path that is never served, even if there is such a file.
    Nothing,
}

/// An answer that is computed from the parts of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Live {
    /// The search page.
    Search,
    /// A feed of a search.
    Feed(Feed),
    /// The list of recipients.
    Recipients,
    /// Suggestions for text that is being typed.
    Hints,
}

fn target(path: &str) -> Target<'_> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let (locale, rest) = match path.strip_prefix("es/") {
        Some(rest) => (Locale::Es, rest),
        None => (Locale::En, path),
    };
    let feed = || Feed::ALL.into_iter().find(|feed| rest.strip_prefix("programs.") == Some(feed.extension()));
    let live = match rest {
        "programs" => Some(Live::Search),
        "recipients" => Some(Live::Recipients),
        "suggest" => Some(Live::Hints),
        _ => feed().map(Live::Feed),
    };
    if let Some(live) = live {
        return Target::Live(locale, live);
    }
    match path {
        "" => Target::Page("index"),
        "es" | "es/" => Target::Page("es/index"),
        // Pages that are served under another address only.
        "404" | "es/404" | "index" | "es/index" => Target::Nothing,
        _ if media_type(path).is_some() => Target::File(path),
        _ => Target::Page(path),
    }
}

/// Media type of a file that is served as it is.
fn media_type(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    Some(match (path, name.rsplit_once('.').map_or("", |(_, extension)| extension)) {
        ("mcp/server-card", _) => "application/mcp-server-card+json",
        ("opensearch.xml", _) => "application/opensearchdescription+xml",
        ("data/datapackage.json", _) => "application/vnd.datapackage+json",
        (_, "css") => "text/css; charset=utf-8",
        (_, "js") => "text/javascript; charset=utf-8",
        (_, "xml") => "application/xml; charset=utf-8",
        (_, "txt") => "text/plain; charset=utf-8",
        (_, "md") => "text/markdown; charset=utf-8",
        (_, "ics") => Feed::Calendar.media_type(),
        (_, "json") => "application/json",
        (_, "jsonld") => "application/ld+json",
        (_, "ndjson") => "application/x-ndjson",
        (_, "csv") => Feed::Table.media_type(),
        (_, "svg") => "image/svg+xml",
        (_, "png") => "image/png",
        (_, "jpg" | "jpeg") => "image/jpeg",
        (_, "webp") => "image/webp",
        (_, "ico") => "image/x-icon",
        _ => return None,
    })
}

/// A page, restricted to its own resources.
fn html(locale: Locale) -> Representation {
    Representation::new(HTML)
        .with(header::CONTENT_SECURITY_POLICY, POLICY)
        .with(header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"))
        .with(PERMISSIONS, HeaderValue::from_static("camera=(), geolocation=(), microphone=()"))
        .language(locale)
}

/// A feed. Tables and rows cannot hold a notice that filters were left out, so the name of their file does.
fn feed_representation(kind: Feed, is_whole: bool) -> Representation {
    let feed = Representation::new(HeaderValue::from_static(kind.media_type())).tag(SEARCH_TAG);
    let notice = if is_whole { "" } else { "-filters-left-out" };
    let name = format!("attachment; filename=\"opportunities{notice}.{}\"", kind.extension());
    match kind {
        Feed::Table | Feed::Rows => feed.with(header::CONTENT_DISPOSITION, value(&name)),
        _ => feed,
    }
}

/// The text of a query.
fn text_of(query: &str) -> Cow<'_, str> {
    search_query::pairs(query).find(|(name, _)| name == "q").map_or(Cow::Borrowed(""), |(_, text)| text)
}

fn locale_of(path: &str) -> Locale {
    if path == "/es" || path.starts_with("/es/") { Locale::Es } else { Locale::En }
}

/// 308 to a page.
fn elsewhere(address: &str) -> Reply {
    Reply::redirect(address, Vec::new()).with(header::CONTENT_TYPE, HTML)
}

/// Makes a page of an error. It needs no file: it stands in for a page that cannot be read.
fn error_page(mut reply: Reply, locale: Locale) -> Reply {
    let page = match (locale, reply.status == StatusCode::NOT_FOUND) {
        (Locale::En, true) => include_str!("pages/missing.en.html"),
        (Locale::Es, true) => include_str!("pages/missing.es.html"),
        (Locale::En, false) => include_str!("pages/failed.en.html"),
        (Locale::Es, false) => include_str!("pages/failed.es.html"),
    };
    reply.body = page.into();
    let language = HeaderValue::from_static(locale.as_str());
    reply
        .with(header::CONTENT_TYPE, HTML)
        .with(header::CONTENT_LANGUAGE, language)
        .with(header::CONTENT_SECURITY_POLICY, POLICY)
}

impl Request {
    /// An error as a page for people, if a page was requested.
    pub(crate) fn error_for_people(&self, error: Reply) -> Reply {
        match target(self.head.path()) {
            _ if self.route != Route::Page => error,
            Target::File(_) | Target::Live(_, Live::Feed(_) | Live::Hints) => error,
            _ => error_page(error, self.locale()),
        }
    }

    /// The language of the requested page: that of its path, or the only one of the site.
    fn locale(&self) -> Locale {
        self.state.site().lists.about.only_locale.unwrap_or_else(|| locale_of(self.head.path()))
    }

    /// Answers a path outside the REST interface.
    pub(super) fn page(&self) -> Answer {
        match target(self.head.path()) {
            Target::Live(locale, live) if locale == self.locale() && self.state.open.html.is_some() => {
                match live {
                    Live::Search => self.search_page(locale),
                    Live::Feed(feed) => self.feed(locale, feed),
                    Live::Recipients => self.recipients(locale),
                    Live::Hints => self.hints(locale),
                }
            }
            Target::File(path) => self.download(path),
            Target::Page(path) => self.over(path).map_or_else(|| self.site_page(path), Answer::from),
            Target::Live(..) | Target::Nothing => self.missing().into(),
        }
    }

    fn page_query(&self, locale: Locale) -> (search_query::Query, PageOptions, Vec<String>) {
        let site = self.state.site();
        let (extras, rest) = PageOptions::parse(self.head.query(), site);
        let (query, invalid) = site.index.parse(&rest);
        // The path determines the language, and the form shows facets.
        (search_query::Query { locale, no_facets: false, ..query }, extras, invalid)
    }

    /// What is rendered from templates, where the snapshot has them.
    fn rendered<C: Into<Computed>>(
        &self,
        render: impl FnOnce(&Html) -> Result<C, html::templates::Error>,
    ) -> Computed {
        match self.state.open.html.as_ref().map(render) {
            None => Vec::new().into(),
            Some(Ok(page)) => page.into(),
            Some(Err(error)) => {
                let path = self.head.path();
                tracing::error!(%path, error = html::templates::with_location(&error), "template failed");
                Computed { bytes: None, ..Vec::new().into() }
            }
        }
    }

    fn search_page(&self, locale: Locale) -> Answer {
        let site = self.state.site();
        let (query, extras, invalid) = self.page_query(locale);
        let canonical = extras.query_string(site, &query);
        if invalid.is_empty() && query.page.offset == 0 && PageOptions::is_of_form(self.head.query()) {
            return elsewhere(&html::search_address(locale, &canonical, &[])).into();
        }
        let computed = Query {
            depends_on_day: true,
            work: html::page_units(site, &query),
            ..self.query(&html::search_path(locale), canonical, &invalid)
        };
        let representation = move || html(locale).tag(SEARCH_TAG);
        self.computed(computed, representation, move |request| {
            let (state, question) = (&request.state, (&query, &extras));
            request.rendered(|html| html::search_page(state.site(), html, &state.dated, question, &invalid))
        })
    }

    fn feed(&self, locale: Locale, kind: Feed) -> Answer {
        let site = self.state.site();
        let (query, extras, invalid) = self.page_query(locale);
        let extras = PageOptions { plain: extras.plain, ..PageOptions::default() };
        if !query.is_narrowed() && invalid.iter().any(|it| is_filter(it)) {
            return Reply::bad_request(error::feed_filters(&invalid)).into();
        }
        let canonical = extras.query_string(site, &query);
        let feed_query = feed::feed_query(site, &query, kind);
        let computed = Query {
            depends_on_day: true,
            page: feed_query.page,
            work: site.index.ranked_cost(&feed_query) + feed::feed_units(site, &feed_query, kind),
            ..self.query(&feed::feed_path(locale, kind), canonical, &invalid)
        };
        let is_whole = invalid.is_empty();
        let representation = move || feed_representation(kind, is_whole);
        self.computed(computed, representation, move |request| {
            let (state, question) = (&request.state, (&query, &extras, &*invalid));
            request.rendered(|html| feed::feed(state.site(), html, &state.dated, question, kind))
        })
    }

    /// Suggestions for text that is being typed. Every spelling of the same words has one answer.
    fn hints(&self, locale: Locale) -> Answer {
        let words = words_of(&text_of(self.head.query())).join(" ");
        let computed = self.query(self.head.path(), words.clone(), &[]);
        let json =
            move || Representation::json().no_vary_search(ALL_BUT_TEXT).tag(SEARCH_TAG).language(locale);
        self.computed(computed, json, move |request| request.rendered(|html| Ok(html.hints(&words, locale))))
    }

    /// The list of recipients, or those whose names have the words of a text.
    fn recipients(&self, locale: Locale) -> Answer {
        let text = text_of(self.head.query()).trim().to_owned();
        let (of, mut invalid) = parse_list(List::Organizations, self.head.query(), |_| None);
        invalid.retain(|pair| !pair.starts_with("q="));
        let everyone = ListQuery { text: Some(text.clone()), ..ListQuery::default() };
        let canonical = format!("{}&{text}", of.page.number());
        let computed = Query {
            work: listing::price(self.state.site(), List::Recipients, &everyone),
            ..self.query(self.head.path(), canonical, &invalid)
        };
        let representation = move || html(locale).tag(List::Recipients.as_str());
        self.computed(computed, representation, move |request| {
            request.rendered(|html| html.recipients_page(locale, (&text, of.page.number(), &invalid)))
        })
    }

    fn download(&self, path: &str) -> Answer {
        let Some(media_type) = media_type(path) else { return self.missing().into() };
        let Some(file) = self.state.generation().files().lookup(&[path]) else {
            return self.earlier_asset(path, media_type).unwrap_or_else(|| self.missing()).into();
        };
        // An asset's name changes with its content.
        let lifetime = match path.starts_with("assets/") {
            true => cache_control::IMMUTABLE,
            false => self.until_midnight(),
        };
        // Downloads may be long enough to be resumed.
        let is_download = path.starts_with("data/");
        self.file(file, lifetime, is_download, move |request| {
            let file = Representation::new(HeaderValue::from_static(media_type)).no_vary_search(ALL);
            if is_download { file.link(changes::LINES, &request.position(), "next") } else { file }
        })
    }

    /// An asset that pages of earlier generations name. Its name changes with its content, and so is its validator.
    fn earlier_asset(&self, path: &str, media_type: &'static str) -> Option<Reply> {
        let bytes = self.state.open.earlier_assets.get(path)?.clone();
        let etag = format!("\"{path}\"");
        let (origin, changed) = (&self.state.origin, self.state.changed(false));
        let metadata = Metadata { origin, etag: &etag, coding: Coding::Identity, changed, dated: false };
        let file = Representation::new(HeaderValue::from_static(media_type));
        let response = CachedResponse::new(bytes, file, &metadata);
        Some(response.reply(&self.head.headers, cache_control::IMMUTABLE))
    }

    fn site_page(&self, path: &str) -> Answer {
        match self.state.generation().files().lookup(&[path, ".html"]) {
            Some(file) => {
                let page = |request: &Self| html(request.locale()).no_vary_search(ALL);
                self.file(file, self.until_midnight(), false, page)
            }
            None => self.renamed(path).unwrap_or_else(|| self.missing()).into(),
        }
    }

    /// 308 to the next deadlines from the page of a month that is over, which a snapshot of today does not have.
    fn over(&self, path: &str) -> Option<Reply> {
        let (pages, month) =
            path.rsplit_once('/').filter(|(pages, _)| ["deadlines", "es/deadlines"].contains(pages))?;
        let month: Date = format!("{month}-01").parse().ok()?;
        (month < self.state.dated.day().date()?.first_of_month()).then(|| elsewhere(&format!("/{pages}")))
    }

    /// 308 to the page of a record that was renamed.
    fn renamed(&self, path: &str) -> Option<Reply> {
        let (prefix, rest) = path.strip_prefix("es/").map_or(("", path), |rest| ("/es", rest));
        let (kind, slug) = rest.split_once('/')?;
        let canonical = self.state.site().lists.canonical_slug(kind_of(kind)?, slug)?;
        Some(elsewhere(&format!("{prefix}/{kind}/{canonical}")))
    }

    /// 308 to the page in the only language of the site, if it has the page.
    fn translated(&self, only: Locale) -> Option<Reply> {
        let path = self.head.path();
        let twin = match only {
            Locale::En => Cow::from(path.strip_prefix("/es").filter(|rest| !rest.is_empty()).unwrap_or("/")),
            Locale::Es => Cow::from(format!("/es{path}")),
        };
        self.moved(&twin)
    }

    /// 308 to the usual spelling of an address: no slash at its end, and nothing encoded that need not be.
    fn respelled(&self) -> Option<Reply> {
        let path = self.head.path();
        let decoded = percent_decode_str(path).decode_utf8().ok()?;
        let usual = decoded.trim_end_matches('/');
        if usual == path || usual.is_empty() { None } else { self.moved(usual) }
    }

    /// 308 to a path that names something, with the query of the request.
    fn moved(&self, path: &str) -> Option<Reply> {
        let is_there = |parts: &[&str]| self.state.generation().files().lookup(parts).is_some();
        match target(path) {
            Target::Live(..) => {}
            Target::Page(page) if is_there(&[page, ".html"]) => {}
            Target::File(file) if is_there(&[file]) => {}
            _ => return None,
        }
        let query = self.head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        Some(elsewhere(&format!("{path}{query}")))
    }

    /// 404 as a page. The store is not read for a path that does not exist.
    fn missing(&self) -> Reply {
        let locale = self.locale();
        let translated = self.translated(locale).filter(|_| locale != locale_of(self.head.path()));
        if let Some(reply) = translated.or_else(|| self.respelled()) {
            return reply;
        }
        let path = if locale == Locale::Es { "es/404" } else { "404" };
        let error = Reply::not_found("There is nothing at this path.");
        let Some(file) = self.state.generation().files().lookup(&[path, ".html"]) else { return error };
        // The page is not the requested one: no condition holds for it.
        let Ok(response) = self.read(file, self.coding_of(file), || html(locale)) else {
            return error_page(error, locale);
        };
        let mut reply = response.reply(&HeaderMap::new(), cache_control::SHORT);
        reply.status = StatusCode::NOT_FOUND;
        reply.headers.remove(header::ETAG);
        reply.headers.remove(header::LAST_MODIFIED);
        reply
    }
}
