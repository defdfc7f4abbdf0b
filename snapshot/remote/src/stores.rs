//! The stores that generations are pushed to and pulled from: which one an address means, and what each can do: few
//! operations, writes under a precondition among them, and no listing of names.

mod conditional_write;
mod folder;
#[cfg(feature = "stores")]
mod object_stores;

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use url::Url;

pub(crate) use self::conditional_write::{check_conditions, write_if};
use self::folder::Folder;
use crate::error::{RemoteError, TargetError};
use crate::secrets::shown_address;

/// Whether a text is the address of a store, not the path of a folder.
pub fn is_address(text: &str) -> bool {
    text.contains("://")
}

/// Opens the store at an address.
///
/// # Errors
///
/// If the address is invalid, or of a kind that this program was built without.
pub fn open(text: &str) -> Result<Arc<dyn Target>, RemoteError> {
    let invalid =
        |problem: &str| RemoteError::Address { url: shown_address(text), problem: problem.to_owned() };
    let url = Url::parse(text).map_err(|error| {
        invalid(&format!("{error}; write s3://bucket/folder, gs://…, az://…, https://… or file:///folder"))
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("credentials do not belong into an address; set them as variables"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("only a scheme, a bucket and a folder belong here"));
    }
    match url.scheme() {
        "file" => {
            let root = url.to_file_path().map_err(|()| invalid("write file:///folder, from the root"))?;
            Ok(Arc::new(Folder { root }))
        }
        #[cfg(feature = "stores")]
        "s3" | "gs" | "az" | "http" | "https" => object_stores::open(&url),
        #[cfg(not(feature = "stores"))]
        "s3" | "gs" | "az" | "http" | "https" => Err(invalid(
            "this program was built without object stores; released programs, packages and images have them: download one, \
             build with `--features stores`, or use file:///folder",
        )),
        other => Err(invalid(&format!("{other} is not supported; use s3, gs, az, http, https or file"))),
    }
}

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

/// The bytes of an object, as they come.
pub(crate) type ByteStream<'a> = BoxStream<'a, Result<Bytes, TargetError>>;
/// Gives so many bytes of an object that may be too long for memory, from a place on.
pub(crate) type ReadFn<'a> = &'a (dyn Fn(u64, usize) -> Result<Bytes, TargetError> + Sync);

/// Whether the name of an object stays below the folder that it is appended to, in every store: it is not absolute, and has
/// no `..`.
fn is_inside(name: &str) -> bool {
    !name.contains(['\\', '\0']) && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// A store, below a prefix. After a write failed it is unknown whether the store did it.
#[async_trait]
pub trait Target: Send + Sync {
    /// The store's address, to be shown to people; without secrets.
    fn place(&self) -> String;
    /// An object of at most `limit` bytes; `None` if its version still is `unless`.
    async fn get(
        &self,
        path: &str,
        unless: Option<&ObjectVersion>,
        limit: u64,
    ) -> Result<Option<FetchedObject>, TargetError>;
    /// The length of an object.
    async fn length(&self, path: &str) -> Result<u64, TargetError>;
    /// `length` bytes of an object from `start` on, or fewer where the connection broke off; never more.
    async fn range(&self, path: &str, start: u64, length: u64) -> Result<Bytes, TargetError>;
    /// All of an object, part by part where `range` may find that the store has no ranges.
    async fn stream(&self, path: &str) -> Result<ByteStream<'_>, TargetError> {
        let found = self.get(path, None, u64::MAX).await?;
        Ok(stream::iter(found.map(|found| Ok(found.bytes))).boxed())
    }
    /// Writes an object if the precondition holds; gives its new version.
    async fn write(
        &self,
        path: &str,
        bytes: Bytes,
        condition: Precondition<'_>,
    ) -> Result<ObjectVersion, TargetError>;
    /// Writes an object of this length that no other client writes, in parts.
    async fn upload(&self, path: &str, length: u64, read: ReadFn<'_>) -> Result<(), TargetError>;
    /// Removes an object; succeeds if there is none.
    async fn delete(&self, path: &str) -> Result<(), TargetError>;
}
