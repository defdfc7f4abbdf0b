//! Publishing: collects the files of a new generation and makes it the live one. Two writers store the bodies: one as a
//! tree of files, one in packs.

mod writers;

use std::path::Path;
use std::sync::{Arc, Mutex};

use self::writers::{PackWriter, TreeWriter};
use super::body::{Body, Digest};
use super::build_info::{BuildInfo, EncodeFn, Layout, NewFile, PublishOutcome};
use super::error::StoreError;
use super::generation::{Generation, file_list, open_root, open_sections};
use super::history::{self, GatheredRecords};
use super::layout::{HISTORY, MANIFEST};
use super::manifest::{API_VERSION, DatasetHash, FORMAT, FileTotals, Manifest, check_base_url};
use super::sections::{SectionWriter, Sections};
use super::siblings::Siblings;
use super::staging::{StagingDir, put_twice};
use super::table::{Hole, StagedFile, Stored, check_page, write_table};
use super::vfs::{Vfs, lock};

/// A generation being built. Pages may be put from many threads. Dropped unpublished, it leaves nothing behind. At most
/// one exists per root.
pub struct Stage {
    staging: StagingDir,
    writer: Writer,
    files: Mutex<Vec<StagedFile>>,
    records: Mutex<GatheredRecords>,
}

enum Writer {
    Tree(TreeWriter),
    Packs(PackWriter),
}

impl Stage {
    /// Starts a generation in `root`, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// If the directory holds something else, another publisher holds the lock, or the directory cannot be written.
    pub fn begin(root: &Path, layout: &Layout) -> Result<Self, StoreError> {
        std::fs::create_dir_all(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
        Self::begin_on(open_root(root)?, layout)
    }

    pub(super) fn begin_on(vfs: Arc<dyn Vfs>, layout: &Layout) -> Result<Self, StoreError> {
        let staging = StagingDir::create(vfs)?;
        let writer = match layout {
            Layout::Tree { encoder } => Writer::Tree(TreeWriter::new(encoder, staging.live_tree())),
            Layout::Packs { level } => Writer::Packs(PackWriter::new(*level, staging.live())),
        };
        let (files, records) = (Mutex::default(), Mutex::default());
        Ok(Self { staging, writer, files, records })
    }

    /// Adds a page. Its stored bodies are shared with the parent where they are the same; `encode` is called only for
    /// siblings that cannot be shared.
    ///
    /// # Errors
    ///
    /// If the path was put before or cannot be a URL's, holes are outside the body, or the page cannot be written.
    pub fn put(&self, page: NewFile<'_>, encode: EncodeFn<'_>) -> Result<Body, StoreError> {
        let identity = Body::of(page.body);
        self.put_all(&[(page, identity)], encode).map(|()| identity)
    }

    /// Adds all pages of a record, which packs store together.
    ///
    /// # Errors
    ///
    /// As of [`Self::put`].
    pub fn put_record(&self, pages: &[NewFile<'_>], encode: EncodeFn<'_>) -> Result<(), StoreError> {
        let pages: Vec<_> = pages.iter().map(|page| (*page, Body::of(page.body))).collect();
        self.put_all(&pages, encode)
    }

    fn put_all(&self, pages: &[(NewFile<'_>, Body)], encode: EncodeFn<'_>) -> Result<(), StoreError> {
        pages.iter().try_for_each(|(page, _)| check_page(page.path, page.holes, page.body.len()))?;
        let stored = match &self.writer {
            Writer::Tree(tree) => {
                let put = |(page, body): &(NewFile<'_>, Body)| tree.put(&self.staging, *page, *body, encode);
                pages.iter().map(put).collect::<Result<Vec<_>, _>>()?
            }
            Writer::Packs(packs) => packs.put(&self.staging, pages)?,
        };
        for ((page, body), stored) in pages.iter().zip(stored) {
            lock(&self.records).add(page, body.sha256);
            self.add(page.path, *body, page.holes, 0, stored);
        }
        Ok(())
    }

    fn add(&self, path: &str, identity: Body, holes: &[Hole], checksum: u64, stored: Stored) {
        let (path, holes) = (path.to_owned(), holes.to_owned());
        lock(&self.files).push(StagedFile { path, identity, holes, checksum, stored });
    }

    /// Adds a section file without holes or siblings, and opens it on disk, so that its memory can be released.
    ///
    /// # Errors
    ///
    /// If the path was put before, or the file cannot be written.
    pub fn put_sections(&self, path: &str, file: SectionWriter) -> Result<Sections, StoreError> {
        check_page(path, &[], 0)?;
        let failed = |error| self.staging.vfs.io_error(&self.staging.name(path))(error);
        let file = file.file();
        let live = self.staging.live_tree().and_then(|live| live.files().find(path.as_bytes()));
        let may_be_linked = live.is_some_and(|live| live.checksum() == file.checksum());
        let (identity, stored) = match &self.writer {
            Writer::Tree(tree) => {
                let identity = if may_be_linked {
                    let identity = Body::of_chunks(&file).map_err(failed)?;
                    tree.put_identity(&self.staging, path, &file, identity)?;
                    identity
                } else {
                    self.staging.write_hashed(path, &file)?
                };
                (identity, Stored::Tree(Siblings::default()))
            }
            Writer::Packs(packs) => {
                let identity = self.staging.write_hashed(path, &file)?;
                (identity, packs.put_index_file(&self.staging, path, identity)?)
            }
        };
        self.add(path, identity, &[], file.checksum(), stored);
        drop(file);
        let vfs = &*self.staging.vfs;
        // Not there: it will be linked from the parent.
        let is_written = vfs.stamp(&self.staging.name(path)).is_some();
        let parent = self.staging.live_tree().filter(|_| !is_written);
        open_sections(vfs, parent.map_or(&self.staging.dir, |parent| &parent.dir), path)
    }

    /// Completes the generation and makes it the live one; reading back runs on `jobs` threads. Nothing is published if
    /// the live generation has the same hash and layout and is undamaged.
    ///
    /// # Errors
    ///
    /// If the base URL is invalid, or the generation cannot be written or synced. The live generation stays as it was.
    pub fn publish(self, info: &BuildInfo, jobs: usize) -> Result<PublishOutcome, StoreError> {
        check_base_url(&info.base_url)
            .map_err(|reason| StoreError::Unfit { path: info.base_url.clone(), reason })?;
        let mut files = std::mem::take(&mut *lock(&self.files));
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        if let Some([twice, _]) = files.array_windows().find(|[one, next]| one.path == next.path) {
            return Err(put_twice(&twice.path));
        }
        let table = write_table(&files);
        let (manifest, list) = self.manifest(info, &files, &table);
        if let Some(live) = self.unchanged(&manifest.hash) {
            return Ok(self.outcome(live, true));
        }
        let versions = lock(&self.records).versions(&info.ids);
        let bodies = files.iter().map(|file| (&*file.path, file.identity));
        let made_from = (info.as_of, info.made_from, manifest.parent);
        let history = history::write(&self.staging, &manifest, bodies, &versions, made_from);
        match &self.writer {
            Writer::Tree(tree) => tree.finish(&self.staging, &files, &table, &list, jobs)?,
            Writer::Packs(packs) => packs.finish(&self.staging, files, &table)?,
        }
        self.staging.write(MANIFEST, &manifest.to_bytes())?;
        self.staging.write(HISTORY, history.bytes())?;
        self.staging.commit(manifest.id(), jobs)?;
        Ok(self.outcome(manifest, false))
    }

    fn manifest(&self, info: &BuildInfo, files: &[StagedFile], table: &Sections) -> (Manifest, Vec<u8>) {
        let table = Body::of(table.bytes());
        let list = file_list(files.iter().map(|file| (&*file.path, file.identity)), table.sha256);
        let totals = FileTotals {
            count: 1 + files.len() as u64,
            bytes: table.len + files.iter().map(|file| file.identity.len).sum::<u64>(),
            sha256: Digest::of(&list),
            table: table.sha256,
        };
        let manifest = Manifest {
            format: FORMAT,
            sequence: self.staging.sequence,
            parent: self.staging.live().map(Generation::id),
            hash: Manifest::hash_of(&totals.sha256, info.as_of, &info.base_url),
            generated_at: info.generated_at,
            as_of: info.as_of,
            base_url: info.base_url.clone(),
            api_version: API_VERSION.to_owned(),
            source: DatasetHash { sha256: info.source },
            counts: info.counts,
            files: totals,
            complete: info.complete,
        };
        (manifest, list)
    }

    /// The live generation's manifest, if it has this hash and layout and is undamaged.
    fn unchanged(&self, hash: &Digest) -> Option<Manifest> {
        let live = self.staging.live().filter(|live| live.manifest().hash == *hash)?;
        let has_layout = match &self.writer {
            Writer::Tree(tree) => !live.is_packed() && tree.same_encoder && tree.repaired() == 0,
            Writer::Packs(packs) => live.is_packed() && packs.damaged == 0,
        };
        has_layout.then(|| live.manifest().clone())
    }

    fn outcome(&self, manifest: Manifest, unchanged: bool) -> PublishOutcome {
        let (linked, repaired) = match &self.writer {
            Writer::Tree(tree) => (tree.linked(), tree.repaired()),
            Writer::Packs(packs) => (packs.packer.reused(), packs.damaged),
        };
        let written = lock(&self.staging.written).iter().map(|(_, body)| *body).collect();
        PublishOutcome { manifest, unchanged, written, linked, repaired }
    }
}
