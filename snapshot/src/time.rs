//! What depends on the day, in one place: cycle status, open states, next deadline, what is
//! upcoming. Days are UTC calendar dates; a deadline counts through the end of its day.
//!
//! Everything here is a function of (dates, today), so that generator and edge agree and a
//! snapshot stays right after the day it was built for. REST answers with [`CycleStatus`] and [`OPEN_STATES`]; people and
//! language models read [`DisplayStatus`].

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::record::{Cycle, CycleStatus, Lifecycle, Program};
use crate::rounds;

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
        EPOCH.checked_add(jiff::Span::new().try_days(self.known()?.0).ok()?).ok()
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

    /// A deadline that is no filler, or [`Day::NONE`].
    pub fn unless_filler(self, today: Self) -> Self {
        let is_real = |it: &Date| !today.date().is_some_and(|today| is_filler(*it, today));
        Self::or_none(self.date().filter(is_real))
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
    /// Last day that its name leaves possible: of the date, the year or the fiscal year in it.
    pub named: Day,
    /// Whether its days are projected.
    pub projected: bool,
    /// Whether its name states that nobody can apply: a call for information, or a round that was withdrawn.
    pub no_call: bool,
}

/// A round without a deadline is doubtful this long after its opening day.
const OPEN_MONTHS_MAX: i32 = 24;

/// A deadline further ahead than this stands for none.
const AHEAD_YEARS_MAX: i32 = 8;
/// The last day of a year stands for none from this year on.
const FILLER_YEAR: i16 = 2035;

/// Whether a deadline is a filler: a day that sources enter where there is none.
pub fn is_filler(deadline: Date, today: Date) -> bool {
    let is_last_of_year = (deadline.month(), deadline.day()) == (12, 31);
    is_last_of_year && deadline.year() >= FILLER_YEAR
        || deadline > today.saturating_add(jiff::Span::new().years(AHEAD_YEARS_MAX))
}

impl Season {
    /// The days of a cycle.
    pub fn of(cycle: &Cycle) -> Self {
        Self {
            opens: Day::or_none(cycle.opens_on),
            deadline: Day::or_none(cycle.deadline_on),
            starts: Day::or_none(cycle.starts_on),
            stated: cycle.status,
            named: Day::or_none(rounds::last_day(&cycle.label)),
            projected: rounds::is_projected_label(&cycle.label),
            no_call: rounds::is_no_call(&cycle.label),
        }
    }

    /// The same with what the name and the texts of its program state of its days.
    pub fn with_program(self, program: &Program) -> Self {
        let named = self.named.max(Day::or_none(rounds::fiscal_year_end(&program.name)));
        let texts = [&program.summary, &program.description];
        let is_projected = || texts.into_iter().flatten().any(|text| rounds::are_dates_projected(text));
        let no_call = self.no_call || rounds::is_no_call(&program.name);
        Self { named, projected: self.projected || is_projected(), no_call, ..self }
    }

    /// Whether it is open without a deadline for so long, or after the end of the year in its name, that it may be over;
    /// or whether it never was a round for applicants.
    pub(crate) fn is_doubtful(&self, today: Day) -> bool {
        let is_late = || !self.ends(today) && self.doubtful_days().any(|day| day <= today);
        self.status(today) == CycleStatus::Open && (self.no_call || is_late())
    }

    /// Whether it has a deadline that is no filler.
    fn ends(&self, today: Day) -> bool {
        self.deadline.unless_filler(today) != Day::NONE
    }

    /// Whether only a deadline ahead makes it open.
    fn is_bare(&self) -> bool {
        self.opens == Day::NONE && !matches!(self.stated, Some(CycleStatus::Open))
    }

    /// Where it is past: the last day known of it, or [`Day::NONE`], and whether that it is past is only a guess.
    fn past(&self, today: Day) -> Option<(Day, bool)> {
        let has_begun =
            |day: &Day| day.date().zip(today.date()).is_some_and(|(it, now)| it.year() <= now.year());
        let last = match self.status(today) {
            CycleStatus::Closed if self.deadline != Day::NONE && self.deadline < today => self.deadline,
            CycleStatus::Closed => Some(self.named).filter(has_begun).unwrap_or_default(),
            CycleStatus::Unknown if self.named != Day::NONE && self.named < today => self.named,
            _ => return None,
        };
        let is_guess = self.projected || self.deadline == Day::NONE;
        Some((last, is_guess && self.stated != Some(CycleStatus::Closed)))
    }

    /// First days on which an open round without a deadline is doubtful.
    fn doubtful_days(&self) -> impl Iterator<Item = Day> + use<> {
        let span = jiff::Span::new().months(OPEN_MONTHS_MAX).days(1);
        let late = self.opens.date().map(|opens| Day::new(opens.saturating_add(span)));
        late.into_iter().chain(self.named.known().map(Day::after))
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

    /// Days on which its status, or the doubt about it, may change: the opening day, the day after the deadline, the day
    /// on which that is no filler any more, the begin of the year in its name, and those that make it doubtful.
    pub(crate) fn turning_days(&self) -> impl Iterator<Item = Day> + use<> {
        let closes = self.deadline.known().map(Day::after);
        let years = jiff::Span::new().years(AHEAD_YEARS_MAX);
        let near = self.deadline.date().map(|deadline| Day::new(deadline.saturating_sub(years)));
        let begins = self.named.date().map(|named| Day::new(named.first_of_year()));
        let turns = [self.opens.known(), closes, near, begins];
        turns.into_iter().flatten().chain(self.doubtful_days())
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
    /// The next deadline that people read: [`Day::NONE`] for a filler.
    pub shown_deadline: Day,
    /// Last day known of the rounds that are past, or [`Day::NONE`]: `last_deadline`, or the end of what a name leaves
    /// possible.
    pub last_round: Day,
    /// Where every known round is past: whether that is only a guess.
    over: Option<bool>,
    /// Whether an open season has a deadline ahead: openness that ends by itself.
    pub ends: bool,
    /// Whether any season states a day of applications.
    pub dated: bool,
    /// Least opening day ahead, or [`Day::NONE`].
    pub next_opening: Day,
    /// Greatest opening day of an open season, or [`Day::NONE`].
    pub last_opening: Day,
    /// Whether the next deadline is projected.
    pub projected: bool,
    /// Where every open round is doubtful: the latest of their opening days, or [`Day::NONE`].
    pub doubtful_since: Option<Day>,
    /// Whether it is open by nothing but a deadline ahead.
    is_bare: bool,
}

impl Openness {
    /// Openness of a program on a day.
    pub fn new(lifecycle: Lifecycle, seasons: impl Iterator<Item = Season>, today: Day) -> Self {
        let mut seen = Seen::default();
        for season in seasons {
            seen.add(&season, today);
        }
        let forced = seen.forced_by(lifecycle);
        let mut found = Self { states: forced.unwrap_or_else(|| seen.states(lifecycle)), ..seen.openness };
        found.rolling &= forced.is_none();
        found.over = found.over.filter(|_| !seen.lives && forced != Some(CLOSED));
        if forced == Some(CLOSED) {
            found.next_deadline = Day::NONE;
        }
        found.shown_deadline = found.next_deadline.unless_filler(today);
        let is_certain = seen.certain || found.is_bare && lifecycle == Lifecycle::ActiveAccepting;
        if found.states & OPEN == 0 || is_certain {
            (found.doubtful_since, found.is_bare) = (None, false);
        }
        found
    }

    /// The status that people read on a day; `checked` is the day of the last check. The most pressing
    /// status wins. An open state without a deadline, and an announced round without a day, are valid for a year after the check.
    pub fn standing(&self, checked: Day, today: Day) -> DisplayStatus {
        let has_day_ahead = [self.next_opening, self.shown_deadline] != [Day::NONE; 2];
        match self.states {
            _ if self.is_bare && self.shown_deadline != Day::NONE => DisplayStatus::Ahead,
            _ if self.is_bare => DisplayStatus::NotKnown { opened: None, months: None },
            _ if self.doubtful_since.is_some() => {
                DisplayStatus::NotKnown { opened: self.doubtful_since.and_then(Day::known), months: None }
            }
            s if s & (OPEN | ROLLING) != 0 => match stale_months(checked, today).filter(|_| !self.ends) {
                Some(months) => DisplayStatus::NotKnown { opened: None, months: Some(months) },
                None if s & CLOSING_SOON != 0 => DisplayStatus::ClosingSoon,
                None if s & OPEN != 0 => DisplayStatus::Open,
                None => DisplayStatus::Rolling,
            },
            s if s & UPCOMING != 0 && (has_day_ahead || stale_months(checked, today).is_none()) => {
                DisplayStatus::Upcoming
            }
            s if s & CLOSED != 0 && self.over != Some(true) => DisplayStatus::Closed,
            _ => match self.over {
                Some(is_guess) => DisplayStatus::Over { is_guess },
                None => DisplayStatus::NotKnown { opened: None, months: None },
            },
        }
    }

    /// Whether the `open` filter keeps it.
    pub const fn is_open(&self) -> bool {
        self.states & (OPEN | ROLLING) != 0
    }

    /// Whether the `open` filter keeps it, but people do not read that it is open.
    pub(crate) fn is_unconfirmed(&self, checked: Day, today: Day) -> bool {
        self.is_open() && !self.standing(checked, today).is_open()
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

/// The status of a program or a cycle that people read on a day. Only the words of the first three begin with "Open", and
/// exactly their programs are counted as open on the home page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayStatus {
    /// Open, with a deadline at most `CLOSING_SOON_DAYS` off.
    ClosingSoon,
    /// A source states that it is open, or an opening day has passed and no deadline has.
    Open,
    /// Takes applications at any time.
    Rolling,
    /// A deadline is ahead, no opening day is stated, and no source states that it is open.
    Ahead,
    /// Opens later.
    Upcoming,
    /// Takes none: its source states so, or its last round is past.
    Closed,
    /// Every known round is past, and nothing states whether another comes.
    Over {
        /// Whether only projected days make the last round past.
        is_guess: bool,
    },
    /// Nothing states that it is open, or nothing recent does.
    NotKnown {
        /// The opening day of a round that opened long ago without a deadline, or for a year that is over.
        opened: Option<Day>,
        /// Whole months since a check that is too old: it was open then.
        months: Option<u32>,
    },
}

impl DisplayStatus {
    /// Whether people read that it is open.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::ClosingSoon | Self::Open | Self::Rolling)
    }

    /// Standing of a cycle: that of a program with no other.
    pub(crate) fn of_cycle(season: &Season, lifecycle: Lifecycle, checked: Day, today: Day) -> Self {
        let alone = Openness::new(lifecycle, std::iter::once(*season), today);
        match alone.standing(checked, today) {
            Self::Over { is_guess: false } => Self::Closed,
            // How long it is until the deadline stands beside it.
            Self::ClosingSoon => Self::Open,
            standing => standing,
        }
    }

    /// How this status, which is derived from dates, conflicts with the observed lifecycle: the key of a phrase.
    pub(crate) const fn differs(self, lifecycle: Lifecycle) -> Option<&'static str> {
        use Lifecycle::{ActiveAccepting, ActiveBetweenCycles, Inaccessible, RenamedOrMoved, Unclear};
        match (lifecycle, self) {
            (ActiveAccepting, Self::Closed | Self::Over { .. }) => Some("by_dates_closed"),
            (ActiveAccepting, Self::Upcoming) => Some("by_dates_upcoming"),
            (
                ActiveBetweenCycles | Inaccessible | RenamedOrMoved | Unclear,
                Self::ClosingSoon | Self::Open | Self::Rolling,
            ) => Some("by_dates_open"),
            _ => None,
        }
    }
}

/// The phrase for a lifecycle that was observed on a day, or on none that is recorded. What has ended may have been checked
/// before its last deadline.
pub fn observed_phrase(lifecycle: Lifecycle, on: Day, last_deadline: Day) -> &'static str {
    match on.known() {
        None => "program_lifecycle_unchecked",
        Some(on) if lifecycle == Lifecycle::Ended && last_deadline >= on => "program_lifecycle_before",
        Some(_) => "program_lifecycle_checked",
    }
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
    /// With the states of all seasons.
    openness: Openness,
    /// Whether any season is not past, and more than its name is known of it.
    lives: bool,
    /// Whether any season takes applications without a doubt.
    certain: bool,
}

impl Seen {
    fn add(&mut self, season: &Season, today: Day) {
        let state = match season.status(today) {
            CycleStatus::Open => OPEN,
            CycleStatus::Rolling => ROLLING,
            CycleStatus::Upcoming => UPCOMING,
            CycleStatus::Closed => CLOSED,
            CycleStatus::Unknown => UNKNOWN,
        };
        let found = &mut self.openness;
        found.states |= state;
        found.rolling |= state == ROLLING;
        if state == OPEN && season.opens <= today {
            found.last_opening = found.last_opening.max(season.opens);
        }
        found.dated |= season.opens != Day::NONE || season.deadline != Day::NONE;
        if season.is_doubtful(today) {
            found.doubtful_since = found.doubtful_since.max(Some(season.opens));
        } else if state == OPEN && season.is_bare() {
            found.is_bare = true;
        } else {
            self.certain |= matches!(state, OPEN | ROLLING);
        }
        match season.past(today) {
            Some((last, is_guess)) if last >= found.last_round => {
                // Of two rounds that end on a day one that is certain decides.
                let is_other = last > found.last_round || found.over.is_none();
                found.over = Some(is_guess && (is_other || found.over == Some(true)));
                found.last_round = last;
            }
            Some(_) => {}
            None => self.lives |= state != UNKNOWN || season.named != Day::NONE,
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
            found.ends |= season.ends(today);
            found.states |= if deadline.0 - today.0 <= CLOSING_SOON_DAYS { CLOSING_SOON } else { 0 };
        }
        if state & (OPEN | UPCOMING) != 0 && found.next_deadline.known().is_none_or(|next| deadline < next) {
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
        match self.openness.states {
            0 if lifecycle == Lifecycle::ActiveAccepting => OPEN,
            0 => UNKNOWN,
            // The best state has the lowest bit, and what closes soon is open.
            states => states & states.wrapping_neg() | states & CLOSING_SOON,
        }
    }
}
