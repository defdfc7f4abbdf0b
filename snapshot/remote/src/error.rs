//! What can fail between a snapshot here and a store: one sentence for each case, with what to do.

use store::{GenerationId, StoreError};

/// Why nothing was pushed, pulled or removed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message shows what its fields are")]
pub enum RemoteError {
    /// An address, a key or a setting for signing is not what it should be. No secret is shown.
    #[error("{0}")]
    Usage(String),
    /// An object cannot be read.
    #[error("{place}: reading {name}: {error}")]
    Read { place: String, name: String, error: TargetError },
    /// An object cannot be written or removed.
    #[error("{place}: writing {name}: {error}")]
    Write { place: String, name: String, error: TargetError },
    /// The bucket does not exist.
    #[error("{place}: no such bucket; make it, or check the address")]
    NoBucket { place: String },
    /// The store holds no snapshot.
    #[error("{place}: nothing was pushed here; check the address, or `opdir push` first")]
    Empty { place: String },
    /// CURRENT is not signed by a trusted key.
    #[error("{place}: {problem}")]
    Untrusted { place: String, problem: &'static str },
    /// An object has not the form that it should have.
    #[error(
        "{place}: {name} is not one of ours ({problem}); check the address, or restore the store from a copy"
    )]
    Malformed { place: String, name: String, problem: String },
    /// Written by another version of this program.
    #[error(
        "{place}: written in format {found}, this program reads {known}: update this program if that is later, else push \
         what this version builds to another address and follow that"
    )]
    Format { place: String, found: u64, known: u32 },
    /// CURRENT is older than one that was accepted before.
    #[error(
        "{place}: its CURRENT has version {found}, older than version {accepted} accepted before: an old copy, or a \
         cache in between that must not keep CURRENT"
    )]
    Older { place: String, found: u64, accepted: u64 },
    /// CURRENT is gone, which was there before.
    #[error(
        "{place}: its CURRENT is gone, and version {accepted} was accepted before: the store was emptied"
    )]
    Gone { place: String, accepted: u64 },
    /// What is in the store is not what follows from it: see the error.
    #[error(
        "{0}; nothing was pushed, as edges would refuse it: restore the latest CURRENT, or push with --recover, which \
         publishes the snapshot here under a version above all that were accepted before"
    )]
    SetBack(Box<Self>),
    /// Two different CURRENT have the same version.
    #[error(
        "{place}: its CURRENT has version {version} as the one accepted before, and other content: two publishers \
         share a key without sharing the store, or a key was stolen"
    )]
    Split { place: String, version: u64 },
    /// The folder belongs to another store.
    #[error("{place}: another store than the one that {root} knows; name that one, or a new folder")]
    Foreign { place: String, root: String },
    /// Another publisher pushed first.
    #[error("{place}: another publisher pushed {live} first; `opdir pull` and build again")]
    Conflict { place: String, live: GenerationId },
    /// The generation's number is not greater than all those in use.
    #[error(
        "{place}: numbers up to {latest} are in use there, so {here} cannot follow; `opdir pull` and build again"
    )]
    Backwards { place: String, latest: u64, here: GenerationId },
    /// Garbage collection was never run, or is too far behind.
    #[error("{place}: too many generations wait for their removal: `opdir gc` the store first")]
    Full { place: String },
    /// CURRENT changed between reading and writing it.
    #[error("{place}: CURRENT changed concurrently; check it and retry")]
    Raced { place: String },
    /// The store does not honour preconditions.
    #[error(
        "{place}: this store does not honour conditions ({problem}), so that two publishers would overwrite each \
         other; use one that does (S3, R2, MinIO, Google, Azure) or a folder"
    )]
    Unconditional { place: String, problem: String },
    /// An object differs from what was pushed.
    #[error("{place}: {name} is not what was pushed; push again, or restore it from a copy")]
    Damaged { place: String, name: String },
    /// The snapshot here cannot be read or written.
    #[error(transparent)]
    Snapshot(#[from] StoreError),
    /// A file here cannot be read or written.
    #[error("{name}: {problem}")]
    File { name: String, problem: String },
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
    /// What has the name is no file.
    #[error("{0} has this name; remove it, and restore the store from a copy or push again")]
    NotAFile(&'static str),
    /// The object is longer or shorter than the request allows.
    #[error("not as long as it should be")]
    Length,
    /// The store answers a request for a range with all of the object.
    #[error("this store does not serve ranges")]
    NoRanges,
    /// Anything else: no connection, or an error that the store names.
    #[error("{0}; check the address and the connection, and try again")]
    Failed(String),
}

/// The classes of errors that an exit code or a retry depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// The command was used wrongly.
    Usage,
    /// The store cannot be read.
    Unreadable,
    /// The store or the root cannot be written.
    Unwritable,
    /// Something differs from what was published, or is not signed by a trusted key.
    Unverified,
    /// Another publisher was first.
    Conflict,
}

impl RemoteError {
    /// The class of this error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Usage(_) => ErrorClass::Usage,
            Self::Read { .. } | Self::Empty { .. } | Self::File { .. } => ErrorClass::Unreadable,
            Self::Snapshot(StoreError::Unpublished { .. } | StoreError::NoGeneration { .. }) => {
                ErrorClass::Unreadable
            }
            Self::Write { .. } | Self::NoBucket { .. } | Self::Unconditional { .. } | Self::Full { .. } => {
                ErrorClass::Unwritable
            }
            Self::Snapshot(
                StoreError::Io { .. } | StoreError::Locked { .. } | StoreError::Foreign { .. },
            ) => ErrorClass::Unwritable,
            Self::Conflict { .. } | Self::Backwards { .. } | Self::SetBack(_) | Self::Raced { .. } => {
                ErrorClass::Conflict
            }
            _ => ErrorClass::Unverified,
        }
    }

    /// An object has not the form that it should have.
    pub(crate) fn malformed(place: &str, name: &str, problem: impl Into<String>) -> Self {
        Self::Malformed { place: place.to_owned(), name: name.to_owned(), problem: problem.into() }
    }

    /// Whether the store showed an older state than before, which may pass by itself.
    pub fn is_stale(&self) -> bool {
        matches!(self, Self::Older { .. })
    }

    /// Whether an object is gone, as it is after another generation was published.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Read { error: TargetError::Missing, .. })
    }
}

/// Maps the error of a request that read an object.
pub(crate) fn read_error(place: &str, name: &str) -> impl FnOnce(TargetError) -> RemoteError + use<> {
    let (place, name) = (place.to_owned(), name.to_owned());
    move |error| RemoteError::Read { place, name, error }
}

/// Maps the error of a request that wrote or removed an object.
pub(crate) fn write_error(place: &str, name: &str) -> impl FnOnce(TargetError) -> RemoteError + use<> {
    let (place, name) = (place.to_owned(), name.to_owned());
    move |error| match error {
        // In a bucket that exists a write misses nothing.
        TargetError::Missing => RemoteError::NoBucket { place },
        error => RemoteError::Write { place, name, error },
    }
}

/// Maps the error of a file operation.
pub(crate) fn file_error(name: impl ToString) -> impl Fn(std::io::Error) -> RemoteError {
    move |error| RemoteError::File { name: name.to_string(), problem: error.to_string() }
}
