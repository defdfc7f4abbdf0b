//! Advice on a search page without results: links to the query without one of its words or filters, each with the
//! number of records it finds.

use serde::Serialize;
use snapshot::query::Query;
use snapshot::search::{Constraint, Relaxation, Tier, rest_in_words};

use super::{DisplayQuery, PageOptions, Search, search_address};
use crate::templates::here;
use crate::view::{Link, Text};

/// What to do where nothing matches; template `found.html`.
#[derive(Default, Serialize)]
pub(super) struct Advice {
    /// The key of the sentence.
    key: &'static str,
    /// A link to the first page, or to all values.
    way: Option<Link>,
    /// The parts of a query that no record comes near, and the last one.
    parts: Option<(Vec<String>, String)>,
    lists: Vec<Vec<Suggestion>>,
}

/// A query with one part fewer.
#[derive(Serialize)]
struct Suggestion {
    /// The key of the sentence.
    key: &'static str,
    /// The part.
    what: String,
    count: String,
    /// The query that remains, in words.
    rest: String,
    href: String,
    /// Its best record.
    best: Option<Link>,
}

impl Search<'_> {
    pub(super) fn advice(&self) -> Option<Advice> {
        let is_empty = self.answer.rows.is_empty();
        let of = |key| Advice { key, ..Advice::default() };
        if is_empty && self.query.page.offset > 0 {
            return Some(Advice {
                way: Some(self.way(self.page_address(1), "page_first")),
                ..of("search_past")
            });
        }
        match self.answer.total {
            0 if self.answer.wider > 0 => Some(of("results_wider_only")),
            0 => (self.answer.rows.iter().all(|row| row.tier == Tier::Some))
                .then(|| self.nothing_fits())
                .flatten()
                .or_else(|| self.relaxed_or_browse()),
            _ => None,
        }
    }

    pub(super) fn way(&self, href: String, word: &str) -> Link {
        Link { href, text: self.words.word(word).to_owned(), lang: None }
    }

    /// The query without a part; where nothing can be left out and nothing comes near, a link to all values.
    fn relaxed_or_browse(&self) -> Option<Advice> {
        let relaxed = self.relaxed();
        if !relaxed.is_empty() {
            return Some(Advice { key: "results_not_exact", lists: vec![relaxed], ..Advice::default() });
        }
        let way = || Some(self.way(here("/browse", self.query.locale), "browse_title"));
        let is_empty = self.answer.rows.is_empty();
        is_empty.then(|| Advice { key: "results_none", way: way(), ..Advice::default() })
    }

    /// The query without one of its words or filters.
    fn relaxed(&self) -> Vec<Suggestion> {
        let (index, today) = (&self.site.index, &self.dated.today);
        let relaxations = index.relaxations(self.query, today, &self.extras.plain);
        relaxations.iter().map(|it| self.suggestion("search_without", it, self.extras)).collect()
    }

    /// The query in words: its text as it was typed.
    fn name(&self, extras: &PageOptions, query: &Query) -> String {
        let whole = self.query.text.as_deref().unwrap_or_default();
        let text = query.text.as_deref().map(|text| rest_in_words(whole, text));
        let shown = extras.query_string(self.site, &Query { text, ..query.clone() });
        DisplayQuery::new(self.site, self.html, self.words, &shown).name()
    }

    /// The parts of a query that no record comes near, with the number of matches of each by itself, and of words that
    /// records have together. `None` if it has fewer than two, if nothing matches any, if rows are all that there is, and for one
    /// organization, where the ways out count.
    fn nothing_fits(&self) -> Option<Advice> {
        let found = self.site.index.parts_found(self.query, &self.dated.today, &self.extras.plain);
        let (together, mut parts): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, best)| best.is_some());
        // The two ends of "this week" are one part.
        let mut words: Vec<String> = Vec::new();
        parts.retain(|(part, _)| {
            let word = self.part(&part.removed);
            let is_new = !words.contains(&word);
            words.extend(is_new.then_some(word));
            is_new
        });
        parts.retain(|(part, _)| part.total > 0);
        let has_rows_only = together.is_empty() && !self.answer.rows.is_empty();
        if words.len() < 2 || parts.is_empty() || has_rows_only || !self.query.organizations.is_empty() {
            return None;
        }
        let together = together.iter().map(|(way, best)| {
            let best = best.and_then(|doc| self.html.row(doc, self.query.locale, self.dated, None));
            let best = best.map(|row| {
                let Text { text, lang } = row.program.name;
                Link { href: row.program.href, text, lang }
            });
            Suggestion { best, ..self.suggestion("search_for_one", way, self.extras) }
        });
        let alone = PageOptions { plain: self.extras.plain.clone(), ..PageOptions::default() };
        let each = parts.iter().map(|(part, _)| self.suggestion("search_for_one", part, &alone));
        let lists = vec![together.collect(), each.collect()];
        let last = words.pop().unwrap_or_default();
        Some(Advice { key: "results_nothing", way: None, parts: Some((words, last)), lists })
    }

    /// A part of a query in words.
    fn part(&self, part: &Constraint) -> String {
        match part {
            Constraint::Words(words) => words.clone(),
            Constraint::Filter { parameter, value } => self.display.filter(parameter, value),
            Constraint::Role { facet, place } => self.display.filter(facet.spec().parameter, place),
        }
    }

    fn suggestion(&self, key: &'static str, relaxation: &Relaxation, extras: &PageOptions) -> Suggestion {
        let is_role = matches!(relaxation.removed, Constraint::Role { .. });
        let query = extras.query_string(self.site, &relaxation.query);
        Suggestion {
            key: if is_role { "search_instead" } else { key },
            what: self.part(&relaxation.removed),
            count: self.words.grouped(relaxation.total),
            rest: self.name(extras, &relaxation.query),
            href: search_address(self.query.locale, &query, &[]),
            best: None,
        }
    }
}
