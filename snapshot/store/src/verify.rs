//! Verification: compares a published generation with its manifest; and looking at files from outside, without reading
//! them: whether a generation is complete, and whether a root has changed.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustc_hash::FxHashSet;

use super::body::{Body, CODINGS, Coding, Digest};
use super::error::{FileProblem, StoreError};
use super::generation::{Generation, current, file_list, open_root};
use super::layout::{
    CURRENT, FILE_LIST, FILE_TABLE, HISTORY, INDEX_DIR, MANIFEST, OBJECTS, PACKS, SIBLINGS, directory_of,
};
use super::manifest::GenerationId;
use super::places::Pack;
use super::vfs::{FileType, Stamp, Vfs, in_parallel};

/// How much is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyMode {
    /// Manifest, file list and table in full; of every other file that it exists with its size, and that there is no other
    /// file.
    Fast,
    /// The content of every file as well. Packs are files.
    Files,
    /// The bodies in packs as well.
    Deep,
}

/// A generation that is as published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// Its name.
    pub id: GenerationId,
    /// Compared files.
    pub files: u64,
    /// Sum of their sizes.
    pub bytes: u64,
}

/// Verifies the live generation or the named one on `jobs` threads. `progress` gets (files done, files in all) from any
/// thread. All problems are reported, not only the first; but if manifest, file list, table or history are damaged,
/// there is nothing to compare the other files with.
///
/// # Errors
///
/// Every file that is not what was published, or why nothing could be compared.
pub fn verify(
    root: &Path,
    id: Option<GenerationId>,
    mode: VerifyMode,
    jobs: usize,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<VerifyReport, Vec<StoreError>> {
    let vfs = open_root(root).map_err(|err| vec![err])?;
    verify_on(&vfs, id, mode, jobs, progress)
}

pub(super) fn verify_on(
    vfs: &Arc<dyn Vfs>,
    id: Option<GenerationId>,
    mode: VerifyMode,
    jobs: usize,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<VerifyReport, Vec<StoreError>> {
    let id = id.map_or_else(|| current(&**vfs), Ok).map_err(|err| vec![err])?;
    let generation = Generation::open_on(vfs, id, 0).map_err(|err| vec![err])?;
    let mut faults = Vec::new();
    check_totals(&generation, &mut faults);
    let found = check_listings(&generation, &mut faults);
    let packed = || generation.stored_files().map(|(path, _)| path).collect();
    let packed = generation.is_packed().then(packed);
    ExtraFiles { generation: &generation, packed, faults: &mut faults }.search("");
    if mode != VerifyMode::Fast {
        faults.extend(check_content(&generation, &found, jobs, progress));
        // Sound packs may still hold other bodies than the table names.
        if mode == VerifyMode::Deep && faults.is_empty() && generation.is_packed() {
            let rows: Vec<u32> = (0..generation.files().len() as u32).collect();
            faults.extend(check_bodies(&generation, &rows, jobs));
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let files = generation.manifest().files;
    Ok(VerifyReport { id, files: files.count, bytes: files.bytes })
}

/// File list and manifest agree with the table.
fn check_totals(generation: &Generation, faults: &mut Vec<StoreError>) {
    let (files, totals) = (generation.files(), generation.manifest().files);
    let mut wrong = |path: &str| {
        let problem = FileProblem::Format(format!("does not agree with {FILE_TABLE}"));
        faults.push(generation.vfs().damaged(&generation.name(path), problem));
    };
    let bodies = || files.entries().map(|entry| (entry.path(), entry.identity()));
    if Digest::of(&file_list(bodies(), totals.table)) != totals.sha256 {
        wrong(FILE_LIST);
    }
    let table_len = match generation.packs() {
        Some(packs) => packs.own_length(),
        None => generation.vfs().hash(&generation.name(FILE_TABLE)).map_or(0, |table| table.len),
    };
    let bytes = table_len + bodies().map(|(_, body)| body.len).sum::<u64>();
    if totals.count != 1 + files.len() as u64 || totals.bytes != bytes {
        wrong(MANIFEST);
    }
}

/// Compares names and sizes; returns the files that are as long as they should be.
fn check_listings(generation: &Generation, faults: &mut Vec<StoreError>) -> Vec<(String, Body)> {
    let mut found = Vec::new();
    let compared = generation.compare_listings(&mut |path, body, compared| {
        match compared {
            Ok(()) => found.push((path, body)),
            Err(fault) => faults.push(fault),
        }
        Ok(())
    });
    faults.extend(compared.err());
    found
}

/// Finds files and directories of a generation that are not listed.
struct ExtraFiles<'a> {
    generation: &'a Generation,
    /// The listed files of a generation in packs.
    packed: Option<FxHashSet<String>>,
    faults: &'a mut Vec<StoreError>,
}

impl ExtraFiles<'_> {
    fn search(&mut self, dir: &str) {
        let vfs = self.generation.vfs();
        let name = if dir.is_empty() { self.generation.dir.clone() } else { self.generation.name(dir) };
        let found = match vfs.list(&name) {
            Ok(found) => found,
            Err(err) => return self.faults.push(vfs.read_error(&name)(err)),
        };
        for (name, kind) in found {
            let path = if dir.is_empty() { name } else { format!("{dir}/{name}") };
            let problem = match kind {
                FileType::Directory if self.has_directory(&path) => {
                    self.search(&path);
                    continue;
                }
                // Reported already if it is no regular file.
                FileType::File(_) | FileType::Other if self.is_listed(&path) => continue,
                FileType::File(_) | FileType::Directory => FileProblem::Extra,
                FileType::Other => FileProblem::NotAFile,
            };
            self.faults.push(vfs.damaged(&self.generation.name(&path), problem));
        }
    }

    fn is_listed(&self, path: &str) -> bool {
        match (&self.packed, path) {
            (_, MANIFEST | HISTORY) => true,
            (Some(packed), _) => path == OBJECTS || packed.contains(path),
            (None, FILE_LIST | SIBLINGS | FILE_TABLE) => true,
            (None, _) => self.generation.files().file(path).is_some(),
        }
    }

    fn has_directory(&self, path: &str) -> bool {
        let is_below = |file: &String| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        match &self.packed {
            Some(packed) => packed.iter().any(is_below),
            None => self.generation.files().has_directory(path),
        }
    }
}

/// Compares bodies of a generation in packs with its table; an object of several bodies is decoded once.
pub(super) fn check_bodies(generation: &Generation, rows: &[u32], jobs: usize) -> Vec<StoreError> {
    let Some(packs) = generation.packs() else { return Vec::new() };
    let mut rows: Vec<_> = rows.iter().map(|row| (packs.object_of(*row), *row)).collect();
    rows.sort_unstable();
    let units: Vec<_> = rows.chunk_by(|one, next| one.0.is_some() && one.0 == next.0).collect();
    let check = |rows: &&[(Option<u32>, u32)]| match rows {
        [(Some(object), _), ..] if packs.is_sound(*object) => Vec::new(),
        rows => {
            let entries = rows.iter().filter_map(|(_, row)| generation.files().get(*row));
            entries.filter_map(|entry| generation.read(entry, Coding::Identity).err()).collect::<Vec<_>>()
        }
    };
    in_parallel(jobs, &units, check).into_iter().flatten().collect()
}

fn check_content(
    generation: &Generation,
    files: &[(String, Body)],
    jobs: usize,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Vec<StoreError> {
    let done = AtomicU64::new(0);
    let check = |(path, body): &(String, Body)| {
        let result = generation.vfs().check_file(&generation.name(path), *body);
        progress(done.fetch_add(1, Relaxed) + 1, files.len() as u64);
        result.err()
    };
    in_parallel(jobs, files, check).into_iter().flatten().collect()
}

impl Generation {
    /// Checks that every listed file exists with its listed size, in some two microseconds a file once the directories
    /// are cached. Other files do not matter.
    ///
    /// # Errors
    ///
    /// For the first file that is missing, of another size, or no regular file.
    pub fn check_presence(&self) -> Result<(), StoreError> {
        self.compare_listings(&mut |_, _, compared| compared)
    }

    /// Compares each stored file with the listing of its directory; stops at the first error that `visit` returns.
    pub(super) fn compare_listings(
        &self,
        visit: &mut dyn FnMut(String, Body, Result<(), StoreError>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (mut dir, mut entries) = (String::new(), Vec::new());
        for (path, body) in self.stored_files() {
            let (parent, name) = path.rsplit_once('/').unwrap_or_default();
            if dir != parent {
                entries = match self.vfs().list(&self.name(parent)) {
                    Ok(entries) => entries,
                    Err(err) => {
                        let error = self.vfs().read_error(&self.name(&path))(err);
                        visit(path, body, Err(error))?;
                        continue;
                    }
                };
                dir = parent.to_owned();
            }
            let compared = compare(&entries, name, body.len);
            let compared = compared.map_err(|problem| self.vfs().damaged(&self.name(&path), problem));
            visit(path, body, compared)?;
        }
        Ok(())
    }

    /// All files in which bodies are stored: those of the tree, or the packs and the files in no pack.
    pub(super) fn stored_files(&self) -> Box<dyn Iterator<Item = (String, Body)> + '_> {
        let entries = self.files().entries();
        match self.packs() {
            None => {
                Box::new(entries.flat_map(|entry| {
                    CODINGS.into_iter().filter_map(move |coding| entry.stored_file(coding))
                }))
            }
            Some(objects) => {
                let loose = entries.filter(|entry| objects.is_loose(entry.number()));
                let loose = loose.map(|entry| (entry.path().to_owned(), entry.identity()));
                let packs = objects.packs.iter().map(|pack: &Pack| (pack.path(), pack.body()));
                Box::new(loose.chain(packs))
            }
        }
    }
}

fn compare(entries: &[(String, FileType)], name: &str, expected: u64) -> Result<(), FileProblem> {
    let at = entries.binary_search_by(|(found, _)| found.as_str().cmp(name));
    match at.ok().and_then(|at| entries.get(at)) {
        None => Err(FileProblem::Missing),
        Some((_, FileType::File(len))) if *len == expected => Ok(()),
        Some((_, FileType::File(found))) => Err(FileProblem::Length { expected, found: *found }),
        Some((_, FileType::Directory | FileType::Other)) => Err(FileProblem::NotAFile),
    }
}

/// Metadata of `CURRENT` and of the files that opening its generation reads. Equal as long as none of them was written,
/// replaced or got another mode: what a reader that refused a generation compares before it tries again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootStat(Vec<Option<Stamp>>);

/// Reads the metadata of a root, and of its files only `CURRENT`. Files that cannot be found count as missing.
pub fn stat_root(root: &Path) -> RootStat {
    let Ok(vfs) = open_root(root) else { return RootStat::default() };
    let mut stamps = vec![vfs.stamp(CURRENT)];
    if let Ok(id) = current(&*vfs) {
        let dir = directory_of(id);
        let own = [MANIFEST, FILE_LIST, HISTORY, SIBLINGS, OBJECTS].map(|name| format!("{dir}/{name}"));
        let below = [INDEX_DIR, PACKS].map(|name| format!("{dir}/{name}"));
        let below = below.iter().flat_map(|dir| {
            let found = vfs.list(dir).unwrap_or_default().into_iter();
            found.map(move |(name, _)| format!("{dir}/{name}"))
        });
        stamps.extend(own.into_iter().chain(below).map(|name| vfs.stamp(&name)));
    }
    RootStat(stamps)
}
