//! `ROOT/incoming`: the packs of a generation that is being pulled, until it is published. After a failed pull the next
//! one goes on with them, and a root whose generation is damaged keeps its undamaged packs there. A pack is named after
//! its SHA-256; one that has another is removed.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::body::{Body, Digest};
use super::codec::Object;
use super::error::StoreError;
use super::generation::ids;
use super::layout::{INCOMING, PACKS, directory_of};
use super::packer::objects_of;
use super::places::Pack;
use super::staging::StagingDir;
use super::vfs::{Vfs, lock};

/// Most bytes of a pack that is read as a whole.
const PACK_MAX: u64 = 64 << 20;
const EXTENSION: &str = ".pack";

/// The packs of a generation that is being pulled.
pub(super) struct KeptPacks {
    vfs: Arc<dyn Vfs>,
    /// Those that are complete, and their lengths.
    packs: Mutex<FxHashMap<Digest, u64>>,
}

/// A complete pack.
pub(super) struct KeptPack {
    pub(super) pack: Pack,
    pub(super) bytes: Vec<u8>,
    pub(super) objects: Vec<Object>,
}

impl KeptPacks {
    /// Makes the folder, unless it is there.
    pub(super) fn open(vfs: &Arc<dyn Vfs>) -> Result<Self, StoreError> {
        vfs.create_dirs(INCOMING).map_err(vfs.io_error(INCOMING))?;
        Ok(Self { vfs: Arc::clone(vfs), packs: Mutex::default() })
    }

    /// Adds the packs of all generations, whatever else is wrong with these.
    pub(super) fn add_from_generations(&self) {
        for dir in ids(&*self.vfs).unwrap_or_default().into_iter().map(directory_of) {
            for (name, _) in self.vfs.list(&format!("{dir}/{PACKS}")).unwrap_or_default() {
                // It may be there already, or be no file: the next step reads what is there.
                let _ = self.vfs.link(&format!("{dir}/{PACKS}/{name}"), &format!("{INCOMING}/{name}"));
            }
        }
    }

    /// Calls `visit` with every complete pack, and keeps those for which it returns true.
    pub(super) fn retain(&self, mut visit: impl FnMut(&KeptPack) -> bool) {
        for (name, _) in self.vfs.list(INCOMING).unwrap_or_default() {
            match self.read(&name).filter(|pack| visit(pack)) {
                Some(KeptPack { pack, .. }) => drop(lock(&self.packs).insert(pack.sha256, pack.length)),
                None => drop(self.vfs.remove(&format!("{INCOMING}/{name}"))),
            }
        }
    }

    /// Removes one that is of no use.
    pub(super) fn remove_pack(&self, sha256: &Digest) {
        lock(&self.packs).remove(sha256);
        let _ = self.vfs.remove(&format!("{INCOMING}/{sha256}{EXTENSION}"));
    }

    fn read(&self, name: &str) -> Option<KeptPack> {
        let sha256: Digest = name.strip_suffix(EXTENSION)?.parse().ok()?;
        let bytes = self.vfs.read(&format!("{INCOMING}/{name}"), PACK_MAX).ok()?;
        let pack = Pack { sha256, length: bytes.len() as u64 };
        (Digest::of(&bytes) == sha256).then(|| KeptPack { pack, objects: objects_of(&bytes), bytes })
    }

    /// Writes a complete pack.
    pub(super) fn write(&self, pack: Pack, bytes: &[u8]) -> Result<(), StoreError> {
        let name = format!("{INCOMING}/{}{EXTENSION}", pack.sha256);
        self.vfs.write_new(&name, &bytes).map_err(|source| {
            let _ = self.vfs.remove(&name);
            self.vfs.io_error(&name)(source)
        })?;
        lock(&self.packs).insert(pack.sha256, pack.length);
        Ok(())
    }

    /// Links those of a generation's packs that are here into it.
    pub(super) fn link(&self, packs: &[Pack], staging: &StagingDir) -> Result<(), StoreError> {
        let known = lock(&self.packs);
        for pack in packs.iter().filter(|pack| known.contains_key(&pack.sha256)) {
            let body = Body { len: pack.length, sha256: pack.sha256 };
            staging.link_kept(&format!("{INCOMING}/{}{EXTENSION}", pack.sha256), &pack.path(), body)?;
        }
        Ok(())
    }

    /// Removes them all, once they are published.
    pub(super) fn remove(&self) {
        let _ = self.vfs.remove(INCOMING);
    }
}
