//! Packs a generation for a store: the objects that the store lacks go into new packs.
//!
//! Whatever the layout here, the generation is pushed in packs. Objects that the packs of the store's live generation have
//! are reused by their hash alone; bodies of a tree that have not changed are not even read.

use std::io;
use std::sync::Arc;

use super::body::{Body, Coding, Digest};
use super::changes::record_of;
use super::codec::ObjectId;
use super::error::{FileProblem, StoreError};
use super::generation::{Generation, open_sections};
use super::layout::{FILE_TABLE, HISTORY, INDEX, INDEX_MAX, MANIFEST, OBJECTS, PACKS, starts_of};
use super::objects::Objects;
use super::packer::{Packer, Write, cut, is_cut, place};
use super::places::{Pack, Placement};
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

/// Pages that packs store together.
type Group<'a> = Vec<FileEntry<'a>>;

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
        let before = before.map(|bytes| self.remote_objects(bytes)).transpose()?.map(Arc::new);
        let write =
            |pack: Pack, bytes: &[u8]| sink(pack.sha256, bytes).map_err(self.vfs().io_error(&pack.path()));
        let groups = self.groups();
        let placed = in_parallel(options.jobs, &groups, |group| self.placements(group));
        let placed: Vec<Vec<Option<Placement>>> = placed.into_iter().collect::<Result<_, _>>()?;
        let needed = placed.iter().flatten().flatten().flat_map(Placement::objects).copied();
        let packer = Packer::for_push(options.level, before, needed, options.salt);
        let groups: Vec<_> = groups.iter().zip(&placed).collect();
        let pack = |(group, placed): &(&Group<'_>, &Vec<_>)| self.pack(&packer, group, placed, &write);
        in_parallel(options.jobs, &groups, pack).into_iter().collect::<Result<(), _>>()?;
        let mut rows = vec![None; self.files().len()];
        let mut plain = Vec::new();
        for (entry, placement) in groups.iter().flat_map(|(group, placed)| group.iter().zip(*placed)) {
            rows[entry.number() as usize].clone_from(placement);
            if placement.is_none() {
                plain.push((entry.path().to_owned(), entry.identity()));
            }
        }
        let objects = packer.finish(rows.into_iter(), &self.table_of_files()?, &write)?;
        Ok(PackedGeneration {
            manifest: self.own_file(MANIFEST)?,
            history: self.own_file(HISTORY)?,
            packs: objects.packs.iter().map(Pack::body).collect(),
            objects: objects.finish().bytes().to_vec(),
            plain,
        })
    }

    /// All pages; those of a record are together.
    fn groups(&self) -> Vec<Group<'_>> {
        let (files, mut groups) = (self.files(), Vec::new());
        let mut is_grouped = vec![false; files.len()];
        for (kind, slug) in files.entries().filter_map(|entry| record_of(entry.path())) {
            let starts = starts_of(kind, slug);
            let group: Group<'_> = starts.iter().flat_map(|start| files.starting_with(start)).collect();
            group.iter().for_each(|entry| is_grouped[entry.number() as usize] = true);
            groups.push(group);
        }
        let others = files.entries().filter(|entry| !is_grouped[entry.number() as usize]);
        groups.extend(others.map(|entry| vec![entry]));
        groups
    }

    fn remote_objects(&self, bytes: &[u8]) -> Result<Objects, StoreError> {
        let objects = Sections::from_bytes(bytes);
        let objects = objects.and_then(|file| Objects::open_remote(&self.vfs, "", &file));
        objects.map_err(|err| self.vfs().damaged(OBJECTS, err))
    }

    /// Where the pages of a group are in packs; `None` if one stays a file. Of a tree only bodies that are cut are read.
    fn placements(&self, group: &Group<'_>) -> Result<Vec<Option<Placement>>, StoreError> {
        if let Some(packs) = self.packs() {
            return Ok(group.iter().map(|entry| packs.of_row(entry.number())).collect());
        }
        let placements = place(group.iter().map(|entry| (entry.path(), entry.identity())));
        let placement = |(entry, placement): (&FileEntry<'_>, _)| match entry.identity().len {
            len if entry.path().starts_with(INDEX) && len > INDEX_MAX => Ok(None),
            len if !is_cut(len) => Ok(placement),
            _ => {
                let body = self.read(*entry, Coding::Identity)?;
                Ok(Some(Placement::Parts(cut(&body).map(ObjectId::of).collect())))
            }
        };
        group.iter().zip(placements).map(placement).collect()
    }

    fn pack(
        &self,
        packer: &Packer,
        group: &Group<'_>,
        placed: &[Option<Placement>],
        write: Write<'_>,
    ) -> Result<(), StoreError> {
        let objects = || placed.iter().flatten().flat_map(Placement::objects);
        // Each of them, as the packer has to know all objects that it reuses.
        if objects().filter(|object| !packer.take(object)).count() == 0 {
            return Ok(());
        }
        if let Some(packs) = self.packs() {
            return objects().try_for_each(|object| self.copy(packer, packs, *object, write));
        }
        let packed: Vec<_> = group.iter().zip(placed).filter(|(_, placed)| placed.is_some()).collect();
        let read = packed.iter().map(|(entry, _)| self.read(**entry, Coding::Identity));
        let bodies: Vec<Vec<u8>> = read.collect::<Result<_, _>>()?;
        let pages = packed.iter().zip(&bodies);
        let pages: Vec<_> =
            pages.map(|((entry, _), bytes)| (entry.path(), &**bytes, entry.identity())).collect();
        packer.put(&pages, write).map(drop)
    }

    /// Copies an object as it is stored, and its dictionary, unless the packer has them.
    fn copy(
        &self,
        packer: &Packer,
        from: &Objects,
        id: ObjectId,
        write: Write<'_>,
    ) -> Result<(), StoreError> {
        let Some(object) = from.find(&id).filter(|_| !packer.take(&id)) else { return Ok(()) };
        if object.dictionary != 0
            && let Some(dictionary) = from.dictionary(object.dictionary)
        {
            self.copy(packer, from, dictionary.id, write)?;
        }
        if !from.is_content(object, &from.object(object)?) {
            let problem = format!("the object at {} is not what was published", object.offset);
            return Err(self.vfs().damaged(&self.name(PACKS), FileProblem::Format(problem)));
        }
        packer.add_stored(*object, &from.stored(object)?, write)
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
