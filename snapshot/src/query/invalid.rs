//! What of a query was not used as it stands, for `meta.invalid`.

use super::{INVALID_MAX, INVALID_VALUE_MAX};
use crate::truncate::at_char;

/// Collects pairs that were not used as they stand: position in the parameter table, unknown names last; name; value.
#[derive(Debug, Default)]
pub(super) struct Complaints(Vec<(usize, String, String)>);

impl Complaints {
    pub(super) fn add(&mut self, rank: usize, name: &str, value: &str) {
        self.0.push((rank, name.to_owned(), value.to_owned()));
    }

    /// The entries of `meta.invalid`: `param=value`, equal queries giving equal entries.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.0.sort();
        self.0.dedup();
        self.0.truncate(INVALID_MAX);
        let cut = |text| at_char(text, INVALID_VALUE_MAX);
        self.0.iter().map(|(_, name, value)| format!("{}={}", cut(name), cut(value))).collect()
    }
}
