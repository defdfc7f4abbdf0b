//! Whether a generation is all there: a look at every listed file from outside, without reading it.

use std::collections::BTreeMap;

use super::body::Body;
use super::generation::Generation;
use super::vfs::{FileType, damaged, failed};
use super::{FileProblem, StoreError};

/// What is in one directory, sorted by name.
#[derive(Default)]
struct Listing {
    dir: String,
    found: Vec<(String, FileType)>,
}

impl Generation {
    /// Every listed file is there, with its listed size; what else lies about is nobody's business here. The
    /// first that is not is named. Takes some two microseconds a file, once their directories are in memory.
    ///
    /// # Errors
    ///
    /// If a file is missing, of another size, or no regular file.
    pub fn check_presence(&self) -> Result<(), StoreError> {
        let mut listing = Listing::default();
        for (path, body) in self.bodies_of_packs() {
            let (dir, name) = path.rsplit_once('/').unwrap_or_default();
            if listing.dir != dir {
                listing = self.list(dir)?;
            }
            let held = listing.holds(name, body.len);
            held.map_err(|problem| damaged(self.vfs(), &self.name(&path), problem))?;
        }
        for (path, coding, body) in self.files().stored().filter(|_| !self.is_packed()) {
            let (dir, name) = path.rsplit_once('/').unwrap_or_default();
            if listing.dir != dir {
                listing = self.list(dir)?;
            }
            listing.holds(&format!("{name}{}", coding.suffix()), body.len).map_err(|problem| {
                damaged(self.vfs(), &self.name(&format!("{path}{}", coding.suffix())), problem)
            })?;
        }
        Ok(())
    }

    /// What a generation in packs has besides its own files: packs, and bodies that lie as files.
    pub(super) fn bodies_of_packs(&self) -> BTreeMap<String, Body> {
        let Some(objects) = self.packs() else { return BTreeMap::new() };
        let packs = objects.packs_here().iter();
        let packs = packs.map(|pack| (pack.path(), Body { len: pack.length, sha256: pack.sha256 }));
        let plain = self.files().entries().filter(|entry| objects.is_plain(entry.number()));
        packs.chain(plain.map(|entry| (entry.path().to_owned(), entry.identity()))).collect()
    }

    fn list(&self, dir: &str) -> Result<Listing, StoreError> {
        let name = self.name(dir);
        let found = self.vfs().list(&name).map_err(|err| failed(self.vfs(), &name, err))?;
        Ok(Listing { dir: dir.to_owned(), found })
    }
}

impl Listing {
    fn holds(&self, name: &str, expected: u64) -> Result<(), FileProblem> {
        let at = self.found.binary_search_by(|(found, _)| found.as_str().cmp(name));
        match at.ok().map(|at| self.found[at].1) {
            None => Err(FileProblem::Missing),
            Some(FileType::File(len)) if len == expected => Ok(()),
            Some(FileType::File(found)) => Err(FileProblem::Length { expected, found }),
            Some(FileType::Directory | FileType::Other) => Err(FileProblem::NotAFile),
        }
    }
}
