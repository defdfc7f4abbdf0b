//! Pages for people: which file a path names, and the search page and its feeds, which are spliced
//! for each question.

use html::{Feed, PageOptions};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use snapshot::page::address::SEARCH_TAG;
use snapshot::query::{Query, parse_search};
use snapshot::record::{EntityType, Locale};

use crate::answer::{Asked, Attempt, Question, damaged, not_found, value};
use crate::cache_control::Lifetime;
use crate::reply::Reply;
use crate::representation::Content;

/// What a page may load: nothing but its own style, script and search results.
pub(crate) const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
pub(crate) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

/// What a path below `/` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named<'a> {
    /// The search page of a language.
    Search(Locale),
    /// A feed of a search.
    Feed(Locale, Feed),
    /// A file, as it is.
    File(&'a str),
    /// A page; its file ends in `.html`.
    Page(&'a str),
    /// Nothing, whatever files there are.
    Nothing(Locale),
}

/// Pages that stand in for others: what they say is not true at an address of their own, or is said at a shorter
/// one.
fn is_stand_in(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "404" | "index") && matches!(&path[..path.len() - name.len()], "" | "es/")
}

fn named(path: &str) -> Named<'_> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let (locale, rest) = match path.strip_prefix("es/") {
        Some(rest) => (Locale::Es, rest),
        None => (Locale::En, path),
    };
    if rest == "programs" {
        return Named::Search(locale);
    }
    let extension = rest.strip_prefix("programs.");
    if let Some(feed) = Feed::ALL.into_iter().find(|feed| Some(feed.extension()) == extension) {
        return Named::Feed(locale, feed);
    }
    match path {
        "" => Named::Page("index"),
        "es" | "es/" => Named::Page("es/index"),
        _ if is_stand_in(path) => Named::Nothing(locale),
        _ if media_type(path).is_some() => Named::File(path),
        _ => Named::Page(path),
    }
}

/// Media type of a file that is served as it is.
fn media_type(path: &str) -> Option<&'static str> {
    match path {
        "mcp/server-card" => return Some("application/mcp-server-card+json"),
        ".well-known/ai-catalog.json" => return Some("application/ai-catalog+json"),
        "opensearch.xml" => return Some("application/opensearchdescription+xml"),
        "feeds/new.json" | "es/feeds/new.json" => return Some("application/feed+json"),
        "data/croissant.json" => return Some("application/ld+json"),
        "data/csv-metadata.json" => return Some("application/csvm+json"),
        "data/datapackage.json" => return Some("application/vnd.datapackage+json"),
        _ => {}
    }
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    Some(match extension {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "xml" => "application/xml; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "md" => "text/markdown; charset=utf-8",
        "ics" => Feed::Calendar.media_type(),
        "json" => "application/json",
        "jsonld" => "application/ld+json",
        "ndjson" => "application/x-ndjson",
        "csv" => Feed::Table.media_type(),
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        _ => return None,
    })
}

fn content(media_type: HeaderValue) -> Content {
    Content::json().of(media_type)
}

/// A page with the headers that keep strangers out of it.
fn html(locale: Locale) -> Content {
    content(HTML)
        .with(header::CONTENT_SECURITY_POLICY, POLICY)
        .with(header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"))
        .with(PERMISSIONS, HeaderValue::from_static("camera=(), geolocation=(), microphone=()"))
        .with(header::CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str()))
}

/// A table has no place to say that filters were left out, so that its name says it.
fn feed_content(kind: Feed, is_whole: bool) -> Content {
    let content = content(HeaderValue::from_static(kind.media_type()));
    let disposition = match is_whole {
        true => "attachment; filename=\"opportunities.csv\"",
        false => "attachment; filename=\"opportunities-filters-left-out.csv\"",
    };
    match kind {
        Feed::Table => content.with(header::CONTENT_DISPOSITION, HeaderValue::from_static(disposition)),
        _ => content,
    }
}

/// A question whose answer is a page.
fn page_question(canonical: String, validator: String, query: &Query, work: u64) -> Question<'static> {
    Question { path: None, canonical, validator, depends_on_day: true, page: query.page, work }
}

fn locale_of(path: &str) -> Locale {
    if path == "es" || path.starts_with("es/") { Locale::Es } else { Locale::En }
}

impl Asked<'_> {
    /// Answers a path that is no part of the REST interface.
    pub(crate) fn page(&self, path: &str) -> Attempt {
        match named(path) {
            Named::Search(locale) => self.search_page(locale),
            Named::Feed(locale, feed) => self.feed(locale, feed),
            Named::File(path) => self.site_file(path).into(),
            Named::Page(path) => self.site_page(path).into(),
            Named::Nothing(locale) => self.missing(locale).into(),
        }
    }

    fn question(&self, locale: Locale) -> (Query, PageOptions, Vec<String>) {
        let site = self.epoch.site();
        let values = &site.index.values;
        let (extras, rest) =
            PageOptions::parse(self.query(), self.epoch.opened.html.as_ref().map(|html| &html.organizations));
        let (query, invalid) = parse_search(&rest, |facet, value| values.find(facet, value));
        // The path says the language, and the form is made of facets.
        (Query { locale, facets: true, ..query }, extras, invalid)
    }

    fn search_page(&self, locale: Locale) -> Attempt {
        let site = self.epoch.site();
        let Some(fragments) = &self.epoch.opened.html else { return self.missing(locale).into() };
        let (query, extras, invalid) = self.question(locale);
        let canonical = extras.query_string(site, fragments, &query);
        let validator = self.validator(html::search_path(locale), &canonical, &invalid);
        let asked = page_question(canonical, validator, &query, site.index.ranked_cost(&query));
        self.computed(
            &asked,
            || html(locale).tag(SEARCH_TAG),
            || html::search_page(site, fragments, &self.epoch.dated, (&query, &extras), &invalid).into(),
        )
    }

    fn feed(&self, locale: Locale, kind: Feed) -> Attempt {
        let site = self.epoch.site();
        let Some(fragments) = &self.epoch.opened.html else { return self.missing(locale).into() };
        let (query, extras, invalid) = self.question(locale);
        let address = html::feed_path(locale, kind);
        let canonical = extras.for_feed().query_string(site, fragments, &query);
        let validator = self.validator(&address, &canonical, &invalid);
        let work = site.index.cost(&html::feed_query(&query, kind));
        let asked = page_question(canonical, validator, &query, work);
        self.computed(
            &asked,
            || feed_content(kind, invalid.is_empty()).tag(SEARCH_TAG),
            || html::feed(site, fragments, &self.epoch.dated, (&query, &extras, &invalid), kind).into(),
        )
    }

    fn site_file(&self, path: &str) -> Reply {
        let files = self.epoch.generation().files();
        let (Some(file), Some(media_type)) = (files.lookup(&[path]), media_type(path)) else {
            return self.missing(locale_of(path));
        };
        // An asset's name changes with its content.
        let lifetime = match path.starts_with("assets/") {
            true => Lifetime::Immutable.header(),
            false => self.until_midnight(),
        };
        // Downloads may be long enough to be taken up again where they broke off.
        match self.body(file, || content(HeaderValue::from_static(media_type))) {
            Ok(body) if path.starts_with("data/") => body.part(&self.head.headers, lifetime),
            Ok(body) => body.reply(&self.head.headers, lifetime),
            Err(error) => damaged(&error),
        }
    }

    fn site_page(&self, path: &str) -> Reply {
        let files = self.epoch.generation().files();
        match files.lookup(&[path, ".html"]) {
            Some(file) => self.file(file, self.until_midnight(), || html(locale_of(path))),
            None => self.elsewhere(path).unwrap_or_else(|| self.missing(locale_of(path))),
        }
    }

    /// Records that were renamed are found under their new address.
    fn elsewhere(&self, path: &str) -> Option<Reply> {
        let (prefix, rest) = path.strip_prefix("es/").map_or(("", path), |rest| ("/es", rest));
        let (kind, slug) = rest.split_once('/')?;
        let entity = match kind {
            "programs" => EntityType::Program,
            "organizations" => EntityType::Organization,
            "recipients" => EntityType::Recipient,
            _ => return None,
        };
        let canonical = self.epoch.site().lists.canonical_slug(entity, slug)?;
        let location = format!("{prefix}/{kind}/{canonical}");
        let reply = Reply::error(StatusCode::PERMANENT_REDIRECT, Vec::new(), Lifetime::Redirect);
        Some(reply.with(header::LOCATION, value(&location)).with(header::CONTENT_TYPE, HTML))
    }

    /// 404 as a page.
    fn missing(&self, locale: Locale) -> Reply {
        let path = if locale == Locale::Es { "es/404" } else { "404" };
        let Some(file) = self.epoch.generation().files().lookup(&[path, ".html"]) else {
            return not_found("There is nothing at this path.");
        };
        // The page that says so is not what was asked for: no condition holds for it.
        let mut reply = match self.body(file, || html(locale)) {
            Ok(body) => body.reply(&HeaderMap::new(), Lifetime::Short.header()),
            Err(error) => return damaged(&error),
        };
        reply.status = StatusCode::NOT_FOUND;
        reply.headers.remove(header::ETAG);
        reply.headers.remove(header::LAST_MODIFIED);
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_have_a_media_type_of_their_own_bear_it() {
        for (path, expected) in [
            ("opensearch.xml", "application/opensearchdescription+xml"),
            ("feeds/new.json", "application/feed+json"),
            ("es/feeds/new.json", "application/feed+json"),
            ("data/catalog.jsonld", "application/ld+json"),
            ("data/croissant.json", "application/ld+json"),
            ("data/csv-metadata.json", "application/csvm+json"),
            ("data/datapackage.json", "application/vnd.datapackage+json"),
            ("data/dataset.json", "application/json"),
            ("assets/logo-00.svg", "image/svg+xml"),
            ("favicon.ico", "image/x-icon"),
            ("sitemap.xml", "application/xml; charset=utf-8"),
        ] {
            assert_eq!(media_type(path), Some(expected), "{path}");
        }
    }

    #[test]
    fn paths_name_pages_files_and_searches() {
        for (path, expected) in [
            ("/", Named::Page("index")),
            ("/es", Named::Page("es/index")),
            ("/404", Named::Nothing(Locale::En)),
            ("/es/404", Named::Nothing(Locale::Es)),
            ("/index", Named::Nothing(Locale::En)),
            ("/es/index", Named::Nothing(Locale::Es)),
            ("/programs/404", Named::Page("programs/404")),
            ("/programs", Named::Search(Locale::En)),
            ("/es/programs", Named::Search(Locale::Es)),
            ("/programs.ics", Named::Feed(Locale::En, Feed::Calendar)),
            ("/es/programs.atom", Named::Feed(Locale::Es, Feed::Atom)),
            ("/programs/a", Named::Page("programs/a")),
            ("/programs/a.md", Named::File("programs/a.md")),
            ("/sitemap.xml", Named::File("sitemap.xml")),
            ("/assets/site-00.css", Named::File("assets/site-00.css")),
            ("/docs/api", Named::Page("docs/api")),
            ("/mcp/server-card", Named::File("mcp/server-card")),
            ("/a.php", Named::Page("a.php")),
        ] {
            assert_eq!(named(path), expected, "{path}");
        }
    }
}
