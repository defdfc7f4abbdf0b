//! Feeds of a search: Atom (RFC 4287), iCalendar (RFC 5545) and a table for spreadsheets.

use crate::page::html::search::{path, question};
use crate::page::html::{Html, push_escaped};
use crate::page::{Dated, Site, push_date};
use crate::query::{Page, Query, Sort};

/// Parts of a language's feeds: Atom before the query of its own address, before that of its page,
/// before that of its id, after these, and its end; calendar start; table head.
pub const PARTS: usize = 7;

/// Newest programs of an Atom feed.
const ENTRIES_MAX: u64 = 100;
/// Programs of a calendar.
const EVENTS_MAX: u64 = 1000;
/// Rows of a table.
const ROWS_MAX: u64 = 10_000;

/// What a search can be followed as.
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
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Atom, Self::Calendar, Self::Table];

    /// End of its address.
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

/// The question that a feed of a question asks.
#[must_use]
pub fn asked(query: &Query, feed: Feed) -> Query {
    let (limit, sort) = match feed {
        Feed::Atom => (ENTRIES_MAX, Sort::Recent),
        Feed::Calendar => (EVENTS_MAX, Sort::Deadline),
        Feed::Table => (ROWS_MAX, query.sort),
    };
    Query { page: Page { offset: 0, limit }, sort, facets: false, ..query.clone() }
}

/// The feed of a question, in the question's language.
#[must_use]
pub fn feed(site: &Site, html: &Html, dated: &Dated, query: &Query, feed: Feed) -> Vec<u8> {
    let docs = site.index.search(&asked(query, feed), &dated.today).docs;
    let language = html.language(query.locale);
    let mut out = Vec::with_capacity(1024 + 600 * docs.len());
    let part = |number: usize, out: &mut Vec<u8>| out.extend_from_slice(language.feed.bytes(number));
    match feed {
        Feed::Atom => {
            let question = question(site, &Query { page: Query::default().page, ..query.clone() });
            for number in 0..3 {
                part(number, &mut out);
                push_address(&mut out, &question);
            }
            part(3, &mut out);
            docs.iter().for_each(|doc| out.extend_from_slice(language.entries.bytes(*doc as usize)));
            part(4, &mut out);
        }
        Feed::Calendar => {
            part(5, &mut out);
            docs.iter().for_each(|doc| out.extend_from_slice(html.events.bytes(*doc as usize)));
            out.extend_from_slice(b"END:VCALENDAR\r\n");
        }
        Feed::Table => {
            part(6, &mut out);
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

fn push_address(out: &mut Vec<u8>, question: &str) {
    if !question.is_empty() {
        out.push(b'?');
        push_escaped(out, question);
    }
}

/// Where the feed of the search page of a language is.
#[must_use]
pub fn address(locale: crate::record::Locale, feed: Feed) -> String {
    format!("{}.{}", path(locale), feed.extension())
}
