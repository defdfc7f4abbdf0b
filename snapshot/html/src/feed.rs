//! Feeds of a search: Atom (RFC 4287), iCalendar (RFC 5545), a table for spreadsheets, and rows as the export has them.

use std::borrow::Cow;

use minijinja::{Error, context};
use snapshot::page::{Dated, Paged, Site};
use snapshot::query::{PARAMETERS, Page, Query, Sort, is_filter, pairs};
use snapshot::record::Locale;

use crate::calendar::calendar;
use crate::index::Html;
use crate::search::{DisplayQuery, PageOptions, search_path};
use crate::view::{Program, variables};

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
    /// Deadlines ahead.
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
        FORMATS[self as usize].0
    }

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        FORMATS[self as usize].1
    }
}

/// Extension and media type of each format.
const FORMATS: [(&str, &str); 4] = [
    ("atom", "application/atom+xml; charset=utf-8"),
    ("ics", "text/calendar; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8; header=present"),
    ("json", "application/json"),
];

/// The query of a feed: the limit and sort order depend on the format. A calendar that is never cut is sorted by
/// name, because the order of deadlines changes with the day.
pub fn feed_query(site: &Site, query: &Query, feed: Feed) -> Query {
    let (limit, sort) = match feed {
        Feed::Atom => (ENTRIES_MAX, Sort::Recent),
        Feed::Calendar if site.index.programs() as u64 > EVENTS_MAX => (EVENTS_MAX, Sort::Deadline),
        Feed::Calendar => (EVENTS_MAX, Sort::Name),
        Feed::Table | Feed::Rows => (ROWS_MAX, query.sort),
    };
    Query { page: Page { offset: 0, limit }, sort, no_facets: true, ..query.clone() }
}

/// Price of writing an entry, in units of the search: 15 µs.
const ENTRY_UNITS: u64 = 9_000;

/// Price of writing a feed, besides that of its search.
pub fn feed_units(site: &Site, query: &Query, feed: Feed) -> u64 {
    let entries = query.page.limit.min(site.index.programs() as u64);
    match feed {
        Feed::Atom | Feed::Calendar => entries * ENTRY_UNITS,
        Feed::Table | Feed::Rows => 0,
    }
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

/// A query, the words of it that are only words, and parameters that were left out.
type Question<'a> = (&'a Query, &'a PageOptions, &'a [String]);

/// The feed of a query, in the query's language: the full matches of its page, and how many there are. Parameters that
/// were left out are listed in formats that have a field for them.
///
/// # Errors
///
/// If a template fails.
pub fn feed(site: &Site, html: &Html, dated: &Dated, of: Question<'_>, feed: Feed) -> Result<Paged, Error> {
    let (query, extras, invalid) = of;
    let (docs, total) = site.index.full_matches(&feed_query(site, query, feed), &dated.today, &extras.plain);
    let (locale, today) = (query.locale, dated.day().date());
    let programs = docs.iter().filter_map(|doc| html.program(*doc, locale));
    let bytes = match feed {
        Feed::Atom => atom(site, html, of, &programs.collect::<Vec<_>>())?.into_bytes(),
        Feed::Calendar => {
            let (name, remark) = (name(site, html, of), remark(html, locale, invalid));
            let mut programs: Vec<Program> = programs.collect();
            programs.iter_mut().for_each(|it| it.seasons.retain(|it| Some(it.deadline) >= today));
            calendar(&html.templates, locale, (&name, remark.as_deref()), programs).into_bytes()
        }
        Feed::Table => table(html, dated, &docs),
        Feed::Rows => rows(site, html, dated, locale, &docs),
    };
    Ok(Paged { bytes, total })
}

/// The query of a feed in words.
fn name(site: &Site, html: &Html, question: Question<'_>) -> String {
    let (query, query_string) = (question.0, query_string(site, question));
    DisplayQuery::new(site, html, html.words(query.locale), &query_string).name()
}

fn query_string(site: &Site, (query, extras, _): Question<'_>) -> String {
    extras.query_string(site, &Query { page: Query::default().page, ..query.clone() })
}

/// What was left out of a query.
fn remark(html: &Html, locale: Locale, invalid: &[String]) -> Option<String> {
    let word = html.templates.word(locale, "search_invalid");
    (!invalid.is_empty()).then(|| format!("{word} {}", invalid.join(", ")))
}

fn atom(site: &Site, html: &Html, question: Question<'_>, entries: &[Program]) -> Result<String, Error> {
    let (locale, invalid, query_string) = (question.0.locale, question.2, query_string(site, question));
    let with_mark = |query: &str| if query.is_empty() { String::new() } else { format!("?{query}") };
    let view = context! {
        name => name(site, html, question),
        feed => feed_path(locale, Feed::Atom),
        page => search_path(locale),
        question => with_mark(&query_string),
        identity => with_mark(&identity(&query_string, invalid)),
        host => &html.templates.site.host,
        updated => html.templates.site.published.to_string(),
        remark => remark(html, locale, invalid),
        entries => variables(&entries),
    };
    html.templates.part("feed.atom", locale, view)
}

/// The table of an export.
fn table(html: &Html, dated: &Dated, docs: &[u32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024 + 600 * docs.len());
    out.extend_from_slice(html.csv_head.as_bytes());
    for doc in docs {
        out.extend_from_slice(html.csv.get(*doc as usize));
        if let Some(date) = dated.today.next_deadline.get(*doc as usize).and_then(|day| day.date()) {
            out.extend_from_slice(date.to_string().as_bytes());
        }
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// The rows of an export.
fn rows(site: &Site, html: &Html, dated: &Dated, locale: Locale, docs: &[u32]) -> Vec<u8> {
    let published = html.templates.site.published;
    let mut out =
        format!("{{\"license\":\"CC BY 4.0\",\"generatedAt\":\"{published}\",\"data\":[").into_bytes();
    for (position, doc) in docs.iter().enumerate() {
        out.extend_from_slice(if position > 0 { b"," } else { b"" });
        site.rows.push(*doc, locale, &dated.today, &mut out);
    }
    out.extend_from_slice(b"]}");
    out
}

/// Path of a feed of the search page in a language.
pub fn feed_path(locale: Locale, feed: Feed) -> String {
    format!("{}.{}", search_path(locale), feed.extension())
}
