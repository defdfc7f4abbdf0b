//! Cells as their number formats show them, where these write more than a value, such as words, units, or a month without
//! its day (ECMA-376 part 1, §18.8.31).

use jiff::civil::DateTime;

use crate::money;

/// A letter of a number format, and whether it is text: else it stands for digits or a part of a date.
type Letter = (char, bool);

/// The text of a format.
fn texts(letters: &[Letter]) -> String {
    letters.iter().filter(|(_, is_text)| *is_text).map(|(letter, _)| letter).collect()
}

/// The section of a format for positive numbers.
fn letters_of(format: &str) -> Vec<Letter> {
    let mut found = Vec::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        let text = |letter| (letter, true);
        match letter {
            ';' => break,
            '"' => found.extend(letters.by_ref().take_while(|it| *it != '"').map(text)),
            '\\' => found.extend(letters.next().map(text)),
            // The width of a letter, and a letter that fills the cell.
            '_' | '*' => drop(letters.next()),
            '[' => {
                let inner: String = letters.by_ref().take_while(|it| *it != ']').collect();
                let sign = inner.strip_prefix('$').and_then(|it| it.split('-').next());
                found.extend(sign.unwrap_or_default().chars().map(text));
            }
            other => found.push((other, "$€£% /():+-".contains(other))),
        }
    }
    found
}

/// A number as it is shown, if its format adds a word, a unit or a percent sign that is no currency.
pub(super) fn shown_number(number: f64, format: &str) -> Option<String> {
    let letters = letters_of(format);
    let is_digit = |(letter, is_text): &Letter| !is_text && "0#?.,Ee".contains(*letter);
    if !has_unit(&texts(&letters)) {
        return None;
    }
    let ends = letters.iter().position(is_digit).zip(letters.iter().rposition(is_digit));
    let Some((first, last)) = ends else { return Some(texts(&letters).trim().to_owned()) };
    // Each comma behind the digits divides by a thousand.
    let commas = letters[..=last].iter().rev().take_while(|it| **it == (',', false)).count();
    let percent = if texts(&letters[last..]).contains('%') { 100.0 } else { 1.0 };
    let shown = number * percent / 1000f64.powi(i32::try_from(commas).unwrap_or(0));
    let shown = snapshot::record::Number((shown * 1e6).round() / 1e6);
    let (before, after) = (texts(&letters[..first]), texts(&letters[last..]));
    Some(format!("{}{shown}{}", before.trim_start(), after.trim_end()))
}

/// Whether words, a unit or a percent sign that are no currency are beside a number.
pub(super) fn has_unit(shown: &str) -> bool {
    let mut words = shown.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty() && *word != "E");
    shown.contains('%') || words.any(|word| money::codes(word).is_none())
}

/// A date as it is shown, if its format leaves its day or its year out, or adds words. Of `mm:ss`, the month is minutes.
pub(super) fn shown_date(moment: DateTime, format: &str) -> Option<String> {
    let letters = letters_of(format);
    let has = |code: char| letters.iter().any(|(it, is_text)| !is_text && it.eq_ignore_ascii_case(&code));
    let texts = texts(&letters);
    // `de` and `of` are letters of a date too.
    let count = |run: &[Letter]| run.iter().filter(|(letter, _)| letter.is_alphabetic()).count();
    let has_words = letters.split(|(_, is_text)| !is_text).any(|run| count(run) > 2);
    // `e` is a year of an era.
    let (has_day, has_hour) = (has('d'), has('h') || has('s'));
    let has_year = has('y') || has_day && has('e');
    let is_date = has_day || has_year || has('m') && !has_hour;
    if !is_date && !has_hour || has_day && has_year && !has_words {
        return None;
    }
    let parts = [("%-d ", has_day), ("%B ", has('m') && is_date), ("%Y ", has_year), ("%H:%M", has_hour)];
    let parts = parts.into_iter().filter(|(_, is_shown)| *is_shown).map(|(part, _)| part);
    let date = moment.strftime(&parts.collect::<String>()).to_string();
    let words = texts.trim_matches(|c: char| !c.is_alphanumeric());
    Some(format!("{words} {date}").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_units_of_a_format_belong_to_its_number() {
        for (value, format, shown) in [
            (0.5, "0%", Some("50%")),
            (75.0, "$#,##0\"K\"", Some("$75K")),
            (2.5, "\"$\"0.0\" million\"", Some("$2.5 million")),
            (650.0, "$#,##0\"/month\"", Some("$650/month")),
            (0.0, "\"TBD\"", Some("TBD")),
            (5000.0, "\"up to \"$#,##0", Some("up to $5000")),
            (500.0, "[$£-809]#,##0.00", None),
            (500.0, "#,##0\\ [$€-407]", None),
            (500.0, "_-* #,##0.00\\ \"€\"_-;-* #,##0", None),
            (500.0, "[Red]#,##0", None),
            (500.0, "0.00E+00", None),
        ] {
            assert_eq!(shown_number(value, format).as_deref(), shown, "{format}");
        }
    }

    #[test]
    fn a_date_without_its_day_or_year_or_with_words_is_what_the_sheet_shows() {
        let moment = "2027-05-01T17:30:00".parse().unwrap();
        for (format, shown) in [
            ("mmm yyyy", Some("May 2027")),
            ("yyyy", Some("2027")),
            ("\"Q2\" yyyy", Some("Q2 2027")),
            ("\"Tentative: \"d mmm yyyy", Some("Tentative 1 May 2027")),
            ("d mmm yyyy", None),
            ("d\" de \"mmmm\" de \"yyyy", None),
            ("[$-409]dddd, mmmm d, yyyy", None),
            ("[$-411]e\"年\"m\"月\"d\"日\"", None),
            ("General", None),
            // The year that was typed with it is not what the sheet shows.
            ("mmmm d", Some("1 May")),
            ("d-mmm", Some("1 May")),
            ("hh:mm", Some("17:30")),
        ] {
            assert_eq!(shown_date(moment, format).as_deref(), shown, "{format}");
        }
    }
}
