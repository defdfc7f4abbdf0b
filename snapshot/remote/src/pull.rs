//! Pulling: the generation that CURRENT names is brought into a root and made live there.
//!
//! L1 read CURRENT · L2 check its signature, its store and its version · L3 fetch what describes the generation, by hash ·
//! L4 fetch the objects that are missing here, by ranges of packs · L5 compare them with their hashes and pack them ·
//! L6 publish as a build does · L7 record CURRENT as accepted. Until L6 the generation before stays live. A range that
//! is gone means that another generation was published: then L1 follows.

use std::path::Path;

use futures_util::stream::{self, StreamExt as _};
use store::{Body, GenerationId, IncomingGeneration, PackRange, StoreError, take_present};

use crate::current::{self, FetchedCurrent, GenerationRef, Trust};
use crate::error::{RemoteError, TargetError, read_error};
use crate::index::{GenerationIndex, HISTORY, OBJECTS};
use crate::objects::{
    FetchBudget, FetchedRange, RANGE, RangeRequest, TRIES, fetch_range, join_ranges, pack_path, retried,
};
use crate::rollback_guard::RollbackGuard;
use crate::stores::{ObjectVersion, Target};

/// Concurrent requests.
const CONCURRENT: usize = 8;

/// A client that brings generations from a store into a root.
#[derive(Clone, Copy)]
pub struct Puller<'a> {
    /// The store.
    pub target: &'a dyn Target,
    /// The keys whose CURRENT it accepts.
    pub trust: &'a Trust,
    /// Threads for reading back.
    pub jobs: usize,
    /// The memory that it shares with other fetches.
    pub budget: &'a FetchBudget,
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
    /// Fetched ranges.
    pub ranges: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Puller<'_> {
    /// Brings the store's live generation into a root; `None` if the version of CURRENT still is `unless`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or is not trusted, an object is damaged, or the root cannot be written. The root's live
    /// generation stays live then.
    pub async fn pull(
        &self,
        root: &Path,
        unless: Option<&ObjectVersion>,
    ) -> Result<Option<Pulled>, RemoteError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let Some(current) = self.look(unless).await? else { return Ok(None) };
            match self.accept(root, current).await {
                Err(error) if error.is_missing() && tries < TRIES => {}
                pulled => return pulled.map(Some),
            }
        }
    }

    /// Reads CURRENT and checks its signature; `None` if its version still is `unless`.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is not trusted.
    pub async fn look(&self, unless: Option<&ObjectVersion>) -> Result<Option<FetchedCurrent>, RemoteError> {
        current::fetch_unless(self.target, self.trust, unless).await
    }

    /// Brings the generation that CURRENT names into a root. What was fetched before a failure is kept for the next try.
    ///
    /// # Errors
    ///
    /// As of [`Self::pull`].
    pub async fn accept(&self, root: &Path, current: FetchedCurrent) -> Result<Pulled, RemoteError> {
        let (guard, place) = (RollbackGuard::read(root)?, self.target.place());
        guard.check(&current, &place, self.trust)?;
        let live = &current.current.live;
        let index = GenerationIndex::fetch(self.target, live).await?;
        let (id, unchanged, ranges, bytes) = match take_present(root, index.manifest.as_bytes())? {
            Some((id, unchanged)) => (id, unchanged, 0, 0),
            None => {
                let (ranges, bytes) = self.fetch(root, live, &index).await?;
                (live.generation, false, ranges, bytes)
            }
        };
        guard.record(&current, &place)?;
        Ok(Pulled { id, current, unchanged, ranges, bytes })
    }

    /// L3 to L6; gives the number of fetched ranges and their bytes.
    async fn fetch(
        &self,
        root: &Path,
        live: &GenerationRef,
        index: &GenerationIndex,
    ) -> Result<(u64, u64), RemoteError> {
        index.check_sizes(&self.target.place(), live)?;
        let objects = index.objects.fetch(self.target, live.path(OBJECTS)).await?;
        let history = index.history.fetch(self.target, live.path(HISTORY)).await?;
        let manifest = index.manifest.as_bytes();
        let mut incoming = IncomingGeneration::begin(root, manifest, &history, &objects)?;
        if incoming.id() != live.generation {
            return Err(self.damaged(format!("manifest of {}", live.generation)));
        }
        let (mut ranges, mut bytes) = (0, 0);
        loop {
            let requests = join_ranges(incoming.missing());
            if requests.is_empty() {
                break;
            }
            ranges += requests.len() as u64;
            bytes += requests.iter().map(|request| request.length).sum::<u64>();
            self.fetch_ranges(&requests, &mut incoming).await?;
        }
        for (path, body) in incoming.missing_files()? {
            let file = self.fetch_file(&live.path(&path), body).await?;
            ranges += body.len.div_ceil(RANGE);
            bytes += body.len;
            incoming.add_file(&path, body, &file)?;
        }
        incoming.publish(self.jobs)?;
        Ok((ranges, bytes))
    }

    /// Adds what comes to the generation. Damaged pieces stop nothing else from being fetched.
    async fn fetch_ranges(
        &self,
        requests: &[RangeRequest],
        incoming: &mut IncomingGeneration,
    ) -> Result<(), RemoteError> {
        let responses = requests.iter().map(|request| async move {
            (request, self.range(&pack_path(&request.pack), request.start, request.length).await)
        });
        let mut responses = stream::iter(responses).buffered(CONCURRENT);
        let mut damaged = Vec::new();
        while let Some((request, response)) = responses.next().await {
            let response = response?;
            for (piece, stored) in request.split(&response.bytes) {
                if !add(incoming, piece, stored)? {
                    damaged.push(*piece);
                }
            }
        }
        let mut result = Ok(());
        for piece in damaged {
            let path = pack_path(&piece.pack);
            let fetch = async || {
                let response = self.range(&path, piece.offset, piece.len.into()).await?;
                Ok(add(incoming, &piece, &response.bytes)?.then_some(()))
            };
            // It was fetched once.
            if retried(TRIES - 1, fetch).await?.is_none() {
                result = Err(self.damaged(path));
            }
        }
        result
    }

    async fn range(&self, path: &str, start: u64, length: u64) -> Result<FetchedRange, RemoteError> {
        match fetch_range(self.target, self.budget, (path, start, length)).await {
            Err(TargetError::Length) => Err(self.damaged(path.to_owned())),
            fetched => fetched.map_err(read_error(&self.target.place(), path)),
        }
    }

    fn damaged(&self, name: String) -> RemoteError {
        RemoteError::Damaged { place: self.target.place(), name }
    }

    /// A file that is in no pack, range by range.
    async fn fetch_file(&self, path: &str, body: Body) -> Result<Vec<u8>, RemoteError> {
        let mut file = Vec::new();
        while (file.len() as u64) < body.len {
            let start = file.len() as u64;
            file.extend_from_slice(&self.range(path, start, RANGE.min(body.len - start)).await?.bytes);
        }
        Ok(file)
    }
}

/// Adds a piece; gives whether it is what was published.
fn add(incoming: &mut IncomingGeneration, piece: &PackRange, stored: &[u8]) -> Result<bool, RemoteError> {
    match incoming.add(piece, stored) {
        Ok(()) => Ok(true),
        Err(StoreError::Damaged { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
