//! `index/files.bin`: every page of a generation with lengths, hashes and holes, looked up in place.
//!
//! A section file:
//! ```text
//! paths      u8    all paths, one after the other
//! rows       Row   sorted by path
//! bodies     Body  of each row: of its identity body
//! holes      Hole  of each row: sorted, not overlapping, inside the identity body
//! slots      u32   hash table over the paths: XXH3-64, open addressing, linear probing; row + 1, 0 = free
//! checksums  u64   of each row below index/ (they sort first): checksum of a section file
//! places     Place of each other row: where it is in the archive
//! pieces     Piece of each of them that is longer than one, see `archive`
//! ```
//! The table is not in itself; the manifest names it.

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::archive::{DEFLATED, GZIP_FRAME, LOCAL_HEADER, Piece, Place, STORED, piece_count};
use super::body::{Body, Coding, slice};
use super::error::StoreError;
use super::layout::{FILE_TABLE, INDEX, PUBLIC};
use super::sections::{Section, SectionError, SectionFile, SectionWriter, Sections, ensure};
use super::stage::Source;

/// Longest path below a generation, in bytes.
const MAX_PATH: usize = 512;
/// Longest file name, in bytes: 255 is what file systems take, less the suffix of a compressed file.
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
    /// How it is packed, below `public/`.
    pub(super) place: Place,
    pub(super) pieces: Vec<Piece>,
    pub(super) source: Source,
}

/// The table of files, which are sorted by path.
pub(super) fn write_table(pages: &[StagedFile]) -> SectionFile {
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
    let (index, public) = pages.split_at(pages.partition_point(|page| page.path.starts_with(INDEX)));
    let mut writer = SectionWriter::default();
    writer.put("paths", paths);
    writer.put("rows", rows);
    writer.put::<Body>("bodies", pages.iter().map(|page| page.identity).collect::<Vec<_>>());
    writer.put("holes", holes);
    writer.put("slots", slots_of(pages));
    writer.put::<u64>("checksums", index.iter().map(|page| page.checksum).collect::<Vec<_>>());
    writer.put::<Place>("places", public.iter().map(|page| page.place).collect::<Vec<_>>());
    writer.put::<Piece>("pieces", public.iter().flat_map(|page| page.pieces.clone()).collect::<Vec<_>>());
    writer.file()
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
    places: Section<Place>,
    pieces: Section<Piece>,
    changed: Section<i64>,
}

impl FileTable {
    /// `changed` is the section of that name in `changes.bin`, one element for each row; `archive` the length of the archive.
    pub(super) fn open(table: &Sections, changed: Section<i64>, archive: u64) -> Result<Self, SectionError> {
        let table = Self {
            paths: table.get("paths")?,
            rows: table.get("rows")?,
            bodies: table.get("bodies")?,
            holes: table.get("holes")?,
            slots: table.get("slots")?,
            checksums: table.get("checksums")?,
            places: table.get("places")?,
            pieces: table.get("pieces")?,
            changed,
        };
        table.check(archive)?;
        Ok(table)
    }

    fn check(&self, archive: u64) -> Result<(), SectionError> {
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
        ensure(self.places.len() == rows.len() - index, "places", "has another length than the other rows")?;
        ensure(self.check_places(index)? <= archive, "places", "names bodies behind the end of the archive")?;
        rows.iter().zip(&*self.bodies).try_for_each(|(row, body)| self.check_holes_of(row, body.len))
    }

    /// Entries follow each other, with room for a header and a path between them, and each has as many pieces as its body
    /// is long. Gives where the last one ends.
    fn check_places(&self, first: usize) -> Result<u64, SectionError> {
        let (mut end, mut pieces) = (0u64, 0);
        let rows = self.rows[first..].iter().zip(&self.bodies[first..]);
        for (place, (row, body)) in self.places.iter().zip(rows) {
            let header = LOCAL_HEADER + u64::from(row.path_len) - PUBLIC.len() as u64;
            let count = piece_count(body.len);
            let stored = place.method == STORED && u64::from(place.len) == body.len && count == 0;
            let fits = place.start == end.saturating_add(header)
                && place.first_piece == pieces
                && (stored || place.method == DEFLATED);
            ensure(fits, "places", "an entry overlaps another, or is packed in an unknown way")?;
            let inside = slice(&self.pieces, pieces, count as usize).is_some_and(|pieces| {
                pieces.is_sorted_by(|one, next| one.start < next.start)
                    && pieces.first().is_none_or(|first| first.start == 0)
                    && pieces.last().is_none_or(|last| last.start < place.len)
            });
            ensure(inside, "pieces", "a piece is outside of its entry")?;
            end = place.start.saturating_add(place.len.into());
            pieces += count;
        }
        Ok(end)
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

    /// A page by its number, counted from 0 in order of paths.
    pub fn get(&self, number: u32) -> Option<FileEntry<'_>> {
        let row = *self.rows.get(number as usize)?;
        Some(FileEntry { table: self, number, row })
    }

    /// All pages, below index/ and public/, sorted by path.
    pub fn entries(&self) -> impl Iterator<Item = FileEntry<'_>> + Clone {
        (0..self.rows.len() as u32).filter_map(|number| self.get(number))
    }

    /// When any page last changed, in seconds since 1970.
    pub fn latest_change(&self) -> Option<i64> {
        self.changed.iter().max().copied()
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

    /// Whether it is stored in a coding.
    pub fn offers(&self, coding: Coding) -> bool {
        /// Shorter ones fill less than two packets, headers included.
        const SMALL: u64 = 1024;
        let is_deflated = || self.place().is_some_and(|place| place.method == DEFLATED);
        coding == Coding::Identity || self.identity().len >= SMALL && is_deflated()
    }

    /// Its length in a coding that it offers.
    pub fn length(&self, coding: Coding) -> Option<u64> {
        match coding {
            Coding::Identity => Some(self.identity().len),
            Coding::Gzip => self.place().map(|place| u64::from(place.len) + GZIP_FRAME),
        }
    }

    /// Where it is in the archive; none of a file of the index.
    pub(super) fn place(&self) -> Option<Place> {
        let index = self.table.checksums.len();
        self.table.places.get((self.number as usize).checked_sub(index)?).copied()
    }

    /// The pieces of a long body.
    pub(super) fn pieces(&self) -> &'a [Piece] {
        let (place, count) = (self.place().unwrap_or_default(), piece_count(self.identity().len));
        slice(&self.table.pieces, place.first_piece, count as usize).unwrap_or_default()
    }

    /// The ranges of the identity body that depend on the day.
    pub fn holes(&self) -> &'a [Hole] {
        slice(&self.table.holes, self.row.first_hole, self.row.hole_count as usize).unwrap_or_default()
    }

    /// `Last-Modified` in seconds since 1970, later than that of any earlier body of this path.
    pub fn changed(&self) -> i64 {
        self.table.changed.get(self.number as usize).copied().unwrap_or_default()
    }

    /// Checksum of a section file; 0 for any other file.
    pub(super) fn checksum(&self) -> u64 {
        self.table.checksums.get(self.number as usize).copied().unwrap_or_default()
    }
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
    if path.len() > MAX_PATH {
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
