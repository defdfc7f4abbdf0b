//! Content codings of computed answers: only what costs less than sending the bytes.

use libdeflater::{CompressionLvl, Compressor};
use store::Coding;

const GZIP_LEVEL: i32 = 1;
const ZSTD_LEVEL: i32 = 1;

/// A body in gzip or Zstandard; `None` for other codings.
pub fn encode(coding: Coding, body: &[u8]) -> Option<Vec<u8>> {
    match coding {
        Coding::Gzip => {
            let mut compressor = Compressor::new(CompressionLvl::new(GZIP_LEVEL).ok()?);
            let mut out = vec![0; compressor.gzip_compress_bound(body.len())];
            let length = compressor.gzip_compress(body, &mut out).ok()?;
            out.truncate(length);
            Some(out)
        }
        Coding::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL).ok(),
        Coding::Identity | Coding::Brotli => None,
    }
}
