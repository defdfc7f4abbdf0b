//! CSV tables (RFC 4180): the header names the fields, an empty cell is null, lists are joined by
//! `|`. Lines are physical ones, although quoted cells may span several.

use serde::de::DeserializeOwned;

use super::fields::{self, Field, Value};
use super::text::newlines;
use super::{Context, Parsed, Row};
use crate::diagnostics::{Code, Diagnostic, Location, counted, quoted};

/// The rows of a CSV file.
pub(super) fn table<T: DeserializeOwned>(file: &str, context: Context) -> Parsed<T> {
    if let Some(fault) = quote_fault(file, context) {
        return Parsed::fault(fault);
    }
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(file.as_bytes());
    let mut record = ::csv::StringRecord::new();
    let mut header: Option<Vec<String>> = None;
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
        match &header {
            None => {
                let names: Vec<String> = record.iter().map(|name| name.trim().to_owned()).collect();
                let faults = header_faults::<T>(&names, line, context);
                if !faults.is_empty() {
                    return Parsed { rows: Vec::new(), faults };
                }
                header = Some(names);
            }
            Some(names) => match row(&record, names, line, context) {
                Outcome::Row(row) => parsed.add(row),
                Outcome::Hopeless(fault) => return Parsed::fault(fault),
            },
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

fn header_faults<T: DeserializeOwned>(header: &[String], line: u32, context: Context) -> Vec<Diagnostic> {
    let at = context.at(line);
    let known = fields::names::<T>();
    let mut faults = Vec::new();
    for (position, name) in header.iter().enumerate() {
        if header[..position].contains(name) {
            let message = format!("the column {} occurs twice", quoted(name));
            faults.push(Diagnostic::new(Code::RepeatedField, at, message));
        } else if !known.contains(&name.as_str()) && !fields::is_private(name) {
            faults.push(unknown_column(name, header, known, at, context));
        }
    }
    faults
}

fn unknown_column(
    name: &str,
    header: &[String],
    known: &[&str],
    at: Location,
    context: Context,
) -> Diagnostic {
    if let (1, Some(separator)) = (header.len(), name.chars().find(|c| matches!(c, ';' | '\t'))) {
        let message = format!("the header is one column: cells are separated by {separator:?}");
        return Diagnostic::new(Code::UnknownField, at, message).help("separate cells by commas");
    }
    if name.is_empty() {
        return Diagnostic::new(Code::UnknownField, at, "a column has no name").help("name it, or remove it");
    }
    let (code, message, help) = fields::unknown_field(name, known, context.table);
    Diagnostic::new(code, at, message).maybe_help(help)
}

enum Outcome<T> {
    Row(Result<Row<T>, Vec<Diagnostic>>),
    /// Every row would have this fault.
    Hopeless(Diagnostic),
}

fn row<T: DeserializeOwned>(
    record: &::csv::StringRecord,
    header: &[String],
    line: u32,
    context: Context,
) -> Outcome<T> {
    let at = context.at(line);
    if record.len() != header.len() {
        let message =
            format!("the row has {}, the header has {}", counted(record.len(), "cell"), header.len());
        let fault = Diagnostic::new(Code::CellCount, at, message);
        return Outcome::Row(Err(vec![fault.help("put cells that contain commas into double quotes")]));
    }
    let cells = header.iter().zip(record.iter());
    let row: Vec<Field<'_>> = cells
        .filter(|(name, cell)| !cell.is_empty() && !fields::is_private(name))
        .map(|(name, cell)| Field { name, value: Value::Cell(cell) })
        .collect();
    let refusal = match fields::record(&row) {
        Ok(record) => return Outcome::Row(Ok(Row { record, at })),
        Err(refusal) => refusal,
    };
    if let Some(missing) = refusal.missing().filter(|missing| !header.iter().any(|name| name == missing)) {
        let message = format!("the column `{missing}` is missing");
        return Outcome::Hopeless(Diagnostic::new(Code::MissingField, context.at(1), message));
    }
    let faults = fields::problems::<T>(row, &[], context.table).into_iter();
    let faults = faults.map(|fault| Diagnostic::new(fault.code, at, fault.message).maybe_help(fault.help));
    Outcome::Row(Err(faults.collect()))
}

/// The first quoted cell that does not end where a cell may end. The CSV reader would take what
/// follows as part of the cell and lose rows without a word.
fn quote_fault(file: &str, context: Context) -> Option<Diagnostic> {
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
            if !matches!(bytes.get(close + 1), None | Some(b',' | b'\r' | b'\n')) {
                let message =
                    format!("the quote opened here is closed at line {line} in the middle of a cell");
                let help = "double the quotes inside the cell, or add the missing one";
                return Some(Diagnostic::new(Code::BadQuote, context.at(opened), message).help(help));
            }
            at = close;
        }
        line += u32::from(bytes[at] == b'\n');
        cell_starts = matches!(bytes[at], b',' | b'\r' | b'\n');
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
