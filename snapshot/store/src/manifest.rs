//! `manifest.json`: what a generation is, what it was made from, and its hash.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::body::{Body, Digest};
use super::layout::{ARCHIVE, CHANGES, FILE_TABLE, FORMAT, GenerationId, INDEX};
use super::table::check_path;

/// Version of the REST interface whose answers the files hold.
pub(crate) const API_VERSION: &str = "1.0.0";

/// `manifest.json`. Its bytes are exactly those of `to_bytes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// `FORMAT`.
    pub format: u32,
    /// Counts the generations of one root, from 1. Outside the hash.
    pub sequence: u64,
    /// The generation that this one replaced. Outside the hash.
    // A required member, even where it is null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub parent: Option<GenerationId>,
    /// Of the file list, `as_of` and `base_url`.
    pub hash: Digest,
    /// `publishedAt` of the dataset, never the clock.
    pub generated_at: Timestamp,
    /// The UTC day the files are right for.
    pub as_of: Date,
    /// Scheme and authority, no path.
    pub base_url: String,
    /// `API_VERSION`.
    pub api_version: String,
    /// The dataset.
    pub source: DatasetHash,
    /// Published records by entity.
    pub counts: RecordCounts,
    /// The files.
    pub files: FileTotals,
    /// The files in which they are stored, sorted by path; outside the hash.
    pub stored: Vec<StoredFile>,
    /// False when pages were left out (`--index-only`).
    pub complete: bool,
}

/// Hash of the dataset as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetHash {
    /// SHA-256.
    pub sha256: Digest,
}

/// Published records by entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each field counts the records it names")]
pub struct RecordCounts {
    pub organizations: u64,
    pub programs: u64,
    pub cycles: u64,
    pub awards: u64,
    pub recipients: u64,
    pub sources: u64,
    pub facts: u64,
}

/// Totals of the files: all in `site.zip`, and those of the index but `index/files.bin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileTotals {
    /// Number of files.
    pub count: u64,
    /// Sum of their sizes.
    pub bytes: u64,
    /// Hash of the list of them: a line `<hex>  <path>` each, those of the index first, and one of their holes.
    pub sha256: Digest,
}

/// A file beside `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredFile {
    /// Below the folder of the generation.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its hash.
    pub sha256: Digest,
}

impl StoredFile {
    /// Its size and hash.
    pub(crate) fn body(&self) -> Body {
        Body { len: self.bytes, sha256: self.sha256 }
    }

    /// Whether the edge computes answers from it.
    pub(super) fn is_index(&self) -> bool {
        self.path.starts_with(INDEX) && self.path != FILE_TABLE
    }
}

/// Why a manifest was refused.
#[derive(Debug, PartialEq, Eq)]
pub enum ManifestError {
    /// It has another format version.
    Version(u64),
    /// It breaks a rule.
    Malformed(String),
}

impl Manifest {
    /// The hash of a generation, see the layout in `store`.
    pub(super) fn hash_of(file_list: &Digest, as_of: Date, base_url: &str) -> Digest {
        Digest::of(format!("{file_list}\n{as_of}\n{base_url}\n").as_bytes())
    }

    /// Hash of all but the hash of `changes.bin`, which names this one.
    pub(super) fn own_hash(&self) -> Digest {
        let stored = self.stored.iter().filter(|file| file.path != CHANGES).cloned().collect();
        Digest::of(&Self { stored, ..self.clone() }.to_bytes())
    }

    /// A file beside it.
    pub fn stored(&self, path: &str) -> Option<&StoredFile> {
        self.stored.iter().find(|file| file.path == path)
    }

    /// Its name.
    pub fn id(&self) -> GenerationId {
        GenerationId { sequence: self.sequence, hash: self.hash.half() }
    }

    /// The text of the file: indented JSON, ended by LF.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Strings, integers and fixed keys: serde_json cannot fail.
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        text
    }

    /// Reads the file strictly: first the version, then fields, then rules; its bytes must be those that `to_bytes` writes.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let broken = ManifestError::Malformed;
        let Versioned { format } = serde_json::from_slice(bytes).map_err(|err| broken(err.to_string()))?;
        if format != u64::from(FORMAT) {
            return Err(ManifestError::Version(format));
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(|err| broken(err.to_string()))?;
        manifest.check().map_err(|rule| broken(rule.to_owned()))?;
        if manifest.to_bytes() != bytes {
            return Err(broken("not written the way this program writes it".to_owned()));
        }
        Ok(manifest)
    }

    fn check(&self) -> Result<(), &'static str> {
        const NEEDED: [&str; 3] = [ARCHIVE, CHANGES, FILE_TABLE];
        let may_be = |file: &StoredFile| {
            NEEDED.contains(&&*file.path)
                || file.path.starts_with(INDEX) && check_path(file.path.as_bytes()).is_ok()
        };
        let is_sorted = self.stored.is_sorted_by(|one, next| one.path < next.path);
        let hash = Self::hash_of(&self.files.sha256, self.as_of, &self.base_url);
        check_base_url(&self.base_url)?;
        let rules = [
            (self.api_version == API_VERSION, "apiVersion is not 1.0.0"),
            (self.sequence > 0, "sequence counts from 1"),
            (NEEDED.iter().all(|path| self.stored(path).is_some()), "stored has not all files"),
            (is_sorted && self.stored.iter().all(may_be), "stored is not sorted, or has another file"),
            (self.hash == hash, "hash does not fit files, asOf and baseUrl"),
        ];
        rules.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, broken)| Err(*broken))
    }
}

/// A base URL is a scheme and an authority.
pub(super) fn check_base_url(url: &str) -> Result<(), &'static str> {
    let authority = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"/?#\"\\<>".contains(&byte);
    match authority {
        Some(authority) if !authority.is_empty() && authority.bytes().all(plain) => Ok(()),
        _ => Err("baseUrl is not http(s)://host without a path"),
    }
}

/// The only field of every version.
#[derive(Deserialize)]
struct Versioned {
    format: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::publish;

    fn refusal(text: &str) -> String {
        match Manifest::parse(text.as_bytes()) {
            Ok(_) => "accepted".to_owned(),
            Err(ManifestError::Version(found)) => format!("version {found}"),
            Err(ManifestError::Malformed(problem)) => problem,
        }
    }

    #[test]
    fn version_comes_first_then_fields_then_rules_then_form() {
        let root = tempfile::tempdir().unwrap();
        let first = publish(root.path(), &[("a.json", "a")]).manifest.id();
        let text = String::from_utf8(publish(root.path(), &[("a.json", "b")]).manifest.to_bytes()).unwrap();
        let with = |from: &str, to: &str| refusal(&text.replacen(from, to, 1));
        assert_eq!(with("", ""), "accepted");
        assert_eq!(refusal(r#"{"format": 3, "anything": []}"#), "version 3");
        assert!(refusal("").contains("EOF"));
        assert!(with("\"complete\"", "\"extra\": 1,\n  \"complete\"").contains("unknown field `extra`"));
        assert!(with("  \"asOf\": \"2026-11-20\",\n", "").contains("missing field `asOf`"));
        assert!(with("changes.bin", "changes.dat").contains("not all files"));
        assert!(with("1.0.0", "1.1.0").contains("apiVersion"));
        assert!(with("example.org", "example.org/path").contains("without a path"));
        assert!(with("\"asOf\": \"2026-11-20", "\"asOf\": \"2026-11-21").contains("hash does not fit"));
        assert!(with("06:00:00Z", "06:00:00+00:00").contains("not written the way"));
        assert!(with(&first.to_string(), "1-00112233445566778899").contains("not a generation id"));
    }
}
