//! What words between clauses do to them: `not in medicine`, `excluding Kenya and Uganda`, `scholarships or fellowships`.

use std::ops::Range;

use smol_str::SmolStr;

use crate::search::index::Index;
use crate::search::lexicon;
use crate::search::matching::Clause;

/// Words that leave out whatever is named behind them.
const ANY: &str = "without";
/// Words that neither require nor leave out what is named behind them: `not limited to`.
pub(super) const IDLE: &str = "no-limit";
/// Words that leave out a place.
pub(super) const PLACE: &str = "without-place";

/// What a clause is beside the one before it.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Required,
    /// One of several, with the one before it.
    Alternative,
    /// Every record without it is meant.
    LeftOut,
    /// More words of what is left out, or of what is idle.
    More,
    /// A word between what leaves out and what is left out: `not require a PhD`.
    Link,
}

/// A clause that was read.
pub(super) struct Read {
    /// Positions of its words, with those before it that leave it out.
    pub(super) words: Range<usize>,
    pub(super) role: Role,
    /// The list of the words that leave it out.
    pub(super) list: Option<&'static str>,
    /// The list of the words that leave out what it names; none if that is a text.
    kind: Option<&'static str>,
}

impl Read {
    /// Whether it is a text behind words that may not leave it out.
    pub(super) fn is_doubtful(&self) -> bool {
        self.kind.is_none()
            && matches!(self.role, Role::LeftOut)
            && ![Some(ANY), Some(IDLE)].contains(&self.list)
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
        let kind = clause.entity.map(|entity| entity.negated_by(&index.values));
        let of_text = if clause.benefits.is_empty() { "without-value" } else { "without-benefit" };
        let of_kind = kind.unwrap_or(of_text);
        let read = |length, role, list| {
            let words = start - length..start + clause.words.len();
            Read { words, role, list, kind }
        };
        if let Some((length, list)) = self.cue(start, of_kind) {
            let role = if clause.words.iter().all(|word| is_link(word)) { Role::Link } else { Role::LeftOut };
            return read(length, role, Some(list));
        }
        let Some(last) = last else { return read(0, Role::Required, None) };
        let between = self.words.get(last.words.end..start).unwrap_or_default();
        let is_listed = between.is_empty() && self.commas.contains(&start);
        let is_alike = (last.kind == Some(PLACE)) == (kind == Some(PLACE));
        let is_joined = |list| {
            joins(between) && (of_kind == list || list == ANY && is_alike || list == IDLE)
                || list == IDLE && between.iter().any(|word| lexicon::has("also", word))
        };
        // `Not for female students`: of both, not of one.
        let is_for = || self.words[last.words.clone()].iter().any(|word| lexicon::has("whom", word));
        let is_one = |list| [last.kind, kind] == [None; 2] || list == IDLE || is_for();
        let is_both_named = kind.is_some() == last.kind.is_some();
        let is_enumerated = |list| is_alike && (list == IDLE || list == ANY && is_both_named);
        match last.list {
            None if is_or(between) => read(0, Role::Alternative, None),
            Some(list) if between.is_empty() && !is_listed && is_one(list) => read(0, Role::More, Some(list)),
            Some(list) if is_joined(list) || is_listed && is_enumerated(list) => {
                read(between.len(), Role::LeftOut, Some(list))
            }
            _ => read(0, Role::Required, None),
        }
    }

    /// Number of words before a position that leave out what follows or make it idle, and their list: the longest of them.
    fn cue(&self, at: usize, of_kind: &'static str) -> Option<(usize, &'static str)> {
        let words: Vec<&str> = self.words[..at].iter().map(SmolStr::as_str).collect();
        // With links behind it: `not in the`.
        let links = words.iter().rev().take_while(|word| is_link(word)).count();
        let ending = |links, list| Some(links + lexicon::ending(&words[..at - links], list)?);
        let length = |list| Some(((0..=links).filter_map(|links| ending(links, list)).max()?, list));
        [of_kind, ANY, IDLE].into_iter().filter_map(length).max_by_key(|(length, _)| *length)
    }

    /// The same of a phrase in quotes behind all words, and behind another one that was left out before the words from a
    /// position on.
    pub(super) fn before_phrase(&self, last: Option<usize>) -> Option<(usize, bool)> {
        let joined = last.map(|end| &self.words[end..]).filter(|between| joins(between));
        let found = self.cue(self.words.len(), "without-value").map(|(length, list)| (length, list == IDLE));
        found.or_else(|| joined.map(|between| (between.len(), false)))
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
