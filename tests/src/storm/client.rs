//! A small blocking HTTP/1.1 client that keeps its connection and, like any client, asks once more when a
//! kept connection turns out to be closed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Error, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::Place;

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// What an answer is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its ETag; empty when it has none.
    pub etag: String,
    /// Hash of its body.
    pub body: u64,
    /// `X-Cache`, which caches set; empty when there is none.
    pub cache: String,
}

/// A client of one place.
pub struct Client {
    place: Place,
    kept: Option<TcpStream>,
    /// Further header lines of every request, each ended by CRLF.
    headers: String,
    /// Requests that were sent again because the kept connection had been closed.
    pub retried: u64,
}

impl Client {
    /// A client that has not connected yet. `headers` are lines that every request has, each ended by CRLF.
    #[must_use]
    pub fn new(place: &Place, headers: &str) -> Self {
        Self { place: place.clone(), kept: None, headers: headers.to_owned(), retried: 0 }
    }

    /// The answer to a GET.
    pub fn get(&mut self, target: &str) -> io::Result<Answer> {
        let kept = self.kept.take();
        if let Some(mut stream) = kept {
            match self.exchange(&mut stream, target) {
                Ok((answer, keep)) => return Ok(self.keeping(stream, answer, keep)),
                Err((error, began)) if began => return Err(error),
                Err(_) => self.retried += 1,
            }
        }
        let mut stream = TcpStream::connect(self.place.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (answer, keep) = self.exchange(&mut stream, target).map_err(|(error, _)| error)?;
        Ok(self.keeping(stream, answer, keep))
    }

    fn keeping(&mut self, stream: TcpStream, answer: Answer, keep: bool) -> Answer {
        self.kept = keep.then_some(stream);
        answer
    }

    /// The answer and whether the connection goes on; or the error and whether an answer had begun.
    fn exchange(&self, stream: &mut TcpStream, target: &str) -> Result<(Answer, bool), (Error, bool)> {
        let (host, headers) = (&self.place.host, &self.headers);
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).map_err(|error| (error, false))?;
        let mut bytes = Vec::with_capacity(32 << 10);
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            more(stream, &mut bytes).map_err(|error| (error, !bytes.is_empty()))?;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let rest = bytes.split_off(end + 4);
        let body = match field(&head, "transfer-encoding") {
            "chunked" => chunks(stream, rest),
            _ => whole(stream, rest, field(&head, "content-length").parse().unwrap_or(0)),
        };
        let body = body.map_err(|error| (error, true))?;
        let status = head.get(9..12).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| (Error::new(ErrorKind::InvalidData, head.clone()), true))?;
        let answer = Answer {
            status,
            etag: field(&head, "etag").to_owned(),
            body: hash(&body),
            cache: field(&head, "x-cache").to_owned(),
        };
        Ok((answer, !field(&head, "connection").eq_ignore_ascii_case("close")))
    }
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

/// A body of so many bytes, of which some were read.
fn whole(stream: &mut TcpStream, mut read: Vec<u8>, length: usize) -> io::Result<Vec<u8>> {
    while read.len() < length {
        more(stream, &mut read)?;
    }
    Ok(read)
}

/// A body in chunks without trailers (RFC 9112, section 7.1), of which some bytes were read.
fn chunks(stream: &mut TcpStream, mut read: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = loop {
            match read.windows(2).position(|window| window == b"\r\n") {
                Some(end) => break end,
                None => more(stream, &mut read)?,
            }
        };
        let size =
            std::str::from_utf8(&read[..end]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let size = size.ok_or_else(|| Error::from(ErrorKind::InvalidData))?;
        read = whole(stream, read, end + 2 + size + 2)?;
        body.extend_from_slice(&read[end + 2..end + 2 + size]);
        read.drain(..end + 2 + size + 2);
        if size == 0 {
            return Ok(body);
        }
    }
}

/// A header's value.
fn field<'a>(head: &'a str, name: &str) -> &'a str {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value.trim())
}

fn hash(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}
