//! Plain search: the programs that match a query in the order of its sort, and the facets of the answer.

use crate::facet::{FACETS, Facet};
use crate::query::{FacetValue, Page, Query, Sort};
use crate::record::Locale;
use crate::search::cost::{Budget, ROW};
use crate::search::index::{FacetCounts, Index, Order};
use crate::search::narrow::{Group, Narrowed};
use crate::search::set::{DocSet, all_of, both, has_bit, union};
use crate::search::text_query::ResolvedText;
use crate::search::today::Today;

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// Number of programs that match.
    pub total: usize,
    /// Those of the requested page, in order.
    pub docs: Vec<u32>,
    /// All facets, if the query requests them.
    pub facets: Option<Vec<FacetCounts>>,
    /// Units of work for the text.
    pub work: u64,
}

impl Index {
    /// Answers a query.
    pub fn search(&self, query: &Query, today: &Today) -> SearchResult {
        self.search_resolved(query, self.resolve(query).as_ref(), today)
    }

    /// Answers a query whose text is already resolved.
    pub fn search_resolved(
        &self,
        query: &Query,
        text: Option<&ResolvedText<'_>>,
        today: &Today,
    ) -> SearchResult {
        let budget = Budget::default();
        let base = self.base(query, text, today, &budget);
        let narrowed = self.narrowed(query, today, base.as_ref());
        let found = narrowed.found.as_ref();
        SearchResult {
            total: found.map_or(self.programs(), DocSet::len),
            docs: self.page(query, today, found, &query.page),
            facets: (!query.no_facets).then(|| self.facets(query, today, &narrowed, 0)),
            work: budget.spent(),
        }
    }

    /// Documents that match a query.
    pub fn matching(&self, query: &Query, today: &Today) -> DocSet<'static> {
        let base = self.base(query, self.resolve(query).as_ref(), today, &Budget::default());
        let found = self.narrowed(query, today, base.as_ref()).found;
        found.map_or_else(|| DocSet::all(self.programs()), DocSet::into_owned)
    }

    /// Documents that match everything but the selected values of a query; `None` is every document.
    fn base<'a>(
        &'a self,
        query: &Query,
        text: Option<&ResolvedText<'a>>,
        today: &'a Today,
        budget: &Budget,
    ) -> Option<DocSet<'a>> {
        let with_words = text.and_then(|text| text.with_words(self, budget));
        let filtered = self.filter(query, today, with_words);
        match text {
            // Last, because reading documents for phrases costs most.
            Some(text) => text.filter.keep(filtered, self, budget),
            None => filtered,
        }
    }

    /// A base narrowed by the selected values of a query; `None` is every document.
    pub(super) fn narrowed<'a>(
        &'a self,
        query: &Query,
        today: &'a Today,
        base: Option<&'a DocSet<'a>>,
    ) -> Narrowed<'a> {
        Narrowed::new(base, self.groups(query, today))
    }

    /// The documents of a set that the ranges and switches of a query keep.
    pub(super) fn filter<'a>(
        &'a self,
        query: &Query,
        today: &'a Today,
        docs: Option<DocSet<'a>>,
    ) -> Option<DocSet<'a>> {
        let mut docs = docs;
        let switches =
            [(query.open, &*today.open), (query.rolling, &*today.rolling), (query.funded, &*self.funded)];
        for (_, bits) in switches.into_iter().filter(|(on, _)| *on) {
            docs = both(docs, Some(&DocSet::bits(bits)));
        }
        let (from, to) = (query.deadline_from, query.deadline_to);
        if from.is_some() || to.is_some() {
            docs = match docs {
                Some(mut set @ DocSet::List(_)) => {
                    set.retain(|doc| today.is_due(doc, from, to));
                    Some(set)
                }
                other => both(other, Some(&DocSet::Bits(today.due(from, to).into()))),
            };
        }
        docs = both(docs, self.organizations.docs_of_any(&query.organizations, self.programs()).as_ref());
        let kept = |docs: Option<DocSet<'a>>, keep: &dyn Fn(u32) -> bool| {
            let mut docs = docs.unwrap_or_else(|| DocSet::all(self.programs()));
            docs.retain(keep);
            Some(docs)
        };
        if query.bounds_updates() {
            let updated = &*self.updated;
            docs = kept(docs, &|doc| updated.get(doc as usize).is_some_and(|day| query.is_updated(*day)));
        }
        for (column, bounds) in self.measures.iter().zip(query.measures) {
            if let Some(bounds) = bounds {
                let is_unstated = |doc| query.with_unstated && column.get(doc as usize).is_empty();
                docs = kept(docs, &|doc| column.overlap(doc, &bounds) || is_unstated(doc));
            }
        }
        docs
    }

    pub(super) fn groups<'a>(&'a self, query: &Query, today: &'a Today) -> Vec<Group<'a>> {
        let group = |facet: Facet| {
            let selected: Vec<(Facet, FacetValue)> =
                query.selected.iter().filter(|(of, _)| of.group() == facet).copied().collect();
            let unstated = query.with_unstated.then(|| self.values.unstated(facet)).flatten();
            let only = match selected.as_slice() {
                [] => return None,
                [(_, FacetValue::Value(ordinal))] if unstated.is_none() => Some(*ordinal),
                _ => None,
            };
            let docs = selected.iter().map(|(facet, value)| self.docs_of(*facet, value, today));
            Some(Group { facet, only, docs: union(docs.chain(unstated).collect(), self.programs()) })
        };
        FACETS.iter().map(|spec| spec.facet).filter(|it| it.group() == *it).filter_map(group).collect()
    }

    /// Documents that have a value of a facet.
    pub fn docs_of<'a>(&'a self, facet: Facet, value: &FacetValue, today: &'a Today) -> DocSet<'a> {
        match value {
            FacetValue::Value(ordinal) => match today.docs(*ordinal) {
                Some(bits) => DocSet::bits(bits),
                None => self.values.docs(*ordinal),
            },
            FacetValue::Place(code) => self.values.docs_of_place(facet, code),
        }
    }

    /// Documents that publish no value of any measure that a query bounds; `None` if it bounds none.
    pub(super) fn without_measures(&self, query: &Query) -> Option<DocSet<'static>> {
        let bounded = self.measures.iter().zip(query.measures).filter(|(_, bounds)| bounds.is_some());
        let unstated = bounded.map(|(column, _)| {
            DocSet::new(
                (0..self.programs() as u32).filter(|doc| column.get(*doc as usize).is_empty()).collect(),
            )
        });
        all_of(unstated.collect())
    }

    /// The order of a query's sort.
    fn order<'a>(&'a self, query: &Query, today: &'a Today) -> Order<&'a [u32]> {
        match (query.sort, query.locale) {
            (Sort::Deadline, Locale::En) => today.order.as_slices(),
            (Sort::Deadline, Locale::Es) => today.order_es.as_slices(),
            (Sort::Name, locale) => self.by_name[locale as usize].as_slices(),
            (Sort::Recent, _) => self.by_recent.as_slices(),
        }
    }

    /// A page of some documents in the order of a query; `None` is every document.
    pub(super) fn page(
        &self,
        query: &Query,
        today: &Today,
        docs: Option<&DocSet<'_>>,
        page: &Page,
    ) -> Vec<u32> {
        let order = self.order(query, today);
        let Some(docs) = docs else {
            return order.docs[page.range(self.programs())].to_vec();
        };
        let total = docs.len();
        let range = page.range(total);
        if range.is_empty() {
            return Vec::new();
        }
        // Walking the order meets one match in every `len / total` steps; sorting costs a few steps per match.
        let walk = range.end.saturating_mul(self.programs()) / total;
        match docs {
            DocSet::Bits(bits) if walk < total * 4 => {
                let matches = order.docs.iter().copied().filter(|doc| has_bit(bits, *doc));
                matches.skip(range.start).take(range.len()).collect()
            }
            _ => {
                let mut places = Vec::with_capacity(total);
                docs.for_each(|doc| places.push(order.rank[doc as usize]));
                if range.end < places.len() {
                    places.select_nth_unstable(range.end);
                    places.truncate(range.end);
                }
                places.sort_unstable();
                places[range].iter().map(|place| order.docs[*place as usize]).collect()
            }
        }
    }

    /// Upper bound of the work of a query, in units, from the lengths of what will be read.
    pub fn cost(&self, query: &Query) -> u64 {
        self.cost_of_resolved(query, self.resolve(query).as_ref())
    }

    /// The same for a query whose text is already resolved.
    pub fn cost_of_resolved(&self, query: &Query, text: Option<&ResolvedText<'_>>) -> u64 {
        self.cost_with_text(query, text.map(|text| text.cost(self)))
    }

    /// The same, given the work of finding the text and the most documents that match it.
    pub(super) fn cost_with_text(&self, query: &Query, text: Option<(u64, usize)>) -> u64 {
        let (text_cost, found) = text.unwrap_or((0, self.programs()));
        let intervals = query.measures.iter().flatten().count() + usize::from(query.bounds_updates());
        let mut groups: Vec<_> = query.selected.iter().map(|(facet, _)| facet.group()).collect();
        groups.dedup();
        let switches = [query.open, query.rolling, query.funded, !query.organizations.is_empty()];
        let switches = switches.iter().filter(|on| **on).count()
            + usize::from(query.deadline_from.is_some() || query.deadline_to.is_some());
        let constraints = usize::from(query.text.is_some()) + intervals + switches + groups.len();
        // The counts of one constraint are stored; with more, every group is counted without itself.
        let counted = if !query.no_facets && constraints > 1 { groups.len() + 1 } else { 0 };
        let rows = query.page.limit.min(found as u64) * ROW;
        text_cost + (found * (intervals + counted)) as u64 + rows
    }
}
