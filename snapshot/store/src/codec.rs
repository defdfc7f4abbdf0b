//! Encoding of objects in packs: raw, in Zstandard, or in Zstandard with a dictionary that many objects share.

use std::cell::RefCell;
use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};
use zstd::zstd_safe::{CCtx, CDict, DCtx, DDict, compress_bound};

use super::body::Digest;

/// Most bytes of an object, decoded.
pub(super) const OBJECT_MAX: usize = 256 << 10;

/// Identifies an object among all others, wherever it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Zeroable, Pod)]
#[repr(transparent)]
pub(super) struct ObjectId(pub(super) [u8; 16]);

impl From<Digest> for ObjectId {
    /// The object whose decoded bytes have this hash.
    fn from(sha256: Digest) -> Self {
        Self(sha256.half())
    }
}

impl ObjectId {
    /// The object of these decoded bytes: a body, a part of one, or a dictionary.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Digest::of(bytes).into()
    }

    /// The object that is these bodies, one after the other. Their hashes make it, so that it is known without reading them.
    pub(super) fn joined(bodies: impl Iterator<Item = Digest>) -> Self {
        let hashes: Vec<Digest> = bodies.collect();
        match &*hashes {
            [only] => (*only).into(),
            all => Self::of(bytemuck::cast_slice(all)),
        }
    }

    /// Its name as a dictionary.
    pub(super) fn name(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(first)
    }
}

/// A row of a pack's table, and of the table of all objects of a generation. 40 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Object {
    pub(super) id: ObjectId,
    /// First 8 bytes of the id of its dictionary, which is an object too; 0 without one.
    pub(super) dictionary: u64,
    /// Offset in its pack.
    pub(super) offset: u32,
    /// Bytes in the pack: as many as decoded if it is stored raw, else fewer.
    pub(super) stored: u32,
    /// Bytes decoded.
    pub(super) length: u32,
    /// Number of the pack; 0 in the table of the pack itself.
    pub(super) pack: u32,
}

impl Object {
    /// Whether its fields fit together.
    pub(super) fn is_sound(&self) -> bool {
        self.length as usize <= OBJECT_MAX
            && self.stored <= self.length
            && (self.dictionary == 0 || !self.is_raw())
    }

    fn is_raw(&self) -> bool {
        self.stored == self.length
    }
}

/// A dictionary to encode with.
pub(super) struct Dictionary {
    /// The object that its bytes are.
    pub(super) id: ObjectId,
    pub(super) bytes: Vec<u8>,
    level: i32,
    /// `None` without memory.
    prepared: OnceLock<Option<CDict<'static>>>,
}

impl Dictionary {
    /// One for a level.
    pub(super) fn new(bytes: Vec<u8>, level: i32) -> Self {
        Self { id: ObjectId::of(&bytes), bytes, level, prepared: OnceLock::new() }
    }

    /// Samples of a long body, for its parts. With them, half the level encodes it as well.
    pub(super) fn sampled(bytes: &[u8], level: i32) -> Self {
        /// Number of samples, and the length of each.
        const SAMPLES: usize = 4;
        const LENGTH: usize = 16 << 10;
        let starts = (0..SAMPLES).map(|number| bytes.len() * number / SAMPLES);
        let samples = starts.filter_map(|start| bytes.get(start..start + LENGTH));
        Self::new(samples.collect::<Vec<_>>().concat(), level_of_parts(level))
    }

    /// Trains one on some objects; `None` if they have too little in common.
    pub(super) fn of(samples: &[&[u8]], level: i32) -> Option<Self> {
        /// Most bytes of a dictionary, and the part of the samples that it is at most: longer ones save little more.
        const LENGTH: usize = 112 << 10;
        const PART: usize = 32;
        let all: usize = samples.iter().map(|sample| sample.len()).sum();
        let bytes = zstd::dict::from_samples(samples, LENGTH.min(all / PART)).ok()?;
        Some(Self::new(bytes, level))
    }

    fn prepared(&self) -> Option<&CDict<'static>> {
        self.prepared.get_or_init(|| CDict::try_create(&self.bytes, self.level)).as_ref()
    }
}

/// Level for parts of long bodies with a dictionary.
pub(super) fn level_of_parts(level: i32) -> i32 {
    (level / 2).max(1)
}

thread_local! {
    /// Contexts are expensive to allocate.
    static ENCODER: RefCell<Option<CCtx<'static>>> = RefCell::new(CCtx::try_create());
    static DECODER: RefCell<Option<DCtx<'static>>> = RefCell::new(DCtx::try_create());
}

/// The object of these bytes, and its stored bytes; it stays raw if encoding saves nothing.
pub(super) fn encode(
    id: ObjectId,
    bytes: &[u8],
    level: i32,
    dictionary: Option<&Dictionary>,
) -> (Object, Vec<u8>) {
    let coded = ENCODER.with_borrow_mut(|context| {
        let context = context.as_mut()?;
        let mut out = Vec::with_capacity(compress_bound(bytes.len()));
        let done = match dictionary.map(Dictionary::prepared) {
            Some(dictionary) => context.compress_using_cdict(&mut out, bytes, dictionary?),
            None => context.compress(&mut out, bytes, level),
        };
        done.ok().map(|_| out).filter(|out| out.len() < bytes.len())
    });
    let dictionary = dictionary.filter(|_| coded.is_some()).map_or(0, |dictionary| dictionary.id.name());
    let stored = coded.unwrap_or_else(|| bytes.to_vec());
    let object = Object {
        id,
        dictionary,
        offset: 0,
        stored: stored.len() as u32,
        length: bytes.len() as u32,
        pack: 0,
    };
    (object, stored)
}

/// The bytes of a sound object; `None` if the stored bytes do not decode to its length. `dictionary` is the one it names.
pub(super) fn decode(
    object: &Object,
    stored: Vec<u8>,
    dictionary: Option<&DDict<'static>>,
) -> Option<Vec<u8>> {
    if object.is_raw() {
        return Some(stored);
    }
    DECODER.with_borrow_mut(|context| {
        let context = context.as_mut()?;
        let mut out = Vec::with_capacity(object.length as usize);
        let done = match (object.dictionary, dictionary) {
            (0, _) => context.decompress(&mut out, &stored),
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
        let (plain, stored) = encode(ObjectId::of(page), page, 3, None);
        assert_eq!(decode(&plain, stored.clone(), None).as_ref(), Some(page));
        let (shared, short) = encode(ObjectId::of(page), page, 3, Some(&dictionary));
        assert!(short.len() * 3 <= stored.len() * 2, "{} of {}", short.len(), stored.len());
        assert_eq!(decode(&shared, short.clone(), Some(&prepared)).as_ref(), Some(page));
        assert_eq!(decode(&shared, short, None), None, "without its dictionary");
        assert!(plain.is_sound() && shared.is_sound());
        let noise: Vec<u8> = (0..64).map(|n: u8| n.wrapping_mul(167)).collect();
        let (raw, stored) = encode(ObjectId::of(&noise), &noise, 3, None);
        assert!(raw.is_raw());
        assert_eq!(decode(&raw, stored, None), Some(noise));
    }

    #[test]
    fn an_object_that_decodes_to_another_length_is_refused() {
        let text = b"opportunity ".repeat(20);
        let (object, stored) = encode(ObjectId::of(&text), &text, 3, None);
        for length in [object.length - 1, object.length + 1] {
            assert_eq!(decode(&Object { length, ..object }, stored.clone(), None), None);
        }
        assert_eq!(decode(&object, stored[1..].to_vec(), None), None);
        for wrong in [
            Object { length: OBJECT_MAX as u32 + 1, ..object },
            Object { stored: object.length + 1, ..object },
            Object { stored: object.length, dictionary: 1, ..object },
        ] {
            assert!(!wrong.is_sound(), "{wrong:?}");
        }
    }
}
