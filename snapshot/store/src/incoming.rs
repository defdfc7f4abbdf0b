//! A generation that comes from elsewhere, file by file. What the live generation has of the archive is taken from there,
//! and the headers of its entries follow from the table of files; the rest is fetched in ranges. It grows in
//! `ROOT/incoming`, where the next attempt finds it, and is published as a build is.

use std::collections::BTreeMap;
use std::fs::{File, Permissions};
use std::io::{self, Seek as _, Write as _};
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;

use super::archive::{Archive, Entry, Place, unpack};
use super::body::{Chunks as _, Digest, Sink, slice};
use super::disk::{Disk, READ_ONLY};
use super::error::StoreError;
use super::generation::{Generation, create_root, current, open_sections};
use super::layout::{ARCHIVE, CHANGES, FILE_TABLE, INCOMING, MANIFEST, directory_of};
use super::manifest::{Manifest, StoredFile};
use super::publish::{StagingDir, point_to, remove_generation};
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
    /// Row and length of each entry that is not in it yet, by where its data begins.
    missing: BTreeMap<u64, (u32, u64)>,
}

/// Makes a generation live again that is in a root, undamaged. Gives whether it was live already.
///
/// # Errors
///
/// If the root cannot be read or written.
pub fn take_present(root: &Path, manifest: &Manifest) -> Result<Option<bool>, StoreError> {
    let (disk, id) = (create_root(root)?, manifest.id());
    let Ok(found) = Generation::open_on(&disk, id, 0) else { return Ok(None) };
    if found.manifest() != manifest || verify_on(&disk, Some(id), VerifyMode::Files).is_err() {
        return Ok(None);
    }
    if current(&*disk).is_ok_and(|live| live == id) {
        return Ok(Some(true));
    }
    let _staging = StagingDir::open(Arc::clone(&disk), None)?;
    point_to(&*disk, id)?;
    Ok(Some(false))
}

impl IncomingGeneration {
    /// Starts or continues a generation. What was begun of another one is removed.
    ///
    /// # Errors
    ///
    /// If another publisher holds the lock, or the root cannot be written.
    pub fn begin(root: &Path, manifest: Manifest) -> Result<Self, StoreError> {
        let name = manifest.id().to_string();
        let staging = StagingDir::open(create_root(root)?, Some(format!("{INCOMING}/{name}")))?;
        let disk = &*staging.disk;
        for (other, ..) in disk.list(INCOMING).map_err(disk.io_error(INCOMING))? {
            if other != name {
                disk.clear(&format!("{INCOMING}/{other}"))?;
            }
        }
        Ok(Self { staging, manifest, archive: None })
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
            self.disk().clear(&self.staging.name(&file.path))?;
            let live = self.staging.live.as_ref().filter(|live| {
                let sound = || self.disk().check_file(&live.name(&file.path), file.body()).is_ok();
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
        let found = self.staging.write(&file.path, &bytes)?;
        self.disk().check_body(&self.staging.name(&file.path), file.body(), found.body())
    }

    /// The parts of the archive that are not here yet, in order, once all other files are.
    ///
    /// # Errors
    ///
    /// If the files do not fit each other, or the root cannot be read or written.
    pub fn missing_ranges(&mut self) -> Result<Vec<Range<u64>>, StoreError> {
        if self.archive.is_none() {
            self.archive = Some(self.open_archive()?);
        }
        let missing = self.archive.iter().flat_map(|archive| &archive.missing);
        Ok(missing.map(|(start, (_, len))| *start..start + len).collect())
    }

    fn open_archive(&self) -> Result<IncomingArchive, StoreError> {
        let (disk, name) = (self.disk(), self.staging.name(ARCHIVE));
        let fits = |error| disk.damaged(&self.staging.name(FILE_TABLE), error);
        let sections = |path| open_sections(disk, &self.staging.name(path), false, None);
        let changed = sections(CHANGES)?.get("changed").map_err(fits)?;
        let expected = self.manifest.stored(ARCHIVE).map_or(0, |file| file.bytes);
        let files = FileTable::open(&sections(FILE_TABLE)?, changed, expected).map_err(fits)?;
        let failed = |error| disk.io_error(&name)(error);
        let file = disk.edit(&name).map_err(failed)?;
        let is_begun = file.metadata().map_err(failed)?.len() == expected;
        file.set_len(expected).map_err(failed)?;
        write_headers(&files, &file).map_err(failed)?;
        let mut missing = BTreeMap::new();
        for entry in files.entries() {
            let place = entry.place();
            let mut data = vec![0; if is_begun { place.len as usize } else { 0 }];
            // Nothing is fetched of an empty one.
            let is_here = (is_begun || place.len == 0)
                && file.read_exact_at(&mut data, place.start).is_ok()
                && is_sound(entry, &data);
            if is_here {
                continue;
            }
            let live = self.staging.in_live(entry.path(), entry.identity());
            let is_same = |live: Place| (live.len, live.packed) == (place.len, place.packed);
            match live.filter(|(live, _)| is_same(live.place())) {
                Some((_, data)) => file.write_all_at(data, place.start).map_err(failed)?,
                None => drop(missing.insert(place.start, (entry.number, u64::from(place.len)))),
            }
        }
        Ok(IncomingArchive { files, file, missing })
    }

    /// Adds a part of the archive, from `start` on. What of it is not what was published is still missing.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn add_range(&mut self, start: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let (disk, name) = (&self.staging.disk, self.staging.name(ARCHIVE));
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let end = start + bytes.len() as u64;
        let within: Vec<_> = archive.missing.range(start..end).map(|(at, of)| (*at, *of)).collect();
        for (at, (row, len)) in within {
            let is_sound = |data: &&[u8]| archive.files.get(row).is_some_and(|entry| is_sound(entry, data));
            if let Some(data) = slice(bytes, at - start, len as usize).filter(is_sound) {
                archive.file.write_all_at(data, at).map_err(disk.io_error(&name))?;
                archive.missing.remove(&at);
            }
        }
        Ok(())
    }

    /// Makes it the live generation.
    ///
    /// # Errors
    ///
    /// If anything is missing, or the root cannot be written. What is here stays for the next attempt.
    pub fn publish(self) -> Result<(), StoreError> {
        let (id, name) = (self.manifest.id(), self.staging.name(ARCHIVE));
        let expected = self.manifest.stored(ARCHIVE).map(StoredFile::body).unwrap_or_default();
        if let Err(error) = self.disk().check_file(&name, expected) {
            // Where all entries are what they should be, what is between them is not.
            if self.archive.as_ref().is_some_and(|archive| archive.missing.is_empty()) {
                self.disk().clear(&name)?;
            }
            return Err(error);
        }
        self.disk().clear(&self.staging.name(MANIFEST))?;
        self.staging.write(MANIFEST, &&*self.manifest.to_bytes())?;
        if self.disk().list(&directory_of(id)).is_ok() {
            // It is damaged, or it would have been taken as it is.
            remove_generation(self.disk(), id)?;
        }
        self.staging.commit(id)?;
        // Not before: an attempt that fails leaves an archive that the next one writes to.
        if let Some(archive) = &self.archive {
            let sealed = archive.file.set_permissions(Permissions::from_mode(READ_ONLY));
            sealed.map_err(self.disk().io_error(&format!("{}/{ARCHIVE}", directory_of(id))))?;
        }
        let _ = self.disk().remove(INCOMING);
        Ok(())
    }

    fn disk(&self) -> &dyn Disk {
        &*self.staging.disk
    }
}

/// Whether data is that of an entry.
fn is_sound(entry: FileEntry<'_>, data: &[u8]) -> bool {
    let identity = entry.identity();
    unpack(entry.place(), data, identity.len).is_some_and(|body| Digest::of(&body) == identity.sha256)
}

/// Writes everything of an archive but the data of its entries, from the beginning of a file on.
fn write_headers(files: &FileTable, file: &File) -> io::Result<()> {
    let entries = files.entries();
    let entries = entries.map(|it| Entry { path: it.path(), len: it.identity().len, place: it.place() });
    let entries: Vec<Entry<'_>> = entries.collect();
    let skip = |number: usize, _: Sink<'_>| (&*file).seek_relative(entries[number].place.len.into());
    Archive { entries: &entries, data: skip }.each(&mut |chunk| (&*file).write_all(chunk))
}
