//! Reading a store's objects: whole ones checked by their hash or the version of their JSON, and parts of packs by ranges
//! that neighbours share.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use store::{Digest, PackRange};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{RemoteError, TargetError, read_error};
use crate::stores::Target;

/// How often an object or a range is fetched before it counts as damaged.
pub(crate) const TRIES: usize = 3;
/// Longest range of a request: what a pull that is killed has to fetch again of each request under way.
pub(crate) const RANGE: u64 = 2 << 20;
/// A try that brought so many bytes was of use.
const PROGRESS: u64 = 64 << 10;
/// Bytes of a part of the budget.
const UNIT: u64 = 1 << 10;
/// Pieces of a pack share a request if no more bytes than these lie between them: another request costs more.
const GAP: u64 = 64 << 10;

/// Name of a pack.
pub(crate) fn pack_path(sha256: &Digest) -> String {
    let name = sha256.to_string();
    format!("p/{}/{name}.pack", name.get(..2).unwrap_or_default())
}

/// Name of the list of objects that wait for their removal.
pub(crate) fn retired_path(sha256: &Digest) -> String {
    format!("retired/{sha256}.json")
}

/// Fetches so many times until what comes is what was published: a proxy or a disk in between may have erred.
pub(crate) async fn retried<T>(
    tries: usize,
    mut fetch: impl AsyncFnMut() -> Result<Option<T>, RemoteError>,
) -> Result<Option<T>, RemoteError> {
    for _ in 0..tries {
        if let found @ Some(_) = fetch().await? {
            return Ok(found);
        }
    }
    Ok(None)
}

/// An object of at most `limit` bytes that has this hash.
pub(crate) async fn fetch_by_hash(
    target: &dyn Target,
    path: &str,
    limit: u64,
    sha256: Digest,
) -> Result<Bytes, RemoteError> {
    let place = target.place();
    let fetch = async || match target.get(path, None, limit).await {
        Ok(Some(found)) if Digest::of(&found.bytes) == sha256 => Ok(Some(found.bytes)),
        Ok(_) | Err(TargetError::Length) => Ok(None),
        Err(error) => Err(read_error(&place, path)(error)),
    };
    let found = retried(TRIES, fetch).await?;
    found.ok_or_else(|| RemoteError::Damaged { place, name: path.to_owned() })
}

/// The memory of all fetches together: each takes what it will need and waits until that is free.
#[derive(Clone, Debug)]
pub struct FetchBudget(Arc<Semaphore>);

impl FetchBudget {
    /// The least that lets every request through, in bytes.
    pub const LEAST: u64 = RANGE;

    /// A budget of so many bytes, [`Self::LEAST`] or more.
    pub fn new(bytes: u64) -> Self {
        let units = bytes.max(Self::LEAST).div_ceil(UNIT).min(Semaphore::MAX_PERMITS as u64);
        Self(Arc::new(Semaphore::new(units as usize)))
    }

    async fn take(&self, bytes: u64) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.0).acquire_many_owned(bytes.min(RANGE).div_ceil(UNIT) as u32).await.ok()
    }
}

impl Default for FetchBudget {
    fn default() -> Self {
        Self::new(64 << 20)
    }
}

/// The bytes of a range, and the part of the budget that they use.
pub(crate) struct FetchedRange {
    pub(crate) bytes: Bytes,
    _part: Option<OwnedSemaphorePermit>,
}

/// Fetches a range. Where a connection breaks off, the next request begins there.
/// After several tries an object that is shorter, or an answer that is longer, is [`TargetError::Length`].
pub(crate) async fn fetch_range(
    target: &dyn Target,
    budget: &FetchBudget,
    (path, start, length): (&str, u64, u64),
) -> Result<FetchedRange, TargetError> {
    let _part = budget.take(length).await;
    let mut found = BytesMut::new();
    let mut tries = 0;
    loop {
        let (done, before) = (found.len() as u64, tries);
        tries += 1;
        let error = match target.range(path, start + done, length - done).await {
            Ok(bytes) if done == 0 && bytes.len() as u64 == length => {
                return Ok(FetchedRange { bytes, _part });
            }
            Ok(bytes) if bytes.len() as u64 <= length - done => {
                found.extend_from_slice(&bytes);
                if found.len() as u64 == length {
                    return Ok(FetchedRange { bytes: found.freeze(), _part });
                }
                if bytes.len() as u64 >= PROGRESS {
                    tries = before;
                }
                TargetError::Length
            }
            Ok(_) => TargetError::Length,
            Err(error @ (TargetError::Failed(_) | TargetError::Length)) => error,
            Err(error) => return Err(error),
        };
        if tries == TRIES {
            return Err(error);
        }
    }
}

/// Reads an object of JSON. The version of its format comes first: of a later one nothing else is read.
pub(crate) fn read_json<T: DeserializeOwned>(
    place: &str,
    name: &str,
    known: u64,
    bytes: &[u8],
) -> Result<T, RemoteError> {
    /// The one member that every version has.
    #[derive(Deserialize)]
    struct Versioned {
        format: u64,
    }
    let malformed = |error: serde_json::Error| RemoteError::malformed(place, name, error.to_string());
    let Versioned { format: found } = serde_json::from_slice(bytes).map_err(malformed)?;
    if found > known {
        return Err(RemoteError::Future { place: place.to_owned(), found, known });
    }
    serde_json::from_slice(bytes).map_err(malformed)
}

/// A request for pieces of one pack.
pub(crate) struct RangeRequest {
    pub(crate) pack: Digest,
    pub(crate) start: u64,
    pub(crate) length: u64,
    pieces: Vec<PackRange>,
}

impl RangeRequest {
    /// The pieces, each with its part of the response; empty where the response is too short.
    pub(crate) fn split<'a>(&'a self, response: &'a [u8]) -> impl Iterator<Item = (&'a PackRange, &'a [u8])> {
        self.pieces.iter().map(|piece| {
            let start = (piece.offset - self.start) as usize;
            (piece, response.get(start..start + piece.len as usize).unwrap_or_default())
        })
    }
}

/// Joins pieces, sorted by pack and offset, into as few requests as the longest range allows.
pub(crate) fn join_ranges(pieces: impl IntoIterator<Item = PackRange>) -> Vec<RangeRequest> {
    let mut requests: Vec<RangeRequest> = Vec::new();
    for piece in pieces {
        let end = piece.offset.saturating_add(piece.len.into());
        let near = requests.last_mut().filter(|last| {
            let is_near = piece.offset <= (last.start + last.length).saturating_add(GAP);
            last.pack == piece.pack && is_near && end - last.start <= RANGE
        });
        match near {
            Some(last) => {
                last.length = last.length.max(end - last.start);
                last.pieces.push(piece);
            }
            None => requests.push(RangeRequest {
                pack: piece.pack,
                start: piece.offset,
                length: end - piece.offset,
                pieces: vec![piece],
            }),
        }
    }
    requests
}
