//! Terms: the dictionary of all tokens, the documents of each, and the tokens of each document in order, for
//! phrases and scores.
//!
//! ```text
//! term.at term.text    tokens, sorted by bytes; a token's position is the number of its term
//! term.docs.at .docs   documents of each term, ascending; empty where the term is dense
//! term.dense           u32 for each term: which bit set, or u32::MAX
//! term.bits            bit sets of the terms of more than 1 of 32 documents
//! impact.at impact     the impact of each term in each of its documents, see [`weights`](super::weights)
//! top.term             terms of more than 1,000 documents, ascending
//! top.docs.at .docs    the 256 documents of each in which it has the greatest effect, ascending
//! en.* es.*            stems of that language, sorted, the terms that share each, and each term's stem
//! term.code            u32 for each term: its code in streams; frequent terms have small codes
//! stream.at stream     each document's tokens: LEB128 codes, see [`Mark`]
//! synonyms             JSON: groups of folded words that mean the same
//! ```

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap as HashMap;
use smol_str::SmolStr;

use crate::distinct::distinct;
use crate::search::grams::{Grams, Row, read_leb128};
use crate::search::set::{DocSet, all_of, bits_of, has_bit, meet, union};
use crate::search::table::{Dictionary, Lists, ListsOf, Pair, PostingNames, Postings, Strings, column};
use crate::search::weights::Impact;
use crate::stem::stems;
use store::sections::{Section, SectionError, Sections};

/// What precedes tokens in a stream. The mark of a field starts a new text; phrases do not cross it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Mark {
    Name,
    Alias,
    Organization,
    Summary,
    Description,
    Fact,
    /// The next token is another reading of the position before.
    Same,
}

/// Codes below this are marks.
pub(super) const FIRST_CODE: u32 = 8;

/// Terms of more documents than this have a list of the best ones.
pub(super) const FREQUENT: usize = 1_000;
/// Length of that list.
pub(super) const TOP: usize = 256;

pub(super) const TERMS: Pair = ("term.at", "term.text");
pub(super) const IMPACTS: Pair = ("impact.at", "impact");
pub(super) const TOP_TERMS: &str = "top.term";
pub(super) const TOP_DOCS: Pair = ("top.docs.at", "top.docs");
pub(super) const STREAMS: Pair = ("stream.at", "stream");
pub(super) const POSTINGS: PostingNames = (("term.docs.at", "term.docs"), "term.dense", "term.bits");
/// Of English and of Spanish: the stems, the terms of each, and the stem of each term.
pub(super) const STEMS: [(Pair, Pair, &str); 2] = [
    (("en.at", "en.text"), ("en.terms.at", "en.terms"), "en.of"),
    (("es.at", "es.text"), ("es.terms.at", "es.terms"), "es.of"),
];

/// Reads the codes of a stream; damage ends the stream.
pub(super) struct Codes<'a>(pub(super) &'a [u8]);

impl Iterator for Codes<'_> {
    type Item = u32;
    #[inline]
    fn next(&mut self) -> Option<u32> {
        // Most codes take one byte or two.
        match *self.0 {
            [only @ ..0x80, ref rest @ ..] => {
                self.0 = rest;
                return Some(u32::from(only));
            }
            [first, last @ ..0x80, ref rest @ ..] => {
                self.0 = rest;
                return Some(u32::from(first & 0x7f) | u32::from(last) << 7);
            }
            _ => {}
        }
        u32::try_from(read_leb128(&mut self.0)?).ok()
    }
}

struct StemTable {
    stems: Dictionary,
    members: Lists,
    of: Section<u32>,
}

impl StemTable {
    fn open(sections: &Sections, language: usize, terms: usize) -> Result<Self, SectionError> {
        let (stems, members, of) = STEMS[language];
        let stems = Dictionary::open(sections, stems)?;
        let members = Lists::open_many(sections, members, stems.strings.count(), terms)?;
        Ok(Self { stems, members, of: column(sections, of, terms)? })
    }

    /// Terms that share their stem with a term.
    fn siblings(&self, term: u32) -> &[u32] {
        self.of.get(term as usize).map_or(&[], |stem| self.members.get(*stem as usize))
    }

    fn members(&self, stem: &str) -> &[u32] {
        self.stems.find(stem.as_bytes()).map_or(&[], |position| self.members.get(position))
    }
}

/// The dictionary, open.
pub struct Terms {
    dictionary: Dictionary,
    postings: Postings,
    impacts: ListsOf<u16>,
    /// Frequent terms, and the documents in which each has the greatest effect.
    tops: (Section<u32>, Lists),
    /// Of English and Spanish.
    stems: [StemTable; 2],
    codes: Section<u32>,
    streams: Strings,
    grams: Grams,
    synonyms: HashMap<String, Vec<Vec<String>>>,
    /// Documents of several words that mean the same as others, once looked up; whether near each other suffices.
    together: Mutex<HashMap<(Vec<String>, bool), DocSet<'static>>>,
    /// Words of the longest key of the synonyms.
    pub(super) longest_synonym: usize,
    /// Number of documents.
    pub(super) count: usize,
}

/// Documents whose impacts are read.
pub(super) struct Among<'a> {
    /// Ascending.
    docs: &'a [u32],
    bits: Vec<u64>,
}

impl<'a> Among<'a> {
    /// Some of `count` documents, ascending.
    pub(super) fn new(docs: &'a [u32], count: usize) -> Self {
        Self { docs, bits: bits_of(docs.iter().copied(), count) }
    }
}

/// The terms of two ascending lists.
fn merged([english, spanish]: [&[u32]; 2]) -> Vec<u32> {
    if english == spanish { english.to_vec() } else { distinct([english, spanish].concat()) }
}

impl Terms {
    /// Opens the sections of an index over `count` documents.
    pub(super) fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let dictionary = Dictionary::open(sections, TERMS)?;
        let terms = dictionary.strings.count();
        let synonyms = read_synonyms(&sections.get::<u8>("synonyms")?)?;
        let frequent = sections.get::<u32>(TOP_TERMS)?;
        let tops = Lists::open_many(sections, TOP_DOCS, frequent.len(), count)?;
        Ok(Self {
            tops: (frequent, tops),
            postings: Postings::open(sections, POSTINGS, terms, count)?,
            impacts: ListsOf::open_len(sections, IMPACTS, terms)?,
            stems: [StemTable::open(sections, 0, terms)?, StemTable::open(sections, 1, terms)?],
            codes: column(sections, "term.code", terms)?,
            streams: Strings::open_len(sections, STREAMS, count)?,
            grams: Grams::open(sections, terms, count)?,
            longest_synonym: synonyms.keys().map(|words| words.split(' ').count()).max().unwrap_or(0),
            synonyms,
            together: Mutex::default(),
            dictionary,
            count,
        })
    }

    /// Documents of a term.
    pub(super) fn docs(&self, term: u32) -> DocSet<'_> {
        self.postings.docs(term as usize)
    }

    /// Documents of any of some terms.
    pub(super) fn any(&self, terms: &[u32]) -> DocSet<'_> {
        union(terms.iter().map(|term| self.docs(*term)).collect(), self.count)
    }

    /// Of a frequent term the documents in which it has the greatest effect, ascending; none of other terms.
    pub(super) fn tops(&self, term: u32) -> &[u32] {
        let (frequent, docs) = &self.tops;
        frequent.binary_search(&term).map_or(&[], |position| docs.get(position))
    }

    /// Calls `each` with the impact of a term in each document that has it, and the document's place among all.
    pub(super) fn impacts(&self, term: u32, among: &Among<'_>, mut each: impl FnMut(usize, Impact)) {
        let impacts = self.impacts.get(term as usize);
        let mut found = |place: usize, at: usize| {
            if let Some(impact) = impacts.get(at) {
                each(place, Impact(*impact));
            }
        };
        let list = match self.docs(term) {
            DocSet::Bits(bits) => return meet(&among.bits, &bits, found),
            DocSet::List(list) => list,
        };
        // The shorter of the two is walked, the other searched from where it was left.
        if list.len() < among.docs.len() {
            let mut place = 0;
            for (at, doc) in list.iter().enumerate().filter(|(_, doc)| has_bit(&among.bits, **doc)) {
                place += among.docs[place..].partition_point(|other| other < doc);
                found(place, at);
            }
        } else {
            let mut at = 0;
            for (place, doc) in among.docs.iter().enumerate() {
                at += list[at..].partition_point(|other| other < doc);
                if list.get(at) == Some(doc) {
                    found(place, at);
                }
            }
        }
    }

    /// Documents of terms in a row.
    pub(super) fn row(&self, phrase: &[u32]) -> Row<'_> {
        self.grams.row(phrase, |term| self.docs(term))
    }

    /// Documents that have any form of each word, within one text: in a row, or if they may be `near`, in any order
    /// with two other words between them. Texts are read the first time only.
    pub(super) fn together(&self, words: &[String], near: bool) -> DocSet<'static> {
        let key = (words.to_vec(), near);
        let known = || self.together.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(docs) = known().get(&key) {
            return docs.clone();
        }
        let forms: Vec<Vec<u32>> = words.iter().map(|word| self.related(word)).collect();
        let mut docs = all_of(forms.iter().map(|terms| self.any(terms)).collect())
            .map_or_else(DocSet::default, DocSet::into_owned);
        let mut places: HashMap<u32, u64> = HashMap::default();
        for (place, term) in
            (0..64).zip(&forms).flat_map(|(place, terms)| terms.iter().map(move |t| (place, t)))
        {
            *places.entry(self.code(*term)).or_default() |= 1 << place;
        }
        docs.retain(|doc| self.stands_together(doc, words.len(), &places, near));
        known().insert(key, docs.clone());
        docs
    }

    /// Whether a document has a word at every one of some places together; `places` are bits by code.
    fn stands_together(&self, doc: u32, count: usize, places: &HashMap<u32, u64>, near: bool) -> bool {
        let span = count + 2;
        let (mut last, mut at, mut is_same) = (vec![0; count], span, false);
        let (mut before, mut reached) = (0u64, 0u64);
        for code in self.stream(doc) {
            if code < FIRST_CODE {
                is_same = code == Mark::Same as u32;
                if !is_same {
                    (at, reached) = (at + span, 0);
                }
                continue;
            }
            if !std::mem::take(&mut is_same) {
                (at, before, reached) = (at + 1, reached, 0);
            }
            let Some(bits) = places.get(&code) else { continue };
            reached |= (before << 1 | 1) & bits;
            last.iter_mut()
                .enumerate()
                .filter(|(place, _)| bits >> place & 1 == 1)
                .for_each(|(_, l)| *l = at);
            if reached >> (count - 1) & 1 == 1 || near && last.iter().all(|last| last + span > at) {
                return true;
            }
        }
        false
    }

    /// All tokens, sorted by bytes.
    pub(super) fn tokens(&self) -> &Strings {
        &self.dictionary.strings
    }

    /// The token of a term.
    pub fn text(&self, term: u32) -> &str {
        self.tokens().text(term as usize)
    }

    /// The term that a folded token is.
    pub(super) fn exact(&self, token: &str) -> Option<u32> {
        self.dictionary.find(token.as_bytes()).map(|term| term as u32)
    }

    /// The token itself and what shares a stem with it in either language, ascending.
    pub(super) fn related(&self, token: &str) -> Vec<u32> {
        match self.exact(token) {
            Some(term) => self.siblings(term),
            None => self.of_stems(&stems(token)),
        }
    }

    /// A term and those that share a stem with it in either language, ascending.
    pub(super) fn siblings(&self, term: u32) -> Vec<u32> {
        merged(self.stems.each_ref().map(|table| table.siblings(term)))
    }

    /// Terms that have either stem, ascending.
    pub(super) fn of_stems(&self, [english, spanish]: &[SmolStr; 2]) -> Vec<u32> {
        merged([self.stems[0].members(english), self.stems[1].members(spanish)])
    }

    /// Synonyms of a folded word or words in the dataset.
    pub(super) fn synonyms(&self, words: &str) -> &[Vec<String>] {
        self.synonyms.get(words).map_or(&[], Vec::as_slice)
    }

    /// Code of a term in streams.
    pub(super) fn code(&self, term: u32) -> u32 {
        self.codes.get(term as usize).copied().unwrap_or_default()
    }

    /// Mean number of codes in a document's stream, about: most codes take one byte, some two.
    pub(super) fn mean_codes(&self) -> u64 {
        self.streams.items.len() as u64 / (self.count as u64).max(1)
    }

    /// A document's tokens and marks.
    pub(super) fn stream(&self, doc: u32) -> Codes<'_> {
        Codes(self.streams.get(doc as usize))
    }
}

fn read_synonyms(json: &[u8]) -> Result<HashMap<String, Vec<Vec<String>>>, SectionError> {
    let groups: Vec<Vec<String>> =
        serde_json::from_slice(json).map_err(|_| SectionError("synonyms", "is not JSON"))?;
    let mut synonyms: HashMap<String, Vec<Vec<String>>> = HashMap::default();
    for group in &groups {
        for term in group {
            let others = group.iter().filter(|other| *other != term);
            let others = others.map(|other| other.split(' ').map(str::to_owned).collect());
            synonyms.entry(term.clone()).or_default().extend(others);
        }
    }
    Ok(synonyms)
}
