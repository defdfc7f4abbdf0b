//! Reading: opens a published generation, checks it, and gives out its files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::body::{Body, Coding};
use super::changes::History;
use super::digest::Digest;
use super::lazy::{LazyBodies, ReadMode};
use super::manifest::{GenerationId, Manifest, ManifestError};
use super::objects::Objects;
use super::sections::{SectionError, Sections};
use super::siblings::Siblings;
use super::table::{FileEntry, FileTable};
use super::vfs::{Disk, FileType, Lock, Stamp, Vfs, damaged, failed};
use super::{
    BodyUnavailable, CURRENT, FILE_LIST, FILE_TABLE, FileProblem, GENERATIONS, HISTORY, INDEX_DIR, MANIFEST,
    OBJECTS, SIBLINGS, StoreError,
};

/// Longest `CURRENT` and longest manifest that are read, in bytes.
const CURRENT_LIMIT: u64 = 128;
const MANIFEST_LIMIT: u64 = 64 * 1024;

/// An open generation. While it is open, `gc` leaves it alone.
pub struct Generation {
    vfs: Arc<dyn Vfs>,
    dir: String,
    manifest: Manifest,
    files: FileTable,
    /// What the publications until this one changed.
    changes: History,
    /// Hash of all that it was made from, if that was told.
    fingerprint: Option<Digest>,
    /// Where its bodies lie, unless it is a tree.
    packs: Option<Arc<Objects>>,
    /// Whether the index is copied instead of mapped.
    copied: bool,
    /// How `objects.bin` looked when it was opened.
    seen: Option<Stamp>,
    _pin: Lock,
}

impl Generation {
    /// Opens the generation that `CURRENT` names.
    ///
    /// # Errors
    ///
    /// If nothing was published, or the generation is damaged or of another version.
    pub fn open_current(root: &Path) -> Result<Self, StoreError> {
        open_current_on(&open_root(root)?, 0)
    }

    /// The same for who goes on whatever others do to the files: an index of at most `copy` bytes is
    /// copied into memory instead of mapped. (To read a mapped file that was cut short ends a process.)
    ///
    /// # Errors
    ///
    /// As of [`Self::open_current`].
    pub fn open_current_copying(root: &Path, copy: u64) -> Result<Self, StoreError> {
        open_current_on(&open_root(root)?, copy)
    }

    /// Opens a generation by name.
    ///
    /// # Errors
    ///
    /// If it is not there, damaged or of another version.
    pub fn open(root: &Path, id: GenerationId) -> Result<Self, StoreError> {
        Self::open_on(&open_root(root)?, id, 0)
    }

    pub(super) fn open_on(vfs: &Arc<dyn Vfs>, id: GenerationId, copy: u64) -> Result<Self, StoreError> {
        let generation = Self::load(vfs, directory_of(id), copy)?;
        if generation.manifest.id() != id {
            let problem = format!("is the manifest of generation {}", generation.manifest.id());
            return Err(damaged(&**vfs, &generation.name(MANIFEST), FileProblem::Format(problem)));
        }
        Ok(generation)
    }

    /// Opens the generation in `dir`, whatever the name of that is. Order of checks: version, manifest
    /// by the history, file list or objects, table; each is trusted only after the one before.
    pub(super) fn load(vfs: &Arc<dyn Vfs>, dir: String, copy: u64) -> Result<Self, StoreError> {
        let pin = vfs.pin(&dir).map_err(|err| match err.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::WouldBlock => {
                StoreError::NoGeneration { path: vfs.locate(&dir) }
            }
            _ => failed(&**vfs, &dir, err),
        })?;
        let (manifest, manifest_hash) = read_manifest(&**vfs, &dir)?;
        let seen = vfs.stamp(&format!("{dir}/{OBJECTS}"));
        let copied = copy > 0 && index_bytes(&**vfs, &dir)? <= copy;
        let reading = |path: &str| Reading::new(&**vfs, &dir, path);
        let history = reading(HISTORY).sealed(copied, manifest_hash)?;
        let changes = History::open(&history).map_err(|err| reading(HISTORY).damaged(err.into()))?;
        let found = vfs.list(&dir).map_err(|err| failed(&**vfs, &dir, err))?;
        let (files, fingerprint, packs) = if found.iter().any(|(name, _)| name == OBJECTS) {
            let file = reading(OBJECTS).sections(copied, None)?;
            let objects = Objects::open(vfs, &dir, &file, |problem| reading(OBJECTS).damaged(problem))?;
            let table = reading(FILE_TABLE).packed(&objects, manifest.files.table)?;
            let (files, fingerprint) = reading(HISTORY).history(&history, &table)?;
            let bodies = files.bodies().iter().copied();
            let fits = objects.fits(manifest.files.table, bodies);
            fits.map_err(|err| reading(OBJECTS).damaged(err.into()))?;
            (files, fingerprint, Some(Arc::new(objects)))
        } else {
            check_file_list(&**vfs, &dir, &manifest)?;
            let table = reading(FILE_TABLE).sections(copied, Some(manifest.files.table))?;
            let (files, fingerprint) = reading(HISTORY).history(&history, &table)?;
            let siblings = reading(SIBLINGS).siblings(copied, manifest.files.table, files.len())?;
            (files.with_siblings(siblings), fingerprint, None)
        };
        Ok(Self {
            vfs: Arc::clone(vfs),
            dir,
            manifest,
            files,
            changes,
            fingerprint,
            packs,
            copied,
            seen,
            _pin: pin,
        })
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> GenerationId {
        self.manifest.id()
    }

    /// What it is and was made from.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What the publications until this one changed.
    #[must_use]
    pub fn changes(&self) -> &History {
        &self.changes
    }

    /// Hash of all that it was made from, the program too, if the publisher told it.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Digest> {
        self.fingerprint
    }

    /// What depends on the generations before it.
    pub(super) fn history(&self) -> Result<Sections, StoreError> {
        let hash = Digest::of(&self.manifest.to_bytes());
        Reading::new(&*self.vfs, &self.dir, HISTORY).sealed(self.copied, hash)
    }

    /// Its pages.
    #[must_use]
    pub fn files(&self) -> &FileTable {
        &self.files
    }

    /// Maps or copies `index/<name>`, a section file, after checking that it is the one that was published:
    /// its length, its checksum and every section's bounds. (SHA-256 is left to `verify`: XXH3 is ten
    /// times faster and guards against the same accidents.)
    ///
    /// # Errors
    ///
    /// If the file is missing, damaged or of another version.
    pub fn index(&self, name: &str) -> Result<Sections, StoreError> {
        let path = format!("index/{name}");
        let file = Reading::new(&*self.vfs, &self.dir, &path);
        let entry = self.files.find(path.as_bytes()).ok_or_else(|| file.damaged(FileProblem::Missing))?;
        let sections = match self.packed(entry, ReadMode::LocalOnly)? {
            Some(bytes) => Sections::from_bytes(&bytes).map_err(|err| file.damaged(err.into()))?,
            None => file.sections(self.copied, None)?,
        };
        if sections.checksum() != entry.checksum() {
            return Err(file.damaged(SectionError::Checksum.into()));
        }
        Ok(sections)
    }

    /// Reads a page, and checks length and SHA-256 before it gives the bytes out. A coding that is
    /// not stored is an error.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not what was published.
    pub fn read(&self, entry: FileEntry<'_>, coding: Coding) -> Result<Vec<u8>, StoreError> {
        self.read_with(entry, coding, ReadMode::AllowRemote)
    }

    /// The same; a page that was left in a store is asked for only with [`ReadMode::AllowRemote`], which may take its time.
    ///
    /// # Errors
    ///
    /// As of [`Self::read`].
    pub fn read_with(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        reach: ReadMode,
    ) -> Result<Vec<u8>, StoreError> {
        let path = format!("{}{}", entry.path(), coding.suffix());
        let file = Reading::new(&*self.vfs, &self.dir, &path);
        let expected = entry.body(coding).ok_or_else(|| file.damaged(FileProblem::Missing))?;
        let bytes = match self.packed(entry, reach)? {
            Some(bytes) => bytes,
            None => file.bytes(expected.len)?,
        };
        if bytes.len() as u64 != expected.len {
            return Err(
                file.damaged(FileProblem::Length { expected: expected.len, found: bytes.len() as u64 })
            );
        }
        file.check_hash(expected.sha256, Digest::of(&bytes))?;
        Ok(bytes)
    }

    /// The body of a page that lies in packs, not yet compared with anything.
    fn packed(&self, entry: FileEntry<'_>, reach: ReadMode) -> Result<Option<Vec<u8>>, StoreError> {
        self.packs.as_ref().map_or(Ok(None), |packs| packs.row(entry.number(), reach))
    }

    /// Whether bodies of it were left in a store.
    #[must_use]
    pub fn is_lazy(&self) -> bool {
        self.packs.as_ref().is_some_and(|packs| packs.is_lazy())
    }

    /// Tells it whom to ask for what was left in a store.
    pub fn attach(&self, away: &Arc<LazyBodies>) {
        if let Some(packs) = &self.packs {
            packs.attach(away);
        }
    }

    /// Whether a page can be read without asking a store.
    #[must_use]
    pub fn is_local(&self, entry: FileEntry<'_>) -> bool {
        self.packs.as_ref().is_none_or(|packs| packs.is_local(entry.number()))
    }

    /// What is said of a page that is not [near](Self::is_near) and not waited for.
    #[must_use]
    pub fn not_local(&self) -> StoreError {
        StoreError::BodyUnavailable { path: self.vfs.locate(&self.dir), why: BodyUnavailable::NotLocal }
    }

    /// Refuses one of which bodies were left in a store.
    ///
    /// # Errors
    ///
    /// If it is one.
    pub fn require_whole(&self) -> Result<(), StoreError> {
        match self.is_lazy() {
            true => Err(StoreError::BodyUnavailable {
                path: self.vfs.locate(&self.dir),
                why: BodyUnavailable::IndexOnly,
            }),
            false => Ok(()),
        }
    }

    /// Whether another copy of it took its place since it was opened, one that is whole perhaps.
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        self.vfs.stamp(&self.name(OBJECTS)) != self.seen
    }

    /// Whether its bodies lie in packs.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.packs.is_some()
    }

    pub(super) fn packs(&self) -> Option<&Arc<Objects>> {
        self.packs.as_ref()
    }

    /// Whether its index was copied into memory, see [`Self::open_current_copying`].
    #[must_use]
    pub fn is_copied(&self) -> bool {
        self.copied
    }

    pub(super) fn shared_vfs(&self) -> &Arc<dyn Vfs> {
        &self.vfs
    }

    pub(super) fn vfs(&self) -> &dyn Vfs {
        &*self.vfs
    }

    /// Name of one of its files, for the `Vfs`.
    pub(super) fn name(&self, path: &str) -> String {
        format!("{}/{path}", self.dir)
    }

    pub(super) fn dir(&self) -> &str {
        &self.dir
    }
}

/// The text of the file list, from all bodies as they are and the hash of the table that lists them.
pub(super) fn file_list<'a>(bodies: impl Iterator<Item = (&'a str, Body)>, table_hash: Digest) -> Vec<u8> {
    let mut lines: Vec<_> = bodies.map(|(path, body)| (path, body.sha256)).collect();
    lines.push((FILE_TABLE, table_hash));
    lines.sort_unstable();
    let lines = lines.iter().map(|(path, hash)| format!("{hash}  {path}\n"));
    lines.collect::<String>().into_bytes()
}

/// The hash that a file list states for `index/files.bin`. It is near the top: only `index/…` sorts
/// before it.
fn listed_table_hash(list: &[u8]) -> Option<Digest> {
    let mut lines = list.split(|byte| *byte == b'\n');
    let line = lines.find(|line| line.get(66..) == Some(FILE_TABLE.as_bytes()))?;
    std::str::from_utf8(&line[..64]).ok()?.parse().ok()
}

/// Opens the live generation. If it goes away just then, because another one was published and `gc`
/// ran, that one is opened.
pub(super) fn open_current_on(vfs: &Arc<dyn Vfs>, copy: u64) -> Result<Generation, StoreError> {
    let mut id = current(&**vfs)?;
    loop {
        match Generation::open_on(vfs, id, copy) {
            Err(gone @ StoreError::NoGeneration { .. }) => {
                let now = current(&**vfs)?;
                if now == id {
                    return Err(gone);
                }
                id = now;
            }
            result => return result,
        }
    }
}

/// The id in `CURRENT`.
pub(super) fn current(vfs: &dyn Vfs) -> Result<GenerationId, StoreError> {
    let bytes = vfs.read(CURRENT, CURRENT_LIMIT).map_err(|err| match err.kind() {
        io::ErrorKind::NotFound => StoreError::Unpublished { path: vfs.locate(CURRENT) },
        _ => failed(vfs, CURRENT, err),
    })?;
    let text = std::str::from_utf8(&bytes).ok().and_then(|text| text.strip_suffix('\n'));
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        let found = String::from_utf8_lossy(&bytes);
        damaged(
            vfs,
            CURRENT,
            FileProblem::Format(format!("holds {found:?}, expected one generation id and LF")),
        )
    })
}

pub(super) fn open_root(root: &Path) -> Result<Arc<dyn Vfs>, StoreError> {
    let disk = Disk::open(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
    Ok(Arc::new(disk))
}

/// Names of all generations that are there, oldest first.
pub(super) fn ids(vfs: &dyn Vfs) -> Result<Vec<GenerationId>, StoreError> {
    let found =
        vfs.list(GENERATIONS).map_err(|source| StoreError::Io { path: vfs.locate(GENERATIONS), source })?;
    let directories = found.into_iter().filter(|(_, kind)| *kind == FileType::Directory);
    let mut ids: Vec<GenerationId> = directories.filter_map(|(name, _)| name.parse().ok()).collect();
    ids.sort_unstable();
    Ok(ids)
}

pub(super) fn directory_of(id: GenerationId) -> String {
    format!("{GENERATIONS}/{id}")
}

pub(super) fn read_manifest(vfs: &dyn Vfs, dir: &str) -> Result<(Manifest, Digest), StoreError> {
    let file = Reading::new(vfs, dir, MANIFEST);
    let bytes = file.bytes(MANIFEST_LIMIT)?;
    if bytes.len() as u64 > MANIFEST_LIMIT {
        return Err(file.damaged(FileProblem::Format(format!("longer than {MANIFEST_LIMIT} bytes"))));
    }
    let manifest = Manifest::parse(&bytes).map_err(|refused| match refused {
        ManifestError::Version(found) => StoreError::Version { path: vfs.locate(&file.name), found },
        ManifestError::FileProblem(problem) => file.damaged(problem),
    })?;
    Ok((manifest, Digest::of(&bytes)))
}

fn check_file_list(vfs: &dyn Vfs, dir: &str, manifest: &Manifest) -> Result<(), StoreError> {
    let file = Reading::new(vfs, dir, FILE_LIST);
    let list = vfs.map(&file.name).map_err(|err| failed(vfs, &file.name, err))?;
    file.check_hash(manifest.files.sha256, Digest::of(&list))?;
    match listed_table_hash(&list) {
        Some(table) if table == manifest.files.table => Ok(()),
        _ => Err(file.damaged(FileProblem::Format(format!("does not list the {FILE_TABLE} of {MANIFEST}")))),
    }
}

/// One file of a generation, on its way to being trusted.
struct Reading<'a> {
    vfs: &'a dyn Vfs,
    name: String,
}

/// Maps a section file and checks all but that it is the one that was published.
pub(super) fn open_sections(vfs: &dyn Vfs, dir: &str, path: &str) -> Result<Sections, StoreError> {
    Reading::new(vfs, dir, path).sections(false, None)
}

/// Size of what is mapped or copied: the tables and every file of the index.
fn index_bytes(vfs: &dyn Vfs, dir: &str) -> Result<u64, StoreError> {
    let list = |dir: &str| vfs.list(dir).map_err(|err| failed(vfs, dir, err));
    let own = list(dir)?;
    let has_index = own.iter().any(|(name, kind)| name == INDEX_DIR && *kind == FileType::Directory);
    let mut found = if has_index { list(&format!("{dir}/{INDEX_DIR}"))? } else { Vec::new() };
    found.extend(own.into_iter().filter(|(name, _)| [HISTORY, SIBLINGS, OBJECTS].contains(&&**name)));
    let sizes = found.into_iter().map(|(_, kind)| if let FileType::File(len) = kind { len } else { 0 });
    Ok(sizes.sum())
}

impl<'a> Reading<'a> {
    fn new(vfs: &'a dyn Vfs, dir: &str, path: &str) -> Self {
        Self { vfs, name: format!("{dir}/{path}") }
    }

    fn bytes(&self, limit: u64) -> Result<Vec<u8>, StoreError> {
        self.vfs.read(&self.name, limit).map_err(|err| failed(self.vfs, &self.name, err))
    }

    fn sections(&self, copied: bool, expected: Option<Digest>) -> Result<Sections, StoreError> {
        let map = if copied { self.vfs.copy(&self.name) } else { self.vfs.map(&self.name) };
        let map = map.map_err(|err| failed(self.vfs, &self.name, err))?;
        if let Some(expected) = expected {
            self.check_hash(expected, Digest::of(&map))?;
        }
        Sections::check(map).map_err(|err| self.damaged(err.into()))
    }

    /// `history.bin`, which belongs to this manifest.
    fn sealed(&self, copied: bool, manifest_hash: Digest) -> Result<Sections, StoreError> {
        let history = self.sections(copied, None)?;
        let sealed = history.get::<Digest>("manifest").map_err(|err| self.damaged(err.into()))?;
        if *sealed != [manifest_hash] {
            return Err(self.damaged(FileProblem::Format(format!("does not belong to this {MANIFEST}"))));
        }
        Ok(history)
    }

    /// What the table and the history together are, and the fingerprint.
    fn history(
        &self,
        history: &Sections,
        table: &Sections,
    ) -> Result<(FileTable, Option<Digest>), StoreError> {
        let wrong = |err: SectionError| self.damaged(err.into());
        let fingerprint = history.get::<Digest>("recipe").map_err(wrong)?.first().copied();
        let files = FileTable::open(table, history.get("changed").map_err(wrong)?).map_err(wrong)?;
        Ok((files, fingerprint))
    }

    /// The table of files of a generation in packs.
    fn packed(&self, objects: &Objects, expected: Digest) -> Result<Sections, StoreError> {
        let bytes = objects.own()?;
        self.check_hash(expected, Digest::of(&bytes))?;
        Sections::from_bytes(&bytes).map_err(|err| self.damaged(err.into()))
    }

    fn siblings(&self, copied: bool, table: Digest, rows: usize) -> Result<Siblings, StoreError> {
        let file = self.sections(copied, None)?;
        Siblings::open(&file, table, rows).map_err(|err| self.damaged(err.into()))
    }

    fn check_hash(&self, expected: Digest, found: Digest) -> Result<(), StoreError> {
        if expected == found { Ok(()) } else { Err(self.damaged(FileProblem::Hash { expected, found })) }
    }

    fn damaged(&self, problem: FileProblem) -> StoreError {
        damaged(self.vfs, &self.name, problem)
    }
}
