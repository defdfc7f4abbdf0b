//! The files of a dataset, and what each holds, by its name alone.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, FileId, Location};
use crate::stamps::Stamps;
use crate::table::Table;
use crate::text::{nearest, quoted};

pub(super) const DATASET: &str = "dataset.json";

/// What to do with a table in another form than that of a dataset.
pub(super) const IMPORT: &str =
    "move it out of the dataset, and read it by `opdir import DATA --draft --from FILE`";

/// Where a dataset is.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// A folder of files.
    Folder(PathBuf),
    /// A folder in which some files are other than on disk: path relative to the dataset, and content.
    Overlaid(PathBuf, &'a BTreeMap<String, Vec<u8>>),
    /// Files in the program itself: path relative to the dataset, with `/`, and content.
    Embedded(&'a [(&'a str, &'a [u8])]),
}

/// Why the input cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InputError(String);

impl InputError {
    fn unreadable(path: &Path, error: impl Display) -> Self {
        Self(format!("cannot read {}: {error}", path.display()))
    }

    /// Why a path is not that of a folder, if it is none.
    pub fn unless_folder(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => None,
            Ok(_) => Some(Self::unreadable(path, "it is not a folder; name the folder of dataset.json")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Some(Self(format!("dataset folder {} does not exist", path.display())))
            }
            Err(error) => Some(Self::unreadable(path, error)),
        }
    }
}

/// The format of a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One object a line.
    Ndjson,
    /// An array of objects, or one object.
    Json,
    /// RFC 4180 with a header.
    Csv,
}

/// An input file.
pub(super) struct File<'a> {
    pub id: FileId,
    /// Relative to the dataset, with `/`.
    pub path: String,
    /// The table whose rows it holds; none for the description of the dataset and the stamps.
    pub rows: Option<(Table, Format)>,
    content: Content<'a>,
}

enum Content<'a> {
    Disk(PathBuf),
    Memory(&'a [u8]),
}

impl File<'_> {
    /// The whole content.
    pub(super) fn load(&self) -> Result<Vec<u8>, InputError> {
        let mut all = Vec::new();
        self.blocks(u64::MAX, |block| all = block.to_vec())?;
        Ok(all)
    }

    /// Passes the content to `take` in blocks of whole lines, each as long as `least` at least, but for the last.
    pub(super) fn blocks(&self, least: u64, mut take: impl FnMut(&[u8])) -> Result<(), InputError> {
        let mut read = || {
            let mut reader: Box<dyn BufRead + '_> = match &self.content {
                Content::Disk(path) => Box::new(io::BufReader::new(fs::File::open(path)?)),
                Content::Memory(bytes) => Box::new(*bytes),
            };
            let mut block = Vec::new();
            loop {
                block.clear();
                reader.by_ref().take(least).read_to_end(&mut block)?;
                reader.read_until(b'\n', &mut block)?;
                if block.is_empty() {
                    return Ok(());
                }
                take(&block);
            }
        };
        read().map_err(|error: io::Error| match &self.content {
            Content::Disk(path) => InputError::unreadable(path, error),
            Content::Memory(_) => InputError::unreadable(Path::new(&self.path), error),
        })
    }

    /// The file's format, if it holds rows of the table.
    pub(super) fn format_of(&self, table: Table) -> Option<Format> {
        self.rows.filter(|(of, _)| *of == table).map(|(_, format)| format)
    }
}

/// The files to read, sorted by path. Other files are reported, and tables that they probably are, are added
/// to `incomplete`.
pub(super) fn list<'a>(
    input: &Input<'a>,
    incomplete: &mut BTreeSet<Table>,
    report: &mut Diagnostics,
) -> Result<Vec<File<'a>>, InputError> {
    let mut found = match input {
        Input::Folder(folder) => walk(folder)?,
        Input::Overlaid(folder, files) => {
            let mut found = walk(folder)?;
            found.retain(|(path, ..)| !files.contains_key(path));
            let files = files.iter().filter(|(path, bytes)| !bytes.is_empty() && !path.starts_with('.'));
            found.extend(files.map(|(path, bytes)| {
                (path.clone(), folder.join(path).display().to_string(), Content::Memory(bytes.as_slice()))
            }));
            found
        }
        Input::Embedded(files) => files
            .iter()
            .map(|(path, bytes)| (path.to_string(), path.to_string(), Content::Memory(bytes)))
            .collect(),
    };
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let mut files = Vec::with_capacity(found.len());
    let mut reported = BTreeSet::new();
    for (path, shown, content) in found {
        match rows_of(&path) {
            Ok(rows) => files.push(File { id: report.add_file(shown), path, rows, content }),
            Err((name, is_folder)) => {
                let Some((table, problem)) = unread(name, is_folder) else { continue };
                incomplete.extend(table);
                if reported.insert(name.to_owned()) {
                    let at = Location { file: report.add_file(shown), line: 1 };
                    report.push(problem(at));
                }
            }
        }
    }
    Ok(files)
}

/// Path relative to the dataset, path for messages, content.
type FoundFile<'a> = (String, String, Content<'a>);

fn walk<'a>(folder: &Path) -> Result<Vec<FoundFile<'a>>, InputError> {
    InputError::unless_folder(folder).map_or(Ok(()), Err)?;
    let mut found = Vec::new();
    let sources = sources(folder);
    let is_visible = |name: &std::ffi::OsStr| !name.as_encoded_bytes().starts_with(b".");
    let entries = WalkDir::new(folder).follow_links(true).into_iter();
    for entry in entries.filter_entry(|entry| entry.depth() == 0 || is_visible(entry.file_name())) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            InputError::unreadable(&path, io::Error::from(error))
        })?;
        let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let parts: Vec<Cow<'_, str>> = relative.iter().map(|part| part.to_string_lossy()).collect();
        let path = parts.join("/");
        if is_of_import(&path) || sources.contains(&path) {
            continue;
        }
        let refused = |reason: &str| Err(InputError::unreadable(entry.path(), reason));
        if entry.path_is_symlink() && !is_inside(entry.path(), folder) {
            return refused("the link leaves the dataset; copy the file into it");
        }
        if !entry.file_type().is_file() && !entry.file_type().is_dir() {
            return refused("it is no regular file");
        }
        if entry.file_type().is_file() {
            let shown = entry.path().strip_prefix(".").unwrap_or(entry.path()).display().to_string();
            found.push((path, shown, Content::Disk(entry.into_path())));
        }
    }
    Ok(found)
}

/// Whether a path is inside a folder when every link is followed.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize();
    matches!((whole(path), whole(folder)), (Ok(path), Ok(folder)) if path.starts_with(&folder))
}

const MAPPING: &str = "import.toml";

/// Whether it belongs to an import: the mapping, corrections, and sources in a folder of their own.
fn is_of_import(path: &str) -> bool {
    path == MAPPING || path.split_once('/').is_some_and(|(folder, _)| matches!(folder, "edits" | "inbox"))
}

/// The files that the mapping of an import names as its sources, which are no tables wherever they are. Only their lines are
/// read: what a mapping means is known to the import, which is above.
pub fn sources(folder: &Path) -> BTreeSet<String> {
    let mapping = fs::read_to_string(folder.join(MAPPING)).unwrap_or_default();
    let values = mapping
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("file")?.trim_start().strip_prefix('='));
    let names = values.filter_map(|value| value.split(['"', '\'']).nth(1));
    names.map(|name| name.trim_start_matches("./").to_owned()).collect()
}

/// The table of a file, if it has one; the name of a file or top folder that is not read, and whether it is a folder.
fn rows_of(path: &str) -> Result<Option<(Table, Format)>, (&str, bool)> {
    if [DATASET, Stamps::FILE].contains(&path) {
        return Ok(None);
    }
    let (table, file) = match path.split_once('/') {
        Some((folder, rest)) => (folder, rest.rsplit('/').next().unwrap_or(rest)),
        None => (stem(path), path),
    };
    let Some(table) = Table::parse(table) else {
        return Err(if path.contains('/') { (table, true) } else { (path, false) });
    };
    let format = match extension(file) {
        "ndjson" | "jsonl" => Format::Ndjson,
        "json" => Format::Json,
        "csv" => Format::Csv,
        _ => return Err((path, false)),
    };
    Ok(Some((table, format)))
}

fn stem(file: &str) -> &str {
    file.split_once('.').map_or(file, |(stem, _)| stem)
}

fn extension(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The table that a file or folder probably is that is not read, and the problem, if it is worth a report.
fn unread(name: &str, is_folder: bool) -> Option<(Option<Table>, impl FnOnce(Location) -> Diagnostic)> {
    // An unsupported format in the folder of a table is that table.
    let first = name.split('/').next().unwrap_or(name);
    let near = nearest(stem(first), Table::ALL.map(Table::name).into_iter().chain(["dataset"]));
    let extension = extension(name);
    // A README or a licence beside the tables.
    let is_documentation = !is_folder && matches!(extension, "" | "md" | "txt");
    if is_documentation && (name.contains('/') || near.is_none()) {
        return None;
    }
    let table = near.filter(|_| !is_documentation).and_then(Table::parse);
    let is_spreadsheet = matches!(extension, "xlsx" | "xls" | "xlsm" | "ods" | "numbers" | "tsv");
    let kind = if is_folder { "folder" } else { "file" };
    let help = match near {
        Some("dataset") => format!("did you mean `{DATASET}`?"),
        Some(near) if is_folder => format!("did you mean `{near}/`?"),
        Some(near) => format!("did you mean `{near}`, with .ndjson, .jsonl, .json or .csv?"),
        None if is_spreadsheet => IMPORT.to_owned(),
        None => format!("tables are {}", Table::ALL.map(Table::name).join(", ")),
    };
    let message = format!("the {kind} {} is not read: it is not a table of a dataset", quoted(name));
    let code = if table.is_some() || is_spreadsheet { Code::UnreadTable } else { Code::UnknownFile };
    Some((table, move |at| Diagnostic::new(code, at, message).help(help)))
}
