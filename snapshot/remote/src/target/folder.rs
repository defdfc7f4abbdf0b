//! A folder as a store: `file://`. Conditions hold by a lock that all who write take; what is written is whole and on
//! disk before it has its name.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use rustix::fs::{FlockOperation, Mode};
use snapshot::store::Digest;

use super::{FetchedObject, ObjectVersion, Target, TargetError, TargetFuture};

/// Held while anything is written under a condition.
const LOCK: &str = ".lock";
/// Mode of what is written: others read it.
const MODE: Mode = Mode::from_raw_mode(0o644);

/// A folder.
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// A folder, which is made at the first write.
    #[must_use]
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.root.join(path))?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<ObjectVersion> {
        let to = self.root.join(path);
        let folder = to.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".tmp-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        rustix::fs::fchmod(file.as_file(), MODE)?;
        file.as_file().sync_all()?;
        file.persist(&to).map_err(|error| error.error)?;
        sync_up(folder, &self.root)?;
        Ok(version(bytes))
    }

    /// Writes while nobody else does, if the version that is there is the one that is expected.
    fn write_if(
        &self,
        path: &str,
        bytes: &[u8],
        expected: Option<&ObjectVersion>,
    ) -> Result<ObjectVersion, TargetError> {
        fs::create_dir_all(&self.root).map_err(refused)?;
        let lock = File::options().create(true).append(true).open(self.root.join(LOCK)).map_err(refused)?;
        rustix::fs::flock(&lock, FlockOperation::LockExclusive).map_err(|error| refused(error.into()))?;
        let found = match self.read(path, u64::MAX) {
            Ok(bytes) => Some(version(&bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(refused(error)),
        };
        if found.as_ref() != expected {
            return Err(TargetError::Condition);
        }
        self.write(path, bytes).map_err(refused)
    }

    fn slice(&self, path: &str, start: u64, length: u64) -> io::Result<Vec<u8>> {
        let file = File::open(self.root.join(path))?;
        // Longer than the file: an error before any memory is taken for it.
        if start.checked_add(length).is_none_or(|end| file.metadata().is_ok_and(|found| end > found.len())) {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact_at(&mut bytes, start)?;
        Ok(bytes)
    }
}

/// Makes names durable: of a folder and of those above it that may be new.
fn sync_up(folder: &Path, root: &Path) -> io::Result<()> {
    let mut folders = folder.ancestors().take_while(|folder| folder.starts_with(root));
    folders.try_for_each(|folder| File::open(folder)?.sync_all())
}

fn version(bytes: &[u8]) -> ObjectVersion {
    ObjectVersion { tag: Some(Digest::of(bytes).to_string()), number: None }
}

#[expect(clippy::needless_pass_by_value, reason = "a function to map errors with")]
fn refused(error: io::Error) -> TargetError {
    match error.kind() {
        ErrorKind::NotFound => TargetError::Missing,
        ErrorKind::UnexpectedEof => TargetError::Length,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => TargetError::Denied(error.to_string()),
        _ => TargetError::Failed(error.to_string()),
    }
}

impl Target for Folder {
    fn place(&self) -> String {
        format!("file://{}", self.root.display())
    }

    fn get<'a>(
        &'a self,
        path: &'a str,
        unless: Option<&'a ObjectVersion>,
        limit: u64,
    ) -> TargetFuture<'a, Option<FetchedObject>> {
        Box::pin(async move {
            let bytes = self.read(path, limit).map_err(refused)?;
            if bytes.len() as u64 > limit {
                return Err(TargetError::Length);
            }
            let version = version(&bytes);
            Ok((unless != Some(&version)).then(|| FetchedObject { bytes: bytes.into(), version }))
        })
    }

    fn range<'a>(&'a self, path: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes> {
        Box::pin(async move { self.slice(path, start, length).map(Bytes::from).map_err(refused) })
    }

    fn written<'a>(&'a self, path: &'a str) -> TargetFuture<'a, i64> {
        Box::pin(async move {
            let modified = fs::metadata(self.root.join(path)).and_then(|found| found.modified());
            let since = modified.map_err(refused)?.duration_since(UNIX_EPOCH).unwrap_or_default();
            Ok(since.as_secs().cast_signed())
        })
    }

    fn put<'a>(&'a self, path: &'a str, bytes: Bytes) -> TargetFuture<'a, ()> {
        Box::pin(async move { self.write(path, &bytes).map(drop).map_err(refused) })
    }

    fn create<'a>(&'a self, path: &'a str, bytes: Bytes) -> TargetFuture<'a, ObjectVersion> {
        Box::pin(async move { self.write_if(path, &bytes, None) })
    }

    fn replace<'a>(
        &'a self,
        path: &'a str,
        bytes: Bytes,
        version: &'a ObjectVersion,
    ) -> TargetFuture<'a, ObjectVersion> {
        Box::pin(async move { self.write_if(path, &bytes, Some(version)) })
    }

    fn delete<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ()> {
        Box::pin(async move {
            match fs::remove_file(self.root.join(path)) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(refused(error)),
                _ => Ok(()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_keeps_what_a_store_must_promise() {
        let folder = tempfile::tempdir().unwrap();
        let target = Folder::new(folder.path().join("store"));
        let [one, two, three] = ["one", "two", "three"].map(|text| Bytes::from_static(text.as_bytes()));
        assert_eq!(target.get("a/b", None, 9).await.unwrap_err(), TargetError::Missing);
        let first = target.create("a/b", one).await.unwrap();
        assert_eq!(target.create("a/b", two.clone()).await, Err(TargetError::Condition));
        let second = target.replace("a/b", two, &first).await.unwrap();
        assert_eq!(target.replace("a/b", three, &first).await, Err(TargetError::Condition));
        assert!(target.get("a/b", Some(&second), 9).await.unwrap().is_none(), "it has not changed");
        let got = target.get("a/b", Some(&first), 3).await.unwrap().unwrap();
        assert_eq!((&*got.bytes, got.version), (&b"two"[..], second));
        assert_eq!(target.get("a/b", None, 2).await.unwrap_err(), TargetError::Length);
        assert_eq!(&*target.range("a/b", 1, 2).await.unwrap(), b"wo");
        assert_eq!(target.range("a/b", 1, 3).await, Err(TargetError::Length));
        assert_eq!(target.range("a/b", u64::MAX, 2).await, Err(TargetError::Length));
        target.put("a/b", Bytes::from_static(b"x")).await.unwrap();
        target.delete("a/b").await.unwrap();
        target.delete("a/b").await.unwrap();
        assert_eq!(target.range("a/b", 0, 1).await, Err(TargetError::Missing));
    }
}
