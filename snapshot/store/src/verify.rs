//! Verification: compares a published generation with its manifest; and looking at files from outside, without reading
//! them: whether a generation is complete.

use std::path::Path;
use std::sync::Arc;

use super::body::Coding;
use super::disk::{DirEntry, Disk, FileType};
use super::error::{MISSING, NOT_A_FILE, StoreError, other_length};
use super::generation::{Generation, current, open_root};
use super::layout::{GenerationId, INDEX, MANIFEST};
use super::manifest::{Manifest, StoredFile};

/// How much is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyMode {
    /// The content of every file, and that there is no other file.
    Files,
    /// Every body in the archive as well.
    Deep,
}

/// Verifies the live generation or the named one; gives its manifest. All problems are reported, not only
/// the first; but if manifest, file list, table or history are damaged, there is nothing to compare the other files with.
///
/// # Errors
///
/// Every file that is not what was published, or why nothing could be compared.
pub fn verify(root: &Path, id: Option<GenerationId>, mode: VerifyMode) -> Result<Manifest, Vec<StoreError>> {
    verify_on(&open_root(root).map_err(|err| vec![err])?, id, mode)
}

pub(super) fn verify_on(
    disk: &Arc<dyn Disk>,
    id: Option<GenerationId>,
    mode: VerifyMode,
) -> Result<Manifest, Vec<StoreError>> {
    let id = id.map_or_else(|| current(&**disk), Ok).map_err(|err| vec![err])?;
    let generation = Generation::open_on(disk, id, 0).map_err(|err| vec![err])?;
    let (found, mut faults) = check_listings(&generation, true);
    let check = |file: &StoredFile| disk.check_file(&generation.name(&file.path), file.body()).err();
    faults.extend(found.into_iter().filter_map(check));
    // A sound archive may still hold other bodies than the table names.
    if mode == VerifyMode::Deep && faults.is_empty() {
        faults.extend(check_bodies(&generation));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(generation.manifest().clone())
}

/// Compares names and sizes of the files in the folder; returns those that are as long as they should be, and what is wrong:
/// files that are not listed too, if there must be none.
fn check_listings(generation: &Generation, is_all: bool) -> (Vec<&StoredFile>, Vec<StoreError>) {
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
    let is_known =
        |path: &str| path == MANIFEST || path == "index" || stored.iter().any(|it| it.path == path);
    for (path, kind, _) in found.iter().filter(|(path, ..)| !is_known(path)) {
        let is_usual = matches!(kind, FileType::RegularFile | FileType::Directory);
        if is_all || !is_usual {
            let problem = if is_usual { "not listed" } else { NOT_A_FILE };
            faults.push(disk.damaged(&generation.name(path), problem));
        }
    }
    let mut whole = Vec::new();
    for file in stored {
        let name = generation.name(&file.path);
        match found.iter().find(|(path, ..)| *path == file.path) {
            None => faults.push(disk.incomplete(&name, MISSING)),
            Some((_, FileType::RegularFile, len)) if *len == file.bytes => whole.push(file),
            Some((_, FileType::RegularFile, len)) => {
                faults.push(disk.incomplete(&name, other_length(*len, file.bytes)));
            }
            Some(_) => faults.push(disk.damaged(&name, NOT_A_FILE)),
        }
    }
    (whole, faults)
}

/// Compares the bodies in the archive with the table, on all cores.
fn check_bodies(generation: &Generation) -> Vec<StoreError> {
    let rows: Vec<u32> = (0..generation.files().len() as u32).collect();
    let fault = |row: &u32| {
        generation.files().get(*row).and_then(|entry| generation.read(entry, Coding::Identity).err())
    };
    let share = rows.len().div_ceil(std::thread::available_parallelism().map_or(1, Into::into)).max(1);
    std::thread::scope(|scope| {
        let check = |share| scope.spawn(move || <[u32]>::iter(share).filter_map(fault).collect::<Vec<_>>());
        let threads: Vec<_> = rows.chunks(share).map(check).collect();
        let faults = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        faults.flat_map(|faults| faults.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

impl Generation {
    /// Checks that every stored file exists with its size.
    ///
    /// # Errors
    ///
    /// For the first file that is missing, of another size, or no regular file.
    pub fn check_presence(&self) -> Result<(), StoreError> {
        check_listings(self, false).1.into_iter().next().map_or(Ok(()), Err)
    }
}
