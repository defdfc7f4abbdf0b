//! The disk cache of a lazy root: fetched objects as they are stored, appended to files of limited length. When all files
//! exceed the capacity, the oldest one is removed. The next process that opens the folder finds them again.
//!
//! ```text
//! ROOT/bodies/<number>.ring    entries back to back:
//!     row       an `Object` with zeros for its place
//!     check     first 8 bytes of the row's SHA-256
//!     stored    as many bytes as the row states
//! ```
//! No write waits for the disk: an entry that a crash cut off ends the file at the next opening, and a reader notices one
//! whose bytes do not fit its row. A process locks the file it appends to.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use rustix::fs::FlockOperation;

use super::body::Digest;
use super::codec::{Object, ObjectId};
use super::layout::BODIES;
use super::vfs::lock;

const EXTENSION: &str = "ring";
/// Longest file.
const FILE: u64 = 64 << 20;
/// A file holds at most this part of the capacity, so that little is lost with it.
const FILES_AT_LEAST: u64 = 8;
const ROW: usize = size_of::<Object>();
const HEAD: usize = ROW + 8;

/// A cache of objects in files.
pub struct DiskCache {
    dir: PathBuf,
    capacity: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Oldest first; the last one is written to.
    files: VecDeque<CacheFile>,
    index: FxHashMap<ObjectId, Place>,
    bytes: u64,
}

struct CacheFile {
    number: u64,
    file: Arc<File>,
    len: u64,
    /// Whether this process has locked it and may append.
    ours: bool,
}

#[derive(Clone, Copy)]
struct Place {
    number: u64,
    /// Of its row.
    offset: u64,
}

impl DiskCache {
    /// Opens the cache of a root; `capacity` is in bytes. The folder is created at the first write.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn open(root: &Path, capacity: u64) -> io::Result<Self> {
        let dir = root.join(BODIES);
        let mut numbers: Vec<u64> = match fs::read_dir(&dir) {
            Ok(found) => found.filter_map(|entry| number_of(&entry.ok()?.path())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        numbers.sort_unstable();
        let cache = Self { dir, capacity, state: Mutex::default() };
        let last = numbers.last().copied();
        let mut state = lock(&cache.state);
        for number in numbers {
            let path = cache.path(number);
            let Ok(file) = File::options().read(true).write(true).open(&path) else { continue };
            let ours = Some(number) == last && lock_file(&file);
            let len = state.find(number, &file)?;
            state.bytes += len;
            state.files.push_back(CacheFile { number, file: Arc::new(file), len, ours });
        }
        cache.make_room(&mut state, 0);
        drop(state);
        Ok(cache)
    }

    /// Removes the cache of a root.
    ///
    /// # Errors
    ///
    /// If the folder cannot be removed.
    pub fn remove(root: &Path) -> io::Result<()> {
        match fs::remove_dir_all(root.join(BODIES)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        lock(&self.state).bytes
    }

    /// An object as it is stored, not yet checked, with its row.
    pub(super) fn get(&self, id: &ObjectId) -> Option<(Object, Vec<u8>)> {
        let (file, place) = {
            let state = lock(&self.state);
            let place = *state.index.get(id)?;
            let file = state.files.iter().find(|file| file.number == place.number)?;
            (Arc::clone(&file.file), place)
        };
        let mut head = [0; HEAD];
        file.read_exact_at(&mut head, place.offset).ok()?;
        let row = row_of(&head).filter(|row| row.id == *id)?;
        let mut stored = vec![0; row.stored as usize];
        file.read_exact_at(&mut stored, place.offset + HEAD as u64).ok()?;
        Some((row, stored))
    }

    /// Whether an object is cached.
    pub(super) fn has(&self, id: &ObjectId) -> bool {
        lock(&self.state).index.contains_key(id)
    }

    /// Forgets a damaged object.
    pub(super) fn forget(&self, id: &ObjectId) {
        lock(&self.state).index.remove(id);
    }

    /// Adds an object as it is stored. Nothing happens if the disk is full or fails.
    pub(super) fn put(&self, object: &Object, stored: &[u8]) {
        let row = Object { offset: 0, pack: 0, ..*object };
        let row = bytemuck::bytes_of(&row);
        let entry = [row, &Digest::of(row).0[..8], stored].concat();
        let mut state = lock(&self.state);
        let length = entry.len() as u64;
        if state.index.contains_key(&object.id) || length > self.file_max() {
            return;
        }
        if state.files.back().is_none_or(|file| !file.ours || file.len + length > self.file_max())
            && self.begin_file(&mut state).is_err()
        {
            return;
        }
        self.make_room(&mut state, length);
        let Some(file) = state.files.back_mut() else { return };
        if file.file.write_all_at(&entry, file.len).is_err() {
            return;
        }
        let place = Place { number: file.number, offset: file.len };
        file.len += length;
        state.bytes += length;
        state.index.insert(object.id, place);
    }

    fn file_max(&self) -> u64 {
        FILE.min(self.capacity / FILES_AT_LEAST)
    }

    fn begin_file(&self, state: &mut State) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        let mut number = state.files.back().map_or(1, |file| file.number + 1);
        let file = loop {
            let made = File::options().read(true).write(true).create_new(true).open(self.path(number));
            match made {
                // Another process has created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => break made?,
            }
        };
        let ours = lock_file(&file);
        state.files.push_back(CacheFile { number, file: Arc::new(file), len: 0, ours });
        Ok(())
    }

    /// Removes the oldest files until there is room for so many bytes; never the last one.
    fn make_room(&self, state: &mut State, length: u64) {
        while state.bytes + length > self.capacity && state.files.len() > 1 {
            let Some(file) = state.files.pop_front() else { return };
            state.bytes -= file.len;
            state.index.retain(|_, place| place.number != file.number);
            let _ = fs::remove_file(self.path(file.number));
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("{number:08}.{EXTENSION}"))
    }
}

impl State {
    /// Finds the entries of a file; gives the end of the last valid one.
    fn find(&mut self, number: u64, file: &File) -> io::Result<u64> {
        let len = file.metadata()?.len();
        let (mut reader, mut offset) = (BufReader::with_capacity(256 << 10, file), 0);
        let mut head = [0; HEAD];
        while offset + HEAD as u64 <= len {
            reader.read_exact(&mut head)?;
            let Some(row) = row_of(&head) else { break };
            let end = offset + HEAD as u64 + u64::from(row.stored);
            if end > len {
                break;
            }
            reader.seek_relative(row.stored.into())?;
            self.index.insert(row.id, Place { number, offset });
            offset = end;
        }
        Ok(offset)
    }
}

/// The row of an entry, if its check fits.
fn row_of(head: &[u8; HEAD]) -> Option<Object> {
    let (row, check) = head.split_at(ROW);
    if Digest::of(row).0[..8] != *check {
        return None;
    }
    let row: Object = bytemuck::pod_read_unaligned(row);
    row.is_sound().then_some(row)
}

fn number_of(path: &Path) -> Option<u64> {
    let is_one = path.extension().is_some_and(|extension| extension == EXTENSION);
    path.file_stem().filter(|_| is_one)?.to_str()?.parse().ok()
}

/// Whether no other process appends to a file. The lock ends with this process.
fn lock_file(file: &File) -> bool {
    rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive).is_ok()
}
