//! Bodies in flight: computed, and not yet sent to the client. HTTP/2 lets a client request many bodies with few
//! bytes and then read none of them, so their bytes are bounded, for each connection and for all together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;

use super::{Counters, Limits};

/// What an answer in flight takes besides its body, in bytes: head, stream, task.
const HEAD: usize = 4 * 1024;
/// Bodies up to this many bytes may use all of the budget, longer ones three quarters: clients that request long
/// bodies and do not read them cannot block the pages of a site.
const SHORT: usize = 16 * 1024;

/// A body that several answers may share, such as one in a cache. It is in memory once, and so counts once.
#[derive(Debug, Default)]
pub struct SharedBody {
    holders: AtomicUsize,
}

/// The bodies in flight of one connection.
#[derive(Clone, Debug)]
pub struct InFlight(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    used: AtomicUsize,
    limits: Limits,
    counters: Arc<Counters>,
}

impl InFlight {
    pub(super) fn new(limits: Limits, counters: Arc<Counters>) -> Self {
        Self(Arc::new(Shared { used: AtomicUsize::new(0), limits, counters }))
    }

    /// Whether a short body could be sent. Checked before an answer is computed.
    pub fn has_room(&self) -> bool {
        self.fits(HEAD) || self.refuse()
    }

    /// The bytes of a body, counted until the last of them is dropped; `None` when too many are in flight.
    /// `shared_body` is common to all who hold the same bytes, of which this may be a part of `whole` bytes.
    #[must_use]
    pub fn hold(&self, body: Bytes, whole: usize, shared_body: Option<Arc<SharedBody>>) -> Option<Bytes> {
        // Should it exceed every budget, the longest file can still be had.
        let size = whole.min(self.0.limits.flight_bytes / 4);
        let known = shared_body.as_ref().is_some_and(|shared_body| shared_body.holders.load(Relaxed) > 0);
        if !self.fits(if known { HEAD } else { HEAD + size }) {
            self.refuse();
            return None;
        }
        let first =
            shared_body.as_ref().is_none_or(|shared_body| shared_body.holders.fetch_add(1, Relaxed) == 0);
        let own = if first { HEAD + size } else { HEAD };
        self.0.used.fetch_add(own, Relaxed);
        self.0.counters.flying.fetch_add(own, Relaxed);
        Some(Bytes::from_owner(Held { body, in_flight: self.clone(), own, size, shared_body }))
    }

    /// Concurrent calls may exceed the budgets by one body each.
    fn fits(&self, bytes: usize) -> bool {
        let Limits { flight_bytes: all, connection_flight_bytes: own, .. } = self.0.limits;
        let all = if bytes > HEAD + SHORT { all / 4 * 3 } else { all };
        let fits = |used: &AtomicUsize, most| {
            let used = used.load(Relaxed);
            used == 0 || used + bytes <= most
        };
        fits(&self.0.used, own) && fits(&self.0.counters.flying, all)
    }

    fn refuse(&self) -> bool {
        self.0.counters.refused_flights.add();
        false
    }
}

/// The owner of bytes in flight.
struct Held {
    body: Bytes,
    in_flight: InFlight,
    /// What the connection is charged with.
    own: usize,
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
        self.in_flight.0.used.fetch_sub(self.own, Relaxed);
        // The bytes of a shared body are subtracted when its last owner is dropped, whichever connection added them.
        let last = self
            .shared_body
            .as_ref()
            .is_none_or(|shared_body| shared_body.holders.fetch_sub(1, Relaxed) == 1);
        let size = if last { self.size } else { 0 };
        self.in_flight.0.counters.flying.fetch_sub(HEAD + size, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { flight_bytes: 1 << 20, connection_flight_bytes: 512 << 10, ..Limits::DEFAULT };

    fn in_flights() -> (Arc<Counters>, impl Fn() -> InFlight) {
        let counters = Arc::<Counters>::default();
        let shared = Arc::clone(&counters);
        (counters, move || InFlight::new(LIMITS, Arc::clone(&shared)))
    }

    fn body(kilobytes: usize) -> Bytes {
        Bytes::from(vec![0; kilobytes << 10])
    }

    fn hold(in_flight: &InFlight, kilobytes: usize) -> Option<Bytes> {
        in_flight.hold(body(kilobytes), kilobytes << 10, None)
    }

    #[test]
    fn a_connection_holds_so_many_bytes_and_has_room_again_when_the_last_of_a_body_is_gone() {
        let (counters, in_flight) = in_flights();
        let in_flight = in_flight();
        let mut first = hold(&in_flight, 240).unwrap();
        let second = hold(&in_flight, 240).unwrap();
        assert!(hold(&in_flight, 240).is_none(), "3 × 240 of 512 KB");
        assert_eq!(counters.flying(), 2 * (244 << 10));
        let piece = first.split_to(10);
        drop(first);
        assert!(hold(&in_flight, 240).is_none(), "a piece keeps all of it in memory");
        drop(piece);
        assert_eq!(counters.flying(), 244 << 10);
        assert!(hold(&in_flight, 240).is_some());
        drop(second);
        assert_eq!(counters.flying(), 0);
    }

    #[test]
    fn all_connections_together_hold_so_many_bytes_and_the_last_quarter_is_for_short_ones() {
        let (counters, in_flight) = in_flights();
        let held: Vec<_> = (0..9).filter_map(|_| hold(&in_flight(), 200)).collect();
        assert_eq!(held.len(), 3, "of 768 KB");
        assert_eq!(counters.refused_flights.get(), 6);
        let held: Vec<_> = held.into_iter().chain((0..99).filter_map(|_| hold(&in_flight(), 4))).collect();
        assert_eq!(held.len(), 3 + 51, "(1024 − 3 × 204) KB are 51 of 8 KB");
        assert!(!in_flight().has_room() || counters.flying() + HEAD <= 1 << 20);
    }

    #[test]
    fn a_body_that_is_shared_counts_once_until_the_last_holder_lets_go() {
        let (counters, in_flight) = in_flights();
        let (body, shared_body) = (body(200), Arc::<SharedBody>::default());
        let hold = |flight: InFlight| flight.hold(body.clone(), 200 << 10, Some(Arc::clone(&shared_body)));
        let mut held: Vec<_> = (0..50).filter_map(|_| hold(in_flight())).collect();
        assert_eq!(held.len(), 50);
        assert_eq!(counters.flying(), (200 + 50 * 4) << 10);
        held.remove(0);
        assert_eq!(counters.flying(), (200 + 49 * 4) << 10);
        held.clear();
        assert_eq!(counters.flying(), 0);
    }

    #[test]
    fn a_body_longer_than_every_budget_can_be_had_by_who_has_nothing_else() {
        let (counters, in_flight) = in_flights();
        let _other = hold(&in_flight(), 200).unwrap();
        let in_flight = in_flight();
        let _long = hold(&in_flight, 5000).unwrap();
        assert!(hold(&in_flight, 400).is_none());
        assert_eq!(counters.flying(), (204 + 256 + 4) << 10);
    }
}
