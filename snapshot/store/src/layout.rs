//! Names of the files of a root and of a generation, see the documentation of the crate.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::body::{Hex, json_text, read_hex};

/// Version of the layout. A reader refuses any other.
pub const FORMAT: u32 = 9;

pub(super) const CURRENT: &str = "CURRENT";
pub(super) const CURRENT_TMP: &str = "CURRENT.tmp";
pub(super) const LOCK: &str = "lock";
/// A generation that is being pulled, see `remote`.
pub(super) const INCOMING: &str = "incoming";
/// What a pull records after a root was filled from a store, see `remote`.
pub(super) const ACCEPTED: &str = "accepted";
pub(super) const GENERATIONS: &str = "generations";
pub(super) const TMP_PREFIX: &str = ".tmp-";

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
pub(super) fn temporary(name: impl fmt::Display) -> String {
    format!("{GENERATIONS}/{TMP_PREFIX}{name}")
}

/// Name of a generation: `<sequence>-<first 32 hex digits of its hash>`, the sequence in 6 or more
/// digits. Ordered by sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GenerationId {
    /// Counts the generations of one root, from 1.
    pub sequence: u64,
    /// First half of `Manifest::hash`.
    pub hash: [u8; 16],
}

impl fmt::Display for GenerationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06}-{}", self.sequence, Hex(&self.hash))
    }
}

impl FromStr for GenerationId {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = text.split_once('-').and_then(|(sequence, hash)| {
            let sequence = sequence.parse().ok().filter(|sequence| *sequence > 0)?;
            Some(Self { sequence, hash: read_hex(hash)? })
        });
        id.filter(|id| id.to_string() == text).ok_or("not a generation id")
    }
}

json_text!(GenerationId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_one_spelling() {
        let hash = "00112233445566778899aabbccddeeff";
        for sequence in ["000001", "999999", "1000000"] {
            let text = format!("{sequence}-{hash}");
            assert_eq!(text.parse::<GenerationId>().unwrap().to_string(), text);
        }
        for bad in ["000000-", "1-", "0000001-", "+00001-", "-", "000001-0", "000001_"] {
            assert!(format!("{bad}{hash}").parse::<GenerationId>().is_err(), "{bad}");
        }
    }
}
