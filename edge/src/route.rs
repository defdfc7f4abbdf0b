//! Routes: what a path names. Knows no bodies.

use percent_encoding::percent_decode_str;
use snapshot::page::changes;
use snapshot::query::List;
use snapshot::record::EntityType;
use store::RECORD_KINDS;

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/mcp` and `/mcp/`
    Tools,
    /// `/api/v1/search` and `/api/v1/programs`
    Search,
    /// `/api/v1/{programs,organizations,recipients}/{slug}`
    Record(EntityType),
    /// `/api/v1/facets/{facet}`
    Facet,
    /// `/api/v1/{organizations,cycles,awards,recipients}`
    List(List),
    /// `/api/v1/details`
    Details,
    /// `/api/v1/exports/latest` and `/api/v1/exports/latest.csv`
    Export,
    /// `/api/v1/openapi.json`
    OpenApi,
    /// Any other path below `/api`.
    UnknownApi,
    /// `/changes`
    Changes,
    /// `/api/v1/changes`
    ChangesPage,
    /// `/changes.atom`
    ChangesFeed,
    /// A page or download of the site, or nothing.
    Page,
}

/// Routes, and their path templates for metrics. The first stands for pages and unknown paths.
pub(crate) const ROUTES: [(Route, &str); 17] = [
    (Route::Page, "/"),
    (Route::Search, "/api/v1/search"),
    (Route::Record(EntityType::Program), "/api/v1/programs/{slug}"),
    (Route::Facet, "/api/v1/facets/{facet}"),
    (Route::List(List::Organizations), "/api/v1/organizations"),
    (Route::List(List::Cycles), "/api/v1/cycles"),
    (Route::List(List::Awards), "/api/v1/awards"),
    (Route::List(List::Recipients), "/api/v1/recipients"),
    (Route::Record(EntityType::Organization), "/api/v1/organizations/{slug}"),
    (Route::Record(EntityType::Recipient), "/api/v1/recipients/{slug}"),
    (Route::Export, "/api/v1/exports/latest"),
    (Route::Details, "/api/v1/details"),
    (Route::OpenApi, "/api/v1/openapi.json"),
    (Route::Changes, changes::LINES),
    (Route::ChangesPage, changes::PAGE),
    (Route::ChangesFeed, changes::FEED),
    (Route::Tools, "/mcp"),
];

impl Route {
    /// Its position among [`ROUTES`].
    pub(crate) fn number(self) -> usize {
        ROUTES.iter().position(|(route, _)| *route == self).unwrap_or(0)
    }

    /// The route of a path below `/api/`, of which `rest` is what follows.
    pub(crate) fn api(rest: &str) -> Self {
        let Some(rest) = rest.strip_prefix("v1/") else { return Self::UnknownApi };
        let decodes = |segment: &str| percent_decode_str(segment).decode_utf8().is_ok();
        match rest.split_once('/') {
            None => match rest {
                "search" | "programs" => Self::Search,
                "details" => Self::Details,
                "changes" => Self::ChangesPage,
                "openapi.json" => Self::OpenApi,
                _ => List::parse(rest).map_or(Self::UnknownApi, Self::List),
            },
            Some(("exports", "latest" | "latest.csv")) => Self::Export,
            Some((_, segment)) if segment.is_empty() || segment.contains('/') || !decodes(segment) => {
                Self::UnknownApi
            }
            Some(("facets", _)) => Self::Facet,
            Some((folder, _)) => kind_of(folder).map_or(Self::UnknownApi, Self::Record),
        }
    }
}

/// The kind of the records in a folder of addresses.
pub(crate) fn kind_of(folder: &str) -> Option<EntityType> {
    RECORD_KINDS.contains(&folder).then(|| EntityType::parse(folder.strip_suffix('s')?))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_that_of_its_route() {
        for (expected, template) in ROUTES {
            let path = template.replace("{slug}", "x").replace("{facet}", "x");
            let route = match (path.strip_prefix("/api/"), path.as_str()) {
                (Some(rest), _) => Route::api(rest),
                (None, changes::LINES) => Route::Changes,
                (None, changes::FEED) => Route::ChangesFeed,
                (None, "/mcp") => Route::Tools,
                (None, _) => Route::Page,
            };
            assert_eq!(route, expected, "{template}");
        }
    }
}
