//! Pulling: the generation that CURRENT names is brought into a root and made live there.
//!
//! L1 read CURRENT · L2 check its signature, its store and its version · L3 fetch what describes the generation, by hash ·
//! L4 fetch the objects that are missing here, by ranges of packs · L5 compare them with their hashes and pack them ·
//! L6 publish as a build does · L7 record CURRENT as accepted. Until L6 the generation before stays live. A range that
//! is gone means that another generation was published: then L1 follows.

use std::path::Path;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use store::{Body, FetchMode, GenerationId, IncomingGeneration, take_present};

use crate::current::{self, FetchedCurrent, GenerationRef, Trust};
use crate::error::{RemoteError, read_error};
use crate::index::GenerationIndex;
use crate::objects::{RANGE, RangeRequest, TRIES, join_ranges, pack_path};
use crate::rollback_guard::RollbackGuard;
use crate::target::{ObjectVersion, Target, TargetError};

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
    /// Which bodies it fetches.
    pub mode: FetchMode,
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
            let current = current::fetch_unless(self.target, self.trust, unless).await?;
            let Some(current) = current else { return Ok(None) };
            match self.accept(root, current).await {
                Err(error) if error.is_missing() && tries < TRIES => {}
                pulled => return pulled.map(Some),
            }
        }
    }

    async fn accept(&self, root: &Path, current: FetchedCurrent) -> Result<Pulled, RemoteError> {
        let (guard, place) = (RollbackGuard::read(root)?, self.target.place());
        guard.check(&current, &place, self.trust)?;
        let live = &current.current.live;
        let index = GenerationIndex::fetch(self.target, live).await?;
        let (id, unchanged, ranges, bytes) = match take_present(root, index.manifest.as_bytes(), self.mode)? {
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
        let objects = index.objects(self.target, live).await?;
        let history = index.history(self.target, live).await?;
        let manifest = index.manifest.as_bytes();
        let mut incoming = IncomingGeneration::begin(root, manifest, &history, &objects, self.mode)?;
        if incoming.id() != live.generation {
            let name = format!("manifest of {}", live.generation);
            return Err(RemoteError::Damaged { place: self.target.place(), name });
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

    async fn fetch_ranges(
        &self,
        requests: &[RangeRequest],
        incoming: &mut IncomingGeneration,
    ) -> Result<(), RemoteError> {
        let send = async |request: &RangeRequest| {
            self.range(&pack_path(&request.pack), request.start, request.length).await
        };
        let responses = requests.iter().map(|request| async move { (request, send(request).await) });
        let mut responses = stream::iter(responses).buffered(CONCURRENT);
        while let Some((request, response)) = responses.next().await {
            let mut response = response?;
            for tries in 1.. {
                let added =
                    request.split(&response).try_for_each(|(piece, stored)| incoming.add(piece, stored));
                match added {
                    Ok(()) => break,
                    Err(error) if tries == TRIES => return Err(error.into()),
                    Err(_) => response = send(request).await?,
                }
            }
        }
        Ok(())
    }

    async fn range(&self, path: &str, start: u64, length: u64) -> Result<Bytes, RemoteError> {
        let place = self.target.place();
        for _ in 1..TRIES {
            match self.target.range(path, start, length).await {
                Ok(bytes) if bytes.len() as u64 == length => return Ok(bytes),
                Ok(_) | Err(TargetError::Length) => {}
                Err(error) => return Err(read_error(&place, path)(error)),
            }
        }
        Err(RemoteError::Damaged { place, name: path.to_owned() })
    }

    /// A file that is in no pack, range by range.
    async fn fetch_file(&self, path: &str, body: Body) -> Result<Vec<u8>, RemoteError> {
        let mut file = Vec::new();
        while (file.len() as u64) < body.len {
            let start = file.len() as u64;
            file.extend_from_slice(&self.range(path, start, RANGE.min(body.len - start)).await?);
        }
        Ok(file)
    }
}
