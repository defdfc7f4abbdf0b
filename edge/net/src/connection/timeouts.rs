//! The deadlines of one connection, kept by a single timer that requests never reset.
//!
//! It wakes at the earliest instant at which anything could be due, looks at the connection's [`Activity`], and
//! either acts or sleeps until the next such instant. hyper's own HTTP/1 timer stays off: it is allocated and
//! registered anew for every request.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::detect::Protocol;
use super::socket::Activity;
use super::{CloseReason, Limits};

/// The decision of the timer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing is due.
    Wait,
    /// The connection has been unused for a while: drop what only requests need.
    Park,
    /// Finish the requests in flight, accept no more.
    WindDown,
    /// Close now.
    Cut(CloseReason),
}

/// The deadlines of one connection.
pub(super) struct Timeouts {
    pub(super) activity: Arc<Activity>,
    pub(super) protocol: Protocol,
    limits: Limits,
    pub(super) began: Instant,
    /// Past this the connection takes no further request; past twice the age, or the drain, it is cut.
    max_age: Duration,
    cut: Instant,
    /// Why the connection accepts no further request, and when it is closed if none arrives; `None` before.
    departing: Option<(CloseReason, Instant)>,
    /// It takes none.
    winding_down: bool,
    pub(super) draining: bool,
    /// HTTP/2: when [`Activity::tails`] last turned.
    turned: Instant,
    /// [`Activity::uses`] when last looked at, and since when it has not changed.
    uses: u32,
    unused_since: Instant,
    /// How long it has to be unused to be parked: twice as long after each look that found it used, so that
    /// one request's connection is parked at once and a busy one is seldom looked at.
    patience: Duration,
}

/// Most that [`Timeouts::patience`] grows to, in times of [`Limits::park`].
const PATIENCE_MOST: u32 = 64;

impl Timeouts {
    pub(super) fn new(protocol: Protocol, limits: Limits, max_age: Duration) -> Self {
        let began = Instant::now();
        Self {
            activity: Arc::default(),
            protocol,
            limits,
            began,
            max_age,
            cut: began + 2 * max_age,
            departing: None,
            winding_down: false,
            draining: false,
            turned: began,
            uses: 0,
            unused_since: began,
            patience: limits.park,
        }
    }

    fn request_due(&self) -> Option<Instant> {
        self.activity.request.since().map(|since| since + self.limits.request)
    }

    fn stall_due(&self) -> Option<Instant> {
        self.activity.stall.since().map(|since| since + self.limits.write_stall)
    }

    /// When an HTTP/1 connection will be unused long enough to be parked; `None` if that time is past.
    fn park_due(&self, now: Instant) -> Option<Instant> {
        let due = self.unused_since + self.patience;
        (self.protocol == Protocol::Http1 && due > now).then_some(due)
    }

    /// When to look again. A wait that begins after `now` cannot be due before `now` plus the shortest wait, so
    /// none is missed although none wakes the timer when it begins.
    pub(super) fn next(&self, now: Instant) -> Instant {
        let waits = self.limits.request.min(self.limits.write_stall).min(self.limits.stream_stall);
        let leaving = match self.departing {
            Some((_, closed)) => closed,
            None => (self.began + self.max_age).min(self.unused_since + self.limits.idle),
        };
        [self.request_due(), self.stall_due(), self.park_due(now), (!self.winding_down).then_some(leaving)]
            .into_iter()
            .flatten()
            .fold(self.cut.min(now + waits), Instant::min)
    }

    /// What is due at `now`.
    pub(super) fn look(&mut self, now: Instant) -> Step {
        let uses = self.activity.uses();
        if uses != self.uses {
            self.uses = uses;
            self.unused_since = now;
            self.patience = (2 * self.patience).min(PATIENCE_MOST * self.limits.park);
        }
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if due(self.request_due()) {
            Step::Cut(CloseReason::Request)
        } else if due(self.stall_due()) || self.a_tail_is_stuck(now) {
            self.reset(CloseReason::Stall)
        } else if self.cut <= now {
            self.reset(self.departing.map_or(CloseReason::Age, |(reason, _)| reason))
        } else if self.winding_down {
            Step::Wait
        } else {
            self.look_for_the_end(now)
        }
    }

    /// Whether the client does not read the end of an answer. hyper has all of that stream, which can no longer be
    /// reset.
    fn a_tail_is_stuck(&mut self, now: Instant) -> bool {
        let turns = self.turned + self.limits.stream_stall <= now;
        if turns {
            self.turned = now;
        }
        turns && self.activity.tails.turn()
    }

    fn look_for_the_end(&mut self, now: Instant) -> Step {
        match self.departing {
            Some((_, closed)) if closed <= now => self.wind_down(now),
            Some(_) => Step::Wait,
            None if self.began + self.max_age <= now => self.depart(CloseReason::Age, now),
            None if self.unused_since + self.limits.idle <= now => {
                self.departing = Some((CloseReason::Idle, now));
                self.wind_down(now)
            }
            None if self.may_park(now) => Step::Park,
            None => Step::Wait,
        }
    }

    fn may_park(&self, now: Instant) -> bool {
        self.protocol == Protocol::Http1
            && self.unused_since + self.patience <= now
            && self.activity.is_between_requests()
    }

    /// The connection is used again.
    pub(super) fn unpark(&mut self, now: Instant) {
        self.unused_since = now;
    }

    /// The server shuts down.
    pub(super) fn drain(&mut self, now: Instant) -> Step {
        self.draining = true;
        self.cut = self.cut.min(now + self.limits.drain);
        self.depart(CloseReason::Drain, now)
    }

    /// Announces the end to the client. HTTP/2 does so by itself, with the last request that is answered; HTTP/1
    /// can do so with an answer only.
    fn depart(&mut self, reason: CloseReason, now: Instant) -> Step {
        let closed = self.departing.map_or(now + self.limits.parting, |(_, closed)| closed);
        self.departing = Some((reason, closed));
        if self.protocol == Protocol::Http2 || self.activity.is_answering() {
            return self.wind_down(now);
        }
        self.activity.leave();
        Step::Wait
    }

    fn wind_down(&mut self, now: Instant) -> Step {
        self.winding_down = true;
        if self.protocol == Protocol::Http2 {
            self.cut = self.cut.min(now + self.limits.goaway);
        }
        self.activity.end_quietly();
        Step::WindDown
    }

    /// Cuts a connection that holds unsent bytes.
    fn reset(&self, reason: CloseReason) -> Step {
        self.activity.reset_on_drop();
        Step::Cut(reason)
    }

    /// Why a connection ended by itself.
    pub(super) fn reason(&self, outcome: &hyper::Result<()>) -> CloseReason {
        match outcome {
            Ok(()) => self.departing.map_or(CloseReason::Done, |(reason, _)| reason),
            Err(error) if error.is_timeout() => CloseReason::Ping,
            Err(error) if error.is_parse() => CloseReason::Malformed,
            Err(_) => CloseReason::Broken,
        }
    }
}
