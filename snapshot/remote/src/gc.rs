//! Removing what nobody needs any more, without a list of names.
//!
//! What a generation needed that is no longer kept goes into a list that CURRENT names (`retired/<hash>`), and is
//! removed a week later, by the store's clock: whoever is fetching it has had time. What pushes have left that never
//! came to their end stands in `pending`, and is removed a week after it was first seen here. Whatever a kept
//! generation needs is left alone in either case.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use snapshot::store::{Digest, GenerationId};
use uuid::Uuid;

use crate::current::{self, Current, FetchedCurrent, GenerationRef};
use crate::error::{RemoteError, store_error};
use crate::index::{GenerationIndex, whole};
use crate::publish::{LEASE, Publisher};
use crate::uploads::{self, Upload};
use crate::versioned_json::read_json;

/// How long what nobody needs stays there.
pub const GRACE: Duration = Duration::from_secs(7 * 24 * 3600);
const _: () =
    assert!(GRACE.as_secs() > 2 * LEASE.as_secs(), "a push that is under way keeps what it uploads");
const FORMAT: u64 = 1;
const LIMIT: u64 = 64 << 20;

/// What waits to be removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Retired {
    format: u64,
    names: Vec<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    name: String,
    /// Since when, in seconds since 1970 by the store's clock.
    since: i64,
}

/// What is kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// How many of the newest, the live one among them.
    pub newest: usize,
    /// Those that were pushed at this time or later.
    pub since: Timestamp,
}

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcReport {
    /// Generations that are no longer kept.
    pub generations: Vec<GenerationId>,
    /// Objects that were removed.
    pub objects: u64,
    /// Objects that wait for their time.
    pub waiting: u64,
}

impl Publisher<'_> {
    /// Gives up all generations but some, and removes what was given up long ago.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written, or somebody pushed meanwhile: then it has to be done again.
    pub async fn collect(&self, keep: Retention) -> Result<GcReport, RemoteError> {
        // Before CURRENT: what was published in between is kept by that.
        let (entries, _) = uploads::read(self.target).await?;
        let read = current::fetch(self.target, self.trust, None).await?;
        let Some(read) = read else { return Ok(GcReport::default()) };
        let (kept, dropped) = divide(&read.pointer, keep);
        // What is rolled out is neither counted nor given up.
        let next = read.pointer.next.iter().map(|next| &next.named);
        let needed = self.names(kept.iter().chain(next)).await?;
        let now = self.now().await?;
        let mut removed = GcReport::default();
        let retired = self.retired(&read, &needed, &dropped, now, &mut removed).await?;
        self.write_retired(&read, kept, retired).await?;
        removed.generations = dropped.iter().map(|named| named.generation).collect();
        self.collect_pending(&entries, &needed, now, &mut removed).await?;
        Ok(removed)
    }

    /// What some generations need.
    async fn names<'a>(
        &self,
        of: impl IntoIterator<Item = &'a GenerationRef>,
    ) -> Result<BTreeSet<String>, RemoteError> {
        let mut names = BTreeSet::new();
        for named in of {
            names.extend(GenerationIndex::fetch(self.target, named).await?.names(named));
        }
        Ok(names)
    }

    /// The store's clock.
    async fn now(&self) -> Result<i64, RemoteError> {
        let (place, path) = (self.target.place(), format!("probe-{}", Uuid::new_v4().simple()));
        let put = self.target.put(&path, Bytes::from_static(b"now")).await;
        put.map_err(store_error(&place, "writing an object"))?;
        let now = self.target.written(&path).await.map_err(store_error(&place, "reading its time"));
        let _ = self.target.delete(&path).await;
        now
    }

    /// Removes what is due, and gives what waits then; nothing if that is what waited before.
    async fn retired(
        &self,
        read: &FetchedCurrent,
        needed: &BTreeSet<String>,
        dropped: &[GenerationRef],
        now: i64,
        removed: &mut GcReport,
    ) -> Result<Option<Vec<Name>>, RemoteError> {
        let place = self.target.place();
        let (mut waiting, before) = (Vec::new(), removed.objects);
        if let Some(sha256) = &read.pointer.retired {
            let path = list_path(sha256);
            let bytes = whole(self.target, &path, LIMIT, *sha256).await?;
            let list: Retired = read_json(&place, &path, FORMAT, &String::from_utf8_lossy(&bytes))?;
            for name in list.names.into_iter().filter(|name| !needed.contains(&name.name)) {
                match is_due(name.since, now) {
                    true => self.remove(&name.name, removed).await?,
                    false => waiting.push(name),
                }
            }
        }
        removed.waiting += waiting.len() as u64;
        if dropped.is_empty() && removed.objects == before {
            return Ok(None);
        }
        let names = self.names(dropped).await?;
        let given_up = waiting.len();
        waiting.extend(names.difference(needed).map(|name| Name { name: name.clone(), since: now }));
        removed.waiting += (waiting.len() - given_up) as u64;
        // The list that this one takes the place of; one that is empty has none after it that could name it.
        let old = read.pointer.retired.map(|sha256| list_path(&sha256));
        match (waiting.is_empty(), old) {
            (false, Some(name)) => waiting.push(Name { name, since: now }),
            (true, Some(name)) => self.remove_later(name).await?,
            _ => {}
        }
        Ok(Some(waiting))
    }

    /// Leaves an object to `pending`.
    async fn remove_later(&self, name: String) -> Result<(), RemoteError> {
        let entry = Upload { push: Uuid::new_v4(), names: vec![name], seen: None };
        uploads::change(self.target, |entries| entries.push(entry.clone())).await
    }

    async fn remove(&self, name: &str, removed: &mut GcReport) -> Result<(), RemoteError> {
        let deleted = self.target.delete(name).await;
        deleted.map_err(store_error(&self.target.place(), format!("writing: removing {name}")))?;
        removed.objects += 1;
        Ok(())
    }

    /// Names in CURRENT what is kept and what waits, if either is another than before.
    async fn write_retired(
        &self,
        read: &FetchedCurrent,
        kept: Vec<GenerationRef>,
        waiting: Option<Vec<Name>>,
    ) -> Result<(), RemoteError> {
        let Some(names) = waiting else { return Ok(()) };
        let retired = match names.is_empty() {
            true => None,
            false => {
                let bytes = serde_json::to_vec(&Retired { format: FORMAT, names }).unwrap_or_default();
                let sha256 = Digest::of(&bytes);
                let path = list_path(&sha256);
                let put = self.target.put(&path, bytes.into()).await;
                put.map_err(store_error(&self.target.place(), format!("writing {path}")))?;
                Some(sha256)
            }
        };
        let version = read.pointer.version + 1;
        let retained = kept.into_iter().filter(|named| *named != read.pointer.live).collect();
        let pointer = Current { version, retained, retired, ..read.pointer.clone() };
        self.point(Some(read), &pointer).await.map(drop)
    }

    /// What pushes have left: seen the first time, it is marked; seen long after, it is removed.
    async fn collect_pending(
        &self,
        entries: &[Upload],
        needed: &BTreeSet<String>,
        now: i64,
        removed: &mut GcReport,
    ) -> Result<(), RemoteError> {
        let due = |entry: &&Upload| entry.seen.is_some_and(|seen| is_due(seen, now));
        let gone: Vec<Uuid> = entries.iter().filter(due).map(|entry| entry.push).collect();
        for entry in entries.iter().filter(due) {
            for name in entry.names.iter().filter(|name| !needed.contains(*name)) {
                self.remove(name, removed).await?;
            }
        }
        let others = entries.iter().filter(|entry| !due(entry));
        removed.waiting += others.map(|entry| entry.names.len() as u64).sum::<u64>();
        uploads::change(self.target, |entries| {
            entries.retain(|entry| !gone.contains(&entry.push));
            entries.iter_mut().for_each(|entry| entry.seen = entry.seen.or(Some(now)));
        })
        .await
    }
}

/// Generations that are kept, and those that are not.
fn divide(pointer: &Current, keep: Retention) -> (Vec<GenerationRef>, Vec<GenerationRef>) {
    let mut kept = vec![pointer.live.clone()];
    let mut dropped = Vec::new();
    for named in pointer.retained.iter().rev() {
        let stays = kept.len() < keep.newest || named.at >= keep.since;
        if stays { &mut kept } else { &mut dropped }.push(named.clone());
    }
    // Oldest first, as CURRENT has them.
    kept.reverse();
    (kept, dropped)
}

fn is_due(since: i64, now: i64) -> bool {
    now.saturating_sub(since) > GRACE.as_secs().cast_signed()
}

fn list_path(sha256: &Digest) -> String {
    format!("retired/{sha256}.json")
}
