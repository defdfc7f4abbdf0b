//! A small blocking HTTP/1.1 client: one request over one connection, and its answer as it came. It knows nothing
//! of the edge, and needs nothing but the standard library: the tests of the real programs take it in as a file.

use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
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
    let (mut reader, mut head) = (BufReader::new(stream), Vec::new());
    while !head.ends_with(b"\r\n\r\n") {
        match reader.read_until(b'\n', &mut head) {
            Ok(0) => return Err((ErrorKind::UnexpectedEof.into(), !head.is_empty())),
            Ok(_) => {}
            Err(error) => return Err((error, !head.is_empty())),
        }
    }
    let head = String::from_utf8_lossy(&head[..head.len() - 4]).into_owned();
    let mut answer = Answer { head, body: Vec::new() };
    let bodiless = request.starts_with(b"HEAD ") || matches!(answer.status(), 204 | 304);
    answer.body = vec![0; if bodiless { 0 } else { answer.field("content-length").parse().unwrap_or(0) }];
    reader.read_exact(&mut answer.body).map_err(|error| (error, true))?;
    Ok(answer)
}
