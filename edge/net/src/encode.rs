//! The content coding of computed answers: only what costs less than sending the bytes.

use libdeflater::{CompressionLvl, Compressor};
use store::Coding;

const LEVEL: i32 = 1;

/// A body in gzip; `None` for identity.
pub fn encode(coding: Coding, body: &[u8]) -> Option<Vec<u8>> {
    if coding == Coding::Identity {
        return None;
    }
    let mut compressor = Compressor::new(CompressionLvl::new(LEVEL).ok()?);
    let mut out = vec![0; compressor.gzip_compress_bound(body.len())];
    let length = compressor.gzip_compress(body, &mut out).ok()?;
    out.truncate(length);
    Some(out)
}
