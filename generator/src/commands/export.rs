//! `export`: the live snapshot as plain files, with their gzip forms, for a static host.

mod addresses;
mod changes;
mod folder;

use std::path::Path;

use dataset::text::counted;
use rayon::prelude::*;
use store::{Coding, Digest, FileEntry, Generation};

use addresses::Addresses;
use folder::ExportFolder;
pub use folder::{ExportError, SUMS};

use crate::exit_codes::{Failure, fail, print_line, unreadable};

pub(crate) fn command(root: &Path, dir: &Path, (pretty, prefix): (bool, &str)) -> Result<(), Failure> {
    let generation = Generation::open_current(root).map_err(unreadable)?;
    let files = export(&generation, dir, pretty, prefix).map_err(|error| match error {
        ExportError::Store(error) => unreadable(error),
        ExportError::Index(_) => fail(Failure::Input, error),
        _ => fail(Failure::Output, error),
    })?;
    print_line(format_args!("{} is in {}, {}", generation.id(), dir.display(), counted(files, "file")));
    Ok(())
}

/// Writes all pages to a new or empty folder, with the changes and [`SUMS`]; returns the number of files. With
/// `pretty`, `a.html` becomes `a/index.html`, and pages link to files of answers. `prefix` is the path below which the site is served: `/repo`, or empty.
///
/// # Errors
///
/// If a page is damaged, the folder is not empty, or a file cannot be written.
pub fn export(generation: &Generation, dir: &Path, pretty: bool, prefix: &str) -> Result<usize, ExportError> {
    let folder = ExportFolder::create(dir)?;
    let pages: Vec<FileEntry<'_>> = generation.files().entries().collect();
    let base_url = &generation.manifest().base_url;
    let addresses = Addresses::new((pretty, prefix), base_url, pages.iter().map(FileEntry::path).collect());
    pages.into_par_iter().try_for_each(|page| {
        let body = generation.read(page, Coding::Identity)?;
        let name = file_name(page.path(), pretty);
        match addresses.apply(page.path(), &body) {
            Some(body) => folder.put(&name, &body, Digest::of(&body)),
            None => folder.put(&name, &body, page.identity().sha256),
        }
    })?;
    for asset in generation.earlier_assets()? {
        let body = addresses.apply(&asset.path, &asset.bytes).unwrap_or(asset.bytes);
        folder.put(&asset.path, &body, Digest::of(&body))?;
    }
    changes::write(generation, &addresses, &folder)?;
    folder.finish()
}

/// The exported file of a page.
fn file_name(path: &str, pretty: bool) -> String {
    let folder = path.strip_suffix(".html").filter(|_| pretty);
    match folder.filter(|page| !matches!(page.rsplit('/').next(), Some("index" | "404"))) {
        Some(folder) => format!("{folder}/index.html"),
        None => path.to_owned(),
    }
}
