//! Bodies of files: read and verified at their first request, their holes filled for the day, and cached up to a
//! number of bytes.

use std::sync::Arc;

use html::Filler;
use http::HeaderName;
use sha2::{Digest as _, Sha256};
use snapshot::page::address::tag_of;
use snapshot::page::hole::{Fill, last_modified, refill};
use snapshot::time::Day;
use store::{Coding, FileEntry, Hex, StoreError};

use crate::representation::{CachedResponse, Metadata, Representation};
use crate::serving_state::ServingState;
use net::conditional::etag_suffix;

impl ServingState {
    /// A file's response in a coding that [`Self::offers`]. `representation` is called unless it is in memory, and must
    /// be the same whenever the file is requested.
    pub(crate) fn response(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        tag_header: Option<&HeaderName>,
        representation: impl FnOnce() -> Representation,
    ) -> Result<Arc<CachedResponse>, StoreError> {
        let key = (entry.number(), coding);
        self.bodies.get_or_insert_with(&key, || {
            let representation = representation().tag(tag_of(entry.path()));
            self.load(entry, coding, tag_header, representation).map(Arc::new)
        })
    }

    /// A file's response, if it is in memory.
    pub(crate) fn cached(&self, entry: FileEntry<'_>, coding: Coding) -> Option<Arc<CachedResponse>> {
        self.bodies.get(&(entry.number(), coding))
    }

    /// Whether a file can be sent in a coding. What is filled for another day than the build's, or lies in a pack,
    /// is compressed here, and only in what is cheap.
    pub(crate) fn offers(&self, entry: FileEntry<'_>, coding: Coding) -> bool {
        match coding {
            Coding::Identity => true,
            Coding::Brotli => entry.offers(coding) && !self.moved(entry),
            Coding::Gzip | Coding::Zstd => entry.offers(coding),
        }
    }

    /// Whether a file's bytes may differ from the stored ones today.
    fn moved(&self, entry: FileEntry<'_>) -> bool {
        !entry.holes().is_empty() && self.dated.day() != Day::new(self.generation().manifest().as_of)
    }

    fn load(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        tag_header: Option<&HeaderName>,
        representation: Representation,
    ) -> Result<CachedResponse, StoreError> {
        let stored = !self.moved(entry);
        let (bytes, hash, changed) = if stored {
            (self.stored(entry, coding)?, entry.identity().sha256.0, entry.changed())
        } else {
            self.filled(entry, coding)?
        };
        let metadata = Metadata {
            generation: self.generation_header.clone(),
            // 128 bits of the identity body's hash, and the coding.
            etag: &format!("\"{}{}\"", Hex(&hash[..16]), etag_suffix(coding)),
            coding,
            changed,
            // Another generation with an older date may fill its holes on the same day: then only the ETag
            // distinguishes the two.
            dated: stored,
            tag_header,
        };
        Ok(CachedResponse::new(bytes.into(), representation, &metadata))
    }

    /// A body as it was published, coded here where it lies in a pack.
    fn stored(&self, entry: FileEntry<'_>, coding: Coding) -> Result<Vec<u8>, StoreError> {
        if entry.body(coding).is_some() {
            return self.generation().read(entry, coding);
        }
        let bytes = self.generation().read(entry, Coding::Identity)?;
        Ok(net::encode::encode(coding, &bytes).unwrap_or(bytes))
    }

    /// Bytes, hash of the identity body and date of a body that is not as it was stored.
    fn filled(&self, entry: FileEntry<'_>, coding: Coding) -> Result<(Vec<u8>, [u8; 32], i64), StoreError> {
        let stored = self.generation().read(entry, Coding::Identity)?;
        let pages = self.open.html.as_ref().map(|html| Filler { html, dated: &self.dated });
        let filler: &dyn Fill = pages.as_ref().map_or(&self.dated, |pages| pages);
        // Holes are checked against the body when the table is opened; should they not fit, the
        // stored body is still one that was true once.
        let filled = refill(&stored, entry.holes(), filler).unwrap_or(stored);
        let hash = Sha256::digest(&filled).into();
        let changed = last_modified(entry.holes(), filler)
            .map_or(entry.changed(), |day| entry.changed().max(i64::from(day.0) * 86_400));
        Ok((net::encode::encode(coding, &filled).unwrap_or(filled), hash, changed))
    }
}
