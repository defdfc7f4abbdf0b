//! What describes a pushed generation: `contents.json`, and the two tables beside it.

use std::io::Read as _;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use snapshot::store::{Body, Digest};

use crate::current::GenerationRef;
use crate::error::{RemoteError, store_error};
use crate::target::Target;
use crate::versioned_json::read_json;

/// Version of its form.
pub const FORMAT: u64 = 1;
/// Most bytes of it: the names of some 100,000 packs.
const LIMIT: u64 = 16 << 20;
/// Most bytes of a table, unpacked.
const TABLE: u64 = 8 << 30;
/// Level of Zstandard for tables: most of them are hashes.
const LEVEL: i32 = 6;

/// What `contents.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationIndex {
    /// [`FORMAT`].
    pub format: u64,
    /// The text of `manifest.json`.
    pub manifest: String,
    /// `objects.bin.zst`.
    pub objects: Table,
    /// `history.bin.zst`.
    pub history: Table,
    /// All packs that it needs.
    pub packs: Vec<Pack>,
    /// Files that lie in no pack.
    pub plain: Vec<LooseFile>,
}

/// A table that lies compressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Of the compressed bytes.
    pub sha256: Digest,
    /// Compressed bytes.
    pub stored: u64,
    /// Bytes.
    pub length: u64,
}

/// A pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// Of its bytes.
    pub sha256: Digest,
    /// Bytes.
    pub length: u64,
}

/// A file that lies in no pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LooseFile {
    /// Below the generation.
    pub path: String,
    /// Of its bytes.
    pub sha256: Digest,
    /// Bytes.
    pub length: u64,
}

/// Which of the two tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Where bodies lie.
    Objects,
    /// When they changed.
    History,
}

impl TableKind {
    /// Its name in the folder of the generation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Objects => "objects.bin.zst",
            Self::History => "history.bin.zst",
        }
    }
}

/// Where a pack lies.
#[must_use]
pub fn pack_path(sha256: &Digest) -> String {
    let name = sha256.to_string();
    format!("p/{}/{name}.pack", name.get(..2).unwrap_or_default())
}

/// Where a file that lies in no pack lies.
#[must_use]
pub fn plain_path(named: &GenerationRef, path: &str) -> String {
    format!("{}/{path}", named.folder())
}

/// Name of `contents.json` of a generation.
#[must_use]
pub fn contents_path(named: &GenerationRef) -> String {
    format!("{}/contents.json", named.folder())
}

impl Table {
    /// Compresses a table.
    ///
    /// # Errors
    ///
    /// If it cannot be compressed, for want of memory.
    pub fn pack(bytes: &[u8]) -> std::io::Result<(Self, Bytes)> {
        let stored = zstd::bulk::compress(bytes, LEVEL)?;
        let length = bytes.len() as u64;
        Ok((Self { sha256: Digest::of(&stored), stored: stored.len() as u64, length }, stored.into()))
    }

    /// Unpacks a table; none if it is not just as long as it says.
    #[must_use]
    pub fn unpack(&self, stored: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(stored).ok()?;
        decoder.take(self.length.min(TABLE) + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == self.length).then_some(bytes)
    }
}

impl GenerationIndex {
    /// The bytes of the object.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Numbers, strings and fixed keys: there is nothing that serde_json could refuse.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Fetches what describes a generation.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not what was pushed.
    pub async fn fetch(target: &dyn Target, named: &GenerationRef) -> Result<Self, RemoteError> {
        let (place, path) = (target.place(), contents_path(named));
        let bytes = whole(target, &path, LIMIT, named.contents).await?;
        let text = std::str::from_utf8(&bytes);
        let text = text.map_err(|_| RemoteError::Damaged { place: place.clone(), name: path.clone() })?;
        read_json(&place, &path, FORMAT, text)
    }

    /// Fetches one of the tables.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not what was pushed.
    pub async fn table(
        &self,
        target: &dyn Target,
        named: &GenerationRef,
        which: TableKind,
    ) -> Result<Vec<u8>, RemoteError> {
        let table = match which {
            TableKind::Objects => &self.objects,
            TableKind::History => &self.history,
        };
        let path = format!("{}/{}", named.folder(), which.name());
        let stored = whole(target, &path, table.stored, table.sha256).await?;
        table.unpack(&stored).ok_or_else(|| RemoteError::Damaged { place: target.place(), name: path })
    }

    /// Names of all objects that this generation needs.
    #[must_use]
    pub fn names(&self, named: &GenerationRef) -> Vec<String> {
        let tables = [TableKind::Objects, TableKind::History]
            .map(|which| format!("{}/{}", named.folder(), which.name()));
        let plain = self.plain.iter().map(|plain| plain_path(named, &plain.path));
        let packs = self.packs.iter().map(|pack| pack_path(&pack.sha256));
        packs.chain(plain).chain(tables).chain([contents_path(named)]).collect()
    }
}

/// An object that is known by its hash. Bytes that are something else are asked for twice more: a proxy or a disk in
/// between may have erred.
pub(crate) async fn whole(
    target: &dyn Target,
    path: &str,
    limit: u64,
    sha256: Digest,
) -> Result<Bytes, RemoteError> {
    let place = target.place();
    for _ in 0..3 {
        match target.get(path, None, limit).await {
            Ok(Some(got)) if Digest::of(&got.bytes) == sha256 => return Ok(got.bytes),
            Ok(_) | Err(crate::target::TargetError::Length) => {}
            Err(refusal) => return Err(store_error(&place, format!("reading {path}"))(refusal)),
        }
    }
    Err(RemoteError::Damaged { place, name: path.to_owned() })
}

/// Size and hash as they are told.
impl From<Body> for Pack {
    fn from(body: Body) -> Self {
        Self { sha256: body.sha256, length: body.len }
    }
}
