//! A small blocking HTTP/1.1 client that keeps its connection and, like any client, asks once more when a
//! kept connection turns out to be closed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Error, ErrorKind};
use std::net::TcpStream;
use std::time::Duration;

use super::Place;
use crate::client;

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
}

/// A client of one place.
pub struct Client {
    place: Place,
    kept: Option<TcpStream>,
}

impl Client {
    /// A client that has not connected yet.
    #[must_use]
    pub fn new(place: &Place) -> Self {
        Self { place: place.clone(), kept: None }
    }

    /// The answer to a GET.
    ///
    /// # Errors
    ///
    /// If the connection fails, or what comes is no HTTP.
    pub fn get(&mut self, target: &str) -> io::Result<Answer> {
        let kept = self.kept.take();
        if let Some(mut stream) = kept {
            match self.exchange(&mut stream, target) {
                Ok((answer, keep)) => return Ok(self.keeping(stream, answer, keep)),
                Err((error, began)) if began => return Err(error),
                // The kept connection had been closed: the request is sent again.
                Err(_) => {}
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
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", self.place.host);
        let found = client::exchange(stream, request.as_bytes())?;
        if found.status() == 0 {
            return Err((Error::new(ErrorKind::InvalidData, found.head), true));
        }
        let answer =
            Answer { status: found.status(), etag: found.field("etag").to_owned(), body: hash(&found.body) };
        Ok((answer, !found.field("connection").eq_ignore_ascii_case("close")))
    }
}

fn hash(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}
