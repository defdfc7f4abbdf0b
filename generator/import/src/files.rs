//! Files that an import reads and writes, their rows, and why it fails.

use std::fmt::Display;
use std::io::{self, Read, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

use crate::mapping::Source;
use crate::source::sheet::{Row, Sheet, listed_in};
use crate::source::{self, LARGEST};

/// Why an import or a draft fails.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Options that cannot be combined, or name something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// A file that cannot be read.
    #[error("{0}")]
    Input(String),
    /// A file that cannot be written.
    #[error("{0}")]
    Output(String),
    /// The data has errors, which are in the report.
    #[error("the data has errors")]
    Data,
}

/// What a step of an import or a draft gives, or why it fails.
pub(crate) type Outcome<T> = Result<T, ImportError>;

impl ImportError {
    pub(crate) fn input(path: &Path, error: impl Display) -> Self {
        Self::Input(format!("{}: {error}", path.display()))
    }

    pub(crate) fn output(path: &Path, error: impl Display) -> Self {
        Self::Output(format!("{}: {error}", path.display()))
    }
}

/// A file of a mapping, as messages show it: `data/../grants.csv` is `grants.csv`.
pub(crate) fn shown(data: &Path, file: &str) -> String {
    let mut shown = PathBuf::new();
    for part in data.join(file).components() {
        match part {
            Component::ParentDir if shown.file_name().is_some() => drop(shown.pop()),
            _ => shown.push(part),
        }
    }
    shown.display().to_string()
}

/// Bytes of a source: a file, or standard input for `-`. Reading stops just above the largest size allowed.
pub(crate) fn read_source(path: &Path) -> Outcome<Vec<u8>> {
    let limited = |stream: &mut dyn Read| {
        let mut bytes = Vec::new();
        stream.take(LARGEST + 1).read_to_end(&mut bytes).map(|_| bytes)
    };
    if path == Path::new("-") {
        let bytes = limited(&mut io::stdin().lock());
        return bytes.map_err(|error| ImportError::input(Path::new("standard input"), error));
    }
    let bytes = std::fs::File::open(path).and_then(|mut file| limited(&mut file));
    bytes.map_err(|error| ImportError::input(path, error))
}

/// The text of a file, empty if there is none.
pub(crate) fn text_of(path: &Path) -> Outcome<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| ImportError::input(path, error)),
    }
}

/// Replaces a file at once.
///
/// # Errors
///
/// If it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    let file = written_beside(path, bytes)?;
    file.persist(path).map(drop).map_err(|error| ImportError::output(path, error.error))
}

/// A temporary file beside another, with its permissions and new content, to be renamed to it.
pub(crate) fn written_beside(path: &Path, bytes: &[u8]) -> Outcome<NamedTempFile> {
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".opdir-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        let new = |_| std::fs::Permissions::from_mode(0o644);
        let permissions = std::fs::metadata(path).map_or_else(new, |it| it.permissions());
        std::fs::set_permissions(file.path(), permissions)?;
        Ok(file)
    };
    write().map_err(|error: io::Error| ImportError::output(path, error))
}

/// What a source of a dataset holds, or the file that is read in its place.
pub(crate) fn bytes_of(source: &Source, data: &Path, from: Option<&Path>) -> Outcome<Vec<u8>> {
    match (from, &source.file) {
        (Some(path), _) => read_source(path),
        (None, Some(file)) => read_source(&regular(data, file)?),
        (None, None) => {
            let message = format!("source `{}` has no `file`: add it, or pipe it in: --from -", source.name);
            Err(ImportError::Usage(message))
        }
    }
}

/// The rows of a source, without those that its mapping leaves out.
pub(crate) fn sheet_of(source: &Source, bytes: &[u8]) -> Result<Sheet, String> {
    let mut sheet = source::read(bytes, &source.reading)?;
    if !source.key.is_empty() {
        sheet.drop_repeated();
    }
    if let Some(key) = source.key.first().and_then(|key| sheet.column(key)) {
        let is_skipped = |row: &mut Row| listed_in(&source.reading.skip, &row.name(key));
        let skipped: Vec<Row> = sheet.rows.extract_if(.., is_skipped).collect();
        sheet.note_rows(skipped.iter(), "left out, as `skip` lists them");
    }
    Ok(sheet)
}

/// The path of a file that a mapping names: no device, and no link out of the dataset.
fn regular(data: &Path, file: &str) -> Outcome<PathBuf> {
    let path = data.join(file);
    if !std::fs::metadata(&path).map_err(|error| ImportError::input(&path, error))?.is_file() {
        return Err(ImportError::input(&path, "it is no regular file; --from reads a pipe"));
    }
    let whole = |path: &Path| path.canonicalize().map_err(|error| ImportError::input(path, error));
    let is_outside = Path::new(file).is_absolute() || file.split('/').any(|part| part == "..");
    if !is_outside && !whole(&path)?.starts_with(whole(data)?) {
        return Err(ImportError::input(&path, "the link leaves the dataset; copy the file into it"));
    }
    Ok(path)
}
