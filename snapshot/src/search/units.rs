//! Work, counted and bounded. A unit is a posting, a word of a bit set or a code of a stream that is
//! looked at, one to two nanoseconds each; looking a term up in the dictionary is eight.

use std::cell::Cell;

/// Budget of looking a term up.
pub const LOOK_UP: u64 = 8;

/// Most units of what a question may have besides its exact matches: ranking and what comes near. A
/// fifth of a millisecond at 10,000 documents.
#[must_use]
pub const fn most(documents: usize) -> u64 {
    150_000 + documents as u64 / 2
}

/// What a question has cost, and how much it may.
#[derive(Debug)]
pub struct Budget {
    spent: Cell<u64>,
    most: u64,
}

impl Budget {
    /// Nothing spent of so many.
    #[must_use]
    pub const fn new(most: u64) -> Self {
        Self { spent: Cell::new(0), most }
    }

    /// Counts work that is done whatever it costs.
    pub fn spend(&self, units: u64) {
        self.spent.set(self.spent.get().saturating_add(units));
    }

    /// Budget spent so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Budget that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.most.saturating_sub(self.spent.get())
    }
}
