//! Facet values: the vocabulary, which documents each value admits, which values each document has,
//! and how often two values meet.
//!
//! Values have ordinals: a range for each facet, in the order of [`FACETS`], its values sorted by
//! bytes. Behind a facet's values, in the same range, stand *sets*: long lists of values that many
//! documents share (all countries, the European Union) are stored once, and a document's list
//! names the set. Open states depend on the day and have ordinals without documents here.
//!
//! ```text
//! value.start          u32 × 18: first ordinal of each facet, and the end
//! value.count          u32 × 17: values of each facet; the rest of its range are sets
//! value.at .text       the values' texts; empty for sets
//! value.docs.at .docs  documents of each value, ascending; empty where the value is dense
//! value.dense          u32 for each ordinal: which bit set, or u32::MAX
//! value.bits           bit sets of the values of more than 1 of 32 documents
//! value.total          u32 for each ordinal: how many documents
//! set.at set.values    values of each set, by ordinal; empty for values
//! doc.at doc.values    u16 ordinals of each document's values and sets, ascending
//! named.* shut.*       documents that name, and that exclude, each place value itself
//! pair.row             u32 for each ordinal: row of the table, or u32::MAX
//! pair.table           u32 rows over all ordinals: how many documents have both
//! ```

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::facet::{COUNT, FACETS, Facet, admits, excluded_values, named_values};
use crate::place;
use crate::query::Pick;
use crate::record::{Fact, Program};
use crate::search::set::{DocSet, Docs, set_bit, union, words};
use crate::search::table::{Lists, Strings, check_bits, check_len, check_offsets};
use crate::store::sections::{Section, SectionError, SectionWriter, Sections};

/// A value of more than one of this many documents has a bit set.
const DENSE: usize = 32;
const NONE: u32 = u32::MAX;
/// A shared list of fewer values is not worth a set.
const SET_LEAST: usize = 8;
/// Most sets; the ones that save most are kept.
const SETS_MOST: usize = 2000;
/// Most ordinals, values and sets together: they are `u16` in documents.
pub const ORDINALS_MAX: usize = u16::MAX as usize;
/// A value of more documents than this has a row in the table of pairs; for a rarer one, walking
/// its documents is as fast.
const ROW_LEAST: usize = 64;
/// Most rows, for bounded memory.
const ROWS_MOST: usize = 4096;

/// What a document says, as the writer needs it.
pub struct Said<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its facts.
    pub facts: Vec<&'a Fact>,
}

/// Where a facet's ordinals are.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u32,
    values: u32,
    end: u32,
}

/// Builds and writes the sections; documents in their final order. Fails when there are more values
/// than ordinals.
pub fn write(documents: &[Said<'_>], writer: &mut SectionWriter) -> Result<(), TooManyValues> {
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

const VALUE_TEXT: (&str, &str) = ("value.at", "value.text");
const VALUE_DOCS: (&str, &str) = ("value.docs.at", "value.docs");
const SETS: (&str, &str) = ("set.at", "set.values");
const NAMED: (&str, &str) = ("named.at", "named");
const SHUT: (&str, &str) = ("shut.at", "shut");

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
    fn facet(&mut self, facet: Facet, documents: &[Said<'_>], at: &mut [Vec<u32>]) {
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
        let had = if facet.spec().places {
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
            let around = place::lineage(value).filter_map(|place| numbers.get(place).copied());
            (numbers[value], around.collect())
        })
        .collect();
    let mut known: HashMap<(&[u32], &[u32]), Vec<u32>> = HashMap::default();
    let admit = |named: &[u32], shut: &[u32]| {
        let has = |list: &[u32], place: &u32| list.binary_search(place).is_ok();
        let inside =
            lineages.iter().filter(|(_, lineage)| admits(lineage, |p| has(named, p), |p| has(shut, p)));
        inside.map(|(ordinal, _)| *ordinal).collect()
    };
    let of_each = named.iter().zip(shut);
    of_each.map(|(n, s)| known.entry((n, s)).or_insert_with(|| admit(n, s)).clone()).collect()
}

/// What each document names. A value of a facet that shares another's selection is that other's value
/// where both spell it alike, because the other is asked first: its documents are the other's.
fn named_by_all<'a>(facet: Facet, documents: &[Said<'a>]) -> Vec<Vec<&'a str>> {
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

/// Each document's values.
#[derive(Clone, Copy)]
pub struct OfDocs<'a> {
    at: &'a [u64],
    ordinals: &'a [u16],
}

impl<'a> OfDocs<'a> {
    /// Ordinals of a document's values and sets, ascending.
    #[must_use]
    #[inline]
    pub fn get(&self, doc: u32) -> &'a [u16] {
        match self.at.get(doc as usize..doc as usize + 2) {
            Some(&[start, end]) => &self.ordinals[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Reads a word of each document's list, so that the lists come to the cache side by side and not
    /// one after the other: twice as fast where they do not fit into it.
    #[inline]
    pub fn touch(&self, docs: &[u32]) {
        let first = |doc: &u32| self.get(*doc).first().copied().unwrap_or_default();
        std::hint::black_box(docs.iter().map(first).fold(0, std::ops::BitXor::bitxor));
    }
}

/// The values, open.
pub struct Values {
    ranges: [Range; COUNT],
    texts: Strings,
    documents: Lists,
    dense: Section<u32>,
    bits: Section<u64>,
    totals: Section<u32>,
    sets: Lists,
    doc_at: Section<u64>,
    doc_values: Section<u16>,
    named: Lists,
    shut: Lists,
    rows: Section<u32>,
    table: Section<u32>,
    /// Of each facet: how many values have bit sets, and how many documents the lists of the others
    /// hold together.
    sizes: [(usize, usize); COUNT],
    count: usize,
}

impl Values {
    /// Opens the sections of an index over `count` documents and checks what they point to.
    pub fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let texts = Strings::open(sections, VALUE_TEXT)?;
        let ordinals = texts.len();
        let mut values = Self {
            ranges: read_ranges(sections, ordinals)?,
            documents: Lists::open(sections, VALUE_DOCS, count)?,
            dense: sections.get("value.dense")?,
            bits: sections.get("value.bits")?,
            totals: sections.get("value.total")?,
            sets: Lists::open(sections, SETS, ordinals)?,
            doc_at: sections.get("doc.at")?,
            doc_values: sections.get("doc.values")?,
            named: Lists::open(sections, NAMED, count)?,
            shut: Lists::open(sections, SHUT, count)?,
            rows: sections.get("pair.row")?,
            table: sections.get("pair.table")?,
            sizes: [(0, 0); COUNT],
            texts,
            count,
        };
        values.check(ordinals)?;
        values.sizes = FACETS.each_ref().map(|spec| values.measure(spec.facet));
        Ok(values)
    }

    fn measure(&self, facet: Facet) -> (usize, usize) {
        let docs = self.of(facet).map(|ordinal| self.docs(ordinal as u32));
        docs.fold((0, 0), |(dense, listed), docs| match docs {
            Docs::Bits(_) => (dense + 1, listed),
            Docs::List(list) => (dense, listed + list.len()),
        })
    }

    fn check(&self, ordinals: usize) -> Result<(), SectionError> {
        for (name, lists) in [
            (VALUE_DOCS.0, &self.documents),
            (SETS.0, &self.sets),
            (NAMED.0, &self.named),
            (SHUT.0, &self.shut),
        ] {
            if lists.len() != ordinals {
                return Err(SectionError::Content(name, "has another length"));
            }
        }
        check_len("value.dense", &self.dense, ordinals)?;
        check_len("value.total", &self.totals, ordinals)?;
        check_len("pair.row", &self.rows, ordinals)?;
        check_len("doc.at", &self.doc_at, self.count + 1)?;
        check_offsets("doc.at", &self.doc_at, self.doc_values.len())?;
        let below = |name, items: &[u32], bound: usize| match items
            .iter()
            .all(|i| *i == NONE || (*i as usize) < bound)
        {
            true => Ok(()),
            false => Err(SectionError::Content(name, "a number is out of bounds")),
        };
        below("value.dense", &self.dense, self.bits.len().checked_div(words(self.count)).unwrap_or(0))?;
        check_bits("value.bits", &self.bits, self.count)?;
        below("pair.row", &self.rows, self.table.len().checked_div(ordinals).unwrap_or(0))?;
        if self.doc_values.iter().any(|ordinal| usize::from(*ordinal) >= ordinals) {
            return Err(SectionError::Content("doc.values", "a number is out of bounds"));
        }
        Ok(())
    }

    /// How many ordinals there are, sets among them.
    #[must_use]
    pub fn ordinals(&self) -> usize {
        self.texts.len()
    }

    /// Ordinals of a facet's values.
    #[must_use]
    pub fn of(&self, facet: Facet) -> std::ops::Range<usize> {
        let range = self.ranges[facet as usize];
        range.start as usize..(range.start + range.values) as usize
    }

    /// Ordinals of a facet's values and sets.
    #[must_use]
    pub fn span(&self, facet: Facet) -> std::ops::Range<usize> {
        let range = self.ranges[facet as usize];
        range.start as usize..range.end as usize
    }

    /// Facet of an ordinal.
    #[must_use]
    pub fn facet_of(&self, ordinal: u32) -> Facet {
        let position = self.ranges.partition_point(|range| range.end <= ordinal);
        FACETS[position.min(COUNT - 1)].facet
    }

    /// Text of a value.
    #[must_use]
    pub fn text(&self, ordinal: u32) -> &str {
        self.texts.text(ordinal as usize)
    }

    /// Ordinal of a facet's value.
    #[must_use]
    pub fn find(&self, facet: Facet, value: &str) -> Option<u32> {
        self.texts.find_in(self.of(facet), value.as_bytes()).map(|ordinal| ordinal as u32)
    }

    /// Documents that a value admits. Open states have none here.
    #[must_use]
    pub fn docs(&self, ordinal: u32) -> Docs<'_> {
        match self.dense.get(ordinal as usize) {
            Some(&set) if set != NONE => {
                let start = set as usize * words(self.count);
                Docs::Bits(&self.bits[start..start + words(self.count)])
            }
            _ => Docs::List(self.documents.get(ordinal as usize)),
        }
    }

    /// Documents that name a place value itself.
    #[must_use]
    pub fn naming(&self, ordinal: u32) -> &[u32] {
        self.named.get(ordinal as usize)
    }

    /// Documents that a place admits which no record names: they name something around it and
    /// exclude neither that nor anything else around it.
    #[must_use]
    pub fn docs_of_place(&self, facet: Facet, code: &str) -> DocSet {
        let around = |lists: &Lists| -> DocSet {
            let known = place::lineage(code).filter_map(|place| self.find(facet, place));
            let ordinals: Vec<u32> = known.collect();
            let parts: Vec<Docs<'_>> =
                ordinals.iter().map(|ordinal| Docs::List(lists.get(*ordinal as usize))).collect();
            union(&parts, self.count).into_set()
        };
        let mut docs = around(&self.named);
        docs.subtract(&around(&self.shut).docs());
        docs
    }

    /// Documents of a picked value of a facet.
    #[must_use]
    pub fn docs_of(&self, facet: Facet, pick: &Pick) -> DocSet {
        match pick {
            Pick::Value(ordinal) => self.docs(*ordinal).to_set(),
            Pick::Place(code) => self.docs_of_place(facet, code),
        }
    }

    /// How many documents each ordinal has.
    #[must_use]
    pub fn totals(&self) -> &[u32] {
        &self.totals
    }

    /// The documents' values.
    #[must_use]
    pub fn of_docs(&self) -> OfDocs<'_> {
        OfDocs { at: &self.doc_at, ordinals: &self.doc_values }
    }

    /// How many values of a facet have bit sets, and how many documents the others list together.
    #[must_use]
    pub fn sizes(&self, facet: Facet) -> (usize, usize) {
        self.sizes[facet as usize]
    }

    /// Facets in the order of their ordinals.
    pub fn facets(&self) -> impl Iterator<Item = Facet> + use<> {
        FACETS.iter().map(|spec| spec.facet)
    }

    /// How many documents there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many entries the lists of all documents have.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.doc_values.len()
    }

    /// Values of a set; empty for a value.
    #[must_use]
    pub fn set(&self, ordinal: usize) -> &[u32] {
        self.sets.get(ordinal)
    }

    /// How many documents a value shares with each other value, when it has a row.
    #[must_use]
    pub fn pairs(&self, ordinal: u32) -> Option<&[u32]> {
        let row = *self.rows.get(ordinal as usize)?;
        let start = row as usize * self.ordinals();
        if row == NONE { None } else { self.table.get(start..start + self.ordinals()) }
    }
}

fn read_ranges(sections: &Sections, ordinals: usize) -> Result<[Range; COUNT], SectionError> {
    let (starts, counts) = (sections.get::<u32>("value.start")?, sections.get::<u32>("value.count")?);
    check_len("value.start", &starts, COUNT + 1)?;
    check_len("value.count", &counts, COUNT)?;
    let fits = starts.is_sorted() && starts[0] == 0 && starts[COUNT] as usize == ordinals;
    let ranges: [Range; COUNT] = std::array::from_fn(|position| Range {
        start: starts[position],
        values: counts[position],
        end: starts[position + 1],
    });
    if fits && ranges.iter().all(|range| range.values <= range.end - range.start) {
        Ok(ranges)
    } else {
        Err(SectionError::Content("value.start", "ranges do not fit"))
    }
}
