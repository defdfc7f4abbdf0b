//! Store the bodies of a generation: as a tree, or in packs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::super::body::{Body, CODINGS, Chunks, Coding, Tally};
use super::super::build_info::{EncodeFn, NewFile};
use super::super::error::StoreError;
use super::super::generation::Generation;
use super::super::layout::{FILE_LIST, FILE_TABLE, INDEX, INDEX_DIR, INDEX_MAX, OBJECTS, SIBLINGS};
use super::super::packer::Packer;
use super::super::places::{Pack, Placement};
use super::super::sections::Sections;
use super::super::siblings::{Siblings, write_siblings};
use super::super::staging::StagingDir;
use super::super::table::{FileEntry, StagedFile, Stored};
use super::super::vfs::{in_parallel, lock};

/// Shorter bodies are not worth a coding, in bytes.
const MIN_ENCODED: usize = 512;

/// Stores the bodies of a generation as a tree: a file for each page, and one for each coding beside it. Files that the
/// live generation has are linked.
pub(super) struct TreeWriter {
    /// Names the compressors and levels in use.
    encoder: String,
    /// Whether the live generation is a tree with codings of this encoder.
    pub(super) same_encoder: bool,
    /// Files of the live generation to be linked, once it is known that anything changed.
    links: Mutex<Vec<(String, Body)>>,
    /// Files of the live generation that are damaged and were written again.
    repaired: AtomicU64,
}

impl TreeWriter {
    pub(super) fn new(encoder: &str, live: Option<&Generation>) -> Self {
        Self {
            encoder: encoder.to_owned(),
            same_encoder: live.is_some_and(|live| live.files().encoder() == encoder.as_bytes()),
            links: Mutex::default(),
            repaired: AtomicU64::new(0),
        }
    }

    pub(super) fn repaired(&self) -> u64 {
        self.repaired.load(Relaxed)
    }

    /// The linked files.
    pub(super) fn linked(&self) -> Tally {
        lock(&self.links).iter().map(|(_, body)| *body).collect()
    }

    pub(super) fn put(
        &self,
        staging: &StagingDir,
        page: NewFile<'_>,
        identity: Body,
        encode: EncodeFn<'_>,
    ) -> Result<Stored, StoreError> {
        let same = self.put_identity(staging, page.path, &page.body, identity)?;
        let mut siblings = Siblings { encoded: page.encodings, ..Siblings::default() };
        if page.encodings {
            let same = same.filter(|(_, entry)| entry.encoded() && self.same_encoder);
            for (coding, slot) in CODINGS.into_iter().skip(1).zip(&mut siblings.bodies) {
                *slot = self.put_sibling(staging, page, coding, same, encode)?;
            }
        }
        Ok(Stored::Tree(siblings))
    }

    /// Stores a body without a coding. Returns the live generation's file, if that has the same body.
    pub(super) fn put_identity<'a>(
        &self,
        staging: &'a StagingDir,
        path: &str,
        content: &dyn Chunks,
        identity: Body,
    ) -> Result<Option<(&'a Generation, FileEntry<'a>)>, StoreError> {
        let live = staging.live_tree();
        let same = live.and_then(|live| Some((live, live.files().find(path.as_bytes())?)));
        let same = same.filter(|(_, entry)| entry.identity() == identity);
        if !self.link(same, Coding::Identity) {
            staging.write_body(path, content, identity)?;
        }
        Ok(same)
    }

    /// `same` is the live generation's page, if its siblings can be reused.
    fn put_sibling(
        &self,
        staging: &StagingDir,
        page: NewFile<'_>,
        coding: Coding,
        same: Option<(&Generation, FileEntry<'_>)>,
        encode: EncodeFn<'_>,
    ) -> Result<Option<Body>, StoreError> {
        if let Some((_, entry)) = same {
            let body = entry.body(coding);
            if body.is_none() || self.link(same, coding) {
                return Ok(body);
            }
        }
        if page.body.len() < MIN_ENCODED {
            return Ok(None);
        }
        let encoded = encode(coding, page.body);
        let Some(encoded) = encoded.filter(|encoded| encoded.len() * 10 <= page.body.len() * 9) else {
            return Ok(None);
        };
        let body = Body::of(&encoded);
        staging.write_body(&format!("{}{}", page.path, coding.suffix()), &&*encoded, body)?;
        Ok(Some(body))
    }

    /// Links the live generation's file of a page in a coding. A damaged file counts as repaired, as the caller writes it.
    fn link(&self, of: Option<(&Generation, FileEntry<'_>)>, coding: Coding) -> bool {
        let Some((live, entry)) = of else { return false };
        let Some(file) = entry.stored_file(coding) else { return false };
        let sound = is_sound(live, &file);
        if sound {
            lock(&self.links).push(file);
        } else {
            self.repaired.fetch_add(1, Relaxed);
        }
        sound
    }

    /// Makes the links, and writes what describes the files.
    pub(super) fn finish(
        &self,
        staging: &StagingDir,
        files: &[StagedFile],
        table: &Sections,
        list: &[u8],
        jobs: usize,
    ) -> Result<(), StoreError> {
        if let Some(live) = staging.live() {
            let mut links = lock(&self.links);
            // In order of directories, so that threads seldom wait for the same one.
            links.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            let link = |(path, _): &(String, Body)| staging.link(live, path);
            in_parallel(jobs, &links, link).into_iter().collect::<Result<(), _>>()?;
        }
        let siblings = files.iter().map(|file| match file.stored {
            Stored::Tree(siblings) => siblings,
            Stored::File | Stored::Packed(_) => Siblings::default(),
        });
        let siblings = write_siblings(siblings, &self.encoder, Body::of(table.bytes()).sha256);
        staging.write(FILE_TABLE, table.bytes())?;
        staging.write(FILE_LIST, list)?;
        staging.write(SIBLINGS, siblings.bytes())
    }
}

/// Whether a file of a generation has the body that was published.
fn is_sound(generation: &Generation, (path, body): &(String, Body)) -> bool {
    generation.vfs().hash(&generation.name(path)).is_ok_and(|found| found == *body)
}

/// Stores the bodies of a generation in packs. Objects and whole packs that the live generation has are reused.
pub(super) struct PackWriter {
    pub(super) packer: Packer,
    /// Packs of the live generation that are damaged; if there are any, nothing of it is reused.
    pub(super) damaged: u64,
}

impl PackWriter {
    pub(super) fn new(level: i32, live: Option<&Generation>) -> Self {
        let (packer, damaged) = Packer::reusing(level, live);
        Self { packer, damaged }
    }

    pub(super) fn put(
        &self,
        staging: &StagingDir,
        pages: &[(NewFile<'_>, Body)],
    ) -> Result<Vec<Stored>, StoreError> {
        if let [(page, identity)] = pages
            && let Some(placement) = self.same(staging, page.path, *identity)
        {
            return Ok(vec![Stored::Packed(placement)]);
        }
        let write = |pack: Pack, bytes: &[u8]| staging.write_pack(pack, bytes);
        let pages: Vec<_> = pages.iter().map(|(page, body)| (page.path, page.body, *body)).collect();
        Ok(self.packer.put(&pages, &write)?.into_iter().map(Stored::Packed).collect())
    }

    /// The place of a body that the live generation has at the same path: it need not be cut.
    fn same(&self, staging: &StagingDir, path: &str, identity: Body) -> Option<Placement> {
        let same = staging.live()?.files().find(path.as_bytes());
        self.packer.take_row(same.filter(|entry| entry.identity() == identity)?.number())
    }

    /// Packs a file of the index, unless it is too long. The file stays until the generation is finished, as pages are made
    /// from it.
    pub(super) fn put_index_file(
        &self,
        staging: &StagingDir,
        path: &str,
        identity: Body,
    ) -> Result<Stored, StoreError> {
        if identity.len > INDEX_MAX {
            return Ok(Stored::File);
        }
        if let Some(placement) = self.same(staging, path, identity) {
            return Ok(Stored::Packed(placement));
        }
        let (vfs, name) = (&*staging.vfs, staging.name(path));
        let bytes = vfs.map(&name).map_err(vfs.io_error(&name))?;
        let write = |pack: Pack, bytes: &[u8]| staging.write_pack(pack, bytes);
        let placement = self.packer.put(&[(path, &bytes, identity)], &write)?.pop();
        Ok(placement.map_or(Stored::File, Stored::Packed))
    }

    /// Removes the index files that are packed, closes the packs, and writes where each body is stored.
    pub(super) fn finish(
        &self,
        staging: &StagingDir,
        files: Vec<StagedFile>,
        table: &Sections,
    ) -> Result<(), StoreError> {
        let vfs = &*staging.vfs;
        let stays =
            |path: &str| files.iter().any(|file| file.path == path && matches!(file.stored, Stored::File));
        let is_packed = |(path, _): &mut (String, Body)| path.starts_with(INDEX) && !stays(path);
        let packed: Vec<_> = lock(&staging.written).extract_if(.., is_packed).collect();
        for (path, _) in packed {
            let name = staging.name(&path);
            vfs.remove(&name).map_err(vfs.io_error(&name))?;
        }
        let index = staging.name(INDEX_DIR);
        if vfs.list(&index).is_ok_and(|left| left.is_empty()) {
            vfs.remove(&index).map_err(vfs.io_error(&index))?;
        }
        let rows = files.into_iter().map(|file| match file.stored {
            Stored::Packed(placement) => Some(placement),
            Stored::File | Stored::Tree(_) => None,
        });
        let objects = self.packer.finish(rows, table, &|pack, bytes| staging.write_pack(pack, bytes))?;
        staging.link_packs(&objects.packs)?;
        staging.write(OBJECTS, objects.finish().bytes())
    }
}
