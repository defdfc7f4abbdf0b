//! Looking at files from outside, without reading them: whether a generation is complete, and whether a root has changed.

use std::path::Path;

use super::body::{Body, CODINGS};
use super::error::{FileProblem, StoreError};
use super::generation::{Generation, current, open_root};
use super::layout::{
    CURRENT, FILE_LIST, HISTORY, INDEX_DIR, MANIFEST, OBJECTS, PACKS, SIBLINGS, directory_of,
};
use super::objects::Pack;
use super::vfs::{FileType, Stamp};

impl Generation {
    /// Checks that every listed file exists with its listed size, in some two microseconds a file once the directories
    /// are cached. Other files do not matter.
    ///
    /// # Errors
    ///
    /// For the first file that is missing, of another size, or no regular file.
    pub fn check_presence(&self) -> Result<(), StoreError> {
        self.compare_listings(&mut |_, _, compared| compared)
    }

    /// Compares each stored file with the listing of its directory; stops at the first error that `visit` returns.
    pub(super) fn compare_listings(
        &self,
        visit: &mut dyn FnMut(String, Body, Result<(), StoreError>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (mut dir, mut entries) = (String::new(), Vec::new());
        for (path, body) in self.stored_files() {
            let (parent, name) = path.rsplit_once('/').unwrap_or_default();
            if dir != parent {
                entries = match self.vfs().list(&self.name(parent)) {
                    Ok(entries) => entries,
                    Err(err) => {
                        let error = self.vfs().read_error(&self.name(&path))(err);
                        visit(path, body, Err(error))?;
                        continue;
                    }
                };
                dir = parent.to_owned();
            }
            let compared = compare(&entries, name, body.len);
            let compared = compared.map_err(|problem| self.vfs().damaged(&self.name(&path), problem));
            visit(path, body, compared)?;
        }
        Ok(())
    }

    /// All files in which bodies are stored: those of the tree, or the packs that are here and the files in no pack.
    pub(super) fn stored_files(&self) -> Box<dyn Iterator<Item = (String, Body)> + '_> {
        let entries = self.files().entries();
        match self.packs() {
            None => {
                Box::new(entries.flat_map(|entry| {
                    CODINGS.into_iter().filter_map(move |coding| entry.stored_file(coding))
                }))
            }
            Some(objects) => {
                let loose = entries.filter(|entry| objects.is_loose(entry.number()));
                let loose = loose.map(|entry| (entry.path().to_owned(), entry.identity()));
                let packs = objects.local_packs().iter().map(|pack: &Pack| (pack.path(), pack.body()));
                Box::new(loose.chain(packs))
            }
        }
    }
}

fn compare(entries: &[(String, FileType)], name: &str, expected: u64) -> Result<(), FileProblem> {
    let at = entries.binary_search_by(|(found, _)| found.as_str().cmp(name));
    match at.ok().and_then(|at| entries.get(at)) {
        None => Err(FileProblem::Missing),
        Some((_, FileType::File(len))) if *len == expected => Ok(()),
        Some((_, FileType::File(found))) => Err(FileProblem::Length { expected, found: *found }),
        Some((_, FileType::Directory | FileType::Other)) => Err(FileProblem::NotAFile),
    }
}

/// Metadata of `CURRENT` and of the files that opening its generation reads. Equal as long as none of them was written,
/// replaced or got another mode: what a reader that refused a generation compares before it tries again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootStat(Vec<Option<Stamp>>);

/// Reads the metadata of a root, and of its files only `CURRENT`. Files that cannot be found count as missing.
#[must_use]
pub fn stat_root(root: &Path) -> RootStat {
    let Ok(vfs) = open_root(root) else { return RootStat::default() };
    let mut stamps = vec![vfs.stamp(CURRENT)];
    if let Ok(id) = current(&*vfs) {
        let dir = directory_of(id);
        let own = [MANIFEST, FILE_LIST, HISTORY, SIBLINGS, OBJECTS].map(|name| format!("{dir}/{name}"));
        let below = [INDEX_DIR, PACKS].map(|name| format!("{dir}/{name}"));
        let below = below.iter().flat_map(|dir| {
            let found = vfs.list(dir).unwrap_or_default().into_iter();
            found.map(move |(name, _)| format!("{dir}/{name}"))
        });
        stamps.extend(own.into_iter().chain(below).map(|name| vfs.stamp(&name)));
    }
    RootStat(stamps)
}
