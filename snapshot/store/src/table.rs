//! `index/files.bin`: every page of a generation with lengths, hashes and holes, looked up in place.
//!
//! A section file:
//! ```text
//! paths   u8     all paths, one after the other
//! rows    Row    sorted by path: length and hash of the identity body, and where it is in the archive
//! holes   Hole   of each row: sorted, not overlapping, inside the identity body
//! pieces  Piece  of each row that is longer than one, see `archive`
//! slots   u32    hash table over the paths: CRC-32, open addressing, linear probing; row + 1, 0 = free
//! index   u32    CRC-32 of each other file of the index, in the order of the manifest
//! ```

use bytemuck::{Pod, Zeroable};
use libdeflater::crc32;

use super::archive::{DEFLATED, GZIP_FRAME, LOCAL_HEADER, Piece, Place, STORED, piece_count};
use super::body::{Body, Coding, Digest, slice};
use super::sections::{Section, SectionError, SectionWriter, Sections, ensure};

/// Longest path, in bytes.
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
    identity: Body,
    place: Place,
}

/// A file to be published.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// In the archive, of letters, digits and `-._~`.
    pub path: &'a str,
    /// The bytes.
    pub body: &'a [u8],
    /// The bytes that depend on the day; sorted, not overlapping.
    pub holes: &'a [Hole],
    /// What the holes follow from on any day: the version of a record differs where it does.
    pub inputs: &'a [u8],
}

/// A body of a generation being built.
pub(super) struct StagedFile {
    pub(super) path: String,
    pub(super) identity: Body,
    /// Its hash, if a record's: with what the holes follow from in place of them.
    pub(super) on_any_day: Digest,
    pub(super) holes: Vec<Hole>,
    pub(super) place: Place,
    pub(super) pieces: Vec<Piece>,
    pub(super) source: Source,
}

/// Where the data of an entry is until the archive is written.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// In the spool.
    Spool(u64),
    /// In the archive of the live generation.
    Live(u64),
}

/// The table of files, which are sorted by path, and of the checksums of the index.
pub(super) fn write_table(files: &[StagedFile], index: Vec<u32>) -> SectionWriter {
    let (mut paths, mut rows, mut holes, mut pieces) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for file in files {
        rows.push(Row {
            path_start: paths.len() as u64,
            first_hole: holes.len() as u64,
            path_len: file.path.len() as u32,
            hole_count: file.holes.len() as u32,
            identity: file.identity,
            place: file.place,
        });
        paths.extend_from_slice(file.path.as_bytes());
        holes.extend_from_slice(&file.holes);
        pieces.extend_from_slice(&file.pieces);
    }
    let mut writer = SectionWriter::default();
    writer.put("paths", paths);
    writer.put("rows", rows);
    writer.put("holes", holes);
    writer.put("pieces", pieces);
    writer.put("slots", slots_of(files));
    writer.put("index", index);
    writer
}

/// At most half full, so that probing is short. Row numbers fit `u32`: no file system holds more.
fn slots_of(files: &[StagedFile]) -> Vec<u32> {
    let mut slots = vec![0u32; (files.len() * 2).next_power_of_two()];
    let mask = slots.len() - 1;
    for (row, file) in files.iter().enumerate() {
        let mut at = crc32(file.path.as_bytes()) as usize & mask;
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
    holes: Section<Hole>,
    pieces: Section<Piece>,
    slots: Section<u32>,
    /// Checksums of the other files of the index.
    pub(super) index: Section<u32>,
    changed: Section<i64>,
}

impl FileTable {
    /// `changed` is the section of that name in `changes.bin`, one element for each row; `archive` the length of the archive.
    pub(super) fn open(table: &Sections, changed: Section<i64>, archive: u64) -> Result<Self, SectionError> {
        let table = Self {
            paths: table.get("paths")?,
            rows: table.get("rows")?,
            holes: table.get("holes")?,
            pieces: table.get("pieces")?,
            slots: table.get("slots")?,
            index: table.get("index")?,
            changed,
        };
        table.check(archive)?;
        Ok(table)
    }

    fn check(&self, archive: u64) -> Result<(), SectionError> {
        let (mut before, mut end, mut pieces): (&[u8], u64, u64) = (b"", 0, 0);
        for row in &*self.rows {
            let path = slice(&self.paths, row.path_start, row.path_len as usize);
            let path = path.filter(|path| check_path(path).is_ok());
            let path = path.ok_or(SectionError("rows", "a path is outside of `paths` or unsafe"))?;
            ensure(path > before, "rows", "not sorted by path")?;
            let holes = slice(&self.holes, row.first_hole, row.hole_count as usize);
            let fits = holes.is_some_and(|holes| check_holes(holes, row.identity.len).is_ok());
            ensure(fits, "rows", "a hole is outside of `holes` or of its body")?;
            self.check_place(row, end, pieces)?;
            before = path;
            end = row.place.start.saturating_add(row.place.len.into());
            pieces += piece_count(row.identity.len);
        }
        ensure(self.changed.len() == self.rows.len(), "changed", "has another length than `rows`")?;
        ensure(end <= archive, "rows", "names bodies behind the end of the archive")
    }

    /// Entries follow each other, with room for a header and a path between them, and each has as many pieces as its body
    /// is long.
    fn check_place(&self, row: &Row, end: u64, first_piece: u64) -> Result<(), SectionError> {
        let (place, len) = (&row.place, row.identity.len);
        let count = piece_count(len);
        let stored = place.method == STORED && u64::from(place.len) == len && count == 0;
        let fits = place.start == end.saturating_add(LOCAL_HEADER + u64::from(row.path_len))
            && place.first_piece == first_piece
            && (stored || place.method == DEFLATED);
        ensure(fits, "rows", "an entry overlaps another, or is packed in an unknown way")?;
        let inside = slice(&self.pieces, first_piece, count as usize).is_some_and(|pieces| {
            pieces.is_sorted_by(|one, next| one.start < next.start)
                && pieces.first().is_none_or(|first| first.start == 0)
                && pieces.last().is_none_or(|last| last.start < place.len)
        });
        ensure(inside, "pieces", "a piece is outside of its entry")
    }

    fn path_of(&self, row: &Row) -> &[u8] {
        slice(&self.paths, row.path_start, row.path_len as usize).unwrap_or_default()
    }

    /// Number of pages.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The page whose path is `parts` joined. Allocates nothing.
    pub fn lookup(&self, parts: &[&str]) -> Option<FileEntry<'_>> {
        let mut path = [0u8; MAX_PATH];
        let mut end = 0;
        for part in parts {
            path.get_mut(end..end + part.len())?.copy_from_slice(part.as_bytes());
            end += part.len();
        }
        self.find(&path[..end])
    }

    /// The page with this path.
    pub(super) fn find(&self, path: &[u8]) -> Option<FileEntry<'_>> {
        let (slots, start) = (&*self.slots, crc32(path) as usize);
        // A hostile table may have no free slot: one round, then give up.
        for step in 0..slots.len() {
            let row = slots[start.wrapping_add(step) & (slots.len() - 1)].checked_sub(1)?;
            let entry = self.get(row)?;
            if self.path_of(entry.row) == path {
                return Some(entry);
            }
        }
        None
    }

    /// A page by its number, counted from 0 in order of paths.
    pub fn get(&self, number: u32) -> Option<FileEntry<'_>> {
        let row = self.rows.get(number as usize)?;
        Some(FileEntry { table: self, number, row })
    }

    /// All pages, sorted by path.
    pub fn entries(&self) -> impl Iterator<Item = FileEntry<'_>> + Clone {
        (0..self.rows.len() as u32).filter_map(|number| self.get(number))
    }

    /// Path, size and hash of each.
    pub(super) fn bodies(&self) -> impl Iterator<Item = (&str, Body)> + Clone {
        self.entries().map(|entry| (entry.path(), entry.identity()))
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
    /// Its number in the table, stable within a generation: a key for caches.
    pub number: u32,
    row: &'a Row,
}

impl<'a> FileEntry<'a> {
    /// Its path in the archive.
    pub fn path(&self) -> &'a str {
        std::str::from_utf8(self.table.path_of(self.row)).unwrap_or_default()
    }

    /// Size and hash of the identity body.
    pub fn identity(&self) -> Body {
        self.row.identity
    }

    /// Whether it is stored in a coding.
    pub fn offers(&self, coding: Coding) -> bool {
        /// Shorter ones fill less than two packets, headers included.
        const SMALL: u64 = 1024;
        coding == Coding::Identity || self.identity().len >= SMALL && self.row.place.method == DEFLATED
    }

    /// Its length in a coding that it offers.
    pub fn length(&self, coding: Coding) -> u64 {
        match coding {
            Coding::Identity => self.identity().len,
            Coding::Gzip => u64::from(self.row.place.len) + GZIP_FRAME,
        }
    }

    /// Where it is in the archive.
    pub(super) fn place(&self) -> Place {
        self.row.place
    }

    /// The pieces of a long body.
    pub(super) fn pieces(&self) -> &'a [Piece] {
        let count = piece_count(self.identity().len);
        slice(&self.table.pieces, self.row.place.first_piece, count as usize).unwrap_or_default()
    }

    /// The ranges of the identity body that depend on the day.
    pub fn holes(&self) -> &'a [Hole] {
        slice(&self.table.holes, self.row.first_hole, self.row.hole_count as usize).unwrap_or_default()
    }

    /// `Last-Modified` in seconds since 1970, later than that of any earlier body of this path.
    pub fn changed(&self) -> i64 {
        self.table.changed.get(self.number as usize).copied().unwrap_or_default()
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

/// A path that any file system, `sha256sum -c` and any web server read the same way: of letters, digits and `-._~`, without
/// empty names and names of dots only.
pub(super) fn check_path(path: &[u8]) -> Result<(), &'static str> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
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
