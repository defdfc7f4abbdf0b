//! A root as the source of a push.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use store::{Generation, GenerationId, Manifest, VerifyMode, verify};
use uuid::Uuid;

use crate::error::RemoteError;
use crate::publish::PushSource;
use crate::rollback_guard::RollbackGuard;

/// The live generation of a root.
pub struct LocalRoot {
    root: PathBuf,
    generation: Generation,
    jobs: usize,
}

impl LocalRoot {
    /// Opens the live generation of a root.
    ///
    /// # Errors
    ///
    /// If there is none, or it is damaged.
    pub fn open(root: &Path, jobs: usize) -> Result<Self, RemoteError> {
        let generation = Generation::open_current(root)?;
        Ok(Self { root: root.to_owned(), generation, jobs })
    }
}

impl PushSource for LocalRoot {
    fn manifest(&self) -> &Manifest {
        self.generation.manifest()
    }

    fn root(&self) -> Option<&Path> {
        Some(&self.root)
    }

    /// The live generation was pulled into or pushed from this root.
    fn is_based_on(&self, root: Uuid, live: GenerationId) -> bool {
        RollbackGuard::read(&self.root).is_ok_and(|guard| guard.has_accepted(root, live))
    }

    fn check(&self) -> Result<(), RemoteError> {
        let verified = verify(&self.root, Some(self.generation.id()), VerifyMode::Files, self.jobs);
        match verified.err().and_then(|faults| faults.into_iter().next()) {
            Some(fault) => Err(fault.into()),
            None => Ok(()),
        }
    }

    fn read(&self, path: &str, start: u64, length: usize) -> Result<Bytes, RemoteError> {
        Ok(self.generation.stored_bytes(path, start, length)?.into())
    }
}
