//! A generation that comes from elsewhere, file by file. What the live generation has of the archive is taken from there,
//! and the headers of its entries follow from the table of files; the rest is fetched in ranges. It grows in
//! `ROOT/incoming`, where the next attempt finds it, and is published as a build is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use super::archive::{Archive, Entry, crc_of, unpack};
use super::body::{Chunks as _, Digest, Sink, slice};
use super::disk::Disk;
use super::error::{FileProblem, StoreError};
use super::generation::{Generation, open_root, open_sections, parse_manifest};
use super::layout::{ARCHIVE, CHANGES, FILE_TABLE, INCOMING, MANIFEST, PUBLIC, directory_of};
use super::manifest::{GenerationId, Manifest, StoredFile};
use super::mapping::Mapping;
use super::staging::{StagingDir, point_to, remove_generation};
use super::table::{FileEntry, FileTable};
use super::verify::{VerifyMode, verify_on};

/// A generation of which some files are not here yet.
pub struct IncomingGeneration {
    staging: StagingDir,
    manifest: Manifest,
    /// Once its table is here.
    archive: Option<IncomingArchive>,
}

/// The archive, as long as it will be, with all headers.
struct IncomingArchive {
    files: FileTable,
    file: File,
    /// Entries that are not in it yet, by where their data begins.
    missing: BTreeMap<u64, u32>,
}

/// A part of the archive that is to be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveRange {
    /// Where it begins.
    pub start: u64,
    /// Its length.
    pub len: u64,
}

/// Makes a generation live again that is in a root, undamaged. Gives its name, and whether it was live already.
///
/// # Errors
///
/// If the root cannot be read or written.
pub fn take_present(root: &Path, manifest: &[u8]) -> Result<Option<(GenerationId, bool)>, StoreError> {
    std::fs::create_dir_all(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
    let disk = open_root(root)?;
    let id = parse_manifest(&*disk, MANIFEST, manifest)?.id();
    let Ok(found) = Generation::open_on(&disk, id, 0) else { return Ok(None) };
    if found.manifest().to_bytes() != manifest || verify_on(&disk, Some(id), VerifyMode::Files, 1).is_err() {
        return Ok(None);
    }
    if super::generation::current(&*disk).is_ok_and(|live| live == id) {
        return Ok(Some((id, true)));
    }
    let _staging = StagingDir::create(Arc::clone(&disk))?;
    point_to(&*disk, id)?;
    Ok(Some((id, false)))
}

impl IncomingGeneration {
    /// Starts or continues a generation from its `manifest.json`. What was begun of another one is removed.
    ///
    /// # Errors
    ///
    /// If the manifest is malformed or of another version, another publisher holds the lock, or the root cannot be written.
    pub fn begin(root: &Path, manifest: &[u8]) -> Result<Self, StoreError> {
        std::fs::create_dir_all(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
        let disk = open_root(root)?;
        let manifest = parse_manifest(&*disk, MANIFEST, manifest)?;
        let name = manifest.id().to_string();
        disk.create_dirs(INCOMING).map_err(disk.io_error(INCOMING))?;
        for (other, _) in disk.list(INCOMING).map_err(disk.io_error(INCOMING))? {
            if other != name {
                let other = format!("{INCOMING}/{other}");
                disk.remove(&other).map_err(disk.io_error(&other))?;
            }
        }
        let staging = StagingDir::resume(disk, format!("{INCOMING}/{name}"))?;
        Ok(Self { staging, manifest, archive: None })
    }

    /// Its name.
    pub fn id(&self) -> GenerationId {
        self.manifest.id()
    }

    /// The files beside the archive that are not here yet. One that the live generation has is taken from there.
    ///
    /// # Errors
    ///
    /// If the root cannot be read or written.
    pub fn missing_files(&self) -> Result<Vec<StoredFile>, StoreError> {
        let mut missing = Vec::new();
        for file in self.manifest.stored.iter().filter(|file| file.path != ARCHIVE) {
            if self.disk().check_file(&self.staging.name(&file.path), file.body()).is_ok() {
                continue;
            }
            self.remove(&file.path)?;
            let live = self.staging.live().filter(|live| {
                let sound = || live.disk().check_file(&live.name(&file.path), file.body()).is_ok();
                live.manifest().stored(&file.path) == Some(file) && sound()
            });
            match live {
                Some(live) => self.staging.link(live, &file.path)?,
                None => missing.push(file.clone()),
            }
        }
        Ok(missing)
    }

    /// Adds a file beside the archive.
    ///
    /// # Errors
    ///
    /// If it is not the one that the manifest names, or cannot be written.
    pub fn add_file(&self, file: &StoredFile, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.len() as u64 != file.bytes || Digest::of(bytes) != file.sha256 {
            let expected = FileProblem::Hash { expected: file.sha256, found: Digest::of(bytes) };
            return Err(self.disk().damaged(&self.staging.name(&file.path), expected));
        }
        self.staging.write(&file.path, bytes)
    }

    /// The parts of the archive that are not here yet, in order, once all other files are.
    ///
    /// # Errors
    ///
    /// If the files do not fit each other, or the root cannot be read or written.
    pub fn missing_ranges(&mut self) -> Result<Vec<ArchiveRange>, StoreError> {
        if self.archive.is_none() {
            self.archive = Some(self.open_archive()?);
        }
        let archive = self.archive.iter();
        let range = |(start, row): (&u64, &u32)| {
            let len = archive.clone().find_map(|it| it.files.get(*row)?.place()).map_or(0, |place| place.len);
            ArchiveRange { start: *start, len: len.into() }
        };
        Ok(archive.clone().flat_map(|it| &it.missing).map(range).collect())
    }

    fn open_archive(&self) -> Result<IncomingArchive, StoreError> {
        let (disk, dir, name) = (self.disk(), &self.staging.dir, self.staging.name(ARCHIVE));
        let fits = |error| disk.damaged(&self.staging.name(FILE_TABLE), error);
        let changed = open_sections(disk, dir, CHANGES)?.get("changed").map_err(fits)?;
        let files = FileTable::open(&open_sections(disk, dir, FILE_TABLE)?, changed).map_err(fits)?;
        let expected = self.manifest.stored(ARCHIVE).map_or(0, |file| file.bytes);
        if files.archive_end() > expected {
            let problem = FileProblem::Format(format!("names bodies behind the end of {ARCHIVE}"));
            return Err(disk.damaged(&self.staging.name(FILE_TABLE), problem));
        }
        let failed = |error| disk.io_error(&name)(error);
        let file = disk.edit(&name).map_err(failed)?;
        let is_begun = file.metadata().map_err(failed)?.len() == expected;
        file.set_len(expected).map_err(failed)?;
        write_headers(&files, &file).map_err(failed)?;
        let live = self.staging.live().and_then(|live| live.archive().ok());
        let mut missing = BTreeMap::new();
        for entry in files.entries() {
            let Some(place) = entry.place() else { continue };
            let mut data = vec![0; if is_begun { place.len as usize } else { 0 }];
            // Nothing is fetched of an empty one.
            let is_here = (is_begun || place.len == 0)
                && file.read_exact_at(&mut data, place.start).is_ok()
                && is_sound(entry, &data);
            if is_here {
                continue;
            }
            match self.in_live(entry, live.as_ref()) {
                Some(data) => file.write_all_at(data, place.start).map_err(failed)?,
                None => drop(missing.insert(place.start, entry.number())),
            }
        }
        Ok(IncomingArchive { files, file, missing })
    }

    /// The data of an entry in the live generation, if that has the same, undamaged.
    fn in_live<'a>(&self, entry: FileEntry<'_>, live: Option<&'a Mapping>) -> Option<&'a [u8]> {
        let old = self.staging.live()?.files().find(entry.path().as_bytes())?;
        let is_same = old.identity() == entry.identity();
        let (old, place) = (old.place()?, entry.place()?);
        let is_same = is_same && (old.len, old.packed) == (place.len, place.packed);
        slice(live?, old.start, old.len as usize).filter(|data| is_same && crc_of(data) == place.packed)
    }

    /// Adds a part of the archive, from `start` on. Gives the ranges in it that are not what was published.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn add_range(&mut self, start: u64, bytes: &[u8]) -> Result<Vec<ArchiveRange>, StoreError> {
        let failed = self.staging.disk.io_error(&self.staging.name(ARCHIVE));
        let Some(archive) = &mut self.archive else { return Ok(Vec::new()) };
        let (mut wrong, end) = (Vec::new(), start + bytes.len() as u64);
        let within: Vec<(u64, u32)> =
            archive.missing.range(start..end).map(|(at, row)| (*at, *row)).collect();
        for (at, row) in within {
            let Some(entry) = archive.files.get(row) else { continue };
            let len = entry.place().map_or(0, |place| place.len);
            match slice(bytes, at - start, len as usize).filter(|data| is_sound(entry, data)) {
                Some(data) => {
                    if let Err(error) = archive.file.write_all_at(data, at) {
                        return Err(failed(error));
                    }
                    archive.missing.remove(&at);
                }
                None => wrong.push(ArchiveRange { start: at, len: len.into() }),
            }
        }
        Ok(wrong)
    }

    /// Makes it the live generation. Reading back runs on `jobs` threads.
    ///
    /// # Errors
    ///
    /// If anything is missing, or the root cannot be written. What is here stays for the next attempt.
    pub fn publish(self, jobs: usize) -> Result<GenerationId, StoreError> {
        let (id, name) = (self.id(), self.staging.name(ARCHIVE));
        let expected = self.manifest.stored(ARCHIVE).map(StoredFile::body).unwrap_or_default();
        if let Err(error) = self.disk().check_file(&name, expected) {
            // Where all entries are what they should be, what is between them is not.
            if self.archive.as_ref().is_some_and(|archive| archive.missing.is_empty()) {
                self.remove(ARCHIVE)?;
            }
            return Err(error);
        }
        self.remove(MANIFEST)?;
        self.staging.write(MANIFEST, &self.manifest.to_bytes())?;
        if self.disk().list(&directory_of(id)).is_ok() {
            // It is damaged, or it would have been taken as it is.
            remove_generation(self.disk(), id)?;
        }
        self.staging.commit(id, jobs)?;
        // Not before: an attempt that fails leaves an archive that the next one writes to.
        let archive = format!("{}/{ARCHIVE}", directory_of(id));
        self.disk().seal(&archive).map_err(self.disk().io_error(&archive))?;
        let _ = self.disk().remove(INCOMING);
        Ok(id)
    }

    fn disk(&self) -> &dyn Disk {
        &*self.staging.disk
    }

    fn remove(&self, path: &str) -> Result<(), StoreError> {
        let name = self.staging.name(path);
        match self.disk().remove(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.disk().io_error(&name)(error)),
            _ => Ok(()),
        }
    }
}

/// Whether data is that of an entry.
fn is_sound(entry: FileEntry<'_>, data: &[u8]) -> bool {
    let identity = entry.identity();
    let body = entry.place().and_then(|place| unpack(place, data, identity.len));
    body.is_some_and(|body| Digest::of(&body) == identity.sha256)
}

/// Writes everything of an archive but the data of its entries.
fn write_headers(files: &FileTable, file: &File) -> io::Result<()> {
    let rows: Vec<FileEntry<'_>> = files.entries().filter(|entry| entry.place().is_some()).collect();
    let mut entries = Vec::with_capacity(rows.len());
    for row in &rows {
        let (path, len) = (&row.path()[PUBLIC.len()..], row.identity().len);
        entries.push(Entry { path, len, place: row.place().unwrap_or_default() });
    }
    let at = std::cell::Cell::new(0);
    let data = |number: usize, _: Sink<'_>| {
        let place = entries[number].place;
        at.set(place.start + u64::from(place.len));
        Ok(())
    };
    Archive { entries: &entries, data }.each(&mut |chunk| {
        file.write_all_at(chunk, at.get())?;
        at.set(at.get() + chunk.len() as u64);
        Ok(())
    })
}
