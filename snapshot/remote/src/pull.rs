//! Pulling: the generation that CURRENT names is brought into a root and made live there.
//!
//! L1 read CURRENT · L2 check its signature, its store and its version · L3 fetch the manifest, by hash · L4 fetch the
//! files beside the archive that are not here · L5 fetch the entries of the archive that are not here, by ranges where the
//! store has them · L6 compare the whole with its hash and publish it as a build does · L7 record CURRENT as accepted. Until
//! L6 the generation before stays live. What is gone means that another generation was published: then L1 follows.

use std::ops::Range;
use std::path::Path;

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::stream::{self, StreamExt as _};
use store::{ARCHIVE, Digest, GenerationId, IncomingGeneration, Manifest, take_present};

use crate::current::{self, FetchedCurrent, Trust};
use crate::error::{RemoteError, TargetError, read_error};
use crate::objects::{self, TRIES, fetch_checked, fetch_range, join_ranges, longest};
use crate::rollback_guard::RollbackGuard;
use crate::stores::Target;

/// How often CURRENT is read where what it names is gone.
const LOOKS: usize = 3;
/// Concurrent requests.
const CONCURRENT: usize = 8;

/// A client that brings generations from a store into a root.
#[derive(Clone, Copy)]
pub struct Puller<'a> {
    /// The store.
    pub target: &'a dyn Target,
    /// The keys whose CURRENT it accepts.
    pub trust: &'a Trust,
}

/// The outcome of a pull.
#[derive(Debug)]
pub struct Pulled {
    /// The live generation of the root.
    pub id: GenerationId,
    /// CURRENT as it was read.
    pub current: FetchedCurrent,
    /// Whether the generation was live before.
    pub unchanged: bool,
    /// Fetched files and ranges.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Puller<'_> {
    /// Brings the store's live generation into a root.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or is not trusted, an object is damaged, or the root cannot be written. The root's live
    /// generation stays live then.
    pub async fn pull(&self, root: &Path) -> Result<Pulled, RemoteError> {
        for _ in 1..LOOKS {
            match self.accept(root, current::fetch(self.target, self.trust).await?).await {
                Err(error) if error.is_missing() => {}
                pulled => return pulled,
            }
        }
        self.accept(root, current::fetch(self.target, self.trust).await?).await
    }

    /// Brings the generation that CURRENT names into a root. What was fetched before a failure is kept for the next try.
    ///
    /// # Errors
    ///
    /// As of [`Self::pull`].
    pub async fn accept(&self, root: &Path, current: FetchedCurrent) -> Result<Pulled, RemoteError> {
        let (guard, place) = (RollbackGuard::read(root)?, self.target.place());
        guard.check(&current, &place, self.trust)?;
        let manifest = objects::manifest(self.target, &current.current.live).await?;
        let (present, id) = (take_present(root, &manifest)?, manifest.id());
        let mut pulled = Pulled { id, current, unchanged: present == Some(true), requests: 0, bytes: 0 };
        if present.is_none() {
            self.fetch(root, manifest, &mut pulled).await?;
        }
        guard.record(&pulled.current, &place)?;
        Ok(pulled)
    }

    /// L4 to L6.
    async fn fetch(&self, root: &Path, manifest: Manifest, pulled: &mut Pulled) -> Result<(), RemoteError> {
        let live = pulled.current.current.live.clone();
        let (path, length) = (live.path(ARCHIVE), manifest.stored(ARCHIVE).map_or(0, |file| file.bytes));
        let mut incoming = IncomingGeneration::begin(root, manifest)?;
        for file in incoming.missing_files()? {
            let name = objects::object_of(&live, &file);
            let read = |found: Bytes| {
                let content = store::gunzip(&found, file.bytes)?;
                (Digest::of(&content) == file.sha256).then_some((content, found.len() as u64))
            };
            let (content, length) = fetch_checked(self.target, &name, longest(&file), read).await?;
            incoming.add_file(&file, &content)?;
            pulled.requests += 1;
            pulled.bytes += length;
        }
        // What came wrong is still missing. It stops nothing else from being fetched, once.
        for _ in 0..TRIES {
            let missing = incoming.missing_ranges()?;
            let ranges = join_ranges(&missing, length);
            match self.fetch_ranges(&path, &ranges, &mut incoming, pulled).await {
                Err(RemoteError::Read { error: TargetError::NoRanges, .. }) => {
                    self.fetch_whole(&path, &missing, &mut incoming, pulled).await?;
                }
                done => done?,
            }
        }
        if !incoming.missing_ranges()?.is_empty() {
            return Err(self.damaged(&path));
        }
        incoming.publish()?;
        Ok(())
    }

    /// L5: adds what comes to the generation, in any order.
    async fn fetch_ranges(
        &self,
        path: &str,
        ranges: &[Range<u64>],
        incoming: &mut IncomingGeneration,
        pulled: &mut Pulled,
    ) -> Result<(), RemoteError> {
        let requests = ranges
            .iter()
            .map(|range| async move { (range.start, fetch_range(self.target, path, range).await) });
        let mut responses = stream::iter(requests).buffer_unordered(CONCURRENT);
        while let Some((start, response)) = responses.next().await {
            let bytes = response.map_err(|error| match error {
                TargetError::Length => self.damaged(path),
                error => read_error(&self.target.place(), path)(error),
            })?;
            incoming.add_range(start, &bytes)?;
            pulled.requests += 1;
            pulled.bytes += bytes.len() as u64;
        }
        Ok(())
    }

    /// L5 from a store without ranges: takes what is missing out of the archive as it comes, up to the last of it.
    async fn fetch_whole(
        &self,
        path: &str,
        missing: &[Range<u64>],
        incoming: &mut IncomingGeneration,
        pulled: &mut Pulled,
    ) -> Result<(), RemoteError> {
        let failed = |error| read_error(&self.target.place(), path)(error);
        let mut parts = self.target.stream(path).await.map_err(failed)?;
        pulled.requests += 1;
        // `held` begins at `at`.
        let (mut at, mut held) = (0, BytesMut::new());
        for range in missing {
            while at + (held.len() as u64) < range.end {
                let before = held.len().min((range.start - at) as usize);
                held.advance(before);
                at += before as u64;
                // One that ends too early is fetched again.
                let Some(part) = parts.next().await else { return Ok(()) };
                let part = part.map_err(failed)?;
                pulled.bytes += part.len() as u64;
                held.extend_from_slice(&part);
            }
            held.advance((range.start - at) as usize);
            incoming.add_range(range.start, &held.split_to((range.end - range.start) as usize))?;
            at = range.end;
        }
        Ok(())
    }

    fn damaged(&self, name: &str) -> RemoteError {
        RemoteError::Damaged { place: self.target.place(), name: name.to_owned() }
    }
}
