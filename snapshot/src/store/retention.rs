//! What happens to generations after they are published: listing, rollback and removal.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use jiff::civil::Date;

use super::build_info::Layout;
use super::generation::{Generation, current, directory_of, ids, open_root, read_manifest};
use super::manifest::{GenerationId, Manifest};
use super::stage::{Stage, at, clear_away, take_lock};
use super::verify::{VerifyMode, verify_on};
use super::vfs::Vfs;
use super::{CURRENT, GENERATIONS, StoreError, TMP_PREFIX};

/// A generation that is there.
#[derive(Debug)]
pub struct GenerationInfo {
    /// Its name.
    pub id: GenerationId,
    /// Whether `CURRENT` names it.
    pub current: bool,
    /// Its manifest, or why that could not be read.
    pub manifest: Result<Manifest, StoreError>,
}

/// The id in `CURRENT`: what a reader that polls compares.
///
/// # Errors
///
/// If nothing was published, or `CURRENT` does not hold a name.
pub fn live_id(root: &Path) -> Result<GenerationId, StoreError> {
    current(&*open_root(root)?)
}

/// All generations, oldest first.
///
/// # Errors
///
/// If the folder of generations cannot be read; a manifest that cannot be is told in its place.
pub fn list(root: &Path) -> Result<Vec<GenerationInfo>, StoreError> {
    let vfs = open_root(root)?;
    let live = current(&*vfs).ok();
    let listed = |id: GenerationId| {
        let manifest = read_manifest(&*vfs, &directory_of(id)).map(|(manifest, _)| manifest);
        GenerationInfo { id, current: live == Some(id), manifest }
    };
    Ok(ids(&*vfs)?.into_iter().map(listed).collect())
}

/// Publishes what an older (or newer) generation holds again: `to`, or the live one's parent. It gets a new
/// name with the same hash, for caches and readers must see that they have to go on, not back. Nothing
/// changes unless its files are all there, or if the live one holds the same. Returns the live one's name.
///
/// # Errors
///
/// If there is no such generation or no parent, if files of it are missing, if another publisher is at work,
/// or if the system refuses to write.
pub fn rollback(root: &Path, to: Option<GenerationId>, today: Date) -> Result<GenerationId, Vec<StoreError>> {
    rollback_on(&open_root(root).map_err(|err| vec![err])?, to, today)
}

pub(super) fn rollback_on(
    vfs: &Arc<dyn Vfs>,
    to: Option<GenerationId>,
    today: Date,
) -> Result<GenerationId, Vec<StoreError>> {
    let only = |err| vec![err];
    let to = to.map_or_else(|| parent_of_current(&**vfs), Ok).map_err(only)?;
    let old = Generation::open_on(vfs, to, 0).map_err(only)?;
    let stage = Stage::begin_on(Arc::clone(vfs), &Layout::Tree { encoder: String::new() }).map_err(only)?;
    verify_on(vfs, Some(to), VerifyMode::Fast, 1, &|_, _| ())?;
    stage.publish_again(&old, today).map_err(only)
}

fn parent_of_current(vfs: &dyn Vfs) -> Result<GenerationId, StoreError> {
    let (manifest, _) = read_manifest(vfs, &directory_of(current(vfs)?))?;
    manifest.parent.ok_or_else(|| StoreError::NoParent { path: vfs.locate(CURRENT) })
}

/// Removes old generations; returns their names. Kept are: the live one, the `keep` newest, any that
/// was live (or built) at `since` or later, and any that a `Generation` on this machine has open.
///
/// # Errors
///
/// If another publisher is at work, or the system refuses to remove a generation.
pub fn gc(root: &Path, keep: usize, since: SystemTime) -> Result<Vec<GenerationId>, StoreError> {
    gc_on(&*open_root(root)?, keep, since)
}

pub(super) fn gc_on(vfs: &dyn Vfs, keep: usize, since: SystemTime) -> Result<Vec<GenerationId>, StoreError> {
    let _lock = take_lock(vfs)?;
    let live = current(vfs)?;
    clear_away(vfs)?;
    let mut removed = Vec::new();
    for id in ids(vfs)?.into_iter().rev().skip(keep).filter(|id| *id != live) {
        if remove(vfs, id, since)? {
            removed.push(id);
        }
    }
    Ok(removed)
}

/// Renames first, so that no reader can meet half a generation.
fn remove(vfs: &dyn Vfs, id: GenerationId, since: SystemTime) -> Result<bool, StoreError> {
    let (dir, gone) = (directory_of(id), format!("{GENERATIONS}/{TMP_PREFIX}{id}"));
    let Ok(_claim) = vfs.claim(&dir) else { return Ok(false) };
    if vfs.modified(&dir).map_err(|err| at(vfs, &dir, err))? >= since {
        return Ok(false);
    }
    vfs.rename(&dir, &gone).map_err(|err| at(vfs, &dir, err))?;
    vfs.remove(&gone).map_err(|err| at(vfs, &gone, err))?;
    Ok(true)
}
