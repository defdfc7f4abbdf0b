//! What a store can do: five operations, writes under a precondition among them, and no listing of names.

use bytes::Bytes;
use futures_util::future::BoxFuture;

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

/// Why a request to a store failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// There is no object of this name.
    #[error("not there")]
    Missing,
    /// The precondition does not hold.
    #[error("the precondition does not hold")]
    Precondition,
    /// Credentials are missing.
    #[error(
        "no credentials: set {0}; no metadata service, which gives them to a machine of the provider, answers here"
    )]
    NoCredentials(&'static str),
    /// The store does not know the credentials.
    #[error("the store does not know these credentials ({problem}); check {variables}")]
    Unauthenticated { problem: String, variables: &'static str },
    /// The credentials do not allow this.
    #[error("denied ({0}); give these credentials the right to do that")]
    Denied(String),
    /// The name leads out of the store, or to something that is no object.
    #[error("{0:?} is not the name of an object: names stay in the store's folder, without .. and links")]
    Name(String),
    /// The object is longer or shorter than the request allows.
    #[error("not as long as it should be")]
    Length,
    /// Anything else: no connection, or an error that the store names.
    #[error("{0}; check the address and the connection, and try again")]
    Failed(String),
}

/// The outcome of a request, once it is there.
pub(crate) type TargetFuture<'a, T> = BoxFuture<'a, Result<T, TargetError>>;

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
    /// The version of an object.
    fn version<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ObjectVersion> {
        Box::pin(async move {
            let found = self.get(path, None, u64::MAX).await?;
            Ok(found.map(|found| found.version).unwrap_or_default())
        })
    }
    /// `length` bytes of an object from `start` on, or fewer where the connection broke off; never more.
    fn range<'a>(&'a self, path: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes>;
    /// Writes an object if the precondition holds; gives its new version.
    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: Bytes,
        condition: Precondition<'a>,
    ) -> TargetFuture<'a, ObjectVersion>;
    /// Removes an object; succeeds if there is none.
    fn delete<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ()>;
}
