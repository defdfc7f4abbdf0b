//! Results through wider places: a selected place also matches records that are open to a region containing it.

use std::cmp::Reverse;

use super::Search;
use snapshot::facet::Facet;
use snapshot::place::{self, Code};
use snapshot::query::{FacetValue, Query};

impl Search<'_> {
    /// `, through Africa: 3, World: 2`; empty if wider places add no results.
    pub(super) fn containment(&self, facet: Facet, code: &str) -> String {
        let values = &self.site.index.values;
        let pick = |code: &str| match values.find(facet, code) {
            Some(ordinal) => Some(FacetValue::Value(ordinal)),
            None => Code::new(code).map(FacetValue::Place),
        };
        let mut line: Vec<(&str, FacetValue)> =
            place::with_ancestors(code).filter_map(|code| Some((code, pick(code)?))).collect();
        // From the place itself outwards: the deeper place has more ancestors.
        line.sort_by_cached_key(|(code, _)| Reverse(place::with_ancestors(code).count()));
        if line.len() < 2 {
            return String::new();
        }
        let selected = self.query.selected.iter().filter(|(other, _)| *other != facet).copied().collect();
        let query = Query { selected, facets: false, ..self.query.clone() };
        let left = self.site.index.full_matches(&query, &self.dated.today, self.options);
        let count = |(code, pick): &(&str, FacetValue)| {
            let docs = match pick {
                FacetValue::Value(ordinal) => values.docs(*ordinal),
                FacetValue::Place(_) => values.docs_of_place(facet, code),
            };
            docs.and(&left).len() as u32
        };
        let counts: Vec<u32> = line.iter().map(count).collect();
        let wider = line.iter().zip(owned(&counts)).skip(1).filter(|(_, own)| *own > 0);
        let wider = wider.map(|((code, _), own)| {
            format!("{}: {}", self.display.place(facet, code), self.words.grouped(own))
        });
        let wider: Vec<String> = wider.collect();
        match wider.is_empty() {
            true => String::new(),
            false => format!(", {} {}", self.words.word("search_through"), wider.join(", ")),
        }
    }
}

/// The number of records for which each place is the widest that admits. `counts` include the records of all
/// wider places.
fn owned(counts: &[u32]) -> Vec<u32> {
    let wider = counts.iter().skip(1).copied().chain([0]);
    counts.iter().zip(wider).map(|(count, wider)| count.saturating_sub(wider)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_for_the_widest_place_that_admits_it() {
        // Nigeria finds seven: two name it, three name Africa, two name the world.
        assert_eq!(owned(&[7, 5, 5, 5, 2]), [2, 0, 0, 3, 2]);
        assert_eq!(owned(&[0]), [0]);
    }
}
