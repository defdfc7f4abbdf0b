//! Publishing: collects the files of a new generation and makes it the live one. The protocol and
//! why it holds are told in `store`.

mod incoming;
mod kept;
mod packed;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use jiff::civil::Date;

use super::body::{Body, CODINGS, Coding, Tally};
use super::build_info::{BuildInfo, EncodeFn, Layout, NewFile, PublishOutcome};
use super::changes::{Gathered, Known, Next, Versions};
use super::dates;
use super::diff;
use super::digest::Digest;
use super::generation::{
    Generation, current, directory_of, file_list, open_current_on, open_root, open_sections,
};
use super::manifest::{API_VERSION, DatasetHash, FORMAT, FileTotals, GenerationId, Manifest, check_base_url};
use super::packer::Packer;
use super::sections::{SectionWriter, Sections, stated_checksum};
use super::siblings::{Beside, write_siblings};
use super::table::{FileEntry, Staged, check_page, write_table};
use super::vfs::{FileType, Lock, Vfs, damaged, failed, in_parallel};
pub use incoming::{FetchMode, IncomingGeneration, take_present};

use super::{
    CURRENT, CURRENT_TMP, FILE_LIST, FILE_TABLE, FileProblem, GENERATIONS, HISTORY, KEPT, LOCK, MANIFEST,
    OBJECTS, SIBLINGS, StoreError, TMP_PREFIX,
};

/// Bodies shorter than this are not worth a coding, in bytes.
const MIN_ENCODED: usize = 512;

/// A generation being built. Pages may be put from many threads. Dropped unpublished, it leaves
/// nothing behind. At most one exists per root.
pub struct Stage {
    vfs: Arc<dyn Vfs>,
    dir: String,
    sequence: u64,
    encoder: String,
    packer: Option<Packer>,
    parent: Result<Generation, StoreError>,
    pages: Mutex<Vec<Staged>>,
    records: Mutex<Gathered>,
    /// Versions of the parent's records, and what they were made from.
    made: OnceLock<Known>,
    written: Mutex<Vec<(String, Body)>>,
    /// Files of the parent that are to be linked, once it is known that anything changed.
    linked: Mutex<Vec<(String, Body)>>,
    repaired: AtomicU64,
    _lock: Lock,
}

impl Stage {
    /// Starts a generation in `root`, which is made if it is not there.
    ///
    /// Refuses a directory with other things in it and a root that another publisher works on.
    ///
    /// # Errors
    ///
    /// If there are other things in the directory, if another publisher is at work, or if the system refuses to write.
    pub fn begin(root: &Path, layout: &Layout) -> Result<Self, StoreError> {
        std::fs::create_dir_all(root).map_err(|source| StoreError::Io { path: root.to_owned(), source })?;
        Self::begin_on(open_root(root)?, layout)
    }

    pub(super) fn begin_on(vfs: Arc<dyn Vfs>, layout: &Layout) -> Result<Self, StoreError> {
        refuse_foreign(&*vfs)?;
        let lock = take_lock(&*vfs)?;
        create_dirs(&*vfs, GENERATIONS)?;
        let sequence = 1 + clear_away(&*vfs)?;
        let parent = open_current_on(&vfs, 0);
        let dir = format!("{GENERATIONS}/{TMP_PREFIX}{sequence:06}");
        create_dirs(&*vfs, &dir)?;
        let (encoder, level) = match layout {
            Layout::Tree { encoder } => (encoder.clone(), None),
            Layout::Packs { level } => (String::new(), Some(*level)),
        };
        let (packer, broken) = match level {
            Some(level) => packed::begin(level, parent.as_ref().ok()),
            None => (None, 0),
        };
        Ok(Self {
            vfs,
            dir,
            sequence,
            encoder,
            packer,
            parent,
            pages: Mutex::default(),
            records: Mutex::default(),
            made: OnceLock::new(),
            written: Mutex::default(),
            linked: Mutex::default(),
            repaired: AtomicU64::new(broken),
            _lock: lock,
        })
    }

    /// The live generation. An error other than `Unpublished` says why its files cannot be reused;
    /// publishing repairs that.
    ///
    /// # Errors
    ///
    /// Why it cannot be opened.
    pub fn parent(&self) -> Result<&Generation, &StoreError> {
        self.parent.as_ref()
    }

    /// Adds a page: takes the parent's file and siblings if the body is the same, else writes them.
    /// `encode` is called only for siblings that cannot be linked.
    ///
    /// # Errors
    ///
    /// If the path is taken or cannot be a URL's, if holes lie outside the body, or if the system refuses to write.
    pub fn put(&self, page: NewFile<'_>, encode: EncodeFn<'_>) -> Result<(), StoreError> {
        check_page(page.path, page.holes, page.body.len())?;
        let identity = Body::of(page.body);
        if let Some(packer) = &self.packer {
            let parts = packer.put(page.path, page.body, identity, &|path, bytes| {
                self.write(path, bytes, Body::of(bytes))
            })?;
            self.stage(page, identity, Beside::default(), Some(parts));
            return Ok(());
        }
        let before = self.parent.as_ref().ok().and_then(|parent| parent.files().find(page.path.as_bytes()));
        let before = before.filter(|entry| entry.identity() == identity);
        if !self.link(before, Coding::Identity) {
            self.write(page.path, page.body, identity)?;
        }
        let mut beside = Beside { encoded: page.encodings, ..Beside::default() };
        if page.encodings {
            let same = before.filter(|entry| entry.encoded() && self.same_encoder());
            for (coding, slot) in CODINGS.into_iter().skip(1).zip(&mut beside.bodies) {
                *slot = self.put_sibling(page, coding, same, encode)?;
            }
        }
        self.stage(page, identity, beside, None);
        Ok(())
    }

    fn stage(&self, page: NewFile<'_>, identity: Body, beside: Beside, parts: Option<Vec<Digest>>) {
        lock(&self.records).add(&page, identity.sha256);
        let (path, holes) = (page.path.to_owned(), page.holes.to_owned());
        let checksum = stated_checksum(page.body);
        lock(&self.pages).push(Staged { path, identity, holes, checksum, beside, parts });
    }

    /// Adds a section file without holes or siblings, and opens it where it now is: on disk, so that
    /// whoever builds on it needs no memory for it.
    ///
    /// # Errors
    ///
    /// If the path is taken, or the system refuses to write.
    pub fn put_sections(&self, path: &str, file: Sections) -> Result<Sections, StoreError> {
        let page = NewFile { path, body: file.bytes(), holes: &[], encodings: false };
        if self.packer.is_some() {
            check_page(path, &[], 0)?;
            let identity = Body::of(page.body);
            self.write(path, page.body, identity)?;
            self.stage(page, identity, Beside::default(), None);
            return open_sections(&*self.vfs, &self.dir, path);
        }
        self.put(page, &|_, _| None)?;
        drop(file);
        let is_linked = lock(&self.linked).iter().any(|(linked, _)| linked == path);
        let dir = self.parent.as_ref().ok().filter(|_| is_linked).map_or(&*self.dir, Generation::dir);
        open_sections(&*self.vfs, dir, path)
    }

    /// `same` is the parent's entry, if what it says about siblings still holds.
    fn put_sibling(
        &self,
        page: NewFile<'_>,
        coding: Coding,
        same: Option<FileEntry<'_>>,
        encode: EncodeFn<'_>,
    ) -> Result<Option<Body>, StoreError> {
        if let Some(entry) = same {
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
        self.write(&format!("{}{}", page.path, coding.suffix()), &encoded, body)?;
        Ok(Some(body))
    }

    fn same_encoder(&self) -> bool {
        self.parent.as_ref().is_ok_and(|parent| parent.files().encoder() == self.encoder.as_bytes())
    }

    /// Whether the live generation is stored as this one is to be.
    fn same_layout(&self) -> bool {
        let packed = self.parent.as_ref().is_ok_and(Generation::is_packed);
        packed == self.packer.is_some() && (packed || self.same_encoder())
    }

    /// Takes the parent's file if it is still what it was; a damaged one is counted as repaired, as the caller then
    /// writes it.
    fn link(&self, entry: Option<FileEntry<'_>>, coding: Coding) -> bool {
        let Some(file) = entry.and_then(|entry| self.stored(entry, coding)) else { return false };
        let sound = self.is_sound(&file);
        if sound {
            lock(&self.linked).push(file);
        } else {
            self.repaired.fetch_add(1, Relaxed);
        }
        sound
    }

    /// The parent's file in a coding, if the parent is a tree and has it.
    fn stored(&self, entry: FileEntry<'_>, coding: Coding) -> Option<(String, Body)> {
        self.parent.as_ref().ok().filter(|parent| !parent.is_packed())?;
        Some((format!("{}{}", entry.path(), coding.suffix()), entry.body(coding)?))
    }

    /// Whether a file of the parent is still what it was.
    fn is_sound(&self, (path, body): &(String, Body)) -> bool {
        let found = self.parent.as_ref().ok().map(|parent| self.vfs.hash(&parent.name(path)));
        found.is_some_and(|found| found.is_ok_and(|found| found == *body))
    }

    fn write(&self, path: &str, bytes: &[u8], body: Body) -> Result<(), StoreError> {
        self.create(path, |name| self.vfs.write_new(name, bytes))?;
        lock(&self.written).push((path.to_owned(), body));
        Ok(())
    }

    /// Runs `make` on the file's name, and once more after making the directories it belongs in.
    fn create(&self, path: &str, make: impl Fn(&str) -> io::Result<()>) -> Result<(), StoreError> {
        let name = format!("{}/{path}", self.dir);
        let mut made = make(&name);
        if made.as_ref().is_err_and(|err| err.kind() == io::ErrorKind::NotFound) {
            create_dirs(&*self.vfs, name.rsplit_once('/').map_or("", |(dir, _)| dir))?;
            made = make(&name);
        }
        made.map_err(|err| match err.kind() {
            io::ErrorKind::AlreadyExists => put_twice(path),
            _ => StoreError::Io { path: self.vfs.locate(&name), source: err },
        })
    }

    /// Completes the generation and makes it the live one. Reading back runs on `jobs` threads.
    ///
    /// Nothing is published if the live generation has the same hash and is not damaged.
    ///
    /// # Errors
    ///
    /// If the base URL is none, or the system refuses to write or to sync. The live generation stays as it was.
    pub fn publish(self, about: &BuildInfo, jobs: usize) -> Result<PublishOutcome, StoreError> {
        check_base_url(&about.base_url)
            .map_err(|reason| StoreError::Unfit { path: about.base_url.clone(), reason })?;
        let parts = self.parts(about)?;
        if let Some(live) = self.live_with(&parts.manifest.hash).filter(|_| self.same_layout()) {
            return Ok(self.outcome(live, true));
        }
        match &self.packer {
            Some(packer) => self.write_packs(packer, parts.pages, &parts.table)?,
            None => {
                self.make_links(jobs)?;
                let siblings = parts.pages.iter().map(|page| page.beside);
                let siblings = write_siblings(siblings, &self.encoder, parts.manifest.files.table);
                self.write(FILE_TABLE, parts.table.bytes(), Body::of(parts.table.bytes()))?;
                self.write(FILE_LIST, &parts.file_list, Body::of(&parts.file_list))?;
                self.write(SIBLINGS, siblings.bytes(), Body::of(siblings.bytes()))?;
            }
        }
        self.seal(&parts.manifest, &parts.history, jobs)?;
        Ok(self.outcome(parts.manifest, false))
    }

    /// Publishes what an earlier generation holds once more, on a day; nothing, if the live one holds the
    /// same. Returns the name of the generation that is live then.
    pub(super) fn publish_again(self, old: &Generation, day: Date) -> Result<GenerationId, StoreError> {
        if let Some(live) = self.live_with(&old.manifest().hash) {
            return Ok(live.id());
        }
        let stored = old.files().stored().map(|(path, coding, _)| format!("{path}{}", coding.suffix()));
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let files = match old.is_packed() {
            true => old.bodies_of_packs().into_keys().chain(own(&[OBJECTS])).collect(),
            false => stored.chain(own(&[FILE_TABLE, FILE_LIST, SIBLINGS])).collect::<Vec<_>>(),
        };
        for path in files {
            let from = old.name(&path);
            self.create(&path, |to| self.vfs.link(&from, to))?;
        }
        let parent = self.parent.as_ref().ok().map(Generation::id);
        let manifest = Manifest { sequence: self.sequence, parent, ..old.manifest().clone() };
        let identities = old.files().entries().map(|entry| (entry.path(), entry.identity()));
        let versions = old.changes().versions(old.files());
        let history = self.history(&manifest, identities, &versions, (day, old.fingerprint()));
        self.seal(&manifest, &history, 1)?;
        Ok(manifest.id())
    }

    /// Writes what stands outside the hash, and makes all that is staged the live generation.
    fn seal(&self, manifest: &Manifest, history: &Sections, jobs: usize) -> Result<(), StoreError> {
        let text = manifest.to_bytes();
        self.write(MANIFEST, &text, Body::of(&text))?;
        self.write(HISTORY, history.bytes(), Body::of(history.bytes()))?;
        self.commit(manifest.id(), jobs)
    }

    fn make_links(&self, jobs: usize) -> Result<(), StoreError> {
        let Ok(parent) = &self.parent else { return Ok(()) };
        let mut linked = lock(&self.linked);
        // In order of directories: threads then seldom wait for the same one.
        linked.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let link = |(path, _): &(String, Body)| {
            let from = parent.name(path);
            self.create(path, |to| self.vfs.link(&from, to))
        };
        in_parallel(jobs, &linked, link).into_iter().collect()
    }

    /// The live generation's manifest, if it is sound and has this hash.
    fn live_with(&self, hash: &Digest) -> Option<Manifest> {
        let live = self.parent.as_ref().ok().filter(|_| self.repaired.load(Relaxed) == 0);
        live.map(Generation::manifest).filter(|manifest| manifest.hash == *hash).cloned()
    }

    fn outcome(&self, manifest: Manifest, unchanged: bool) -> PublishOutcome {
        let tally = |files: &Mutex<Vec<(String, Body)>>| {
            let files = lock(files);
            Tally { files: files.len() as u64, bytes: files.iter().map(|(_, body)| body.len).sum() }
        };
        let linked = match &self.packer {
            Some(packer) => packer.taken(),
            None => tally(&self.linked),
        };
        PublishOutcome {
            manifest,
            unchanged,
            written: tally(&self.written),
            linked,
            repaired: self.repaired.load(Relaxed),
        }
    }

    /// What says what the files are.
    fn parts(&self, about: &BuildInfo) -> Result<Parts, StoreError> {
        let mut pages = std::mem::take(&mut *lock(&self.pages));
        pages.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        if let Some([twice, _]) = pages.array_windows().find(|[one, next]| one.path == next.path) {
            return Err(put_twice(&twice.path));
        }
        let table = write_table(&pages);
        let table_body = Body::of(table.bytes());
        let identities = || pages.iter().map(|page| (&*page.path, page.identity));
        let file_list = file_list(identities(), table_body.sha256);
        let files = FileTotals {
            count: 1 + pages.len() as u64,
            bytes: table_body.len + pages.iter().map(|page| page.identity.len).sum::<u64>(),
            sha256: Digest::of(&file_list),
            table: table_body.sha256,
        };
        let manifest = self.manifest(about, files);
        let versions = lock(&self.records).versions(&about.ids);
        let history = self.history(&manifest, identities(), &versions, (about.as_of, about.fingerprint));
        Ok(Parts { pages, table, file_list, manifest, history })
    }

    fn manifest(&self, about: &BuildInfo, files: FileTotals) -> Manifest {
        Manifest {
            format: FORMAT,
            sequence: self.sequence,
            parent: self.parent.as_ref().ok().map(Generation::id),
            hash: Manifest::hash_of(&files.sha256, about.as_of, &about.base_url),
            generated_at: about.generated_at,
            as_of: about.as_of,
            base_url: about.base_url.clone(),
            api_version: API_VERSION.to_owned(),
            source: DatasetHash { sha256: about.source },
            counts: about.counts,
            files,
            complete: about.complete,
        }
    }

    /// `history.bin` of pages with their identity bodies, published on this day or later, and what they were made from.
    fn history<'a>(
        &self,
        manifest: &Manifest,
        pages: impl Iterator<Item = (&'a str, Body)> + Clone,
        versions: &Versions,
        (day, fingerprint): (Date, Option<Digest>),
    ) -> Sections {
        let live = self.parent.as_ref().ok();
        let now = dates::date_of(manifest.generated_at, day, dates::latest(&*self.vfs, live));
        let mut history = SectionWriter::default();
        let manifest_hash = Digest::of(&manifest.to_bytes());
        history.put("manifest", [manifest_hash]);
        history.put::<i64>("changed", dates::changed(pages.clone(), live.map(Generation::files), now));
        let (sequence, published) = (manifest.sequence, manifest.generated_at);
        let known = live.map(|live| (live.changes(), live.files()));
        let next = Next { live: known, manifest: manifest_hash, sequence, published, day };
        next.write(versions, &mut history);
        history.put::<Digest>("recipe", Vec::from_iter(fingerprint));
        if let Some(live) = live {
            diff::keep(live, pages, &mut history);
        }
        history.finish()
    }

    /// The protocol, see `store`. Everything is written; nothing can be reached yet.
    fn commit(&self, id: GenerationId, jobs: usize) -> Result<(), StoreError> {
        let (vfs, dir) = (&*self.vfs, directory_of(id));
        vfs.sync_all().map_err(|err| at(vfs, "", err))?; // B1
        self.read_back(jobs)?;
        vfs.rename(&self.dir, &dir).map_err(|err| at(vfs, &dir, err))?;
        vfs.sync(GENERATIONS).map_err(|err| at(vfs, GENERATIONS, err))?; // B2
        point_to(vfs, id)
    }

    /// Everything written is on disk as it was meant, and a reader accepts it.
    fn read_back(&self, jobs: usize) -> Result<(), StoreError> {
        let written = lock(&self.written);
        let check = |(path, body): &(String, Body)| {
            let name = format!("{}/{path}", self.dir);
            check_file(&*self.vfs, &name, *body)
        };
        in_parallel(jobs, &written, check).into_iter().collect::<Result<(), _>>()?;
        Generation::load(&self.vfs, self.dir.clone(), 0).map(|_| ())
    }
}

impl Drop for Stage {
    /// Best effort: the next publisher clears away what is left.
    fn drop(&mut self) {
        let _ = self.vfs.remove(&self.dir);
    }
}

fn put_twice(path: &str) -> StoreError {
    StoreError::Unfit { path: path.to_owned(), reason: "put twice" }
}

struct Parts {
    pages: Vec<Staged>,
    table: Sections,
    file_list: Vec<u8>,
    manifest: Manifest,
    history: Sections,
}

/// Makes a complete, durable generation the live one. The one it replaces is touched, for `gc` counts
/// its rest from here; where that one is gone, this is how to recover.
fn point_to(vfs: &dyn Vfs, id: GenerationId) -> Result<(), StoreError> {
    if let Ok(left) = current(vfs).map(directory_of) {
        match vfs.touch(&left) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(at(vfs, &left, err)),
            _ => {}
        }
    }
    vfs.write_new(CURRENT_TMP, format!("{id}\n").as_bytes()).map_err(|err| at(vfs, CURRENT_TMP, err))?;
    vfs.sync(CURRENT_TMP).map_err(|err| at(vfs, CURRENT_TMP, err))?; // B3
    vfs.rename(CURRENT_TMP, CURRENT).map_err(|err| at(vfs, CURRENT, err))?;
    vfs.sync("").map_err(|err| at(vfs, "", err)) // B4
}

/// A file has this size and hash.
pub(super) fn check_file(vfs: &dyn Vfs, name: &str, expected: Body) -> Result<(), StoreError> {
    let found = vfs.hash(name).map_err(|err| failed(vfs, name, err))?;
    if found.len != expected.len {
        return Err(damaged(vfs, name, FileProblem::Length { expected: expected.len, found: found.len }));
    }
    if found.sha256 != expected.sha256 {
        let problem = FileProblem::Hash { expected: expected.sha256, found: found.sha256 };
        return Err(damaged(vfs, name, problem));
    }
    Ok(())
}

/// A root that holds anything must be one of ours.
fn refuse_foreign(vfs: &dyn Vfs) -> Result<(), StoreError> {
    let found = vfs.list("").map_err(|err| at(vfs, "", err))?;
    if found.iter().any(|(name, kind)| name == GENERATIONS && *kind == FileType::Directory) {
        return Ok(());
    }
    match found.into_iter().find(|(name, _)| name != LOCK && name != KEPT) {
        Some((found, _)) => Err(StoreError::Foreign { path: vfs.locate(""), found }),
        None => Ok(()),
    }
}

/// The lock that publisher, rollback and gc share.
pub(super) fn take_lock(vfs: &dyn Vfs) -> Result<Lock, StoreError> {
    vfs.lock().map_err(|err| match err.kind() {
        io::ErrorKind::WouldBlock => StoreError::Locked { path: vfs.locate(LOCK) },
        _ => at(vfs, LOCK, err),
    })
}

/// Removes what a publisher or gc that did not finish left behind; returns the highest sequence there
/// is, 0 if none. To be called under the lock.
pub(super) fn clear_away(vfs: &dyn Vfs) -> Result<u64, StoreError> {
    let found = vfs.list("").map_err(|err| at(vfs, "", err))?;
    if found.iter().any(|(name, _)| name == CURRENT_TMP) {
        vfs.remove(CURRENT_TMP).map_err(|err| at(vfs, CURRENT_TMP, err))?;
    }
    let mut highest = 0;
    for (name, _) in vfs.list(GENERATIONS).map_err(|err| at(vfs, GENERATIONS, err))? {
        if name.starts_with(TMP_PREFIX) {
            let name = format!("{GENERATIONS}/{name}");
            vfs.remove(&name).map_err(|err| at(vfs, &name, err))?;
        } else if let Ok(id) = name.parse::<GenerationId>() {
            highest = highest.max(id.sequence);
        }
    }
    Ok(highest)
}

fn create_dirs(vfs: &dyn Vfs, dir: &str) -> Result<(), StoreError> {
    vfs.create_dirs(dir).map_err(|err| at(vfs, dir, err))
}

/// Says where an operation failed.
pub(super) fn at(vfs: &dyn Vfs, name: &str, source: io::Error) -> StoreError {
    StoreError::Io { path: vfs.locate(name), source }
}

/// A panic in another thread leaves these collections whole: they are only ever pushed to.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
