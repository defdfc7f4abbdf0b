//! Reads a dataset's files into rows with their `file:line`. Checks form only: encoding, syntax, field names
//! and types; [`crate::link()`] checks values and references.

mod blocks;
mod csv;
mod fields;
mod files;
mod header;
mod identity;
mod json;
mod parse;
mod parsed;
mod partial;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use snapshot::record::Dataset;
use store::Hex;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location, Severity};
use crate::parallel;
use crate::record::Record;
use crate::rows::{Pass, Row, Tables};
use crate::stamps::Stamps;
use crate::table::Table;
use files::{File, Format, Role};
use parse::parse_file;
use parsed::Parsed;

pub use files::{Input, InputError};

/// Reads every table. Rows with problems are reported and left out.
///
/// # Errors
/// When the folder or one of its files cannot be read.
pub fn read(input: &Input<'_>, report: &mut Diagnostics) -> Result<Tables, InputError> {
    let mut incomplete = BTreeSet::new();
    let files = files::list(input, &mut incomplete, report)?;
    let mut reader = Reader { incomplete, ..Reader::new(&files, report) };
    let mut tables = Tables { dataset: reader.dataset()?, stamps: reader.stamps()?, ..Tables::default() };
    tables.run(&mut reader);
    if let Some(error) = reader.error {
        return Err(error);
    }
    tables.source_sha256 = source_sha256(reader.digests);
    let has_file = |table: &Table| files.iter().any(|file| file.format_of(*table).is_some());
    tables.absent = Table::ALL.into_iter().filter(|table| !has_file(table)).collect();
    tables.incomplete = reader.incomplete;
    tables.owners = reader.owners;
    identity::complete(&mut tables, reader.partial, report);
    Ok(tables)
}

struct Reader<'a, 'r> {
    files: &'a [File<'a>],
    report: &'r mut Diagnostics,
    incomplete: BTreeSet<Table>,
    /// By path.
    digests: Vec<(String, [u8; 32])>,
    partial: partial::PartialRows,
    owners: BTreeMap<Location, String>,
    /// The first file that could not be read.
    error: Option<InputError>,
}

impl Pass for Reader<'_, '_> {
    /// One table at a time, so that only one table's text is in memory.
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        if self.error.is_none() {
            match self.read(table) {
                Ok(read) => *rows = read,
                Err(error) => self.error = Some(error),
            }
        }
    }
}

impl<'a, 'r> Reader<'a, 'r> {
    fn new(files: &'a [File<'a>], report: &'r mut Diagnostics) -> Self {
        let (incomplete, digests, partial, owners) = Default::default();
        Self { files, report, incomplete, digests, partial, owners, error: None }
    }

    fn dataset(&mut self) -> Result<Option<Row<Dataset>>, InputError> {
        let Some(file) = self.files.iter().find(|file| file.role == Role::Dataset) else {
            let at = Location { file: self.report.add_file(files::DATASET), line: 1 };
            let help = "name the folder that holds dataset.json; `opdir init` writes an example";
            self.report.push(Diagnostic::new(Code::NoDataset, at, "there is no dataset.json").help(help));
            return Ok(None);
        };
        let (parsed, digest) = parse_file(file, None, Format::Json)?;
        self.digests.push((file.path.clone(), digest));
        self.report.extend(parsed.problems);
        for row in parsed.partial {
            row.report_problems::<Dataset>(files::DATASET, self.report);
        }
        let mut rows = parsed.rows.into_iter();
        let first = rows.next();
        if let Some(second) = rows.next() {
            let message = "expected one object, found several";
            self.report.push(Diagnostic::new(Code::BadSyntax, second.at, message));
        }
        Ok(first)
    }

    fn stamps(&mut self) -> Result<Stamps, InputError> {
        let Some(file) = self.files.iter().find(|file| file.role == Role::Stamps) else {
            return Ok(Stamps::default());
        };
        let bytes = file.load()?;
        self.digests.push((file.path.clone(), Sha256::digest(&*bytes).into()));
        Ok(match text::decode(&bytes, file.id) {
            Ok(text) => Stamps::read(&text, file.id, self.report),
            Err(problem) => {
                self.report.push(*problem);
                Stamps::default()
            }
        })
    }

    /// The rows of a table. Its files are read in parallel.
    fn read<T: Record>(&mut self, table: Table) -> Result<Vec<Row<T>>, InputError> {
        let files = self.files.iter().filter_map(|file| Some((file, file.format_of(table)?)));
        let files: Vec<(&File<'_>, Format)> = files.collect();
        let parsed = parallel::numbers(files.len(), &|at| parse_file(files[at].0, Some(table), files[at].1));
        let parsed: Vec<(Parsed<T>, [u8; 32])> = parsed.into_iter().collect::<Result<_, _>>()?;
        let mut all = Parsed::empty();
        for ((file, _), (one, digest)) in files.iter().zip(parsed) {
            self.digests.push((file.path.clone(), digest));
            all.append(one);
        }
        if all.problems.iter().any(|problem| problem.code.severity() == Severity::Error) {
            self.incomplete.insert(table);
        }
        self.report.extend(all.problems);
        self.partial.insert(table, all.partial);
        self.owners.extend(all.owners);
        Ok(all.rows)
    }
}

/// Reads tables one after the other, in blocks.
pub(crate) struct TableReader<'a> {
    files: Vec<File<'a>>,
    digests: BTreeMap<String, [u8; 32]>,
    /// Tables that lost rows to errors so far.
    incomplete: BTreeSet<Table>,
    absent: BTreeSet<Table>,
    has_partial_rows: bool,
}

/// Rows of a block, and where the problems of later checks go.
type EachBlock<'e, T> = &'e mut dyn FnMut(Vec<Row<T>>, &mut Diagnostics);

impl<'a> TableReader<'a> {
    pub(crate) fn open(input: &Input<'a>, report: &mut Diagnostics) -> Result<Self, InputError> {
        let mut incomplete = BTreeSet::new();
        let files = files::list(input, &mut incomplete, report)?;
        let has_file = |table: &Table| files.iter().any(|file| file.format_of(*table).is_some());
        let absent = Table::ALL.into_iter().filter(|table| !has_file(table)).collect();
        Ok(Self { files, digests: BTreeMap::new(), incomplete, absent, has_partial_rows: false })
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(File::size).sum()
    }

    /// Tables without a file.
    pub(crate) fn absent(&self) -> &BTreeSet<Table> {
        &self.absent
    }

    /// Tables that lost rows to errors so far.
    pub(crate) fn incomplete(&self) -> &BTreeSet<Table> {
        &self.incomplete
    }

    /// Whether rows lack fields that are derived from other rows.
    pub(crate) fn has_partial_rows(&self) -> bool {
        self.has_partial_rows
    }

    /// SHA-256 of all files, once they were read.
    pub(crate) fn source_sha256(self) -> [u8; 32] {
        source_sha256(self.digests.into_iter().collect())
    }

    /// `dataset.json`.
    pub(crate) fn dataset(&mut self, report: &mut Diagnostics) -> Result<Option<Row<Dataset>>, InputError> {
        let mut reader = Reader::new(&self.files, report);
        let (row, stamps) = (reader.dataset()?, reader.stamps());
        drop(stamps?);
        self.digests.extend(reader.digests);
        Ok(row)
    }

    /// Passes the rows of a table to a function, block by block, and reports their problems.
    pub(crate) fn rows<T: Record>(
        &mut self,
        table: Table,
        report: &mut Diagnostics,
        each: EachBlock<'_, T>,
    ) -> Result<(), InputError> {
        for file in self.files.iter().filter(|file| file.format_of(table).is_some()) {
            let digest = blocks::read(file, table, &mut |parsed: Parsed<T>| {
                if parsed.problems.iter().any(|problem| problem.code.severity() == Severity::Error) {
                    self.incomplete.insert(table);
                }
                report.extend(parsed.problems);
                for row in parsed.partial {
                    if row.is_incomplete::<T>(table) {
                        self.has_partial_rows = true;
                    } else {
                        row.report_problems::<T>(table.name(), report);
                        self.incomplete.insert(table);
                    }
                }
                each(parsed.rows, report);
            })?;
            self.digests.insert(file.path.clone(), digest);
        }
        Ok(())
    }

    /// Passes some fields of the rows of a table to a function, and reports nothing.
    pub(crate) fn scan<T: DeserializeOwned + Send + Sync>(
        &mut self,
        table: Table,
        each: &mut dyn FnMut(Vec<Row<T>>),
    ) -> Result<(), InputError> {
        for file in self.files.iter().filter(|file| file.format_of(table).is_some()) {
            blocks::read(file, table, &mut |parsed: Parsed<T>| each(parsed.rows))?;
        }
        Ok(())
    }
}

fn source_sha256(mut digests: Vec<(String, [u8; 32])>) -> [u8; 32] {
    digests.sort();
    let lines = digests.iter().map(|(path, digest)| format!("{}  {path}\n", Hex(digest.as_ref())));
    Sha256::digest(lines.collect::<String>()).into()
}

#[cfg(test)]
mod tests;
