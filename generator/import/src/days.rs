//! Days as people write them: with the hour, the order that a mapping declares, or the name of a month. What stands beside
//! a day may not be another one, or take it back.

use jiff::civil::Date;

use crate::field_value::{Made, Wrong, bad};
use crate::forms::DateOrder;
use crate::mapping::{Rule, Source};
use crate::source::sheet::Cell;
use crate::vocabulary::{month_of, value_of};
use dataset::text::quoted;
use snapshot::text::fold;

/// The day of a cell, and a note of what stands beside it.
pub(super) fn day(cell: &Cell, field: &str, source: &Source, rule: &Rule) -> Result<Made, Wrong> {
    if let Cell::Text(text) = cell
        && let Some((separator, days)) =
            BETWEEN_DAYS.iter().find_map(|it| Some((it, days(text, it, source)?)))
    {
        let readings: Vec<String> = days.iter().map(|(name, _, day)| format!("{day} {name}")).collect();
        let readings = readings.iter().map(|it| it.trim()).collect::<Vec<_>>().join(", ");
        let message = format!("`{field}` is {}, which has several days: {readings}", quoted(text));
        let help = format!("add split = {separator:?} to its rule: it makes a season of each");
        return Err(bad(message, help));
    }
    let (day, rest) = match cell {
        Cell::Moment(moment) => {
            let is_day = moment.time() == jiff::civil::Time::midnight();
            (moment.date(), (!is_day).then(|| moment.time().to_string()))
        }
        Cell::Number(_) | Cell::Text(_) if source.dates == Some(DateOrder::Epoch) => {
            (since_1970(cell, field)?, None)
        }
        Cell::Text(text) => match read_day(text, field, source) {
            Err(_) if let Some((words, text, _)) = named_day(text, source) => {
                let (day, rest) = read_day(text, field, source)?;
                (day, Some(format!("{words} {}", rest.unwrap_or_default()).trim().to_owned()))
            }
            Err(wrong) if named_month(text, source).is_some() => return Err(wrong),
            Err(_) if is_vague(text) && rule.time.is_some() => {
                return Ok(Made { note: Some(text.clone()), ..Made::default() });
            }
            Err(wrong) if is_vague(text) => {
                let help = format!(
                    "write {field} = {{ column = …, time = \"note\" }}: what is no day becomes a note"
                );
                let message = format!("`{field}` is {}, which is no day", quoted(text));
                return Err(Wrong { message, help, ..wrong });
            }
            read => read?,
        },
        other => {
            let message = format!("`{field}` is {}, which is no date", quoted(&other.text()));
            return Err(bad(message, "format the column as a date in the spreadsheet"));
        }
    };
    let note = rest.map(|rest| noted(cell, field, rule, (day, &rest))).transpose()?;
    Ok(Made { value: day.to_string().into(), note, ..Made::default() })
}

/// The note of what stands beside a day, if the day holds all the same.
fn noted(cell: &Cell, field: &str, rule: &Rule, (day, rest): (Date, &str)) -> Result<String, Wrong> {
    let text = cell.text();
    let refused =
        |what: String, help: String| Err(bad(format!("`{field}` is {}, {what}", quoted(&text)), help));
    if is_doubtful(&text) {
        let help = "write into the source what holds: the day alone, or none";
        return refused("which is no firm day".to_owned(), help.to_owned());
    }
    if second_day(rest) {
        let help =
            "write the day that counts into the source, or declare what stands between them: split = \"…\"";
        return refused(format!("which has a day and {}: another day?", quoted(rest)), help.to_owned());
    }
    if rule.time.is_none() {
        let help = format!(
            "write {field} = {{ column = …, time = \"note\" }}: the day as printed, the hour in a note"
        );
        return refused(format!("a day with the hour {}", quoted(rest)), help);
    }
    // The day as it is published, but words as they stand around a month's name.
    Ok(if is_vague(&text) { text } else { format!("{day} {rest}") })
}

/// Whether what stands beside a day may be another one: the name of a month, a year, or numbers that are no hour.
fn second_day(rest: &str) -> bool {
    let folded = fold(rest);
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    let is_year = |word: &str| word.len() == 4 && word.starts_with("20") && word.parse::<u16>().is_ok();
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit() && !matches!(c, '/' | '.' | '-'));
    let is_date = |number: &str| {
        let parts: Vec<Option<u8>> =
            number.trim_matches('.').split(['/', '.', '-']).map(|part| part.parse().ok()).collect();
        match parts[..] {
            [Some(hour), Some(minute)] => number.contains('/') || hour > 24 || minute > 59,
            [Some(_), Some(_), Some(_)] => true,
            _ => false,
        }
    };
    words.any(|word| month_of(word).is_some() || is_year(word)) || numbers.any(is_date)
}

/// Whether a text takes back the day that it has.
fn is_doubtful(text: &str) -> bool {
    let folded = fold(text);
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    text.contains(['?', '~', '≈']) || words.any(|word| value_of("doubt", word).is_some())
}

/// What may stand between several days in one cell.
const BETWEEN_DAYS: [&str; 11] = [";", "|", "\n", ",", " / ", " and ", " & ", " y ", " - ", " – ", " to "];

/// The days of a cell that has several, as `LOI 3/4/27; full 5/1/27`: the name of each, its text, and the day.
pub(super) fn days<'t>(
    text: &'t str,
    separator: &str,
    source: &Source,
) -> Option<Vec<(&'t str, &'t str, Date)>> {
    if !text.contains(separator) {
        return None;
    }
    let parts: Vec<&str> = text.split(separator).map(str::trim).filter(|part| !part.is_empty()).collect();
    (parts.len() > 1).then(|| parts.iter().map(|part| named_day(part, source)).collect())?
}

/// A day behind words: the words, the text of the day, and the day.
fn named_day<'t>(text: &'t str, source: &Source) -> Option<(&'t str, &'t str, Date)> {
    let starts = std::iter::once(0).chain(text.match_indices(' ').map(|(at, _)| at + 1));
    let mut halves = starts.map(|at| text.split_at(at));
    halves.find_map(|(name, day)| {
        let found = read_day(day, "", source).ok()?.0;
        Some((name.trim_matches(|c: char| !c.is_alphanumeric()), day, found))
    })
}

/// Whether a text names a month or a season, but no day.
pub(super) fn is_vague(text: &str) -> bool {
    let folded = fold(text);
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    words.any(|word| month_of(word).is_some() || value_of("season", word).is_some())
}

fn since_1970(cell: &Cell, field: &str) -> Result<Date, Wrong> {
    let number = cell.text().parse::<i64>().ok();
    let moment = number.and_then(|it| match it.abs() {
        100_000_000..100_000_000_000 => jiff::Timestamp::from_second(it).ok(),
        100_000_000_000..100_000_000_000_000 => jiff::Timestamp::from_millisecond(it).ok(),
        _ => None,
    });
    moment.map(|it| it.to_zoned(jiff::tz::TimeZone::UTC).date()).ok_or_else(|| {
        let message = format!("`{field}` is {}, which is no time since 1970", quoted(&cell.text()));
        bad(message, "correct `dates`, or list it in `empty`")
    })
}

/// A date, and what is printed behind it.
pub(super) fn read_day(text: &str, field: &str, source: &Source) -> Result<(Date, Option<String>), Wrong> {
    let head = text.get(..10).and_then(|head| head.parse::<Date>().ok());
    if let Some(day) = head {
        let rest = text[10..].trim_start_matches(['T', 't', ' ', ',']).trim();
        let is_midnight =
            matches!(rest, "" | "00:00" | "00:00:00" | "00:00:00Z" | "00:00:00.000Z" | "00:00:00.000+0000");
        return Ok((day, (!is_midnight).then(|| rest.to_owned())));
    }
    let subject = || format!("`{field}` is {}", quoted(text));
    if let Some((day, rest)) = named_month(text, source) {
        let day = day.ok_or_else(|| {
            bad(format!("{}, which is no day of any month", subject()), "correct it in the source")
        })?;
        return Ok((day, rest.or_else(|| is_doubtful(text).then(|| text.to_owned()))));
    }
    let parts: Vec<&str> = text.splitn(4, |c: char| !c.is_ascii_digit()).collect();
    let (day, rest) = match (&parts[..], source.dates) {
        ([digits], Some(order)) if digits.len() == 8 => (compact(digits, order), String::new()),
        ([a, b, c, ..], Some(order)) => {
            let rest = parts.get(3).map_or("", |rest| rest.trim_start_matches(','));
            (ordered(a, b, c, order), rest.trim().to_owned())
        }
        ([_, _, _, ..], None) => {
            let order = proved_order(text).unwrap_or("dmy\" or \"mdy");
            let help = format!("declare it: dates = \"{order}\"");
            return Err(bad(format!("{}, which may be either of two days", subject()), help));
        }
        _ => (None, String::new()),
    };
    match day {
        Some(day) if rest.is_empty() => Ok((day, is_doubtful(text).then(|| text.to_owned()))),
        Some(day) => Ok((day, Some(rest))),
        None => Err(bad(
            format!("{}, which is no day of the declared form", subject()),
            "write it as 2026-01-31, or list it in `empty`",
        )),
    }
}

/// The order that a date proves, because its first or its second number can be no month.
pub(super) fn proved_order(text: &str) -> Option<&'static str> {
    let (order, day, month) = match first_numbers(text)? {
        (day @ 13..=31, month @ ..=12) => ("dmy", day, month),
        (month @ ..=12, day @ 13..=31) => ("mdy", day, month),
        _ => return None,
    };
    // What is no day of any year proves nothing.
    Date::new(2024, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok().map(|_| order)
}

/// The first two numbers of a date, also of `12312026`.
fn first_numbers(text: &str) -> Option<(u8, u8)> {
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some((text[..2].parse().ok()?, text[2..4].parse().ok()?));
    }
    let mut parts = text.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn ordered(a: &str, b: &str, c: &str, order: DateOrder) -> Option<Date> {
    let (year, month, day) = match order {
        DateOrder::Day => (c, b, a),
        DateOrder::Month => (c, a, b),
        DateOrder::Year => (a, b, c),
        DateOrder::Epoch => return None,
    };
    let year = match year.len() {
        4 => year.parse().ok()?,
        _ => short_year(year)?,
    };
    Date::new(year, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Where the order is declared, a year of two digits is of this century, and no later than 2050: opportunities lie ahead.
fn short_year(year: &str) -> Option<i16> {
    let year: i16 = year.parse().ok().filter(|_| year.len() == 2)?;
    (0..=50).contains(&year).then_some(2000 + year)
}

fn compact(digits: &str, order: DateOrder) -> Option<Date> {
    match order {
        DateOrder::Year => ordered(&digits[..4], &digits[4..6], &digits[6..], order),
        _ => ordered(&digits[..2], &digits[2..4], &digits[4..], order),
    }
}

/// `31 December 2026`, `Dec 31, 2026`, `31 de diciembre de 2026`, and `1-Mar-27` where the order is declared: one reading
/// in either language. The day, if the month has it, and the words around it.
fn named_month(text: &str, source: &Source) -> Option<(Option<Date>, Option<String>)> {
    let lower = fold(text);
    let words = lower
        .split(|c: char| !c.is_alphanumeric() && c != ':')
        .filter(|word| !word.is_empty() && value_of("day", word).is_none());
    let words: Vec<&str> = words.collect();
    let digits = |word: &str| word.trim_end_matches(char::is_alphabetic).parse::<i8>().ok();
    let is_short = matches!(source.dates, Some(DateOrder::Day | DateOrder::Month));
    let year = |word: &str| match word.len() {
        4 => word.parse::<i16>().ok(),
        _ => short_year(word).filter(|_| is_short),
    };
    let read = |three: &[&str]| {
        let (day, month) = match (month_of(three[0]), month_of(three[1])) {
            (Some(month), _) => (digits(three[1])?, month),
            (_, Some(month)) => (digits(three[0])?, month),
            _ => return None,
        };
        Some(Date::new(year(three[2])?, month, day).ok())
    };
    let (three, rest) = words.split_at_checked(3)?;
    Some((read(three)?, (!rest.is_empty()).then(|| rest.join(" "))))
}

/// Whether three groups of digits stand between the separators of dates.
pub(super) fn looks_like_a_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['/', '.', '-']).collect();
    parts.len() == 3
        && parts.iter().all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The day and the note of a cell whose order is declared as `dmy`, or the message.
    fn read(text: &str) -> String {
        let source = Source { dates: Some(DateOrder::Day), ..Source::default() };
        let rule = Rule { time: Some("note".to_owned()), ..Rule::default() };
        match day(&Cell::Text(text.to_owned()), "deadlineOn", &source, &rule) {
            Ok(made) => {
                let day = made.value.as_str().unwrap_or("none");
                made.note.map_or_else(|| day.to_owned(), |note| format!("{day}, {note}"))
            }
            Err(wrong) => format!("! {}", wrong.message.rsplit("which ").next().unwrap_or_default()),
        }
    }

    #[test]
    fn a_day_is_taken_only_if_nothing_beside_it_may_be_another_or_takes_it_back() {
        for text in [
            "01/02/2027-28/02/2027",
            "2027-02-01/2027-02-28",
            "1 Feb 2027\u{2013}28 Feb 2027",
            "01.02.2027\u{2013}28.02.2027",
            "1/2/27\u{2192}28/2/27",
            "01/02/2027 28/02/2027",
            "01/02/2027 au 28/02/2027",
            "01/02/2027 or 28/02/27",
            "1 Feb 2027 and 28 Feb",
            "1 Feb 2027 to end of March",
            "March 1, 2027, April 1, 2027",
        ] {
            let found = read(text);
            assert!(
                found.ends_with("another day?") || found.starts_with("! has several days"),
                "{text}: {found}"
            );
        }
        for text in [
            "1 March 2027 (closed)",
            "1 March 2027?",
            "~ 1 March 2027",
            "01/03/2027 (tentative)",
            "01/03/2027?",
        ] {
            assert_eq!(read(text), "! is no firm day", "{text}");
        }
        for (text, expected) in [
            ("31 June 2027", "! is no day of any month"),
            ("1/3/72", "! is no day of the declared form"),
            ("1-Mar-27", "2027-03-01"),
            ("by 5pm on Friday 12 March 2027", "2027-03-12, by 5pm on Friday 12 March 2027"),
            ("Deadline: 1 March 2027", "2027-03-01, Deadline: 1 March 2027"),
            ("1 mars 2027 (cachet de la poste)", "2027-03-01, 1 mars 2027 (cachet de la poste)"),
            ("01/03/2027 23.59 CET", "2027-03-01, 2027-03-01 23.59 CET"),
            ("Spring 2027", "none, Spring 2027"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
