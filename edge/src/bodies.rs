//! Bodies in memory. A cache is bounded in bytes: frequently requested bodies survive a crawl, and concurrent requests for
//! one key compute its body once. Long bodies of files are kept one at a time, or a piece of them.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use quick_cache::sync::{Cache as Quick, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use store::{Coding, FileEntry, Generation, StoreError};

use crate::representation::CachedResponse;
use net::lock;

/// Estimated size of a body with its headers, for the initial capacity.
const USUAL_BYTES: u64 = 8192;
/// An entry's share of the cache's own memory, in bytes.
const OVERHEAD: u64 = 512;

/// Weighs bodies in bytes.
#[derive(Clone)]
pub(crate) struct InBytes;

impl<K> Weighter<K, Arc<CachedResponse>> for InBytes {
    fn weight(&self, _: &K, body: &Arc<CachedResponse>) -> u64 {
        body.weight() as u64 + OVERHEAD
    }
}

/// A cache. A body is taken from it, from another thread that is computing it, or else made, and kept if it fits.
pub(crate) type Cache<K> = Quick<K, Arc<CachedResponse>, InBytes>;

/// A cache that keeps bodies of at most `capacity` bytes in total; 0 keeps none.
pub(crate) fn cache<K: Hash + Eq + Clone>(capacity: u64) -> Cache<K> {
    let bodies = (capacity / USUAL_BYTES) as usize;
    // Of several shards each would keep only what fits its own share of the bytes, which the export does not.
    let options =
        OptionsBuilder::new().shards(1).estimated_items_capacity(bodies).weight_capacity(capacity).build();
    let (hash, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
    match options {
        Ok(options) => Quick::with_options(options, InBytes, hash, lifecycle),
        Err(_) => Quick::with(bodies, capacity, InBytes, hash, lifecycle),
    }
}

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
        let (long, heads, piece) = Default::default();
        Self { short: cache(capacity), long, heads, piece }
    }

    /// Bytes of all bodies, roughly.
    pub(crate) fn weight(&self) -> u64 {
        self.short.weight() + self.long.load().as_ref().map_or(0, |long| long.1.weight() as u64)
    }

    /// A file's response in a coding: from memory, or else from `make`, and kept. Where the file `moved`, which is that it is
    /// not as it was stored, a long one stays known without its bytes.
    pub(crate) fn response(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        moved: bool,
        make: impl FnOnce() -> Result<Arc<CachedResponse>, StoreError>,
    ) -> Result<Arc<CachedResponse>, StoreError> {
        let key = (entry.number, coding);
        if !is_long(entry) {
            return self.short.get_or_insert_with(&key, make);
        }
        // Another request may have read it while this one waited.
        if let Some(response) = self.cached(entry, coding) {
            return Ok(response);
        }
        let response = make()?;
        self.long.store(Some(Arc::new((key, Arc::clone(&response)))));
        if moved {
            let head = Arc::new(response.without_body(response.bytes.len() as u64));
            lock(&self.heads).insert(key, head);
        }
        Ok(response)
    }

    /// A file's response, if it is in memory.
    pub(crate) fn cached(&self, entry: FileEntry<'_>, coding: Coding) -> Option<Arc<CachedResponse>> {
        let key = (entry.number, coding);
        if !is_long(entry) {
            return self.short.get(&key);
        }
        self.long.load().as_ref().filter(|long| long.0 == key).map(|long| Arc::clone(&long.1))
    }

    /// The response of a long file that is not as it was stored, without its body, if it was once in memory.
    pub(crate) fn head(&self, entry: FileEntry<'_>, coding: Coding) -> Option<Arc<CachedResponse>> {
        lock(&self.heads).get(&(entry.number, coding)).cloned()
    }

    /// A part of a long file of the generation. The piece that it is in is kept: a part is seldom requested alone.
    pub(crate) fn part(
        &self,
        generation: &Generation,
        entry: FileEntry<'_>,
        part: &Range<usize>,
    ) -> Result<Bytes, StoreError> {
        let (number, piece) = piece_of(entry, part);
        if part.end > piece.end {
            return generation.read_part(entry, part.clone()).map(Bytes::from);
        }
        let within = part.start - piece.start..part.end - piece.start;
        if let Some(bytes) = self.kept(number) {
            return Ok(bytes.slice(within));
        }
        let bytes = Bytes::from(generation.read_part(entry, piece)?);
        self.piece.store(Some(Arc::new((number, bytes.clone()))));
        Ok(bytes.slice(within))
    }

    /// The price of a part: of the piece that it is in, unless that is in memory.
    pub(crate) fn part_price(&self, entry: FileEntry<'_>, part: &Range<usize>) -> u64 {
        let (number, piece) = piece_of(entry, part);
        let read = if part.end <= piece.end && self.kept(number).is_some() { 0 } else { LONG };
        read.max(part.len() as u64) * BYTE_UNITS
    }

    fn kept(&self, number: (u32, usize)) -> Option<Bytes> {
        let kept = self.piece.load();
        kept.as_ref().filter(|kept| kept.0 == number).map(|kept| kept.1.clone())
    }
}

/// Whether a body is longer than those of the cache.
pub(crate) fn is_long(entry: FileEntry<'_>) -> bool {
    entry.identity().len > LONG
}

/// The piece in which a part of a file begins, and what it is of the body.
fn piece_of(entry: FileEntry<'_>, part: &Range<usize>) -> ((u32, usize), Range<usize>) {
    let (piece, long) = (part.start / LONG as usize, LONG as usize);
    let end = ((piece + 1) * long).min(entry.identity().len as usize);
    ((entry.number, piece), piece * long..end)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::representation::Representation;
    use crate::representation::tests::METADATA;

    fn insert(cache: &Cache<u64>, key: u64, bytes: usize) {
        let response = CachedResponse::new(vec![0; bytes].into(), Representation::json(), &METADATA);
        cache.get_or_insert_with(&key, || Ok::<_, Infallible>(Arc::new(response))).unwrap();
    }

    #[test]
    fn what_is_kept_never_weighs_more_than_the_capacity() {
        let cache = cache(1 << 20);
        for key in 0..3000 {
            insert(&cache, key, 500 + key as usize % 1000);
            assert!(cache.weight() <= 1 << 20, "{}", cache.weight());
        }
        assert!(cache.weight() > 1 << 19, "{}", cache.weight());
        cache.clear();
        assert_eq!((cache.weight(), cache.get(&2999).is_none()), (0, true));
    }

    #[test]
    fn one_body_may_fill_most_of_the_cache_but_none_larger_is_kept_and_nothing_in_none() {
        let cache = cache(1 << 20);
        insert(&cache, 1, 900_000);
        assert!(cache.get(&1).is_some());
        insert(&cache, 2, 1 << 20);
        assert!(cache.get(&2).is_none());
        let none = super::cache(0);
        insert(&none, 1, 1);
        assert!(none.get(&1).is_none());
    }
}
