//! Reads a dataset's files into rows with their `file:line`. Checks form only: encoding, syntax, field names
//! and types; [`crate::link()`] checks values and references.

pub mod csv;
mod fields;
mod files;
mod identity;
mod identity_index;
mod json;
mod parse;
mod parsed;
mod partial;

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use snapshot::record::{Dataset, Term};
use store::Hex;
use uuid::Uuid;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::parallel;
use crate::rows::{Record, Row, Tables};
use crate::stamps::Stamps;
use crate::table::Table;
use files::{File, Format};
use parse::{decode, parse_file};
use parsed::Parsed;

pub use files::{Input, InputError, sources};

/// Reads every table. Rows with problems are reported; [`crate::link()`] checks their other values and leaves them out.
///
/// # Errors
/// When the folder or one of its files cannot be read.
pub fn read(input: &Input<'_>, report: &mut Diagnostics) -> Result<Tables, InputError> {
    let mut tables = Tables::default();
    let files = files::list(input, &mut tables.incomplete, report)?;
    let has_file = |table: &Table| files.iter().any(|file| file.format_of(*table).is_some());
    tables.absent = Table::ALL.into_iter().filter(|table| !has_file(table)).collect();
    let mut reader = TableReader { files, hashes: BTreeMap::new() };
    tables.dataset = reader.dataset(report)?;
    tables.stamps = reader.stamps(report)?;
    let mut partial = partial::PartialRows::new();
    // One table at a time, so that only one table's text is in memory.
    each_table!(tables, |table, rows| {
        let read = reader.table(table)?;
        if has_error(&read.problems) {
            tables.incomplete.insert(table);
        }
        report.extend(read.problems);
        partial.insert(table, read.partial);
        *rows = read.rows;
    });
    let lines = reader.hashes.iter().map(|(path, hash)| format!("{}  {path}\n", Hex(hash)));
    tables.source_sha256 = Sha256::digest(lines.collect::<String>()).into();
    identity::complete(&mut tables, partial, report);
    Ok(tables)
}

/// The id of each row, and its slug if it has one, by its place: `file:line`. Problems are those of [`read`].
///
/// # Errors
/// When the folder or one of its files cannot be read.
pub fn identities(input: &Input<'_>) -> Result<BTreeMap<String, (Uuid, Option<String>)>, InputError> {
    let mut report = Diagnostics::new();
    let mut tables = read(input, &mut report)?;
    tables.drop_broken();
    let mut identities = BTreeMap::new();
    each_table!(tables, |_table, rows| {
        identities.extend(rows.iter().filter_map(|row| {
            let profile = row.record.profile();
            let slug = profile.slug.filter(|(.., is_former)| !is_former).map(|(_, slug, _)| slug.to_owned());
            Some((report.place(row.at), (profile.id?, slug)))
        }));
    });
    Ok(identities)
}

/// The rows of the vocabulary alone, without a report.
pub(crate) fn vocabulary(input: &Input<'_>) -> Result<Vec<Row<Term>>, InputError> {
    let files = files::list(input, &mut BTreeSet::new(), &mut Diagnostics::new())?;
    let mut reader = TableReader { files, hashes: BTreeMap::new() };
    reader.table(Table::Vocabulary).map(|parsed| parsed.rows)
}

/// Reads tables one after the other.
struct TableReader<'a> {
    files: Vec<File<'a>>,
    /// SHA-256 of each file that was read, by its path in the dataset.
    hashes: BTreeMap<String, [u8; 32]>,
}

impl TableReader<'_> {
    /// `dataset.json`.
    fn dataset(&mut self, report: &mut Diagnostics) -> Result<Option<Row<Dataset>>, InputError> {
        let nothing = |file, what: &str| {
            let help = "name the folder that holds dataset.json; `opdir init` writes an example";
            Diagnostic::new(Code::NoDataset, Location { file, line: 1 }, what).help(help)
        };
        let Some(file) = self.files.iter().find(|file| file.path == files::DATASET) else {
            let file = report.add_file(files::DATASET);
            report.push(nothing(file, "there is no dataset.json"));
            return Ok(None);
        };
        let (parsed, digest) = parse_file(file, None, Format::Json)?;
        self.hashes.insert(file.path.clone(), digest);
        let is_empty = parsed.rows.is_empty() && parsed.partial.is_empty() && !has_error(&parsed.problems);
        report.extend(is_empty.then(|| nothing(file.id, "dataset.json has no object")));
        report.extend(parsed.problems);
        for row in parsed.partial {
            drop(row.record::<Dataset>(None, report));
        }
        let mut rows = parsed.rows.into_iter();
        let first = rows.next();
        if let Some(second) = rows.next() {
            let message = "expected one object, found several";
            report.push(Diagnostic::new(Code::BadSyntax, second.at, message));
        }
        Ok(first)
    }

    /// `stamps.csv`.
    fn stamps(&mut self, report: &mut Diagnostics) -> Result<Stamps, InputError> {
        let Some(file) = self.files.iter().find(|file| file.path == Stamps::FILE) else {
            return Ok(Stamps::default());
        };
        let bytes = file.load()?;
        self.hashes.insert(file.path.clone(), Sha256::digest(&*bytes).into());
        Ok(match decode(&bytes, Location { file: file.id, line: 1 }) {
            Ok(text) => Stamps::read(text, file.id, report),
            Err(problem) => {
                report.push(*problem);
                Stamps::default()
            }
        })
    }

    /// A whole table. Its files are read in parallel.
    fn table<T: Record>(&mut self, table: Table) -> Result<Parsed<T>, InputError> {
        let files = self.files.iter().filter_map(|file| Some((file, file.format_of(table)?)));
        let parsed = parallel::map(files, |(file, format)| (file, parse_file(file, Some(table), format)));
        let mut all = Parsed::empty();
        for (file, parsed) in parsed {
            let (one, digest) = parsed?;
            self.hashes.insert(file.path.clone(), digest);
            all.append(one);
        }
        Ok(all)
    }
}

/// Whether rows are lost. Those below a column that is no field are read without it.
fn has_error(problems: &[Diagnostic]) -> bool {
    let is_header = |code| matches!(code, Code::UnknownField | Code::RepeatedField);
    problems.iter().any(|it| it.code.is_error() && !is_header(it.code))
}

#[cfg(test)]
mod tests;
