//! Addresses in exported files. They are written for an edge at the root of a host: below a path, such as
//! `https://user.github.io/repo`, each gets that path, and for a host that only has files, those of answers in JSON or CSV get
//! the ending of the file.

use std::collections::BTreeSet;

/// What the name of a file has after the address of its answer, by the query of that.
const ENDINGS: [(&str, &str); 3] = [("", ".json"), ("?locale=es", ".es.json"), ("?format=csv", ".csv")];

/// Changes the addresses in files.
pub(super) struct Addresses<'a> {
    /// `/repo`, or nothing.
    path: &'a str,
    pub(super) base_url: &'a str,
    /// The base URL from `//`: pages have it with other schemes too.
    host: &'a str,
    /// First segments of the site's own addresses, without `.html`.
    known: BTreeSet<&'a str>,
    /// Paths of the site's files, and whether pages have to name them.
    files: BTreeSet<&'a str>,
    pretty: bool,
}

impl<'a> Addresses<'a> {
    /// `files` are the paths of the site's; `changes` and `mcp` are written apart from them.
    pub(super) fn new((pretty, path): (bool, &'a str), base_url: &'a str, files: BTreeSet<&'a str>) -> Self {
        let first = |path: &&'a str| path.split('/').next().unwrap_or(path);
        let known = files.iter().map(first).map(|first| first.strip_suffix(".html").unwrap_or(first));
        let known = known.chain(["", "changes", "changes.atom", "mcp"]).collect();
        let host = base_url.find("//").map_or(base_url, |at| &base_url[at..]);
        Self { path, base_url, host, known, files, pretty }
    }

    /// A file with its addresses changed; `None` if it has none. Tables stay as their checksums have them.
    pub(super) fn apply(&self, name: &str, body: &[u8]) -> Option<Vec<u8>> {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let marks: &[&str] = match extension {
            "html" => &[self.host, "=\""],
            "css" => &["url(", "url(\"", "url('"],
            "json" if name.ends_with("openapi.json") => &[self.base_url, "\""],
            "json" | "jsonld" | "ndjson" | "xml" | "atom" | "ics" | "md" | "txt" => &[self.base_url],
            "csv" if !name.starts_with("data/") => &[self.base_url],
            _ => return None,
        };
        // The rest describes the answers of an edge.
        let names_files = self.pretty && matches!(extension, "html" | "md" | "txt" | "atom" | "ndjson");
        let text = std::str::from_utf8(body).ok().filter(|_| names_files || !self.path.is_empty())?;
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        let mut rest = text;
        while let Some(at) = rest.find('/') {
            // A mark that ends with the slash's address is before it, or begins there.
            let (before, after) = rest.split_at(at);
            out.push_str(before);
            rest = &after[1..];
            let is_own = marks.iter().any(|mark| out.ends_with(mark)) && self.is_own(rest);
            if is_own {
                out.push_str(self.path);
            }
            out.push('/');
            if let Some((path, query, ending)) = self.file_of(rest).filter(|_| is_own && names_files) {
                out.extend([path, ending]);
                rest = &rest[path.len() + query.len()..];
            }
        }
        out.push_str(rest);
        // The address of the host alone, such as a home page's.
        let Self { base_url, path, .. } = self;
        for end in ["\"", "<"] {
            out = out.replace(&format!("{base_url}{end}"), &format!("{base_url}{path}{end}"));
        }
        Some(out.into_bytes())
    }

    /// Whether what follows the first slash of an address begins an address of the site.
    fn is_own(&self, rest: &str) -> bool {
        let segment = rest.split(|c: char| !is_part(c)).next().unwrap_or(rest);
        self.known.contains(segment.trim_end_matches('.')) && (!segment.is_empty() || !rest.starts_with('/'))
    }

    /// Path and query of the address that a text begins with, and the ending of the file that is its answer.
    fn file_of<'t>(&self, text: &'t str) -> Option<(&'t str, &'static str, &'static str)> {
        let end = |text: &str, others: &str| text.find(|c| !is_part(c) && !others.contains(c));
        let (path, rest) = text.split_at(end(text, "/}").unwrap_or(text.len()));
        let query = if rest.starts_with('?') { &rest[..end(rest, "?=&").unwrap_or(rest.len())] } else { "" };
        let (query, ending) = ENDINGS.into_iter().find(|(known, _)| *known == query)?;
        let name = format!("{path}{ending}");
        let start = path.strip_suffix("{slug}").unwrap_or(&name);
        let file = self.files.range(start..).next()?;
        (file.starts_with(start) && file.ends_with(ending)).then_some((path, query, ending))
    }
}

const fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_addresses_get_the_path_and_others_stay() {
        let paths = "index.html programs.html programs.atom programs.ics es/programs.html assets/site.css";
        let prefix = Addresses::new((false, "/repo"), "https://a.example", paths.split(' ').collect());
        let of = |name: &str, text: &str| {
            String::from_utf8(prefix.apply(name, text.as_bytes()).unwrap_or_else(|| text.into())).unwrap()
        };
        for (before, after) in [
            ("/programs?q=a", "/repo/programs?q=a"),
            ("/", "/repo/"),
            ("/es/programs/x", "/repo/es/programs/x"),
            ("//b.example/programs", "//b.example/programs"),
            ("/elsewhere", "/elsewhere"),
            ("https://a.example/programs", "https://a.example/repo/programs"),
            ("https://a.example/elsewhere", "https://a.example/elsewhere"),
            ("webcal://a.example/programs.ics", "webcal://a.example/repo/programs.ics"),
            ("https://b.example/?c=webcal://a.example/", "https://b.example/?c=webcal://a.example/repo/"),
        ] {
            let [before, after] = [before, after].map(|it| format!("<a href=\"{it}\">"));
            assert_eq!(of("a.html", &before), after);
        }
        assert_eq!(of("a.html", "<p>either/programs</p>"), "<p>either/programs</p>");
        assert_eq!(of("a.html", "{\"url\":\"https://a.example\"}"), "{\"url\":\"https://a.example/repo\"}");
        assert_eq!(of("assets/a.css", "a{b:url(/assets/x)}"), "a{b:url(/repo/assets/x)}");
        let expected = "<id>https://a.example/repo/programs</id>";
        assert_eq!(of("a.atom", "<id>https://a.example/programs</id>"), expected);
        for (name, text) in [("data/a.csv", "https://a.example/programs"), ("a.png", "\"/programs\"")] {
            assert_eq!(of(name, text), text);
        }
        let none = Addresses::new((false, ""), "https://a.example", paths.split(' ').collect());
        assert_eq!(none.apply("a.html", b"<a href=\"/programs\">"), None);
    }

    #[test]
    fn addresses_of_answers_get_the_ending_of_their_file() {
        let files = "api/v1/a.json api/v1/a.csv api/v1/b/c.json api/v1/b/c.es.json b.html";
        let addresses = Addresses::new((true, ""), "https://a.example", files.split(' ').collect());
        let of = |name: &str, text: &str| {
            addresses.apply(name, text.as_bytes()).map(|it| String::from_utf8(it).unwrap())
        };
        for (before, after) in [
            ("/api/v1/a", "/api/v1/a.json"),
            ("/api/v1/a?format=csv", "/api/v1/a.csv"),
            ("/api/v1/b/c?locale=es", "/api/v1/b/c.es.json"),
            ("/api/v1/b/{slug}", "/api/v1/b/{slug}.json"),
            ("/api/v1/a.json", "/api/v1/a.json"),
            ("/api/v1/a?locale=es", "/api/v1/a?locale=es"),
            ("/api/v1/a?format=csv&q=a", "/api/v1/a?format=csv&q=a"),
            ("/api/v1/b", "/api/v1/b"),
            ("/b", "/b"),
        ] {
            let [link, expected] = [before, after].map(|it| format!("<a href=\"{it}\">"));
            assert_eq!(of("a.html", &link), Some(expected));
            let [text, expected] = [before, after].map(|it| format!("[c](https://a.example{it}): `{it}`"));
            let expected = expected.replace(&format!("`{after}`"), &format!("`{before}`"));
            assert_eq!(of("llms.txt", &text), Some(expected));
        }
        assert_eq!(of("a.xml", "<id>https://a.example/api/v1/a</id>"), None);
    }
}
