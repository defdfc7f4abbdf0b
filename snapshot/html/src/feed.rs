//! Feeds of a search: Atom (RFC 4287), iCalendar (RFC 5545), a table for spreadsheets, and rows as the export has them.

use std::borrow::Cow;

use crate::fragments::{Html, Language, push};
use crate::messages::Message;
use crate::search::{DisplayQuery, PageOptions, search_path};
use crate::status::plain;
use snapshot::page::text::escaped;
use snapshot::page::{Dated, Paged, Site};
use snapshot::query::{PARAMETERS, Page, Query, Sort, is_filter, pairs};
use snapshot::search::SearchResult;

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
    /// All results in the shape of the export.
    Rows,
}

impl Feed {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Atom, Self::Calendar, Self::Table, Self::Rows];

    /// Extension of its path.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Atom => "atom",
            Self::Calendar => "ics",
            Self::Table => "csv",
            Self::Rows => "json",
        }
    }

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Calendar => "text/calendar; charset=utf-8",
            Self::Table => "text/csv; charset=utf-8; header=present",
            Self::Rows => "application/json",
        }
    }
}

/// The query of a feed: the limit and sort order depend on the format. A calendar that is never cut is sorted by
/// name, because the order of deadlines changes with the day.
pub fn feed_query(site: &Site, query: &Query, feed: Feed) -> Query {
    let (limit, sort) = match feed {
        Feed::Atom => (ENTRIES_MAX, Sort::Recent),
        Feed::Calendar if may_be_cut(site) => (EVENTS_MAX, Sort::Deadline),
        Feed::Calendar => (EVENTS_MAX, Sort::Name),
        Feed::Table | Feed::Rows => (ROWS_MAX, query.sort),
    };
    Query { page: Page { offset: 0, limit }, sort, facets: false, ..query.clone() }
}

/// Whether a directory has more programs than a calendar.
fn may_be_cut(site: &Site) -> bool {
    site.index.programs() as u64 > EVENTS_MAX
}

/// Whether the feed of a query may be another one on another day.
pub fn depends_on_day(site: &Site, query: &Query, feed: Feed) -> bool {
    let is_daily = match feed {
        Feed::Atom => false,
        Feed::Calendar => may_be_cut(site),
        Feed::Table | Feed::Rows => true,
    };
    is_daily || query.depends_on_day()
}

/// The query that a feed is known by: with the filters that do not exist, so that a value that no record has any longer
/// does not make it another feed.
fn identity(query: &str, invalid: &[String]) -> String {
    let left_out = invalid.iter().filter(|it| is_filter(it)).filter_map(|it| it.split_once('='));
    let left_out = left_out.map(|(name, value)| (name.into(), value.into()));
    let mut all: Vec<(Cow<'_, str>, Cow<'_, str>)> = pairs(query).chain(left_out).collect();
    all.sort_by_cached_key(|(name, value)| {
        let rank = PARAMETERS.iter().position(|it| it.name == *name).unwrap_or(PARAMETERS.len());
        (rank, name.clone(), value.clone())
    });
    form_urlencoded::Serializer::new(String::new()).extend_pairs(all).finish()
}

/// The feed of a query, in the query's language, and how many records match. `invalid` parameters are listed in
/// formats that have a field for them.
pub fn feed(
    site: &Site,
    html: &Html,
    dated: &Dated,
    (query, extras, invalid): (&Query, &PageOptions, &[String]),
    feed: Feed,
) -> Paged {
    let SearchResult { docs, total, .. } =
        matches(site, html, dated, (&feed_query(site, query, feed), extras));
    let language = html.language(query.locale);
    let query_string =
        extras.for_feed().query_string(site, html, &Query { page: Query::default().page, ..query.clone() });
    let name = DisplayQuery::new(site, html, language, &query_string).name();
    let mut out = Vec::with_capacity(1024 + 600 * docs.len());
    let part = |number: usize, out: &mut Vec<u8>| out.extend_from_slice(language.feed.bytes(number));
    match feed {
        Feed::Atom => {
            push_atom_head(&mut out, language, (&name, &query_string), invalid);
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
            docs.iter().for_each(|doc| out.extend_from_slice(language.events.bytes(*doc as usize)));
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
        Feed::Rows => {
            part(9, &mut out);
            for (position, doc) in docs.into_iter().enumerate() {
                push(&mut out, if position > 0 { "," } else { "" });
                site.rows.push(doc, query.locale, &dated.today, &mut out);
            }
            push(&mut out, "]}");
        }
    }
    Paged { bytes: out, total }
}

/// Writes an Atom feed up to its entries.
fn push_atom_head(out: &mut Vec<u8>, language: &Language, (name, query): (&str, &str), invalid: &[String]) {
    let part = |number: usize, out: &mut Vec<u8>| out.extend_from_slice(language.feed.bytes(number));
    part(0, out);
    push_name(out, name);
    for (number, query) in [(1, query), (2, query), (3, &*identity(query, invalid))] {
        part(number, out);
        let mark = if query.is_empty() { "" } else { "?" };
        push(out, format_args!("{mark}{}", escaped(query)));
    }
    part(4, out);
    if !invalid.is_empty() {
        let (word, invalid) = (language.word(Message::Invalid), escaped(&invalid.join(", ")));
        push(out, format_args!("<subtitle>{word} {invalid}</subtitle>\n"));
    }
}

/// What a feed lists.
fn matches(site: &Site, html: &Html, dated: &Dated, (query, extras): (&Query, &PageOptions)) -> SearchResult {
    let (text, among) = (site.index.resolve(query), extras.among(html));
    site.index.search_among(query, text.as_ref(), &dated.today, among.as_ref())
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
pub fn feed_path(locale: snapshot::record::Locale, feed: Feed) -> String {
    format!("{}.{}", search_path(locale), feed.extension())
}
