//! The text of a query: words in clauses, `"phrases"` and `-exclusions`, and the documents that match all of it.

use std::ops::Range;

use smol_str::SmolStr;

use crate::place;
use crate::query::{Query, TEXT_WORDS_MAX};
use crate::search::coordination::{IDLE, Read, Role, Sequence};
use crate::search::cost::Budget;
use crate::search::index::Index;
use crate::search::lexicon::{self, function_words, is_in, stop_words};
use crate::search::matching::{Clause, alternatives, cost_of_terms, docs_of_any, documents_max, run};
use crate::search::phrase::Phrases;
use crate::search::rank::Interpretation;
use crate::search::set::DocSet;
use crate::text::{QueryWord, fold, query_words, words_of};

/// A word or a phrase of a text, required or excluded.
pub(super) struct Piece<'a> {
    /// As it was typed, with its marks.
    pub(super) typed: &'a str,
    part: &'a str,
    quoted: bool,
    excluded: bool,
}

/// The pieces of a text; an unclosed quote ends with the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        let body = Some(rest.strip_prefix('-').unwrap_or(rest)).filter(|_| !rest.is_empty())?;
        let (part, quoted, after) = match body.strip_prefix('"') {
            Some(inner) => match inner.split_once('"') {
                Some((part, after)) => (part, true, after),
                None => (inner, true, ""),
            },
            None => {
                let end = body.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(body.len());
                (&body[..end], false, &body[end..])
            }
        };
        let (typed, excluded) = (&rest[..rest.len() - after.len()], body.len() < rest.len());
        rest = after.trim_start();
        Some(Piece { typed, part, quoted, excluded })
    })
}

/// The text of a query, parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextQuery {
    /// Single words, each once.
    pub(super) words: Vec<QueryWord>,
    /// Single words as they were typed, in a ranked search.
    sequence: Sequence,
    /// Required phrases.
    pub phrases: Vec<Vec<String>>,
    /// Excluded words.
    pub(super) excluded_words: Vec<String>,
    /// Excluded phrases.
    pub(super) excluded_phrases: Vec<Vec<String>>,
    /// Phrases that words before them leave out, in a ranked search: `not "clinical trials"`.
    pub(super) negated: Vec<Interpretation>,
    /// Number of words before the last of them.
    negated_at: Option<usize>,
    /// Words that name no entity.
    pub(super) literal: Vec<String>,
    /// Whether words before a value or a place may leave it out, and words of a request are left out.
    is_ranked: bool,
}

impl TextQuery {
    /// Parses the text of a ranked search. `non-Kenyan` is two words, `US$` no place, and `OR` between words joins them.
    pub fn ranked(text: &str, literal: &[String]) -> Self {
        let pieces: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
        let parted = |(at, piece): (usize, &&str)| {
            // `In OR` and `Portland, OR` are about Oregon.
            let is_city = |before: &str| before.ends_with(',') && text.matches(',').count() == 1;
            let joins = |before: &&str| !is_city(before) && !lexicon::has("link", &fold(before));
            let is_between = at + 1 < pieces.len()
                && pieces[..at].last().map(|it| it.trim_end()).as_ref().is_some_and(joins);
            match piece.trim_end() {
                "OR" | "AND" if is_between => return Some(piece.to_lowercase()),
                "and/or" | "AND/OR" | "y/o" => return Some("or ".to_owned()),
                _ => {}
            }
            if let Some((_, amount)) = piece
                .split_at_checked(2)
                .filter(|(us, amount)| us.eq_ignore_ascii_case("us") && amount.starts_with('$'))
            {
                return Some(amount.to_owned());
            }
            let (non, name) = piece.split_at_checked(4)?;
            let trimmed = name.trim_end();
            let mut names = std::iter::once(trimmed).chain(trimmed.strip_suffix('s'));
            let is_place = names.any(|name| place::named(name).next().is_some());
            (is_place && non.eq_ignore_ascii_case("non-")).then(|| format!("non {name}"))
        };
        let text = pieces.iter().enumerate().map(|it| parted(it).unwrap_or_else(|| (*it.1).to_owned()));
        Self { literal: literal.to_vec(), is_ranked: true, ..Self::default() }.with(&text.collect::<String>())
    }

    /// Parses a text. The words of `literal` name no entity.
    pub(crate) fn parse(text: &str, literal: &[String]) -> Self {
        Self { literal: literal.to_vec(), ..Self::default() }.with(text)
    }

    fn with(mut self, text: &str) -> Self {
        pieces(text).for_each(|piece| self.add(&piece));
        self
    }

    /// Adds a piece unless it is already there. All words together are bounded, those in phrases too.
    fn add(&mut self, piece: &Piece<'_>) {
        let Piece { part, quoted, excluded, .. } = *piece;
        let room = TEXT_WORDS_MAX.saturating_sub(self.len());
        // Only a ranked search has a sequence.
        let is_idle = || self.sequence.before_phrase(None).is_some_and(|(_, is_idle)| is_idle);
        if !excluded && (!quoted || is_idle()) {
            for word in query_words(part).into_iter().take(room) {
                self.sequence.words.extend(self.is_ranked.then(|| word.text.clone()));
                if !self.words.iter().any(|known| known.text == word.text) {
                    self.words.push(word);
                }
            }
            self.sequence.commas.extend(part.ends_with(',').then_some(self.sequence.words.len()));
            return;
        }
        let mut words = words_of(part);
        words.truncate(room);
        let excluded = excluded || self.is_ranked && !words.is_empty() && self.negate(&words);
        if excluded && words.len() == 1 {
            words.retain(|word| !self.excluded_words.contains(word));
            self.excluded_words.append(&mut words);
        }
        let phrases = if excluded { &mut self.excluded_phrases } else { &mut self.phrases };
        if !words.is_empty() && !phrases.contains(&words) {
            phrases.push(words);
        }
    }

    /// Whether the words before a phrase leave it out: they are no words of the text then.
    fn negate(&mut self, phrase: &[String]) -> bool {
        let Some((length, _)) = self.sequence.before_phrase(self.negated_at) else { return false };
        let end = self.sequence.words.len() - length;
        let left_out = phrase.join(" ");
        let words = format!("{} {left_out}", self.sequence.words[end..].join(" "));
        if self.is_literal(&words) {
            return false;
        }
        self.sequence.words.truncate(end);
        self.words.retain(|word| self.sequence.words.contains(&word.text));
        self.negated.push(Interpretation { words, left_out: Some(left_out), ..Interpretation::default() });
        self.negated_at = Some(end);
        true
    }

    fn len(&self) -> usize {
        let phrases = self.phrases.iter().chain(&self.excluded_phrases);
        self.words.len() + self.excluded_words.len() + phrases.map(Vec::len).sum::<usize>()
    }

    /// Whether nothing is required or excluded.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether anything but small words is required or excluded.
    pub(super) fn is_meaningful(&self) -> bool {
        self.len() > self.words.len() || self.small_words().contains(&false)
    }

    /// Which words a record need not have, by position. None if the text has nothing else.
    fn stop_words(&self) -> Vec<bool> {
        let mut stops = self.small_words();
        if !stops.contains(&false) && self.phrases.is_empty() {
            stops.fill(false);
        }
        stops
    }

    /// Which words are function words, and in a ranked search carrier words, by position: no word in capitals among words
    /// that are not.
    fn small_words(&self) -> Vec<bool> {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        let all_capitals = self.words.iter().all(|word| word.capitals);
        let mut stops = if self.is_ranked { stop_words(&words) } else { function_words(&words) };
        stops.iter_mut().zip(&self.words).for_each(|(stop, word)| *stop &= all_capitals || !word.capitals);
        stops
    }

    /// The clauses of the words, in order. The longest run with an entity or synonyms is one clause; if it names no entity
    /// and no record has it, its words are looked up one by one, and name none either.
    pub fn clauses<'a>(&self, index: &'a Index) -> Vec<Clause<'a>> {
        let (stops, mut at) = (self.stop_words(), 0);
        let mut clauses: Vec<(Clause<'a>, Option<Read>)> = Vec::with_capacity(self.words.len());
        while at < self.words.len() {
            let (mut clause, is_entity) = self.clause(at..self.words.len(), &stops, index);
            let run = at..at + clause.words.len().max(1);
            at = run.end;
            // Without its first word, `no application fee` means the opposite.
            let is_negated =
                run.len() > 1 && is_in("without-value", Some(&self.words[run.start].text.as_str()));
            if run.len() > 1 && !is_entity && !is_negated && clause.is_unknown() {
                let words = run.filter(|at| !stops[*at]).map(|at| &self.words[at..=at]);
                clauses.extend(words.map(|word| (Clause::new(word, None, &self.literal, index), None)));
            } else if !clause.words.is_empty() {
                clause.needs_few_values = self.is_ranked;
                if self.is_ranked
                    && let Some(place) = clause.place()
                {
                    clause.leave_other_sense_out(place, index);
                }
                self.add_clause(clause, &mut clauses, index);
            }
        }
        self.sequence.join_listed(&mut clauses, &self.literal);
        let reads = clauses.iter().filter_map(|(_, read)| read.as_ref());
        let left_out = reads.filter(|read| matches!(read.role, Role::LeftOut));
        let idle: Vec<usize> = left_out.flat_map(|read| read.words.clone()).collect();
        // Words that only leave others out are not searched for.
        let is_cue = |word: &SmolStr| {
            let mut places = (0..).zip(&self.sequence.words).filter(|(_, typed)| *typed == word);
            places.all(|(place, _)| idle.contains(&place))
        };
        let is_idle = |clause: &Clause<'_>| {
            let is_plain = clause.left_out.is_none() && clause.place().is_none();
            is_plain && !idle.is_empty() && matches!(clause.words.as_slice(), [word] if is_cue(word))
        };
        clauses.retain(|(clause, _)| !is_idle(clause));
        let is_only = clauses.len() == 1 && self.len() == self.words.len();
        if is_only && clauses.iter().all(|(_, read)| read.as_ref().is_some_and(Read::is_doubtful)) {
            // `No Kid Hungry` is a name.
            let phrases = clauses.iter().map(|(clause, _)| clause.words.join(" "));
            let literal = self.literal.iter().cloned().chain(phrases).collect();
            return Self { literal, ..self.clone() }.clauses(index);
        }
        clauses.into_iter().map(|(clause, _)| clause).collect()
    }

    /// Adds a clause, read as the words before it have it.
    fn add_clause<'a>(
        &self,
        mut clause: Clause<'a>,
        clauses: &mut Vec<(Clause<'a>, Option<Read>)>,
        index: &'a Index,
    ) {
        let typed = &self.sequence.words;
        let Some(start) = typed.windows(clause.words.len()).position(|run| run == clause.words) else {
            return clauses.push((clause, None));
        };
        let last = clauses.last_mut().and_then(|(clause, read)| Some((clause, read.as_mut()?)));
        let mut read = self.sequence.read(&clause, start, last.as_ref().map(|(_, read)| &**read), index);
        match (read.role, last) {
            (Role::More, Some((first, whole))) => {
                whole.words.end = read.words.end;
                return first.leave_out_with(&clause, &typed[whole.words.clone()], index);
            }
            (Role::LeftOut, _) => {
                let words = &typed[read.words.clone()];
                if self.is_literal(&words.join(" ")) {
                    clause.entity = None;
                    (read.role, read.list) = (Role::Required, None);
                } else {
                    clause.leave_out(words, read.list == Some(IDLE), index);
                }
            }
            (Role::Alternative, Some((first, _))) => {
                clause.is_alternative = !clause.is_among(&self.literal) && !first.is_among(&self.literal);
            }
            (Role::Link, _) => return,
            _ => {}
        }
        clauses.push((clause, Some(read)));
    }

    /// Whether some words, maybe with more behind them, name nothing.
    fn is_literal(&self, words: &str) -> bool {
        let is_rest = |rest: &str| rest.is_empty() || rest.starts_with(' ');
        self.literal.iter().any(|literal| literal.strip_prefix(words).is_some_and(is_rest))
    }

    /// The clause at the start of some words, without words if it is a stop word alone, and whether it names an entity.
    fn clause<'a>(&self, at: Range<usize>, stops: &[bool], index: &'a Index) -> (Clause<'a>, bool) {
        let (length, entity) = run(&self.words[at.clone()], &stops[at.clone()], index);
        if length == 1 && stops[at.start] {
            return (Clause::default(), false);
        }
        let words = &self.words[at.start..at.start + length];
        (Clause::new(words, entity, &self.literal, index), entity.is_some())
    }

    /// Words of a clause, those that marks join with a hyphen.
    pub(super) fn with_hyphens(&self, words: &str) -> String {
        let joined = |word: &&QueryWord| !word.parts.is_empty();
        let spelled = |text: &str| {
            let word = self.words.iter().filter(joined).find(|word| word.text == text);
            word.map_or_else(|| text.to_owned(), |word| word.parts.join("-"))
        };
        words.split(' ').map(spelled).collect::<Vec<_>>().join(" ")
    }

    /// Documents whose texts have the words of a clause, whatever they name.
    pub(super) fn docs_of_words<'a>(&self, clause: &Clause<'_>, index: &'a Index) -> DocSet<'a> {
        let start = self.words.iter().position(|word| Some(&word.text) == clause.words.first());
        let run = start.and_then(|start| self.words.get(start..start + clause.words.len()));
        run.map_or_else(DocSet::default, |run| Clause::new(run, None, &[], index).docs(index))
    }

    /// Looks up exclusions and phrases.
    pub(super) fn filter<'a>(&self, index: &'a Index) -> TextFilter<'a> {
        TextFilter {
            excluded: self.excluded_words.iter().map(|word| index.terms.related(word)).collect(),
            phrases: Phrases::new(&self.phrases, &self.excluded_phrases, &index.terms),
        }
    }
}

/// A text, looked up in the index.
#[derive(Debug)]
pub struct ResolvedText<'a> {
    pub(super) clauses: Vec<Clause<'a>>,
    pub(super) filter: TextFilter<'a>,
}

impl Index {
    /// Looks up the text of a query; `None` without a text.
    pub fn resolve(&self, query: &Query) -> Option<ResolvedText<'_>> {
        let text = TextQuery::parse(query.text.as_deref()?, &[]);
        Some(ResolvedText::new(&text, self))
    }
}

impl<'a> ResolvedText<'a> {
    pub(super) fn new(text: &TextQuery, index: &'a Index) -> Self {
        Self { clauses: text.clauses(index), filter: text.filter(index) }
    }

    /// Documents that match all clauses, the rarest first; `None` without clauses.
    pub(super) fn with_words(&self, index: &'a Index, budget: &Budget) -> Option<DocSet<'a>> {
        budget.spend(self.clauses.iter().map(|clause| clause.cost(index)).sum());
        let mut groups: Vec<&[Clause<'a>]> = alternatives(&self.clauses).collect();
        groups.sort_by_cached_key(|group| documents_max(group, index));
        let mut groups = groups.into_iter();
        let first = docs_of_any(groups.next()?, index);
        // Without documents, the other clauses need not be read.
        let found = groups.try_fold(first, |found, group| {
            (!found.is_empty()).then(|| found.and(&docs_of_any(group, index)))
        });
        Some(found.unwrap_or_default())
    }

    /// Upper bounds of the work of finding the text, in units, and of the documents that match it.
    pub(super) fn cost(&self, index: &Index) -> (u64, usize) {
        let words: u64 = self.clauses.iter().map(|clause| clause.cost(index)).sum();
        let documents = alternatives(&self.clauses).map(|group| documents_max(group, index)).min();
        let documents = documents.unwrap_or(usize::MAX).min(index.programs());
        (words + self.filter.cost(index, documents), documents)
    }
}

/// Exclusions and phrases, looked up.
#[derive(Debug)]
pub(super) struct TextFilter<'a> {
    /// Terms of each excluded word.
    excluded: Vec<Vec<u32>>,
    phrases: Phrases<'a>,
}

impl<'a> TextFilter<'a> {
    /// The documents of a set that have every phrase and nothing that is excluded; `None` is every document.
    pub(super) fn keep(
        &self,
        found: Option<DocSet<'a>>,
        index: &'a Index,
        budget: &Budget,
    ) -> Option<DocSet<'a>> {
        let found = self.excluded.iter().fold(found, |found, excluded| {
            let docs = found.unwrap_or_else(|| DocSet::all(index.programs()));
            Some(docs.without(&index.terms.any(excluded)))
        });
        if self.phrases.is_empty() { found } else { Some(self.phrases.keep(found, &index.terms, budget)) }
    }

    /// Upper bound of the work of [`Self::keep`] if everything else leaves at most so many documents.
    fn cost(&self, index: &Index, documents: usize) -> u64 {
        let of =
            |terms: &Vec<u32>| index.programs() as u64 / 64 + cost_of_terms(terms.iter().copied(), index);
        self.excluded.iter().map(of).sum::<u64>() + self.phrases.cost(&index.terms, documents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> TextQuery {
        TextQuery::parse(text, &[])
    }

    fn phrase(words: &str) -> Vec<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    fn texts(query: &TextQuery) -> Vec<&str> {
        query.words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn repeated_parts_count_once_and_words_in_phrases_count() {
        let query = parse("\"of the\" -\"in a\" \"of  THE\" -\"in a\" -gas -gas the the");
        assert_eq!((&query.phrases, texts(&query)), (&vec![phrase("of the")], vec!["the"]));
        assert_eq!((query.excluded_words, query.excluded_phrases), (phrase("gas"), vec![phrase("in a")]));
        let many: String = (0..100).map(|n| format!("\"a{n} b{n} c{n}\" ")).collect();
        assert_eq!(parse(&many).phrases.iter().map(Vec::len).sum::<usize>(), TEXT_WORDS_MAX);
    }

    #[test]
    fn stop_words_are_not_required_unless_there_is_nothing_else() {
        for (text, expected) in [
            ("grants for the arts", vec![false, true, true, false]),
            ("of the", vec![false, false]),
            ("WHO grants", vec![false, false]),
            ("WHO GRANTS", vec![true, false]),
            ("the \"living labs\"", vec![true]),
        ] {
            assert_eq!(parse(text).stop_words(), expected, "{text}");
        }
    }

    #[test]
    fn a_ranked_text_parts_the_opposite_of_a_place_and_nothing_else() {
        let ranked = |text: &str| TextQuery::ranked(text, &[]);
        assert_eq!(texts(&ranked("non-Kenyans non-US  non-profit")), ["non", "kenyans", "us", "nonprofit"]);
        assert_eq!(texts(&ranked("US$20000 US$ us")), ["20000", "us"]);
        assert_eq!(ranked("\"low  income\" -gas").phrases, [phrase("low income")]);
        for text in ["non-", "non-é", "\u{202e}non-"] {
            assert_eq!(texts(&ranked(text)), texts(&parse(text)), "{text}");
        }
    }

    #[test]
    fn any_text_parses_within_bounds() {
        for text in ["", "-", "\"", "--", "-\"", "\"\"", "- -\"\" \u{301}", "\u{202e}🎓"] {
            assert!(parse(text).is_empty(), "{text}");
        }
        assert_eq!(parse("\"soil health").phrases, [phrase("soil health")]);
        assert_eq!(parse(&"a1 b2 c3 d4 ".repeat(900)).words.len(), 4);
        let many: String = (0..5000).map(|n| format!("w{n} ")).collect();
        assert_eq!(parse(&many).words.len(), TEXT_WORDS_MAX);
    }
}
