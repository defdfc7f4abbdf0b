//! Chart of a program's application seasons in the course of a year: the latest above the earlier ones, each from
//! the opening day to the deadline. Only the mark of today depends on the day.

use html::Rule;
use jiff::civil::Date;
use minijinja::{Value, context};
use snapshot::record::Locale;

use crate::pages::Pages;

/// Days of a year, and the length of a bar for a single day.
const YEAR: u16 = 366;
const DAY: u16 = 3;
/// Number of earlier seasons in the chart.
const PAST: usize = 8;

/// The bars of a season, as day of the year and length: two if it continues in the next year.
fn bars(opens: Option<Date>, deadline: Option<Date>) -> Vec<(u16, u16)> {
    let place = |date: Date| u16::try_from(date.day_of_year() - 1).unwrap_or(0);
    match (opens, deadline) {
        (Some(from), Some(to)) if from <= to => {
            let days = (to - from).get_days();
            if days >= i32::from(YEAR) - 1 {
                return vec![(0, YEAR)];
            }
            match (place(from), place(to)) {
                (from, to) if from <= to => vec![(from, (to - from).max(DAY))],
                (from, to) => vec![(0, to.max(1)), (from, YEAR - from)],
            }
        }
        (Some(date), None) | (_, Some(date)) => vec![(place(date), DAY)],
        (None, None) => Vec::new(),
    }
}

impl Pages<'_> {
    /// Days of the seasons that have any, the latest first.
    fn days(&self, program: usize) -> Vec<(Option<Date>, Option<Date>)> {
        let cycles = self.directory.program_links[program].cycles.iter();
        let days = cycles.map(|cycle| &self.directory.cycles[*cycle]).map(|it| (it.opens_on, it.deadline_on));
        let mut days: Vec<_> = days.filter(|(opens, deadline)| opens.or(*deadline).is_some()).collect();
        days.sort_by_key(|(opens, deadline)| std::cmp::Reverse((*deadline).or(*opens)));
        days
    }

    /// From when the latest season takes applications.
    pub(super) fn opens(&self, program: usize, locale: Locale) -> Option<String> {
        let date = self.date_words(self.days(program).first()?.0?, locale);
        Some(self.phrase(locale, "program_opens_on", &[("date", &date)]))
    }

    /// The chart of the seasons and its description; `None` if no day is stated.
    pub(super) fn year(&self, program: usize, locale: Locale) -> Option<Value> {
        let days = self.days(program);
        let (opens, deadline) = *days.first()?;
        let mut drawn: Vec<(u16, u16, bool)> = Vec::new();
        for (past, (opens, deadline)) in days.iter().take(PAST + 1).enumerate().rev() {
            for (x, width) in bars(*opens, *deadline) {
                let bar = (x, width, past > 0);
                if !drawn.contains(&bar) {
                    drawn.push(bar);
                }
            }
        }
        let words = |date: Date| self.date_words(date, locale);
        let when = match (opens, deadline) {
            (Some(from), Some(to)) if from <= to => {
                self.phrase(locale, "season_from_to", &[("from", &words(from)), ("to", &words(to))])
            }
            (_, Some(to)) => format!("{} {}", self.word(locale, "when_deadline"), words(to)),
            (from, None) => self.phrase(locale, "season_from", &[("from", &words(from?))]),
        };
        let past = days.len().min(PAST + 1) - 1;
        let mut text = self.phrase(locale, "season_latest", &[("when", &when)]);
        if past > 0 {
            text.push_str(&self.phrase(locale, "season_past", &[("n", &past.to_string())]));
        }
        text.push('.');
        let bars = drawn.iter().map(|(x, width, past)| context! { x, width, past });
        let firsts = (1..=12i8).filter_map(|month| Date::new(2024, month, 1).ok());
        let firsts: Vec<i16> = firsts.map(|date| date.day_of_year() - 1).collect();
        let month = |(at, x): (usize, &i16)| {
            let name = self.word(locale, &format!("month_{}", at + 1));
            context! { x => x + 15, text => name.chars().next().map(|c| c.to_uppercase().to_string()) }
        };
        Some(context! {
            bars => bars.collect::<Vec<_>>(),
            ticks => firsts.iter().map(|x| format!("M{x} 18v3")).collect::<String>(),
            months => firsts.iter().enumerate().map(month).collect::<Vec<_>>(),
            today => Value::from_safe_string(Rule::YearDay.mark(0, locale)),
            day => Value::from_safe_string(Rule::Day.mark(0, locale)),
            text,
        })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_season_is_drawn_where_it_lies_in_the_year() {
        let of = |from, to| bars(Some(from), Some(to));
        assert_eq!(of(date(2026, 1, 11), date(2026, 1, 31)), [(10, 20)]);
        assert_eq!(of(date(2026, 12, 2), date(2027, 1, 11)), [(0, 10), (335, 31)]);
        assert_eq!(of(date(2025, 1, 1), date(2026, 6, 1)), [(0, 366)]);
        assert_eq!(bars(None, Some(date(2026, 1, 2))), [(1, 3)]);
        assert_eq!(of(date(2026, 2, 1), date(2026, 1, 2)), [(1, 3)]);
        assert_eq!(bars(None, None), []);
    }
}
