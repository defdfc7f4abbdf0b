//! Addresses of a site below a path, such as `https://user.github.io/repo`: pages, feeds and descriptions are written
//! for the root of a host, so an export puts the path before each of their addresses.

use std::collections::BTreeSet;

/// Puts a path before the addresses in files.
pub(super) struct Prefix<'a> {
    /// `/repo`, or nothing.
    path: &'a str,
    base_url: &'a str,
    /// The base URL from `//`: pages have it with other schemes too.
    host: &'a str,
    /// First segments of the site's own addresses, without `.html`.
    known: BTreeSet<&'a str>,
}

impl<'a> Prefix<'a> {
    /// `paths` are those of the site's files; `changes` and `mcp` are written apart from them.
    pub(super) fn new(path: &'a str, base_url: &'a str, paths: impl Iterator<Item = &'a str>) -> Self {
        let first = |path: &'a str| path.split('/').next().unwrap_or(path);
        let known = paths.map(first).map(|first| first.strip_suffix(".html").unwrap_or(first));
        let host = base_url.find("//").map_or(base_url, |at| &base_url[at..]);
        Self { path, base_url, host, known: known.chain(["", "changes", "changes.atom", "mcp"]).collect() }
    }

    /// The public address with the path.
    pub(super) fn base_url(&self) -> String {
        format!("{}{}", self.base_url, self.path)
    }

    /// A file with its addresses changed; `None` if it has none. Tables stay as their checksums have them.
    pub(super) fn apply(&self, name: &str, body: &[u8]) -> Option<Vec<u8>> {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let marks: &[&str] = match extension {
            "html" => &[self.host, "=\""],
            "css" => &["url(", "url(\"", "url('"],
            "json" if name.ends_with("openapi.json") => &[self.base_url, "\""],
            "json" | "jsonld" | "xml" | "atom" | "ics" | "md" | "txt" => &[self.base_url],
            "csv" if !name.starts_with("data/") => &[self.base_url],
            _ => return None,
        };
        let text = std::str::from_utf8(body).ok().filter(|_| !self.path.is_empty())?;
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        let mut rest = text;
        while let Some(at) = rest.find('/') {
            // A mark that ends with the slash's address is before it, or begins there.
            let (before, after) = rest.split_at(at);
            out.push_str(before);
            if marks.iter().any(|mark| out.ends_with(mark)) && self.is_own(&after[1..]) {
                out.push_str(self.path);
            }
            out.push('/');
            rest = &after[1..];
        }
        out.push_str(rest);
        // The address of the host alone, such as a home page's.
        for end in ["\"", "<"] {
            out = out.replace(&format!("{}{end}", self.base_url), &format!("{}{end}", self.base_url()));
        }
        Some(out.into_bytes())
    }

    /// Whether what follows the first slash of an address begins an address of the site.
    fn is_own(&self, rest: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '{');
        let segment = rest.split(|c: char| !is_part(c)).next().unwrap_or(rest);
        self.known.contains(segment.trim_end_matches('.')) && (!segment.is_empty() || !rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_addresses_get_the_path_and_others_stay() {
        let paths = "index.html programs.html programs.atom programs.ics es/programs.html assets/site.css";
        let prefix = Prefix::new("/repo", "https://a.example", paths.split(' '));
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
        let none = Prefix::new("", "https://a.example", paths.split(' '));
        assert_eq!(none.apply("a.html", b"<a href=\"/programs\">"), None);
    }
}
