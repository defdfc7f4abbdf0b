//! A generation that is pulled from a store: objects that are missing here are fetched by the caller, compared with their
//! hashes, packed, and published under the name that the generation has in the store.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};
use zstd::zstd_safe::DDict;

use super::body::{Body, Digest, slice};
use super::codec::{Object, ObjectId, decode};
use super::error::{FileProblem, StoreError};
use super::generation::{Generation, current, ids, open_root, parse_manifest};
use super::kept_packs::{KeptPack, KeptPacks};
use super::layout::{FILE_TABLE, HISTORY, MANIFEST, OBJECTS, directory_of};
use super::manifest::{GenerationId, Manifest};
use super::objects::Objects;
use super::packer::Packer;
use super::sections::Sections;
use super::staging::{StagingDir, lock_root, point_to, remove_generation};
use super::table::FileTable;
use super::verify::{VerifyMode, check_bodies, verify_on};

/// Zstandard level of objects that have to be encoded again, which are few.
const LEVEL: i32 = 3;

/// A range of bytes of a pack in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackRange {
    /// The pack.
    pub pack: Digest,
    /// Where the range begins.
    pub offset: u64,
    /// Its length.
    pub len: u32,
    /// Number of the object that it holds.
    number: u32,
}

/// A generation of which objects are still missing. Dropped unpublished, it keeps the objects that it has for the next.
pub struct IncomingGeneration {
    staging: StagingDir,
    kept: KeptPacks,
    packer: Packer,
    manifest: Manifest,
    manifest_text: Vec<u8>,
    history: Vec<u8>,
    /// Its objects, in packs of the store.
    objects: Objects,
    /// Names of its dictionaries, and those that are ready to use.
    dictionary_names: BTreeSet<u64>,
    dictionaries: FxHashMap<u64, DDict<'static>>,
    /// Names of those that adopted objects are compressed with.
    adopted_dictionaries: BTreeSet<u64>,
    /// The objects of the table of files, and the decoded ones.
    of_table: FxHashSet<ObjectId>,
    table: FxHashMap<ObjectId, Vec<u8>>,
    /// The table, once all of it is here.
    listed: OnceLock<FileTable>,
    /// Files in no pack that are here.
    files: Vec<String>,
}

impl IncomingGeneration {
    /// Starts a generation from its `manifest.json`, `history.bin` and `objects.bin` in the store.
    ///
    /// # Errors
    ///
    /// If these are malformed or do not belong together, another publisher holds the lock, or the root cannot be written.
    pub fn begin(root: &Path, manifest: &[u8], history: &[u8], objects: &[u8]) -> Result<Self, StoreError> {
        std::fs::create_dir_all(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
        let vfs = open_root(root)?;
        let manifest_text = manifest.to_vec();
        let manifest = parse_manifest(&*vfs, MANIFEST, manifest)?;
        let dir = directory_of(manifest.id());
        let staging = StagingDir::create(Arc::clone(&vfs))?;
        let (packer, damaged) = Packer::reusing(LEVEL, staging.live());
        let kept = KeptPacks::open(&vfs)?;
        if damaged > 0 || staging.live().is_none() {
            kept.add_from_generations();
        }
        let objects = Sections::from_bytes(objects)
            .and_then(|file| Objects::open_remote(&vfs, &dir, &file))
            .map_err(|err| vfs.damaged(&format!("{dir}/{OBJECTS}"), err))?;
        let of_table = objects.of_table().iter().map(|object| object.id).collect();
        let names = objects.objects.iter().map(|object| object.dictionary).filter(|name| *name != 0);
        let mut incoming = Self {
            staging,
            kept,
            packer,
            manifest,
            manifest_text,
            history: history.to_vec(),
            dictionary_names: names.collect(),
            objects,
            dictionaries: FxHashMap::default(),
            adopted_dictionaries: BTreeSet::new(),
            of_table,
            table: FxHashMap::default(),
            listed: OnceLock::new(),
            files: Vec::new(),
        };
        incoming.adopt_kept();
        Ok(incoming)
    }

    /// Reuses the objects that are here already: first dictionaries and the table of files, then what is decoded with them.
    fn adopt_kept(&mut self) {
        let (mut dictionaries, mut table) = (FxHashMap::default(), FxHashMap::default());
        let mut found = Vec::new();
        self.kept.retain(|KeptPack { pack, bytes, objects }| {
            let mut needed = objects.clone();
            needed.retain(|object| self.objects.find(&object.id).is_some());
            for object in &needed {
                let is_dictionary = self.is_dictionary(object);
                if !is_dictionary && !self.of_table.contains(&object.id) || object.dictionary != 0 {
                    continue;
                }
                let stored = slice(bytes, object.offset.into(), object.stored as usize).unwrap_or_default();
                let Some(bytes) = decode(object, stored.to_vec(), None) else { continue };
                if let Some(dictionary) = DDict::try_create(&bytes).filter(|_| is_dictionary) {
                    dictionaries.insert(object.id.name(), dictionary);
                }
                table.insert(object.id, bytes);
            }
            let is_needed = !needed.is_empty();
            found.extend(is_needed.then_some((*pack, needed)));
            is_needed
        });
        self.dictionaries.extend(dictionaries);
        self.table.extend(table);
        for (pack, mut objects) in found {
            objects.retain(|object| {
                let has_dictionary =
                    object.dictionary == 0 || self.objects.dictionary(object.dictionary).is_some();
                let is_read = self.is_dictionary(object) || self.of_table.contains(&object.id);
                has_dictionary && (!is_read || self.table.contains_key(&object.id))
            });
            if objects.is_empty() {
                // Its objects are fetched again, and may form the same pack.
                self.kept.remove_pack(&pack.sha256);
                continue;
            }
            self.adopted_dictionaries.extend(objects.iter().map(|object| object.dictionary));
            self.packer.adopt(pack, objects);
        }
    }

    /// Its name.
    pub fn id(&self) -> GenerationId {
        self.manifest.id()
    }

    /// The ranges of packs to be fetched next, sorted. First come the table of files, which has the hashes of all bodies,
    /// and dictionaries, which the rest is decoded with. To be called until it is empty.
    pub fn missing(&self) -> Vec<PackRange> {
        let is_missing = |object: &&Object| !self.packer.take(&object.id);
        let first = self.of_table.iter().filter_map(|id| self.objects.find(id)).filter(is_missing);
        let first: Vec<&Object> = first.chain(self.missing_dictionaries()).collect();
        let next = match first.is_empty() {
            true if self.files().is_err() => Vec::new(),
            true => self.objects.objects.iter().filter(is_missing).collect(),
            false => first,
        };
        let mut ranges: Vec<PackRange> =
            next.into_iter().filter_map(|object| self.pack_range(object)).collect();
        ranges.sort_unstable();
        ranges
    }

    fn missing_dictionaries(&self) -> impl Iterator<Item = &Object> {
        let missing = self.objects.objects.iter().filter(|object| !self.packer.take(&object.id));
        let of_missing = missing.map(|object| object.dictionary);
        let names: BTreeSet<u64> = of_missing.chain(self.adopted_dictionaries.iter().copied()).collect();
        let names = names.into_iter().filter(|name| !self.dictionaries.contains_key(name));
        let found = names.filter_map(|name| self.objects.dictionary(name));
        found.filter(|object| !self.packer.take(&object.id))
    }

    fn is_dictionary(&self, object: &Object) -> bool {
        object.dictionary == 0 && self.dictionary_names.contains(&object.id.name())
    }

    fn pack_range(&self, object: &Object) -> Option<PackRange> {
        let pack = self.objects.packs.get(object.pack as usize)?.sha256;
        let number = self.objects.number(&object.id)? as u32;
        Some(PackRange { pack, offset: object.offset.into(), len: object.stored, number })
    }

    /// Adds the bytes of a range.
    ///
    /// # Errors
    ///
    /// If they are not what was published, or cannot be written.
    pub fn add(&mut self, range: &PackRange, stored: &[u8]) -> Result<(), StoreError> {
        let Some(object) = self.objects.objects.get(range.number as usize).copied() else { return Ok(()) };
        if object.dictionary != 0 && !self.dictionaries.contains_key(&object.dictionary) {
            let bytes = self.packer.dictionary_bytes(object.dictionary);
            self.add_dictionary(object.dictionary, bytes.as_deref())?;
        }
        let bytes = decode(&object, stored.to_vec(), self.dictionaries.get(&object.dictionary));
        let bytes = bytes.filter(|bytes| self.objects.is_content(&object, bytes)).ok_or_else(|| {
            let problem = format!("the object at {} is not what was published", object.offset);
            self.damaged(&format!("packs/{}.pack", range.pack), FileProblem::Format(problem))
        })?;
        if self.is_dictionary(&object) {
            self.add_dictionary(object.id.name(), Some(&bytes))?;
        }
        if self.of_table.contains(&object.id) {
            self.table.insert(object.id, bytes);
        }
        self.packer.add_stored(object, stored, &|pack, bytes| self.kept.write(pack, bytes))
    }

    fn add_dictionary(&mut self, name: u64, bytes: Option<&[u8]>) -> Result<(), StoreError> {
        let dictionary = bytes.and_then(DDict::try_create).ok_or_else(|| {
            self.damaged(OBJECTS, FileProblem::Format("a dictionary is missing".to_owned()))
        })?;
        self.dictionaries.insert(name, dictionary);
        Ok(())
    }

    fn damaged(&self, path: &str, problem: impl Into<FileProblem>) -> StoreError {
        self.staging.vfs.damaged(&format!("{}/{path}", directory_of(self.id())), problem)
    }

    /// Files in no pack that are missing here. Those of the generations in the root are linked.
    ///
    /// # Errors
    ///
    /// If the table of files is not what was published, or the root cannot be written.
    pub fn missing_files(&mut self) -> Result<Vec<(String, Body)>, StoreError> {
        let files = self.files()?;
        let dirs = ids(&*self.staging.vfs).unwrap_or_default();
        let (mut missing, mut linked) = (Vec::new(), Vec::new());
        for entry in files.entries().filter(|entry| self.objects.is_loose(entry.number())) {
            let (path, body) = (entry.path(), entry.identity());
            if self.files.iter().any(|file| file == path) {
                continue;
            }
            let mut names = dirs.iter().map(|id| format!("{}/{path}", directory_of(*id)));
            match names.find(|name| self.staging.vfs.hash(name).is_ok_and(|found| found == body)) {
                Some(name) => {
                    self.staging.link_kept(&name, path, body)?;
                    linked.push(path.to_owned());
                }
                None => missing.push((path.to_owned(), body)),
            }
        }
        self.files.extend(linked);
        Ok(missing)
    }

    /// Adds a file in no pack.
    ///
    /// # Errors
    ///
    /// If it is not what was published, or cannot be written.
    pub fn add_file(&mut self, path: &str, body: Body, bytes: &[u8]) -> Result<(), StoreError> {
        let found = Body::of(bytes);
        if found != body {
            return Err(self.damaged(path, FileProblem::Hash { expected: body.sha256, found: found.sha256 }));
        }
        self.staging.write_body(path, &bytes, body)?;
        self.files.push(path.to_owned());
        Ok(())
    }

    /// The table of files, once all its objects are here.
    fn table_of_files(&self) -> Result<Sections, StoreError> {
        let before = self.staging.live().and_then(Generation::packs);
        let mut bytes = Vec::new();
        for object in self.objects.of_table() {
            let local = || before.and_then(|before| Some((before, before.find(&object.id)?)));
            match self.table.get(&object.id) {
                Some(fetched) => bytes.extend_from_slice(fetched),
                None => match local() {
                    Some((before, local)) => bytes.extend(before.object(local)?),
                    None => return Err(self.damaged(FILE_TABLE, FileProblem::Missing)),
                },
            }
        }
        let (expected, found) = (self.manifest.files.table, Digest::of(&bytes));
        if expected != found {
            return Err(self.damaged(FILE_TABLE, FileProblem::Hash { expected, found }));
        }
        Sections::from_bytes(&bytes).map_err(|err| self.damaged(FILE_TABLE, err))
    }

    /// The rows of the table of files, once all its objects are here.
    fn files(&self) -> Result<&FileTable, StoreError> {
        if self.listed.get().is_none() {
            let files = self.open_table(&self.table_of_files()?)?;
            let _ = self.listed.set(files);
        }
        self.listed.get().ok_or_else(|| self.damaged(FILE_TABLE, FileProblem::Missing))
    }

    fn open_table(&self, table: &Sections) -> Result<FileTable, StoreError> {
        let changed = Sections::from_bytes(&self.history).and_then(|history| history.get("changed"));
        let changed = changed.map_err(|err| self.damaged(HISTORY, err))?;
        let files = FileTable::open(table, changed).map_err(|err| self.damaged(FILE_TABLE, err))?;
        let fits = self.objects.fits(self.manifest.files.table, files.bodies());
        fits.map_err(|err| self.damaged(OBJECTS, err))?;
        let bytes =
            files.bodies().iter().fold(self.objects.own_length(), |sum, body| sum.saturating_add(body.len));
        if bytes != self.manifest.files.bytes {
            let problem =
                format!("lists {bytes} bytes, {} according to {MANIFEST}", self.manifest.files.bytes);
            return Err(self.damaged(FILE_TABLE, FileProblem::Format(problem)));
        }
        Ok(files)
    }

    /// Makes it the live generation, once nothing is missing and every body was compared with its hash.
    ///
    /// # Errors
    ///
    /// If something is missing or not what was published, or the root cannot be written. The live generation stays as it
    /// was.
    pub fn publish(self, jobs: usize) -> Result<GenerationId, StoreError> {
        let (table, files) = (self.table_of_files()?, self.files()?);
        let (staging, id) = (&self.staging, self.id());
        let rows = 0..files.len() as u32;
        let placements = rows.clone().map(|row| self.objects.of_row(row));
        let objects = self.packer.finish(placements, &table, &|pack, bytes| self.kept.write(pack, bytes))?;
        self.kept.link(&objects.packs, staging)?;
        staging.link_packs(&objects.packs)?;
        staging.write(OBJECTS, objects.finish().bytes())?;
        staging.write(MANIFEST, &self.manifest_text)?;
        staging.write(HISTORY, &self.history)?;
        self.check_bodies(rows, jobs)?;
        // A directory of this name is not this generation, or `take_present` would have taken it.
        if staging.vfs.list(&directory_of(id)).is_ok() {
            remove_generation(&*staging.vfs, id)?;
        }
        staging.commit(id, jobs)?;
        self.kept.remove();
        Ok(id)
    }

    /// Reads the bodies of some rows, since correct objects may still be in a wrong order. Those that the live generation
    /// has in the same objects were read before.
    fn check_bodies(&self, rows: impl Iterator<Item = u32>, jobs: usize) -> Result<(), StoreError> {
        let staged = Generation::load(&self.staging.vfs, self.staging.dir.clone(), 0)?;
        let before = self.staging.live().and_then(|live| Some((live, live.packs()?)));
        let is_new = |row: &u32| {
            let same = || {
                let ((live, packs), entry) = (before?, staged.files().get(*row)?);
                let known = live.files().find(entry.path().as_bytes())?;
                let is_same = known.identity() == entry.identity();
                Some(is_same && packs.of_row(known.number()) == self.objects.of_row(*row))
            };
            same() != Some(true)
        };
        let rows: Vec<u32> = rows.filter(is_new).collect();
        check_bodies(&staged, &rows, jobs).into_iter().next().map_or(Ok(()), Err)
    }
}

impl Drop for IncomingGeneration {
    /// Keeps what is in memory only. If this fails, it is fetched again.
    fn drop(&mut self) {
        let _ = self.packer.close(&|pack, bytes| self.kept.write(pack, bytes));
    }
}

/// Makes the generation with this manifest the live one if all of it is in the root already; gives its name and whether it
/// was live before, or `None` if it has to be fetched.
///
/// # Errors
///
/// If the manifest is malformed, another publisher holds the lock, or the root cannot be written.
pub fn take_present(root: &Path, manifest: &[u8]) -> Result<Option<(GenerationId, bool)>, StoreError> {
    let Ok(vfs) = open_root(root) else { return Ok(None) };
    let expected = parse_manifest(&*vfs, MANIFEST, manifest)?;
    let id = expected.id();
    let Ok(found) = Generation::open_on(&vfs, id, 0) else { return Ok(None) };
    if *found.manifest() != expected {
        return Ok(None);
    }
    if current(&*vfs).is_ok_and(|live| live == id) {
        return Ok(is_sound(&found).then_some((id, true)));
    }
    let _lock = lock_root(&*vfs)?;
    if !is_sound(&found) {
        return Ok(None);
    }
    point_to(&*vfs, id)?;
    Ok(Some((id, false)))
}

/// Whether all files of a generation are undamaged.
fn is_sound(generation: &Generation) -> bool {
    let (vfs, id) = (&generation.vfs, Some(generation.id()));
    verify_on(vfs, id, VerifyMode::Files, 1, &|_, _| ()).is_ok()
}
