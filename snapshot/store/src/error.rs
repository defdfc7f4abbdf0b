//! What can be wrong with a snapshot on disk: one sentence for each case, with what to do.

use std::io;
use std::path::PathBuf;

use super::layout::FORMAT;

/// Why a snapshot could not be read or published. Every message names the path, what was found and, if known, what to do.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message shows what its fields are")]
pub enum StoreError {
    /// The operating system reported an error.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The directory holds something else than a snapshot.
    #[error(
        "{}: not a snapshot directory: it holds `{found}` but no `generations`; name a new or an empty directory",
        path.display()
    )]
    Foreign { path: PathBuf, found: String },
    /// Another publisher, rollback or gc holds the lock.
    #[error("{}: locked by another publisher; wait until it is done", path.display())]
    Locked { path: PathBuf },
    /// Nothing was published here.
    #[error("{}: no snapshot was published here; run `opdir build` first", path.display())]
    Unpublished { path: PathBuf },
    /// The generation is not (or no longer) there.
    #[error("{}: no such generation; `opdir gc` may have removed it", path.display())]
    NoGeneration { path: PathBuf },
    /// The generation has no parent to roll back to or to compare with.
    #[error("{}: is the first generation; there is no earlier one to compare with or to return to", path.display())]
    NoParent { path: PathBuf },
    /// The generation has another format version.
    #[error(
        "{}: snapshot format {found}, this program reads {FORMAT}: made by another version; \
         rebuild it with `opdir build` of this one, or return to an older one with `opdir rollback ROOT NAME`",
        path.display()
    )]
    Version { path: PathBuf, found: u64 },
    /// A file differs from what was published. One that is missing or of another length may be one that is still being
    /// copied.
    #[error("{}: {problem}; build again, or restore the generation from a copy", path.display())]
    Damaged { path: PathBuf, problem: String, is_incomplete: bool },
    /// An input cannot be stored.
    #[error("{path}: {reason}")]
    Unfit { path: String, reason: &'static str },
}

impl StoreError {
    /// Whether the disk, a quota or a limit on file sizes had no room for what was to be written.
    pub fn is_out_of_space(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), FileTooLarge | QuotaExceeded | StorageFull))
    }

    /// Whether opening again may succeed without a new build: the system reported an error, or files that are still being
    /// copied are missing or incomplete. Any other content stays wrong until it is replaced.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Damaged { is_incomplete, .. } => *is_incomplete,
            Self::Foreign { .. } | Self::NoParent { .. } | Self::Version { .. } | Self::Unfit { .. } => false,
            _ => true,
        }
    }
}

/// A file is listed but not there.
pub(super) const MISSING: &str = "missing";
/// A symbolic link, or another thing than the file or directory that belongs there.
pub(super) const NOT_A_FILE: &str =
    "neither a regular file nor a directory where one belongs (links are not followed)";

/// A file has another size, in bytes.
pub(super) fn other_length(found: u64, expected: u64) -> String {
    format!("{found} bytes long, expected {expected}")
}
