//! What changed from one generation to another, file by file; and what a generation keeps of that about the one
//! before it, so that it can be told when that is gone.

use std::cmp::Ordering;
use std::path::Path;

use super::StoreError;
use super::body::Body;
use super::generation::Generation;
use super::manifest::{GenerationId, Manifest};
use super::sections::{SectionWriter, Sections};

/// In the rows of `moved`: the generation before has no such page.
const ADDED: u32 = 1 << 31;

/// What happened to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathChange {
    /// Only the new generation has it.
    Added,
    /// Its identity body has other bytes.
    Modified,
    /// Only the old generation has it.
    Removed,
}

/// What is different between two generations.
#[derive(Debug)]
pub struct GenerationDiff {
    /// What the old one is.
    pub old: Manifest,
    /// What the new one is.
    pub new: Manifest,
    /// Path below the generation of every page that is not the same in both, sorted.
    pub pages: Vec<(String, PathChange)>,
}

/// Compares two generations by the hashes they were published with. `old` and `new` are each a root, which
/// stands for its live generation, or the folder of one generation; without `new`, the parent of the one
/// that `old` names is compared with it, from what was kept of it at publication if it can be.
///
/// # Errors
///
/// If one of the two cannot be opened, or `old` has no parent to compare it with.
pub fn diff(old: &Path, new: Option<&Path>) -> Result<GenerationDiff, StoreError> {
    let first = open(old)?;
    let (old, new) = match new {
        Some(new) => (first, open(new)?),
        None => match kept(&first) {
            Some(difference) => return Ok(difference),
            None => (parent(old, &first)?, first),
        },
    };
    let pages = changes(identities(&old), identities(&new));
    let pages = pages.into_iter().map(|(path, change, _)| (path.to_owned(), change)).collect();
    Ok(GenerationDiff { old: old.manifest().clone(), new: new.manifest().clone(), pages })
}

fn identities(of: &Generation) -> impl Iterator<Item = (&str, Body)> {
    of.files().entries().map(|entry| (entry.path(), entry.identity()))
}

/// What is different between two lists of pages, both sorted: path, what happened, position in the new one.
fn changes<'old, 'new: 'old>(
    old: impl Iterator<Item = (&'old str, Body)>,
    new: impl Iterator<Item = (&'new str, Body)>,
) -> Vec<(&'old str, PathChange, u32)> {
    let (mut old, mut new) = (old.peekable(), new.peekable());
    let (mut found, mut row) = (Vec::new(), 0);
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((before, _)), Some((after, _))) => before.cmp(after),
        };
        let before = if order.is_le() { old.next() } else { None };
        let after = if order.is_ge() { new.next() } else { None };
        match (before, after) {
            (Some((path, before)), Some((_, after))) if before != after => {
                found.push((path, PathChange::Modified, row));
            }
            (Some((path, _)), None) => found.push((path, PathChange::Removed, row)),
            (None, Some((path, _))) => found.push((path, PathChange::Added, row)),
            _ => {}
        }
        row += u32::from(after.is_some());
    }
}

/// Keeps what is different from the generation before, sorted pages with their bodies: its manifest, the rows that
/// it has not so, and the paths that only it has.
pub(super) fn keep<'a>(
    before: &Generation,
    pages: impl Iterator<Item = (&'a str, Body)>,
    history: &mut SectionWriter,
) {
    let (mut moved, mut gone) = (Vec::new(), Vec::new());
    for (path, change, row) in changes(identities(before), pages) {
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

/// What a generation keeps about the one before. Nothing, if it is the first, or was published before this was kept.
fn kept(of: &Generation) -> Option<GenerationDiff> {
    let history: Sections = of.history().ok()?;
    let before = Manifest::parse(&history.get::<u8>("before").ok()?).ok()?;
    let gone = history.get::<u8>("gone").ok()?;
    let gone = std::str::from_utf8(&gone).ok()?.lines().map(|path| (path.to_owned(), PathChange::Removed));
    let mut pages: Vec<(String, PathChange)> = gone.collect();
    for row in history.get::<u32>("moved").ok()?.iter() {
        let change = if row & ADDED == 0 { PathChange::Modified } else { PathChange::Added };
        pages.push((of.files().get(row & !ADDED)?.path().to_owned(), change));
    }
    pages.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Some(GenerationDiff { old: before, new: of.manifest().clone(), pages })
}

/// The root of a path that names a generation's folder, and which generation that is.
fn named(path: &Path) -> Option<(&Path, GenerationId)> {
    let id = path.file_name()?.to_str()?.parse().ok()?;
    let root = path.parent()?.parent()?;
    Some((if root.as_os_str().is_empty() { Path::new(".") } else { root }, id))
}

fn open(path: &Path) -> Result<Generation, StoreError> {
    match named(path) {
        Some((root, id)) => Generation::open(root, id),
        None => Generation::open_current(path),
    }
}

fn parent(path: &Path, of: &Generation) -> Result<Generation, StoreError> {
    let root = named(path).map_or(path, |(root, _)| root);
    match of.manifest().parent {
        Some(parent) => Generation::open(root, parent),
        None => Err(StoreError::NoParent { path: path.to_owned() }),
    }
}
