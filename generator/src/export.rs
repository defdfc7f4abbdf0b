//! A snapshot's pages as plain files, with their codings beside them: what a static host takes, from a tree or from
//! packs alike.

mod changes;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use snapshot::store::sections::SectionError;
use snapshot::store::{CODINGS, Coding, Digest, FileEntry, Generation, StoreError};

use site::Effort;

/// The list of all files that are written and of their hashes: of pages those that the snapshot lists.
pub const SUMS: &str = "SHA256SUMS";

/// Why pages could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The snapshot cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its index cannot be read.
    #[error("the index cannot be read: {0}; rebuild the snapshot with `opdir build` of this version")]
    Index(#[from] SectionError),
    /// The system refuses to write.
    #[error("{}: {source}", path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// As reported.
        source: io::Error,
    },
    /// There are files in the way.
    #[error("{} is not empty; name a new or an empty folder", .0.display())]
    Taken(PathBuf),
}

/// Writes all pages below a folder, what changed (`changes`), and [`SUMS`]; gives the number of files. With `pretty`, a
/// page is the index of a folder of its name.
///
/// # Errors
///
/// If a page is not what was published, if the folder is not empty, or if the system refuses to write.
pub fn export(
    generation: &Generation,
    dir: &Path,
    pretty: bool,
    effort: Effort,
) -> Result<usize, ExportError> {
    let refused = |source| ExportError::Io { path: dir.to_owned(), source };
    std::fs::create_dir_all(dir).map_err(refused)?;
    if std::fs::read_dir(dir).map_err(refused)?.next().is_some() {
        return Err(ExportError::Taken(dir.to_owned()));
    }
    let out = Out { dir, effort, sums: Mutex::default() };
    let pages: Vec<FileEntry<'_>> = generation.files().entries().collect();
    pages.into_par_iter().try_for_each(|page| match page.path().strip_prefix("public/") {
        Some(path) => {
            let body = generation.read(page, Coding::Identity)?;
            out.put(&place(path, pretty), &body, page.identity().sha256)
        }
        None => Ok(()),
    })?;
    changes::write(generation, &out)?;
    out.finish()
}

/// Whether a folder, which need not be there, is inside of another.
#[must_use]
pub fn lies_in(dir: &Path, folder: &Path) -> bool {
    let (Ok(folder), Ok(dir)) = (folder.canonicalize(), std::path::absolute(dir)) else { return false };
    dir.ancestors().find_map(|dir| dir.canonicalize().ok()).is_some_and(|dir| dir.starts_with(folder))
}

/// The folder that is written.
struct Out<'a> {
    dir: &'a Path,
    effort: Effort,
    /// What was written, and its hash.
    sums: Mutex<BTreeMap<String, Digest>>,
}

impl Out<'_> {
    /// Writes a file, and beside it those codings that save a tenth or more.
    fn put(&self, path: &str, body: &[u8], sha256: Digest) -> Result<(), ExportError> {
        if let Some((folder, _)) = path.rsplit_once('/') {
            let folder = self.dir.join(folder);
            let made = std::fs::create_dir_all(&folder);
            made.map_err(|source| ExportError::Io { path: folder, source })?;
        }
        self.file(path.to_owned(), body, sha256)?;
        for coding in CODINGS.into_iter().skip(1) {
            let coded = self.effort.encode(coding, body).filter(|coded| coded.len() * 10 <= body.len() * 9);
            if let Some(coded) = coded {
                self.file(format!("{path}{}", coding.suffix()), &coded, Digest::of(&coded))?;
            }
        }
        Ok(())
    }

    fn file(&self, name: String, bytes: &[u8], sha256: Digest) -> Result<(), ExportError> {
        let path = self.dir.join(&name);
        let written = File::create_new(&path).and_then(|mut file| file.write_all(bytes));
        written.map_err(|source| ExportError::Io { path, source })?;
        self.sums.lock().unwrap_or_else(PoisonError::into_inner).insert(name, sha256);
        Ok(())
    }

    /// Writes what `sha256sum --check` reads; gives the number of all files.
    fn finish(self) -> Result<usize, ExportError> {
        let sums = std::mem::take(&mut *self.sums.lock().unwrap_or_else(PoisonError::into_inner));
        let lines: String = sums.iter().map(|(path, sha256)| format!("{sha256}  {path}\n")).collect();
        self.file(SUMS.to_owned(), lines.as_bytes(), Digest::of(lines.as_bytes()))?;
        Ok(sums.len() + 1)
    }
}

/// Where a page goes.
fn place(path: &str, pretty: bool) -> String {
    let folder = path.strip_suffix(".html").filter(|_| pretty);
    match folder.filter(|page| !matches!(page.rsplit('/').next(), Some("index" | "404"))) {
        Some(folder) => format!("{folder}/index.html"),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_pages_are_the_index_of_a_folder_and_nothing_else_moves() {
        for (path, expected) in [
            ("programs/a.html", "programs/a/index.html"),
            ("es/programs.html", "es/programs/index.html"),
            ("index.html", "index.html"),
            ("es/index.html", "es/index.html"),
            ("404.html", "404.html"),
            ("programs/a.md", "programs/a.md"),
            ("data/programs.csv", "data/programs.csv"),
        ] {
            assert_eq!((place(path, true).as_str(), place(path, false).as_str()), (expected, path));
        }
    }

    #[test]
    fn a_folder_among_others_is_known_also_when_it_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("generations");
        std::fs::create_dir(&own).unwrap();
        assert!(lies_in(&own, &own) && lies_in(&own.join("not/there"), &own));
        assert!(lies_in(&folder.path().join("generations/../generations/x"), &own));
        assert!(!lies_in(&folder.path().join("generations-2"), &own) && !lies_in(folder.path(), &own));
    }
}
