//! A cache of bodies, bounded in bytes: frequently requested bodies survive a crawl, and concurrent requests for one
//! key compute its body once.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::sync::{Cache as Quick, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use crate::representation::CachedResponse;

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
