//! What is asked of a store: few operations, two of them with a condition, and no list of names.

use std::fmt;

use bytes::Bytes;
use futures_util::future::BoxFuture;

pub mod folder;
#[cfg(test)]
pub(crate) mod memory;
#[cfg(feature = "stores")]
pub mod stores;

/// What a store calls a version of an object. Some compare one of these, some the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectVersion {
    /// ETag.
    pub tag: Option<String>,
    /// Version or generation.
    pub number: Option<String>,
}

/// An object as it was read.
#[derive(Clone, Debug)]
pub struct FetchedObject {
    /// Its bytes.
    pub bytes: Bytes,
    /// What the store calls this version.
    pub version: ObjectVersion,
}

/// Why a store did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetError {
    /// There is nothing under that name.
    Missing,
    /// The condition did not hold.
    Condition,
    /// It does not know who asks.
    Unknown(String),
    /// Who asks may not.
    Denied(String),
    /// Longer than what was asked for, or shorter.
    Length,
    /// Anything else: no connection, or an error that the store names.
    Failed(String),
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("not there"),
            Self::Condition => f.write_str("the condition did not hold"),
            Self::Length => f.write_str("not as long as it should be"),
            Self::Unknown(why) | Self::Denied(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}

/// What becomes of a request.
pub type TargetFuture<'a, T> = BoxFuture<'a, Result<T, TargetError>>;

/// A store, below a prefix. After an error of a write nobody knows whether it was done.
pub trait Target: Send + Sync {
    /// Its address, as it is shown to people; no secrets.
    fn place(&self) -> String;
    /// An object of at most `limit` bytes; nothing if it still is `unless`.
    fn get<'a>(
        &'a self,
        path: &'a str,
        unless: Option<&'a ObjectVersion>,
        limit: u64,
    ) -> TargetFuture<'a, Option<FetchedObject>>;
    /// So many bytes of an object.
    fn range<'a>(&'a self, path: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes>;
    /// When an object was written, in seconds since 1970 by the store's clock.
    fn written<'a>(&'a self, path: &'a str) -> TargetFuture<'a, i64>;
    /// Writes an object, whatever was there.
    fn put<'a>(&'a self, path: &'a str, bytes: Bytes) -> TargetFuture<'a, ()>;
    /// Writes an object where there is none.
    fn create<'a>(&'a self, path: &'a str, bytes: Bytes) -> TargetFuture<'a, ObjectVersion>;
    /// Writes an object where it still is of this version.
    fn replace<'a>(
        &'a self,
        path: &'a str,
        bytes: Bytes,
        version: &'a ObjectVersion,
    ) -> TargetFuture<'a, ObjectVersion>;
    /// Removes an object; one that is not there is removed.
    fn delete<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ()>;
}

/// What became of a write with a condition, after reading back where the answer said nothing certain.
#[derive(Debug)]
pub enum WriteOutcome {
    /// Our bytes are there.
    Ours(ObjectVersion),
    /// Those of somebody else are.
    Others,
}

/// Writes where an object still is of this version, or where there is none, and finds out what came of it. An error
/// says nothing: the answer may have been lost, and whoever tries again may meet his own write.
///
/// # Errors
///
/// If what is there cannot be read either.
pub async fn settle(
    target: &dyn Target,
    path: &str,
    bytes: &Bytes,
    version: Option<&ObjectVersion>,
) -> Result<WriteOutcome, TargetError> {
    /// How often it is tried while nothing has changed.
    const TRIES: usize = 3;
    let mut last = TargetError::Condition;
    for _ in 0..TRIES {
        let written = match version {
            Some(version) => target.replace(path, bytes.clone(), version).await,
            None => target.create(path, bytes.clone()).await,
        };
        match written {
            Ok(version) => return Ok(WriteOutcome::Ours(version)),
            Err(refusal @ (TargetError::Unknown(_) | TargetError::Denied(_))) => return Err(refusal),
            Err(refusal) => last = refusal,
        }
        // One byte more: what is longer than ours is not ours.
        let found = match target.get(path, None, bytes.len() as u64 + (1 << 20)).await {
            Ok(found) => found,
            Err(TargetError::Missing) if version.is_none() => continue,
            Err(TargetError::Missing | TargetError::Length) => return Ok(WriteOutcome::Others),
            Err(refusal) => return Err(refusal),
        };
        let Some(found) = found else { continue };
        if found.bytes == bytes {
            return Ok(WriteOutcome::Ours(found.version));
        }
        if version != Some(&found.version) {
            return Ok(WriteOutcome::Others);
        }
    }
    Err(last)
}
