//! Garbage collection, without a listing of names.
//!
//! CURRENT lists the generations that are no longer kept. They are removed a week later by the store's clock, so that a
//! reader that is fetching one can finish: first its files, which its manifest names, then the manifest. Nothing else is
//! ever removed.

use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use store::GenerationId;

use crate::current::{Current, DroppedGeneration, GenerationRef};
use crate::error::{ErrorClass, RemoteError, read_error, write_error};
use crate::objects;
use crate::publish::Publisher;

/// The object whose time of writing is read as the store's clock.
pub(crate) const CLOCK: &str = "clock";
/// How long garbage stays.
pub(crate) const GRACE: Duration = Duration::from_secs(7 * 24 * 3600);
const LIMIT: u64 = 1 << 10;

/// What garbage collection did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcReport {
    /// Generations that are no longer kept.
    pub generations: Vec<GenerationId>,
    /// Removed objects.
    pub objects: u64,
    /// Generations that wait for their removal.
    pub waiting: u64,
}

impl Publisher<'_> {
    /// Drops generations, and removes those that have waited long enough. Kept are so many of the newest, the live one
    /// included, and all that were pushed at `since` or later.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written, or CURRENT changed meanwhile; repeat it then.
    pub async fn collect(&self, newest: usize, since: Timestamp) -> Result<GcReport, RemoteError> {
        let mut read = self.current().await?;
        let now = self.now().await?;
        let (retained, new) = divide(&read.current, newest, since);
        let generations = new.iter().map(|of| of.generation).collect();
        let mut dropped = read.current.dropped.clone();
        dropped.extend(new.into_iter().map(|of| DroppedGeneration { of, since: None }));
        // A time in the future was not read from this clock.
        dropped.iter_mut().for_each(|waiting| waiting.since = Some(waiting.since.unwrap_or(now).min(now)));
        if dropped != read.current.dropped {
            let current =
                Current { version: read.current.version + 1, retained, dropped, ..read.current.clone() };
            read = self.write_current(Some(&read), &current).await?;
        }
        let (mut report, mut waiting) = (GcReport { generations, ..GcReport::default() }, Vec::new());
        for it in &read.current.dropped {
            let is_due = now.saturating_sub(it.since.unwrap_or(now)) > GRACE.as_secs().cast_signed();
            match if is_due { self.remove(&it.of).await? } else { None } {
                Some(objects) => report.objects += objects,
                None => waiting.push(it.clone()),
            }
        }
        report.waiting = waiting.len() as u64;
        if waiting != read.current.dropped {
            let current =
                Current { version: read.current.version + 1, dropped: waiting, ..read.current.clone() };
            self.write_current(Some(&read), &current).await?;
        }
        Ok(report)
    }

    /// Removes the objects of a generation. Gives how many there were; `None` if nothing names them.
    async fn remove(&self, of: &GenerationRef) -> Result<Option<u64>, RemoteError> {
        let manifest = match objects::manifest(self.target, of).await {
            Ok(manifest) => manifest,
            // All were removed before CURRENT was written.
            Err(error) if error.is_missing() => return Ok(Some(0)),
            Err(error) if error.class() == ErrorClass::Unverified => {
                (self.warn)(&format!("{error}; until then the files of {} stay", of.generation));
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let files = manifest.stored.iter().map(|file| objects::object_of(of, file));
        let names: Vec<String> = files.chain([of.path(objects::MANIFEST)]).collect();
        for name in &names {
            let removed = self.target.delete(name).await;
            removed.map_err(write_error(&self.target.place(), name))?;
        }
        Ok(Some(names.len() as u64))
    }

    /// The store's clock.
    async fn now(&self) -> Result<i64, RemoteError> {
        let place = self.target.place();
        let written = self.target.upload(CLOCK, 3, &|_, _| Ok(Bytes::from_static(b"now"))).await;
        written.map_err(write_error(&place, CLOCK))?;
        let found = self.target.get(CLOCK, None, LIMIT).await.map_err(read_error(&place, CLOCK));
        Ok(found?.map_or(0, |found| found.modified))
    }
}

/// Generations that are kept beside the live one, oldest first as in CURRENT, and those that are dropped.
fn divide(current: &Current, newest: usize, since: Timestamp) -> (Vec<GenerationRef>, Vec<GenerationRef>) {
    // Counted from the newest, the live one being the first.
    let places = (2..current.retained.len() + 2).rev();
    let stays = |(place, it): &(usize, GenerationRef)| *place <= newest || it.at >= since;
    let (kept, dropped): (Vec<_>, Vec<_>) = places.zip(current.retained.iter().cloned()).partition(stays);
    let bare = |all: Vec<(usize, GenerationRef)>| all.into_iter().map(|(_, it)| it).collect();
    (bare(kept), bare(dropped))
}
