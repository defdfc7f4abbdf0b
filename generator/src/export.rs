//! A snapshot's pages as plain files, with their codings beside them: what a static host takes, from a tree or from
//! packs alike.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use snapshot::store::{CODINGS, Coding, FileEntry, Generation, StoreError};

use crate::encode::Effort;

/// Why pages could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The snapshot cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
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

/// Writes all pages below a folder; gives the number of files. With `pretty`, a page is the index of a folder of
/// its name.
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
    let pages: Vec<FileEntry<'_>> = generation.files().entries().collect();
    let written = pages.into_par_iter().map(|page| match page.path().strip_prefix("public/") {
        Some(path) => write(generation, page, &dir.join(place(path, pretty)), effort),
        None => Ok(0),
    });
    written.sum()
}

/// Where a page goes.
fn place(path: &str, pretty: bool) -> String {
    let folder = path.strip_suffix(".html").filter(|_| pretty);
    match folder.filter(|page| !matches!(page.rsplit('/').next(), Some("index" | "404"))) {
        Some(folder) => format!("{folder}/index.html"),
        None => path.to_owned(),
    }
}

/// Writes a page, and beside it those codings that save a tenth or more.
fn write(
    generation: &Generation,
    page: FileEntry<'_>,
    path: &Path,
    effort: Effort,
) -> Result<usize, ExportError> {
    let body = generation.read(page, Coding::Identity)?;
    let put = |path: &Path, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(|source| ExportError::Io { path: path.to_owned(), source })
    };
    if let Some(folder) = path.parent() {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| ExportError::Io { path: folder.to_owned(), source })?;
    }
    put(path, &body)?;
    let mut files = 1;
    for coding in CODINGS.into_iter().skip(1) {
        let coded = effort.encode(coding, &body).filter(|coded| coded.len() * 10 <= body.len() * 9);
        if let Some(coded) = coded {
            let mut beside = path.as_os_str().to_owned();
            beside.push(coding.suffix());
            put(Path::new(&beside), &coded)?;
            files += 1;
        }
    }
    Ok(files)
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
}
