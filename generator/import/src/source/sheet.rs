//! Rows of named cells, as a source holds them.

use std::collections::{BTreeMap, HashSet};

use jiff::civil::DateTime;

/// Most bytes that a workbook unpacks to.
pub(super) const LARGEST_UNPACKED: u64 = 256 << 20;
/// Most rows and columns.
pub(crate) const MOST_ROWS: usize = 200_000;
pub(crate) const MOST_COLUMNS: usize = 1_000;

/// Why a sheet without rows is refused.
pub(crate) const EMPTY: &str = "the sheet is empty";

/// Options of reading that a mapping declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading<'a> {
    pub sheet: Option<&'a str>,
    pub rows: Option<&'a str>,
    pub encoding: Option<&'a str>,
    /// Whether hidden rows and columns are taken.
    pub takes_hidden: bool,
    /// Whether merged cells `fill` their rows or only the `first` has the value.
    pub merged: Option<&'a str>,
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Empty,
    Text(String),
    Number(f64),
    /// A number that is shown as money: its currency, or the sign of it.
    Money(f64, String),
    Flag(bool),
    /// A date that the workbook itself knows as one.
    Moment(DateTime),
    List(Vec<String>),
    /// A text and the address behind it.
    Link(String, String),
    /// Why it has no value, such as what a formula failed with.
    Broken(String),
}

/// How formulas fail, in the languages of common spreadsheet programs.
const ERRORS: [&str; 6] = ["#N/A", "#N/D", "#NV", "#ERROR!", "#NAME?", "#FIELD!"];

impl Cell {
    /// A text, unless it is empty or the error of a formula.
    pub(crate) fn of_text(text: &str) -> Self {
        let text = text.trim();
        let is_error = ERRORS.contains(&text)
            || text.starts_with("Err:") && text.len() == 7
            || text.starts_with('#') && text.ends_with(['!', '?']) && text.len() < 14 && !text.contains(' ');
        match text {
            "" => Self::Empty,
            _ if is_error => Self::Broken(text.to_owned()),
            _ => Self::Text(text.to_owned()),
        }
    }

    /// As people read it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Link(text, _) => text.trim().to_owned(),
            Self::Money(number, currency) => format!("{} {currency}", snapshot::record::Number(*number)),
            Self::Number(number) => snapshot::record::Number(*number).to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Moment(moment) if moment.time() == jiff::civil::Time::midnight() => {
                moment.date().to_string()
            }
            Self::Moment(moment) => moment.to_string(),
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

/// A row and where it stands in its source.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub line: u32,
    pub cells: Vec<Cell>,
}

/// The rows of a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheet {
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    /// What people should know about how it was read.
    pub notes: Vec<String>,
    /// Names of columns that are left out because they are hidden.
    pub hidden_columns: Vec<String>,
}

impl Sheet {
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        let exact = self.columns.iter().position(|column| column == name);
        exact.or_else(|| {
            self.columns.iter().position(|column| Some(column.as_str()) == name.strip_prefix('/'))
        })
    }

    /// Leaves out rows that repeat another one cell by cell.
    pub(crate) fn drop_repeated(&mut self) {
        let before = self.rows.len();
        let mut seen = HashSet::new();
        self.rows.retain(|row| seen.insert(format!("{:?}", row.cells)));
        if self.rows.len() < before {
            let count = before - self.rows.len();
            self.notes.push(format!("{count} rows repeat another one in every cell, and are left out"));
        }
    }

    /// Of rows as maps: columns in the order in which they are first seen.
    pub(super) fn of_maps(maps: Vec<(u32, BTreeMap<String, Cell>, Vec<String>)>) -> Result<Self, String> {
        let mut sheet = Self::default();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for (_, _, names) in &maps {
            for name in names {
                if !known.contains_key(name) {
                    known.insert(name.clone(), sheet.columns.len());
                    sheet.columns.push(name.clone());
                }
            }
            if sheet.columns.len() > MOST_COLUMNS {
                return Err(format!("it has more than {MOST_COLUMNS} columns"));
            }
        }
        for (line, mut map, _) in maps {
            let cells = sheet.columns.iter().map(|name| map.remove(name).unwrap_or(Cell::Empty)).collect();
            sheet.rows.push(Row { line, cells });
        }
        Ok(sheet)
    }
}
