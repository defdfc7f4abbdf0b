//! Writes the grams: finds rows of words whose parts are frequent.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::grams::{BLOCK, LONGEST, few, key};
use crate::distinct::distinct;
use crate::search::set::bits_of;
use crate::search::table::is_dense;
use store::sections::SectionWriter;

/// A term of a text, and whether it stands at the same position as the one before.
pub(in crate::search) type Token = (u32, bool);

/// An occurrence of a gram: what stands before its last word, that word, the document.
type Occurrence = [u32; 3];

/// Calls a function with every text and its document, in the order of documents.
pub(in crate::search) type Texts<'t> = dyn Fn(&mut dyn FnMut(u32, &[Token])) + 't;

/// Parts of the grams, by what stands before the last word: only the occurrences of one part are in memory.
const PARTS: usize = 4;

/// Collects grams, shorter ones first, and writes them.
pub(in crate::search) struct GramsWriter<'a> {
    /// Whether each term is frequent.
    terms: &'a [bool],
    /// Numbers of the frequent grams.
    frequent: FxHashMap<u64, u32>,
    /// The last words of each frequent gram without its first one, by number.
    ends: FxHashMap<u32, u32>,
    blocks: Blocks,
}

impl<'a> GramsWriter<'a> {
    /// Writes the grams of the texts of `count` documents; no row goes on from one text to the next.
    pub(in crate::search) fn write(
        count: usize,
        terms: &'a [bool],
        texts: &Texts<'_>,
        writer: &mut SectionWriter,
    ) {
        let blocks = Blocks { count, ..Blocks::default() };
        let mut grams = Self { terms, frequent: FxHashMap::default(), ends: FxHashMap::default(), blocks };
        for length in 2..=LONGEST {
            let mut frequent = Vec::new();
            let all = terms.len() + grams.blocks.added;
            for part in 0..PARTS {
                let before = (all * part / PARTS) as u32..(all * (part + 1) / PARTS) as u32;
                let found = grams.collect(length, &before, texts);
                grams.add(length, &found, &mut frequent);
            }
            for (key, number, end) in frequent {
                grams.frequent.insert(key, number);
                grams.ends.insert(number, end);
            }
        }
        grams.blocks.write(writer);
    }

    /// The grams of a length whose two parts are frequent, with any of `before` before their last words.
    fn collect(&self, length: usize, before: &Range<u32>, texts: &Texts<'_>) -> Vec<Occurrence> {
        let mut found = Vec::new();
        texts(&mut |doc, text| {
            self.find(length, doc, text, &mut |occurrence| {
                if before.contains(&occurrence[0]) {
                    found.push(occurrence);
                }
            });
        });
        distinct(found)
    }

    /// Finds the grams of a text whose two parts are frequent.
    fn find(&self, length: usize, doc: u32, text: &[Token], found: &mut impl FnMut(Occurrence)) {
        // What ends at the position before and at this one, by length less one.
        let (mut before, mut here): ([Vec<u32>; LONGEST], [Vec<u32>; LONGEST]) = Default::default();
        for (last, same) in text {
            if !same {
                std::mem::swap(&mut before, &mut here);
                here.iter_mut().for_each(Vec::clear);
            }
            if !self.terms[*last as usize] {
                continue;
            }
            here[0].push(*last);
            for shorter in 1..length - 1 {
                let grams =
                    before[shorter - 1].iter().filter_map(|part| self.frequent.get(&key(*part, *last)));
                here[shorter].extend(grams);
            }
            let parts = before[length - 2].iter().filter(|part| length == 2 || self.continues(**part, *last));
            parts.for_each(|part| found([*part, *last, doc]));
        }
    }

    /// Whether a gram without its first word and with one more word at the end is frequent.
    fn continues(&self, gram: u32, last: u32) -> bool {
        self.ends.get(&gram).is_some_and(|end| self.frequent.contains_key(&key(*end, last)))
    }

    /// Adds grams of a length; `frequent` gets the key, the number and the end of those that are frequent.
    fn add(&mut self, length: usize, found: &[Occurrence], frequent: &mut Vec<(u64, u32, u32)>) {
        for gram in found.chunk_by(|a, b| a[..2] == b[..2]) {
            let [before, last, _] = gram[0];
            let number = (self.terms.len() + self.blocks.added) as u32;
            self.blocks.add(key(before, last), gram.iter().map(|[.., doc]| *doc));
            if gram.len() > few(self.blocks.count) {
                let end = if length == 2 { last } else { self.frequent[&key(self.ends[&before], last)] };
                frequent.push((key(before, last), number, end));
            }
        }
    }
}

/// The sections being written.
#[derive(Default)]
struct Blocks {
    count: usize,
    added: usize,
    last: u64,
    keys: Vec<u64>,
    at: Vec<u64>,
    text: Vec<u8>,
    bits: Vec<u64>,
}

impl Blocks {
    fn add(&mut self, key: u64, docs: impl ExactSizeIterator<Item = u32>) {
        if self.added.is_multiple_of(BLOCK) {
            self.keys.push(key);
            self.at.push(self.text.len() as u64);
            self.last = key;
        }
        self.added += 1;
        push_leb128(&mut self.text, key - std::mem::replace(&mut self.last, key));
        if is_dense(docs.len(), self.count) {
            let bits = bits_of(docs, self.count);
            push_leb128(&mut self.text, 0);
            push_leb128(&mut self.text, self.bits.len().checked_div(bits.len()).unwrap_or(0) as u64);
            self.bits.extend(bits);
        } else {
            let (mut listed, mut next) = (Vec::with_capacity(2 * docs.len()), 0);
            for doc in docs {
                push_leb128(&mut listed, u64::from(doc - next));
                next = doc + 1;
            }
            push_leb128(&mut self.text, listed.len() as u64);
            self.text.extend_from_slice(&listed);
        }
    }

    fn write(mut self, writer: &mut SectionWriter) {
        self.at.push(self.text.len() as u64);
        writer.put("gram.key", self.keys);
        writer.put("gram.at", self.at);
        writer.put("gram.text", self.text);
        writer.put("gram.bits", self.bits);
    }
}

/// Adds a LEB128 number.
pub(in crate::search) fn push_leb128(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
