//! What a query costs: the unit of work, the budget of a query, and the limits of ranked searches.
//!
//! A unit is a posting, a word of a bit set or a code of a stream that is read: one to two nanoseconds.

use std::cell::Cell;

use crate::search::terms::FREQUENT;

/// Cost of looking a term up.
pub(super) const LOOK_UP: u64 = 8;
/// Cost of writing a row of an answer.
pub(super) const ROW: u64 = 100;

/// Most records of one tier that are scored. A word that more records have has a list of its best ones.
pub(super) const SCORED_MAX: usize = FREQUENT;
/// Records that are scored beside the best ones of frequent words: the first in the default order.
pub(super) const BESIDE: usize = 200;
/// Fewest records that are scored, whatever the query has cost before.
pub(super) const SCORED_MIN: usize = 200;
/// Most records of the last tier.
pub(super) const SOME_MAX: usize = 100;
/// Most words of a query that are guessed.
pub(super) const GUESSED_MAX: usize = 2;
/// Most relaxations in an answer.
pub(super) const RELAXATIONS_MAX: usize = 6;

/// The work of a query, counted.
#[derive(Debug, Default)]
pub(super) struct Budget {
    spent: Cell<u64>,
    limit: u64,
}

impl Budget {
    /// The budget for what a query does besides finding its full matches: ranking and partial matches. A
    /// fifth of a millisecond at 10,000 documents.
    pub(super) fn new(documents: usize) -> Self {
        Self { spent: Cell::new(0), limit: 150_000 + documents as u64 / 2 }
    }

    /// Counts work.
    pub(super) fn spend(&self, units: u64) {
        self.spent.set(self.spent.get().saturating_add(units));
    }

    /// Units spent so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Units left.
    pub(super) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent.get())
    }
}
