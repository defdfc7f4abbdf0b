//! Phrases: tokens that follow one another within one text. What can be looked up among the grams is;
//! the rest of a question's phrases, wanted and unwanted, are looked for in one pass over the tokens of
//! each document that may have them.

use crate::search::grams::Row;
use crate::search::set::{DocSet, Docs};
use crate::search::terms::{FIRST_CODE, Mark, Terms};
use crate::search::units::{Budget, LOOK_UP};

/// Most tokens of all phrases together: each has a bit.
const TOKENS_MAX: usize = 64;

/// A phrase, looked up.
#[derive(Debug)]
struct Phrase<'a> {
    terms: Vec<u32>,
    row: Row<'a>,
}

/// The phrases of a question, looked up.
#[derive(Debug)]
pub struct Phrases<'a> {
    /// Phrases that must be there.
    wanted: Vec<Phrase<'a>>,
    /// Phrases that must not; those with a token that stands nowhere are left out.
    unwanted: Vec<Phrase<'a>>,
    /// A token of a wanted phrase stands nowhere.
    impossible: bool,
}

impl<'a> Phrases<'a> {
    /// Looks the tokens of phrases up.
    #[must_use]
    pub fn new<'b>(
        wanted: impl Iterator<Item = &'b Vec<String>>,
        unwanted: impl Iterator<Item = &'b Vec<String>>,
        terms: &'a Terms,
    ) -> Self {
        let look_up = |tokens: &Vec<String>| -> Option<Phrase<'a>> {
            let phrase: Vec<u32> = tokens.iter().map(|token| terms.exact(token)).collect::<Option<_>>()?;
            Some(Phrase { row: terms.row(&phrase), terms: phrase })
        };
        let all: Option<Vec<Phrase<'a>>> = wanted.map(look_up).collect();
        Self {
            impossible: all.is_none(),
            wanted: all.unwrap_or_default(),
            unwanted: unwanted.filter_map(look_up).collect(),
        }
    }

    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.impossible && self.wanted.is_empty() && self.unwanted.is_empty()
    }

    /// Upper bound of what keeping documents with these phrases costs, when at most `most` documents
    /// are left by everything else.
    #[must_use]
    pub fn cost(&self, terms: &Terms, most: usize) -> u64 {
        let size = |phrase: &Phrase<'_>| phrase.row.docs.docs().len();
        let least = self.wanted.iter().map(size).min().unwrap_or(usize::MAX).min(most);
        let read = if self.impossible {
            0
        } else if unsure(&self.wanted).next().is_some() {
            least
        } else {
            unsure(&self.unwanted).map(size).sum::<usize>().min(least)
        };
        self.looked_up() + read as u64 * terms.mean_codes()
    }

    /// Budget of looking the phrases up.
    fn looked_up(&self) -> u64 {
        let of = |phrase: &Phrase<'_>| phrase.terms.len() as u64 * LOOK_UP + phrase.row.docs.docs().cost();
        self.wanted.iter().chain(&self.unwanted).map(of).sum()
    }

    /// Documents of `found` that have every wanted phrase and no unwanted one.
    #[must_use]
    pub fn keep(&self, found: Option<DocSet>, terms: &Terms, units: &Budget) -> DocSet {
        units.spend(self.looked_up());
        if self.impossible {
            return DocSet::none();
        }
        let mut docs = self.narrow(found, terms);
        let matcher = Matcher::new(self, terms);
        let suspects: Vec<Docs<'_>> = unsure(&self.unwanted).map(|phrase| phrase.row.docs.docs()).collect();
        if unsure(&self.wanted).next().is_some() {
            docs.retain(|doc| matcher.fits(doc, terms, units));
        } else if !suspects.is_empty() {
            let is_suspect = |doc: u32| suspects.iter().any(|docs| docs.contains(doc));
            docs.retain(|doc| !is_suspect(doc) || matcher.fits(doc, terms, units));
        }
        docs
    }

    /// What is left without reading, the rarest phrase first.
    fn narrow(&self, found: Option<DocSet>, terms: &Terms) -> DocSet {
        let mut parts: Vec<Docs<'_>> = self.wanted.iter().map(|phrase| phrase.row.docs.docs()).collect();
        parts.sort_by_key(Docs::len);
        let mut parts = parts.into_iter();
        let first = found.or_else(|| parts.next().map(|part| part.to_set()));
        let mut docs = first.unwrap_or_else(|| DocSet::all(terms.documents()));
        parts.for_each(|part| docs.intersect(&part));
        for phrase in self.unwanted.iter().filter(|phrase| phrase.row.is_exact) {
            docs.subtract(&phrase.row.docs.docs());
        }
        docs
    }
}

/// Phrases of which only reading tells.
fn unsure<'b, 'a>(phrases: &'b [Phrase<'a>]) -> impl Iterator<Item = &'b Phrase<'a>> {
    phrases.iter().filter(|phrase| !phrase.row.is_exact)
}

/// Finds several phrases in one pass: the tokens of all phrases in a row have a bit each, and after
/// every position the bits say which beginnings of phrases end there (the Shift-And algorithm).
struct Matcher {
    /// The bits of each code, by code.
    bits: Vec<(u32, u64)>,
    /// The low bits of the codes, to pass over most others at once.
    known: [bool; 256],
    /// Bits of the first token of each phrase, and of the last ones.
    starts: u64,
    wanted_ends: u64,
    unwanted_ends: u64,
}

impl Matcher {
    fn new(phrases: &Phrases<'_>, terms: &Terms) -> Self {
        let mut matcher =
            Self { bits: Vec::new(), known: [false; 256], starts: 0, wanted_ends: 0, unwanted_ends: 0 };
        let mut next = 0;
        let all = unsure(&phrases.wanted).map(|phrase| (&phrase.terms, true));
        for (phrase, wanted) in all.chain(unsure(&phrases.unwanted).map(|phrase| (&phrase.terms, false))) {
            if phrase.is_empty() || next + phrase.len() > TOKENS_MAX {
                continue;
            }
            matcher.starts |= 1 << next;
            for term in phrase {
                matcher.add(terms.code(*term), 1 << next);
                next += 1;
            }
            let end = 1 << (next - 1);
            if wanted { matcher.wanted_ends |= end } else { matcher.unwanted_ends |= end }
        }
        matcher
    }

    fn add(&mut self, code: u32, bit: u64) {
        self.known[code as usize & 0xff] = true;
        match self.bits.binary_search_by_key(&code, |(code, _)| *code) {
            Ok(at) => self.bits[at].1 |= bit,
            Err(at) => self.bits.insert(at, (code, bit)),
        }
    }

    #[inline]
    fn bits_of(&self, code: u32) -> u64 {
        if !self.known[code as usize & 0xff] {
            return 0;
        }
        self.bits.binary_search_by_key(&code, |(code, _)| *code).map_or(0, |at| self.bits[at].1)
    }

    /// Whether a document has every wanted phrase and no unwanted one.
    fn fits(&self, doc: u32, terms: &Terms, units: &Budget) -> bool {
        const SAME: u32 = Mark::Same as u32;
        let (mut before, mut reached, mut found, mut read) = (0u64, 0u64, 0u64, 0u64);
        let mut at_same = false;
        for code in terms.stream(doc) {
            read += 1;
            if code < FIRST_CODE {
                at_same = code == SAME;
                if !at_same {
                    reached = 0;
                }
                continue;
            }
            if !at_same {
                before = reached;
                reached = 0;
            }
            at_same = false;
            reached |= (before << 1 | self.starts) & self.bits_of(code);
            found |= reached;
            if found & self.unwanted_ends != 0 {
                units.spend(read);
                return false;
            }
            if self.unwanted_ends == 0 && found & self.wanted_ends == self.wanted_ends {
                break;
            }
        }
        units.spend(read);
        found & self.wanted_ends == self.wanted_ends
    }
}
