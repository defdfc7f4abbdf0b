//! What a store can do: few operations, writes under a precondition among them, and no listing of names.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _};

use crate::error::TargetError;

/// A version of an object: stores compare one of these or the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectVersion {
    /// ETag.
    pub tag: Option<String>,
    /// Version or generation number.
    pub number: Option<String>,
}

/// An object as it was read.
#[derive(Clone, Debug)]
pub struct FetchedObject {
    /// Its bytes.
    pub bytes: Bytes,
    /// Its version.
    pub version: ObjectVersion,
    /// When it was written, in seconds since 1970 by the store's clock.
    pub modified: i64,
}

/// What must hold for a write to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition<'a> {
    /// Nothing: the write replaces whatever is there.
    None,
    /// There is no object of this name.
    Absent,
    /// The object still has this version.
    Unchanged(&'a ObjectVersion),
}

/// The outcome of a request, once it is there.
pub(crate) type TargetFuture<'a, T> = BoxFuture<'a, Result<T, TargetError>>;
/// The bytes of an object, as they come.
pub(crate) type ByteStream<'a> = BoxStream<'a, Result<Bytes, TargetError>>;

/// Whether the name of an object stays below the folder that it is appended to, in every store: it is not absolute, and has
/// no `..`.
pub(super) fn is_inside(name: &str) -> bool {
    !name.contains(['\\', '\0']) && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// An object that may be too long for memory.
pub trait Upload: Sync {
    /// Its length.
    fn length(&self) -> u64;
    /// `length` of its bytes from `start` on.
    fn read(&self, start: u64, length: usize) -> Result<Bytes, TargetError>;
}

/// A store, below a prefix. After a write failed it is unknown whether the store did it.
pub trait Target: Send + Sync {
    /// The store's address, to be shown to people; without secrets.
    fn place(&self) -> String;
    /// An object of at most `limit` bytes; `None` if its version still is `unless`.
    fn get<'a>(
        &'a self,
        path: &'a str,
        unless: Option<&'a ObjectVersion>,
        limit: u64,
    ) -> TargetFuture<'a, Option<FetchedObject>>;
    /// The length of an object.
    fn length<'a>(&'a self, path: &'a str) -> TargetFuture<'a, u64>;
    /// `length` bytes of an object from `start` on, or fewer where the connection broke off; never more.
    fn range<'a>(&'a self, path: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes>;
    /// All of an object, part by part where `range` may find that the store has no ranges.
    fn stream<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ByteStream<'a>> {
        Box::pin(async move {
            let found = self.get(path, None, u64::MAX).await?;
            Ok(stream::iter(found.map(|found| Ok(found.bytes))).boxed())
        })
    }
    /// Writes an object if the precondition holds; gives its new version.
    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: Bytes,
        condition: Precondition<'a>,
    ) -> TargetFuture<'a, ObjectVersion>;
    /// Writes an object that no other client writes, in parts.
    fn upload<'a>(&'a self, path: &'a str, object: &'a dyn Upload) -> TargetFuture<'a, ()>;
    /// Removes an object; succeeds if there is none.
    fn delete<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ()>;
}
