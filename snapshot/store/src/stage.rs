//! Publishing: what a publisher passes to [`Stage`], which collects the files of a new generation and makes it the live one.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::FxHashMap;

use super::archive::{Archive, BODY_MAX, Entry, LOCAL_HEADER, Piece, Place, pack};
use super::body::{Body, Digest, Sink, slice};
use super::changes::RecordIds;
use super::changes_writer::{self, digest_on_any_day, records_of};
use super::disk::{Disk, lock};
use super::error::StoreError;
use super::generation::{Generation, create_root, open_sections};
use super::layout::{ARCHIVE, CHANGES, FILE_TABLE, FORMAT, MANIFEST};
use super::manifest::{
    API_VERSION, DatasetHash, FileTotals, Manifest, RecordCounts, StoredFile, check_base_url,
};
use super::publish::{StagingDir, put_twice};
use super::sections::{SectionWriter, Sections};
use super::table::{Hole, NewFile, Source, StagedFile, check_holes, check_path, write_table};
use super::verify::{VerifyMode, verify_on};

/// The part of a manifest that the publisher provides.
#[derive(Clone, Debug)]
pub struct BuildInfo {
    /// `publishedAt` of the dataset.
    pub generated_at: Timestamp,
    /// The UTC day the files are right for.
    pub as_of: Date,
    /// Scheme and authority, no path.
    pub base_url: String,
    /// Hash of the dataset as read.
    pub source: Digest,
    /// Published records.
    pub counts: RecordCounts,
    /// False when pages were left out.
    pub complete: bool,
    /// Ids of the records that have pages; changes of other records have no id.
    pub ids: RecordIds,
}

/// A packed body, and where it is.
type Packed = (Place, Vec<Piece>, Source);

/// The outcome of `Stage::publish`.
#[derive(Clone, Debug)]
pub struct PublishOutcome {
    /// Manifest of the live generation.
    pub manifest: Manifest,
    /// Nothing was published, as the live generation has the same hash.
    pub unchanged: bool,
    /// How many bodies were copied, packed, from the generation before.
    pub copied: u64,
}

/// A generation being built. Files may be put from many threads. Dropped unpublished, it leaves nothing behind. At most
/// one exists per root.
pub struct Stage {
    staging: StagingDir,
    files: Mutex<Vec<StagedFile>>,
    /// Packed bodies in the order in which they came; the archive has them in that of their paths.
    spool: File,
    spooled: AtomicU64,
    /// Those of the spool by their hash: answers without a translation are the same in both languages.
    packed: Mutex<FxHashMap<Digest, Packed>>,
}

impl Stage {
    /// Starts a generation in `root`, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// If the directory holds something else, another publisher holds the lock, or the directory cannot be written.
    pub fn begin(root: &Path) -> Result<Self, StoreError> {
        Self::begin_on(create_root(root)?, tempfile::tempfile_in)
    }

    /// `make_spool` makes a file without a name in a directory.
    pub(super) fn begin_on(
        disk: Arc<dyn Disk>,
        make_spool: impl FnOnce(PathBuf) -> io::Result<File>,
    ) -> Result<Self, StoreError> {
        let staging = StagingDir::open(disk, None)?;
        let spool = make_spool(staging.disk.locate(&staging.dir));
        let spool = spool.map_err(staging.disk.io_error(&staging.dir))?;
        Ok(Self { staging, files: Mutex::default(), spool, spooled: 0.into(), packed: Mutex::default() })
    }

    /// Adds a file. Its packed form is that of the live generation where that has the same body.
    ///
    /// # Errors
    ///
    /// If the path cannot be a URL's, holes are outside the body, the body is too long, or it cannot be written.
    pub fn put(&self, file: NewFile<'_>) -> Result<Body, StoreError> {
        let NewFile { path, body, holes, .. } = file;
        let identity = Body::of(body);
        let fits = check_path(path.as_bytes()).and_then(|()| check_holes(holes, identity.len));
        let fits = fits.and(if identity.len > BODY_MAX { Err("4 GiB or longer") } else { Ok(()) });
        fits.map_err(|reason| StoreError::Unfit { path: path.to_owned(), reason })?;
        let (place, pieces, source) = match self.staging.in_live(path, identity) {
            Some((entry, _)) => (entry.place(), entry.pieces().to_vec(), Source::Live(entry.place().start)),
            None if let Some(known) = lock(&self.packed).get(&identity.sha256).cloned() => known,
            None => {
                let (place, pieces, data) = pack(body);
                let at = self.spooled.fetch_add(data.len() as u64, Relaxed);
                self.spool.write_all_at(&data, at).map_err(self.staging.disk.io_error(&self.staging.dir))?;
                let packed = (place, pieces, Source::Spool(at));
                lock(&self.packed).insert(identity.sha256, packed.clone());
                packed
            }
        };
        let on_any_day = digest_on_any_day(&file, identity.sha256);
        let (path, holes) = (path.to_owned(), holes.to_owned());
        lock(&self.files).push(StagedFile { path, identity, on_any_day, holes, place, pieces, source });
        Ok(identity)
    }

    /// Adds a section file without holes, and opens it on disk, so that its memory can be released.
    ///
    /// # Errors
    ///
    /// If the path was put before, or the file cannot be written.
    pub fn put_sections(&self, path: &str, file: SectionWriter) -> Result<Sections, StoreError> {
        self.staging.write(path, &file)?;
        drop(file);
        open_sections(&*self.staging.disk, &self.staging.name(path), false, None)
    }

    /// Completes the generation and makes it the live one. Nothing is published if the live generation has the same hash and
    /// is undamaged.
    ///
    /// # Errors
    ///
    /// If the base URL is invalid, or the generation cannot be written or synced. The live generation stays as it was.
    pub fn publish(self, info: &BuildInfo) -> Result<PublishOutcome, StoreError> {
        check_base_url(&info.base_url)
            .map_err(|reason| StoreError::Unfit { path: info.base_url.clone(), reason })?;
        let mut files = std::mem::take(&mut *lock(&self.files));
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        if let Some([twice, _]) = files.array_windows().find(|[one, next]| one.path == next.path) {
            return Err(put_twice(&twice.path));
        }
        let copied = files.iter().filter(|file| matches!(file.source, Source::Live(_))).count() as u64;
        let mut manifest = self.manifest(info, &files);
        if let Some(live) = self.unchanged(&manifest.hash) {
            return Ok(PublishOutcome { manifest: live, unchanged: true, copied });
        }
        lay_out(&mut files);
        self.write_archive(&files)?;
        self.staging.write(FILE_TABLE, &write_table(&files, self.checksums()?))?;
        manifest.stored = self.staging.stored();
        let records = records_of(&files, &info.ids);
        let bodies = files.iter().map(|file| (&*file.path, file.identity));
        let earlier = manifest.parent;
        let history =
            changes_writer::write(&self.staging, &manifest, bodies, &records, (info.as_of, earlier));
        let manifest = finish(&self.staging, manifest, &history)?;
        Ok(PublishOutcome { manifest, unchanged: false, copied })
    }

    fn write_archive(&self, files: &[StagedFile]) -> Result<(), StoreError> {
        let entries = files.iter();
        let entries = entries.map(|it| Entry { path: &it.path, len: it.identity.len, place: it.place });
        let entries: Vec<Entry<'_>> = entries.collect();
        let data = |number: usize, sink: Sink<'_>| {
            let StagedFile { place, source, .. } = files[number];
            let (live, len) = (self.staging.live_archive.as_deref().unwrap_or_default(), place.len as usize);
            match source {
                Source::Live(at) => sink(slice(live, at, len).unwrap_or_default()),
                Source::Spool(at) => {
                    let mut data = vec![0; len];
                    self.spool.read_exact_at(&mut data, at)?;
                    sink(&data)
                }
            }
        };
        self.staging.write(ARCHIVE, &Archive { entries: &entries, data }).map(drop)
    }

    /// Of the files of the index, in the order of their paths.
    fn checksums(&self) -> Result<Vec<u32>, StoreError> {
        let (disk, mut index) = (&*self.staging.disk, self.staging.stored());
        index.retain(StoredFile::is_index);
        let open = |file: &StoredFile| open_sections(disk, &self.staging.name(&file.path), false, None);
        index.iter().map(|file| open(file).map(|sections| sections.checksum())).collect()
    }

    /// All but the files in which the generation is stored.
    fn manifest(&self, info: &BuildInfo, files: &[StagedFile]) -> Manifest {
        let bodies = files.iter().map(|file| (&*file.path, file.identity, &file.holes[..]));
        let totals = totals(&self.staging.stored(), bodies);
        Manifest {
            format: FORMAT,
            sequence: self.staging.sequence,
            parent: self.staging.live.as_ref().map(Generation::id),
            hash: Manifest::hash_of(&totals.sha256, info.as_of, &info.base_url),
            generated_at: info.generated_at,
            as_of: info.as_of,
            base_url: info.base_url.clone(),
            api_version: API_VERSION.to_owned(),
            source: DatasetHash { sha256: info.source },
            counts: info.counts,
            files: totals,
            stored: Vec::new(),
            complete: info.complete,
        }
    }

    /// The live generation's manifest, if it has this hash and is undamaged.
    fn unchanged(&self, hash: &Digest) -> Option<Manifest> {
        let live = self.staging.live.as_ref().filter(|live| live.manifest().hash == *hash)?;
        verify_on(&self.staging.disk, Some(live.id()), VerifyMode::Files).ok()
    }
}

/// Number and size of the files of the index and of all bodies, and the hash of their list: hashes and paths, and a hash of
/// all holes.
fn totals<'a>(
    index: &'a [StoredFile],
    bodies: impl Iterator<Item = (&'a str, Body, &'a [Hole])>,
) -> FileTotals {
    let (mut list, mut all_holes, mut count, mut bytes) = (Vec::new(), Vec::new(), 0, 0);
    let index = index.iter().filter(|file| file.is_index());
    let index = index.map(|file| (&*file.path, file.body(), &[][..]));
    for (path, body, holes) in index.chain(bodies) {
        // Writing to memory cannot fail.
        let _ = writeln!(list, "{}  {path}", body.sha256);
        all_holes.extend((holes.len() as u32).to_le_bytes());
        all_holes.extend_from_slice(bytemuck::cast_slice(holes));
        count += 1;
        bytes += body.len;
    }
    let _ = writeln!(list, "{}  holes", Digest::of(&all_holes));
    FileTotals { count, bytes, sha256: Digest::of(&list) }
}

/// Gives each entry its place in the archive, in the order of paths.
fn lay_out(files: &mut [StagedFile]) {
    let (mut end, mut pieces) = (0, 0);
    for file in files {
        file.place.start = end + LOCAL_HEADER + file.path.len() as u64;
        file.place.first_piece = pieces;
        end = file.place.start + u64::from(file.place.len);
        pieces += file.pieces.len() as u64;
    }
}

/// Writes the history and the manifest, which names every other file, and makes the generation the live one.
pub(super) fn finish(
    staging: &StagingDir,
    mut manifest: Manifest,
    history: &SectionWriter,
) -> Result<Manifest, StoreError> {
    manifest.stored.push(staging.write(CHANGES, history)?);
    manifest.stored.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    staging.write(MANIFEST, &&*manifest.to_bytes())?;
    staging.commit(manifest.id())?;
    Ok(manifest)
}
