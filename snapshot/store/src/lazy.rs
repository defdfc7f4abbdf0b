//! Bodies that a lazy root has left in its store: fetched at their first read, checked, and cached on disk. Concurrent reads
//! of the same bodies share one request.

use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;

use super::body::Digest;
use super::codec::{Object, ObjectId};
use super::disk_cache::DiskCache;
use super::vfs::lock;

/// A range of bytes of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackRange {
    /// The pack.
    pub pack: Digest,
    /// Where the range begins.
    pub offset: u64,
    /// Its length.
    pub len: u32,
    /// Number of the object that it holds, of an incoming generation.
    pub(super) number: u32,
}

impl PackRange {
    /// `len` bytes of a pack from an offset on.
    pub fn new(pack: Digest, offset: u64, len: u32) -> Self {
        Self { pack, offset, len, number: 0 }
    }
}

/// Whether a read may block on the remote store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// It may not: only the root and the cache are read.
    LocalOnly,
    /// It may.
    AllowRemote,
}

/// Fetches parts of packs from a store. Blocks, but not for long.
pub trait Fetch: Send + Sync {
    /// The bytes of each range, in their order.
    ///
    /// # Errors
    ///
    /// Why they cannot be fetched, in a few words.
    fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String>;

    /// Notes that these ranges were fetched and are not what was published: they need not be fetched again soon.
    fn reject(&self, _damaged: &[PackRange]) {}
}

/// Why bodies cannot be fetched.
pub(super) enum FetchFailure {
    /// As the store reported it.
    Store(String),
    /// They are not what was published.
    Damaged,
}

type Fetched = Result<Vec<Vec<u8>>, FetchFailure>;
type SharedFetch = Arc<OnceLock<Arc<Fetched>>>;

/// How often damaged bodies are fetched: a proxy or a disk in between may have erred.
const TRIES: usize = 3;

/// The bodies in a store, and a cache of them.
pub struct LazyBodies {
    store: Arc<dyn Fetch>,
    cache: DiskCache,
    /// Requests under way, by all their objects: bodies may share their first ones.
    under_way: Mutex<FxHashMap<Vec<ObjectId>, SharedFetch>>,
}

impl LazyBodies {
    /// Fetches from a store into a cache.
    pub fn new(store: Arc<dyn Fetch>, cache: DiskCache) -> Self {
        Self { store, cache, under_way: Mutex::default() }
    }

    /// The cache.
    pub fn cache(&self) -> &DiskCache {
        &self.cache
    }

    /// Fetches the objects of a body that are not cached, and returns all; a concurrent call for the same ones gets the
    /// same result. `cached` looks in the cache: a call that ended meanwhile has filled it. `check` decodes an object
    /// and caches it, if it is what was published.
    pub(super) fn fetch(
        &self,
        wanted: &[(Object, PackRange)],
        cached: impl Fn() -> Vec<Option<Vec<u8>>>,
        check: impl Fn(&Object, Vec<u8>) -> Option<Vec<u8>>,
    ) -> Arc<Fetched> {
        let key: Vec<ObjectId> = wanted.iter().map(|(object, _)| object.id).collect();
        let shared = Arc::clone(lock(&self.under_way).entry(key.clone()).or_default());
        let fetch = || self.fetch_checked(wanted, cached(), check);
        let fetched = Arc::clone(shared.get_or_init(|| Arc::new(fetch())));
        let mut under_way = lock(&self.under_way);
        if under_way.get(&key).is_some_and(|last| Arc::ptr_eq(last, &shared)) {
            under_way.remove(&key);
        }
        fetched
    }

    /// Fetches the parts that are missing or damaged, a few times.
    fn fetch_checked(
        &self,
        wanted: &[(Object, PackRange)],
        mut parts: Vec<Option<Vec<u8>>>,
        check: impl Fn(&Object, Vec<u8>) -> Option<Vec<u8>>,
    ) -> Fetched {
        let missing = |parts: &[Option<Vec<u8>>]| -> Vec<PackRange> {
            let missing = wanted.iter().zip(parts).filter(|(_, part)| part.is_none());
            missing.map(|((_, range), _)| *range).collect()
        };
        let mut ranges = missing(&parts);
        for _ in 0..TRIES {
            if ranges.is_empty() {
                break;
            }
            let fetched = self.store.fetch(&ranges).map_err(FetchFailure::Store)?;
            let empty = parts.iter_mut().zip(wanted).filter(|(part, _)| part.is_none());
            empty.zip(fetched).for_each(|((part, (object, _)), stored)| *part = check(object, stored));
            ranges = missing(&parts);
        }
        if ranges.is_empty() {
            return Ok(parts.into_iter().flatten().collect());
        }
        self.store.reject(&ranges);
        Err(FetchFailure::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Barrier;

    use bytemuck::Zeroable as _;

    use super::*;

    /// Answers with the offset of each range, once there are two requests.
    struct Slow(Barrier);

    impl Fetch for Slow {
        fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
            self.0.wait();
            Ok(pieces.iter().map(|piece| vec![piece.offset as u8]).collect())
        }
    }

    #[test]
    fn bodies_that_share_only_their_first_object_are_two_requests() {
        let slow = Arc::new(Slow(Barrier::new(2)));
        let lazy = LazyBodies::new(slow, DiskCache::open(Path::new("nothing-is-kept"), 1 << 20).unwrap());
        let wanted = |places: [u8; 2]| {
            places.map(|place| {
                let id = ObjectId([place; 16]);
                (Object { id, ..Object::zeroed() }, PackRange::new(Digest([place; 32]), place.into(), 1))
            })
        };
        let fetch = |places| match &*lazy.fetch(&wanted(places), || vec![None; 2], |_, stored| Some(stored)) {
            Ok(fetched) => fetched.concat(),
            Err(_) => Vec::new(),
        };
        // Were they one request, the store would wait for the second for ever.
        let (one, other) = std::thread::scope(|threads| {
            let one = threads.spawn(|| fetch([1, 2]));
            let other = threads.spawn(|| fetch([1, 3]));
            (one.join().unwrap(), other.join().unwrap())
        });
        assert_eq!((one, other), (vec![1, 2], vec![1, 3]));
    }
}
