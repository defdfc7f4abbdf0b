//! Content codings of bodies, compressed once at build time. Deterministic: fixed
//! levels, no names and no times inside.

use std::cell::RefCell;
use std::io::Write as _;

use clap::ValueEnum;
use libdeflater::{CompressionLvl, Compressor};
use store::Coding;

/// How much time compression may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// No compressed files; for previews.
    None,
    /// Close to the best size at a small part of the time.
    #[default]
    Fast,
    /// The smallest files; for builds that reuse what has not changed.
    Best,
}

/// Levels of gzip, Brotli and Zstandard.
struct Levels {
    gzip: i32,
    brotli: Option<i32>,
    zstd: i32,
}

/// Bodies shorter than this stay as they are, in bytes: with their headers they fill less than two
/// packets.
const SMALL: usize = 1024;
/// Bodies from this length on are worth Zstandard, in bytes: it decodes faster, and below it is no
/// smaller than the others.
const LARGE: usize = 64 * 1024;

impl Effort {
    /// At low levels a page in Brotli is as long as in gzip, which every client accepts, so one of them is
    /// enough; at high levels it is a sixth shorter.
    const fn levels(self) -> Option<Levels> {
        match self {
            Self::None => None,
            Self::Fast => Some(Levels { gzip: 5, brotli: None, zstd: 3 }),
            Self::Best => Some(Levels { gzip: 12, brotli: Some(11), zstd: 19 }),
        }
    }

    /// Whether compressed files are made.
    pub(crate) fn has_encodings(self) -> bool {
        self != Self::None
    }

    /// Names compressors and levels, so that files compressed otherwise are not reused.
    pub(crate) fn name(self) -> String {
        let Some(Levels { gzip, brotli, zstd }) = self.levels() else { return "none".to_owned() };
        let brotli = brotli.map(|level| format!(" brotli-{level}")).unwrap_or_default();
        format!("libdeflate-{gzip}{brotli} zstd-{zstd}-large")
    }

    /// Level of Zstandard in packs, where it is the only coding. Level 6 takes 3 % more bytes than 9 and half its time.
    pub(crate) const fn pack_level(self) -> i32 {
        match self {
            Self::None => 1,
            Self::Fast => 6,
            Self::Best => 19,
        }
    }

    /// Compression as the store calls it.
    pub(crate) fn encoder(self) -> impl Fn(Coding, &[u8]) -> Option<Vec<u8>> + Sync {
        move |coding, body| self.encode(coding, body)
    }

    /// A body in a coding; nothing where that does not pay.
    pub fn encode(self, coding: Coding, body: &[u8]) -> Option<Vec<u8>> {
        let levels = self.levels().filter(|_| body.len() >= SMALL)?;
        match coding {
            Coding::Identity => None,
            Coding::Gzip => gzip(levels.gzip, body),
            Coding::Brotli => brotli(levels.brotli?, body),
            Coding::Zstd if body.len() < LARGE => None,
            Coding::Zstd => zstd(levels.zstd, body),
        }
    }
}

thread_local! {
    /// Compressors are reused: their tables are expensive to allocate.
    static GZIP: RefCell<Option<(i32, Compressor)>> = const { RefCell::new(None) };
    static ZSTD: RefCell<Option<(i32, zstd::bulk::Compressor<'static>)>> = const { RefCell::new(None) };
}

fn gzip(level: i32, body: &[u8]) -> Option<Vec<u8>> {
    GZIP.with_borrow_mut(|slot| {
        if slot.as_ref().is_none_or(|(of, _)| *of != level) {
            *slot = Some((level, Compressor::new(CompressionLvl::new(level).ok()?)));
        }
        let (_, compressor) = slot.as_mut()?;
        let mut out = vec![0; compressor.gzip_compress_bound(body.len())];
        let length = compressor.gzip_compress(body, &mut out).ok()?;
        out.truncate(length);
        Some(out)
    })
}

fn zstd(level: i32, body: &[u8]) -> Option<Vec<u8>> {
    ZSTD.with_borrow_mut(|slot| {
        if slot.as_ref().is_none_or(|(of, _)| *of != level) {
            *slot = Some((level, zstd::bulk::Compressor::new(level).ok()?));
        }
        slot.as_mut()?.1.compress(body).ok()
    })
}

fn brotli(level: i32, body: &[u8]) -> Option<Vec<u8>> {
    /// Smallest and largest window of RFC 7932, in bits.
    const WINDOW: (u32, u32) = (10, 22);
    let window = body.len().next_power_of_two().trailing_zeros().clamp(WINDOW.0, WINDOW.1);
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: level,
        lgwin: window as i32,
        size_hint: body.len(),
        ..Default::default()
    };
    let mut out = Vec::with_capacity(body.len() / 3);
    let mut writer = brotli::CompressorWriter::with_params(&mut out, 4096, &parameters);
    writer.write_all(body).ok()?;
    drop(writer);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_has_gzip_and_only_what_pays_besides() {
        let codings = |effort: Effort, length: usize| {
            let body = b"opportunity ".repeat(length / 12);
            let all = [Coding::Gzip, Coding::Brotli, Coding::Zstd];
            all.map(|coding| effort.encode(coding, &body).is_some())
        };
        assert_eq!(codings(Effort::None, 1 << 20), [false; 3]);
        assert_eq!(codings(Effort::Best, 1 << 9), [false; 3]);
        assert_eq!(codings(Effort::Fast, 1 << 13), [true, false, false]);
        assert_eq!(codings(Effort::Fast, 1 << 17), [true, false, true]);
        assert_eq!(codings(Effort::Best, 1 << 13), [true, true, false]);
    }
}
