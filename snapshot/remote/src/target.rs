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
pub struct Version {
    /// ETag.
    pub tag: Option<String>,
    /// Version or generation.
    pub number: Option<String>,
}

/// An object as it was read.
#[derive(Clone, Debug)]
pub struct Got {
    /// Its bytes.
    pub bytes: Bytes,
    /// What the store calls this version.
    pub version: Version,
}

/// Why a store did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
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

impl fmt::Display for Refusal {
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
pub type Answer<'a, T> = BoxFuture<'a, Result<T, Refusal>>;

/// A store, below a prefix. After an error of a write nobody knows whether it was done.
pub trait Target: Send + Sync {
    /// Its address, as it is shown to people; no secrets.
    fn place(&self) -> String;
    /// An object of at most `limit` bytes; nothing if it still is `unless`.
    fn get<'a>(&'a self, path: &'a str, unless: Option<&'a Version>, limit: u64) -> Answer<'a, Option<Got>>;
    /// So many bytes of an object.
    fn range<'a>(&'a self, path: &'a str, start: u64, length: u64) -> Answer<'a, Bytes>;
    /// When an object was written, in seconds since 1970 by the store's clock.
    fn written<'a>(&'a self, path: &'a str) -> Answer<'a, i64>;
    /// Writes an object, whatever was there.
    fn put<'a>(&'a self, path: &'a str, bytes: Bytes) -> Answer<'a, ()>;
    /// Writes an object where there is none.
    fn create<'a>(&'a self, path: &'a str, bytes: Bytes) -> Answer<'a, Version>;
    /// Writes an object where it still is of this version.
    fn replace<'a>(&'a self, path: &'a str, bytes: Bytes, version: &'a Version) -> Answer<'a, Version>;
    /// Removes an object; one that is not there is removed.
    fn delete<'a>(&'a self, path: &'a str) -> Answer<'a, ()>;
}

/// What became of a write with a condition, after reading back where the answer said nothing certain.
#[derive(Debug)]
pub enum Settled {
    /// Our bytes are there.
    Ours(Version),
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
    version: Option<&Version>,
) -> Result<Settled, Refusal> {
    /// How often it is tried while nothing has changed.
    const TRIES: usize = 3;
    let mut last = Refusal::Condition;
    for _ in 0..TRIES {
        let written = match version {
            Some(version) => target.replace(path, bytes.clone(), version).await,
            None => target.create(path, bytes.clone()).await,
        };
        match written {
            Ok(version) => return Ok(Settled::Ours(version)),
            Err(refusal @ (Refusal::Unknown(_) | Refusal::Denied(_))) => return Err(refusal),
            Err(refusal) => last = refusal,
        }
        // One byte more: what is longer than ours is not ours.
        let found = match target.get(path, None, bytes.len() as u64 + (1 << 20)).await {
            Ok(found) => found,
            Err(Refusal::Missing) if version.is_none() => continue,
            Err(Refusal::Missing | Refusal::Length) => return Ok(Settled::Others),
            Err(refusal) => return Err(refusal),
        };
        let Some(found) = found else { continue };
        if found.bytes == bytes {
            return Ok(Settled::Ours(found.version));
        }
        if version != Some(&found.version) {
            return Ok(Settled::Others);
        }
    }
    Err(last)
}
