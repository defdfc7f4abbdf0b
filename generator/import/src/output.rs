//! The records that an import writes: one file for each table and source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use crate::mapping::{Gone, Source, Target};
use dataset::Table;
use dataset::diagnostics::Location;

/// A record that will be written.
pub(super) type Record = Map<String, Value>;

/// The records of one table from one source.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) records: Vec<Record>,
    /// Where the rows of the first records are in the source.
    pub(super) places: Vec<Location>,
    /// Number of records that were kept although their rows are gone.
    kept: usize,
    removed: usize,
}

impl Output {
    pub(super) fn text(&self) -> String {
        self.records.iter().map(|record| format!("{}\n", Value::Object(record.clone()))).collect()
    }

    pub(super) fn gone(&self) -> String {
        match (self.kept, self.removed) {
            (0, 0) => String::new(),
            (kept, 0) => format!(", {kept} of them no longer in the source"),
            (_, removed) => format!(", {removed} removed with their source"),
        }
    }
}

/// The records to write, by table and source.
pub(super) type Outputs = BTreeMap<(Table, String), Output>;

/// The records, and those of the last import whose rows are gone, as the source's `gone` declares.
pub(super) fn add_gone(
    mut records: Vec<Record>,
    places: Vec<Location>,
    source: &Source,
    target: &Target,
    data: &Path,
) -> Output {
    let before = previous(data, target.table, &source.name);
    let keys: BTreeSet<String> =
        records.iter().filter_map(|it| it.get("key")).map(Value::to_string).collect();
    let gone =
        before.into_iter().filter(|it| it.get("key").is_some_and(|key| !keys.contains(&key.to_string())));
    let mut output = Output { places, ..Output::default() };
    for mut record in gone {
        match source.gone {
            Gone::Remove => {
                output.removed += 1;
                continue;
            }
            Gone::Keep => {}
            Gone::Withdraw => drop(record.insert("publication".to_owned(), "withdrawn".into())),
        }
        output.kept += 1;
        records.push(record);
    }
    output.records = records;
    output
}

/// The records that the last import wrote.
pub(super) fn previous(data: &Path, table: Table, source: &str) -> Vec<Record> {
    let path = data.join(table.name()).join(format!("{source}.ndjson"));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
