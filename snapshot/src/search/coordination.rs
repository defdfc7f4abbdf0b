//! What words between clauses do to them: `not in medicine`, `excluding Kenya and Uganda`, `scholarships or fellowships`.

use std::ops::Range;

use smol_str::SmolStr;

use crate::search::index::Index;
use crate::search::lexicon;
use crate::search::matching::Clause;

/// Words that leave out whatever is named behind them.
const ANY: &str = "without";

/// What a clause is beside the one before it.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Required,
    /// One of several, with the one before it.
    Alternative,
    /// Every record without it is meant.
    LeftOut,
    /// More words of a text that is left out.
    MoreLeftOut,
    /// A word between what leaves out and what is left out: `not require a PhD`.
    Link,
}

/// What a clause names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Place,
    Value,
    Text,
}

/// A clause that was read.
pub(super) struct Read {
    /// Positions of its words, with those before it that leave it out.
    pub(super) words: Range<usize>,
    pub(super) role: Role,
    /// The list of the words that leave it out.
    pub(super) list: Option<&'static str>,
    kind: Kind,
}

impl Read {
    /// Whether it is a text behind words that may not leave it out.
    pub(super) fn is_doubtful(&self) -> bool {
        self.kind == Kind::Text && matches!(self.role, Role::LeftOut) && self.list != Some(ANY)
    }
}

/// The words of a text as they were typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    pub(super) words: Vec<SmolStr>,
    /// Positions of words behind a comma.
    pub(super) commas: Vec<usize>,
}

impl Sequence {
    /// Reads a clause at a position, after another.
    pub(super) fn read(&self, clause: &Clause<'_>, start: usize, last: Option<&Read>, index: &Index) -> Read {
        let kind = match (clause.entity, clause.place()) {
            (_, Some(_)) => Kind::Place,
            (Some(_), _) => Kind::Value,
            _ => Kind::Text,
        };
        let of_kind = match clause.entity {
            Some(entity) => entity.negated_by(&index.values),
            None if clause.benefits.is_empty() => "without-value",
            None => "without-benefit",
        };
        let read = |length, role, list| {
            let words = start - length..start + clause.words.len();
            Read { words, role, list, kind }
        };
        let cue = |list| (ending(&self.words[..start], list), list);
        let (length, list) =
            [of_kind, ANY].map(cue).into_iter().max_by_key(|(length, _)| *length).unwrap_or_default();
        if length > 0 {
            let role = if clause.words.iter().all(|word| is_link(word)) { Role::Link } else { Role::LeftOut };
            return read(length, role, Some(list));
        }
        let Some(last) = last else { return read(0, Role::Required, None) };
        let between = self.words.get(last.words.end..start).unwrap_or_default();
        let is_listed = between.is_empty() && self.commas.contains(&start);
        let is_place = [last.kind, kind].map(|kind| kind == Kind::Place);
        let is_joined =
            |list| joins(between) && (of_kind == list || list == ANY && is_place[0] == is_place[1]);
        match last.list {
            None if is_or(between) => read(0, Role::Alternative, None),
            Some(list) if [last.kind, kind] == [Kind::Text; 2] && between.is_empty() && !is_listed => {
                read(0, Role::MoreLeftOut, Some(list))
            }
            Some(list) if is_joined(list) || is_listed && list == ANY && kind == last.kind => {
                read(between.len(), Role::LeftOut, Some(list))
            }
            _ => read(0, Role::Required, None),
        }
    }

    /// Makes what commas join to alternatives alternatives: `nurses, teachers or engineers`.
    pub(super) fn join_listed(&self, clauses: &mut [(Clause<'_>, Option<Read>)], literal: &[String]) {
        for at in (2..clauses.len()).rev() {
            let [(one, Some(first)), (other, Some(next)), (last, _)] = &clauses[at - 2..=at] else {
                continue;
            };
            let is_literal = one.is_among(literal) || other.is_among(literal);
            let is_plain = !is_literal && first.list.is_none() && next.list.is_none();
            let is_listed = first.words.end == next.words.start && self.commas.contains(&next.words.start);
            if last.is_alternative && is_plain && is_listed {
                clauses[at - 1].0.is_alternative = true;
            }
        }
    }
}

/// Whether words join alternatives: `or for`.
fn is_or(between: &[SmolStr]) -> bool {
    let or = between.split_first().filter(|(first, _)| lexicon::has("or", first));
    or.is_some_and(|(_, rest)| rest.iter().all(|word| is_link(word)))
}

/// Whether words join what is left out: `nor for`, and `and`, behind which nothing but an article is about the same.
fn joins(between: &[SmolStr]) -> bool {
    let and = between.split_first().filter(|(first, _)| lexicon::has("and", first));
    is_or(between) || and.is_some_and(|(_, rest)| rest.iter().all(|word| lexicon::has("article", word)))
}

fn is_link(word: &str) -> bool {
    lexicon::has("article", word) || lexicon::has("link", word)
}

/// Number of words of the longest phrase of a list that ends some words, with links behind it: `not in the`.
fn ending(words: &[SmolStr], list: &str) -> usize {
    let words: Vec<&str> = words.iter().map(SmolStr::as_str).collect();
    let links = words.iter().rev().take_while(|word| is_link(word)).count();
    let length = |phrase: &Vec<&str>| {
        let ends = |links: &usize| words[..words.len() - links].ends_with(phrase);
        (0..=links).find(ends).map(|links| phrase.len() + links)
    };
    lexicon::phrases(list).filter_map(length).max().unwrap_or(0)
}
