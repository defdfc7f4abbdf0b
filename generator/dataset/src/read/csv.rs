//! CSV tables (RFC 4180): the header names the fields, an empty cell is null, list items are joined by `|`.
//! Lines are physical ones, although quoted cells may span several. A table in another form is one error, which names
//! `opdir import`.

use serde::de::DeserializeOwned;
use snapshot::record::InternedStr;

use super::fields::{self, is_private, meant, of_cell, unknown_field};
use super::files::IMPORT;
use super::parsed::{Parsed, ROW_MAX, too_long};
use super::partial::{Member, PartialRow};
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::rows::Row;
use crate::schema::{ValueType, value_type};
use crate::table::Table;
use crate::text::{counted, newlines, quoted, unguarded};

/// Separators of cells that a dataset has not. No name of a field contains them.
const SEPARATORS: [(char, &str); 3] = [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")];

/// Most columns of a table. No table has so many fields; private columns beside them are few.
const COLUMNS_MAX: usize = 1_000;
/// Most names that a message lists.
const LISTED: usize = 5;

/// The rows of a CSV file.
pub(super) fn table<T: DeserializeOwned>(
    file: &str,
    table: Table,
    start: Location,
) -> Result<Parsed<T>, Diagnostic> {
    separator_problem(file, start)
        .or_else(|| line_problem(file, start))
        .or_else(|| quote_problem(file, start))
        .map_or(Ok(()), Err)?;
    let mut builder = ::csv::ReaderBuilder::new();
    let mut reader = builder.has_headers(false).flexible(true).from_reader(file.as_bytes());
    let mut record = ::csv::StringRecord::new();
    let mut parsed = Parsed::empty();
    let place = |record: &::csv::StringRecord| Location { line: line_of(record, file), ..start };
    // Cells of a text are texts, and rows may have any length: reading one does not fail.
    reader.read_record(&mut record).unwrap_or_default();
    let columns = header(&record, &fields::names::<T>(), place(&record), table, &mut parsed.problems)?;
    while reader.read_record(&mut record).unwrap_or_default() {
        row(&record, &columns, place(&record), &mut parsed);
    }
    Ok(parsed)
}

/// The problem of a table whose cells are not separated by commas.
fn separator_problem(file: &str, start: Location) -> Option<Diagnostic> {
    let header = file.lines().find(|line| !line.is_empty())?;
    let count = |separator: char| header.matches(separator).count();
    let (_, name) = SEPARATORS.iter().find(|(separator, _)| count(*separator) > count(','))?;
    Some(other_form(start, format!("cells are separated by {name}, expected commas")))
}

fn other_form(at: Location, message: String) -> Diagnostic {
    Diagnostic::new(Code::OtherForm, at, message).help(IMPORT)
}

/// The field of a column and its type.
type CsvColumn = (InternedStr, ValueType);

/// The columns, of which a private one has no field; the problem of a table in another form, whose rows cannot be read.
fn header(
    record: &::csv::StringRecord,
    fields: &[&'static str],
    at: Location,
    table: Table,
    problems: &mut Vec<Diagnostic>,
) -> Result<Vec<Option<CsvColumn>>, Diagnostic> {
    if record.len() > COLUMNS_MAX {
        let message = format!("{} columns, at most {COLUMNS_MAX} are read", record.len());
        return Err(other_form(at, message));
    }
    let header: Vec<&str> = record.iter().collect();
    let known: Vec<&str> = fields.iter().chain(table.input_only_fields()).copied().collect();
    let free: Vec<&str> = known.iter().filter(|name| !header.contains(name)).copied().collect();
    let is_unknown = |name: &str| !is_private(name) && !known.contains(&name);
    let strange = header.iter().filter(|name| is_unknown(name) && meant(name, &free).is_none());
    let strange: Vec<String> = strange.map(|name| quoted(name)).collect();
    if strange.len() * 2 > header.len() {
        let (count, columns, table) = (strange.len(), header.len(), table.name());
        let more = if count > LISTED { ", …" } else { "" };
        let listed = strange[..count.min(LISTED)].join(", ") + more;
        let message = format!("{count} of {columns} columns are not fields of {table}: {listed}");
        return Err(other_form(at, message));
    }
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    for name in &header {
        let problem = if name.is_empty() {
            let message = "a column has no name";
            Diagnostic::new(Code::UnknownField, at, message).help("name it, or remove it")
        } else if is_unknown(name) {
            unknown_field(name, &free, table.name(), at).value((*name).to_owned(), *name)
        } else if names.iter().any(|known| known == name) {
            let message = format!("the column {} occurs twice", quoted(name));
            Diagnostic::new(Code::RepeatedField, at, message).value((*name).to_owned(), *name)
        } else {
            names.push((*name).to_owned());
            continue;
        };
        problems.push(problem);
        // The rows are checked all the same: with the field that was probably meant, or without the column.
        let field = meant(name, &free).filter(|field| !name.is_empty() && names.iter().all(|it| it != field));
        names.push(field.unwrap_or("x_").to_owned());
    }
    let column = |name: &str| (InternedStr::from(name), value_type(Some(table), name));
    Ok(names.iter().map(|name| (!is_private(name)).then(|| column(name))).collect())
}

/// Physical line of a record. The reader gives the position where it stopped, which may be before the line end
/// or blank lines in front of the record.
pub fn line_of(record: &::csv::StringRecord, file: &str) -> u32 {
    let Some(position) = record.position() else { return 1 };
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX).min(file.len());
    let rest = &file.as_bytes()[start..];
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    u32::try_from(position.line()).unwrap_or(u32::MAX).saturating_add(newlines(&rest[..blank]))
}

fn row<T: DeserializeOwned>(
    record: &::csv::StringRecord,
    header: &[Option<CsvColumn>],
    at: Location,
    parsed: &mut Parsed<T>,
) {
    if record.len() != header.len() {
        let cells = counted(record.len(), "cell");
        let message = format!("the row has {cells}, the header has {}", header.len());
        let problem = Diagnostic::new(Code::CellCount, at, message);
        parsed.problems.push(problem.help("put cells that contain commas into double quotes"));
        return;
    }
    let cells = || {
        let cells = header.iter().zip(record).filter(|(_, cell)| !cell.is_empty());
        cells.filter_map(|(column, cell)| Some(((*column)?, unguarded(cell))))
    };
    let row = cells().map(|((name, kind), cell)| (name.as_str(), of_cell(cell, kind)));
    match fields::record(row.collect()) {
        Ok(record) => parsed.rows.push(Row { record, at }),
        Err(_) if cells().next().is_none() => {
            parsed.problems.push(Diagnostic::new(Code::EmptyRow, at, "the row is empty and was left out"));
        }
        Err(_) => {
            let member = |((name, _), cell): (CsvColumn, &str)| Member {
                name,
                value: cell.into(),
                line: at.line,
                column: None,
            };
            let (members, lost) = (cells().map(member).collect(), Vec::new());
            parsed.partial.push(PartialRow { at, column: None, members, is_csv: true, id: None, lost });
        }
    }
}

/// The first line that is longer than a row.
fn line_problem(file: &str, start: Location) -> Option<Diagnostic> {
    let mut lines = file.lines().zip(1..);
    let (long, line) = lines.find(|(line, _)| line.len() > ROW_MAX)?;
    Some(too_long(long.len(), Location { line, ..start }))
}

fn quote_problem(file: &str, start: Location) -> Option<Diagnostic> {
    let (opened, closed) = quote_fault(file, b',', &[])?;
    let at = Location { line: opened, ..start };
    let Some(line) = closed else {
        let message = "the quote opened here is never closed";
        return Some(Diagnostic::new(Code::BadQuote, at, message));
    };
    let message = format!("the quote opened here is closed at line {line} in the middle of a cell");
    let help = "double the quotes inside the cell, or add the missing one";
    Some(Diagnostic::new(Code::BadQuote, at, message).help(help))
}

/// The first quoted cell that does not end at a separator or line end: the lines where it opens, and where it closes if it
/// does. Before the separator may stand `padding`. The CSV reader would add the following text to the cell and silently
/// lose rows.
pub fn quote_fault(file: &str, separator: u8, padding: &[u8]) -> Option<(u32, Option<u32>)> {
    let bytes = file.as_bytes();
    let is_end = |byte: u8| byte == separator || matches!(byte, b'\r' | b'\n');
    let (mut at, mut line, mut cell_starts) = (0, 1, true);
    while at < bytes.len() {
        if bytes[at] == b'"' && cell_starts {
            let opened = line;
            let Some(close) = closing_quote(bytes, at + 1) else { return Some((opened, None)) };
            line += newlines(&bytes[at..close]);
            let after = bytes[close + 1..].iter().find(|byte| !padding.contains(byte));
            if !after.is_none_or(|byte| is_end(*byte)) {
                return Some((opened, Some(line)));
            }
            at = close;
        }
        line += u32::from(bytes[at] == b'\n');
        cell_starts = is_end(bytes[at]);
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
