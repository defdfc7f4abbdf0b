//! Weeks, months and numbers of days in which a deadline lies: `next week`, `within two weeks`, `próximos 30 días`.

use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::search::lexicon::{self, is_in, starting};

/// This or the next week or month, maybe after `in`: its number of words, its first and its last day.
pub(super) fn period(rest: &[&str], today: Date) -> Option<(usize, Date, Date)> {
    let within = starting(rest, "within").unwrap_or(0);
    let found = |list| starting(&rest[within..], list).map(|length| within + length);
    let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
    for (list, ahead) in [("this-week", 0), ("next-week", 1)] {
        if let Some(length) = found(list) {
            let first = monday.checked_add(ahead.weeks()).ok()?;
            return Some((length, first, first.checked_add(6.days()).ok()?));
        }
    }
    let month = |(list, ahead)| found(list).map(|length| (length, ahead));
    let (length, ahead) = [("this-month", 0), ("next-month", 1)].into_iter().find_map(month)?;
    let first = today.first_of_month().checked_add(ahead.months()).ok()?;
    Some((length, first, first.last_of_month()))
}

/// `within two weeks` after a word for deadlines, or `in the next 30 days`: its number of words, and the last day.
pub(super) fn ahead(rest: &[&str], has_head: bool, today: Date) -> Option<(usize, Date)> {
    let relation = || starting(rest, "within").or_else(|| starting(rest, "before")).filter(|_| has_head);
    let start = starting(rest, "coming").or_else(relation)?;
    let named = |word: &&str| (1..=12).find(|number| lexicon::has(&format!("number-{number}"), word));
    let count = rest.get(start).and_then(|word| word.parse::<i32>().ok().or_else(|| named(word)));
    let count = count.filter(|count| (1..=366).contains(count))?;
    let span = match rest.get(start + 1) {
        unit if is_in("day", unit) => count.days(),
        unit if is_in("week", unit) => count.weeks(),
        unit if is_in("month", unit) => count.months(),
        _ => return None,
    };
    Some((start + 2, today.checked_add(span).ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;

    #[test]
    fn times_that_are_counted_from_today_become_bounds_of_the_deadline() {
        let next_week = "deadlineFrom=2026-11-23&deadlineTo=2026-11-29";
        let two_weeks = "deadlineFrom=2026-11-21&deadlineTo=2026-12-05";
        let days = "deadlineFrom=2026-11-21&deadlineTo=2026-12-21";
        for (text, rest, filters) in [
            ("closes next week", "", next_week),
            ("grants due in the next week", "grants", next_week),
            ("arts deadline next week", "arts", next_week),
            ("becas que cierran la próxima semana", "becas", next_week),
            ("cierra en la próxima semana", "", next_week),
            ("becas la semana que viene", "becas", next_week),
            ("closing within two weeks", "", two_weeks),
            ("closing in 2 weeks", "", two_weeks),
            ("cierra dentro de dos semanas", "", two_weeks),
            ("grants in the next 30 days", "grants", days),
            ("becas en los próximos 30 días", "becas", days),
            ("próximos 30 días", "", days),
            ("closing in the next two months", "", "deadlineFrom=2026-11-21&deadlineTo=2027-01-21"),
            ("closing in the next month", "", "deadlineFrom=2026-12-01&deadlineTo=2026-12-31"),
            ("build a house in 30 days", "build a house in 30 days", ""),
            ("the next generation", "the next generation", ""),
        ] {
            assert_eq!(parsed(text), (rest.to_owned(), filters.to_owned()), "{text}");
        }
    }

    #[test]
    fn by_a_day_is_any_deadline_until_then() {
        for (text, rest) in [
            ("grants closing by December 15", "grants"),
            ("due by Dec 15", ""),
            ("deadline no later than December 15", ""),
            ("cierra a más tardar el 15 de diciembre", ""),
            ("becas con plazo hasta el 15 de diciembre", "becas"),
        ] {
            assert_eq!(parsed(text), (rest.to_owned(), "deadlineTo=2026-12-15".to_owned()), "{text}");
        }
        assert_eq!(parsed("deadline by March").1, "deadlineTo=2027-03-31");
        assert_eq!(parsed("songs by winter people").1, "", "no word for deadlines");
    }
}
