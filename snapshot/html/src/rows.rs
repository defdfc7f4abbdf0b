//! Rows and lines of programs on a day: in results, on the home page, on the page of an organization, and by deadline.

use std::cmp::Reverse;

use jiff::civil::Date;
use minijinja::{Error, Value, context};
use serde::Serialize;
use snapshot::page::Dated;
use snapshot::page::text::grouped;
use snapshot::record::Locale;
use snapshot::time::Day;
use snapshot::truncate::at_word;

use crate::highlight::{Highlighter, PASSAGE_LENGTH, Piece};
use crate::index::Html;
use crate::status::{Status, shown};
use crate::templates::{here, prefix};
use crate::view::{DayText, Program, bar, link, variables};

/// Maximum number of programs on the page of an organization, which links to a search for all of them.
const PROGRAMS: usize = 20;
/// Maximum number of programs in each of the home page's lists.
const HOME: usize = 5;
/// The longer of the two has at least so many, however short the other is.
const LEAST: usize = 2;
/// Maximum number of open programs that are read to fill two of them.
const SEEN: usize = 500;
/// Maximum number of programs in the list of next deadlines; the others are on the pages of their months.
const NEXT: usize = 60;
/// Maximum number of programs on a month's page; the others are found by search.
const MONTH: usize = 200;
/// Months in the chart of the home page.
const BARS: usize = 12;
/// Months in the chart of all deadlines; later ones are links.
const ALL_BARS: usize = 24;

/// A row or a line of a list: a program on a day.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    pub(crate) program: Program,
    pub(crate) status: Status,
    /// Its name, divided where words of the query begin and end.
    pub(crate) title: Vec<Piece>,
    /// The beginning of its summary, or the passage with most words of the query, divided likewise.
    pub(crate) extract: Vec<Piece>,
    /// The day on which it opened.
    pub(crate) opened: Option<DayText>,
    /// How it differs from the query, if it does so in another way than the rows around it.
    pub(crate) differs: Option<String>,
}

/// Number of a date's month; never 0.
pub fn month_number(date: Date) -> u32 {
    date.year().unsigned_abs() as u32 * 12 + date.month().unsigned_abs() as u32
}

/// Path of the page of a month.
pub fn month_path(locale: Locale, month: Date) -> String {
    format!("{}/deadlines/{:04}-{:02}", prefix(locale), month.year(), month.month())
}

/// Programs with an upcoming deadline that is no filler, the next first.
fn due(dated: &Dated) -> impl Iterator<Item = (u32, Date)> {
    let deadline = |doc: u32| dated.today.next_deadline.get(doc as usize)?.unless_filler(dated.day()).date();
    dated.today.order.docs.iter().filter_map(move |doc| Some((*doc, deadline(*doc)?)))
}

/// Months with deadlines, and the number of deadlines in each.
fn months(dated: &Dated) -> Vec<(Date, u64)> {
    let mut months: Vec<(Date, u64)> = Vec::new();
    for (_, date) in due(dated) {
        match months.last_mut().filter(|(month, _)| *month == date.first_of_month()) {
            Some((_, count)) => *count += 1,
            None => months.push((date.first_of_month(), 1)),
        }
    }
    months
}

/// A month, and its number of deadlines.
type Month = (Date, u64);

/// The first `most` months, those without a deadline too, and the later ones that have any.
fn chart(months: &[Month], most: usize) -> (Vec<Month>, &[Month]) {
    let Some((first, _)) = months.first() else { return (Vec::new(), &[]) };
    let place = |date: Date| (month_number(date) - month_number(*first)) as usize;
    let later = months.partition_point(|(month, _)| place(*month) < most);
    let (near, later) = months.split_at(later);
    let length = near.last().map_or(0, |(last, _)| place(*last) + 1);
    let month = |at: usize| first.saturating_add(jiff::Span::new().months(at as i64));
    let count = |date: Date| near.iter().find(|(month, _)| *month == date).map_or(0, |(_, count)| *count);
    ((0..length).map(month).map(|month| (month, count(month))).collect(), later)
}

impl Html {
    /// The row of a document, divided at words of a query.
    pub(crate) fn row(
        &self,
        doc: u32,
        locale: Locale,
        dated: &Dated,
        highlighter: Option<&Highlighter>,
    ) -> Option<Row> {
        let program = self.program(doc, locale)?;
        let summary = program.summary.as_ref().map_or("", |summary| &summary.text);
        let summary = at_word(summary, PASSAGE_LENGTH);
        let (title, extract) = match highlighter {
            None => (vec![Piece::plain(&program.name.text)], vec![Piece::plain(&summary)]),
            Some(highlighter) => {
                let (title, bits) = highlighter.pieces(&program.name.text);
                (title, highlighter.extract(&summary, self.language(locale).passages(doc), bits))
            }
        };
        let status = self.status_of(doc, locale, dated, || program.deadline_text.is_some());
        Some(Row { program, status, title, extract, opened: None, differs: None })
    }

    /// Rows without a query.
    pub(crate) fn rows(&self, docs: impl Iterator<Item = u32>, locale: Locale, dated: &Dated) -> Vec<Row> {
        docs.filter_map(|doc| self.row(doc, locale, dated, None)).collect()
    }

    fn status_of(&self, doc: u32, locale: Locale, dated: &Dated, in_words: impl Fn() -> bool) -> Status {
        let state = dated.today.state(doc);
        state.map(|state| self.words(locale).program(&state, dated.day(), in_words)).unwrap_or_default()
    }

    /// The status of a document on the day.
    pub(crate) fn status(&self, doc: u32, locale: Locale, dated: &Dated) -> Status {
        let in_words = || self.program(doc, locale).is_some_and(|it| it.deadline_text.is_some());
        self.status_of(doc, locale, dated, in_words)
    }

    /// The open programs that close next: those that persons can apply to, and the others.
    pub(crate) fn closing(&self, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let due = dated.today.order.docs.iter().filter(|doc| dated.today.is_due(**doc, None, None));
        let open = due.copied().filter(|doc| is_open(*doc, dated)).take(SEEN);
        let (mut persons, mut others): (Vec<Row>, Vec<Row>) = Default::default();
        for row in open.filter_map(|doc| self.row(doc, locale, dated, None)) {
            let list = if row.program.for_persons { &mut persons } else { &mut others };
            if list.len() < HOME {
                list.push(row);
            }
            if persons.len() + others.len() == 2 * HOME {
                break;
            }
        }
        // A longer list beside a shorter one would leave a hole.
        let least = persons.len().min(others.len());
        let most = if least == 0 { HOME } else { least.max(LEAST) };
        persons.truncate(most);
        others.truncate(most);
        // Without a deadline ahead, what is open.
        let most = if persons.is_empty() && others.is_empty() { HOME } else { 0 };
        let open = dated.today.order.docs.iter().copied().filter(|doc| is_open(*doc, dated)).take(most);
        let [persons, others, open] =
            [persons, others, self.rows(open, locale, dated)].map(|rows| variables(&rows));
        let lists = context! { persons, others, open };
        self.templates.part("closing.html", locale, lists)
    }

    /// The open programs whose opening day is the latest.
    pub(crate) fn opened(&self, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let opening = |doc: &u32| Some((dated.today.state(*doc)?.openness.last_opening.known()?, *doc));
        let open = dated.today.order.docs.iter().filter(|doc| is_open(**doc, dated));
        let mut opened: Vec<(Day, u32)> = open.filter_map(opening).collect();
        // Of those that opened on a day, the next to close comes first: the order is by deadline.
        opened.sort_by_key(|(day, _)| Reverse(*day));
        let row = |(day, doc): (Day, u32)| {
            let row = self.row(doc, locale, dated, None)?;
            Some(Row { opened: self.words(locale).day(day), ..row })
        };
        let rows: Vec<Row> = opened.into_iter().take(HOME).filter_map(row).collect();
        self.templates.part("opened.html", locale, context! { rows => variables(&rows) })
    }

    /// The programs of an organization, by state and then by deadline.
    pub(crate) fn offered(&self, organization: u32, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let key = |doc: u32| {
            let state = dated.today.state(doc)?;
            let next = state.openness.next_deadline;
            let rank = dated.today.order.rank.get(doc as usize).copied()?;
            let (.., place) = shown(state.standing);
            Some((place, if next == Day::NONE { i32::MAX } else { next.0 }, rank, doc))
        };
        let docs = self.organizations.docs(organization);
        let mut docs: Vec<(u8, i32, u32, u32)> = docs.iter().filter_map(|doc| key(*doc)).collect();
        docs.sort_unstable();
        let rows = self.rows(docs.into_iter().take(PROGRAMS).map(|(.., doc)| doc), locale, dated);
        self.templates.part("rows.html", locale, context! { rows => variables(&rows) })
    }

    /// The next deadlines by month, below links to the months.
    pub(crate) fn next_deadlines(&self, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let months = months(dated);
        let (near, later) = chart(&months, ALL_BARS);
        let due: Vec<(u32, Date)> = due(dated).take(NEXT).collect();
        let of_one = due.chunk_by(|(_, a), (_, b)| a.first_of_month() == b.first_of_month());
        let section = |due: &[(u32, Date)]| {
            let rows = self.rows(due.iter().map(|(doc, _)| *doc), locale, dated);
            let name = due.first().map(|(_, date)| self.templates.month(*date, locale));
            context! { name, rows => variables(&rows) }
        };
        let sections: Vec<Value> = of_one.map(section).collect();
        let (bars, later) = (self.bars(&near, locale), self.bars(later, locale));
        self.templates.part("due.html", locale, context! { bars, later, sections, more => () })
    }

    /// How many deadlines each of the next months has.
    pub(crate) fn months(&self, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let bars = self.bars(&chart(&months(dated), BARS).0, locale);
        self.templates.part("months.html", locale, context! { bars })
    }

    /// Months with bars that are as long as there are deadlines.
    fn bars(&self, months: &[Month], locale: Locale) -> Vec<Value> {
        let most = months.iter().map(|(_, count)| *count).max().unwrap_or(1);
        let month = |(month, count): &Month| {
            let href = (*count > 0).then(|| month_path(locale, *month));
            bar(self.templates.month(*month, locale), href, (*count, most), locale)
        };
        months.iter().map(month).collect()
    }

    /// The deadlines of a month.
    pub(crate) fn month(&self, month: u32, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let docs: Vec<(u32, Date)> = due(dated).filter(|(_, date)| month_number(*date) == month).collect();
        let more = docs.first().filter(|_| docs.len() > MONTH).map(|(_, any)| {
            let (path, from, to) = (here("/programs", locale), any.first_of_month(), any.last_of_month());
            let count = grouped(docs.len() as u64, locale);
            let text = self.templates.phrase(locale, "deadlines_more", &[("n", &count)]);
            // A search for those that are not listed.
            link(format!("{path}?deadlineFrom={from}&deadlineTo={to}"), &text)
        });
        let rows = self.rows(docs.iter().take(MONTH).map(|(doc, _)| *doc), locale, dated);
        let section = (!rows.is_empty()).then(|| context! { name => (), rows => variables(&rows) });
        let sections = Vec::from_iter(section);
        self.templates.part("due.html", locale, context! { bars => (), later => (), sections, more })
    }
}

/// Whether people read that a document is open.
fn is_open(doc: u32, dated: &Dated) -> bool {
    dated.today.state(doc).is_some_and(|state| state.standing.is_open())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_chart_has_every_month_and_later_months_are_apart() {
        let months = [(date(2026, 11, 1), 2), (date(2027, 2, 1), 1), (date(2031, 5, 1), 1)];
        let (near, later) = chart(&months, 12);
        let counts: Vec<u64> = near.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [2, 0, 0, 1]);
        assert_eq!(near[1].0, date(2026, 12, 1));
        assert_eq!(later, &months[2..]);
        assert_eq!(chart(&[], 12), (Vec::new(), &[][..]));
    }
}
