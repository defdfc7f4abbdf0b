//! `siblings.bin`: the bodies of a tree's files in other codings, stored beside them.
//!
//! A section file:
//! ```text
//! table    Digest   of index/files.bin
//! rows     Row      of each row of that table
//! bodies   Body     of each row: one per stored coding, in `CODINGS` order
//! encoder  u8       names the compressors and levels
//! ```
//! None of it is part of the generation's hash: other compressors, or none, make no other generation.

use bytemuck::{Pod, Zeroable};

use super::body::{Body, Coding, Digest, slice};
use super::sections::{Section, SectionError, SectionWriter, Sections, ensure};

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Row {
    first: u32,
    /// `Coding::bit` of every stored body, and `ENCODED`.
    flags: u32,
}

/// Flag of a page that was to be encoded, whether or not a coding was worth storing.
const ENCODED: u32 = 1 << 16;
const CODED: u32 = 0b1110;

impl Row {
    fn count(self) -> usize {
        (self.flags & CODED).count_ones() as usize
    }
}

/// The bodies of a page in other codings.
#[derive(Clone, Copy, Default)]
pub(super) struct Siblings {
    /// In `CODINGS` order, without identity.
    pub(super) bodies: [Option<Body>; 3],
    /// Whether the page was to be encoded.
    pub(super) encoded: bool,
}

/// The file, from the siblings of each row of the table.
pub(super) fn write_siblings(
    pages: impl Iterator<Item = Siblings>,
    encoder: &str,
    table: Digest,
) -> Sections {
    let (mut rows, mut bodies) = (Vec::new(), Vec::new());
    for siblings in pages {
        let bits = (1..).zip(siblings.bodies).filter(|(_, body)| body.is_some()).map(|(bit, _)| 1 << bit);
        let encoded = if siblings.encoded { ENCODED } else { 0 };
        rows.push(Row {
            first: bodies.len() as u32,
            flags: bits.fold(encoded, |flags, bit: u32| flags | bit),
        });
        bodies.extend(siblings.bodies.into_iter().flatten());
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
pub(super) struct SiblingTable {
    rows: Section<Row>,
    bodies: Section<Body>,
    encoder: Section<u8>,
}

impl SiblingTable {
    /// `table` is the hash of a table with `rows` rows.
    pub(super) fn open(file: &Sections, table: Digest, rows: usize) -> Result<Self, SectionError> {
        let of = file.get::<Digest>("table")?;
        let siblings =
            Self { rows: file.get("rows")?, bodies: file.get("bodies")?, encoder: file.get("encoder")? };
        let is_its = *of == [table] && siblings.rows.len() == rows;
        ensure(is_its, "table", "is not that of this generation")?;
        let inside = |row: &Row| {
            row.flags & !(ENCODED | CODED) == 0
                && slice(&siblings.bodies, row.first.into(), row.count()).is_some()
        };
        ensure(siblings.rows.iter().all(inside), "rows", "outside of `bodies`, or wrong flags")?;
        ensure(std::str::from_utf8(&siblings.encoder).is_ok(), "encoder", "is not UTF-8")?;
        Ok(siblings)
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

    /// Whether a row was to be encoded.
    pub(super) fn encoded(&self, row: u32) -> bool {
        self.rows.get(row as usize).is_some_and(|row| row.flags & ENCODED != 0)
    }

    /// Name of the compressors and levels.
    pub(super) fn encoder(&self) -> &[u8] {
        &self.encoder
    }
}
