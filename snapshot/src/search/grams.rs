//! Two or three words in a row that so many documents have that reading these would take long. Rarer rows
//! are not stored: their documents are few enough to be read.
//!
//! ```text
//! gram.key    u64: the first gram of each block: what stands before its last word, and that word
//! gram.at     u64: where each block begins, and the end
//! gram.text   blocks: grams in the order of their keys, as LEB128 numbers: the difference from the key before, the
//!             length of its documents in bytes, and the gap before each; of length 0, the number of a bit set
//! gram.bits   bit sets of the grams of more than 1 of 32 documents
//! ```
//! Before the last of two words stands a term, before the last of three a gram of two words, whose numbers follow
//! those of the terms.

use crate::search::set::{DocSet, words};
use crate::search::table::{bit_sets, check_offsets, column};
use store::sections::{Section, SectionError, Sections};

/// Most words in a row.
pub(super) const LONGEST: usize = 3;
/// Grams of a block.
pub(super) const BLOCK: usize = 32;

/// Documents that are few enough to be read: in a small directory, a few hundred at least; in a large one, so many
/// that the grams do not outgrow the rest of the index.
pub(super) fn few(count: usize) -> usize {
    (count / 64).clamp(128, 512).max(count / 512)
}

pub(super) const fn key(before: u32, last: u32) -> u64 {
    (before as u64) << 32 | last as u64
}

/// The grams, open.
pub(super) struct Grams {
    keys: Section<u64>,
    at: Section<u64>,
    text: Section<u8>,
    bits: Section<u64>,
    terms: usize,
    count: usize,
}

/// Documents of words in a row.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// Documents that may have it.
    pub(super) docs: DocSet<'a>,
    /// Whether all of them have it.
    pub(super) is_exact: bool,
}

/// A part of a row that can be looked up.
struct Part<'a> {
    docs: DocSet<'a>,
    /// Number of the term or gram, if longer parts with it are stored too.
    number: Option<u32>,
}

impl Grams {
    /// Opens the sections beside `terms` terms of `count` documents.
    pub(super) fn open(sections: &Sections, terms: usize, count: usize) -> Result<Self, SectionError> {
        let (keys, text) = (sections.get::<u64>("gram.key")?, sections.get::<u8>("gram.text")?);
        let at = column(sections, "gram.at", keys.len() + 1)?;
        check_offsets("gram.at", &at, text.len())?;
        Ok(Self { at, keys, text, bits: bit_sets(sections, "gram.bits", count)?, terms, count })
    }

    /// Documents of a phrase of at least two terms; `docs` gives those of a term.
    pub(super) fn row<'a>(&'a self, phrase: &[u32], docs: impl Fn(u32) -> DocSet<'a>) -> Row<'a> {
        let terms = phrase.iter().map(|term| Some(self.part(*term, docs(*term))));
        let mut shorter: Vec<Option<Part<'a>>> = terms.collect();
        let mut all: Vec<DocSet<'a>> = Vec::new();
        for length in 2..=LONGEST.min(phrase.len()) {
            let number = |at: usize| shorter[at].as_ref().and_then(|part| part.number);
            let longer: Vec<Option<Part<'a>>> = (0..=phrase.len() - length)
                .map(|at| {
                    let (before, _) = number(at).zip(number(at + 1))?;
                    Some(self.gram(before, phrase[at + length - 1]))
                })
                .collect();
            all.extend(std::mem::replace(&mut shorter, longer).into_iter().flatten().map(|part| part.docs));
        }
        let is_exact = shorter.len() == 1 && shorter[0].is_some();
        all.extend(shorter.into_iter().flatten().map(|part| part.docs));
        // The longest first: they have the fewest documents.
        let docs = all.into_iter().rev().reduce(|all, docs| all.and(&docs)).unwrap_or_default();
        Row { is_exact: is_exact || docs.is_empty(), docs }
    }

    fn part<'a>(&self, number: u32, docs: DocSet<'a>) -> Part<'a> {
        Part { number: (docs.len() > few(self.count)).then_some(number), docs }
    }

    /// A gram whose two parts are frequent: it is stored, or no document has it.
    fn gram(&self, before: u32, last: u32) -> Part<'_> {
        let found = self.find(key(before, last));
        found.map_or(Part { docs: DocSet::default(), number: None }, |(number, docs)| self.part(number, docs))
    }

    /// Number and documents of a gram.
    fn find(&self, wanted: u64) -> Option<(u32, DocSet<'_>)> {
        let block = self.keys.partition_point(|key| *key <= wanted).checked_sub(1)?;
        let (start, end) = (*self.at.get(block)? as usize, *self.at.get(block + 1)? as usize);
        let mut rest = self.text.get(start..end)?;
        let mut key = self.keys[block];
        for place in 0..BLOCK {
            key = key.checked_add(read_leb128(&mut rest)?)?;
            let length = usize::try_from(read_leb128(&mut rest)?).ok()?;
            if key >= wanted {
                let number = self.terms + block * BLOCK + place;
                return if key == wanted { Some((number as u32, self.docs(rest, length)?)) } else { None };
            }
            match length {
                0 => read_leb128(&mut rest).map(|_| ())?,
                _ => rest = rest.get(length..)?,
            }
        }
        None
    }

    fn docs(&self, text: &[u8], length: usize) -> Option<DocSet<'_>> {
        if length == 0 {
            let set = usize::try_from(read_leb128(&mut &*text)?).ok()?;
            let start = set.checked_mul(words(self.count))?;
            return self.bits.get(start..start.checked_add(words(self.count))?).map(DocSet::bits);
        }
        let mut rest = text.get(..length)?;
        let (mut docs, mut next) = (Vec::with_capacity(length), 0u64);
        while let Some(gap) = read_leb128(&mut rest) {
            let doc = next.checked_add(gap).filter(|doc| *doc < self.count as u64)?;
            docs.push(doc as u32);
            next = doc + 1;
        }
        Some(DocSet::new(docs))
    }
}

/// Takes a LEB128 number off the front; `None` at the end and at damage.
#[inline]
pub(super) fn read_leb128(text: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for position in 0..10 {
        let byte = *text.get(position)?;
        number |= u64::from(byte & 0x7f).checked_shl(7 * position as u32)?;
        if byte < 0x80 {
            *text = &text[position + 1..];
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;
    use crate::search::cost::Budget;
    use crate::search::phrase::Phrases;
    use crate::search::terms::{FIRST_CODE, Mark, Terms};
    use crate::search::terms_writer::TermsWriter;
    use store::sections::SectionWriter;

    const COUNT: usize = 400;
    /// From very common to rare.
    const WORDS: [&str; 9] = ["of", "the", "of", "the", "of", "low", "income", "low-income", "soil"];

    /// Numbers that look random.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }

        fn words(&mut self, count: usize) -> Vec<String> {
            (0..count).map(|_| WORDS[self.below(WORDS.len())].to_owned()).collect()
        }
    }

    fn open(dice: &mut Dice) -> Terms {
        let mut writer = TermsWriter::default();
        for _ in 0..COUNT {
            let texts = [dice.words(6).join(" "), dice.words(5).join(" ")];
            writer.add(texts.iter().map(|text| (Mark::Summary, text.as_str())));
        }
        let mut sections = SectionWriter::default();
        writer.finish(&[], &mut sections);
        Terms::open(&sections.finish(), COUNT).unwrap()
    }

    /// Whether words stand in a row in a document, by reading all of it.
    fn has(terms: &Terms, doc: u32, phrase: &[String]) -> bool {
        let codes: Vec<u32> =
            phrase.iter().map(|word| terms.exact(word).map_or(0, |term| terms.code(term))).collect();
        let mut texts: Vec<Vec<Vec<u32>>> = Vec::new();
        let mut same = false;
        for code in terms.stream(doc) {
            match code {
                code if code == Mark::Same as u32 => same = true,
                ..FIRST_CODE => texts.push(Vec::new()),
                code => {
                    let text = texts.last_mut().unwrap();
                    match text.last_mut().filter(|_| std::mem::take(&mut same)) {
                        Some(readings) => readings.push(code),
                        None => text.push(vec![code]),
                    }
                }
            }
        }
        let fits = |window: &[Vec<u32>]| window.iter().zip(&codes).all(|(at, code)| at.contains(code));
        texts.iter().any(|text| text.windows(codes.len()).any(fits))
    }

    #[test]
    fn phrases_find_the_documents_that_reading_every_document_finds() {
        let mut dice = Dice(7);
        let terms = open(&mut dice);
        let words = ["of", "the", "low", "income", "lowincome", "soil"];
        let mut many = 0;
        for _ in 0..600 {
            let length = 1 + dice.below(5);
            let mut phrase = || -> Vec<String> {
                (0..length).map(|_| words[dice.below(words.len())].to_owned()).collect()
            };
            let (wanted, unwanted) = (phrase(), phrase());
            let phrases = Phrases::new(from_ref(&wanted), from_ref(&unwanted), &terms);
            let mut found = Vec::new();
            phrases.keep(None, &terms, &Budget::default()).for_each(|doc| found.push(doc));
            let expected: Vec<u32> = (0..COUNT as u32)
                .filter(|doc| has(&terms, *doc, &wanted) && !has(&terms, *doc, &unwanted))
                .collect();
            assert_eq!(found, expected, "{wanted:?} without {unwanted:?}");
            many += usize::from(found.len() > few(COUNT));
        }
        assert!(many > 10, "hardly any phrase is common");
    }

    #[test]
    fn phrases_of_three_frequent_words_are_found_without_reading_documents() {
        let mut dice = Dice(7);
        let terms = open(&mut dice);
        let mut common = 0;
        for _ in 0..100 {
            let phrase: Vec<String> = (0..3).map(|_| ["of", "the"][dice.below(2)].to_owned()).collect();
            let all: Vec<u32> = phrase.iter().map(|word| terms.exact(word).unwrap()).collect();
            let row = terms.row(&all);
            assert!(row.is_exact, "{phrase:?}");
            common += usize::from(row.docs.len() > 1);
        }
        assert_eq!(common, 100);
    }

    #[test]
    fn damaged_grams_end_early_and_hold_no_document_out_of_bounds() {
        for text in [&[0x80u8; 12][..], &[1, 2, 0xff, 0xff, 0xff, 0xff, 0x0f], &[0, 0xff, 0x7f], &[]] {
            let mut writer = SectionWriter::default();
            writer.put("gram.key", vec![5u64]);
            writer.put("gram.at", vec![0, text.len() as u64]);
            writer.put("gram.text", text.to_vec());
            writer.put("gram.bits", Vec::<u64>::new());
            let grams = Grams::open(&writer.finish(), 3, COUNT).unwrap();
            for wanted in 0..9 {
                let docs = grams.find(wanted).map(|(_, docs)| docs);
                assert!(docs.is_none_or(|docs| docs.is_empty()), "{wanted} of {text:?}");
            }
        }
    }
}
