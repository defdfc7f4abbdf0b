//! The keys of rows.

use std::collections::{BTreeMap, BTreeSet};

use crate::mapping::Source;
use crate::source::sheet::{Cell, Row, Sheet};
use dataset::diagnostics::{Code, Diagnostic, Diagnostics, FileId, Location};
use dataset::text::quoted;

/// The key of each row, and the rows that repeat one; a missing or repeated key is an error.
pub(super) fn keys(
    source: &Source,
    sheet: &Sheet,
    file: FileId,
    report: &mut Diagnostics,
) -> (Vec<Option<String>>, BTreeSet<u32>) {
    let mut repeated = BTreeSet::new();
    let Some(columns) = key_columns(source, sheet) else { return (vec![None; sheet.rows.len()], repeated) };
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let mut keys = Vec::with_capacity(sheet.rows.len());
    for row in &sheet.rows {
        let key = key_of(row, &columns);
        let is_broken = |column: &usize| matches!(row.cells.get(*column), Some(Cell::Broken(_)));
        let at = Location { file, line: row.line };
        let fault = match known.get(&key) {
            _ if columns.iter().any(is_broken) => Some(format!("the key is {}", quoted(&key))),
            _ if key.is_empty() => Some("the row has no key".to_owned()),
            Some(line) => Some(format!("the key {} is that of row {line} too", quoted(&key))),
            None => None,
        };
        if let Some(message) = fault {
            if !key.is_empty() {
                repeated.insert(row.line);
            }
            let (code, help) = match key.is_empty() {
                true => (
                    Code::MissingField,
                    "give it one in the source, name another column or several as `key`; or, if the row is no record, list \
                     its first text in `skip`",
                ),
                false => (
                    Code::DuplicateId,
                    "give each row a key of its own in the source, or name another column or several as `key`",
                ),
            };
            report.push(Diagnostic::new(code, at, message).value("key", key.as_str()).help(help));
        }
        known.entry(key.clone()).or_insert(row.line);
        keys.push(Some(key));
    }
    (keys, repeated)
}

/// The columns of the key; none if the source declares none, or one is missing.
fn key_columns(source: &Source, sheet: &Sheet) -> Option<Vec<usize>> {
    let columns: Option<Vec<usize>> = source.key.iter().map(|column| sheet.column(column)).collect();
    columns.filter(|columns| !columns.is_empty())
}

/// What a row is called: the cell of the key's first column, else its first text that begins with a letter.
pub(super) fn name_of(row: &Row, key: usize) -> String {
    let key = row.cells.get(key).map(Cell::text).filter(|text| !text.is_empty());
    let mut texts = row.cells.iter().map(Cell::text);
    key.or_else(|| texts.find(|text| text.starts_with(char::is_alphabetic))).unwrap_or_default()
}

/// The key of a row; empty if all its columns are.
fn key_of(row: &Row, columns: &[usize]) -> String {
    let texts = columns.iter().map(|column| row.cells.get(*column).map(Cell::text).unwrap_or_default());
    let texts: Vec<String> = texts.collect();
    if texts.iter().all(String::is_empty) { String::new() } else { texts.join(" / ") }
}
