//! What a sheet shows of a number or a date, where its number format writes more than the value: words, units, or a month
//! without its day (ECMA-376 part 1, §18.8.31).

use jiff::civil::DateTime;

use crate::money;

/// A part of a number format.
enum Token {
    /// Text, as it is written.
    Literal(char),
    /// A code that stands for digits or a part of a date.
    Code(char),
}

/// The text of a format.
fn literals(tokens: &[Token]) -> String {
    tokens.iter().filter_map(|it| if let Token::Literal(c) = it { Some(*c) } else { None }).collect()
}

/// The section of a format for positive numbers.
fn tokens(format: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ';' => break,
            '"' => tokens.extend(letters.by_ref().take_while(|it| *it != '"').map(Token::Literal)),
            '\\' => tokens.extend(letters.next().map(Token::Literal)),
            // The width of a letter, and a letter that fills the cell.
            '_' | '*' => drop(letters.next()),
            '[' => {
                let inner: String = letters.by_ref().take_while(|it| *it != ']').collect();
                let sign = inner.strip_prefix('$').and_then(|it| it.split('-').next());
                tokens.extend(sign.unwrap_or_default().chars().map(Token::Literal));
            }
            '$' | '€' | '£' | '%' | ' ' | '/' | '(' | ')' | ':' | '+' | '-' => {
                tokens.push(Token::Literal(letter));
            }
            other => tokens.push(Token::Code(other)),
        }
    }
    tokens
}

/// A number as it is shown, if its format adds a word, a unit or a percent sign that is no currency.
pub(super) fn number(number: f64, format: &str) -> Option<String> {
    if format.eq_ignore_ascii_case("general") || format == "@" {
        return None;
    }
    let tokens = tokens(format);
    let is_digit = |token: &Token| matches!(token, Token::Code('0' | '#' | '?' | '.' | ',' | 'E' | 'e'));
    let words = literals(&tokens);
    let mut words = words.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
    if !words.any(|word| money::codes(word).is_none()) && !literals(&tokens).contains('%') {
        return None;
    }
    let (Some(first), Some(last)) = (tokens.iter().position(is_digit), tokens.iter().rposition(is_digit))
    else {
        return Some(literals(&tokens).trim().to_owned());
    };
    // Each comma behind the digits divides by a thousand.
    let commas = tokens[..=last].iter().rev().take_while(|it| matches!(it, Token::Code(','))).count();
    let percent = if literals(&tokens[last..]).contains('%') { 100.0 } else { 1.0 };
    let shown = number * percent / 1000f64.powi(i32::try_from(commas).unwrap_or(0));
    let shown = snapshot::record::Number((shown * 1e6).round() / 1e6);
    let (before, after) = (literals(&tokens[..first]), literals(&tokens[last..]));
    Some(format!("{}{shown}{}", before.trim_start(), after.trim_end()))
}

/// A date as it is shown, if its format leaves the day out or adds words.
pub(super) fn date(moment: DateTime, format: &str) -> Option<String> {
    let tokens = tokens(format);
    let has =
        |code: char| tokens.iter().any(|it| matches!(it, Token::Code(c) if c.eq_ignore_ascii_case(&code)));
    let literals = literals(&tokens);
    // `de` and `of` are letters of a date too.
    let mut words = literals.split(|c: char| !c.is_alphabetic());
    let has_words = words.any(|word| word.chars().count() > 2);
    let has_day = has('d');
    if !has('y') || has_day && !has_words {
        return None;
    }
    let words = literals.trim_matches(|c: char| !c.is_alphanumeric()).trim();
    let pattern = match (has_day, has('m')) {
        (true, _) => "%-d %B %Y",
        (false, true) => "%B %Y",
        (false, false) => "%Y",
    };
    let date = moment.date().strftime(pattern).to_string();
    Some(if words.is_empty() { date } else { format!("{words} {date}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_units_of_a_format_belong_to_its_number() {
        for (value, format, shown) in [
            (0.5, "0%", Some("50%")),
            (75.0, "$#,##0\"K\"", Some("$75K")),
            (75_000.0, "$#,##0,\"K\"", Some("$75K")),
            (2.5, "\"$\"0.0\" million\"", Some("$2.5 million")),
            (650.0, "$#,##0\"/month\"", Some("$650/month")),
            (0.0, "\"TBD\"", Some("TBD")),
            (5000.0, "\"up to \"$#,##0", Some("up to $5000")),
            (500.0, "[$£-809]#,##0.00", None),
            (500.0, "#,##0\\ [$€-407]", None),
            (500.0, "#,##0 \"CHF\"", None),
            (500.0, "_-* #,##0.00\\ \"€\"_-;-* #,##0", None),
            (500.0, "[Red]#,##0", None),
            (500.0, "General", None),
            (500.0, "0.00E+00", None),
        ] {
            assert_eq!(number(value, format).as_deref(), shown, "{format}");
        }
    }

    #[test]
    fn a_date_without_its_day_or_with_words_is_what_the_sheet_shows() {
        let moment = "2027-05-01T00:00:00".parse().unwrap();
        for (format, shown) in [
            ("mmm yyyy", Some("May 2027")),
            ("yyyy", Some("2027")),
            ("\"Q2\" yyyy", Some("Q2 2027")),
            ("\"Tentative: \"d mmm yyyy", Some("Tentative 1 May 2027")),
            ("d mmm yyyy", None),
            ("d\" de \"mmmm\" de \"yyyy", None),
            ("[$-409]dddd, mmmm d, yyyy", None),
            ("hh:mm", None),
        ] {
            assert_eq!(date(moment, format).as_deref(), shown, "{format}");
        }
    }
}
