//! Verification: compares a published generation with what its manifest promises.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::body::{Body, CODINGS, Coding};
use super::digest::Digest;
use super::generation::{Generation, current, file_list, open_root};
use super::manifest::GenerationId;
use super::stage::check_file;
use super::vfs::{FileType, Vfs, damaged, failed, in_parallel};
use super::{FILE_LIST, FILE_TABLE, FileProblem, HISTORY, MANIFEST, OBJECTS, SIBLINGS, StoreError};

/// How much is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyMode {
    /// Manifest, file list and table in full; of every other file that it is there, with its size,
    /// and that there is no other. Packs are such files.
    Fast,
    /// The content of every file as well; packs are files.
    Files,
    /// What bodies decode to from packs as well.
    Deep,
}

/// A generation that was found to be as published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// Its name.
    pub id: GenerationId,
    /// Files compared.
    pub files: u64,
    /// Their sizes added up.
    pub bytes: u64,
}

/// Verifies the live generation, or the one named, on `jobs` threads. `progress` is told (files done,
/// files in all), from any thread. Every problem is named, not only the first; but where manifest, file
/// list, table or history are damaged there is nothing left to compare the others with.
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
    generation.require_whole().map_err(|err| vec![err])?;
    let mut faults = Vec::new();
    check_totals(&generation, &mut faults);
    let found = check_tree(&generation, &mut faults);
    if mode != VerifyMode::Fast {
        faults.extend(check_content(&generation, &found, jobs, progress));
        // Packs that are what was written, but hold other bodies than the table names.
        if mode == VerifyMode::Deep && faults.is_empty() && generation.is_packed() {
            faults.extend(check_bodies(&generation, jobs));
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let files = generation.manifest().files;
    Ok(VerifyReport { id, files: files.count, bytes: files.bytes })
}

/// File list and manifest say the same as the table.
fn check_totals(generation: &Generation, faults: &mut Vec<StoreError>) {
    let (files, totals) = (generation.files(), generation.manifest().files);
    let mut wrong = |path: &str| {
        let problem = FileProblem::Format(format!("does not agree with {FILE_TABLE}"));
        faults.push(damaged(generation.vfs(), &generation.name(path), problem));
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
fn check_tree(generation: &Generation, faults: &mut Vec<StoreError>) -> Vec<(String, Body)> {
    let packed = generation.bodies_of_packs();
    let mut walk =
        Walk { generation, packed, seen: vec![0; generation.files().len()], sound: Vec::new(), faults };
    walk.directory("");
    if generation.is_packed() {
        return walk.end_of_packs();
    }
    let Walk { seen, sound, .. } = walk;
    for (entry, seen) in generation.files().entries().zip(seen) {
        for coding in CODINGS {
            if entry.body(coding).is_some() && seen & 1 << coding as u8 == 0 {
                let name = generation.name(&format!("{}{}", entry.path(), coding.suffix()));
                faults.push(damaged(generation.vfs(), &name, FileProblem::Missing));
            }
        }
    }
    sound
}

struct Walk<'a> {
    generation: &'a Generation,
    /// Of a generation in packs, those that were not met yet.
    packed: BTreeMap<String, Body>,
    /// For each row of the table, a bit for each coding that was met.
    seen: Vec<u8>,
    sound: Vec<(String, Body)>,
    faults: &'a mut Vec<StoreError>,
}

impl Walk<'_> {
    fn directory(&mut self, dir: &str) {
        let name = if dir.is_empty() { self.generation.dir().to_owned() } else { self.generation.name(dir) };
        let found = match self.generation.vfs().list(&name) {
            Ok(found) => found,
            Err(err) => return self.faults.push(failed(self.generation.vfs(), &name, err)),
        };
        for (name, kind) in found {
            let path = if dir.is_empty() { name } else { format!("{dir}/{name}") };
            match kind {
                FileType::Directory if self.has_directory(&path) => self.directory(&path),
                FileType::File(len) => self.file(path, len),
                FileType::Directory => self.fault(&path, FileProblem::Extra),
                FileType::Other => self.fault(&path, FileProblem::NotAFile),
            }
        }
    }

    fn file(&mut self, path: String, len: u64) {
        let packed = self.generation.is_packed();
        let own = if packed { &[OBJECTS][..] } else { &[FILE_LIST, SIBLINGS, FILE_TABLE] };
        if [MANIFEST, HISTORY].contains(&&*path) || own.contains(&&*path) {
            return;
        }
        if packed {
            return match self.packed.remove(&path) {
                Some(body) if body.len == len => self.sound.push((path, body)),
                Some(body) => self.fault(&path, FileProblem::Length { expected: body.len, found: len }),
                None => self.fault(&path, FileProblem::Extra),
            };
        }
        let Some((entry, coding)) = self.generation.files().file(&path) else {
            return self.fault(&path, FileProblem::Extra);
        };
        self.seen[entry.number() as usize] |= 1 << coding as u8;
        match entry.body(coding) {
            Some(body) if body.len == len => self.sound.push((path, body)),
            Some(body) => self.fault(&path, FileProblem::Length { expected: body.len, found: len }),
            None => {}
        }
    }

    fn has_directory(&self, path: &str) -> bool {
        match self.generation.is_packed() {
            true => {
                let below = |file: &String| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
                self.packed.keys().any(below)
            }
            false => self.generation.files().has_directory(path),
        }
    }

    fn end_of_packs(mut self) -> Vec<(String, Body)> {
        for path in std::mem::take(&mut self.packed).into_keys() {
            self.fault(&path, FileProblem::Missing);
        }
        self.sound
    }

    fn fault(&mut self, path: &str, problem: FileProblem) {
        self.faults.push(damaged(self.generation.vfs(), &self.generation.name(path), problem));
    }
}

/// Decodes every body of a generation in packs and compares it with the table.
fn check_bodies(generation: &Generation, jobs: usize) -> Vec<StoreError> {
    let rows: Vec<u32> = (0..generation.files().len() as u32).collect();
    let check = |row: &u32| {
        let entry = generation.files().get(*row)?;
        generation.read(entry, Coding::Identity).err()
    };
    in_parallel(jobs, &rows, check).into_iter().flatten().collect()
}

fn check_content(
    generation: &Generation,
    files: &[(String, Body)],
    jobs: usize,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Vec<StoreError> {
    let done = AtomicU64::new(0);
    let check = |(path, body): &(String, Body)| {
        let result = check_file(generation.vfs(), &generation.name(path), *body);
        progress(done.fetch_add(1, Relaxed) + 1, files.len() as u64);
        result.err()
    };
    in_parallel(jobs, files, check).into_iter().flatten().collect()
}
