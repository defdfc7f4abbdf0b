//! A body: its size and hash, and the codings that it may be sent in.

use bytemuck::{Pod, Zeroable};

use super::digest::Digest;

/// A content coding (RFC 9110 §8.4.1) that bodies are stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Coding {
    /// As it is.
    Identity,
    /// gzip, RFC 1952.
    Gzip,
    /// Brotli, RFC 7932.
    Brotli,
    /// Zstandard, RFC 8878.
    Zstd,
}

/// All codings, identity first.
pub const CODINGS: [Coding; 4] = [Coding::Identity, Coding::Gzip, Coding::Brotli, Coding::Zstd];

impl Coding {
    /// What the file name of such a body ends in.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Identity => "",
            Self::Gzip => ".gz",
            Self::Brotli => ".br",
            Self::Zstd => ".zst",
        }
    }

    pub(super) fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Size and hash of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub struct Body {
    /// In bytes.
    pub len: u64,
    /// SHA-256.
    pub sha256: Digest,
}

impl Body {
    /// Size and hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self { len: bytes.len() as u64, sha256: Digest::of(bytes) }
    }
}

/// A number of files and their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub files: u64,
    /// Sizes added up.
    pub bytes: u64,
}

/// A part of a section, if it lies inside.
pub(super) fn slice<T>(all: &[T], start: u64, len: usize) -> Option<&[T]> {
    let start = usize::try_from(start).ok()?;
    all.get(start..start.checked_add(len)?)
}
