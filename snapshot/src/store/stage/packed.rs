//! Staging in packs.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::body::Body;
use super::super::generation::Generation;
use super::super::objects::Objects;
use super::super::packer::{INDEX_MAX, Packer, family_of};
use super::super::sections::Sections;
use super::super::table::Staged;
use super::super::{INDEX_DIR, OBJECTS, StoreError};
use super::{Stage, at, check_file, lock};

/// A packer that takes what it can of the live generation, and how many packs of that are damaged: then nothing is
/// taken.
pub(super) fn begin(level: i32, live: Option<&Generation>) -> (Option<Packer>, u64) {
    let before = live.and_then(|live| Some((live, live.packs()?.only_here()?)));
    let before = before.as_ref().map(|(live, packs)| (*live, packs));
    let broken = before.map_or(0, |(live, packs)| {
        let sound = |path: &str, body| check_file(live.vfs(), &live.name(path), body).is_ok();
        let bodies = packs.packs().iter();
        let bodies = bodies.map(|pack| (pack.path(), Body { len: pack.length, sha256: pack.sha256 }));
        bodies.filter(|(path, body)| !sound(path, *body)).count() as u64
    });
    let before = before.filter(|_| broken == 0);
    let dictionaries = before.map(|(live, packs)| dictionaries(live, packs)).unwrap_or_default();
    (Some(Packer::new(level, before.map(|(_, packs)| Arc::clone(packs)), dictionaries)), broken)
}

/// The dictionary that each family of pages has.
fn dictionaries(live: &Generation, packs: &Objects) -> FxHashMap<String, u64> {
    let mut found = FxHashMap::default();
    for entry in live.files().entries() {
        let object = packs.find(&entry.identity().sha256).filter(|object| object.dictionary != 0);
        if let (Some(object), Some(family)) = (object, family_of(entry.path())) {
            found.entry(family).or_insert(object.dictionary);
        }
    }
    found
}

impl Stage {
    /// Puts the index into packs too, closes them, and writes where everything lies.
    pub(super) fn write_packs(
        &self,
        packer: &Packer,
        mut pages: Vec<Staged>,
        table: &Sections,
    ) -> Result<(), StoreError> {
        let write = |path: &str, bytes: &[u8]| self.write(path, bytes, Body::of(bytes));
        for page in pages.iter_mut().filter(|page| page.parts.is_none() && page.identity.len <= INDEX_MAX) {
            let live = self.parent.as_ref().ok();
            let same = live.and_then(|live| live.files().find(page.path.as_bytes()));
            let same = same.filter(|entry| entry.identity() == page.identity);
            let taken = same.and_then(|entry| packer.take_row(entry.number()));
            let name = format!("{}/{}", self.dir, page.path);
            page.parts = Some(match taken {
                Some(parts) => parts,
                None => {
                    let bytes = self.vfs.map(&name).map_err(|err| at(&*self.vfs, &name, err))?;
                    packer.put(&page.path, &bytes, page.identity, &write)?
                }
            });
            self.vfs.remove(&name).map_err(|err| at(&*self.vfs, &name, err))?;
            lock(&self.written).retain(|(path, _)| *path != page.path);
        }
        let index = format!("{}/{INDEX_DIR}", self.dir);
        if self.vfs.list(&index).is_ok_and(|left| left.is_empty()) {
            self.vfs.remove(&index).map_err(|err| at(&*self.vfs, &index, err))?;
        }
        let rows = pages.iter().map(|page| Some((page.identity.sha256, page.parts.as_deref()?)));
        let objects = packer.finish(rows, table, &write)?;
        for pack in &objects.packs {
            self.link_pack(&pack.path())?;
        }
        let objects = objects.finish();
        write(OBJECTS, objects.bytes())
    }

    /// Takes a pack of the live generation, unless it is one that was just written.
    pub(super) fn link_pack(&self, path: &str) -> Result<(), StoreError> {
        if lock(&self.written).iter().any(|(written, _)| written == path) {
            return Ok(());
        }
        let Ok(live) = &self.parent else { return Ok(()) };
        let from = live.name(path);
        self.create(path, |to| self.vfs.link(&from, to))
    }
}
