//! A small blocking HTTP/1.1 client: one request over one connection, and its answer as it came. It knows nothing
//! of the edge, and needs nothing but the standard library: the tests of the real programs take it in as a file.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;

/// An answer as it came. None of the programs sends one in chunks.
#[derive(Debug)]
pub struct Answer {
    /// Status line and header lines, without the empty line that ends them.
    pub head: String,
    /// What followed, as long as the head says.
    pub body: Vec<u8>,
}

impl Answer {
    /// Its status; 0 when there is none.
    pub fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    /// A header's first value; empty when there is none.
    pub fn field(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value.trim())
    }
}

/// Sends a request as it stands and reads its answer.
///
/// # Errors
///
/// What broke, and whether an answer had begun: if not, a connection that was kept may have been closed
/// meanwhile, and the request can be sent again.
pub fn exchange(stream: &mut TcpStream, request: &[u8]) -> Result<Answer, (io::Error, bool)> {
    stream.write_all(request).map_err(|error| (error, false))?;
    let mut bytes = Vec::with_capacity(32 << 10);
    let end = end_of(stream, &mut bytes, b"\r\n\r\n").map_err(|error| (error, !bytes.is_empty()))?;
    let rest = bytes.split_off(end + 4);
    bytes.truncate(end);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let mut answer = Answer { head, body: Vec::new() };
    let bodiless = request.starts_with(b"HEAD ") || matches!(answer.status(), 204 | 304);
    let length = if bodiless { 0 } else { answer.field("content-length").parse().unwrap_or(0) };
    answer.body = whole(stream, rest, length).map_err(|error| (error, true))?;
    Ok(answer)
}

fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0; 32 << 10];
    match stream.read(&mut buffer)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        length => {
            bytes.extend_from_slice(&buffer[..length]);
            Ok(())
        }
    }
}

/// Reads until a mark has come, and says where.
fn end_of(stream: &mut TcpStream, bytes: &mut Vec<u8>, mark: &[u8]) -> io::Result<usize> {
    loop {
        if let Some(end) = bytes.windows(mark.len()).position(|window| window == mark) {
            return Ok(end);
        }
        more(stream, bytes)?;
    }
}

/// A body of so many bytes, of which some were read.
fn whole(stream: &mut TcpStream, mut read: Vec<u8>, length: usize) -> io::Result<Vec<u8>> {
    while read.len() < length {
        more(stream, &mut read)?;
    }
    Ok(read)
}
