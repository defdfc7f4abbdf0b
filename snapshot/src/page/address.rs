//! At which address the edge answers with a file of the site, and the tag by which a cache may drop
//! every answer about the same record.

/// Tags of the answers that the edge computes: searches, lists, facet look-ups, what changed, and details of several records.
pub const COMPUTED_TAGS: [&str; 8] =
    [SEARCH_TAG, "organizations", "cycles", "awards", "recipients", FACETS_TAG, CHANGES_TAG, DETAILS_TAG];
/// Tag of every search, page or feed.
pub const SEARCH_TAG: &str = "search";
/// Tag of every answer about what changed.
pub const CHANGES_TAG: &str = "changes";
/// Tag of every answer with the details of several records.
pub const DETAILS_TAG: &str = "details";
/// Tag of every facet look-up.
pub const FACETS_TAG: &str = "facets";

const API: &str = "api/v1/";
const OPENAPI: &str = "api/v1/openapi.json";

/// Path and query of the address at which a file is served.
pub fn url_of(path: &str) -> String {
    let (stem, extension) = path.rsplit_once('.').unwrap_or((path, ""));
    let address = match (path.starts_with(API), extension) {
        (true, "csv") => format!("{stem}?format=csv"),
        (true, "json") if path != OPENAPI => match stem.strip_suffix(".es") {
            Some(stem) => format!("{stem}?locale=es"),
            None => stem.to_owned(),
        },
        (_, "html") if stem == "index" => String::new(),
        (_, "html") => stem.strip_suffix("/index").unwrap_or(stem).to_owned(),
        _ => path.to_owned(),
    };
    format!("/{address}")
}

/// What a cache may drop a file's answer by: its path without folder of the interface, language and
/// format, so that it names a record.
pub fn tag_of(path: &str) -> &str {
    let path = path.strip_prefix(API).unwrap_or(path);
    let path = path.strip_prefix("es/").unwrap_or(path);
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    stem.strip_suffix(".es").unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_served_at_the_path_of_the_contract() {
        for (path, url) in [
            ("api/v1/programs/a-b.json", "/api/v1/programs/a-b"),
            ("api/v1/programs/a-b.es.json", "/api/v1/programs/a-b?locale=es"),
            ("api/v1/search.json", "/api/v1/search"),
            ("api/v1/openapi.json", "/api/v1/openapi.json"),
            ("api/v1/exports/latest.json", "/api/v1/exports/latest"),
            ("api/v1/exports/latest.csv", "/api/v1/exports/latest?format=csv"),
            ("index.html", "/"),
            ("es/index.html", "/es"),
            ("programs/citation-index.html", "/programs/citation-index"),
            ("es/programs/a-b.html", "/es/programs/a-b"),
            ("programs/a-b.md", "/programs/a-b.md"),
            ("sitemap.xml", "/sitemap.xml"),
        ] {
            assert_eq!(url_of(path), url, "{path}");
        }
    }

    #[test]
    fn a_tag_names_a_record_whatever_its_format_and_language() {
        let paths =
            "api/v1/programs/a-b.json api/v1/programs/a-b.es.json programs/a-b.html es/programs/a-b.html";
        for path in paths.split(' ') {
            assert_eq!(tag_of(path), "programs/a-b", "{path}");
        }
        assert_eq!(tag_of("api/v1/exports/latest.csv"), "exports/latest");
    }
}
