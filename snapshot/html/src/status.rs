//! The status of a program or a cycle on a day, in words: a badge, then the dates behind it.

use crate::fragments::Language;
use crate::messages::Message;
use snapshot::page::Dated;
use snapshot::page::text::grouped;
use snapshot::search::ProgramState;
use snapshot::time::{Day, DisplayStatus, LifecycleConflict};

impl Language {
    /// Writes the status of a program on a day: badge, deadline, days left.
    pub fn push_status(&self, out: &mut Vec<u8>, doc: u32, dated: &Dated) {
        if let Some(state) = dated.today.state(doc) {
            self.push_state(out, &state, dated.day());
        }
    }

    /// Writes the state of a program on a day.
    pub(crate) fn push_state(&self, out: &mut Vec<u8>, state: &ProgramState, today: Day) {
        if state.standing == DisplayStatus::Passed {
            return self.push_passed(out, state.openness.last_deadline);
        }
        self.push_standing(out, state.standing);
        let mut joint = joint(state.standing);
        if state.standing == DisplayStatus::Upcoming && state.openness.next_opening != Day::NONE {
            out.push(b' ');
            self.push_message(out, Message::Opens);
            self.push_day(out, state.openness.next_opening);
            joint = COMMA;
        }
        if state.openness.next_deadline == Day::NONE {
            self.push_undated(out, state, joint);
        } else {
            self.push_next(out, state, joint, today);
        }
    }

    /// Writes the same as plain text.
    pub(super) fn push_when_text(&self, out: &mut Vec<u8>, doc: u32, dated: &Dated) {
        let mut html = Vec::new();
        self.push_status(&mut html, doc, dated);
        push_plain(out, &html);
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
        out.extend_from_slice(b"; ");
        self.push_message(out, word);
    }

    /// `Last deadline 30 September 2026; not known whether it opens again`
    fn push_passed(&self, out: &mut Vec<u8>, last: Day) {
        self.push_badge(out, DisplayStatus::Passed, |out| {
            self.push_message(out, Message::Passed);
            self.push_day(out, last);
        });
        out.extend_from_slice(b"<i>; </i>");
        self.push_message(out, Message::NotKnown);
    }

    /// Writes the next deadline.
    fn push_next(&self, out: &mut Vec<u8>, state: &ProgramState, joint: &[u8], today: Day) {
        let next = state.openness.next_deadline;
        let closes =
            matches!(state.standing, DisplayStatus::Open | DisplayStatus::ClosingSoon) && state.openness.ends;
        out.extend_from_slice(joint);
        let word = match (state.openness.projected, closes) {
            (true, _) => Message::Projected,
            (false, true) => Message::Closes,
            (false, false) => Message::Deadline,
        };
        self.push_message(out, word);
        match state.openness.projected {
            true => self.push_day(out, next),
            false => self.push_deadline(out, next),
        }
        out.extend_from_slice(b" <small>");
        self.push_days_left(out, next.0.saturating_sub(today.0));
        out.extend_from_slice(b"</small>");
    }

    /// Writes the state of a program that has no next deadline.
    fn push_undated(&self, out: &mut Vec<u8>, state: &ProgramState, joint: &[u8]) {
        let word = match state.standing {
            DisplayStatus::Rolling => Message::AnyTime,
            DisplayStatus::Open
            | DisplayStatus::Upcoming
            | DisplayStatus::OpenSince { .. }
            | DisplayStatus::OpenWhenChecked { .. } => Message::NoDeadline,
            DisplayStatus::Closed if state.openness.last_deadline != Day::NONE => {
                out.push(b' ');
                self.push_message(out, Message::LastDeadline);
                return self.push_deadline(out, state.openness.last_deadline);
            }
            _ => return,
        };
        out.extend_from_slice(joint);
        self.push_message(out, word);
    }

    /// Writes a space and a day.
    fn push_day(&self, out: &mut Vec<u8>, day: Day) {
        if let Some(date) = day.date() {
            out.push(b' ');
            self.push_time(out, date);
        }
    }

    /// Writes a space and the day that decides, which rows show largest.
    fn push_deadline(&self, out: &mut Vec<u8>, day: Day) {
        if let Some(date) = day.date() {
            out.push(b' ');
            self.push_time_of(out, " class=\"day\"", date);
        }
    }

    fn push_days_left(&self, out: &mut Vec<u8>, days: i32) {
        match days {
            0 => self.push_message(out, Message::Today),
            1 => self.push_message(out, Message::Tomorrow),
            _ => self.push_phrase(
                out,
                Message::InDays,
                &[("n", &grouped(days.unsigned_abs().into(), self.locale))],
            ),
        }
    }

    /// Writes a status: its badge and, if it is old, its age.
    pub(super) fn push_standing(&self, out: &mut Vec<u8>, standing: DisplayStatus) {
        let month = |opened: Day| {
            let mut month = Vec::new();
            opened.date().into_iter().for_each(|date| self.push_month_words(&mut month, date));
            String::from_utf8(month).unwrap_or_default()
        };
        self.push_badge(out, standing, |out| match standing {
            DisplayStatus::OpenSince { opened } => {
                self.push_phrase(out, Message::OpenSince, &[("day", &month(opened))]);
            }
            _ => self.push_message(out, word(standing)),
        });
        if let DisplayStatus::OpenWhenChecked { months } = standing {
            out.extend_from_slice(COMMA);
            let months = grouped(months.into(), self.locale);
            self.push_phrase(out, Message::MonthsAgo, &[("n", &months)]);
        }
    }

    fn push_badge(&self, out: &mut Vec<u8>, standing: DisplayStatus, words: impl FnOnce(&mut Vec<u8>)) {
        out.extend_from_slice(b"<b class=\"s ");
        out.extend_from_slice(class(standing).as_bytes());
        out.extend_from_slice(b"\">");
        words(out);
        out.extend_from_slice(b"</b>");
    }
}

/// A separator after an element. Rows hide it: what follows may begin a line there.
const COMMA: &[u8] = b"<i>, </i>";

/// The separator between a status and its dates; after an age it is a semicolon.
const fn joint(standing: DisplayStatus) -> &'static [u8] {
    match standing {
        DisplayStatus::OpenWhenChecked { .. } => b"; ",
        DisplayStatus::OpenSince { .. } => COMMA,
        _ => b" ",
    }
}

const fn class(standing: DisplayStatus) -> &'static str {
    match standing {
        DisplayStatus::Open => "open",
        DisplayStatus::ClosingSoon => "soon",
        DisplayStatus::Rolling => "roll",
        DisplayStatus::Upcoming => "next",
        DisplayStatus::Closed => "shut",
        DisplayStatus::OpenWhenChecked { .. }
        | DisplayStatus::OpenSince { .. }
        | DisplayStatus::Passed
        | DisplayStatus::Doubtful
        | DisplayStatus::Undated => "none",
    }
}

const fn word(standing: DisplayStatus) -> Message {
    match standing {
        DisplayStatus::Open => Message::Open,
        DisplayStatus::ClosingSoon => Message::ClosingSoon,
        DisplayStatus::Rolling => Message::Rolling,
        DisplayStatus::Upcoming => Message::Upcoming,
        DisplayStatus::Closed => Message::Closed,
        DisplayStatus::OpenWhenChecked { .. } => Message::OpenWhenChecked,
        DisplayStatus::OpenSince { .. } => Message::OpenSince,
        DisplayStatus::Passed => Message::Passed,
        DisplayStatus::Doubtful => Message::Doubtful,
        DisplayStatus::Undated => Message::Unknown,
    }
}

/// Writes generated markup without its tags; character references stay.
pub(super) fn push_unmarked(out: &mut Vec<u8>, html: &[u8]) {
    let mut inside = false;
    for byte in html {
        match byte {
            b'<' => inside = true,
            b'>' => inside = false,
            _ if !inside => out.push(*byte),
            _ => {}
        }
    }
}

/// Writes the text of generated markup: without tags, character references resolved.
pub(super) fn push_plain(out: &mut Vec<u8>, html: &[u8]) {
    const REFERENCES: [(&[u8], u8); 5] =
        [(b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&#39;", b'\'')];
    let mut rest = html;
    while let Some((&byte, after)) = rest.split_first() {
        let reference = REFERENCES.iter().find(|(name, _)| rest.starts_with(name));
        rest = match (byte, reference) {
            (b'<', _) => after.iter().position(|byte| *byte == b'>').map_or(&[][..], |end| &after[end + 1..]),
            (_, Some((name, character))) => {
                out.push(*character);
                &rest[name.len()..]
            }
            _ => {
                out.push(byte);
                after
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_neither_tags_nor_references() {
        let mut out = Vec::new();
        push_plain(&mut out, b"<b class=\"s none\">A &amp; B</b>; <time datetime=\"1\">&lt;2&gt;</time>");
        assert_eq!(out, b"A & B; <2>");
    }
}
