//! A folder as a store: `file://`. A lock that every writer takes makes preconditions hold; an object gets its name when
//! all of it is on disk.

use std::fs::{self, File, FileType, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use async_trait::async_trait;
use bytes::Bytes;
use store::Digest;

use super::{FetchedObject, ObjectVersion, ReadFn, Target, is_inside};
use crate::error::TargetError;

/// Held during writes.
const LOCK: &str = ".lock";
/// Tries to take it, and the time between two: half a minute. Any process that can read the lock may hold it.
const TRIES: u32 = 1_500;
const PAUSE: Duration = Duration::from_millis(20);
/// An object until all of it is on disk. The lock allows one at a time, so that a killed write leaves at most this one,
/// which the next write replaces.
const TEMPORARY: &str = ".new";
/// Bytes that are copied at a time.
const PART: u64 = 1 << 20;
/// Most bytes of an object that is written under a precondition.
const LARGEST: u64 = 64 << 20;
/// Objects are readable by all users.
const MODE: u32 = 0o644;

/// A folder, made at the first write.
pub(super) struct Folder {
    pub(super) root: PathBuf,
}

impl Folder {
    /// The file of an object. Folders lead there and no links, so that it is in this store; what has the name is a file.
    fn path(&self, name: &str) -> Result<PathBuf, TargetError> {
        let refused = || TargetError::Name(name.to_owned());
        if !is_inside(name) {
            return Err(refused());
        }
        let (mut path, mut parts) = (self.root.clone(), name.split('/').peekable());
        while let Some(part) = parts.next() {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(found) if parts.peek().is_some() && !found.is_dir() => return Err(refused()),
                Ok(found) if parts.peek().is_none() && !found.is_file() => {
                    return Err(TargetError::NotAFile(kind(found.file_type())));
                }
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(path)
    }

    fn replace(
        &self,
        to: &Path,
        fill: impl FnOnce(&mut File) -> Result<(), TargetError>,
    ) -> Result<(), TargetError> {
        let (folder, new) = (to.parent().unwrap_or(&self.root), self.root.join(TEMPORARY));
        fs::create_dir_all(folder)?;
        remove_if_there(&new)?;
        let mut file = File::create_new(&new)?;
        fill(&mut file)?;
        file.set_permissions(fs::Permissions::from_mode(MODE))?;
        file.sync_all()?;
        fs::rename(&new, to)?;
        Ok(sync_up(folder, &self.root)?)
    }

    fn lock(&self, tries: u32) -> Result<File, TargetError> {
        fs::create_dir_all(&self.root)?;
        let path = self.path(LOCK)?;
        let lock = File::options().create(true).append(true).open(&path)?;
        for _ in 0..tries {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        let (path, time) = (path.display(), PAUSE * tries);
        Err(TargetError::Failed(format!(
            "another process has held {path} for {time:?}; `fuser {path}` names it"
        )))
    }
}

/// What has the name of a file, and is not opened: a pipe would be waited for.
fn kind(of: FileType) -> &'static str {
    match (of.is_dir(), of.is_symlink(), of.is_fifo()) {
        (true, ..) => "a folder",
        (_, true, _) => "a link",
        (.., true) => "a named pipe",
        _ => "a socket or device",
    }
}

/// Makes the names in a folder durable, and those of the folders above it, which may be new.
fn sync_up(folder: &Path, root: &Path) -> io::Result<()> {
    let mut folders = folder.ancestors().take_while(|folder| folder.starts_with(root));
    folders.try_for_each(|folder| File::open(folder)?.sync_all())
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn version(bytes: &[u8]) -> ObjectVersion {
    ObjectVersion { tag: Some(Digest::of(bytes).to_string()), number: None }
}

impl From<io::Error> for TargetError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Missing,
            ErrorKind::UnexpectedEof => Self::Length,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::Denied(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

#[async_trait]
impl Target for Folder {
    fn place(&self) -> String {
        format!("file://{}", self.root.display())
    }

    async fn get(
        &self,
        path: &str,
        unless: Option<&ObjectVersion>,
        limit: u64,
    ) -> Result<Option<FetchedObject>, TargetError> {
        let file = File::open(self.path(path)?)?;
        let modified = file.metadata()?.modified()?;
        let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().cast_signed();
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(TargetError::Length);
        }
        let found = FetchedObject { version: version(&bytes), bytes: bytes.into(), modified };
        Ok(Some(found).filter(|found| unless != Some(&found.version)))
    }

    async fn length(&self, path: &str) -> Result<u64, TargetError> {
        Ok(fs::metadata(self.path(path)?)?.len())
    }

    async fn range(&self, path: &str, start: u64, length: u64) -> Result<Bytes, TargetError> {
        let file = File::open(self.path(path)?)?;
        // Longer than the file: an error before any memory is taken for it.
        if start.checked_add(length).is_none_or(|end| file.metadata().is_ok_and(|found| end > found.len())) {
            return Err(TargetError::Length);
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }

    async fn write(
        &self,
        path: &str,
        bytes: Bytes,
        expected: Option<&ObjectVersion>,
    ) -> Result<ObjectVersion, TargetError> {
        let to = self.path(path)?;
        let _lock = self.lock(TRIES)?;
        let found = match self.get(path, None, LARGEST).await {
            Err(TargetError::Missing) => None,
            found => found?.map(|found| found.version),
        };
        if found.as_ref() != expected {
            return Err(TargetError::Precondition);
        }
        self.replace(&to, |file| Ok(file.write_all(&bytes)?))?;
        Ok(version(&bytes))
    }

    async fn upload(&self, path: &str, length: u64, read: ReadFn<'_>) -> Result<(), TargetError> {
        let path = self.path(path)?;
        let _lock = self.lock(TRIES)?;
        self.replace(&path, |file| {
            let mut at = 0;
            while at < length {
                let part = read(at, (length - at).min(PART) as usize)?;
                file.write_all(&part)?;
                at += part.len() as u64;
            }
            Ok(())
        })
    }

    async fn delete(&self, path: &str) -> Result<(), TargetError> {
        Ok(remove_if_there(&self.path(path)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn put(target: &dyn Target, name: &str, bytes: &'static [u8]) -> Result<(), TargetError> {
        target.upload(name, bytes.len() as u64, &|_, _| Ok(Bytes::from_static(bytes))).await
    }

    #[tokio::test]
    async fn a_folder_honours_preconditions_and_limits() {
        let folder = tempfile::tempdir().unwrap();
        let target: &dyn Target = &Folder { root: folder.path().join("store") };
        let write = async |text: &'static str, expected| {
            target.write("a/b", Bytes::from_static(text.as_bytes()), expected).await
        };
        assert_eq!(target.get("a/b", None, 9).await.unwrap_err(), TargetError::Missing);
        let first = write("one", None).await.unwrap();
        assert_eq!(write("two", None).await, Err(TargetError::Precondition));
        let second = write("two", Some(&first)).await.unwrap();
        assert_eq!(write("three", Some(&first)).await, Err(TargetError::Precondition));
        assert!(target.get("a/b", Some(&second), 9).await.unwrap().is_none(), "unchanged");
        let found = target.get("a/b", Some(&first), 3).await.unwrap().unwrap();
        assert_eq!((&*found.bytes, found.version), (&b"two"[..], second));
        assert_eq!(target.get("a/b", None, 2).await.unwrap_err(), TargetError::Length);
        assert_eq!(&*target.range("a/b", 1, 2).await.unwrap(), b"wo");
        assert_eq!(target.range("a/b", 1, 3).await, Err(TargetError::Length));
        assert_eq!(target.range("a/b", u64::MAX, 2).await, Err(TargetError::Length));
        target.delete("a/b").await.unwrap();
        target.delete("a/b").await.unwrap();
        assert_eq!(target.range("a/b", 0, 1).await, Err(TargetError::Missing));
    }

    #[test]
    fn a_lock_that_another_process_keeps_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = [(); 2].map(|()| Folder { root: folder.path().join("store") });
        let held = one.lock(1).unwrap();
        let error = other.lock(2).unwrap_err().to_string();
        assert!(error.contains("store/.lock for 40ms"), "{error}");
        drop(held);
        drop(other.lock(1).unwrap());
        fs::remove_file(one.root.join(LOCK)).and_then(|()| fs::create_dir(one.root.join(LOCK))).unwrap();
        assert_eq!(other.lock(1).unwrap_err(), TargetError::NotAFile("a folder"));
    }

    #[tokio::test]
    async fn no_operation_leaves_the_folder_whatever_the_name_or_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (root, victim) = (folder.path().join("store"), folder.path().join("victim"));
        fs::create_dir_all(root.join("p")).unwrap();
        fs::write(&victim, "whole").unwrap();
        std::os::unix::fs::symlink(folder.path(), root.join("p/out")).unwrap();
        std::os::unix::fs::symlink(&victim, root.join("CURRENT")).unwrap();
        let target: &dyn Target = &Folder { root: root.clone() };
        let absolute = victim.to_str().unwrap();
        for name in [absolute, "../victim", "p/../../victim", "p/out/victim", "CURRENT", "p", "", "p//victim"]
        {
            let refused = match name {
                "CURRENT" => TargetError::NotAFile("a link"),
                "p" => TargetError::NotAFile("a folder"),
                _ => TargetError::Name(name.to_owned()),
            };
            let bytes = Bytes::from_static(b"other");
            assert_eq!(target.get(name, None, 9).await.unwrap_err(), refused);
            assert_eq!(target.range(name, 0, 1).await, Err(refused.clone()));
            assert_eq!(target.delete(name).await, Err(refused.clone()));
            assert_eq!(put(target, name, b"other").await, Err(refused.clone()));
            assert_eq!(target.write(name, bytes, None).await, Err(refused));
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "whole");
    }

    #[tokio::test]
    async fn a_killed_write_leaves_one_file_that_the_next_write_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "whole").unwrap();
        let target: &dyn Target = &Folder { root: folder.path().join("store") };
        put(target, "one", b"1").await.unwrap();
        for link in [false, true] {
            let new = folder.path().join("store").join(TEMPORARY);
            match link {
                true => std::os::unix::fs::symlink(&victim, &new).unwrap(),
                false => fs::write(&new, "half of an obj").unwrap(),
            }
            put(target, "p/two", b"2").await.unwrap();
            assert_eq!(fs::read(folder.path().join("store/p/two")).unwrap(), b"2");
            assert_eq!(fs::read_dir(folder.path().join("store")).unwrap().count(), 3, "lock, object, folder");
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "whole");
    }
}
