//! Pulling: what CURRENT names for an edge comes into a root, so that it is live there.
//!
//! L1 CURRENT · L2 who signed it, which store, how old · L3 what describes the generation, by hash · L4 what is missing
//! here, by ranges of packs · L5 compared with its hash, into a pack of our own · L7 published as a build is · L6
//! written down as accepted, after all of it is here. Until L7 the generation before is live; a range that is gone
//! means that another generation was published, and L1 comes again.

use std::path::Path;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use snapshot::store::{Body, Digest, FetchMode, GenerationId, IncomingGeneration, PackRange, take_present};

use crate::current::{self, FetchedCurrent, GenerationRef};
use crate::error::{RemoteError, store_error};
use crate::index::{GenerationIndex, TableKind, pack_path, plain_path};
use crate::keys::Trust;
use crate::rollback_guard::RollbackGuard;
use crate::target::{ObjectVersion, Target, TargetError};

/// Longest range that is asked for.
const RANGE: u64 = 8 << 20;
/// What lies between two objects is fetched too if it is no longer than this: a request costs more.
const GAP: u64 = 64 << 10;
/// Ranges at a time.
const AT_ONCE: usize = 8;
/// How often it begins anew because what it was fetching is gone.
const TRIES: usize = 3;

/// Where from, and who is believed.
#[derive(Clone, Copy)]
pub struct Puller<'a> {
    /// The store.
    pub target: &'a dyn Target,
    /// Who is believed.
    pub trust: &'a Trust,
    /// Threads for reading back.
    pub jobs: usize,
    /// What is brought here.
    pub take: FetchMode,
    /// The name of the edge that it is brought for, which says whether it takes part in a rollout.
    pub edge: Option<&'a str>,
}

/// What came of it.
#[derive(Debug)]
pub struct Pulled {
    /// What is live here now.
    pub id: GenerationId,
    /// CURRENT as it was read.
    pub read: FetchedCurrent,
    /// Whether it was live already.
    pub unchanged: bool,
    /// Ranges that were fetched, and their bytes.
    pub ranges: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Puller<'_> {
    /// Brings what is live, or rolled out to this edge, into a root, unless CURRENT still is `unless`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, who wrote there is not believed, something is not what was pushed, or the root
    /// cannot be written. What is live in the root stays live then.
    pub async fn pull(
        &self,
        root: &Path,
        unless: Option<&ObjectVersion>,
    ) -> Result<Option<Pulled>, RemoteError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let Some(read) = current::fetch(self.target, self.trust, unless).await? else { return Ok(None) };
            match self.take(root, read).await {
                Err(error) if error.is_missing() && tries < TRIES => {}
                taken => return taken.map(Some),
            }
        }
    }

    async fn take(&self, root: &Path, read: FetchedCurrent) -> Result<Pulled, RemoteError> {
        let before = RollbackGuard::of(root)?;
        RollbackGuard::judge(before.as_ref(), &read, &self.target.place(), root)?;
        let named = read.pointer.of_edge(self.edge);
        let contents = GenerationIndex::fetch(self.target, named).await?;
        let pulled = match take_present(root, contents.manifest.as_bytes(), self.take)? {
            Some((id, unchanged)) => Pulled { id, read: read.clone(), unchanged, ranges: 0, bytes: 0 },
            None => self.fetch(root, &read, named, &contents).await?,
        };
        RollbackGuard::note(before, &read, root)?;
        Ok(pulled)
    }

    async fn fetch(
        &self,
        root: &Path,
        read: &FetchedCurrent,
        named: &GenerationRef,
        contents: &GenerationIndex,
    ) -> Result<Pulled, RemoteError> {
        let objects = contents.table(self.target, named, TableKind::Objects).await?;
        let history = contents.table(self.target, named, TableKind::History).await?;
        let manifest = contents.manifest.as_bytes();
        let mut incoming = IncomingGeneration::begin(root, manifest, &history, &objects, self.take)?;
        if incoming.id() != named.generation {
            let name = format!("manifest of {}", named.generation);
            return Err(RemoteError::Damaged { place: self.target.place(), name });
        }
        let (mut ranges, mut bytes) = (0, 0);
        loop {
            let missing = incoming.missing();
            if missing.is_empty() {
                break;
            }
            let spans = spans(&missing);
            ranges += spans.len() as u64;
            bytes += spans.iter().map(|span| span.length).sum::<u64>();
            self.fetch_spans(&spans, &mut incoming).await?;
        }
        for (path, body) in incoming.missing_files()? {
            let file = self.file(named, &path, body, &mut ranges).await?;
            bytes += body.len;
            incoming.add_file(&path, body, &file)?;
        }
        let id = incoming.publish(self.jobs)?;
        Ok(Pulled { id, read: read.clone(), unchanged: false, ranges, bytes })
    }

    async fn fetch_spans(
        &self,
        spans: &[RangeRequest],
        incoming: &mut IncomingGeneration,
    ) -> Result<(), RemoteError> {
        let fetches = spans.iter().map(|span| async move { (span, self.span(span).await) });
        let mut fetches = stream::iter(fetches).buffered(AT_ONCE);
        while let Some((span, came)) = fetches.next().await {
            let mut came = came?;
            for attempt in 0.. {
                match take_pieces(span, &came, incoming) {
                    Ok(()) => break,
                    // A proxy or a disk in between may have erred: twice more, then it is what lies there.
                    Err(_) if attempt < 2 => came = self.span(span).await?,
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    async fn span(&self, span: &RangeRequest) -> Result<Bytes, RemoteError> {
        self.range(&pack_path(&span.pack), span.start, span.length).await
    }

    async fn range(&self, path: &str, start: u64, length: u64) -> Result<Bytes, RemoteError> {
        let place = self.target.place();
        for _ in 0..2 {
            match self.target.range(path, start, length).await {
                Ok(bytes) if bytes.len() as u64 == length => return Ok(bytes),
                Ok(_) | Err(TargetError::Length) => {}
                Err(refusal) => return Err(store_error(&place, format!("reading {path}"))(refusal)),
            }
        }
        Err(RemoteError::Damaged { place, name: path.to_owned() })
    }

    /// A file that lies in no pack, range by range.
    async fn file(
        &self,
        named: &GenerationRef,
        path: &str,
        body: Body,
        ranges: &mut u64,
    ) -> Result<Vec<u8>, RemoteError> {
        let mut file = Vec::new();
        while (file.len() as u64) < body.len {
            let start = file.len() as u64;
            let length = RANGE.min(body.len - start);
            file.extend_from_slice(&self.range(&plain_path(named, path), start, length).await?);
            *ranges += 1;
        }
        Ok(file)
    }
}

/// Pieces of one pack that are fetched together.
pub(crate) struct RangeRequest {
    pub(crate) pack: Digest,
    pub(crate) start: u64,
    pub(crate) length: u64,
    pieces: Vec<PackRange>,
}

impl RangeRequest {
    /// Its pieces and what came of each; nothing of one that did not come.
    pub(crate) fn parts<'a>(&'a self, came: &'a [u8]) -> impl Iterator<Item = (&'a PackRange, &'a [u8])> {
        self.pieces.iter().map(|piece| {
            let start = (piece.offset - self.start) as usize;
            (piece, came.get(start..start + piece.len as usize).unwrap_or_default())
        })
    }
}

/// Puts pieces, sorted by pack and place, into as few ranges as are not too long.
pub(crate) fn spans(pieces: &[PackRange]) -> Vec<RangeRequest> {
    let mut spans: Vec<RangeRequest> = Vec::new();
    for piece in pieces {
        let end = piece.offset.saturating_add(piece.len.into());
        let near = spans.last_mut().filter(|span| {
            let (from, to) = (span.start, span.start + span.length);
            span.pack == piece.pack && piece.offset <= to.saturating_add(GAP) && end - from <= RANGE
        });
        match near {
            Some(span) => {
                span.length = span.length.max(end - span.start);
                span.pieces.push(*piece);
            }
            None => spans.push(RangeRequest {
                pack: piece.pack,
                start: piece.offset,
                length: end - piece.offset,
                pieces: vec![*piece],
            }),
        }
    }
    spans
}

fn take_pieces(
    span: &RangeRequest,
    came: &Bytes,
    incoming: &mut IncomingGeneration,
) -> Result<(), RemoteError> {
    span.parts(came).try_for_each(|(piece, stored)| Ok(incoming.add(piece, stored)?))
}
