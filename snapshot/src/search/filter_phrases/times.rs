//! Days, months and seasons of deadlines: `next week`, `15 January`, `within two weeks`, `31/12/2026`; and lengths of time.

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::Days;
use crate::distinct::distinct;
use crate::search::lexicon::{self, is_in, starting};

/// This or the next week or month, maybe after `in`: its number of words, and the days from today on.
pub(super) fn period(rest: &[&str], today: Date) -> Option<(usize, Days)> {
    let within = starting(rest, "within").unwrap_or(0);
    let found = |list| starting(&rest[within..], list).map(|length| within + length);
    let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
    for (list, ahead) in [("this-week", 0), ("next-week", 1)] {
        if let Some(length) = found(list) {
            let first = monday.checked_add(ahead.weeks()).ok()?;
            return Some((length, [Some(first.max(today)), first.checked_add(6.days()).ok()]));
        }
    }
    let month = |(list, ahead)| found(list).map(|length| (length, ahead));
    let (length, ahead) = [("this-month", 0), ("next-month", 1)].into_iter().find_map(month)?;
    let first = today.first_of_month().checked_add(ahead.months()).ok()?;
    Some((length, [Some(first.max(today)), Some(first.last_of_month())]))
}

/// `within two weeks` after a word for deadlines, or `in the next 30 days`: its number of words, and the days.
pub(super) fn ahead(rest: &[&str], has_head: bool, today: Date) -> Option<(usize, Days)> {
    let relation = || starting(rest, "within").or_else(|| starting(rest, "before")).filter(|_| has_head);
    let start = starting(rest, "coming").or_else(relation)?;
    let count = rest.get(start).and_then(|word| number(word)).filter(|count| (1..=366).contains(count))?;
    let span = match rest.get(start + 1) {
        unit if is_in("day", unit) => count.days(),
        unit if is_in("week", unit) => count.weeks(),
        unit if is_in("month", unit) => count.months(),
        _ => return None,
    };
    Some((start + 2, [Some(today), today.checked_add(span).ok()]))
}

/// The days that numbers may mean, whether the day or the month stands first: one of `31/12/2026`, two of `1/2/2027`.
pub(super) fn days_in_numbers(word: &str) -> Vec<Date> {
    let word = word.replace(['.', '-'], "/");
    let days = ["%d/%m/%Y", "%m/%d/%Y"].iter().filter_map(|format| Date::strptime(format, &word).ok());
    distinct(days)
}

/// From one time to another: `between January and March`, `1 March to 15 April`: the number of words, and the days.
/// Without a word for deadlines, years are none.
pub(super) fn between(rest: &[&str], has_head: bool, today: Date) -> Option<(usize, Days)> {
    let ahead = starting(rest, "between").unwrap_or(0);
    let (length, first, _) = time(&rest[ahead..], today)?;
    let (words, behind) = rest[ahead..].split_at(length);
    let is_to = is_in("age-to", behind.first()) && (ahead > 0 || !is_in("and", behind.first()));
    let to = 1 + usize::from(is_in("article", behind.get(1)));
    let is_time = is_to && (has_head || length > 1 || year_of(words).0 == 0);
    let (last_length, _, last) = time(behind.get(to..).filter(|_| is_time)?, today)?;
    // Where it names no year, the first is of the year of the last one, or of the year before.
    let year = last.year() - i16::from(first.month() > last.month());
    let is_named = year_of(&words[length - 1..]).1.is_some();
    let first = if is_named { Some(first) } else { first.with().year(year).build().ok() };
    Some((ahead + length + to + last_length, [first, Some(last)]))
}

/// Number of words of a length of time: `two years`, `12-month`, `up to 3 weeks`, `2 to 3 weeks`.
pub(super) fn length(rest: &[&str]) -> Option<usize> {
    let is_unit = |word: &str| ["day", "week", "month", "year"].iter().any(|list| lexicon::has(list, word));
    let is_number = |word: &str| word.trim_end_matches('+').split('-').all(|it| number(it).is_some());
    let ahead = starting(rest, "at-least").max(starting(rest, "at-most")).unwrap_or(0);
    let (first, behind) = rest[ahead..].split_first()?;
    if let Some((count, _)) = first.rsplit_once('-').filter(|(_, unit)| is_unit(unit)) {
        return is_number(count).then_some(ahead + 1);
    }
    let to = if is_in("age-to", behind.first()) && is_number(behind.get(1)?) { 2 } else { 0 };
    (is_unit(behind.get(to)?) && is_number(first)).then_some(ahead + to + 2)
}

/// A whole number in digits or words.
fn number(word: &str) -> Option<i32> {
    let named = || (1..=12).find(|number| lexicon::has(&format!("number-{number}"), word));
    word.parse().ok().or_else(named)
}

/// A season of the north, from the first day of its first whole month, of a year or the next one: its number of words,
/// its first and its last day. A winter is of the year in which it ends, unless it is over.
pub(super) fn season(rest: &[&str], today: Date) -> Option<(usize, Date, Date)> {
    let seasons = [("spring", 3), ("summer", 6), ("autumn", 9), ("winter", 12)];
    let found = |(list, month)| starting(rest, list).map(|length| (length, month));
    let (length, month) = seasons.into_iter().find_map(found)?;
    let (of, named) = year_of(&rest[length..]);
    let next = today.year() + i16::from(today.month() >= month);
    let days = |year| {
        let first = Date::new(year, month, 1).ok()?;
        Some((length + of, first, first.checked_add(2.months()).ok()?.last_of_month()))
    };
    let ending = named.filter(|_| month == 12).and_then(|year| days(year - 1));
    ending.filter(|(.., last)| *last >= today).or_else(|| days(named.unwrap_or(next)))
}

/// A year, maybe after `of`: its number of words, and the year.
fn year_of(rest: &[&str]) -> (usize, Option<i16>) {
    let of = usize::from(is_in("of", rest.first()));
    let year = rest.get(of).and_then(|word| word.parse().ok()).filter(|year| (2000..2100).contains(year));
    (year.map_or(0, |_| of + 1), year)
}

/// A day, a year, this year, or a month with its year or the next month of that name: its number of words, its first and its
/// last day.
pub(super) fn time(rest: &[&str], today: Date) -> Option<(usize, Date, Date)> {
    if let Some(length) = starting(rest, "this-year") {
        return Some((length, today, today.last_of_year()));
    }
    if let Some(season) = season(rest, today) {
        return Some(season);
    }
    let first = rest.first()?;
    if let Some(day) = first.parse().ok().or_else(|| days_in_numbers(first).first().copied()) {
        return Some((1, day, day));
    }
    if let (1, Some(year)) = year_of(rest) {
        return Some((1, Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?));
    }
    // `15 January 2027`, `15 de enero` and `January 15, 2027` are days.
    let ahead = day_of_month(rest.first());
    let skipped = ahead.map_or(0, |_| 1 + usize::from(is_in("of", rest.get(1))));
    let month = lexicon::month(rest.get(skipped)?)?;
    let behind = day_of_month(rest.get(skipped + 1)).filter(|_| ahead.is_none());
    let length = skipped + 1 + usize::from(behind.is_some());
    let (of, named) = year_of(&rest[length..]);
    let next = if month < today.month() { today.year() + 1 } else { today.year() };
    let start = Date::new(named.unwrap_or(next), month, 1).ok()?;
    let length = length + of;
    match ahead.or(behind) {
        Some(day) => Date::new(start.year(), month, day).ok().map(|day| (length, day, day)),
        None => Some((length, start, start.last_of_month())),
    }
}

/// The number of a day of a month: `15` or `15th`.
fn day_of_month(word: Option<&&str>) -> Option<i8> {
    let number = word?.trim_end_matches(|c: char| c.is_ascii_lowercase());
    number.parse().ok().filter(|day| (1..=31).contains(day))
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
            ("build a house in 30 days", "build a house in", "="),
            ("two to 3 year grants", "grants", "="),
            ("beca de más de 12 meses", "beca de", "="),
            ("due from January to March", "", "deadlineFrom=2027-01-01&deadlineTo=2027-03-31"),
            ("March 2027", "March 2027", "deadlineFrom=2027-03-01&deadlineTo=2027-03-31"),
            ("deadline 12/1/2026", "", "="),
            ("the next generation", "the next generation", ""),
        ] {
            assert_eq!(parsed(text), (rest.to_owned(), filters.to_owned()), "{text}");
        }
    }

    #[test]
    fn by_a_day_is_any_deadline_until_then() {
        for (text, rest) in [
            ("grants closing by December 15", "grants"),
            ("grants by 12/15/2026", "grants"),
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
