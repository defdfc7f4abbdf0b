//! Words in a row, for words that so many documents have that reading these would take long: two of
//! them, and three where each two stand in a row just as often. What is rarer is not here: its
//! documents are few enough to be read.
//!
//! ```text
//! gram.key    u64: the first gram of each block: what stands before its last word, and that word
//! gram.at     u64: where each block begins, and the end
//! gram.text   blocks: grams in the order of their keys, as LEB128 numbers: what the key is more than
//!             the one before, the length of its documents in bytes, and each as what it is more than
//!             the next possible one; of length 0, which bit set
//! gram.bits   bit sets of the grams of more than 1 of 32 documents
//! ```
//! Before the last word of two stands a term; before that of three stands a gram, whose numbers come
//! after those of the terms.

mod write;

use crate::search::set::{DocSet, Docs, Held, words};
use crate::search::table::{check_bits, check_len, check_offsets};
use crate::store::sections::{Section, SectionError, Sections};

pub(super) use write::{GramsWriter, Token};

/// Most words in a row.
const LONGEST: usize = 3;
/// A gram of more than one of this many documents has a bit set.
const DENSE: usize = 32;
/// Grams of a block.
const BLOCK: usize = 32;

/// What more documents have is not read: of a small directory, because the whole of it takes no longer
/// than a few hundred; of a large one, because its grams would be as large as all the rest.
pub(super) fn few(count: usize) -> usize {
    (count / 64).clamp(128, 512).max(count / 512)
}

const fn key(before: u32, last: u32) -> u64 {
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

/// Documents of a row of words.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// Those that have it, and maybe more.
    pub(super) docs: Held<'a>,
    /// Whether no more than those.
    pub(super) is_exact: bool,
}

/// What is known of some words in a row.
enum Known<'a> {
    /// So many documents have them that more words in a row are here too: their number.
    Many(u32, Held<'a>),
    /// Few documents have them.
    Few(Held<'a>),
    /// Nothing, because fewer words are rare already.
    Nothing,
}

impl Grams {
    /// Opens the sections beside `terms` terms of `count` documents.
    pub(super) fn open(sections: &Sections, terms: usize, count: usize) -> Result<Self, SectionError> {
        let grams = Self {
            keys: sections.get("gram.key")?,
            at: sections.get("gram.at")?,
            text: sections.get("gram.text")?,
            bits: sections.get("gram.bits")?,
            terms,
            count,
        };
        check_len("gram.at", &grams.at, grams.keys.len() + 1)?;
        check_offsets("gram.at", &grams.at, grams.text.len())?;
        check_bits("gram.bits", &grams.bits, count)?;
        Ok(grams)
    }

    /// Documents of a phrase of at least two terms; `docs` gives those of a term.
    pub(super) fn row<'a>(&'a self, phrase: &[u32], docs: impl Fn(u32) -> Docs<'a>) -> Row<'a> {
        let few = few(self.count);
        let of_term = |term: &u32| {
            let docs = docs(*term);
            if docs.len() > few {
                Known::Many(*term, Held::There(docs))
            } else {
                Known::Few(Held::There(docs))
            }
        };
        let mut shorter: Vec<Known<'a>> = phrase.iter().map(of_term).collect();
        let mut all: Option<Held<'a>> = None;
        for length in 2..=LONGEST.min(phrase.len()) {
            let longer: Vec<Known<'a>> = (0..=phrase.len() - length)
                .map(|at| match (&shorter[at], &shorter[at + 1]) {
                    (Known::Many(before, _), Known::Many(..)) => self.known(*before, phrase[at + length - 1]),
                    _ => Known::Nothing,
                })
                .collect();
            // A part of something longer that is known says nothing more.
            let is_known = |at: Option<usize>| {
                at.and_then(|at| longer.get(at)).is_some_and(|known| !matches!(known, Known::Nothing))
            };
            for (at, known) in shorter.into_iter().enumerate() {
                if !is_known(Some(at)) && !is_known(at.checked_sub(1)) {
                    all = narrowed(all, known);
                }
            }
            shorter = longer;
        }
        let is_exact = shorter.len() == 1 && !matches!(shorter[0], Known::Nothing);
        let docs = shorter.into_iter().fold(all, narrowed).unwrap_or(Held::Made(DocSet::none()));
        let is_exact = is_exact || docs.docs().is_empty();
        Row { docs, is_exact }
    }

    /// What is known of a row whose two parts are both here.
    fn known(&self, before: u32, last: u32) -> Known<'_> {
        match self.find(key(before, last)) {
            None => Known::Few(Held::Made(DocSet::none())),
            Some((number, docs)) if docs.docs().len() > few(self.count) => Known::Many(number, docs),
            Some((_, docs)) => Known::Few(docs),
        }
    }

    /// Number and documents of a gram.
    fn find(&self, wanted: u64) -> Option<(u32, Held<'_>)> {
        let block = self.keys.partition_point(|key| *key <= wanted).checked_sub(1)?;
        let (start, end) = (*self.at.get(block)? as usize, *self.at.get(block + 1)? as usize);
        let mut rest = self.text.get(start..end)?;
        let mut key = self.keys[block];
        for place in 0..BLOCK {
            key = key.checked_add(number(&mut rest)?)?;
            let length = usize::try_from(number(&mut rest)?).ok()?;
            if key >= wanted {
                let number = self.terms + block * BLOCK + place;
                return if key == wanted { Some((number as u32, self.docs(rest, length)?)) } else { None };
            }
            match length {
                0 => number(&mut rest).map(|_| ())?,
                _ => rest = rest.get(length..)?,
            }
        }
        None
    }

    fn docs(&self, text: &[u8], length: usize) -> Option<Held<'_>> {
        let mut rest = if length == 0 { text } else { text.get(..length)? };
        if length == 0 {
            let start = usize::try_from(number(&mut rest)?).ok()?.checked_mul(words(self.count))?;
            return Some(Held::There(Docs::Bits(
                self.bits.get(start..start.checked_add(words(self.count))?)?,
            )));
        }
        let mut docs = Vec::with_capacity(length);
        let mut next = 0u64;
        while let Some(gap) = number(&mut rest) {
            let doc = next.checked_add(gap).filter(|doc| *doc < self.count as u64)?;
            docs.push(doc as u32);
            next = doc + 1;
        }
        Some(Held::Made(DocSet::List(docs)))
    }
}

fn narrowed<'a>(all: Option<Held<'a>>, known: Known<'a>) -> Option<Held<'a>> {
    let docs = match known {
        Known::Many(_, docs) | Known::Few(docs) => docs,
        Known::Nothing => return all,
    };
    Some(match all {
        None => docs,
        Some(all) => Held::Made(all.docs().and(&docs.docs())),
    })
}

/// Takes a LEB128 number off the front; `None` at the end and at damage.
#[inline]
fn number(text: &mut &[u8]) -> Option<u64> {
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
    use super::*;
    use crate::search::phrase::Phrases;
    use crate::search::terms::{FIRST_CODE, Mark, Terms, TermsWriter};
    use crate::search::units::Budget;
    use crate::store::sections::SectionWriter;

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
            let phrases = Phrases::new(std::iter::once(&wanted), std::iter::once(&unwanted), &terms);
            let mut found = Vec::new();
            phrases.keep(None, &terms, &Budget::new(0)).for_each(|doc| found.push(doc));
            let expected: Vec<u32> = (0..COUNT as u32)
                .filter(|doc| has(&terms, *doc, &wanted) && !has(&terms, *doc, &unwanted))
                .collect();
            assert_eq!(found, expected, "{wanted:?} without {unwanted:?}");
            many += usize::from(found.len() > few(COUNT));
        }
        assert!(many > 10, "hardly any phrase is common");
    }

    #[test]
    fn of_a_phrase_of_three_words_no_document_is_read() {
        let mut dice = Dice(7);
        let terms = open(&mut dice);
        let mut common = 0;
        for _ in 0..100 {
            let phrase: Vec<String> = (0..3).map(|_| ["of", "the"][dice.below(2)].to_owned()).collect();
            let all: Vec<u32> = phrase.iter().map(|word| terms.exact(word).unwrap()).collect();
            let row = terms.row(&all);
            assert!(row.is_exact, "{phrase:?}");
            common += usize::from(row.docs.docs().len() > 1);
        }
        assert_eq!(common, 100);
    }

    #[test]
    fn what_is_damaged_ends_early_and_holds_no_document_from_outside() {
        for text in [&[0x80u8; 12][..], &[1, 2, 0xff, 0xff, 0xff, 0xff, 0x0f], &[0, 0xff, 0x7f], &[]] {
            let mut writer = SectionWriter::default();
            writer.put("gram.key", vec![5u64]);
            writer.put("gram.at", vec![0, text.len() as u64]);
            writer.put("gram.text", text.to_vec());
            writer.put("gram.bits", Vec::<u64>::new());
            let grams = Grams::open(&writer.finish(), 3, COUNT).unwrap();
            for wanted in 0..9 {
                let docs = grams.find(wanted).map(|(_, docs)| docs.into_set());
                assert!(docs.is_none_or(|docs| docs.is_empty()), "{wanted} of {text:?}");
            }
        }
    }
}
