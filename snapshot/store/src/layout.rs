//! Names of the files of a root and of a generation, see the documentation of the crate.

use super::manifest::GenerationId;

pub(super) const CURRENT: &str = "CURRENT";
pub(super) const CURRENT_TMP: &str = "CURRENT.tmp";
pub(super) const LOCK: &str = "lock";
/// A generation that is being pulled, see `remote`.
pub(super) const INCOMING: &str = "incoming";
/// What a pull records after a root was filled from a store, see `remote`.
pub(super) const ACCEPTED: &str = "accepted";
pub(super) const GENERATIONS: &str = "generations";
const TMP_PREFIX: &str = ".tmp-";

pub(super) const MANIFEST: &str = "manifest.json";
/// Every body, see `archive`.
pub const ARCHIVE: &str = "site.zip";
pub(super) const CHANGES: &str = "changes.bin";
pub(super) const FILE_TABLE: &str = "index/files.bin";
/// What paths of index files start with.
pub(super) const INDEX: &str = "index/";

/// What paths of pages of the REST interface start with.
pub(super) const RECORDS: &str = "api/v1/";

/// Directory of a generation, below the root.
pub(super) fn directory_of(id: GenerationId) -> String {
    format!("{GENERATIONS}/{id}")
}

/// A directory that is being built or removed.
pub(super) fn temporary(name: impl std::fmt::Display) -> String {
    format!("{GENERATIONS}/{TMP_PREFIX}{name}")
}

pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(TMP_PREFIX)
}
