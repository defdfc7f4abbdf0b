//! Suggestions on a search page without results: links to the query without one of its words or filters,
//! each with the number of records it finds.

use crate::fragments::Language;
use crate::messages::Message;
use snapshot::page::text::{escaped, grouped};
use snapshot::place;
use snapshot::search::{Constraint, Relaxation};

/// Suggests a country instead of a word. `query_string` is the query without the word.
pub(super) fn push_country(
    (language, path): (&Language, &str),
    query_string: &str,
    (parameter, code): (&str, &str),
    out: &mut Vec<u8>,
) {
    let name = place::find(code).map_or(code, |place| place.name(language.locale));
    let and = if query_string.is_empty() { "" } else { "&amp;" };
    let query = format!("{}{and}{parameter}={code}", escaped(query_string));
    let link = format!("<a href=\"{path}?{query}\">{}</a>", escaped(name));
    out.extend_from_slice(b"<p>");
    language.push_phrase(out, Message::Country, &[("place", &link)]);
    out.extend_from_slice(b"</p>");
}

/// Writes the list. `path` is that of the page, `query_string` returns the query string of a relaxation, `label`
/// writes a filter in words.
pub(super) fn push(
    (language, path): (&Language, &str),
    relaxations: &[Relaxation],
    query_string: impl Fn(&Relaxation) -> String,
    label: impl Fn(&mut Vec<u8>, &str, &str),
    out: &mut Vec<u8>,
) {
    if relaxations.is_empty() {
        return;
    }
    out.extend_from_slice(b"<ul class=\"without\">");
    for relaxation in relaxations {
        let mut what = b"<em>".to_vec();
        match &relaxation.removed {
            Constraint::Words(words) => what.extend_from_slice(escaped(words).as_bytes()),
            Constraint::Filter { parameter, value } => label(&mut what, parameter, value),
        }
        what.extend_from_slice(b"</em>");
        out.extend_from_slice(b"<li><a href=\"");
        out.extend_from_slice(path.as_bytes());
        out.push(b'?');
        out.extend_from_slice(escaped(&query_string(relaxation)).as_bytes());
        out.extend_from_slice(b"\">");
        let count = grouped(relaxation.total as u64, language.locale);
        let values = [("what", &*String::from_utf8_lossy(&what)), ("n", &count)];
        language.push_phrase(out, Message::WithoutOne, &values);
        out.extend_from_slice(b"</a></li>");
    }
    out.extend_from_slice(b"</ul>");
}
