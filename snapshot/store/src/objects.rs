//! `objects.bin`: in which packs the bodies of a generation are stored, and reading them from there.
//!
//! A section file; rows and numbers are little-endian.
//! ```text
//! table    Digest   of index/files.bin
//! packs    Pack     SHA-256 and length of each pack
//! objects  Object   all objects that are needed, dictionaries included, sorted by hash; see `packer` for their fields
//! bodies   Extent   of each row of that table: its objects in order; empty if the body is a file in no pack
//! extents  u32      numbers of objects
//! own      Extent   of index/files.bin itself
//! here     u32      of a lazy generation only: how many of the packs, from the first on, are in the root
//! ```
//! A pack is read, not mapped: a truncated one is an error then, not a signal. A decoded object is not trusted before the
//! hash of the whole body was checked.

use std::collections::hash_map::Entry;
use std::sync::{Arc, OnceLock};

use bytemuck::{Pod, Zeroable};
use rustc_hash::FxHashMap;
use zstd::zstd_safe::DDict;

use super::body::{Body, Digest, slice};
use super::codec::{Object, decode, name_of};
use super::error::{BodyUnavailable, FileProblem, StoreError};
use super::layout::PACKS;
use super::lazy::{FetchFailure, LazyBodies, PackRange, ReadMode};
use super::sections::{Section, SectionError, SectionWriter, Sections, ensure};
use super::vfs::Vfs;

const LOCAL_PACKS: &str = "here";
/// Most bytes of the table of files, and of each of its rows: the same object may be named any number of times.
const TABLE: u64 = 1 << 20;
const TABLE_ROW: u64 = 4 << 10;

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

    pub(super) fn body(&self) -> Body {
        Body { len: self.length, sha256: self.sha256 }
    }
}

/// A range of `extents`: the objects of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Extent {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The sections to be written.
pub(super) struct NewObjects {
    pub(super) table: Digest,
    pub(super) packs: Vec<Pack>,
    pub(super) objects: Vec<Object>,
    pub(super) bodies: Vec<Extent>,
    pub(super) extents: Vec<u32>,
    pub(super) own: Extent,
}

impl NewObjects {
    /// The file.
    pub(super) fn finish(self) -> Sections {
        self.writer().finish()
    }

    /// The file of a lazy generation, whose other objects stay in the packs of `remote`.
    pub(super) fn finish_lazy(self, remote: &Objects) -> Sections {
        let local = self.packs.len() as u32;
        let known: FxHashMap<Digest, Object> =
            self.objects.iter().map(|object| (object.sha256, *object)).collect();
        let others = remote.objects.iter().filter(|object| !known.contains_key(&object.sha256));
        let others = others.map(|object| Object { pack: object.pack + local, ..*object });
        let mut objects: Vec<Object> = self.objects.iter().copied().chain(others).collect();
        objects.sort_unstable_by_key(|object| object.sha256);
        let numbers: FxHashMap<Digest, u32> =
            (0..).zip(&objects).map(|(number, object)| (object.sha256, number)).collect();
        // All remote objects are in the list; a body has the same ones, wherever they are stored.
        let number = |extent: &u32| {
            let object = remote.objects.get(*extent as usize);
            object.and_then(|object| numbers.get(&object.sha256)).copied().unwrap_or_default()
        };
        let all = Self {
            table: self.table,
            packs: self.packs.iter().chain(&*remote.packs).copied().collect(),
            objects,
            bodies: remote.bodies.to_vec(),
            extents: remote.extents.iter().map(number).collect(),
            own: remote.own.first().copied().unwrap_or_default(),
        };
        let mut writer = all.writer();
        writer.put(LOCAL_PACKS, [local]);
        writer.finish()
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

/// The open file, and the packs that it names.
pub(super) struct Objects {
    vfs: Arc<dyn Vfs>,
    dir: String,
    table: Section<Digest>,
    pub(super) packs: Section<Pack>,
    pub(super) objects: Section<Object>,
    bodies: Section<Extent>,
    extents: Section<u32>,
    own: Section<Extent>,
    dictionaries: FxHashMap<u64, DDict<'static>>,
    /// The number of packs in the root, if the generation is lazy.
    local: Option<usize>,
    /// Provides the objects of all other packs.
    lazy: OnceLock<Arc<LazyBodies>>,
}

impl Objects {
    /// Checks all bounds and reads the dictionaries. `dir` is the generation's.
    pub(super) fn open(
        vfs: &Arc<dyn Vfs>,
        dir: &str,
        file: &Sections,
        damaged: impl Fn(FileProblem) -> StoreError,
    ) -> Result<Self, StoreError> {
        let mut objects = Self::open_remote(vfs, dir, file).map_err(|err| damaged(err.into()))?;
        objects.dictionaries = objects.read_dictionaries()?;
        Ok(objects)
    }

    /// Checks all bounds, and reads nothing from packs, which may be in a store.
    pub(super) fn open_remote(vfs: &Arc<dyn Vfs>, dir: &str, file: &Sections) -> Result<Self, SectionError> {
        let local = match file.get::<u32>(LOCAL_PACKS) {
            Err(SectionError::Missing(_)) => None,
            found => match found?[..] {
                [count] => Some(count as usize),
                _ => return Err(SectionError::Content(LOCAL_PACKS, "not one number")),
            },
        };
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
            local,
            lazy: OnceLock::new(),
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
        ensure(self.objects.iter().all(within), "objects", "outside of its pack, or wrong in itself")?;
        let has_local = self.local.is_none_or(|local| local <= self.packs.len());
        ensure(has_local, LOCAL_PACKS, "more than there are packs")?;
        let is_sorted = self.objects.is_sorted_by(|one, next| one.sha256 < next.sha256);
        ensure(is_sorted, "objects", "not sorted by hash")?;
        let known = self.extents.iter().all(|object| (*object as usize) < self.objects.len());
        ensure(known, "extents", "points outside of `objects`")?;
        let inside =
            |extent: &Extent| slice(&self.extents, extent.first.into(), extent.count as usize).is_some();
        let longest = TABLE + TABLE_ROW * self.bodies.len() as u64;
        ensure(self.own_length() <= longest, "own", "longer than a table of so many rows")?;
        let fits = self.table.len() == 1 && self.own.len() == 1;
        ensure(fits && self.bodies.iter().chain(&*self.own).all(inside), "bodies", "outside of `extents`")
    }

    fn read_dictionaries(&self) -> Result<FxHashMap<u64, DDict<'static>>, StoreError> {
        let unusable =
            || self.damaged(FileProblem::Format("a dictionary is missing or cannot be used".to_owned()));
        let mut read = FxHashMap::default();
        for name in self.objects.iter().map(|object| object.dictionary).filter(|name| *name != 0) {
            if let Entry::Vacant(entry) = read.entry(name) {
                let object = self.dictionary(name).ok_or_else(unusable)?;
                let bytes = self.object(object)?;
                self.check_hash(object.sha256, &bytes)?;
                entry.insert(DDict::try_create(&bytes).ok_or_else(unusable)?);
            }
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

    /// Whether this is the file of a table with this hash and these bodies.
    pub(super) fn fits(&self, table: Digest, bodies: &[Body]) -> Result<(), SectionError> {
        let is_its = *self.table == [table] && self.bodies.len() == bodies.len();
        ensure(is_its, "table", "is not that of this generation")?;
        let same = |(extent, body): (&Extent, &Body)| extent.count == 0 || self.length(*extent) == body.len;
        ensure(self.bodies.iter().zip(bodies).all(same), "bodies", "has another length than its objects")
    }

    fn length(&self, extent: Extent) -> u64 {
        self.of(extent).map(|object| u64::from(object.length)).sum()
    }

    fn of(&self, extent: Extent) -> impl Iterator<Item = &Object> {
        let numbers = slice(&self.extents, extent.first.into(), extent.count as usize).unwrap_or_default();
        numbers.iter().filter_map(|number| self.objects.get(*number as usize))
    }

    /// The objects of a row; `None` if it is a file in no pack.
    fn row_extent(&self, row: u32) -> Option<Extent> {
        self.bodies.get(row as usize).copied().filter(|extent| extent.count > 0)
    }

    /// The objects of the table of files, in order.
    pub(super) fn of_table(&self) -> Vec<Object> {
        self.own.first().map_or_else(Vec::new, |extent| self.of(*extent).copied().collect())
    }

    /// The packs in the root.
    pub(super) fn local_packs(&self) -> &[Pack] {
        self.packs.get(..self.local.unwrap_or(self.packs.len())).unwrap_or_default()
    }

    /// The object with this hash.
    pub(super) fn find(&self, sha256: &Digest) -> Option<&Object> {
        let at = self.objects.binary_search_by(|object| object.sha256.cmp(sha256)).ok()?;
        self.objects.get(at)
    }

    /// Whether a row is a file in no pack.
    pub(super) fn is_loose(&self, row: u32) -> bool {
        self.row_extent(row).is_none()
    }

    /// Length of the table of files.
    pub(super) fn own_length(&self) -> u64 {
        self.own.first().map_or(0, |extent| self.length(*extent))
    }

    /// The objects of a row, in order; `None` if it is a file in no pack.
    pub(super) fn of_row(&self, row: u32) -> Option<Vec<Object>> {
        self.row_extent(row).map(|extent| self.of(extent).copied().collect())
    }

    /// The body of a row, not yet checked; `None` if it is a file in no pack.
    pub(super) fn row(&self, row: u32, mode: ReadMode) -> Result<Option<Vec<u8>>, StoreError> {
        self.row_extent(row).map(|extent| self.read(extent, mode)).transpose()
    }

    /// The table of files.
    pub(super) fn own(&self) -> Result<Vec<u8>, StoreError> {
        self.own.first().map_or_else(|| Ok(Vec::new()), |extent| self.read(*extent, ReadMode::AllowRemote))
    }

    fn read(&self, extent: Extent, mode: ReadMode) -> Result<Vec<u8>, StoreError> {
        if self.of(extent).any(|object| self.is_remote(object)) {
            return self.read_lazy(extent, mode);
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
        if self.is_remote(object) {
            return Err(self.unavailable(BodyUnavailable::IndexOnly));
        }
        let name = self.pack_name(object);
        let stored = self.vfs.read_at(&name, object.offset, object.stored as usize);
        stored.map_err(|err| match err.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                let expected = self.packs.get(object.pack as usize).map_or(0, |pack| pack.length);
                let found = self.vfs.stamp(&name).map_or(0, |stamp| stamp.len());
                self.vfs.damaged(&name, FileProblem::Length { expected, found })
            }
            _ => self.vfs.read_error(&name)(err),
        })
    }

    fn pack_name(&self, object: &Object) -> String {
        let path = self.packs.get(object.pack as usize).map(Pack::path).unwrap_or_default();
        format!("{}/{path}", self.dir)
    }

    /// The bytes of an object, not yet checked.
    pub(super) fn object(&self, object: &Object) -> Result<Vec<u8>, StoreError> {
        let stored = self.stored(object)?;
        self.decoded(object, stored)
    }

    fn decoded(&self, object: &Object, stored: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        decode(object, stored, self.dictionaries.get(&object.dictionary)).ok_or_else(|| {
            let problem = format!("the object at {} cannot be decoded", object.offset);
            self.vfs.damaged(&self.pack_name(object), FileProblem::Format(problem))
        })
    }

    /// The bytes have this hash.
    pub(super) fn check_hash(&self, expected: Digest, bytes: &[u8]) -> Result<(), StoreError> {
        self.vfs.check_hash(&format!("{}/{PACKS}", self.dir), expected, Digest::of(bytes))
    }

    fn damaged(&self, problem: FileProblem) -> StoreError {
        self.vfs.damaged(&format!("{}/{PACKS}", self.dir), problem)
    }
}

/// Lazy generations.
impl Objects {
    /// Whether some of the packs are only in a store.
    pub(super) fn is_lazy(&self) -> bool {
        self.local.is_some()
    }

    fn is_remote(&self, object: &Object) -> bool {
        self.local.is_some_and(|local| object.pack as usize >= local)
    }

    /// Provides remote objects; only the first call has an effect.
    pub(super) fn attach(&self, lazy: &Arc<LazyBodies>) {
        let _ = self.lazy.set(Arc::clone(lazy));
    }

    /// The same without remote objects and without bodies: what a build or a pull can reuse.
    pub(super) fn only_local(self: &Arc<Self>) -> Option<Arc<Self>> {
        if !self.is_lazy() {
            return Some(Arc::clone(self));
        }
        let local = NewObjects {
            table: *self.table.first()?,
            packs: self.local_packs().to_vec(),
            objects: self.objects.iter().filter(|object| !self.is_remote(object)).copied().collect(),
            bodies: Vec::new(),
            extents: Vec::new(),
            own: Extent::default(),
        };
        let mut objects = Self::open_remote(&self.vfs, &self.dir, &local.finish()).ok()?;
        objects.dictionaries = objects.read_dictionaries().ok()?;
        Some(Arc::new(objects))
    }

    /// Whether a row can be read without a request to the store.
    pub(super) fn is_local(&self, row: u32) -> bool {
        let Some(extent) = self.row_extent(row).filter(|_| self.is_lazy()) else { return true };
        let is_cached =
            |object: &Object| self.lazy.get().is_some_and(|lazy| lazy.cache().has(&object.sha256));
        self.of(extent).all(|object| !self.is_remote(object) || is_cached(object))
    }

    /// A body with remote objects.
    fn read_lazy(&self, extent: Extent, mode: ReadMode) -> Result<Vec<u8>, StoreError> {
        let lazy = self.lazy.get().ok_or_else(|| self.unavailable(BodyUnavailable::IndexOnly))?;
        let remote: Vec<(Object, PackRange)> = (self.of(extent).filter(|object| self.is_remote(object)))
            .filter_map(|object| Some((*object, self.pack_range(object)?)))
            .collect();
        let cached = || remote.iter().map(|(object, _)| self.cached(lazy, object)).collect::<Vec<_>>();
        let parts: Option<Vec<Vec<u8>>> = cached().into_iter().collect();
        let fetched = match parts {
            Some(parts) => parts,
            None if mode == ReadMode::LocalOnly => return Err(self.unavailable(BodyUnavailable::NotLocal)),
            None => self.fetch(lazy, &remote, cached)?,
        };
        let mut fetched = fetched.into_iter();
        let part = |object: &Object| match self.is_remote(object) {
            true => Ok(fetched.next().unwrap_or_default()),
            false => self.object(object),
        };
        Ok(self.of(extent).map(part).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// A cached object, decoded; a damaged one is removed from the cache.
    fn cached(&self, lazy: &LazyBodies, object: &Object) -> Option<Vec<u8>> {
        let (row, stored) = lazy.cache().get(&object.sha256)?;
        let bytes = self.checked(&row, stored);
        if bytes.is_none() {
            lazy.cache().forget(&object.sha256);
        }
        bytes
    }

    /// The bytes of an object, if they have its hash.
    fn checked(&self, object: &Object, stored: Vec<u8>) -> Option<Vec<u8>> {
        let bytes = self.decoded(object, stored).ok()?;
        (Digest::of(&bytes) == object.sha256).then_some(bytes)
    }

    fn pack_range(&self, object: &Object) -> Option<PackRange> {
        let pack = self.packs.get(object.pack as usize)?.sha256;
        Some(PackRange::new(pack, object.offset, object.stored))
    }

    /// Fetches remote objects that are not cached, decodes and checks them, and adds them to the cache.
    fn fetch(
        &self,
        lazy: &LazyBodies,
        wanted: &[(Object, PackRange)],
        cached: impl Fn() -> Vec<Option<Vec<u8>>>,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let fetched = lazy.fetch(wanted, cached, |object, stored| {
            let bytes = self.checked(object, stored.clone())?;
            lazy.cache().put(object, &stored);
            Some(bytes)
        });
        match &*fetched {
            Ok(bytes) => Ok(bytes.clone()),
            Err(FetchFailure::Store(why)) => Err(self.unavailable(BodyUnavailable::FetchFailed(why.clone()))),
            Err(FetchFailure::Damaged) => {
                let problem = "an object of the store is not what was published".to_owned();
                Err(self.damaged(FileProblem::Format(problem)))
            }
        }
    }

    fn unavailable(&self, why: BodyUnavailable) -> StoreError {
        StoreError::BodyUnavailable { path: self.vfs.locate(&self.dir), why }
    }
}
