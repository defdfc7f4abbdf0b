//! A root as the source of a push.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use store::{Generation, Manifest, VerifyMode, verify};

use crate::error::RemoteError;
use crate::publish::PushSource;

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
