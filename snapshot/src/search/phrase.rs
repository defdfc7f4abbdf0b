//! Phrases: tokens that follow one another within one text. All phrases of a question, wanted and
//! unwanted, are looked for in one pass over the tokens of each document that has their words.

use crate::search::set::{DocSet, Docs};
use crate::search::terms::{FIRST_CODE, Mark, Terms};
use crate::search::units::{LOOK_UP, Units};

/// Most tokens of all phrases together: each has a bit.
const TOKENS_MAX: usize = 64;

/// The phrases of a question, looked up.
#[derive(Debug, Default)]
pub struct Phrases {
    /// Terms of each phrase that must be there.
    wanted: Vec<Vec<u32>>,
    /// Terms of each phrase that must not; those with a token that stands nowhere are left out.
    unwanted: Vec<Vec<u32>>,
    /// A token of a wanted phrase stands nowhere.
    impossible: bool,
}

impl Phrases {
    /// Looks the tokens of phrases up.
    #[must_use]
    pub fn new<'a>(
        wanted: impl Iterator<Item = &'a Vec<String>>,
        unwanted: impl Iterator<Item = &'a Vec<String>>,
        terms: &Terms,
    ) -> Self {
        let look_up = |tokens: &Vec<String>| -> Option<Vec<u32>> {
            tokens.iter().map(|token| terms.exact(token)).collect()
        };
        let all: Option<Vec<Vec<u32>>> = wanted.map(look_up).collect();
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
    pub fn price(&self, terms: &Terms, most: usize) -> u64 {
        let tokens: usize = self.wanted.iter().chain(&self.unwanted).map(Vec::len).sum();
        let rarest = |phrase: &Vec<u32>| phrase.iter().map(|term| terms.docs(*term).len()).min();
        let wanted = self.wanted.iter().filter_map(rarest).min().unwrap_or(usize::MAX);
        let candidates = match self.impossible {
            true => 0,
            false if self.wanted.iter().any(|phrase| phrase.len() > 1) => wanted.min(most),
            false => self.unwanted.iter().filter_map(rarest).sum::<usize>().min(wanted).min(most),
        };
        tokens as u64 * LOOK_UP + candidates as u64 * terms.mean_codes()
    }

    /// Documents of `found` that have every wanted phrase and no unwanted one.
    #[must_use]
    pub fn keep(&self, found: Option<DocSet>, terms: &Terms, units: &Units) -> DocSet {
        if self.impossible {
            return DocSet::none();
        }
        let mut docs = self.with_words(found, terms);
        let matcher = Matcher::new(self, terms);
        if self.wanted.iter().any(|phrase| phrase.len() > 1) {
            docs.retain(|doc| matcher.fits(doc, terms, units));
        } else if !self.unwanted.is_empty() {
            let suspects: Vec<DocSet> = self.unwanted.iter().map(|phrase| having(phrase, terms)).collect();
            docs.retain(|doc| {
                !suspects.iter().any(|docs| docs.contains(doc)) || matcher.fits(doc, terms, units)
            });
        }
        docs
    }

    /// Documents with all words of the wanted phrases, the rarest first.
    fn with_words(&self, found: Option<DocSet>, terms: &Terms) -> DocSet {
        let mut parts: Vec<Docs<'_>> = self.wanted.iter().flatten().map(|term| terms.docs(*term)).collect();
        parts.sort_by_key(Docs::len);
        let mut parts = parts.into_iter();
        let first = found.or_else(|| parts.next().map(|part| part.to_set()));
        let Some(mut docs) = first else { return DocSet::all(terms.documents()) };
        parts.for_each(|part| docs.intersect(&part));
        docs
    }
}

/// Documents with all of some terms.
fn having(phrase: &[u32], terms: &Terms) -> DocSet {
    let mut parts: Vec<Docs<'_>> = phrase.iter().map(|term| terms.docs(*term)).collect();
    parts.sort_by_key(Docs::len);
    let mut parts = parts.into_iter();
    let Some(mut docs) = parts.next().map(|part| part.to_set()) else { return DocSet::none() };
    parts.for_each(|part| docs.intersect(&part));
    docs
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
    fn new(phrases: &Phrases, terms: &Terms) -> Self {
        let mut matcher =
            Self { bits: Vec::new(), known: [false; 256], starts: 0, wanted_ends: 0, unwanted_ends: 0 };
        let mut next = 0;
        let all = phrases.wanted.iter().map(|phrase| (phrase, true));
        for (phrase, wanted) in all.chain(phrases.unwanted.iter().map(|phrase| (phrase, false))) {
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
    fn fits(&self, doc: u32, terms: &Terms, units: &Units) -> bool {
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
