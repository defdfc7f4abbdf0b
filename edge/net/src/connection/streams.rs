//! The streams of HTTP/2 connections, each a task: one whose client takes nothing more of its answer is reset, and
//! what it held is freed, while the others of its connection go on.

use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::Executor;
use tokio::time::{Instant, Sleep, sleep};

use super::Counters;

tokio::task_local! {
    /// Grows when the answer of the stream that is polled begins, and with every piece of it that is taken.
    static PROGRESS: Cell<u32>;
}

/// Notes that the stream that is being polled moves on.
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

/// A stream and its timer, which is there only once the client keeps it waiting.
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
            // Still being answered: that is the server's time, not the client's.
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
        // To drop an answer half sent resets its stream.
        self.streams.counters.reset_stream();
        Poll::Ready(())
    }
}
