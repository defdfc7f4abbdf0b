//! Lists of upcoming deadlines: the next ones, and those of one month.

use jiff::civil::Date;

use crate::fragments::{Language, push};
use crate::messages::Message;
use crate::search::search_path;
use snapshot::page::Dated;
use snapshot::page::text::grouped;
use snapshot::record::Locale;

/// Maximum number of programs in the list of next deadlines; the others are on the pages of their months.
const NEXT: usize = 60;
/// Maximum number of programs on a month's page; the others are found by search.
const MONTH: usize = 200;
/// Months in the chart of the home page.
const BARS: usize = 12;
/// Months in the chart of all deadlines; later ones are links.
const ALL_BARS: usize = 24;

/// Number of a date's month; never 0.
pub fn month_number(date: Date) -> u32 {
    date.year().unsigned_abs() as u32 * 12 + date.month().unsigned_abs() as u32
}

/// Path of the page of a month.
pub fn month_path(locale: Locale, month: Date) -> String {
    let prefix = if locale == Locale::Es { "/es" } else { "" };
    format!("{prefix}/deadlines/{:04}-{:02}", month.year(), month.month())
}

/// Programs with an upcoming deadline, the next first.
fn due(dated: &Dated) -> impl Iterator<Item = (u32, Date)> {
    let deadline = |doc: u32| dated.today.next_deadline.get(doc as usize)?.date();
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

/// Length of a bar in per cent of the longest; at least 1 unless `count` is 0.
pub fn bar_width(count: u64, most: u64) -> u64 {
    (count * 100).div_ceil(most.max(1))
}

impl Language {
    /// Writes the next deadlines by month, below links to the months.
    pub(super) fn push_deadlines(&self, out: &mut Vec<u8>, dated: &Dated) {
        let months = months(dated);
        if months.is_empty() {
            return self.push_none(out);
        }
        let (near, later) = chart(&months, ALL_BARS);
        self.push_bars(out, &near);
        self.push_later(out, later);
        let mut month = None;
        for (doc, date) in due(dated).take(NEXT) {
            if month != Some(date.first_of_month()) {
                let end = if month.is_none() { "" } else { "</ul></section>" };
                month = Some(date.first_of_month());
                let name = self.month_words(date);
                push(out, format_args!("{end}<section><h2>{name}</h2><ul class=\"due\">"));
            }
            self.push_due(out, doc, dated);
        }
        push(out, "</ul></section>");
    }

    /// Writes how many deadlines each of the next months has.
    pub(super) fn push_months(&self, out: &mut Vec<u8>, dated: &Dated) {
        match chart(&months(dated), BARS).0 {
            months if months.is_empty() => self.push_none(out),
            months => self.push_bars(out, &months),
        }
    }

    /// Months after those of the chart, as links.
    fn push_later(&self, out: &mut Vec<u8>, months: &[Month]) {
        if months.is_empty() {
            return;
        }
        let link = |(month, count): &Month| {
            format!("{} ({})", self.month_link(*month), grouped(*count, self.locale))
        };
        let links: Vec<String> = months.iter().map(link).collect();
        push(out, format_args!("<p>{}: {}</p>", self.word(Message::DeadlinesLater), links.join(", ")));
    }

    fn month_link(&self, month: Date) -> String {
        format!("<a href=\"{}\">{}</a>", month_path(self.locale, month), self.month_words(month))
    }

    /// Months as bars that are as long as there are deadlines, each with a link and its number.
    fn push_bars(&self, out: &mut Vec<u8>, months: &[Month]) {
        let most = months.iter().map(|(_, count)| *count).max().unwrap_or(1);
        let (label, unit) = (self.word(Message::DeadlinesByMonth), self.word(Message::Deadlines));
        push(out, format_args!("<ol class=\"bars\" aria-label=\"{label}\">"));
        for (month, count) in months {
            // A month without a deadline has no page.
            let month = match count {
                0 => format!("<span>{}</span>", self.month_words(*month)),
                _ => self.month_link(*month),
            };
            let (width, count) = (bar_width(*count, most), grouped(*count, self.locale));
            push(
                out,
                format_args!(
                    "<li>{month} <svg aria-hidden=\"true\"><rect width=\"{width}%\" height=\"9\"/></svg> <i><span class=\"vh\">{unit}: </span>{count}</i></li>"
                ),
            );
        }
        push(out, "</ol>");
    }

    /// Writes the deadlines of a month.
    pub(super) fn push_month(&self, out: &mut Vec<u8>, month: u32, dated: &Dated) {
        let docs: Vec<(u32, Date)> = due(dated).filter(|(_, date)| month_number(*date) == month).collect();
        let Some((_, any)) = docs.first() else { return self.push_none(out) };
        push(out, "<ul class=\"due\">");
        docs.iter().take(MONTH).for_each(|(doc, _)| self.push_due(out, *doc, dated));
        push(out, "</ul>");
        if docs.len() > MONTH {
            let (path, from, to) = (search_path(self.locale), any.first_of_month(), any.last_of_month());
            let count = grouped(docs.len() as u64, self.locale);
            let more = self.phrase(Message::MoreDeadlines, &[("n", &count)]);
            push(
                out,
                format_args!("<p><a href=\"{path}?deadlineFrom={from}&amp;deadlineTo={to}\">{more}</a></p>"),
            );
        }
    }

    fn push_due(&self, out: &mut Vec<u8>, doc: u32, dated: &Dated) {
        push(out, format_args!("<li>{}<p class=\"when\">", self.lines.text(doc as usize)));
        self.push_status(out, doc, dated);
        push(out, "</p></li>");
    }

    pub(super) fn push_none(&self, out: &mut Vec<u8>) {
        push(out, format_args!("<p>{}</p>", self.word(Message::NoDeadlines)));
    }

    pub(super) fn month_words(&self, date: Date) -> String {
        let year = date.year().to_string();
        self.phrase(Message::Month, &[("month", self.month(date)), ("y", &year)])
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share_of_the_longest_and_never_nothing() {
        assert_eq!(
            [bar_width(50, 100), bar_width(1, 1000), bar_width(7, 7), bar_width(0, 7)],
            [50, 1, 100, 0]
        );
    }

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

    #[test]
    fn months_have_numbers_and_addresses_of_their_own() {
        assert_eq!(month_number(date(2026, 12, 31)) + 1, month_number(date(2027, 1, 1)));
        assert_eq!(month_path(Locale::En, date(2027, 1, 31)), "/deadlines/2027-01");
        assert_eq!(month_path(Locale::Es, date(2027, 12, 1)), "/es/deadlines/2027-12");
    }
}
