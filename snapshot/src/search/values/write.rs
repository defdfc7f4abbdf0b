//! Writes the values: numbers them, and finds the documents that match each and those that have two.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::{EXCLUDED, NAMED, NONE, ORDINALS_MAX, OfDocs, SETS, VALUE_DOCS, VALUE_TEXT};
use crate::facet::{FACETS, Facet, admits, eligibility_facets, excluded_values, named_values};
use crate::place;
use crate::record::{Fact, Program};
use crate::search::set::{set_bit, words};
use crate::search::table::{Lists, Postings, Strings};
use store::sections::SectionWriter;

/// Fewest values of a list that becomes a set.
const SET_MIN: usize = 8;
/// Most sets; those that save most are kept.
const SETS_MAX: usize = 2000;
/// Most documents of a value without a row in the table of pairs: reading its documents is as fast.
const NO_ROW_MAX: usize = 64;
/// Most rows, to bound memory.
const ROWS_MAX: usize = 4096;

/// A program and its facts.
pub struct Document<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its facts.
    pub facts: Vec<&'a Fact>,
}

impl<'a> Document<'a> {
    /// Values that the program names for a facet.
    pub(in crate::search) fn named(&self, facet: Facet) -> Vec<&'a str> {
        named_values(facet, self.program, &self.facts)
    }

    /// Places that the program excludes from a facet.
    fn excluded(&self, facet: Facet) -> Vec<&'a str> {
        excluded_values(facet, &self.facts)
    }
}

/// Writes the sections; documents in their final order.
pub(in crate::search) fn write(
    documents: &[Document<'_>],
    writer: &mut SectionWriter,
) -> Result<(), TooManyValues> {
    let mut of_docs = vec![Vec::new(); documents.len()];
    let mut layout = Layout::default();
    for spec in &FACETS {
        layout.add(spec.facet, documents, &mut of_docs);
    }
    let ordinals = layout.texts.len();
    if ordinals > ORDINALS_MAX {
        return Err(TooManyValues { found: ordinals });
    }
    layout.starts.push(ordinals as u32);
    writer.put("value.start", layout.starts.as_slice());
    writer.put("value.count", layout.counts.as_slice());
    Strings::write(writer, VALUE_TEXT, layout.texts.iter().map(String::as_bytes));
    let matching = layout.documents.iter().map(Vec::as_slice);
    Postings::write(writer, &VALUE_DOCS, matching, documents.len());
    let totals: Vec<u32> = layout.documents.iter().map(|list| list.len() as u32).collect();
    writer.put("value.total", totals);
    Lists::write(writer, SETS, layout.sets.iter().map(Vec::as_slice));
    let (mut doc_at, mut doc_values) = (vec![0u64], Vec::<u16>::new());
    for values in &of_docs {
        doc_values.extend(values.iter().map(|ordinal| *ordinal as u16));
        doc_at.push(doc_values.len() as u64);
    }
    write_pairs(&layout, OfDocs { at: &doc_at, ordinals: &doc_values }, writer);
    writer.put("doc.at", doc_at);
    writer.put("doc.values", doc_values);
    Lists::write(writer, NAMED, layout.named.iter().map(Vec::as_slice));
    Lists::write(writer, EXCLUDED, layout.excluded.iter().map(Vec::as_slice));
    Ok(())
}

/// Writes which documents state no value.
pub(in crate::search) fn write_unstated(documents: &[Document<'_>], writer: &mut SectionWriter) {
    let mut all = Vec::new();
    for facet in eligibility_facets() {
        let mut bits = vec![0u64; words(documents.len())];
        let is_unstated =
            |document: &Document<'_>| document.named(facet).is_empty() && document.excluded(facet).is_empty();
        let unstated = (0..).zip(documents).filter(|(_, document)| is_unstated(document));
        unstated.for_each(|(doc, _)| set_bit(&mut bits, doc));
        all.extend(bits);
    }
    writer.put("unstated", all);
}

/// The dataset has more facet values than an index can number.
#[derive(Debug, thiserror::Error)]
#[error("{found} different facet values; an index holds at most {ORDINALS_MAX}")]
pub struct TooManyValues {
    /// Number of values.
    pub found: usize,
}

/// The ordinals being laid out: one entry for each in every list.
#[derive(Default)]
struct Layout {
    starts: Vec<u32>,
    counts: Vec<u32>,
    texts: Vec<String>,
    documents: Vec<Vec<u32>>,
    sets: Vec<Vec<u32>>,
    named: Vec<Vec<u32>>,
    excluded: Vec<Vec<u32>>,
}

impl Layout {
    /// Adds the values and sets of a facet, and those of each document to its list.
    fn add(&mut self, facet: Facet, documents: &[Document<'_>], of_docs: &mut [Vec<u32>]) {
        let start = self.texts.len() as u32;
        let named = named_by_all(facet, documents);
        let excluded: Vec<Vec<&str>> = documents.iter().map(|document| document.excluded(facet)).collect();
        let mut values: HashSet<&str> = named.iter().flatten().copied().collect();
        values.extend(excluded.iter().flatten().copied());
        values.extend(facet.fixed_values());
        let mut values: Vec<&str> = values.into_iter().collect();
        values.sort_unstable();
        let numbers: HashMap<&str, u32> = (start..).zip(&values).map(|(n, value)| (*value, n)).collect();
        self.starts.push(start);
        self.counts.push(values.len() as u32);
        self.grow(values.iter().map(|value| (*value).to_owned()));
        let named = numbered(&named, &numbers);
        let matched = if facet.spec().is_place {
            let excluded = numbered(&excluded, &numbers);
            add_documents(&mut self.named, &named);
            add_documents(&mut self.excluded, &excluded);
            admitted(&values, &numbers, &named, &excluded)
        } else {
            named
        };
        add_documents(&mut self.documents, &matched);
        self.intern_sets(&matched, of_docs);
    }

    fn grow(&mut self, texts: impl Iterator<Item = String>) {
        self.texts.extend(texts);
        let length = self.texts.len();
        for lists in [&mut self.documents, &mut self.sets, &mut self.named, &mut self.excluded] {
            lists.resize(length, Vec::new());
        }
    }

    /// Makes the lists that save most to sets behind the facet's values, and adds each document's values or set
    /// to its list.
    fn intern_sets(&mut self, matched: &[Vec<u32>], of_docs: &mut [Vec<u32>]) {
        let mut shared: HashMap<&[u32], usize> = HashMap::default();
        for list in matched.iter().filter(|list| list.len() >= SET_MIN) {
            *shared.entry(list).or_default() += 1;
        }
        let mut best: Vec<(&[u32], usize)> =
            shared.into_iter().filter(|(list, count)| *count > 1 && list.len() * count >= 64).collect();
        best.sort_unstable_by_key(|(list, count)| (Reverse(list.len() * count), *list));
        best.truncate(SETS_MAX);
        let first = self.texts.len() as u32;
        let numbers: HashMap<&[u32], u32> = (first..).zip(&best).map(|(n, (list, _))| (*list, n)).collect();
        self.grow(best.iter().map(|_| String::new()));
        for (ordinal, (list, _)) in (first as usize..).zip(&best) {
            self.sets[ordinal] = list.to_vec();
        }
        for (list, ordinals) in matched.iter().zip(of_docs) {
            match numbers.get(list.as_slice()) {
                Some(set) => ordinals.push(*set),
                None => ordinals.extend_from_slice(list),
            }
        }
    }
}

/// Ordinals instead of values, ascending, each once.
fn numbered(lists: &[Vec<&str>], numbers: &HashMap<&str, u32>) -> Vec<Vec<u32>> {
    let numbered = lists.iter().map(|list| {
        let mut ordinals: Vec<u32> = list.iter().map(|value| numbers[value]).collect();
        ordinals.sort_unstable();
        ordinals.dedup();
        ordinals
    });
    numbered.collect()
}

/// Adds each document to the lists of its ordinals.
fn add_documents(lists: &mut [Vec<u32>], of_documents: &[Vec<u32>]) {
    for (doc, ordinals) in of_documents.iter().enumerate() {
        ordinals.iter().for_each(|ordinal| lists[*ordinal as usize].push(doc as u32));
    }
}

/// The ordinals of the places that each document matches, ascending. Many documents name the same places, so
/// each combination is computed once.
fn admitted(
    values: &[&str],
    numbers: &HashMap<&str, u32>,
    named: &[Vec<u32>],
    excluded: &[Vec<u32>],
) -> Vec<Vec<u32>> {
    let around = |value: &&str| -> Vec<u32> {
        place::with_ancestors(value).filter_map(|place| numbers.get(place).copied()).collect()
    };
    let places: Vec<(u32, Vec<u32>)> = values.iter().map(|value| (numbers[value], around(value))).collect();
    let mut known: HashMap<(&[u32], &[u32]), Vec<u32>> = HashMap::default();
    let admit = |named: &[u32], excluded: &[u32]| {
        let has = |list: &[u32], place: &u32| list.binary_search(place).is_ok();
        let matched =
            places.iter().filter(|(_, around)| admits(around, |p| has(named, p), |p| has(excluded, p)));
        matched.map(|(ordinal, _)| *ordinal).collect()
    };
    let of_each = named.iter().zip(excluded);
    of_each
        .map(|(named, excluded)| {
            known.entry((named, excluded)).or_insert_with(|| admit(named, excluded)).clone()
        })
        .collect()
}

/// The values that each document names. In a facet that shares the selection of another facet, a value of the
/// same text has the documents of the other facet's value, because a query finds that one first.
fn named_by_all<'a>(facet: Facet, documents: &[Document<'a>]) -> Vec<Vec<&'a str>> {
    let all =
        |facet| -> Vec<Vec<&'a str>> { documents.iter().map(|document| document.named(facet)).collect() };
    let mut named = all(facet);
    if facet.group() != facet {
        let first = all(facet.group());
        let known: BTreeSet<&str> = first.iter().flatten().copied().collect();
        let both: BTreeSet<&str> = named.iter().flatten().copied().filter(|v| known.contains(v)).collect();
        for (own, first) in named.iter_mut().zip(first).filter(|_| !both.is_empty()) {
            own.retain(|value| !both.contains(value));
            own.extend(first.into_iter().filter(|value| both.contains(value)));
            own.sort_unstable();
        }
    }
    named
}

/// Counts pairs by reading the documents of each value with a row; counts of sets are added to their values at the
/// end.
fn write_pairs(layout: &Layout, values: OfDocs<'_>, writer: &mut SectionWriter) {
    let ordinals = layout.texts.len();
    let mut frequent: Vec<usize> =
        (0..ordinals).filter(|ordinal| layout.documents[*ordinal].len() > NO_ROW_MAX).collect();
    frequent.sort_by_key(|ordinal| Reverse(layout.documents[*ordinal].len()));
    frequent.truncate(ROWS_MAX);
    let mut rows = vec![NONE; ordinals];
    let mut table = Vec::with_capacity(frequent.len() * ordinals);
    for (row, ordinal) in frequent.into_iter().enumerate() {
        rows[ordinal] = row as u32;
        let mut counts = vec![0u32; ordinals];
        for doc in &layout.documents[ordinal] {
            values.get(*doc).iter().for_each(|other| counts[*other as usize] += 1);
        }
        for (set, members) in layout.sets.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
            let count = std::mem::take(&mut counts[set]);
            members.iter().for_each(|member| counts[*member as usize] += count);
        }
        table.extend_from_slice(&counts);
    }
    writer.put("pair.row", rows);
    writer.put("pair.table", table);
}
