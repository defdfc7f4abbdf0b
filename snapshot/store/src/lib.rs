//! Generations of a snapshot on disk: the layout of a root, and how a generation is published and read. The `snapshot`
//! package touches no files itself.
//!
//! ```text
//! ROOT/
//!   CURRENT                    one line: the id of the live generation; replaced by rename
//!   lock                       flock of the only publisher; `rollback` and `gc` hold it too
//!   incoming/                  packs of a generation that could not be pulled as a whole yet, see `kept_packs`
//!   accepted                   what a pull accepted last, see `remote`
//!   generations/
//!     .tmp-…                   a generation that is being built or removed; the next publisher removes leftovers
//!     <sequence>-<hash>/       a `GenerationId`: sequence in 6 or more digits, first 32 hex digits of the hash
//!       manifest.json          a `Manifest`
//!       history.bin            what depends on earlier generations, see below
//!       files.sha256           a line `<hex>  <path>` for every file below public/ and index/, as it is without
//!                              content coding, sorted by path; `sha256sum -c` run in this directory accepts it
//!       siblings.bin           lengths and hashes of the .gz, .br and .zst files, see `siblings`
//!       public/…               the site as files, with .gz, .br and .zst siblings
//!       index/…                the files that the edge copies or maps; index/files.bin is the `FileTable`
//! ```
//!
//! **Packs.** The same generation may be stored in packs instead of a tree of files. Then it has no `files.sha256`, no
//! `siblings.bin`, no `public/`, and of `index/` only the files over 64 MiB; it has instead:
//! ```text
//!       objects.bin            the pack and position of each body, see `objects`
//!       packs/<sha256>.pack    bodies without content coding, compressed inside the pack, see `packer`; a pack that
//!                              is in the previous generation too is a hard link to the same file
//! ```
//!
//! **Hash.** A generation is a table of paths and of the hashes of their identity bodies (without content coding).
//! `manifest.hash` is the SHA-256 of three lines: the SHA-256 of the file list in hex, `asOf`, `baseUrl`, each ended by
//! LF. Equal input gives an equal hash, independent of earlier publications and of compression. The hash does not cover
//! `sequence` and `parent` of the manifest and `history.bin`, which depend on earlier publications, nor `siblings.bin`
//! or `objects.bin`, which record where and in what codings bodies are stored.
//!
//! **history.bin** is a section file (see `sections`):
//! - `changed`: for every row of the file table the second in which its identity body last changed, by the rule of
//!   `history`: not before the date that the path had in the previous generation, and after it if the body differs;
//! - `recipe`: the hash of all inputs of the build, and of those but dataset and day, if they are known;
//! - `before`, `moved` and `gone`: the manifest of the previous generation and the pages that were added, modified or
//!   removed since, so that the paths to purge from caches are known after `gc` has removed that one (see `diff`);
//! - `earlier`: the generation to which a rollback returns;
//! - assets that pages of earlier generations name, see `earlier_assets`;
//! - `manifest`: the SHA-256 of `manifest.json`, which is thereby checked as well;
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

mod body;
mod build_info;
mod changes;
mod codec;
mod diff;
mod earlier_assets;
mod error;
mod generation;
mod history;
mod incoming;
mod kept_packs;
mod layout;
mod manifest;
mod mapping;
mod objects;
mod outgoing;
mod packer;
mod places;
mod retention;
mod siblings;
mod stage;
mod staging;
mod table;
mod verify;
mod vfs;

#[cfg(test)]
mod tests;

pub use body::{Body, CODINGS, Coding, Digest, Hex, Tally};
pub use build_info::{BuildInfo, EncodeFn, Layout, NewFile, PublishOutcome, RecordIds};
pub use changes::{ChangeLog, ChangePosition, Publication, RECORD_KINDS, RecordChange, RecordVersion};
pub use diff::{GenerationDiff, PathChange, diff};
pub use earlier_assets::EarlierAsset;
pub use error::{FileProblem, StoreError};
pub use generation::Generation;
pub use incoming::{IncomingGeneration, PackRange, take_present};
pub use manifest::{DatasetHash, FORMAT, FileTotals, GenerationId, Manifest, RecordCounts};
pub use outgoing::{PackOptions, PackSink, PackedGeneration};
pub use retention::{GenerationInfo, gc, list, live_id, rollback};
pub use stage::Stage;
pub use table::{FileEntry, FileTable, Hole};
pub use verify::{RootStat, VerifyMode, VerifyReport, stat_root, verify};
