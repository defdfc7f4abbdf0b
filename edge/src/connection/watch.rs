//! The deadlines of one connection, kept by a single timer that requests never reset.
//!
//! It wakes at the earliest instant at which anything could be due, looks at the connection's [`Activity`], and
//! either acts or sleeps until the next such instant. hyper's own HTTP/1 timer stays off: it is allocated and
//! registered anew for every request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::detect::Protocol;
use super::guard::Activity;
use super::{Limits, Reason};

/// What the timer decided.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing is due.
    Wait,
    /// Finish what is in flight, take nothing more.
    WindDown,
    /// Close now.
    Cut(Reason),
}

/// The deadlines of one connection.
pub(super) struct Watch {
    pub(super) activity: Arc<Activity>,
    pub(super) protocol: Protocol,
    limits: Limits,
    pub(super) began: Instant,
    /// Past this the connection takes no further request; past twice the age, or the drain, it is cut.
    max_age: Duration,
    cut: Instant,
    /// Why it takes no further request, once it does not.
    winding_down: Option<Reason>,
    pub(super) draining: bool,
    /// When a connection without a request is closed, once the server shuts down.
    parting: Option<Instant>,
    /// [`Activity::uses`] when last looked at, and since when it has not changed.
    uses: u32,
    unused_since: Instant,
}

impl Watch {
    pub(super) fn new(protocol: Protocol, limits: Limits, max_age: Duration) -> Self {
        let began = Instant::now();
        Self {
            activity: Arc::new(Activity::new(began)),
            protocol,
            limits,
            began,
            max_age,
            cut: began + 2 * max_age,
            winding_down: None,
            draining: false,
            parting: None,
            uses: 0,
            unused_since: began,
        }
    }

    fn request_due(&self) -> Option<Instant> {
        self.activity.request.since().map(|since| since + self.limits.request)
    }

    fn stall_due(&self) -> Option<Instant> {
        self.activity.stall.since().map(|since| since + self.limits.write_stall)
    }

    /// When to look again. A wait that begins after `now` cannot be due before `now` plus the shortest wait, so
    /// none is missed although none wakes the timer when it begins.
    pub(super) fn next(&self, now: Instant) -> Instant {
        let waits = self.limits.request.min(self.limits.write_stall);
        let leaving = (self.began + self.max_age).min(self.unused_since + self.limits.idle);
        let leaving = self.parting.map_or(leaving, |parting| parting.min(leaving));
        [self.request_due(), self.stall_due(), self.winding_down.is_none().then_some(leaving)]
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
        }
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if due(self.request_due()) {
            Step::Cut(Reason::Request)
        } else if due(self.stall_due()) {
            self.reset(Reason::Stall)
        } else if self.cut <= now {
            self.reset(self.winding_down.unwrap_or(Reason::Age))
        } else if self.winding_down.is_some() {
            Step::Wait
        } else if due(self.parting) {
            self.wind_down(Reason::Drain)
        } else if self.began + self.max_age <= now {
            self.wind_down(Reason::Age)
        } else if self.unused_since + self.limits.idle <= now {
            self.wind_down(Reason::Idle)
        } else {
            Step::Wait
        }
    }

    /// The server shuts down. HTTP/2 says so by itself and knows which requests came before; HTTP/1 can say
    /// so with an answer only.
    pub(super) fn drain(&mut self, now: Instant) -> Step {
        self.draining = true;
        self.cut = self.cut.min(now + self.limits.drain);
        if self.protocol == Protocol::Http2 || self.activity.is_answering() {
            return self.wind_down(Reason::Drain);
        }
        self.activity.leave();
        self.parting = Some(now + self.limits.parting);
        Step::Wait
    }

    fn wind_down(&mut self, reason: Reason) -> Step {
        self.winding_down = Some(reason);
        self.activity.end_quietly();
        Step::WindDown
    }

    /// Cuts a connection that holds unsent bytes.
    fn reset(&self, reason: Reason) -> Step {
        self.activity.reset_on_drop();
        Step::Cut(reason)
    }

    /// Why a connection ended by itself.
    pub(super) fn reason(&self, outcome: &hyper::Result<()>) -> Reason {
        match outcome {
            Ok(()) if self.draining => Reason::Drain,
            Ok(()) => self.winding_down.unwrap_or(Reason::Done),
            Err(error) if error.is_timeout() => Reason::Ping,
            Err(error) if error.is_parse() => Reason::Malformed,
            Err(_) => Reason::Broken,
        }
    }
}
