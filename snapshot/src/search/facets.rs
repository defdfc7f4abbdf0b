//! Facets of an answer: each counted under all constraints but its own group, with its most frequent values and
//! every selected one. Values are counted in the cheaper of two ways: by reading the values of each document, or by
//! intersecting the set with the bit set of each value.

use std::ops::Range;

use crate::facet::{COUNT, FACETS, Facet};
use crate::query::{FacetValue, Query};
use crate::search::index::{FacetCounts, Index};
use crate::search::narrow::{Group, Narrowed};
use crate::search::set::{DocSet, count_common, has_bit};
use crate::search::today::Today;
use crate::search::values::Values;
use crate::time::Day;

/// Most values of a facet in an answer.
pub const FACET_VALUES_MAX: usize = 50;

impl Index {
    /// What depends on a day.
    pub(crate) fn today(&self, day: Day) -> Today {
        let mut today = Today::new(self, day);
        let query = Query::default();
        let mut selector = Selector::new(self, &today, &query, 0);
        selector.counts = self.totals(&today);
        today.browse = FACETS.iter().map(|spec| selector.select(spec.facet, None)).collect();
        today
    }

    /// Number of documents of each ordinal.
    pub(crate) fn totals(&self, today: &Today) -> Vec<u32> {
        let mut counts = self.values.totals.to_vec();
        today.totals(&mut counts);
        counts
    }

    /// Sorts values of a facet as answers list them: greater counts first, then by the value.
    pub(crate) fn sort_by_count(&self, items: &mut [(FacetValue, u32)]) {
        items.sort_by(|(a, count), (b, other)| {
            other.cmp(count).then_with(|| self.value_text(a).cmp(self.value_text(b)))
        });
    }

    /// All facets of narrowed documents; see [`RankOptions::shown_values`](super::RankOptions).
    pub(super) fn facets(
        &self,
        query: &Query,
        today: &Today,
        narrowed: &Narrowed<'_>,
        shown: usize,
    ) -> Vec<FacetCounts> {
        let Some(found) = &narrowed.found else { return today.browse.clone() };
        let groups = &narrowed.groups;
        let is_counted_alone = |facet: &Facet| groups.iter().any(|group| group.facet == facet.group());
        let others: Vec<Facet> =
            FACETS.iter().map(|spec| spec.facet).filter(|facet| !is_counted_alone(facet)).collect();
        let mut selector = Selector::new(self, today, query, shown);
        let mut facets = Vec::with_capacity(COUNT);
        groups.iter().for_each(|group| selector.count_without(narrowed, group, &mut facets));
        match narrowed.only_value(None) {
            Some(value) => selector.count_of_value(value, found, &others),
            None => selector.count_all(found, &others),
        }
        facets.extend(others.into_iter().map(|facet| selector.select(facet, None)));
        facets.sort_by_key(|counts| counts.facet);
        facets
    }
}

/// So few keys are sorted by comparison, whatever their counts.
const FEW: usize = 20;
/// Counts below this are sorted by counting.
const SMALL: u32 = 256;

/// Counts the values of facets, and selects those of an answer.
struct Selector<'a> {
    index: &'a Index,
    today: &'a Today,
    query: &'a Query,
    shown: usize,
    /// A table over ordinals.
    counts: Vec<u32>,
    /// Buffers for the keys of a facet.
    keys: Vec<u64>,
    sorted: Vec<u64>,
    /// Buffer for the keys in the answer.
    selected: Vec<u64>,
}

/// A value and its count as one number: greater counts first, then lesser ordinals.
const fn key(count: u32, ordinal: u32) -> u64 {
    (!count as u64) << 32 | ordinal as u64
}

/// The count of a key.
const fn count_of(key: u64) -> u32 {
    !(key >> 32) as u32
}

/// Sorts keys that are in the order of their ordinals by their counts, without a branch that could not be predicted.
fn sort_by_count<'a>(keys: &[u64], greatest: u32, sorted: &'a mut [u64]) -> &'a [u64] {
    let mut places = [0; SMALL as usize];
    keys.iter().for_each(|key| places[count_of(*key) as usize % SMALL as usize] += 1);
    let used = &mut places[..=greatest as usize];
    used.iter_mut().rev().fold(0, |start, place| start + std::mem::replace(place, start));
    for key in keys {
        let place = &mut places[count_of(*key) as usize % SMALL as usize];
        sorted[*place] = *key;
        *place += 1;
    }
    &sorted[..keys.len()]
}

impl<'a> Selector<'a> {
    fn new(index: &'a Index, today: &'a Today, query: &'a Query, shown: usize) -> Self {
        let longest = FACETS.iter().map(|spec| index.values.of(spec.facet).len()).max().unwrap_or(0);
        let counts = vec![0; index.values.ordinals()];
        let [keys, sorted] = [(); 2].map(|()| vec![0; longest]);
        let selected = Vec::with_capacity(FACET_VALUES_MAX);
        Self { index, today, query, shown, counts, keys, sorted, selected }
    }

    /// Adds the facets of a group, counted without the group.
    fn count_without(&mut self, narrowed: &Narrowed<'_>, group: &Group<'_>, facets: &mut Vec<FacetCounts>) {
        let own: Vec<Facet> =
            FACETS.iter().map(|spec| spec.facet).filter(|facet| facet.group() == group.facet).collect();
        let docs = narrowed.without(Some(group.facet));
        match (&docs, narrowed.only_value(Some(group.facet))) {
            (None, _) => {
                self.counts.copy_from_slice(&self.index.values.totals);
                self.today.totals(&mut self.counts);
            }
            (Some(docs), Some(value)) => self.count_of_value(value, docs, &own),
            (Some(docs), None) => own.iter().for_each(|facet| self.count_facet(docs, *facet)),
        }
        let docs = docs.unwrap_or_else(|| DocSet::all(self.index.programs()));
        facets.extend(own.iter().map(|facet| self.select(*facet, Some(&docs))));
    }

    /// Counts the documents of one value, from the table of pairs if it is there.
    fn count_of_value(&mut self, value: u32, docs: &DocSet<'_>, facets: &[Facet]) {
        let today = self.today;
        if let Some(pairs) = today.pairs(value) {
            self.counts.iter_mut().zip(pairs).for_each(|(count, shared)| *count = shared);
        } else if let Some(pairs) = self.index.values.pairs(value) {
            self.counts.copy_from_slice(pairs);
            today.count_pairs(value, &mut self.counts);
        } else {
            self.count_all(docs, facets);
        }
    }

    /// Counts the values of all documents of a set.
    fn count_all(&mut self, docs: &DocSet<'_>, facets: &[Facet]) {
        let values = &self.index.values;
        let (size, used) = (docs.len(), used_words(docs));
        let entries = values.doc_values.items.len() / values.count.max(1);
        let walk = |docs: usize| docs * (cost::DOC + cost::ENTRY * entries);
        let scan: usize = facets.iter().map(|facet| scan_cost(values, *facet, &used)).sum();
        let rest = values.count.saturating_sub(size);
        match docs {
            DocSet::Bits(bits) if walk(rest) < walk(size).min(scan) => {
                self.walk_all(&DocSet::all(values.count).without(&DocSet::bits(bits)));
                let totals = self.counts.iter_mut().zip(values.totals.iter());
                totals.for_each(|(count, total)| *count = total.saturating_sub(*count));
            }
            DocSet::Bits(bits) if scan < walk(size) => {
                facets.iter().for_each(|facet| self.scan_facet(bits, &used, *facet));
            }
            _ => self.walk_all(docs),
        }
        self.today.count(docs, &mut self.counts);
    }

    /// Counts the values of one facet only.
    fn count_facet(&mut self, docs: &DocSet<'_>, facet: Facet) {
        let values = &self.index.values;
        self.counts[values.span(facet)].fill(0);
        let used = used_words(docs);
        match docs {
            _ if facet.spec().is_daily => self.today.count(docs, &mut self.counts),
            DocSet::Bits(bits) if scan_cost(values, facet, &used) < docs.len() * (cost::DOC + cost::PART) => {
                self.scan_facet(bits, &used, facet);
            }
            _ => self.add_part(docs, facet),
        }
    }

    /// Counts by reading the values of each document; open states are not among them.
    fn walk_all(&mut self, docs: &DocSet<'_>) {
        let (counts, of_docs) = (&mut *self.counts, self.index.values.of_docs());
        counts.fill(0);
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
        FACETS.iter().for_each(|spec| self.spread_sets(spec.facet));
    }

    /// Adds the values of one facet, a part of each document's list.
    fn add_part(&mut self, docs: &DocSet<'_>, facet: Facet) {
        let span = self.index.values.span(facet);
        let (start, counts_of) = (span.start, &mut self.counts[span.clone()]);
        let of_docs = self.index.values.of_docs();
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
        self.spread_sets(facet);
    }

    /// Moves the count of each set to its members.
    fn spread_sets(&mut self, facet: Facet) {
        let (values, counts) = (&self.index.values, &mut *self.counts);
        for set in values.of(facet).end..values.span(facet).end {
            let count = std::mem::take(&mut counts[set]);
            if count > 0 {
                values.set(set).iter().for_each(|value| counts[*value as usize] += count);
            }
        }
    }

    fn scan_facet(&mut self, bits: &[u64], used: &Range<usize>, facet: Facet) {
        let range = self.index.values.of(facet);
        let docs_of = self.index.values.docs_of(range.clone());
        for (count, docs) in self.counts[range].iter_mut().zip(docs_of) {
            *count = match docs {
                DocSet::Bits(others) => count_common(&bits[used.clone()], &others[used.clone()]) as u32,
                DocSet::List(list) => list.iter().filter(|doc| has_bit(bits, **doc)).count() as u32,
            };
        }
    }

    /// The most frequent values and the selected ones. `docs` are those that were counted, for places that no document
    /// names; needed where values are selected.
    fn select(&mut self, facet: Facet, docs: Option<&DocSet<'_>>) -> FacetCounts {
        let mut keys = std::mem::take(&mut self.selected);
        keys.clear();
        let mut places = Vec::new();
        for (_, value) in self.query.selected.iter().filter(|(of, _)| *of == facet) {
            match value {
                // Taken out of the counts, so that it is not selected as a frequent value again.
                FacetValue::Value(ordinal) => {
                    keys.push(key(std::mem::take(&mut self.counts[*ordinal as usize]), *ordinal));
                }
                FacetValue::Place(code) => {
                    let place = self.index.values.docs_of_place(facet, code);
                    let count = docs.map_or(0, |docs| place.and(docs).len() as u32);
                    places.push((*value, count));
                }
            }
        }
        let room = match self.shown {
            0 => FACET_VALUES_MAX.saturating_sub(keys.len() + places.len()),
            // One more tells that there are more.
            shown => shown + 1,
        };
        let selected = keys.len();
        for ordinal in self.index.values.only_excluded(facet) {
            self.counts[*ordinal as usize] = 0;
        }
        keys.extend_from_slice(self.most_frequent(facet, room));
        if selected > 0 {
            keys.sort_unstable();
        }
        let values = keys.iter().map(|key| (FacetValue::Value(*key as u32), count_of(*key)));
        let mut items: Vec<(FacetValue, u32)> = values.collect();
        if !places.is_empty() {
            items.append(&mut places);
            self.index.sort_by_count(&mut items);
        }
        self.selected = keys;
        FacetCounts { facet, items }
    }

    /// Keys of the most frequent values that any document has, at most `most`, in order.
    fn most_frequent(&mut self, facet: Facet, most: usize) -> &[u64] {
        let range = self.index.values.of(facet);
        let (mut filled, mut greatest) = (0, 0);
        for (ordinal, count) in range.clone().zip(&self.counts[range]) {
            // Written without a branch, which could not be predicted.
            self.keys[filled] = key(*count, ordinal as u32);
            filled += usize::from(*count > 0);
            greatest = greatest.max(*count);
        }
        let keys = &mut self.keys[..filled];
        if filled > FEW && greatest < SMALL {
            return &sort_by_count(keys, greatest, &mut self.sorted)[..filled.min(most)];
        }
        if filled > most {
            keys.select_nth_unstable(most);
        }
        let keys = &mut keys[..filled.min(most)];
        keys.sort_unstable();
        keys
    }
}

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
