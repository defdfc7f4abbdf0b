//! Tells HTTP/2 with prior knowledge (RFC 9113 §3.3) from HTTP/1 by the first bytes of a connection.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// What every HTTP/2 client sends first (RFC 9113 §3.4).
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The protocol a connection speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// The bytes read to tell the protocol; they belong to whoever reads the connection next.
#[derive(Debug, Default)]
pub(super) struct Prefix {
    bytes: [u8; PREFACE.len()],
    start: u8,
    end: u8,
}

impl Prefix {
    /// Takes up to `most` of the bytes that are left.
    pub(super) fn take(&mut self, most: usize) -> &[u8] {
        let (start, end) = (usize::from(self.start), usize::from(self.end));
        let upto = start + most.min(end - start);
        self.start = upto as u8;
        &self.bytes[start..upto]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// Reads until the bytes differ from the HTTP/2 preface or complete it. `None` when the client leaves before.
pub(super) async fn detect<R: AsyncRead + Unpin>(stream: &mut R) -> io::Result<Option<(Protocol, Prefix)>> {
    let mut prefix = Prefix::default();
    loop {
        let read = usize::from(prefix.end);
        let got = stream.read(&mut prefix.bytes[read..]).await?;
        if got == 0 {
            return Ok(None);
        }
        prefix.end += got as u8;
        let read = read + got;
        if prefix.bytes[..read] != PREFACE[..read] {
            return Ok(Some((Protocol::Http1, prefix)));
        }
        if read == PREFACE.len() {
            return Ok(Some((Protocol::Http2, prefix)));
        }
    }
}
