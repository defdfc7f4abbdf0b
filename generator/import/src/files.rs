//! Files that an import reads and writes, and why it fails.

use std::fmt::Display;
use std::io::{self, Read, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use crate::source::LARGEST;

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
    let mut parts: Vec<Component<'_>> = Vec::new();
    let path = data.join(file);
    for part in path.components() {
        match (part, parts.last()) {
            (Component::ParentDir, Some(Component::Normal(_))) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.iter().collect::<PathBuf>().display().to_string()
}

/// Bytes of a source: a file, or standard input for `-`. Reading stops just above the largest size allowed.
pub(crate) fn read_source(path: &Path) -> Result<Vec<u8>, ImportError> {
    let limited = |stream: &mut dyn Read| {
        let mut bytes = Vec::new();
        stream.take(LARGEST + 1).read_to_end(&mut bytes).map(|_| bytes)
    };
    if path == Path::new("-") {
        return limited(&mut io::stdin().lock())
            .map_err(|error| ImportError::Input(format!("standard input: {error}")));
    }
    let bytes = std::fs::File::open(path).and_then(|mut file| limited(&mut file));
    bytes.map_err(|error| ImportError::input(path, error))
}

/// The text of a file, empty if there is none.
pub(crate) fn text_of(path: &Path) -> Result<String, ImportError> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| ImportError::input(path, error)),
    }
}

/// Replaces a file at once: writes a temporary file beside it, with its permissions, and renames it.
///
/// # Errors
///
/// If it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".opdir-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        let permissions = match std::fs::metadata(path) {
            Ok(metadata) => metadata.permissions(),
            Err(_) => std::fs::Permissions::from_mode(0o644),
        };
        std::fs::set_permissions(file.path(), permissions)?;
        file.persist(path).map_err(|error| error.error)
    };
    write().map(drop).map_err(|error| ImportError::output(path, error))
}
