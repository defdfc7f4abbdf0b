//! What may be larger than memory while it is written: lists, and records that are sorted.

mod column;
mod sorter;

pub use column::{Column, Items, Spill};
pub use sorter::Sorter;
