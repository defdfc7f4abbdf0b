//! Writes the values: numbers them, and finds the documents that match each and those that have two.

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::FxHashMap as HashMap;

use super::stated::StatedValues;
use super::{DOC_VALUES, EXCLUDED, NAMED, NONE, ORDINALS_MAX, SETS, VALUE_DOCS, VALUE_TEXT};
use crate::distinct::distinct;
use crate::facet::{FACETS, Facet, admits, eligibility_facets};
use crate::place;
use crate::search::set::bits_of;
use crate::search::table::{Lists, ListsWriter, PostingsWriter, Strings};
use store::sections::SectionWriter;

/// Fewest values of a list that becomes a set.
const SET_MIN: usize = 8;
/// Most sets; those that save most are kept.
const SETS_MAX: usize = 2000;
/// Most documents of a value without a row in the table of pairs: reading its documents is as fast.
const NO_ROW_MAX: usize = 64;
/// Most rows, to bound memory.
const ROWS_MAX: usize = 4096;
/// Most combinations of places whose matches are remembered.
const REMEMBERED: usize = 1 << 16;

/// The facet and the text of each ordinal; a set has no text.
pub(in crate::search) type NamedOrdinals = Vec<(Facet, String)>;

/// The dataset has more facet values than an index can number.
#[derive(Debug, thiserror::Error)]
#[error("{found} different facet values; an index holds at most {most}")]
pub struct TooManyValues {
    /// Number of values.
    pub found: usize,
    /// What an index can number.
    pub most: usize,
}

/// Writes the sections; gives the ordinals.
///
/// # Errors
///
/// If there are too many values.
pub(in crate::search) fn write(
    stated: &StatedValues,
    writer: &mut SectionWriter,
) -> Result<NamedOrdinals, TooManyValues> {
    let mut layout = Layout { postings: PostingsWriter::new(stated.documents()), ..Layout::default() };
    let own: Vec<_> = FACETS.iter().map(|spec| layout.add(spec.facet, stated)).collect();
    let ordinals = layout.texts.len();
    if ordinals > ORDINALS_MAX {
        return Err(TooManyValues { found: ordinals, most: ORDINALS_MAX });
    }
    let of_docs = joined(&own, stated.documents());
    drop(own);
    layout.starts.push(ordinals as u32);
    write_pairs(&layout, &of_docs, writer);
    let facets = FACETS.iter().zip(layout.starts.array_windows());
    let facets = facets.flat_map(|(spec, [start, end])| (*start..*end).map(|_| spec.facet));
    let named = facets.zip(layout.texts.iter().cloned()).collect();
    writer.put("value.start", layout.starts);
    writer.put("value.count", layout.counts);
    Strings::write(writer, VALUE_TEXT, layout.texts.iter().map(String::as_bytes));
    layout.postings.write(VALUE_DOCS, writer);
    writer.put("value.total", layout.totals);
    Lists::write(writer, SETS, layout.sets.iter().map(Vec::as_slice));
    of_docs.write(DOC_VALUES, writer);
    layout.named.write(NAMED, writer);
    layout.excluded.write(EXCLUDED, writer);
    write_unstated(stated, writer);
    Ok(named)
}

/// The lists of all facets, one after the other for each document.
fn joined(own: &[ListsWriter<u16>], documents: usize) -> ListsWriter<u16> {
    let (mut all, mut list) = (ListsWriter::default(), Vec::new());
    let mut own: Vec<_> = own.iter().map(ListsWriter::iter).collect();
    for _ in 0..documents {
        list.clear();
        own.iter_mut().filter_map(Iterator::next).for_each(|own| list.extend_from_slice(own));
        all.push(&list);
    }
    all
}

/// Writes which documents state no value.
fn write_unstated(stated: &StatedValues, writer: &mut SectionWriter) {
    let mut all = Vec::new();
    for facet in eligibility_facets() {
        let silent = (0..).zip(stated.by_document()).filter_map(|(doc, mut numbers)| {
            (!numbers.any(|(number, _)| stated.values[number as usize].facet == facet)).then_some(doc)
        });
        all.extend(bits_of(silent, stated.documents()));
    }
    writer.put("unstated", all);
}

/// The ordinals being laid out: one entry for each in every list.
#[derive(Default)]
struct Layout {
    starts: Vec<u32>,
    counts: Vec<u32>,
    texts: Vec<String>,
    totals: Vec<u32>,
    sets: Vec<Vec<u32>>,
    postings: PostingsWriter,
    named: ListsWriter<u32>,
    excluded: ListsWriter<u32>,
}

impl Layout {
    /// Adds the values and sets of a facet. Returns the values and sets of each document, ascending.
    fn add(&mut self, facet: Facet, stated: &StatedValues) -> ListsWriter<u16> {
        let start = self.texts.len() as u32;
        let ordinals = Ordinals::new(facet, stated, start);
        let values = start..start + ordinals.values.len() as u32;
        self.starts.push(start);
        self.counts.push(values.len() as u32);
        let matched = matched(facet, &ordinals, stated);
        let sets = sets(&matched);
        let own = own_lists(&matched, &sets, values.end);
        let of_docs = || matched.iter().map(|list| list.iter().copied());
        invert(&values, of_docs, |docs| {
            self.totals.push(docs.len() as u32);
            self.postings.push(docs);
        });
        for (excluded, lists) in [(false, &mut self.named), (true, &mut self.excluded)] {
            let documents = || stated.by_document().filter(|_| facet.spec().is_place);
            let of_docs = || documents().map(|list| ordinals.of(list, excluded).into_iter());
            invert(&values, of_docs, |docs| {
                lists.push(docs);
            });
        }
        self.texts.extend(ordinals.values.iter().map(|value| (*value).to_owned()));
        self.sets.extend(values.map(|_| Vec::new()));
        for set in sets {
            self.texts.push(String::new());
            self.totals.push(0);
            self.postings.push(&[]);
            self.named.push(&[]);
            self.excluded.push(&[]);
            self.sets.push(set.to_vec());
        }
        own
    }
}

/// The values that each document matches, ascending: those that it names, or the places that it admits.
fn matched(facet: Facet, ordinals: &Ordinals<'_>, stated: &StatedValues) -> ListsWriter<u32> {
    let mut matched = ListsWriter::default();
    let mut places = Places::new(ordinals);
    for list in stated.by_document() {
        let of = |excluded| ordinals.of(list.clone(), excluded);
        if facet.spec().is_place {
            matched.push(places.admitted(of(false), of(true)));
        } else {
            matched.push(&of(false));
        }
    }
    matched
}

/// The values of a facet, sorted, and their ordinals.
struct Ordinals<'a> {
    /// Of the first value.
    start: u32,
    values: Vec<&'a str>,
    /// Of each number, or [`NONE`].
    of_number: Vec<u32>,
}

impl<'a> Ordinals<'a> {
    /// In a facet that shares the selection of another facet, a value of the same text has the documents of the other
    /// facet's value, because a query finds that one first.
    fn new(facet: Facet, stated: &'a StatedValues, start: u32) -> Self {
        let values = distinct(stated.of(facet).map(|(_, text)| text).chain(facet.fixed_values()));
        let mut ordinals = Self { start, values, of_number: vec![NONE; stated.values.len()] };
        for (number, text) in stated.of(facet) {
            ordinals.of_number[number as usize] = ordinals.find(text).unwrap_or(NONE);
        }
        if facet.group() != facet {
            let of_number = &mut ordinals.of_number;
            let first: HashMap<&str, u32> =
                stated.named(facet.group()).map(|(number, text)| (text, number)).collect();
            for (number, text) in stated.named(facet) {
                if let Some(first) = first.get(text) {
                    of_number[*first as usize] = std::mem::replace(&mut of_number[number as usize], NONE);
                }
            }
        }
        ordinals
    }

    fn find(&self, value: &str) -> Option<u32> {
        self.values.binary_search(&value).ok().map(|at| self.start + at as u32)
    }

    /// Ordinals of the values that a document names or excludes, ascending, each once.
    fn of(&self, stated: impl Iterator<Item = (u32, bool)>, excluded: bool) -> Vec<u32> {
        let of_kind = stated.filter(|(_, is_excluded)| *is_excluded == excluded);
        let ordinals = of_kind.map(|(number, _)| self.of_number[number as usize]);
        distinct(ordinals.filter(|ordinal| *ordinal != NONE))
    }
}

/// Which places documents admit. Many documents name the same places, so combinations are remembered.
struct Places {
    /// The ordinals of each place and of what contains it.
    around: Vec<(u32, Vec<u32>)>,
    known: HashMap<(Vec<u32>, Vec<u32>), Vec<u32>>,
}

impl Places {
    fn new(ordinals: &Ordinals<'_>) -> Self {
        let around = |value: &&str| place::with_ancestors(value).filter_map(|it| ordinals.find(it)).collect();
        let around = (ordinals.start..).zip(ordinals.values.iter().map(around)).collect();
        Self { around, known: HashMap::default() }
    }

    /// The ordinals of the places that a document matches, ascending.
    fn admitted(&mut self, named: Vec<u32>, excluded: Vec<u32>) -> &[u32] {
        if self.known.len() == REMEMBERED {
            self.known.clear();
        }
        let around = &self.around;
        self.known.entry((named, excluded)).or_insert_with_key(|(named, excluded)| {
            let has = |list: &[u32], place: &u32| list.binary_search(place).is_ok();
            let matched =
                around.iter().filter(|(_, around)| admits(around, |p| has(named, p), |p| has(excluded, p)));
            matched.map(|(ordinal, _)| *ordinal).collect()
        })
    }
}

/// The lists that save most if they are stored once.
fn sets(matched: &ListsWriter<u32>) -> Vec<&[u32]> {
    let mut shared: HashMap<&[u32], usize> = HashMap::default();
    for list in matched.iter().filter(|list| list.len() >= SET_MIN) {
        *shared.entry(list).or_default() += 1;
    }
    let mut best: Vec<(&[u32], usize)> =
        shared.into_iter().filter(|(list, count)| *count > 1 && list.len() * count >= 64).collect();
    best.sort_unstable_by_key(|(list, count)| (Reverse(list.len() * count), *list));
    best.truncate(SETS_MAX);
    best.into_iter().map(|(list, _)| list).collect()
}

/// The values of each document, or the set in place of them; sets have ordinals from `first` on.
fn own_lists(matched: &ListsWriter<u32>, sets: &[&[u32]], first: u32) -> ListsWriter<u16> {
    let numbers: HashMap<&[u32], u32> = sets.iter().copied().zip(first..).collect();
    let (mut own, mut list) = (ListsWriter::default(), Vec::new());
    for values in matched.iter() {
        list.clear();
        match numbers.get(values) {
            Some(set) => list.push(*set as u16),
            None => list.extend(values.iter().map(|ordinal| *ordinal as u16)),
        }
        own.push(&list);
    }
    own
}

/// Calls a function with the documents of each ordinal of a range, in their order. `of_docs` gives the ordinals of all
/// documents, twice.
fn invert<D: Iterator<Item: Iterator<Item = u32>>>(
    ordinals: &Range<u32>,
    of_docs: impl Fn() -> D,
    mut each: impl FnMut(&[u32]),
) {
    let mut ends = vec![0; ordinals.len()];
    of_docs().flatten().for_each(|ordinal| ends[(ordinal - ordinals.start) as usize] += 1);
    let mut total = 0;
    ends.iter_mut().for_each(|end| total += std::mem::replace(end, total));
    let mut docs = vec![0; total];
    for (doc, of_doc) in (0..).zip(of_docs()) {
        for ordinal in of_doc {
            let end = &mut ends[(ordinal - ordinals.start) as usize];
            docs[*end] = doc;
            *end += 1;
        }
    }
    let mut start = 0;
    for end in ends {
        each(&docs[start..end]);
        start = end;
    }
}

/// Counts pairs: of each value or set the values and sets beside it, which count for each member of the set.
fn write_pairs(layout: &Layout, of_docs: &ListsWriter<u16>, writer: &mut SectionWriter) {
    let ordinals = layout.texts.len();
    let mut frequent: Vec<usize> =
        (0..ordinals).filter(|ordinal| layout.totals[*ordinal] as usize > NO_ROW_MAX).collect();
    frequent.sort_by_key(|ordinal| Reverse(layout.totals[*ordinal]));
    frequent.truncate(ROWS_MAX);
    let mut rows = vec![NONE; ordinals];
    (0..).zip(&frequent).for_each(|(row, ordinal)| rows[*ordinal] = row);
    let mut table = vec![0u32; frequent.len() * ordinals];
    let mut counts = vec![0u32; ordinals];
    let mut ordinal = 0;
    let lists = || of_docs.iter().map(|list| list.iter().map(|own| u32::from(*own)));
    invert(&(0..ordinals as u32), lists, |docs| {
        let members = &layout.sets[ordinal];
        let own = (members.is_empty()).then_some(ordinal as u32);
        let has_row = |value: &u32| rows[*value as usize] != NONE;
        let of: Vec<usize> = members
            .iter()
            .copied()
            .chain(own)
            .filter(has_row)
            .map(|value| rows[value as usize] as usize)
            .collect();
        ordinal += 1;
        if of.is_empty() {
            return;
        }
        counts.fill(0);
        for doc in docs {
            of_docs.get(*doc as usize).iter().for_each(|other| counts[usize::from(*other)] += 1);
        }
        for row in of {
            let row = &mut table[row * ordinals..][..ordinals];
            row.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
        }
    });
    for row in table.chunks_mut(ordinals.max(1)) {
        for (set, members) in layout.sets.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
            let count = std::mem::take(&mut row[set]);
            members.iter().for_each(|member| row[*member as usize] += count);
        }
    }
    writer.put("pair.row", rows);
    writer.put("pair.table", table);
}
