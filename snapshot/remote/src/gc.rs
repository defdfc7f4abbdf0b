//! Garbage collection, without a listing of names.
//!
//! Objects that only dropped generations need go to a list that CURRENT names (`retired/<hash>`), and are removed a week
//! later by the store's clock, so that a reader that is fetching them can finish. Uploads of pushes that never ended are
//! named in `pending`, and go to that list two days after they were first seen here. As CURRENT is signed and `pending` is
//! not, only the list decides when an object is removed; and as CURRENT changes with the list, a push whose uploads are on
//! it can no longer succeed. Objects that a kept generation needs are never removed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{Digest, GenerationId};
use uuid::Uuid;

use crate::current::{self, Current, FetchedCurrent, GenerationRef};
use crate::error::{RemoteError, read_error, write_error};
use crate::index::GenerationIndex;
use crate::objects::{fetch_by_hash, read_json, retired_path};
use crate::publish::Publisher;
use crate::stores::{ObjectName, Precondition};
use crate::uploads::Upload;

/// The object whose time of writing is read as the store's clock.
pub(crate) const CLOCK: &str = "clock";
/// How long garbage stays.
pub(crate) const GRACE: Duration = Duration::from_secs(7 * 24 * 3600);
const FORMAT: u64 = 1;
const LIMIT: u64 = 64 << 20;

/// The list of objects that wait for their removal.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RetiredList {
    format: u64,
    names: Vec<Retired>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Retired {
    name: ObjectName,
    /// In seconds since 1970 by the store's clock.
    since: i64,
}

/// That list as it was read, and its name.
#[derive(Default)]
struct Listed {
    name: Option<ObjectName>,
    objects: Vec<Retired>,
}

/// Which generations are kept; the live one always is.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// How many of the newest, the live one included.
    pub newest: usize,
    /// All that were pushed at this time or later.
    pub since: Timestamp,
}

/// What garbage collection did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcReport {
    /// Generations that are no longer kept.
    pub generations: Vec<GenerationId>,
    /// Removed objects.
    pub objects: u64,
    /// Objects that wait for their removal.
    pub waiting: u64,
}

impl Publisher<'_> {
    /// Drops all generations that the retention does not keep, and removes garbage that is old enough.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written, or CURRENT changed meanwhile; repeat it then.
    pub async fn collect(&self, retention: Retention) -> Result<GcReport, RemoteError> {
        // Before CURRENT: uploads that are published in between are kept by CURRENT.
        let (uploads, _) = self.uploads().read().await?;
        let read = current::fetch(self.target, self.trust).await?;
        let (kept, dropped) = divide(&read.current, retention);
        let (mut needed, given_up) = (self.names(&kept).await?, self.names(&dropped).await?);
        let listed = self.listed(&read).await?;
        needed.extend(listed.name.clone());
        let now = self.now().await?;
        let mut report = GcReport::default();
        let (mut waiting, before) = (BTreeMap::new(), listed.objects.len());
        for Retired { name, since } in listed.objects {
            match is_due(since, now) && !given_up.contains(&name) {
                _ if needed.contains(&name) => {}
                true => self.remove(&name, &mut report).await?,
                false => drop(waiting.insert(name, since.min(now))),
            }
        }
        // Only CURRENT is signed: what `pending` names waits from now on, whenever it was seen first.
        let (abandoned, others): (Vec<_>, Vec<_>) =
            uploads.iter().partition(|upload| upload.is_abandoned(now));
        let found = abandoned.iter().flat_map(|upload| &upload.names).filter(|name| !needed.contains(name));
        let (lists, found): (Vec<_>, Vec<_>) = found.partition(|name| name.is_unread());
        let count = waiting.len();
        for name in found {
            waiting.entry(name.clone()).or_insert(now);
        }
        waiting.extend(given_up.difference(&needed).map(|name| (name.clone(), now)));
        let is_gone = read.current.retired.is_some() && listed.name.is_none();
        let is_changed = is_gone || !dropped.is_empty() || count < before || waiting.len() > count;
        report.waiting =
            waiting.len() as u64 + others.iter().map(|upload| upload.names.len() as u64).sum::<u64>();
        if is_changed {
            self.write_retired(&read, kept, listed.name, waiting, now).await?;
        }
        for name in lists {
            self.remove(name, &mut report).await?;
        }
        report.generations = dropped.iter().map(|dropped| dropped.generation).collect();
        let change = |entries: &mut Vec<Upload>| {
            entries.retain(|entry| !abandoned.contains(&entry));
            // A time in the future was not read from this clock.
            entries.iter_mut().for_each(|entry| entry.seen = Some(entry.seen.unwrap_or(now).min(now)));
        };
        self.uploads().change(change).await?;
        Ok(report)
    }

    /// The list of objects that wait for their removal. If it is gone, they stay.
    async fn listed(&self, read: &FetchedCurrent) -> Result<Listed, RemoteError> {
        let Some(sha256) = read.current.retired else { return Ok(Listed::default()) };
        let path = retired_path(&sha256);
        let objects = match fetch_by_hash(self.target, &path, LIMIT, sha256).await {
            Err(error) if error.is_missing() => {
                (self.warn)(&format!("{error}; the objects that it names stay"));
                return Ok(Listed::default());
            }
            bytes => read_json::<RetiredList>(&self.target.place(), &path, FORMAT, &bytes?)?.names,
        };
        Ok(Listed { name: self.object_names([path])?.pop(), objects })
    }

    /// Names of all objects that some generations need.
    async fn names(&self, generations: &[GenerationRef]) -> Result<BTreeSet<ObjectName>, RemoteError> {
        let mut names = BTreeSet::new();
        for generation in generations {
            let index = GenerationIndex::fetch(self.target, generation).await?;
            names.extend(self.object_names(index.names(generation))?);
        }
        Ok(names)
    }

    /// The store's clock.
    async fn now(&self) -> Result<i64, RemoteError> {
        let place = self.target.place();
        let written = self.target.write(CLOCK, Bytes::from_static(b"now"), Precondition::None).await;
        written.map_err(write_error(&place, CLOCK))?;
        let found = self.target.get(CLOCK, None, LIMIT).await.map_err(read_error(&place, CLOCK));
        Ok(found?.map_or(0, |found| found.modified))
    }

    async fn remove(&self, name: &ObjectName, report: &mut GcReport) -> Result<(), RemoteError> {
        let removed = self.target.delete(name.as_str()).await;
        removed.map_err(write_error(&self.target.place(), name.as_str()))?;
        report.objects += 1;
        Ok(())
    }

    /// Makes CURRENT name the kept generations and the list of waiting objects, to which the list before belongs.
    async fn write_retired(
        &self,
        read: &FetchedCurrent,
        kept: Vec<GenerationRef>,
        before: Option<ObjectName>,
        mut waiting: BTreeMap<ObjectName, i64>,
        now: i64,
    ) -> Result<(), RemoteError> {
        let retired = match waiting.is_empty() {
            true => {
                // No later list will name this one.
                let entry = |name| Upload { push: Uuid::new_v4(), names: vec![name], seen: None };
                let entry = before.map(entry);
                self.uploads().change(|entries| entries.extend(entry.clone())).await?;
                None
            }
            false => {
                waiting.extend(before.map(|name| (name, now)));
                let names = waiting.into_iter().map(|(name, since)| Retired { name, since }).collect();
                let list = RetiredList { format: FORMAT, names };
                let bytes = Bytes::from(serde_json::to_vec(&list).unwrap_or_default());
                let sha256 = Digest::of(&bytes);
                let path = retired_path(&sha256);
                let written = self.target.write(&path, bytes, Precondition::None).await;
                written.map_err(write_error(&self.target.place(), &path))?;
                Some(sha256)
            }
        };
        let version = read.current.version + 1;
        let retained = kept.into_iter().filter(|kept| *kept != read.current.live).collect();
        let current = Current { version, retained, retired, ..read.current.clone() };
        self.write_current(Some(read), &current).await.map(drop)
    }
}

/// Generations that are kept, oldest first as in CURRENT, and those that are dropped.
fn divide(current: &Current, retention: Retention) -> (Vec<GenerationRef>, Vec<GenerationRef>) {
    let mut kept = vec![current.live.clone()];
    let mut dropped = Vec::new();
    for retained in current.retained.iter().rev() {
        let stays = kept.len() < retention.newest || retained.at >= retention.since;
        if stays { &mut kept } else { &mut dropped }.push(retained.clone());
    }
    kept.reverse();
    (kept, dropped)
}

fn is_due(since: i64, now: i64) -> bool {
    now.saturating_sub(since) > GRACE.as_secs().cast_signed()
}
