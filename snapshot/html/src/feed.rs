//! Feeds of a search: Atom (RFC 4287), iCalendar (RFC 5545) and a table for spreadsheets.

use crate::fragments::{Html, Language};
use crate::messages::Message;
use crate::search::{DisplayQuery, PageOptions, search_path};
use crate::status::push_plain;
use snapshot::page::text::push_escaped;
use snapshot::page::{Dated, Site, push_date};
use snapshot::query::{Page, Query, Sort};

/// Maximum number of programs in an Atom feed.
const ENTRIES_MAX: u64 = 100;
/// Maximum number of programs in a calendar.
const EVENTS_MAX: u64 = 1000;
/// Maximum number of rows in a table.
const ROWS_MAX: u64 = 10_000;

/// A format in which search results can be subscribed to or downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// Newest opportunities.
    Atom,
    /// Deadlines.
    Calendar,
    /// All results.
    Table,
}

impl Feed {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Atom, Self::Calendar, Self::Table];

    /// Extension of its path.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Atom => "atom",
            Self::Calendar => "ics",
            Self::Table => "csv",
        }
    }

    /// Its media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Calendar => "text/calendar; charset=utf-8",
            Self::Table => "text/csv; charset=utf-8; header=present",
        }
    }
}

/// The query of a feed: the limit and sort order depend on the format.
#[must_use]
pub fn feed_query(query: &Query, feed: Feed) -> Query {
    let (limit, sort) = match feed {
        Feed::Atom => (ENTRIES_MAX, Sort::Recent),
        Feed::Calendar => (EVENTS_MAX, Sort::Deadline),
        Feed::Table => (ROWS_MAX, query.sort),
    };
    Query { page: Page { offset: 0, limit }, sort, facets: false, ..query.clone() }
}

/// The feed of a query, in the query's language. `invalid` parameters are listed in formats that have a field for
/// them.
#[must_use]
pub fn feed(
    site: &Site,
    html: &Html,
    dated: &Dated,
    (query, extras, invalid): (&Query, &PageOptions, &[String]),
    feed: Feed,
) -> Vec<u8> {
    let docs = matches(site, html, dated, (&feed_query(query, feed), extras));
    let language = html.language(query.locale);
    let query_string =
        extras.for_feed().query_string(site, html, &Query { page: Query::default().page, ..query.clone() });
    let name = DisplayQuery::new(site, html, language, &query_string).name();
    let mut out = Vec::with_capacity(1024 + 600 * docs.len());
    let part = |number: usize, out: &mut Vec<u8>| out.extend_from_slice(language.feed.bytes(number));
    match feed {
        Feed::Atom => {
            part(0, &mut out);
            push_name(&mut out, &name);
            for number in 1..4 {
                part(number, &mut out);
                push_query_string(&mut out, &query_string);
            }
            part(4, &mut out);
            if !invalid.is_empty() {
                out.extend_from_slice(b"<subtitle>");
                language.push_message(&mut out, Message::Invalid);
                out.push(b' ');
                push_escaped(&mut out, &invalid.join(", "));
                out.extend_from_slice(b"</subtitle>\n");
            }
            docs.iter().for_each(|doc| out.extend_from_slice(language.entries.bytes(*doc as usize)));
            part(5, &mut out);
        }
        Feed::Calendar => {
            part(6, &mut out);
            let mut plain = Vec::new();
            push_plain(&mut plain, &name);
            // A folded line (RFC 5545, section 3.1).
            out.extend_from_slice(if name.is_empty() { b"" } else { b"\r\n " });
            push_name(&mut out, &quoted(&plain));
            part(7, &mut out);
            push_invalid(&mut out, language, invalid);
            docs.iter().for_each(|doc| out.extend_from_slice(html.events.bytes(*doc as usize)));
            out.extend_from_slice(b"END:VCALENDAR\r\n");
        }
        Feed::Table => {
            part(8, &mut out);
            for doc in docs {
                out.extend_from_slice(html.csv.bytes(doc as usize));
                if let Some(date) = dated.today.next_deadline.get(doc as usize).and_then(|day| day.date()) {
                    push_date(&mut out, date);
                }
                out.extend_from_slice(b"\r\n");
            }
        }
    }
    out
}

/// The documents of a feed.
fn matches(site: &Site, html: &Html, dated: &Dated, (query, extras): (&Query, &PageOptions)) -> Vec<u32> {
    let (text, among) = (site.index.resolve(query), extras.among(html));
    site.index.search_among(query, text.as_ref(), &dated.today, among.as_ref()).docs
}

/// Writes the name of a query after that of the site.
fn push_name(out: &mut Vec<u8>, name: &[u8]) {
    if !name.is_empty() {
        out.extend_from_slice(b": ");
        out.extend_from_slice(name);
    }
}

/// Writes invalid parameters as the description of a calendar, each on its own folded line.
fn push_invalid(out: &mut Vec<u8>, language: &Language, invalid: &[String]) {
    if invalid.is_empty() {
        return;
    }
    let mut plain = Vec::new();
    push_plain(&mut plain, language.word(Message::Invalid).as_bytes());
    out.extend_from_slice(b"X-WR-CALDESC:");
    out.extend_from_slice(&quoted(&plain));
    for entry in invalid {
        out.extend_from_slice(b"\r\n  ");
        out.extend_from_slice(&quoted(entry.as_bytes()));
    }
    out.extend_from_slice(b"\r\n");
}

/// Maximum length of a name in a calendar, in octets; lines have at most 75 (RFC 5545, section 3.1).
const NAME_MAX: usize = 60;

/// A text value of iCalendar (RFC 5545, section 3.3.11), short enough for one folded line.
fn quoted(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= NAME_MAX).last();
    let mut out = Vec::with_capacity(NAME_MAX);
    for c in text[..end.unwrap_or(0)].chars().filter(|c| !c.is_control()) {
        if matches!(c, '\\' | ';' | ',') {
            out.push(b'\\');
        }
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    out
}

fn push_query_string(out: &mut Vec<u8>, query_string: &str) {
    if !query_string.is_empty() {
        out.push(b'?');
        push_escaped(out, query_string);
    }
}

/// Path of a feed of the search page in a language.
#[must_use]
pub fn feed_path(locale: snapshot::record::Locale, feed: Feed) -> String {
    format!("{}.{}", search_path(locale), feed.extension())
}
