//! Facets of an answer: each counted under every constraint but its own group's, its most frequent
//! values and every picked one.

use crate::facet::{COUNT, FACETS, Facet};
use crate::query::{FacetValue, Query};
use crate::search::narrow::{Group, Narrowed};
use crate::search::set::DocSet;
use crate::search::today::Today;
use crate::search::{FACET_VALUES_MAX, FacetCounts, Index, count};

impl Index {
    /// All facets over all documents.
    pub(super) fn browse(&self, today: &Today) -> Vec<FacetCounts> {
        let nothing = Query::default();
        let mut picker = Picker::new(self, &nothing);
        picker.counts.copy_from_slice(self.values.totals());
        today.totals(&mut picker.counts);
        FACETS.iter().map(|spec| picker.pick(spec.facet, &[])).collect()
    }

    /// All facets of a narrowed base.
    pub(super) fn facets(&self, query: &Query, today: &Today, narrowed: &Narrowed<'_>) -> Vec<FacetCounts> {
        let Some(found) = &narrowed.found else { return today.browse.clone() };
        let groups = &narrowed.groups;
        let (own, free): (Vec<Facet>, Vec<Facet>) = FACETS
            .iter()
            .map(|spec| spec.facet)
            .partition(|facet| groups.iter().any(|group| group.facet == facet.group()));
        let mut picker = Picker::new(self, query);
        let mut facets = Vec::with_capacity(COUNT);
        match &narrowed.near {
            Some(near) => {
                count::walk_all(&self.values, found, &mut picker.counts);
                today.count(found, &mut picker.counts);
                for facet in own {
                    let near = &near[groups.iter().position(|g| g.facet == facet.group()).unwrap_or(0)];
                    count::add_facet(&self.values, today, near, facet, &mut picker.counts);
                    facets.push(picker.pick(facet, &[found, near]));
                }
            }
            None => {
                for group in groups {
                    self.count_without(today, narrowed, group, &mut picker, &mut facets);
                }
                match narrowed.only_value(None) {
                    Some(value) => self.count_with(today, value, found, &free, &mut picker.counts),
                    None => count::count_all(&self.values, today, found, &free, &mut picker.counts),
                }
            }
        }
        facets.extend(free.into_iter().map(|facet| picker.pick(facet, &[])));
        facets.sort_by_key(|counts| counts.facet);
        facets
    }

    /// Adds the facets of a group, counted without it.
    fn count_without(
        &self,
        today: &Today,
        narrowed: &Narrowed<'_>,
        group: &Group<'_>,
        picker: &mut Picker<'_>,
        facets: &mut Vec<FacetCounts>,
    ) {
        let own: Vec<Facet> =
            FACETS.iter().map(|spec| spec.facet).filter(|facet| facet.group() == group.facet).collect();
        let docs = narrowed.without(group.facet);
        let counts = &mut picker.counts;
        match (&docs, narrowed.only_value(Some(group.facet))) {
            (None, _) => {
                counts.copy_from_slice(self.values.totals());
                today.totals(counts);
            }
            (Some(docs), Some(value)) => self.count_with(today, value, docs, &own, counts),
            (Some(docs), None) => {
                own.iter().for_each(|facet| count::count_facet(&self.values, today, docs, *facet, counts));
            }
        }
        let all;
        let docs = match &docs {
            Some(docs) => docs,
            None => {
                all = DocSet::all(self.len());
                &all
            }
        };
        facets.extend(own.iter().map(|facet| picker.pick(*facet, &[docs])));
    }

    /// Counts the documents of one value, from the table of pairs where it is there.
    fn count_with(&self, today: &Today, value: u32, docs: &DocSet, facets: &[Facet], counts: &mut [u32]) {
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

/// Picks the values of a facet that are shown.
struct Picker<'a> {
    index: &'a Index,
    query: &'a Query,
    /// A table over ordinals.
    counts: Vec<u32>,
    /// Room for the keys of the facet with most values.
    keys: Vec<u64>,
    /// Room for the keys that are shown.
    shown: Vec<u64>,
}

/// A value and its count as one number: greater counts first, then lesser ordinals.
const fn key(count: u32, ordinal: u32) -> u64 {
    (!count as u64) << 32 | ordinal as u64
}

impl<'a> Picker<'a> {
    fn new(index: &'a Index, query: &'a Query) -> Self {
        let longest = FACETS.iter().map(|spec| index.values.of(spec.facet).len()).max().unwrap_or(0);
        let counts = vec![0; index.values.ordinals()];
        Self { index, query, counts, keys: vec![0; longest], shown: Vec::with_capacity(FACET_VALUES_MAX) }
    }

    /// The most frequent values and the picked ones. `docs` are the sets, apart from each other, that
    /// were counted, for the places that no document names.
    fn pick(&mut self, facet: Facet, docs: &[&DocSet]) -> FacetCounts {
        let mut shown = std::mem::take(&mut self.shown);
        shown.clear();
        let mut places = Vec::new();
        for (_, pick) in self.query.selected.iter().filter(|(of, _)| *of == facet) {
            match pick {
                // Taken out, so that it is not among the most frequent too.
                FacetValue::Value(ordinal) => {
                    shown.push(key(std::mem::take(&mut self.counts[*ordinal as usize]), *ordinal));
                }
                FacetValue::Place(code) => places.push((*pick, self.count_place(facet, code, docs))),
            }
        }
        let room = FACET_VALUES_MAX.saturating_sub(shown.len() + places.len());
        shown.extend_from_slice(self.most_frequent(facet, room));
        shown.sort_unstable();
        let values = shown.iter().map(|key| (FacetValue::Value(*key as u32), !(*key >> 32) as u32));
        let mut items: Vec<(FacetValue, u32)> = values.collect();
        if !places.is_empty() {
            items.append(&mut places);
            let index = self.index;
            items.sort_by(|(a, count), (b, other)| {
                other.cmp(count).then_with(|| index.value_text(a).cmp(index.value_text(b)))
            });
        }
        self.shown = shown;
        FacetCounts { facet, items }
    }

    /// Keys of the most frequent values that any document has, at most `most`, in no order.
    fn most_frequent(&mut self, facet: Facet, most: usize) -> &[u64] {
        let range = self.index.values.of(facet);
        let mut filled = 0;
        for (ordinal, count) in range.clone().zip(&self.counts[range]) {
            // Always written, kept if it counts: whether it does cannot be foretold.
            self.keys[filled] = key(*count, ordinal as u32);
            filled += usize::from(*count > 0);
        }
        let keys = &mut self.keys[..filled];
        if filled > most {
            keys.select_nth_unstable(most);
        }
        &keys[..filled.min(most)]
    }

    fn count_place(&self, facet: Facet, code: &str, docs: &[&DocSet]) -> u32 {
        let place = self.index.values.docs_of_place(facet, code);
        docs.iter().map(|docs| place.docs().and(&docs.docs()).len() as u32).sum()
    }
}
