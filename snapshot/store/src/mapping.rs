//! The bytes of a file, mapped or in memory.

use std::fs::File;
use std::io;
use std::ops::Deref;

use super::body::{Chunks, Sink};

/// Bytes that are read before pages are let go.
const CHUNK: usize = 8 << 20;

/// The bytes of a file, mapped or in memory.
pub(super) enum Mapping {
    File(memmap2::Mmap),
    /// `u64` elements, so that the bytes are aligned enough for every column.
    Memory(Vec<u64>, usize),
}

impl Mapping {
    /// Maps a whole file.
    #[expect(unsafe_code, reason = "reading in place is what opens 1,000,000 programs in milliseconds")]
    pub(super) fn of(file: &File) -> io::Result<Self> {
        // SAFETY: a file of a generation is written once, read-only and before anybody maps it (the publisher
        // only adds directories and removes whole ones by rename), so the bytes behind the map do not change
        // under it. A process that writes to the file nevertheless breaks that promise: bytes that were checked change,
        // and reading behind the end of a truncated file ends the process (SIGBUS). A reader that must survive such
        // writes copies the file instead (`Disk::copy`).
        unsafe { memmap2::Mmap::map(file) }.map(Self::File)
    }

    /// Lets go of the pages of a file that were read; they stay in the cache of the system.
    #[expect(unsafe_code, reason = "two thirds of what is mapped is read once, to be checked")]
    pub(super) fn let_go(&self) {
        if let Self::File(map) = self {
            // SAFETY: the map is read-only and backed by its file, so a dropped page is read again from
            // there. Advice that is not taken costs nothing but memory.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }

    /// A copy of `bytes`.
    pub(super) fn copy_of(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self::Memory(words, bytes.len())
    }
}

impl Chunks for Mapping {
    fn each(&self, sink: Sink<'_>) -> io::Result<()> {
        self.chunks(CHUNK).try_for_each(|chunk| {
            sink(chunk)?;
            self.let_go();
            Ok(())
        })
    }
}

impl Deref for Mapping {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::File(map) => map,
            Self::Memory(words, length) => &bytemuck::cast_slice(words)[..*length],
        }
    }
}
