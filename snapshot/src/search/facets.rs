//! Facets of an answer: each counted under all constraints but its own group, with its most frequent values and
//! every selected one.

use crate::facet::{COUNT, FACETS, Facet};
use crate::query::{FacetValue, Query};
use crate::search::count;
use crate::search::index::{FacetCounts, Index};
use crate::search::narrow::{Group, Narrowed};
use crate::search::set::DocSet;
use crate::search::today::Today;
use crate::time::Day;

/// Most values of a facet in an answer.
pub const FACET_VALUES_MAX: usize = 50;

impl Index {
    /// What depends on a day.
    pub(crate) fn today(&self, day: Day) -> Today {
        let mut today = Today::new(self, day);
        let query = Query::default();
        let mut selector = Selector::new(self, &query, 0);
        selector.counts = self.totals(&today);
        today.browse = FACETS.iter().map(|spec| selector.select(spec.facet, &[])).collect();
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
        let (own, others): (Vec<Facet>, Vec<Facet>) = FACETS
            .iter()
            .map(|spec| spec.facet)
            .partition(|facet| groups.iter().any(|group| group.facet == facet.group()));
        let mut selector = Selector::new(self, query, shown);
        let mut facets = Vec::with_capacity(COUNT);
        match &narrowed.all_but_one {
            Some(all_but_one) => {
                count::walk_all(&self.values, found, &mut selector.counts);
                today.count(found, &mut selector.counts);
                for facet in own {
                    let group = groups.iter().position(|group| group.facet == facet.group());
                    let near = &all_but_one[group.unwrap_or(0)];
                    count::add_facet(&self.values, today, near, facet, &mut selector.counts);
                    facets.push(selector.select(facet, &[found, near]));
                }
            }
            None => {
                for group in groups {
                    self.count_without(today, narrowed, group, &mut selector, &mut facets);
                }
                match narrowed.only_value(None) {
                    Some(value) => self.count_of_value(today, value, found, &others, &mut selector.counts),
                    None => count::count_all(&self.values, today, found, &others, &mut selector.counts),
                }
            }
        }
        facets.extend(others.into_iter().map(|facet| selector.select(facet, &[])));
        facets.sort_by_key(|counts| counts.facet);
        facets
    }

    /// Adds the facets of a group, counted without the group.
    fn count_without(
        &self,
        today: &Today,
        narrowed: &Narrowed<'_>,
        group: &Group<'_>,
        selector: &mut Selector<'_>,
        facets: &mut Vec<FacetCounts>,
    ) {
        let own: Vec<Facet> =
            FACETS.iter().map(|spec| spec.facet).filter(|facet| facet.group() == group.facet).collect();
        let docs = narrowed.without(group.facet);
        let counts = &mut selector.counts;
        match (&docs, narrowed.only_value(Some(group.facet))) {
            (None, _) => {
                counts.copy_from_slice(&self.values.totals);
                today.totals(counts);
            }
            (Some(docs), Some(value)) => self.count_of_value(today, value, docs, &own, counts),
            (Some(docs), None) => {
                own.iter().for_each(|facet| count::count_facet(&self.values, today, docs, *facet, counts));
            }
        }
        let docs = docs.unwrap_or_else(|| DocSet::all(self.programs()));
        facets.extend(own.iter().map(|facet| selector.select(*facet, &[&docs])));
    }

    /// Counts the documents of one value, from the table of pairs if it is there.
    fn count_of_value(
        &self,
        today: &Today,
        value: u32,
        docs: &DocSet<'_>,
        facets: &[Facet],
        counts: &mut [u32],
    ) {
        if let Some(pairs) = today.pairs(value) {
            counts.copy_from_slice(pairs);
        } else if let Some(pairs) = self.values.pairs(value) {
            counts.copy_from_slice(pairs);
            today.fill(counts, |state, _| {
                today.pairs(state).and_then(|pairs| pairs.get(value as usize)).copied().unwrap_or(0)
            });
        } else {
            count::count_all(&self.values, today, docs, facets, counts);
        }
    }
}

/// So few keys are sorted by comparison, whatever their counts.
const FEW: usize = 20;
/// Counts below this are sorted by counting.
const SMALL: u32 = 256;

/// Selects the values of a facet for an answer.
struct Selector<'a> {
    index: &'a Index,
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
    fn new(index: &'a Index, query: &'a Query, shown: usize) -> Self {
        let longest = FACETS.iter().map(|spec| index.values.of(spec.facet).len()).max().unwrap_or(0);
        let counts = vec![0; index.values.ordinals()];
        let [keys, sorted] = [(); 2].map(|()| vec![0; longest]);
        Self { index, query, shown, counts, keys, sorted, selected: Vec::with_capacity(FACET_VALUES_MAX) }
    }

    /// The most frequent values and the selected ones. `docs` are the disjoint sets that were counted, for places
    /// that no document names.
    fn select(&mut self, facet: Facet, docs: &[&DocSet<'_>]) -> FacetCounts {
        let mut keys = std::mem::take(&mut self.selected);
        keys.clear();
        let mut places = Vec::new();
        for (_, value) in self.query.selected.iter().filter(|(of, _)| *of == facet) {
            match value {
                // Taken out of the counts, so that it is not selected as a frequent value again.
                FacetValue::Value(ordinal) => {
                    keys.push(key(std::mem::take(&mut self.counts[*ordinal as usize]), *ordinal));
                }
                FacetValue::Place(code) => places.push((*value, self.count_place(facet, code, docs))),
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

    fn count_place(&self, facet: Facet, code: &str, docs: &[&DocSet<'_>]) -> u32 {
        let place = self.index.values.docs_of_place(facet, code);
        docs.iter().map(|docs| place.borrowed().and(docs).len() as u32).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_by_counting_gives_the_order_of_a_sort_that_compares() {
        for (values, greatest) in [(1, 1), (300, 1), (300, 7), (300, SMALL - 1), (5, SMALL - 1)] {
            let counts = (0..values).map(|n: u32| 1 + n.wrapping_mul(2_654_435_761) % greatest);
            let keys: Vec<u64> = counts.zip(100..).map(|(count, ordinal)| key(count, ordinal)).collect();
            let (mut expected, mut buffer) = (keys.clone(), vec![0; keys.len() + 3]);
            expected.sort_unstable();
            assert_eq!(sort_by_count(&keys, greatest, &mut buffer), expected, "{values} {greatest}");
        }
    }
}
