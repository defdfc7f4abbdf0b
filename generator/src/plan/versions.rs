//! A table in the live generation and in the new one: the rows that differ.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use snapshot::record::Directory;
use store::{Coding, Digest, FileEntry, Generation, StoreError};

use dataset::Table;
use site::table_lines;

pub(super) type Rows = BTreeMap<String, Value>;

/// A table, live and new. Most lines are the same in both: they are parsed only where all rows count.
pub(super) struct Versions {
    /// The live lines.
    text: Vec<u8>,
    /// The live rows that are no new ones.
    pub(super) old: Rows,
    /// The new rows that are no live ones.
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
        let (live, new) = (lines(&text).collect::<HashSet<_>>(), lines(new).collect::<HashSet<_>>());
        let (old, new) = (rows(live.difference(&new)), rows(new.difference(&live)));
        Self { text, old, new }
    }

    /// Number of live rows.
    pub(super) fn live_count(&self) -> usize {
        lines(&self.text).count()
    }

    /// All live rows.
    pub(super) fn live(&self) -> impl Iterator<Item = Value> {
        serde_json::Deserializer::from_slice(&self.text).into_iter().flatten()
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// The file of a table in the live generation.
pub(super) fn table_file(table: Table, live: &Generation) -> Option<FileEntry<'_>> {
    live.files().lookup(&[&format!("data/{}.ndjson", table.name())])
}

/// Rows by identity.
fn rows<'a>(lines: impl Iterator<Item = &'a &'a [u8]>) -> Rows {
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
