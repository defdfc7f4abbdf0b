//! A root as what is pushed from.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bytes::Bytes;
use snapshot::store::{Body, Digest, Generation, GenerationId, PackOptions, VerifyMode, list, verify};
use tempfile::TempDir;
use uuid::Uuid;

use crate::error::RemoteError;
use crate::index::{LooseFile, Pack};
use crate::publish::{PackedSource, PushSource};
use crate::rollback_guard::RollbackGuard;

/// Level of Zstandard for what is not compressed here, as of a build.
const LEVEL: i32 = 9;

/// The live generation of a root.
pub struct LocalRoot {
    root: PathBuf,
    generation: Generation,
    jobs: usize,
    /// New packs wait here: how many there are is known before the first one leaves.
    waiting: TempDir,
}

impl LocalRoot {
    /// Opens what is live in a root.
    ///
    /// # Errors
    ///
    /// If there is nothing, or it is damaged.
    pub fn open(root: &Path, jobs: usize) -> Result<Self, RemoteError> {
        let generation = Generation::open_current(root)?;
        let waiting = tempfile::tempdir().map_err(|error| file("the temporary folder", &error))?;
        Ok(Self { root: root.to_owned(), generation, jobs, waiting })
    }

    fn waits(&self, sha256: &Digest) -> PathBuf {
        self.waiting.path().join(sha256.to_string())
    }
}

fn file(name: &str, error: &std::io::Error) -> RemoteError {
    RemoteError::File { name: name.to_owned(), problem: error.to_string() }
}

impl PushSource for LocalRoot {
    fn generation(&self) -> GenerationId {
        self.generation.id()
    }

    /// Either it was pulled or pushed from here, or what is here goes back to it.
    fn is_upon(&self, root: Uuid, live: GenerationId) -> bool {
        if matches!(RollbackGuard::of(&self.root), Ok(Some(accepted)) if accepted.knows(root, live)) {
            return true;
        }
        let here = list(&self.root).unwrap_or_default();
        let parent =
            |id: GenerationId| here.iter().find(|listed| listed.id == id)?.manifest.as_ref().ok()?.parent;
        let mut parents = std::iter::successors(self.generation.manifest().parent, |id| parent(*id));
        parents.any(|id| id == live)
    }

    fn pack(&mut self, before: Option<&[u8]>, push: Uuid) -> Result<PackedSource, RemoteError> {
        let id = self.generation.id();
        let compared = verify(&self.root, Some(id), VerifyMode::Fast, self.jobs, &|_, _| ());
        if let Some(fault) = compared.err().and_then(|faults| faults.into_iter().next()) {
            return Err(fault.into());
        }
        let new = Mutex::new(Vec::new());
        let take = |sha256: Digest, bytes: &[u8]| {
            std::fs::write(self.waits(&sha256), bytes)?;
            let mut new = new.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            new.push(sha256);
            Ok(())
        };
        // Never 0, which packs of a build have.
        let salt = push.as_u64_pair().1 | 1;
        let how = PackOptions { salt, level: LEVEL, jobs: self.jobs };
        let outgoing = self.generation.outgoing(before, how, &take)?;
        let plain = |(path, body): (String, Body)| LooseFile { path, sha256: body.sha256, length: body.len };
        Ok(PackedSource {
            manifest: String::from_utf8_lossy(&outgoing.manifest).into_owned(),
            tables: [outgoing.objects, outgoing.history],
            packs: outgoing.packs.into_iter().map(Pack::from).collect(),
            new: new.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner),
            plain: outgoing.plain.into_iter().map(plain).collect(),
        })
    }

    fn pack_bytes(&self, sha256: &Digest) -> Result<Bytes, RemoteError> {
        let bytes = std::fs::read(self.waits(sha256)).map_err(|error| file("a packed part", &error))?;
        Ok(bytes.into())
    }

    fn plain_bytes(&self, path: &str) -> Result<Bytes, RemoteError> {
        Ok(self.generation.plain(path)?.into())
    }
}

/// Writes down in a root what was pushed from it: what is live there is known here.
///
/// # Errors
///
/// If it cannot be written.
pub fn note_pushed(root: &Path, read: &crate::current::FetchedCurrent) -> Result<(), RemoteError> {
    RollbackGuard::note(RollbackGuard::of(root)?, read, root)
}
