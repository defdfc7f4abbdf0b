//! The objects of a store. A generation is there as its manifest, and for each file that this names the object that holds
//! it: the archive is as on disk, all others are gzip members, a sixth as long. Whole objects are read by their hash, parts
//! of an archive by ranges that neighbours share.

use std::ops::Range;

use bytes::{Bytes, BytesMut};
use store::{ARCHIVE, Digest, FORMAT, Manifest, ManifestError, StoredFile};

use crate::current::GenerationRef;
use crate::error::{RemoteError, TargetError, read_error};
use crate::stores::Target;

/// Name of the manifest.
pub(crate) const MANIFEST: &str = "manifest.json";
/// Most bytes of it.
const MANIFEST_LIMIT: u64 = 64 << 10;
/// Most that gzip adds to bytes that it cannot shorten: a few for each 64 KiB.
const OVERHEAD: u64 = 1 << 10;
/// How often an object is fetched before it counts as damaged: a proxy or a disk in between may have erred once.
pub(crate) const TRIES: usize = 2;
/// How often a connection may break off that brought nothing of use.
const BREAKS: usize = 3;
/// Longest range of a request: what a pull that is killed has to fetch again of each request under way.
pub(crate) const RANGE: u64 = 2 << 20;
/// A try that brought so many bytes was of use.
const PROGRESS: u64 = 64 << 10;
/// Ranges share a request if no more bytes than these lie between them: another request costs more.
const GAP: u64 = 64 << 10;

/// Fetches the manifest of a generation.
pub(crate) async fn manifest(target: &dyn Target, of: &GenerationRef) -> Result<Manifest, RemoteError> {
    let (place, name) = (target.place(), of.path(MANIFEST));
    let is_sound = |bytes: &Bytes| Digest::of(bytes) == of.manifest;
    let bytes = fetch_checked(target, &name, MANIFEST_LIMIT, |bytes| Some(bytes).filter(is_sound)).await?;
    let manifest = Manifest::parse(&bytes).map_err(|error| match error {
        ManifestError::Version(found) => RemoteError::Format { place: place.clone(), found, known: FORMAT },
        ManifestError::Malformed(problem) => RemoteError::malformed(&place, &name, problem),
    })?;
    match manifest.id() == of.generation {
        true => Ok(manifest),
        false => Err(RemoteError::malformed(&place, &name, "of another generation")),
    }
}

/// Name of the object of a file.
pub(crate) fn object_of(of: &GenerationRef, file: &StoredFile) -> String {
    if file.path == ARCHIVE { of.path(ARCHIVE) } else { of.path(&format!("{}.gz", file.path)) }
}

/// Most bytes of the object of a file that is compressed.
pub(crate) fn longest(file: &StoredFile) -> u64 {
    file.bytes.saturating_add(file.bytes >> 10).saturating_add(OVERHEAD)
}

/// An object of at most `limit` bytes, as `read` finds it to be what was published.
pub(crate) async fn fetch_checked<T>(
    target: &dyn Target,
    path: &str,
    limit: u64,
    read: impl Fn(Bytes) -> Option<T>,
) -> Result<T, RemoteError> {
    let place = target.place();
    for _ in 0..TRIES {
        let found = match target.get(path, None, limit).await {
            Err(TargetError::Length) => None,
            found => found.map_err(read_error(&place, path))?,
        };
        if let Some(found) = found.and_then(|found| read(found.bytes)) {
            return Ok(found);
        }
    }
    Err(RemoteError::Damaged { place, name: path.to_owned() })
}

/// Fetches a range, request by request. Where a connection breaks off, the next request begins there.
/// After several tries an object that is shorter, or an answer that is longer, is [`TargetError::Length`].
pub(crate) async fn fetch_range(
    target: &dyn Target,
    path: &str,
    range: &Range<u64>,
) -> Result<Bytes, TargetError> {
    let (mut found, mut tries) = (BytesMut::new(), 0);
    loop {
        let start = range.start + found.len() as u64;
        if start >= range.end {
            return Ok(found.freeze());
        }
        let wanted = (range.end - start).min(RANGE);
        let error = match target.range(path, start, wanted).await {
            Ok(bytes) if bytes.len() as u64 <= wanted => {
                found.extend_from_slice(&bytes);
                if bytes.len() as u64 >= PROGRESS.min(wanted) {
                    continue;
                }
                TargetError::Length
            }
            Ok(_) => TargetError::Length,
            Err(error @ (TargetError::Failed(_) | TargetError::Length)) => error,
            Err(error) => return Err(error),
        };
        tries += 1;
        if tries == BREAKS {
            return Err(error);
        }
    }
}

/// Joins the ranges of an archive that are missing, in order, into as few requests as the longest one allows. Where they
/// are more than half of it, that is all from the first to the last.
pub(crate) fn join_ranges(missing: &[Range<u64>], archive: u64) -> Vec<Range<u64>> {
    let new: u64 = missing.iter().map(|range| range.end - range.start).sum();
    let gap = if new > archive / 2 { archive } else { GAP };
    let mut requests: Vec<Range<u64>> = Vec::new();
    for range in missing {
        let is_near =
            |last: &&mut Range<u64>| range.start - last.end <= gap && range.end - last.start <= RANGE;
        match requests.last_mut().filter(is_near) {
            Some(last) => last.end = range.end,
            None => requests.push(range.clone()),
        }
    }
    requests
}
