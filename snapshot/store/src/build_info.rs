//! What a publisher passes to `Stage`, and the outcome.

use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::FxHashMap;
use uuid::Uuid;

use super::body::{Coding, Digest, Tally};
use super::manifest::{Manifest, RecordCounts};
use super::table::Hole;

/// A file to be published.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// Below the generation: `public/…` or `index/…`, of letters, digits and `-._~`.
    pub path: &'a str,
    /// The bytes.
    pub body: &'a [u8],
    /// The bytes that depend on the day; sorted, not overlapping.
    pub holes: &'a [Hole],
    /// Whether to store compressed siblings where they save a tenth or more.
    pub encodings: bool,
}

/// How bodies are stored. The name of a generation does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As files by URL, each with its codings beside it, as any static host serves them. `encoder` names the compressors
    /// and levels in use: codings by another encoder are not reused.
    Tree {
        /// Its name.
        encoder: String,
    },
    /// In a few packs, compressed with Zstandard inside.
    Packs {
        /// Level of Zstandard.
        level: i32,
    },
}

/// Encodes a body; `None` if that is not possible.
pub type EncodeFn<'a> = &'a (dyn Fn(Coding, &[u8]) -> Option<Vec<u8>> + Sync);

/// Ids of records by `kind/slug`.
pub type RecordIds = FxHashMap<String, Uuid>;

/// The part of a manifest that the publisher provides.
#[derive(Clone, Debug)]
pub struct BuildInfo {
    /// `publishedAt` of the dataset.
    pub generated_at: Timestamp,
    /// The UTC day the files are right for.
    pub as_of: Date,
    /// Scheme and authority, no path.
    pub base_url: String,
    /// Hash of the dataset as read.
    pub source: Digest,
    /// Published records.
    pub counts: RecordCounts,
    /// False when pages were left out.
    pub complete: bool,
    /// Hash of all that it is made from, the program included, if that is known: of equal ones only one is built.
    pub made_from: Option<Digest>,
    /// Ids of the records that have pages; changes of other records have no id.
    pub ids: RecordIds,
}

/// The outcome of `Stage::publish`.
#[derive(Clone, Debug)]
pub struct PublishOutcome {
    /// Manifest of the live generation.
    pub manifest: Manifest,
    /// Nothing was published, as the live generation has the same hash.
    pub unchanged: bool,
    /// Written files.
    pub written: Tally,
    /// Files, or objects of packs, that are shared with the parent.
    pub linked: Tally,
    /// Files that were written again because those of the parent are damaged.
    pub repaired: u64,
}
