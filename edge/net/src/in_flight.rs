//! Answers in flight: computed, and not yet taken by their clients. Clients may request long bodies with few bytes and
//! then read none of them, so the bytes of bodies are bounded: of all, of each client and, where room is needed, by the
//! time in which nothing was read.

use std::array::from_fn;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::client_address::{TrustedProxies, key};
use crate::count::Count;
use crate::lock;
use crate::waiting::Waiting;

/// Bytes of all bodies in flight, and with each what an answer takes besides. Beyond, requests are refused.
pub(crate) const BUDGET: usize = 64 << 20;
/// What an answer in flight takes besides its body, in bytes: head, buffers, task.
const HEAD: usize = 4 * 1024;
/// Bodies up to this many bytes may use all of the budget, longer ones three quarters: clients that request long
/// bodies and do not read them cannot block the pages of a site.
const SHORT: usize = 16 * 1024;
/// How long a client may read nothing while more than half of the budget is used, and while all of it is.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(3), Duration::from_secs(1));
/// Least time between two searches for clients that read nothing, in milliseconds: each looks at every connection.
const SEARCH_EVERY: u64 = 20;

/// Requests of one client that are answered at a time. Further ones wait, not in the way of other clients.
const TURNS: usize = 8;
/// Maps of clients, each with a lock of its own: behind a proxy each request looks for its client, and few meet.
const SHARDS: usize = 64;

/// A body that several answers may share, such as one in a cache. It is in memory once, and so counts once.
#[derive(Debug, Default)]
pub struct SharedBody(AtomicUsize);

/// The bodies in flight of a server, and who takes them.
#[derive(Debug)]
pub struct InFlight {
    /// Most bytes.
    pub budget: usize,
    /// Answers that were refused because too many bytes were in flight.
    pub refused: Count,
    used: AtomicUsize,
    proxies: TrustedProxies,
    clients: [Mutex<Clients>; SHARDS],
    hasher: RandomState,
    readers: Mutex<HashMap<u64, Weak<Reader>>>,
    began: Instant,
    /// When clients that read nothing were last searched for, in milliseconds since `began`.
    searched: AtomicU64,
}

/// Of all clients that have a connection, a request or an answer in flight a part, by their keys.
#[derive(Debug, Default)]
struct Clients {
    known: HashMap<u128, Weak<Client>>,
    /// How many are known when those that left are forgotten.
    full: usize,
}

/// What one client holds.
#[derive(Debug)]
pub(crate) struct Client {
    bytes: AtomicUsize,
    connections: AtomicUsize,
    turns: Arc<Semaphore>,
}

/// Who reads the answers of one connection.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) in_flight: Arc<InFlight>,
    number: u64,
    peer: IpAddr,
    /// `None` for a trusted proxy, each of whose requests names its client.
    client: Option<Arc<Client>>,
    bytes: AtomicUsize,
    pub(crate) waiting: Waiting,
    /// Notified when the connection is to be cut, to make room.
    pub(crate) cut: Notify,
}

/// With the usual budget, and no proxies.
impl Default for InFlight {
    fn default() -> Self {
        Self::new(BUDGET, TrustedProxies::default())
    }
}

impl InFlight {
    /// At most so many bytes, of each client a quarter; one body is always allowed. Behind `proxies` each client is one
    /// of its own.
    pub fn new(budget: usize, proxies: TrustedProxies) -> Self {
        Self {
            budget,
            refused: Count::default(),
            used: AtomicUsize::new(0),
            proxies,
            clients: from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
            readers: Mutex::default(),
            began: Instant::now(),
            searched: AtomicU64::new(0),
        }
    }

    /// Bytes of bodies that are computed and not yet sent, and what each of them takes besides.
    pub fn bytes(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Who reads the answers of a new connection, the `number`-th.
    pub(crate) fn reader(self: &Arc<Self>, number: u64, peer: IpAddr) -> Arc<Reader> {
        let client = (!self.proxies.trusts(peer)).then(|| self.client(peer));
        if let Some(client) = &client {
            client.connections.fetch_add(1, Relaxed);
        }
        let (in_flight, waiting) = (Arc::clone(self), Waiting::new());
        let (bytes, cut) = (AtomicUsize::new(0), Notify::new());
        let reader = Arc::new(Reader { in_flight, number, peer, client, bytes, waiting, cut });
        lock(&self.readers).insert(number, Arc::downgrade(&reader));
        reader
    }

    fn shard(&self, key: u128) -> usize {
        self.hasher.hash_one(key) as usize % SHARDS
    }

    fn client(&self, address: IpAddr) -> Arc<Client> {
        let key = key(address);
        let mut clients = lock(&self.clients[self.shard(key)]);
        if let Some(client) = clients.known.get(&key).and_then(Weak::upgrade) {
            return client;
        }
        if clients.known.len() >= clients.full {
            clients.known.retain(|_, client| client.strong_count() > 0);
            clients.full = 2 * clients.known.len() + 8;
        }
        let (bytes, connections) = Default::default();
        let client = Arc::new(Client { bytes, connections, turns: Arc::new(Semaphore::new(TURNS)) });
        clients.known.insert(key, Arc::downgrade(&client));
        client
    }

    /// Whether bytes fit, where need be once room is made. Concurrent calls may exceed the budget by one body each, and by
    /// what connections that are being cut still hold.
    fn admits(&self, bytes: usize) -> bool {
        let used = self.bytes();
        let most = if bytes > HEAD + SHORT { self.budget / 4 * 3 } else { self.budget };
        let missing = if used == 0 { 0 } else { (used + bytes).saturating_sub(most) };
        if missing == 0 && used + bytes <= self.budget / 2 {
            return true;
        }
        let freed = self.cut_the_stalled(used + bytes, missing > 0);
        missing == 0 || freed >= missing
    }

    /// Cuts connections that have read nothing for too long, the longest first; where the budget is full also sooner,
    /// until half of it is free. Returns the bytes that they held.
    fn cut_the_stalled(&self, wanted: usize, is_full: bool) -> usize {
        let (now, searched) = (Instant::now(), self.searched.load(Relaxed));
        let millis = now.duration_since(self.began).as_millis() as u64;
        let is_due = millis >= searched + SEARCH_EVERY;
        if !is_due || self.searched.compare_exchange(searched, millis, Relaxed, Relaxed).is_err() {
            return 0;
        }
        // Readers lock the map when they are dropped: none is dropped while it is locked.
        let readers: Vec<_> = lock(&self.readers).values().filter_map(Weak::upgrade).collect();
        let stalled =
            |reader: &Arc<Reader>| reader.waiting.stalled(now).filter(|_| reader.bytes.load(Relaxed) > 0);
        let mut stalled: Vec<_> =
            readers.iter().filter_map(|it| stalled(it).map(|time| (time, it))).collect();
        stalled.sort_unstable_by_key(|(time, _)| std::cmp::Reverse(*time));
        let mut freed = 0;
        for (time, reader) in stalled {
            let goes_on = is_full && freed < wanted.saturating_sub(self.budget / 2);
            if time >= PATIENCE.0 || goes_on && time >= PATIENCE.1 {
                reader.cut.notify_one();
                freed += reader.bytes.load(Relaxed);
            }
        }
        freed
    }

    fn refuse(&self) -> bool {
        self.refused.add();
        false
    }
}

impl Client {
    /// Whether bytes are within a client's share; one body always is.
    fn admits(&self, bytes: usize, share: usize) -> bool {
        let used = self.bytes.load(Relaxed);
        used == 0 || used + bytes <= share
    }

    /// Waits until a request of a client may be answered; the turn ends when it is dropped. A client that may have requests on many
    /// connections has each answered after those of others that wait, with the turn already taken.
    pub(crate) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        let connections = self.connections.load(Relaxed);
        // None: it comes through a proxy.
        if connections == 0 || connections > TURNS {
            tokio::task::yield_now().await;
        }
        Some(turn)
    }
}

impl Reader {
    /// Connections of its client; none count for a trusted proxy.
    pub(crate) fn connections(&self) -> usize {
        self.client.as_ref().map_or(0, |client| client.connections.load(Relaxed))
    }

    /// The client of a request with these headers.
    pub(crate) fn client_of(&self, headers: &HeaderMap) -> Arc<Client> {
        let behind = || self.in_flight.client(self.in_flight.proxies.client(self.peer, headers));
        self.client.clone().unwrap_or_else(behind)
    }

    fn share(&self) -> usize {
        self.in_flight.budget / 4
    }

    /// Whether a short body could be sent to a client. Checked before an answer is computed.
    pub(crate) fn has_room(&self, client: &Client) -> bool {
        client.admits(HEAD, self.share()) && self.in_flight.admits(HEAD) || self.in_flight.refuse()
    }

    /// The bytes of a body for a client, counted until the last of them is dropped; `None` when too many are in flight.
    /// `shared_body` is common to all who hold the same bytes, of which this may be a part of `whole` bytes.
    #[must_use]
    pub(crate) fn hold(
        self: &Arc<Self>,
        client: &Arc<Client>,
        body: Bytes,
        whole: usize,
        shared_body: Option<Arc<SharedBody>>,
    ) -> Option<Bytes> {
        let in_flight = &self.in_flight;
        // Should it exceed the budget, the longest file can still be had.
        let size = whole.min(self.share());
        let known = shared_body.as_ref().is_some_and(|shared_body| shared_body.0.load(Relaxed) > 0);
        let cost = if known { HEAD } else { HEAD + size };
        if !client.admits(cost, self.share()) || !in_flight.admits(cost) {
            in_flight.refuse();
            return None;
        }
        let first = shared_body.as_ref().is_none_or(|shared_body| shared_body.0.fetch_add(1, Relaxed) == 0);
        let charged = if first { HEAD + size } else { HEAD };
        for used in [&in_flight.used, &client.bytes, &self.bytes] {
            used.fetch_add(charged, Relaxed);
        }
        let (reader, client) = (Arc::clone(self), Arc::clone(client));
        Some(Bytes::from_owner(Held { body, reader, client, size, charged, shared_body }))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(client) = &self.client {
            client.connections.fetch_sub(1, Relaxed);
        }
        lock(&self.in_flight.readers).remove(&self.number);
    }
}

/// The owner of bytes in flight.
struct Held {
    body: Bytes,
    reader: Arc<Reader>,
    client: Arc<Client>,
    size: usize,
    /// What the reader and its client are charged: the first to hold a shared body is charged for it.
    charged: usize,
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
        let last = self.shared_body.as_ref().is_none_or(|shared| shared.0.fetch_sub(1, Relaxed) == 1);
        self.reader.in_flight.used.fetch_sub(if last { HEAD + self.size } else { HEAD }, Relaxed);
        self.client.bytes.fetch_sub(self.charged, Relaxed);
        self.reader.bytes.fetch_sub(self.charged, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use http::header::HeaderName;

    const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");
    const PROXY: &str = "10.0.0.1";

    fn in_flight() -> Arc<InFlight> {
        let proxies = TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap()], FORWARDED);
        Arc::new(InFlight::new(1 << 20, proxies))
    }

    fn reader(in_flight: &Arc<InFlight>, number: u64, peer: &str) -> Arc<Reader> {
        in_flight.reader(number, peer.parse().unwrap())
    }

    /// Readers of different clients.
    fn readers(in_flight: &Arc<InFlight>) -> Vec<Arc<Reader>> {
        (0..99).map(|number| reader(in_flight, number, &format!("192.0.2.{number}"))).collect()
    }

    fn body(kilobytes: usize) -> Bytes {
        Bytes::from(vec![0; kilobytes << 10])
    }

    /// Of a connection without a proxy.
    fn client(reader: &Reader) -> Arc<Client> {
        reader.client_of(&HeaderMap::new())
    }

    fn has_room(reader: &Reader) -> bool {
        reader.has_room(&client(reader))
    }

    fn hold(reader: &Arc<Reader>, kilobytes: usize) -> Option<Bytes> {
        reader.hold(&client(reader), body(kilobytes), kilobytes << 10, None)
    }

    #[test]
    fn there_is_room_again_when_the_last_byte_of_a_body_is_gone() {
        let in_flight = in_flight();
        let readers = readers(&in_flight);
        let mut first = hold(&readers[0], 240).unwrap();
        let others = [1, 2].map(|n| hold(&readers[n], 240).unwrap());
        assert!(hold(&readers[3], 240).is_none(), "4 × 240 of 768 KB");
        assert_eq!(in_flight.bytes(), 3 * (244 << 10));
        let piece = first.split_to(10);
        drop(first);
        assert!(hold(&readers[3], 240).is_none(), "a piece keeps all of it in memory");
        drop(piece);
        assert_eq!((in_flight.bytes(), readers[0].bytes.load(Relaxed)), (2 * (244 << 10), 0));
        assert!(hold(&readers[3], 240).is_some());
        drop(others);
        assert_eq!(in_flight.bytes(), 0);
    }

    #[test]
    fn the_last_quarter_is_for_short_bodies() {
        let in_flight = in_flight();
        let readers = readers(&in_flight);
        let held: Vec<_> = readers[..9].iter().filter_map(|reader| hold(reader, 200)).collect();
        assert_eq!(held.len(), 3, "of 768 KB");
        assert_eq!(in_flight.refused.get(), 6);
        let held: Vec<_> = held.into_iter().chain(readers.iter().filter_map(|it| hold(it, 4))).collect();
        assert_eq!(held.len(), 3 + 51, "(1024 − 3 × 204) KB are 51 of 8 KB");
        assert!(!has_room(&readers[0]) || in_flight.bytes() + HEAD <= 1 << 20);
    }

    #[test]
    fn a_body_that_is_shared_counts_once_until_the_last_holder_lets_go() {
        let in_flight = in_flight();
        let (body, shared_body) = (body(200), Arc::<SharedBody>::default());
        let readers = readers(&in_flight);
        let hold = |reader: &Arc<Reader>| {
            reader.hold(&client(reader), body.clone(), 200 << 10, Some(Arc::clone(&shared_body)))
        };
        let others: Vec<_> = readers[50..].iter().filter_map(|reader| self::hold(reader, 200)).collect();
        assert!(hold(&readers[0]).is_none(), "for the first it is a body of its own");
        drop(others);
        let mut held: Vec<_> = readers[..50].iter().filter_map(hold).collect();
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
        let readers = readers(&in_flight);
        let _other = hold(&readers[0], 250).unwrap();
        let _long = hold(&readers[1], 5000).unwrap();
        assert!(hold(&readers[2], 400).is_none());
        assert_eq!(in_flight.bytes(), (254 + 256 + 4) << 10);
    }

    #[test]
    fn a_client_holds_a_quarter_over_all_of_its_connections_and_others_get_theirs() {
        let in_flight = in_flight();
        let crowd: Vec<_> = (0..50).map(|number| reader(&in_flight, number, "192.0.2.1")).collect();
        let held: Vec<_> = crowd.iter().filter_map(|reader| hold(reader, 28)).collect();
        assert_eq!(held.len(), 8, "of 256 KB");
        assert!(!has_room(&crowd[49]));
        let other = reader(&in_flight, 50, "2001:db8:0:1::1");
        let others: Vec<_> = (0..50).filter_map(|_| hold(&other, 28)).collect();
        assert_eq!(others.len(), 8);
        assert!(hold(&reader(&in_flight, 51, "2001:db8:0:1:9::9"), 28).is_none(), "of the same network");
        drop(held);
        assert!(has_room(&crowd[49]) && hold(&crowd[49], 28).is_some());
    }

    /// Of a request that came through a proxy.
    fn forwarded(proxy: &Reader, client: &'static str) -> Arc<Client> {
        proxy.client_of(&HeaderMap::from_iter([(FORWARDED, HeaderValue::from_static(client))]))
    }

    #[test]
    fn behind_a_trusted_proxy_each_client_has_its_share_and_the_proxy_none() {
        let in_flight = in_flight();
        let proxy = reader(&in_flight, 0, PROXY);
        let hold = |client| proxy.hold(&forwarded(&proxy, client), body(28), 28 << 10, None);
        let held: Vec<_> = (0..9).filter_map(|_| hold("192.0.2.1")).collect();
        let others: Vec<_> = (0..9).filter_map(|_| hold("192.0.2.2")).collect();
        assert_eq!((held.len(), others.len(), proxy.connections()), (8, 8, 0));
        assert!(!proxy.has_room(&forwarded(&proxy, "192.0.2.1")));
    }

    #[test]
    fn others_go_before_a_client_with_more_connections_than_turns_or_behind_a_proxy() {
        let in_flight = in_flight();
        let is_at_once = |client: Arc<Client>| {
            let turn = std::pin::pin!(client.turn());
            turn.poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_ready()
        };
        let crowd: Vec<_> = (0..8).map(|number| reader(&in_flight, number, "192.0.2.1")).collect();
        assert!(is_at_once(client(&crowd[0])));
        let ninth = reader(&in_flight, 8, "192.0.2.1");
        assert!(!is_at_once(client(&ninth)));
        assert!(!is_at_once(forwarded(&reader(&in_flight, 9, PROXY), "192.0.2.2")));
    }

    #[tokio::test(start_paused = true)]
    async fn connections_are_searched_once_in_20_ms_at_most() {
        let in_flight = in_flight();
        for (milliseconds, searched) in [(19, 0), (1, 20), (19, 20), (1, 40)] {
            tokio::time::advance(Duration::from_millis(milliseconds)).await;
            in_flight.cut_the_stalled(0, false);
            assert_eq!(in_flight.searched.load(Relaxed), searched);
        }
    }

    #[test]
    fn clients_that_left_are_forgotten() {
        let in_flight = in_flight();
        for number in 0..10_000u32 {
            let peer = IpAddr::from(std::net::Ipv4Addr::from_bits(number | 1 << 31));
            assert_eq!(in_flight.reader(number.into(), peer).connections(), 1);
        }
        let known: usize = in_flight.clients.iter().map(|clients| lock(clients).known.len()).sum();
        assert!(known <= 8 * SHARDS, "{known}");
        assert!(lock(&in_flight.readers).is_empty());
    }
}
