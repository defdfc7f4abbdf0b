//! Workbooks (.xlsx, .ods): one sheet, its first row with names for most columns as the header. Formulas give
//! the values that were saved with them.

use std::io::{Cursor, Read as _};

use calamine::{Data, DataRef, Ods, Reader as _, SheetVisible, Xlsx};
use jiff::civil::{Date, DateTime, Time};

use super::sheet::{Cell, LARGEST_UNPACKED, MOST_COLUMNS, MOST_ROWS, Row, Sheet};

pub(super) fn read(bytes: &[u8], sheet: Option<&str>) -> Result<Sheet, String> {
    let is_ods = unpacks(bytes, LARGEST_UNPACKED)?;
    let cursor = Cursor::new(bytes);
    let rows = if is_ods {
        let mut book: Ods<_> = Ods::new(cursor).map_err(|error| format!("it is no workbook: {error}"))?;
        let name = choose(book.sheets_metadata(), sheet)?;
        let range = book.worksheet_range(&name).map_err(|error| error.to_string())?;
        let first = range.start().map_or(0, |(row, _)| row);
        let rows = (first + 1..).zip(range.rows());
        let rows = rows.map(|(line, row)| Row { line, cells: row.iter().map(cell).collect() });
        (rows.collect(), 0)
    } else {
        let mut book: Xlsx<_> = Xlsx::new(cursor).map_err(|error| format!("it is no workbook: {error}"))?;
        let name = choose(book.sheets_metadata(), sheet)?;
        let merged = book.merge_cells_by_sheet_name(&name).map_or(0, |cells| cells.len());
        (sparse(&mut book, &name)?, merged)
    };
    named(rows.0, rows.1)
}

/// Names of the sheets that can be seen.
pub(super) fn sheets(bytes: &[u8]) -> Result<Vec<String>, String> {
    let is_ods = unpacks(bytes, LARGEST_UNPACKED)?;
    let cursor = Cursor::new(bytes);
    let unfit = |error: &dyn std::fmt::Display| format!("it is no workbook: {error}");
    let sheets = match is_ods {
        true => Ods::new(cursor).map_err(|error| unfit(&error))?.sheets_metadata().to_vec(),
        false => Xlsx::new(cursor).map_err(|error| unfit(&error))?.sheets_metadata().to_vec(),
    };
    let visible = sheets.into_iter().filter(|sheet| sheet.visible == SheetVisible::Visible);
    Ok(visible.map(|sheet| sheet.name).collect())
}

/// Unpacks everything once and discards it, because the stated sizes may be false. Returns whether it is an
/// OpenDocument.
pub(super) fn unpacks(bytes: &[u8], most: u64) -> Result<bool, String> {
    let mut archive =
        zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("it is no workbook: {error}"))?;
    let mut left = most;
    let mut is_ods = false;
    for number in 0..archive.len() {
        let mut file = archive.by_index(number).map_err(|error| format!("it is damaged: {error}"))?;
        is_ods |= file.name().is_ok_and(|name| name == "content.xml");
        let mut limited = (&mut file).take(left + 1);
        let read = std::io::copy(&mut limited, &mut std::io::sink());
        let read = read.map_err(|error| format!("it is damaged: {error}"))?;
        left = left.checked_sub(read).ok_or_else(|| {
            format!("it unpacks to more than {} MB, which no list of grants does", most >> 20)
        })?;
    }
    Ok(is_ods)
}

/// The sheet that is named, or the only one that can be seen.
fn choose(sheets: &[calamine::Sheet], name: Option<&str>) -> Result<String, String> {
    let visible: Vec<&str> = sheets
        .iter()
        .filter(|sheet| sheet.visible == SheetVisible::Visible)
        .map(|sheet| sheet.name.as_str())
        .collect();
    let listed = || visible.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match (name, &visible[..]) {
        (Some(name), _) if sheets.iter().any(|sheet| sheet.name == name) => Ok(name.to_owned()),
        (Some(name), _) => Err(format!("it has no sheet \"{name}\"; there are {}", listed())),
        (None, [only]) => Ok((*only).to_owned()),
        (None, []) => Err("it has no sheet that can be seen".to_owned()),
        (None, _) => Err(format!("it has several sheets; name one, as sheet = {}", listed())),
    }
}

/// Cell by cell: a single one in the last corner must not cost the memory of all between.
fn sparse(book: &mut Xlsx<Cursor<&[u8]>>, name: &str) -> Result<Vec<Row>, String> {
    let mut reader = book.worksheet_cells_reader(name).map_err(|error| error.to_string())?;
    let mut rows: Vec<Row> = Vec::new();
    while let Some(next) = reader.next_cell().map_err(|error| error.to_string())? {
        let (row, column) = next.get_position();
        let value = shared(next.get_value());
        if value == Cell::Empty {
            continue;
        }
        let (line, column) = (row + 1, column as usize);
        if column >= MOST_COLUMNS {
            return Err(format!("it has more than {MOST_COLUMNS} columns (row {line})"));
        }
        if rows.last().is_none_or(|last| last.line != line) {
            rows.push(Row { line, cells: Vec::new() });
        }
        if rows.len() > MOST_ROWS {
            return Err(format!("it has more than {MOST_ROWS} rows"));
        }
        if let Some(last) = rows.last_mut() {
            last.cells.resize(last.cells.len().max(column + 1), Cell::Empty);
            last.cells[column] = value;
        }
    }
    Ok(rows)
}

fn shared(value: &DataRef<'_>) -> Cell {
    match value {
        DataRef::SharedString(text) => text_cell(text),
        other => cell(&Data::from(other.clone())),
    }
}

fn text_cell(text: &str) -> Cell {
    if text.trim().is_empty() { Cell::Empty } else { Cell::Text(text.trim().to_owned()) }
}

fn cell(value: &Data) -> Cell {
    match value {
        Data::Empty => Cell::Empty,
        Data::String(text) | Data::DurationIso(text) => text_cell(text),
        Data::Int(number) => Cell::Number(*number as f64),
        Data::Float(number) => Cell::Number(*number),
        Data::Bool(flag) => Cell::Flag(*flag),
        Data::DateTimeIso(text) => text.parse().map_or_else(|_| text_cell(text), Cell::Moment),
        Data::Error(error) => Cell::Broken(error.to_string()),
        Data::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            let small = |number: u8| i8::try_from(number).unwrap_or(0);
            let date =
                i16::try_from(year).ok().and_then(|year| Date::new(year, small(month), small(day)).ok());
            let time = Time::new(small(hour), small(minute), small(second), 0).ok();
            let moment = date.zip(time).map(|(date, time)| DateTime::from_parts(date, time));
            moment.map_or_else(|| Cell::Broken("a date that is none".to_owned()), Cell::Moment)
        }
        Data::DateTime(duration) => Cell::Number(duration.as_f64()),
    }
}

/// The first row that fills more than half as many cells as the fullest names the columns; what stands above is a
/// title, or groups columns.
fn named(mut rows: Vec<Row>, merged: usize) -> Result<Sheet, String> {
    let filled = |row: &Row| row.cells.iter().filter(|cell| !cell.is_empty()).count();
    rows.retain(|row| filled(row) > 0);
    let widest = rows.iter().take(20).map(filled).max().unwrap_or(0);
    let header = rows.iter().position(|row| filled(row) * 2 > widest);
    let header = header.ok_or("the sheet is empty")?;
    let mut notes = Vec::new();
    if let Some(first) = rows.get(header).filter(|_| header > 0) {
        notes.push(format!("row {} names the columns; what stands above is left out", first.line));
    }
    let mut rows = rows.split_off(header);
    let columns: Vec<String> = rows.remove(0).cells.iter().map(Cell::text).collect();
    for row in &mut rows {
        row.cells.truncate(columns.len());
        row.cells.resize(columns.len(), Cell::Empty);
    }
    if merged > 0 {
        notes.push(format!("{merged} merged cells: only the first cell of each has its value"));
    }
    Ok(Sheet { columns, rows, notes })
}
