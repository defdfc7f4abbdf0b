//! Out of a dead end: for a question that nothing matches fully, what each of its words and filters costs.
//! The question is asked again without it; what is counted is what asking so finds.

use crate::facet::{Interval, MEASURES};
use crate::query::{Query, TEXT_PHRASES_MAX, TEXT_WORDS_MAX};
use crate::search::Index;
use crate::search::filter_phrases;
use crate::search::matching::{ResolvedText, TextQuery};
use crate::search::set::DocSet;
use crate::search::text::words_of;
use crate::search::today::Today;
use crate::search::units::{self, Budget};

/// Most words and filters that are left out in turn.
const TRIED_MAX: usize = TEXT_WORDS_MAX + TEXT_PHRASES_MAX;
/// Most relaxations in an answer.
pub const RELAXATIONS_MAX: usize = 6;

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
    /// Relaxations of a query without full matches, by number of matches, descending. `literal` words are searched
    /// as text only. With `among`, only its documents are searched, and it is one more constraint to
    /// remove. Empty if no single constraint can be removed to get a match, or if counting would cost too
    /// much.
    #[must_use]
    pub fn relaxations(
        &self,
        query: &Query,
        today: &Today,
        literal: &[String],
        among: Option<(Constraint, &DocSet)>,
    ) -> Vec<Relaxation> {
        relaxations(self, query, today, literal, among)
    }
}

fn relaxations(
    index: &Index,
    query: &Query,
    today: &Today,
    plain: &[String],
    only: Option<(Constraint, &DocSet)>,
) -> Vec<Relaxation> {
    let mut first = query.clone();
    first.page.offset = 0;
    let units = Budget::new(units::most(index.len()));
    let mut found: Vec<Relaxation> = Vec::new();
    let among = only.as_ref().map(|(_, among)| *among);
    let everywhere = only.map(|(dropped, _)| (dropped, first.clone(), None)).filter(|_| asks(&first));
    let tried = without_words(index, &first, today, plain).into_iter().chain(without_filters(index, &first));
    let tried = tried.map(|(dropped, query)| (dropped, query, among)).chain(everywhere);
    for (dropped, query, among) in tried.take(TRIED_MAX) {
        if !asks(&query) && among.is_none() || found.iter().any(|other| other.removed == dropped) {
            continue;
        }
        match total(index, &query, today, plain, (&units, among)) {
            None => break,
            Some(0) => {}
            Some(total) => found.push(Relaxation { removed: dropped, query, total }),
        }
    }
    found.sort_by_key(|way| std::cmp::Reverse(way.total));
    found.truncate(RELAXATIONS_MAX);
    found
}

/// How many records match a question fully, filter_phrases read as filters; `None` where finding out may cost more
/// than is left.
fn total(
    index: &Index,
    query: &Query,
    today: &Today,
    plain: &[String],
    (units, among): (&Budget, Option<&DocSet>),
) -> Option<usize> {
    let (left, _) = filter_phrases::extract(query, plain, today.day);
    let mut wanted = left.text.as_deref().map(TextQuery::parse).unwrap_or_default();
    wanted.plain = plain.to_vec();
    let filters = Query { text: None, facets: false, ..left };
    let read = ResolvedText { clauses: wanted.clauses(index), rest: wanted.rest(index) };
    let cost = index.cost_of_resolved(&filters, Some(&read));
    if cost > units.left() {
        return None;
    }
    units.spend(cost);
    // What was priced as a whole is not counted again part by part.
    let parts = Budget::new(0);
    let kept = index.filter(&filters, today, read.with_words(index, &parts));
    let kept = match (read.rest.keep(kept, index, &parts), among) {
        (Some(mut docs), Some(among)) => {
            docs.intersect(&among.docs());
            Some(docs)
        }
        (kept, among) => kept.or_else(|| among.cloned()),
    };
    Some(index.answer(&filters, today, kept.as_ref(), |_, _| Vec::new()).total)
}

/// Whether anything is asked: without that, everything would match.
fn asks(query: &Query) -> bool {
    query.text.is_some()
        || !query.selected.is_empty()
        || query.measures.iter().any(Option::is_some)
        || query.deadline_from.is_some()
        || query.deadline_to.is_some()
        || query.open
        || query.rolling
        || query.funded
}

/// The question without each part of its text: words that belong together, what says a filter, phrases
/// and exclusions.
fn without_words(index: &Index, query: &Query, today: &Today, plain: &[String]) -> Vec<(Constraint, Query)> {
    let Some(text) = &query.text else { return Vec::new() };
    let pieces = pieces(text);
    let read: Vec<TextQuery> = pieces.iter().map(|piece| TextQuery::parse(piece)).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (left, said) = filter_phrases::extract(query, plain, today.day);
    for said in &said {
        let words: Vec<&str> = said.words.split(' ').collect();
        let is = |run: &[&str]| {
            run.iter().zip(&words).all(|(piece, word)| filter_phrases::normalized(piece) == *word)
        };
        let at = pieces.windows(words.len()).position(is);
        groups.extend(at.map(|at| (at..at + words.len()).collect()));
    }
    let mut wanted = left.text.as_deref().map(TextQuery::parse).unwrap_or_default();
    wanted.plain = plain.to_vec();
    for clause in wanted.clauses(index) {
        let is_in = |place: &usize| read[*place].words.iter().any(|word| clause.words.contains(&word.text));
        groups.push((0..pieces.len()).filter(is_in).collect());
    }
    let hard = |place: &usize| !read[*place].phrases.is_empty() || !read[*place].without.is_empty();
    groups.extend((0..pieces.len()).filter(hard).map(|place| vec![place]));
    groups
        .into_iter()
        .filter(|group| !group.is_empty())
        .map(|group| asked_without(query, &pieces, &group))
        .collect()
}

fn asked_without(query: &Query, pieces: &[&str], dropped: &[usize]) -> (Constraint, Query) {
    let join = |is_dropped: bool| {
        let kept = pieces.iter().enumerate().filter(|(place, _)| dropped.contains(place) == is_dropped);
        kept.map(|(_, piece)| *piece).collect::<Vec<_>>().join(" ")
    };
    let text = Some(join(false)).filter(|text| text.chars().any(char::is_alphanumeric));
    (Constraint::Words(join(true)), Query { text, ..query.clone() })
}

/// A text without a word.
#[must_use]
pub fn text_without_word(text: &str, word: &str) -> Option<String> {
    let is = |piece: &&str| words_of(piece) == [word];
    let left: Vec<&str> = pieces(text).into_iter().filter(|piece| !is(piece)).collect();
    Some(left.join(" ")).filter(|text| text.chars().any(char::is_alphanumeric))
}

/// The words, phrases and exclusions of a text, as they were typed.
fn pieces(text: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let body = rest.strip_prefix('-').unwrap_or(rest);
        let end = match body.strip_prefix('"') {
            Some(inner) => inner.find('"').map_or(body.len(), |end| end + 2),
            None => body.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(body.len()),
        };
        let (piece, after) = rest.split_at(rest.len() - body.len() + end);
        pieces.push(piece);
        rest = after.trim_start();
    }
    pieces
}

/// The question without each of its filters.
fn without_filters(index: &Index, query: &Query) -> Vec<(Constraint, Query)> {
    let mut all: Vec<(Constraint, Query)> = Vec::new();
    let mut add = |parameter: &'static str, value: String, change: &dyn Fn(&mut Query)| {
        let mut left = query.clone();
        change(&mut left);
        all.push((Constraint::Filter { parameter, value }, left));
    };
    for (place, (facet, pick)) in query.selected.iter().enumerate() {
        let value = index.value_text(pick).to_owned();
        add(facet.spec().parameter, value, &|left| {
            left.selected.remove(place);
        });
    }
    for (spec, bounds) in MEASURES.iter().zip(query.measures) {
        let Some(Interval { min, max }) = bounds else { continue };
        let of = spec.measure as usize;
        let Interval { min: least, max: most } = Interval::EVERYTHING;
        let change = |left: &mut Query, bounds: Interval| {
            left.measures[of] = Some(bounds).filter(|bounds| bounds.min > least || bounds.max < most);
        };
        if let Some(parameter) = spec.parameters[0].filter(|_| min > least) {
            add(parameter, min.to_string(), &|left| change(left, Interval { min: least, max }));
        }
        if let Some(parameter) = spec.parameters[1].filter(|_| max < most) {
            add(parameter, max.to_string(), &|left| change(left, Interval { min, max: most }));
        }
    }
    for (parameter, day) in [("deadlineFrom", query.deadline_from), ("deadlineTo", query.deadline_to)] {
        let Some(date) = day.and_then(crate::time::Day::date) else { continue };
        add(parameter, date.to_string(), &|left| match parameter {
            "deadlineFrom" => left.deadline_from = None,
            _ => left.deadline_to = None,
        });
    }
    if query.open {
        add("open", "true".to_owned(), &|left| left.open = false);
    }
    if query.rolling {
        add("rolling", "true".to_owned(), &|left| left.rolling = false);
    }
    if query.funded {
        add("funded", "true".to_owned(), &|left| left.funded = false);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_what_was_typed_as_one() {
        let text = " solar \"living labs\"-gas -\"fossil fuel\" field-work\"open";
        assert_eq!(
            pieces(text),
            ["solar", "\"living labs\"", "-gas", "-\"fossil fuel\"", "field-work", "\"open"]
        );
        for text in ["", " ", "-", "\"", "-\"", "\"\"", "--\"é\" \u{301}"] {
            assert_eq!(pieces(text).concat(), text.replace(' ', ""), "{text}");
        }
    }
}
