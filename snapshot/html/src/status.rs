//! The status of a program or a cycle on a day, in words: a badge, then the dates behind it. Templates `status.html` and
//! `status.md` write it.

use serde::Serialize;
use snapshot::page::text::grouped;
use snapshot::record::Locale;
use snapshot::search::ProgramState;
use snapshot::time::{Day, DisplayStatus, LifecycleConflict};

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
    /// How old the status is.
    age: Option<String>,
    /// When the next season opens.
    opens: Option<DayText>,
    deadline: Option<Deadline>,
    /// The last deadline of what is closed.
    last: Option<DayText>,
    /// What is known without a deadline.
    note: Option<String>,
    /// What stands between the badge and the deadline or the note.
    joint: &'static str,
    /// Whether rows hide it: what follows may begin a line there.
    is_hidden: bool,
}

/// The next deadline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Deadline {
    label: String,
    day: DayText,
    /// Whether a row shows it largest.
    decides: bool,
    /// `in 12 days`
    left: String,
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
        let (standing, openness) = (state.standing, &state.openness);
        let mut status = self.standing(standing);
        if standing == DisplayStatus::Passed {
            // `Last deadline 30 September 2026; not known whether it opens again`
            status.day = self.day(openness.last_deadline);
            status.note = Some(self.word("when_not_known").to_owned());
            return Status { joint: "; ", is_hidden: true, ..status };
        }
        if standing == DisplayStatus::Upcoming {
            status.opens = self.day(openness.next_opening);
        }
        let apart = status.opens.is_some() || matches!(standing, DisplayStatus::OpenSince { .. });
        (status.joint, status.is_hidden) = match (apart, &status.age) {
            (true, _) => (", ", true),
            (false, Some(_)) => ("; ", false),
            (false, None) => (" ", false),
        };
        match openness.next_deadline {
            Day::NONE => self.without_deadline(&mut status, state, in_words),
            next => status.deadline = self.deadline(state, next, today),
        }
        status
    }

    fn deadline(&self, state: &ProgramState, next: Day, today: Day) -> Option<Deadline> {
        let closes =
            matches!(state.standing, DisplayStatus::Open | DisplayStatus::ClosingSoon) && state.openness.ends;
        let (label, decides) = match (state.openness.projected, closes) {
            (true, _) => ("when_projected", false),
            (false, true) => ("when_closes", true),
            (false, false) => ("when_deadline", true),
        };
        let left = match next.0.saturating_sub(today.0) {
            0 => self.word("when_today").to_owned(),
            1 => self.word("when_tomorrow").to_owned(),
            days => {
                let (word, n, _) = time_left(days.unsigned_abs());
                self.phrase(word, &[("n", &self.grouped(n))])
            }
        };
        Some(Deadline { label: self.word(label).to_owned(), day: self.day(next)?, decides, left })
    }

    fn without_deadline(&self, status: &mut Status, state: &ProgramState, in_words: impl Fn() -> bool) {
        let note = match state.standing {
            DisplayStatus::Rolling => "when_any_time",
            DisplayStatus::Open
            | DisplayStatus::Upcoming
            | DisplayStatus::OpenSince { .. }
            | DisplayStatus::OpenWhenChecked { .. }
                if !in_words() =>
            {
                "when_no_deadline"
            }
            DisplayStatus::Closed => return status.last = self.day(state.openness.last_deadline),
            _ => return,
        };
        status.note = Some(self.word(note).to_owned());
    }

    /// A status by itself: its badge and, if it is old, its age.
    pub(crate) fn standing(&self, standing: DisplayStatus) -> Status {
        let (class, key) = shown(standing);
        let text = match standing {
            DisplayStatus::OpenSince { opened } => {
                let month =
                    opened.date().map_or(String::new(), |date| self.templates.month(date, self.locale));
                self.phrase(key, &[("day", &month)])
            }
            _ => self.word(key).to_owned(),
        };
        let age = match standing {
            DisplayStatus::OpenWhenChecked { months } => {
                Some(self.phrase("when_months_ago", &[("n", &self.grouped(months))]))
            }
            _ => None,
        };
        Status { class, text, age, ..Status::default() }
    }

    /// How a program's dates differ from its observed lifecycle; nothing if they agree.
    pub(crate) fn differs(&self, state: &ProgramState) -> Option<&'a str> {
        Some(self.word(match state.standing.differs(state.observed.lifecycle)? {
            LifecycleConflict::Open => "by_dates_open",
            LifecycleConflict::Upcoming => "by_dates_upcoming",
            LifecycleConflict::Closed => "by_dates_closed",
        }))
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

/// The class of a status's badge, and the key of its word.
const fn shown(standing: DisplayStatus) -> (&'static str, &'static str) {
    match standing {
        DisplayStatus::Open => ("open", "state_open"),
        DisplayStatus::ClosingSoon => ("soon", "state_closing_soon"),
        DisplayStatus::Rolling => ("roll", "state_rolling"),
        DisplayStatus::Upcoming => ("next", "state_upcoming"),
        DisplayStatus::Closed => ("shut", "state_closed"),
        DisplayStatus::OpenWhenChecked { .. } => ("none", "state_open_when_checked"),
        DisplayStatus::OpenSince { .. } => ("none", "state_open_since"),
        DisplayStatus::Passed => ("none", "state_passed"),
        DisplayStatus::Doubtful => ("none", "state_doubtful"),
        DisplayStatus::Undated => ("none", "state_unknown"),
    }
}
