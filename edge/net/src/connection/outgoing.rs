//! Outgoing bodies, as hyper reads them. On HTTP/2 in pieces, so that what waits for a client's window waits here,
//! where it can be dropped, and each piece that hyper takes is visible progress.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::detect::Protocol;
use super::socket::Activity;
use super::streams;

/// Largest piece, in bytes: what one DATA frame holds unless a client allows more (RFC 9113 §4.2).
const PIECE: usize = 16 * 1024;

/// A body, and the connection that it is sent on.
pub(super) struct Outgoing<B> {
    body: B,
    /// Read from the body, and not returned yet.
    rest: Bytes,
    protocol: Protocol,
    activity: Arc<Activity>,
}

impl<B> Outgoing<B> {
    pub(super) fn new(body: B, protocol: Protocol, activity: Arc<Activity>) -> Self {
        streams::progress();
        Self { body, rest: Bytes::new(), protocol, activity }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Outgoing<B> {
    /// The next piece of `rest`. The last one is a [`Tail`]: hyper takes it at once and drops it when it is sent.
    fn piece(&mut self) -> Bytes {
        streams::progress();
        self.activity.used();
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        if self.is_end_stream() { Bytes::from_owner(Tail::new(piece, &self.activity)) } else { piece }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Outgoing<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut this.body).poll_frame(cx)) {
                Some(Ok(frame)) if this.protocol == Protocol::Http2 => frame,
                other => return Poll::Ready(other),
            };
            match frame.into_data() {
                Ok(data) => this.rest = data,
                Err(frame) => return Poll::Ready(Some(Ok(frame))),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(this.piece()))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, hint) = (self.rest.len() as u64, self.body.size_hint());
        let mut sum = SizeHint::new();
        sum.set_lower(hint.lower().saturating_add(rest));
        if let Some(upper) = hint.upper() {
            sum.set_upper(upper.saturating_add(rest));
        }
        sum
    }
}

impl<B> Drop for Outgoing<B> {
    fn drop(&mut self) {
        self.activity.answered();
    }
}

/// The last piece of a body, while it waits to be sent.
struct Tail {
    piece: Bytes,
    activity: Arc<Activity>,
    round: u32,
}

impl Tail {
    fn new(piece: Bytes, activity: &Arc<Activity>) -> Self {
        Self { piece, activity: Arc::clone(activity), round: activity.tails.enter() }
    }
}

impl AsRef<[u8]> for Tail {
    fn as_ref(&self) -> &[u8] {
        &self.piece
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.activity.tails.leave(self.round);
    }
}
