//! A root as the source of a push.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use store::{Digest, Generation, GenerationId, PackOptions, PackedGeneration, VerifyMode, list, verify};
use tempfile::TempDir;
use uuid::Uuid;

use crate::current::FetchedCurrent;
use crate::error::{RemoteError, file_error};
use crate::publish::PushSource;
use crate::rollback_guard::RollbackGuard;

/// Zstandard level of what is not compressed here, as of a build.
const LEVEL: i32 = 9;

/// The live generation of a root.
pub struct LocalRoot {
    root: PathBuf,
    generation: Generation,
    jobs: usize,
    /// Holds new packs until they are uploaded: the first upload waits until all of them are known.
    packs: TempDir,
}

impl LocalRoot {
    /// Opens the live generation of a root.
    ///
    /// # Errors
    ///
    /// If there is none, or it is damaged.
    pub fn open(root: &Path, jobs: usize) -> Result<Self, RemoteError> {
        let generation = Generation::open_current(root)?;
        let packs = tempfile::tempdir().map_err(file_error("the temporary folder"))?;
        Ok(Self { root: root.to_owned(), generation, jobs, packs })
    }

    fn pack_file(&self, sha256: &Digest) -> PathBuf {
        self.packs.path().join(sha256.to_string())
    }
}

impl PushSource for LocalRoot {
    fn generation(&self) -> GenerationId {
        self.generation.id()
    }

    /// The live generation was pulled into or pushed from this root, or is an ancestor of the generation here.
    fn is_based_on(&self, root: Uuid, live: GenerationId) -> bool {
        if matches!(RollbackGuard::read(&self.root), Ok(Some(guard)) if guard.has_accepted(root, live)) {
            return true;
        }
        let here = list(&self.root).unwrap_or_default();
        let parent =
            |id: GenerationId| here.iter().find(|listed| listed.id == id)?.manifest.as_ref().ok()?.parent;
        let mut ancestors = std::iter::successors(self.generation.manifest().parent, |id| parent(*id));
        ancestors.any(|id| id == live)
    }

    fn pack(
        &mut self,
        before: Option<&[u8]>,
        push: Uuid,
    ) -> Result<(PackedGeneration, Vec<Digest>), RemoteError> {
        let id = self.generation.id();
        let verified = verify(&self.root, Some(id), VerifyMode::Fast, self.jobs, &|_, _| ());
        if let Some(fault) = verified.err().and_then(|faults| faults.into_iter().next()) {
            return Err(fault.into());
        }
        let new = Mutex::new(Vec::new());
        let take = |sha256: Digest, bytes: &[u8]| {
            std::fs::write(self.pack_file(&sha256), bytes)?;
            new.lock().unwrap_or_else(PoisonError::into_inner).push(sha256);
            Ok(())
        };
        // Never 0, the salt of packs of a build.
        let salt = push.as_u64_pair().1 | 1;
        let options = PackOptions { salt, level: LEVEL, jobs: self.jobs };
        let packed = self.generation.outgoing(before, options, &take)?;
        Ok((packed, new.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    fn pack_bytes(&self, sha256: &Digest) -> Result<Bytes, RemoteError> {
        std::fs::read(self.pack_file(sha256)).map(Into::into).map_err(file_error("a packed part"))
    }

    fn file_bytes(&self, path: &str) -> Result<Bytes, RemoteError> {
        Ok(self.generation.plain(path)?.into())
    }
}

/// Records in a root what was pushed from it, so that the next push from there is based on it.
///
/// # Errors
///
/// If it cannot be written.
pub fn record_push(root: &Path, pushed: &FetchedCurrent) -> Result<(), RemoteError> {
    RollbackGuard::record(RollbackGuard::read(root)?, pushed, root)
}
