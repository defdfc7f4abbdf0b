//! Parts of feeds: Atom entries (RFC 4287), calendar events (RFC 5545), and the headers and ends of feeds.

use html::prepare::PARTS;
use html::{Feed, feed_path};
use jiff::civil::Date;
use serde_json::json;
use snapshot::page::text::escaped;
use snapshot::record::{Cycle, Lifecycle, Locale};

use super::{Pages, here};
use crate::csv_rows;

/// Path of the JSON Feed.
pub(super) const JSON_FEED: &str = "/feeds/new.json";
/// What follows the name of a calendar.
/// With a component, which a calendar without events needs too (RFC 5545, section 3.6).
const CALENDAR: &str = "\r\nREFRESH-INTERVAL;VALUE=DURATION:P1D\r\nX-PUBLISHED-TTL:P1D\r\n\
    BEGIN:VTIMEZONE\r\nTZID:UTC\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0000\r\n\
    TZOFFSETTO:+0000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
/// Maximum number of programs in the JSON Feed.
const ITEMS: usize = 100;

impl Pages<'_> {
    /// Name of the site in identifiers; without its port, which tag URIs (RFC 4151) do not have.
    pub(super) fn host(&self) -> String {
        let url = url::Url::parse(self.base_url).ok();
        url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| "localhost".to_owned())
    }

    /// Atom entry of a program.
    pub(super) fn entry(&self, program: usize, locale: Locale) -> String {
        let it = &self.directory.programs[program];
        let organization = self.organization_of(program);
        let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
        let path = here(&format!("/programs/{}", it.slug), locale);
        format!(
            "<entry><id>tag:{},2026:program/{}</id><title>{}</title><link href=\"{}{path}\"/>\
             <published>{}</published><updated>{}</updated><author><name>{}</name></author>{}</entry>\n",
            self.host(),
            it.id,
            escaped(self.directory.text(it.entity(), locale, "name", &it.name)),
            escaped(self.base_url),
            it.created_at,
            it.updated_at,
            escaped(self.directory.text(organization.entity(), locale, "name", &organization.name)),
            summary.map(|it| format!("<summary>{}</summary>", escaped(it))).unwrap_or_default(),
        )
    }

    /// Headers and ends of the feeds of a search.
    pub(super) fn feed_parts(&self, locale: Locale) -> Vec<String> {
        let title = escaped(&self.directory.dataset.title);
        let base = escaped(self.base_url);
        let atom = feed_path(locale, Feed::Atom);
        let page = here("/programs", locale);
        let parts: [String; PARTS] = [
            format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
                 <feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{}\"><title>{title}",
                locale.as_str(),
            ),
            format!("</title><rights>CC BY 4.0</rights><link rel=\"self\" href=\"{base}{atom}"),
            format!("\"/><link rel=\"alternate\" type=\"text/html\" href=\"{base}{page}"),
            format!("\"/><id>{base}{atom}"),
            format!(
                "</id><updated>{}</updated><author><name>{title}</name></author>\n",
                self.directory.dataset.published_at
            ),
            "</feed>\n".to_owned(),
            self.calendar_start(locale),
            CALENDAR.to_owned(),
            format!("\u{feff}{}", csv_rows::head()),
            format!(
                "{{\"license\":\"CC BY 4.0\",\"generatedAt\":{},\"data\":[",
                json!(self.directory.dataset.published_at)
            ),
        ];
        parts.into()
    }

    /// The beginning of a calendar up to its name; the edge appends the name of a query to it.
    fn calendar_start(&self, locale: Locale) -> String {
        let name = format!("{}: {}", self.directory.dataset.title, self.word(locale, "deadlines_title"));
        let mut out = String::from("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Opdir//Opdir//EN\r\n");
        push_line(&mut out, &format!("X-WR-CALNAME:{}", quoted(&name)));
        out.truncate(out.len() - "\r\n".len());
        out
    }

    /// The newest programs as a JSON Feed (version 1.1).
    pub(super) fn json_feed(&self, locale: Locale) -> String {
        let item = |program: usize| {
            let it = &self.directory.programs[program];
            let organization = self.organization_of(program);
            let name = self.directory.text(it.entity(), locale, "name", &it.name);
            let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
            json!({
                "id": format!("tag:{},2026:program/{}", self.host(), it.id),
                "url": self.address(&format!("/programs/{}", it.slug), locale),
                "title": name,
                "content_text": summary.unwrap_or(name),
                "date_published": it.created_at,
                "date_modified": it.updated_at,
                "authors": [{ "name": self.directory.text(organization.entity(), locale, "name", &organization.name) }],
            })
        };
        let feed = json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": format!("{}: {}", self.directory.dataset.title, self.word(locale, "home_new")),
            "home_page_url": self.address("/programs", locale),
            "feed_url": self.address(JSON_FEED, locale),
            "language": locale.as_str(),
            "items": self.newest(ITEMS).into_iter().map(item).collect::<Vec<_>>(),
        });
        feed.to_string()
    }

    /// The calendar of a program, if it has events.
    pub(super) fn calendar(&self, program: usize, locale: Locale) -> Option<String> {
        let (start, events) = (self.calendar_start(locale), self.events(program, locale));
        (!events.is_empty()).then(|| format!("{start}{CALENDAR}{events}END:VCALENDAR\r\n"))
    }

    /// Calendar events of a program's deadlines.
    pub(super) fn events(&self, program: usize, locale: Locale) -> String {
        let mut out = String::new();
        for (cycle, deadline) in self.deadlines(program) {
            self.push_event(&mut out, (program, locale), cycle, deadline);
        }
        out
    }

    /// The seasons of a program that end on a day. A paused or ended program has none.
    pub(super) fn deadlines(&self, program: usize) -> impl Iterator<Item = (&Cycle, Date)> {
        let lifecycle = self.directory.programs[program].lifecycle;
        let rests =
            matches!(lifecycle, Lifecycle::Paused | Lifecycle::Ended | Lifecycle::ActiveNoApplications);
        let cycles = self.directory.program_links[program].cycles.iter().filter(move |_| !rests);
        cycles.filter_map(|cycle| {
            let cycle = &self.directory.cycles[*cycle];
            Some((cycle, cycle.deadline_on?))
        })
    }

    fn push_event(
        &self,
        out: &mut String,
        (program, locale): (usize, Locale),
        cycle: &Cycle,
        deadline: Date,
    ) {
        let it = &self.directory.programs[program];
        let name = quoted(self.directory.text(it.entity(), locale, "name", &it.name));
        let season = self.directory.text(cycle.entity(), locale, "label", &cycle.label);
        let stamp = cycle.updated_at.strftime("%Y%m%dT%H%M%SZ").to_string();
        let label = self.word(locale, "program_deadline");
        push_line(out, "BEGIN:VEVENT");
        push_line(out, &format!("UID:cycle-{}@{}", cycle.id, self.host()));
        push_line(out, &format!("DTSTAMP:{stamp}"));
        push_line(out, &format!("LAST-MODIFIED:{stamp}"));
        push_line(out, &format!("SEQUENCE:{}", cycle.updated_at.as_second().max(0) / 60 % 2_000_000_000));
        push_line(out, &format!("DTSTART;VALUE=DATE:{}", deadline.strftime("%Y%m%d")));
        push_line(out, &format!("SUMMARY:{label}: {name} ({})", quoted(season)));
        let who = self.who_line(program, locale);
        let who = if who.is_empty() { who } else { format!("{}: {who}\n", self.word(locale, "row_who")) };
        push_line(out, &format!("DESCRIPTION:{}", quoted(&format!("{who}{}", it.official_url))));
        push_line(out, &format!("URL:{}{}", self.base_url, here(&format!("/programs/{}", it.slug), locale)));
        push_line(out, "TRANSP:TRANSPARENT");
        for line in ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-P7D"] {
            push_line(out, line);
        }
        push_line(out, &format!("DESCRIPTION:{label}: {name}"));
        push_line(out, "END:VALARM");
        push_line(out, "END:VEVENT");
    }
}

/// A text value of iCalendar (RFC 5545, section 3.3.11).
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,");
    text.replace("\r\n", "\\n").replace(['\n', '\r'], "\\n")
}

/// Appends a content line, folded at 75 octets (RFC 5545, section 3.1).
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
    fn texts_of_events_keep_their_commas() {
        assert_eq!(quoted("a,b;c\\d\ne"), "a\\,b\\;c\\\\d\\ne");
    }
}
