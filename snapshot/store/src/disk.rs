//! The file operations of the store, behind a trait so that tests can run it on a disk that crashes.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

pub(super) use rustix::fs::FileType;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, Timestamps};
use rustix::io::Errno;

use super::body::{Body, Chunks};
use super::error::{MISSING, NOT_A_FILE, StoreError, other_length};
use super::layout::LOCK;
use super::mapping::Mapping;

/// An entry of a directory: its name, its type, and how many bytes a file has.
pub(super) type DirEntry = (String, FileType, u64);

/// Metadata of a file that changes whenever it is written, replaced, renamed or gets another mode: inode, length, seconds and
/// nanoseconds of its last change.
pub(super) type Stamp = (u64, u64, i64, i64);

/// A held `flock`, released when dropped. Empty where the file system has no locks for readers.
pub(super) struct Lock(pub(super) Option<OwnedFd>);

impl Drop for Lock {
    /// Closing is not enough: a child process that was just started may share the open file.
    fn drop(&mut self) {
        let _ = self.0.as_ref().map(|fd| rustix::fs::flock(fd, FlockOperation::Unlock));
    }
}

/// A directory tree. Names are relative to its root, joined by `/`; the root itself is `""`.
pub(super) trait Disk: Send + Sync {
    /// The path that messages show.
    fn locate(&self, name: &str) -> PathBuf;
    /// `len` bytes of a file from an offset on; `UnexpectedEof` if it has fewer.
    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>>;
    /// The bytes of a file, mapped.
    fn map(&self, name: &str) -> io::Result<Mapping>;
    /// The bytes of a file, copied: later changes of the file do not reach them. At most `limit + 1` of them, so that the
    /// caller notices a longer one.
    fn copy(&self, name: &str, limit: u64) -> io::Result<Mapping>;
    /// Size and hash of a file.
    fn hash(&self, name: &str) -> io::Result<Body>;
    /// The entries of a directory, sorted by name.
    fn list(&self, dir: &str) -> io::Result<Vec<DirEntry>>;
    /// Metadata of a file; `None` if it cannot be read.
    fn stamp(&self, name: &str) -> Option<Stamp>;
    /// Time of the last change of a directory.
    fn modified(&self, dir: &str) -> io::Result<SystemTime>;

    /// Creates a directory and its parents, unless they exist.
    fn create_dirs(&self, dir: &str) -> io::Result<()>;
    /// Writes a new file, read-only.
    fn write_new(&self, name: &str, content: &dyn Chunks) -> io::Result<()>;
    /// Opens a file to be read and written; a new one, if there is none.
    fn edit(&self, name: &str) -> io::Result<File>;
    /// Gives a file a second name, which must not exist; copies it where hard links are not possible.
    fn link(&self, from: &str, to: &str) -> io::Result<()>;
    /// Renames, replacing a file of that name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file or a whole directory.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Sets the time that `modified` returns to now.
    fn touch(&self, dir: &str) -> io::Result<()>;

    /// Makes all writes so far durable.
    fn sync_all(&self) -> io::Result<()>;
    /// Makes the bytes of a file or the entries of a directory durable.
    fn sync(&self, name: &str) -> io::Result<()>;

    /// The lock of the one publisher. `WouldBlock` if it is held.
    fn lock(&self) -> io::Result<Lock>;
    /// A lock on a directory: shared by its readers, or the exclusive one for removing it. `WouldBlock` if the other is held.
    fn hold(&self, dir: &str, how: FlockOperation) -> io::Result<Lock>;
}

/// A directory on disk. Reading follows no symbolic link below the root.
pub(super) struct RootFolder {
    root: PathBuf,
    fd: OwnedFd,
}

const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);
/// Mode of written files: read-only, since other processes may have mapped or linked them.
pub(super) const READ_ONLY: u32 = 0o444;
const DIRECTORY: OFlags = READ.union(OFlags::DIRECTORY);

impl RootFolder {
    /// An existing directory.
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        let fd = rustix::fs::open(root, flags, Mode::empty())?;
        Ok(Self { root: root.to_owned(), fd })
    }

    /// Opens without following a link at any step: in one call where the kernel can (Linux 5.6, unless a container forbids
    /// it), else directory by directory.
    fn open_at(&self, name: &str, flags: OFlags) -> io::Result<OwnedFd> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let name = if name.is_empty() { "." } else { name };
            match rustix::fs::openat2(&self.fd, name, flags, Mode::empty(), resolve) {
                Err(Errno::NOSYS | Errno::PERM) => {}
                opened => return Ok(opened?),
            }
        }
        self.walk_to(name, flags)
    }

    fn walk_to(&self, name: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let (parents, last) = name.rsplit_once('/').map_or((None, name), |(dir, last)| (Some(dir), last));
        let mut dir = None;
        for step in parents.into_iter().flat_map(|parents| parents.split('/')) {
            let above = dir.as_ref().unwrap_or(&self.fd);
            dir = Some(rustix::fs::openat(above, step, DIRECTORY, Mode::empty())?);
        }
        let last = if last.is_empty() { "." } else { last };
        Ok(rustix::fs::openat(dir.as_ref().unwrap_or(&self.fd), last, flags, Mode::empty())?)
    }

    /// A regular file and its size.
    fn open_file(&self, name: &str) -> io::Result<(File, u64)> {
        let file = File::from(self.open_at(name, READ)?);
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(Errno::LOOP.into());
        }
        Ok((file, found.len()))
    }
}

/// A new read-only file, to be written once.
fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).mode(READ_ONLY).open(path)
}

impl Disk for RootFolder {
    fn locate(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.root.clone() } else { self.root.join(name) }
    }

    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let (file, _) = self.open_file(name)?;
        let mut bytes = vec![0; len];
        file.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    }

    fn map(&self, name: &str) -> io::Result<Mapping> {
        Mapping::of(&self.open_file(name)?.0)
    }

    fn copy(&self, name: &str, limit: u64) -> io::Result<Mapping> {
        let (mut file, len) = self.open_file(name)?;
        let len =
            usize::try_from(len.min(limit.saturating_add(1))).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut words = vec![0u64; len.div_ceil(8)];
        file.read_exact(&mut bytemuck::cast_slice_mut(&mut words)[..len])?;
        Ok(Mapping::Memory(words, len))
    }

    fn hash(&self, name: &str) -> io::Result<Body> {
        Body::of_reader(&mut self.open_file(name)?.0)
    }

    fn list(&self, dir: &str) -> io::Result<Vec<DirEntry>> {
        let fd = self.open_at(dir, DIRECTORY)?;
        let mut found = Vec::new();
        for entry in rustix::fs::Dir::read_from(&fd)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let stat = rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let kind = FileType::from_raw_mode(stat.st_mode);
            found.push((name.to_string_lossy().into_owned(), kind, stat.st_size as u64));
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    fn stamp(&self, name: &str) -> Option<Stamp> {
        let stat = rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some((stat.st_ino, stat.st_size as u64, stat.st_ctime, stat.st_ctime_nsec as i64))
    }

    fn modified(&self, dir: &str) -> io::Result<SystemTime> {
        File::from(self.open_at(dir, DIRECTORY)?).metadata()?.modified()
    }

    fn create_dirs(&self, dir: &str) -> io::Result<()> {
        fs::create_dir_all(self.locate(dir))
    }

    fn write_new(&self, name: &str, content: &dyn Chunks) -> io::Result<()> {
        let mut file = create(&self.locate(name))?;
        content.each(&mut |chunk| file.write_all(chunk))
    }

    fn edit(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(rustix::fs::openat(&self.fd, name, flags, Mode::from_raw_mode(0o644))?.into())
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (self.locate(from), self.locate(to));
        // Another file system, too many links, not the owner, or no links at all.
        match rustix::fs::link(&from, &to) {
            Ok(()) => Ok(()),
            Err(Errno::XDEV | Errno::MLINK | Errno::PERM | Errno::OPNOTSUPP) => {
                io::copy(&mut File::open(&from)?, &mut create(&to)?).map(|_| ())
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.locate(from), self.locate(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.locate(name);
        if fs::symlink_metadata(&path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
    }

    fn touch(&self, dir: &str) -> io::Result<()> {
        let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
        let fd = self.open_at(dir, DIRECTORY)?;
        Ok(rustix::fs::futimens(&fd, &Timestamps { last_access: now, last_modification: now })?)
    }

    fn sync_all(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&self.fd)?;
        #[cfg(not(target_os = "linux"))]
        rustix::fs::sync();
        Ok(())
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.open_at(name, READ)?)?)
    }

    fn lock(&self) -> io::Result<Lock> {
        let fd = OwnedFd::from(self.edit(LOCK)?);
        rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Lock(Some(fd)))
    }

    fn hold(&self, dir: &str, how: FlockOperation) -> io::Result<Lock> {
        let fd = self.open_at(dir, DIRECTORY)?;
        match rustix::fs::flock(&fd, how) {
            Ok(()) => Ok(Lock(Some(fd))),
            Err(Errno::WOULDBLOCK) => Err(Errno::WOULDBLOCK.into()),
            // A file system without locks.
            Err(_) => Ok(Lock(None)),
        }
    }
}

/// Errors that name a file as people know it.
impl dyn Disk + '_ {
    /// A file differs from what was published.
    pub(super) fn damaged(&self, name: &str, problem: impl Display) -> StoreError {
        StoreError::Damaged { path: self.locate(name), problem: problem.to_string(), is_incomplete: false }
    }

    /// A file is missing, or not as long as it was published.
    pub(super) fn incomplete(&self, name: &str, problem: impl Display) -> StoreError {
        StoreError::Damaged { path: self.locate(name), problem: problem.to_string(), is_incomplete: true }
    }

    /// An operation failed.
    pub(super) fn io_error(&self, name: &str) -> impl FnOnce(io::Error) -> StoreError + use<> {
        let path = self.locate(name);
        move |source| StoreError::Io { path, source }
    }

    /// Reading a file that should be there failed.
    pub(super) fn read_error(&self, name: &str) -> impl FnOnce(io::Error) -> StoreError + use<> {
        let path = self.locate(name);
        move |source| {
            let (problem, is_incomplete) = match Errno::from_io_error(&source) {
                Some(Errno::NOENT) => (MISSING, true),
                Some(Errno::LOOP | Errno::NOTDIR) => (NOT_A_FILE, false),
                _ => return StoreError::Io { path, source },
            };
            StoreError::Damaged { path, problem: problem.to_owned(), is_incomplete }
        }
    }

    /// Removes a file or a whole directory, if it is there.
    pub(super) fn clear(&self, name: &str) -> Result<(), StoreError> {
        match self.remove(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.io_error(name)(error)),
            _ => Ok(()),
        }
    }

    /// A file has this size and hash.
    pub(super) fn check_file(&self, name: &str, expected: Body) -> Result<(), StoreError> {
        self.check_body(name, expected, self.hash(name).map_err(self.read_error(name))?)
    }

    /// The bytes of a file have this size and hash.
    pub(super) fn check_body(&self, name: &str, expected: Body, found: Body) -> Result<(), StoreError> {
        if found.len != expected.len {
            return Err(self.incomplete(name, other_length(found.len, expected.len)));
        }
        match (expected.sha256, found.sha256) {
            (expected, found) if expected == found => Ok(()),
            (expected, found) => {
                Err(self.damaged(name, format_args!("SHA-256 is {found}, expected {expected}")))
            }
        }
    }
}

/// Locks a collection that other threads only add to: after a panic of one of them it is still valid.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn walking_to_a_file_refuses_links_as_the_kernel_does() {
        let root = std::env::temp_dir().join(format!("opdir-disk-{}", std::process::id()));
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/file"), "x").unwrap();
        symlink("b", root.join("a/link")).unwrap();
        symlink("file", root.join("a/b/link")).unwrap();
        let disk = RootFolder::open(&root).unwrap();
        for name in ["a/b/file", "a/b", "a", ""] {
            assert!(disk.walk_to(name, READ).is_ok(), "{name}");
        }
        for name in ["a/link/file", "a/b/link", "a/link"] {
            let errors = [disk.walk_to(name, READ).err(), disk.open_at(name, READ).err()];
            for err in errors.map(|err| Errno::from_io_error(&err.unwrap())) {
                assert!(matches!(err, Some(Errno::LOOP | Errno::NOTDIR)), "{name}: {err:?}");
            }
        }
        fs::remove_dir_all(root).unwrap();
    }
}
