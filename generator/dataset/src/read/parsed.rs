//! What the parsers of the formats are given, and what they return.

use super::files::DATASET;
use super::identity::PartialRow;
use crate::diagnostics::{Diagnostic, FileId, Location};
use crate::rows::Row;
use crate::table::Table;

/// Rows and problems of a file or a part of one.
pub(super) struct Parsed<T> {
    pub rows: Vec<Row<T>>,
    /// Rows that do not say everything.
    pub loose: Vec<PartialRow>,
    pub faults: Vec<Diagnostic>,
}

impl<T> Parsed<T> {
    pub(super) const fn empty() -> Self {
        Self { rows: Vec::new(), loose: Vec::new(), faults: Vec::new() }
    }

    pub(super) fn fault(fault: Diagnostic) -> Self {
        Self { rows: Vec::new(), loose: Vec::new(), faults: vec![fault] }
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.rows.append(&mut other.rows);
        self.loose.append(&mut other.loose);
        self.faults.append(&mut other.faults);
    }
}

/// What the parsers need for their messages.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub file: FileId,
    pub subject: Subject,
}

/// What a file is about.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    Dataset,
    Table(Table),
}

impl Subject {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Dataset => DATASET,
            Self::Table(table) => table.name(),
        }
    }
}

impl Context {
    pub(super) const fn at(self, line: u32) -> Location {
        Location { file: self.file, line }
    }
}
