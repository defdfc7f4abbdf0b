//! Reads a dataset's files into rows that know their `file:line`. Judges form only: encoding,
//! syntax, field names and types; [`crate::link`] judges what the rows say.

mod csv;
mod fields;
mod files;
mod header;
pub mod identity;
mod json;
pub(crate) mod labels;
mod text;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use snapshot::record::{
    Alias, Award, Channel, Cycle, Dataset, EntityType, Fact, Leader, Organization, Post, Program, Recipient,
    Source, Synonym, Term, Transition, Translation,
};
use snapshot::store::Hex;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, FileId, Location, Severity};
use files::{File, Format, Role};
pub use identity::{Stamps, Unstamped};

/// Where a dataset is.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// A folder of files.
    Folder(PathBuf),
    /// Files in the program itself: path relative to the dataset, with `/`, and content.
    Embedded(&'a [(&'a str, &'a [u8])]),
}

/// An input that cannot be read at all, whatever its files say.
#[derive(Debug)]
pub enum InputError {
    /// There is nothing at this path.
    Missing(PathBuf),
    /// There is something else than a folder at this path.
    NotAFolder(PathBuf),
    /// The operating system refused.
    Unreadable(PathBuf, io::Error),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "dataset folder {} does not exist", path.display()),
            Self::NotAFolder(path) => {
                write!(f, "{} is not a folder; name the folder that holds dataset.json", path.display())
            }
            Self::Unreadable(path, error) => write!(f, "cannot read {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for InputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(_, error) => Some(error),
            Self::Missing(_) | Self::NotAFolder(_) => None,
        }
    }
}

/// The tables of a dataset, by the names of their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the table of the record type of its name")]
pub enum Table {
    Organizations,
    Programs,
    Cycles,
    Awards,
    Recipients,
    Sources,
    Facts,
    Lifecycle,
    Aliases,
    Leaders,
    Channels,
    Posts,
    Translations,
    Vocabulary,
    Synonyms,
}

impl Table {
    /// Every table.
    pub const ALL: [Self; 15] = [
        Self::Organizations,
        Self::Programs,
        Self::Cycles,
        Self::Awards,
        Self::Recipients,
        Self::Sources,
        Self::Facts,
        Self::Lifecycle,
        Self::Aliases,
        Self::Leaders,
        Self::Channels,
        Self::Posts,
        Self::Translations,
        Self::Vocabulary,
        Self::Synonyms,
    ];

    /// The one that holds a kind of record.
    #[must_use]
    pub const fn of(kind: EntityType) -> Self {
        match kind {
            EntityType::Organization => Self::Organizations,
            EntityType::Program => Self::Programs,
            EntityType::Cycle => Self::Cycles,
            EntityType::Award => Self::Awards,
            EntityType::Recipient => Self::Recipients,
            EntityType::Fact => Self::Facts,
        }
    }

    /// Name of its file or folder.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Organizations => "organizations",
            Self::Programs => "programs",
            Self::Cycles => "cycles",
            Self::Awards => "awards",
            Self::Recipients => "recipients",
            Self::Sources => "sources",
            Self::Facts => "facts",
            Self::Lifecycle => "lifecycle",
            Self::Aliases => "aliases",
            Self::Leaders => "leaders",
            Self::Channels => "channels",
            Self::Posts => "posts",
            Self::Translations => "translations",
            Self::Vocabulary => "vocabulary",
            Self::Synonyms => "synonyms",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }
}

/// A record and where it was read.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// What it says.
    pub record: T,
    /// Where it starts.
    pub at: Location,
}

/// Every row of a dataset, in the order of the files' paths and lines.
#[derive(Debug)]
pub struct Tables {
    /// `dataset.json`; absent when it is missing or broken, which was reported.
    pub dataset: Option<Row<Dataset>>,
    /// Rows of `organizations`.
    pub organizations: Vec<Row<Organization>>,
    /// Rows of `programs`.
    pub programs: Vec<Row<Program>>,
    /// Rows of `cycles`.
    pub cycles: Vec<Row<Cycle>>,
    /// Rows of `awards`.
    pub awards: Vec<Row<Award>>,
    /// Rows of `recipients`.
    pub recipients: Vec<Row<Recipient>>,
    /// Rows of `sources`.
    pub sources: Vec<Row<Source>>,
    /// Rows of `facts`.
    pub facts: Vec<Row<Fact>>,
    /// Rows of `lifecycle`.
    pub transitions: Vec<Row<Transition>>,
    /// Rows of `aliases`.
    pub aliases: Vec<Row<Alias>>,
    /// Rows of `leaders`.
    pub leaders: Vec<Row<Leader>>,
    /// Rows of `channels`.
    pub channels: Vec<Row<Channel>>,
    /// Rows of `posts`.
    pub posts: Vec<Row<Post>>,
    /// Rows of `translations`.
    pub translations: Vec<Row<Translation>>,
    /// Rows of `vocabulary`.
    pub vocabulary: Vec<Row<Term>>,
    /// Rows of `synonyms`.
    pub synonyms: Vec<Row<Synonym>>,
    /// Tables of which there is no file.
    pub absent: BTreeSet<Table>,
    /// Tables that lost rows to errors: a reference into them cannot be judged.
    pub incomplete: BTreeSet<Table>,
    /// Rows without times of their own.
    pub unstamped: Vec<Unstamped>,
    /// Their times as they were written down.
    pub stamps: Stamps,
    /// SHA-256 over the lines `digest  path` of the files that were read, sorted by path, as
    /// `sha256sum` would print them.
    pub source_sha256: [u8; 32],
}

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

/// Rows and problems of a file or a part of one.
struct Parsed<T> {
    rows: Vec<Row<T>>,
    /// Rows that do not say everything.
    loose: Vec<identity::Loose>,
    faults: Vec<Diagnostic>,
}

impl<T> Parsed<T> {
    const fn empty() -> Self {
        Self { rows: Vec::new(), loose: Vec::new(), faults: Vec::new() }
    }

    fn fault(fault: Diagnostic) -> Self {
        Self { rows: Vec::new(), loose: Vec::new(), faults: vec![fault] }
    }

    fn append(&mut self, mut other: Self) {
        self.rows.append(&mut other.rows);
        self.loose.append(&mut other.loose);
        self.faults.append(&mut other.faults);
    }
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

/// What the parsers need for their messages.
#[derive(Clone, Copy)]
struct Context {
    file: FileId,
    subject: Subject,
}

/// What a file is about.
#[derive(Clone, Copy)]
enum Subject {
    Dataset,
    Table(Table),
}

impl Subject {
    const fn name(self) -> &'static str {
        match self {
            Self::Dataset => files::DATASET,
            Self::Table(table) => table.name(),
        }
    }
}

impl Context {
    const fn at(self, line: u32) -> Location {
        Location { file: self.file, line }
    }
}

#[cfg(test)]
mod tests;
