//! The stores that generations are pushed to and pulled from: which one an address means, and what each can do: few
//! operations, and no listing of names. Writes under a precondition: what a write did is found out when its answer is lost,
//! and whether a store honours preconditions at all is checked once, since some answer every write with success.

mod folder;
#[cfg(feature = "stores")]
mod object_stores;

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use url::Url;

use self::folder::Folder;
use crate::error::{RemoteError, TargetError, write_error};
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
    let invalid = |problem: &str| RemoteError::Usage(format!("{}: {problem}", shown_address(text)));
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
    /// Writes an object if it still has this version, or where there is none; gives its new version.
    async fn write(
        &self,
        path: &str,
        bytes: Bytes,
        expected: Option<&ObjectVersion>,
    ) -> Result<ObjectVersion, TargetError>;
    /// Writes an object of this length, in parts, whatever is there.
    async fn upload(&self, path: &str, length: u64, read: ReadFn<'_>) -> Result<(), TargetError>;
    /// Removes an object; succeeds if there is none.
    async fn delete(&self, path: &str) -> Result<(), TargetError>;
}

/// How often a write is tried while nothing has changed.
const TRIES: usize = 3;

/// Writes an object where it still has this version, or where there is none. A failure proves nothing, as only the answer
/// may be lost: the object is read back, and its bytes decide. [`TargetError::Precondition`] if another client was first.
pub(crate) async fn write_if(
    target: &dyn Target,
    path: &str,
    bytes: &Bytes,
    expected: Option<&ObjectVersion>,
) -> Result<ObjectVersion, TargetError> {
    let mut last = TargetError::Precondition;
    for _ in 0..TRIES {
        match target.write(path, bytes.clone(), expected).await {
            Ok(version) => return Ok(version),
            Err(
                error @ (TargetError::NoCredentials(_)
                | TargetError::Unauthenticated { .. }
                | TargetError::Denied(_)),
            ) => return Err(error),
            Err(error) => last = error,
        }
        // Room for more than our bytes: a longer object is not ours, whatever it is.
        let found = match target.get(path, None, bytes.len() as u64 + (1 << 20)).await {
            Ok(found) => found,
            Err(TargetError::Missing) if expected.is_none() => continue,
            Err(TargetError::Missing | TargetError::Length) => return Err(TargetError::Precondition),
            Err(error) => return Err(error),
        };
        let Some(found) = found else { continue };
        if found.bytes == bytes {
            return Ok(found.version);
        }
        if expected != Some(&found.version) {
            return Err(TargetError::Precondition);
        }
    }
    Err(last)
}

/// Checks with an object of its own, which is not there yet, that a store honours preconditions.
pub(crate) async fn check_conditions(target: &dyn Target, path: &str) -> Result<(), RemoteError> {
    let checked = check(target, path).await;
    // Nothing depends on its removal.
    let _ = target.delete(path).await;
    checked
}

async fn check(target: &dyn Target, path: &str) -> Result<(), RemoteError> {
    let place = target.place();
    let [one, two, three] = [b"1", b"2", b"3"].map(|text| Bytes::from_static(text));
    let violation = |problem: String| RemoteError::Unconditional { place: place.clone(), problem };
    let first = target.write(path, one, None).await.map_err(write_error(&place, path))?;
    let create = target.write(path, two.clone(), None).await;
    must_fail(create, "creating an object that exists").map_err(&violation)?;
    match target.write(path, two, Some(&first)).await {
        Ok(second) if second != first => {}
        Ok(_) => return Err(violation("two versions of an object have the same name".to_owned())),
        Err(error) => return Err(violation(format!("replacing the version just written failed: {error}"))),
    }
    let replace = target.write(path, three, Some(&first)).await;
    must_fail(replace, "replacing an older version").map_err(violation)
}

fn must_fail(written: Result<ObjectVersion, TargetError>, action: &str) -> Result<(), String> {
    match written {
        Err(TargetError::Precondition) => Ok(()),
        Ok(_) => Err(format!("{action} succeeded")),
        Err(error) => Err(format!("{action} gave another error: {error}")),
    }
}
