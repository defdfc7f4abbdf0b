//! What a publisher is told, and what it tells.

use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::FxHashMap;
use uuid::Uuid;

use super::body::{Coding, Tally};
use super::digest::Digest;
use super::manifest::{Manifest, RecordCounts};
use super::table::Hole;

/// A file to be published.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// Below the generation: `public/…` or `index/…`, of letters, digits and `-._~`.
    pub path: &'a str,
    /// The bytes.
    pub body: &'a [u8],
    /// Which of them depend on the day; sorted, not overlapping.
    pub holes: &'a [Hole],
    /// Whether to store compressed siblings where they save a tenth or more.
    pub encodings: bool,
}

/// Tells all that the pages of a record are made from: records, words, templates, this program. Never zeros.
pub type RecordFingerprint = [u8; 16];

/// A record whose pages are those of the live generation, if it was made from the same there.
#[derive(Clone, Copy, Debug)]
pub struct ReusableRecord<'a> {
    /// Path of its page in the REST interface.
    pub page: &'a str,
    /// What its pages are made from.
    pub from: RecordFingerprint,
    /// What the paths of its pages begin with, and no others do.
    pub starts: &'a [String],
}

/// How bodies are stored. What a generation is called does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As files by URL, each with its codings beside it: what any static host takes. `encoder` names the
    /// compressors and levels in use: stored codings made by another are not reused.
    Tree {
        /// Its name.
        encoder: String,
    },
    /// In a few packs, as they are, Zstandard inside.
    Packs {
        /// Level of Zstandard.
        level: i32,
    },
}

/// Makes a body in a coding; none where that is not possible.
pub type EncodeFn<'a> = &'a (dyn Fn(Coding, &[u8]) -> Option<Vec<u8>> + Sync);

/// The ids of records, by `kind/slug`.
pub type RecordIds = FxHashMap<String, Uuid>;

/// What a manifest says besides what the store knows itself.
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
    /// Hash of all that it is made from, the program too: equal ones need not be built again.
    pub fingerprint: Option<Digest>,
    /// Ids of the records that have pages; what is not there is told without.
    pub ids: RecordIds,
}

/// What `Stage::publish` did.
#[derive(Clone, Debug)]
pub struct PublishOutcome {
    /// The live generation's manifest.
    pub manifest: Manifest,
    /// Nothing was published, for the live generation has the same hash.
    pub unchanged: bool,
    /// Files and bytes written anew.
    pub written: Tally,
    /// Files, or objects of packs, and bytes shared with the parent (or found equal, if unchanged).
    pub linked: Tally,
    /// Files that were written anew because the parent's were damaged.
    pub repaired: u64,
}
