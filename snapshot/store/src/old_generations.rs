//! What happens to generations after they are published: listing, rollback and garbage collection.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use jiff::civil::Date;
use rustix::fs::FlockOperation;

use super::changes_writer;
use super::disk::Disk;
use super::error::StoreError;
use super::generation::{Generation, current, ids, open_root};
use super::layout::{CHANGES, CURRENT, GenerationId, directory_of};
use super::manifest::{Manifest, StoredFile};
use super::publish::{StagingDir, lock_root, remove_generation, remove_leftovers};
use super::stage::finish;
use super::verify::{VerifyMode, verify_on};

/// The name of the live generation, from `CURRENT`.
///
/// # Errors
///
/// If nothing was published, or `CURRENT` does not hold a name.
pub fn live_id(root: &Path) -> Result<GenerationId, StoreError> {
    current(&*open_root(root)?)
}

/// The names of all generations, oldest first.
///
/// # Errors
///
/// If the folder of generations cannot be read.
pub fn list(root: &Path) -> Result<Vec<GenerationId>, StoreError> {
    ids(&*open_root(root)?)
}

/// Publishes the content of another generation again: of `to`, or of the one that was live before the content of the live
/// one was first published. It gets a new name with the same hash, so that caches and readers go on, not back. Nothing
/// changes if the live generation has the same content. Returns the name of the live generation, and of the one whose
/// content it has.
///
/// # Errors
///
/// If there is no such generation or no earlier one, its files are missing, another publisher holds the lock, or the root
/// cannot be written.
pub fn rollback(
    root: &Path,
    to: Option<GenerationId>,
    today: Date,
) -> Result<[GenerationId; 2], Vec<StoreError>> {
    rollback_on(&open_root(root).map_err(|err| vec![err])?, to, today)
}

pub(super) fn rollback_on(
    disk: &Arc<dyn Disk>,
    to: Option<GenerationId>,
    today: Date,
) -> Result<[GenerationId; 2], Vec<StoreError>> {
    let only = |err| vec![err];
    let to = to.map_or_else(|| earlier_than_current(disk), Ok).map_err(only)?;
    let old = Generation::open_on(disk, to, 0).map_err(only)?;
    let staging = StagingDir::open(Arc::clone(disk), None).map_err(only)?;
    verify_on(disk, Some(to), VerifyMode::Files)?;
    publish_again(&staging, &old, today).map(|live| [live, to]).map_err(only)
}

fn publish_again(staging: &StagingDir, old: &Generation, day: Date) -> Result<GenerationId, StoreError> {
    if let Some(live) = staging.live.as_ref().filter(|live| live.manifest().hash == old.manifest().hash) {
        return Ok(live.id());
    }
    let is_kept = |file: &&StoredFile| file.path != CHANGES;
    let stored: Vec<StoredFile> = old.manifest().stored.iter().filter(is_kept).cloned().collect();
    stored.iter().try_for_each(|file| staging.link(old, &file.path))?;
    let parent = staging.live.as_ref().map(Generation::id);
    let manifest = Manifest { sequence: staging.sequence, parent, stored, ..old.manifest().clone() };
    let records = old.changes().records(old.files()).map(|(path, record)| (path.to_owned(), record));
    let earlier = changes_writer::earlier(old)?;
    let (bodies, records) = (old.files().bodies(), records.collect());
    let history = changes_writer::write(staging, &manifest, bodies, &records, (day, earlier));
    finish(staging, manifest, &history).map(|manifest| manifest.id())
}

fn earlier_than_current(disk: &Arc<dyn Disk>) -> Result<GenerationId, StoreError> {
    let live = Generation::open_on(disk, current(&**disk)?, 0)?;
    changes_writer::earlier(&live)?.ok_or_else(|| StoreError::NoParent { path: disk.locate(CURRENT) })
}

/// Removes old generations; returns their names. Kept are: the live one, the `keep` newest, any that was live (or built) at
/// `since` or later, and any that a `Generation` on this machine has open.
///
/// # Errors
///
/// If another publisher holds the lock, or a generation cannot be removed.
pub fn gc(root: &Path, keep: usize, since: SystemTime) -> Result<Vec<GenerationId>, StoreError> {
    gc_on(&*open_root(root)?, keep, since)
}

pub(super) fn gc_on(
    disk: &dyn Disk,
    keep: usize,
    since: SystemTime,
) -> Result<Vec<GenerationId>, StoreError> {
    // The lock is a file, and a folder of something else stays as it is.
    ids(disk).or_else(|_| current(disk).map(|live| vec![live]))?;
    let _lock = lock_root(disk)?;
    let live = current(disk)?;
    let all = ids(disk)?;
    if !all.contains(&live) {
        return Err(StoreError::NoGeneration { path: disk.locate(&directory_of(live)) });
    }
    remove_leftovers(disk)?;
    let mut removed = Vec::new();
    for id in all.into_iter().rev().skip(keep).filter(|id| *id != live) {
        let dir = directory_of(id);
        let Ok(_claim) = disk.hold(&dir, FlockOperation::NonBlockingLockExclusive) else { continue };
        if disk.modified(&dir).map_err(disk.io_error(&dir))? < since {
            remove_generation(disk, id)?;
            removed.push(id);
        }
    }
    Ok(removed)
}
