//! A table in the live generation and in the new one: the rows that differ.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use serde_json::Value;
use snapshot::record::Directory;
use store::{Coding, Digest, FileEntry, Generation, StoreError};

use dataset::Table;
use site::table_lines;

pub(super) type Rows = BTreeMap<String, Value>;

/// A table, live and new. Most lines are the same in both: they are parsed only where all rows count.
pub(super) struct Versions {
    /// Number of live rows.
    pub(super) live: usize,
    /// The live rows, and the parts of them that are the new ones too.
    text: Vec<u8>,
    same: Vec<Range<usize>>,
    /// The other live rows.
    pub(super) old: Rows,
    /// The other new rows.
    pub(super) new: Rows,
}

impl Versions {
    /// Those of a table; `None` if the live generation does not have it, or has the same.
    pub(super) fn of(
        table: Table,
        directory: &Directory,
        live: &Generation,
    ) -> Result<Option<Self>, StoreError> {
        let Some(entry) = table_file(table, live) else { return Ok(None) };
        let new = table_lines(directory, table);
        if entry.identity().sha256 == Digest::of(&new) {
            return Ok(None);
        }
        Ok(Some(Self::new(live.read(entry, Coding::Identity)?, &new)))
    }

    pub(super) fn new(text: Vec<u8>, new: &[u8]) -> Self {
        let lines = |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect() };
        let (old, new) = (lines(&text), lines(new));
        // Only lines between the first and the last difference are hashed.
        let pairs = || old.iter().zip(&new);
        let before = pairs().take_while(|(old, new)| old == new).count();
        let after = old[before..].iter().rev().zip(new[before..].iter().rev());
        let after = after.take_while(|(old, new)| old == new).count();
        let length = |lines: &[&[u8]]| lines.iter().map(|line| line.len()).sum::<usize>();
        let start = length(&old[..before]);
        let mut same = vec![0..start, text.len() - length(&old[old.len() - after..])..text.len()];
        let of_new: HashSet<&[u8]> = new[before..new.len() - after].iter().copied().collect();
        let (mut of_old, mut at) = (HashSet::new(), start);
        for line in &old[before..old.len() - after] {
            if of_old.insert(*line) && of_new.contains(line) {
                same.push(at..at + line.len());
            }
            at += line.len();
        }
        let live = old.len();
        let (old, new) =
            (rows(of_old.difference(&of_new).copied()), rows(of_new.difference(&of_old).copied()));
        Self { live, text, same, old, new }
    }

    /// The rows that are the same in both.
    pub(super) fn same(&self) -> impl Iterator<Item = Value> {
        let parts = self.same.iter().map(|part| &self.text[part.clone()]);
        parts.flat_map(|part| serde_json::Deserializer::from_slice(part).into_iter().flatten())
    }
}

/// The file of a table in the live generation.
pub(super) fn table_file(table: Table, live: &Generation) -> Option<FileEntry<'_>> {
    live.files().lookup(&[&format!("data/{}.ndjson", table.name())])
}

/// Rows by identity.
fn rows<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Rows {
    let rows = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    rows.map(|row| (identity(&row), row)).collect()
}

pub(super) fn identity(row: &Value) -> String {
    if let Some(id) = row["id"].as_str() {
        return id.to_owned();
    }
    // Aliases, translations, labels and synonyms have no id: these fields identify them.
    let parts = ["entityType", "entityId", "locale", "slug", "facet", "value", "terms"];
    parts.iter().map(|name| row[name].to_string()).collect::<Vec<_>>().join(" ")
}
