//! `siblings.bin`: what a tree has beside its files, the same bodies in other codings.
//!
//! A section file:
//! ```text
//! table    Digest   of index/files.bin, whose rows these are
//! rows     Beside   of each row of the table
//! bodies   Body     of each row: one per stored coding, in `CODINGS` order
//! encoder  u8       names the compressors and levels
//! ```
//! None of it is part of what a generation is: other compressors, or none, make no other generation.

use bytemuck::{Pod, Zeroable};

use super::body::{Body, Coding, slice};
use super::digest::Digest;
use super::sections::{Section, SectionError, SectionWriter, Sections};

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Row {
    first: u32,
    /// `Coding::bit` of every body there is, and `ENCODED`.
    flags: u32,
}

/// Flag of a page for which codings were asked, whether or not one was worth storing.
const ENCODED: u32 = 1 << 16;
const CODED: u32 = 0b1110;

impl Row {
    fn count(self) -> usize {
        (self.flags & CODED).count_ones() as usize
    }
}

/// What a page on its way has in other codings.
#[derive(Clone, Copy, Default)]
pub(super) struct Beside {
    /// In `CODINGS` order, without identity.
    pub(super) bodies: [Option<Body>; 3],
    /// Codings were asked for.
    pub(super) encoded: bool,
}

/// The bytes of the file, from what each row of the table has.
pub(super) fn write_siblings(pages: impl Iterator<Item = Beside>, encoder: &str, table: Digest) -> Sections {
    let (mut rows, mut bodies) = (Vec::new(), Vec::new());
    for beside in pages {
        let bits = (1..).zip(beside.bodies).filter(|(_, body)| body.is_some()).map(|(bit, _)| 1 << bit);
        let encoded = if beside.encoded { ENCODED } else { 0 };
        rows.push(Row {
            first: bodies.len() as u32,
            flags: bits.fold(encoded, |flags, bit: u32| flags | bit),
        });
        bodies.extend(beside.bodies.into_iter().flatten());
    }
    let mut writer = SectionWriter::default();
    writer.put("table", [table]);
    writer.put("rows", rows);
    writer.put::<Body>("bodies", bodies);
    writer.put("encoder", encoder.as_bytes());
    writer.finish()
}

/// The open file. All bounds are checked once, here.
#[derive(Clone)]
pub(super) struct Siblings {
    rows: Section<Row>,
    bodies: Section<Body>,
    encoder: Section<u8>,
}

impl Siblings {
    /// `table` is the hash of a table of so many rows.
    pub(super) fn open(file: &Sections, table: Digest, rows: usize) -> Result<Self, SectionError> {
        let of = file.get::<Digest>("table")?;
        let siblings =
            Self { rows: file.get("rows")?, bodies: file.get("bodies")?, encoder: file.get("encoder")? };
        let outside = |row: &Row| {
            row.flags & !(ENCODED | CODED) != 0
                || slice(&siblings.bodies, row.first.into(), row.count()).is_none()
        };
        if *of != [table] || siblings.rows.len() != rows {
            return Err(SectionError::Content("table", "is not that of this generation"));
        }
        if siblings.rows.iter().any(outside) {
            return Err(SectionError::Content("rows", "outside of `bodies`, or wrong flags"));
        }
        match std::str::from_utf8(&siblings.encoder) {
            Ok(_) => Ok(siblings),
            Err(_) => Err(SectionError::Content("encoder", "is not UTF-8")),
        }
    }

    /// Size and hash of a row in a coding, if it is stored.
    pub(super) fn body(&self, row: u32, coding: Coding) -> Option<Body> {
        let row = *self.rows.get(row as usize)?;
        if row.flags & CODED & coding.bit() == 0 {
            return None;
        }
        let before = (row.flags & CODED & (coding.bit() - 1)).count_ones();
        slice(&self.bodies, row.first.into(), row.count())?.get(before as usize).copied()
    }

    /// Whether codings were asked for when a row was stored.
    pub(super) fn encoded(&self, row: u32) -> bool {
        self.rows.get(row as usize).is_some_and(|row| row.flags & ENCODED != 0)
    }

    /// Names the compressors and levels.
    pub(super) fn encoder(&self) -> &[u8] {
        &self.encoder
    }
}
