//! Bodies that were left in a store: asked for when they are first wanted, compared with their hash, and kept in a ring
//! of files. What several want at once is asked for once.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::codec::Object;
use super::digest::Digest;
use super::disk_cache::DiskCache;

/// Bytes that are missing, and where they lie in the packs that they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackRange {
    /// The pack.
    pub pack: Digest,
    /// Where they begin in it.
    pub offset: u64,
    /// How many they are.
    pub len: u32,
    /// Which object of its generation it is, for who takes one in.
    pub(super) number: u32,
}

impl PackRange {
    /// So many bytes of a pack.
    #[must_use]
    pub fn new(pack: Digest, offset: u64, len: u32) -> Self {
        Self { pack, offset, len, number: 0 }
    }
}

/// How far it is gone for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// What is here, or kept: nothing is waited for.
    LocalOnly,
    /// To the store. That blocks.
    AllowRemote,
}

/// Brings parts of packs that lie in a store. Blocks, but not for long.
pub trait Fetch: Send + Sync {
    /// The bytes of each piece, in their order.
    ///
    /// # Errors
    ///
    /// Why they cannot be had just now, in a few words.
    fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String>;
}

/// Some bodies, or why they cannot be had.
type Came = Result<Vec<Vec<u8>>, Failed>;
type Flight = Arc<OnceLock<Arc<Came>>>;

/// Why a store's bodies cannot be had.
pub(super) enum Failed {
    /// What it said.
    Store(String),
    /// They are something else than what was published.
    Other,
}

/// How often it is asked for what is something else: a proxy or a disk in between may have erred.
const TRIES: usize = 3;

/// A store that is asked for bodies, and what is kept of them.
pub struct LazyBodies {
    fetch: Arc<dyn Fetch>,
    ring: DiskCache,
    /// What is being asked for, by all its objects: other bodies may begin with the same.
    flights: Mutex<FxHashMap<Vec<Digest>, Flight>>,
}

impl LazyBodies {
    /// Asks this store, and keeps what came in this ring.
    #[must_use]
    pub fn new(fetch: Arc<dyn Fetch>, ring: DiskCache) -> Self {
        Self { fetch, ring, flights: Mutex::default() }
    }

    /// What is kept.
    #[must_use]
    pub fn cache(&self) -> &DiskCache {
        &self.ring
    }

    /// Asks for some objects; who asks for the same meanwhile gets the same answer. `read` makes of what came what it
    /// is, if it is what it should be.
    pub(super) fn ask(
        &self,
        wanted: &[(Object, PackRange)],
        read: impl Fn(Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>>,
    ) -> Arc<Came> {
        if wanted.is_empty() {
            return Arc::new(Ok(Vec::new()));
        }
        let key: Vec<Digest> = wanted.iter().map(|(object, _)| object.sha256).collect();
        let flight = Arc::clone(self.flights().entry(key.clone()).or_default());
        let pieces: Vec<PackRange> = wanted.iter().map(|(_, piece)| *piece).collect();
        let tried = || {
            for _ in 0..TRIES {
                if let Some(read) = read(self.fetch.fetch(&pieces).map_err(Failed::Store)?) {
                    return Ok(read);
                }
            }
            Err(Failed::Other)
        };
        let came = Arc::clone(flight.get_or_init(|| Arc::new(tried())));
        let mut flights = self.flights();
        if flights.get(&key).is_some_and(|last| Arc::ptr_eq(last, &flight)) {
            flights.remove(&key);
        }
        came
    }

    fn flights(&self) -> MutexGuard<'_, FxHashMap<Vec<Digest>, Flight>> {
        // A panic leaves at worst a flight that never began.
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Barrier;

    use bytemuck::Zeroable as _;

    use super::*;

    /// Answers with the offset of each piece, once two have asked.
    struct Slow(Barrier);

    impl Fetch for Slow {
        fn fetch(&self, pieces: &[PackRange]) -> Result<Vec<Vec<u8>>, String> {
            self.0.wait();
            Ok(pieces.iter().map(|piece| vec![piece.offset as u8]).collect())
        }
    }

    #[test]
    fn bodies_that_begin_with_the_same_are_two_questions() {
        let slow = Arc::new(Slow(Barrier::new(2)));
        let away = LazyBodies::new(slow, DiskCache::open(Path::new("nothing-is-kept"), 1 << 20).unwrap());
        let wanted = |places: [u8; 2]| {
            places.map(|place| {
                let sha256 = Digest([place; 32]);
                (Object { sha256, ..Object::zeroed() }, PackRange::new(sha256, place.into(), 1))
            })
        };
        let asked = |places| match &*away.ask(&wanted(places), Some) {
            Ok(came) => came.concat(),
            Err(_) => Vec::new(),
        };
        // Were they one question, the store would wait for a second for ever.
        let (one, other) = std::thread::scope(|threads| {
            let one = threads.spawn(|| asked([1, 2]));
            let other = threads.spawn(|| asked([1, 3]));
            (one.join().unwrap(), other.join().unwrap())
        });
        assert_eq!((one, other), (vec![1, 2], vec![1, 3]));
    }
}
