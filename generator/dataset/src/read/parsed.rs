//! What is parsed of a file: rows, those that lack fields, and problems.

use super::partial::PartialRow;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::rows::Row;

/// Most bytes of a row.
pub(super) const ROW_MAX: usize = 16 << 20;

/// Rows and problems of a file, or of a part of one.
pub(super) struct Parsed<T> {
    pub rows: Vec<Row<T>>,
    /// Rows that lack fields of the record.
    pub partial: Vec<PartialRow>,
    pub problems: Vec<Diagnostic>,
}

impl<T> Parsed<T> {
    pub(super) const fn empty() -> Self {
        Self { rows: Vec::new(), partial: Vec::new(), problems: Vec::new() }
    }

    pub(super) fn problem(problem: Diagnostic) -> Self {
        Self { problems: vec![problem], ..Self::empty() }
    }

    pub(super) fn append(&mut self, mut other: Self) {
        match self.rows.is_empty() {
            true => self.rows = other.rows,
            false => self.rows.append(&mut other.rows),
        }
        self.partial.append(&mut other.partial);
        self.problems.append(&mut other.problems);
    }
}

/// The problem of a row of so many bytes.
pub(super) fn too_long(bytes: usize, at: Location) -> Diagnostic {
    let message = format!("the row has {} MiB, at most {} are read", bytes.div_ceil(1 << 20), ROW_MAX >> 20);
    Diagnostic::new(Code::BadSyntax, at, message).help("end each row with a line feed; shorten its texts")
}
