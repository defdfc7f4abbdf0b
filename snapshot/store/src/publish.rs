//! The directory in which a generation is built, and the protocol that makes it the live one: see `store` for the
//! barriers B1 to B4.

use std::io;
use std::sync::{Arc, Mutex};

use libdeflater::crc32;

use super::body::{Body, Chunks, slice};
use super::disk::{DirEntry, Disk, FileType, Lock, lock};
use super::error::StoreError;
use super::generation::{Generation, current, open_current_on};
use super::layout::{
    ACCEPTED, CURRENT, CURRENT_TMP, GENERATIONS, GenerationId, INCOMING, LOCK, TMP_PREFIX, directory_of,
    temporary,
};
use super::manifest::StoredFile;
use super::mapping::Mapping;
use super::table::FileEntry;

/// A generation's directory that no reader can find yet. Dropped uncommitted, it leaves nothing behind. At most one
/// exists per root.
pub(super) struct StagingDir {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) dir: String,
    /// The number that the generation gets.
    pub(super) sequence: u64,
    /// The live generation, if it can be opened.
    pub(super) live: Option<Generation>,
    /// Its archive, if it can be read.
    pub(super) live_archive: Option<Mapping>,
    /// Files to read back before the commit.
    written: Mutex<Vec<StoredFile>>,
    /// Whether it stays when it is dropped uncommitted, for the next attempt.
    stays: bool,
    _lock: Lock,
}

impl StagingDir {
    /// Takes the root's lock and removes what an unfinished publisher left. A directory that is named is one that an earlier
    /// attempt may have left, and that stays if this one fails.
    pub(super) fn open(disk: Arc<dyn Disk>, kept: Option<String>) -> Result<Self, StoreError> {
        refuse_foreign(&*disk)?;
        let _lock = lock_root(&*disk)?;
        disk.create_dirs(GENERATIONS).map_err(disk.io_error(GENERATIONS))?;
        let sequence = 1 + remove_leftovers(&*disk)?;
        let live = open_current_on(&disk, 0).ok();
        let live_archive = live.as_ref().and_then(|live| live.archive().ok());
        let stays = kept.is_some();
        let dir = kept.unwrap_or_else(|| temporary(format_args!("{sequence:06}")));
        // All that a generation has is in this folder and in `index`.
        disk.create_dirs(&format!("{dir}/index")).map_err(disk.io_error(&dir))?;
        Ok(Self { disk, dir, sequence, live, live_archive, written: Mutex::default(), stays, _lock })
    }

    /// Name of a staged file, for the `Disk`.
    pub(super) fn name(&self, path: &str) -> String {
        format!("{}/{path}", self.dir)
    }

    /// Where the live generation has the same body at this path, undamaged, and its packed form.
    pub(super) fn in_live(&self, path: &str, identity: Body) -> Option<(FileEntry<'_>, &[u8])> {
        let entry = self.live.as_ref()?.files().find(path.as_bytes())?;
        let place = entry.place();
        let data = slice(self.live_archive.as_ref()?, place.start, place.len as usize)?;
        (entry.identity() == identity && crc32(data) == place.packed).then_some((entry, data))
    }

    /// Writes a file and hashes it at the same time.
    pub(super) fn write(&self, path: &str, content: &(dyn Chunks + Sync)) -> Result<StoredFile, StoreError> {
        let body = std::thread::scope(|threads| {
            let hash = threads.spawn(|| Body::of_chunks(content));
            self.create_file(path, |name| self.disk.write_new(name, content))?;
            let hash = hash.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            hash.map_err(self.disk.io_error(&self.name(path)))
        })?;
        let file = StoredFile { path: path.to_owned(), bytes: body.len, sha256: body.sha256 };
        lock(&self.written).push(file.clone());
        Ok(file)
    }

    /// The files written so far, sorted by path.
    pub(super) fn stored(&self) -> Vec<StoredFile> {
        let mut stored = lock(&self.written).clone();
        stored.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        stored
    }

    /// Gives a file of another generation a second name here.
    pub(super) fn link(&self, from: &Generation, path: &str) -> Result<(), StoreError> {
        let from = from.name(path);
        self.create_file(path, |to| self.disk.link(&from, to))
    }

    fn create_file(&self, path: &str, create: impl Fn(&str) -> io::Result<()>) -> Result<(), StoreError> {
        let name = self.name(path);
        create(&name).map_err(|err| match err.kind() {
            io::ErrorKind::AlreadyExists => put_twice(path),
            _ => self.disk.io_error(&name)(err),
        })
    }

    /// Makes the directory, complete by now, the live generation.
    pub(super) fn commit(&self, id: GenerationId) -> Result<(), StoreError> {
        let (disk, dir) = (&*self.disk, directory_of(id));
        disk.sync_all().map_err(disk.io_error(""))?; // B1
        for file in &*lock(&self.written) {
            disk.check_file(&self.name(&file.path), file.body())?;
        }
        Generation::load(&self.disk, self.dir.clone(), 0)?;
        disk.rename(&self.dir, &dir).map_err(disk.io_error(&dir))?;
        disk.sync(GENERATIONS).map_err(disk.io_error(GENERATIONS))?; // B2
        point_to(disk, id)
    }
}

impl Drop for StagingDir {
    /// If this fails, the next publisher removes the directory.
    fn drop(&mut self) {
        if !self.stays {
            let _ = self.disk.remove(&self.dir);
        }
    }
}

/// The caller put one path twice.
pub(super) fn put_twice(path: &str) -> StoreError {
    StoreError::Unfit { path: path.to_owned(), reason: "put twice" }
}

/// Makes a complete, durable generation the live one. The one it replaces is touched: `gc` counts its age from here. If
/// that one is gone, this recovers the root.
pub(super) fn point_to(disk: &dyn Disk, id: GenerationId) -> Result<(), StoreError> {
    if let Ok(replaced) = current(disk).map(directory_of) {
        match disk.touch(&replaced) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(disk.io_error(&replaced)(err)),
            _ => {}
        }
    }
    disk.write_new(CURRENT_TMP, &format!("{id}\n").as_bytes()).map_err(disk.io_error(CURRENT_TMP))?;
    disk.sync(CURRENT_TMP).map_err(disk.io_error(CURRENT_TMP))?; // B3
    disk.rename(CURRENT_TMP, CURRENT).map_err(disk.io_error(CURRENT))?;
    disk.sync("").map_err(disk.io_error("")) // B4
}

/// Renames a generation's directory first, so that no reader can meet half of it, then removes it.
pub(super) fn remove_generation(disk: &dyn Disk, id: GenerationId) -> Result<(), StoreError> {
    let (dir, removed) = (directory_of(id), temporary(id));
    disk.rename(&dir, &removed).map_err(disk.io_error(&dir))?;
    disk.clear(&removed)
}

/// Refuses a directory that is neither empty nor a root.
fn refuse_foreign(disk: &dyn Disk) -> Result<(), StoreError> {
    let found = disk.list("").map_err(disk.io_error(""))?;
    let is_root = |(name, kind, _): &DirEntry| match kind {
        FileType::Directory => name == GENERATIONS,
        // A root that was pulled, and that lost its generations.
        _ => name == ACCEPTED,
    };
    let is_ours = found.iter().any(is_root);
    match found.into_iter().find(|(name, ..)| ![LOCK, INCOMING].contains(&&**name)) {
        Some((found, ..)) if !is_ours => Err(StoreError::Foreign { path: disk.locate(""), found }),
        _ => Ok(()),
    }
}

/// The lock that publisher, rollback and gc share.
pub(super) fn lock_root(disk: &dyn Disk) -> Result<Lock, StoreError> {
    disk.lock().map_err(|err| match err.kind() {
        io::ErrorKind::WouldBlock => StoreError::Locked { path: disk.locate(LOCK) },
        _ => disk.io_error(LOCK)(err),
    })
}

/// Removes what an unfinished publisher or gc left behind; returns the highest sequence, 0 if there is none. To be called
/// under the lock.
pub(super) fn remove_leftovers(disk: &dyn Disk) -> Result<u64, StoreError> {
    disk.clear(CURRENT_TMP)?;
    let mut highest = 0;
    for (name, ..) in disk.list(GENERATIONS).map_err(disk.io_error(GENERATIONS))? {
        if name.starts_with(TMP_PREFIX) {
            disk.clear(&format!("{GENERATIONS}/{name}"))?;
        } else if let Ok(id) = name.parse::<GenerationId>() {
            highest = highest.max(id.sequence);
        }
    }
    Ok(highest)
}
