//! Counting: for a set of documents, how many have each value. Two ways, and whichever is cheaper
//! for the set: walk the documents' lists, or intersect the values' bit sets.

use crate::facet::Facet;
use crate::search::set::{DocSet, Docs, count_common, has_bit, words};
use crate::search::today::Today;
use crate::search::values::Values;

/// Costs in tenths of a nanosecond, measured on a 2.x GHz server core; only their ratios matter.
mod cost {
    /// Reaching a document's list.
    pub(super) const DOC: usize = 120;
    /// One entry of it.
    pub(super) const ENTRY: usize = 7;
    /// One word of a bit set.
    pub(super) const WORD: usize = 2;
    /// One document of a list, looked up in a bit set.
    pub(super) const LOOK_UP: usize = 12;
    /// One value, whatever its size.
    pub(super) const VALUE: usize = 60;
}

/// Counts how many documents of a set have each value of some facets, into a table over ordinals.
/// Entries of other facets hold anything.
pub fn count(values: &Values, today: &Today, docs: &DocSet, facets: &[Facet], counts: &mut [u32]) {
    let size = docs.len();
    let all = values.entries() / values.count().max(1);
    let walk = |docs: usize| docs * (cost::DOC + cost::ENTRY * all);
    let scan = scan_cost(values, facets);
    let most = values.count() - size;
    match docs {
        DocSet::Bits(bits) if walk(most) < walk(size).min(scan) => {
            let mut rest = DocSet::all(values.count());
            rest.subtract(&Docs::Bits(bits));
            walk_documents(values, &rest, counts);
            counts.iter_mut().zip(values.totals()).for_each(|(count, total)| *count = total - *count);
        }
        DocSet::Bits(bits) if scan < walk(size) => intersect_values(values, bits, facets, counts),
        _ => walk_documents(values, docs, counts),
    }
    today.count(docs, counts);
}

fn scan_cost(values: &Values, facets: &[Facet]) -> usize {
    let of = |facet: &Facet| {
        values.of(*facet).map(|ordinal| match values.docs(ordinal as u32) {
            Docs::Bits(_) => cost::VALUE + cost::WORD * words(values.count()),
            Docs::List(list) => cost::VALUE + cost::LOOK_UP * list.len(),
        })
    };
    facets.iter().flat_map(of).sum()
}

fn walk_documents(values: &Values, docs: &DocSet, counts: &mut [u32]) {
    counts.fill(0);
    docs.for_each(|doc| {
        for ordinal in values.of_doc(doc) {
            if let Some(count) = counts.get_mut(usize::from(*ordinal)) {
                *count += 1;
            }
        }
    });
    for set in values.sets() {
        let count = std::mem::take(&mut counts[*set as usize]);
        if count > 0 {
            values.set(*set as usize).iter().for_each(|value| counts[*value as usize] += count);
        }
    }
}

fn intersect_values(values: &Values, bits: &[u64], facets: &[Facet], counts: &mut [u32]) {
    for facet in facets {
        for ordinal in values.of(*facet) {
            counts[ordinal] = match values.docs(ordinal as u32) {
                Docs::Bits(others) => count_common(bits, others) as u32,
                Docs::List(list) => list.iter().filter(|doc| has_bit(bits, **doc)).count() as u32,
            };
        }
    }
}
