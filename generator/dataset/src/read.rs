//! Reads a dataset's files into rows that know their `file:line`. Judges form only: encoding,
//! syntax, field names and types; [`crate::link`] judges what the rows say.

mod csv;
mod fields;
mod files;
mod header;
mod identity;
mod json;
mod parsed;
mod text;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use snapshot::record::Dataset;
use snapshot::store::Hex;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location, Severity};
use crate::rows::{Row, Tables};
use crate::stamps::Stamps;
use crate::table::Table;
use files::{File, Format, Role};
use parsed::{Context, Parsed, Subject};

pub use files::{Input, InputError};

/// Reads every table. Problems of single rows go to `report`, and the other rows stay.
///
/// # Errors
/// When the folder or one of its files cannot be read.
pub fn read(input: &Input<'_>, report: &mut Diagnostics) -> Result<Tables, InputError> {
    let mut incomplete = BTreeSet::new();
    let files = files::list(input, &mut incomplete, report)?;
    let absent =
        |table: &Table| !files.iter().any(|file| matches!(file.role, Role::Rows(of, _) if of == *table));
    let absent = Table::ALL.into_iter().filter(absent).collect();
    let mut reader = Reader { files, report, incomplete, digests: Vec::new(), loose: BTreeMap::new() };
    let mut tables = Tables {
        dataset: reader.dataset()?,
        stamps: reader.stamps()?,
        unstamped: Vec::new(),
        organizations: reader.table(Table::Organizations)?,
        programs: reader.table(Table::Programs)?,
        cycles: reader.table(Table::Cycles)?,
        awards: reader.table(Table::Awards)?,
        recipients: reader.table(Table::Recipients)?,
        sources: reader.table(Table::Sources)?,
        facts: reader.table(Table::Facts)?,
        transitions: reader.table(Table::Lifecycle)?,
        aliases: reader.table(Table::Aliases)?,
        leaders: reader.table(Table::Leaders)?,
        channels: reader.table(Table::Channels)?,
        posts: reader.table(Table::Posts)?,
        translations: reader.table(Table::Translations)?,
        vocabulary: reader.table(Table::Vocabulary)?,
        synonyms: reader.table(Table::Synonyms)?,
        source_sha256: reader.source_sha256(),
        absent,
        incomplete: reader.incomplete,
    };
    let stamps = std::mem::take(&mut tables.stamps);
    identity::complete(&mut tables, reader.loose, &stamps, report);
    tables.stamps = stamps;
    Ok(tables)
}

struct Reader<'a, 'r> {
    files: Vec<File<'a>>,
    report: &'r mut Diagnostics,
    incomplete: BTreeSet<Table>,
    digests: Vec<(String, [u8; 32])>,
    loose: identity::Rows,
}

impl Reader<'_, '_> {
    fn dataset(&mut self) -> Result<Option<Row<Dataset>>, InputError> {
        let Some(file) = self.files.iter().find(|file| file.role == Role::Dataset) else {
            let at = Location { file: self.report.add_file(files::DATASET), line: 1 };
            let help = "name the folder that holds dataset.json; `opdir init` writes a start";
            self.report.push(Diagnostic::new(Code::NoDataset, at, "there is no dataset.json").help(help));
            return Ok(None);
        };
        let (parsed, digest) = parse_file(file, Subject::Dataset, Format::Json)?;
        self.digests.push((file.path.clone(), digest));
        self.report.extend(parsed.faults);
        for row in parsed.loose {
            // A description has nothing that could be made.
            row.tell::<Dataset>(files::DATASET, self.report);
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
        let mut told = Vec::new();
        let stamps = match text::decode(&bytes, file.id) {
            Ok(text) => Stamps::read(&text, file.id, &mut told),
            Err(fault) => {
                told.push(*fault);
                Stamps::default()
            }
        };
        self.report.extend(told);
        Ok(stamps)
    }

    /// One table at a time, so that only one table's text is in memory; its files side by side.
    fn table<T: DeserializeOwned + Send>(&mut self, table: Table) -> Result<Vec<Row<T>>, InputError> {
        let files = self.files.iter().filter_map(|file| match file.role {
            Role::Rows(of, format) if of == table => Some((file, format)),
            _ => None,
        });
        let files: Vec<(&File<'_>, Format)> = files.collect();
        let parsed = files.par_iter().map(|(file, format)| parse_file(file, Subject::Table(table), *format));
        let parsed: Vec<(Parsed<T>, [u8; 32])> = parsed.collect::<Result<_, _>>()?;
        let mut all = Parsed::empty();
        for ((file, _), (one, digest)) in files.iter().zip(parsed) {
            self.digests.push((file.path.clone(), digest));
            all.append(one);
        }
        if all.faults.iter().any(|fault| fault.code.severity() == Severity::Error) {
            self.incomplete.insert(table);
        }
        self.report.extend(all.faults);
        self.loose.insert(table, all.loose);
        Ok(all.rows)
    }

    fn source_sha256(&mut self) -> [u8; 32] {
        self.digests.sort();
        let mut whole = Sha256::new();
        for (path, digest) in &self.digests {
            whole.update(format!("{}  {path}\n", Hex(digest.as_ref())));
        }
        whole.finalize().into()
    }
}

type ParsedFile<T> = (Parsed<T>, [u8; 32]);

fn parse_file<T: DeserializeOwned + Send>(
    file: &File<'_>,
    subject: Subject,
    format: Format,
) -> Result<ParsedFile<T>, InputError> {
    let bytes = file.load()?;
    let (digest, parsed) =
        rayon::join(|| Sha256::digest(&*bytes).into(), || parse_bytes(file, subject, format, &bytes));
    Ok((parsed, digest))
}

fn parse_bytes<T: DeserializeOwned + Send>(
    file: &File<'_>,
    subject: Subject,
    format: Format,
    bytes: &[u8],
) -> Parsed<T> {
    let text = match text::decode(bytes, file.id) {
        Ok(text) => text,
        Err(fault) => return Parsed::fault(*fault),
    };
    if text.trim().is_empty() {
        let at = Location { file: file.id, line: 1 };
        return Parsed::fault(Diagnostic::new(Code::EmptyFile, at, "the file is empty"));
    }
    if let Some(fault) = text::conflict(&text, file.id) {
        return Parsed::fault(fault);
    }
    let context = Context { file: file.id, subject };
    let mut parsed = match format {
        Format::Ndjson => json::lines(&text, context),
        Format::Json => json::document(&text, context),
        Format::Csv => csv::table(&text, context),
    };
    if matches!(text, Cow::Owned(_)) {
        let message = "the file is UTF-16, and was read so";
        parsed.faults.push(Diagnostic::new(Code::OtherSeparator, context.at(1), message));
    }
    parsed
}

#[cfg(test)]
mod tests;
