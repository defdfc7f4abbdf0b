//! The keys of rows.

use std::collections::{BTreeMap, BTreeSet};

use crate::import::Opened;
use crate::source::sheet::{Cell, Row};
use dataset::diagnostics::{Code, Diagnostic, Diagnostics};
use dataset::text::quoted;

/// The key of each row, and the rows that repeat one; a missing or repeated key is an error.
pub(super) fn keys(from: Opened<'_>, report: &mut Diagnostics) -> (Vec<Option<String>>, BTreeSet<u32>) {
    let Opened { source, sheet, .. } = from;
    let columns: Vec<usize> = source.key.iter().filter_map(|column| sheet.column(column)).collect();
    let mut repeated = BTreeSet::new();
    if columns.is_empty() || columns.len() < source.key.len() {
        return (vec![None; sheet.rows.len()], repeated);
    }
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let mut keys = Vec::with_capacity(sheet.rows.len());
    for row in &sheet.rows {
        let texts: Vec<String> = columns.iter().map(|column| row.text(*column)).collect();
        let key = if texts.iter().all(String::is_empty) { String::new() } else { texts.join(" / ") };
        let is_broken = columns.iter().any(|column| matches!(row.cells.get(*column), Some(Cell::Broken(_))));
        let message = match known.get(&key) {
            _ if is_broken => format!("the key is {}", quoted(&key)),
            _ if key.is_empty() => "the row has no key".to_owned(),
            Some(line) => format!("the key {} is that of row {line} too", quoted(&key)),
            None => {
                known.insert(key.clone(), row.line);
                keys.push(Some(key));
                continue;
            }
        };
        let (code, help) = if key.is_empty() {
            (
                Code::MissingField,
                "give it one in the source, name another column or several as `key`; or, if the row is no record, list \
                 its first text in `skip`",
            )
        } else {
            repeated.insert(row.line);
            (
                Code::DuplicateId,
                "give each row a key of its own in the source, or name another column or several as `key`",
            )
        };
        let problem = Diagnostic::new(code, from.at(row.line), message);
        report.push(problem.value("key", key.as_str()).help(help));
        keys.push(Some(key));
    }
    (keys, repeated)
}

/// What a row is called: the cell of the key's first column, else its first text that begins with a letter.
pub(super) fn name_of(row: &Row, key: usize) -> String {
    let mut texts = row.cells.iter().map(Cell::text).filter(|text| text.starts_with(char::is_alphabetic));
    Some(row.text(key)).filter(|text| !text.is_empty()).or_else(|| texts.next()).unwrap_or_default()
}
