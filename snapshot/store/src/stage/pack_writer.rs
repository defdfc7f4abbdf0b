//! Stores the bodies of a generation in packs. Objects and whole packs that the live generation has are reused.

use super::super::body::{Body, Digest};
use super::super::build_info::NewFile;
use super::super::error::StoreError;
use super::super::generation::Generation;
use super::super::layout::{INDEX_DIR, INDEX_MAX, OBJECTS};
use super::super::packer::Packer;
use super::super::sections::Sections;
use super::super::staging::StagingDir;
use super::super::table::{FileEntry, StagedFile, Stored};
use super::super::vfs::lock;

pub(super) struct PackWriter {
    pub(super) packer: Packer,
    /// Packs of the live generation that are damaged; if there are any, nothing of it is reused.
    pub(super) damaged: u64,
}

impl PackWriter {
    pub(super) fn new(level: i32, live: Option<&Generation>) -> Self {
        let (packer, damaged) = Packer::reusing(level, live);
        Self { packer, damaged }
    }

    pub(super) fn put(
        &self,
        staging: &StagingDir,
        page: NewFile<'_>,
        identity: Body,
    ) -> Result<Stored, StoreError> {
        let write = |path: &str, bytes: &[u8]| staging.write(path, bytes);
        self.packer.put(page.path, page.body, identity, &write).map(Stored::Objects)
    }

    pub(super) fn keep(&self, entry: FileEntry<'_>) -> Option<Stored> {
        self.packer.take_row(entry.number()).map(Stored::Objects)
    }

    /// Packs the index files, closes the packs, and writes where each body is stored.
    pub(super) fn finish(
        &self,
        staging: &StagingDir,
        mut files: Vec<StagedFile>,
        table: &Sections,
    ) -> Result<(), StoreError> {
        for file in &mut files {
            if matches!(file.stored, Stored::File) && file.identity.len <= INDEX_MAX {
                file.stored = Stored::Objects(self.pack_index_file(staging, file)?);
            }
        }
        let index = staging.name(INDEX_DIR);
        if staging.vfs.list(&index).is_ok_and(|left| left.is_empty()) {
            staging.vfs.remove(&index).map_err(staging.vfs.io_error(&index))?;
        }
        let rows = files.iter().map(|file| match &file.stored {
            Stored::Objects(parts) => Some((file.identity.sha256, &**parts)),
            Stored::File | Stored::Tree(_) => None,
        });
        let objects = self.packer.finish(rows, table, &|path, bytes| staging.write(path, bytes))?;
        staging.link_packs(&objects.packs)?;
        staging.write(OBJECTS, objects.finish().bytes())
    }

    fn pack_index_file(&self, staging: &StagingDir, file: &StagedFile) -> Result<Vec<Digest>, StoreError> {
        let (vfs, name) = (&*staging.vfs, staging.name(&file.path));
        let same = staging.live().and_then(|live| live.files().find(file.path.as_bytes()));
        let same = same.filter(|entry| entry.identity() == file.identity);
        let parts = match same.and_then(|entry| self.packer.take_row(entry.number())) {
            Some(parts) => parts,
            None => {
                let bytes = vfs.map(&name).map_err(vfs.io_error(&name))?;
                let write = |path: &str, bytes: &[u8]| staging.write(path, bytes);
                self.packer.put(&file.path, &bytes, file.identity, &write)?
            }
        };
        vfs.remove(&name).map_err(vfs.io_error(&name))?;
        lock(&staging.written).retain(|(path, _)| *path != file.path);
        Ok(parts)
    }
}
