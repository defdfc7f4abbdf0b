//! A Zipf-distributed replay through a cache: junk parameters in every query, bodies held against those of
//! the edge behind it, and the share that the cache served by itself.

use std::io;

use tests::storm::Place;
use tests::storm::client::{Answer, Client};
use tests::synth::rng::{Rng, Zipf};

/// Connections that take turns.
const CLIENTS: usize = 8;
/// Parameters that change no answer.
const JUNK: [&str; 6] = ["utm_source", "utm_campaign", "fbclid", "gclid", "_", "_ga"];

/// What came of a replay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replayed {
    /// Requests.
    pub asked: u64,
    /// Answers that the cache had (`X-Cache: HIT`, or a stale one it was allowed to give).
    pub hits: u64,
    /// Answers with another status, ETag or body than the edge's own.
    pub different: u64,
}

/// Asks through `cache` for what `origin` is asked directly first. `headers` are lines that every request has.
///
/// # Errors
///
/// If either server cannot be reached.
pub fn replay(
    cache: &Place,
    origin: &Place,
    targets: &[String],
    requests: u64,
    headers: &str,
) -> io::Result<Replayed> {
    let mut direct = Client::new(origin, headers);
    let expected = targets.iter().map(|target| direct.get(target)).collect::<io::Result<Vec<Answer>>>()?;
    let mut clients: Vec<Client> = (0..CLIENTS).map(|_| Client::new(cache, headers)).collect();
    let (zipf, mut rng) = (Zipf::new(targets.len()), Rng::new(&[0x21bf]));
    let mut replayed = Replayed { asked: requests, ..Replayed::default() };
    for _ in 0..requests {
        let rank = zipf.draw(&mut rng);
        let client = rng.below(CLIENTS);
        let answer = clients[client].get(&littered(&targets[rank], &mut rng))?;
        replayed.hits += u64::from(matches!(&*answer.cache, "HIT" | "STALE" | "UPDATING" | "REVALIDATED"));
        // A cache that packs and unpacks by itself says so with a weak ETag.
        let etag = answer.etag.strip_prefix("W/").unwrap_or(&answer.etag);
        let (etag, its) = (etag.trim_matches('"'), expected[rank].etag.trim_matches('"'));
        let same = answer.status == expected[rank].status && answer.body == expected[rank].body;
        replayed.different += u64::from(!same || !etag.starts_with(its));
    }
    Ok(replayed)
}

/// A target with up to three junk parameters at any place of its query.
fn littered(target: &str, rng: &mut Rng) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut pairs: Vec<String> =
        query.split('&').filter(|pair| !pair.is_empty()).map(str::to_owned).collect();
    for _ in 0..rng.below(4) {
        let at = rng.below(pairs.len() + 1);
        pairs.insert(at, format!("{}={}", rng.pick(&JUNK), rng.bits()));
    }
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}
