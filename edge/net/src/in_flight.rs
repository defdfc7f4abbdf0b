//! Bodies in flight: computed, and not yet sent to the client. Clients may request long bodies with few bytes and then
//! read none of them, so their bytes are bounded.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;

/// Bytes of all bodies in flight, and with each what an answer takes besides. Beyond, requests are refused.
const BUDGET: usize = 64 << 20;
/// What an answer in flight takes besides its body, in bytes: head, buffers, task.
const HEAD: usize = 4 * 1024;
/// Bodies up to this many bytes may use all of the budget, longer ones three quarters: clients that request long
/// bodies and do not read them cannot block the pages of a site.
const SHORT: usize = 16 * 1024;

/// A body that several answers may share, such as one in a cache. It is in memory once, and so counts once.
#[derive(Debug, Default)]
pub struct SharedBody {
    holders: AtomicUsize,
}

/// The bodies in flight of a server.
#[derive(Debug)]
pub struct InFlight {
    budget: usize,
    used: AtomicUsize,
    refused: AtomicU64,
}

impl Default for InFlight {
    fn default() -> Self {
        Self::new(BUDGET)
    }
}

impl InFlight {
    /// At most so many bytes; one body is always allowed.
    pub fn new(budget: usize) -> Self {
        Self { budget, used: AtomicUsize::new(0), refused: AtomicU64::new(0) }
    }

    /// Bytes of bodies that are computed and not yet sent, and what each of them takes besides.
    pub fn bytes(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Answers that were refused because too many bytes were in flight.
    pub fn refused(&self) -> u64 {
        self.refused.load(Relaxed)
    }

    /// Whether a short body could be sent. Checked before an answer is computed.
    pub fn has_room(&self) -> bool {
        self.fits(HEAD) || self.refuse()
    }

    /// The bytes of a body, counted until the last of them is dropped; `None` when too many are in flight.
    /// `shared_body` is common to all who hold the same bytes, of which this may be a part of `whole` bytes.
    #[must_use]
    pub fn hold(
        self: &Arc<Self>,
        body: Bytes,
        whole: usize,
        shared_body: Option<Arc<SharedBody>>,
    ) -> Option<Bytes> {
        // Should it exceed the budget, the longest file can still be had.
        let size = whole.min(self.budget / 4);
        let known = shared_body.as_ref().is_some_and(|shared_body| shared_body.holders.load(Relaxed) > 0);
        if !self.fits(if known { HEAD } else { HEAD + size }) {
            self.refuse();
            return None;
        }
        let first =
            shared_body.as_ref().is_none_or(|shared_body| shared_body.holders.fetch_add(1, Relaxed) == 0);
        self.used.fetch_add(if first { HEAD + size } else { HEAD }, Relaxed);
        Some(Bytes::from_owner(Held { body, in_flight: Arc::clone(self), size, shared_body }))
    }

    /// Concurrent calls may exceed the budget by one body each.
    fn fits(&self, bytes: usize) -> bool {
        let most = if bytes > HEAD + SHORT { self.budget / 4 * 3 } else { self.budget };
        let used = self.bytes();
        used == 0 || used + bytes <= most
    }

    fn refuse(&self) -> bool {
        self.refused.fetch_add(1, Relaxed);
        false
    }
}

/// The owner of bytes in flight.
struct Held {
    body: Bytes,
    in_flight: Arc<InFlight>,
    size: usize,
    shared_body: Option<Arc<SharedBody>>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // The bytes of a shared body are subtracted when its last owner is dropped.
        let last = self
            .shared_body
            .as_ref()
            .is_none_or(|shared_body| shared_body.holders.fetch_sub(1, Relaxed) == 1);
        self.in_flight.used.fetch_sub(if last { HEAD + self.size } else { HEAD }, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_flight() -> Arc<InFlight> {
        Arc::new(InFlight::new(1 << 20))
    }

    fn body(kilobytes: usize) -> Bytes {
        Bytes::from(vec![0; kilobytes << 10])
    }

    fn hold(in_flight: &Arc<InFlight>, kilobytes: usize) -> Option<Bytes> {
        in_flight.hold(body(kilobytes), kilobytes << 10, None)
    }

    #[test]
    fn there_is_room_again_when_the_last_byte_of_a_body_is_gone() {
        let in_flight = in_flight();
        let mut first = hold(&in_flight, 240).unwrap();
        let others = [(); 2].map(|()| hold(&in_flight, 240).unwrap());
        assert!(hold(&in_flight, 240).is_none(), "4 × 240 of 768 KB");
        assert_eq!(in_flight.bytes(), 3 * (244 << 10));
        let piece = first.split_to(10);
        drop(first);
        assert!(hold(&in_flight, 240).is_none(), "a piece keeps all of it in memory");
        drop(piece);
        assert_eq!(in_flight.bytes(), 2 * (244 << 10));
        assert!(hold(&in_flight, 240).is_some());
        drop(others);
        assert_eq!(in_flight.bytes(), 0);
    }

    #[test]
    fn the_last_quarter_is_for_short_bodies() {
        let in_flight = in_flight();
        let held: Vec<_> = (0..9).filter_map(|_| hold(&in_flight, 200)).collect();
        assert_eq!(held.len(), 3, "of 768 KB");
        assert_eq!(in_flight.refused(), 6);
        let held: Vec<_> = held.into_iter().chain((0..99).filter_map(|_| hold(&in_flight, 4))).collect();
        assert_eq!(held.len(), 3 + 51, "(1024 − 3 × 204) KB are 51 of 8 KB");
        assert!(!in_flight.has_room() || in_flight.bytes() + HEAD <= 1 << 20);
    }

    #[test]
    fn a_body_that_is_shared_counts_once_until_the_last_holder_lets_go() {
        let in_flight = in_flight();
        let (body, shared_body) = (body(200), Arc::<SharedBody>::default());
        let hold = || in_flight.hold(body.clone(), 200 << 10, Some(Arc::clone(&shared_body)));
        let mut held: Vec<_> = (0..50).filter_map(|_| hold()).collect();
        assert_eq!(held.len(), 50);
        assert_eq!(in_flight.bytes(), (200 + 50 * 4) << 10);
        held.remove(0);
        assert_eq!(in_flight.bytes(), (200 + 49 * 4) << 10);
        held.clear();
        assert_eq!(in_flight.bytes(), 0);
    }

    #[test]
    fn a_body_longer_than_the_budget_takes_a_quarter_of_it() {
        let in_flight = in_flight();
        let _other = hold(&in_flight, 250).unwrap();
        let _long = hold(&in_flight, 5000).unwrap();
        assert!(hold(&in_flight, 400).is_none());
        assert_eq!(in_flight.bytes(), (254 + 256 + 4) << 10);
    }
}
