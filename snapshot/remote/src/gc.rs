//! Garbage collection, without a listing of names.
//!
//! Objects that only dropped generations need go to a list that CURRENT names (`retired/<hash>`), and are removed a week
//! later by the store's clock, so that a reader that is fetching them can finish. Uploads of pushes that never ended are
//! named in `pending`, and are removed a week after they were first seen here. Objects that a kept generation needs are
//! never removed.

use std::collections::BTreeSet;
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
use crate::publish::{LEASE, Publisher};
use crate::target::{ObjectName, Precondition};
use crate::uploads::Upload;

/// The object whose time of writing is read as the store's clock.
pub(crate) const CLOCK: &str = "clock";
/// How long garbage stays.
pub(crate) const GRACE: Duration = Duration::from_secs(7 * 24 * 3600);
const _: () = assert!(GRACE.as_secs() > 2 * LEASE.as_secs(), "a push under way keeps its uploads");
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
        read.refuse_rollout(&self.target.place())?;
        let (kept, dropped) = divide(&read.current, retention);
        let mut needed = self.names(&kept).await?;
        let now = self.now().await?;
        let mut report = GcReport::default();
        let retired = match self.retired(&read, &needed, &dropped, now, &mut report).await? {
            Some(waiting) => self.write_retired(&read, kept, waiting).await?,
            None => None,
        };
        // `pending` is not signed, and may name the lists too.
        let lists = [read.current.retired, retired].into_iter().flatten();
        needed.extend(self.object_names(lists.map(|sha256| retired_path(&sha256)))?);
        report.generations = dropped.iter().map(|dropped| dropped.generation).collect();
        self.collect_uploads(&uploads, &needed, now, &mut report).await?;
        Ok(report)
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

    /// Removes retired objects whose time has come, and gives those that still wait; `None` if the list does not change.
    async fn retired(
        &self,
        read: &FetchedCurrent,
        needed: &BTreeSet<ObjectName>,
        dropped: &[GenerationRef],
        now: i64,
        report: &mut GcReport,
    ) -> Result<Option<Vec<Retired>>, RemoteError> {
        let old = read.current.retired.map(|sha256| (retired_path(&sha256), sha256));
        let (mut waiting, before) = (Vec::new(), report.objects);
        if let Some((path, sha256)) = &old {
            let bytes = fetch_by_hash(self.target, path, LIMIT, *sha256).await?;
            let list: RetiredList = read_json(&self.target.place(), path, FORMAT, &bytes)?;
            for object in list.names.into_iter().filter(|object| !needed.contains(&object.name)) {
                match is_due(object.since, now) {
                    true => self.remove(&object.name, report).await?,
                    false => waiting.push(object),
                }
            }
        }
        let is_changed = !dropped.is_empty() || report.objects != before;
        if is_changed {
            let names = self.names(dropped).await?;
            waiting.extend(names.difference(needed).map(|name| Retired { name: name.clone(), since: now }));
        }
        report.waiting += waiting.len() as u64;
        if !is_changed {
            return Ok(None);
        }
        match self.object_names(old.map(|(path, _)| path))?.pop() {
            Some(name) if !waiting.is_empty() => waiting.push(Retired { name, since: now }),
            // No later list will name this one.
            Some(name) => {
                let entry = Upload { push: Uuid::new_v4(), names: vec![name], seen: None };
                self.uploads().change(|entries| entries.push(entry.clone())).await?;
            }
            None => {}
        }
        Ok(Some(waiting))
    }

    async fn remove(&self, name: &ObjectName, report: &mut GcReport) -> Result<(), RemoteError> {
        let removed = self.target.delete(name.as_str()).await;
        removed.map_err(write_error(&self.target.place(), name.as_str()))?;
        report.objects += 1;
        Ok(())
    }

    /// Makes CURRENT name the kept generations and the list of waiting objects, whose hash it gives.
    async fn write_retired(
        &self,
        read: &FetchedCurrent,
        kept: Vec<GenerationRef>,
        names: Vec<Retired>,
    ) -> Result<Option<Digest>, RemoteError> {
        let retired = match names.is_empty() {
            true => None,
            false => {
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
        self.write_current(Some(read), &current).await.map(|_| retired)
    }

    /// Marks uploads that are seen for the first time, and removes those that were seen long ago.
    async fn collect_uploads(
        &self,
        uploads: &[Upload],
        needed: &BTreeSet<ObjectName>,
        now: i64,
        report: &mut GcReport,
    ) -> Result<(), RemoteError> {
        let (due, others): (Vec<&Upload>, Vec<&Upload>) =
            uploads.iter().partition(|upload| upload.seen.is_some_and(|seen| is_due(seen, now)));
        for name in due.iter().flat_map(|upload| &upload.names).filter(|name| !needed.contains(*name)) {
            self.remove(name, report).await?;
        }
        report.waiting += others.iter().map(|upload| upload.names.len() as u64).sum::<u64>();
        let change = |entries: &mut Vec<Upload>| {
            entries.retain(|entry| !due.contains(&entry));
            // A time in the future was not read from this clock.
            entries.iter_mut().for_each(|entry| entry.seen = Some(entry.seen.unwrap_or(now).min(now)));
        };
        self.uploads().change(change).await
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
