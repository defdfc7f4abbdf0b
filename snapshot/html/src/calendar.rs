//! Calendars of deadlines (RFC 5545).

use jiff::Timestamp;
use snapshot::record::Locale;

use crate::templates::Templates;
use crate::view::{Program, Season};

/// Days before a deadline on which a calendar reminds of it.
const REMINDER: &str = "TRIGGER:-P7D";

/// How often a calendar is read again. With a component, which a calendar without events needs too (section 3.6).
const CALENDAR: &str = "REFRESH-INTERVAL;VALUE=DURATION:P1D\r\nX-PUBLISHED-TTL:P1D\r\n\
    BEGIN:VTIMEZONE\r\nTZID:UTC\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0000\r\n\
    TZOFFSETTO:+0000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";

/// The deadlines of programs. `query` is what the programs were searched for, in words; a `remark` describes the calendar.
pub fn calendar(
    templates: &Templates,
    locale: Locale,
    (query, remark): (&str, Option<&str>),
    programs: impl IntoIterator<Item = Program>,
) -> String {
    let mut out = String::from("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Opdir//Opdir//EN\r\n");
    let names = [&*templates.site.title, templates.word(locale, "deadlines_title"), query];
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    push_line(&mut out, &format!("X-WR-CALNAME:{}", quoted(&names.join(": "))));
    if let Some(remark) = remark {
        push_line(&mut out, &format!("X-WR-CALDESC:{}", quoted(remark)));
    }
    out.push_str(CALENDAR);
    for program in programs {
        program.seasons.iter().for_each(|season| push_event(&mut out, templates, locale, &program, season));
    }
    out.push_str("END:VCALENDAR\r\n");
    out
}

fn push_event(out: &mut String, templates: &Templates, locale: Locale, program: &Program, season: &Season) {
    let (name, label) = (quoted(&program.name.text), templates.word(locale, "program_deadline"));
    let lines = program.lines.iter().filter(|line| !line.parts.is_empty());
    let lines = lines.map(|line| format!("{}: {}\n", templates.word(locale, &line.word), line.text()));
    let about = lines.collect::<String>() + &program.official;
    let stamp = stamp(season.updated);
    let site = &templates.site;
    for line in [
        "BEGIN:VEVENT".to_owned(),
        format!("UID:cycle-{}@{}", season.id, site.host),
        format!("DTSTAMP:{stamp}"),
        format!("LAST-MODIFIED:{stamp}"),
        format!("SEQUENCE:{}", season.updated.as_second().max(0) / 60 % 2_000_000_000),
        format!("DTSTART;VALUE=DATE:{}", season.deadline.strftime("%Y%m%d")),
        format!("SUMMARY:{label}: {name} ({})", quoted(&season.label)),
        format!("DESCRIPTION:{}", quoted(&about)),
        format!("URL:{}{}", site.base_url, program.href),
        "TRANSP:TRANSPARENT".to_owned(),
        "BEGIN:VALARM".to_owned(),
        "ACTION:DISPLAY".to_owned(),
        REMINDER.to_owned(),
        format!("DESCRIPTION:{label}: {name}"),
        "END:VALARM".to_owned(),
        "END:VEVENT".to_owned(),
    ] {
        push_line(out, &line);
    }
}

fn stamp(time: Timestamp) -> String {
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// A text value (section 3.3.11), without other control characters.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,");
    let text = text.replace("\r\n", "\\n").replace(['\n', '\r'], "\\n");
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Appends a content line, folded at 75 octets (section 3.1).
fn push_line(out: &mut String, line: &str) {
    const OCTETS: usize = 75;
    let mut room = OCTETS;
    for c in line.chars() {
        if c.len_utf8() > room {
            out.push_str("\r\n ");
            room = OCTETS - 1;
        }
        out.push(c);
        room -= c.len_utf8();
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_folded_at_75_octets_and_unfold_to_themselves() {
        let line = format!("SUMMARY:{}", "é".repeat(100));
        let mut out = String::new();
        push_line(&mut out, &line);
        assert!(out.split("\r\n").all(|part| part.len() <= 75));
        assert_eq!(out.replace("\r\n ", ""), format!("{line}\r\n"));
    }

    #[test]
    fn texts_of_events_keep_their_commas_and_end_no_line() {
        assert_eq!(quoted("a,b;c\\d\ne\u{7}"), "a\\,b\\;c\\\\d\\ne");
    }
}
