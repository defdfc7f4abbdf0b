//! CSV tables (RFC 4180): the header names the fields, an empty cell is null, lists are joined by
//! `|`. Lines are physical ones, although quoted cells may span several.

use serde::de::DeserializeOwned;

use super::fields::{self, Field, Value};
use super::header;
use super::identity::{OwnedValue, PartialRow};
use super::parsed::{Context, Parsed, Subject};
use super::text::newlines;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::rows::Row;
use crate::text::counted;

/// The rows of a CSV file.
pub(super) fn table<T: DeserializeOwned>(file: &str, context: Context) -> Parsed<T> {
    let Subject::Table(of) = context.subject else { return Parsed::empty() };
    let separator = header::separator::<T>(file, of);
    if let Some(fault) = quote_fault(file, separator, context) {
        return Parsed::fault(fault);
    }
    let mut builder = ::csv::ReaderBuilder::new();
    let mut reader =
        builder.has_headers(false).flexible(true).delimiter(separator).from_reader(file.as_bytes());
    let mut record = ::csv::StringRecord::new();
    let mut names: Option<Vec<String>> = None;
    let mut parsed = Parsed::empty();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                parsed.faults.push(Diagnostic::new(Code::CellCount, context.at(1), error.to_string()));
                break;
            }
        }
        let line = line_of(&record, file);
        match &names {
            None => {
                let header = header::read::<T>(&record, separator, context.at(line), of);
                parsed.faults.extend(header.told);
                match header.names {
                    Some(read) => names = Some(read),
                    None => return parsed,
                }
            }
            Some(names) => row(&record, names, context.at(line), &mut parsed),
        }
    }
    parsed
}

/// The reader remembers where it stopped, which may be before the line end or blank lines that
/// precede the record.
fn line_of(record: &::csv::StringRecord, file: &str) -> u32 {
    let Some(position) = record.position() else { return 1 };
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX).min(file.len());
    let rest = &file.as_bytes()[start..];
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    u32::try_from(position.line()).unwrap_or(u32::MAX).saturating_add(newlines(&rest[..blank]))
}

fn row<T: DeserializeOwned>(
    record: &::csv::StringRecord,
    header: &[String],
    at: Location,
    parsed: &mut Parsed<T>,
) {
    if record.len() != header.len() {
        let message =
            format!("the row has {}, the header has {}", counted(record.len(), "cell"), header.len());
        let fault = Diagnostic::new(Code::CellCount, at, message);
        parsed.faults.push(fault.help("put cells that contain the separator into double quotes"));
        return;
    }
    let cells = header.iter().zip(record.iter());
    let row: Vec<Field<'_>> = cells
        .filter(|(name, cell)| !cell.is_empty() && !fields::is_private(name))
        .map(|(name, cell)| Field { name, value: Value::Cell(cell) })
        .collect();
    match fields::record(&row) {
        Ok(record) => parsed.rows.push(Row { record, at }),
        Err(_) if row.is_empty() => {
            parsed.faults.push(Diagnostic::new(Code::EmptyRow, at, "the row is empty and was left out"));
        }
        Err(_) => {
            let cell =
                |field: Field<'_>| (field.name.to_owned(), OwnedValue::Cell(field.value.written()), at, None);
            parsed.loose.push(PartialRow::new(at, row.into_iter().map(cell)));
        }
    }
}

/// The first quoted cell that does not end where a cell may end. The CSV reader would take what
/// follows as part of the cell and lose rows without a word.
fn quote_fault(file: &str, separator: u8, context: Context) -> Option<Diagnostic> {
    let bytes = file.as_bytes();
    let (mut at, mut line, mut cell_starts) = (0, 1, true);
    while at < bytes.len() {
        if bytes[at] == b'"' && cell_starts {
            let opened = line;
            let Some(close) = closing_quote(bytes, at + 1) else {
                let message = "the quote opened here is never closed";
                return Some(Diagnostic::new(Code::BadQuote, context.at(opened), message));
            };
            line += newlines(&bytes[at..close]);
            let after = bytes.get(close + 1);
            if !after.is_none_or(|byte| *byte == separator || matches!(byte, b'\r' | b'\n')) {
                let message =
                    format!("the quote opened here is closed at line {line} in the middle of a cell");
                let help = "double the quotes inside the cell, or add the missing one";
                return Some(Diagnostic::new(Code::BadQuote, context.at(opened), message).help(help));
            }
            at = close;
        }
        line += u32::from(bytes[at] == b'\n');
        cell_starts = bytes[at] == separator || matches!(bytes[at], b'\r' | b'\n');
        at += 1;
    }
    None
}

/// The next quote that is not doubled.
fn closing_quote(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = from + bytes.get(from..)?.iter().position(|byte| *byte == b'"')?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        from = quote + 2;
    }
}
