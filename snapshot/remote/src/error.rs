//! What can go wrong on the way to a store and back: one sentence each, with what to do.

use snapshot::store::{GenerationId, StoreError};

use crate::target::TargetError;

/// Why nothing was pushed, pulled or removed.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// An address of no store.
    #[error("{url}: {problem}")]
    Address {
        /// As it was typed.
        url: String,
        /// What is wrong with it, and what to write.
        problem: String,
    },
    /// What should be a public key is none.
    #[error("{text}: not a public key; `opdir keys public` prints one")]
    Key {
        /// As it was typed.
        text: String,
    },
    /// A store did not do what was asked.
    #[error("{place}: {what}: {}", advice(refusal))]
    Store {
        /// Its address.
        place: String,
        /// What was asked of it.
        what: String,
        /// What it said.
        refusal: TargetError,
    },
    /// There is nothing that could be written to.
    #[error("{place}: no such bucket; make it, or check the address")]
    NoBucket {
        /// The store's address.
        place: String,
    },
    /// There is no snapshot.
    #[error("{place}: nothing was pushed here; check the address, or `opdir push` first")]
    Empty {
        /// The store's address.
        place: String,
    },
    /// Whoever wrote there is not believed.
    #[error("{place}: {problem}")]
    Untrusted {
        /// The store's address.
        place: String,
        /// Why, and what to do.
        problem: &'static str,
    },
    /// CURRENT is none, or not of a form that is read.
    #[error(
        "{place}: {name} is not one of ours ({problem}); check the address, or restore the store from a copy"
    )]
    Malformed {
        /// The store's address.
        place: String,
        /// Which object.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Made by a later version of this program.
    #[error("{place}: written in format {found}, this program reads {known}: update this program")]
    Future {
        /// The store's address.
        place: String,
        /// The format it states.
        found: u64,
        /// The format that is read.
        known: u64,
    },
    /// A pointer that was replaced already.
    #[error(
        "{place}: its CURRENT is older ({found}) than what was taken before ({accepted}): an old copy, or a cache in \
         between that must not keep CURRENT"
    )]
    Older {
        /// The store's address.
        place: String,
        /// Its version.
        found: u64,
        /// The version that was taken before.
        accepted: u64,
    },
    /// Two pointers of one version.
    #[error(
        "{place}: its CURRENT has version {version} as what was taken before, and says something else: two \
         publishers share a key without sharing the store, or a key was stolen; nothing was taken"
    )]
    Split {
        /// The store's address.
        place: String,
        /// Both have it.
        version: u64,
    },
    /// Another store than the one that was taken from before.
    #[error("{place}: another store than the one that {root} is of; name that one, or a new folder")]
    Foreign {
        /// The store's address.
        place: String,
        /// The folder.
        root: String,
    },
    /// Another publisher was faster, or was not looked at.
    #[error(
        "{place}: {live} is live, and what is here was not built upon it; `opdir pull`, build again, and push"
    )]
    Lost {
        /// The store's address.
        place: String,
        /// What is live there.
        live: GenerationId,
    },
    /// The sequence would go back.
    #[error("{place}: {live} is live, which is not before {here}; `opdir pull`, build again, and push")]
    Backwards {
        /// The store's address.
        place: String,
        /// What is live there.
        live: GenerationId,
        /// What is here.
        here: GenerationId,
    },
    /// A rollout is under way.
    #[error(
        "{place}: {next} goes to {percent} % of the edges; end that first, with `opdir rollout URL --promote` or \
         `--abort`"
    )]
    Under {
        /// The store's address.
        place: String,
        /// What is rolled out.
        next: GenerationId,
        /// To how many of a hundred edges.
        percent: u8,
    },
    /// No rollout is under way.
    #[error("{place}: no rollout is under way, {live} is live; `opdir push --percent N` begins one")]
    NoRollout {
        /// The store's address.
        place: String,
        /// What is live there.
        live: GenerationId,
    },
    /// Somebody else was faster.
    #[error(
        "{place}: somebody else changed what is live, rolled out or kept at the same time; look, and try again"
    )]
    Raced {
        /// The store's address.
        place: String,
    },
    /// The number was given to what was aborted, which some edges had.
    #[error(
        "{place}: a rollout with the number of {here} was aborted, or one with a later one; push with --rebase, \
         which takes the next number"
    )]
    Spent {
        /// The store's address.
        place: String,
        /// What is here.
        here: GenerationId,
    },
    /// A first generation cannot be rolled out.
    #[error("{place}: nothing is live here that other edges could stay with; push without --percent first")]
    First {
        /// The store's address.
        place: String,
    },
    /// The store does not honour conditions.
    #[error(
        "{place}: this store does not honour conditions ({problem}), so that two publishers would overwrite each \
         other; use one that does (S3, R2, MinIO, Google, Azure) or a folder"
    )]
    Unconditional {
        /// The store's address.
        place: String,
        /// Which of the cases it got wrong, and its answer.
        problem: String,
    },
    /// The push took so long that what it uploaded may have been removed.
    #[error("{place}: the push took more than {hours} hours and is given up; push again")]
    Late {
        /// The store's address.
        place: String,
        /// How long a push may take.
        hours: u64,
    },
    /// An object is not what was pushed.
    #[error("{place}: {name} is not what was pushed; push again, or restore it from a copy")]
    Damaged {
        /// The store's address.
        place: String,
        /// Which object.
        name: String,
    },
    /// What is to be signed cannot be.
    #[error("{0}")]
    Signing(String),
    /// The snapshot here cannot be read or written.
    #[error(transparent)]
    Snapshot(#[from] StoreError),
    /// A file here cannot be read or written.
    #[error("{name}: {problem}")]
    File {
        /// The file.
        name: String,
        /// As reported, and what to do.
        problem: String,
    },
}

/// What an error means to who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// The command was used wrongly.
    Usage,
    /// The store cannot be read.
    Unreadable,
    /// The store cannot be written.
    Unwritable,
    /// What is there is not what was published, or not by who is trusted.
    Unverified,
    /// Another publisher won.
    HeldBack,
}

impl RemoteError {
    /// What it means to who asked.
    #[must_use]
    pub fn kind(&self) -> ErrorClass {
        match self {
            Self::Address { .. } | Self::Key { .. } | Self::Signing(_) => ErrorClass::Usage,
            Self::Store { what, .. } if what.starts_with("writing") => ErrorClass::Unwritable,
            Self::Store { .. } | Self::Empty { .. } | Self::File { .. } => ErrorClass::Unreadable,
            Self::NoBucket { .. } | Self::Unconditional { .. } | Self::Late { .. } => ErrorClass::Unwritable,
            Self::Under { .. } | Self::NoRollout { .. } | Self::Raced { .. } => ErrorClass::HeldBack,
            Self::Lost { .. } | Self::Backwards { .. } | Self::Spent { .. } => ErrorClass::HeldBack,
            Self::First { .. } => ErrorClass::Usage,
            Self::Snapshot(
                StoreError::Io { .. } | StoreError::Locked { .. } | StoreError::Foreign { .. },
            ) => ErrorClass::Unwritable,
            Self::Snapshot(StoreError::Unpublished { .. }) => ErrorClass::Unreadable,
            _ => ErrorClass::Unverified,
        }
    }

    /// Whether what is here would follow what is there if it were put upon that.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::Backwards { .. } | Self::Spent { .. })
    }

    /// Whether what is there is older than what is known, which passes by itself.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        matches!(self, Self::Older { .. })
    }

    /// Whether it may be that what was to be read was replaced meanwhile.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Store { refusal: TargetError::Missing, .. })
    }
}

/// What a store said, and what to do.
fn advice(refusal: &TargetError) -> String {
    match refusal {
        TargetError::Unknown(why) => {
            format!(
                "no credentials, or none that the store knows ({why}); set them as the store's own tools have them, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            )
        }
        TargetError::Denied(why) => format!("denied ({why}); give these credentials the right to do that"),
        TargetError::Failed(why) => format!("{why}; check the address and the connection, and try again"),
        other => other.to_string(),
    }
}

/// Says what was asked of a store when it refused.
pub(crate) fn store_error(place: &str, what: impl Into<String>) -> impl FnOnce(TargetError) -> RemoteError {
    let (place, what) = (place.to_owned(), what.into());
    move |refusal| RemoteError::Store { place, what, refusal }
}
