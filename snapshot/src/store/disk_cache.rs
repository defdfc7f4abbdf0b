//! Bodies that were fetched from elsewhere, as they are stored there, kept in files of one length one after the other
//! until they are too many: then the oldest file goes. Found again by whoever opens the folder next.
//!
//! ```text
//! ROOT/bodies/<number>.ring    entries back to back:
//!     row       an `Object` (64 bytes) with zeroes for where it lay
//!     check     first 8 bytes of the row's SHA-256
//!     stored    as many bytes as the row says
//! ```
//! Nothing waits for the disk: what a crash has cut off or mixed up ends the file at its next opening, or is another
//! body than its row says, which whoever reads it notices. Each process has the file it appends to for itself, by a lock.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use rustix::fs::FlockOperation;

use super::KEPT;
use super::codec::Object;
use super::digest::Digest;

const EXTENSION: &str = "ring";
/// Longest file.
const FILE: u64 = 64 << 20;
/// A file is no longer than this part of all, so that little is lost with one.
const FILES_AT_LEAST: u64 = 8;
const ROW: usize = size_of::<Object>();
const HEAD: usize = ROW + 8;

/// The files, and where in them everything lies.
pub struct DiskCache {
    dir: PathBuf,
    capacity: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Oldest first; the last one is written to.
    files: VecDeque<Part>,
    index: FxHashMap<Digest, Place>,
    bytes: u64,
}

struct Part {
    number: u64,
    file: Arc<File>,
    len: u64,
    /// Whether this process may append.
    ours: bool,
}

#[derive(Clone, Copy)]
struct Place {
    number: u64,
    /// Of its row.
    offset: u64,
}

impl DiskCache {
    /// Opens the folder of a root, which is made when there is something to keep, and finds what is kept. `capacity` is
    /// in bytes.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn open(root: &Path, capacity: u64) -> io::Result<Self> {
        let dir = root.join(KEPT);
        let mut numbers: Vec<u64> = match fs::read_dir(&dir) {
            Ok(found) => found.filter_map(|entry| number_of(&entry.ok()?.path())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        numbers.sort_unstable();
        let ring = Self { dir, capacity, state: Mutex::default() };
        let last = numbers.last().copied();
        let mut state = ring.state();
        for number in numbers {
            let path = ring.path(number);
            let Ok(file) = File::options().read(true).write(true).open(&path) else { continue };
            let ours = Some(number) == last && lock(&file);
            let len = state.find(number, &file)?;
            state.bytes += len;
            state.files.push_back(Part { number, file: Arc::new(file), len, ours });
        }
        ring.make_room(&mut state, 0);
        drop(state);
        Ok(ring)
    }

    /// Removes the folder of a root and what is kept there.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn remove(root: &Path) -> io::Result<()> {
        match fs::remove_dir_all(root.join(KEPT)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.state().bytes
    }

    /// An object as it is stored, with the row that says how; not yet compared with anything.
    pub(super) fn get(&self, sha256: &Digest) -> Option<(Object, Vec<u8>)> {
        let (file, place) = {
            let state = self.state();
            let place = *state.index.get(sha256)?;
            let part = state.files.iter().find(|part| part.number == place.number)?;
            (Arc::clone(&part.file), place)
        };
        let mut head = [0; HEAD];
        file.read_exact_at(&mut head, place.offset).ok()?;
        let row = row_of(&head).filter(|row| row.sha256 == *sha256)?;
        let mut stored = vec![0; row.stored as usize];
        file.read_exact_at(&mut stored, place.offset + HEAD as u64).ok()?;
        Some((row, stored))
    }

    /// Whether an object is kept.
    pub(super) fn has(&self, sha256: &Digest) -> bool {
        self.state().index.contains_key(sha256)
    }

    /// Forgets an object: what lies there is something else.
    pub(super) fn forget(&self, sha256: &Digest) {
        self.state().index.remove(sha256);
    }

    /// Keeps an object as it is stored. A disk that is full or fails keeps nothing, and that is all.
    pub(super) fn put(&self, object: &Object, stored: &[u8]) {
        let row = Object { offset: 0, pack: 0, ..*object };
        let row = bytemuck::bytes_of(&row);
        let entry = [row, &Digest::of(row).0[..8], stored].concat();
        let mut state = self.state();
        let length = entry.len() as u64;
        if state.index.contains_key(&object.sha256) || length > self.file_max() {
            return;
        }
        if state.files.back().is_none_or(|part| !part.ours || part.len + length > self.file_max())
            && self.begin_file(&mut state).is_err()
        {
            return;
        }
        self.make_room(&mut state, length);
        let Some(part) = state.files.back_mut() else { return };
        if part.file.write_all_at(&entry, part.len).is_err() {
            return;
        }
        let place = Place { number: part.number, offset: part.len };
        part.len += length;
        state.bytes += length;
        state.index.insert(object.sha256, place);
    }

    fn file_max(&self) -> u64 {
        FILE.min(self.capacity / FILES_AT_LEAST)
    }

    fn begin_file(&self, state: &mut State) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        let mut number = state.files.back().map_or(1, |part| part.number + 1);
        let file = loop {
            let made = File::options().read(true).write(true).create_new(true).open(self.path(number));
            match made {
                // Another process has begun one too.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => break made?,
            }
        };
        let ours = lock(&file);
        state.files.push_back(Part { number, file: Arc::new(file), len: 0, ours });
        Ok(())
    }

    /// Removes the oldest files until there is room for so many bytes; never the one that is written to.
    fn make_room(&self, state: &mut State, length: u64) {
        while state.bytes + length > self.capacity && state.files.len() > 1 {
            let Some(part) = state.files.pop_front() else { return };
            state.bytes -= part.len;
            state.index.retain(|_, place| place.number != part.number);
            let _ = fs::remove_file(self.path(part.number));
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("{number:08}.{EXTENSION}"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic leaves at worst bytes that nothing points to.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Finds the entries of a file; gives where the last sound one ends.
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
            self.index.insert(row.sha256, Place { number, offset });
            offset = end;
        }
        Ok(offset)
    }
}

/// The row of an entry, if it is one.
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

/// Whether nobody else writes to a file. It ends with the process, however that ends.
fn lock(file: &File) -> bool {
    rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive).is_ok()
}
