//! The status of a program or a cycle on a day, in words: a badge, then the dates behind it. Templates `status.html` and
//! `status.md` write it.

use serde::Serialize;
use snapshot::page::text::grouped;
use snapshot::record::{Lifecycle, Locale};
use snapshot::search::ProgramState;
use snapshot::time::{Day, DisplayStatus, Openness};

use crate::templates::Templates;
use crate::view::DayText;

/// A status in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Status {
    /// Class of the badge; its colour is in `theme.toml`.
    class: &'static str,
    /// Words of the badge.
    text: String,
    /// The day in the badge.
    day: Option<DayText>,
    /// What it follows from that it is not known to be open.
    why: Option<String>,
    /// When the next season opens.
    opens: Option<DayText>,
    deadline: Option<Deadline>,
    /// The last deadline of what is closed.
    last: Option<DayText>,
    /// What is known without a deadline.
    note: Option<String>,
}

/// The next deadline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Deadline {
    label: String,
    day: DayText,
    /// Whether a row shows it largest.
    decides: bool,
    /// `in 12 days`, unless the badge has it.
    left: Option<String>,
}

/// Writes statuses in the words of a language.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) templates: &'a Templates,
    pub(crate) locale: Locale,
}

impl<'a> Words<'a> {
    pub(crate) fn word(&self, key: &str) -> &'a str {
        self.templates.word(self.locale, key)
    }

    pub(crate) fn phrase(&self, key: &str, values: &[(&str, &str)]) -> String {
        self.templates.phrase(self.locale, key, values)
    }

    pub(crate) fn grouped(&self, number: impl TryInto<u64>) -> String {
        grouped(number.try_into().unwrap_or(u64::MAX), self.locale)
    }

    pub(crate) fn day(&self, day: Day) -> Option<DayText> {
        day.date().map(|date| self.templates.day(date, self.locale))
    }

    /// The status of a program on a day. Whether its source states a deadline in words, which stands elsewhere, is found
    /// out only where that matters.
    pub(crate) fn program(&self, state: &ProgramState, today: Day, in_words: impl Fn() -> bool) -> Status {
        use DisplayStatus::{Closed, ClosingSoon, NotKnown, Open, Over, Upcoming};
        let openness = &state.openness;
        let mut status = self.standing(state.standing);
        status.deadline = self.deadline(state, today);
        match state.standing {
            ClosingSoon if !openness.projected => {
                let left = status.deadline.as_mut().and_then(|deadline| deadline.left.take());
                status.text = match openness.next_deadline == today {
                    true => {
                        status.class = "soon today";
                        format!("{}, {}", status.text, self.word("when_today"))
                    }
                    false => self.phrase("state_closing_soon", &[("left", &left.unwrap_or_default())]),
                };
            }
            Upcoming => status.opens = self.day(openness.next_opening),
            Closed if state.observed.lifecycle == Lifecycle::ActiveBetweenCycles => {
                status.text = self.word("state_over").to_owned();
                self.over(&mut status, openness, false, true);
            }
            Closed => status.last = self.day(openness.last_deadline),
            Over { is_guess } => self.over(&mut status, openness, is_guess, in_words()),
            NotKnown { months: None, .. } if state.observed.lifecycle == Lifecycle::ActiveAccepting => {
                let seen =
                    self.day(state.observed.on).map(|on| self.phrase("when_open_on", &[("day", &on.text)]));
                status.why = Some([status.why, seen].into_iter().flatten().collect::<Vec<_>>().join("; "))
                    .filter(|why| !why.is_empty());
            }
            _ => {}
        }
        let is_dated = matches!(state.standing, Open | Upcoming | NotKnown { .. });
        if is_dated && status.deadline.is_none() && !in_words() {
            status.note = Some(self.word("when_no_deadline").to_owned());
        }
        status
    }

    /// `Last round closed 30 September 2026; not known whether it opens again`
    fn over(&self, status: &mut Status, openness: &Openness, is_guess: bool, in_words: bool) {
        let is_day = openness.last_round == openness.last_deadline;
        let end = self.day(openness.last_round);
        let note = match &end {
            Some(day) if is_guess && is_day => Some(format!("{} {}", self.word("when_projected"), day.text)),
            _ => (!in_words).then(|| self.word("when_not_known").to_owned()),
        };
        match openness.last_round.date() {
            _ if is_guess => {}
            Some(_) if is_day => status.day = end,
            Some(date) => status.text = self.phrase("state_over_year", &[("year", &date.year().to_string())]),
            None => status.text = self.word("state_over_undated").to_owned(),
        }
        status.note = note;
    }

    fn deadline(&self, state: &ProgramState, today: Day) -> Option<Deadline> {
        let next = state.openness.shown_deadline;
        let (label, decides) = match state.standing {
            _ if state.openness.projected => ("when_projected", false),
            DisplayStatus::Open if state.openness.ends => ("when_closes", true),
            _ => ("when_deadline", true),
        };
        let day = self.day(next)?;
        let left = match next.0.saturating_sub(today.0) {
            0 => self.word("when_today").to_owned(),
            1 => self.word("when_tomorrow").to_owned(),
            days => {
                let (word, n, _) = time_left(days.unsigned_abs());
                self.phrase(word, &[("n", &self.grouped(n))])
            }
        };
        Some(Deadline { label: self.word(label).to_owned(), day, decides, left: Some(left) })
    }

    /// A status by itself: its badge and, if it is not known to be open, why.
    pub(crate) fn standing(&self, standing: DisplayStatus) -> Status {
        let (class, key, _) = shown(standing);
        let why = match standing {
            DisplayStatus::NotKnown { opened, months } => {
                let month = opened.and_then(Day::date).map(|date| self.templates.month(date, self.locale));
                let opened = month.map(|month| self.phrase("when_opened", &[("day", &month)]));
                opened.or_else(|| Some(self.phrase("when_open_checked", &[("n", &self.grouped(months?))])))
            }
            _ => None,
        };
        Status { class, text: self.word(key).to_owned(), why, ..Status::default() }
    }
}

/// A number of days as days, months or years: the word, its number, and how many days ago the same were right first.
pub(crate) fn time_left(days: u32) -> (&'static str, u32, u32) {
    let of = |word, per: u32, length: u32, most: u32| {
        let n = days * per / length;
        (word, n, ((n + 1) * length).div_ceil(per).min(most + 1) - 1 - days)
    };
    match days {
        ..=60 => ("when_in_days", days, 0),
        61..=730 => of("when_in_months", 12, 365, 730),
        _ => of("when_in_years", 4, 1461, u32::MAX - 1),
    }
}

/// The class of a status's badge, the key of its word, and its place in the list of an organization: programs that accept
/// applications come first.
pub(crate) const fn shown(standing: DisplayStatus) -> (&'static str, &'static str, u8) {
    match standing {
        DisplayStatus::Open => ("open", "state_open", 0),
        DisplayStatus::ClosingSoon => ("soon", "state_open", 0),
        DisplayStatus::Rolling => ("roll", "state_rolling", 1),
        DisplayStatus::Ahead => ("none", "state_ahead", 2),
        DisplayStatus::Upcoming => ("next", "state_upcoming", 2),
        DisplayStatus::NotKnown { .. } => ("none", "state_not_known", 3),
        DisplayStatus::Over { is_guess: true } => ("none over", "state_over_guess", 4),
        DisplayStatus::Over { is_guess: false } => ("none over", "state_over", 4),
        DisplayStatus::Closed => ("shut", "state_closed", 5),
    }
}
