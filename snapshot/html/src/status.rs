//! The status of a program or a cycle on a day, in words: a badge, then the dates behind it.

use crate::fragments::{Language, push};
use crate::messages::Message;
use snapshot::page::Dated;
use snapshot::page::text::grouped;
use snapshot::search::ProgramState;
use snapshot::time::{Day, DisplayStatus, LifecycleConflict};

/// Attribute of the day that decides, which rows show largest.
const DECIDES: &str = " class=\"day\"";

impl Language {
    /// Writes the status of a program on a day: badge, deadline, days left.
    pub fn push_status(&self, out: &mut Vec<u8>, doc: u32, dated: &Dated) {
        if let Some(state) = dated.today.state(doc) {
            push(out, self.state(&state, dated.day()));
        }
    }

    /// Writes the same as plain text.
    pub(super) fn push_when_text(&self, out: &mut Vec<u8>, doc: u32, dated: &Dated) {
        if let Some(state) = dated.today.state(doc) {
            push(out, plain(&self.state(&state, dated.day())));
        }
    }

    /// The state of a program on a day.
    pub(crate) fn state(&self, state: &ProgramState, today: Day) -> String {
        let (standing, openness) = (state.standing, &state.openness);
        if standing == DisplayStatus::Passed {
            // `Last deadline 30 September 2026; not known whether it opens again`
            let words = format!("{}{}", self.word(Message::Passed), self.day(openness.last_deadline, ""));
            return format!("{}<i>; </i>{}", badge(standing, &words), self.word(Message::NotKnown));
        }
        let (mut opens, mut joint) = (String::new(), joint(standing));
        if standing == DisplayStatus::Upcoming && openness.next_opening != Day::NONE {
            opens = format!(" {}{}", self.word(Message::Opens), self.day(openness.next_opening, ""));
            joint = COMMA;
        }
        let dates = match openness.next_deadline {
            Day::NONE => self.no_deadline(state, joint),
            next => self.deadline(state, joint, next, today),
        };
        format!("{}{opens}{dates}", self.standing(standing))
    }

    /// Writes how a program's dates differ from its observed lifecycle; nothing if they agree.
    pub(super) fn push_differs(&self, out: &mut Vec<u8>, doc: u32, dated: &Dated) {
        let Some(state) = dated.today.state(doc) else { return };
        let word = match state.standing.differs(state.observed.lifecycle) {
            None => return,
            Some(LifecycleConflict::Open) => Message::ByDatesOpen,
            Some(LifecycleConflict::Upcoming) => Message::ByDatesUpcoming,
            Some(LifecycleConflict::Closed) => Message::ByDatesClosed,
        };
        push(out, format_args!("; {}", self.word(word)));
    }

    /// The next deadline.
    fn deadline(&self, state: &ProgramState, joint: &str, next: Day, today: Day) -> String {
        let closes =
            matches!(state.standing, DisplayStatus::Open | DisplayStatus::ClosingSoon) && state.openness.ends;
        let (word, attributes) = match (state.openness.projected, closes) {
            (true, _) => (Message::Projected, ""),
            (false, true) => (Message::Closes, DECIDES),
            (false, false) => (Message::Deadline, DECIDES),
        };
        let left = match next.0.saturating_sub(today.0) {
            0 => self.word(Message::Today).to_owned(),
            1 => self.word(Message::Tomorrow).to_owned(),
            days => {
                let (word, n, _) = time_left(days.unsigned_abs());
                self.phrase(word, &[("n", &grouped(n.into(), self.locale))])
            }
        };
        format!("{joint}<span>{}</span>{} <small>{left}</small>", self.word(word), self.day(next, attributes))
    }

    /// The state of a program that has no next deadline.
    fn no_deadline(&self, state: &ProgramState, joint: &str) -> String {
        match state.standing {
            DisplayStatus::Rolling => format!("{joint}{}", self.word(Message::AnyTime)),
            DisplayStatus::Open
            | DisplayStatus::Upcoming
            | DisplayStatus::OpenSince { .. }
            | DisplayStatus::OpenWhenChecked { .. } => format!("{joint}{}", self.word(Message::NoDeadline)),
            DisplayStatus::Closed if state.openness.last_deadline != Day::NONE => {
                let day = self.day(state.openness.last_deadline, DECIDES);
                format!(" <span>{}</span>{day}", self.word(Message::LastDeadline))
            }
            _ => String::new(),
        }
    }

    /// A space and a day.
    fn day(&self, day: Day, attributes: &str) -> String {
        day.date().map_or(String::new(), |date| format!(" {}", self.time(attributes, date)))
    }

    /// A status: its badge and, if it is old, its age.
    pub(super) fn standing(&self, standing: DisplayStatus) -> String {
        match standing {
            DisplayStatus::OpenSince { opened } => {
                let month = opened.date().map_or(String::new(), |date| self.month_words(date));
                badge(standing, &self.phrase(Message::OpenSince, &[("day", &month)]))
            }
            DisplayStatus::OpenWhenChecked { months } => {
                let months = grouped(months.into(), self.locale);
                let age = self.phrase(Message::MonthsAgo, &[("n", &months)]);
                format!("{}{COMMA}{age}", badge(standing, self.word(Message::OpenWhenChecked)))
            }
            _ => badge(standing, self.word(shown(standing).1)),
        }
    }
}

/// A number of days as days, months or years: the word, its number, and how many days ago the same were right first.
pub(crate) fn time_left(days: u32) -> (Message, u32, u32) {
    let of = |word, per: u32, length: u32, most: u32| {
        let n = days * per / length;
        (word, n, ((n + 1) * length).div_ceil(per).min(most + 1) - 1 - days)
    };
    match days {
        ..=60 => (Message::InDays, days, 0),
        61..=730 => of(Message::InMonths, 12, 365, 730),
        _ => of(Message::InYears, 4, 1461, u32::MAX - 1),
    }
}

/// A separator after an element. Rows hide it: what follows may begin a line there.
const COMMA: &str = "<i>, </i>";

/// The separator between a status and its dates; after an age it is a semicolon.
const fn joint(standing: DisplayStatus) -> &'static str {
    match standing {
        DisplayStatus::OpenWhenChecked { .. } => "; ",
        DisplayStatus::OpenSince { .. } => COMMA,
        _ => " ",
    }
}

fn badge(standing: DisplayStatus, words: &str) -> String {
    format!("<b class=\"s {}\">{words}</b>", shown(standing).0)
}

/// The class of a status's badge, and its message.
const fn shown(standing: DisplayStatus) -> (&'static str, Message) {
    match standing {
        DisplayStatus::Open => ("open", Message::Open),
        DisplayStatus::ClosingSoon => ("soon", Message::ClosingSoon),
        DisplayStatus::Rolling => ("roll", Message::Rolling),
        DisplayStatus::Upcoming => ("next", Message::Upcoming),
        DisplayStatus::Closed => ("shut", Message::Closed),
        DisplayStatus::OpenWhenChecked { .. } => ("none", Message::OpenWhenChecked),
        DisplayStatus::OpenSince { .. } => ("none", Message::OpenSince),
        DisplayStatus::Passed => ("none", Message::Passed),
        DisplayStatus::Doubtful => ("none", Message::Doubtful),
        DisplayStatus::Undated => ("none", Message::Unknown),
    }
}

/// The text of generated markup: without tags, character references resolved.
pub(super) fn plain(html: &str) -> String {
    const REFERENCES: [(&str, char); 5] =
        [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&#39;", '\'')];
    let (mut out, mut rest) = (String::with_capacity(html.len()), html);
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = match REFERENCES.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, character)) => {
                out.push(*character);
                &rest[name.len()..]
            }
            None if rest.starts_with('<') => rest.split_once('>').map_or("", |(_, after)| after),
            None => {
                out.push('&');
                &rest[1..]
            }
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_neither_tags_nor_references() {
        let html = "<b class=\"s none\">A &amp; B</b>; <time datetime=\"1\">&lt;2&gt;</time>";
        assert_eq!(plain(html), "A & B; <2>");
    }
}
