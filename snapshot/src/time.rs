//! What depends on the day, in one place: cycle status, open states, next deadline, what is
//! upcoming. Days are UTC calendar dates; a deadline counts through the end of its day.
//!
//! Everything here is a function of (dates, today), so that generator and edge agree and a
//! snapshot stays right after the day it was built for.

use jiff::civil::Date;

use crate::record::{CycleStatus, Lifecycle};

/// A day as days since 1970-01-01; what columns hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Day(pub i32);

const EPOCH: Date = jiff::civil::date(1970, 1, 1);

impl Day {
    /// Stands for "no date" in columns; never a real day.
    pub const NONE: Self = Self(i32::MIN);

    /// The day of a date.
    #[must_use]
    pub fn new(date: Date) -> Self {
        Self(EPOCH.until(date).map_or(0, |span| span.get_days()))
    }

    /// The day of a date that may be absent.
    #[must_use]
    pub fn or_none(date: Option<Date>) -> Self {
        date.map_or(Self::NONE, Self::new)
    }

    /// The date of a day.
    #[must_use]
    pub fn date(self) -> Option<Date> {
        if self == Self::NONE {
            return None;
        }
        EPOCH.checked_add(jiff::Span::new().try_days(self.0).ok()?).ok()
    }

    /// `Some` unless it is [`Day::NONE`].
    #[must_use]
    pub fn known(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

/// The days of a cycle that its status follows from, and what its source stated.
#[derive(Clone, Copy, Debug)]
pub struct Season {
    /// First day of applications.
    pub opens: Day,
    /// Last day of applications.
    pub deadline: Day,
    /// First day of what is funded.
    pub starts: Day,
    /// What the source said.
    pub stated: Option<CycleStatus>,
}

impl Season {
    /// Status on a day: a passed deadline closes; then the source's word on rolling and closed;
    /// then the opening day; then the source's word; then a deadline ahead.
    #[must_use]
    pub fn status(&self, today: Day) -> CycleStatus {
        use CycleStatus::{Closed, Open, Rolling, Unknown, Upcoming};
        let deadline = self.deadline.known();
        if deadline.is_some_and(|deadline| deadline < today) {
            return Closed;
        }
        match (self.stated, self.opens.known()) {
            (Some(Rolling), _) => Rolling,
            (Some(Closed), _) => Closed,
            (_, Some(opens)) if opens > today => Upcoming,
            (_, Some(_)) => Open,
            (Some(stated @ (Open | Upcoming)), None) => stated,
            _ if deadline.is_some() => Open,
            _ => Unknown,
        }
    }

    /// Whether `cycles?upcoming=true` lists it.
    #[must_use]
    pub fn is_upcoming(&self, today: Day) -> bool {
        use CycleStatus::{Open, Rolling, Upcoming};
        matches!(self.status(today), Open | Upcoming | Rolling)
            || self.starts.known().is_some_and(|starts| starts >= today)
    }

    /// Days on which [`Season::status`] may change: the opening day and the day after the deadline.
    pub fn turning_days(&self) -> impl Iterator<Item = Day> + use<> {
        let closes = self.deadline.known().map(|day| Day(day.0.saturating_add(1)));
        self.opens.known().into_iter().chain(closes)
    }
}

/// Values of the `openStates` facet, in the order of their bits in [`Openness::states`].
pub const OPEN_STATES: [&str; 6] = ["open", "closing_soon", "rolling", "upcoming", "closed", "unknown"];

/// An open deadline this many days off, or fewer, is closing soon.
pub const CLOSING_SOON_DAYS: i32 = 14;

const OPEN: u8 = 1;
const CLOSING_SOON: u8 = 1 << 1;
const ROLLING: u8 = 1 << 2;
const UPCOMING: u8 = 1 << 3;
const CLOSED: u8 = 1 << 4;
const UNKNOWN: u8 = 1 << 5;

/// What a program's seasons and lifecycle say on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Openness {
    /// Bit `i` is set when [`OPEN_STATES`]`[i]` holds.
    pub states: u8,
    /// Whether the `rolling` filter keeps it.
    pub rolling: bool,
    /// Least deadline ahead over open and upcoming seasons, or [`Day::NONE`].
    pub next_deadline: Day,
}

impl Openness {
    /// Openness of a program on a day.
    #[must_use]
    pub fn new(lifecycle: Lifecycle, seasons: impl Iterator<Item = Season>, today: Day) -> Self {
        let mut seen = Seen::default();
        for season in seasons {
            seen.add(&season, today);
        }
        let forced = seen.forced_by(lifecycle);
        let states = forced.unwrap_or_else(|| seen.states(lifecycle));
        Self {
            states,
            rolling: seen.rolling && forced.is_none(),
            next_deadline: if forced == Some(CLOSED) { Day::NONE } else { seen.next_deadline },
        }
    }

    /// Whether the `open` filter keeps it.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.states & (OPEN | ROLLING) != 0
    }

    /// Rank in the default order among programs without a next deadline: open, rolling, upcoming,
    /// unknown, closed.
    #[must_use]
    pub const fn rank(&self) -> u8 {
        match self.states {
            s if s & OPEN != 0 => 0,
            s if s & ROLLING != 0 => 1,
            s if s & UPCOMING != 0 => 2,
            s if s & UNKNOWN != 0 => 3,
            _ => 4,
        }
    }
}

/// What was seen over a program's seasons.
struct Seen {
    any: bool,
    rolling: bool,
    open_with_deadline: bool,
    closing_soon: bool,
    best: u8,
    next_deadline: Day,
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            any: false,
            rolling: false,
            open_with_deadline: false,
            closing_soon: false,
            best: UNKNOWN,
            next_deadline: Day::NONE,
        }
    }
}

impl Seen {
    fn add(&mut self, season: &Season, today: Day) {
        let status = season.status(today);
        let state = match status {
            CycleStatus::Open => OPEN,
            CycleStatus::Rolling => ROLLING,
            CycleStatus::Upcoming => UPCOMING,
            CycleStatus::Closed => CLOSED,
            CycleStatus::Unknown => UNKNOWN,
        };
        self.any = true;
        self.best = self.best.min(state);
        self.rolling |= state == ROLLING;
        let Some(deadline) = season.deadline.known() else { return };
        if state == OPEN {
            self.open_with_deadline = true;
            self.closing_soon |= deadline.0 - today.0 <= CLOSING_SOON_DAYS;
        }
        if matches!(status, CycleStatus::Open | CycleStatus::Upcoming)
            && self.next_deadline.known().is_none_or(|next| deadline < next)
        {
            self.next_deadline = deadline;
        }
    }

    /// The state that the lifecycle imposes whatever the seasons say.
    fn forced_by(&self, lifecycle: Lifecycle) -> Option<u8> {
        use Lifecycle::{
            ActiveAccepting, ActiveBetweenCycles, ActiveNoApplications, Ended, Inaccessible, Paused,
            RenamedOrMoved, Unclear,
        };
        match lifecycle {
            Paused | Ended | ActiveNoApplications => Some(CLOSED),
            Inaccessible | RenamedOrMoved | Unclear => (!self.open_with_deadline).then_some(UNKNOWN),
            ActiveAccepting | ActiveBetweenCycles => None,
        }
    }

    fn states(&self, lifecycle: Lifecycle) -> u8 {
        if !self.any {
            return if lifecycle == Lifecycle::ActiveAccepting { OPEN } else { UNKNOWN };
        }
        self.best | if self.closing_soon { CLOSING_SOON } else { 0 }
    }
}
