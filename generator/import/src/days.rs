//! Days as people write them. A cell is read whole or not at all: what is no word of the grammar (see the README) makes
//! the cell unread.

use jiff::civil::Date;

use crate::made::{Made, Wrong, refused, unread};
use crate::mapping::{DateOrder, Source};
use crate::source::sheet::Cell;
use crate::vocabulary::{find_word, key_of};
use dataset::text::quoted;
use snapshot::text::fold;

/// Most bytes of a cell of days, and of one of several days in it.
const LONGEST: usize = 4096;
const LONGEST_PART: usize = 200;

/// What may stand between several days in one cell.
const BETWEEN: [&str; 8] = [";", "|", "\n", ",", " / ", " and ", " & ", " y "];

/// Signs that may stand around a day and its hour.
const SIGNS: [&str; 8] = [",", ".", ":", "(", ")", "-", "\u{2013}", "\u{2014}"];

/// What is wrong with a day that never comes.
const NO_DAY: &str = ", which is no day of any month";

/// Why a text is no day.
pub(super) enum NoDay {
    /// A word that is not in the grammar.
    Word(String),
    /// What contradicts itself or the mapping.
    Never(String),
    /// Day and month have two orders, unless one of them is none: the one that holds.
    Order(Option<&'static str>),
}

/// The day of a cell; the cell's text is a note where it has an hour.
pub(super) fn day(cell: &Cell, field: &str, source: &Source) -> Result<Made, Wrong> {
    let is_epoch = source.dates == Some(DateOrder::Epoch);
    let (date, note) = match cell {
        Cell::Moment(moment) => {
            let is_day = moment.time() == jiff::civil::Time::midnight();
            (moment.date(), (!is_day).then(|| format!("{} {}", moment.date(), moment.time())))
        }
        Cell::Number(_) | Cell::Text(_) if is_epoch => (since_1970(cell, field)?, None),
        Cell::Text(text) => read(text, field, source.dates).map_err(|it| why(&it, text, field, source))?,
        other => {
            let help = "write it as 2026-01-31; seconds since 1970 are declared: dates = \"epoch\"";
            return Err(refused(field, &other.text(), ", which is no date", help));
        }
    };
    Ok(Made { value: date.to_string().into(), note, ..Made::default() })
}

/// The problem of a cell.
fn why(fault: &NoDay, text: &str, field: &str, source: &Source) -> Wrong {
    match fault {
        NoDay::Order(proved) => {
            let (what, order) = match proved {
                Some(order) => (", and no order of day and month is declared", *order),
                None => (", which may be either of two days", "dmy\" or \"mdy"),
            };
            refused(field, text, what, format!("declare it: dates = \"{order}\""))
        }
        NoDay::Never(what) => refused(field, text, what, "correct it in the source"),
        NoDay::Word(_) if source.dates.is_none() && read(text, field, Some(DateOrder::Dmy)).is_ok() => {
            refused(field, text, ", a year of two digits", "declare their order: dates = \"dmy\"")
        }
        NoDay::Word(word) => match several(text, field, source) {
            Some((separator, days)) => {
                let days = days.iter().map(|(name, _, day)| format!("{day} {name}").trim().to_owned());
                let what = format!(", which has several days: {}", days.collect::<Vec<_>>().join(", "));
                let help = format!("add split = {separator:?} to its rule: it makes a season of each");
                refused(field, text, what, help)
            }
            None => {
                let help = "write the day alone into the source, or add notes = true to its rule: the text becomes a note";
                let is_day = |text: String| read(&text, field, Some(DateOrder::Dmy)).is_ok();
                let months = [format!("1 {text}"), format!("1/{text}"), format!("{text}-1")].map(is_day);
                let what = match (months.contains(&true), is_day(format!("{text} 2000"))) {
                    (_, true) => ", which is a day without a year".to_owned(),
                    (true, _) => ", which is a month without a day".to_owned(),
                    _ => format!(", which is no day: {} is not understood", quoted(word)),
                };
                unread(field, text, what, help)
            }
        },
    }
}

/// What stands between several days in a cell, and the days.
pub(super) fn several<'t>(
    text: &'t str,
    field: &str,
    source: &Source,
) -> Option<(&'static str, Vec<Season<'t>>)> {
    BETWEEN.into_iter().find_map(|it| Some((it, days(text, it, field, source)?)))
}

/// A day among several: its name, its text, and itself.
pub(super) type Season<'t> = (&'t str, &'t str, Date);

/// The days of a cell that has several, as `LOI 3/4/27; full 5/1/27`: the name of each, its text, and the day.
pub(super) fn days<'t>(text: &'t str, sign: &str, field: &str, source: &Source) -> Option<Vec<Season<'t>>> {
    if !text.contains(sign) || text.len() > LONGEST {
        return None;
    }
    let parts: Vec<&str> = text.split(sign).map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_short = parts.len() > 1 && parts.iter().all(|part| part.len() <= LONGEST_PART);
    is_short.then(|| parts.iter().map(|part| named_day(part, field, source)).collect())?
}

/// A day behind the words that name it. No season is named by words of another field, as `opens`, nor by another day or what
/// joins it: `1 June 2031 and`.
fn named_day<'t>(text: &'t str, field: &str, source: &Source) -> Option<Season<'t>> {
    let starts = std::iter::once(0).chain(text.match_indices(' ').map(|(at, _)| at + 1));
    let (name, day, date) = starts.map(|at| text.split_at(at)).find_map(|(name, day)| {
        let (date, _) = read(day, field, source.dates).ok()?;
        Some((name.trim_matches(|c: char| !c.is_alphanumeric()), day, date))
    })?;
    let is_name = |word: &str| {
        let is_day = read(word, field, Some(DateOrder::Dmy)).is_ok();
        !is_day && ["lead", "month", "apart"].iter().all(|list| find_word(list, &fold(word)).is_none())
    };
    name.split(' ').all(is_name).then_some((name, day, date))
}

fn since_1970(cell: &Cell, field: &str) -> Result<Date, Wrong> {
    let moment = cell.text().parse::<i64>().ok().and_then(|it| match it.abs() {
        100_000_000..100_000_000_000 => jiff::Timestamp::from_second(it).ok(),
        100_000_000_000..100_000_000_000_000 => jiff::Timestamp::from_millisecond(it).ok(),
        _ => None,
    });
    moment.map(|it| it.to_zoned(jiff::tz::TimeZone::UTC).date()).ok_or_else(|| {
        let help = "correct `dates`, or list it in `empty`";
        refused(field, &cell.text(), ", which is no time since 1970", help)
    })
}

/// A number, a word or a sign of a text, where it stands, and how it is compared.
struct Token<'t> {
    text: &'t str,
    from: usize,
    folded: String,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let kind = |c: char| match c {
        '0'..='9' => 0,
        '\u{300}'..='\u{36f}' => 1,
        c if c.is_alphabetic() => 1,
        _ => 2,
    };
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let groups = letters.chunk_by(|(_, one), (_, next)| kind(*one) < 2 && kind(*one) == kind(*next));
    let tokens = groups.filter(|group| !group[0].1.is_whitespace()).map(|group| {
        let (from, (last, letter)) = (group[0].0, group[group.len() - 1]);
        let text = &text[from..last + letter.len_utf8()];
        Token { text, from, folded: fold(text) }
    });
    tokens.collect()
}

/// The number of some digits at a place.
fn number<'t>(tokens: &[Token<'t>], at: usize, digits: std::ops::RangeInclusive<usize>) -> Option<&'t str> {
    let text = tokens.get(at)?.text;
    (digits.contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit())).then_some(text)
}

fn is(tokens: &[Token<'_>], at: usize, texts: &[&str]) -> bool {
    tokens.get(at).is_some_and(|it| texts.contains(&it.folded.as_str()))
}

/// The value of the longest phrase of a list that some tokens begin with, and its length.
fn phrase(list: &str, tokens: &[Token<'_>]) -> Option<(&'static str, usize)> {
    (1..=tokens.len().min(3)).rev().find_map(|length| {
        let words: Vec<&str> = tokens[..length].iter().map(|it| it.folded.as_str()).collect();
        Some((find_word(list, &words.join(" "))?, length))
    })
}

/// Reads a whole text as one day, and gives the text with its day as it is published, where it has an hour too. Around it
/// may stand its weekday, an hour with its zone, and words that say what the field says; of no field, those of any.
pub(super) fn read(text: &str, field: &str, by: Option<DateOrder>) -> Result<(Date, Option<String>), NoDay> {
    if text.len() > LONGEST {
        return Err(NoDay::Never(format!("…, and a cell of days has at most {LONGEST} bytes")));
    }
    let tokens = tokens(text);
    let (mut at, mut found, mut weekday, mut has_hour) = (0, None, None, false);
    while at < tokens.len() {
        let rest = &tokens[at..];
        if let Some((date, length)) = found.is_none().then(|| date(rest, by)).flatten() {
            let until = rest[length - 1].from + rest[length - 1].text.len();
            found = Some((date?, rest[0].from, until));
            at += length;
        } else if let Some((length, is_set)) = hour(rest) {
            has_hour |= is_set;
            at += length;
        } else if let Some((value, length)) = phrase("weekday", rest) {
            weekday = Some((value, rest[0].text));
            at += length;
        } else if let Some((of, length)) = phrase("lead", rest)
            && (of.is_empty() || of == field || field.is_empty())
        {
            at += length;
        } else if is(rest, 0, &SIGNS) {
            at += 1;
        } else {
            return Err(NoDay::Word(rest[0].text.to_owned()));
        }
    }
    let Some((date, from, until)) = found else { return Err(NoDay::Word(text.to_owned())) };
    if let Some((value, name)) = weekday
        && value.parse() != Ok(date.weekday().to_monday_one_offset())
    {
        return Err(NoDay::Never(format!(", and {date} is no {name} but a {:?}", date.weekday())));
    }
    let is_named = text[from..until].contains(char::is_alphabetic);
    let words = if is_named { text.to_owned() } else { format!("{}{date}{}", &text[..from], &text[until..]) };
    Ok((date, has_hour.then_some(words)))
}

/// The day that some tokens begin with, and how many they are.
fn date(tokens: &[Token<'_>], order: Option<DateOrder>) -> Option<(Result<Date, NoDay>, usize)> {
    let group = |at: usize| number(tokens, at, 1..=4).filter(|it| it.len() != 3);
    if let (Some(a), Some(b), Some(c)) = (group(0), number(tokens, 2, 1..=2), group(4))
        && is(tokens, 1, &["/", ".", "-"])
        && tokens[1].text == tokens[3].text
    {
        return Some((numeric([a, b, c], order), 5));
    }
    if let Some(digits) = number(tokens, 0, 8..=8) {
        let ends = if order == Some(DateOrder::Ymd) { [0, 4, 6, 8] } else { [0, 2, 4, 8] };
        return Some((numeric([0, 1, 2].map(|at| &digits[ends[at]..ends[at + 1]]), order), 1));
    }
    let joins = |it: &Token<'_>| it.text == "," || find_word("joint", &it.folded).is_some();
    let first = number(tokens, 0, 1..=2);
    let signs = if first.is_some() { &["-", ".", "/"][..] } else { &["."] };
    let past = |at: usize| (at..).find(|at| !tokens.get(*at).is_some_and(joins) && !is(tokens, *at, signs));
    let month = |at: usize| find_word("month", &tokens.get(at)?.folded);
    let second = past(1)?;
    let (day, month) = match first {
        Some(day) => (day, month(second)?),
        None => (number(tokens, second, 1..=2)?, month(0)?),
    };
    let at = past(second + 1)?;
    let is_short = matches!(order, Some(DateOrder::Dmy | DateOrder::Mdy));
    let year = number(tokens, at, 4..=4).or_else(|| number(tokens, at, 2..=2).filter(|_| is_short))?;
    Some((day_of(year, month, day).ok_or_else(|| NoDay::Never(NO_DAY.to_owned())), at + 1))
}

/// A day of three numbers: a year of four digits comes first or last, and what comes first of the others is declared.
fn numeric([a, b, c]: [&str; 3], order: Option<DateOrder>) -> Result<Date, NoDay> {
    let read = |order: DateOrder| match order {
        DateOrder::Dmy => day_of(c, b, a),
        DateOrder::Mdy => day_of(c, a, b),
        DateOrder::Ymd => day_of(a, b, c),
        DateOrder::Epoch => None,
    };
    if a.len() == 4 {
        let is_month = b.parse().is_ok_and(|month: u8| month <= 12);
        let never = if is_month { NO_DAY.to_owned() } else { format!(": there is no month {b}") };
        return day_of(a, b, c).ok_or(NoDay::Never(never));
    }
    let Some(order) = order else {
        return Err(match (read(DateOrder::Dmy), read(DateOrder::Mdy)) {
            (None, None) => NoDay::Never(NO_DAY.to_owned()),
            (Some(_), None) => NoDay::Order(Some("dmy")),
            (None, Some(_)) => NoDay::Order(Some("mdy")),
            (Some(_), Some(_)) => NoDay::Order(None),
        });
    };
    let never = || format!(", which is no date as `dates = \"{}\"` reads them", order.name());
    read(order).ok_or_else(|| NoDay::Never(never()))
}

/// A day of a year of this century or near it. One of two digits is no later than 2050: opportunities lie ahead.
fn day_of(year: &str, month: &str, day: &str) -> Option<Date> {
    let number: i16 = year.parse().ok()?;
    let year = match year.len() {
        2 if number <= 50 => 2000 + number,
        4 if (1900..2200).contains(&number) => number,
        _ => return None,
    };
    let [month, day] = [month, day].map(|it| it.parse().ok().filter(|_| it.len() <= 2));
    Date::new(year, month?, day?).ok()
}

/// How many tokens are an hour with its zone, and whether it is another one than midnight in UTC, as programs write it.
fn hour(tokens: &[Token<'_>]) -> Option<(usize, bool)> {
    let two = |at: usize| number(tokens, at, 2..=2).filter(|it| *it < "60");
    let (mut at, mut is_set) = match (number(tokens, 0, 1..=2), phrase("hour", tokens)) {
        (None, Some((_, length))) => (length, true),
        (hour, _) => (1, hour?.parse::<u8>().ok().filter(|it| *it <= 24)? > 0),
    };
    let is_word = number(tokens, 0, 1..=2).is_none();
    let mut is_hour = is_word;
    while !is_word && at < 6 && is(tokens, at, &[":", ".", "h"]) {
        let digits = if at == 5 { number(tokens, 6, 1..=9) } else { two(at + 1) };
        let Some(digits) = digits else { break };
        is_set |= digits.bytes().any(|it| it != b'0');
        (at, is_hour) = (at + 2, true);
    }
    if let Some((_, length)) = phrase("clock", &tokens[at..]).filter(|_| !is_word) {
        (at, is_hour, is_set) = (at + length, true, true);
    }
    let zone = if is(tokens, at, &["("]) { at + 1 } else { at };
    if let Some((value, length)) = phrase("zone", tokens.get(zone..)?) {
        (at, is_set) = (zone + length, is_set || value != "0");
    } else if is(tokens, at, &["+", "-"]) && two(at + 1).or_else(|| number(tokens, at + 1, 4..=4)).is_some() {
        is_set |= tokens[at + 1].text.bytes().any(|it| it != b'0');
        at += if is(tokens, at + 2, &[":"]) && two(at + 3).is_some() { 4 } else { 2 };
    }
    is_hour.then_some((at, is_set))
}

/// Of a day whose order has to be declared: the order that it proves, because its first or its second number can be no
/// month.
pub(super) fn proved_order(text: &str) -> Option<Option<&'static str>> {
    if let Err(NoDay::Order(proved)) = read(text, "", None) { Some(proved) } else { None }
}

/// The order that a column's name states, as `Deadline (DD/MM/YYYY)`.
pub(super) fn order_of(header: &str) -> Option<DateOrder> {
    let name = key_of(header);
    let has = |forms: [&str; 3]| forms.iter().any(|form| name.contains(form));
    match (has(["ddmmyy", "ddmmaa", "ttmmjj"]), has(["mmddyy", "mmddaa", "mmttjj"])) {
        (true, false) => Some(DateOrder::Dmy),
        (false, true) => Some(DateOrder::Mdy),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The day and the note of a cell whose order is declared as `dmy`, or the message.
    fn read(text: &str) -> String {
        let source = Source { dates: Some(DateOrder::Dmy), ..Source::default() };
        match day(&Cell::Text(text.to_owned()), "deadlineOn", &source) {
            Ok(made) => {
                let day = made.value.as_str().unwrap_or("none");
                made.note.map_or_else(|| day.to_owned(), |note| format!("{day}, {note}"))
            }
            Err(wrong) => {
                let what = wrong.message.replacen(&quoted(text), "", 1).replacen("`deadlineOn` is ", "", 1);
                format!("! {}", what.trim_start_matches([',', ' ']))
            }
        }
    }

    #[test]
    fn a_day_is_read_with_its_weekday_hour_and_the_words_of_its_field() {
        for (text, expected) in [
            ("1/3/27", "2027-03-01"),
            ("1. 3. 2027", "2027-03-01"),
            ("1-Mar-27", "2027-03-01"),
            ("Mar. 1st, 2027", "2027-03-01"),
            ("1er mars 2027", "2027-03-01"),
            ("Monday, 1 March 2027", "2027-03-01"),
            ("segunda-feira, 1 de março de 2027", "2027-03-01"),
            ("2027-03-01T00:00:00.000Z", "2027-03-01"),
            ("2027-03-01T00:00:00-05:00", "2027-03-01, 2027-03-01T00:00:00-05:00"),
            ("1/3/2027 23.59 CET", "2027-03-01, 2027-03-01 23.59 CET"),
            ("1 mars 2027 à 17h00 (heure de Paris)", "2027-03-01, 1 mars 2027 à 17h00 (heure de Paris)"),
            ("Deadline: 1 March 2027", "2027-03-01"),
            ("hasta el 1 de marzo de 2027", "2027-03-01"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_that_is_not_in_the_grammar_makes_the_cell_unread() {
        for (text, word) in [
            ("Opens 1 March 2027", "Opens"),
            ("Cancelled (was due 1 March 2027)", "Cancelled"),
            ("No deadline (page of 1 March 2027)", "No"),
            ("1 March 2027?", "?"),
            ("01/03/2027 (tentative)", "tentative"),
            ("1 March 2027, 17:00 XYZT", "XYZT"),
            ("1 Feb 2027 to end of March", "to"),
            ("01/02/2027-28/02/2027", "28"),
            ("Spring 2027", "Spring"),
        ] {
            assert_eq!(read(text), format!("! which is no day: `{word}` is not understood"), "{text}");
        }
    }

    #[test]
    fn a_contradiction_and_a_day_that_never_comes_are_errors_that_say_why() {
        for (text, expected) in [
            ("Friday, 2 March 2027", "! and 2027-03-02 is no Friday but a Tuesday"),
            ("31 June 2027", "! which is no day of any month"),
            ("2027.1.0001", "! which is no day of any month"),
            ("2027-90-15", "! : there is no month 90"),
            ("12/31/2027", "! which is no date as `dates = \"dmy\"` reads them"),
            ("11/2027", "! which is a month without a day"),
            ("January 15", "! which is a day without a year"),
            ("N/a", "! which stands for nothing"),
            ("1/3/72", "! which is no date as `dates = \"dmy\"` reads them"),
            ("March 1, 2027, April 1, 2027", "! which is no day: `April` is not understood"),
            ("1 Feb 2027 and 28 Feb 2027", "! which has several days: 2027-02-01, 2027-02-28"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        let source = Source::default();
        let undeclared =
            |text: &str| day(&Cell::Text(text.to_owned()), "deadlineOn", &source).err().unwrap().help;
        assert_eq!(undeclared("28/02/2027"), "declare it: dates = \"dmy\"");
        assert_eq!(undeclared("2/3/2027"), "declare it: dates = \"dmy\" or \"mdy\"");
        assert_eq!(undeclared("30-Jan-31"), "declare their order: dates = \"dmy\"");
        let long = "1 March 2027 ".repeat(20_000);
        assert!(read(&long).contains("at most 4096 bytes"));
        assert_eq!(order_of("Deadline (DD/MM/YYYY)"), Some(DateOrder::Dmy));
        assert_eq!(order_of("Date (mm-dd-yy)"), Some(DateOrder::Mdy));
    }
}
