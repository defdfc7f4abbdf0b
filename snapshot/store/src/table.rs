//! `index/files.bin`: every page of a generation with lengths, hashes and holes, looked up in place.
//!
//! A section file:
//! ```text
//! paths      u8    all paths, one after the other
//! rows       Row   sorted by path
//! bodies     Body  of each row: of its identity body
//! holes      Hole  of each row: sorted, not overlapping, inside the identity body
//! slots      u32   hash table over the paths: XXH3-64, open addressing, linear probing; row + 1, 0 = free
//! checksums  u64   of each row below index/ (they sort first): checksum of a section file, else 0
//! ```
//! Where bodies are stored, and in which codings, is recorded elsewhere, so that a tree and packs of one dataset have the
//! same table. The table is not in itself; the file list names it.

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::body::{Body, CODINGS, Coding, slice};
use super::error::StoreError;
use super::layout::{FILE_TABLE, INDEX, PUBLIC};
use super::places::Placement;
use super::sections::{Section, SectionError, SectionWriter, Sections, ensure};
use super::siblings::{SiblingTable, Siblings};

/// Longest path below a generation, in bytes.
const MAX_PATH: usize = 512;
/// Longest file name, in bytes: 255 is what file systems take, less the suffix of a coding.
const MAX_NAME: usize = 250;

/// A range of an identity body whose bytes depend on the day. The meaning of rule and argument is up to the code that
/// writes and fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub struct Hole {
    /// Byte offset in the identity body.
    pub start: u32,
    /// Length in bytes; 0 if it may be empty.
    pub len: u32,
    /// What fills it.
    pub rule: u32,
    /// Of which record, for instance.
    pub arg: u32,
}

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Row {
    path_start: u64,
    first_hole: u64,
    path_len: u32,
    hole_count: u32,
}

/// A file of a generation being built.
pub(super) struct StagedFile {
    pub(super) path: String,
    pub(super) identity: Body,
    pub(super) holes: Vec<Hole>,
    /// Of a section file, else 0.
    pub(super) checksum: u64,
    pub(super) stored: Stored,
}

/// How the bodies of a staged file are stored.
pub(super) enum Stored {
    /// As files of a tree.
    Tree(Siblings),
    /// In packs.
    Packed(Placement),
    /// As a file in no pack.
    File,
}

/// The table of files, which are sorted by path.
pub(super) fn write_table(pages: &[StagedFile]) -> Sections {
    let (mut paths, mut rows, mut holes) = (Vec::new(), Vec::new(), Vec::new());
    for page in pages {
        rows.push(Row {
            path_start: paths.len() as u64,
            first_hole: holes.len() as u64,
            path_len: page.path.len() as u32,
            hole_count: page.holes.len() as u32,
        });
        paths.extend_from_slice(page.path.as_bytes());
        holes.extend_from_slice(&page.holes);
    }
    let index = pages.iter().take_while(|page| page.path.starts_with(INDEX));
    let mut writer = SectionWriter::default();
    writer.put("paths", paths);
    writer.put("rows", rows);
    writer.put::<Body>("bodies", pages.iter().map(|page| page.identity).collect::<Vec<_>>());
    writer.put("holes", holes);
    writer.put("slots", slots_of(pages));
    writer.put::<u64>("checksums", index.map(|page| page.checksum).collect::<Vec<_>>());
    writer.finish()
}

/// At most half full, so that probing is short. Row numbers fit `u32`: no file system holds more.
fn slots_of(pages: &[StagedFile]) -> Vec<u32> {
    let mut slots = vec![0u32; (pages.len() * 2).next_power_of_two()];
    let mask = slots.len() - 1;
    for (row, page) in pages.iter().enumerate() {
        let mut at = xxh3_64(page.path.as_bytes()) as usize & mask;
        while slots[at] != 0 {
            at = (at + 1) & mask;
        }
        slots[at] = row as u32 + 1;
    }
    slots
}

/// The open table. Nothing is parsed; all bounds are checked once, here.
#[derive(Clone)]
pub struct FileTable {
    paths: Section<u8>,
    rows: Section<Row>,
    bodies: Section<Body>,
    holes: Section<Hole>,
    slots: Section<u32>,
    checksums: Section<u64>,
    changed: Section<i64>,
    siblings: Option<SiblingTable>,
}

impl FileTable {
    /// `changed` is the section of that name in `history.bin`, one element for each row.
    pub(super) fn open(table: &Sections, changed: Section<i64>) -> Result<Self, SectionError> {
        let table = Self {
            paths: table.get("paths")?,
            rows: table.get("rows")?,
            bodies: table.get("bodies")?,
            holes: table.get("holes")?,
            slots: table.get("slots")?,
            checksums: table.get("checksums")?,
            changed,
            siblings: None,
        };
        table.check()?;
        Ok(table)
    }

    fn check(&self) -> Result<(), SectionError> {
        let (rows, slots) = (&*self.rows, &*self.slots);
        let mut before: &[u8] = b"";
        for row in rows {
            let path = self.check_row(row)?;
            ensure(path > before, "rows", "not sorted by path")?;
            before = path;
        }
        let inside = slots.iter().all(|slot| *slot as usize <= rows.len());
        ensure(slots.len().is_power_of_two() && inside, "slots", "points outside of `rows`")?;
        ensure(self.changed.len() == rows.len(), "changed", "has another length than `rows`")?;
        let index = rows.partition_point(|row| self.path_of(row) < PUBLIC.as_bytes());
        let lengths = "has another length than the rows of index/";
        ensure(self.checksums.len() == index, "checksums", lengths)?;
        ensure(self.bodies.len() == rows.len(), "bodies", "has another length than `rows`")?;
        rows.iter().zip(&*self.bodies).try_for_each(|(row, body)| self.check_holes_of(row, body.len))
    }

    fn check_row<'a>(&'a self, row: &Row) -> Result<&'a [u8], SectionError> {
        let path = slice(&self.paths, row.path_start, row.path_len as usize);
        let path = path.filter(|path| check_path(path).is_ok());
        path.ok_or(SectionError::Content("rows", "a path is outside of `paths` or unsafe"))
    }

    fn check_holes_of(&self, row: &Row, len: u64) -> Result<(), SectionError> {
        let holes = slice(&self.holes, row.first_hole, row.hole_count as usize);
        let fits = holes.is_some_and(|holes| check_holes(holes, len).is_ok());
        ensure(fits, "rows", "a hole is outside of `holes` or of its body")
    }

    /// The table of a tree, with the siblings of its files.
    pub(super) fn with_siblings(self, siblings: SiblingTable) -> Self {
        Self { siblings: Some(siblings), ..self }
    }

    fn path_of(&self, row: &Row) -> &[u8] {
        slice(&self.paths, row.path_start, row.path_len as usize).unwrap_or_default()
    }

    /// Number of pages.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The page below `public/` whose path is `parts` joined. Allocates nothing.
    pub fn lookup(&self, parts: &[&str]) -> Option<FileEntry<'_>> {
        let mut path = [0u8; MAX_PATH];
        let mut end = 0;
        for part in std::iter::once(&PUBLIC).chain(parts) {
            path.get_mut(end..end + part.len())?.copy_from_slice(part.as_bytes());
            end += part.len();
        }
        self.find(&path[..end])
    }

    /// The page with this path below the generation.
    pub(super) fn find(&self, path: &[u8]) -> Option<FileEntry<'_>> {
        let slots = &*self.slots;
        let mask = slots.len() - 1;
        let start = xxh3_64(path) as usize;
        // A damaged table may have no free slot: one round, then give up.
        for step in 0..slots.len() {
            let row = slots[start.wrapping_add(step) & mask].checked_sub(1)?;
            let entry = self.get(row)?;
            if self.path_of(&entry.row) == path {
                return Some(entry);
            }
        }
        None
    }

    /// Whether any page is below this directory.
    pub(super) fn has_directory(&self, dir: &str) -> bool {
        let prefix = [dir.as_bytes(), b"/"].concat();
        let first = self.rows.partition_point(|row| self.path_of(row) < &*prefix);
        let below = self.rows.get(first).is_some_and(|row| self.path_of(row).starts_with(&prefix));
        below || *prefix == *INDEX.as_bytes()
    }

    /// The pages whose paths have this prefix.
    pub(super) fn starting_with(&self, start: &str) -> impl Iterator<Item = FileEntry<'_>> {
        let first = self.rows.partition_point(|row| self.path_of(row) < start.as_bytes());
        let entries = (first..self.rows.len()).filter_map(|number| self.get(number as u32));
        entries.take_while(move |entry| entry.path().starts_with(start))
    }

    /// The page and coding of a file below the generation.
    pub(super) fn file(&self, path: &str) -> Option<(FileEntry<'_>, Coding)> {
        CODINGS.into_iter().find_map(|coding| {
            let entry = self.find(path.strip_suffix(coding.suffix())?.as_bytes())?;
            entry.body(coding).map(|_| (entry, coding))
        })
    }

    /// A page by its number, counted from 0 in order of paths.
    pub fn get(&self, number: u32) -> Option<FileEntry<'_>> {
        let row = *self.rows.get(number as usize)?;
        Some(FileEntry { table: self, number, row })
    }

    /// All pages, below index/ and public/, sorted by path.
    pub fn entries(&self) -> impl Iterator<Item = FileEntry<'_>> + Clone {
        (0..self.rows.len() as u32).filter_map(|number| self.get(number))
    }

    /// Size and hash of each page's identity body.
    pub(super) fn bodies(&self) -> &Section<Body> {
        &self.bodies
    }

    /// When any page last changed, in seconds since 1970.
    pub fn latest_change(&self) -> Option<i64> {
        self.changed.iter().max().copied()
    }

    /// Name of the compressors and levels of a tree's siblings.
    pub(super) fn encoder(&self) -> &[u8] {
        self.siblings.as_ref().map_or(b"", SiblingTable::encoder)
    }
}

/// One page: a path with its bodies. Cheap to copy.
#[derive(Clone, Copy)]
pub struct FileEntry<'a> {
    table: &'a FileTable,
    number: u32,
    row: Row,
}

impl<'a> FileEntry<'a> {
    /// Its number in the table, stable within a generation: a key for caches.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Path below the generation, `public/…` or `index/…`.
    pub fn path(&self) -> &'a str {
        std::str::from_utf8(self.table.path_of(&self.row)).unwrap_or_default()
    }

    /// Size and hash of the identity body.
    pub fn identity(&self) -> Body {
        self.table.bodies.get(self.number as usize).copied().unwrap_or_else(Body::zeroed)
    }

    /// Size and hash in this coding, if it is stored as a file.
    pub fn body(&self, coding: Coding) -> Option<Body> {
        match coding {
            Coding::Identity => Some(self.identity()),
            _ => self.table.siblings.as_ref()?.body(self.number, coding),
        }
    }

    /// Whether it can be sent in a coding: it is stored so, or it is stored in a pack and worth encoding for a request.
    pub fn offers(&self, coding: Coding) -> bool {
        /// Shorter ones fill less than two packets, headers included.
        const SMALL: u64 = 1024;
        let cheap = matches!(coding, Coding::Gzip | Coding::Zstd) && self.table.siblings.is_none();
        let worth =
            || self.path().starts_with(PUBLIC) && self.identity().len >= SMALL && is_text(self.path());
        self.body(coding).is_some() || cheap && worth()
    }

    /// The ranges of the identity body that depend on the day.
    pub fn holes(&self) -> &'a [Hole] {
        slice(&self.table.holes, self.row.first_hole, self.row.hole_count as usize).unwrap_or_default()
    }

    /// `Last-Modified` in seconds since 1970, later than that of any earlier body of this path.
    pub fn changed(&self) -> i64 {
        self.table.changed.get(self.number as usize).copied().unwrap_or_default()
    }

    /// Path and body of the file of a tree in which it is stored in a coding.
    pub(super) fn stored_file(&self, coding: Coding) -> Option<(String, Body)> {
        Some((format!("{}{}", self.path(), coding.suffix()), self.body(coding)?))
    }

    /// Whether it was to be encoded when it was stored.
    pub(super) fn encoded(&self) -> bool {
        self.table.siblings.as_ref().is_some_and(|siblings| siblings.encoded(self.number))
    }

    /// Checksum of a section file; 0 for any other file.
    pub(super) fn checksum(&self) -> u64 {
        self.table.checksums.get(self.number as usize).copied().unwrap_or_default()
    }
}

/// Whether a file is of a type that is not compressed already.
fn is_text(path: &str) -> bool {
    const PACKED: [&str; 9] = ["png", "jpg", "jpeg", "webp", "avif", "gif", "woff2", "zip", "gz"];
    path.rsplit_once('.').is_none_or(|(_, extension)| !PACKED.contains(&extension))
}

/// Holes are sorted, do not overlap and are inside a body of `len` bytes.
pub(super) fn check_holes(holes: &[Hole], len: u64) -> Result<(), &'static str> {
    let mut end = 0;
    for hole in holes {
        if u64::from(hole.start) < end {
            return Err("holes overlap or are not sorted");
        }
        end = u64::from(hole.start) + u64::from(hole.len);
    }
    if end > len { Err("a hole lies outside of the body") } else { Ok(()) }
}

/// A path that any file system, `sha256sum -c` and any web server read the same way: below index/ or public/, of letters,
/// digits and `-._~`, without empty names and names of dots only.
pub(super) fn check_path(path: &[u8]) -> Result<(), &'static str> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    if !path.starts_with(INDEX.as_bytes()) && !path.starts_with(PUBLIC.as_bytes()) {
        return Err("not below index/ or public/");
    }
    if path == FILE_TABLE.as_bytes() {
        return Err("this name belongs to the store");
    }
    if path.len() + Coding::Zstd.suffix().len() > MAX_PATH {
        return Err("path is too long");
    }
    for name in path.split(|byte| *byte == b'/') {
        if name.is_empty() || name.len() > MAX_NAME || !name.iter().all(plain) {
            return Err("a name is empty, too long, or has other bytes than letters, digits and -._~");
        }
        if name.iter().all(|byte| *byte == b'.') {
            return Err("a name of dots only");
        }
    }
    Ok(())
}

/// The same as an error of the caller.
pub(super) fn check_page(path: &str, holes: &[Hole], len: usize) -> Result<(), StoreError> {
    let fit = check_path(path.as_bytes()).and_then(|()| check_holes(holes, len as u64));
    fit.map_err(|reason| StoreError::Unfit { path: path.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::super::body::Digest;
    use super::super::siblings::write_siblings;
    use super::*;

    fn page(path: &str, codings: usize) -> StagedFile {
        let bodies = [1, 2, 3].map(|n| (n <= codings).then(|| Body::of(path.as_bytes())));
        let stored = Stored::Tree(Siblings { bodies, encoded: true });
        let holes =
            vec![Hole { start: 1, len: 2, rule: 3, arg: 4 }, Hole { start: 3, len: 0, rule: 5, arg: 6 }];
        StagedFile { path: path.to_owned(), identity: Body::of(path.as_bytes()), holes, checksum: 0, stored }
    }

    fn table_of(bytes: &[u8], files: &[StagedFile]) -> Result<FileTable, SectionError> {
        let mut history = SectionWriter::default();
        history.put("changed", vec![7i64; files.len()]);
        let table = FileTable::open(&Sections::from_bytes(bytes)?, history.finish().get("changed")?)?;
        let hash = Digest::of(bytes);
        let siblings = files.iter().map(|file| match file.stored {
            Stored::Tree(siblings) => siblings,
            _ => Siblings::default(),
        });
        let siblings = SiblingTable::open(&write_siblings(siblings, "e", hash), hash, files.len())?;
        Ok(table.with_siblings(siblings))
    }

    #[test]
    fn every_path_of_the_table_is_found_and_no_other() {
        let paths: Vec<_> = (0..1000).map(|n| format!("public/p/{n:03}")).collect();
        let pages: Vec<_> = paths.iter().enumerate().map(|(n, path)| page(path, n % 4)).collect();
        let table = table_of(write_table(&pages).bytes(), &pages).unwrap();
        for (n, path) in paths.iter().enumerate() {
            let entry = table.lookup(&["p/", &path[9..]]).unwrap();
            assert_eq!((entry.number() as usize, entry.path(), entry.changed()), (n, &**path, 7));
            let stored = CODINGS.map(|coding| entry.body(coding).is_some());
            assert_eq!(stored, [true, n % 4 > 0, n % 4 > 1, n % 4 > 2]);
        }
        assert!(table.lookup(&["p/1000"]).is_none() && table.lookup(&[]).is_none());
        assert!(table_of(write_table(&[]).bytes(), &[]).unwrap().lookup(&["p"]).is_none());
    }

    #[test]
    fn a_forged_table_is_refused_or_read_without_panic() {
        let pages = [page("index/x", 0), page("public/a", 3), page("public/b", 1)];
        let good = write_table(&pages).bytes().to_vec();
        let mut refused = 0;
        for (at, bit) in (16..good.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut forged = good.clone();
            forged[at] ^= 1 << bit;
            let checksum = xxh3_64(&forged[16..]);
            forged[8..16].copy_from_slice(&checksum.to_le_bytes());
            let Ok(table) = table_of(&forged, &pages) else {
                refused += 1;
                continue;
            };
            for entry in table.entries() {
                let _ =
                    (entry.path(), entry.holes(), entry.checksum(), CODINGS.map(|coding| entry.body(coding)));
            }
            let _ =
                (table.lookup(&["a"]).is_some(), table.file("public/b.gz"), table.has_directory("public"));
        }
        assert!(refused > 100, "{refused}");
    }
}
