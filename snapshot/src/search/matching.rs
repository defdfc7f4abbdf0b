//! What a free text asks for, and which documents have it: terms that must be there, `"phrases"`
//! and `-exclusions`.

use crate::query::TEXT_WORDS_MAX;
use crate::search::set::{DocSet, Docs, Held, union};
use crate::search::terms::{Meaning, Terms};
use crate::search::text::words_of;

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

    fn add(&mut self, words: Vec<String>, quoted: bool, excluded: bool) {
        let room = TEXT_WORDS_MAX.saturating_sub(self.len());
        if words.is_empty() || room == 0 {
            return;
        }
        if excluded {
            self.without.push(words);
        } else if quoted {
            self.phrases.push(words);
        } else {
            for word in words.into_iter().take(room) {
                if !self.words.contains(&word) {
                    self.words.push(word);
                }
            }
        }
    }

    fn len(&self) -> usize {
        self.words.len() + self.phrases.len() + self.without.len()
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

    /// Documents that have everything that must be there and nothing that must not.
    #[must_use]
    pub fn docs(&self, terms: &Terms, count: usize) -> DocSet {
        let phrases = self.phrases.iter().map(|phrase| Held::Made(terms.phrase(phrase)));
        let parts = all_of(terms, &self.clauses(terms), count).into_iter().chain(phrases);
        let found = parts.reduce(|all, part| Held::Made(all.docs().and(&part.docs())));
        let mut found = found.map_or_else(|| DocSet::all(count), Held::into_set);
        self.drop_unwanted(terms, &mut found);
        found
    }

    /// Drops the documents that have something that must not be there.
    pub fn drop_unwanted(&self, terms: &Terms, found: &mut DocSet) {
        for unwanted in &self.without {
            let docs = match unwanted.as_slice() {
                [word] => terms.any(&terms.related(word)),
                words => Held::Made(terms.phrase(words)),
            };
            found.subtract(&docs.docs());
        }
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
