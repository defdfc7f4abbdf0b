//! Suggestions on a search page without results: links to the query without one of its words or filters,
//! each with the number of records it finds.

use super::extras::ORGANIZATION;
use super::results::push_none;
use super::{DisplayQuery, PageOptions, Splice, search_path};
use crate::fragments::push;
use crate::messages::Message;
use snapshot::page::text::{escaped, grouped};
use snapshot::query::Query;
use snapshot::search::{Constraint, Relaxation, rest_in_words};

impl Splice<'_> {
    /// Suggests the query without one of its words or filters, the organization included.
    pub(super) fn suggestions(&self, out: &mut Vec<u8>) {
        let only = self.extras.organization.zip(self.options.among).map(|(number, among)| {
            let value = self.html.organizations.slug(number).to_owned();
            (Constraint::Filter { parameter: ORGANIZATION, value }, among)
        });
        let (index, today) = (&self.site.index, &self.dated.today);
        let relaxations = index.relaxations(self.query, today, &self.extras.plain, only);
        let everywhere = PageOptions { organization: None, ..self.extras.clone() };
        let query_string = |relaxation: &Relaxation| {
            let is_organization =
                matches!(relaxation.removed, Constraint::Filter { parameter: ORGANIZATION, .. });
            self.named_query(if is_organization { &everywhere } else { self.extras }, &relaxation.query)
        };
        self.push_suggestions(Message::WithoutOne, &relaxations, query_string, out);
    }

    /// The query string of a query, and the query in words.
    fn named_query(&self, extras: &PageOptions, query: &Query) -> (String, String) {
        let query_string = extras.query_string(self.site, self.html, query);
        let whole = self.query.text.as_deref().unwrap_or_default();
        let text = query.text.as_deref().map(|text| rest_in_words(whole, text));
        let shown = extras.query_string(self.site, self.html, &Query { text, ..query.clone() });
        let name = DisplayQuery::new(self.site, self.html, self.language, &shown).name();
        (query_string, name)
    }

    /// Names the parts of a query that no record comes near, with the number of matches of each by itself. False if
    /// it has fewer than two, and for one organization, where the ways out count.
    pub(super) fn nothing_fits(&self, out: &mut Vec<u8>) -> bool {
        let mut parts = self.site.index.parts_alone(self.query, &self.dated.today, &self.extras.plain);
        // The two ends of "this week" are one part.
        let mut words: Vec<String> = Vec::new();
        parts.retain(|part| {
            let word = self.part(&part.removed);
            let is_new = !words.contains(&word);
            words.extend(is_new.then_some(word));
            is_new
        });
        if parts.len() < 2 || self.answer.total > 0 || self.options.among.is_some() {
            return false;
        }
        let (last, first) = (&words[words.len() - 1], &words[..words.len() - 1]);
        let what = format!("{} {} {last}", first.join(", "), self.language.word(Message::And));
        push_none(out, &self.language.phrase(Message::NothingFits, &[("what", &what)]));
        let alone = PageOptions { plain: self.extras.plain.clone(), ..PageOptions::default() };
        self.push_suggestions(Message::ForOne, &parts, |part| self.named_query(&alone, &part.query), out);
        if parts.len() > 2 {
            self.suggestions(out);
        }
        true
    }

    /// A part of a query in words.
    fn part(&self, part: &Constraint) -> String {
        let words = match part {
            Constraint::Words(words) => escaped(words),
            Constraint::Filter { parameter, value } => self.display.filter(parameter, value),
            Constraint::Role { facet, place } => self.display.filter(facet.spec().parameter, place),
        };
        format!("<em>{words}</em>")
    }

    /// Writes the list, each with a message. `query_string` returns the query string of a relaxation and that query in
    /// words.
    fn push_suggestions(
        &self,
        word: Message,
        relaxations: &[Relaxation],
        query_string: impl Fn(&Relaxation) -> (String, String),
        out: &mut Vec<u8>,
    ) {
        if relaxations.is_empty() {
            return;
        }
        push(out, "<ul class=\"without\">");
        for relaxation in relaxations {
            let what = self.part(&relaxation.removed);
            let (query, rest) = query_string(relaxation);
            let is_role = matches!(relaxation.removed, Constraint::Role { .. });
            let word = if is_role { Message::Instead } else { word };
            let (path, locale) = (search_path(self.query.locale), self.language.locale);
            let count = grouped(relaxation.total as u64, locale);
            let text = self.language.phrase(word, &[("what", &what), ("n", &count), ("rest", &rest)]);
            let item = match relaxation.total {
                0 => text,
                _ => format!("<a href=\"{path}?{}\">{text}</a>", escaped(&query)),
            };
            push(out, format_args!("<li>{item}</li>"));
        }
        push(out, "</ul>");
    }
}
