//! Writes the values: numbers them, works out which documents each admits, and counts how often two meet.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::{DENSE, NAMED, NONE, ORDINALS_MAX, OfDocs, SETS, SHUT, VALUE_DOCS, VALUE_TEXT};
use crate::facet::{FACETS, Facet, admits, excluded_values, named_values};
use crate::place;
use crate::record::{Fact, Program};
use crate::search::set::{set_bit, words};
use crate::search::table::{Lists, Strings};
use crate::store::sections::SectionWriter;

/// A shared list of fewer values is not worth a set.
const SET_LEAST: usize = 8;
/// Most sets; the ones that save most are kept.
const SETS_MOST: usize = 2000;
/// A value of more documents than this has a row in the table of pairs; for a rarer one, walking
/// its documents is as fast.
const ROW_LEAST: usize = 64;
/// Most rows, for bounded memory.
const ROWS_MOST: usize = 4096;

/// What a document says, as the writer needs it.
pub struct Document<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its facts.
    pub facts: Vec<&'a Fact>,
}

/// Builds and writes the sections; documents in their final order. Fails when there are more values
/// than ordinals.
///
/// # Errors
///
/// If the facets have more values than an index can number.
pub fn write(documents: &[Document<'_>], writer: &mut SectionWriter) -> Result<(), TooManyValues> {
    let mut at = vec![Vec::new(); documents.len()];
    let mut layout = Layout::default();
    for spec in &FACETS {
        layout.facet(spec.facet, documents, &mut at);
    }
    let ordinals = layout.texts.len();
    if ordinals > ORDINALS_MAX {
        return Err(TooManyValues { found: ordinals });
    }
    layout.starts.push(ordinals as u32);
    writer.put("value.start", layout.starts.as_slice());
    writer.put("value.count", layout.counts.as_slice());
    Strings::write(writer, VALUE_TEXT, layout.texts.iter().map(String::as_bytes));
    write_documents(&layout.documents, documents.len(), writer);
    Lists::write(writer, SETS, layout.sets.iter().map(Vec::as_slice));
    let (mut doc_at, mut doc_values) = (vec![0u64], Vec::<u16>::new());
    for values in &at {
        doc_values.extend(values.iter().map(|ordinal| *ordinal as u16));
        doc_at.push(doc_values.len() as u64);
    }
    drop(at);
    write_pairs(&layout, OfDocs { at: &doc_at, ordinals: &doc_values }, writer);
    writer.put("doc.at", doc_at);
    writer.put("doc.values", doc_values);
    Lists::write(writer, NAMED, layout.named.iter().map(Vec::as_slice));
    Lists::write(writer, SHUT, layout.shut.iter().map(Vec::as_slice));
    Ok(())
}

/// The dataset has more facet values than an index can number.
#[derive(Debug, thiserror::Error)]
#[error("{found} different facet values; an index holds at most {ORDINALS_MAX}")]
pub struct TooManyValues {
    /// How many there are.
    pub found: usize,
}

/// The ordinals in the making: one entry for each in every list.
#[derive(Default)]
struct Layout {
    starts: Vec<u32>,
    counts: Vec<u32>,
    texts: Vec<String>,
    documents: Vec<Vec<u32>>,
    sets: Vec<Vec<u32>>,
    named: Vec<Vec<u32>>,
    shut: Vec<Vec<u32>>,
}

impl Layout {
    fn facet(&mut self, facet: Facet, documents: &[Document<'_>], at: &mut [Vec<u32>]) {
        let start = self.texts.len() as u32;
        let named = named_by_all(facet, documents);
        let shut: Vec<Vec<&str>> = documents.iter().map(|said| excluded_values(facet, &said.facts)).collect();
        let mut values: HashSet<&str> = named.iter().flatten().copied().collect();
        values.extend(shut.iter().flatten().copied());
        values.extend(facet.fixed_values());
        let mut values: Vec<&str> = values.into_iter().collect();
        values.sort_unstable();
        let numbers: HashMap<&str, u32> = (start..).zip(&values).map(|(n, value)| (*value, n)).collect();
        self.starts.push(start);
        self.counts.push(values.len() as u32);
        self.grow(values.iter().map(|value| (*value).to_owned()));
        let named = numbered(&named, &numbers);
        let had = if facet.spec().is_place {
            let shut = numbered(&shut, &numbers);
            add_documents(&mut self.named, &named);
            add_documents(&mut self.shut, &shut);
            admitted(&values, &numbers, &named, &shut)
        } else {
            named
        };
        add_documents(&mut self.documents, &had);
        self.intern_sets(&had, at);
    }

    fn grow(&mut self, texts: impl Iterator<Item = String>) {
        self.texts.extend(texts);
        let length = self.texts.len();
        for lists in [&mut self.documents, &mut self.sets, &mut self.named, &mut self.shut] {
            lists.resize(length, Vec::new());
        }
    }

    /// Gives the lists that save most a number behind the facet's values, and adds each document's
    /// values or set to its list.
    fn intern_sets(&mut self, had: &[Vec<u32>], at: &mut [Vec<u32>]) {
        let mut shared: HashMap<&[u32], usize> = HashMap::default();
        for list in had.iter().filter(|list| list.len() >= SET_LEAST) {
            *shared.entry(list).or_default() += 1;
        }
        let mut best: Vec<(&[u32], usize)> =
            shared.into_iter().filter(|(list, count)| *count > 1 && list.len() * count >= 64).collect();
        best.sort_unstable_by_key(|(list, count)| (std::cmp::Reverse(list.len() * count), *list));
        best.truncate(SETS_MOST);
        let first = self.texts.len() as u32;
        let numbers: HashMap<&[u32], u32> = (first..).zip(&best).map(|(n, (list, _))| (*list, n)).collect();
        self.grow(best.iter().map(|_| String::new()));
        for (ordinal, (list, _)) in (first as usize..).zip(&best) {
            self.sets[ordinal] = list.to_vec();
        }
        for (list, ordinals) in had.iter().zip(at) {
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

/// For each document the ordinals of the places that it admits, ascending. Many documents name the
/// same places, so each combination is worked out once.
fn admitted(
    values: &[&str],
    numbers: &HashMap<&str, u32>,
    named: &[Vec<u32>],
    shut: &[Vec<u32>],
) -> Vec<Vec<u32>> {
    let lineages: Vec<(u32, Vec<u32>)> = values
        .iter()
        .map(|value| {
            let around = place::with_ancestors(value).filter_map(|place| numbers.get(place).copied());
            (numbers[value], around.collect())
        })
        .collect();
    let mut known: HashMap<(&[u32], &[u32]), Vec<u32>> = HashMap::default();
    let admit = |named: &[u32], shut: &[u32]| {
        let has = |list: &[u32], place: &u32| list.binary_search(place).is_ok();
        let inside = lineages
            .iter()
            .filter(|(_, with_ancestors)| admits(with_ancestors, |p| has(named, p), |p| has(shut, p)));
        inside.map(|(ordinal, _)| *ordinal).collect()
    };
    let of_each = named.iter().zip(shut);
    of_each.map(|(n, s)| known.entry((n, s)).or_insert_with(|| admit(n, s)).clone()).collect()
}

/// What each document names. A value of a facet that shares another's selection is that other's value
/// where both spell it alike, because the other is asked first: its documents are the other's.
fn named_by_all<'a>(facet: Facet, documents: &[Document<'a>]) -> Vec<Vec<&'a str>> {
    let all = |facet| -> Vec<Vec<&'a str>> {
        documents.iter().map(|said| named_values(facet, said.program, &said.facts)).collect()
    };
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

fn write_documents(documents: &[Vec<u32>], count: usize, writer: &mut SectionWriter) {
    let is_dense = |list: &Vec<u32>| list.len() > count / DENSE;
    let (mut dense, mut bits) = (Vec::with_capacity(documents.len()), Vec::new());
    for list in documents {
        if !is_dense(list) {
            dense.push(NONE);
            continue;
        }
        let start = bits.len();
        dense.push((start / words(count)) as u32);
        bits.resize(start + words(count), 0);
        list.iter().for_each(|doc| set_bit(&mut bits[start..], *doc));
    }
    let listed = documents.iter().map(|list| if is_dense(list) { &[][..] } else { list.as_slice() });
    Lists::write(writer, VALUE_DOCS, listed);
    writer.put("value.dense", dense);
    writer.put("value.bits", bits);
    let totals: Vec<u32> = documents.iter().map(|list| list.len() as u32).collect();
    writer.put("value.total", totals);
}

/// Counts pairs by walking the documents of each value that gets a row; sets are spread at the end.
fn write_pairs(layout: &Layout, values: OfDocs<'_>, writer: &mut SectionWriter) {
    let ordinals = layout.texts.len();
    let mut frequent: Vec<usize> =
        (0..ordinals).filter(|ordinal| layout.documents[*ordinal].len() > ROW_LEAST).collect();
    frequent.sort_by_key(|ordinal| std::cmp::Reverse(layout.documents[*ordinal].len()));
    frequent.truncate(ROWS_MOST);
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
