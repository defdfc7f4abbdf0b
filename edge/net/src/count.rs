//! A counter that several threads share.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A counter.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Adds one, and returns the count before.
    pub fn add(&self) -> u64 {
        self.0.fetch_add(1, Relaxed)
    }

    /// The current count.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}
