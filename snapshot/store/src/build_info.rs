//! What a publisher passes to `Stage`, and the outcome.

use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::FxHashMap;
use uuid::Uuid;

use super::body::Digest;
use super::manifest::{Manifest, RecordCounts};
use super::table::Hole;

/// A file to be published.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// In the archive, of letters, digits and `-._~`.
    pub path: &'a str,
    /// The bytes.
    pub body: &'a [u8],
    /// The bytes that depend on the day; sorted, not overlapping.
    pub holes: &'a [Hole],
    /// What the holes follow from on any day: the version of a record differs where it does.
    pub inputs: &'a [u8],
}

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
    /// How many bodies were copied, packed, from the generation before.
    pub copied: u64,
}
