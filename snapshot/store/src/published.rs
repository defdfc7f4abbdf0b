//! What happens to generations after they are published: listing, verification, rollback and garbage collection. And looking
//! at files from outside, without reading them: whether a generation is complete.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use jiff::civil::Date;
use rustix::fs::FlockOperation;

use super::body::Coding;
use super::changes_writer;
use super::disk::{DirEntry, Disk, FileType, in_parallel};
use super::error::{FileProblem, StoreError};
use super::generation::{Generation, current, ids, open_root};
use super::layout::{CHANGES, CURRENT, INDEX, MANIFEST, directory_of};
use super::manifest::{GenerationId, Manifest, StoredFile};
use super::publish::{StagingDir, lock_root, remove_generation, remove_leftovers};
use super::stage::finish;

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
    verify_on(disk, Some(to), VerifyMode::Files, 1)?;
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
    let made_from = (day, old.made_from(), changes_writer::earlier(old)?);
    let history =
        changes_writer::write(staging, &manifest, old.files().bodies(), &records.collect(), made_from);
    finish(staging, manifest, &history, 1).map(|manifest| manifest.id())
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
    let _lock = lock_root(disk)?;
    let live = current(disk)?;
    remove_leftovers(disk)?;
    let mut removed = Vec::new();
    for id in ids(disk)?.into_iter().rev().skip(keep).filter(|id| *id != live) {
        let dir = directory_of(id);
        let Ok(_claim) = disk.hold(&dir, FlockOperation::NonBlockingLockExclusive) else { continue };
        if disk.modified(&dir).map_err(disk.io_error(&dir))? < since {
            remove_generation(disk, id)?;
            removed.push(id);
        }
    }
    Ok(removed)
}

/// How much is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyMode {
    /// The content of every file, and that there is no other file.
    Files,
    /// Every body in the archive as well.
    Deep,
}

/// Verifies the live generation or the named one on `jobs` threads; gives its manifest. All problems are reported, not only
/// the first; but if manifest, file list, table or history are damaged, there is nothing to compare the other files with.
///
/// # Errors
///
/// Every file that is not what was published, or why nothing could be compared.
pub fn verify(
    root: &Path,
    id: Option<GenerationId>,
    mode: VerifyMode,
    jobs: usize,
) -> Result<Manifest, Vec<StoreError>> {
    verify_on(&open_root(root).map_err(|err| vec![err])?, id, mode, jobs)
}

pub(super) fn verify_on(
    disk: &Arc<dyn Disk>,
    id: Option<GenerationId>,
    mode: VerifyMode,
    jobs: usize,
) -> Result<Manifest, Vec<StoreError>> {
    let id = id.map_or_else(|| current(&**disk), Ok).map_err(|err| vec![err])?;
    let generation = Generation::open_on(disk, id, 0).map_err(|err| vec![err])?;
    let (found, mut faults) = check_listings(&generation);
    let check = |file: &&StoredFile| disk.check_file(&generation.name(&file.path), file.body()).err();
    faults.extend(in_parallel(jobs, &found, check).into_iter().flatten());
    // A sound archive may still hold other bodies than the table names.
    if mode == VerifyMode::Deep && faults.is_empty() {
        faults.extend(check_bodies(&generation, jobs));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(generation.manifest().clone())
}

/// Compares names and sizes of the files in the folder; returns those that are as long as they should be, and what is wrong.
fn check_listings(generation: &Generation) -> (Vec<&StoredFile>, Vec<StoreError>) {
    let (disk, stored) = (&*generation.disk, &generation.manifest().stored);
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for folder in ["", INDEX] {
        let name = generation.name(folder);
        let name = name.trim_end_matches('/');
        let full = |(name, kind, len): DirEntry| (format!("{folder}{name}"), kind, len);
        match disk.list(name).map_err(disk.read_error(name)) {
            Ok(list) => found.extend(list.into_iter().map(full)),
            Err(error) => faults.push(error),
        }
    }
    let mut fault = |path: &str, problem| faults.push(disk.damaged(&generation.name(path), problem));
    for (path, kind, _) in &found {
        let is_known = path == MANIFEST || path == "index" || stored.iter().any(|file| file.path == *path);
        match kind {
            FileType::RegularFile | FileType::Directory if is_known => {}
            FileType::RegularFile | FileType::Directory => fault(path, FileProblem::Extra),
            _ => fault(path, FileProblem::NotAFile),
        }
    }
    let compare = |file: &&StoredFile| match found.iter().find(|(path, ..)| *path == file.path) {
        None => Err(FileProblem::Missing),
        Some((_, FileType::RegularFile, len)) if *len == file.bytes => Ok(()),
        Some((_, FileType::RegularFile, len)) => {
            Err(FileProblem::Length { expected: file.bytes, found: *len })
        }
        Some((_, FileType::Directory, _)) => Err(FileProblem::NotAFile),
        // Reported above.
        Some(_) => Ok(()),
    };
    let whole =
        stored.iter().filter(|file| compare(file).map_err(|problem| fault(&file.path, problem)).is_ok());
    (whole.collect(), faults)
}

/// Compares the bodies in the archive with the table.
fn check_bodies(generation: &Generation, jobs: usize) -> Vec<StoreError> {
    let rows: Vec<u32> = (0..generation.files().len() as u32).collect();
    let check = |row: &u32| {
        generation.files().get(*row).and_then(|entry| generation.read(entry, Coding::Identity).err())
    };
    in_parallel(jobs, &rows, check).into_iter().flatten().collect()
}

impl Generation {
    /// Checks that every stored file exists with its size.
    ///
    /// # Errors
    ///
    /// For the first file that is missing, of another size, or no regular file.
    pub fn check_presence(&self) -> Result<(), StoreError> {
        let is_extra =
            |fault: &StoreError| matches!(fault, StoreError::Damaged { problem: FileProblem::Extra, .. });
        check_listings(self).1.into_iter().find(|fault| !is_extra(fault)).map_or(Ok(()), Err)
    }
}
