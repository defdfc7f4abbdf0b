//! What of a query was not used as it stands, for `meta.invalid`.

use super::{INVALID_MAX, INVALID_VALUE_MAX};
use crate::truncate::at_char;

/// A pair that was not used as it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Invalid {
    /// Position in the parameter table; unknown names come last.
    rank: usize,
    name: String,
    value: String,
}

/// Collects what was not used, in the order of the parameter table.
#[derive(Debug, Default)]
pub(super) struct Complaints(Vec<Invalid>);

impl Complaints {
    pub(super) fn add(&mut self, rank: usize, name: &str, value: &str) {
        self.0.push(Invalid { rank, name: name.to_owned(), value: value.to_owned() });
    }

    /// The entries of `meta.invalid`: `param=value`, equal queries giving equal entries.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.0.sort();
        self.0.dedup();
        self.0.truncate(INVALID_MAX);
        self.0.iter().map(Invalid::entry).collect()
    }
}

impl Invalid {
    fn entry(&self) -> String {
        let (name, value) = (at_char(&self.name, INVALID_VALUE_MAX), at_char(&self.value, INVALID_VALUE_MAX));
        format!("{name}={value}")
    }
}
