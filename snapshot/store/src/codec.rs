//! Encoding of objects in packs: raw, in Zstandard, or in Zstandard with a dictionary that many objects share.

use std::cell::RefCell;

use bytemuck::{Pod, Zeroable};
use zstd::zstd_safe::{CCtx, CDict, DCtx, DDict, compress_bound};

use super::body::Digest;

/// Most bytes of an object, decoded.
pub(super) const OBJECT_MAX: usize = 256 << 10;

const RAW: u8 = 0;
const ZSTD: u8 = 1;
const ZSTD_DICTIONARY: u8 = 2;

/// A row of a pack's table, and of the table of all objects of a generation. 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Object {
    /// Of the decoded bytes.
    pub(super) sha256: Digest,
    /// Offset in its pack.
    pub(super) offset: u64,
    /// Bytes in the pack.
    pub(super) stored: u32,
    /// Bytes decoded.
    pub(super) length: u32,
    pub(super) codec: u8,
    pub(super) zero: [u8; 3],
    /// Number of the pack; 0 in the table of the pack itself.
    pub(super) pack: u32,
    /// First 8 bytes of the hash of its dictionary, which is an object too; 0 without one.
    pub(super) dictionary: u64,
}

impl Object {
    /// Whether its fields fit together.
    pub(super) fn is_sound(&self) -> bool {
        let dictionary = (self.codec == ZSTD_DICTIONARY) == (self.dictionary != 0);
        let raw = self.codec != RAW || self.stored == self.length;
        self.codec <= ZSTD_DICTIONARY
            && self.zero == [0; 3]
            && self.length as usize <= OBJECT_MAX
            && self.stored <= self.length
            && dictionary
            && raw
    }
}

/// Name of a dictionary.
pub(super) fn name_of(sha256: &Digest) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&sha256.0[..8]);
    u64::from_le_bytes(first)
}

/// A dictionary to encode with.
pub(super) struct Dictionary {
    pub(super) name: u64,
    /// Its bytes, an object like any other, and their hash.
    pub(super) sha256: Digest,
    pub(super) bytes: Vec<u8>,
    prepared: CDict<'static>,
}

impl Dictionary {
    /// Prepares one for a level; `None` without memory.
    pub(super) fn new(bytes: Vec<u8>, level: i32) -> Option<Self> {
        let sha256 = Digest::of(&bytes);
        Some(Self { name: name_of(&sha256), sha256, prepared: CDict::try_create(&bytes, level)?, bytes })
    }

    /// Trains one on some pages; `None` if they have too little in common.
    pub(super) fn of(samples: &[&[u8]], level: i32) -> Option<Self> {
        /// Most bytes of a dictionary: longer ones save little more.
        const LENGTH: usize = 64 << 10;
        let bytes = zstd::dict::from_samples(samples, LENGTH).ok()?;
        Self::new(bytes, level)
    }
}

thread_local! {
    /// Contexts are expensive to allocate.
    static ENCODER: RefCell<Option<CCtx<'static>>> = RefCell::new(CCtx::try_create());
    static DECODER: RefCell<Option<DCtx<'static>>> = RefCell::new(DCtx::try_create());
}

/// The object of these bytes, and its stored bytes; it stays raw if encoding saves nothing.
pub(super) fn encode(
    sha256: Digest,
    bytes: &[u8],
    level: i32,
    dictionary: Option<&Dictionary>,
) -> (Object, Vec<u8>) {
    let coded = ENCODER.with_borrow_mut(|context| {
        let context = context.as_mut()?;
        let mut out = Vec::with_capacity(compress_bound(bytes.len()));
        let done = match dictionary {
            Some(dictionary) => context.compress_using_cdict(&mut out, bytes, &dictionary.prepared),
            None => context.compress(&mut out, bytes, level),
        };
        done.ok().map(|_| out).filter(|out| out.len() < bytes.len())
    });
    let (codec, name) = match (&coded, dictionary) {
        (None, _) => (RAW, 0),
        (Some(_), None) => (ZSTD, 0),
        (Some(_), Some(dictionary)) => (ZSTD_DICTIONARY, dictionary.name),
    };
    let stored = coded.unwrap_or_else(|| bytes.to_vec());
    let object = Object {
        sha256,
        offset: 0,
        stored: stored.len() as u32,
        length: bytes.len() as u32,
        codec,
        zero: [0; 3],
        pack: 0,
        dictionary: name,
    };
    (object, stored)
}

/// The bytes of a sound object; `None` if the stored bytes do not decode to its length. `dictionary` is the one it names.
pub(super) fn decode(
    object: &Object,
    stored: Vec<u8>,
    dictionary: Option<&DDict<'static>>,
) -> Option<Vec<u8>> {
    if object.codec == RAW {
        return Some(stored);
    }
    DECODER.with_borrow_mut(|context| {
        let context = context.as_mut()?;
        let mut out = Vec::with_capacity(object.length as usize);
        let done = match (object.codec, dictionary) {
            (ZSTD, _) => context.decompress(&mut out, &stored),
            (_, Some(dictionary)) => context.decompress_using_ddict(&mut out, &stored, dictionary),
            (_, None) => return None,
        };
        done.ok().map(|_| out).filter(|out| out.len() == object.length as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Vec<Vec<u8>> {
        let page =
            |n: u32| format!("<html><body>{}<p>{n}</p>{}</body>", "head ".repeat(40), n * 7919).into_bytes();
        (0..400).map(page).collect()
    }

    #[test]
    fn encoded_objects_decode_and_similar_pages_share_a_dictionary() {
        let pages = pages();
        let samples: Vec<&[u8]> = pages.iter().map(Vec::as_slice).collect();
        let dictionary = Dictionary::of(&samples, 3).unwrap();
        let prepared = DDict::try_create(&dictionary.bytes).unwrap();
        let page = &pages[7];
        let (plain, stored) = encode(Digest::of(page), page, 3, None);
        assert_eq!(decode(&plain, stored.clone(), None).as_ref(), Some(page));
        let (shared, short) = encode(Digest::of(page), page, 3, Some(&dictionary));
        assert!(short.len() * 2 <= stored.len(), "{} of {}", short.len(), stored.len());
        assert_eq!(decode(&shared, short.clone(), Some(&prepared)).as_ref(), Some(page));
        assert_eq!(decode(&shared, short, None), None, "without its dictionary");
        assert!(plain.is_sound() && shared.is_sound());
        let noise: Vec<u8> = (0..64).map(|n: u8| n.wrapping_mul(167)).collect();
        let (raw, stored) = encode(Digest::of(&noise), &noise, 3, None);
        assert_eq!((raw.codec, decode(&raw, stored, None)), (RAW, Some(noise)));
    }

    #[test]
    fn an_object_that_decodes_to_another_length_is_refused() {
        let text = b"opportunity ".repeat(20);
        let (object, stored) = encode(Digest::of(&text), &text, 3, None);
        for length in [object.length - 1, object.length + 1] {
            assert_eq!(decode(&Object { length, ..object }, stored.clone(), None), None);
        }
        assert_eq!(decode(&object, stored[1..].to_vec(), None), None);
        for wrong in [
            Object { codec: 3, ..object },
            Object { length: OBJECT_MAX as u32 + 1, ..object },
            Object { stored: object.length + 1, ..object },
            Object { dictionary: 1, ..object },
            Object { codec: ZSTD_DICTIONARY, ..object },
            Object { codec: RAW, ..object },
            Object { zero: [0, 1, 0], ..object },
        ] {
            assert!(!wrong.is_sound(), "{wrong:?}");
        }
    }
}
