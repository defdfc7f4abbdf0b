//! Writes the dictionary: collects the texts of documents, and lays postings, stems and streams out.

use rustc_hash::FxHashMap as HashMap;

use super::{DENSE, ENGLISH, FIRST_CODE, IMPACTS, Mark, NOT_DENSE, POSTINGS, SPANISH, StemNames, TERMS};
use crate::search::grams::{GramsWriter, Token, few};
use crate::search::impact::{self, FIELDS, Impact};
use crate::search::set::{set_bit, words};
use crate::search::table::{Lists, Strings};
use crate::search::text::{SamePosition, Stems, tokens, words_of};
use crate::store::sections::SectionWriter;

/// Collects the texts of documents, in document order, and writes the sections.
#[derive(Default)]
pub struct TermsWriter {
    numbers: HashMap<String, u32>,
    documents: Vec<Vec<u32>>,
    counts: Vec<u32>,
    stream: Vec<u32>,
    stream_at: Vec<usize>,
    /// Two words and the one that they are when they are written together, as some text has them.
    compounds: HashMap<(u32, u32), u32>,
}

/// Marks in the writer's stream, above every term number.
const MARK: u32 = u32::MAX - FIRST_CODE;
const SAME: u32 = MARK + Mark::Same as u32;

impl TermsWriter {
    /// Adds the next document: its texts, each with the field it stands in.
    pub fn add<'a>(&mut self, texts: impl Iterator<Item = (Mark, &'a str)>) {
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

    /// Writes every section. `synonyms` are groups of words that mean the same.
    pub fn finish(mut self, synonyms: &[Vec<String>], writer: &mut SectionWriter) {
        self.join_compounds();
        let mut terms: Vec<(&str, usize)> =
            self.numbers.iter().map(|(term, number)| (term.as_str(), *number as usize)).collect();
        terms.sort_unstable();
        Strings::write(writer, TERMS, terms.iter().map(|(term, _)| term.as_bytes()));
        self.write_postings(&terms, writer);
        let means = self.mean_lengths();
        let impacts = self.impacts(&means);
        Strings::write(writer, IMPACTS, terms.iter().map(|(_, number)| &impacts[*number]));
        writer.put("field.mean", means);
        self.write_grams(&terms, writer);
        let stems = Stems::default();
        write_stems(&terms, &ENGLISH, writer, |term| stems.english(term).into_owned());
        write_stems(&terms, &SPANISH, writer, |term| stems.spanish(term));
        self.write_streams(&terms, writer);
        let folded: Vec<Vec<String>> = synonyms
            .iter()
            .map(|group| group.iter().map(|term| words_of(term).join(" ")).collect())
            .collect();
        writer.put("synonyms", serde_json::to_vec(&folded).unwrap_or_default());
    }

    /// Gives words in a row that are written together elsewhere (`low income`, `low-income`) the reading
    /// of the whole too, at the place of the second.
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

    fn write_postings(&self, terms: &[(&str, usize)], writer: &mut SectionWriter) {
        let count = self.stream_at.len();
        let is_dense = |number: usize| self.documents[number].len() > count / DENSE;
        let (mut dense, mut bits) = (Vec::with_capacity(terms.len()), Vec::new());
        for (_, number) in terms {
            if !is_dense(*number) {
                dense.push(NOT_DENSE);
                continue;
            }
            dense.push((bits.len() / words(count)) as u32);
            let start = bits.len();
            bits.resize(start + words(count), 0);
            self.documents[*number].iter().for_each(|doc| set_bit(&mut bits[start..], *doc));
        }
        let listed = terms.iter().map(
            |(_, number)| {
                if is_dense(*number) { &[][..] } else { &self.documents[*number] }
            },
        );
        Lists::write(writer, POSTINGS, listed);
        writer.put("term.dense", dense);
        writer.put("term.bits", bits);
    }

    fn write_grams(&self, terms: &[(&str, usize)], writer: &mut SectionWriter) {
        let count = self.stream_at.len();
        let is_many: Vec<bool> =
            terms.iter().map(|(_, number)| self.documents[*number].len() > few(count)).collect();
        let mut term_of = vec![0u32; terms.len()];
        terms.iter().zip(0..).for_each(|((_, number), term)| term_of[*number] = term);
        let texts = |each: &mut dyn FnMut(u32, &[Token])| {
            let (mut start, mut text) = (0, Vec::new());
            for (doc, end) in (0..).zip(&self.stream_at) {
                let mut same = false;
                for item in &self.stream[start..*end] {
                    if *item < MARK {
                        text.push((term_of[*item as usize], std::mem::take(&mut same)));
                    } else if *item == SAME {
                        same = true;
                    } else {
                        each(doc, &text);
                        text.clear();
                    }
                }
                each(doc, &text);
                text.clear();
                start = *end;
            }
        };
        GramsWriter::write(count, &is_many, texts, writer);
    }

    /// How many tokens a document that has a field has there.
    fn mean_lengths(&self) -> Vec<f32> {
        let (mut tokens, mut texts) = ([0u64; FIELDS], [0u64; FIELDS]);
        let mut start = 0;
        for end in &self.stream_at {
            let mut lengths = [0u64; FIELDS];
            let mut field = 0;
            let mut skip = false;
            for item in &self.stream[start..*end] {
                match item.checked_sub(MARK) {
                    Some(mark) if (mark as usize) < FIELDS => field = mark as usize,
                    Some(_) => skip = true,
                    None => lengths[field] += u64::from(!std::mem::take(&mut skip)),
                }
            }
            start = *end;
            for (field, length) in lengths.into_iter().enumerate() {
                tokens[field] += length;
                texts[field] += u64::from(length > 0);
            }
        }
        tokens.iter().zip(texts).map(|(tokens, texts)| *tokens as f32 / texts.max(1) as f32).collect()
    }

    /// Each term's impacts in its documents, ascending.
    fn impacts(&self, means: &[f32]) -> Vec<Vec<u8>> {
        let mut impacts: Vec<Vec<u8>> =
            self.documents.iter().map(|docs| Vec::with_capacity(docs.len())).collect();
        let mut start = 0;
        let mut found: Vec<(u32, usize)> = Vec::new();
        for end in &self.stream_at {
            let (mut lengths, mut field, mut same) = ([0f32; FIELDS], 0, false);
            for item in &self.stream[start..*end] {
                match item.checked_sub(MARK) {
                    Some(mark) if (mark as usize) < FIELDS => field = mark as usize,
                    Some(_) => same = true,
                    None => {
                        lengths[field] += f32::from(u8::from(!std::mem::take(&mut same)));
                        found.push((*item, field));
                    }
                }
            }
            start = *end;
            let long = impact::long(&lengths, |field| means[field].max(1.0));
            found.sort_unstable();
            for occurrences in found.chunk_by(|(number, _), (other, _)| number == other) {
                let mut counts = [0f32; FIELDS];
                occurrences.iter().for_each(|(_, field)| counts[*field] += 1.0);
                let in_name = counts[Mark::Name as usize] + counts[Mark::Alias as usize] > 0.0;
                let impact = Impact::new(impact::frequency(&counts, &long), in_name);
                impacts[occurrences[0].0 as usize].push(impact.0);
            }
            found.clear();
        }
        impacts
    }

    fn write_streams(&self, terms: &[(&str, usize)], writer: &mut SectionWriter) {
        let mut by_frequency: Vec<usize> = (0..terms.len()).collect();
        by_frequency.sort_by_key(|term| (std::cmp::Reverse(self.counts[terms[*term].1]), *term));
        let (mut code_of_term, mut code_of_number) = (vec![0u32; terms.len()], vec![0u32; terms.len()]);
        for (rank, term) in by_frequency.into_iter().enumerate() {
            code_of_term[term] = FIRST_CODE + rank as u32;
            code_of_number[terms[term].1] = FIRST_CODE + rank as u32;
        }
        let (mut bytes, mut at, mut next) = (Vec::new(), vec![0u64], 0);
        for end in &self.stream_at {
            for item in &self.stream[next..*end] {
                let code = if *item >= MARK { *item - MARK } else { code_of_number[*item as usize] };
                write_code(&mut bytes, code);
            }
            next = *end;
            at.push(bytes.len() as u64);
        }
        writer.put("term.code", code_of_term);
        writer.put("stream.at", at);
        writer.put("stream", bytes);
    }
}

fn write_stems(
    terms: &[(&str, usize)],
    names: &StemNames,
    writer: &mut SectionWriter,
    stem: impl Fn(&str) -> String,
) {
    let mut members: std::collections::BTreeMap<String, Vec<u32>> = std::collections::BTreeMap::new();
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

fn write_code(bytes: &mut Vec<u8>, mut code: u32) {
    while code >= 0x80 {
        bytes.push(code as u8 | 0x80);
        code >>= 7;
    }
    bytes.push(code as u8);
}
