//! Rows of cells as a source holds them, before and after its columns have names.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Display;
use std::hash::{BuildHasher as _, RandomState};

use dataset::text::{counted, quoted, unguarded};
use jiff::civil::DateTime;
use serde::Deserialize;

/// Most rows and columns.
pub(crate) const MOST_ROWS: usize = 200_000;
pub(crate) const MOST_COLUMNS: usize = 1_000;
/// Most cells, where 32 bytes of text weigh as much as a cell.
pub(super) const MOST_CELLS: usize = 5_000_000;
/// Most values and elements of a document.
pub(super) const MOST_VALUES: usize = 3_000_000;

/// Why a sheet without rows is refused.
pub(crate) const EMPTY: &str = "the sheet is empty";

/// Options of reading that a mapping declares.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Options {
    pub sheet: Option<String>,
    pub rows: Option<String>,
    pub encoding: Option<String>,
    pub hidden: Option<String>,
    pub merged: Option<String>,
    pub table: Option<String>,
    pub header_rows: Option<usize>,
    pub sections: Option<String>,
    pub skip: Vec<String>,
}

impl Options {
    /// Whether hidden rows and columns are taken.
    pub(super) fn takes_hidden(&self) -> bool {
        self.hidden.as_deref() == Some("take")
    }
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Empty,
    Text(String),
    Number(f64),
    /// A number that is shown as money: its currency, or the sign of it.
    Money(f64, String),
    /// What a sheet shows of a number with words or a unit.
    Shown(String),
    /// A date that the workbook itself knows as one.
    Moment(DateTime),
    List(Vec<String>),
    /// A text and the address behind it.
    Link(String, Box<str>),
    /// Why it has no value, such as what a formula failed with.
    Broken(String),
}

/// Why a cell has no value whose formula was never computed.
pub(super) const UNSAVED: &str = "a formula without a saved value";

impl Cell {
    /// A text, unless it is empty or the error of a formula.
    pub(crate) fn of_text(text: &str) -> Self {
        let text = text.trim();
        // Exports guard texts so, for spreadsheets to take them as they are: `="007"`, and ours `'=A1`.
        let quoted = text.strip_prefix("=\"").and_then(|it| it.strip_suffix('"'));
        if let Some(inner) = quoted.filter(|inner| !inner.replace("\"\"", "").contains('"')) {
            return Self::of_text(&inner.replace("\"\"", "\""));
        }
        let text = bare_mail(unguarded(text));
        // In the languages of common spreadsheet programs.
        let is_error = ["#N/A", "#N/D", "#NV"].contains(&text)
            || text.starts_with("Err:") && text.len() == 7
            || text.starts_with('#') && text.ends_with(['!', '?']) && text.len() < 14 && !text.contains(' ');
        match text {
            "" => Self::Empty,
            _ if is_error => Self::Broken(text.to_owned()),
            _ => Self::Text(text.to_owned()),
        }
    }

    /// The address of the formula `HYPERLINK("address"; …)`, if it is there as such.
    pub(crate) fn hyperlink(formula: &str) -> Option<&str> {
        let (address, rest) =
            formula.trim_start_matches("of:=").strip_prefix("HYPERLINK(\"")?.split_once('"')?;
        Some(address).filter(|it| rest.starts_with([',', ';', ')']) && !it.starts_with('#'))
    }

    /// As people read it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Link(text, _) | Self::Shown(text) => text.trim().to_owned(),
            Self::Money(number, currency) => format!("{} {currency}", snapshot::record::Number(*number)),
            Self::Number(number) => snapshot::record::Number(*number).to_string(),
            // Midnight is no hour.
            Self::Moment(moment) => moment.to_string().trim_end_matches("T00:00:00").to_owned(),
            Self::List(items) => items.join("|"),
            Self::Broken(error) => error.clone(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::List(items) => items.is_empty(),
            _ => false,
        }
    }
}

/// The mail address of a link to it; other texts as they are.
pub(super) fn bare_mail(text: &str) -> &str {
    let link = text.get(..7).filter(|start| start.eq_ignore_ascii_case("mailto:"));
    let address = link.and_then(|_| text[7..].split('?').next());
    address.filter(|it| it.contains('@') && !it.contains(char::is_whitespace)).unwrap_or(text)
}

/// Nothing, or why a source is refused.
pub(super) type Done = Result<(), String>;

/// Adds what some rows weigh to a sum, which has a limit.
pub(super) fn weigh(sum: &mut usize, cells: &[Cell], times: usize) -> Result<(), String> {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) | Cell::Shown(text) | Cell::Link(text, _) | Cell::Broken(text) => text.len(),
        _ => 0,
    };
    let weight: usize = cells.iter().map(|cell| 1 + text(cell) / 32).sum();
    *sum = sum.saturating_add(weight.saturating_mul(times));
    within(*sum, MOST_CELLS, "cells, or as much text")
}

/// Refuses more of something than an import takes.
pub(super) fn within(count: usize, most: usize, what: impl Display) -> Result<(), String> {
    if count > most { Err(format!("it has more than {most} {what}")) } else { Ok(()) }
}

/// Refuses a row, by its line, with too many columns.
pub(super) fn within_columns(count: usize, line: u32) -> Result<(), String> {
    within(count, MOST_COLUMNS, format_args!("columns (row {line})"))
}

/// A row and where it stands in its source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub line: u32,
    pub cells: Vec<Cell>,
}

impl Row {
    /// The text of a cell, empty if there is none.
    pub(crate) fn text(&self, column: usize) -> String {
        self.cells.get(column).map(Cell::text).unwrap_or_default()
    }

    /// What it is called: the cell of the key's first column, else its first text that begins with a letter.
    pub(crate) fn name(&self, key: usize) -> String {
        let mut texts = self.cells.iter().map(Cell::text).filter(|it| it.starts_with(char::is_alphabetic));
        Some(self.text(key)).filter(|text| !text.is_empty()).or_else(|| texts.next()).unwrap_or_default()
    }
}

/// First and last row and column of merged cells: lines and indexes.
pub(super) type Merged = ([u32; 2], [usize; 2]);

/// The cells of a sheet, and how they are shown.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub rows: Vec<Row>,
    /// Rows that are hidden, by line.
    pub hidden_rows: BTreeSet<u32>,
    /// Cells that are struck through, by line and column.
    pub struck: BTreeSet<(u32, usize)>,
    pub hidden_columns: BTreeSet<usize>,
    pub merged: Vec<Merged>,
    /// Links: the line and the column of a cell, and its address.
    pub links: Vec<(u32, u32, String)>,
    /// Whether every row has as many cells as the header, unless it was cut off.
    pub is_exact: bool,
}

/// A row with one cell.
#[derive(Clone, Debug)]
pub(crate) struct Lone {
    pub line: u32,
    pub text: String,
    /// Whether other rows follow before the next one with one cell.
    pub has_rows: bool,
}

/// The first of some rows with one cell, for a message: `3 Europe, 9 Asia`.
pub(crate) fn listed<'l>(rows: impl Iterator<Item = &'l Lone>) -> String {
    const MOST: usize = 10;
    let mut all: Vec<_> = rows.take(MOST + 1).map(|it| format!("{} {}", it.line, quoted(&it.text))).collect();
    all.iter_mut().skip(MOST).for_each(|last| "…".clone_into(last));
    all.join(", ")
}

/// The rows of a source, and what has two readings until a mapping declares one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheet {
    /// In a workbook.
    pub name: Option<String>,
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    /// What people should know about how it was read.
    pub notes: Vec<String>,
    /// Names of columns that are left out because they are hidden.
    pub hidden_columns: Vec<String>,
    /// Two rows that may both name columns: the line of the lower one, what they have, and whether it is read as a record.
    pub header_doubt: Option<(u32, String, bool)>,
    /// Several tables: the first line of each, and what declares it.
    pub tables: Vec<(u32, String)>,
    /// Rows with one cell, which are left out.
    pub lone: Vec<Lone>,
}

/// Where the cells of a field stand in a source.
#[derive(Clone, Debug)]
pub(crate) struct ColumnPlace {
    pub name: String,
    /// Of a workbook, as its formulas name them without the row.
    cells: Option<String>,
}

impl ColumnPlace {
    /// A cell, for a message: ` (column `Ends`, 'Open calls'!D14)`.
    pub(crate) fn at(&self, line: u32) -> String {
        let cell = self.cells.as_ref().map(|cells| format!("{cells}{line}")).unwrap_or_default();
        format!(" (column {}{cell})", quoted(&self.name))
    }
}

/// The first of some rows, for a message.
pub(crate) fn rows_of(lines: &[u32]) -> String {
    let more = if lines.len() > 10 { " …" } else { "" };
    let noun = if lines.len() == 1 { "row" } else { "rows" };
    format!("{noun} {}{more}", lines.iter().take(10).map(u32::to_string).collect::<Vec<_>>().join(", "))
}

/// The letters of a column.
pub(super) fn letters(column: usize) -> String {
    let last = char::from(b'A' + u8::try_from(column % 26).unwrap_or(0));
    if column < 26 { last.to_string() } else { format!("{}{last}", letters(column / 26 - 1)) }
}

/// Whether a list has a text, or its first letters before `*`.
pub(crate) fn listed_in(list: &[String], text: &str) -> bool {
    let begins = |name: &String| name.strip_suffix('*').is_some_and(|start| text.starts_with(start));
    list.iter().any(|name| name == text || begins(name))
}

impl Sheet {
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        let position = |name: &str| self.columns.iter().position(|column| column == name);
        position(name).or_else(|| position(name.strip_prefix('/')?))
    }

    pub(crate) fn place_of(&self, name: &str) -> ColumnPlace {
        let cells = self.name.as_ref().zip(self.column(name)).map(|(sheet, column)| {
            let quote = if sheet.chars().all(|c| c.is_alphanumeric() || c == '_') { "" } else { "'" };
            format!(", {quote}{}{quote}!{}", sheet.replace('\'', "''"), letters(column))
        });
        ColumnPlace { name: name.to_owned(), cells }
    }

    /// The cells of a column that have something, with their rows.
    pub(crate) fn cells(&self, column: usize) -> impl Iterator<Item = (&Row, &Cell)> {
        let cells = self.rows.iter().filter_map(move |row| Some((row, row.cells.get(column)?)));
        cells.filter(|(_, cell)| !cell.is_empty())
    }

    /// Notes what became of some rows, if there are any, and counts them.
    pub(crate) fn note_rows(&mut self, rows: impl Iterator<Item = impl Borrow<Row>>, what: &str) -> usize {
        let lines: Vec<u32> = rows.map(|row| row.borrow().line).collect();
        let note = || format!("{} {what}: {}", counted(lines.len(), "row"), rows_of(&lines));
        self.notes.extend((!lines.is_empty()).then(note));
        lines.len()
    }

    /// Leaves out rows that repeat another one cell by cell.
    pub(crate) fn drop_repeated(&mut self) {
        let (mut seen, hashers) = (HashSet::new(), [RandomState::new(), RandomState::new()]);
        // 128 bits of a row that nobody can foresee: its cells would be there twice.
        let key = |row: &Row| hashers.each_ref().map(|it| it.hash_one(format!("{:?}", row.cells)));
        let repeated: Vec<Row> = self.rows.extract_if(.., |row| !seen.insert(key(row))).collect();
        self.note_rows(repeated.iter(), "left out: the same as another one in every cell");
    }

    /// Of rows of named cells: columns in the order in which they are first seen. Cells of one name are a list.
    pub(super) fn of_named(rows: Vec<(u32, Vec<(String, Cell)>)>) -> Result<Self, String> {
        let (mut sheet, mut known, mut weight) = (Self::default(), BTreeMap::new(), 0);
        for (line, named) in rows {
            let mut cells = vec![Cell::Empty; known.len()];
            for (name, cell) in named {
                let at = *known.entry(name).or_insert_with_key(|name| {
                    sheet.columns.push(name.clone());
                    cells.push(Cell::Empty);
                    cells.len() - 1
                });
                within(cells.len(), MOST_COLUMNS, "columns")?;
                match &mut cells[at] {
                    Cell::List(items) => items.push(cell.text()),
                    empty @ Cell::Empty => *empty = cell,
                    first => *first = Cell::List(vec![first.text(), cell.text()]),
                }
            }
            sheet.rows.push(Row { line, cells });
        }
        for row in &mut sheet.rows {
            row.cells.resize(sheet.columns.len(), Cell::Empty);
            weigh(&mut weight, &row.cells, 1)?;
        }
        Ok(sheet)
    }
}
