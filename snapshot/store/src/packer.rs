//! Packs: bodies are cut into objects, reused from the packs of the generation before where it has them, and otherwise
//! encoded into new packs.
//!
//! Bodies that are put together, the pages of a record, are joined to objects of up to 128 KiB: they show the same texts,
//! which so are stored once, and are reused together. A body of 128 KiB and more is cut by its content (FastCDC, 16, 64
//! and 256 KiB), so that a change in the middle leaves the other objects as they are. Objects whose first pages are of one
//! folder and extension are a family. From 64 on, a family is encoded with a dictionary, trained on its first 4 MiB. The
//! parts of a body from 512 KiB on have a dictionary of samples of it. The next generation goes on with the same ones.
//!
//! ```text
//! 0    "OPDIRPK2", salt u64           little-endian
//! 16   objects, one after the other
//! T    count × 40: id[16], dictionary u64, offset u32, stored u32, length u32, pack u32 (0 here); see `codec`
//! end  T u64, count u64, "OPDIREND"
//! ```
//! A pack is named after its SHA-256 and written once. The salt is 0 in packs of a build and unique for each push. Two
//! builds of one dataset may make other packs, as threads decide which page comes first; the name of a generation does
//! not depend on that.

use std::cell::LazyCell;
use std::sync::{Arc, Mutex};

use fastcdc::v2020::FastCDC;
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{Body, Digest, Tally, slice};
use super::codec::{Dictionary, OBJECT_MAX, Object, ObjectId, encode, level_of_parts};
use super::error::StoreError;
use super::generation::Generation;
use super::layout::{INDEX, PUBLIC};
use super::objects::Objects;
use super::places::{NewObjects, Pack, Placement};
use super::sections::Sections;
use super::vfs::{in_parallel, lock};

/// Bodies from this length on are cut, shorter ones joined up to it.
const CUT: u64 = 128 << 10;
const CHUNK_MIN: usize = 16 << 10;
const CHUNK: usize = 64 << 10;
/// A pack of this length is closed: it is uploaded in one request.
const PACK: usize = 16 << 20;
/// Packs shorter than this count as small.
const SMALL_PACK: u64 = 4 << 20;
/// More small packs than this are joined.
const SMALL_PACKS: usize = 8;
/// Objects from which a family has a dictionary.
const FAMILY: usize = 64;
/// Bodies from this length on have a dictionary of their own.
const SAMPLED: usize = 512 << 10;
/// Most objects that a dictionary is trained on, and bytes that are enough for one.
const SAMPLES: (usize, usize) = (1000, 4 << 20);
/// Threads that compare the packs of the generation before with their hashes.
const READERS: usize = 4;
const MAGIC: &[u8; 8] = b"OPDIRPK2";
const END: &[u8; 8] = b"OPDIREND";

/// Writes a pack.
pub(super) type Write<'a> = &'a (dyn Fn(Pack, &[u8]) -> Result<(), StoreError> + Sync);

/// Collects bodies. They may be put from many threads.
pub(super) struct Packer {
    level: i32,
    /// Objects of the generation before, if its packs are sound.
    before: Option<Arc<Objects>>,
    /// The packs of `before` of which nothing is reused, for a push: they are in a store and cannot be read.
    skipped: Option<Vec<bool>>,
    families: Mutex<FxHashMap<String, Arc<Mutex<Family>>>>,
    packs: Mutex<Packs>,
}

/// Objects that are much alike.
enum Family {
    /// Objects that wait for a dictionary; `is_trained` once a thread makes it.
    Waiting {
        objects: Vec<(ObjectId, Vec<u8>)>,
        is_trained: bool,
    },
    Ready(Option<Arc<Dictionary>>),
}

/// All packs, and the one that is being filled.
#[derive(Default)]
struct Packs {
    /// Every object that is needed. Packs of the generation before have the lowest numbers.
    known: FxHashMap<ObjectId, Object>,
    /// Objects that wait in a family.
    waiting: FxHashSet<ObjectId>,
    done: Vec<Pack>,
    /// Second word of each new pack.
    salt: u64,
    open: Vec<u8>,
    table: Vec<Object>,
    /// Reused objects, and their decoded bytes.
    reused: Tally,
}

impl Packer {
    /// For a build or a pull: reuses the packs of the live generation, unless one of them is damaged. Gives the number of
    /// damaged packs too.
    pub(super) fn reusing(level: i32, live: Option<&Generation>) -> (Self, u64) {
        let before = live.and_then(|live| Some((live, Arc::clone(live.packs()?))));
        let damaged = before.as_ref().map_or(0, |(live, packs)| {
            let is_damaged =
                |pack: &Pack| live.vfs().check_file(&live.name(&pack.path()), pack.body()).is_err();
            let damaged = in_parallel(READERS, &packs.packs, is_damaged);
            damaged.into_iter().filter(|damaged| *damaged).count() as u64
        });
        let before = before.filter(|_| damaged == 0);
        let ready = |(family, name): (String, u64)| {
            let bytes = before.as_ref()?.1.dictionary_bytes(name)?;
            let is_body = family.starts_with(PUBLIC) || family.starts_with(INDEX);
            let level = if is_body { level_of_parts(level) } else { level };
            let dictionary = Arc::new(Dictionary::new(bytes, level));
            Some((family, Arc::new(Mutex::new(Family::Ready(Some(dictionary))))))
        };
        let dictionaries = before.as_ref().map(|(live, packs)| dictionaries(live, packs)).unwrap_or_default();
        let families = dictionaries.into_iter().filter_map(ready).collect();
        (
            Self { families: Mutex::new(families), ..Self::after(level, before.map(|(_, packs)| packs), 0) },
            damaged,
        )
    }

    /// For a push: reuses the packs of the store's live generation, except those of which too little is `needed`. With a
    /// `salt` that no push had before, no new pack has the name of an earlier one.
    pub(super) fn for_push(
        level: i32,
        before: Option<Arc<Objects>>,
        needed: impl Iterator<Item = ObjectId>,
        salt: u64,
    ) -> Self {
        let skipped = before.as_ref().map_or_else(Vec::new, |before| {
            let mut objects: FxHashSet<ObjectId> = needed.collect();
            let found = objects.iter().filter_map(|id| before.find(id));
            let dictionaries: Vec<_> = found.filter_map(|it| before.dictionary(it.dictionary)).collect();
            objects.extend(dictionaries.iter().map(|dictionary| dictionary.id));
            wasteful(&before.packs, objects.iter().filter_map(|id| before.find(id)))
        });
        Self { skipped: Some(skipped), ..Self::after(level, before, salt) }
    }

    fn after(level: i32, before: Option<Arc<Objects>>, salt: u64) -> Self {
        let done = before.as_ref().map(|before| before.packs.to_vec()).unwrap_or_default();
        let packs = Mutex::new(Packs { done, salt, ..Packs::default() });
        Self { level, before, skipped: None, families: Mutex::default(), packs }
    }

    /// Adds bodies that belong together, with their paths and hashes; gives where each is.
    pub(super) fn put(
        &self,
        pages: &[(&str, &[u8], Body)],
        write: Write<'_>,
    ) -> Result<Vec<Placement>, StoreError> {
        let short = place(pages.iter().map(|(path, _, body)| (*path, *body)));
        let mut units = FxHashMap::<ObjectId, Vec<(u32, usize)>>::default();
        let mut placements = Vec::new();
        for (at, placement) in short.into_iter().enumerate() {
            if let Some(Placement::Within(id, start)) = placement {
                units.entry(id).or_default().push((start, at));
            }
            let parts = || self.put_parts(pages[at].0, pages[at].1, write).map(Placement::Parts);
            placements.push(placement.map_or_else(parts, Ok)?);
        }
        for (id, mut unit) in units {
            // Two units of equal bodies are one.
            unit.sort_unstable();
            unit.dedup_by_key(|(start, _)| *start);
            let bytes = || unit.iter().map(|(_, at)| pages[*at].1).collect::<Vec<_>>().concat();
            self.put_unit(unit.first().map_or("", |(_, at)| pages[*at].0), id, bytes, write)?;
        }
        Ok(placements)
    }

    /// Cuts a body; gives its objects.
    fn put_parts(&self, path: &str, bytes: &[u8], write: Write<'_>) -> Result<Vec<ObjectId>, StoreError> {
        let dictionary = LazyCell::new(|| self.sampled(path, bytes));
        let put = |part| {
            let id = ObjectId::of(part);
            if self.take(&id) {
                Ok(id)
            } else {
                self.add(id, part, dictionary.as_deref(), write).map(|()| id)
            }
        };
        cut(bytes).map(put).collect()
    }

    /// The dictionary of the parts of a long body. The table of files, which has no path, is decoded before dictionaries are.
    fn sampled(&self, path: &str, bytes: &[u8]) -> Option<Arc<Dictionary>> {
        if path.is_empty() || bytes.len() < SAMPLED {
            return None;
        }
        let family = Arc::clone(lock(&self.families).entry(path.to_owned()).or_default());
        let mut state = lock(&family);
        if let Family::Waiting { .. } = &*state {
            *state = Family::Ready(Some(Arc::new(Dictionary::sampled(bytes, self.level))));
        }
        if let Family::Ready(dictionary) = &*state { dictionary.clone() } else { None }
    }

    /// Reuses all objects of a body of the generation before, without reading it.
    pub(super) fn take_row(&self, row: u32) -> Option<Placement> {
        let placement = self.before.as_ref()?.of_row(row)?;
        placement.objects().iter().all(|object| self.take(object)).then_some(placement)
    }

    /// Adds an object of whole bodies; `path` is that of the first.
    fn put_unit(
        &self,
        path: &str,
        id: ObjectId,
        bytes: impl Fn() -> Vec<u8>,
        write: Write<'_>,
    ) -> Result<(), StoreError> {
        if self.take(&id) {
            return Ok(());
        }
        let Some(family) = family_of(path) else { return self.add(id, &bytes(), None, write) };
        let family = Arc::clone(lock(&self.families).entry(family).or_default());
        let mut state = lock(&family);
        match &mut *state {
            Family::Ready(dictionary) => {
                let dictionary = dictionary.clone();
                drop(state);
                self.add(id, &bytes(), dictionary.as_deref(), write)
            }
            Family::Waiting { objects, is_trained } => {
                lock(&self.packs).waiting.insert(id);
                objects.push((id, bytes()));
                let gathered: usize = objects.iter().map(|(_, bytes)| bytes.len()).sum();
                let enough = objects.len() >= FAMILY && (objects.len() >= SAMPLES.0 || gathered >= SAMPLES.1);
                if *is_trained || !enough {
                    return Ok(());
                }
                let samples = std::mem::take(objects);
                *is_trained = true;
                drop(state);
                self.ready(&family, &samples, write)
            }
        }
    }

    /// Trains the dictionary of a family, unless there are too few samples, and encodes them and the objects that waited
    /// for it. Other threads go on meanwhile.
    fn ready(
        &self,
        family: &Mutex<Family>,
        samples: &[(ObjectId, Vec<u8>)],
        write: Write<'_>,
    ) -> Result<(), StoreError> {
        let bodies: Vec<&[u8]> = samples.iter().map(|(_, bytes)| &**bytes).collect();
        let dictionary = if bodies.len() < FAMILY { None } else { Dictionary::of(&bodies, self.level) };
        let dictionary = dictionary.map(Arc::new);
        let waited = std::mem::replace(&mut *lock(family), Family::Ready(dictionary.clone()));
        let waited = if let Family::Waiting { objects, .. } = waited { objects } else { Vec::new() };
        let mut all = samples.iter().chain(&waited);
        all.try_for_each(|(id, bytes)| self.add(*id, bytes, dictionary.as_deref(), write))
    }

    /// Whether an object is packed already, or can be reused from the generation before.
    pub(super) fn take(&self, id: &ObjectId) -> bool {
        let mut packs = lock(&self.packs);
        if packs.known.contains_key(id) || packs.waiting.contains(id) {
            return true;
        }
        let Some(before) = &self.before else { return false };
        let Some(object) = before.find(id).filter(|object| !self.is_skipped(object)) else {
            return false;
        };
        if object.dictionary != 0 {
            let Some(dictionary) = before.dictionary(object.dictionary) else { return false };
            if self.is_skipped(dictionary) {
                return false;
            }
            packs.known.entry(dictionary.id).or_insert(*dictionary);
        }
        packs.known.insert(*id, *object);
        packs.reused.files += 1;
        packs.reused.bytes += u64::from(object.length);
        true
    }

    /// The bytes of a dictionary of the generation before.
    pub(super) fn dictionary_bytes(&self, name: u64) -> Option<Vec<u8>> {
        self.before.as_ref()?.dictionary_bytes(name)
    }

    fn is_skipped(&self, object: &Object) -> bool {
        let skipped = self.skipped.as_ref().and_then(|skipped| skipped.get(object.pack as usize));
        skipped.is_some_and(|skipped| *skipped)
    }

    /// Reuses some objects of a pack that is complete. To be called before anything is added.
    pub(super) fn adopt(&self, pack: Pack, objects: impl IntoIterator<Item = Object>) {
        let mut packs = lock(&self.packs);
        let number = packs.done.len() as u32;
        packs.done.push(pack);
        for object in objects {
            packs.known.entry(object.id).or_insert(Object { pack: number, ..object });
        }
    }

    /// Closes the pack that is being filled.
    pub(super) fn close(&self, write: Write<'_>) -> Result<(), StoreError> {
        lock(&self.packs).close(write)
    }

    /// Adds an object as it is stored.
    pub(super) fn add_stored(
        &self,
        object: Object,
        stored: &[u8],
        write: Write<'_>,
    ) -> Result<(), StoreError> {
        let mut packs = lock(&self.packs);
        packs.append(object, stored, write)?;
        // Early, as a pull that is killed loses what it has not written.
        if packs.open.len() as u64 >= SMALL_PACK { packs.close(write) } else { Ok(()) }
    }

    fn add(
        &self,
        id: ObjectId,
        bytes: &[u8],
        dictionary: Option<&Dictionary>,
        write: Write<'_>,
    ) -> Result<(), StoreError> {
        let (object, stored) = encode(id, bytes, self.level, dictionary);
        if let Some(dictionary) = dictionary.filter(|dictionary| dictionary.id.name() == object.dictionary)
            && !self.take(&dictionary.id)
        {
            let (object, stored) = encode(dictionary.id, &dictionary.bytes, self.level, None);
            lock(&self.packs).append(object, &stored, write)?;
        }
        lock(&self.packs).append(object, &stored, write)
    }

    /// Objects and bytes that are reused from the generation before.
    pub(super) fn reused(&self) -> Tally {
        lock(&self.packs).reused
    }

    /// Closes the packs and gives where each body is stored: those of the rows of `table`, `None` for a file in no pack, and
    /// the table itself.
    pub(super) fn finish(
        &self,
        rows: impl Iterator<Item = Option<Placement>>,
        table: &Sections,
        write: Write<'_>,
    ) -> Result<NewObjects, StoreError> {
        for family in lock(&self.families).values() {
            let few = match &mut *lock(family) {
                Family::Waiting { objects, .. } => std::mem::take(objects),
                Family::Ready(_) => continue,
            };
            self.ready(family, &few, write)?;
        }
        let body = Body::of(table.bytes());
        let own = self.put(&[("", table.bytes(), body)], write)?.pop();
        let mut packs = lock(&self.packs);
        self.fold(&mut packs, write)?;
        packs.close(write)?;
        let mut objects: Vec<Object> = packs.known.values().copied().collect();
        objects.sort_unstable_by_key(|object| object.id);
        let packs = renumber(&mut objects, &packs.done);
        Ok(NewObjects::new(body.sha256, packs, objects, rows, own))
    }

    /// Copies the needed objects of packs of the generation before that are mostly waste, or among too many small ones, so
    /// that those packs are no longer needed.
    fn fold(&self, packs: &mut Packs, write: Write<'_>) -> Result<(), StoreError> {
        let Some(before) = self.before.as_ref().filter(|_| self.skipped.is_none()) else { return Ok(()) };
        let wasteful = wasteful(&before.packs, packs.known.values());
        let folded = |object: &&Object| wasteful.get(object.pack as usize).is_some_and(|folded| *folded);
        let mut moved: Vec<Object> = packs.known.values().filter(folded).copied().collect();
        moved.sort_unstable_by_key(|object| (object.pack, object.offset));
        for object in moved {
            let stored = before.stored(&object)?;
            packs.known.remove(&object.id);
            packs.append(object, &stored, write)?;
        }
        Ok(())
    }
}

impl Default for Family {
    fn default() -> Self {
        Self::Waiting { objects: Vec::new(), is_trained: false }
    }
}

impl Packs {
    fn append(&mut self, object: Object, stored: &[u8], write: Write<'_>) -> Result<(), StoreError> {
        self.waiting.remove(&object.id);
        if self.known.contains_key(&object.id) {
            return Ok(());
        }
        if self.open.is_empty() {
            self.open.extend_from_slice(MAGIC);
            self.open.extend_from_slice(&self.salt.to_le_bytes());
        }
        let object = Object { offset: self.open.len() as u32, pack: self.done.len() as u32, ..object };
        self.open.extend_from_slice(stored);
        self.table.push(Object { pack: 0, ..object });
        self.known.insert(object.id, object);
        if self.open.len() >= PACK { self.close(write) } else { Ok(()) }
    }

    fn close(&mut self, write: Write<'_>) -> Result<(), StoreError> {
        if self.table.is_empty() {
            return Ok(());
        }
        let (mut bytes, table) = (std::mem::take(&mut self.open), std::mem::take(&mut self.table));
        let start = bytes.len() as u64;
        bytes.extend_from_slice(bytemuck::cast_slice(&table));
        bytes.extend([start, table.len() as u64].map(u64::to_le_bytes).concat());
        bytes.extend_from_slice(END);
        let pack = Pack { sha256: Digest::of(&bytes), length: bytes.len() as u64 };
        write(pack, &bytes)?;
        self.done.push(pack);
        Ok(())
    }
}

/// The objects of a pack, from the table at its end; none if that is malformed.
pub(super) fn objects_of(pack: &[u8]) -> Vec<Object> {
    let read = || {
        let (rest, end) = pack.split_last_chunk::<8>()?;
        let (rest, count) = rest.split_last_chunk::<8>()?;
        let (rest, start) = rest.split_last_chunk::<8>()?;
        let table = rest.get(usize::try_from(u64::from_le_bytes(*start)).ok()?..)?;
        let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
        let is_sound = end == END && count.checked_mul(size_of::<Object>()) == Some(table.len());
        is_sound.then(|| table.chunks_exact(size_of::<Object>()).map(bytemuck::pod_read_unaligned).collect())
    };
    let objects: Vec<Object> = read().unwrap_or_default();
    let is_within = |object: &Object| slice(pack, object.offset.into(), object.stored as usize).is_some();
    objects.into_iter().filter(|object| object.is_sound() && is_within(object)).collect()
}

/// Whether a body of this length is cut.
pub(super) fn is_cut(length: u64) -> bool {
    length >= CUT
}

/// Cuts a body into objects.
pub(super) fn cut(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let chunks = FastCDC::new(bytes, CHUNK_MIN, CHUNK, OBJECT_MAX);
    chunks.map(|chunk| bytes.get(chunk.offset..chunk.offset + chunk.length).unwrap_or_default())
}

/// Where bodies that are put together are, those that are not cut: pages of one address in two languages are neighbours.
pub(super) fn place<'a>(pages: impl Iterator<Item = (&'a str, Body)> + Clone) -> Vec<Option<Placement>> {
    let short = pages.clone().enumerate().filter(|(_, (_, body))| !is_cut(body.len));
    let mut short: Vec<(usize, (&str, Body))> = short.collect();
    short.sort_by_key(|(_, (path, _))| {
        let path = path.strip_prefix(PUBLIC).unwrap_or(path);
        let spanish = path.strip_prefix("es/");
        (spanish.unwrap_or(path), spanish.is_some())
    });
    let mut placements = vec![None; pages.count()];
    let mut length = 0;
    let units = short.chunk_by(|(_, (_, one)), (_, (_, next))| {
        length = if length == 0 { one.len } else { length } + next.len;
        let is_joined = one.len > 0 && next.len > 0 && length <= CUT;
        if !is_joined {
            length = 0;
        }
        is_joined
    });
    for unit in units {
        let id = ObjectId::joined(unit.iter().map(|(_, (_, body))| body.sha256));
        let mut start = 0;
        for (at, (_, body)) in unit {
            placements[*at] = Some(Placement::Within(id, start));
            start += body.len as u32;
        }
    }
    placements
}

/// Which packs are mostly waste, or among too many small ones, if only these objects are needed.
fn wasteful<'a>(packs: &[Pack], needed: impl Iterator<Item = &'a Object>) -> Vec<bool> {
    let mut live = vec![0u64; packs.len()];
    for object in needed {
        if let Some(live) = live.get_mut(object.pack as usize) {
            *live += u64::from(object.stored) + size_of::<Object>() as u64;
        }
    }
    let small = |pack: &Pack| pack.length < SMALL_PACK;
    let many = packs.iter().zip(&live).filter(|(pack, live)| small(pack) && **live > 0).count() > SMALL_PACKS;
    let wasteful = |(pack, live): (&Pack, &u64)| live * 2 < pack.length || small(pack) && many;
    packs.iter().zip(&live).map(wasteful).collect()
}

/// Leaves out packs without objects.
fn renumber(objects: &mut [Object], packs: &[Pack]) -> Vec<Pack> {
    let mut numbers = vec![None; packs.len()];
    let mut kept = Vec::new();
    for object in objects {
        let Some(slot) = numbers.get_mut(object.pack as usize) else { continue };
        object.pack = *slot.get_or_insert_with(|| {
            kept.extend(packs.get(object.pack as usize));
            kept.len() as u32 - 1
        });
    }
    kept
}

/// Folder and extensions of a page; `None` for index files.
fn family_of(path: &str) -> Option<String> {
    let (folder, name) = path.strip_prefix("public/")?.rsplit_once('/')?;
    let (_, extension) = name.split_once('.')?;
    Some(format!("{folder}/{extension}"))
}

/// The dictionary of each family of a generation.
fn dictionaries(live: &Generation, packs: &Objects) -> FxHashMap<String, u64> {
    let mut found = FxHashMap::default();
    for entry in live.files().entries() {
        let Some(placement) = packs.of_row(entry.number()) else { continue };
        let family = match placement {
            Placement::Within(_, start) => family_of(entry.path()).filter(|_| start == 0),
            Placement::Parts(_) => Some(entry.path().to_owned()),
        };
        let mut objects = placement.objects().iter().filter_map(|object| packs.find(object));
        let coded = objects.find(|object| object.dictionary != 0);
        if let (Some(object), Some(family)) = (coded, family) {
            found.entry(family).or_insert(object.dictionary);
        }
    }
    found
}
