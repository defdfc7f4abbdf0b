//! `objects.bin`: in which packs the bodies of a generation lie, and how they are read from there.
//!
//! A section file; rows and numbers are little-endian.
//! ```text
//! table    Digest   of index/files.bin, whose rows these are
//! packs    Pack     SHA-256 and length of each pack
//! objects  Object   all objects that are needed, dictionaries too, sorted by hash; see `packer` for their fields
//! bodies   Extent   of each row of the table: its objects, one after the other; none where it lies as a file
//! extents  u32      numbers of objects
//! own      Extent   of index/files.bin itself
//! here     u32      how many of the packs are here, where not all are: see `away`
//! ```
//! A pack is read, not mapped: one that was cut short is an error then, and no signal. What an object decodes to
//! is worth nothing before the hash of the whole body was compared.

mod lazy;

use std::sync::{Arc, OnceLock};

use bytemuck::{Pod, Zeroable};
use rustc_hash::FxHashMap;
use zstd::zstd_safe::DDict;

use super::body::{Body, slice};
use super::codec::{Object, decode, name_of};
use super::digest::Digest;
use super::lazy::{LazyBodies, ReadMode};
use super::sections::{Section, SectionError, SectionWriter, Sections};
use super::vfs::{Vfs, damaged, failed};
use super::{BodyUnavailable, FileProblem, PACKS, StoreError};

/// A pack of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Pack {
    pub(super) sha256: Digest,
    pub(super) length: u64,
}

impl Pack {
    /// Its file below the generation.
    pub(super) fn path(&self) -> String {
        format!("{PACKS}/{}.pack", self.sha256)
    }
}

/// Which of the extents a body is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Extent {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The parts of the file.
pub(super) struct Written {
    pub(super) table: Digest,
    pub(super) packs: Vec<Pack>,
    pub(super) objects: Vec<Object>,
    pub(super) bodies: Vec<Extent>,
    pub(super) extents: Vec<u32>,
    pub(super) own: Extent,
}

impl Written {
    /// The bytes of the file.
    pub(super) fn finish(self) -> Sections {
        self.writer().finish()
    }

    fn writer(self) -> SectionWriter {
        let mut writer = SectionWriter::default();
        writer.put("table", [self.table]);
        writer.put("packs", self.packs);
        writer.put("objects", self.objects);
        writer.put("bodies", self.bodies);
        writer.put("extents", self.extents);
        writer.put("own", [self.own]);
        writer
    }
}

/// The open file, and the packs it tells of.
pub(super) struct Objects {
    vfs: Arc<dyn Vfs>,
    dir: String,
    table: Section<Digest>,
    packs: Section<Pack>,
    objects: Section<Object>,
    bodies: Section<Extent>,
    extents: Section<u32>,
    own: Section<Extent>,
    dictionaries: FxHashMap<u64, DDict<'static>>,
    /// How many of the packs are here, where not all are.
    here: Option<usize>,
    /// Where to ask for what lies in the others.
    away: OnceLock<Arc<LazyBodies>>,
}

impl Objects {
    /// Checks all bounds and reads the dictionaries. `dir` is the generation's.
    pub(super) fn open(
        vfs: &Arc<dyn Vfs>,
        dir: &str,
        file: &Sections,
        damaged: impl Fn(FileProblem) -> StoreError,
    ) -> Result<Self, StoreError> {
        let mut objects = Self::elsewhere(vfs, dir, file).map_err(|err| damaged(err.into()))?;
        objects.dictionaries = objects.read_dictionaries()?;
        Ok(objects)
    }

    /// Checks all bounds, and reads nothing of packs: they may lie elsewhere.
    pub(super) fn elsewhere(vfs: &Arc<dyn Vfs>, dir: &str, file: &Sections) -> Result<Self, SectionError> {
        let objects = Self {
            vfs: Arc::clone(vfs),
            dir: dir.to_owned(),
            table: file.get("table")?,
            packs: file.get("packs")?,
            objects: file.get("objects")?,
            bodies: file.get("bodies")?,
            extents: file.get("extents")?,
            own: file.get("own")?,
            dictionaries: FxHashMap::default(),
            here: lazy::here(file)?,
            away: OnceLock::new(),
        };
        objects.check()?;
        Ok(objects)
    }

    fn check(&self) -> Result<(), SectionError> {
        let within = |object: &Object| {
            let end = object.offset.checked_add(object.stored.into());
            let pack = self.packs.get(object.pack as usize);
            pack.is_some_and(|pack| end.is_some_and(|end| end <= pack.length)) && object.is_sound()
        };
        if !self.objects.iter().all(within) {
            return Err(SectionError::Content("objects", "outside of its pack, or wrong in itself"));
        }
        if self.here.is_some_and(|here| here > self.packs.len()) {
            return Err(SectionError::Content("here", "more than there are packs"));
        }
        if !self.objects.is_sorted_by(|one, next| one.sha256 < next.sha256) {
            return Err(SectionError::Content("objects", "not sorted by hash"));
        }
        if self.extents.iter().any(|object| *object as usize >= self.objects.len()) {
            return Err(SectionError::Content("extents", "points outside of `objects`"));
        }
        let outside =
            |extent: &Extent| slice(&self.extents, extent.first.into(), extent.count as usize).is_none();
        if self.table.len() != 1 || self.own.len() != 1 || self.bodies.iter().chain(&*self.own).any(outside) {
            return Err(SectionError::Content("bodies", "outside of `extents`"));
        }
        Ok(())
    }

    fn read_dictionaries(&self) -> Result<FxHashMap<u64, DDict<'static>>, StoreError> {
        let mut read = FxHashMap::default();
        for name in self.objects.iter().map(|object| object.dictionary).filter(|name| *name != 0) {
            if read.contains_key(&name) {
                continue;
            }
            let Some(object) = self.dictionary(name) else {
                return Err(self.lost(FileProblem::Format("a dictionary is missing".to_owned())));
            };
            let bytes = self.object(object)?;
            self.check_hash(object.sha256, &bytes)?;
            let Some(prepared) = DDict::try_create(&bytes) else {
                return Err(self.lost(FileProblem::Format("a dictionary cannot be used".to_owned())));
            };
            read.insert(name, prepared);
        }
        Ok(read)
    }

    /// The object that is the dictionary of this name.
    pub(super) fn dictionary(&self, name: u64) -> Option<&Object> {
        let at = self.objects.partition_point(|object| object.sha256.0[..8] < name.to_le_bytes()[..]);
        self.objects.get(at).filter(|object| name_of(&object.sha256) == name && object.dictionary == 0)
    }

    /// The bytes of a dictionary.
    pub(super) fn dictionary_bytes(&self, name: u64) -> Option<Vec<u8>> {
        let object = self.dictionary(name)?;
        self.object(object).ok().filter(|bytes| Digest::of(bytes) == object.sha256)
    }

    /// Whether it tells of a table with this hash and as many rows, each body as long as the table says.
    pub(super) fn fits(
        &self,
        table: Digest,
        bodies: impl ExactSizeIterator<Item = Body>,
    ) -> Result<(), SectionError> {
        if *self.table != [table] || self.bodies.len() != bodies.len() {
            return Err(SectionError::Content("table", "is not that of this generation"));
        }
        let other = |(extent, body): (&Extent, Body)| extent.count > 0 && self.length(*extent) != body.len;
        match self.bodies.iter().zip(bodies).any(other) {
            true => Err(SectionError::Content("bodies", "has another length than its objects")),
            false => Ok(()),
        }
    }

    fn length(&self, extent: Extent) -> u64 {
        self.of(extent).map(|object| u64::from(object.length)).sum()
    }

    fn of(&self, extent: Extent) -> impl Iterator<Item = &Object> {
        let numbers = slice(&self.extents, extent.first.into(), extent.count as usize).unwrap_or_default();
        numbers.iter().filter_map(|number| self.objects.get(*number as usize))
    }

    /// All objects, by hash.
    pub(super) fn all(&self) -> &[Object] {
        &self.objects
    }

    /// The objects of the table of files, in order.
    pub(super) fn of_table(&self) -> Vec<Object> {
        self.own.first().map_or_else(Vec::new, |extent| self.of(*extent).copied().collect())
    }

    /// The packs.
    pub(super) fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// The object with this hash.
    pub(super) fn find(&self, sha256: &Digest) -> Option<&Object> {
        let at = self.objects.binary_search_by(|object| object.sha256.cmp(sha256)).ok()?;
        self.objects.get(at)
    }

    /// Whether a row lies as a file.
    pub(super) fn is_plain(&self, row: u32) -> bool {
        self.bodies.get(row as usize).is_none_or(|extent| extent.count == 0)
    }

    /// Length of the table of files.
    pub(super) fn own_length(&self) -> u64 {
        self.own.first().map_or(0, |extent| self.length(*extent))
    }

    /// The objects of a row, in order; none where it lies as a file.
    pub(super) fn of_row(&self, row: u32) -> Option<Vec<Object>> {
        let extent = *self.bodies.get(row as usize).filter(|extent| extent.count > 0)?;
        Some(self.of(extent).copied().collect())
    }

    /// The body of a row, not yet compared with its hash; none where it lies as a file.
    pub(super) fn row(&self, row: u32, reach: ReadMode) -> Result<Option<Vec<u8>>, StoreError> {
        match self.bodies.get(row as usize).filter(|extent| extent.count > 0) {
            Some(extent) => self.whole(*extent, reach).map(Some),
            None => Ok(None),
        }
    }

    /// The table of files.
    pub(super) fn own(&self) -> Result<Vec<u8>, StoreError> {
        self.own.first().map_or_else(|| Ok(Vec::new()), |extent| self.whole(*extent, ReadMode::AllowRemote))
    }

    fn whole(&self, extent: Extent, reach: ReadMode) -> Result<Vec<u8>, StoreError> {
        if self.of(extent).any(|object| self.is_away(object)) {
            return self.gathered(extent, reach);
        }
        let mut objects = self.of(extent);
        if let (1, Some(only)) = (extent.count, objects.next()) {
            return self.object(only);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.length(extent)).unwrap_or_default());
        for object in self.of(extent) {
            bytes.extend(self.object(object)?);
        }
        Ok(bytes)
    }

    /// An object as it is stored.
    pub(super) fn stored(&self, object: &Object) -> Result<Vec<u8>, StoreError> {
        let name = self.pack_name(object);
        if self.is_away(object) {
            return Err(self.absent(BodyUnavailable::IndexOnly));
        }
        let stored = self.vfs.read_at(&name, object.offset, object.stored as usize);
        stored.map_err(|err| match err.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                let expected = self.packs.get(object.pack as usize).map_or(0, |pack| pack.length);
                let found = self.vfs.stamp(&name).map_or(0, |stamp| stamp.len());
                damaged(&*self.vfs, &name, FileProblem::Length { expected, found })
            }
            _ => failed(&*self.vfs, &name, err),
        })
    }

    fn pack_name(&self, object: &Object) -> String {
        let path = self.packs.get(object.pack as usize).map(Pack::path).unwrap_or_default();
        format!("{}/{path}", self.dir)
    }

    /// The bytes of an object, not yet compared with its hash.
    pub(super) fn object(&self, object: &Object) -> Result<Vec<u8>, StoreError> {
        let stored = self.stored(object)?;
        self.decoded(object, stored)
    }

    fn decoded(&self, object: &Object, stored: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        decode(object, stored, self.dictionaries.get(&object.dictionary)).ok_or_else(|| {
            let problem = FileProblem::Format(format!("what lies at {} cannot be decoded", object.offset));
            damaged(&*self.vfs, &self.pack_name(object), problem)
        })
    }

    /// Whether bytes are those of this hash.
    pub(super) fn check_hash(&self, expected: Digest, bytes: &[u8]) -> Result<(), StoreError> {
        let found = Digest::of(bytes);
        if found == expected { Ok(()) } else { Err(self.lost(FileProblem::Hash { expected, found })) }
    }

    fn lost(&self, problem: FileProblem) -> StoreError {
        damaged(&*self.vfs, &format!("{}/{PACKS}", self.dir), problem)
    }
}
