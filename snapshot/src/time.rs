//! What depends on the day, in one place: cycle status, open states, next deadline, what is
//! upcoming. Days are UTC calendar dates; a deadline counts through the end of its day.
//!
//! Everything here is a function of (dates, today), so that generator and edge agree and a
//! snapshot stays right after the day it was built for.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::record::{Cycle, CycleStatus, Lifecycle, Program};

mod rounds;

/// A day as days since 1970-01-01; what columns hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Day(pub i32);

impl Default for Day {
    fn default() -> Self {
        Self::NONE
    }
}

const EPOCH: Date = jiff::civil::date(1970, 1, 1);

impl Day {
    /// Stands for "no date" in columns; never a real day.
    pub const NONE: Self = Self(i32::MIN);

    /// The day of a date.
    pub fn new(date: Date) -> Self {
        Self(EPOCH.until(date).map_or(0, |span| span.get_days()))
    }

    /// The day of a date that may be absent.
    pub(crate) fn or_none(date: Option<Date>) -> Self {
        date.map_or(Self::NONE, Self::new)
    }

    /// The UTC day of an instant that may be absent.
    pub fn of(time: Option<Timestamp>) -> Self {
        Self::or_none(time.map(|time| time.to_zoned(TimeZone::UTC).date()))
    }

    /// The date of a day.
    pub fn date(self) -> Option<Date> {
        if self == Self::NONE {
            return None;
        }
        EPOCH.checked_add(jiff::Span::new().try_days(self.0).ok()?).ok()
    }

    /// The day before.
    pub(crate) const fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The day after.
    const fn after(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// `Some` unless it is [`Day::NONE`].
    pub fn known(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

/// The days of a cycle that its status follows from, and what its source stated. By default none, and nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Season {
    /// First day of applications.
    pub opens: Day,
    /// Last day of applications.
    pub deadline: Day,
    /// First day of what is funded.
    pub starts: Day,
    /// The status that the source stated.
    pub stated: Option<CycleStatus>,
    /// Last day of the fiscal year that it is named after.
    pub fiscal: Day,
    /// Whether its days are projected.
    pub projected: bool,
}

/// A round without a deadline is doubtful this long after its opening day.
const OPEN_MONTHS_MAX: i32 = 24;

/// A fiscal year ends at the latest with the calendar year of its number.
fn fiscal_year_end(name: &str) -> Day {
    Day::or_none(rounds::fiscal_year(name).and_then(|year| Date::new(year, 12, 31).ok()))
}

impl Season {
    /// The days of a cycle.
    pub fn of(cycle: &Cycle) -> Self {
        Self {
            opens: Day::or_none(cycle.opens_on),
            deadline: Day::or_none(cycle.deadline_on),
            starts: Day::or_none(cycle.starts_on),
            stated: cycle.status,
            fiscal: fiscal_year_end(&cycle.label),
            projected: rounds::is_projected_label(&cycle.label),
        }
    }

    /// The same with what the name and the texts of its program state of its days.
    pub fn with_program(self, program: &Program) -> Self {
        let fiscal = self.fiscal.max(fiscal_year_end(&program.name));
        let texts = [&program.summary, &program.description];
        let is_projected = || texts.into_iter().flatten().any(|text| rounds::are_dates_projected(text));
        Self { fiscal, projected: self.projected || is_projected(), ..self }
    }

    /// Whether it is open without a deadline for so long, or after the end of its fiscal year, that it may be over.
    pub(crate) fn is_doubtful(&self, today: Day) -> bool {
        self.status(today) == CycleStatus::Open
            && self.deadline == Day::NONE
            && self.doubtful_days().any(|day| day <= today)
    }

    /// First days on which an open round without a deadline is doubtful.
    fn doubtful_days(&self) -> impl Iterator<Item = Day> + use<> {
        let span = jiff::Span::new().months(OPEN_MONTHS_MAX).days(1);
        let late = self.opens.date().map(|opens| Day::new(opens.saturating_add(span)));
        late.into_iter().chain(self.fiscal.known().map(Day::after))
    }

    /// Status on a day: a passed deadline closes; then the source's word on rolling and closed;
    /// then the opening day; then the source's word; then a deadline ahead.
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

    /// What its status follows from on any day, as text.
    pub(crate) fn inputs(&self) -> String {
        let stated = self.stated.map_or("", CycleStatus::as_str);
        format!("[{} {} {stated}]", self.opens.0, self.deadline.0)
    }

    /// Whether `cycles?upcoming=true` lists it.
    pub fn is_upcoming(&self, today: Day) -> bool {
        use CycleStatus::{Open, Rolling, Upcoming};
        matches!(self.status(today), Open | Upcoming | Rolling)
            || self.starts.known().is_some_and(|starts| starts >= today)
    }

    /// Days on which its status, or the doubt about it, may change: the opening day, the day after the deadline, and
    /// those that make it doubtful.
    pub(crate) fn turning_days(&self) -> impl Iterator<Item = Day> + use<> {
        let closes = self.deadline.known().map(Day::after);
        self.opens.known().into_iter().chain(closes).chain(self.doubtful_days())
    }
}

/// Values of the `openStates` facet, in the order of their bits in [`Openness::states`].
pub const OPEN_STATES: [&str; 6] = ["open", "closing_soon", "rolling", "upcoming", "closed", "unknown"];

/// An open deadline this many days off, or fewer, is closing soon.
pub(crate) const CLOSING_SOON_DAYS: i32 = 14;

const OPEN: u8 = 1;
const CLOSING_SOON: u8 = 1 << 1;
const ROLLING: u8 = 1 << 2;
const UPCOMING: u8 = 1 << 3;
const CLOSED: u8 = 1 << 4;
const UNKNOWN: u8 = 1 << 5;

/// The state of a program on a day, from its seasons and lifecycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Openness {
    /// Bit `i` is set when [`OPEN_STATES`]`[i]` holds.
    pub states: u8,
    /// Whether the `rolling` filter keeps it.
    pub rolling: bool,
    /// Least deadline ahead over open and upcoming seasons, or [`Day::NONE`].
    pub next_deadline: Day,
    /// Greatest deadline that has passed, or [`Day::NONE`].
    pub last_deadline: Day,
    /// Whether an open season has a deadline ahead: openness that ends by itself.
    pub ends: bool,
    /// Whether any season states a day of applications.
    pub dated: bool,
    /// Least opening day ahead, or [`Day::NONE`].
    pub next_opening: Day,
    /// Whether the next deadline is projected.
    pub projected: bool,
    /// Where every open round is doubtful: the latest of their opening days, or [`Day::NONE`].
    pub doubtful_since: Option<Day>,
}

impl Openness {
    /// Openness of a program on a day.
    pub fn new(lifecycle: Lifecycle, seasons: impl Iterator<Item = Season>, today: Day) -> Self {
        let mut seen = Seen { best: UNKNOWN, ..Seen::default() };
        for season in seasons {
            seen.add(&season, today);
        }
        let forced = seen.forced_by(lifecycle);
        let mut found = Self { states: forced.unwrap_or_else(|| seen.states(lifecycle)), ..seen.openness };
        found.rolling &= forced.is_none();
        if forced == Some(CLOSED) {
            found.next_deadline = Day::NONE;
        }
        if found.states & OPEN == 0 || seen.certain {
            found.doubtful_since = None;
        }
        found
    }

    /// The status that people read on a day; `checked` is the day of the last check. The most pressing
    /// status wins. An open state without a deadline is valid for a year after the check.
    pub fn standing(&self, checked: Day, today: Day) -> DisplayStatus {
        if let Some(opened) = self.doubtful_since {
            return DisplayStatus::open_since(opened);
        }
        if self.is_open()
            && !self.ends
            && let Some(months) = stale_months(checked, today)
        {
            return DisplayStatus::OpenWhenChecked { months };
        }
        match self.states {
            s if s & CLOSING_SOON != 0 => DisplayStatus::ClosingSoon,
            s if s & OPEN != 0 => DisplayStatus::Open,
            s if s & ROLLING != 0 => DisplayStatus::Rolling,
            s if s & UPCOMING != 0 => DisplayStatus::Upcoming,
            s if s & CLOSED != 0 => DisplayStatus::Closed,
            _ if self.next_deadline != Day::NONE => DisplayStatus::Doubtful,
            _ if self.last_deadline != Day::NONE => DisplayStatus::Passed,
            _ if self.dated => DisplayStatus::Doubtful,
            _ => DisplayStatus::Undated,
        }
    }

    /// Whether the `open` filter keeps it.
    pub const fn is_open(&self) -> bool {
        self.states & (OPEN | ROLLING) != 0
    }

    /// Whether it is open, but nothing recent confirms it: its rounds opened long ago, or its last check is old.
    pub(crate) fn is_unconfirmed(&self, checked: Day, today: Day) -> bool {
        use DisplayStatus::{Doubtful, OpenSince, OpenWhenChecked};
        let standing = || self.standing(checked, today);
        self.is_open() && matches!(standing(), OpenWhenChecked { .. } | OpenSince { .. } | Doubtful)
    }

    /// Rank in the default order among programs without a next deadline: open, rolling, upcoming,
    /// unknown, closed.
    pub(crate) const fn rank(&self) -> u8 {
        match self.states {
            s if s & OPEN != 0 => 0,
            s if s & ROLLING != 0 => 1,
            s if s & UPCOMING != 0 => 2,
            s if s & UNKNOWN != 0 => 3,
            _ => 4,
        }
    }
}

/// The status of a program or a cycle that people read on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayStatus {
    /// Open, with a deadline at most `CLOSING_SOON_DAYS` off.
    ClosingSoon,
    /// Takes applications.
    Open,
    /// Takes applications at any time.
    Rolling,
    /// Took applications when last checked, more than a year ago; no deadline is published.
    OpenWhenChecked {
        /// Whole months since the check.
        months: u32,
    },
    /// Opened long ago without a deadline, or for a fiscal year that is over.
    OpenSince {
        /// The opening day.
        opened: Day,
    },
    /// Opens later.
    Upcoming,
    /// Takes none.
    Closed,
    /// Its last deadline is over, and whether it opens again is unknown.
    Passed,
    /// Days are stated, but not whether they still hold.
    Doubtful,
    /// Nothing is stated.
    Undated,
}

impl DisplayStatus {
    /// Standing of a cycle.
    pub(crate) fn of_cycle(season: &Season, checked: Day, today: Day) -> Self {
        let ends = season.deadline != Day::NONE;
        let months = if ends { None } else { stale_months(checked, today) };
        match (season.status(today), months) {
            _ if season.is_doubtful(today) => Self::open_since(season.opens),
            (CycleStatus::Open | CycleStatus::Rolling, Some(months)) => Self::OpenWhenChecked { months },
            (CycleStatus::Open, None) => Self::Open,
            (CycleStatus::Rolling, None) => Self::Rolling,
            (CycleStatus::Upcoming, _) => Self::Upcoming,
            (CycleStatus::Closed, _) => Self::Closed,
            (CycleStatus::Unknown, _) => Self::Undated,
        }
    }

    /// Standing of a doubtful round.
    const fn open_since(opened: Day) -> Self {
        if opened.0 == Day::NONE.0 { Self::Doubtful } else { Self::OpenSince { opened } }
    }

    /// How this status, which is derived from dates, conflicts with the observed lifecycle.
    pub const fn differs(self, lifecycle: Lifecycle) -> Option<LifecycleConflict> {
        use Lifecycle::{ActiveAccepting, ActiveBetweenCycles, Inaccessible, RenamedOrMoved, Unclear};
        match (lifecycle, self) {
            (ActiveAccepting, Self::Closed) => Some(LifecycleConflict::Closed),
            (ActiveAccepting, Self::Upcoming) => Some(LifecycleConflict::Upcoming),
            (
                ActiveBetweenCycles | Inaccessible | RenamedOrMoved | Unclear,
                Self::ClosingSoon | Self::Open | Self::Rolling,
            ) => Some(LifecycleConflict::Open),
            _ => None,
        }
    }
}

/// How the dates of a program differ from its observed lifecycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleConflict {
    /// By its dates it is open.
    Open,
    /// By its dates it opens later.
    Upcoming,
    /// By its dates it is closed.
    Closed,
}

/// Whole months since a check that is more than a year ago.
pub(crate) fn stale_months(checked: Day, today: Day) -> Option<u32> {
    let (checked, today) = (checked.date()?, today.date()?);
    if checked.saturating_add(jiff::Span::new().years(1)) >= today {
        return None;
    }
    let span = checked.until((jiff::Unit::Month, today)).ok()?;
    Some(span.get_months().unsigned_abs())
}

/// Days up to `today` on which `stale_months` is not what it was the day before: the first of all, and the last.
pub fn staleness_days(checked: Day, today: Day) -> impl Iterator<Item = Day> {
    let first = checked.date().map(|checked| checked.saturating_add(jiff::Span::new().years(1).days(1)));
    let last = stale_months(checked, today).and_then(|age| {
        let back = std::iter::successors(Some(today), |day| Some(day.before()));
        back.take_while(|day| stale_months(checked, *day) == Some(age)).last()
    });
    first.map(Day::new).into_iter().chain(last)
}

/// What was seen over a program's seasons.
#[derive(Default)]
struct Seen {
    /// All but its states.
    openness: Openness,
    any: bool,
    closing_soon: bool,
    best: u8,
    /// Whether any season takes applications without a doubt.
    certain: bool,
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
        let found = &mut self.openness;
        found.rolling |= state == ROLLING;
        found.dated |= season.opens != Day::NONE || season.deadline != Day::NONE;
        if season.is_doubtful(today) {
            found.doubtful_since = found.doubtful_since.max(Some(season.opens));
        } else {
            self.certain |= matches!(state, OPEN | ROLLING);
        }
        if state == UPCOMING
            && season.opens > today
            && found.next_opening.known().is_none_or(|next| season.opens < next)
        {
            found.next_opening = season.opens;
        }
        let Some(deadline) = season.deadline.known() else { return };
        if deadline < today {
            // No real day is less than `Day::NONE`.
            found.last_deadline = found.last_deadline.max(deadline);
        }
        if state == OPEN {
            found.ends = true;
            self.closing_soon |= deadline.0 - today.0 <= CLOSING_SOON_DAYS;
        }
        if matches!(status, CycleStatus::Open | CycleStatus::Upcoming)
            && found.next_deadline.known().is_none_or(|next| deadline < next)
        {
            found.next_deadline = deadline;
            found.projected = season.projected;
        }
    }

    /// The state that the lifecycle imposes, whatever the seasons are.
    fn forced_by(&self, lifecycle: Lifecycle) -> Option<u8> {
        use Lifecycle::{
            ActiveAccepting, ActiveBetweenCycles, ActiveNoApplications, Ended, Inaccessible, Paused,
            RenamedOrMoved, Unclear,
        };
        match lifecycle {
            Paused | Ended | ActiveNoApplications => Some(CLOSED),
            Inaccessible | RenamedOrMoved | Unclear => (!self.openness.ends).then_some(UNKNOWN),
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
