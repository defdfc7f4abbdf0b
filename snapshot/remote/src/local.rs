//! A root as the source of a push.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use store::{Digest, Generation, GenerationId, PackOptions, PackedGeneration, VerifyMode, list, verify};
use uuid::Uuid;

use crate::error::{RemoteError, file_error};
use crate::publish::PushSource;
use crate::rollback_guard::RollbackGuard;

/// Zstandard level of what is not compressed here, as of a build.
const LEVEL: i32 = 6;

/// The live generation of a root.
pub struct LocalRoot {
    root: PathBuf,
    generation: Generation,
    jobs: usize,
    /// Holds new packs until they are uploaded: the first upload waits until all of them are known. It has no name, so that
    /// nothing of a killed push stays.
    packs: File,
    /// Where each pack is in it: offset and length.
    places: BTreeMap<Digest, (u64, usize)>,
}

impl LocalRoot {
    /// Opens the live generation of a root.
    ///
    /// # Errors
    ///
    /// If there is none, or it is damaged.
    pub fn open(root: &Path, jobs: usize) -> Result<Self, RemoteError> {
        let generation = Generation::open_current(root)?;
        let packs = tempfile::tempfile().map_err(file_error("the temporary folder"))?;
        Ok(Self { root: root.to_owned(), generation, jobs, packs, places: BTreeMap::new() })
    }
}

impl PushSource for LocalRoot {
    fn generation(&self) -> GenerationId {
        self.generation.id()
    }

    fn root(&self) -> Option<&Path> {
        Some(&self.root)
    }

    /// The live generation was pulled into or pushed from this root, or is an ancestor of the generation here.
    fn is_based_on(&self, root: Uuid, live: GenerationId) -> bool {
        if RollbackGuard::read(&self.root).is_ok_and(|guard| guard.has_accepted(root, live)) {
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
        let new = Mutex::new((Vec::new(), 0));
        let take = |sha256: Digest, bytes: &[u8]| {
            let (places, end) = &mut *new.lock().unwrap_or_else(PoisonError::into_inner);
            self.packs.write_all_at(bytes, *end)?;
            places.push((sha256, (*end, bytes.len())));
            *end += bytes.len() as u64;
            Ok(())
        };
        // Never 0, the salt of packs of a build.
        let salt = push.as_u64_pair().1 | 1;
        let options = PackOptions { salt, level: LEVEL, jobs: self.jobs };
        let packed = self.generation.outgoing(before, options, &take)?;
        let (places, _) = new.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.places = places.iter().copied().collect();
        Ok((packed, places.into_iter().map(|(sha256, _)| sha256).collect()))
    }

    fn pack_bytes(&self, sha256: &Digest) -> Result<Bytes, RemoteError> {
        let (start, length) = self.places.get(sha256).copied().unwrap_or_default();
        let mut bytes = vec![0; length];
        self.packs.read_exact_at(&mut bytes, start).map_err(file_error("a packed part"))?;
        Ok(bytes.into())
    }

    fn file_bytes(&self, path: &str) -> Result<Bytes, RemoteError> {
        Ok(self.generation.plain(path)?.into())
    }
}
