//! Search results: count, rows with headings, page links, and the sort options; without results advice: links to the query
//! without one of its words or filters, each with the number of records it finds.

use std::borrow::Cow;

use minijinja::{Value, context};
use snapshot::facet::{Facet, MEASURES};
use snapshot::query::{FacetValue, Query, Sort};
use snapshot::search::{Constraint, RankedRow, Relaxation, Tier, as_typed, rest_in_words};

use super::{DisplayQuery, PageOptions, Search, search_address, search_path};
use crate::highlight::Highlighter;
use crate::rows::Row;
use crate::templates::here;
use crate::view::{link, page_links, variables};

impl Search<'_> {
    /// The number of full matches. Where there are none, states what is listed instead: records that match through a
    /// wider region, or partial matches that have at least half of the query.
    pub(super) fn count(&self) -> String {
        let (wider, silent, close) = (self.answer.wider, self.answer.unstated, self.close());
        if self.answer.total + wider + close == 0 && !self.answer.rows.is_empty() {
            return self.words.word("results_weak").to_owned();
        }
        let (number, one, other) = match self.answer.total {
            0 if wider > 0 => (wider, "results_wider_one", "results_wider_other"),
            0 if silent > 0 => (silent, "results_silent_one", "results_silent_other"),
            0 if close > 0 => (close, "results_close_one", "results_close_other"),
            total => (total - self.answer.unconfirmed.min(total), "results_one", "results_other"),
        };
        let counted =
            |word: &str, number: usize| self.words.phrase(word, &[("n", &self.words.grouped(number))]);
        let count = counted(if number == 1 { one } else { other }, number);
        match self.answer.unconfirmed {
            0 => count,
            doubtful => format!("{count}, {}", counted("results_unconfirmed", doubtful)),
        }
    }

    /// How many full matches are open now, with a link to them; nothing for a search for what is open.
    pub(super) fn open(&self) -> Option<(String, Option<String>)> {
        let is_counted = self.answer.total > 0 && !self.answer.of_open;
        is_counted.then(|| match self.answer.open {
            0 => (self.words.word("results_open_none").to_owned(), None),
            open => {
                let text = self.words.phrase("results_open", &[("n", &self.words.grouped(open))]);
                (text, Some(self.first_page(Query { open: true, ..self.query.clone() }, &[])))
            }
        })
    }

    /// The number of partial matches that are listed and have at least half of the query.
    fn close(&self) -> usize {
        let close = self.answer.rows.iter().filter(|row| row.tier != Tier::Some);
        let on_page = if self.query.page.offset == 0 { close.count() } else { 0 };
        on_page.max(self.all() as usize)
    }

    /// The number of rows on all pages; partial matches fill the last page and are not counted.
    fn all(&self) -> u64 {
        (self.answer.total + self.answer.unstated + self.answer.wider) as u64
    }

    /// What was found, in groups of rows that match alike; template `found.html`.
    pub(super) fn results(&self) -> Value {
        let is_advice_last = self.all() == 0 && !self.answer.rows.is_empty();
        context! { advice => self.advice(), is_advice_last, groups => self.groups_of_rows(), near => self.near() }
    }

    /// Rows that match alike under one heading, each group with the number of its first row, and with a link to the search
    /// without the filters if some have not all of them.
    fn groups_of_rows(&self) -> Vec<Value> {
        let highlighter = Highlighter::new(&self.site.index, self.options.literal, &self.answer);
        let searched = self.searched();
        let mut start = self.query.page.offset + 1;
        let group = |group: &[RankedRow]| {
            let words: Vec<Vec<Cow<'_, str>>> = group.iter().map(|row| self.words(row)).collect();
            let is_like_first = |row: &RankedRow| row.tier.is_full() || row.tier == group[0].tier;
            let is_uniform = group.iter().all(is_like_first) && words.iter().all(|of| *of == words[0]);
            let row = |(row, words): (&RankedRow, &Vec<Cow<'_, str>>)| {
                let mut it = self.html.row(row.doc, self.query.locale, self.dated, highlighter.as_ref())?;
                it.program.lines.iter_mut().for_each(|line| line.show(&searched));
                Some(Row { differs: if is_uniform { None } else { self.difference(row, words) }, ..it })
            };
            let rows: Vec<Row> = group.iter().zip(&words).filter_map(row).collect();
            let heading = self.heading(&group[0], &words, is_uniform);
            let is_outside = group.iter().any(|row| kind(row) == Tier::Some && !row.outside.is_empty());
            // The search for the words without the filters, if the query has both.
            let all = self.query.text.clone().filter(|_| is_outside).map(|text| {
                let words = Query { text: Some(text), locale: self.query.locale, ..Query::default() };
                link(self.first_page(words, &[]), self.words.word("results_unfiltered"))
            });
            let it = context! { heading, all, start, rows => variables(&rows) };
            start += group.len() as u64;
            it
        };
        self.answer.rows.chunk_by(|a, b| kind(a) == kind(b)).map(group).collect()
    }

    fn advice(&self) -> Option<Value> {
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
        let relaxations = self.site.index.relaxations(self.query, &self.dated.today, &self.extras.plain);
        let relaxed = relaxations.iter().map(|it| self.suggestion("search_without", it, self.extras, None));
        if !relaxations.is_empty() {
            return Some(advice("results_not_exact", None, vec![relaxed.collect()]));
        }
        let way = || link(here("/browse", self.query.locale), self.words.word("browse_title"));
        self.answer.rows.is_empty().then(|| advice("results_none", Some(way()), Vec::new()))
    }

    /// The query in words: its text as it was typed.
    fn name(&self, extras: &PageOptions, query: &Query) -> String {
        let whole = self.query.text.as_deref().unwrap_or_default();
        let text = query.text.as_deref().map(|text| rest_in_words(whole, text));
        let shown = extras.query_string(self.site, &Query { text, ..query.clone() });
        DisplayQuery::new(self.site, self.html, self.words, &shown).name()
    }

    /// The parts of a query that no record comes near, with the number of matches of each by itself, and of words that
    /// records have together. `None` if it has fewer than two, if nothing matches any, if rows with the filters are all that
    /// there is, and for one organization, where the ways out count.
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
        let has_rows_only = together.is_empty() && self.answer.rows.iter().any(|row| row.outside.is_empty());
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

    /// The values that are searched for: those of filters, and those that words were understood as.
    fn searched(&self) -> Vec<&str> {
        let text = |ordinal: u32| self.site.index.values.text(ordinal);
        let selected = self.query.selected.iter().filter_map(|(_, value)| match value {
            FacetValue::Value(ordinal) => Some(text(*ordinal)),
            FacetValue::Place(_) => None,
        });
        let understood = self.answer.interpretations.iter().filter(|it| it.left_out.is_none());
        let understood = understood.flat_map(|it| {
            let values = it.values.iter().map(|(_, value)| text(*value));
            values.chain(it.place.as_deref())
        });
        selected.chain(understood).collect()
    }

    /// How a group of matches differs from the query; if they do so in several ways, the rows say how.
    fn heading(&self, first: &RankedRow, words: &[Vec<Cow<'_, str>>], is_uniform: bool) -> Option<String> {
        let (tier, of) = (first.tier, kind(first));
        let word = match tier {
            Tier::Name | Tier::All if !is_uniform || words[0].is_empty() => return None,
            Tier::Name | Tier::All => "tier_synonym".to_owned(),
            Tier::Unstated if of == Tier::Unstated => return Some(self.silent()),
            _ if of == Tier::Some && !is_uniform => "tier_some".to_owned(),
            Tier::Some if !words[0].is_empty() => "row_has".to_owned(),
            tier => format!("tier_{}", tier.as_str()),
        };
        let mut all: Vec<&str> = Vec::new();
        for word in words.iter().flatten() {
            if !all.contains(&&**word) {
                all.push(word);
            }
        }
        let text = self.with_words(&word, &all);
        let wider = || format!("{text}: {}", self.words.grouped(self.answer.wider));
        Some(if tier == Tier::Wider { wider() } else { text })
    }

    /// What records do not state that match otherwise, and how many there are.
    fn silent(&self) -> String {
        let facets = self.query.selected.iter().map(|(facet, _)| facet.group().spec());
        let facets = facets.filter(|spec| spec.is_eligibility).map(|spec| self.display.facet(spec.facet));
        let bounded = MEASURES.iter().zip(&self.query.measures).filter(|(_, bounds)| bounds.is_some());
        let measures = bounded.map(|(spec, _)| match spec.fact_kind() {
            Some(kind) => self.words.word(&format!("program_{kind}")),
            None => self.words.word("line_how_much"),
        });
        let mut names: Vec<&str> = facets.chain(measures).collect();
        names.dedup();
        let (what, n) = (names.join(", "), self.words.grouped(self.answer.unstated));
        self.words.phrase("tier_silent", &[("what", &what), ("n", &n)])
    }

    /// How a row differs from the query.
    fn difference(&self, row: &RankedRow, words: &[Cow<'_, str>]) -> Option<String> {
        let word = match row.tier {
            tier if tier.is_full() => "tier_synonym",
            Tier::Unstated => "row_unstated",
            Tier::Some => "row_has",
            _ => "tier_most",
        };
        (!words.is_empty()).then(|| self.with_words(word, words))
    }

    /// What a row lacks of the query, or has instead; the little that it has of it. Words as the query spells them, and
    /// values that are selected.
    fn words<'s>(&'s self, row: &'s RankedRow) -> Vec<Cow<'s, str>> {
        let is_little = row.tier == Tier::Some;
        let typed = if is_little { &row.has } else { &row.missing };
        let typed = typed.iter().chain(&row.shown_for).map(|words| Cow::Owned(self.typed(words)));
        let selected = &self.query.selected;
        let of_group = |facet: &Facet| selected.iter().filter(|(of, _)| of.group() == facet.group()).count();
        // Of several values, a record has one or another.
        let is_shown = |facet: &Facet| match row.outside.contains(&facet.group()) {
            true => !is_little,
            false => is_little && of_group(facet) == 1,
        };
        let is_partial = kind(row) == Tier::Some;
        let chosen = selected.iter().filter(|(facet, _)| is_partial && is_shown(facet));
        let chosen = chosen.map(|(facet, value)| (*facet, self.site.index.value_text(value)));
        typed.chain(chosen.map(|(facet, value)| self.display.label(facet, value).into())).collect()
    }

    /// A phrase that quotes words.
    fn with_words<T: AsRef<str>>(&self, key: &str, words: &[T]) -> String {
        self.words.phrase(key, &[("words", &self.quoted(words))])
    }

    /// Words in the quotation marks of the language.
    pub(super) fn quoted(&self, words: impl IntoIterator<Item: AsRef<str>>) -> String {
        let quoted = |text: &str| self.words.phrase("quoted", &[("text", text)]);
        words.into_iter().map(|words| quoted(words.as_ref())).collect::<Vec<_>>().join(", ")
    }

    /// Words as the query spells them.
    pub(super) fn typed(&self, words: &str) -> String {
        let mut spelled = self.spelled.borrow_mut();
        if let Some(typed) = spelled.get(words) {
            return typed.clone();
        }
        let typed = as_typed(self.query.text.as_deref().unwrap_or_default(), words);
        spelled.insert(words.to_owned(), typed.clone());
        typed
    }

    /// A link to what comes near where a record is named.
    fn near(&self) -> Option<Value> {
        let rows = &self.answer.rows;
        let is_named = rows.first().is_some_and(|row| row.tier == Tier::Name);
        let is_alone = is_named && (rows.len() as u64) < self.query.page.limit;
        (is_alone && !self.extras.with_near)
            .then(|| link(format!("{}&near=true", self.address), self.words.word("search_near")))
    }

    pub(super) fn pages(&self) -> Option<Value> {
        let pages = (self.query.page.number(), self.all().div_ceil(self.query.page.limit));
        page_links(pages, |page| self.page_address(page))
    }

    pub(super) fn page_address(&self, page: u64) -> String {
        let path = search_path(self.query.locale);
        self.display.address(&path, None, Some(page).filter(|page| *page > 1))
    }

    /// The sort orders. The default one has no value, so that a form sends an order only when a person chose it: text that is
    /// typed later is then sorted by relevance.
    pub(super) fn order(&self) -> Vec<Value> {
        let has_text = self.query.text.is_some();
        let by_relevance = self.extras.by_relevance(self.query);
        let default = has_text.then_some(("", "sort_relevance", by_relevance));
        let by_value =
            [(Sort::Deadline, "sort_deadline"), (Sort::Name, "sort_name"), (Sort::Recent, "sort_recent")];
        let by_value = by_value.map(|(sort, key)| {
            let is_default = !has_text && sort == Query::default().sort;
            let value = if is_default { "" } else { sort.as_str() };
            (value, key, sort == self.query.sort && !by_relevance)
        });
        let order = |(value, key, is_chosen): (&str, &str, bool)| {
            context! { value, text => self.words.word(key), is_chosen }
        };
        default.into_iter().chain(by_value).map(order).collect()
    }
}

/// What to do where nothing matches: the key of a sentence, a link to the first page or to all values, and queries with one
/// part fewer. Template `found.html`.
fn advice(key: &str, way: Option<Value>, lists: Vec<Vec<Value>>) -> Value {
    context! { key, way, parts => (), lists }
}

/// The kind of heading of a row: the last tiers are ranked together and have one, but for rows that lack no word.
fn kind(row: &RankedRow) -> Tier {
    match row.tier {
        Tier::Name => Tier::All,
        Tier::Unstated if row.missing.is_empty() && row.shown_for.is_empty() => Tier::Unstated,
        Tier::Unstated | Tier::Most => Tier::Some,
        tier => tier,
    }
}
