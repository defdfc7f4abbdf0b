//! Opening and reading a published generation.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use super::body::{Body, Coding, Digest};
use super::changes::ChangeLog;
use super::earlier_assets::{self, EarlierAsset};
use super::error::{FileProblem, StoreError};
use super::layout::{
    CURRENT, FILE_LIST, FILE_TABLE, GENERATIONS, HISTORY, INDEX_DIR, INDEX_MAX, MANIFEST, OBJECTS, SIBLINGS,
    directory_of,
};
use super::manifest::{GenerationId, Manifest, ManifestError};
use super::objects::Objects;
use super::sections::{SectionError, Sections};
use super::siblings::SiblingTable;
use super::table::{FileEntry, FileTable};
use super::vfs::{Disk, FileType, Lock, Stamp, Vfs};

/// Most bytes of `CURRENT` and of a manifest.
const CURRENT_LIMIT: u64 = 128;
const MANIFEST_LIMIT: u64 = 64 * 1024;

/// An open generation. `gc` does not remove it while it is open.
pub struct Generation {
    pub(super) vfs: Arc<dyn Vfs>,
    pub(super) dir: String,
    manifest: Manifest,
    files: FileTable,
    changes: ChangeLog,
    made_from: Option<Digest>,
    /// Where its bodies are stored, unless it is a tree.
    packs: Option<Arc<Objects>>,
    /// Whether the index is copied instead of mapped.
    copied: bool,
    /// Metadata of `objects.bin` when it was opened.
    opened: Option<Stamp>,
    _pin: Lock,
}

impl Generation {
    /// Opens the live generation.
    ///
    /// # Errors
    ///
    /// If nothing was published, or the generation is damaged or of another version.
    pub fn open_current(root: &Path) -> Result<Self, StoreError> {
        open_current_on(&open_root(root)?, 0)
    }

    /// The same for a process that must survive changes of the files: an index of at most `copy` bytes is copied into
    /// memory instead of mapped. (Reading a mapped file that was truncated kills a process.)
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
    /// If it does not exist, is damaged or of another version.
    pub(crate) fn open(root: &Path, id: GenerationId) -> Result<Self, StoreError> {
        Self::open_on(&open_root(root)?, id, 0)
    }

    pub(super) fn open_on(vfs: &Arc<dyn Vfs>, id: GenerationId, copy: u64) -> Result<Self, StoreError> {
        let generation = Self::load(vfs, directory_of(id), copy)?;
        if generation.id() != id {
            let problem = format!("is the manifest of generation {}", generation.id());
            return Err(vfs.damaged(&generation.name(MANIFEST), FileProblem::Format(problem)));
        }
        Ok(generation)
    }

    /// Opens the generation in a directory of any name. Checked in this order, each file by the one before: the version,
    /// the manifest by the history, the file list or the objects, the table.
    pub(super) fn load(vfs: &Arc<dyn Vfs>, dir: String, copy: u64) -> Result<Self, StoreError> {
        let pin = vfs.pin(&dir).map_err(|err| match err.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::WouldBlock => {
                StoreError::NoGeneration { path: vfs.locate(&dir) }
            }
            _ => vfs.read_error(&dir)(err),
        })?;
        let (manifest, manifest_hash) = read_manifest(&**vfs, &dir)?;
        let opened = vfs.stamp(&format!("{dir}/{OBJECTS}"));
        let copied = copy > 0 && index_bytes(&**vfs, &dir)? <= copy;
        let file = |path: &str| UntrustedFile::new(&**vfs, &dir, path);
        let history = file(HISTORY).history(copied, manifest_hash)?;
        let changes = ChangeLog::open(&history).map_err(|err| file(HISTORY).damaged(err))?;
        let open_table = |table: &Sections| {
            let files = history.get("changed").and_then(|changed| FileTable::open(table, changed));
            files.map_err(|err| file(HISTORY).damaged(err))
        };
        let found = vfs.list(&dir).map_err(vfs.read_error(&dir))?;
        let (files, packs) = if found.iter().any(|(name, _)| name == OBJECTS) {
            let objects = file(OBJECTS).sections(copied, None)?;
            let objects = Objects::open(vfs, &dir, &objects, |problem| file(OBJECTS).damaged(problem))?;
            let files = open_table(&file(FILE_TABLE).packed(&objects, manifest.files.table)?)?;
            let fits = objects.fits(manifest.files.table, files.bodies());
            fits.map_err(|err| file(OBJECTS).damaged(err))?;
            (files, Some(Arc::new(objects)))
        } else {
            check_file_list(&**vfs, &dir, &manifest)?;
            let files = open_table(&file(FILE_TABLE).sections(copied, Some(manifest.files.table))?)?;
            let siblings = file(SIBLINGS).sections(copied, None)?;
            let siblings = SiblingTable::open(&siblings, manifest.files.table, files.len());
            (files.with_siblings(siblings.map_err(|err| file(SIBLINGS).damaged(err))?), None)
        };
        let made_from = history.get::<Digest>("recipe").map_err(|err| file(HISTORY).damaged(err))?;
        let made_from = made_from.first().copied();
        let vfs = Arc::clone(vfs);
        Ok(Self { vfs, dir, manifest, files, changes, made_from, packs, copied, opened, _pin: pin })
    }

    /// Its name.
    pub fn id(&self) -> GenerationId {
        self.manifest.id()
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The changes of records up to this generation.
    pub fn changes(&self) -> &ChangeLog {
        &self.changes
    }

    /// Hash of all that it is made from, if the publisher recorded it.
    pub fn made_from(&self) -> Option<Digest> {
        self.made_from
    }

    /// `history.bin`.
    pub(super) fn history(&self) -> Result<Sections, StoreError> {
        let hash = Digest::of(&self.manifest.to_bytes());
        UntrustedFile::new(&*self.vfs, &self.dir, HISTORY).history(self.copied, hash)
    }

    /// Assets that pages of earlier generations name, and its own do not.
    ///
    /// # Errors
    ///
    /// If its history is missing or damaged.
    pub fn earlier_assets(&self) -> Result<Vec<EarlierAsset>, StoreError> {
        let damaged = |problem: SectionError| self.vfs.damaged(&self.name(HISTORY), problem);
        earlier_assets::read(&self.history()?).map_err(damaged)
    }

    /// Its pages.
    pub fn files(&self) -> &FileTable {
        &self.files
    }

    /// Maps or copies `index/<name>`, a section file, after checking that it is the one that was published: its length, its
    /// checksum and the bounds of every section. (SHA-256 is left to `verify`: XXH3 is ten times faster and guards against
    /// the same accidents.)
    ///
    /// # Errors
    ///
    /// If the file is missing, damaged or of another version.
    pub fn index(&self, name: &str) -> Result<Sections, StoreError> {
        let path = format!("index/{name}");
        let file = UntrustedFile::new(&*self.vfs, &self.dir, &path);
        let entry = self.files.find(path.as_bytes()).ok_or_else(|| file.damaged(FileProblem::Missing))?;
        if entry.identity().len > INDEX_MAX
            && !self.packs.as_ref().is_none_or(|packs| packs.is_loose(entry.number()))
        {
            return Err(file.damaged(FileProblem::Format("too long to be in a pack".to_owned())));
        }
        let sections = match self.packed(entry)? {
            Some(bytes) => Sections::from_bytes(&bytes).map_err(|err| file.damaged(err))?,
            None => file.sections(self.copied, None)?,
        };
        if sections.checksum() != entry.checksum() {
            return Err(file.damaged(SectionError::Checksum));
        }
        Ok(sections)
    }

    /// Reads a page and checks its length and SHA-256. A coding that is not stored is an error.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not what was published.
    pub fn read(&self, entry: FileEntry<'_>, coding: Coding) -> Result<Vec<u8>, StoreError> {
        let path = format!("{}{}", entry.path(), coding.suffix());
        let file = UntrustedFile::new(&*self.vfs, &self.dir, &path);
        let expected = entry.body(coding).ok_or_else(|| file.damaged(FileProblem::Missing))?;
        let bytes = match self.packed(entry)? {
            Some(bytes) => bytes,
            None => file.bytes(expected.len)?,
        };
        let found = bytes.len() as u64;
        if found != expected.len {
            return Err(file.damaged(FileProblem::Length { expected: expected.len, found }));
        }
        self.vfs.check_hash(&file.name, expected.sha256, Digest::of(&bytes))?;
        Ok(bytes)
    }

    /// The body of a page that is stored in packs, not yet checked.
    fn packed(&self, entry: FileEntry<'_>) -> Result<Option<Vec<u8>>, StoreError> {
        self.packs.as_ref().map_or(Ok(None), |packs| packs.row(entry.number()))
    }

    /// Whether it was replaced since it was opened, by an undamaged copy of itself for instance.
    pub fn is_replaced(&self) -> bool {
        self.vfs.stamp(&self.name(OBJECTS)) != self.opened
    }

    /// Whether its bodies are stored in packs.
    pub fn is_packed(&self) -> bool {
        self.packs.is_some()
    }

    pub(super) fn packs(&self) -> Option<&Arc<Objects>> {
        self.packs.as_ref()
    }

    /// Whether its index was copied into memory, see [`Self::open_current_copying`].
    pub fn is_copied(&self) -> bool {
        self.copied
    }

    pub(super) fn vfs(&self) -> &dyn Vfs {
        &*self.vfs
    }

    /// Name of one of its files, for the `Vfs`.
    pub(super) fn name(&self, path: &str) -> String {
        format!("{}/{path}", self.dir)
    }
}

/// The file list, from the identity bodies of all pages and the hash of their table.
pub(super) fn file_list<'a>(bodies: impl Iterator<Item = (&'a str, Body)>, table_hash: Digest) -> Vec<u8> {
    let mut lines: Vec<_> = bodies.map(|(path, body)| (path, body.sha256)).collect();
    lines.push((FILE_TABLE, table_hash));
    lines.sort_unstable();
    let mut list = Vec::with_capacity(lines.iter().map(|(path, _)| path.len() + 67).sum());
    for (path, hash) in lines {
        // Writing to memory cannot fail.
        let _ = writeln!(list, "{hash}  {path}");
    }
    list
}

/// The hash that a file list states for `index/files.bin`. It is near the top: only `index/…` sorts before it.
fn listed_table_hash(list: &[u8]) -> Option<Digest> {
    let mut lines = list.split(|byte| *byte == b'\n');
    let line = lines.find(|line| line.get(66..) == Some(FILE_TABLE.as_bytes()))?;
    std::str::from_utf8(&line[..64]).ok()?.parse().ok()
}

/// Opens the live generation; the next one, if `gc` removes it just then because another one was published.
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

/// The name in `CURRENT`.
pub(super) fn current(vfs: &dyn Vfs) -> Result<GenerationId, StoreError> {
    let bytes = vfs.read(CURRENT, CURRENT_LIMIT).map_err(|err| match err.kind() {
        io::ErrorKind::NotFound => StoreError::Unpublished { path: vfs.locate(CURRENT) },
        _ => vfs.read_error(CURRENT)(err),
    })?;
    let text = std::str::from_utf8(&bytes).ok().and_then(|text| text.strip_suffix('\n'));
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        let found = String::from_utf8_lossy(&bytes);
        let problem = format!("holds {found:?}, expected one generation id and LF");
        vfs.damaged(CURRENT, FileProblem::Format(problem))
    })
}

pub(super) fn open_root(root: &Path) -> Result<Arc<dyn Vfs>, StoreError> {
    let disk = Disk::open(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
    Ok(Arc::new(disk))
}

/// Names of all generations, oldest first.
pub(super) fn ids(vfs: &dyn Vfs) -> Result<Vec<GenerationId>, StoreError> {
    let found = vfs.list(GENERATIONS).map_err(vfs.io_error(GENERATIONS))?;
    let directories = found.into_iter().filter(|(_, kind)| *kind == FileType::Directory);
    let mut ids: Vec<GenerationId> = directories.filter_map(|(name, _)| name.parse().ok()).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// The manifest in a directory, and its hash.
pub(super) fn read_manifest(vfs: &dyn Vfs, dir: &str) -> Result<(Manifest, Digest), StoreError> {
    let file = UntrustedFile::new(vfs, dir, MANIFEST);
    let bytes = file.bytes(MANIFEST_LIMIT)?;
    if bytes.len() as u64 > MANIFEST_LIMIT {
        return Err(file.damaged(FileProblem::Format(format!("longer than {MANIFEST_LIMIT} bytes"))));
    }
    Ok((parse_manifest(vfs, &file.name, &bytes)?, Digest::of(&bytes)))
}

pub(super) fn parse_manifest(vfs: &dyn Vfs, name: &str, bytes: &[u8]) -> Result<Manifest, StoreError> {
    Manifest::parse(bytes).map_err(|error| match error {
        ManifestError::Version(found) => StoreError::Version { path: vfs.locate(name), found },
        ManifestError::Malformed(problem) => vfs.damaged(name, FileProblem::Format(problem)),
    })
}

fn check_file_list(vfs: &dyn Vfs, dir: &str, manifest: &Manifest) -> Result<(), StoreError> {
    let file = UntrustedFile::new(vfs, dir, FILE_LIST);
    let list = vfs.map(&file.name).map_err(vfs.read_error(&file.name))?;
    vfs.check_hash(&file.name, manifest.files.sha256, Digest::of(&list))?;
    match listed_table_hash(&list) {
        Some(table) if table == manifest.files.table => Ok(()),
        _ => Err(file.damaged(FileProblem::Format(format!("does not list the {FILE_TABLE} of {MANIFEST}")))),
    }
}

/// Maps a section file and checks its format, but not that it is the one that was published.
pub(super) fn open_sections(vfs: &dyn Vfs, dir: &str, path: &str) -> Result<Sections, StoreError> {
    UntrustedFile::new(vfs, dir, path).sections(false, None)
}

/// Bytes that are mapped or copied: the tables and every file of the index.
fn index_bytes(vfs: &dyn Vfs, dir: &str) -> Result<u64, StoreError> {
    let list = |dir: &str| vfs.list(dir).map_err(vfs.read_error(dir));
    let own = list(dir)?;
    let has_index = own.iter().any(|(name, kind)| name == INDEX_DIR && *kind == FileType::Directory);
    let mut found = if has_index { list(&format!("{dir}/{INDEX_DIR}"))? } else { Vec::new() };
    found.extend(own.into_iter().filter(|(name, _)| [HISTORY, SIBLINGS, OBJECTS].contains(&&**name)));
    let sizes = found.into_iter().map(|(_, kind)| if let FileType::File(len) = kind { len } else { 0 });
    Ok(sizes.sum())
}

/// A file of a generation that is not checked yet.
struct UntrustedFile<'a> {
    vfs: &'a dyn Vfs,
    name: String,
}

impl<'a> UntrustedFile<'a> {
    fn new(vfs: &'a dyn Vfs, dir: &str, path: &str) -> Self {
        Self { vfs, name: format!("{dir}/{path}") }
    }

    fn bytes(&self, limit: u64) -> Result<Vec<u8>, StoreError> {
        self.vfs.read(&self.name, limit).map_err(|err| self.vfs.read_error(&self.name)(err))
    }

    fn sections(&self, copied: bool, expected: Option<Digest>) -> Result<Sections, StoreError> {
        let map = if copied { self.vfs.copy(&self.name) } else { self.vfs.map(&self.name) };
        let map = map.map_err(self.vfs.read_error(&self.name))?;
        if let Some(expected) = expected {
            self.vfs.check_hash(&self.name, expected, Digest::of(&map))?;
        }
        Sections::check(map).map_err(|err| self.damaged(err))
    }

    /// `history.bin`, which belongs to the manifest with this hash.
    fn history(&self, copied: bool, manifest_hash: Digest) -> Result<Sections, StoreError> {
        let history = self.sections(copied, None)?;
        let stated = history.get::<Digest>("manifest").map_err(|err| self.damaged(err))?;
        if *stated != [manifest_hash] {
            return Err(self.damaged(FileProblem::Format(format!("does not belong to this {MANIFEST}"))));
        }
        Ok(history)
    }

    /// The table of files of a generation in packs.
    fn packed(&self, objects: &Objects, expected: Digest) -> Result<Sections, StoreError> {
        let bytes = objects.own()?;
        self.vfs.check_hash(&self.name, expected, Digest::of(&bytes))?;
        Sections::from_bytes(&bytes).map_err(|err| self.damaged(err))
    }

    fn damaged(&self, problem: impl Into<FileProblem>) -> StoreError {
        self.vfs.damaged(&self.name, problem)
    }
}
