//! Phrases: tokens in a row within one text. What the grams hold is looked up there; the other phrases of a query,
//! required and excluded, are searched for in one pass over the tokens of each document that may have them.

use crate::search::cost::{Budget, LOOK_UP};
use crate::search::grams::Row;
use crate::search::set::DocSet;
use crate::search::terms::{FIRST_CODE, Mark, Terms};

/// Most tokens of all phrases together: each has a bit.
const TOKENS_MAX: usize = 64;

/// A phrase, looked up.
#[derive(Debug)]
struct Phrase<'a> {
    terms: Vec<u32>,
    row: Row<'a>,
}

/// The phrases of a query, looked up.
#[derive(Debug)]
pub(super) struct Phrases<'a> {
    required: Vec<Phrase<'a>>,
    /// Without those that have an unknown token.
    excluded: Vec<Phrase<'a>>,
    /// A required phrase has an unknown token.
    impossible: bool,
}

impl<'a> Phrases<'a> {
    /// Looks up the tokens of phrases.
    pub(super) fn new(required: &[Vec<String>], excluded: &[Vec<String>], terms: &'a Terms) -> Self {
        let look_up = |tokens: &Vec<String>| -> Option<Phrase<'a>> {
            let phrase: Vec<u32> = tokens.iter().map(|token| terms.exact(token)).collect::<Option<_>>()?;
            Some(Phrase { row: terms.row(&phrase), terms: phrase })
        };
        let all: Option<Vec<Phrase<'a>>> = required.iter().map(look_up).collect();
        Self {
            impossible: all.is_none(),
            required: all.unwrap_or_default(),
            excluded: excluded.iter().filter_map(look_up).collect(),
        }
    }

    /// Whether there are no phrases.
    pub(super) fn is_empty(&self) -> bool {
        !self.impossible && self.required.is_empty() && self.excluded.is_empty()
    }

    /// Upper bound of what [`Self::keep`] costs if everything else leaves at most so many documents.
    pub(super) fn cost(&self, terms: &Terms, documents: usize) -> u64 {
        let size = |phrase: &Phrase<'_>| phrase.row.docs.len();
        let least = self.required.iter().map(size).min().unwrap_or(usize::MAX).min(documents);
        let read = if self.impossible {
            0
        } else if inexact(&self.required).next().is_some() {
            least
        } else {
            inexact(&self.excluded).map(size).sum::<usize>().min(least)
        };
        self.look_up_cost() + read as u64 * terms.mean_codes()
    }

    fn look_up_cost(&self) -> u64 {
        let of = |phrase: &Phrase<'_>| phrase.terms.len() as u64 * LOOK_UP + phrase.row.docs.cost();
        self.required.iter().chain(&self.excluded).map(of).sum()
    }

    /// Documents of `found` that have every required phrase and no excluded one.
    pub(super) fn keep(&self, found: Option<DocSet<'a>>, terms: &Terms, budget: &Budget) -> DocSet<'a> {
        budget.spend(self.look_up_cost());
        if self.impossible {
            return DocSet::default();
        }
        let mut docs = self.look_up(found, terms);
        let matcher = Matcher::new(self, terms);
        let candidates: Vec<&DocSet<'_>> = inexact(&self.excluded).map(|phrase| &phrase.row.docs).collect();
        if inexact(&self.required).next().is_some() {
            docs.retain(|doc| matcher.matches(doc, terms, budget));
        } else if !candidates.is_empty() {
            let is_candidate = |doc: u32| candidates.iter().any(|docs| docs.contains(doc));
            docs.retain(|doc| !is_candidate(doc) || matcher.matches(doc, terms, budget));
        }
        docs
    }

    /// What is left without reading documents, the rarest phrase first.
    fn look_up(&self, found: Option<DocSet<'a>>, terms: &Terms) -> DocSet<'a> {
        let mut rows: Vec<&DocSet<'a>> = self.required.iter().map(|phrase| &phrase.row.docs).collect();
        rows.sort_by_cached_key(|docs| docs.len());
        let mut rows = rows.into_iter();
        let first = found.or_else(|| rows.next().cloned());
        let docs = rows.fold(first.unwrap_or_else(|| DocSet::all(terms.count)), DocSet::and);
        let exact = self.excluded.iter().filter(|phrase| phrase.row.is_exact);
        exact.fold(docs, |docs, phrase| docs.without(&phrase.row.docs))
    }
}

/// Phrases whose documents have to be read.
fn inexact<'b, 'a>(phrases: &'b [Phrase<'a>]) -> impl Iterator<Item = &'b Phrase<'a>> {
    phrases.iter().filter(|phrase| !phrase.row.is_exact)
}

/// Finds several phrases in one pass: the tokens of all phrases in a row have a bit each, and after
/// every position the set bits are the beginnings of phrases that end there (the Shift-And algorithm).
struct Matcher {
    /// The bits of each code, by code.
    bits: Vec<(u32, u64)>,
    /// The low bits of the codes, to skip most others.
    known: [bool; 256],
    /// Bits of the first token of each phrase, and of the last ones.
    starts: u64,
    required_ends: u64,
    excluded_ends: u64,
}

impl Matcher {
    fn new(phrases: &Phrases<'_>, terms: &Terms) -> Self {
        let mut matcher =
            Self { bits: Vec::new(), known: [false; 256], starts: 0, required_ends: 0, excluded_ends: 0 };
        let mut next = 0;
        let all = inexact(&phrases.required).map(|phrase| (&phrase.terms, true));
        for (phrase, required) in all.chain(inexact(&phrases.excluded).map(|phrase| (&phrase.terms, false))) {
            if phrase.is_empty() || next + phrase.len() > TOKENS_MAX {
                continue;
            }
            matcher.starts |= 1 << next;
            for term in phrase {
                matcher.add(terms.code(*term), 1 << next);
                next += 1;
            }
            let end = 1 << (next - 1);
            if required { matcher.required_ends |= end } else { matcher.excluded_ends |= end }
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

    /// Whether a document has every required phrase and no excluded one.
    fn matches(&self, doc: u32, terms: &Terms, budget: &Budget) -> bool {
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
            if found & self.excluded_ends != 0 {
                budget.spend(read);
                return false;
            }
            if self.excluded_ends == 0 && found & self.required_ends == self.required_ends {
                break;
            }
        }
        budget.spend(read);
        found & self.required_ends == self.required_ends
    }
}
