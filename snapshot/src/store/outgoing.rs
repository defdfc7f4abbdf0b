//! A generation on its way to where many fetch it from: what of it is not there yet, in packs that nobody had before.
//!
//! Whatever its layout here, it leaves in packs. Objects that the packs over there have are taken from those, by hash
//! alone; bodies of a tree that have not changed are not even read. All others go into new packs.

use std::io;
use std::sync::Arc;

use super::body::Body;
use super::digest::Digest;
use super::generation::{Generation, open_sections};
use super::objects::Objects;
use super::packer::{INDEX_MAX, Packer, Write, cut, is_cut};
use super::sections::Sections;
use super::table::FileEntry;
use super::vfs::{damaged, failed, in_parallel};
use super::{Coding, FILE_TABLE, FileProblem, HISTORY, INDEX_DIR, MANIFEST, OBJECTS, StoreError};

/// How a generation leaves.
#[derive(Clone, Copy, Debug)]
pub struct PackOptions {
    /// A number that no push had before: no two packs have one name then, whatever is in them.
    pub salt: u64,
    /// Level of Zstandard for what is not compressed yet.
    pub level: i32,
    /// Threads.
    pub jobs: usize,
}

/// What has to be there so that others can fetch a generation.
#[derive(Clone, Debug)]
pub struct PackedGeneration {
    /// `manifest.json`.
    pub manifest: Vec<u8>,
    /// `history.bin`.
    pub history: Vec<u8>,
    /// `objects.bin` over there.
    pub objects: Vec<u8>,
    /// All packs that it needs, new ones among them.
    pub packs: Vec<Body>,
    /// Files that lie in no pack, by their path below the generation.
    pub plain: Vec<(String, Body)>,
}

/// Takes a new pack: its SHA-256 and its bytes.
pub type PackSink<'a> = &'a (dyn Fn(Digest, &[u8]) -> io::Result<()> + Sync);

impl Generation {
    /// Packs what is not there yet. `before` is `objects.bin` of the generation that is live over there.
    /// All that leaves is compared with its hash before.
    ///
    /// # Errors
    ///
    /// If a body is not what was published, `before` is none, or a pack is not taken.
    pub fn outgoing(
        &self,
        before: Option<&[u8]>,
        how: PackOptions,
        take: PackSink<'_>,
    ) -> Result<PackedGeneration, StoreError> {
        self.require_whole()?;
        let before = before.map(|bytes| self.elsewhere(bytes)).transpose()?.map(Arc::new);
        let write = |path: &str, bytes: &[u8]| {
            let taken = take(Digest::of(bytes), bytes);
            taken.map_err(|source| StoreError::Io { path: self.vfs().locate(path), source })
        };
        let rows = self.rows(how.jobs)?;
        let known = rows.iter().zip(self.files().entries()).flat_map(|(row, entry)| match row {
            Row::Plain => Vec::new(),
            Row::Object => vec![entry.identity().sha256],
            Row::Parts(parts) => parts.clone(),
        });
        let packer = Packer::away(how.level, before, known, how.salt);
        let pack = |row: &(FileEntry<'_>, &Row)| self.pack(&packer, *row, &write);
        let entries: Vec<(FileEntry<'_>, &Row)> = self.files().entries().zip(&rows).collect();
        in_parallel(how.jobs, &entries, pack).into_iter().collect::<Result<(), _>>()?;
        let table = self.table_of_files()?;
        let told = entries.iter().map(|(entry, row)| match row {
            Row::Plain => None,
            Row::Object => Some((entry.identity().sha256, &[][..])),
            Row::Parts(parts) => Some((entry.identity().sha256, &**parts)),
        });
        let written = packer.finish(told, &table, &write)?;
        let packs = written.packs.iter().map(|pack| Body { len: pack.length, sha256: pack.sha256 }).collect();
        let plain = entries.iter().filter(|(_, row)| matches!(row, Row::Plain));
        Ok(PackedGeneration {
            manifest: self.own_file(MANIFEST)?,
            history: self.own_file(HISTORY)?,
            objects: written.finish().bytes().to_vec(),
            packs,
            plain: plain.map(|(entry, _)| (entry.path().to_owned(), entry.identity())).collect(),
        })
    }

    /// `objects.bin` of a generation whose packs are not here.
    fn elsewhere(&self, bytes: &[u8]) -> Result<Objects, StoreError> {
        let file = Sections::from_bytes(bytes);
        let objects = file.and_then(|file| Objects::elsewhere(self.shared_vfs(), "", &file));
        objects.map_err(|err| damaged(self.vfs(), OBJECTS, err.into()))
    }

    /// What each row is made of. Of a tree only bodies that are cut are read.
    fn rows(&self, jobs: usize) -> Result<Vec<Row>, StoreError> {
        let entries: Vec<FileEntry<'_>> = self.files().entries().collect();
        let row = |entry: &FileEntry<'_>| {
            if let Some(packs) = self.packs() {
                let objects = packs.of_row(entry.number());
                return Ok(objects.map_or(Row::Plain, |objects| {
                    Row::of(objects.iter().map(|object| object.sha256).collect())
                }));
            }
            let index = entry.path().strip_prefix(INDEX_DIR).is_some_and(|rest| rest.starts_with('/'));
            match entry.identity().len {
                length if index && length > INDEX_MAX => Ok(Row::Plain),
                length if !is_cut(length) => Ok(Row::Object),
                _ => Ok(Row::Parts(cut(&self.read(*entry, Coding::Identity)?).map(Digest::of).collect())),
            }
        };
        in_parallel(jobs, &entries, row).into_iter().collect()
    }

    fn pack(
        &self,
        packer: &Packer,
        (entry, row): (FileEntry<'_>, &Row),
        write: Write<'_>,
    ) -> Result<(), StoreError> {
        let one = [entry.identity().sha256];
        let parts = match row {
            Row::Plain => return Ok(()),
            Row::Object => &one[..],
            Row::Parts(parts) => parts,
        };
        // All of them: what is taken has to be known to the packer.
        let missing = parts.iter().filter(|part| !packer.take(part)).count();
        if missing == 0 {
            return Ok(());
        }
        if let Some(packs) = self.packs() {
            let objects = packs.of_row(entry.number()).unwrap_or_default();
            return objects.iter().try_for_each(|object| copy(packer, packs, object.sha256, write));
        }
        let body = self.read(entry, Coding::Identity)?;
        packer.put(entry.path(), &body, entry.identity(), write).map(drop)
    }

    fn table_of_files(&self) -> Result<Sections, StoreError> {
        match self.packs() {
            Some(packs) => {
                let own = packs.own()?;
                Sections::from_bytes(&own).map_err(|err| damaged(self.vfs(), &self.name(OBJECTS), err.into()))
            }
            None => open_sections(self.vfs(), self.dir(), FILE_TABLE),
        }
    }

    fn own_file(&self, path: &str) -> Result<Vec<u8>, StoreError> {
        let name = self.name(path);
        self.vfs().read(&name, u64::MAX - 1).map_err(|err| failed(self.vfs(), &name, err))
    }

    /// The bytes of a file that lies in no pack, compared with what was published.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is not what was published.
    pub fn plain(&self, path: &str) -> Result<Vec<u8>, StoreError> {
        let entry = self.files().find(path.as_bytes());
        let entry = entry.ok_or_else(|| damaged(self.vfs(), &self.name(path), FileProblem::Missing))?;
        self.read(entry, Coding::Identity)
    }
}

/// What a body is in packs.
enum Row {
    /// Nothing: it stays a file.
    Plain,
    /// One object.
    Object,
    Parts(Vec<Digest>),
}

impl Row {
    fn of(parts: Vec<Digest>) -> Self {
        if parts.len() == 1 { Self::Object } else { Self::Parts(parts) }
    }
}

/// Hands on an object as it is stored, and the dictionary that it needs, unless they are there.
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
