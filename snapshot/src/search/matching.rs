//! What a free text asks for, and which documents have it: terms that must be there, `"phrases"`
//! and `-exclusions`.

use crate::query::TEXT_WORDS_MAX;
use crate::search::phrase::Phrases;
use crate::search::set::{DocSet, Docs, Held, union};
use crate::search::terms::{Meaning, Terms};
use crate::search::text::words_of;
use crate::search::units::{LOOK_UP, Units};

/// Most words that a synonym may replace.
const RUN_MAX: usize = 4;

/// A text as it was typed, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Single words, folded.
    pub words: Vec<String>,
    /// Words in a row.
    pub phrases: Vec<Vec<String>>,
    /// Words and phrases that must not be there.
    pub without: Vec<Vec<String>>,
}

impl Wanted {
    /// Takes a text apart. Never fails: a quote that is not closed ends with the text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut wanted = Self::default();
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
            wanted.add(words_of(part), quoted, excluded);
            rest = after;
        }
        wanted
    }

    /// Adds a part; what was said before is not said again. All words together are bounded, those in
    /// phrases too.
    fn add(&mut self, mut words: Vec<String>, quoted: bool, excluded: bool) {
        words.truncate(TEXT_WORDS_MAX.saturating_sub(self.len()));
        if words.is_empty() {
            return;
        }
        let parts = if excluded { &mut self.without } else { &mut self.phrases };
        if excluded || quoted {
            if !parts.contains(&words) {
                parts.push(words);
            }
            return;
        }
        for word in words {
            if !self.words.contains(&word) {
                self.words.push(word);
            }
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

    /// What each word that must be there stands for: synonyms that are several words long take the
    /// words they replace together.
    #[must_use]
    pub fn clauses(&self, terms: &Terms) -> Vec<Clause> {
        let longest = terms.longest_synonym().clamp(1, RUN_MAX);
        let mut clauses = Vec::new();
        let mut rest = self.words.as_slice();
        while let Some((word, after)) = rest.split_first() {
            let mut runs = (1..=rest.len().min(longest)).rev();
            let found = runs.find_map(|length| Some((length, Clause::new(&rest[..length], terms)?)));
            match found {
                Some((length, clause)) => {
                    clauses.push(clause);
                    rest = &rest[length..];
                }
                None => {
                    clauses.push(Clause { meaning: terms.guessed(word), alternatives: Vec::new() });
                    rest = after;
                }
            }
        }
        clauses
    }

    /// Documents that have all single words; `None` when there are none.
    #[must_use]
    pub fn with_words(&self, terms: &Terms, count: usize, units: &Units) -> Option<DocSet> {
        let clauses = self.clauses(terms);
        units.spend(clauses.iter().map(|clause| clause.price(terms)).sum());
        all_of(terms, &clauses, count).map(Held::into_set)
    }

    /// Keeps the documents that have every phrase and nothing that must not be there; `None` is every
    /// document.
    #[must_use]
    pub fn keep(&self, found: Option<DocSet>, terms: &Terms, count: usize, units: &Units) -> Option<DocSet> {
        let (words, phrases): (Vec<_>, Vec<_>) = self.without.iter().partition(|part| part.len() == 1);
        let mut found = found;
        for unwanted in words.iter().flat_map(|part| part.iter()) {
            let mut docs = found.unwrap_or_else(|| DocSet::all(count));
            docs.subtract(&terms.any(&terms.related(unwanted)).docs());
            found = Some(docs);
        }
        let phrases = Phrases::new(self.phrases.iter(), phrases.into_iter(), terms);
        if phrases.is_empty() { found } else { Some(phrases.keep(found, terms, units)) }
    }
}

/// One thing that must be there: any of the terms, or one of the alternatives of several words.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Terms that are enough.
    pub meaning: Meaning,
    /// Words that are enough together.
    alternatives: Vec<Vec<Meaning>>,
}

impl Clause {
    /// What a word, or several words that have synonyms, stand for together; nothing when neither
    /// they nor their synonyms stand anywhere.
    fn new(words: &[String], terms: &Terms) -> Option<Self> {
        let synonyms = match words {
            [word] => terms.synonyms(word),
            words => terms.synonyms(&words.join(" ")),
        };
        if words.len() > 1 && synonyms.is_empty() {
            return None;
        }
        let mut clause = Self { meaning: Meaning::default(), alternatives: Vec::new() };
        clause.add(words.iter().map(String::as_str), terms);
        synonyms.iter().for_each(|synonym| clause.add(synonym.split(' '), terms));
        clause.meaning.terms.sort_unstable();
        clause.meaning.terms.dedup();
        let stands = !clause.meaning.terms.is_empty() || !clause.alternatives.is_empty();
        stands.then_some(clause)
    }

    /// Adds words that are enough together, if each of them stands somewhere.
    fn add<'a>(&mut self, words: impl Iterator<Item = &'a str>, terms: &Terms) {
        let mut meanings: Vec<Meaning> = words.map(|word| terms.related(word)).collect();
        if meanings.iter().any(|meaning| meaning.terms.is_empty()) {
            return;
        }
        match meanings.pop() {
            Some(only) if meanings.is_empty() => self.meaning.terms.extend(only.terms),
            Some(last) => {
                meanings.push(last);
                self.alternatives.push(meanings);
            }
            None => {}
        }
    }

    /// Documents that have it.
    #[must_use]
    pub fn docs<'a>(&self, terms: &'a Terms, count: usize) -> Held<'a> {
        let own = terms.any(&self.meaning);
        if self.alternatives.is_empty() {
            return own;
        }
        let mut parts = vec![own];
        for words in &self.alternatives {
            let words = words.iter().map(|meaning| terms.any(meaning));
            parts.extend(words.reduce(|all, word| Held::Made(all.docs().and(&word.docs()))));
        }
        let parts: Vec<Docs<'_>> = parts.iter().map(Held::docs).collect();
        Held::Made(union(&parts, count).into_set())
    }

    /// What looking it up costs.
    #[must_use]
    pub fn price(&self, terms: &Terms) -> u64 {
        let all = self.alternatives.iter().flatten().chain(std::iter::once(&self.meaning));
        all.flat_map(|meaning| &meaning.terms).map(|term| LOOK_UP + price_of(&terms.docs(*term))).sum()
    }

    /// Upper bound of the number of documents that have it.
    #[must_use]
    pub fn most(&self, terms: &Terms) -> usize {
        let most =
            |meaning: &Meaning| -> usize { meaning.terms.iter().map(|term| terms.docs(*term).len()).sum() };
        let alternatives = self.alternatives.iter().filter_map(|words| words.iter().map(most).min());
        most(&self.meaning) + alternatives.sum::<usize>()
    }

    /// Upper bound of the number of documents, or a large number for many.
    fn size(&self, terms: &Terms) -> usize {
        if !self.alternatives.is_empty() {
            return usize::MAX;
        }
        let size = |docs| match docs {
            Docs::List(list) => list.len(),
            Docs::Bits(_) => usize::MAX,
        };
        self.meaning.terms.iter().map(|term| size(terms.docs(*term))).fold(0, usize::saturating_add)
    }

    /// What it leaves of a set.
    fn keep(&self, found: &Docs<'_>, terms: &Terms, count: usize) -> DocSet {
        /// Looking a document up in a few lists is cheaper than uniting them.
        const FEW: usize = 4;
        match found {
            Docs::List(list)
                if list.len() < count / 64
                    && self.alternatives.is_empty()
                    && (2..=FEW).contains(&self.meaning.terms.len()) =>
            {
                let parts: Vec<Docs<'_>> = self.meaning.terms.iter().map(|term| terms.docs(*term)).collect();
                let kept = list.iter().copied().filter(|doc| parts.iter().any(|part| part.contains(*doc)));
                DocSet::List(kept.collect())
            }
            _ => found.and(&self.docs(terms, count).docs()),
        }
    }
}

/// What reading a set costs.
fn price_of(docs: &Docs<'_>) -> u64 {
    match docs {
        Docs::List(list) => list.len() as u64,
        Docs::Bits(bits) => bits.len() as u64,
    }
}

/// Documents that have all clauses, the rarest first; `None` without clauses.
fn all_of<'a>(terms: &'a Terms, clauses: &[Clause], count: usize) -> Option<Held<'a>> {
    let mut sized: Vec<(usize, &Clause)> =
        clauses.iter().map(|clause| (clause.size(terms), clause)).collect();
    sized.sort_by_key(|(size, _)| *size);
    let mut clauses = sized.into_iter().map(|(_, clause)| clause);
    let first = clauses.next()?.docs(terms, count);
    Some(clauses.fold(first, |found, clause| Held::Made(clause.keep(&found.docs(), terms, count))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn words_phrases_and_exclusions_are_told_apart() {
        let wanted = Wanted::parse("Solar  \"living labs\" -gas -\"fossil fuel\" field-work solar");
        assert_eq!(wanted.words, strings(&["solar", "field", "work"]));
        assert_eq!(wanted.phrases, [strings(&["living", "labs"])]);
        assert_eq!(wanted.without, [strings(&["gas"]), strings(&["fossil", "fuel"])]);
    }

    #[test]
    fn what_is_said_twice_is_asked_once_and_words_in_phrases_count() {
        let wanted = Wanted::parse("\"of the\" -\"in a\" \"of  THE\" -\"in a\" -gas -gas the the");
        assert_eq!(wanted.phrases, [strings(&["of", "the"])]);
        assert_eq!(wanted.without, [strings(&["in", "a"]), strings(&["gas"])]);
        assert_eq!(wanted.words, strings(&["the"]));
        let many: String = (0..100).map(|n| format!("\"a{n} b{n} c{n}\" ")).collect();
        let wanted = Wanted::parse(&many);
        assert_eq!(wanted.phrases.iter().map(Vec::len).sum::<usize>(), TEXT_WORDS_MAX);
    }

    #[test]
    fn no_text_breaks_it() {
        for text in ["", "-", "\"", "--", "-\"", "\"\"", "- -\"\" \u{301}", "\u{202e}🎓"] {
            assert!(Wanted::parse(text).is_empty(), "{text}");
        }
        assert_eq!(Wanted::parse("\"soil health").phrases, [strings(&["soil", "health"])]);
        assert_eq!(Wanted::parse(&"a1 b2 c3 d4 ".repeat(900)).words.len(), 4);
        let many: String = (0..5000).map(|n| format!("w{n} ")).collect();
        assert_eq!(Wanted::parse(&many).words.len(), TEXT_WORDS_MAX);
    }
}
