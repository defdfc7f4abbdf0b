//! Relaxations: for a query without full matches, the query without each of its words and filters, and the number of
//! records that fully match it.

use std::ops::Range;

use crate::distinct::distinct;
use crate::facet::{Facet, place_facets};
use crate::place::Code;
use crate::query::{
    FacetValue, PARAMETERS, Page, Parameter, ParameterKind, Query, TEXT_PHRASES_MAX, TEXT_WORDS_MAX,
    is_filter, pairs,
};
use crate::search::cost::{Budget, RELAXATIONS_MAX};
use crate::search::entities::RUN_MAX;
use crate::search::filter_phrases::{extract, normalized};
use crate::search::index::Index;
use crate::search::lexicon::stop_words;
use crate::search::matching::{Clause, alternatives, docs_of_any};
use crate::search::rank::RankOptions;
use crate::search::text_query::{self, ResolvedText, TextQuery};
use crate::search::tiers::{Part, Parts};
use crate::search::today::Today;
use crate::text::{QueryWord, words_of};

/// Most words of which combinations are tried.
const TOGETHER_MAX: usize = 12;
/// Most combinations that are looked up.
const COMBINATIONS_TRIED: usize = 40;
/// Most combinations in an answer.
const COMBINATIONS_MAX: usize = 3;
/// Most words and filters that are removed in turn.
const REMOVALS_MAX: usize = TEXT_WORDS_MAX + TEXT_PHRASES_MAX;

/// A part of a query that can be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Words of the text, as they were typed.
    Words(String),
    /// A filter.
    Filter {
        /// Parameter of the REST interface.
        parameter: &'static str,
        /// Its value.
        value: String,
    },
    /// The facet of a selected place: another one is selected in its stead.
    Role {
        /// The other facet.
        facet: Facet,
        /// Code of the place.
        place: String,
    },
}

/// A constraint taken out of a query.
struct Removal {
    removed: Constraint,
    /// The query without it.
    query: Query,
    /// A query of nothing else; `None` of a role, which is the nearest to what was selected.
    alone: Option<Query>,
}

/// A query without one of its constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxation {
    /// The removed constraint.
    pub removed: Constraint,
    /// The query without it, from its first row.
    pub query: Query,
    /// Number of records that fully match that query.
    pub total: usize,
}

impl Index {
    /// Relaxations of a query without full matches. That comes first which leaves out what most records match, so that
    /// the words that distinguish most remain; then by number of matches. `literal` words are searched as text only.
    /// Empty if no single constraint can be removed to get a match, or if counting would cost too
    /// much. A selected place that leaves no record is also tried in the other facets of places.
    pub fn relaxations(&self, query: &Query, today: &Today, literal: &[String]) -> Vec<Relaxation> {
        let first = Query { page: Page { offset: 0, ..query.page }, ..query.clone() };
        let mut counter = Counter::new(self, today, literal);
        if counter.is_hopeless(&first) {
            return Vec::new();
        }
        let mut found: Vec<(usize, Relaxation)> = Vec::new();
        let shorter = without_words(self, &first, today, literal).into_iter();
        let candidates = shorter.chain(without_filters(self, &first)).chain(with_other_roles(self, &first));
        for Removal { removed, query, alone } in candidates.take(REMOVALS_MAX) {
            if !query.is_narrowed() || found.iter().any(|(_, other)| other.removed == removed) {
                continue;
            }
            match counter.total(&query) {
                None => break,
                Some(0) => {}
                Some(matching) => {
                    let common = alone.map_or(usize::MAX, |alone| counter.total(&alone).unwrap_or(0));
                    found.push((common, Relaxation { removed, query, total: matching }));
                }
            }
        }
        found.sort_by_key(|(common, relaxation)| std::cmp::Reverse((*common, relaxation.total)));
        found.truncate(RELAXATIONS_MAX);
        found.into_iter().map(|(_, relaxation)| relaxation).collect()
    }

    /// What a query that nothing comes near finds in parts: combinations of the words with the most weight, each with
    /// its best record, then each of the first parts by itself; `removed` is what was searched. Empty if counting would
    /// cost too much.
    pub fn parts_found(
        &self,
        query: &Query,
        today: &Today,
        literal: &[String],
    ) -> Vec<(Relaxation, Option<u32>)> {
        let mut counter = Counter::new(self, today, literal);
        let parts =
            without_words(self, query, today, literal).into_iter().chain(without_filters(self, query));
        let alone = parts.take(RELAXATIONS_MAX).map(|Removal { removed, alone, .. }| {
            let query = alone?;
            let total = counter.total(&query)?;
            Some((Relaxation { removed, query, total }, None))
        });
        let alone = alone.collect::<Option<Vec<_>>>().unwrap_or_default();
        let together = if alone.len() > 2 { counter.together(query) } else { Vec::new() };
        together.into_iter().map(|(way, best)| (way, Some(best))).chain(alone).collect()
    }
}

/// Counts full matches, of each query once.
struct Counter<'a> {
    index: &'a Index,
    today: &'a Today,
    literal: &'a [String],
    budget: Budget,
    /// Queries without what changes no total, and totals.
    counted: Vec<(Query, usize)>,
    /// Texts that were looked up.
    texts: Vec<(Option<String>, ResolvedText<'a>)>,
}

impl<'a> Counter<'a> {
    fn new(index: &'a Index, today: &'a Today, literal: &'a [String]) -> Self {
        Self {
            index,
            today,
            literal,
            budget: Budget::new(index.programs()),
            counted: Vec::new(),
            texts: Vec::new(),
        }
    }

    /// Whether every record lacks so many words of a long text that no removal leaves a match: one takes a clause away, and
    /// may join the words beside it to a name.
    fn is_hopeless(&self, query: &Query) -> bool {
        if query.text.as_deref().is_none_or(|text| pieces(text).len() <= 1 + RUN_MAX) {
            return false;
        }
        let text = extract(query, self.literal, self.today.day).0.text.unwrap_or_default();
        let clauses = TextQuery::ranked(&text, self.literal).clauses(self.index);
        let least = alternatives(&clauses).count().saturating_sub(1 + RUN_MAX);
        let cost: u64 = clauses.iter().map(|clause| clause.cost(self.index)).sum();
        if cost > self.budget.left() {
            return false;
        }
        let mut matched = vec![0u8; self.index.programs()];
        alternatives(&clauses)
            .for_each(|group| docs_of_any(group, self.index).for_each(|doc| matched[doc as usize] += 1));
        matched.iter().all(|matched| usize::from(*matched) < least)
    }

    /// Number of full matches of a query; `None` if counting them may cost more than is left of the budget.
    fn total(&mut self, query: &Query) -> Option<usize> {
        let Query { sort, page, .. } = Query::default();
        let query = Query { sort, page, no_facets: true, ..query.clone() };
        let mut counted = self.counted.iter();
        if let Some((.., total)) = counted.find(|it| it.0 == query) {
            return Some(*total);
        }
        let total = self.count(&query)?;
        self.counted.push((query, total));
        Some(total)
    }

    fn count(&mut self, query: &Query) -> Option<usize> {
        let (unphrased, _) = extract(query, self.literal, self.today.day);
        let mut filters = Query { text: None, ..unphrased.clone() };
        let known = self.texts.iter().position(|(text, _)| *text == unphrased.text);
        let known = known.unwrap_or_else(|| {
            let text = TextQuery::ranked(unphrased.text.as_deref().unwrap_or_default(), self.literal);
            self.texts.push((unphrased.text, ResolvedText::new(&text, self.index)));
            self.texts.len() - 1
        });
        let text = &self.texts[known].1;
        let cost = self.index.cost_of_resolved(&filters, Some(text));
        if cost > self.budget.left() {
            return None;
        }
        self.budget.spend(cost);
        filters.page.limit = 0;
        Some(self.index.search_resolved(&filters, Some(text), self.today).total)
    }

    /// The query with only two or three of its words that records have together, those of the most weight first, and
    /// the best record of each. Every combination has a word that none before it has.
    fn together(&mut self, query: &Query) -> Vec<(Relaxation, u32)> {
        let (index, today, literal) = (self.index, self.today, self.literal);
        let (unphrased, _) = extract(query, literal, today.day);
        let text = TextQuery::ranked(unphrased.text.as_deref().unwrap_or_default(), literal);
        let parts = Parts::new(index, &text, Vec::new(), today);
        let mut parts: Vec<&Part<'_>> = parts.known.iter().filter(|part| part.is_rare(index)).collect();
        parts.sort_by(|a, b| b.idf.total_cmp(&a.idf));
        parts.truncate(TOGETHER_MAX);
        let mut masks = vec![0u16; index.programs()];
        for (bit, part) in parts.iter().enumerate() {
            part.typed().for_each(|doc| masks[doc as usize] |= 1 << bit);
        }
        let masks = distinct(masks);
        let of = |set: u16| parts.iter().enumerate().filter(move |(bit, _)| set >> bit & 1 == 1);
        let mut sets: Vec<(f64, u16)> = (0..1u16 << parts.len())
            .filter(|set| (2..=3).contains(&set.count_ones()))
            .filter(|set| masks.iter().any(|mask| mask & set == *set))
            .map(|set| (of(set).map(|(_, part)| part.idf).sum(), set))
            .collect();
        sets.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut known, mut found) = (0u16, Vec::new());
        for (_, set) in sets.into_iter().take(COMBINATIONS_TRIED) {
            if found.len() < COMBINATIONS_MAX && set & !known != 0 {
                let clauses: Vec<&Clause<'_>> = of(set).map(|(_, part)| &part.clause).collect();
                let way = self.best_of(query, &clauses);
                known |= if way.is_some() { set } else { 0 };
                found.extend(way);
            }
        }
        found
    }

    /// The query with the words of some clauses only, and its best record.
    fn best_of(&mut self, query: &Query, clauses: &[&Clause<'_>]) -> Option<(Relaxation, u32)> {
        let is_of = |word: &QueryWord| clauses.iter().any(|clause| clause.words.contains(&word.text));
        let pieces = pieces(query.text.as_deref().unwrap_or_default()).into_iter();
        let kept = pieces.filter(|piece| TextQuery::parse(piece, &[]).words.iter().any(is_of));
        let text = kept.collect::<Vec<_>>().join(" ");
        let only =
            Query { text: Some(text.clone()), page: Page { offset: 0, ..query.page }, ..query.clone() };
        let first = Query { page: Page { offset: 0, limit: 1 }, no_facets: true, ..only.clone() };
        let cost = self.index.ranked_cost(&first);
        if cost > self.budget.left() {
            return None;
        }
        self.budget.spend(cost);
        let options = RankOptions { literal: self.literal, ..RankOptions::by_relevance() };
        let found = self.index.ranked(&first, self.today, options);
        let best = found.rows.first().filter(|_| found.total > 0)?.doc;
        Some((Relaxation { removed: Constraint::Words(text), query: only, total: found.total }, best))
    }
}

/// The query without each part of its text: filter phrases, clauses of words, phrases and exclusions.
fn without_words(index: &Index, query: &Query, today: &Today, literal: &[String]) -> Vec<Removal> {
    let Some(text) = &query.text else { return Vec::new() };
    let pieces = pieces(text);
    let parsed: Vec<TextQuery> = pieces.iter().map(|piece| TextQuery::parse(piece, &[])).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (unphrased, phrases) = extract(query, literal, today.day);
    for phrase in phrases.iter().filter(|phrase| phrase.note.is_none()) {
        let words: Vec<&str> = phrase.words.split(' ').collect();
        let is_phrase = |run: &[&str]| run.iter().zip(&words).all(|(piece, word)| normalized(piece) == *word);
        let at = pieces.windows(words.len()).position(is_phrase);
        groups.extend(at.map(|at| (at..at + words.len()).collect()));
    }
    let rest = TextQuery::ranked(unphrased.text.as_deref().unwrap_or_default(), literal);
    for clause in rest.clauses(index) {
        let is_in = |at: &usize| parsed[*at].words.iter().any(|word| clause.words.contains(&word.text));
        groups.push((0..pieces.len()).filter(is_in).collect());
    }
    let is_filter = |at: &usize| {
        let piece = &parsed[*at];
        !piece.phrases.is_empty() || !piece.excluded_words.is_empty() || !piece.excluded_phrases.is_empty()
    };
    groups.extend((0..pieces.len()).filter(is_filter).map(|at| vec![at]));
    let groups = groups.into_iter().filter(|group| !group.is_empty());
    groups.map(|group| without_pieces(query, &pieces, &group)).collect()
}

fn without_pieces(query: &Query, pieces: &[&str], removed: &[usize]) -> Removal {
    let (mut without, mut left) = (Vec::new(), Vec::new());
    for (at, piece) in pieces.iter().enumerate() {
        if !removed.contains(&at) {
            left.push(*piece);
        } else if !without.contains(piece) {
            without.push(*piece);
        }
    }
    let text = Some(left.join(" ")).filter(|text| text.chars().any(char::is_alphanumeric));
    let words = without.join(" ");
    let alone = Query { text: Some(words.clone()), locale: query.locale, ..Query::default() };
    let removed = Constraint::Words(words);
    Removal { removed, query: Query { text, ..query.clone() }, alone: Some(alone) }
}

/// A text without words that follow each other in it, as [`Interpretation`](crate::search::Interpretation) or
/// [`FilterPhrase`](crate::search::FilterPhrase) list them; `None` if they are not in it.
pub fn text_without(text: &str, words: &str) -> Option<String> {
    let pieces = pieces(text);
    let run = run_of(&pieces, words)?;
    Some([&pieces[..run.start], &pieces[run.end..]].concat().join(" "))
}

/// Words that follow each other in a text as it spells them; as they are if they do not.
pub fn as_typed(text: &str, words: &str) -> String {
    let pieces = pieces(text);
    let run = run_of(&pieces, words).map(|run| pieces[run].join(" "));
    run.map_or_else(
        || words.to_owned(),
        |run| run.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '€' | '£')).to_owned(),
    )
}

/// What is left of a text, without the small words that belonged to what was removed: of `grants in Chile from Peru`
/// without Chile `grants from Peru`.
pub fn rest_in_words(text: &str, rest: &str) -> String {
    let kept = pieces(rest);
    let (mut gaps, mut at) = (Vec::new(), 0);
    for piece in pieces(text) {
        if kept.get(at) == Some(&piece) { at += 1 } else { gaps.push(at) }
    }
    let words: Vec<String> = kept.iter().map(|piece| normalized(piece)).collect();
    let small = stop_words(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut is_shown = vec![true; kept.len()];
    for gap in gaps {
        let before = small[..gap].iter().rev().take_while(|small| **small).count();
        let after = small[gap..].iter().take_while(|small| **small).count();
        if after > 0 || gap == kept.len() {
            is_shown[gap - before..gap].fill(false);
        }
        if before == gap {
            is_shown[..gap + after].fill(false);
        }
    }
    let shown = kept.iter().zip(is_shown).filter(|(_, is_shown)| *is_shown).map(|(piece, _)| *piece);
    let shown = shown.collect::<Vec<_>>().join(" ");
    if shown.is_empty() { rest.to_owned() } else { shown }
}

/// Where words follow each other among the pieces of a text.
fn run_of(pieces: &[&str], words: &str) -> Option<Range<usize>> {
    let (of_text, count) = (words_of(words), words.split(' ').count());
    let is_run = |run: &[&str]| {
        words_of(&run.join(" ")) == of_text || run.iter().map(|piece| normalized(piece)).eq(words.split(' '))
    };
    let mut runs = (1..=count).rev().flat_map(|length| (0..pieces.len()).map(move |at| at..at + length));
    runs.find(|run| pieces.get(run.clone()).is_some_and(is_run))
}

/// The words, phrases and exclusions of a text, as they were typed, without the marks of its sentences.
fn pieces(text: &str) -> Vec<&str> {
    let is_mark = |c: char| matches!(c, ',' | ';' | ':' | '?' | '!' | '¿' | '¡');
    text_query::pieces(text)
        .map(|piece| piece.typed.trim_matches(is_mark))
        .filter(|piece| !piece.is_empty())
        .collect()
}

/// The query without each of its filters.
fn without_filters<'q>(index: &'q Index, query: &'q Query) -> impl Iterator<Item = Removal> + use<'q> {
    let text = query.canonical(|ordinal| index.values.text(ordinal));
    let all: Vec<(String, String)> =
        pairs(&text).map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    let parsed = move |pairs: &[(String, String)]| {
        let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        index.parse(&text).0
    };
    (0..all.len()).filter_map(move |at| {
        let (name, value) = &all[at];
        let Parameter { name: parameter, kind } = *PARAMETERS.iter().find(|known| known.name == name)?;
        if kind == ParameterKind::Text || !is_filter(parameter) {
            return None;
        }
        let removed = Constraint::Filter { parameter, value: value.clone() };
        let left = parsed(&[&all[..at], &all[at + 1..]].concat());
        let alone = Query { locale: query.locale, ..parsed(&all[at..=at]) };
        let left = Query { with_unstated: query.with_unstated, page: query.page, ..left };
        Some(Removal { removed, query: left, alone: Some(alone) })
    })
}

/// The query with each selected place in each other facet of places.
fn with_other_roles(index: &Index, query: &Query) -> Vec<Removal> {
    let mut all = Vec::new();
    for (position, (selected, value)) in query.selected.iter().enumerate() {
        let code = index.value_text(value);
        let Some(place) = Code::new(code).filter(|_| selected.spec().is_place) else { continue };
        let is_free = |facet: &Facet| query.selected.iter().all(|(other, _)| other != facet);
        for facet in place_facets().filter(is_free) {
            let value = index.values.find(facet, code).map_or(FacetValue::Place(place), FacetValue::Value);
            let mut other = query.clone();
            other.selected[position] = (facet, value);
            other.selected.sort();
            let removed = Constraint::Role { facet, place: code.to_owned() };
            all.push(Removal { removed, query: other, alone: None });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_out_of_a_text_as_they_were_typed() {
        for (text, words, rest) in [
            ("solar grants in Kenya", "kenya", Some("solar grants in")),
            ("Becas abiertas, música", "abiertas", Some("Becas música")),
            ("grants over $50,000 now", "over $50,000", Some("grants now")),
            ("U.S. arts", "us", Some("arts")),
            ("South Africa", "south africa", Some("")),
            ("solar", "wind", None),
        ] {
            assert_eq!(text_without(text, words).as_deref(), rest, "{text}");
        }
    }

    #[test]
    fn words_are_quoted_as_a_text_spells_them() {
        let text = "Becas de Agronomía, para \u{bf}EE. UU.?";
        for (words, typed) in [("agronomia", "Agronomía"), ("ee uu", "EE. UU"), ("wind", "wind")] {
            assert_eq!(as_typed(text, words), typed);
        }
        assert_eq!(as_typed("(£10,000 or More)", "£10,000 or more"), "£10,000 or More");
    }

    #[test]
    fn small_words_go_with_the_words_that_they_belong_to() {
        for (text, words, rest) in [
            ("scholarships for Nigerians", "scholarships", "Nigerians"),
            ("scholarships for Nigerians", "nigerians", "scholarships"),
            ("grants in Chile from Germany", "chile", "grants from Germany"),
            ("grants in Chile from Germany", "grants", "Chile from Germany"),
            ("grants in the USA for women", "usa", "grants for women"),
            ("grants in the big USA", "big", "grants in the USA"),
            ("becas de agronomía", "agronomia", "becas"),
            ("for zebras", "zebras", "for"),
        ] {
            assert_eq!(rest_in_words(text, &text_without(text, words).unwrap()), rest, "{text} - {words}");
        }
        assert_eq!(rest_in_words("solar", "wind for"), "wind for", "no part of the text");
    }

    #[test]
    fn a_text_is_split_into_words_phrases_and_exclusions() {
        let text = " solar \"living labs\"-gas -\"fossil fuel\" field-work\"open";
        let expected = ["solar", "\"living labs\"", "-gas", "-\"fossil fuel\"", "field-work", "\"open"];
        assert_eq!(pieces(text), expected);
        assert_eq!(pieces("¿becas , de arte, EE. UU.?"), ["becas", "de", "arte", "EE.", "UU."]);
        for text in ["", " ", "-", "\"", "-\"", "\"\"", "--\"é\" \u{301}"] {
            assert_eq!(pieces(text).concat(), text.replace(' ', ""), "{text}");
        }
    }
}
