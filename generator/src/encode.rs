//! Content codings of bodies, made once so that no request pays for them. Deterministic: fixed
//! levels, no names and no times inside.

use std::cell::RefCell;
use std::io::Write as _;

use clap::ValueEnum;
use libdeflater::{CompressionLvl, Compressor};
use snapshot::store::Coding;

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
    brotli: i32,
    zstd: i32,
}

impl Effort {
    const fn levels(self) -> Option<Levels> {
        match self {
            Self::None => None,
            Self::Fast => Some(Levels { gzip: 6, brotli: 4, zstd: 6 }),
            Self::Best => Some(Levels { gzip: 12, brotli: 11, zstd: 19 }),
        }
    }

    /// Names compressors and levels, so that files made by others are not taken for ours.
    #[must_use]
    pub fn name(self) -> String {
        match self.levels() {
            None => "none".to_owned(),
            Some(Levels { gzip, brotli, zstd }) => format!("libdeflate-{gzip} brotli-{brotli} zstd-{zstd}"),
        }
    }

    /// A body in a coding.
    #[must_use]
    pub fn encode(self, coding: Coding, body: &[u8]) -> Option<Vec<u8>> {
        let levels = self.levels()?;
        match coding {
            Coding::Identity => None,
            Coding::Gzip => gzip(levels.gzip, body),
            Coding::Brotli => brotli(levels.brotli, body),
            Coding::Zstd => zstd(levels.zstd, body),
        }
    }
}

thread_local! {
    /// Compressors hold tables that are dear to allocate.
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
