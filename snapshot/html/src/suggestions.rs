//! Suggestions on a search page without results: links to the query without one of its words or filters,
//! each with the number of records it finds.

use crate::fragments::Language;
use crate::messages::Message;
use snapshot::page::text::{escaped, grouped, push_escaped};
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

/// Writes a part of a query in words; `label` writes a filter.
pub(super) fn push_part(out: &mut Vec<u8>, part: &Constraint, label: &impl Fn(&mut Vec<u8>, &str, &str)) {
    out.extend_from_slice(b"<em>");
    match part {
        Constraint::Words(words) => push_escaped(out, words),
        Constraint::Filter { parameter, value } => label(out, parameter, value),
        Constraint::Role { facet, place } => label(out, facet.spec().parameter, place),
    }
    out.extend_from_slice(b"</em>");
}

/// Writes the list, each with a message. `path` is that of the page, `query_string` returns the query string of a
/// relaxation and that query in words, `label` writes a filter in words.
pub(super) fn push(
    (language, path, word): (&Language, &str, Message),
    relaxations: &[Relaxation],
    query_string: impl Fn(&Relaxation) -> (String, Vec<u8>),
    label: impl Fn(&mut Vec<u8>, &str, &str),
    out: &mut Vec<u8>,
) {
    if relaxations.is_empty() {
        return;
    }
    out.extend_from_slice(b"<ul class=\"without\">");
    for relaxation in relaxations {
        let mut what = Vec::new();
        push_part(&mut what, &relaxation.removed, &label);
        let (query, rest) = query_string(relaxation);
        out.extend_from_slice(b"<li>");
        if relaxation.total > 0 {
            out.extend_from_slice(b"<a href=\"");
            out.extend_from_slice(path.as_bytes());
            out.push(b'?');
            push_escaped(out, &query);
            out.extend_from_slice(b"\">");
        }
        let is_role = matches!(relaxation.removed, Constraint::Role { .. });
        let word = if is_role { Message::Instead } else { word };
        let count = grouped(relaxation.total as u64, language.locale);
        let [what, rest] = [&what, &rest].map(|html| String::from_utf8_lossy(html));
        language.push_phrase(out, word, &[("what", &what), ("n", &count), ("rest", &rest)]);
        out.extend_from_slice(if relaxation.total > 0 { b"</a></li>" } else { b"</li>" });
    }
    out.extend_from_slice(b"</ul>");
}
