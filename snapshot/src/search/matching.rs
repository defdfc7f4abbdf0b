//! Clauses of a text, and which documents match them.
//!
//! A document matches a clause by any form of its words, by a synonym, by words written together or apart, or by a
//! facet value that the words name. Guesses are in [`guess`](super::guess).

use smol_str::{SmolStr, format_smolstr};

use crate::search::cost::{Budget, LOOK_UP};
use crate::search::entities::{Entity, names_of_place};
use crate::search::index::Index;
use crate::search::lexicon::{self, stop_words};
use crate::search::phrase::Phrases;
use crate::search::set::{DocSet, all_of, union};
use crate::search::synonyms::BUILT_IN;
use crate::search::terms::Terms;
use crate::text::QueryWord;

/// Most words that a synonym may replace.
const SYNONYM_MAX: usize = 4;

/// Work of reading the documents of terms, in units.
pub(super) fn cost_of_terms(terms: impl Iterator<Item = u32>, index: &Index) -> u64 {
    terms.map(|term| LOOK_UP + index.terms.docs(term).cost()).sum()
}

/// How many words at the start belong together, and what they name. A stop word is not joined to its neighbour.
pub(super) fn run<'a>(words: &[QueryWord], stops: &[bool], index: &'a Index) -> (usize, Option<&'a Entity>) {
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
        (is_long(first) && is_long(second)).then(|| format_smolstr!("{}{}", first.text, second.text))?;
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

/// Documents with a value of each of some lists; `None` without lists.
pub(super) fn with_all<'a>(lists: &[Vec<u32>], index: &'a Index) -> Option<DocSet<'a>> {
    let docs = |list: &Vec<u32>| list.iter().map(|ordinal| index.values.docs(*ordinal)).collect();
    all_of(lists.iter().map(|list| union(docs(list), index.programs())).collect())
}

/// Documents without some words in a row: `no cost sharing` in a text is no cost sharing.
fn without_phrase<'a>(docs: DocSet<'a>, words: &[SmolStr], index: &'a Index) -> DocSet<'a> {
    let phrase = [words.iter().map(SmolStr::to_string).collect()];
    let terms = &index.terms;
    Phrases::new(&[], &phrase, terms).keep(Some(docs), terms, &Budget::default())
}

/// How a term relates to the typed word, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The word itself, or another with its stem.
    Typed,
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
    pub(super) words: Vec<SmolStr>,
    /// Terms, each of which is a match.
    pub forms: Vec<(u32, Form)>,
    /// Terms of each word of a run that is a match if all are there; empty unless every word is known.
    pub each_word: Vec<Vec<u32>>,
    /// Words that are a match in a row.
    pub(super) apart: Vec<Vec<String>>,
    /// Synonyms and names of several words that some documents have.
    pub(super) others: Vec<OtherWords<'a>>,
    /// Benefits that a synonym of several words names, each of which a document has to state: the values of each.
    pub(super) benefits: Vec<Vec<u32>>,
    /// The entity that the words name.
    pub(super) entity: Option<&'a Entity>,
    /// The documents that have what it names, if every other one is meant.
    pub(super) left_out: Option<DocSet<'a>>,
    /// Whether every document is meant, with what it names or not.
    pub(super) is_idle: bool,
    /// Whether it is one of several alternatives, with the clause before it.
    pub(super) is_alternative: bool,
    /// The words behind those that leave them out.
    pub(super) named: String,
    /// Whether a document that states very many values of a facet matches by none of them, as in a ranked search.
    pub(super) needs_few_values: bool,
    /// Documents in whose texts the words of the place mean something else.
    pub(super) other_sense: Option<DocSet<'a>>,
}

impl<'a> Clause<'a> {
    /// A run of words; if they are `literal`, they name no entity.
    pub(super) fn new(
        run: &[QueryWord],
        entity: Option<&'a Entity>,
        literal: &[String],
        index: &'a Index,
    ) -> Self {
        let words: Vec<SmolStr> = run.iter().map(|word| word.text.clone()).collect();
        let mut clause = Self { words, ..Self::default() };
        let is_literal = clause.is_among(literal);
        let names = |entity: &&Entity| !is_literal && (!entity.is_empty() || entity.place.is_some());
        clause.entity = entity.filter(names);
        let terms = &index.terms;
        match run {
            [only] if clause.place().is_some() => {
                clause.forms.extend(terms.exact(&only.text).map(|term| (term, Form::Typed)));
            }
            [only] => clause.add_word(only, terms),
            run => {
                // The names of a place are added below.
                match BUILT_IN.term(&clause.words) {
                    _ if clause.place().is_some() => {}
                    Some(term) => clause.add_words(term, (false, true), index),
                    None => {
                        clause.each_word = run.iter().map(|word| terms.related(&word.text)).collect();
                        if clause.each_word.iter().any(Vec::is_empty) {
                            clause.each_word.clear();
                        }
                    }
                }
                clause.forms.extend(joined(run, index).map(|term| (term, Form::Other)));
            }
        }
        let names = clause.place().into_iter().flat_map(|place| names_of_place(place, run));
        let synonyms = synonyms(run, index).map(|words| (words, true));
        for (words, is_synonym) in synonyms.chain(names.map(|words| (words, false))) {
            match words.as_slice() {
                [only] if is_synonym => {
                    clause.forms.extend(terms.related(only).into_iter().map(|term| (term, Form::Other)));
                }
                [only] => clause.forms.extend(terms.exact(only).map(|term| (term, Form::Other))),
                words => clause.add_words(words, (is_synonym, is_literal), index),
            }
        }
        clause.forms.sort_unstable();
        clause.forms.dedup_by_key(|(term, _)| *term);
        clause
    }

    /// Means every record without what it names: the place or the value, or its words in a text. `words` are its words and
    /// those before it. If it `is_idle`, every record is meant.
    pub(super) fn leave_out(&mut self, words: &[SmolStr], is_idle: bool, index: &'a Index) {
        self.needs_few_values = false;
        let docs = match self.entity {
            _ if is_idle => DocSet::default(),
            Some(entity) => {
                let narrower = entity.narrower(&index.values).map(|ordinal| index.values.docs(ordinal));
                union(self.entity_docs(index).into_iter().chain(narrower).collect(), index.programs())
            }
            None => without_phrase(self.docs(index), words, index),
        };
        let (words, named) = (words.to_vec(), self.words.join(" "));
        *self = Self { words, named, entity: self.entity, left_out: Some(docs), is_idle, ..Self::default() };
    }

    /// Leaves out only what has the words of another clause too; `words` are those of both, with those before them.
    pub(super) fn leave_out_with(&mut self, other: &Self, words: &[SmolStr], index: &'a Index) {
        let docs = self.left_out.take().map(|docs| docs.and(&other.docs(index)));
        self.left_out = docs.map(|docs| without_phrase(docs, words, index));
        (self.words, self.entity) = (words.to_vec(), None);
        self.named = format!("{} {}", self.named, other.words.join(" "));
    }

    /// Leaves out texts in which the words of the place mean something else: those with a phrase of another sense, as a text
    /// uses a word in one sense.
    pub(super) fn leave_other_sense_out(&mut self, place: &str, index: &Index) {
        let owned = |phrase: &Vec<&str>| phrase.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let list = format!("other-sense-{place}");
        let phrases = lexicon::phrases(&list).map(|phrase| index.terms.together(&owned(phrase), false));
        let phrases: Vec<DocSet<'_>> = phrases.collect();
        self.other_sense = (!phrases.is_empty()).then(|| union(phrases, index.programs()));
    }

    /// Adds a typed word, and what shares its stems.
    fn add_word(&mut self, word: &QueryWord, terms: &Terms) {
        let typed = terms.exact(&word.text);
        let related = match typed {
            Some(term) => terms.siblings(term),
            None => terms.of_stems(&word.stems),
        };
        self.forms.extend(related.into_iter().map(|term| (term, Form::Typed)));
        // Where some text writes the parts together, that term stands for the parts in a row too.
        self.apart.extend((word.parts.len() > 1 && typed.is_none()).then(|| word.parts.clone()));
    }

    /// Adds several words that are a match, if some document has them: in a row, and those of a term without stop words
    /// near each other too. A document that states the benefits which a synonym names has it as well.
    fn add_words(&mut self, words: &'a [String], (is_synonym, is_literal): (bool, bool), index: &'a Index) {
        let terms = &index.terms;
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        let is_name = self.place().is_some() && !is_synonym;
        let in_text = terms.together(words, !is_name && !stop_words(&texts).contains(&true));
        let benefits =
            if is_literal { Vec::new() } else { index.entities.joined_benefits(words, &index.values) };
        let stated = with_all(&benefits, index);
        if stated.is_some() {
            self.benefits = benefits;
        }
        let docs = union(std::iter::once(in_text).chain(stated).collect(), index.programs());
        let related: Vec<Vec<u32>> = words.iter().map(|word| terms.related(word)).collect();
        if !docs.is_empty() && self.others.iter().all(|known| known.terms != related) {
            self.others.push(OtherWords { words, terms: related, docs, is_synonym });
        }
    }

    /// Whether no document can match it.
    pub(super) fn is_unknown(&self) -> bool {
        self.left_out.is_none()
            && self.forms.is_empty()
            && self.each_word.is_empty()
            && self.others.is_empty()
            && self.apart.is_empty()
            && self.benefits.is_empty()
            && self.entity.is_none_or(Entity::is_empty)
    }

    /// Whether its words are among some.
    pub(super) fn is_among(&self, literal: &[String]) -> bool {
        !literal.is_empty() && literal.contains(&self.words.join(" "))
    }

    /// Code of the place that it names.
    pub(super) fn place(&self) -> Option<&'a str> {
        self.entity?.place.as_deref()
    }

    fn terms(&self) -> impl Iterator<Item = u32> {
        self.forms.iter().map(|(term, _)| *term)
    }

    /// Terms to look up.
    pub(super) fn all_terms(&self) -> impl Iterator<Item = u32> {
        self.terms().chain(self.each_word.iter().flatten().copied())
    }

    fn entity_docs(&self, index: &'a Index) -> Vec<DocSet<'a>> {
        self.entity.map(|entity| entity.parts(self.needs_few_values, &index.values)).unwrap_or_default()
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
        if let Some(left_out) = &self.left_out {
            return DocSet::all(index.programs()).without(left_out);
        }
        let of_term =
            |term| self.other_sense.iter().fold(terms.docs(term), |docs, other| docs.without(other));
        let mut parts: Vec<DocSet<'a>> = self.terms().map(of_term).collect();
        parts.extend(self.entity_docs(index));
        parts.extend(self.others.iter().filter(|other| others(other)).map(|other| other.docs.clone()));
        parts.extend(self.each_word.iter().map(|word| terms.any(word)).reduce(|all, word| all.and(&word)));
        if !self.apart.is_empty() {
            parts.push(Phrases::new(&self.apart, &[], terms).keep(None, terms, &Budget::default()));
        }
        union(parts, index.programs())
    }

    /// Work of looking it up, in units.
    pub(super) fn cost(&self, index: &Index) -> u64 {
        let values: u64 = self.entity_docs(index).iter().map(DocSet::cost).sum();
        let apart = Phrases::new(&self.apart, &[], &index.terms).cost(&index.terms, index.programs());
        let others: u64 = self.others.iter().map(|other| other.docs.cost()).sum();
        cost_of_terms(self.all_terms(), index) + values + apart + others
    }

    /// Upper bound of the number of documents that match it.
    fn documents_max(&self, index: &Index) -> usize {
        if self.left_out.is_some() {
            return index.programs();
        }
        let len = |term: u32| index.terms.docs(term).len();
        let of_word = |terms: &Vec<u32>| terms.iter().map(|term| len(*term)).sum::<usize>();
        let together = self.each_word.iter().map(of_word).min().unwrap_or(0);
        let values: usize = self.entity_docs(index).iter().map(DocSet::len).sum();
        let apart = if self.apart.is_empty() { 0 } else { index.programs() };
        let others: usize = self.others.iter().map(|other| other.docs.len()).sum();
        self.terms().map(len).sum::<usize>() + values + apart + others + together
    }
}

/// Clauses, those that are alternatives together.
pub(super) fn alternatives<'c, 'a>(clauses: &'c [Clause<'a>]) -> impl Iterator<Item = &'c [Clause<'a>]> {
    clauses.chunk_by(|_, next| next.is_alternative)
}

/// Documents that match any of some clauses.
pub(super) fn docs_of_any<'a>(group: &[Clause<'a>], index: &'a Index) -> DocSet<'a> {
    union(group.iter().map(|clause| clause.docs(index)).collect(), index.programs())
}

/// Upper bound of the number of documents that match any of some clauses.
pub(super) fn documents_max(group: &[Clause<'_>], index: &Index) -> usize {
    group.iter().map(|clause| clause.documents_max(index)).sum()
}
