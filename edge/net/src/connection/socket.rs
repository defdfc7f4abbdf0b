//! The socket as hyper sees it. It notes what the connection's timer has to know and closes politely.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use super::detect::Protocol;

/// How long and how many bytes to read from a client that still sends after the last response. To close with
/// bytes unread resets the connection, and the reset may overtake the response (RFC 9112 §9.6).
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 1 << 20;

/// The state of a connection, for its timer. The connection's own task writes it, so plain loads and
/// stores do; the atomics only satisfy that the task may move between threads.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// Since the first byte of a request, until the first byte of the response. HTTP/1 only.
    pub(super) request: Mark,
    /// Since the socket took no more bytes, until it takes some.
    pub(super) stall: Mark,
    /// Changes whenever the connection is used.
    uses: AtomicU32,
    /// The connection ends without waiting for the client.
    quiet_end: AtomicBool,
    /// A request was passed to the service, and nothing of its answer was sent.
    called: AtomicBool,
    /// A request was passed to the service, and hyper has not read all of its answer. HTTP/1 only.
    answering: AtomicBool,
    /// The last request has a body, part of which may be unread. HTTP/1 only.
    reading: AtomicBool,
    /// HTTP/2: answers of which the last piece waits to be sent.
    pub(super) tails: Tails,
    /// The next answer is the last.
    leaving: AtomicBool,
    /// The connection ends with unsent bytes that are to be dropped.
    reset: AtomicBool,
}

impl Activity {
    /// A number that changes whenever the connection is used: on HTTP/1 by any byte, on HTTP/2, where bytes may
    /// be pings, by a request or a piece of an answer.
    pub(super) fn uses(&self) -> u32 {
        self.uses.load(Relaxed)
    }

    pub(super) fn used(&self) {
        self.uses.store(self.uses.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// A request is passed to the service.
    pub(super) fn called(&self, with_body: bool) {
        self.used();
        self.called.store(true, Relaxed);
        self.answering.store(true, Relaxed);
        self.reading.store(with_body, Relaxed);
    }

    /// hyper has read all of an answer, or dropped the rest.
    pub(super) fn answered(&self) {
        self.answering.store(false, Relaxed);
    }

    /// Whether the connection is certainly between two requests: no byte of the next one is read, and no byte of an
    /// answer is unsent. HTTP/1 only.
    pub(super) fn is_between_requests(&self) -> bool {
        let busy = [&self.called, &self.answering, &self.reading, &self.leaving, &self.quiet_end];
        let waits = [&self.request, &self.stall];
        !busy.iter().any(|flag| flag.load(Relaxed)) && waits.iter().all(|mark| mark.since().is_none())
    }

    /// Whether a request waits for its answer. HTTP/1 only.
    pub(super) fn is_answering(&self) -> bool {
        self.called.load(Relaxed)
    }

    /// From now on every answer announces that it is the connection's last.
    pub(super) fn leave(&self) {
        self.leaving.store(true, Relaxed);
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.load(Relaxed)
    }

    /// When the connection next shuts down, close it without waiting for the client.
    pub(super) fn end_quietly(&self) {
        self.quiet_end.store(true, Relaxed);
    }

    /// When the socket is dropped, let the kernel discard unsent bytes instead of trying for minutes.
    pub(super) fn reset_on_drop(&self) {
        self.reset.store(true, Relaxed);
    }
}

/// An instant that is set and cleared.
#[derive(Debug)]
pub(super) struct Mark {
    origin: Instant,
    /// Nanoseconds after `origin`, or [`Mark::CLEAR`].
    nanos: AtomicU64,
}

impl Default for Mark {
    fn default() -> Self {
        Self { origin: Instant::now(), nanos: AtomicU64::new(Self::CLEAR) }
    }
}

impl Mark {
    const CLEAR: u64 = u64::MAX;

    /// Remembers now, unless an earlier instant stands. Reads the clock only then.
    fn set(&self) {
        if self.nanos.load(Relaxed) == Self::CLEAR {
            self.nanos.store(self.origin.elapsed().as_nanos() as u64, Relaxed);
        }
    }

    fn clear(&self) {
        self.nanos.store(Self::CLEAR, Relaxed);
    }

    /// The remembered instant.
    pub(super) fn since(&self) -> Option<Instant> {
        let nanos = self.nanos.load(Relaxed);
        (nanos != Self::CLEAR).then(|| self.origin + Duration::from_nanos(nanos))
    }
}

/// Numbers of last pieces of answers that wait to be sent, by the round in which their wait began: the current one or
/// the one before.
#[derive(Debug, Default)]
pub(super) struct Tails {
    round: AtomicU32,
    waiting: [AtomicU32; 2],
}

impl Tails {
    /// Counts one more, and returns its round.
    pub(super) fn enter(&self) -> u32 {
        let round = self.round.load(Relaxed) % 2;
        self.waiting[round as usize].fetch_add(1, Relaxed);
        round
    }

    pub(super) fn leave(&self, round: u32) {
        self.waiting[round as usize].fetch_sub(1, Relaxed);
    }

    /// Begins another round; true if a piece has waited for the whole of the round that ends.
    pub(super) fn turn(&self) -> bool {
        let next = self.round.load(Relaxed).wrapping_add(1);
        self.round.store(next, Relaxed);
        self.waiting[next as usize % 2].load(Relaxed) > 0
    }
}

/// What carries the bytes of a connection: a socket, or a pipe where no kernel and no time is to pass.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin + 'static {
    /// Ready when there is something to read, or nothing more will come.
    fn poll_readable(&mut self, cx: &mut Context<'_>) -> Poll<()>;

    /// Once closed, what was not sent is to be forgotten.
    fn forget_unsent(&self);
}

impl Wire for TcpStream {
    fn poll_readable(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_read_ready(cx).map(drop)
    }

    fn forget_unsent(&self) {
        // Best effort: without it the kernel merely holds its buffer longer.
        let _ = self.set_zero_linger();
    }
}

/// The socket with the bytes already read from it and the [`Activity`] it reports to.
pub(super) struct Socket<W: Wire> {
    stream: W,
    prefix: Bytes,
    protocol: Protocol,
    activity: Arc<Activity>,
    linger: Option<Linger>,
}

impl<W: Wire> Socket<W> {
    pub(super) fn new(stream: W, protocol: Protocol, prefix: Bytes, activity: Arc<Activity>) -> Self {
        Self { stream, prefix, protocol, activity, linger: None }
    }

    /// Returns bytes that were read and not used to the socket; copied, since even an empty slice keeps hyper's whole
    /// buffer.
    pub(super) fn give_back(&mut self, bytes: &[u8]) {
        self.prefix = Bytes::copy_from_slice(bytes);
    }

    /// Ready when there is something to read, or nothing more will come.
    pub(super) fn poll_readable(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.stream.poll_readable(cx)
    }

    fn noted_read(&self) {
        if self.protocol == Protocol::Http1 {
            self.activity.request.set();
            self.activity.used();
        }
    }

    fn noted_write(&self, outcome: &Poll<io::Result<usize>>) {
        match outcome {
            Poll::Pending => self.activity.stall.set(),
            Poll::Ready(_) => {
                self.activity.stall.clear();
                if self.protocol == Protocol::Http1 {
                    self.activity.request.clear();
                    self.activity.called.store(false, Relaxed);
                    self.activity.used();
                }
            }
        }
    }
}

impl<W: Wire> AsyncRead for Socket<W> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.prefix.is_empty() {
            let most = this.prefix.len().min(buffer.remaining());
            buffer.put_slice(&this.prefix.split_to(most));
            this.noted_read();
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut this.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            this.noted_read();
        }
        outcome
    }
}

impl<W: Wire> AsyncWrite for Socket<W> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.noted_write(&outcome);
        outcome
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.noted_write(&outcome);
        outcome
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    /// Ends our side and, unless the connection ended quietly, waits a little for the client to end its own.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // There will be no further answer: what waits here is no connection between two requests.
        this.activity.leave();
        if this.linger.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if this.activity.quiet_end.load(Relaxed) {
                return Poll::Ready(Ok(()));
            }
        }
        let linger = this.linger.get_or_insert_with(Linger::new);
        linger.poll(&mut this.stream, cx).map(Ok)
    }
}

impl<W: Wire> Drop for Socket<W> {
    fn drop(&mut self) {
        if self.activity.reset.load(Relaxed) {
            self.stream.forget_unsent();
        }
    }
}

/// Reads and forgets what a client sends after the last response.
struct Linger {
    until: Pin<Box<Sleep>>,
    left: usize,
}

impl Linger {
    fn new() -> Self {
        Self { until: Box::pin(tokio::time::sleep(LINGER)), left: LINGER_BYTES }
    }

    fn poll(&mut self, stream: &mut impl Wire, cx: &mut Context<'_>) -> Poll<()> {
        let mut scratch = [0; 4096];
        while self.left > 0 {
            let mut buffer = ReadBuf::new(&mut scratch);
            match Pin::new(&mut *stream).poll_read(cx, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    self.left = self.left.saturating_sub(buffer.filled().len());
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return Future::poll(self.until.as_mut(), cx),
            }
        }
        Poll::Ready(())
    }
}
