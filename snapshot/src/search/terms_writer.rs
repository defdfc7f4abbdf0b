//! Writes the terms: collects the texts of documents, and lays out postings, impacts, stems and streams.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap as HashMap;
use smol_str::{SmolStr, format_smolstr};

use super::terms::{
    Codes, FIRST_CODE, FREQUENT, IMPACTS, Mark, POSTINGS, STEMS, STREAMS, TERMS, TOP, TOP_DOCS, TOP_TERMS,
};
use crate::search::grams::few;
use crate::search::grams_writer::{GramsWriter, Token, push_leb128};
use crate::search::lexicon;
use crate::search::table::{Lists, ListsWriter, PostingsWriter, Strings};
use crate::search::weights::{FIELDS, Impact, divisors, frequency};
use crate::stem::stems;
use crate::text::{SamePosition, tokens, words_of};
use store::sections::SectionWriter;

/// Collects the texts of documents, in document order, and writes the sections.
#[derive(Default)]
pub(in crate::search) struct TermsWriter {
    /// Nearly all terms are short: they stand in the table, which is one look-up into memory less for each token.
    numbers: HashMap<SmolStr, u32>,
    /// The tokens of each document, coded as in the file, but by the numbers of the terms.
    streams: ListsWriter<u8>,
    /// Codes of the document that is being added.
    stream: Vec<u32>,
    /// Codes of two words and of the word that they make together in some text.
    compounds: HashMap<(u32, u32), u32>,
    /// Of each term.
    languages: Vec<Languages>,
}

/// The languages in which a term occurs. The rules of one make stems of the other's words that mean something else:
/// in Spanish, `plane` would be a form of `plan`.
#[derive(Clone, Copy, Default)]
struct Languages {
    /// The language, if the term is a stop word of one.
    stop_word: Option<usize>,
    /// Occurrences in texts of each language.
    occurrences: [u32; 2],
}

impl Languages {
    /// Least share of a term's occurrences in a language to which it belongs.
    const SHARE: u64 = 8;

    fn has(&self, language: usize) -> bool {
        let all: u64 = self.occurrences.iter().map(|count| u64::from(*count)).sum();
        u64::from(self.occurrences[language]) * Self::SHARE >= all
    }
}

const SAME: u32 = Mark::Same as u32;

impl TermsWriter {
    /// Adds the next document: its texts, each with the field it stands in.
    pub(in crate::search) fn add<'a>(&mut self, texts: impl Iterator<Item = (Mark, &'a str)>) {
        let mut starts = Vec::new();
        for (mark, text) in texts {
            starts.push(self.stream.len());
            self.stream.push(mark as u32);
            // The last two words: codes and texts.
            let mut codes = [None; 2];
            let mut texts = [String::new(), String::new()];
            tokens(text, |token, SamePosition(same)| {
                let code = FIRST_CODE + self.number(token);
                if same {
                    self.stream.push(SAME);
                    if let [Some(first), Some(second)] = codes
                        && token.strip_prefix(texts[0].as_str()) == Some(&texts[1])
                    {
                        self.compounds.insert((first, second), code);
                    }
                } else {
                    codes = [codes[1], Some(code)];
                    texts.swap(0, 1);
                    texts[1].clear();
                    texts[1].push_str(token);
                }
                self.stream.push(code);
            });
        }
        self.count_languages(&starts);
        push_codes(&mut self.streams, self.stream.iter().copied());
        self.stream.clear();
    }

    /// Counts the terms of the document by language. A text is in the language of most of its stop words; one without
    /// them is in that of the document's other texts, or in both.
    fn count_languages(&mut self, starts: &[usize]) {
        let ends = starts.iter().skip(1).copied().chain([self.stream.len()]);
        let texts: Vec<&[u32]> =
            starts.iter().zip(ends).map(|(start, end)| &self.stream[*start..end]).collect();
        let of_text = |text: &&[u32]| {
            let terms = text.iter().filter_map(|code| code.checked_sub(FIRST_CODE));
            let stop_words = terms.filter_map(|term| self.languages[term as usize].stop_word);
            let mut counts = [0; 2];
            stop_words.for_each(|language| counts[language] += 1);
            [counts[0] > counts[1], counts[1] > counts[0]]
        };
        let known: Vec<[bool; 2]> = texts.iter().map(of_text).collect();
        let any = [0, 1].map(|language: usize| known.iter().any(|known| known[language]));
        let unknown = if any[0] == any[1] { [true; 2] } else { any };
        for (text, known) in texts.into_iter().zip(known) {
            let spoken = if known == [false; 2] { unknown } else { known };
            for language in (0..2).filter(|language| spoken[*language]) {
                for term in text.iter().filter_map(|code| code.checked_sub(FIRST_CODE)) {
                    self.languages[term as usize].occurrences[language] += 1;
                }
            }
        }
    }

    fn number(&mut self, token: &str) -> u32 {
        if let Some(number) = self.numbers.get(token) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(token.into(), number);
        let stop_word = lexicon::language_of_stop_word(token);
        self.languages.push(Languages { stop_word, ..Languages::default() });
        number
    }

    /// Writes all sections. `synonyms` are groups of words that mean the same.
    pub(in crate::search) fn finish(self, synonyms: &[&[String]], writer: &mut SectionWriter) {
        let mut terms: Vec<(&str, u32)> =
            self.numbers.iter().map(|(term, number)| (term.as_str(), *number)).collect();
        terms.sort_unstable();
        Strings::write(writer, TERMS, terms.iter().map(|(term, _)| term.as_bytes()));
        let texts = Texts::new(&terms, &self.streams, &self.compounds);
        drop(self.streams);
        let (grams, mut rest) = std::thread::scope(|threads| {
            let grams = threads.spawn(|| texts.grams());
            let mut rest = SectionWriter::default();
            texts.write_postings(&mut rest);
            (0..2).for_each(|language| write_stems(&terms, &self.languages, language, &mut rest));
            (grams.join(), rest)
        });
        texts.streams.write(STREAMS, &mut rest);
        rest.put("term.code", texts.codes);
        writer.append(rest);
        writer.append(grams.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        let folded: Vec<Vec<String>> = synonyms
            .iter()
            .map(|group| group.iter().map(|term| words_of(term).join(" ")).collect())
            .collect();
        writer.put("synonyms", serde_json::to_vec(&folded).unwrap_or_default());
    }
}

/// Adds a document's codes: most take one byte or two.
fn push_codes(streams: &mut ListsWriter<u8>, codes: impl Iterator<Item = u32>) {
    let mut bytes = Vec::new();
    codes.for_each(|code| push_leb128(&mut bytes, u64::from(code)));
    streams.push(&bytes);
}

/// The codes of a document, with the joined word as a reading of the second of two words in a row that are written
/// together elsewhere (`low income`, `low-income`).
fn joined(codes: &[u8], compounds: &HashMap<(u32, u32), u32>) -> Vec<u32> {
    let codes: Vec<u32> = Codes(codes).collect();
    let (mut joined, mut before, mut at) = (Vec::with_capacity(codes.len()), None, 0);
    while let Some(code) = codes.get(at) {
        joined.push(*code);
        at += 1;
        if *code == SAME {
            joined.extend(codes.get(at));
            at += 1;
        } else if *code < FIRST_CODE {
            before = None;
        } else {
            let whole = before.replace(*code).and_then(|before| compounds.get(&(before, *code)));
            let mut readings = codes[at..].chunks(2).take_while(|pair| pair[0] == SAME);
            if let Some(whole) = whole
                && !readings.any(|pair| pair.get(1) == Some(whole))
            {
                joined.extend([SAME, *whole]);
            }
        }
    }
    joined
}

/// How often a term occurs.
#[derive(Clone, Copy, Default)]
struct Count {
    documents: u32,
    occurrences: u32,
    /// The last document that was counted; the first is 1.
    last: u32,
}

/// All texts as they are stored: terms as codes, frequent ones short. They are read several times, and so are as small
/// as they can be.
struct Texts {
    streams: ListsWriter<u8>,
    /// The code of each term, and the position of the term of each code.
    codes: Vec<u32>,
    positions: Vec<u32>,
    /// Of each term.
    counts: Vec<Count>,
    /// Mean length of each field in the documents that have it, in tokens.
    means: [f32; FIELDS],
}

impl Texts {
    /// Terms are numbered in the order in which they were found, and stored in the order of their texts.
    fn new(terms: &[(&str, u32)], streams: &ListsWriter<u8>, compounds: &HashMap<(u32, u32), u32>) -> Self {
        let mut position_of = vec![0; terms.len()];
        (0..).zip(terms).for_each(|(position, (_, number))| position_of[*number as usize] = position);
        let counts = counts(&position_of, streams.iter().map(|codes| joined(codes, compounds)));
        let mut positions: Vec<u32> = (0..terms.len() as u32).collect();
        positions.sort_by_key(|position| (Reverse(counts[*position as usize].occurrences), *position));
        let mut codes = vec![0u32; terms.len()];
        (FIRST_CODE..).zip(&positions).for_each(|(code, position)| codes[*position as usize] = code);
        let ranked = |code: u32| match code.checked_sub(FIRST_CODE) {
            Some(number) => codes[position_of[number as usize] as usize],
            None => code,
        };
        let mut coded = ListsWriter::default();
        for codes in streams.iter() {
            push_codes(&mut coded, joined(codes, compounds).into_iter().map(ranked));
        }
        let mut texts = Self { streams: coded, codes, positions, counts, means: [0.0; FIELDS] };
        texts.means = texts.means();
        texts
    }

    fn means(&self) -> [f32; FIELDS] {
        let (mut tokens, mut texts) = ([0u64; FIELDS], [0u64; FIELDS]);
        for stream in self.streams.iter() {
            for (field, length) in self.lengths(stream).into_iter().enumerate() {
                tokens[field] += u64::from(length);
                texts[field] += u64::from(length > 0);
            }
        }
        std::array::from_fn(|field| tokens[field] as f32 / texts[field].max(1) as f32)
    }

    /// Calls `each` with the field of every text of a document, and the text.
    fn each_text(&self, stream: &[u8], mut each: impl FnMut(usize, &[Token])) {
        let (mut field, mut text, mut same) = (0, Vec::new(), false);
        for code in Codes(stream) {
            match code.checked_sub(FIRST_CODE) {
                Some(rank) => text.push((self.positions[rank as usize], std::mem::take(&mut same))),
                None if code == SAME => same = true,
                None => {
                    each(field, &text);
                    text.clear();
                    field = code as usize;
                }
            }
        }
        each(field, &text);
    }

    /// The length of each field of a document, in tokens.
    fn lengths(&self, stream: &[u8]) -> [u32; FIELDS] {
        let mut lengths = [0; FIELDS];
        let length = |text: &[Token]| text.iter().filter(|(_, same)| !same).count() as u32;
        self.each_text(stream, |field, text| lengths[field] += length(text));
        lengths
    }

    /// Writes the documents of each term, its impact in each, and those in which frequent terms have the greatest
    /// effect.
    fn write_postings(&self, writer: &mut SectionWriter) {
        let mut postings = PostingsWriter::new(self.streams.len());
        let (mut impacts, mut tops) = (ListsWriter::default(), ListsWriter::default());
        let mut frequent: Vec<u32> = Vec::new();
        let (docs, effects) = self.postings();
        let mut start = 0;
        for (position, count) in (0..).zip(&self.counts) {
            let end = start + count.documents as usize;
            let (docs, effects) = (&docs[start..end], &effects[start..end]);
            start = end;
            postings.push(docs);
            impacts.push(effects);
            if docs.len() > FREQUENT {
                frequent.push(position);
                tops.push(&best(docs, effects));
            }
        }
        postings.write(POSTINGS, writer);
        impacts.write(IMPACTS, writer);
        tops.write(TOP_DOCS, writer);
        writer.put(TOP_TERMS, frequent);
    }

    /// The documents of all terms, in the order of the terms, and the impacts of the terms there.
    fn postings(&self) -> (Vec<u32>, Vec<u16>) {
        let mut next: Vec<usize> = Vec::with_capacity(self.counts.len());
        let mut total = 0;
        for count in &self.counts {
            next.push(total);
            total += count.documents as usize;
        }
        let (mut docs, mut impacts) = (vec![0u32; total], vec![0u16; total]);
        let mut found: Vec<(u32, usize)> = Vec::new();
        for (doc, stream) in (0..).zip(self.streams.iter()) {
            self.each_text(stream, |field, text| {
                found.extend(text.iter().map(|(position, _)| (*position, field)));
            });
            let lengths = self.lengths(stream).map(|length| length as f32);
            let divisors = divisors(&lengths, |field| self.means[field].max(1.0));
            found.sort_unstable();
            for occurrences in found.chunk_by(|(position, _), (other, _)| position == other) {
                let next = &mut next[occurrences[0].0 as usize];
                docs[*next] = doc;
                impacts[*next] = impact(occurrences, &divisors).0;
                *next += 1;
            }
            found.clear();
        }
        (docs, impacts)
    }

    fn grams(&self) -> SectionWriter {
        let count = self.streams.len();
        let is_frequent: Vec<bool> =
            self.counts.iter().map(|term| term.documents as usize > few(count)).collect();
        let texts = |each: &mut dyn FnMut(u32, &[Token])| {
            for (doc, stream) in (0..).zip(self.streams.iter()) {
                self.each_text(stream, |_, text| each(doc, text));
            }
        };
        let mut writer = SectionWriter::default();
        GramsWriter::write(count, &is_frequent, &texts, &mut writer);
        writer
    }
}

/// Counts the terms by their positions.
fn counts(position_of: &[u32], streams: impl Iterator<Item = Vec<u32>>) -> Vec<Count> {
    let mut counts = vec![Count::default(); position_of.len()];
    for (doc, codes) in (1..).zip(streams) {
        for number in codes.into_iter().filter_map(|code| code.checked_sub(FIRST_CODE)) {
            let count = &mut counts[position_of[number as usize] as usize];
            count.occurrences += 1;
            count.documents += u32::from(count.last != doc);
            count.last = doc;
        }
    }
    counts
}

/// The impact of a term that occurs in these fields of a document.
fn impact(occurrences: &[(u32, usize)], divisors: &[f32; FIELDS]) -> Impact {
    let mut counts = [0f32; FIELDS];
    occurrences.iter().for_each(|(_, field)| counts[*field] += 1.0);
    let in_name = counts[Mark::Name as usize] + counts[Mark::Alias as usize] > 0.0;
    Impact::new(frequency(&counts, divisors), in_name)
}

/// The documents in which a term has the greatest effect, ascending; of equal ones the first.
fn best(docs: &[u32], impacts: &[u16]) -> Vec<u32> {
    let effects = impacts.iter().map(|impact| Impact(*impact).effect());
    let mut best: Vec<(f64, u32)> = effects.zip(docs.iter().copied()).collect();
    best.select_nth_unstable_by(TOP, |(x, a), (y, b)| y.total_cmp(x).then_with(|| a.cmp(b)));
    let mut best: Vec<u32> = best.into_iter().take(TOP).map(|(_, doc)| doc).collect();
    best.sort_unstable();
    best
}

/// Writes the stems of the terms of a language.
fn write_stems(terms: &[(&str, u32)], languages: &[Languages], language: usize, writer: &mut SectionWriter) {
    let mut members: BTreeMap<SmolStr, Vec<u32>> = BTreeMap::new();
    for (term, (text, number)) in terms.iter().enumerate() {
        let key = match languages[*number as usize].has(language) {
            true => stems(text)[language].clone(),
            // No stem begins so.
            false => format_smolstr!("={text}"),
        };
        members.entry(key).or_default().push(term as u32);
    }
    let mut of = vec![0u32; terms.len()];
    for (stem, members) in members.values().enumerate() {
        members.iter().for_each(|term| of[*term as usize] = stem as u32);
    }
    let (stem_names, member_names, of_name) = STEMS[language];
    Strings::write(writer, stem_names, members.keys().map(|stem| stem.as_bytes()));
    Lists::write(writer, member_names, members.values().map(Vec::as_slice));
    writer.put(of_name, of);
}
