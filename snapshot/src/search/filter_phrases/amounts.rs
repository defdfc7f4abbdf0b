//! Amounts of money in words: `over $50,000`, `al menos 50 mil dólares`, `£10,000 or more`.

use super::Filter;
use super::ages::AGE_MAX;
use crate::facet::Measure;
use crate::search::lexicon::{is_in, starting};

const SIGNS: [char; 5] = ['$', '€', '£', '¥', '₹'];
/// What stands before an amount in US dollars, without a space.
const DOLLARS: [&str; 5] = ["", "$", "us", "us$", "usd"];
const DASHES: [char; 3] = ['-', '\u{2013}', '\u{2014}'];

/// `over $50,000`, `$50,000 or more` or `$5,000-$50,000`, bounds of the funding: the number of words, and the filter.
pub(super) fn bound(rest: &[&str]) -> Option<(usize, Filter)> {
    // What a dash joins is one word of those that were typed.
    if let Some((first, second)) = rest[0].split_once(DASHES) {
        let (length, filter) = bound(&[&[first, "to", second], &rest[1..]].concat())?;
        return (length > 2).then(|| (length - 2, filter));
    }
    let (least, most) = (starting(rest, "at-least"), starting(rest, "at-most"));
    let ahead = least.or(most).or_else(|| starting(rest, "between"));
    let Amount { length, value, factor, is_money, is_foreign } = amount(&rest[ahead.unwrap_or(0)..])?;
    let length = ahead.unwrap_or(0) + length;
    let next = &rest[length..];
    let bounds = |bounds, is_foreign| match is_foreign {
        true => Filter::LeftOut("search_currency"),
        false => Filter::Bounds(Measure::Funding, bounds),
    };
    let one_end = |is_least| if is_least { [Some(value), None] } else { [None, Some(value)] };
    let to = starting(next, "age-to").or(next.first().filter(|dash| dash.is_empty()).map(|_| 1));
    let other = to.and_then(|to| Some((to, amount(&next[to..])?))).filter(|_| least.or(most).is_none());
    if let Some((to, other)) = other.filter(|(_, other)| is_money || other.is_money) {
        // Of `5 to 20 thousand` the unit counts for both.
        let shared = Some(value * other.factor).filter(|it| factor == 1.0 && *it <= other.value);
        let both = [shared.or(Some(value)), Some(other.value)];
        return Some((length + to + other.length, bounds(both, is_foreign || other.is_foreign)));
    }
    if least.or(most).is_some() {
        let is_other = value <= f64::from(AGE_MAX) || is_in("counted", next.first());
        return (is_money || !is_other).then(|| (length, bounds(one_end(least.is_some()), is_foreign)));
    }
    let more = if rest[length - 1].ends_with('+') { Some(0) } else { starting(next, "or-more") };
    let behind = more.or_else(|| starting(next, "or-less")).filter(|_| is_money && ahead.is_none())?;
    Some((length + behind, bounds(one_end(more.is_some()), is_foreign)))
}

struct Amount {
    /// Number of words.
    length: usize,
    value: f64,
    /// What a unit such as `thousand` multiplies it by.
    factor: f64,
    /// Whether a sign or unit makes it money.
    is_money: bool,
    /// Whether it is in another currency than US dollars.
    is_foreign: bool,
}

/// A currency at the start of some words: its number of words, and whether it is another than the US dollar.
fn currency(rest: &[&str]) -> Option<(usize, bool)> {
    let foreign = starting(rest, "other-currency").map(|length| (length, true));
    foreign.or_else(|| starting(rest, "dollar").map(|length| (length, false)))
}

fn amount(rest: &[&str]) -> Option<Amount> {
    let ahead = currency(rest);
    let mut length = ahead.map_or(0, |(length, _)| length);
    let word = rest.get(length)?.trim_end_matches('+');
    let (sign, number) = word.split_at(word.find(|c: char| c.is_ascii_digit())?);
    let unit = number.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.')));
    let (number, unit) = number.split_at(unit.unwrap_or(number.len()));
    let (unit, sign_behind) = unit.split_at(unit.find(SIGNS).unwrap_or(unit.len()));
    let is_coded = is_in("other-currency", Some(&unit));
    let is_signed = sign.ends_with(SIGNS) || is_in("other-currency", Some(&sign));
    if !(DOLLARS.contains(&sign) || is_signed) {
        return None;
    }
    let factor = |unit: &str| match Some(&unit) {
        unit if is_in("thousand", unit) => Some(1e3),
        unit if is_in("million", unit) => Some(1e6),
        _ => None,
    };
    length += 1;
    // `10 000`: spaces separate thousands too.
    let is_group = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_open =
        number.len() <= 3 && unit.is_empty() && sign_behind.is_empty() && !number.contains([',', '.']);
    let groups = rest[length..].iter().map(|word| word.trim_end_matches('+'));
    let groups: Vec<&str> = groups.take_while(is_group).filter(|_| is_open).collect();
    length += groups.len();
    let plain = plain_number(&[&[number], groups.as_slice()].concat().concat())?;
    let mut multiple = if unit.is_empty() || is_coded { 1.0 } else { factor(unit)? };
    let written = length;
    while let Some(factor) = rest.get(length).and_then(|word| factor(word)) {
        multiple *= factor;
        length += 1;
    }
    let value = plain * multiple;
    let of = usize::from(rest.get(length) == Some(&"de"));
    let behind = rest.get(length + of..).and_then(currency);
    let is_foreign = is_coded
        || !DOLLARS.contains(&sign)
        || !matches!(sign_behind, "" | "$")
        || ahead.or(behind).is_some_and(|(_, is_foreign)| is_foreign);
    let is_money =
        ahead.or(behind).is_some() || length > written || ![sign, unit, sign_behind].concat().is_empty();
    length += behind.map_or(0, |(length, _)| of + length);
    value.is_finite().then_some(Amount { length, value, factor: multiple, is_money, is_foreign })
}

/// `10,000`, `10.000` and `2.5`: a comma or dot before three digits separates thousands.
fn plain_number(text: &str) -> Option<f64> {
    let groups: Vec<&str> = text.split([',', '.']).collect();
    let thousands = groups.len() > 1 && groups[1..].iter().all(|group| group.len() == 3);
    if thousands { groups.concat().parse().ok() } else { text.replace(',', ".").parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;

    #[test]
    fn a_bound_stands_before_or_behind_an_amount_in_both_languages() {
        for (text, filters) in [
            ("al menos 50.000 dólares", "fundingMin=50000"),
            ("por lo menos 50000 dólares", "fundingMin=50000"),
            ("al menos 50000", "fundingMin=50000"),
            ("como mínimo 50 mil dólares", "fundingMin=50000"),
            ("50 mil dólares o más", "fundingMin=50000"),
            ("50.000 dólares como mínimo", "fundingMin=50000"),
            ("$50,000 or more", "fundingMin=50000"),
            ("$50k+", "fundingMin=50000"),
            ("USD 50,000 and above", "fundingMin=50000"),
            ("over US$ 50,000", "fundingMin=50000"),
            ("no less than $2.5 million", "fundingMin=2500000"),
            ("no más de 5000 dólares", "fundingMax=5000"),
            ("5000 dólares como máximo", "fundingMax=5000"),
            ("$5,000 or less", "fundingMax=5000"),
            ("$5,000-$20k", "fundingMin=5000&fundingMax=20000"),
            ("entre 5 y 20 mil dólares", "fundingMin=5000&fundingMax=20000"),
        ] {
            assert_eq!(parsed(text), (String::new(), filters.to_owned()), "{text}");
        }
        let others =
            ["500 or more", "$500", "c++ 500", "companies with up to 500 employees", "covid-19 or more"];
        for text in others {
            assert_eq!(parsed(text), (text.to_owned(), String::new()), "{text}");
        }
    }

    #[test]
    fn an_amount_in_another_currency_is_left_out_and_no_amount_in_dollars() {
        for text in [
            "over 10,000 euros",
            "más de 10.000 euros",
            "mínimo 50 mil euros",
            "€10,000 or more",
            "£10,000+",
            "10.000 € o más",
            "minimum 20000 GBP",
            "over £20k",
            "under EUR 5,000",
            "up to 50,000 Canadian dollars",
            "over C$10,000",
            "menos de 10.000€",
            "hasta 35 euros",
        ] {
            assert_eq!(parsed(&format!("arts {text}")), ("arts".to_owned(), "=".to_owned()), "{text}");
        }
    }
}
