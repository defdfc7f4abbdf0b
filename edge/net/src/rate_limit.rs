//! The rate limiter of the tool interface: an exact sliding window for each client. At most `n`
//! requests are admitted in any 60 seconds; refused ones do not count. Memory is bounded, and the
//! clock is the caller's.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};

use ipnet::IpNet;

use crate::client_address::{key, unwrapped};
use crate::lock;

/// Length of the window, in milliseconds.
const WINDOW_MS: u64 = 60_000;
/// Clients share this many locks.
const SHARDS: usize = 16;
/// Most clients that are tracked; beyond that the half that was admitted longest ago is forgotten.
const CLIENTS_MAX: usize = 65_536;

/// How many requests a client may send.
#[derive(Debug)]
pub struct RateLimiter {
    per_minute: u32,
    shared: Vec<(IpNet, u32)>,
    shards: [Mutex<Shard>; SHARDS],
}

/// What a client may still send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The client's limit.
    pub per_minute: u32,
    /// Requests that are left of it.
    pub remaining: u32,
    /// Seconds until one more is, at least 1.
    pub reset: u64,
}

#[derive(Debug, Default)]
struct Shard {
    /// When each client's requests of the last minute were admitted, oldest first.
    admitted: HashMap<u128, VecDeque<u64>>,
    /// How many clients are known when those without a request in the window are forgotten.
    full: usize,
}

impl RateLimiter {
    /// `per_minute` for every client, other limits for addresses in the networks of `shared`, where
    /// many clients share an address. 0 is no limit.
    pub fn new(per_minute: u32, shared: Vec<(IpNet, u32)>) -> Self {
        Self { per_minute, shared, shards: Default::default() }
    }

    /// Admits or refuses a request at a time, in milliseconds of a clock that never goes back. `None` where the client
    /// has no limit.
    ///
    /// # Errors
    ///
    /// If the client has sent too many requests.
    pub fn admit(&self, client: IpAddr, now_ms: u64) -> Result<Option<Quota>, Quota> {
        let per_minute = self.limit(client);
        if per_minute == 0 {
            return Ok(None);
        }
        let key = key(client);
        self.shard(key).admit(key, per_minute, now_ms).map(Some)
    }

    fn limit(&self, client: IpAddr) -> u32 {
        let client = unwrapped(client);
        let shared = self.shared.iter().find(|(network, _)| network.contains(&client));
        shared.map_or(self.per_minute, |(_, per_minute)| *per_minute)
    }

    fn shard(&self, key: u128) -> MutexGuard<'_, Shard> {
        let mixed = (key ^ key >> 64) as u64;
        let shard = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
        // A panic while it was held left at worst one request uncounted.
        lock(&self.shards[shard as usize % SHARDS])
    }
}

impl Shard {
    /// Counts a request, unless there are too many.
    fn admit(&mut self, key: u128, per_minute: u32, now_ms: u64) -> Result<Quota, Quota> {
        if self.admitted.len() >= self.full && !self.admitted.contains_key(&key) {
            self.make_room(now_ms);
        }
        let admitted = self.admitted.entry(key).or_default();
        while admitted.front().is_some_and(|at| at + WINDOW_MS <= now_ms) {
            admitted.pop_front();
        }
        // The limit may be less than what an earlier one admitted.
        let excess = admitted.len().saturating_sub(per_minute as usize);
        let is_admitted = admitted.len() < per_minute as usize;
        if is_admitted {
            admitted.push_back(now_ms);
        }
        let frees = admitted.get(excess).map_or(0, |at| (at + WINDOW_MS).saturating_sub(now_ms));
        let remaining = per_minute.saturating_sub(admitted.len() as u32);
        let quota = Quota { per_minute, remaining, reset: frees.div_ceil(1000).max(1) };
        if is_admitted { Ok(quota) } else { Err(quota) }
    }

    fn make_room(&mut self, now_ms: u64) {
        const MOST: usize = CLIENTS_MAX / SHARDS;
        self.admitted.retain(|_, admitted| admitted.back().is_some_and(|at| at + WINDOW_MS > now_ms));
        if self.admitted.len() >= MOST {
            let last = |(key, admitted): (&u128, &VecDeque<u64>)| (admitted.back().copied(), *key);
            let mut known: Vec<_> = self.admitted.iter().map(last).collect();
            let (_, middle, _) = known.select_nth_unstable(MOST / 2);
            self.admitted.retain(|key, admitted| last((key, admitted)) > *middle);
        }
        self.full = (2 * self.admitted.len()).clamp(8, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn no_60_seconds_ever_admit_more_than_the_limit() {
        let limiter = RateLimiter::new(7, Vec::new());
        let mut admitted: Vec<u64> = Vec::new();
        let mut now = 0;
        for step in 0..5_000u64 {
            now += step.wrapping_mul(2_654_435_761) % 3_000;
            match limiter.admit(ip("192.0.2.1"), now) {
                Ok(quota) => {
                    admitted.push(now);
                    let recent = admitted.iter().filter(|at| **at + WINDOW_MS > now).count();
                    assert_eq!(quota.unwrap().remaining as usize, 7 - recent);
                }
                Err(refused) => {
                    let frees = admitted[admitted.len() - 7] + WINDOW_MS;
                    assert_eq!(refused.reset, (frees - now).div_ceil(1000).max(1));
                }
            }
        }
        assert!(admitted.windows(8).all(|run| run[7] - run[0] >= WINDOW_MS));
        assert!(admitted.len() > 500);
    }

    #[test]
    fn shared_networks_have_their_own_limit_and_zero_is_none() {
        let limiter = RateLimiter::new(0, vec![("203.0.113.0/24".parse().unwrap(), 2)]);
        assert!((0..1000).all(|_| limiter.admit(ip("192.0.2.1"), 0).is_ok()));
        let admitted: Vec<bool> = (0..3).map(|_| limiter.admit(ip("203.0.113.5"), 0).is_ok()).collect();
        assert_eq!(admitted, [true, true, false]);
        assert!(limiter.admit(ip("64:ff9b::203.0.113.5"), 0).is_err());
    }

    #[test]
    fn memory_is_bounded_and_idle_clients_are_forgotten() {
        let limiter = RateLimiter::new(1, Vec::new());
        let client = |n: u32| IpAddr::from(std::net::Ipv4Addr::from_bits(n));
        (0..200_000).for_each(|n| assert!(limiter.admit(client(n), u64::from(n) / 4).is_ok()));
        // Those that came last are known.
        (170_000..200_000).for_each(|n| assert!(limiter.admit(client(n), 50_000).is_err(), "{n}"));
        let known = || limiter.shards.iter().map(|shard| shard.lock().unwrap().admitted.len()).sum::<usize>();
        assert!((CLIENTS_MAX / 2..=CLIENTS_MAX).contains(&known()));
        (300_000..340_000).for_each(|n| assert!(limiter.admit(client(n), 2 * WINDOW_MS).is_ok()));
        assert_eq!(known(), 40_000);
    }
}
