//! Suggestions on a search page without results: links to the query without one of its words or filters,
//! each with the number of records it finds.

use crate::fragments::{Language, push};
use crate::messages::Message;
use snapshot::page::text::{escaped, grouped};
use snapshot::search::{Constraint, Relaxation};

/// A part of a query in words; `label` gives those of a filter.
pub(super) fn part(part: &Constraint, label: &impl Fn(&str, &str) -> String) -> String {
    let words = match part {
        Constraint::Words(words) => escaped(words),
        Constraint::Filter { parameter, value } => label(parameter, value),
        Constraint::Role { facet, place } => label(facet.spec().parameter, place),
    };
    format!("<em>{words}</em>")
}

/// Writes the list, each with a message. `path` is that of the page, `query_string` returns the query string of a
/// relaxation and that query in words, `label` gives a filter in words.
pub(super) fn push_list(
    (language, path, word): (&Language, &str, Message),
    relaxations: &[Relaxation],
    query_string: impl Fn(&Relaxation) -> (String, String),
    label: impl Fn(&str, &str) -> String,
    out: &mut Vec<u8>,
) {
    if relaxations.is_empty() {
        return;
    }
    push(out, "<ul class=\"without\">");
    for relaxation in relaxations {
        let what = part(&relaxation.removed, &label);
        let (query, rest) = query_string(relaxation);
        let is_role = matches!(relaxation.removed, Constraint::Role { .. });
        let word = if is_role { Message::Instead } else { word };
        let count = grouped(relaxation.total as u64, language.locale);
        let text = language.phrase(word, &[("what", &what), ("n", &count), ("rest", &rest)]);
        let item = match relaxation.total {
            0 => text,
            _ => format!("<a href=\"{path}?{}\">{text}</a>", escaped(&query)),
        };
        push(out, format_args!("<li>{item}</li>"));
    }
    push(out, "</ul>");
}
