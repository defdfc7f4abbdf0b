//! The difference between two generations, page by page, and the sections of `changes.bin` that record the difference
//! from the generation before, for when `gc` has removed that one.

use std::path::Path;

use super::body::Body;
use super::error::StoreError;
use super::generation::{Generation, open_root};
use super::layout::{CHANGES, GenerationId};
use super::manifest::Manifest;
use super::sections::{SectionError, SectionWriter};
use super::table::FileTable;

/// Flag of a row of `moved`: the generation before has no such page.
const ADDED: u32 = 1 << 31;

/// How a page differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathChange {
    /// Only the new generation has it.
    Added,
    /// Its identity body differs.
    Modified,
    /// Only the old generation has it.
    Removed,
}

/// The difference between two generations.
#[derive(Debug)]
pub struct GenerationDiff {
    /// Manifest of the old one.
    pub old: Manifest,
    /// Manifest of the new one.
    pub new: Manifest,
    /// Path of every page that differs, sorted.
    pub pages: Vec<(String, PathChange)>,
}

impl GenerationDiff {
    /// Whether answers that the edge computes may differ.
    pub fn is_of_index(&self) -> bool {
        let [old, new] = [&self.old, &self.new].map(|of| of.stored.iter().filter(|file| file.is_index()));
        !old.eq(new)
    }
}

/// Compares two generations by the hashes of their pages. `old` and `new` are each a root, which stands for its live
/// generation, or the folder of a generation. Without `new`, the difference is the one from its parent that the generation
/// which `old` names recorded when it was published.
///
/// # Errors
///
/// If one of the two cannot be opened, or `old` has no parent to compare it with.
pub fn diff(old: &Path, new: Option<&Path>) -> Result<GenerationDiff, StoreError> {
    let first = open(old)?;
    let Some(new) = new else {
        if first.manifest().parent.is_none() {
            return Err(StoreError::NoParent { path: old.to_owned() });
        }
        return recorded(&first).map_err(|problem| first.damaged(CHANGES, problem));
    };
    let new = open(new)?;
    let pages = changes(first.files(), new.files().bodies());
    let pages = pages.into_iter().map(|(path, change, _)| (path.to_owned(), change)).collect();
    Ok(GenerationDiff { old: first.manifest().clone(), new: new.manifest().clone(), pages })
}

/// The difference between a table and a list of pages, sorted by path: path, change, position in the list.
fn changes<'old, 'new: 'old>(
    old: &'old FileTable,
    new: impl Iterator<Item = (&'new str, Body)>,
) -> Vec<(&'old str, PathChange, u32)> {
    let (mut found, mut is_there) = (Vec::new(), vec![false; old.len()]);
    for (row, (path, body)) in (0..).zip(new) {
        let before = old.find(path.as_bytes());
        before.inspect(|entry| is_there[entry.number as usize] = true);
        match before {
            Some(before) if before.identity() == body => {}
            Some(_) => found.push((path, PathChange::Modified, row)),
            None => found.push((path, PathChange::Added, row)),
        }
    }
    let gone = old.entries().filter(|entry| !is_there[entry.number as usize]);
    found.extend(gone.map(|entry| (entry.path(), PathChange::Removed, 0)));
    found.sort_unstable_by_key(|(path, ..)| *path);
    found
}

/// Writes the difference from the generation before: its manifest, the rows of new and modified pages, and the paths of
/// removed ones.
pub(super) fn write<'a>(
    before: &Generation,
    pages: impl Iterator<Item = (&'a str, Body)>,
    history: &mut SectionWriter,
) {
    let (mut moved, mut gone) = (Vec::new(), Vec::new());
    for (path, change, row) in changes(before.files(), pages) {
        match change {
            PathChange::Added => moved.push(row | ADDED),
            PathChange::Modified => moved.push(row),
            PathChange::Removed => gone.extend([path.as_bytes(), b"\n"].concat()),
        }
    }
    history.put::<u8>("before", before.manifest().to_bytes());
    history.put::<u32>("moved", moved);
    history.put::<u8>("gone", gone);
}

/// The recorded difference.
fn recorded(of: &Generation) -> Result<GenerationDiff, SectionError> {
    let wrong = |section| SectionError(section, "is not what a publisher writes");
    let (before, gone) = (of.history.get::<u8>("before")?, of.history.get::<u8>("gone")?);
    let old = Manifest::parse(&before).map_err(|_| wrong("before"))?;
    let gone = std::str::from_utf8(&gone).map_err(|_| wrong("gone"))?;
    let mut pages: Vec<(String, PathChange)> =
        gone.lines().map(|path| (path.to_owned(), PathChange::Removed)).collect();
    for row in of.history.get::<u32>("moved")?.iter() {
        let change = if row & ADDED == 0 { PathChange::Modified } else { PathChange::Added };
        let page = of.files().get(row & !ADDED).ok_or_else(|| wrong("moved"))?;
        pages.push((page.path().to_owned(), change));
    }
    pages.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(GenerationDiff { old, new: of.manifest().clone(), pages })
}

/// Root and name of the generation whose folder a path is.
fn named(path: &Path) -> Option<(&Path, GenerationId)> {
    let id = path.file_name()?.to_str()?.parse().ok()?;
    let root = path.parent()?.parent()?;
    Some((if root.as_os_str().is_empty() { Path::new(".") } else { root }, id))
}

fn open(path: &Path) -> Result<Generation, StoreError> {
    match named(path) {
        Some((root, id)) => Generation::open_on(&open_root(root)?, id, 0),
        None => Generation::open_current(path),
    }
}
