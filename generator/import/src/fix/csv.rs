//! Cells of CSV as ranges of bytes, and what is written into them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::change::{Change, splice};

const MARK: &str = "\u{feff}";
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// A record: the line it starts at, and its cells with their quotes.
struct Record {
    line: u32,
    cells: Vec<Range<usize>>,
}

/// The bytes with changes in their cells.
pub(super) fn csv(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let Ok(whole) = std::str::from_utf8(bytes) else { return bytes.to_vec() };
    let text = whole.strip_prefix(MARK).unwrap_or(whole);
    let separator = separator(text, changes);
    let records = records(text, separator);
    let Some((header, rows)) = records.split_first() else { return bytes.to_vec() };
    let names: Vec<String> =
        header.cells.iter().map(|cell| decoded(&text[cell.clone()]).trim().to_owned()).collect();
    let renamed = changes.iter().filter(|change| change.edit.header);
    let renamed = renamed.map(|change| (change.edit.to.as_str(), change.edit.field.as_str())).collect();
    let mut sheet = Sheet { text, separator, names, renamed, cells: BTreeMap::new(), added: BTreeMap::new() };
    for change in changes.iter().filter(|change| change.edit.header) {
        let renamed = sheet.names.iter().position(|name| *name == change.edit.field);
        if let Some(cell) = renamed.and_then(|column| header.cells.get(column)) {
            sheet.cells.insert(cell.start, (cell.clone(), change.edit.to.clone()));
        }
    }
    for change in changes.iter().filter(|change| !change.edit.header) {
        if let Ok(row) = rows.binary_search_by_key(&change.line, |record| record.line) {
            sheet.change(&rows[row], change);
        }
    }
    let parts = sheet.parts(&records);
    let mark = &whole[..whole.len() - text.len()];
    format!("{mark}{}", splice(text, parts)).into_bytes()
}

struct Sheet<'t> {
    text: &'t str,
    separator: u8,
    names: Vec<String>,
    /// Columns that get another name in the same go: the old by the new.
    renamed: BTreeMap<&'t str, &'t str>,
    /// New texts of cells, by where they start.
    cells: BTreeMap<usize, (Range<usize>, String)>,
    /// Columns that are not there, with their values by the line of the row.
    added: BTreeMap<String, BTreeMap<u32, String>>,
}

impl Sheet<'_> {
    fn change(&mut self, row: &Record, change: &Change) {
        let edit = &change.edit;
        let written = self.names.iter().position(|name| *name == edit.field);
        // A column that is renamed in the same go still has its old name here.
        let column = written.or_else(|| {
            let old = self.renamed.get(edit.field.as_str())?;
            self.names.iter().position(|name| name == old)
        });
        let Some(cell) = column.map(|column| row.cells.get(column)) else {
            if edit.from.is_none() {
                let column = self.added.entry(edit.field.clone()).or_default();
                column.insert(row.line, edit.to.clone());
            }
            return;
        };
        let Some(cell) = cell else { return };
        let now = match self.cells.get(&cell.start) {
            Some((_, text)) => text.clone(),
            None => decoded(&self.text[cell.clone()]).into_owned(),
        };
        let new = match &edit.from {
            None => now.trim().is_empty().then(|| edit.to.clone()),
            Some(from) if now == *from => Some(edit.to.clone()),
            Some(from) if now.split('|').any(|item| item == from) => {
                let items = now.split('|').map(|item| if item == from { edit.to.as_str() } else { item });
                Some(items.collect::<Vec<_>>().join("|"))
            }
            Some(_) => None,
        };
        if let Some(new) = new {
            self.cells.insert(cell.start, (cell.clone(), new));
        }
    }

    fn parts(&self, records: &[Record]) -> Vec<(Range<usize>, String)> {
        let is_quoted = |range: &Range<usize>| self.text[range.clone()].starts_with('"');
        let mut parts: BTreeMap<usize, (Range<usize>, String)> = BTreeMap::new();
        for (range, text) in self.cells.values() {
            let text = encoded(text, self.separator, is_quoted(range));
            parts.insert(range.start, (range.clone(), text));
        }
        for (number, record) in records.iter().enumerate() {
            let Some(last) = record.cells.last().filter(|_| !self.added.is_empty()) else { continue };
            let mut more = String::new();
            for (name, values) in &self.added {
                more.push(char::from(self.separator));
                let value = if number == 0 { Some(name) } else { values.get(&record.line) };
                more.push_str(&encoded(value.map_or("", String::as_str), self.separator, false));
            }
            // What grows at its end is one part with the cell that ends there.
            let kept = || (last.clone(), self.text[last.clone()].to_owned());
            parts.entry(last.start).or_insert_with(kept).1.push_str(&more);
        }
        parts.into_values().collect()
    }
}

/// The separator that makes columns of the fields that changes name, as the reader found it.
fn separator(text: &str, changes: &[Change]) -> u8 {
    let header = text.lines().find(|line| !line.is_empty()).unwrap_or_default();
    let named = |separator: u8| {
        let cells = header.split(char::from(separator)).map(|cell| cell.trim().trim_matches('"'));
        let cells: Vec<&str> = cells.collect();
        let fields = changes.iter().filter(|change| cells.contains(&change.edit.field.as_str())).count();
        (fields, cells.len())
    };
    SEPARATORS.into_iter().rev().max_by_key(|separator| named(*separator)).unwrap_or(b',')
}

fn records(text: &str, separator: u8) -> Vec<Record> {
    let bytes = text.as_bytes();
    let (mut records, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        if matches!(bytes[at], b'\r' | b'\n') {
            line += u32::from(bytes[at] == b'\n');
            at += 1;
            continue;
        }
        let mut record = Record { line, cells: Vec::new() };
        loop {
            let start = at;
            if bytes.get(at) == Some(&b'"') {
                at = after_quote(bytes, at + 1);
            }
            while at < bytes.len() && bytes[at] != separator && !matches!(bytes[at], b'\r' | b'\n') {
                at += 1;
            }
            let breaks = bytes[start..at].iter().filter(|byte| **byte == b'\n').count();
            line += u32::try_from(breaks).unwrap_or(u32::MAX);
            record.cells.push(start..at);
            if bytes.get(at) != Some(&separator) {
                break;
            }
            at += 1;
        }
        records.push(record);
    }
    records
}

/// The byte after the quote that closes.
fn after_quote(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        if bytes[at] == b'"' {
            if bytes.get(at + 1) != Some(&b'"') {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    at
}

fn decoded(cell: &str) -> Cow<'_, str> {
    match cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')) {
        Some(inner) => Cow::Owned(inner.replace("\"\"", "\"")),
        None => Cow::Borrowed(cell),
    }
}

fn encoded(text: &str, separator: u8, is_quoted: bool) -> String {
    let needs = text.contains([char::from(separator), '"', '\n', '\r']);
    if is_quoted || needs { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
