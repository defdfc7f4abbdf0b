//! Counts of facet values in a set of documents, in the cheaper of two ways: read the values of each document, or
//! intersect the set with the bit set of each value.

use std::ops::Range;

use crate::facet::{FACETS, Facet};
use crate::search::set::{DocSet, count_common, has_bit};
use crate::search::today::Today;
use crate::search::values::Values;

/// Costs in tenths of a nanosecond, measured on a 2.x GHz server core; only their ratios matter.
mod cost {
    /// Reaching the list of a document.
    pub(super) const DOC: usize = 120;
    /// Finding a facet's part of it.
    pub(super) const PART: usize = 300;
    /// An entry of it.
    pub(super) const ENTRY: usize = 7;
    /// A word of a bit set.
    pub(super) const WORD: usize = 1;
    /// A document of a list, looked up in a bit set.
    pub(super) const LOOK_UP: usize = 10;
    /// A value of any size.
    pub(super) const VALUE: usize = 40;
}

/// Counts the values of all documents of a set, into a table over ordinals.
pub(super) fn count_all(
    values: &Values,
    today: &Today,
    docs: &DocSet<'_>,
    facets: &[Facet],
    counts: &mut [u32],
) {
    let (size, used) = (docs.len(), used_words(docs));
    let entries = values.doc_values.len() / values.count.max(1);
    let walk = |docs: usize| docs * (cost::DOC + cost::ENTRY * entries);
    let scan: usize = facets.iter().map(|facet| scan_cost(values, *facet, &used)).sum();
    let rest = values.count.saturating_sub(size);
    match docs {
        DocSet::Bits(bits) if walk(rest) < walk(size).min(scan) => {
            let rest = DocSet::all(values.count).without(&DocSet::bits(bits));
            walk_all(values, &rest, counts);
            let totals = counts.iter_mut().zip(values.totals.iter());
            totals.for_each(|(count, total)| *count = total.saturating_sub(*count));
        }
        DocSet::Bits(bits) if scan < walk(size) => {
            facets.iter().for_each(|facet| scan_facet(values, (bits, &used), *facet, counts));
        }
        _ => walk_all(values, docs, counts),
    }
    today.count(docs, counts);
}

/// Counts the values of one facet only.
pub(super) fn count_facet(
    values: &Values,
    today: &Today,
    docs: &DocSet<'_>,
    facet: Facet,
    counts: &mut [u32],
) {
    counts[values.span(facet)].fill(0);
    let used = used_words(docs);
    match docs {
        _ if facet.spec().is_daily => today.count(docs, counts),
        DocSet::Bits(bits) if scan_cost(values, facet, &used) < docs.len() * (cost::DOC + cost::PART) => {
            scan_facet(values, (bits, &used), facet, counts);
        }
        _ => add_part(values, docs, facet, counts),
    }
}

/// The words of a bit set from its first document to its last: documents are numbered by deadline, which most queries
/// bound.
fn used_words(docs: &DocSet<'_>) -> Range<usize> {
    let DocSet::Bits(bits) = docs else { return 0..0 };
    let is_used = |word: &u64| *word != 0;
    let start = bits.iter().position(is_used).unwrap_or(0);
    start..bits.iter().rposition(is_used).map_or(start, |last| last + 1)
}

fn scan_cost(values: &Values, facet: Facet, used: &Range<usize>) -> usize {
    let (dense, listed) = values.sizes[facet as usize];
    values.of(facet).len() * cost::VALUE + dense * cost::WORD * used.len() + listed * cost::LOOK_UP
}

/// Counts by reading the values of each document; open states are not among them.
pub(super) fn walk_all(values: &Values, docs: &DocSet<'_>, counts: &mut [u32]) {
    counts.fill(0);
    let of_docs = values.of_docs();
    docs.for_each_chunk(|docs| {
        of_docs.prefetch(docs);
        for doc in docs {
            for ordinal in of_docs.get(*doc) {
                if let Some(count) = counts.get_mut(usize::from(*ordinal)) {
                    *count += 1;
                }
            }
        }
    });
    FACETS.iter().for_each(|spec| spread_sets(values, spec.facet, counts));
}

/// Adds the values of one facet to the counts.
pub(super) fn add_facet(values: &Values, today: &Today, docs: &DocSet<'_>, facet: Facet, counts: &mut [u32]) {
    if facet.spec().is_daily {
        today.add(docs, counts);
    } else {
        add_part(values, docs, facet, counts);
    }
}

/// Adds the values of one facet, a part of each document's list.
fn add_part(values: &Values, docs: &DocSet<'_>, facet: Facet, counts: &mut [u32]) {
    let span = values.span(facet);
    let (start, counts_of) = (span.start, &mut counts[span.clone()]);
    let of_docs = values.of_docs();
    docs.for_each_chunk(|docs| {
        of_docs.prefetch(docs);
        for doc in docs {
            let list = of_docs.get(*doc);
            let from = list.partition_point(|ordinal| usize::from(*ordinal) < start);
            let part = list[from..].iter().map(|ordinal| usize::from(*ordinal));
            for ordinal in part.take_while(|ordinal| *ordinal < span.end) {
                counts_of[ordinal - start] += 1;
            }
        }
    });
    spread_sets(values, facet, counts);
}

/// Moves the count of each set to its members.
fn spread_sets(values: &Values, facet: Facet, counts: &mut [u32]) {
    for set in values.of(facet).end..values.span(facet).end {
        let count = std::mem::take(&mut counts[set]);
        if count > 0 {
            values.set(set).iter().for_each(|value| counts[*value as usize] += count);
        }
    }
}

fn scan_facet(values: &Values, (bits, used): (&[u64], &Range<usize>), facet: Facet, counts: &mut [u32]) {
    let range = values.of(facet);
    for (count, docs) in counts[range.clone()].iter_mut().zip(values.docs_of(range)) {
        *count = match docs {
            DocSet::Bits(others) => count_common(&bits[used.clone()], &others[used.clone()]) as u32,
            DocSet::List(list) => list.iter().filter(|doc| has_bit(bits, **doc)).count() as u32,
        };
    }
}
