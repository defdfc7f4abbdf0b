//! Bodies of files: read and verified at their first request, their holes filled for the day, and cached up to a
//! number of bytes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use html::Filler;
use sha2::{Digest as _, Sha256};
use snapshot::page::address::tag_of;
use snapshot::page::hole::{Fill, last_modified, refill};
use snapshot::time::Day;
use store::{Coding, FileEntry, Hex, StoreError};

use crate::cache::{Cache, cache};
use crate::representation::{CachedResponse, Representation};
use crate::serving_state::ServingState;
use net::conditional::etag_suffix;
use net::lock;

/// Price of a byte that is read, verified and encoded, in units of the search: 5 ns, most of it for gzip. So up to 65 KB
/// are read on the thread of the request, in a third of a millisecond.
pub(crate) const BYTE_UNITS: u64 = 3;
/// Longer bodies are kept one at a time, beside the cache: a download does not push out a thousand records.
const LONG: u64 = 1 << 20;

/// A file by its number, and a coding.
type Key = (u32, Coding);

/// Bodies in memory.
pub(crate) struct Bodies {
    short: Cache<Key>,
    /// The long one that was read last.
    long: ArcSwapOption<(Key, Arc<CachedResponse>)>,
    /// Long ones that are not as they were stored, without their bytes: what HEAD and conditions need.
    heads: Mutex<BTreeMap<Key, Arc<CachedResponse>>>,
    /// The piece of a long one that was read last, by the number of the file and of the piece.
    piece: ArcSwapOption<((u32, usize), Bytes)>,
}

impl Bodies {
    /// Keeps short bodies of at most `capacity` bytes in total.
    pub(crate) fn new(capacity: u64) -> Self {
        Self {
            short: cache(capacity),
            long: ArcSwapOption::empty(),
            heads: Mutex::default(),
            piece: ArcSwapOption::empty(),
        }
    }

    /// Bytes of all bodies, roughly.
    pub(crate) fn weight(&self) -> u64 {
        self.short.weight() + self.long.load().as_ref().map_or(0, |long| long.1.weight() as u64)
    }
}

/// The piece in which a part of a file begins, and what it is of the body.
fn piece_of(entry: FileEntry<'_>, part: &Range<usize>) -> ((u32, usize), Range<usize>) {
    let (piece, long) = (part.start / LONG as usize, LONG as usize);
    let end = ((piece + 1) * long).min(entry.identity().len as usize);
    ((entry.number(), piece), piece * long..end)
}

impl ServingState {
    /// A file's response in a coding that it offers. `representation` is called unless it is in memory, and must
    /// be the same whenever the file is requested.
    pub(crate) fn response(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        representation: impl FnOnce() -> Representation,
    ) -> Result<Arc<CachedResponse>, StoreError> {
        let (key, bodies) = ((entry.number(), coding), &self.bodies);
        let make = || {
            let body = match self.moved(entry) {
                true => self.filled(entry, coding)?,
                false => (self.generation().read(entry, coding)?, entry.identity().sha256.0, entry.changed()),
            };
            Ok(Arc::new(self.describe(body, entry, coding, representation())))
        };
        if entry.identity().len <= LONG {
            return bodies.short.get_or_insert_with(&key, make);
        }
        // Another request may have read it while this one waited.
        if let Some(response) = self.cached(entry, coding) {
            return Ok(response);
        }
        let response = make()?;
        bodies.long.store(Some(Arc::new((key, Arc::clone(&response)))));
        if self.moved(entry) {
            let head = Arc::new(response.without_body(response.bytes.len() as u64));
            lock(&bodies.heads).insert(key, head);
        }
        Ok(response)
    }

    /// A file's response, if it is in memory.
    pub(crate) fn cached(&self, entry: FileEntry<'_>, coding: Coding) -> Option<Arc<CachedResponse>> {
        let key = (entry.number(), coding);
        if entry.identity().len <= LONG {
            return self.bodies.short.get(&key);
        }
        self.bodies.long.load().as_ref().filter(|long| long.0 == key).map(|long| Arc::clone(&long.1))
    }

    /// A file's response without its body, if that is known without reading it: the table has hash, date and length of
    /// what is sent as it was stored.
    pub(crate) fn head(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        representation: impl FnOnce() -> Representation,
    ) -> Option<Arc<CachedResponse>> {
        if self.moved(entry) {
            return lock(&self.bodies.heads).get(&(entry.number(), coding)).cloned();
        }
        let known = (Vec::new(), entry.identity().sha256.0, entry.changed());
        let response = self.describe(known, entry, coding, representation());
        Some(Arc::new(response.without_body(entry.length(coding))))
    }

    /// A file's response without its body, if parts of that are read on their own: those of a long file that is sent as it
    /// was stored.
    pub(crate) fn in_parts(
        &self,
        entry: FileEntry<'_>,
        representation: impl FnOnce() -> Representation,
    ) -> Option<Arc<CachedResponse>> {
        let is_long = entry.identity().len > LONG && !self.moved(entry);
        is_long.then(|| self.head(entry, Coding::Identity, representation))?
    }

    /// A part of a long file. The piece that it is in is kept: a part is seldom requested alone.
    pub(crate) fn part(&self, entry: FileEntry<'_>, part: &Range<usize>) -> Result<Bytes, StoreError> {
        let (number, piece) = piece_of(entry, part);
        if part.end > piece.end {
            return self.generation().read_part(entry, part.clone()).map(Bytes::from);
        }
        let within = part.start - piece.start..part.end - piece.start;
        if let Some(bytes) = self.kept(number) {
            return Ok(bytes.slice(within));
        }
        let bytes = Bytes::from(self.generation().read_part(entry, piece)?);
        self.bodies.piece.store(Some(Arc::new((number, bytes.clone()))));
        Ok(bytes.slice(within))
    }

    /// The price of a part: of the piece that it is in, unless that is in memory.
    pub(crate) fn part_price(&self, entry: FileEntry<'_>, part: &Range<usize>) -> u64 {
        let (number, piece) = piece_of(entry, part);
        let read = if part.end <= piece.end && self.kept(number).is_some() { 0 } else { LONG };
        read.max(part.len() as u64) * BYTE_UNITS
    }

    fn kept(&self, number: (u32, usize)) -> Option<Bytes> {
        let kept = self.bodies.piece.load();
        kept.as_ref().filter(|kept| kept.0 == number).map(|kept| kept.1.clone())
    }

    /// The price of reading a file, filling its holes and encoding it, in units of the search.
    pub(crate) fn price(&self, entry: FileEntry<'_>, coding: Coding) -> u64 {
        let coding = if self.moved(entry) { Coding::Identity } else { coding };
        entry.length(coding) * BYTE_UNITS
    }

    /// Whether a file's bytes may differ from the stored ones today.
    fn moved(&self, entry: FileEntry<'_>) -> bool {
        !entry.holes().is_empty() && self.dated.day() != Day::new(self.generation().manifest().as_of)
    }

    /// The response of a body, by its bytes, the hash of the identity body and its date.
    fn describe(
        &self,
        (bytes, hash, changed): (Vec<u8>, [u8; 32], i64),
        entry: FileEntry<'_>,
        coding: Coding,
        representation: Representation,
    ) -> CachedResponse {
        // 128 bits of the identity body's hash, and the coding.
        let etag = format!("\"{}{}\"", Hex(&hash[..16]), etag_suffix(coding));
        // Another generation with an older date may fill its holes on the same day: then only the ETag
        // distinguishes the two.
        let metadata = self.metadata(&etag, coding, changed, !self.moved(entry));
        CachedResponse::new(bytes.into(), representation.tag(tag_of(entry.path())), &metadata)
    }

    /// Bytes, hash of the identity body and date of a body that is not as it was stored.
    fn filled(&self, entry: FileEntry<'_>, coding: Coding) -> Result<(Vec<u8>, [u8; 32], i64), StoreError> {
        let stored = self.generation().read(entry, Coding::Identity)?;
        let pages = self.open.html.as_ref().map(|html| Filler::new(html, &self.dated));
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
