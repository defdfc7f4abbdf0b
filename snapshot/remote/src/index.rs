//! What a generation is in a store: its manifest, and for each file that this names the object that holds it. The archive
//! is as on disk; all others are gzip members, a sixth as long.

use bytes::Bytes;
use store::{ARCHIVE, Digest, FORMAT, Manifest, ManifestError, StoredFile};

use crate::current::GenerationRef;
use crate::error::RemoteError;
use crate::objects::fetch_checked;
use crate::stores::Target;

/// Name of the manifest.
pub(crate) const MANIFEST: &str = "manifest.json";
/// Most bytes of it.
const LIMIT: u64 = 64 << 10;
/// Most that gzip adds to bytes that it cannot shorten: a few for each 64 KiB.
const OVERHEAD: u64 = 1 << 10;

/// Fetches the manifest of a generation.
pub(crate) async fn manifest(target: &dyn Target, of: &GenerationRef) -> Result<Manifest, RemoteError> {
    let (place, name) = (target.place(), of.path(MANIFEST));
    let is_sound = |bytes: &Bytes| Digest::of(bytes) == of.manifest;
    let bytes = fetch_checked(target, &name, LIMIT, |bytes| Some(bytes).filter(is_sound)).await?;
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
    match file.path == ARCHIVE {
        true => of.path(ARCHIVE),
        false => of.path(&format!("{}.gz", file.path)),
    }
}

/// Most bytes of the object of a file that is compressed.
pub(crate) fn longest(file: &StoredFile) -> u64 {
    file.bytes.saturating_add(file.bytes >> 10).saturating_add(OVERHEAD)
}
