//! What a free text asks for, and which documents have it: clauses of words that must be there,
//! `"phrases"` and `-exclusions`.
//!
//! A clause is had by any of its words' forms, by a synonym, by words written together or apart, or by a
//! facet value that the words name. Nothing here guesses: see `guess`.

use compact_str::{CompactString, format_compact};

use crate::query::TEXT_WORDS_MAX;
use crate::search::Index;
use crate::search::entities::names_of_place;
use crate::search::lexicon;
use crate::search::phrase::Phrases;
use crate::search::set::{DocSet, Docs, Held, union};
use crate::search::synonyms::BUILT_IN;
use crate::search::terms::{Meaning, Terms};
use crate::search::text::{QueryWord, query_words, words_of};
use crate::search::units::{Budget, LOOK_UP};

/// Most words that a synonym may replace.
const SYNONYM_MAX: usize = 4;

/// A text as it was typed, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextQuery {
    /// Single words, each once.
    pub words: Vec<QueryWord>,
    /// Words in a row.
    pub phrases: Vec<Vec<String>>,
    /// Words and phrases that must not be there.
    pub without: Vec<Vec<String>>,
    /// Words that are to be taken as words, whatever they name.
    pub plain: Vec<String>,
    /// Whether the text ends in the middle of a word, which may go on.
    pub goes_on: bool,
}

impl TextQuery {
    /// Takes a text apart. Never fails: a quote that is not closed ends with the text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut wanted = Self { goes_on: text.ends_with(char::is_alphanumeric), ..Self::default() };
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
            wanted.add(part, quoted, excluded);
            rest = after;
        }
        wanted
    }

    /// Adds a part; what was said before is not said again. All words together are bounded, those in
    /// phrases too.
    fn add(&mut self, part: &str, quoted: bool, excluded: bool) {
        let room = TEXT_WORDS_MAX.saturating_sub(self.len());
        if !excluded && !quoted {
            for word in query_words(part).into_iter().take(room) {
                if !self.words.iter().any(|known| known.text == word.text) {
                    self.words.push(word);
                }
            }
            return;
        }
        self.goes_on = false;
        let mut words = words_of(part);
        words.truncate(room);
        let parts = if excluded { &mut self.without } else { &mut self.phrases };
        if !words.is_empty() && !parts.contains(&words) {
            parts.push(words);
        }
    }

    fn len(&self) -> usize {
        self.words.len() + self.phrases.iter().chain(&self.without).map(Vec::len).sum::<usize>()
    }

    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which words are small ones that need not be there, by position: none of them when nothing else
    /// is asked, and none in capitals among words that are not.
    #[must_use]
    pub fn stop_words(&self) -> Vec<bool> {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        let shouted = self.words.iter().all(|word| word.capitals);
        let mut stop_words = lexicon::stop_words(&words);
        stop_words.iter_mut().zip(&self.words).for_each(|(stop, word)| *stop &= shouted || !word.capitals);
        if stop_words.iter().all(|stop| *stop) && self.phrases.is_empty() {
            stop_words.fill(false);
        }
        stop_words
    }

    /// What the words stand for, in order. The longest run that names or means something is one clause.
    #[must_use]
    pub fn clauses(&self, index: &Index) -> Vec<Clause> {
        let (stop_words, mut at) = (self.stop_words(), 0);
        let mut clauses = Vec::with_capacity(self.words.len());
        while at < self.words.len() {
            let (length, entity) = run(&self.words[at..], index);
            if length > 1 || !stop_words[at] {
                clauses.push(Clause::new(&self.words[at..at + length], entity, &self.plain, index));
            }
            at += length;
        }
        clauses
    }

    /// Looks up what must not be there, and phrases.
    #[must_use]
    pub fn rest<'a>(&self, index: &'a Index) -> Rest<'a> {
        let (words, phrases): (Vec<_>, Vec<_>) = self.without.iter().partition(|part| part.len() == 1);
        Rest {
            unwanted: words.into_iter().flatten().map(|word| index.terms.related(word)).collect(),
            phrases: Phrases::new(self.phrases.iter(), phrases.into_iter(), &index.terms),
        }
    }

    /// Keeps the documents that have every phrase and nothing that must not be there; `None` is every
    /// document.
    #[must_use]
    pub fn keep(&self, found: Option<DocSet>, index: &Index, units: &Budget) -> Option<DocSet> {
        self.rest(index).keep(found, index, units)
    }
}

/// A text, looked up: what its cost and its documents follow from.
#[derive(Debug)]
pub struct ResolvedText<'a> {
    pub(super) clauses: Vec<Clause>,
    pub(super) rest: Rest<'a>,
}

impl<'a> ResolvedText<'a> {
    /// Looks a text up.
    #[must_use]
    pub fn new(text: &str, index: &'a Index) -> Self {
        let wanted = TextQuery::parse(text);
        Self { clauses: wanted.clauses(index), rest: wanted.rest(index) }
    }

    /// Documents that have all words; `None` when no word has to be there.
    #[must_use]
    pub fn with_words(&self, index: &Index, units: &Budget) -> Option<DocSet> {
        units.spend(self.clauses.iter().map(|clause| clause.cost(index)).sum());
        all_of(index, &self.clauses).map(Held::into_set)
    }
}

/// Exclusions and phrases, looked up.
#[derive(Debug)]
pub struct Rest<'a> {
    unwanted: Vec<Meaning>,
    phrases: Phrases<'a>,
}

impl Rest<'_> {
    /// Keeps the documents that have every phrase and nothing that must not be there; `None` is every
    /// document.
    #[must_use]
    pub fn keep(&self, found: Option<DocSet>, index: &Index, units: &Budget) -> Option<DocSet> {
        let mut found = found;
        for unwanted in &self.unwanted {
            let mut docs = found.unwrap_or_else(|| DocSet::all(index.len()));
            docs.subtract(&index.terms.any(unwanted).docs());
            found = Some(docs);
        }
        match self.phrases.is_empty() {
            true => found,
            false => Some(self.phrases.keep(found, &index.terms, units)),
        }
    }

    /// Upper bound of what that costs, when at most `most` documents are left by everything else.
    #[must_use]
    pub fn cost(&self, index: &Index, most: usize) -> u64 {
        let of = |meaning: &Meaning| {
            let docs = meaning.terms.iter().map(|term| LOOK_UP + index.terms.docs(*term).cost());
            index.len() as u64 / 64 + docs.sum::<u64>()
        };
        self.unwanted.iter().map(of).sum::<u64>() + self.phrases.cost(&index.terms, most)
    }
}

/// How many words at the start belong together, and what they name.
fn run(words: &[QueryWord], index: &Index) -> (usize, Option<u32>) {
    let (named, entity) = index.entities.longest(words).unzip();
    let named = named.unwrap_or(1);
    let longest = index.terms.longest_synonym().max(BUILT_IN.longest()).min(SYNONYM_MAX).min(words.len());
    let joined = |length: usize| length == 2 && together(&words[..2], index).is_some();
    let means = |run: &[QueryWord]| synonyms(run, index).next().is_some();
    let longer = (named + 1..=longest.max(2.min(words.len())))
        .rev()
        .find(|length| joined(*length) || means(&words[..*length]));
    longer.map_or((named, entity), |length| (length, None))
}

/// The term that two words are when they are written together.
fn together(words: &[QueryWord], index: &Index) -> Option<u32> {
    let [first, second] = words else { return None };
    let long = |word: &QueryWord| word.text.chars().count() > 1;
    if !long(first) || !long(second) {
        return None;
    }
    index.terms.exact(&format_compact!("{}{}", first.text, second.text))
}

/// What a run means besides itself: by the dataset, and by the project.
fn synonyms<'a>(run: &[QueryWord], index: &'a Index) -> impl Iterator<Item = &'a Vec<String>> {
    let own = match run {
        _ if run.len() > index.terms.longest_synonym() => &[],
        [only] => index.terms.synonyms(&only.text),
        run => {
            let words: Vec<&str> = run.iter().map(|word| word.text.as_str()).collect();
            index.terms.synonyms(&words.join(" "))
        }
    };
    own.iter().chain(BUILT_IN.of_typed(run))
}

/// How near a term is to what was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The very word.
    Typed,
    /// Another word of its stem.
    Stem,
    /// A synonym, or what is written together or apart.
    Other,
    /// What it may be a slip of.
    Guess,
}

/// One thing that must be there.
#[derive(Clone, Debug, Default)]
pub struct Clause {
    /// What was typed, folded.
    pub words: Vec<CompactString>,
    /// Terms that are enough.
    pub forms: Vec<(u32, Form)>,
    /// Words that are enough all together.
    alternatives: Vec<Vec<Meaning>>,
    /// Words that are enough in a row.
    apart: Option<Vec<String>>,
    /// What the words name.
    pub entity: Option<u32>,
}

impl Clause {
    /// What words mean that name a entity; not if they are `plain` words.
    fn new(run: &[QueryWord], entity: Option<u32>, plain: &[String], index: &Index) -> Self {
        let words: Vec<CompactString> = run.iter().map(|word| word.text.clone()).collect();
        let entities = &index.entities;
        let says = |entity: &u32| !entities.is_empty(*entity) || entities.place(*entity).is_some();
        let names = plain.is_empty() || !plain.contains(&words.join(" "));
        let mut clause =
            Self { words, entity: entity.filter(|entity| names && says(entity)), ..Self::default() };
        let terms = &index.terms;
        match run {
            [only] => clause.add_typed(only, terms),
            run => {
                clause.add_all(run.iter().map(|word| word.text.as_str()), terms);
                let whole = together(run, index);
                clause.forms.extend(whole.map(|term| (term, Form::Other)));
            }
        }
        let place = clause.entity.and_then(|entity| index.entities.place(entity));
        let names = place.map(names_of_place).unwrap_or_default();
        for synonym in synonyms(run, index).chain(names) {
            match synonym.as_slice() {
                [only] => {
                    let others = terms.related(only).terms.into_iter();
                    clause.forms.extend(others.map(|term| (term, Form::Other)));
                }
                words => clause.add_all(words.iter().map(String::as_str), terms),
            }
        }
        clause.forms.sort_unstable();
        clause.forms.dedup_by_key(|(term, _)| *term);
        clause
    }

    /// Adds the word that was typed, and what shares its stems.
    fn add_typed(&mut self, word: &QueryWord, terms: &Terms) {
        let typed = terms.exact(&word.text);
        let related = match typed {
            Some(term) => terms.siblings(term),
            None => terms.of_stems(&word.stems),
        };
        let form = |term: u32| if typed == Some(term) { Form::Typed } else { Form::Stem };
        self.forms.extend(related.terms.into_iter().map(|term| (term, form(term))));
        // Where it is written together anywhere, that word stands for what is in a row too.
        self.apart = (word.parts.len() > 1 && typed.is_none()).then(|| word.parts.clone());
    }

    /// Adds words that are enough together, if each of them stands somewhere.
    fn add_all<'a>(&mut self, words: impl Iterator<Item = &'a str>, terms: &Terms) {
        let meanings: Vec<Meaning> = words.map(|word| terms.related(word)).collect();
        if meanings.iter().all(|meaning| !meaning.terms.is_empty()) && !self.alternatives.contains(&meanings)
        {
            self.alternatives.push(meanings);
        }
    }

    /// Whether nothing can have it.
    #[must_use]
    pub fn is_unknown(&self, index: &Index) -> bool {
        self.forms.is_empty()
            && self.alternatives.is_empty()
            && self.apart.is_none()
            && self.entity.is_none_or(|entity| index.entities.is_empty(entity))
    }

    /// Each of several words, to look for one by one.
    #[must_use]
    pub fn meanings(&self) -> &[Vec<Meaning>] {
        &self.alternatives
    }

    /// How many terms it looks for.
    #[must_use]
    pub fn terms_count(&self) -> usize {
        self.forms.len()
            + self.alternatives.iter().flatten().map(|meaning| meaning.terms.len()).sum::<usize>()
    }

    fn terms(&self) -> impl Iterator<Item = u32> {
        self.forms.iter().map(|(term, _)| *term)
    }

    /// Documents that have it.
    #[must_use]
    pub fn docs<'a>(&self, index: &'a Index) -> Held<'a> {
        let terms = &index.terms;
        let mut parts: Vec<Docs<'_>> = self.terms().map(|term| terms.docs(term)).collect();
        if let Some(entity) = self.entity {
            parts.extend(index.entities.parts(entity, &index.values));
        }
        if self.alternatives.is_empty() && self.apart.is_none() {
            return union(&parts, index.len());
        }
        let mut made: Vec<Held<'_>> = Vec::new();
        for words in &self.alternatives {
            let words = words.iter().map(|meaning| terms.any(meaning));
            made.extend(words.reduce(|all, word| Held::Made(all.docs().and(&word.docs()))));
        }
        if let Some(apart) = &self.apart {
            let phrase = Phrases::new(std::iter::once(apart), std::iter::empty(), terms);
            made.push(Held::Made(phrase.keep(None, terms, &Budget::new(0))));
        }
        let all: Vec<Docs<'_>> = parts.into_iter().chain(made.iter().map(Held::docs)).collect();
        Held::Made(union(&all, index.len()).into_set())
    }

    /// What looking it up costs.
    #[must_use]
    pub fn cost(&self, index: &Index) -> u64 {
        let terms = &index.terms;
        let all = self.alternatives.iter().flatten().flat_map(|meaning| meaning.terms.iter().copied());
        let words: u64 = self.terms().chain(all).map(|term| LOOK_UP + terms.docs(term).cost()).sum();
        let named = self.entity.map(|entity| index.entities.parts(entity, &index.values));
        let values: u64 = named.iter().flatten().map(Docs::cost).sum();
        let apart = self.apart.as_ref().map_or(0, |apart| {
            Phrases::new(std::iter::once(apart), std::iter::empty(), terms).cost(terms, index.len())
        });
        words + values + apart
    }

    /// Upper bound of the number of documents that have it.
    #[must_use]
    pub fn most(&self, index: &Index) -> usize {
        let terms = &index.terms;
        let most =
            |meaning: &Meaning| -> usize { meaning.terms.iter().map(|term| terms.docs(*term).len()).sum() };
        let own: usize = self.terms().map(|term| terms.docs(term).len()).sum();
        let alternatives = self.alternatives.iter().filter_map(|words| words.iter().map(most).min());
        let named = self.entity.map(|entity| index.entities.parts(entity, &index.values));
        let values: usize = named.iter().flatten().map(Docs::len).sum();
        let apart = if self.apart.is_some() { index.len() } else { 0 };
        own + values + apart + alternatives.sum::<usize>()
    }

    /// Upper bound of the number of documents, or a large number for many.
    fn size(&self, index: &Index) -> usize {
        if !self.is_plain() {
            return usize::MAX;
        }
        let size = |docs| match docs {
            Docs::List(list) => list.len(),
            Docs::Bits(_) => usize::MAX,
        };
        self.terms().map(|term| size(index.terms.docs(term))).fold(0, usize::saturating_add)
    }

    /// Whether single terms are all that is enough.
    fn is_plain(&self) -> bool {
        self.alternatives.is_empty() && self.apart.is_none() && self.entity.is_none()
    }

    /// What it leaves of a set.
    fn keep(&self, found: &Docs<'_>, index: &Index) -> DocSet {
        /// Looking a document up in a few lists is cheaper than uniting them.
        const FEW: usize = 4;
        match found {
            Docs::List(list)
                if list.len() < index.len() / 64
                    && self.is_plain()
                    && (2..=FEW).contains(&self.forms.len()) =>
            {
                let parts: Vec<Docs<'_>> = self.terms().map(|term| index.terms.docs(term)).collect();
                let kept = list.iter().copied().filter(|doc| parts.iter().any(|part| part.contains(*doc)));
                DocSet::List(kept.collect())
            }
            _ => found.and(&self.docs(index).docs()),
        }
    }
}

/// Documents that have all clauses, the rarest first; `None` without clauses.
fn all_of<'a>(index: &'a Index, clauses: &[Clause]) -> Option<Held<'a>> {
    let mut sized: Vec<(usize, &Clause)> =
        clauses.iter().map(|clause| (clause.size(index), clause)).collect();
    sized.sort_by_key(|(size, _)| *size);
    let mut clauses = sized.into_iter().map(|(_, clause)| clause);
    let first = clauses.next()?.docs(index);
    let kept = clauses.try_fold(first, |found, clause| {
        // What nothing has needs no further look.
        if found.docs().is_empty() { None } else { Some(Held::Made(clause.keep(&found.docs(), index))) }
    });
    Some(kept.unwrap_or(Held::Made(DocSet::none())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn texts(wanted: &TextQuery) -> Vec<&str> {
        wanted.words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn words_phrases_and_exclusions_are_told_apart() {
        let wanted = TextQuery::parse("Solar  \"living labs\" -gas -\"fossil fuel\" field-work solar");
        assert_eq!(texts(&wanted), ["solar", "fieldwork"]);
        assert_eq!(wanted.words[1].parts, ["field", "work"]);
        assert_eq!(wanted.phrases, [strings(&["living", "labs"])]);
        assert_eq!(wanted.without, [strings(&["gas"]), strings(&["fossil", "fuel"])]);
    }

    #[test]
    fn what_is_said_twice_is_asked_once_and_words_in_phrases_count() {
        let wanted = TextQuery::parse("\"of the\" -\"in a\" \"of  THE\" -\"in a\" -gas -gas the the");
        assert_eq!(wanted.phrases, [strings(&["of", "the"])]);
        assert_eq!(wanted.without, [strings(&["in", "a"]), strings(&["gas"])]);
        assert_eq!(texts(&wanted), ["the"]);
        let many: String = (0..100).map(|n| format!("\"a{n} b{n} c{n}\" ")).collect();
        let wanted = TextQuery::parse(&many);
        assert_eq!(wanted.phrases.iter().map(Vec::len).sum::<usize>(), TEXT_WORDS_MAX);
    }

    #[test]
    fn small_words_need_not_be_there_unless_nothing_else_is_asked() {
        for (text, expected) in [
            ("grants for the arts", vec![false, true, true, false]),
            ("of the", vec![false, false]),
            ("WHO grants", vec![false, false]),
            ("WHO GRANTS", vec![true, false]),
            ("the \"living labs\"", vec![true]),
        ] {
            assert_eq!(TextQuery::parse(text).stop_words(), expected, "{text}");
        }
    }

    #[test]
    fn no_text_breaks_it() {
        for text in ["", "-", "\"", "--", "-\"", "\"\"", "- -\"\" \u{301}", "\u{202e}🎓"] {
            assert!(TextQuery::parse(text).is_empty(), "{text}");
        }
        assert_eq!(TextQuery::parse("\"soil health").phrases, [strings(&["soil", "health"])]);
        assert_eq!(TextQuery::parse(&"a1 b2 c3 d4 ".repeat(900)).words.len(), 4);
        let many: String = (0..5000).map(|n| format!("w{n} ")).collect();
        assert_eq!(TextQuery::parse(&many).words.len(), TEXT_WORDS_MAX);
    }
}
