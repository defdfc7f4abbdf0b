//! Writes the terms: collects the texts of documents, and lays out postings, impacts, stems and streams.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap as HashMap;

use super::{
    COGNATES, ENGLISH, FIRST_CODE, FREQUENT, IMPACTS, Mark, POSTINGS, SPANISH, STREAMS, StemNames, TERMS,
    TOP, TOP_DOCS, TOP_TERMS,
};
use crate::search::cognates::cognate_keys;
use crate::search::grams::few;
use crate::search::grams::write::{GramsWriter, Token, push_leb128};
use crate::search::impact::{FIELDS, Impact, divisors, frequency};
use crate::search::table::{Lists, ListsOf, Postings, Strings};
use crate::text::{SamePosition, english_stem, spanish_stem, tokens, words_of};
use store::sections::SectionWriter;

/// Collects the texts of documents, in document order, and writes the sections.
#[derive(Default)]
pub(in crate::search) struct TermsWriter {
    numbers: HashMap<String, u32>,
    documents: Vec<Vec<u32>>,
    counts: Vec<u32>,
    stream: Vec<u32>,
    stream_at: Vec<usize>,
    /// Two words and the word that they make together in some text.
    compounds: HashMap<(u32, u32), u32>,
}

/// Marks in the writer's stream: greater than every term number.
const MARK: u32 = u32::MAX - FIRST_CODE;
const SAME: u32 = MARK + Mark::Same as u32;

/// A part of a document's stream.
enum Item {
    /// A text of a field begins.
    Field(usize),
    /// A token, and whether it is another reading of the position before.
    Token(u32, bool),
}

/// The parts of a document's stream.
fn items(stream: &[u32]) -> impl Iterator<Item = Item> {
    let mut same = false;
    stream.iter().filter_map(move |item| match *item {
        SAME => {
            same = true;
            None
        }
        MARK.. => Some(Item::Field((item - MARK) as usize)),
        number => Some(Item::Token(number, std::mem::take(&mut same))),
    })
}

impl TermsWriter {
    /// Adds the next document: its texts, each with the field it stands in.
    pub(in crate::search) fn add<'a>(&mut self, texts: impl Iterator<Item = (Mark, &'a str)>) {
        let doc = self.stream_at.len() as u32;
        for (mark, text) in texts {
            self.stream.push(MARK + mark as u32);
            // The last two words: numbers and texts.
            let mut numbers = [None; 2];
            let mut texts = [String::new(), String::new()];
            tokens(text, |token, SamePosition(same)| {
                let number = self.number(token);
                if same {
                    self.stream.push(SAME);
                    if let [Some(first), Some(second)] = numbers
                        && token.strip_prefix(texts[0].as_str()) == Some(&texts[1])
                    {
                        self.compounds.insert((first, second), number);
                    }
                } else {
                    numbers = [numbers[1], Some(number)];
                    texts.swap(0, 1);
                    texts[1].clear();
                    texts[1].push_str(token);
                }
                self.stream.push(number);
                self.counts[number as usize] += 1;
                let documents = &mut self.documents[number as usize];
                if documents.last() != Some(&doc) {
                    documents.push(doc);
                }
            });
        }
        self.stream_at.push(self.stream.len());
    }

    fn number(&mut self, token: &str) -> u32 {
        if let Some(number) = self.numbers.get(token) {
            return *number;
        }
        let number = self.documents.len() as u32;
        self.numbers.insert(token.to_owned(), number);
        self.documents.push(Vec::new());
        self.counts.push(0);
        number
    }

    /// The stream of each document.
    fn streams(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.stream_at.iter().copied());
        starts.zip(&self.stream_at).map(|(start, end)| &self.stream[start..*end])
    }

    /// Writes all sections. `synonyms` are groups of words that mean the same.
    pub(in crate::search) fn finish(mut self, synonyms: &[Vec<String>], writer: &mut SectionWriter) {
        self.join_compounds();
        let mut terms: Vec<(&str, usize)> =
            self.numbers.iter().map(|(term, number)| (term.as_str(), *number as usize)).collect();
        terms.sort_unstable();
        Strings::write(writer, TERMS, terms.iter().map(|(term, _)| term.as_bytes()));
        let documents = terms.iter().map(|(_, number)| self.documents[*number].as_slice());
        Postings::write(writer, &POSTINGS, documents, self.stream_at.len());
        let means = self.mean_lengths();
        let (terms, of) = (&terms, &self);
        let (grams, rest) = std::thread::scope(|threads| {
            let grams = threads.spawn(|| {
                let mut grams = SectionWriter::default();
                of.write_grams(terms, &mut grams);
                grams
            });
            let impacts = of.impacts(&means);
            ListsOf::write(writer, IMPACTS, terms.iter().map(|(_, number)| &impacts[*number]));
            let mut rest = SectionWriter::default();
            of.write_tops(terms, &impacts, &mut rest);
            write_stems(terms, &ENGLISH, &mut rest, |term| english_stem(term).into_owned());
            write_stems(terms, &SPANISH, &mut rest, spanish_stem);
            write_cognates(terms, &mut rest);
            of.write_streams(terms, &mut rest);
            (grams.join(), rest)
        });
        writer.append(grams.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        writer.append(rest);
        let folded: Vec<Vec<String>> = synonyms
            .iter()
            .map(|group| group.iter().map(|term| words_of(term).join(" ")).collect())
            .collect();
        writer.put("synonyms", serde_json::to_vec(&folded).unwrap_or_default());
    }

    /// Adds the joined word as a reading of the second of two words in a row that are written together
    /// elsewhere (`low income`, `low-income`).
    fn join_compounds(&mut self) {
        let old = std::mem::take(&mut self.stream);
        let mut stream = Vec::with_capacity(old.len() + old.len() / 16);
        let mut added: Vec<(u32, u32)> = Vec::new();
        let mut start = 0;
        for (doc, end) in self.stream_at.iter_mut().enumerate() {
            let items = &old[start..*end];
            start = *end;
            let mut before = None;
            let mut at = 0;
            while let Some(item) = items.get(at) {
                stream.push(*item);
                at += 1;
                if *item == SAME {
                    stream.extend(items.get(at));
                    at += 1;
                } else if *item >= MARK {
                    before = None;
                } else {
                    let whole = before.and_then(|before| self.compounds.get(&(before, *item)));
                    let mut readings = items[at..].chunks(2).take_while(|pair| pair[0] == SAME);
                    if let Some(whole) = whole
                        && !readings.any(|pair| pair.get(1) == Some(whole))
                    {
                        stream.extend([SAME, *whole]);
                        added.push((*whole, doc as u32));
                    }
                    before = Some(*item);
                }
            }
            *end = stream.len();
        }
        self.stream = stream;
        for (number, doc) in &added {
            self.counts[*number as usize] += 1;
            self.documents[*number as usize].push(*doc);
        }
        added.sort_unstable();
        added.dedup_by_key(|(number, _)| *number);
        for (number, _) in added {
            self.documents[number as usize].sort_unstable();
            self.documents[number as usize].dedup();
        }
    }

    fn write_grams(&self, terms: &[(&str, usize)], writer: &mut SectionWriter) {
        let count = self.stream_at.len();
        let is_frequent: Vec<bool> =
            terms.iter().map(|(_, number)| self.documents[*number].len() > few(count)).collect();
        let mut term_of = vec![0u32; terms.len()];
        terms.iter().zip(0..).for_each(|((_, number), term)| term_of[*number] = term);
        let texts = |each: &mut dyn FnMut(u32, &[Token])| {
            let mut text = Vec::new();
            for (doc, stream) in (0..).zip(self.streams()) {
                for item in items(stream) {
                    match item {
                        Item::Token(number, same) => text.push((term_of[number as usize], same)),
                        Item::Field(_) => {
                            each(doc, &text);
                            text.clear();
                        }
                    }
                }
                each(doc, &text);
                text.clear();
            }
        };
        GramsWriter::write(count, &is_frequent, texts, writer);
    }

    /// Mean length of each field in the documents that have it, in tokens.
    fn mean_lengths(&self) -> Vec<f32> {
        let (mut tokens, mut texts) = ([0u64; FIELDS], [0u64; FIELDS]);
        for stream in self.streams() {
            let (mut lengths, mut field) = ([0u64; FIELDS], 0);
            for item in items(stream) {
                match item {
                    Item::Field(next) => field = next,
                    Item::Token(_, same) => lengths[field] += u64::from(!same),
                }
            }
            for (field, length) in lengths.into_iter().enumerate() {
                tokens[field] += length;
                texts[field] += u64::from(length > 0);
            }
        }
        tokens.iter().zip(texts).map(|(tokens, texts)| *tokens as f32 / texts.max(1) as f32).collect()
    }

    /// The impacts of each term in its documents, ascending.
    fn impacts(&self, means: &[f32]) -> Vec<Vec<u16>> {
        let mut impacts: Vec<Vec<u16>> =
            self.documents.iter().map(|docs| Vec::with_capacity(docs.len())).collect();
        let mut found: Vec<(u32, usize)> = Vec::new();
        for stream in self.streams() {
            let (mut lengths, mut field) = ([0f32; FIELDS], 0);
            for item in items(stream) {
                match item {
                    Item::Field(next) => field = next,
                    Item::Token(number, same) => {
                        lengths[field] += f32::from(u8::from(!same));
                        found.push((number, field));
                    }
                }
            }
            let divisors = divisors(&lengths, |field| means[field].max(1.0));
            found.sort_unstable();
            for occurrences in found.chunk_by(|(number, _), (other, _)| number == other) {
                let mut counts = [0f32; FIELDS];
                occurrences.iter().for_each(|(_, field)| counts[*field] += 1.0);
                let in_name = counts[Mark::Name as usize] + counts[Mark::Alias as usize] > 0.0;
                let impact = Impact::new(frequency(&counts, &divisors), in_name);
                impacts[occurrences[0].0 as usize].push(impact.0);
            }
            found.clear();
        }
        impacts
    }

    /// Writes the documents in which frequent terms have the greatest effect, of equal ones the first.
    fn write_tops(&self, terms: &[(&str, usize)], impacts: &[Vec<u16>], writer: &mut SectionWriter) {
        let is_frequent = |(_, (_, number)): &(u32, &(&str, usize))| self.documents[*number].len() > FREQUENT;
        let (frequent, numbers): (Vec<u32>, Vec<usize>) =
            (0..).zip(terms).filter(is_frequent).map(|(term, (_, number))| (term, *number)).unzip();
        let tops = numbers.into_iter().map(|number| {
            let effects = impacts[number].iter().map(|impact| Impact(*impact).effect());
            let mut docs: Vec<(f64, u32)> = effects.zip(self.documents[number].iter().copied()).collect();
            docs.select_nth_unstable_by(TOP, |(x, a), (y, b)| y.total_cmp(x).then_with(|| a.cmp(b)));
            let mut docs: Vec<u32> = docs.into_iter().take(TOP).map(|(_, doc)| doc).collect();
            docs.sort_unstable();
            docs
        });
        Lists::write(writer, TOP_DOCS, tops);
        writer.put(TOP_TERMS, frequent);
    }

    fn write_streams(&self, terms: &[(&str, usize)], writer: &mut SectionWriter) {
        let mut by_frequency: Vec<usize> = (0..terms.len()).collect();
        by_frequency.sort_by_key(|term| (Reverse(self.counts[terms[*term].1]), *term));
        let (mut code_of_term, mut code_of_number) = (vec![0u32; terms.len()], vec![0u32; terms.len()]);
        for (rank, term) in by_frequency.into_iter().enumerate() {
            code_of_term[term] = FIRST_CODE + rank as u32;
            code_of_number[terms[term].1] = FIRST_CODE + rank as u32;
        }
        writer.put("term.code", code_of_term);
        let coded = |stream: &[u32]| {
            let mut bytes = Vec::new();
            for item in stream {
                let code = if *item >= MARK { *item - MARK } else { code_of_number[*item as usize] };
                push_leb128(&mut bytes, u64::from(code));
            }
            bytes
        };
        Strings::write(writer, STREAMS, self.streams().map(coded));
    }
}

fn write_cognates(terms: &[(&str, usize)], writer: &mut SectionWriter) {
    let mut members: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for ((text, _), term) in terms.iter().zip(0..) {
        for key in cognate_keys(text).into_iter().flatten() {
            members.entry(key).or_default().push(term);
        }
    }
    Strings::write(writer, COGNATES.0, members.keys().map(String::as_bytes));
    Lists::write(writer, COGNATES.1, members.values().map(Vec::as_slice));
}

fn write_stems(
    terms: &[(&str, usize)],
    names: &StemNames,
    writer: &mut SectionWriter,
    stem: impl Fn(&str) -> String,
) {
    let mut members: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (term, (text, _)) in terms.iter().enumerate() {
        members.entry(stem(text)).or_default().push(term as u32);
    }
    let mut of = vec![0u32; terms.len()];
    for (stem, members) in members.values().enumerate() {
        members.iter().for_each(|term| of[*term as usize] = stem as u32);
    }
    Strings::write(writer, names.stems, members.keys().map(String::as_bytes));
    Lists::write(writer, names.members, members.values().map(Vec::as_slice));
    writer.put(names.of, of);
}
