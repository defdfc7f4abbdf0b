//! The socket as hyper sees it. It notes what the connection waits for, and closes politely.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::waiting::{Wait, Waiting};

/// How long and how many bytes to read from a client that still sends after the last response. To close with
/// bytes unread resets the connection, and the reset may overtake the response (RFC 9112 §9.6).
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 1 << 20;

/// What carries the bytes of a connection: a socket, or a pipe where no kernel and no time is to pass.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin + 'static {
    /// Once closed, what was not sent is to be forgotten.
    fn forget_unsent(&self);
}

impl Wire for TcpStream {
    fn forget_unsent(&self) {
        // Best effort: without it the kernel merely holds its buffer longer.
        let _ = self.set_zero_linger();
    }
}

/// The socket, with what it notes.
pub(super) struct Socket<W> {
    pub(super) stream: W,
    waiting: Waiting,
    linger: Option<Linger>,
    /// Whether the end of what the client sends was seen, and nothing was sent since.
    has_ended: bool,
}

impl<W: Wire> Socket<W> {
    pub(super) fn new(stream: W, waiting: Waiting) -> Self {
        Self { stream, waiting, linger: None, has_ended: false }
    }

    fn has_written(&mut self, outcome: &Poll<io::Result<usize>>, cx: &Context<'_>) {
        if outcome.is_pending() {
            return self.waiting.become_unless(|wait| wait == Wait::Reader, Wait::Reader);
        }
        self.waiting.become_unless(|_| false, Wait::Request);
        if std::mem::take(&mut self.has_ended) {
            // The end is to be seen again.
            cx.waker().wake_by_ref();
        }
    }
}

impl<W: Wire> AsyncRead for Socket<W> {
    /// A client may end its side and still read. hyper takes the end for a client that left, and drops its answer; so it
    /// sees the end later: once what is being sent is sent, and one poll after that. What is answered at
    /// once is sent then; who waits for a pool has left, as far as anyone can know.
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let free = buffer.remaining();
        let outcome = Pin::new(&mut this.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            this.waiting.become_unless(|wait| wait != Wait::Request, Wait::Response);
        } else if matches!(outcome, Poll::Ready(Ok(()))) && free > 0 {
            let is_sending = this.waiting.get().0 == Wait::Reader;
            if is_sending || !this.has_ended {
                this.has_ended = true;
                if !is_sending {
                    cx.waker().wake_by_ref();
                }
                return Poll::Pending;
            }
        }
        outcome
    }
}

impl<W: Wire> AsyncWrite for Socket<W> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.has_written(&outcome, cx);
        outcome
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.has_written(&outcome, cx);
        outcome
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    /// Ends our side, and waits a little for the client to end its own.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.linger.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        let linger = this.linger.get_or_insert_with(Linger::new);
        linger.poll(&mut this.stream, cx).map(Ok)
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
