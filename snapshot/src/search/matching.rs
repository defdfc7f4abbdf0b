//! What a text requires, and which documents match: clauses of words, `"phrases"` and `-exclusions`.
//!
//! A document matches a clause by any form of its words, by a synonym, by words written together or apart, or by a
//! facet value that the words name. Guesses are in [`guess`](super::guess).

use compact_str::{CompactString, format_compact};

use crate::facet::Facet;
use crate::query::{Query, TEXT_WORDS_MAX};
use crate::search::cost::{Budget, LOOK_UP};
use crate::search::entities::{Entity, names_of_place};
use crate::search::index::Index;
use crate::search::lexicon::stop_words;
use crate::search::phrase::Phrases;
use crate::search::role::role_of;
use crate::search::set::{DocSet, union};
use crate::search::synonyms::BUILT_IN;
use crate::search::terms::Terms;
use crate::text::{QueryWord, query_words, words_of};

/// Most words that a synonym may replace.
const SYNONYM_MAX: usize = 4;

/// The text of a query, parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextQuery {
    /// Single words, each once.
    pub(super) words: Vec<QueryWord>,
    /// Single words as they were typed, from which places get their roles.
    sequence: Vec<CompactString>,
    /// Required phrases.
    pub phrases: Vec<Vec<String>>,
    /// Excluded words.
    pub(super) excluded_words: Vec<String>,
    /// Excluded phrases.
    pub(super) excluded_phrases: Vec<Vec<String>>,
    /// Words that name no entity.
    pub(super) literal: Vec<String>,
    /// Whether the text ends in the middle of a word, which may continue.
    pub(super) may_continue: bool,
}

impl TextQuery {
    /// Parses a text; an unclosed quote ends with the text. The words of `literal` name no entity.
    #[must_use]
    pub fn parse(text: &str, literal: &[String]) -> Self {
        let may_continue = text.ends_with(char::is_alphanumeric);
        let mut query = Self { may_continue, literal: literal.to_vec(), ..Self::default() };
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
            rest = &rest[start..];
            let excluded = rest.starts_with('-');
            let body = if excluded { &rest[1..] } else { rest };
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
            query.add(part, quoted, excluded);
            rest = after;
        }
        query
    }

    /// Adds a part unless it is already there. All words together are bounded, those in phrases too.
    fn add(&mut self, part: &str, quoted: bool, excluded: bool) {
        let room = TEXT_WORDS_MAX.saturating_sub(self.len());
        if !excluded && !quoted {
            for word in query_words(part).into_iter().take(room) {
                self.sequence.push(word.text.clone());
                if !self.words.iter().any(|known| known.text == word.text) {
                    self.words.push(word);
                }
            }
            return;
        }
        self.may_continue = false;
        let mut words = words_of(part);
        words.truncate(room);
        if excluded && words.len() == 1 {
            words.retain(|word| !self.excluded_words.contains(word));
            self.excluded_words.append(&mut words);
        }
        let phrases = if excluded { &mut self.excluded_phrases } else { &mut self.phrases };
        if !words.is_empty() && !phrases.contains(&words) {
            phrases.push(words);
        }
    }

    fn len(&self) -> usize {
        let phrases = self.phrases.iter().chain(&self.excluded_phrases);
        self.words.len() + self.excluded_words.len() + phrases.map(Vec::len).sum::<usize>()
    }

    /// Whether nothing is required or excluded.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which words are stop words, by position. None if the text has nothing else, and no word in capitals among
    /// words that are not.
    fn stop_words(&self) -> Vec<bool> {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        let all_capitals = self.words.iter().all(|word| word.capitals);
        let mut stops = stop_words(&words);
        stops.iter_mut().zip(&self.words).for_each(|(stop, word)| *stop &= all_capitals || !word.capitals);
        if stops.iter().all(|stop| *stop) && self.phrases.is_empty() {
            stops.fill(false);
        }
        stops
    }

    /// The clauses of the words, in order. The longest run with an entity or synonyms is one clause.
    #[must_use]
    pub fn clauses<'a>(&self, index: &'a Index) -> Vec<Clause<'a>> {
        let (stops, mut at) = (self.stop_words(), 0);
        let mut clauses = Vec::with_capacity(self.words.len());
        while at < self.words.len() {
            let (length, entity) = run(&self.words[at..], &stops[at..], index);
            if length > 1 || !stops[at] {
                let mut clause = Clause::new(&self.words[at..at + length], entity, &self.literal, index);
                clause.role = self.role(&clause);
                clauses.push(clause);
            }
            at += length;
        }
        clauses
    }

    /// The role of the place that a clause names.
    fn role(&self, clause: &Clause<'_>) -> Option<Facet> {
        clause.place()?;
        let start = self.sequence.iter().position(|word| Some(word) == clause.words.first())?;
        role_of(&self.sequence, start, clause.words.len())
    }

    /// Documents whose texts have the words of a clause, whatever they name.
    pub(super) fn docs_of_words<'a>(&self, clause: &Clause<'_>, index: &'a Index) -> DocSet<'a> {
        let start = self.words.iter().position(|word| Some(&word.text) == clause.words.first());
        let run = start.and_then(|start| self.words.get(start..start + clause.words.len()));
        run.map_or_else(DocSet::none, |run| Clause::new(run, None, &[], index).docs(index))
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
    #[must_use]
    pub fn resolve(&self, query: &Query) -> Option<ResolvedText<'_>> {
        let mut text = TextQuery::parse(query.text.as_deref()?, &[]);
        // The REST interface searches for a place in every role.
        text.sequence.clear();
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
        let mut clauses: Vec<&Clause<'a>> = self.clauses.iter().collect();
        clauses.sort_by_cached_key(|clause| clause.size(index));
        let mut clauses = clauses.into_iter();
        let first = clauses.next()?.docs(index);
        // Without documents, the other clauses need not be read.
        let found =
            clauses.try_fold(first, |found, clause| (!found.is_empty()).then(|| clause.keep(found, index)));
        Some(found.unwrap_or_else(DocSet::none))
    }

    /// Upper bounds of the work of finding the text, in units, and of the documents that match it.
    pub(super) fn cost(&self, index: &Index) -> (u64, usize) {
        let words: u64 = self.clauses.iter().map(|clause| clause.cost(index)).sum();
        let documents = self.clauses.iter().map(|clause| clause.documents_max(index)).min();
        let documents = documents.unwrap_or(usize::MAX).min(index.len());
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
            let docs = found.unwrap_or_else(|| DocSet::all(index.len()));
            Some(docs.without(&index.terms.any(excluded)))
        });
        match self.phrases.is_empty() {
            true => found,
            false => Some(self.phrases.keep(found, &index.terms, budget)),
        }
    }

    /// Upper bound of the work of [`Self::keep`] if everything else leaves at most so many documents.
    fn cost(&self, index: &Index, documents: usize) -> u64 {
        let of = |terms: &Vec<u32>| index.len() as u64 / 64 + cost_of_terms(terms.iter().copied(), index);
        self.excluded.iter().map(of).sum::<u64>() + self.phrases.cost(&index.terms, documents)
    }
}

/// Work of reading the documents of terms, in units.
fn cost_of_terms(terms: impl Iterator<Item = u32>, index: &Index) -> u64 {
    terms.map(|term| LOOK_UP + index.terms.docs(term).cost()).sum()
}

/// How many words at the start belong together, and what they name. A stop word is not joined to its neighbour.
fn run<'a>(words: &[QueryWord], stops: &[bool], index: &'a Index) -> (usize, Option<&'a Entity>) {
    let (named, entity) = index.entities.longest(words).unzip();
    let named = named.unwrap_or(1);
    let longest = index.terms.longest_synonym.max(BUILT_IN.longest).min(SYNONYM_MAX).min(words.len());
    let is_joined =
        |length: usize| length == 2 && !stops[..2].contains(&true) && joined(&words[..2], index).is_some();
    let has_synonyms = |run: &[QueryWord]| synonyms(run, index).next().is_some();
    let longer = (named + 1..=longest.max(2.min(words.len())))
        .rev()
        .find(|length| is_joined(*length) || has_synonyms(&words[..*length]));
    longer.map_or((named, entity), |length| (length, None))
}

/// The term of two words written together.
fn joined(words: &[QueryWord], index: &Index) -> Option<u32> {
    let [first, second] = words else { return None };
    let is_long = |word: &QueryWord| word.text.chars().count() > 1;
    let whole =
        (is_long(first) && is_long(second)).then(|| format_compact!("{}{}", first.text, second.text))?;
    index.terms.exact(&whole)
}

/// Synonyms of a run, those of the dataset first.
fn synonyms<'a>(run: &[QueryWord], index: &'a Index) -> impl Iterator<Item = &'a Vec<String>> {
    let own = match run {
        _ if run.len() > index.terms.longest_synonym => &[],
        [only] => index.terms.synonyms(&only.text),
        run => {
            let words: Vec<&str> = run.iter().map(|word| word.text.as_str()).collect();
            index.terms.synonyms(&words.join(" "))
        }
    };
    own.iter().chain(BUILT_IN.of_query_words(run))
}

/// How a term relates to the typed word, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The word itself.
    Typed,
    /// Another word with its stem.
    Stem,
    /// A synonym, or the words written together or apart.
    Other,
    /// A guess.
    Guess,
}

/// Several words that are a match: a synonym, or another name of a place.
#[derive(Clone, Debug)]
pub(super) struct OtherWords<'a> {
    pub(super) words: &'a [String],
    /// Terms of each word.
    pub(super) terms: Vec<Vec<u32>>,
    pub(super) docs: DocSet<'a>,
    pub(super) is_synonym: bool,
}

/// A part of the text that a document has to match.
#[derive(Clone, Debug, Default)]
pub struct Clause<'a> {
    /// The words, folded.
    pub(super) words: Vec<CompactString>,
    /// Terms, each of which is a match.
    pub forms: Vec<(u32, Form)>,
    /// Runs of words, all of which together are a match: terms of each word.
    pub alternatives: Vec<Vec<Vec<u32>>>,
    /// Words that are a match in a row.
    pub(super) apart: Vec<Vec<String>>,
    /// Synonyms and names of several words that some documents have.
    pub(super) others: Vec<OtherWords<'a>>,
    /// The entity that the words name.
    pub(super) entity: Option<&'a Entity>,
    /// The place facet that a place is meant for; without one it is anything that names it.
    pub(super) role: Option<Facet>,
}

impl<'a> Clause<'a> {
    /// A run of words; if they are `literal`, they name no entity.
    fn new(run: &[QueryWord], entity: Option<&'a Entity>, literal: &[String], index: &'a Index) -> Self {
        let words: Vec<CompactString> = run.iter().map(|word| word.text.clone()).collect();
        let is_literal = !literal.is_empty() && literal.contains(&words.join(" "));
        let names = |entity: &&Entity| !is_literal && (!entity.is_empty() || entity.place.is_some());
        let mut clause = Self { words, entity: entity.filter(names), ..Self::default() };
        let terms = &index.terms;
        match run {
            [only] => clause.add_word(only, terms),
            run => {
                clause.add_all(run.iter().map(|word| word.text.as_str()), terms);
                clause.forms.extend(joined(run, index).map(|term| (term, Form::Other)));
            }
        }
        let names = clause.place().map(names_of_place).unwrap_or_default();
        let synonyms = synonyms(run, index).map(|words| (words, true));
        for (words, is_synonym) in synonyms.chain(names.iter().map(|words| (words, false))) {
            match words.as_slice() {
                [only] => {
                    clause.forms.extend(terms.related(only).into_iter().map(|term| (term, Form::Other)));
                }
                words => clause.add_words(words, is_synonym, terms),
            }
        }
        clause.forms.sort_unstable();
        clause.forms.dedup_by_key(|(term, _)| *term);
        clause
    }

    /// Adds a typed word, and what shares its stems.
    fn add_word(&mut self, word: &QueryWord, terms: &Terms) {
        let typed = terms.exact(&word.text);
        let related = match typed {
            Some(term) => terms.siblings(term),
            None => terms.of_stems(&word.stems),
        };
        let form = |term: u32| if typed == Some(term) { Form::Typed } else { Form::Stem };
        self.forms.extend(related.into_iter().map(|term| (term, form(term))));
        // Where some text writes the parts together, that term stands for the parts in a row too.
        self.apart.extend((word.parts.len() > 1 && typed.is_none()).then(|| word.parts.clone()));
    }

    /// Adds words that are a match together, if every one of them is known.
    fn add_all<'b>(&mut self, words: impl Iterator<Item = &'b str>, terms: &Terms) {
        let all: Vec<Vec<u32>> = words.map(|word| terms.related(word)).collect();
        if all.iter().all(|terms| !terms.is_empty()) && !self.alternatives.contains(&all) {
            self.alternatives.push(all);
        }
    }

    /// Adds several words that are a match, if some document has them: in a row, and those of a synonym without
    /// stop words near each other too.
    fn add_words(&mut self, words: &'a [String], is_synonym: bool, terms: &'a Terms) {
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        let docs = terms.together(words, is_synonym && !stop_words(&texts).contains(&true));
        let related: Vec<Vec<u32>> = words.iter().map(|word| terms.related(word)).collect();
        if !docs.is_empty() && self.others.iter().all(|known| known.terms != related) {
            self.others.push(OtherWords { words, terms: related, docs, is_synonym });
        }
    }

    /// Whether no document can match it.
    pub(super) fn is_unknown(&self) -> bool {
        self.forms.is_empty()
            && self.alternatives.is_empty()
            && self.others.is_empty()
            && self.apart.is_empty()
            && self.entity.is_none_or(Entity::is_empty)
    }

    /// Code of the place that it names.
    pub(super) fn place(&self) -> Option<&'a str> {
        self.entity?.place.as_deref()
    }

    fn terms(&self) -> impl Iterator<Item = u32> {
        self.forms.iter().map(|(term, _)| *term)
    }

    fn all_terms(&self) -> impl Iterator<Item = u32> {
        self.terms().chain(self.alternatives.iter().flatten().flatten().copied())
    }

    /// Number of terms to look up.
    pub(super) fn terms_count(&self) -> usize {
        self.all_terms().count()
    }

    fn entity_docs(&self, index: &'a Index) -> Vec<DocSet<'a>> {
        self.entity.map(|entity| entity.parts(&index.values)).unwrap_or_default()
    }

    /// Documents that match it.
    pub(super) fn docs(&self, index: &'a Index) -> DocSet<'a> {
        self.docs_by(|_| true, index)
    }

    /// Documents that match it by more than a synonym of several words; `None` if it has none.
    pub(super) fn direct_docs(&self, index: &'a Index) -> Option<DocSet<'a>> {
        let is_synonym = |other: &OtherWords<'_>| other.is_synonym;
        self.others.iter().any(is_synonym).then(|| self.docs_by(|other| !is_synonym(other), index))
    }

    fn docs_by(&self, others: impl Fn(&OtherWords<'_>) -> bool, index: &'a Index) -> DocSet<'a> {
        let terms = &index.terms;
        let mut parts: Vec<DocSet<'a>> = self.terms().map(|term| terms.docs(term)).collect();
        parts.extend(self.entity_docs(index));
        parts.extend(self.others.iter().filter(|other| others(other)).map(|other| other.docs.clone()));
        for words in &self.alternatives {
            parts.extend(words.iter().map(|word| terms.any(word)).reduce(|all, word| all.and(&word)));
        }
        if !self.apart.is_empty() {
            parts.push(Phrases::new(&self.apart, &[], terms).keep(None, terms, &Budget::default()));
        }
        let docs = union(parts, index.len());
        match (self.entity, self.role) {
            (Some(entity), Some(role)) => docs.without(&entity.contradicting(role, &index.values)),
            _ => docs,
        }
    }

    /// Work of looking it up, in units.
    fn cost(&self, index: &Index) -> u64 {
        let values: u64 = self.entity_docs(index).iter().map(DocSet::cost).sum();
        let apart = match self.apart.is_empty() {
            true => 0,
            false => Phrases::new(&self.apart, &[], &index.terms).cost(&index.terms, index.len()),
        };
        let others: u64 = self.others.iter().map(|other| other.docs.cost()).sum();
        cost_of_terms(self.all_terms(), index) + values + apart + others
    }

    /// Upper bound of the number of documents that match it.
    fn documents_max(&self, index: &Index) -> usize {
        let len = |term: u32| index.terms.docs(term).len();
        let of_word = |terms: &Vec<u32>| terms.iter().map(|term| len(*term)).sum::<usize>();
        let alternatives = self.alternatives.iter().filter_map(|words| words.iter().map(of_word).min());
        let values: usize = self.entity_docs(index).iter().map(DocSet::len).sum();
        let apart = if self.apart.is_empty() { 0 } else { index.len() };
        let others: usize = self.others.iter().map(|other| other.docs.len()).sum();
        self.terms().map(len).sum::<usize>() + values + apart + others + alternatives.sum::<usize>()
    }

    /// Upper bound of the number of documents, or a large number for many.
    fn size(&self, index: &Index) -> usize {
        if !self.has_terms_only() {
            return usize::MAX;
        }
        let size = |docs| if let DocSet::List(list) = docs { list.len() } else { usize::MAX };
        self.terms().map(|term| size(index.terms.docs(term))).fold(0, usize::saturating_add)
    }

    fn has_terms_only(&self) -> bool {
        self.alternatives.is_empty()
            && self.apart.is_empty()
            && self.others.is_empty()
            && self.entity.is_none()
    }

    /// The documents of a set that match it.
    fn keep(&self, found: DocSet<'a>, index: &'a Index) -> DocSet<'a> {
        /// Looking documents up in a few lists is cheaper than uniting the lists.
        const FEW: usize = 4;
        match found {
            DocSet::List(mut list)
                if list.len() < index.len() / 64
                    && self.has_terms_only()
                    && (2..=FEW).contains(&self.forms.len()) =>
            {
                let parts: Vec<DocSet<'_>> = self.terms().map(|term| index.terms.docs(term)).collect();
                list.to_mut().retain(|doc| parts.iter().any(|part| part.contains(*doc)));
                DocSet::List(list)
            }
            found => found.and(&self.docs(index)),
        }
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
    fn words_phrases_and_exclusions_are_parsed_apart() {
        let query = parse("Solar  \"living labs\" -gas -\"fossil fuel\" field-work solar");
        assert_eq!(texts(&query), ["solar", "fieldwork"]);
        assert_eq!(query.words[1].parts, ["field", "work"]);
        assert_eq!(query.phrases, [phrase("living labs")]);
        assert_eq!(
            (query.excluded_words, query.excluded_phrases),
            (phrase("gas"), vec![phrase("fossil fuel")])
        );
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
