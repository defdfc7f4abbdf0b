//! What a question will cost, in units, before any of it is done: from the lengths of what will be
//! read. It decides where a question is answered, not what the answer is.

use crate::query::Query;
use crate::search::Index;
use crate::search::matching::{Clause, ResolvedText};
use crate::search::rank::{READ_MAX, SCORED_MAX};

/// Budget of splicing a row into an answer.
const ROW: u64 = 100;

impl Index {
    /// Upper bound of what answering a question costs.
    #[must_use]
    pub fn cost(&self, query: &Query) -> u64 {
        self.cost_of_resolved(query, self.resolve(query).as_ref())
    }

    /// The same of a question that is looked up already.
    #[must_use]
    pub fn cost_of_resolved(&self, query: &Query, read: Option<&ResolvedText<'_>>) -> u64 {
        let (text, found) = self.cost_of_text(read);
        let intervals = query.measures.iter().flatten().count() as u64;
        let mut groups: Vec<_> = query.selected.iter().map(|(facet, _)| facet.group()).collect();
        groups.dedup();
        let switches = [query.open, query.rolling, query.funded].iter().filter(|on| **on).count()
            + usize::from(query.deadline_from.is_some() || query.deadline_to.is_some());
        let constraints = usize::from(query.text.is_some()) + intervals as usize + switches + groups.len();
        // One constraint's counts are ready-made; with more, every group is counted without itself.
        let counted = if query.facets && constraints > 1 { groups.len() as u64 + 1 } else { 0 };
        let rows = query.page.limit.min(found as u64) * ROW;
        text + found as u64 * (intervals + counted) + rows
    }

    /// The same for an answer in order of relevance.
    #[must_use]
    pub fn ranked_cost(&self, query: &Query) -> u64 {
        let read = self.resolve(query);
        let (text, _) = self.cost_of_text(read.as_ref());
        let terms: usize = read.iter().flat_map(|read| &read.clauses).map(Clause::terms_count).sum();
        let scored = if query.text.is_some() { SCORED_MAX.min(self.len()) * (terms + 1) } else { 0 };
        let read_for_order = READ_MAX as u64 * self.terms.mean_codes();
        // What matches and what comes near; how much every document has is noted once more.
        self.cost_of_resolved(query, read.as_ref())
            + text
            + self.len() as u64
            + 2 * (scored as u64 + read_for_order)
    }

    /// What finding the text costs, and the most documents that have it.
    fn cost_of_text(&self, read: Option<&ResolvedText<'_>>) -> (u64, usize) {
        let Some(read) = read else { return (0, self.len()) };
        let words: u64 = read.clauses.iter().map(|clause| clause.cost(self)).sum();
        let least = read.clauses.iter().map(|clause| clause.most(self)).min();
        let found = least.unwrap_or(self.len()).min(self.len());
        (words + read.rest.cost(self, found), found)
    }
}
