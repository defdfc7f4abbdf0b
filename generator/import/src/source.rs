//! What an import reads: sheets, tables and documents as rows of named cells. Sources are untrusted: each
//! has bounds on its size, rows, columns and depth, and nothing in it is opened or computed.

pub(crate) mod archive;
mod document;
pub(crate) mod html;
mod layout;
mod number_format;
mod ods;
pub(crate) mod sheet;
mod workbook;
mod xlsx;
mod xml;

use std::borrow::Cow;

pub(crate) use layout::line_of;
use sheet::{Cell, Grid, MOST_ROWS, Options, Row, Sheet, weigh, within, within_columns};

/// Most bytes of a source.
pub(super) const LARGEST: u64 = 256 << 20;

/// Most bytes of a row.
const LONGEST_ROW: usize = 16 << 20;

/// Reads a source, in the format that its first bytes show.
pub(super) fn read(bytes: &[u8], how: &Options) -> Result<Sheet, String> {
    within(bytes.len().div_ceil(1 << 20), (LARGEST >> 20) as usize, "MB")?;
    if bytes.starts_with(b"PK\x03\x04") {
        return workbook::read(bytes, how);
    }
    // A workbook of before 2007, or one with a password.
    if bytes.starts_with(b"\xd0\xcf\x11\xe0") {
        return Err("it is an old .xls workbook or has a password: save it as .xlsx or .csv".to_owned());
    }
    let text = decode(bytes, how.encoding.as_deref())?;
    match text.trim_start().bytes().next() {
        None => Err("it is empty; if it came through a pipe, the command before it failed".to_owned()),
        Some(b'{' | b'[') => document::read(&text, how.rows.as_deref()),
        Some(b'<') => xml::read(&text, how.rows.as_deref()),
        Some(_) => table(&text, how),
    }
}

/// The sheets of a workbook that can be seen; nothing of what is no workbook.
pub(super) fn sheets(bytes: &[u8]) -> Result<Vec<String>, String> {
    if bytes.starts_with(b"PK\x03\x04") { workbook::sheets(bytes) } else { Ok(Vec::new()) }
}

/// Text in the declared encoding, else in UTF-8 or in UTF-16 with its mark.
fn decode<'b>(bytes: &'b [u8], encoding: Option<&str>) -> Result<Cow<'b, str>, String> {
    let known = |label: &str| {
        let known = encoding_rs::Encoding::for_label(label.as_bytes());
        known.ok_or_else(|| format!("`{label}` is no encoding; try encoding = \"windows-1252\""))
    };
    let declared = encoding.map(known).transpose()?;
    // A mark counts more than what is declared.
    let (text, encoding, is_bad) = declared.unwrap_or(encoding_rs::UTF_8).decode(bytes);
    match is_bad {
        true if encoding == encoding_rs::UTF_8 => Err(not_utf8(bytes)),
        true => Err(format!("it is not {}: correct `encoding` in its mapping", encoding.name())),
        false => Ok(text),
    }
}

/// Where a text is not UTF-8, and what to do about it.
fn not_utf8(bytes: &[u8]) -> String {
    let first = bytes.utf8_chunks().next();
    let (before, bad) = first.map_or(("", &[][..]), |chunk| (chunk.valid(), chunk.invalid()));
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().len() + 1;
    let bad: String = bad.iter().map(|byte| format!("{byte:02X}")).collect();
    let correct = || "other letters of the file are: correct it there".to_owned();
    let remedy = guess(bytes).map_or_else(correct, |it| format!("declare encoding = \"{it}\""));
    format!("line {line}, byte {column} (0x{bad}) is not UTF-8; {remedy}")
}

/// The likeliest encoding of what is not UTF-8. None where some letters are: they are not UTF-8 by chance, so the rest is
/// damaged, and another encoding would make these letters wrong.
pub(super) fn guess(bytes: &[u8]) -> Option<String> {
    if bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) {
        return None;
    }
    // Without letters, nothing shows of which language the signs are: `£` is no `Ł`, least of all before a number.
    let (signs, ..) = encoding_rs::WINDOWS_1252.decode(bytes);
    let is_sum = |pair: &[u8]| pair[0] == 0xa3 && pair[1].is_ascii_digit();
    if signs.chars().all(|c| c.is_ascii() || !c.is_alphabetic()) || bytes.windows(2).any(is_sum) {
        return Some("windows-1252".to_owned());
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    Some(detector.guess(None, chardetng::Utf8Detection::Allow).name().to_lowercase())
}

/// Of bars, tabs, semicolons and commas, what parts most of the first rows into equally many cells, outside of quotes; of
/// several, what makes most cells.
fn separator(text: &str) -> u8 {
    let evenness = |separator: &u8| {
        let mut builder = ::csv::ReaderBuilder::new();
        // Programs that copy tables separated by tabs put nothing into quotes.
        builder.has_headers(false).flexible(true).delimiter(*separator).quoting(*separator != b'\t');
        let rows = builder.from_reader(&text.as_bytes()[..text.len().min(LONGEST_ROW)]).into_byte_records();
        let widths: Vec<usize> = rows.flatten().take(20).map(|it| it.len()).filter(|it| *it > 1).collect();
        widths.iter().map(|width| (widths.iter().filter(|it| *it == width).count(), *width)).max()
    };
    [b'|', b'\t', b';', b','].into_iter().max_by_key(evenness).unwrap_or(b',')
}

/// Cells between separators.
fn table(text: &str, how: &Options) -> Result<Sheet, String> {
    let separator = separator(text);
    if let Some((at, _)) = text.lines().enumerate().find(|(_, line)| line.len() > LONGEST_ROW) {
        return Err(format!("line {} has more than {} MB", at + 1, LONGEST_ROW >> 20));
    }
    let mut builder = ::csv::ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(separator);
    match dataset::csv::quote_fault(text, separator, b" ") {
        None => {}
        Some(_) if separator == b'\t' => drop(builder.quoting(false)),
        Some((_, None)) => return Err("a quote is never closed: was it cut off?".to_owned()),
        Some((_, Some(line))) => return Err(format!("line {line}: a quote inside a cell is not doubled")),
    }
    let mut weight = 0;
    let mut grid = Grid { is_exact: true, ..Grid::default() };
    for record in builder.from_reader(text.as_bytes()).records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = dataset::csv::line_of(&record, text);
        within_columns(record.len(), line)?;
        if record.as_slice().len() > LONGEST_ROW {
            return Err(format!("row {line} has more than {} MB", LONGEST_ROW >> 20));
        }
        let cells: Vec<Cell> = record.iter().map(|it| Cell::of_text(&html::decoded(it))).collect();
        weigh(&mut weight, &cells, 1)?;
        grid.rows.push(Row { line, cells });
        within(grid.rows.len(), MOST_ROWS, "rows")?;
    }
    layout::read(grid, how)
}
