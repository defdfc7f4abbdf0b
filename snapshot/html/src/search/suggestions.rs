//! Advice on a search page without results: links to the query without one of its words or filters, each with the
//! number of records it finds.

use minijinja::{Value, context};
use snapshot::query::Query;
use snapshot::search::{Constraint, Relaxation, Tier, rest_in_words};

use super::{DisplayQuery, PageOptions, Search, search_address};
use crate::templates::here;
use crate::view::{link, variables};

/// What to do where nothing matches: the key of a sentence, a link to the first page or to all values, and queries with one
/// part fewer. Template `found.html`.
fn advice(key: &str, way: Option<Value>, lists: Vec<Vec<Value>>) -> Value {
    context! { key, way, parts => (), lists }
}

impl Search<'_> {
    pub(super) fn advice(&self) -> Option<Value> {
        let is_empty = self.answer.rows.is_empty();
        if is_empty && self.query.page.offset > 0 {
            let first = link(self.page_address(1), self.words.word("page_first"));
            return Some(advice("search_past", Some(first), Vec::new()));
        }
        match self.answer.total {
            0 if self.answer.wider > 0 => Some(advice("results_wider_only", None, Vec::new())),
            0 => (self.answer.rows.iter().all(|row| row.tier == Tier::Some))
                .then(|| self.nothing_fits())
                .flatten()
                .or_else(|| self.relaxed_or_browse()),
            _ => None,
        }
    }

    /// The query without a part; where nothing can be left out and nothing comes near, a link to all values.
    fn relaxed_or_browse(&self) -> Option<Value> {
        let relaxed = self.relaxed();
        if !relaxed.is_empty() {
            return Some(advice("results_not_exact", None, vec![relaxed]));
        }
        let way = || link(here("/browse", self.query.locale), self.words.word("browse_title"));
        self.answer.rows.is_empty().then(|| advice("results_none", Some(way()), Vec::new()))
    }

    /// The query without one of its words or filters.
    fn relaxed(&self) -> Vec<Value> {
        let (index, today) = (&self.site.index, &self.dated.today);
        let relaxations = index.relaxations(self.query, today, &self.extras.plain);
        relaxations.iter().map(|it| self.suggestion("search_without", it, self.extras, None)).collect()
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
    fn nothing_fits(&self) -> Option<Value> {
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
            let best = best.map(|row| context! { href => row.program.href, ..variables(&row.program.name) });
            self.suggestion("search_for_one", way, self.extras, best)
        });
        let alone = PageOptions { plain: self.extras.plain.clone(), ..PageOptions::default() };
        let each = parts.iter().map(|(part, _)| self.suggestion("search_for_one", part, &alone, None));
        let lists = vec![together.collect(), each.collect()];
        let last = words.pop().unwrap_or_default();
        // The parts of the query, and the last one.
        Some(context! { parts => (words, last), ..advice("results_nothing", None, lists) })
    }

    /// A part of a query in words.
    fn part(&self, part: &Constraint) -> String {
        match part {
            Constraint::Words(words) => words.clone(),
            Constraint::Filter { parameter, value } => self.display.filter(parameter, value),
            Constraint::Role { facet, place } => self.display.filter(facet.spec().parameter, place),
        }
    }

    /// A query with one part fewer, and its best record.
    fn suggestion(&self, key: &str, it: &Relaxation, extras: &PageOptions, best: Option<Value>) -> Value {
        let is_role = matches!(it.removed, Constraint::Role { .. });
        let query = extras.query_string(self.site, &it.query);
        context! {
            // The key of the sentence.
            key => if is_role { "search_instead" } else { key },
            what => self.part(&it.removed),
            count => self.words.grouped(it.total),
            // The query that remains, in words.
            rest => self.name(extras, &it.query),
            href => search_address(self.query.locale, &query, &[]),
            best,
        }
    }
}
