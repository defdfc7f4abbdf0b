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

const PUBLIC: &str = "public/";
const API: &str = "api/v1/";
const OPENAPI: &str = "api/v1/openapi.json";

/// Path and query of the address at which a file is served; `None` for what is not part of the site.
pub fn url_of(path: &str) -> Option<String> {
    let path = path.strip_prefix(PUBLIC)?;
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
    Some(format!("/{address}"))
}

/// What a cache may drop a file's answer by: its path without folder of the interface, language and
/// format, so that it names a record.
pub fn tag_of(path: &str) -> &str {
    let path = path.strip_prefix(PUBLIC).unwrap_or(path);
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
            ("public/api/v1/programs/a-b.json", "/api/v1/programs/a-b"),
            ("public/api/v1/programs/a-b.es.json", "/api/v1/programs/a-b?locale=es"),
            ("public/api/v1/search.json", "/api/v1/search"),
            ("public/api/v1/openapi.json", "/api/v1/openapi.json"),
            ("public/api/v1/exports/latest.json", "/api/v1/exports/latest"),
            ("public/api/v1/exports/latest.csv", "/api/v1/exports/latest?format=csv"),
            ("public/index.html", "/"),
            ("public/es/index.html", "/es"),
            ("public/programs/citation-index.html", "/programs/citation-index"),
            ("public/es/programs/a-b.html", "/es/programs/a-b"),
            ("public/programs/a-b.md", "/programs/a-b.md"),
            ("public/sitemap.xml", "/sitemap.xml"),
        ] {
            assert_eq!(url_of(path).as_deref(), Some(url), "{path}");
        }
        assert_eq!(url_of("index/rows.bin"), None);
    }

    #[test]
    fn a_tag_names_a_record_whatever_its_format_and_language() {
        for path in [
            "public/api/v1/programs/a-b.json",
            "public/api/v1/programs/a-b.es.json",
            "public/programs/a-b.html",
            "public/es/programs/a-b.html",
        ] {
            assert_eq!(tag_of(path), "programs/a-b", "{path}");
        }
        assert_eq!(tag_of("public/api/v1/exports/latest.csv"), "exports/latest");
    }
}
