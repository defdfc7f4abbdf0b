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
            self.push_state(out, &state, dated.day(), self.rows.has_deadline_in_words(doc as usize));
        }
    }

    /// Writes the same as plain text.
    pub(super) fn push_when_text(&self, out: &mut Vec<u8>, doc: u32, dated: &Dated) {
        let mut status = Vec::new();
        self.push_status(&mut status, doc, dated);
        push(out, plain(&String::from_utf8_lossy(&status)));
    }

    /// Writes the state of a program on a day. A deadline `in_words` of the source is stated elsewhere.
    pub(crate) fn push_state(&self, out: &mut Vec<u8>, state: &ProgramState, today: Day, in_words: bool) {
        let (standing, openness) = (state.standing, &state.openness);
        if standing == DisplayStatus::Passed {
            // `Last deadline 30 September 2026; not known whether it opens again`
            push_badge(out, standing, |out| {
                self.push_word(out, Message::Passed);
                self.push_day(out, openness.last_deadline, "");
            });
            out.extend_from_slice(b"<i>; </i>");
            return self.push_word(out, Message::NotKnown);
        }
        self.push_standing(out, standing);
        let mut joint = joint(standing);
        if standing == DisplayStatus::Upcoming && openness.next_opening != Day::NONE {
            out.push(b' ');
            self.push_word(out, Message::Opens);
            self.push_day(out, openness.next_opening, "");
            joint = COMMA;
        }
        match openness.next_deadline {
            Day::NONE => self.push_no_deadline(out, state, joint, in_words),
            next => self.push_deadline(out, state, joint, (next, today)),
        }
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

    /// Writes the next deadline.
    fn push_deadline(&self, out: &mut Vec<u8>, state: &ProgramState, joint: &str, (next, today): (Day, Day)) {
        let closes =
            matches!(state.standing, DisplayStatus::Open | DisplayStatus::ClosingSoon) && state.openness.ends;
        let (word, attributes) = match (state.openness.projected, closes) {
            (true, _) => (Message::Projected, ""),
            (false, true) => (Message::Closes, DECIDES),
            (false, false) => (Message::Deadline, DECIDES),
        };
        out.extend_from_slice(joint.as_bytes());
        out.extend_from_slice(b"<span>");
        self.push_word(out, word);
        out.extend_from_slice(b"</span>");
        self.push_day(out, next, attributes);
        out.extend_from_slice(b" <small>");
        match next.0.saturating_sub(today.0) {
            0 => self.push_word(out, Message::Today),
            1 => self.push_word(out, Message::Tomorrow),
            days => {
                let (word, n, _) = time_left(days.unsigned_abs());
                self.push_phrase(out, word, &[("n", &grouped(n.into(), self.locale))]);
            }
        }
        out.extend_from_slice(b"</small>");
    }

    /// Writes the state of a program that has no next deadline.
    fn push_no_deadline(&self, out: &mut Vec<u8>, state: &ProgramState, joint: &str, in_words: bool) {
        let word = match state.standing {
            DisplayStatus::Rolling => Message::AnyTime,
            DisplayStatus::Open
            | DisplayStatus::Upcoming
            | DisplayStatus::OpenSince { .. }
            | DisplayStatus::OpenWhenChecked { .. }
                if !in_words =>
            {
                Message::NoDeadline
            }
            DisplayStatus::Closed if state.openness.last_deadline != Day::NONE => {
                out.extend_from_slice(b" <span>");
                self.push_word(out, Message::LastDeadline);
                out.extend_from_slice(b"</span>");
                return self.push_day(out, state.openness.last_deadline, DECIDES);
            }
            _ => return,
        };
        out.extend_from_slice(joint.as_bytes());
        self.push_word(out, word);
    }

    /// Writes a space and a day.
    fn push_day(&self, out: &mut Vec<u8>, day: Day, attributes: &str) {
        if let Some(date) = day.date() {
            out.push(b' ');
            self.push_time(out, attributes, date);
        }
    }

    /// Writes a status: its badge and, if it is old, its age.
    pub(super) fn push_standing(&self, out: &mut Vec<u8>, standing: DisplayStatus) {
        push_badge(out, standing, |out| match standing {
            DisplayStatus::OpenSince { opened } => {
                let month = opened.date().map_or(String::new(), |date| self.month_words(date));
                self.push_phrase(out, Message::OpenSince, &[("day", &month)]);
            }
            _ => self.push_word(out, shown(standing).1),
        });
        if let DisplayStatus::OpenWhenChecked { months } = standing {
            out.extend_from_slice(COMMA.as_bytes());
            self.push_phrase(out, Message::MonthsAgo, &[("n", &grouped(months.into(), self.locale))]);
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

fn push_badge(out: &mut Vec<u8>, standing: DisplayStatus, push_words: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(b"<b class=\"s ");
    out.extend_from_slice(shown(standing).0.as_bytes());
    out.extend_from_slice(b"\">");
    push_words(out);
    out.extend_from_slice(b"</b>");
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
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'<' | b'&')) {
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
