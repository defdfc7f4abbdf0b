//! The folder of an export: its files, their gzip forms and the list of checksums.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use store::sections::SectionError;
use store::{Digest, StoreError};

/// The list of all files with their hashes.
pub const SUMS: &str = "SHA256SUMS";

/// Shorter files fill less than two packets, headers included.
const SMALL: usize = 1024;

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message shows what its fields are")]
pub enum ExportError {
    /// The snapshot cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its index cannot be read.
    #[error("the index cannot be read: {0}; rebuild the snapshot with `opdir build` of this version")]
    Index(#[from] SectionError),
    /// The operating system reports an error.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The folder has files.
    #[error("{} is not empty; name a new or an empty folder", .0.display())]
    NotEmpty(PathBuf),
}

/// An export folder that is being written.
pub(super) struct ExportFolder<'a> {
    dir: &'a Path,
    /// Hashes of the written files, by path.
    sums: Mutex<BTreeMap<String, Digest>>,
}

impl<'a> ExportFolder<'a> {
    /// A new or empty folder.
    pub(super) fn create(dir: &'a Path) -> Result<Self, ExportError> {
        let io = |source| ExportError::Io { path: dir.to_owned(), source };
        std::fs::create_dir_all(dir).map_err(io)?;
        if std::fs::read_dir(dir).map_err(io)?.next().is_some() {
            return Err(ExportError::NotEmpty(dir.to_owned()));
        }
        Ok(Self { dir, sums: Mutex::default() })
    }

    /// Writes a file, and its gzip form where that saves at least a tenth.
    pub(super) fn put(&self, path: &str, body: &[u8], sha256: Digest) -> Result<(), ExportError> {
        if let Some((folder, _)) = path.rsplit_once('/') {
            let folder = self.dir.join(folder);
            let created = std::fs::create_dir_all(&folder);
            created.map_err(|source| ExportError::Io { path: folder, source })?;
        }
        self.write(path.to_owned(), body, sha256)?;
        let coded = if body.len() < SMALL { Vec::new() } else { store::gzip(body) };
        match coded.len() * 10 <= body.len() * 9 && !coded.is_empty() {
            true => self.write(format!("{path}.gz"), &coded, Digest::of(&coded)),
            false => Ok(()),
        }
    }

    fn write(&self, name: String, bytes: &[u8], sha256: Digest) -> Result<(), ExportError> {
        let path = self.dir.join(&name);
        let written = File::create_new(&path).and_then(|mut file| file.write_all(bytes));
        written.map_err(|source| ExportError::Io { path, source })?;
        self.sums.lock().unwrap_or_else(PoisonError::into_inner).insert(name, sha256);
        Ok(())
    }

    /// Writes [`SUMS`] in the format of `sha256sum --check`; returns the number of all files.
    pub(super) fn finish(self) -> Result<usize, ExportError> {
        let sums = std::mem::take(&mut *self.sums.lock().unwrap_or_else(PoisonError::into_inner));
        let lines: String = sums.iter().map(|(path, sha256)| format!("{sha256}  {path}\n")).collect();
        self.write(SUMS.to_owned(), lines.as_bytes(), Digest::of(lines.as_bytes()))?;
        Ok(sums.len() + 1)
    }
}
