//! `site.zip`: all bodies, in the format that every unzip reads (APPNOTE 6.3.10, with the records of zip64
//! where numbers need them). Bodies are deflated, or stored where that saves less than a tenth. No comments, no extra fields,
//! one time, entries in the order of their paths: the same bodies are the same bytes.

use std::cell::RefCell;
use std::io;

use bytemuck::{Pod, Zeroable};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor, crc32};

use super::body::{Chunks, Sink};

/// Level of compression: 9 saves half a percent more in half as much time again.
const LEVEL: u32 = 6;
/// A longer body is deflated in pieces of this many bytes, each of which can be inflated on its own.
pub(super) const PIECE: usize = 1 << 20;
/// Most bytes of a body: sizes of entries have 32 bits.
pub(super) const BODY_MAX: u64 = u32::MAX as u64 - 1;
/// Most that deflate can expand.
const RATIO_MAX: u64 = 1_032;

/// Where an entry's data is, and how it is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Place {
    /// Of the data in the archive.
    pub(super) start: u64,
    /// Length of the data.
    pub(super) len: u32,
    /// CRC-32 of the body.
    pub(super) crc: u32,
    /// CRC-32 of the data.
    pub(super) packed: u32,
    /// [`STORED`] or [`DEFLATED`].
    pub(super) method: u32,
    /// Where in the table's list of pieces those of a long body begin.
    pub(super) first_piece: u64,
}

/// A part of the data of a long body that can be inflated on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Piece {
    /// Where it begins in the data.
    pub(super) start: u32,
    /// CRC-32 of its part of the body.
    pub(super) crc: u32,
}

/// The number of pieces of a body of this length.
pub(super) fn piece_count(len: u64) -> u64 {
    if len > PIECE as u64 { len.div_ceil(PIECE as u64) } else { 0 }
}

/// Methods of compression (APPNOTE 4.4.5).
pub(super) const STORED: u32 = 0;
pub(super) const DEFLATED: u32 = 8;

/// Packs a body. Gives its place, but for where that is, its pieces and its data.
pub(super) fn pack(body: &[u8]) -> (Place, Vec<Piece>, Vec<u8>) {
    let is_long = body.len() > PIECE;
    let (mut data, pieces) = if is_long { deflate_pieces(body) } else { (deflate(body), Vec::new()) };
    let mut method = DEFLATED;
    if !is_long && data.len() * 10 > body.len() * 9 {
        (data, method) = (body.to_vec(), STORED);
    }
    let (len, packed, crc) = (data.len() as u32, crc32(&data), crc32(body));
    (Place { len, packed, crc, method, ..Place::default() }, pieces, data)
}

fn deflate(body: &[u8]) -> Vec<u8> {
    thread_local! {
        static COMPRESSOR: RefCell<Compressor> = RefCell::new(Compressor::new(
            CompressionLvl::new(LEVEL as i32).unwrap_or_default(),
        ));
    }
    COMPRESSOR.with_borrow_mut(|compressor| {
        let mut data = vec![0; compressor.deflate_compress_bound(body.len())];
        // The buffer has room for any outcome.
        let length = compressor.deflate_compress(body, &mut data).unwrap_or(usize::MAX);
        data.truncate(length);
        data
    })
}

/// One stream whose pieces end at full flushes: what follows refers to nothing before.
fn deflate_pieces(body: &[u8]) -> (Vec<u8>, Vec<Piece>) {
    let mut stream = Compress::new(Compression::new(LEVEL), false);
    let (mut data, mut pieces) = (Vec::new(), Vec::new());
    let mut rest = body.chunks(PIECE).peekable();
    while let Some(piece) = rest.next() {
        pieces.push(Piece { start: data.len() as u32, crc: crc32(piece) });
        let flush = if rest.peek().is_some() { FlushCompress::Full } else { FlushCompress::Finish };
        let before = stream.total_in();
        loop {
            data.reserve(PIECE / 4);
            let read = (stream.total_in() - before) as usize;
            // Neither of the two fails on a stream of its own.
            let status = stream.compress_vec(&piece[read..], &mut data, flush);
            let is_read = stream.total_in() - before == piece.len() as u64;
            let is_flushed = is_read && data.len() < data.capacity() && flush == FlushCompress::Full;
            if is_flushed || !matches!(status, Ok(Status::Ok | Status::BufError)) {
                break;
            }
        }
    }
    (data, pieces)
}

/// The body of an entry's data; none if that is not the deflated form of a body of this length and CRC-32.
pub(super) fn unpack(place: Place, data: &[u8], len: u64) -> Option<Vec<u8>> {
    let body = if place.method == DEFLATED {
        inflated(data, len, Decompressor::deflate_decompress)?
    } else {
        (data.len() as u64 == len).then(|| data.to_vec())?
    };
    (crc32(&body) == place.crc).then_some(body)
}

/// The bytes that data expands to, if they are of this length; takes no more memory than data can fill.
fn inflated(data: &[u8], len: u64, inflate: InflateFn) -> Option<Vec<u8>> {
    let can_be = len <= (data.len() as u64 + 1) * RATIO_MAX;
    let mut bytes = vec![0; usize::try_from(len).ok().filter(|_| can_be)?];
    let filled = inflate(&mut Decompressor::new(), data, &mut bytes).ok()?;
    (filled == bytes.len()).then_some(bytes)
}

/// How one format or the other is inflated.
type InflateFn = fn(&mut Decompressor, &[u8], &mut [u8]) -> Result<usize, DecompressionError>;

/// A part of a body, of `len` bytes and this CRC-32, from its part of the data.
pub(super) fn unpack_piece(data: &[u8], len: usize, crc: u32) -> Option<Vec<u8>> {
    let mut piece = Vec::with_capacity(len.min(PIECE));
    Decompress::new(false).decompress_vec(data, &mut piece, FlushDecompress::Sync).ok()?;
    (piece.len() == len && crc32(&piece) == crc).then_some(piece)
}

/// A gzip member (RFC 1952) of some bytes.
pub fn gzip_of(bytes: &[u8]) -> Vec<u8> {
    gzip(crc32(bytes), &deflate(bytes), bytes.len() as u64)
}

/// The bytes of a gzip member, if they are of this length.
pub fn gunzip(member: &[u8], len: u64) -> Option<Vec<u8>> {
    inflated(member, len, Decompressor::gzip_decompress)
}

/// What a gzip member has beside its data.
pub(super) const GZIP_FRAME: u64 = 18;

/// The gzip form (RFC 1952) of a deflated body: ten bytes, the data, CRC-32 and length.
pub(super) fn gzip(crc: u32, data: &[u8], len: u64) -> Vec<u8> {
    let mut member = Vec::with_capacity(data.len() + GZIP_FRAME as usize);
    member.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    member.extend(data);
    member.extend([crc, len as u32].map(u32::to_le_bytes).concat());
    member
}

/// An entry of an archive that is being written.
pub(super) struct Entry<'a> {
    pub(super) path: &'a str,
    /// Length of the body.
    pub(super) len: u64,
    /// `start` is where its data will be.
    pub(super) place: Place,
}

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
/// Length of the header before each entry's data, without its path.
pub(super) const LOCAL_HEADER: u64 = 30;
/// 1 January 1980, the first day that the format has.
const DAY: u16 = 1 << 5 | 1;
/// Made on Unix (its files are readable), and what a reader must know: 2.0 for deflate and folders, 4.5 for zip64.
const UNIX: u16 = 3 << 8;
const VERSION: u16 = 20;
const VERSION_64: u16 = 45;
const MODE: u32 = 0o100_644 << 16;

/// The fields that both headers of an entry have.
fn header(entry: &Entry<'_>, version: u16, out: &mut Vec<u8>) {
    out.extend([version, 0, entry.place.method as u16, 0, DAY].map(u16::to_le_bytes).concat());
    out.extend([entry.place.crc, entry.place.len, entry.len as u32].map(u32::to_le_bytes).concat());
    out.extend((entry.path.len() as u16).to_le_bytes());
}

/// An archive, as chunks: `data` gives those of an entry's data.
pub(super) struct Archive<'a, F> {
    pub(super) entries: &'a [Entry<'a>],
    pub(super) data: F,
}

impl<F: Fn(usize, Sink<'_>) -> io::Result<()>> Chunks for Archive<'_, F> {
    fn each(&self, sink: Sink<'_>) -> io::Result<()> {
        let (mut central, mut end) = (Vec::new(), 0);
        for (number, entry) in self.entries.iter().enumerate() {
            let mut local = LOCAL.to_le_bytes().to_vec();
            header(entry, VERSION, &mut local);
            local.extend(0u16.to_le_bytes());
            local.extend(entry.path.as_bytes());
            sink(&local)?;
            (self.data)(number, sink)?;
            central_header(entry, &mut central);
            end = entry.place.start + u64::from(entry.place.len);
        }
        sink(&central)?;
        sink(&end_of(self.entries.len() as u64, central.len() as u64, end))
    }
}

fn central_header(entry: &Entry<'_>, out: &mut Vec<u8>) {
    let start = entry.place.start - LOCAL_HEADER - entry.path.len() as u64;
    let is_far = start >= u64::from(u32::MAX);
    let version = if is_far { VERSION_64 } else { VERSION };
    out.extend(CENTRAL.to_le_bytes());
    out.extend((UNIX | version).to_le_bytes());
    header(entry, version, out);
    out.extend([if is_far { 12u16 } else { 0 }, 0, 0, 0].map(u16::to_le_bytes).concat());
    out.extend([MODE, if is_far { u32::MAX } else { start as u32 }].map(u32::to_le_bytes).concat());
    out.extend(entry.path.as_bytes());
    if is_far {
        out.extend([1u16, 8].map(u16::to_le_bytes).concat());
        out.extend(start.to_le_bytes());
    }
}

/// What ends an archive: `entries` in a directory of `length` bytes from `start` on.
fn end_of(entries: u64, length: u64, start: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if entries >= u64::from(u16::MAX) || start + length >= u64::from(u32::MAX) {
        out.extend(END_64.to_le_bytes());
        out.extend(44u64.to_le_bytes());
        out.extend([UNIX | VERSION_64, VERSION_64].map(u16::to_le_bytes).concat());
        out.extend([0, entries, entries, length, start].map(u64::to_le_bytes).concat());
        out.extend([LOCATOR_64, 0].map(u32::to_le_bytes).concat());
        out.extend((start + length).to_le_bytes());
        out.extend(1u32.to_le_bytes());
    }
    let entries = entries.min(u64::from(u16::MAX)) as u16;
    out.extend(END.to_le_bytes());
    out.extend([0, 0, entries, entries].map(u16::to_le_bytes).concat());
    out.extend([length, start].map(|number| (number.min(u64::from(u32::MAX)) as u32).to_le_bytes()).concat());
    out.extend(0u16.to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::publish;

    fn text(len: usize) -> Vec<u8> {
        (0..len).map(|n| (n * n / 7 % 61) as u8 + b' ').collect()
    }

    #[test]
    fn what_was_packed_is_unpacked_whole_and_in_pieces_and_noise_is_stored() {
        for len in [0, 1, 100, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5] {
            let body = text(len);
            let (place, pieces, data) = pack(&body);
            assert_eq!(pieces.len() as u64, piece_count(len as u64));
            for (number, piece) in pieces.iter().enumerate() {
                let end = pieces.get(number + 1).map_or(data.len(), |next| next.start as usize);
                let expected = &body[number * PIECE..len.min((number + 1) * PIECE)];
                let data = &data[piece.start as usize..end];
                let found = |crc| unpack_piece(data, expected.len(), crc);
                assert_eq!(found(piece.crc).as_deref(), Some(expected), "{number} of {len}");
                assert_eq!(found(piece.crc ^ 1), None);
            }
            if place.method == DEFLATED {
                let mut gunzipped = Vec::new();
                let member = gzip(place.crc, &data, len as u64);
                io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*member), &mut gunzipped).unwrap();
                assert_eq!(gunzipped, body);
            }
            assert_eq!(unpack(place, &data, len as u64 + 1), None);
            assert_eq!(unpack(Place { crc: place.crc ^ 1, ..place }, &data, len as u64), None);
            assert_eq!(unpack(place, &data, len as u64), Some(body));
        }
        let noise: Vec<u8> =
            (0u32..200).flat_map(|n| super::super::body::Digest::of(&n.to_le_bytes()).0).collect();
        assert_eq!((pack(&noise).0.method, pack(&noise).2), (STORED, noise));
    }

    #[test]
    fn other_programs_read_an_archive_also_one_of_many_entries() {
        const PYTHON: &str = "import sys, zipfile\nassert zipfile.ZipFile(sys.argv[1]).testzip() is None";
        let folder = tempfile::tempdir().unwrap();
        let long = String::from_utf8(text(3 * PIECE)).unwrap();
        let paths: Vec<String> = (0..70_000).map(|n| format!("p/{n:05}.json")).collect();
        let many: Vec<(&str, &str)> = paths.iter().map(|path| (&**path, &**path)).collect();
        for bodies in [&[("a/long.txt", &*long), ("b", ""), ("c.html", &long[..9])][..], &many] {
            let id = publish(folder.path(), bodies).manifest.id();
            let path = folder.path().join(format!("generations/{id}/site.zip"));
            for (program, args) in [("python3", &["-c", PYTHON][..]), ("unzip", &["-tq"])] {
                let ran = std::process::Command::new(program).args(args).arg(&path).output();
                let Ok(ran) = ran else { continue };
                assert!(ran.status.success(), "{program}: {}", String::from_utf8_lossy(&ran.stderr));
            }
        }
    }
}
