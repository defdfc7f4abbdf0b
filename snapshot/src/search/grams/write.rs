//! Writes the grams: finds rows of words whose parts are frequent.

use rustc_hash::FxHashMap;

use super::{BLOCK, LONGEST, few, key};
use crate::search::set::{set_bit, words};
use crate::search::table::is_dense;
use store::sections::SectionWriter;

/// A term of a text, and whether it stands at the same position as the one before.
pub(in crate::search) type Token = (u32, bool);

/// An occurrence of a gram: what stands before its last word, that word, the document.
type Occurrence = (u32, u32, u32);

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
    /// Writes the grams of `count` documents. `texts` calls its argument with every text, in the order of
    /// the documents; no row goes on from one text to the next.
    pub(in crate::search) fn write(
        count: usize,
        terms: &'a [bool],
        texts: impl Fn(&mut dyn FnMut(u32, &[Token])),
        writer: &mut SectionWriter,
    ) {
        let blocks = Blocks { count, ..Blocks::default() };
        let mut grams = Self { terms, frequent: FxHashMap::default(), ends: FxHashMap::default(), blocks };
        for length in 2..=LONGEST {
            let mut found: Vec<Occurrence> = Vec::new();
            texts(&mut |doc, text| grams.find(length, doc, text, &mut found));
            found.sort_unstable();
            found.dedup();
            grams.add(length, &found);
        }
        grams.blocks.write(writer);
    }

    /// Finds the grams of a text whose two parts are frequent.
    fn find(&self, length: usize, doc: u32, text: &[Token], found: &mut Vec<Occurrence>) {
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
            found.extend(parts.map(|part| (*part, *last, doc)));
        }
    }

    /// Whether a gram without its first word and with one more word at the end is frequent.
    fn continues(&self, gram: u32, last: u32) -> bool {
        self.ends.get(&gram).is_some_and(|end| self.frequent.contains_key(&key(*end, last)))
    }

    /// Adds all grams of a length.
    fn add(&mut self, length: usize, found: &[Occurrence]) {
        let mut frequent = Vec::new();
        for gram in found.chunk_by(|(a, b, _), (c, d, _)| (a, b) == (c, d)) {
            let (before, last, _) = gram[0];
            let number = (self.terms.len() + self.blocks.added) as u32;
            self.blocks.add(key(before, last), gram.iter().map(|(_, _, doc)| *doc));
            if gram.len() > few(self.blocks.count) {
                let end = if length == 2 { last } else { self.frequent[&key(self.ends[&before], last)] };
                frequent.push((key(before, last), number, end));
            }
        }
        for (key, number, end) in frequent {
            self.frequent.insert(key, number);
            self.ends.insert(number, end);
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
            let start = self.bits.len();
            push_leb128(&mut self.text, 0);
            push_leb128(&mut self.text, (start / words(self.count)) as u64);
            self.bits.resize(start + words(self.count), 0);
            docs.for_each(|doc| set_bit(&mut self.bits[start..], doc));
            return;
        }
        let (mut listed, mut next) = (Vec::with_capacity(2 * docs.len()), 0);
        for doc in docs {
            push_leb128(&mut listed, u64::from(doc - next));
            next = doc + 1;
        }
        push_leb128(&mut self.text, listed.len() as u64);
        self.text.extend_from_slice(&listed);
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
