//! What changed from one generation to another, file by file.

use std::cmp::Ordering;
use std::path::Path;

use super::StoreError;
use super::generation::Generation;
use super::manifest::{Id, Manifest};
use super::table::FileEntry;

/// What happened to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Only the new generation has it.
    Added,
    /// Its identity body has other bytes.
    Changed,
    /// Only the old generation has it.
    Removed,
}

/// What is different between two generations.
#[derive(Debug)]
pub struct Difference {
    /// What the old one is.
    pub old: Manifest,
    /// What the new one is.
    pub new: Manifest,
    /// Path below the generation of every page that is not the same in both, sorted.
    pub pages: Vec<(String, Change)>,
}

/// Compares two generations by the hashes they were published with. `old` and `new` are each a root, which
/// stands for its live generation, or the folder of one generation; without `new`, the parent of the one
/// that `old` names is compared with it.
///
/// # Errors
///
/// If one of the two cannot be opened, or `old` has no parent to compare it with.
pub fn diff(old: &Path, new: Option<&Path>) -> Result<Difference, StoreError> {
    let first = open(old)?;
    let (old, new) = match new {
        Some(new) => (first, open(new)?),
        None => (parent(old, &first)?, first),
    };
    let same = |left: FileEntry<'_>, right: FileEntry<'_>| left.identity() == right.identity();
    let (mut left, mut right) = (old.files().entries().peekable(), new.files().entries().peekable());
    let mut pages = Vec::new();
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(left), Some(right)) => left.path().cmp(right.path()),
        };
        let before = if order.is_le() { left.next() } else { None };
        let after = if order.is_ge() { right.next() } else { None };
        let found = match (before, after) {
            (Some(before), Some(after)) if same(before, after) => continue,
            (Some(page), Some(_)) => (page, Change::Changed),
            (Some(page), None) => (page, Change::Removed),
            (None, Some(page)) => (page, Change::Added),
            (None, None) => break,
        };
        pages.push((found.0.path().to_owned(), found.1));
    }
    Ok(Difference { old: old.manifest().clone(), new: new.manifest().clone(), pages })
}

/// The root of a path that names a generation's folder, and which generation that is.
fn named(path: &Path) -> Option<(&Path, Id)> {
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
