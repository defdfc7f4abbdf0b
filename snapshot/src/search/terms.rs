//! Terms: the dictionary of every token, in which documents each stands, and the documents' tokens
//! in order for phrases and ranking.
//!
//! ```text
//! term.at term.text    tokens, sorted by bytes; a token's position is its number
//! term.docs.at .docs   documents of each term, ascending; empty where the term is dense
//! term.dense           u32 for each term: which bit set, or u32::MAX
//! impact.at .text      an impact of each term in each of its documents, see [`Impact`]
//! term.bits            bit sets of the terms that stand in more than 1 of 32 documents
//! en.* es.*            stems of that language, sorted, the terms that share each, and each term's stem
//! term.code            u32 for each term: its number in streams; frequent terms have small numbers
//! field.mean           f32 × 6: mean length of each field, in tokens
//! stream.at stream     each document's tokens: LEB128 codes, see [`Mark`]
//! synonyms             JSON: lists of folded words that mean the same
//! ```

mod write;

use compact_str::CompactString;
use rustc_hash::FxHashMap as HashMap;

use crate::search::grams::{Grams, Row};
use crate::search::impact::{FIELDS, Impact};
use crate::search::set::{Docs, Held, has_bit, meet, set_bit, union, words};
use crate::search::table::{Dictionary, Lists, Strings, check_bits, check_len, check_offsets};
use crate::search::text::stems;
use crate::store::sections::{Section, SectionError, Sections};

pub use write::TermsWriter;

/// A term that stands in more than one of this many documents has a bit set.
const DENSE: usize = 32;
const NOT_DENSE: u32 = u32::MAX;

/// What precedes tokens in a stream. A field's mark starts a new text; phrases do not cross it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum Mark {
    Name,
    Alias,
    Organization,
    Summary,
    Description,
    Fact,
    /// The next token stands at the same position as the one before.
    Same,
}

/// Codes below this are marks.
pub(super) const FIRST_CODE: u32 = 8;

type SectionNames = (&'static str, &'static str);
const TERMS: SectionNames = ("term.at", "term.text");
const IMPACTS: SectionNames = ("impact.at", "impact.text");
const POSTINGS: SectionNames = ("term.docs.at", "term.docs");
const ENGLISH: StemNames =
    StemNames { stems: ("en.at", "en.text"), members: ("en.terms.at", "en.terms"), of: "en.of" };
const SPANISH: StemNames =
    StemNames { stems: ("es.at", "es.text"), members: ("es.terms.at", "es.terms"), of: "es.of" };

/// Sections of a language's stems.
struct StemNames {
    stems: SectionNames,
    members: SectionNames,
    of: &'static str,
}

/// Reads the codes of a stream; ends at damage as at the end.
pub(super) struct Codes<'a>(&'a [u8]);

impl Iterator for Codes<'_> {
    type Item = u32;
    #[inline]
    fn next(&mut self) -> Option<u32> {
        let mut code = 0;
        for position in 0..5 {
            let byte = *self.0.get(position)?;
            code |= u32::from(byte & 0x7f) << (7 * position);
            if byte < 0x80 {
                self.0 = &self.0[position + 1..];
                return Some(code);
            }
        }
        None
    }
}

struct StemTable {
    stems: Dictionary,
    members: Lists,
    of: Section<u32>,
}

impl StemTable {
    fn open(sections: &Sections, names: &StemNames, terms: usize) -> Result<Self, SectionError> {
        let members = Lists::open(sections, names.members, terms)?;
        let table =
            Self { stems: Dictionary::open(sections, names.stems)?, members, of: sections.get(names.of)? };
        check_len(names.of, &table.of, terms)?;
        if table.stems.strings().len() != table.members.len() {
            return Err(SectionError::Content(names.members.0, "has another length"));
        }
        Ok(table)
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
    terms: Dictionary,
    postings: Lists,
    dense: Section<u32>,
    bits: Section<u64>,
    impacts: Strings,
    english: StemTable,
    spanish: StemTable,
    codes: Section<u32>,
    field_means: Section<f32>,
    stream_at: Section<u64>,
    stream: Section<u8>,
    grams: Grams,
    synonyms: HashMap<String, Vec<Vec<String>>>,
    longest_synonym: usize,
    count: usize,
}

/// Documents whose impacts are asked for.
pub(super) struct Among<'a> {
    /// Ascending.
    docs: &'a [u32],
    bits: Vec<u64>,
}

impl<'a> Among<'a> {
    /// Some of `count` documents, ascending.
    pub(super) fn new(docs: &'a [u32], count: usize) -> Self {
        let mut bits = vec![0; words(count)];
        docs.iter().for_each(|doc| set_bit(&mut bits, *doc));
        Self { docs, bits }
    }
}

/// Terms that a word of a question stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// Numbers of the terms, ascending.
    pub terms: Vec<u32>,
}

impl Meaning {
    /// The terms of two ascending lists.
    fn new(english: &[u32], spanish: &[u32]) -> Self {
        if english == spanish {
            return Self { terms: english.to_vec() };
        }
        let mut terms = [english, spanish].concat();
        terms.sort_unstable();
        terms.dedup();
        Self { terms }
    }
}

impl Terms {
    /// Opens the sections of an index over `count` documents and checks what they point to.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let terms = Dictionary::open(sections, TERMS)?;
        let count_of_terms = terms.strings().len();
        let postings = Lists::open(sections, POSTINGS, count)?;
        let (dense, bits) = (sections.get::<u32>("term.dense")?, sections.get::<u64>("term.bits")?);
        check_len(POSTINGS.0, &vec![(); postings.len()], count_of_terms)?;
        check_len("term.dense", &dense, count_of_terms)?;
        check_bits("term.bits", &bits, count)?;
        let sets = if count == 0 { 0 } else { bits.len() / words(count) };
        if dense.iter().any(|set| *set != NOT_DENSE && *set as usize >= sets) {
            return Err(SectionError::Content("term.dense", "a number is out of bounds"));
        }
        let impacts = Strings::open(sections, IMPACTS)?;
        check_len(IMPACTS.0, &vec![(); impacts.len()], count_of_terms)?;
        let codes = sections.get::<u32>("term.code")?;
        check_len("term.code", &codes, count_of_terms)?;
        let field_means = sections.get::<f32>("field.mean")?;
        check_len("field.mean", &field_means, FIELDS)?;
        let (stream_at, stream) = (sections.get::<u64>("stream.at")?, sections.get::<u8>("stream")?);
        check_offsets("stream.at", &stream_at, stream.len())?;
        check_len("stream.at", &stream_at, count + 1)?;
        let synonyms = read_synonyms(&sections.get::<u8>("synonyms")?)?;
        let longest_synonym = synonyms.keys().map(|words| words.split(' ').count()).max().unwrap_or(0);
        Ok(Self {
            english: StemTable::open(sections, &ENGLISH, count_of_terms)?,
            spanish: StemTable::open(sections, &SPANISH, count_of_terms)?,
            grams: Grams::open(sections, count_of_terms, count)?,
            synonyms,
            longest_synonym,
            terms,
            postings,
            dense,
            bits,
            impacts,
            codes,
            field_means,
            stream_at,
            stream,
            count,
        })
    }

    /// Documents in which a term stands.
    #[must_use]
    pub fn docs(&self, term: u32) -> Docs<'_> {
        match self.dense.get(term as usize) {
            Some(&set) if set != NOT_DENSE => {
                let start = set as usize * words(self.count);
                Docs::Bits(&self.bits[start..start + words(self.count)])
            }
            _ => Docs::List(self.postings.get(term as usize)),
        }
    }

    /// The impacts of a term in documents: `each` takes a place among them and the impact.
    pub(super) fn impacts(&self, term: u32, among: &Among<'_>, mut each: impl FnMut(usize, Impact)) {
        let impacts = self.impacts.bytes(term as usize);
        let mut tell = |place: usize, at: usize| {
            if let Some(impact) = impacts.get(at) {
                each(place, Impact(*impact));
            }
        };
        let list = match self.docs(term) {
            Docs::Bits(bits) => return meet(&among.bits, bits, tell),
            Docs::List(list) => list,
        };
        // The shorter of the two is walked, the other searched from where it was left.
        if list.len() < among.docs.len() {
            let mut place = 0;
            for (at, doc) in list.iter().enumerate().filter(|(_, doc)| has_bit(&among.bits, **doc)) {
                place += ahead(&among.docs[place..], *doc);
                tell(place, at);
            }
        } else {
            let mut at = 0;
            for (place, doc) in among.docs.iter().enumerate() {
                at += ahead(&list[at..], *doc);
                if list.get(at) == Some(doc) {
                    tell(place, at);
                }
            }
        }
    }

    /// Documents of terms in a row.
    pub(super) fn row(&self, phrase: &[u32]) -> Row<'_> {
        self.grams.row(phrase, |term| self.docs(term))
    }

    /// The token of a term.
    #[must_use]
    pub fn text(&self, term: u32) -> &str {
        self.terms.strings().text(term as usize)
    }

    /// The term that a folded token is.
    #[must_use]
    pub fn exact(&self, token: &str) -> Option<u32> {
        self.terms.find(token.as_bytes()).map(|term| term as u32)
    }

    /// The token itself and what shares a stem with it in either language.
    #[must_use]
    pub fn related(&self, token: &str) -> Meaning {
        match self.exact(token) {
            Some(term) => self.siblings(term),
            None => self.of_stems(&stems(token)),
        }
    }

    /// A term and those that share a stem with it in either language.
    #[must_use]
    pub fn siblings(&self, term: u32) -> Meaning {
        Meaning::new(self.english.siblings(term), self.spanish.siblings(term))
    }

    /// Terms that have either stem.
    #[must_use]
    pub fn of_stems(&self, [english, spanish]: &[CompactString; 2]) -> Meaning {
        Meaning::new(self.english.members(english), self.spanish.members(spanish))
    }

    /// Words of the dataset that mean the same as a folded word or words.
    #[must_use]
    pub fn synonyms(&self, words: &str) -> &[Vec<String>] {
        self.synonyms.get(words).map_or(&[], Vec::as_slice)
    }

    /// How many words the longest of them is.
    #[must_use]
    pub fn longest_synonym(&self) -> usize {
        self.longest_synonym
    }

    /// All tokens, sorted by bytes.
    pub(super) fn dictionary(&self) -> &Strings {
        self.terms.strings()
    }

    /// How many tokens a document that has a field has there, on average.
    #[must_use]
    pub fn mean_length(&self, field: usize) -> f32 {
        self.field_means.get(field).copied().unwrap_or(1.0).max(1.0)
    }

    /// Documents of any of the terms.
    #[must_use]
    pub fn any(&self, meaning: &Meaning) -> Held<'_> {
        let parts: Vec<Docs<'_>> = meaning.terms.iter().map(|term| self.docs(*term)).collect();
        union(&parts, self.count)
    }

    /// How many documents there are.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.count
    }

    /// Number of a term in streams.
    pub(super) fn code(&self, term: u32) -> u32 {
        self.codes.get(term as usize).copied().unwrap_or_default()
    }

    /// How many codes a document's stream has, about: most take one byte, some two.
    #[must_use]
    pub fn mean_codes(&self) -> u64 {
        self.stream.len() as u64 / (self.count as u64).max(1)
    }

    /// A document's tokens and marks.
    pub(super) fn stream(&self, doc: u32) -> Codes<'_> {
        let doc = doc as usize;
        match self.stream_at.get(doc..doc + 2) {
            Some(&[start, end]) => Codes(&self.stream[start as usize..end as usize]),
            _ => Codes(&[]),
        }
    }
}

/// How many of some ascending numbers are less than one; quick when they are few.
fn ahead(numbers: &[u32], wanted: u32) -> usize {
    let mut end = 1;
    while numbers.get(end - 1).is_some_and(|number| *number < wanted) {
        end *= 2;
    }
    let start = end / 2;
    start + numbers[start..numbers.len().min(end)].partition_point(|number| *number < wanted)
}

fn read_synonyms(json: &[u8]) -> Result<HashMap<String, Vec<Vec<String>>>, SectionError> {
    let groups: Vec<Vec<String>> =
        serde_json::from_slice(json).map_err(|_| SectionError::Content("synonyms", "is not JSON"))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::phrase::Phrases;
    use crate::search::set::DocSet;
    use crate::search::units::Budget;
    use crate::store::sections::SectionWriter;

    fn open(texts: &[&str]) -> Terms {
        let mut terms = TermsWriter::default();
        for text in texts {
            terms.add(text.split('|').map(|part| (Mark::Name, part)));
        }
        let mut writer = SectionWriter::default();
        terms.finish(&[vec!["Beca".into(), "ayuda".into()]], &mut writer);
        Terms::open(&writer.finish(), texts.len()).unwrap()
    }

    fn docs(set: &DocSet) -> Vec<u32> {
        let mut docs = Vec::new();
        set.for_each(|doc| docs.push(doc));
        docs
    }

    fn strings(terms: &Terms, meaning: &Meaning) -> Vec<String> {
        meaning.terms.iter().map(|term| terms.terms.strings().text(*term as usize).to_owned()).collect()
    }

    #[test]
    fn a_token_is_related_to_its_plural() {
        let terms = open(&["nurse training", "nursing loans", "nurseries", "loan"]);
        assert_eq!(strings(&terms, &terms.related("nurses")), ["nurse", "nursing"]);
        assert_eq!(docs(&terms.any(&terms.related("loans")).into_set()), [1, 3]);
        assert_eq!(terms.synonyms("beca"), [["ayuda"]]);
    }

    #[test]
    fn words_that_are_written_together_somewhere_are_one_word_everywhere() {
        let terms = open(&["low-income homes", "homes for low income people", "lowincome", "income low"]);
        let whole = terms.exact("lowincome").unwrap();
        assert_eq!(docs(&terms.docs(whole).to_set()), [0, 1, 2]);
        let phrase = ["low".to_owned(), "income".to_owned(), "people".to_owned()].to_vec();
        let phrases = Phrases::new(std::iter::once(&phrase), std::iter::empty(), &terms);
        assert_eq!(docs(&phrases.keep(None, &terms, &Budget::new(0))), [1]);
    }

    #[test]
    fn a_phrase_needs_its_words_in_a_row_within_one_text() {
        let terms =
            open(&["soil health labs", "health soil", "soil|health", "soil soil health", "soil lhealth"]);
        let phrase = |words: &[&str]| {
            let tokens: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let phrases = Phrases::new(std::iter::once(&tokens), std::iter::empty(), &terms);
            docs(&phrases.keep(None, &terms, &Budget::new(0)))
        };
        assert_eq!(phrase(&["soil", "health"]), [0, 3]);
        assert_eq!(phrase(&["soil", "ihealth"]), [4]);
        assert_eq!(phrase(&["soil", "labs"]), [] as [u32; 0]);
        assert_eq!(phrase(&["unknown"]), [] as [u32; 0]);
    }

    #[test]
    fn what_is_less_is_counted_wherever_it_ends() {
        let numbers: Vec<u32> = (0..40).map(|number| 3 * number).collect();
        for length in 0..numbers.len() {
            for wanted in 0..130 {
                let expected = numbers[..length].iter().filter(|number| **number < wanted).count();
                assert_eq!(ahead(&numbers[..length], wanted), expected, "{length} {wanted}");
            }
        }
    }
}
