//! Where a path leads. One match over the contract's table; knows no bodies.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use snapshot::page::changes;
use snapshot::query::List;

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route<'a> {
    /// `/api/v1/search` and `/api/v1/programs`
    Search,
    /// `/api/v1/programs/{slug}`
    Program(Cow<'a, str>),
    /// `/api/v1/facets/{facet}`
    Facet(Cow<'a, str>),
    /// `/api/v1/{organizations,cycles,awards,recipients}`
    List(List),
    /// `/api/v1/organizations/{slug}`
    Organization(Cow<'a, str>),
    /// `/api/v1/recipients/{slug}`
    Recipient(Cow<'a, str>),
    /// `/api/v1/exports/latest`
    Export,
    /// `/api/v1/openapi.json`
    OpenApi,
    /// `/changes`
    Changes,
    /// `/changes.atom`
    ChangesFeed,
    /// `/mcp` and `/mcp/`
    Mcp,
    /// Nothing of the REST interface below `/api`.
    NoApi,
    /// A page of the site, as it was asked for.
    Page(&'a str),
}

/// Every path template; the first stands for pages and for everything unknown.
pub const TEMPLATES: [&str; 15] = [
    "/",
    "/api/v1/search",
    "/api/v1/programs/{slug}",
    "/api/v1/facets/{facet}",
    "/api/v1/organizations",
    "/api/v1/cycles",
    "/api/v1/awards",
    "/api/v1/recipients",
    "/api/v1/organizations/{slug}",
    "/api/v1/recipients/{slug}",
    "/api/v1/exports/latest",
    "/api/v1/openapi.json",
    "/changes",
    "/changes.atom",
    "/mcp",
];

impl Route<'_> {
    /// The path template that names the route; for metrics.
    #[must_use]
    pub fn template(&self) -> &'static str {
        match self {
            Self::Search => "/api/v1/search",
            Self::Program(_) => "/api/v1/programs/{slug}",
            Self::Facet(_) => "/api/v1/facets/{facet}",
            Self::List(List::Organizations) => "/api/v1/organizations",
            Self::List(List::Cycles) => "/api/v1/cycles",
            Self::List(List::Awards) => "/api/v1/awards",
            Self::List(List::Recipients) => "/api/v1/recipients",
            Self::Organization(_) => "/api/v1/organizations/{slug}",
            Self::Recipient(_) => "/api/v1/recipients/{slug}",
            Self::Export => "/api/v1/exports/latest",
            Self::OpenApi => "/api/v1/openapi.json",
            Self::Changes => changes::LINES,
            Self::ChangesFeed => changes::FEED,
            Self::Mcp => "/mcp",
            Self::NoApi | Self::Page(_) => "/",
        }
    }
}

/// Finds the route of a path.
#[must_use]
pub fn route(path: &str) -> Route<'_> {
    if path == "/mcp" || path == "/mcp/" {
        return Route::Mcp;
    }
    match path {
        changes::LINES => return Route::Changes,
        changes::FEED => return Route::ChangesFeed,
        _ => {}
    }
    let Some(rest) = path.strip_prefix("/api/v1/") else {
        return if path.starts_with("/api/") || path == "/api" { Route::NoApi } else { Route::Page(path) };
    };
    match rest.split_once('/') {
        None => match rest {
            "search" | "programs" => Route::Search,
            "openapi.json" => Route::OpenApi,
            _ => List::ALL.into_iter().find(|list| list.name() == rest).map_or(Route::NoApi, Route::List),
        },
        Some(("exports", "latest")) => Route::Export,
        Some((_, "")) => Route::NoApi,
        Some((_, part)) if part.contains('/') => Route::NoApi,
        Some(("programs", slug)) => decoded(slug).map_or(Route::NoApi, Route::Program),
        Some(("facets", name)) => decoded(name).map_or(Route::NoApi, Route::Facet),
        Some(("organizations", slug)) => decoded(slug).map_or(Route::NoApi, Route::Organization),
        Some(("recipients", slug)) => decoded(slug).map_or(Route::NoApi, Route::Recipient),
        Some(_) => Route::NoApi,
    }
}

/// A path segment, percent-decoded once; `None` when it is not UTF-8.
fn decoded(segment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(segment).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_of_the_contract_leads_somewhere_and_nothing_else_does() {
        assert_eq!(route("/api/v1/search"), Route::Search);
        assert_eq!(route("/api/v1/programs"), Route::Search);
        assert_eq!(route("/api/v1/programs/a%2Db"), Route::Program("a-b".into()));
        assert_eq!(route("/api/v1/programs/a%2"), Route::Program("a%2".into()));
        assert_eq!(route("/api/v1/programs/%252d"), Route::Program("%2d".into()));
        assert_eq!(route("/api/v1/recipients"), Route::List(List::Recipients));
        assert_eq!(route("/api/v1/exports/latest"), Route::Export);
        assert_eq!(route("/changes"), Route::Changes);
        assert_eq!(route("/changes.atom"), Route::ChangesFeed);
        assert_eq!(route("/mcp/"), Route::Mcp);
        assert_eq!(route("/programs/x"), Route::Page("/programs/x"));
        for path in [
            "/api",
            "/api/v1/",
            "/api/v1/programs/",
            "/api/v1/programs/a/b",
            "/api/v1/admin/x",
            "/api/v1/agent/x",
            "/api/v1/programs/%ff",
            "/api/v1//search",
            "/api/v2/search",
        ] {
            assert_eq!(route(path), Route::NoApi, "{path}");
        }
    }
}
