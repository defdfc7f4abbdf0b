//! `contents.json` of a pushed generation, which names all its objects, and the two tables beside it.

use std::io::Read as _;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use store::{Body, Digest, FileTotals};

use crate::current::GenerationRef;
use crate::error::RemoteError;
use crate::objects::{fetch_by_hash, pack_path, read_json};
use crate::stores::Target;

/// Version of its format.
pub(crate) const FORMAT: u64 = 1;
/// Its name below the generation.
pub(crate) const CONTENTS: &str = "contents.json";
/// Names of the tables: where bodies are stored, and when they changed.
pub(crate) const OBJECTS: &str = "objects.bin.zst";
pub(crate) const HISTORY: &str = "history.bin.zst";
/// Most bytes of it: the names of some 100,000 packs.
const LIMIT: u64 = 16 << 20;
/// Most bytes of a table, decompressed.
const TABLE: u64 = 1 << 30;
/// What a table may have beyond the rows that the manifest accounts for.
const SLACK: u64 = 16 << 20;
/// Most bytes of a row of each table.
const OBJECTS_ROW: u64 = 256;
const HISTORY_ROW: u64 = 1 << 10;
/// A body of so many bytes is at most one more object, of [`OBJECTS_ROW`] bytes.
const CHUNK: u64 = 16 << 10;
/// Ids, which are two fifths of the table of objects, do not compress.
const RATIO: u64 = 64;
/// Zstandard level of tables, many of whose bytes are ids and hashes.
const LEVEL: i32 = 6;

/// `contents.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerationIndex {
    /// [`FORMAT`].
    pub(crate) format: u64,
    /// The text of `manifest.json`.
    pub(crate) manifest: String,
    /// The table [`OBJECTS`].
    pub(crate) objects: Table,
    /// The table [`HISTORY`].
    pub(crate) history: Table,
    /// All packs that the generation needs.
    pub(crate) packs: Vec<Pack>,
    /// Its files that are in no pack.
    pub(crate) plain: Vec<LooseFile>,
}

/// A compressed table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// Of the compressed bytes.
    pub(crate) sha256: Digest,
    /// Compressed bytes.
    pub(crate) stored: u64,
    /// Bytes.
    pub(crate) length: u64,
}

/// A pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pack {
    /// Of its bytes.
    pub(crate) sha256: Digest,
    /// Bytes.
    pub(crate) length: u64,
}

impl From<Body> for Pack {
    fn from(body: Body) -> Self {
        Self { sha256: body.sha256, length: body.len }
    }
}

/// A file that is in no pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LooseFile {
    /// Below the generation.
    pub(crate) path: String,
    /// Of its bytes.
    pub(crate) sha256: Digest,
    /// Bytes.
    pub(crate) length: u64,
}

impl Table {
    /// Compresses a table.
    pub(crate) fn compress(bytes: &[u8]) -> std::io::Result<(Self, Bytes)> {
        let stored = zstd::bulk::compress(bytes, LEVEL)?;
        let length = bytes.len() as u64;
        Ok((Self { sha256: Digest::of(&stored), stored: stored.len() as u64, length }, stored.into()))
    }

    /// Decompresses a table; `None` if its length is not the stated one.
    pub(crate) fn decompress(&self, stored: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(stored).ok()?;
        decoder.take(self.length.min(TABLE) + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == self.length).then_some(bytes)
    }

    /// Fetches a table.
    pub(crate) async fn fetch(&self, target: &dyn Target, path: String) -> Result<Vec<u8>, RemoteError> {
        let stored = fetch_by_hash(target, &path, self.stored, self.sha256).await?;
        self.decompress(&stored).ok_or_else(|| RemoteError::Damaged { place: target.place(), name: path })
    }
}

impl GenerationIndex {
    /// The bytes of the object.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // Numbers, strings and fixed keys: serde_json cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Fetches the index of a generation.
    pub(crate) async fn fetch(target: &dyn Target, of: &GenerationRef) -> Result<Self, RemoteError> {
        let path = of.path(CONTENTS);
        let bytes = fetch_by_hash(target, &path, LIMIT, of.contents).await?;
        read_json(&target.place(), &path, FORMAT, &bytes)
    }

    /// Refuses tables that are longer than those of the manifest's generation can be: a few bytes must not become many.
    pub(crate) fn check_sizes(&self, place: &str, of: &GenerationRef) -> Result<(), RemoteError> {
        let malformed = |problem: String| RemoteError::malformed(place, &of.path(CONTENTS), problem);
        /// The part of the manifest that is of use here; `store` reads it as a whole.
        #[derive(Deserialize)]
        struct Sizes {
            files: FileTotals,
        }
        let Sizes { files } =
            serde_json::from_str(&self.manifest).map_err(|error| malformed(error.to_string()))?;
        let objects = (files.bytes / CHUNK).saturating_add(files.count).saturating_mul(OBJECTS_ROW);
        let objects = objects.min(self.objects.stored.saturating_mul(RATIO));
        // Each row of the table of objects has eight bytes at least.
        let rows = files.count.min(1 + self.objects.length / 8);
        for (table, name, most) in
            [(&self.objects, OBJECTS, objects), (&self.history, HISTORY, rows.saturating_mul(HISTORY_ROW))]
        {
            let most = most.saturating_add(SLACK).min(TABLE);
            if table.length > most || table.stored > most {
                let length = table.length.max(table.stored);
                return Err(malformed(format!("{name} of {length} bytes, at most {most} fit its manifest")));
            }
        }
        Ok(())
    }

    /// Names of all objects that the generation needs.
    pub(crate) fn names(&self, of: &GenerationRef) -> Vec<String> {
        let packs = self.packs.iter().map(|pack| pack_path(&pack.sha256));
        let files = self.plain.iter().map(|file| of.path(&file.path));
        packs.chain(files).chain([OBJECTS, HISTORY, CONTENTS].map(|name| of.path(name))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1 << 30;

    /// An index whose tables have these compressed and whole lengths, of a manifest with so many files.
    fn index(files: u64, objects: (u64, u64), history: (u64, u64)) -> GenerationIndex {
        let sha256 = Digest::of(b"");
        let totals = FileTotals { count: files, bytes: files * 4096, sha256, table: sha256 };
        let table = |(stored, length)| Table { sha256, stored, length };
        GenerationIndex {
            format: FORMAT,
            manifest: serde_json::json!({ "files": totals, "sequence": 1 }).to_string(),
            objects: table(objects),
            history: table(history),
            packs: Vec::new(),
            plain: Vec::new(),
        }
    }

    #[test]
    fn a_table_is_no_longer_than_the_files_of_its_manifest_account_for() {
        let of = GenerationRef {
            generation: store::GenerationId::new(1, &Digest::of(b"")),
            push: uuid::Uuid::nil(),
            contents: Digest::of(b""),
            at: jiff::Timestamp::UNIX_EPOCH,
        };
        let check =
            |index: &GenerationIndex| index.check_sizes("here", &of).map_err(|error| error.to_string());
        let usual = (2 << 20, 4 << 20);
        assert_eq!(check(&index(20_000, usual, (64 << 10, 1 << 20))), Ok(()));
        for (objects, history, name) in [
            ((131_072, 8 * GB), (1, 1), OBJECTS),
            ((131_072, GB / 2), (1, 1), OBJECTS),
            ((8 * GB, 1), (1, 1), OBJECTS),
            (usual, (131_072, 8 * GB), HISTORY),
            (usual, (8 * GB, 1), HISTORY),
        ] {
            let error = check(&index(20_000, objects, history)).unwrap_err();
            assert!(error.contains(name) && error.contains("fit its manifest"), "{error}");
        }
    }
}
