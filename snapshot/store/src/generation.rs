//! Opening and reading a published generation.

use std::fmt::Display;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use libdeflater::crc32;
use rustix::fs::FlockOperation;

use super::archive::{DEFLATED, PIECE, gzip, unpack, unpack_piece};
use super::body::{Body, Coding, Digest};
use super::changes::ChangeLog;
use super::disk::{Disk, FileType, Lock, RootFolder, Stamp};
use super::error::{MISSING, StoreError};
use super::layout::{
    ARCHIVE, CHANGES, CURRENT, FILE_TABLE, GENERATIONS, GenerationId, INDEX, MANIFEST, directory_of,
};
use super::manifest::{Manifest, ManifestError, StoredFile};
use super::mapping::Mapping;
use super::sections::{SectionError, Sections};
use super::table::{FileEntry, FileTable};

/// Most bytes of `CURRENT` and of a manifest.
const CURRENT_LIMIT: u64 = 128;
const MANIFEST_LIMIT: u64 = 64 * 1024;

/// An open generation. `gc` does not remove it while it is open.
pub struct Generation {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) dir: String,
    manifest: Manifest,
    files: FileTable,
    changes: ChangeLog,
    /// `changes.bin`.
    pub(super) history: Sections,
    /// Whether the index was copied into memory instead of mapped, see [`Self::open_current_copying`].
    pub copied: bool,
    /// Metadata of the archive when it was opened.
    opened: Option<Stamp>,
    /// Whether the hash of each page was compared.
    checked: Box<[AtomicBool]>,
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
    pub(super) fn open_on(disk: &Arc<dyn Disk>, id: GenerationId, copy: u64) -> Result<Self, StoreError> {
        let generation = Self::load(disk, directory_of(id), copy)?;
        if generation.id() != id {
            let problem = format_args!("is the manifest of generation {}", generation.id());
            return Err(generation.damaged(MANIFEST, problem));
        }
        Ok(generation)
    }

    /// Opens the generation in a directory of any name. Checked in this order, each file by the one before: the version,
    /// the manifest, the files beside it.
    pub(super) fn load(disk: &Arc<dyn Disk>, dir: String, copy: u64) -> Result<Self, StoreError> {
        let pin = disk.hold(&dir, FlockOperation::NonBlockingLockShared).map_err(|err| match err.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::WouldBlock => {
                StoreError::NoGeneration { path: disk.locate(&dir) }
            }
            _ => disk.read_error(&dir)(err),
        })?;
        let manifest = read_manifest(&**disk, &dir)?;
        let name = |path: &str| format!("{dir}/{path}");
        let opened = disk.stamp(&name(ARCHIVE));
        let mapped = manifest.stored.iter().filter(|file| file.path != ARCHIVE).map(|file| file.bytes);
        let copied = mapped.sum::<u64>() <= copy;
        let sections = |path: &str| {
            let expected = manifest.stored(path).map(StoredFile::body);
            open_sections(&**disk, &name(path), copied, expected)
        };
        let (history, table) = (sections(CHANGES)?, sections(FILE_TABLE)?);
        let in_history = |err: SectionError| disk.damaged(&name(CHANGES), err);
        if *history.get::<Digest>("manifest").map_err(in_history)? != [manifest.own_hash()] {
            return Err(disk.damaged(&name(CHANGES), format_args!("does not belong to this {MANIFEST}")));
        }
        let changes = ChangeLog::open(&history).map_err(in_history)?;
        let changed = history.get("changed").map_err(in_history)?;
        let archive = manifest.stored(ARCHIVE).map_or(0, |file| file.bytes);
        let files = FileTable::open(&table, changed, archive);
        let files = files.map_err(|err| disk.damaged(&name(FILE_TABLE), err))?;
        let checked = files.entries().map(|_| AtomicBool::new(false)).collect();
        let disk = Arc::clone(disk);
        Ok(Self { disk, dir, manifest, files, changes, history, copied, opened, checked, _pin: pin })
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

    /// Its pages.
    pub fn files(&self) -> &FileTable {
        &self.files
    }

    /// Maps or copies `index/<name>`, a section file, after checking that it is the one that was published, by its checksum.
    /// (SHA-256, which takes longer, is left to `verify`.)
    ///
    /// # Errors
    ///
    /// If the file is missing, damaged or of another version.
    pub fn index(&self, name: &str) -> Result<Sections, StoreError> {
        let path = format!("{INDEX}{name}");
        let mut index = self.manifest.stored.iter().filter(|file| file.is_index());
        let at = index.position(|file| file.path == path);
        let at = at.ok_or_else(|| self.disk.incomplete(&self.name(&path), MISSING))?;
        let sections = open_sections(&*self.disk, &self.name(&path), self.copied, None)?;
        if self.files.index.get(at) != Some(&sections.checksum()) {
            return Err(self.damaged(&path, "is not what was published"));
        }
        Ok(sections)
    }

    /// Reads a body in a coding that it offers. Its hash is checked the first time, its CRC-32 always.
    ///
    /// # Errors
    ///
    /// If the archive cannot be read, or it is not what was published.
    pub fn read(&self, entry: FileEntry<'_>, coding: Coding) -> Result<Vec<u8>, StoreError> {
        let (identity, place) = (entry.identity(), entry.place());
        let data = self.data(entry, place.start, place.len as usize)?;
        let was_checked = self.checked.get(entry.number as usize).is_some_and(|it| it.load(Relaxed));
        if coding == Coding::Gzip && was_checked && crc32(&data) == place.packed {
            return Ok(gzip(place.crc, &data, identity.len));
        }
        let body = unpack(place, &data, identity.len)
            .filter(|body| was_checked || Digest::of(body) == identity.sha256)
            .ok_or_else(|| self.problem(entry, "is not what was published"))?;
        self.checked.get(entry.number as usize).inspect(|it| it.store(true, Relaxed));
        match coding {
            Coding::Identity => Ok(body),
            Coding::Gzip if place.method == DEFLATED => Ok(gzip(place.crc, &data, identity.len)),
            Coding::Gzip => Err(self.problem(entry, "is not deflated")),
        }
    }

    /// Reads a part of a body. No more of a long one is read and inflated than the pieces that hold it, each of which is
    /// checked against its CRC-32.
    ///
    /// # Errors
    ///
    /// As of [`Self::read`], or if the part is not inside the body.
    pub fn read_part(&self, entry: FileEntry<'_>, part: Range<usize>) -> Result<Vec<u8>, StoreError> {
        let (pieces, len) = (entry.pieces(), entry.identity().len as usize);
        let outside = || self.problem(entry, "is shorter than the part of it");
        if part.end > len || part.start >= part.end {
            return Err(outside());
        }
        if pieces.is_empty() {
            let body = self.read(entry, Coding::Identity)?;
            return body.get(part).map(<[u8]>::to_vec).ok_or_else(outside);
        }
        let (first, last, place) = (part.start / PIECE, (part.end - 1) / PIECE, entry.place());
        let start_of = |number: usize| pieces.get(number).map_or(place.len, |piece| piece.start) as usize;
        let from = start_of(first);
        let data = self.data(entry, place.start + from as u64, start_of(last + 1) - from)?;
        let mut body = Vec::with_capacity((last + 1 - first) * PIECE);
        for (number, piece) in pieces.iter().enumerate().take(last + 1).skip(first) {
            let packed = data.get(start_of(number) - from..start_of(number + 1) - from).unwrap_or_default();
            let found = unpack_piece(packed, PIECE.min(len - number * PIECE), piece.crc);
            body.extend(found.ok_or_else(|| self.problem(entry, "is not what was published"))?);
        }
        body.truncate(part.end - first * PIECE);
        Ok(body.split_off(part.start - first * PIECE))
    }

    /// Bytes of the archive that are a part of an entry's data.
    fn data(&self, entry: FileEntry<'_>, start: u64, len: usize) -> Result<Vec<u8>, StoreError> {
        let name = self.name(ARCHIVE);
        self.disk.read_at(&name, start, len).map_err(|err| match err.kind() {
            io::ErrorKind::UnexpectedEof => self.problem(entry, "is behind the end"),
            _ => self.disk.read_error(&name)(err),
        })
    }

    fn problem(&self, entry: FileEntry<'_>, problem: &str) -> StoreError {
        self.damaged(ARCHIVE, format_args!("{}: {problem}", entry.path()))
    }

    /// One of its files differs from what was published.
    pub(super) fn damaged(&self, path: &str, problem: impl Display) -> StoreError {
        self.disk.damaged(&self.name(path), problem)
    }

    /// `length` bytes of a stored file from `start` on.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn stored_bytes(&self, path: &str, start: u64, length: usize) -> Result<Vec<u8>, StoreError> {
        let name = self.name(path);
        self.disk.read_at(&name, start, length).map_err(self.disk.read_error(&name))
    }

    /// The archive, mapped.
    pub(super) fn archive(&self) -> Result<Mapping, StoreError> {
        let name = self.name(ARCHIVE);
        self.disk.map(&name).map_err(self.disk.read_error(&name))
    }

    /// Whether it was replaced since it was opened, by an undamaged copy of itself for instance.
    pub fn is_replaced(&self) -> bool {
        self.disk.stamp(&self.name(ARCHIVE)) != self.opened
    }

    /// Name of one of its files, for the `Disk`.
    pub(super) fn name(&self, path: &str) -> String {
        format!("{}/{path}", self.dir)
    }
}

/// Opens the live generation; the next one, if `gc` removes it just then because another one was published.
pub(super) fn open_current_on(disk: &Arc<dyn Disk>, copy: u64) -> Result<Generation, StoreError> {
    let id = current(&**disk)?;
    match Generation::open_on(disk, id, copy) {
        Err(StoreError::NoGeneration { .. }) if current(&**disk)? != id => open_current_on(disk, copy),
        opened => opened,
    }
}

/// The name in `CURRENT`.
pub(super) fn current(disk: &dyn Disk) -> Result<GenerationId, StoreError> {
    let bytes = disk.copy(CURRENT, CURRENT_LIMIT).map_err(|err| match err.kind() {
        io::ErrorKind::NotFound => StoreError::Unpublished { path: disk.locate(CURRENT) },
        _ => disk.read_error(CURRENT)(err),
    })?;
    let text = std::str::from_utf8(&bytes).ok().and_then(|text| text.strip_suffix('\n'));
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        let found = String::from_utf8_lossy(&bytes);
        disk.damaged(CURRENT, format_args!("holds {found:?}, expected one generation id and LF"))
    })
}

pub(super) fn open_root(root: &Path) -> Result<Arc<dyn Disk>, StoreError> {
    let path = root.to_owned();
    let disk = RootFolder::open(root).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => StoreError::Unpublished { path },
        _ => StoreError::Io { path, source },
    })?;
    Ok(Arc::new(disk))
}

/// The same, after making the folder if there is none.
pub(super) fn create_root(root: &Path) -> Result<Arc<dyn Disk>, StoreError> {
    std::fs::create_dir_all(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
    open_root(root)
}

/// Names of all generations, oldest first.
pub(super) fn ids(disk: &dyn Disk) -> Result<Vec<GenerationId>, StoreError> {
    let found = disk.list(GENERATIONS).map_err(disk.io_error(GENERATIONS))?;
    let directories = found.into_iter().filter(|(_, kind, _)| *kind == FileType::Directory);
    let mut ids: Vec<GenerationId> = directories.filter_map(|(name, ..)| name.parse().ok()).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// The manifest in a directory.
pub(super) fn read_manifest(disk: &dyn Disk, dir: &str) -> Result<Manifest, StoreError> {
    let name = format!("{dir}/{MANIFEST}");
    let bytes = disk.copy(&name, MANIFEST_LIMIT).map_err(disk.read_error(&name))?;
    if bytes.len() as u64 > MANIFEST_LIMIT {
        return Err(disk.damaged(&name, format_args!("longer than {MANIFEST_LIMIT} bytes")));
    }
    Manifest::parse(&bytes).map_err(|error| match error {
        ManifestError::Version(found) => StoreError::Version { path: disk.locate(&name), found },
        ManifestError::Malformed(problem) => disk.damaged(&name, problem),
    })
}

/// Maps or copies a section file, and checks its format and, where they are known, its size and hash.
pub(super) fn open_sections(
    disk: &dyn Disk,
    name: &str,
    copied: bool,
    expected: Option<Body>,
) -> Result<Sections, StoreError> {
    let map = if copied { disk.copy(name, u64::MAX) } else { disk.map(name) };
    let map = map.map_err(disk.read_error(name))?;
    if let Some(expected) = expected {
        disk.check_body(name, expected, Body::of_chunks(&map).map_err(disk.io_error(name))?)?;
    }
    Sections::new(map).map_err(|err| disk.damaged(name, err))
}
