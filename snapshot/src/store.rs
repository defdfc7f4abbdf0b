//! The snapshot on disk: its layout, how it is published and how it is read. The only module of
//! this crate that touches files.
//!
//! ```text
//! ROOT/
//!   CURRENT                    one line: the id of the live generation; replaced by rename
//!   lock                       flock of the one publisher (also held by rollback and gc)
//!   bodies/                    what an edge has fetched of bodies that were left in a store, see `ring`
//!   generations/
//!     .tmp-…                   being built or being removed; the next publisher clears it away
//!     <sequence>-<hash>/       a `GenerationId`: sequence in 6 or more digits, first 32 hex digits of the hash
//!       manifest.json          a `Manifest`
//!       history.bin            what depends on earlier generations, see below
//!       files.sha256           a line `<hex>  <path>` for every file below public/ and index/ as it is,
//!                              sorted by path; `sha256sum -c` run in this directory accepts it
//!       siblings.bin           lengths and hashes of the .gz, .br and .zst files
//!       public/…               the site as files, with .gz, .br and .zst siblings
//!       index/…                what the edge copies or maps; index/files.bin is the `FileTable`
//! ```
//!
//! **Packs.** The same generation may lie in packs instead of a tree. Then it has no `files.sha256`, no
//! `siblings.bin`, no `public/` and of `index/` only files over 64 MiB, but
//! ```text
//!       objects.bin            in which pack each body lies, see `objects`
//!       packs/<sha256>.pack    bodies as they are, compressed inside, see `packer`; a pack that the generation
//!                              before has too is one file with two names
//! ```
//! Of a generation that came from a store, bodies may have been left there, see `away`: then it is served by who can
//! ask the store for them, and nothing else can be done with it.
//!
//! **Hash.** A generation is a table of paths and of hashes of bodies as they are. `manifest.hash` is the
//! SHA-256 of three lines: the SHA-256 of the file list in hex, `asOf`, `baseUrl`, each ended by LF. Equal
//! input gives an equal hash, whatever was published before and however it is compressed. Outside of it stand
//! `sequence` and `parent` in the manifest and `history.bin`, which depend on what was published before, and
//! `siblings.bin` or `objects.bin`, which say where and in what codings bodies are stored.
//!
//! **history.bin** is a section file: `changed`, for every row of the file table the second in which
//! its identity body last changed, by the rule of `dates`: never earlier than what the path's body said
//! before, and later where it is another; `recipe`, the hash of all that it was made from, if that is known;
//! `before`, `moved` and `gone`, the manifest of the generation before and which pages that has otherwise or alone,
//! so that what to purge can be told when `gc` has taken it; and `manifest`, the SHA-256 of `manifest.json`, which
//! thereby is guarded as well.
//!
//! **Publishing** (`Stage`): build under `.tmp-…`; *B1* `syncfs`; read back what was written;
//! rename to the id; *B2* `fsync(generations)`; write `CURRENT.tmp`; *B3* `fsync` it; rename it to
//! `CURRENT`; *B4* `fsync(ROOT)`. A generation cannot be reached before `CURRENT` names it, B1 and
//! B2 make it durable before that, and nothing published is ever written again: after a crash at any
//! point `CURRENT` names a complete generation, the old one or the new one.
//!
//! **Reading** (`Generation`) follows no symbolic link below ROOT and checks version, hashes and
//! bounds before anything is trusted. Published files are read-only, and a reader that must outlive
//! whoever writes over them all the same copies the index. A reader holds a shared `flock` on the generation's directory,
//! which `gc` respects.

#![expect(clippy::disallowed_methods, reason = "files are the business of this module alone")]

pub mod sections;

mod body;
mod build_info;
mod changes;
mod codec;
mod dates;
mod diff;
mod digest;
mod disk_cache;
mod generation;
mod lazy;
mod manifest;
mod objects;
mod outgoing;
mod packer;
mod presence;
mod retention;
mod siblings;
mod stage;
mod stat;
mod table;
mod verify;
mod vfs;

#[cfg(test)]
mod crash;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

pub use body::{Body, CODINGS, Coding, Tally};
pub use build_info::{
    BuildInfo, EncodeFn, Layout, NewFile, PublishOutcome, RecordFingerprint, RecordIds, ReusableRecord,
};
pub use changes::{History, HistoryPosition, Publication, RECORD_KINDS, RecordChange, RecordVersion};
pub use diff::{GenerationDiff, PathChange, diff};
pub use digest::{Digest, Hex};
pub use disk_cache::DiskCache;
pub use generation::Generation;
pub use lazy::{Fetch, LazyBodies, PackRange, ReadMode};
pub use manifest::{API_VERSION, DatasetHash, FORMAT, FileTotals, GenerationId, Manifest, RecordCounts};
pub use outgoing::{PackOptions, PackSink, PackedGeneration};
pub use retention::{GenerationInfo, gc, list, live_id, rollback};
use sections::SectionError;
pub use stage::{FetchMode, IncomingGeneration, Stage, take_present};
pub use stat::{RootStat, stat_root};
pub use table::{FileEntry, FileTable, Hole};
pub use verify::{VerifyMode, VerifyReport, verify};

const CURRENT: &str = "CURRENT";
const CURRENT_TMP: &str = "CURRENT.tmp";
const LOCK: &str = "lock";
const GENERATIONS: &str = "generations";
const TMP_PREFIX: &str = ".tmp-";
const MANIFEST: &str = "manifest.json";
const HISTORY: &str = "history.bin";
const FILE_LIST: &str = "files.sha256";
const SIBLINGS: &str = "siblings.bin";
const OBJECTS: &str = "objects.bin";
const PACKS: &str = "packs";
const KEPT: &str = "bodies";
const INDEX_DIR: &str = "index";
const FILE_TABLE: &str = "index/files.bin";

/// Why a snapshot could not be read or published. Every text names the path, what was found and,
/// where one is known, what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// File or directory.
        path: PathBuf,
        /// As reported.
        source: io::Error,
    },
    /// A directory with other things in it.
    #[error(
        "{}: not a snapshot directory: it holds `{found}` but no `generations`; name a new or an empty directory",
        path.display()
    )]
    Foreign {
        /// The root asked for.
        path: PathBuf,
        /// One name found there.
        found: String,
    },
    /// Another publisher, rollback or gc holds the lock.
    #[error("{}: locked by another publisher; wait until it is done", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// Nothing was published here.
    #[error("{}: not found: no snapshot was published here; run `opdir build` first", path.display())]
    Unpublished {
        /// `CURRENT` of the root asked for.
        path: PathBuf,
    },
    /// A generation that is not (or no longer) there.
    #[error("{}: no such generation; `opdir gc` may have removed it", path.display())]
    NoGeneration {
        /// Its directory.
        path: PathBuf,
    },
    /// A generation has no parent to go back to or to compare with.
    #[error("{}: names a generation without a parent; name the other one", path.display())]
    NoParent {
        /// `CURRENT`, or what the caller named.
        path: PathBuf,
    },
    /// Made by another version of this program.
    #[error(
        "{}: snapshot format {found}, this program reads {FORMAT}: made by another version; \
         rebuild it with `opdir build` of this one",
        path.display()
    )]
    Version {
        /// The manifest.
        path: PathBuf,
        /// The format it states.
        found: u64,
    },
    /// A file differs from what was published.
    #[error("{}: {problem}; build again, or restore the generation from a copy", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: FileProblem,
    },
    /// Something that lies elsewhere.
    #[error("{}: {why}", path.display())]
    BodyUnavailable {
        /// The generation.
        path: PathBuf,
        /// Why it is not fetched.
        why: BodyUnavailable,
    },
    /// What the caller handed in cannot be stored.
    #[error("{path}: {reason}")]
    Unfit {
        /// The page's path.
        path: String,
        /// The rule it breaks.
        reason: &'static str,
    },
}

impl StoreError {
    /// Whether opening again may succeed although nobody builds anything: the system refused just now, or
    /// files that a copy is still bringing are not there or not complete. Anything else was read and is
    /// not what was published, and stays so until it is replaced.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Io { .. }
            | Self::Locked { .. }
            | Self::Unpublished { .. }
            | Self::NoGeneration { .. }
            | Self::BodyUnavailable { .. } => true,
            Self::Damaged { problem, .. } => problem.may_pass(),
            Self::Foreign { .. } | Self::NoParent { .. } | Self::Version { .. } | Self::Unfit { .. } => false,
        }
    }
}

/// Why a body that lies elsewhere is not here.
#[derive(Debug, thiserror::Error)]
pub enum BodyUnavailable {
    /// It was left where it lies, and nobody was told where that is.
    #[error(
        "only its index is here, its bodies are in the store (`opdir-edge --fetch lazy`); `opdir pull` the store into a \
         new folder and name that"
    )]
    IndexOnly,
    /// It was not to be waited for.
    #[error("a body is not here yet")]
    NotLocal,
    /// The store does not give it.
    #[error("a body is not here, and the store does not give it: {0}")]
    FetchFailed(String),
}

/// What is wrong with a file of a generation.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    /// Listed but not there.
    #[error("missing")]
    Missing,
    /// There but not listed.
    #[error("not listed")]
    Extra,
    /// A symbolic link, or another thing than the file or directory that belongs there.
    #[error("neither a regular file nor a directory where one belongs (links are not followed)")]
    NotAFile,
    /// Another size, in bytes.
    #[error("{found} bytes long, expected {expected}")]
    Length {
        /// As published.
        expected: u64,
        /// As found.
        found: u64,
    },
    /// Other content.
    #[error("SHA-256 is {found}, expected {expected}")]
    Hash {
        /// As published.
        expected: Digest,
        /// As found.
        found: Digest,
    },
    /// A section file is broken.
    #[error(transparent)]
    Section(#[from] SectionError),
    /// Its text breaks the format.
    #[error("{0}")]
    Format(String),
}

impl FileProblem {
    fn may_pass(&self) -> bool {
        match self {
            Self::Missing | Self::Length { .. } => true,
            Self::Section(section) => matches!(section, SectionError::Io(_) | SectionError::Length { .. }),
            Self::Extra | Self::NotAFile | Self::Hash { .. } | Self::Format(_) => false,
        }
    }
}
