//! Distinguishes HTTP/2 with prior knowledge (RFC 9113 §3.3) from HTTP/1 by the first bytes of a connection.

use std::io;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt};

/// What every HTTP/2 client sends first (RFC 9113 §3.4).
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The protocol a connection speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// Reads until the bytes differ from the HTTP/2 preface or complete it, and returns them for the next reader of the
/// connection. `None` when the client closes before.
pub(super) async fn detect<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Option<(Protocol, Bytes)>> {
    let mut prefix = [0; PREFACE.len()];
    let mut read = 0;
    loop {
        let got = stream.read(&mut prefix[read..]).await?;
        if got == 0 {
            return Ok(None);
        }
        read += got;
        let prefix = &prefix[..read];
        if prefix != &PREFACE[..read] {
            return Ok(Some((Protocol::Http1, Bytes::copy_from_slice(prefix))));
        }
        if read == PREFACE.len() {
            return Ok(Some((Protocol::Http2, Bytes::copy_from_slice(prefix))));
        }
    }
}
