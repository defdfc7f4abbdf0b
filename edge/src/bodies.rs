//! Bodies of files: read and verified when they are first asked for, their holes filled for the
//! day, then kept in memory up to a number of bytes.

use std::sync::Arc;

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest as _, Sha256};
use snapshot::page::hole::refill;
use snapshot::store::{Coding, FileEntry, StoreError};
use snapshot::time::Day;

use crate::conditional::etag_suffix;
use crate::epoch::Epoch;

/// A body that is ready to be sent.
#[derive(Clone)]
pub struct Body {
    /// The bytes, in the coding that was asked for.
    pub bytes: Bytes,
    /// Strong ETag, quoted.
    pub etag: Arc<str>,
    /// When its identity bytes last changed, in seconds since 1970.
    pub changed: i64,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<(u32, Coding), Body> for ByBytes {
    fn weight(&self, _: &(u32, Coding), body: &Body) -> u64 {
        /// An entry's share of the cache's own memory.
        const OVERHEAD: u64 = 200;
        body.bytes.len() as u64 + OVERHEAD
    }
}

/// Bodies that were asked for, by file and coding.
pub struct Bodies(Cache<(u32, Coding), Body, ByBytes>);

impl Bodies {
    /// Keeps up to `capacity` bytes.
    #[must_use]
    pub fn new(capacity: u64) -> Self {
        /// Mean size of a body; sizes the cache's tables.
        const MEAN: u64 = 4096;
        Self(Cache::with_weighter((capacity / MEAN).max(16) as usize, capacity, ByBytes))
    }
}

impl Epoch {
    /// A file's body in a coding that [`Epoch::offers`].
    pub fn body(&self, entry: FileEntry<'_>, coding: Coding) -> Result<Body, StoreError> {
        let key = (entry.number(), coding);
        if let Some(body) = self.bodies.0.get(&key) {
            return Ok(body);
        }
        let body = self.load(entry, coding)?;
        self.bodies.0.insert(key, body.clone());
        Ok(body)
    }

    /// Whether a file can be sent in a coding. What is filled for another day than the build's is
    /// compressed here, and only in what is cheap.
    #[must_use]
    pub fn offers(&self, entry: FileEntry<'_>, coding: Coding) -> bool {
        match coding {
            Coding::Identity => true,
            Coding::Brotli => entry.body(coding).is_some() && !self.moved(entry),
            Coding::Gzip | Coding::Zstd => entry.body(coding).is_some(),
        }
    }

    /// Whether a file's bytes may differ from the stored ones today.
    fn moved(&self, entry: FileEntry<'_>) -> bool {
        !entry.holes().is_empty() && self.dated.day() != Day::new(self.generation().manifest().as_of)
    }

    fn load(&self, entry: FileEntry<'_>, coding: Coding) -> Result<Body, StoreError> {
        let generation = self.generation();
        if !self.moved(entry) {
            let bytes = generation.read(entry, coding)?;
            let hash = entry.body(Coding::Identity).map(|body| body.sha256.0).unwrap_or_default();
            return Ok(Body { bytes: bytes.into(), etag: etag(&hash, coding), changed: entry.changed() });
        }
        let stored = generation.read(entry, Coding::Identity)?;
        // Holes are checked against the body when the table is opened; should they not fit, the
        // stored body is still one that was true once.
        let filled = refill(&stored, entry.holes(), &self.dated).unwrap_or(stored);
        let hash: [u8; 32] = Sha256::digest(&filled).into();
        let changed = entry.changed().max(i64::from(self.dated.day().0) * 86_400);
        let bytes = crate::encode::encode(coding, &filled).unwrap_or(filled);
        Ok(Body { bytes: bytes.into(), etag: etag(&hash, coding), changed })
    }
}

/// A quoted ETag: 128 bits of the identity body's hash, and the coding.
fn etag(hash: &[u8; 32], coding: Coding) -> Arc<str> {
    let mut etag = String::with_capacity(40);
    etag.push('"');
    for byte in &hash[..16] {
        etag.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        etag.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    etag.push_str(etag_suffix(coding));
    etag.push('"');
    etag.into()
}
