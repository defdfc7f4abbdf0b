//! Hashes of bodies, and the codings in which bodies are stored.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::str::FromStr;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 hash. Text form: 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Zeroable, Pod)]
#[repr(transparent)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Its first half.
    pub(super) fn half(self) -> [u8; 16] {
        std::array::from_fn(|at| self.0[at])
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl FromStr for Digest {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read_hex(text).map(Self).ok_or("not 64 lower-case hex digits")
    }
}

/// Makes a type its text form in JSON.
macro_rules! json_text {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(super) use json_text;

json_text!(Digest);

/// Bytes, displayed as lower-case hex digits.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        // A digest at once: a list of files has one in each line.
        for bytes in self.0.chunks(size_of::<Digest>()) {
            let mut digits = [0; 2 * size_of::<Digest>()];
            for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
                pair.copy_from_slice(&[byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]));
            }
            f.write_str(std::str::from_utf8(&digits[..2 * bytes.len()]).unwrap_or_default())?;
        }
        Ok(())
    }
}

/// Exactly `N` bytes from `2 N` lower-case hex digits.
pub(super) fn read_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |digit: u8| char::from(digit).to_digit(16).filter(|_| !digit.is_ascii_uppercase());
    let byte = |pair: &[u8; 2]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
    let (pairs, rest) = text.as_bytes().as_chunks();
    let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>()?;
    bytes.try_into().ok().filter(|_| rest.is_empty())
}

/// A content coding (RFC 9110 §8.4.1) that bodies are stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Coding {
    /// Not encoded.
    Identity,
    /// gzip, RFC 1952.
    Gzip,
}

/// Size and hash of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub struct Body {
    /// In bytes.
    pub len: u64,
    /// SHA-256.
    pub sha256: Digest,
}

impl Body {
    /// Size and hash of `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { len: bytes.len() as u64, sha256: Digest::of(bytes) }
    }

    /// Size and hash of what a reader gives.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn of_reader(reader: &mut impl Read) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        let len = io::copy(&mut BufReader::with_capacity(1 << 18, reader), &mut hasher)?;
        Ok(Self { len, sha256: Digest(hasher.finalize().into()) })
    }

    /// Size and hash of chunks.
    pub(crate) fn of_chunks(content: &dyn Chunks) -> io::Result<Self> {
        let (mut hasher, mut len) = (Sha256::new(), 0);
        content.each(&mut |chunk| {
            hasher.update(chunk);
            len += chunk.len() as u64;
            Ok(())
        })?;
        Ok(Self { len, sha256: Digest(hasher.finalize().into()) })
    }
}

/// What takes a chunk of bytes.
pub(crate) type Sink<'s> = &'s mut dyn FnMut(&[u8]) -> io::Result<()>;

/// Bytes that come in chunks, which do not have to be in memory together.
pub(crate) trait Chunks {
    /// Passes each chunk to a function, in order.
    fn each(&self, sink: Sink<'_>) -> io::Result<()>;
}

impl Chunks for &[u8] {
    fn each(&self, sink: Sink<'_>) -> io::Result<()> {
        sink(self)
    }
}

/// A part of a section, if it is inside.
pub(super) fn slice<T>(all: &[T], start: u64, len: usize) -> Option<&[T]> {
    let start = usize::try_from(start).ok()?;
    all.get(start..start.checked_add(len)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_is_that_of_sha256sum() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // FIPS 180-2, B.1
        assert_eq!(Digest::of(b"abc").to_string(), abc);
        assert_eq!(abc.parse(), Ok(Digest::of(b"abc")));
        assert!(abc.to_uppercase().parse::<Digest>().is_err());
        assert!(abc[1..].parse::<Digest>().is_err());
    }
}
