//! Clients that hold connections and do nothing useful with them.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::Place;

/// Header line of clients that a trusted proxy tells apart from those that mean well.
pub const STRANGER: &str = "X-Forwarded-For: 203.0.113.9\r\n";

/// A way to keep a server waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Connects and says nothing.
    Silent,
    /// Sends half a request head.
    HalfHead,
    /// Sends a request head byte by byte, for ever.
    Drip,
    /// Speaks HTTP/2 and falls silent after the preface.
    Http2,
    /// Announces a body and does not send it.
    NoBody,
    /// Asks for more than the kernel holds and reads nothing.
    Deaf,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Silent, Self::HalfHead, Self::Drip, Self::Http2, Self::NoBody, Self::Deaf];

    fn opening(self, host: &str) -> String {
        match self {
            Self::Silent => String::new(),
            Self::HalfHead => format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: "),
            Self::Drip => "G".to_owned(),
            Self::Http2 => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_owned(),
            Self::NoBody => format!(
                "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
                 Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n"
            ),
            Self::Deaf => {
                format!("GET /api/v1/exports/latest HTTP/1.1\r\nHost: {host}\r\n{STRANGER}\r\n").repeat(200)
            }
        }
    }
}

/// What became of the connections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// How many were closed by the server.
    pub closed: usize,
    /// How many were open when patience ended.
    pub left: usize,
    /// The shortest time that one of those stayed open.
    pub shortest: Duration,
    /// The longest.
    pub longest: Duration,
}

/// Opens connections of a kind and waits until the server has closed them, or patience ends. `every` is
/// the time between two bytes of those that drip.
///
/// # Errors
///
/// If a connection cannot be opened.
pub fn hold(
    place: &Place,
    kind: Kind,
    count: usize,
    every: Duration,
    patience: Duration,
) -> io::Result<Outcome> {
    let began = Instant::now();
    let opening = kind.opening(&place.host);
    let mut open = Vec::with_capacity(count);
    for _ in 0..count {
        let mut stream = TcpStream::connect(place.address)?;
        stream.set_nonblocking(true)?;
        // Over the cap the server closes at once: then this fails, and the next look sees it closed.
        let _ = stream.write(opening.as_bytes());
        open.push((Instant::now(), stream));
    }
    let mut outcome = Outcome { shortest: Duration::MAX, ..Outcome::default() };
    let mut dripped = Instant::now();
    while !open.is_empty() && began.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(20));
        if kind == Kind::Drip && dripped.elapsed() >= every {
            dripped = Instant::now();
            open.iter_mut().for_each(|(_, stream)| drop(stream.write(b"E")));
        }
        open.retain_mut(|(opened, stream)| {
            let stays = is_open(stream, kind);
            if !stays {
                outcome.closed += 1;
                outcome.shortest = outcome.shortest.min(opened.elapsed());
                outcome.longest = outcome.longest.max(opened.elapsed());
            }
            stays
        });
    }
    outcome.left = open.len();
    Ok(outcome)
}

/// Whether the server still holds its end. Who is deaf must not read, and sees a reset only.
fn is_open(stream: &mut TcpStream, kind: Kind) -> bool {
    if kind == Kind::Deaf {
        return matches!(stream.take_error(), Ok(None));
    }
    loop {
        match stream.read(&mut [0; 4096]) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
}
