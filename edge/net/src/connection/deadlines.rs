//! The deadlines of one connection, kept by a single timer that requests never reset.
//!
//! It wakes at the earliest instant at which anything could be due, and either acts or sleeps until the next such
//! instant. hyper's own timer stays off: it is allocated and registered anew for every request.

use tokio::time::Instant;

use super::Limits;
use super::counters::CloseReason;
use crate::waiting::Wait;

/// The decision of the timer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing is due.
    Nothing,
    /// Announce with the next answer that it is the last.
    Announce,
    /// Close, or once the request in flight is answered.
    Close,
    /// Close now.
    Cut(CloseReason),
}

/// The deadlines of one connection.
pub(super) struct Deadlines {
    limits: Limits,
    /// When the connection announces its end.
    announce: Instant,
    /// Why it has announced its end, and when it is closed if no request arrives; `None` before.
    leaving: Option<(CloseReason, Instant)>,
    /// When it is cut, whatever it does.
    cut: Instant,
}

impl Deadlines {
    pub(super) fn new(limits: Limits, began: Instant) -> Self {
        let (announce, cut) = (began + limits.max_age, began + 2 * limits.max_age);
        Self { limits, announce, leaving: None, cut }
    }

    /// When what the connection waits for has taken too long, and what that is called.
    fn due(&self, (wait, since): (Wait, Instant)) -> (Instant, CloseReason) {
        match wait {
            Wait::Request => (since + self.limits.idle, CloseReason::Idle),
            Wait::Response => (since + self.limits.request, CloseReason::Request),
            Wait::Reader => (since + self.limits.write_stall, CloseReason::Stall),
        }
    }

    /// When to look again. A wait that begins after `now` cannot be due before `now` plus the shortest, so none is
    /// missed although none wakes the timer when it begins.
    pub(super) fn next(&self, waiting: (Wait, Instant), now: Instant) -> Instant {
        let shortest = self.limits.request.min(self.limits.write_stall).min(self.limits.idle);
        let leaving = self.leaving.map_or(self.announce, |(_, closes)| closes);
        self.due(waiting).0.min(leaving).min(self.cut).min(now + shortest)
    }

    /// What is due at `now`.
    pub(super) fn look(&mut self, waiting: (Wait, Instant), now: Instant) -> Step {
        let (due, reason) = self.due(waiting);
        match self.leaving {
            _ if due <= now => Step::Cut(reason),
            _ if self.cut <= now => Step::Cut(self.reason().unwrap_or(CloseReason::Age)),
            None if self.announce <= now => self.leave(CloseReason::Age, now),
            Some((reason, closes)) if closes <= now => {
                self.leaving = Some((reason, self.cut));
                Step::Close
            }
            _ => Step::Nothing,
        }
    }

    /// The server shuts down.
    pub(super) fn drain(&mut self, now: Instant) -> Step {
        self.cut = self.cut.min(now + self.limits.drain);
        self.leave(CloseReason::Drain, now)
    }

    fn leave(&mut self, reason: CloseReason, now: Instant) -> Step {
        let closes = self.leaving.map_or(now + self.limits.parting, |(_, closes)| closes);
        self.leaving = Some((reason, closes));
        Step::Announce
    }

    /// Why the connection has announced its end.
    pub(super) fn reason(&self) -> Option<CloseReason> {
        self.leaving.map(|(reason, _)| reason)
    }
}
