//! Generations of a snapshot on disk: the layout of a root, and how a generation is published and read. The `snapshot`
//! package touches no files itself.
//!
//! ```text
//! ROOT/
//!   CURRENT                    one line: the id of the live generation; replaced by rename
//!   lock                       flock of the only publisher; `rollback` and `gc` hold it too
//!   incoming/<id>/             files of a generation that was not pulled as a whole yet
//!   accepted                   what a pull accepted last, see `remote`
//!   generations/
//!     .tmp-…                   a generation that is being built or removed; the next publisher removes leftovers
//!     <sequence>-<hash>/       a `GenerationId`: sequence in 6 or more digits, first 32 hex digits of the hash
//!       manifest.json          a `Manifest`: what it is, and length and SHA-256 of each file beside it
//!       site.zip               all bodies by their paths, see `archive`
//!       index/…                the files that the edge copies or maps; index/files.bin is the `FileTable`
//!       changes.bin            what depends on earlier generations, see below
//! ```
//!
//! **Hash.** A generation is a list of paths and of the hashes of their identity bodies (without content coding): those of the
//! index, then all that is in the archive. `manifest.hash` is the SHA-256 of three lines: the SHA-256 of that list in hex, `asOf`, `baseUrl`, each ended by LF.
//! Equal input gives an equal hash, independent of earlier publications and of compression. The hash does not cover
//! `sequence`, `parent` and `stored` of the manifest and `changes.bin`: they depend on earlier publications, or on how bodies
//! are packed.
//!
//! **changes.bin** is a section file (see `sections`):
//! - `changed`: for every row of the file table the second in which its identity body last changed, by the rule of
//!   `history`: not before the date that the path had in the previous generation, and after it if the body differs;
//! - `before`, `moved` and `gone`: the manifest of the previous generation and the pages that were added, modified or
//!   removed since, so that the paths to purge from caches are known after `gc` has removed that one (see `diff`);
//! - `earlier`: the generation to which a rollback returns;
//! - assets that pages of earlier generations name, see `earlier_assets`;
//! - `manifest`: the SHA-256 of `manifest.json` without the hash of `changes.bin`; the manifest has that hash, so that
//!   neither of the two is of another generation;
//! - the change log of records, see `changes`.
//!
//! **Publishing** (`Stage`): build under `.tmp-…`; *B1* `syncfs`; read back the written files; rename the directory
//! to the id; *B2* `fsync(generations)`; write `CURRENT.tmp`; *B3* `fsync` it; rename it to `CURRENT`; *B4*
//! `fsync(ROOT)`. No reader can reach a generation before `CURRENT` names it, B1 and B2 make the generation durable
//! before that, and a published file is never written again: after a crash at any point `CURRENT` names a complete
//! generation, the old one or the new one.
//!
//! **Reading** (`Generation`) follows no symbolic link below ROOT, and checks version, hashes and bounds before it uses
//! any content. Published files are read-only; a reader that must survive another process that writes to them
//! nevertheless copies the index instead of mapping it. A reader holds a shared `flock` on the generation's directory,
//! which `gc` respects.

// Published files may be damaged or hostile: nothing outside its tests may panic on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests have temporary folders and a clock"))]

pub mod sections;

mod archive;
mod body;
mod changes;
mod changes_writer;
mod diff;
mod disk;
mod earlier_assets;
mod error;
mod generation;
mod incoming;
mod layout;
mod manifest;
mod mapping;
mod old_generations;
mod publish;
mod stage;
mod table;
mod verify;

#[cfg(test)]
mod tests;

pub use archive::{gunzip, gzip_of as gzip};
pub use body::{Body, Coding, Digest, Hex};
pub use changes::{
    ChangeLog, ChangePosition, Publication, RECORD_KINDS, RecordChange, RecordIds, RecordVersion,
};
pub use diff::{GenerationDiff, PathChange, diff};
pub use disk::lock;
pub use earlier_assets::EarlierAsset;
pub use error::StoreError;
pub use generation::Generation;
pub use incoming::{IncomingGeneration, take_present};
pub use layout::{ARCHIVE, FORMAT, GenerationId};
pub use manifest::{DatasetHash, FileTotals, Manifest, ManifestError, RecordCounts, StoredFile};
pub use old_generations::{gc, list, live_id, rollback};
pub use stage::{BuildInfo, PublishOutcome, Stage};
pub use table::{FileEntry, FileTable, Hole, NewFile};
pub use verify::{VerifyMode, verify};
