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

// Published files may be damaged or hostile: nothing outside its tests may panic on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests have temporary folders and a clock"))]

pub mod sections;

mod body;
mod build_info;
mod changes;
mod codec;
mod diff;
mod disk_cache;
mod error;
mod generation;
mod history;
mod incoming;
mod layout;
mod lazy;
mod manifest;
mod objects;
mod outgoing;
mod packer;
mod presence;
mod retention;
mod siblings;
mod stage;
mod staging;
mod table;
mod verify;
mod vfs;

#[cfg(test)]
mod crash;
#[cfg(test)]
mod tests;

pub use body::{Body, CODINGS, Coding, Digest, Hex, Tally};
pub use build_info::{
    BuildInfo, EncodeFn, Layout, NewFile, PublishOutcome, RecordFingerprint, RecordIds, ReusableRecord,
};
pub use changes::{ChangeLog, ChangePosition, Publication, RECORD_KINDS, RecordChange, RecordVersion};
pub use diff::{GenerationDiff, PathChange, diff};
pub use disk_cache::DiskCache;
pub use error::{BodyUnavailable, FileProblem, StoreError};
pub use generation::Generation;
pub use incoming::{FetchMode, IncomingGeneration, take_present};
pub use layout::FORMAT;
pub use lazy::{Fetch, LazyBodies, PackRange, ReadMode};
pub use manifest::{API_VERSION, DatasetHash, FileTotals, GenerationId, Manifest, RecordCounts};
pub use outgoing::{PackOptions, PackSink, PackedGeneration};
pub use presence::{RootStat, stat_root};
pub use retention::{GenerationInfo, gc, list, live_id, rollback};
pub use stage::Stage;
pub use table::{FileEntry, FileTable, Hole};
pub use verify::{VerifyMode, VerifyReport, verify};
