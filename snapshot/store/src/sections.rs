//! A file of named, typed, 64-byte-aligned sections that is mapped, or copied into memory, and read in place.
//!
//! ```text
//! 0   magic      8 bytes  "OPDIRSEC"
//! 8   version    u32      SECTIONS_VERSION
//! 12  count      u32      number of sections
//! 16  table      count × { name: [u8; 16] zero padded, offset u64, length u64 }
//! …   sections, each starting on a multiple of 64
//! ```
//! All integers are little-endian. The manifest has the hash of the file, `index/files.bin` a checksum. A process that may
//! write the directory can also write a matching hash, so the code that opens a section checks every offset in it.

use std::io::Write as _;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use bytemuck::allocation::BoxBytes;
use libdeflater::Crc;

use super::body::{Chunks, Sink};
use super::mapping::Mapping;

#[cfg(target_endian = "big")]
compile_error!("section files are little-endian and read in place");

const MAGIC: &[u8; 8] = b"OPDIRSEC";
const SECTIONS_VERSION: u32 = 2;
const HEADER_BYTES: usize = 16;
const ENTRY_BYTES: usize = 32;
const NAME_BYTES: usize = 16;
const ALIGNMENT: usize = 64;

/// Why a section file was refused: the section, the header or the table, and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("section `{0}`: {1}")]
pub struct SectionError(pub &'static str, pub &'static str);

/// Checks a rule for the content of a section.
///
/// # Errors
///
/// If it does not hold.
pub fn ensure(holds: bool, section: &'static str, broken: &'static str) -> Result<(), SectionError> {
    if holds { Ok(()) } else { Err(SectionError(section, broken)) }
}

/// A section's name and place in the file.
type Named = ([u8; NAME_BYTES], Range<usize>);

/// An open section file. Cheap to clone; the mapping lives as long as the last section of it.
#[derive(Clone)]
pub struct Sections {
    map: Arc<Mapping>,
    table: Arc<[Named]>,
}

impl Sections {
    /// Checks header and table over a copy of bytes in memory.
    ///
    /// # Errors
    ///
    /// If they are of another version, or a section is outside of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SectionError> {
        Self::new(Mapping::copy_of(bytes))
    }

    pub(super) fn new(map: Mapping) -> Result<Self, SectionError> {
        let header = map.get(..HEADER_BYTES).unwrap_or(&[0; HEADER_BYTES]);
        let [version, count]: [u32; 2] = bytemuck::pod_read_unaligned(&header[8..]);
        let is_ours = header[..8] == *MAGIC && version == SECTIONS_VERSION;
        ensure(is_ours, "header", "is not that of a section file of this version")?;
        let table = read_table(&map, count as usize).ok_or(SectionError("table", "is damaged"))?;
        Ok(Self { map: Arc::new(map), table: table.into() })
    }

    /// Lets go of the pages that checking read, which stay in the cache of the system: what counts as
    /// this process's memory is what requests read.
    pub fn let_go(&self) {
        self.map.let_go();
    }

    /// CRC-32 of the file.
    pub(super) fn checksum(&self) -> u32 {
        let mut crc = Crc::new();
        // Summing cannot fail.
        let _ = self.map.each(&mut |chunk| {
            crc.update(chunk);
            Ok(())
        });
        crc.sum()
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// A section as a slice of `T`. Names are at most 16 bytes.
    ///
    /// # Errors
    ///
    /// If it is missing, or its length is no multiple of a `T`.
    pub fn get<T: Pod>(&self, name: &'static str) -> Result<Section<T>, SectionError> {
        let key = padded(name);
        let found = self.table.iter().find(|(name, _)| *name == key);
        let (_, range) = found.ok_or(SectionError(name, "is missing"))?;
        ensure(range.len() % size_of::<T>() == 0, name, "length is no multiple of its element")?;
        Ok(Section { map: Arc::clone(&self.map), range: range.clone(), element: PhantomData })
    }
}

/// The table, if each section lies inside the file and is aligned.
fn read_table(bytes: &[u8], count: usize) -> Option<Vec<Named>> {
    let table = bytes.get(HEADER_BYTES..)?.get(..count.checked_mul(ENTRY_BYTES)?)?;
    let entry = |entry: &[u8]| {
        let (name, place) = entry.split_first_chunk()?;
        let [offset, length] = bytemuck::pod_read_unaligned::<[u64; 2]>(place).map(|number| number as usize);
        let end = offset.checked_add(length)?;
        (end <= bytes.len() && offset % ALIGNMENT == 0).then_some((*name, offset..end))
    };
    table.chunks_exact(ENTRY_BYTES).map(entry).collect()
}

/// A typed slice of an open section file.
#[derive(Clone)]
pub struct Section<T> {
    map: Arc<Mapping>,
    range: Range<usize>,
    element: PhantomData<T>,
}

impl<T: Pod> Deref for Section<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[self.range.clone()])
    }
}

/// Collects sections and lays them out. Order of `put` is order in the file.
#[derive(Default)]
pub struct SectionWriter {
    sections: Vec<([u8; NAME_BYTES], BoxBytes)>,
}

impl SectionWriter {
    /// Adds a section. Names are at most 16 bytes and unique.
    pub fn put<T: Pod>(&mut self, name: &'static str, elements: impl Into<Vec<T>>) {
        self.sections.push((padded(name), elements.into().into_boxed_slice().into()));
    }

    /// Adds the sections of another writer.
    pub fn append(&mut self, other: Self) {
        self.sections.extend(other.sections);
    }

    /// The whole file, in memory.
    pub fn finish(self) -> Sections {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.each(&mut |chunk| bytes.write_all(chunk));
        Sections { map: Arc::new(Mapping::copy_of(&bytes)), table: self.table().into() }
    }

    /// Where each section begins and ends.
    fn table(&self) -> Vec<Named> {
        let mut end = HEADER_BYTES + self.sections.len() * ENTRY_BYTES;
        let place = |(name, content): &([u8; NAME_BYTES], BoxBytes)| {
            let start = end.next_multiple_of(ALIGNMENT);
            end = start + content.len();
            (*name, start..end)
        };
        self.sections.iter().map(place).collect()
    }
}

/// The file, not laid out in memory.
impl Chunks for SectionWriter {
    fn each(&self, sink: Sink<'_>) -> std::io::Result<()> {
        let table = self.table();
        let mut header = MAGIC.to_vec();
        header.extend([SECTIONS_VERSION, table.len() as u32].map(u32::to_le_bytes).concat());
        for (name, range) in &table {
            header.extend(name);
            header.extend([range.start as u64, range.len() as u64].map(u64::to_le_bytes).concat());
        }
        sink(&header)?;
        let mut end = header.len();
        for ((_, content), (_, range)) in self.sections.iter().zip(&table) {
            sink(&[0; ALIGNMENT][..range.start - end])?;
            sink(content)?;
            end = range.end;
        }
        Ok(())
    }
}

fn padded(name: &str) -> [u8; NAME_BYTES] {
    let mut padded = [0; NAME_BYTES];
    padded[..name.len()].copy_from_slice(name.as_bytes());
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut writer = SectionWriter::default();
        writer.put("numbers", [1u32, 2, 3]);
        writer.put("text", *b"hello");
        writer.finish().bytes().to_vec()
    }

    #[test]
    fn other_files_and_sections_that_are_not_in_the_file_are_refused() {
        let good = sample();
        let sections = Sections::from_bytes(&good).unwrap();
        assert_eq!(*sections.get::<u32>("numbers").unwrap(), [1, 2, 3]);
        assert!(matches!(sections.get::<u8>("other"), Err(SectionError("other", _))));
        assert!(matches!(sections.get::<u64>("numbers"), Err(SectionError("numbers", _))));
        let refused = |bytes: &[u8]| Sections::from_bytes(bytes).is_err();
        assert!((0..good.len()).all(|at| refused(&good[..at])), "cut");
        let offset = HEADER_BYTES + NAME_BYTES;
        // Magic and version, a count beyond the end, where the first section is.
        for at in (0..12).chain(14..16).chain(offset..offset + 8) {
            let mut bad = good.clone();
            bad[at] ^= 0x20;
            assert!(refused(&bad), "byte {at}");
        }
    }
}
