//! `objects.bin`: in which packs the bodies of a generation are stored, and reading them from there.
//!
//! A section file; rows and numbers are little-endian.
//! ```text
//! table    Digest   of index/files.bin
//! packs    Pack     SHA-256 and length of each pack
//! objects  Object   all objects that are needed, dictionaries included, sorted by id; see `packer` for their fields
//! bodies   Place    of each row of that table
//! parts    u32      numbers of the objects of longer bodies, in order
//! own      Place    of index/files.bin itself
//! ```
//! Hashes of bodies stand in the table only. The id of an object follows from those of the bodies in it; of a part of a
//! longer body and of a dictionary it is the hash itself, see `codec`.
//!
//! A pack is read, not mapped: a truncated one is an error then, not a signal. A decoded object is not trusted before the
//! hash of the whole body was checked.

use std::collections::hash_map::Entry;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use zstd::zstd_safe::DDict;

use super::body::{Body, Digest, slice};
use super::codec::{Object, ObjectId, decode};
use super::error::{FileProblem, StoreError};
use super::layout::PACKS;
use super::places::{Pack, Place, Placement};
use super::sections::{Section, SectionError, Sections, ensure};
use super::vfs::Vfs;

/// Most bytes of the table of files, and of each of its rows: the same object may be named any number of times.
const TABLE: u64 = 1 << 20;
const TABLE_ROW: u64 = 4 << 10;

/// The bodies of a table, and which of them are in each object.
struct Contents {
    bodies: Section<Body>,
    /// Object, start and row of each body in an object, sorted.
    members: OnceLock<Vec<(u32, u32, u32)>>,
}

/// The open file, and the packs that it names.
pub(super) struct Objects {
    vfs: Arc<dyn Vfs>,
    dir: String,
    table: Section<Digest>,
    pub(super) packs: Section<Pack>,
    pub(super) objects: Section<Object>,
    bodies: Section<Place>,
    parts: Section<u32>,
    own: Section<Place>,
    contents: OnceLock<Contents>,
    dictionaries: FxHashMap<u64, DDict<'static>>,
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
        let objects = Self {
            vfs: Arc::clone(vfs),
            dir: dir.to_owned(),
            table: file.get("table")?,
            packs: file.get("packs")?,
            objects: file.get("objects")?,
            bodies: file.get("bodies")?,
            parts: file.get("parts")?,
            own: file.get("own")?,
            contents: OnceLock::new(),
            dictionaries: FxHashMap::default(),
        };
        objects.check()?;
        Ok(objects)
    }

    fn check(&self) -> Result<(), SectionError> {
        let within = |object: &Object| {
            let end = u64::from(object.offset) + u64::from(object.stored);
            let pack = self.packs.get(object.pack as usize);
            pack.is_some_and(|pack| end <= pack.length) && object.is_sound()
        };
        ensure(self.objects.iter().all(within), "objects", "outside of its pack, or wrong in itself")?;
        let is_sorted = self.objects.is_sorted_by(|one, next| one.id < next.id);
        ensure(is_sorted, "objects", "not sorted by id")?;
        let is_known = |object: &u32| (*object as usize) < self.objects.len();
        ensure(self.parts.iter().all(is_known), "parts", "points outside of `objects`")?;
        let inside = |place: &Place| match place.is_long() {
            true => place.parts(&self.parts).is_some(),
            false => is_known(&place.object),
        };
        let fits = self.table.len() == 1 && self.own.len() == 1;
        ensure(fits && self.bodies.iter().chain(&*self.own).all(inside), "bodies", "outside of `parts`")?;
        let longest = TABLE + TABLE_ROW * self.bodies.len() as u64;
        ensure(self.own_length() <= longest, "own", "longer than a table of so many rows")
    }

    fn read_dictionaries(&self) -> Result<FxHashMap<u64, DDict<'static>>, StoreError> {
        let unusable =
            || self.damaged(FileProblem::Format("a dictionary is missing or cannot be used".to_owned()));
        let mut read = FxHashMap::default();
        for name in self.objects.iter().map(|object| object.dictionary).filter(|name| *name != 0) {
            if let Entry::Vacant(entry) = read.entry(name) {
                let object = self.dictionary(name).ok_or_else(unusable)?;
                let bytes = self.object(object)?;
                if ObjectId::of(&bytes) != object.id {
                    return Err(unusable());
                }
                entry.insert(DDict::try_create(&bytes).ok_or_else(unusable)?);
            }
        }
        Ok(read)
    }

    /// The object that is the dictionary of this name.
    pub(super) fn dictionary(&self, name: u64) -> Option<&Object> {
        let at = self.objects.partition_point(|object| object.id.0[..8] < name.to_le_bytes()[..]);
        self.objects.get(at).filter(|object| object.id.name() == name && object.dictionary == 0)
    }

    /// The bytes of a dictionary.
    pub(super) fn dictionary_bytes(&self, name: u64) -> Option<Vec<u8>> {
        let object = self.dictionary(name)?;
        self.object(object).ok().filter(|bytes| ObjectId::of(bytes) == object.id)
    }

    /// Whether this is the file of a table with this hash and these bodies, which it refers to from then on.
    pub(super) fn fits(&self, table: Digest, bodies: &Section<Body>) -> Result<(), SectionError> {
        let is_its = *self.table == [table] && self.bodies.len() == bodies.len();
        ensure(is_its, "table", "is not that of this generation")?;
        let same = |(place, body): (&Place, &Body)| match place {
            Place { start: 0, .. } if place.is_long() => true,
            _ if place.is_long() => self.length(place) == body.len,
            _ => u64::from(place.start) + body.len <= self.length(place),
        };
        let all = self.bodies.iter().zip(&**bodies).all(same);
        ensure(all, "bodies", "has another length than its objects")?;
        let _ = self.contents.set(Contents { bodies: bodies.clone(), members: OnceLock::new() });
        Ok(())
    }

    /// Length of all objects of a body.
    fn length(&self, place: &Place) -> u64 {
        self.of(place).map(|object| u64::from(object.length)).sum()
    }

    fn of<'a>(&'a self, place: &'a Place) -> impl Iterator<Item = &'a Object> + Clone {
        let numbers = match place.is_long() {
            true => place.parts(&self.parts).unwrap_or_default(),
            false => std::slice::from_ref(&place.object),
        };
        numbers.iter().filter_map(|number| self.objects.get(*number as usize))
    }

    fn placement(&self, place: &Place) -> Option<Placement> {
        let mut objects = self.of(place).map(|object| object.id);
        match place.is_long() {
            false => Some(Placement::Within(objects.next()?, place.start)),
            true => Some(Placement::Parts(objects.collect())).filter(|body| !body.objects().is_empty()),
        }
    }

    /// The place of a row; `None` if it is a file in no pack.
    fn row_place(&self, row: u32) -> Option<&Place> {
        self.bodies.get(row as usize).filter(|place| !place.is_long() || place.start > 0)
    }

    /// The objects of the table of files, in order.
    pub(super) fn of_table(&self) -> Vec<Object> {
        self.own.first().map_or_else(Vec::new, |place| self.of(place).copied().collect())
    }

    /// The number of the object with this id.
    pub(super) fn number(&self, id: &ObjectId) -> Option<usize> {
        self.objects.binary_search_by(|object| object.id.cmp(id)).ok()
    }

    /// The object with this id.
    pub(super) fn find(&self, id: &ObjectId) -> Option<&Object> {
        self.objects.get(self.number(id)?)
    }

    /// Whether a row is a file in no pack.
    pub(super) fn is_loose(&self, row: u32) -> bool {
        self.row_place(row).is_none()
    }

    /// Length of the table of files.
    pub(super) fn own_length(&self) -> u64 {
        self.own.first().map_or(0, |place| self.length(place))
    }

    /// Where a row is; `None` if it is a file in no pack.
    pub(super) fn of_row(&self, row: u32) -> Option<Placement> {
        self.placement(self.row_place(row)?)
    }

    /// The body of a row, not yet checked; `None` if it is a file in no pack.
    pub(super) fn row(&self, row: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(place) = self.row_place(row) else { return Ok(None) };
        let bytes = self.read(place)?;
        let start = if place.is_long() { 0 } else { place.start as usize };
        let length = self.body(row).map_or(bytes.len(), |body| body.len as usize);
        if (start, length) == (0, bytes.len()) {
            return Ok(Some(bytes));
        }
        Ok(Some(bytes.get(start..start.saturating_add(length)).unwrap_or_default().to_vec()))
    }

    /// The table of files.
    pub(super) fn own(&self) -> Result<Vec<u8>, StoreError> {
        self.own.first().map_or_else(|| Ok(Vec::new()), |place| self.read(place))
    }

    /// All objects of a body.
    fn read(&self, place: &Place) -> Result<Vec<u8>, StoreError> {
        let mut objects = self.of(place);
        if let (Some(only), None) = (objects.next(), objects.next()) {
            return self.object(only);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.length(place)).unwrap_or_default());
        for object in self.of(place) {
            bytes.extend(self.object(object)?);
        }
        Ok(bytes)
    }

    fn body(&self, row: u32) -> Option<Body> {
        self.contents.get()?.bodies.get(row as usize).copied()
    }

    /// Object, start and row of each body that is in an object, sorted.
    pub(super) fn members(&self) -> &[(u32, u32, u32)] {
        let Some(contents) = self.contents.get() else { return &[] };
        contents.members.get_or_init(|| {
            let rows = self.bodies.iter().zip(0..).filter(|(place, _)| !place.is_long());
            let mut members: Vec<_> = rows.map(|(place, row)| (place.object, place.start, row)).collect();
            members.sort_unstable();
            members
        })
    }

    /// The number of the object that a row is in, unless it is a longer body or a file in no pack.
    pub(super) fn object_of(&self, row: u32) -> Option<u32> {
        self.row_place(row).filter(|place| !place.is_long()).map(|place| place.object)
    }

    /// Whether an object is what was published.
    pub(super) fn is_sound(&self, number: u32) -> bool {
        let object = self.objects.get(number as usize);
        object.is_some_and(|object| self.object(object).is_ok_and(|bytes| self.is_content(object, &bytes)))
    }

    /// Whether these are the bytes of an object: one or more bodies, each with its hash, or what else the id stands for.
    pub(super) fn is_content(&self, object: &Object, bytes: &[u8]) -> bool {
        let Some(number) = self.number(&object.id) else { return false };
        let members = self.members();
        let first = members.partition_point(|(of, ..)| (*of as usize) < number);
        let members = members.get(first..).unwrap_or_default();
        let mut members = members.iter().take_while(|(of, ..)| *of as usize == number).peekable();
        if members.peek().is_none() {
            return ObjectId::of(bytes) == object.id;
        }
        let (mut hashes, mut end, mut last) = (Vec::new(), 0, None);
        for (_, start, row) in members {
            let body = self.body(*row);
            // Equal bodies share a place.
            if last == Some((*start, body)) {
                continue;
            }
            last = Some((*start, body));
            let is_next = u64::from(*start) == end;
            let Some(body) = body.filter(|_| is_next) else { return false };
            let found = slice(bytes, end, body.len as usize).map(Digest::of);
            if found != Some(body.sha256) {
                return false;
            }
            hashes.push(body.sha256);
            end += body.len;
        }
        end == bytes.len() as u64 && ObjectId::joined(hashes.into_iter()) == object.id
    }

    /// An object as it is stored.
    pub(super) fn stored(&self, object: &Object) -> Result<Vec<u8>, StoreError> {
        let name = self.pack_name(object);
        let stored = self.vfs.read_at(&name, object.offset.into(), object.stored as usize);
        stored.map_err(|err| match err.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                let expected = self.packs.get(object.pack as usize).map_or(0, |pack| pack.length);
                let found = self.vfs.stamp(&name).map_or(0, |stamp| stamp.len);
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
        decode(object, stored, self.dictionaries.get(&object.dictionary)).ok_or_else(|| {
            let problem = format!("the object at {} cannot be decoded", object.offset);
            self.vfs.damaged(&self.pack_name(object), FileProblem::Format(problem))
        })
    }

    fn damaged(&self, problem: FileProblem) -> StoreError {
        self.vfs.damaged(&format!("{}/{PACKS}", self.dir), problem)
    }
}
