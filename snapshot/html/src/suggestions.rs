//! Ways out of an empty answer, on the search page: links to the question without one of its words or
//! filters, each with how many records it finds.

use crate::{Language, Message, escaped, grouped};
use snapshot::place;
use snapshot::search::{Constraint, Relaxation};

/// Offers a country instead of a word. `asked` is the question without the word.
pub(super) fn push_country(
    (language, path): (&Language, &str),
    asked: &str,
    (parameter, code): (&str, &str),
    out: &mut Vec<u8>,
) {
    let name = place::find(code).map_or(code, |place| place.name(language.locale));
    let and = if asked.is_empty() { "" } else { "&amp;" };
    let question = format!("{}{and}{parameter}={code}", escaped(asked));
    let link = format!("<a href=\"{path}?{question}\">{}</a>", escaped(name));
    out.extend_from_slice(b"<p>");
    language.push_phrase(out, Message::Country, &[("place", &link)]);
    out.extend_from_slice(b"</p>");
}

/// Writes the list. `path` is that of the page; `asked` gives a way's question as a query string, `label`
/// writes a filter in words.
pub(super) fn push(
    (language, path): (&Language, &str),
    ways: &[Relaxation],
    asked: impl Fn(&Relaxation) -> String,
    label: impl Fn(&mut Vec<u8>, &str, &str),
    out: &mut Vec<u8>,
) {
    if ways.is_empty() {
        return;
    }
    out.extend_from_slice(b"<ul class=\"without\">");
    for way in ways {
        let mut what = b"<em>".to_vec();
        match &way.removed {
            Constraint::Words(words) => what.extend_from_slice(escaped(words).as_bytes()),
            Constraint::Filter { parameter, value } => label(&mut what, parameter, value),
        }
        what.extend_from_slice(b"</em>");
        out.extend_from_slice(b"<li><a href=\"");
        out.extend_from_slice(path.as_bytes());
        out.push(b'?');
        out.extend_from_slice(escaped(&asked(way)).as_bytes());
        out.extend_from_slice(b"\">");
        let count = grouped(way.total as u64, language.locale);
        let values = [("what", &*String::from_utf8_lossy(&what)), ("n", &count)];
        language.push_phrase(out, Message::WithoutOne, &values);
        out.extend_from_slice(b"</a></li>");
    }
    out.extend_from_slice(b"</ul>");
}
