//! A file of named, typed, 64-byte-aligned sections that is mapped, or copied into memory, and read in place.
//!
//! ```text
//! 0   magic      8 bytes  "OPDIRSEC"
//! 8   checksum   u64      XXH3-64 of bytes 16..length
//! 16  version    u32      SECTIONS_VERSION
//! 20  count      u32      number of sections
//! 24  length     u64      of the whole file
//! 32  table      count × { name: [u8; 16] zero padded, offset u64, length u64 }
//! …   sections, each starting on a multiple of 64
//! ```
//! All integers are little-endian. The checksum detects torn writes and bit rot, not malice: a process that may write
//! the directory can also write a matching checksum. So the code that opens a section checks every offset in it.

use std::io::Write as _;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use xxhash_rust::xxh3::Xxh3;

use super::body::{Chunks, Sink};
use super::mapping::Mapping;

#[cfg(target_endian = "big")]
compile_error!("section files are little-endian and read in place");

const MAGIC: &[u8; 8] = b"OPDIRSEC";
const SECTIONS_VERSION: u32 = 1;
/// Where the bytes that the checksum covers begin.
const CHECKED_FROM: usize = 16;
const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 32;
const NAME_BYTES: usize = 16;
const ALIGNMENT: usize = 64;
/// Bytes that are read before pages are let go.
const CHUNK: usize = 8 << 20;

/// Why a section file was refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message shows what its fields are")]
pub enum SectionError {
    /// Not a section file, or one of another version.
    #[error("not a section file of version {SECTIONS_VERSION}")]
    Format,
    /// The header states another length than the file has.
    #[error("{found} bytes long, the header says {expected}")]
    Length { expected: u64, found: u64 },
    /// The content differs from what was written.
    #[error("checksum differs: the file is damaged")]
    Checksum,
    /// A section lies outside the file or is not aligned.
    #[error("section table is damaged")]
    Table,
    /// A section that the reader needs is not there.
    #[error("section `{0}` is missing")]
    Missing(&'static str),
    /// A section's length is no multiple of its element, or its content breaks a rule.
    #[error("section `{0}`: {1}")]
    Content(&'static str, &'static str),
}

/// Checks a rule for the content of a section.
///
/// # Errors
///
/// If it does not hold.
pub fn ensure(holds: bool, section: &'static str, broken: &'static str) -> Result<(), SectionError> {
    if holds { Ok(()) } else { Err(SectionError::Content(section, broken)) }
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
    /// Checks header, checksum and table over a copy of bytes in memory.
    ///
    /// # Errors
    ///
    /// If they are of another version, or differ from what was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SectionError> {
        Self::check(Mapping::copy_of(bytes))
    }

    pub(super) fn check(map: Mapping) -> Result<Self, SectionError> {
        let bytes: &[u8] = &map;
        if bytes.len() < HEADER_BYTES || bytes[..8] != *MAGIC || u32_at(bytes, 16) != SECTIONS_VERSION {
            return Err(SectionError::Format);
        }
        let (expected, found) = (u64_at(bytes, 24), bytes.len() as u64);
        if expected != found {
            return Err(SectionError::Length { expected, found });
        }
        let mut hasher = Xxh3::new();
        for chunk in bytes[CHECKED_FROM..].chunks(CHUNK) {
            hasher.update(chunk);
            map.let_go();
        }
        if hasher.digest() != u64_at(bytes, 8) {
            return Err(SectionError::Checksum);
        }
        let table = read_table(bytes, u32_at(bytes, 20) as usize)?;
        let sections = Self { map: Arc::new(map), table: table.into() };
        sections.let_go();
        Ok(sections)
    }

    /// Lets go of the pages that checking read, which stay in the cache of the system: what counts as
    /// this process's memory is what requests read.
    pub fn let_go(&self) {
        self.map.let_go();
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The checksum in the header, which with the length identifies a section file.
    pub(super) fn checksum(&self) -> u64 {
        u64_at(&self.map, 8)
    }

    /// A section as a slice of `T`. Names are at most 16 bytes.
    ///
    /// # Errors
    ///
    /// If it is missing, or its length is no multiple of a `T`.
    pub fn get<T: Pod>(&self, name: &'static str) -> Result<Section<T>, SectionError> {
        let key = padded(name);
        let found = self.table.iter().find(|(name, _)| *name == key);
        let (_, range) = found.ok_or(SectionError::Missing(name))?;
        ensure(range.len() % size_of::<T>() == 0, name, "length is no multiple of its element")?;
        Ok(Section { map: Arc::clone(&self.map), range: range.clone(), element: PhantomData })
    }
}

fn read_table(bytes: &[u8], count: usize) -> Result<Vec<Named>, SectionError> {
    let end = count.checked_mul(ENTRY_BYTES).and_then(|n| n.checked_add(HEADER_BYTES));
    let table = end.and_then(|end| bytes.get(HEADER_BYTES..end)).ok_or(SectionError::Table)?;
    let entries = table.chunks_exact(ENTRY_BYTES).map(|entry| {
        let mut name = [0; NAME_BYTES];
        name.copy_from_slice(&entry[..NAME_BYTES]);
        let (offset, length) = (u64_at(entry, 16) as usize, u64_at(entry, 24) as usize);
        let end = offset.checked_add(length).filter(|end| *end <= bytes.len());
        match end {
            Some(end) if offset % ALIGNMENT == 0 => Ok((name, offset..end)),
            _ => Err(SectionError::Table),
        }
    });
    entries.collect()
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

/// The elements of a section, whatever they are.
trait Content: Send + Sync {
    fn bytes(&self) -> &[u8];
}

impl<T: Pod + Send + Sync> Content for Vec<T> {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

/// Collects sections and lays them out. Order of `put` is order in the file.
#[derive(Default)]
pub struct SectionWriter {
    sections: Vec<([u8; NAME_BYTES], Box<dyn Content>)>,
}

impl SectionWriter {
    /// Adds a section. Names are at most 16 bytes and unique.
    pub fn put<T: Pod + Send + Sync>(&mut self, name: &'static str, elements: impl Into<Vec<T>>) {
        self.sections.push((padded(name), Box::new(elements.into())));
    }

    /// Adds the sections of another writer.
    pub fn append(&mut self, other: Self) {
        self.sections.extend(other.sections);
    }

    /// The whole file, in memory.
    pub fn finish(self) -> Sections {
        let (mut bytes, file) = (Vec::new(), self.file());
        // Writing to memory cannot fail.
        let _ = file.each(&mut |chunk| bytes.write_all(chunk));
        Sections { map: Arc::new(Mapping::copy_of(&bytes)), table: file.table.into() }
    }

    /// The file in chunks, not laid out in memory.
    pub(super) fn file(self) -> SectionFile {
        let sections = self.sections;
        let mut header = vec![0; HEADER_BYTES + sections.len() * ENTRY_BYTES];
        let (mut end, mut table) = (header.len(), Vec::new());
        for ((name, content), entry) in
            sections.iter().zip(header[HEADER_BYTES..].chunks_exact_mut(ENTRY_BYTES))
        {
            let start = end.next_multiple_of(ALIGNMENT);
            end = start + content.bytes().len();
            table.push((*name, start..end));
            entry[..NAME_BYTES].copy_from_slice(name);
            entry[16..24].copy_from_slice(&(start as u64).to_le_bytes());
            entry[24..].copy_from_slice(&(content.bytes().len() as u64).to_le_bytes());
        }
        header[..8].copy_from_slice(MAGIC);
        header[16..20].copy_from_slice(&SECTIONS_VERSION.to_le_bytes());
        header[20..24].copy_from_slice(&(sections.len() as u32).to_le_bytes());
        header[24..HEADER_BYTES].copy_from_slice(&(end as u64).to_le_bytes());
        let mut file = SectionFile { header, table, sections };
        let (mut hasher, mut skipped) = (Xxh3::new(), CHECKED_FROM);
        // Hashing cannot fail.
        let _ = file.each(&mut |chunk| {
            hasher.update(&chunk[skipped..]);
            skipped = 0;
            Ok(())
        });
        file.header[8..CHECKED_FROM].copy_from_slice(&hasher.digest().to_le_bytes());
        file
    }
}

/// A section file that is not laid out in memory.
pub(super) struct SectionFile {
    header: Vec<u8>,
    /// Where each section begins and ends.
    table: Vec<Named>,
    sections: Vec<([u8; NAME_BYTES], Box<dyn Content>)>,
}

impl SectionFile {
    /// The checksum in its header.
    pub(super) fn checksum(&self) -> u64 {
        u64_at(&self.header, 8)
    }
}

impl Chunks for SectionFile {
    fn each(&self, sink: Sink<'_>) -> std::io::Result<()> {
        sink(&self.header)?;
        let mut end = self.header.len();
        for ((_, content), (_, range)) in self.sections.iter().zip(&self.table) {
            sink(&[0; ALIGNMENT][..range.start - end])?;
            content.bytes().chunks(CHUNK).try_for_each(&mut *sink)?;
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

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
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
    fn what_was_put_is_read_back() {
        let sections = Sections::from_bytes(&sample()).unwrap();
        assert_eq!(*sections.get::<u32>("numbers").unwrap(), [1, 2, 3]);
        assert_eq!(&*sections.get::<u8>("text").unwrap(), b"hello");
        assert!(matches!(sections.get::<u8>("other"), Err(SectionError::Missing("other"))));
        assert!(matches!(sections.get::<u64>("numbers"), Err(SectionError::Content(..))));
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_refused() {
        let good = sample();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(Sections::from_bytes(&bad).is_err(), "byte {at}, bit {bit}");
            }
            assert!(Sections::from_bytes(&good[..at]).is_err(), "cut at {at}");
        }
    }
}
