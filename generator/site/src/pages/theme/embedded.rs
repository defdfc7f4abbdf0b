//! The files of the theme that the program has.

macro_rules! embedded {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../", $folder, "/", $name)))),+]
    };
}

/// The templates, by name. Names that end in `.html` are escaped.
pub(super) const TEMPLATES: &[(&str, &str)] = embedded!(
    "templates": "base.html", "parts.html", "row.html", "line.html", "home.html", "results.html", "search.html",
    "program.html", "program.md", "awards.html", "organization.html", "recipient.html", "recipients.html", "deadlines.html",
    "shortlist.html", "browse.html", "list.html", "values.html", "facet.html", "data.html", "api.html", "mcp.html", "about.html", "error.html",
);
pub(super) const WORDS: &[(&str, &str)] = embedded!("locales": "en.json", "es.json");
pub(super) const ASSETS: &[(&str, &str)] =
    embedded!("assets": "site.css", "stars.js", "site.js", "shortlist.js", "run.js", "suggest.js");
