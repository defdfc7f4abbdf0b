//! Which files a dataset consists of, and what each one holds, by its name alone.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use walkdir::WalkDir;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, FileId, Location};
use crate::stamps::STAMPS;
use crate::table::Table;
use crate::text::{nearest, quoted};

pub(super) const DATASET: &str = "dataset.json";

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

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One object a line.
    Ndjson,
    /// An array of objects, or one object.
    Json,
    /// RFC 4180 with a header.
    Csv,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Dataset,
    Stamps,
    Rows(Table, Format),
}

/// An input file.
pub(super) struct File<'a> {
    pub id: FileId,
    /// Relative to the dataset, with `/`.
    pub path: String,
    pub role: Role,
    place: Place<'a>,
}

enum Place<'a> {
    Disk(PathBuf),
    Memory(&'a [u8]),
}

impl File<'_> {
    pub(super) fn load(&self) -> Result<Cow<'_, [u8]>, InputError> {
        match &self.place {
            Place::Memory(bytes) => Ok(Cow::Borrowed(bytes)),
            Place::Disk(path) => std::fs::read(path)
                .map(Cow::Owned)
                .map_err(|error| InputError::Unreadable(path.clone(), error)),
        }
    }
}

/// The files to read, sorted by path; names that mean nothing are reported.
/// Tables whose rows are in one of these are added to `incomplete`.
pub(super) fn list<'a>(
    input: &Input<'a>,
    incomplete: &mut BTreeSet<Table>,
    report: &mut Diagnostics,
) -> Result<Vec<File<'a>>, InputError> {
    let mut found = match input {
        Input::Folder(folder) => walk(folder)?,
        Input::Embedded(files) => files
            .iter()
            .map(|(path, bytes)| (path.to_string(), path.to_string(), Place::Memory(bytes)))
            .collect(),
    };
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let mut files = Vec::with_capacity(found.len());
    let mut unknown = BTreeSet::new();
    for (path, shown, place) in found {
        if is_of_import(&path) {
            continue;
        }
        match role(&path) {
            Ok(role) => files.push(File { id: report.add_file(shown), path, role, place }),
            Err(stranger) => {
                incomplete.extend(stranger.table());
                if unknown.insert(stranger.name.to_owned()) && stranger.matters() {
                    let at = Location { file: report.add_file(shown), line: 1 };
                    report.push(stranger.diagnostic(at));
                }
            }
        }
    }
    Ok(files)
}

/// Path relative to the dataset, name that people read, place.
type Found<'a> = (String, String, Place<'a>);

fn walk<'a>(folder: &Path) -> Result<Vec<Found<'a>>, InputError> {
    match std::fs::metadata(folder) {
        Ok(about) if about.is_dir() => {}
        Ok(_) => return Err(InputError::NotAFolder(folder.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(InputError::Missing(folder.to_owned()));
        }
        Err(error) => return Err(InputError::Unreadable(folder.to_owned(), error)),
    }
    let mut found = Vec::new();
    let is_visible = |name: &std::ffi::OsStr| !name.as_encoded_bytes().starts_with(b".");
    let entries = WalkDir::new(folder).follow_links(true).into_iter();
    for entry in entries.filter_entry(|entry| entry.depth() == 0 || is_visible(entry.file_name())) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            InputError::Unreadable(path, error.into())
        })?;
        if entry.file_type().is_file() {
            let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            let parts: Vec<Cow<'_, str>> = relative.iter().map(|part| part.to_string_lossy()).collect();
            let shown = entry.path().strip_prefix(".").unwrap_or(entry.path()).display().to_string();
            found.push((parts.join("/"), shown, Place::Disk(entry.into_path())));
        }
    }
    Ok(found)
}

/// A file or top folder whose name means nothing here.
struct Stranger<'a> {
    /// Path of the file, or name of the folder.
    name: &'a str,
    is_folder: bool,
}

/// Whether it belongs to an import: the mapping, corrections, and sources that were put beside the tables.
fn is_of_import(path: &str) -> bool {
    path == "import.toml"
        || path.split_once('/').is_some_and(|(folder, _)| matches!(folder, "edits" | "inbox"))
}

fn role(path: &str) -> Result<Role, Stranger<'_>> {
    if path == DATASET {
        return Ok(Role::Dataset);
    }
    if path == STAMPS {
        return Ok(Role::Stamps);
    }
    let stranger = Err(Stranger { name: path, is_folder: false });
    let (table, file) = match path.split_once('/') {
        Some((folder, rest)) => (folder, rest.rsplit('/').next().unwrap_or(rest)),
        None => (stem(path), path),
    };
    let Some(table) = Table::parse(table) else {
        return if path.contains('/') { Err(Stranger { name: table, is_folder: true }) } else { stranger };
    };
    match extension(file) {
        "ndjson" | "jsonl" => Ok(Role::Rows(table, Format::Ndjson)),
        "json" => Ok(Role::Rows(table, Format::Json)),
        "csv" => Ok(Role::Rows(table, Format::Csv)),
        _ => stranger,
    }
}

fn stem(file: &str) -> &str {
    file.split_once('.').map_or(file, |(stem, _)| stem)
}

fn extension(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, extension)| extension)
}

impl Stranger<'_> {
    fn near(&self) -> Option<&'static str> {
        // A table in a form that is not read, in its own folder, is that table.
        let name = self.name.split('/').next().unwrap_or(self.name);
        nearest(stem(name), Table::ALL.map(Table::name).into_iter().chain(["dataset"]))
    }

    /// The table that it was meant as.
    fn table(&self) -> Option<Table> {
        self.near().filter(|_| !self.is_about()).and_then(Table::parse)
    }

    /// A README or a licence beside the tables is nobody's mistake.
    fn is_about(&self) -> bool {
        !self.is_folder && matches!(extension(self.name), "" | "md" | "txt")
    }

    fn is_spreadsheet(&self) -> bool {
        matches!(extension(self.name), "xlsx" | "xls" | "xlsm" | "ods" | "numbers" | "tsv")
    }

    fn matters(&self) -> bool {
        let is_named_alike = !self.name.contains('/') && self.near().is_some();
        self.is_folder || is_named_alike || !self.is_about()
    }

    fn diagnostic(&self, at: Location) -> Diagnostic {
        let kind = if self.is_folder { "folder" } else { "file" };
        let message = format!("the {kind} {} is not read: it is no table of a dataset", quoted(self.name));
        let help = match self.near() {
            Some("dataset") => format!("did you mean `{DATASET}`?"),
            Some(near) if self.is_folder => format!("did you mean `{near}/`?"),
            Some(near) => format!("did you mean `{near}`, with .ndjson, .jsonl, .json or .csv?"),
            None if self.is_spreadsheet() => {
                "save each sheet as .csv, under the name of its table".to_owned()
            }
            None => format!("tables are {}", Table::ALL.map(Table::name).join(", ")),
        };
        let is_lost = self.table().is_some() || self.is_spreadsheet();
        let code = if is_lost { Code::UnreadTable } else { Code::UnknownFile };
        Diagnostic::new(code, at, message).help(help)
    }
}
