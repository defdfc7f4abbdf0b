//! The streams of HTTP/2 connections, each a task: a stream is reset when its client reads nothing more of the answer,
//! and its memory is freed, while the other streams of the connection continue.

use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::Executor;
use tokio::time::{Instant, Sleep, sleep};

use super::Counters;

tokio::task_local! {
    /// Number of pieces that hyper has taken of the answer of the stream that is polled, plus one for its start.
    static PROGRESS: Cell<u32>;
}

/// Records progress of the stream that is being polled.
pub(super) fn progress() {
    // HTTP/1 has no streams: its connection is watched as a whole.
    let _ = PROGRESS.try_with(|count| count.set(count.get().wrapping_add(1)));
}

/// Gives each stream a task of its own.
#[derive(Clone)]
pub(super) struct Streams {
    /// The longest time between two pieces of an answer.
    pub(super) stall: Duration,
    pub(super) counters: Arc<Counters>,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, future: F) {
        let stream = Stream { future: Box::pin(future), alarm: None, seen: 0, streams: self.clone() };
        tokio::spawn(PROGRESS.scope(Cell::new(0), stream));
    }
}

/// A stream and its timer, which is made when the stream first waits for the client.
struct Stream<F> {
    future: Pin<Box<F>>,
    alarm: Option<Pin<Box<Sleep>>>,
    /// [`PROGRESS`] when last looked at.
    seen: u32,
    streams: Streams,
}

impl<F: Future<Output = ()>> Future for Stream<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.future.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let count = PROGRESS.with(Cell::get);
        if count == 0 {
            // The answer has not begun: the stream waits for the server, not for the client.
            return Poll::Pending;
        }
        let stall = self.streams.stall;
        let moved = std::mem::replace(&mut self.seen, count) != count;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(stall)));
        if moved {
            alarm.as_mut().reset(Instant::now() + stall);
        }
        if alarm.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        // Dropping an unfinished answer resets its stream.
        self.streams.counters.reset_streams.add();
        Poll::Ready(())
    }
}
