//! Reads a file: its text, then the rows of its format.

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::files::{DATASET, File, Format, InputError};
use super::partial::PartialRow;
use super::text::{decode, merge_conflict, newlines};
use super::{csv, json};
use crate::diagnostics::{Code, Diagnostic, FileId, Location};
use crate::parallel;
use crate::rows::Row;
use crate::table::Table;

/// Bytes of a file of lines that are in memory at once: its rows are kept, and its text need not be beside all of them.
const BLOCK: u64 = 32 << 20;

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

/// The file that is parsed.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub file: FileId,
    /// None for `dataset.json`.
    pub table: Option<Table>,
}

impl Context {
    pub(super) const fn at(self, line: u32) -> Location {
        Location { file: self.file, line }
    }

    /// Name of the table, for messages.
    pub(super) fn name(self) -> &'static str {
        self.table.map_or(DATASET, Table::name)
    }
}

/// The rows of a file, and its SHA-256.
pub(super) fn parse_file<T: DeserializeOwned + Send + Sync>(
    file: &File<'_>,
    table: Option<Table>,
    format: Format,
) -> Result<(Parsed<T>, [u8; 32]), InputError> {
    let context = Context { file: file.id, table };
    let (mut hash, mut all) = (Sha256::new(), Parsed::empty());
    let (mut first, mut is_empty, mut wrong) = (1, true, None);
    let mut take = |bytes: &[u8]| {
        let mut parsed = Parsed::empty();
        let mut read = || match text(bytes, first, context) {
            Ok(text) => {
                is_empty &= text.trim().is_empty();
                parsed = match format {
                    _ if text.trim().is_empty() || wrong.is_some() => Parsed::empty(),
                    Format::Ndjson => json::records(json::lines(text, first, context), context),
                    Format::Json => json::records(json::document(text, context), context),
                    Format::Csv => csv::table(text, context),
                };
            }
            Err(problem) => wrong = wrong.take().or(Some(*problem)),
        };
        parallel::join(&mut || hash.update(bytes), &mut read);
        first += newlines(bytes);
        all.append(parsed);
    };
    match format {
        Format::Ndjson => file.blocks(BLOCK, take)?,
        Format::Json | Format::Csv => take(&file.load()?),
    }
    let nothing = || Diagnostic::new(Code::EmptyFile, context.at(1), "the file is empty");
    let problem = wrong.or_else(|| is_empty.then(nothing));
    Ok((problem.map_or(all, Parsed::problem), hash.finalize().into()))
}

/// The text of a part of a file that begins at a line, unless its encoding is wrong or a merge is unfinished.
fn text(bytes: &[u8], first: u32, context: Context) -> Result<&str, Box<Diagnostic>> {
    let text = decode(bytes, context.file);
    let sound = text.and_then(|text| match merge_conflict(text, context.file) {
        Some(problem) => Err(Box::new(problem)),
        None => Ok(text),
    });
    sound.map_err(|mut problem| {
        problem.at.line += first - 1;
        problem
    })
}
