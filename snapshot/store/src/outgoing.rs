//! Packs a generation for a store: the objects that the store lacks go into new packs.
//!
//! Whatever the layout here, the generation is pushed in packs. Objects that the packs of the store's live generation have
//! are reused by their hash alone; bodies of a tree that have not changed are not even read.

use std::io;
use std::sync::Arc;

use super::body::{Body, Coding, Digest};
use super::error::{FileProblem, StoreError};
use super::generation::{Generation, open_sections};
use super::layout::{FILE_TABLE, HISTORY, INDEX, INDEX_MAX, MANIFEST, OBJECTS};
use super::objects::{Objects, Pack};
use super::packer::{Packer, Write, cut, is_cut};
use super::sections::Sections;
use super::table::FileEntry;
use super::vfs::in_parallel;

/// How a generation is packed.
#[derive(Clone, Copy, Debug)]
pub struct PackOptions {
    /// A number that no push had before, so that no two packs have the same name, whatever their content.
    pub salt: u64,
    /// Level of Zstandard for bodies that are not compressed yet.
    pub level: i32,
    /// Threads.
    pub jobs: usize,
}

/// Everything that a store needs of a generation.
#[derive(Clone, Debug)]
pub struct PackedGeneration {
    /// `manifest.json`.
    pub manifest: Vec<u8>,
    /// `history.bin`.
    pub history: Vec<u8>,
    /// `objects.bin` for the store.
    pub objects: Vec<u8>,
    /// All packs that it needs, new ones included.
    pub packs: Vec<Body>,
    /// Files in no pack, by their path below the generation.
    pub plain: Vec<(String, Body)>,
}

/// Receives a new pack: its SHA-256 and its bytes.
pub type PackSink<'a> = &'a (dyn Fn(Digest, &[u8]) -> io::Result<()> + Sync);

impl Generation {
    /// Packs what the store lacks, after comparing it with its hashes. `before` is `objects.bin` of the store's live
    /// generation.
    ///
    /// # Errors
    ///
    /// If a body is not what was published, `before` is malformed, or the sink fails.
    pub fn outgoing(
        &self,
        before: Option<&[u8]>,
        options: PackOptions,
        sink: PackSink<'_>,
    ) -> Result<PackedGeneration, StoreError> {
        self.require_whole()?;
        let before = before.map(|bytes| self.remote_objects(bytes)).transpose()?.map(Arc::new);
        let write = |path: &str, bytes: &[u8]| {
            sink(Digest::of(bytes), bytes).map_err(|err| self.vfs().io_error(path)(err))
        };
        let entries: Vec<FileEntry<'_>> = self.files().entries().collect();
        let rows = in_parallel(options.jobs, &entries, |entry| self.objects_of(*entry));
        let rows: Vec<Option<Vec<Digest>>> = rows.into_iter().collect::<Result<_, _>>()?;
        let needed = rows.iter().flatten().flatten().copied();
        let packer = Packer::for_push(options.level, before, needed, options.salt);
        let entries: Vec<_> = entries.into_iter().zip(&rows).collect();
        let pack = |(entry, objects): &(FileEntry<'_>, &Option<Vec<Digest>>)| {
            objects.as_ref().map_or(Ok(()), |objects| self.pack(&packer, *entry, objects, &write))
        };
        in_parallel(options.jobs, &entries, pack).into_iter().collect::<Result<(), _>>()?;
        let rows = entries.iter().map(|(entry, row)| Some((entry.identity().sha256, row.as_deref()?)));
        let objects = packer.finish(rows, &self.table_of_files()?, &write)?;
        let plain = entries.iter().filter(|(_, row)| row.is_none());
        Ok(PackedGeneration {
            manifest: self.own_file(MANIFEST)?,
            history: self.own_file(HISTORY)?,
            packs: objects.packs.iter().map(Pack::body).collect(),
            objects: objects.finish().bytes().to_vec(),
            plain: plain.map(|(entry, _)| (entry.path().to_owned(), entry.identity())).collect(),
        })
    }

    fn remote_objects(&self, bytes: &[u8]) -> Result<Objects, StoreError> {
        let objects = Sections::from_bytes(bytes);
        let objects = objects.and_then(|file| Objects::open_remote(&self.vfs, "", &file));
        objects.map_err(|err| self.vfs().damaged(OBJECTS, err))
    }

    /// The objects of a page in packs; `None` if it stays a file. Of a tree only bodies that are cut are read.
    fn objects_of(&self, entry: FileEntry<'_>) -> Result<Option<Vec<Digest>>, StoreError> {
        if let Some(packs) = self.packs() {
            let objects = packs.of_row(entry.number());
            return Ok(objects.map(|objects| objects.iter().map(|object| object.sha256).collect()));
        }
        Ok(match entry.identity() {
            body if entry.path().starts_with(INDEX) && body.len > INDEX_MAX => None,
            body if !is_cut(body.len) => Some(vec![body.sha256]),
            _ => Some(cut(&self.read(entry, Coding::Identity)?).map(Digest::of).collect()),
        })
    }

    fn pack(
        &self,
        packer: &Packer,
        entry: FileEntry<'_>,
        objects: &[Digest],
        write: Write<'_>,
    ) -> Result<(), StoreError> {
        // Each of them, as the packer has to know all objects that it reuses.
        if objects.iter().filter(|object| !packer.take(object)).count() == 0 {
            return Ok(());
        }
        if let Some(packs) = self.packs() {
            return objects.iter().try_for_each(|object| copy(packer, packs, *object, write));
        }
        let body = self.read(entry, Coding::Identity)?;
        packer.put(entry.path(), &body, entry.identity(), write).map(drop)
    }

    fn table_of_files(&self) -> Result<Sections, StoreError> {
        match self.packs() {
            Some(packs) => Sections::from_bytes(&packs.own()?)
                .map_err(|err| self.vfs().damaged(&self.name(OBJECTS), err)),
            None => open_sections(self.vfs(), &self.dir, FILE_TABLE),
        }
    }

    fn own_file(&self, path: &str) -> Result<Vec<u8>, StoreError> {
        let name = self.name(path);
        self.vfs().read(&name, u64::MAX - 1).map_err(self.vfs().read_error(&name))
    }

    /// The bytes of a file in no pack, checked.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is not what was published.
    pub fn plain(&self, path: &str) -> Result<Vec<u8>, StoreError> {
        let entry = self.files().find(path.as_bytes());
        let entry = entry.ok_or_else(|| self.vfs().damaged(&self.name(path), FileProblem::Missing))?;
        self.read(entry, Coding::Identity)
    }
}

/// Copies an object as it is stored, and its dictionary, unless the packer has them.
fn copy(packer: &Packer, from: &Objects, sha256: Digest, write: Write<'_>) -> Result<(), StoreError> {
    let Some(object) = from.find(&sha256).filter(|_| !packer.take(&sha256)) else { return Ok(()) };
    if object.dictionary != 0
        && let Some(dictionary) = from.dictionary(object.dictionary)
    {
        copy(packer, from, dictionary.sha256, write)?;
    }
    from.check_hash(sha256, &from.object(object)?)?;
    packer.add_stored(*object, &from.stored(object)?, write)
}
