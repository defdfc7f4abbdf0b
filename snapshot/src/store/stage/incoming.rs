//! A generation that comes from elsewhere: what of it is missing here is asked for, compared with its hash, put into
//! packs of our own, and published under the name it has there.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use zstd::zstd_safe::DDict;

use super::super::body::{Body, Coding};
use super::super::build_info::Layout;
use super::super::codec::{Object, decode, name_of};
use super::super::digest::Digest;
use super::super::generation::{Generation, current, directory_of, open_root};
use super::super::lazy::PackRange;
use super::super::manifest::{GenerationId, Manifest, ManifestError};
use super::super::objects::Objects;
use super::super::sections::Sections;
use super::super::table::{FileEntry, FileTable};
use super::super::verify::{VerifyMode, verify_on};
use super::super::vfs::{Vfs, damaged};
use super::super::{
    FILE_TABLE, FileProblem, GENERATIONS, HISTORY, INDEX_DIR, MANIFEST, OBJECTS, StoreError, TMP_PREFIX,
};
use super::{Stage, at, check_file, point_to, take_lock};

/// Level of Zstandard for what has to be packed anew, which is little: nearly all comes packed.
const LEVEL: i32 = 3;

/// What of a generation is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FetchMode {
    /// All of it.
    #[default]
    All,
    /// What has to be here before it can be served: tables, index and dictionaries. Bodies are left.
    IndexOnly,
}

/// A generation of which parts are still missing. Dropped unpublished, it leaves nothing behind.
pub struct IncomingGeneration {
    stage: Stage,
    take: FetchMode,
    manifest: Manifest,
    text: Vec<u8>,
    history: Vec<u8>,
    /// Its objects, in packs that lie elsewhere.
    objects: Objects,
    /// Names of its dictionaries, and those that are ready.
    used: BTreeSet<u64>,
    dictionaries: FxHashMap<u64, DDict<'static>>,
    /// Objects of the table of files, decoded, and which those are.
    table: FxHashMap<Digest, Vec<u8>>,
    of_table: FxHashSet<Digest>,
    came: Vec<(String, Body)>,
}

impl IncomingGeneration {
    /// Starts to take a generation in, from its `manifest.json`, `history.bin` and `objects.bin` over there.
    ///
    /// # Errors
    ///
    /// If these are none or do not belong together, another publisher is at work, or the system refuses to write.
    pub fn begin(
        root: &Path,
        manifest: &[u8],
        history: &[u8],
        objects: &[u8],
        take: FetchMode,
    ) -> Result<Self, StoreError> {
        std::fs::create_dir_all(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
        let vfs = open_root(root)?;
        let text = manifest.to_vec();
        let manifest = read(&*vfs, manifest)?;
        let dir = directory_of(manifest.id());
        let stage = Stage::begin_on(Arc::clone(&vfs), &Layout::Packs { level: LEVEL })?;
        let wrong = |path: &str, problem: FileProblem| damaged(&*vfs, &format!("{dir}/{path}"), problem);
        let file = Sections::from_bytes(objects).map_err(|err| wrong(OBJECTS, err.into()))?;
        let objects = Objects::elsewhere(&vfs, &dir, &file).map_err(|err| wrong(OBJECTS, err.into()))?;
        let of_table = objects.of_table().iter().map(|object| object.sha256).collect();
        let used = objects.all().iter().map(|object| object.dictionary).filter(|name| *name != 0).collect();
        Ok(Self {
            stage,
            take,
            manifest,
            text,
            history: history.to_vec(),
            objects,
            used,
            dictionaries: FxHashMap::default(),
            table: FxHashMap::default(),
            of_table,
            came: Vec::new(),
        })
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> GenerationId {
        self.manifest.id()
    }

    /// What is missing, in the order in which it lies; first the dictionaries that the rest is read with. To be
    /// asked again until there is nothing.
    #[must_use]
    pub fn missing(&self) -> Vec<PackRange> {
        let Some(packer) = &self.stage.packer else { return Vec::new() };
        let missing = |object: &&Object| !self.is_dictionary(object) && !packer.take(&object.sha256);
        let objects: Vec<&Object> = self.wanted().into_iter().filter(missing).collect();
        let lacks = |name: &u64| *name != 0 && !self.dictionaries.contains_key(name);
        let lacking: BTreeSet<u64> = match self.take {
            FetchMode::All => objects.iter().map(|object| object.dictionary).filter(lacks).collect(),
            // Those of bodies that come later have to be here by then.
            FetchMode::IndexOnly => self.used.iter().copied().filter(lacks).collect(),
        };
        let dictionaries = lacking.iter().filter_map(|name| self.objects.dictionary(*name));
        let dictionaries: Vec<&Object> = dictionaries.filter(|object| !packer.take(&object.sha256)).collect();
        let next = if dictionaries.is_empty() { objects } else { dictionaries };
        let mut pieces: Vec<PackRange> = next.into_iter().filter_map(|object| self.piece(object)).collect();
        pieces.sort_unstable();
        pieces
    }

    /// Objects that are to be here. Which the index is made of is known once the table of files is here.
    fn wanted(&self) -> Vec<&Object> {
        if self.take == FetchMode::All {
            return self.objects.all().iter().collect();
        }
        let files = self.table_of_files().and_then(|table| self.open_table(&table)).ok();
        let rows = files.iter().flat_map(FileTable::entries);
        let index = rows.filter(|entry| self.is_taken(entry.path()));
        let rows = index.filter_map(|entry| self.objects.of_row(entry.number())).flatten();
        let wanted: BTreeSet<Digest> =
            self.objects.of_table().into_iter().chain(rows).map(|object| object.sha256).collect();
        wanted.iter().filter_map(|sha256| self.objects.find(sha256)).collect()
    }

    /// Whether the body of a row is to be here.
    fn is_taken(&self, path: &str) -> bool {
        self.take == FetchMode::All || path.strip_prefix(INDEX_DIR).is_some_and(|rest| rest.starts_with('/'))
    }

    fn is_dictionary(&self, object: &Object) -> bool {
        object.dictionary == 0 && self.used.contains(&name_of(&object.sha256))
    }

    fn piece(&self, object: &Object) -> Option<PackRange> {
        let pack = self.objects.packs().get(object.pack as usize)?.sha256;
        let number = self.objects.all().binary_search_by(|other| other.sha256.cmp(&object.sha256)).ok()?;
        Some(PackRange { pack, offset: object.offset, len: object.stored, number: number as u32 })
    }

    /// Takes the bytes of a piece.
    ///
    /// # Errors
    ///
    /// If they are not what belongs there, or the system refuses to write.
    pub fn add(&mut self, piece: &PackRange, stored: &[u8]) -> Result<(), StoreError> {
        let Some(object) = self.objects.all().get(piece.number as usize).copied() else { return Ok(()) };
        self.prepare(object.dictionary)?;
        let bytes = decode(&object, stored.to_vec(), self.dictionaries.get(&object.dictionary));
        let bytes = bytes.filter(|bytes| Digest::of(bytes) == object.sha256).ok_or_else(|| {
            let problem = format!("what lies at {} is not what was published", object.offset);
            self.damaged(&format!("packs/{}.pack", piece.pack), FileProblem::Format(problem))
        })?;
        if self.is_dictionary(&object) {
            self.keep(name_of(&object.sha256), DDict::try_create(&bytes))?;
        }
        if self.of_table.contains(&object.sha256) {
            self.table.insert(object.sha256, bytes);
        }
        let Some(packer) = &self.stage.packer else { return Ok(()) };
        packer.add_stored(object, stored, &|path, bytes| self.stage.write(path, bytes, Body::of(bytes)))
    }

    /// Makes a dictionary ready that is here.
    fn prepare(&mut self, name: u64) -> Result<(), StoreError> {
        if name == 0 || self.dictionaries.contains_key(&name) {
            return Ok(());
        }
        let bytes = self.stage.packer.as_ref().and_then(|packer| packer.dictionary_bytes(name));
        self.keep(name, bytes.and_then(|bytes| DDict::try_create(&bytes)))
    }

    fn keep(&mut self, name: u64, prepared: Option<DDict<'static>>) -> Result<(), StoreError> {
        let prepared = prepared.ok_or_else(|| {
            self.damaged(OBJECTS, FileProblem::Format("a dictionary is missing".to_owned()))
        })?;
        self.dictionaries.insert(name, prepared);
        Ok(())
    }

    fn damaged(&self, path: &str, problem: FileProblem) -> StoreError {
        damaged(&*self.stage.vfs, &format!("{}/{path}", directory_of(self.id())), problem)
    }

    /// Files that lie in no pack and are not here. Those that the live generation has are taken from there.
    ///
    /// # Errors
    ///
    /// If the table of files is not what was published, or the system refuses to write.
    pub fn missing_files(&mut self) -> Result<Vec<(String, Body)>, StoreError> {
        let table = self.table_of_files()?;
        let files = self.open_table(&table)?;
        let plain = files.entries().filter(|entry| self.objects.is_plain(entry.number()));
        let mut missing = Vec::new();
        for (path, body) in plain.map(|entry| (entry.path().to_owned(), entry.identity())) {
            if self.came.iter().any(|(came, _)| *came == path) {
                continue;
            }
            match self.link_plain(&path, body)? {
                true => self.came.push((path, body)),
                false => missing.push((path, body)),
            }
        }
        Ok(missing)
    }

    /// Whether the live generation has a file, which is taken then.
    fn link_plain(&self, path: &str, body: Body) -> Result<bool, StoreError> {
        let Ok(live) = &self.stage.parent else { return Ok(false) };
        let from = live.name(path);
        if !self.stage.vfs.hash(&from).is_ok_and(|found| found == body) {
            return Ok(false);
        }
        self.stage.create(path, |to| self.stage.vfs.link(&from, to))?;
        Ok(true)
    }

    /// Takes a file that lies in no pack.
    ///
    /// # Errors
    ///
    /// If it is not what was published, or the system refuses to write.
    pub fn add_file(&mut self, path: &str, body: Body, bytes: &[u8]) -> Result<(), StoreError> {
        let found = Body::of(bytes);
        if found != body {
            let problem = FileProblem::Hash { expected: body.sha256, found: found.sha256 };
            return Err(self.damaged(path, problem));
        }
        self.stage.write(path, bytes, body)?;
        self.came.push((path.to_owned(), body));
        Ok(())
    }

    /// The table of files, once all its objects are here.
    fn table_of_files(&self) -> Result<Sections, StoreError> {
        let before = self.stage.parent.as_ref().ok().and_then(Generation::packs);
        let mut bytes = Vec::new();
        for object in self.objects.of_table() {
            match (self.table.get(&object.sha256), before.and_then(|before| before.find(&object.sha256))) {
                (Some(came), _) => bytes.extend_from_slice(came),
                (None, Some(here)) => {
                    bytes.extend(before.map_or_else(|| Ok(Vec::new()), |of| of.object(here))?);
                }
                (None, None) => return Err(self.damaged(FILE_TABLE, FileProblem::Missing)),
            }
        }
        let (expected, found) = (self.manifest.files.table, Digest::of(&bytes));
        if expected != found {
            return Err(self.damaged(FILE_TABLE, FileProblem::Hash { expected, found }));
        }
        Sections::from_bytes(&bytes).map_err(|err| self.damaged(FILE_TABLE, err.into()))
    }

    fn open_table(&self, table: &Sections) -> Result<FileTable, StoreError> {
        let history = Sections::from_bytes(&self.history).map_err(|err| self.damaged(HISTORY, err.into()))?;
        let changed = history.get("changed").map_err(|err| self.damaged(HISTORY, err.into()))?;
        let files = FileTable::open(table, changed).map_err(|err| self.damaged(FILE_TABLE, err.into()))?;
        let fits = self.objects.fits(self.manifest.files.table, files.bodies().iter().copied());
        fits.map_err(|err| self.damaged(OBJECTS, err.into()))?;
        Ok(files)
    }

    /// Makes it the live generation, once nothing is missing. Every body was compared with its hash then.
    ///
    /// # Errors
    ///
    /// If something is missing or not what was published, or the system refuses to write. The live generation stays
    /// as it was.
    pub fn publish(self, jobs: usize) -> Result<GenerationId, StoreError> {
        let table = self.table_of_files()?;
        let files = self.open_table(&table)?;
        let (stage, id) = (&self.stage, self.id());
        let write = |path: &str, bytes: &[u8]| stage.write(path, bytes, Body::of(bytes));
        let taken = |entry: &FileEntry<'_>| self.is_taken(entry.path());
        let parts =
            |entry: FileEntry<'_>| Some(entry).filter(taken).and_then(|entry| self.parts(entry.number()));
        let rows: Vec<Option<Vec<Digest>>> = files.entries().map(parts).collect();
        let identities: Vec<Digest> = files.entries().map(|entry| entry.identity().sha256).collect();
        if let Some(packer) = &stage.packer {
            let told = identities.iter().zip(&rows).map(|(sha256, row)| Some((*sha256, row.as_deref()?)));
            let objects = packer.finish(told, &table, &write)?;
            for pack in &objects.packs {
                stage.link_pack(&pack.path())?;
            }
            let objects = match self.take {
                FetchMode::All => objects.finish(),
                FetchMode::IndexOnly => objects.finish_with(&self.objects),
            };
            write(OBJECTS, objects.bytes())?;
        }
        write(MANIFEST, &self.text)?;
        write(HISTORY, &self.history)?;
        self.compare(&identities, &rows)?;
        self.make_room()?;
        stage.commit(id, jobs)?;
        Ok(id)
    }

    fn parts(&self, row: u32) -> Option<Vec<Digest>> {
        Some(self.objects.of_row(row)?.iter().map(|object| object.sha256).collect())
    }

    /// Bodies of several objects are read as a whole: that each object is right does not say that all of them
    /// together are. A body of one object has its hash.
    fn compare(&self, identities: &[Digest], rows: &[Option<Vec<Digest>>]) -> Result<(), StoreError> {
        let staged = Generation::load(&self.stage.vfs, self.stage.dir.clone(), 0)?;
        for ((number, identity), row) in (0..).zip(identities).zip(rows) {
            match row.as_deref() {
                None => {}
                Some([only]) if only == identity => {}
                Some(_) => {
                    let entry = staged.files().get(number);
                    let entry = entry.ok_or_else(|| self.damaged(FILE_TABLE, FileProblem::Missing))?;
                    staged.read(entry, Coding::Identity)?;
                }
            }
        }
        Ok(())
    }

    /// Puts away what lies under its name and is not this generation: `present` would have taken it.
    fn make_room(&self) -> Result<(), StoreError> {
        let (vfs, dir) = (&*self.stage.vfs, directory_of(self.id()));
        if vfs.list(&dir).is_err() {
            return Ok(());
        }
        let away = format!("{GENERATIONS}/{TMP_PREFIX}{}", self.id());
        vfs.rename(&dir, &away).map_err(|err| at(vfs, &dir, err))?;
        vfs.remove(&away).map_err(|err| at(vfs, &away, err))
    }
}

/// Makes a generation with this manifest the live one if all of it is here; gives its name and whether it was live
/// before, or nothing if it has to be fetched.
///
/// # Errors
///
/// If the manifest is none, another publisher is at work, or the system refuses to write.
pub fn take_present(
    root: &Path,
    manifest: &[u8],
    take: FetchMode,
) -> Result<Option<(GenerationId, bool)>, StoreError> {
    let Ok(vfs) = open_root(root) else { return Ok(None) };
    let expected = read(&*vfs, manifest)?;
    let id = expected.id();
    let Ok(found) = Generation::open_on(&vfs, id, 0) else { return Ok(None) };
    if *found.manifest() != expected || found.is_lazy() && take == FetchMode::All {
        return Ok(None);
    }
    if current(&*vfs).is_ok_and(|live| live == id) {
        return Ok(is_sound(&found, VerifyMode::Fast).then_some((id, true)));
    }
    let _lock = take_lock(&*vfs)?;
    if !is_sound(&found, VerifyMode::Files) {
        return Ok(None);
    }
    point_to(&*vfs, id)?;
    Ok(Some((id, false)))
}

/// Whether all of a generation is here that is to be here.
fn is_sound(generation: &Generation, mode: VerifyMode) -> bool {
    if !generation.is_lazy() {
        return verify_on(generation.shared_vfs(), Some(generation.id()), mode, 1, &|_, _| ()).is_ok();
    }
    let sound =
        |(path, body): (String, Body)| check_file(generation.vfs(), &generation.name(&path), body).is_ok();
    generation.check_presence().is_ok()
        && (mode == VerifyMode::Fast || generation.bodies_of_packs().into_iter().all(sound))
}

fn read(vfs: &dyn Vfs, manifest: &[u8]) -> Result<Manifest, StoreError> {
    Manifest::parse(manifest).map_err(|refused| match refused {
        ManifestError::Version(found) => StoreError::Version { path: vfs.locate(MANIFEST), found },
        ManifestError::FileProblem(problem) => damaged(vfs, MANIFEST, problem),
    })
}
