//! A cache bounded in bytes whose reads take no lock: fixed slots in small sets, each an atomically
//! swapped pointer, and a clock hand that clears what was not used since it last came by.

use std::borrow::Borrow;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use arc_swap::ArcSwapOption;

/// Slots that a key may be in.
const WAYS: usize = 4;
/// A slot for so many bytes of capacity: less than most bodies, so that bytes run out before slots.
const BYTES_A_SLOT: u64 = 2048;
/// An entry's share of the cache's own memory, in bytes.
const OVERHEAD: u64 = 512;

struct Entry<K, V> {
    key: K,
    value: Arc<V>,
    weight: u64,
    /// Read since the hand last came by.
    used: AtomicBool,
}

struct Slot<K, V> {
    /// Part of the hash of the key inside; saves looking at the wrong entries.
    tag: AtomicU64,
    entry: ArcSwapOption<Entry<K, V>>,
}

/// A cache. Two threads that insert at once may each drop an entry of the other; none is ever wrong.
pub struct Cache<K, V> {
    slots: Box<[Slot<K, V>]>,
    capacity: u64,
    bytes: AtomicU64,
    hand: AtomicUsize,
}

impl<K: Hash + Eq, V> Cache<K, V> {
    /// Keeps values of up to `capacity` bytes; 0 keeps nothing.
    #[must_use]
    pub fn new(capacity: u64) -> Self {
        let slots = match capacity {
            0 => 0,
            _ => (capacity / BYTES_A_SLOT).clamp(64, 1 << 20).next_power_of_two() as usize,
        };
        let empty = || Slot { tag: AtomicU64::new(0), entry: ArcSwapOption::empty() };
        Self {
            slots: std::iter::repeat_with(empty).take(slots).collect(),
            capacity,
            bytes: AtomicU64::new(0),
            hand: AtomicUsize::new(0),
        }
    }

    /// The value of a key.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
    {
        let hash = hash_of(key);
        self.set(hash)?.iter().filter(|slot| slot.tag.load(Relaxed) == hash).find_map(|slot| {
            let entry = slot.entry.load();
            let entry = entry.as_ref().filter(|entry| entry.key.borrow() == key)?;
            if !entry.used.load(Relaxed) {
                entry.used.store(true, Relaxed);
            }
            Some(Arc::clone(&entry.value))
        })
    }

    /// Keeps a value of so many bytes, unless it is larger than the cache.
    pub fn insert(&self, key: K, value: Arc<V>, bytes: usize) {
        let weight = bytes as u64 + OVERHEAD;
        let hash = hash_of(&key);
        let Some(set) = self.set(hash).filter(|_| weight <= self.capacity) else { return };
        let holds_key = |slot: &&Slot<K, V>| slot.entry.load().as_ref().is_some_and(|it| it.key == key);
        let unused = |slot: &&Slot<K, V>| slot.entry.load().as_ref().is_some_and(|it| !it.used.load(Relaxed));
        let empty = |slot: &&Slot<K, V>| slot.entry.load().is_none();
        let mut slots = set.iter();
        let slot = slots.clone().find(holds_key).or_else(|| slots.clone().find(empty));
        let slot = slot.or_else(|| slots.find(unused)).unwrap_or(&set[0]);
        self.bytes.fetch_add(weight, Relaxed);
        slot.tag.store(hash, Relaxed);
        self.drop_entry(slot.entry.swap(Some(Arc::new(Entry {
            key,
            value,
            weight,
            used: AtomicBool::new(false),
        }))));
        self.shrink();
    }

    /// Drops everything.
    pub fn clear(&self) {
        self.slots.iter().for_each(|slot| self.drop_entry(slot.entry.swap(None)));
    }

    /// Bytes that are kept now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    fn set(&self, hash: u64) -> Option<&[Slot<K, V>]> {
        let sets = self.slots.len() / WAYS;
        let first = (hash as usize & sets.checked_sub(1)?) * WAYS;
        self.slots.get(first..first + WAYS)
    }

    fn drop_entry(&self, entry: Option<Arc<Entry<K, V>>>) {
        if let Some(entry) = entry {
            self.bytes.fetch_sub(entry.weight, Relaxed);
        }
    }

    /// Turns the hand until the bytes fit: at most two rounds, the first of which may only mark.
    fn shrink(&self) {
        for _ in 0..2 * self.slots.len() {
            if self.bytes() <= self.capacity {
                return;
            }
            let slot = &self.slots[self.hand.fetch_add(1, Relaxed) & (self.slots.len() - 1)];
            let spared = slot.entry.load().as_ref().is_none_or(|entry| entry.used.swap(false, Relaxed));
            if !spared {
                self.drop_entry(slot.entry.swap(None));
            }
        }
    }
}

fn hash_of(key: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_until_the_bytes_run_out() {
        let cache: Cache<u64, u64> = Cache::new(1 << 20);
        for key in 0..100 {
            cache.insert(key, Arc::new(key), 500);
        }
        let found = (0..100).filter(|key| cache.get(key).is_some_and(|value| *value == *key)).count();
        assert!(found > 90, "only sets that overflow lose entries: {found}");
        for key in 0..100_000 {
            cache.insert(key, Arc::new(key), 500);
            assert!(cache.bytes() <= 1 << 20);
        }
        assert!(cache.bytes() > 1 << 18, "a full cache is used");
        cache.clear();
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn an_entry_that_is_read_outlives_a_crawl() {
        let cache: Cache<u64, u64> = Cache::new(1 << 20);
        cache.insert(7, Arc::new(7), 500);
        for key in 1000..6000 {
            cache.insert(key, Arc::new(key), 500);
            cache.get(&7);
        }
        assert!(cache.get(&7).is_some());
    }

    #[test]
    fn a_value_larger_than_the_cache_is_not_kept_and_nothing_is_kept_in_none() {
        let cache: Cache<u64, u64> = Cache::new(4096);
        cache.insert(1, Arc::new(1), 5000);
        assert!(cache.get(&1).is_none());
        let none: Cache<u64, u64> = Cache::new(0);
        none.insert(1, Arc::new(1), 1);
        assert!(none.get(&1).is_none());
    }
}
