//! Feeds of a search: Atom (RFC 4287), iCalendar (RFC 5545) and a table for spreadsheets.

use crate::fragments::{Html, Language, push};
use crate::messages::Message;
use crate::search::{DisplayQuery, PageOptions, search_path};
use crate::status::plain;
use snapshot::page::text::escaped;
use snapshot::page::{Dated, Site};
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
            let mark = if query_string.is_empty() { "" } else { "?" };
            for number in 1..4 {
                part(number, &mut out);
                push(&mut out, format_args!("{mark}{}", escaped(&query_string)));
            }
            part(4, &mut out);
            if !invalid.is_empty() {
                let (word, invalid) = (language.word(Message::Invalid), escaped(&invalid.join(", ")));
                push(&mut out, format_args!("<subtitle>{word} {invalid}</subtitle>\n"));
            }
            docs.iter().for_each(|doc| out.extend_from_slice(language.entries.bytes(*doc as usize)));
            part(5, &mut out);
        }
        Feed::Calendar => {
            part(6, &mut out);
            // A folded line (RFC 5545, section 3.1).
            push(&mut out, if name.is_empty() { "" } else { "\r\n " });
            push_name(&mut out, &quoted(&plain(&name)));
            part(7, &mut out);
            push_invalid(&mut out, language, invalid);
            docs.iter().for_each(|doc| out.extend_from_slice(html.events.bytes(*doc as usize)));
            push(&mut out, "END:VCALENDAR\r\n");
        }
        Feed::Table => {
            part(8, &mut out);
            for doc in docs {
                out.extend_from_slice(html.csv.bytes(doc as usize));
                if let Some(date) = dated.today.next_deadline.get(doc as usize).and_then(|day| day.date()) {
                    push(&mut out, date);
                }
                push(&mut out, "\r\n");
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
fn push_name(out: &mut Vec<u8>, name: &str) {
    if !name.is_empty() {
        push(out, format_args!(": {name}"));
    }
}

/// Writes invalid parameters as the description of a calendar, each on its own folded line.
fn push_invalid(out: &mut Vec<u8>, language: &Language, invalid: &[String]) {
    if invalid.is_empty() {
        return;
    }
    push(out, format_args!("X-WR-CALDESC:{}", quoted(&plain(language.word(Message::Invalid)))));
    invalid.iter().for_each(|entry| push(out, format_args!("\r\n  {}", quoted(entry))));
    push(out, "\r\n");
}

/// Maximum length of a name in a calendar, in octets; lines have at most 75 (RFC 5545, section 3.1).
const NAME_MAX: usize = 60;

/// A text value of iCalendar (RFC 5545, section 3.3.11), short enough for one folded line.
fn quoted(text: &str) -> String {
    let short = text[..text.floor_char_boundary(NAME_MAX)].chars().filter(|c| !c.is_control());
    let escape = |c| matches!(c, '\\' | ';' | ',').then_some('\\');
    short.flat_map(|c| escape(c).into_iter().chain([c])).collect()
}

/// Path of a feed of the search page in a language.
#[must_use]
pub fn feed_path(locale: snapshot::record::Locale, feed: Feed) -> String {
    format!("{}.{}", search_path(locale), feed.extension())
}
