//! Ages in words: `over 50 years old`, `aged 18 to 30`, `34-year-old`, `menores de 25`, `60+`. Few records state ages:
//! the words are left out of the text, and the filter is offered.

use super::Filter;
use crate::search::lexicon::{self, is_in, starting};
use crate::search::synonyms::BUILT_IN;

/// Greatest age; greater amounts are money.
pub(super) const AGE_MAX: u8 = 120;
/// Fewer years may be a duration, unless they are called old.
const YEARS_MIN: u8 = 14;

/// Which ages words mean beside a number.
#[derive(Clone, Copy)]
enum Limit {
    Least,
    Most,
    Exact,
}

/// The lists of the lexicon that stand before an age. Of two that are as long, the first is meant.
const BEFORE: [(&str, Limit); 5] = [
    ("age-least", Limit::Least),
    ("at-least", Limit::Least),
    ("age-most", Limit::Most),
    ("at-most", Limit::Most),
    ("age-is", Limit::Exact),
];

/// The ages at the start of some words: the number of words, and the filter.
pub(super) fn age(rest: &[&str]) -> Option<(usize, Filter)> {
    let ahead = longest(rest, &BEFORE);
    let number = ahead.map_or(0, |(length, _)| length);
    let years = years(&rest[number..])?;
    let number = number + years.count;
    let old = if years.is_old { Some(0) } else { starting(&rest[number..], "age-unit") };
    let unit = old.or_else(|| starting(&rest[number..], "year"));
    let length = number + unit.unwrap_or(0);
    let behind = longest(&rest[length..], &[("or-more", Limit::Least), ("or-less", Limit::Most)]);
    let behind = behind.or(years.is_open.then_some((0, Limit::Least)));
    let length = length + behind.map_or(0, |(length, _)| length);
    let (next, limit) = (rest.get(length), behind.or(ahead).map(|(_, limit)| limit));
    let is_age = match (old, unit) {
        (Some(_), _) => true,
        _ if years.most < YEARS_MIN => false,
        (_, Some(_)) => !is_in("year-of", next) && (limit.is_some() || years.least < years.most),
        // What follows may say what the number counts.
        _ => {
            limit.is_some()
                && next.is_none_or(|next| lexicon::is_stop_word(next))
                && !is_month(&rest[number..])
        }
    };
    // `People over 65` are older people, whom synonyms name.
    if !is_age || unit.is_none() && !BUILT_IN.of(&rest[..number]).is_empty() {
        return None;
    }
    let (least, most) = (Some(f64::from(years.least)), Some(f64::from(years.most)));
    let ages = match limit {
        Some(Limit::Least) => [least, None],
        Some(Limit::Most) => [None, most],
        _ => [least, most],
    };
    Some((length, Filter::Age(ages)))
}

/// The longest phrase of some lists that some words start with: its number of words, and what goes with its list.
fn longest(words: &[&str], lists: &[(&str, Limit)]) -> Option<(usize, Limit)> {
    let found = lists.iter().rev().filter_map(|(list, limit)| Some((starting(words, list)?, *limit)));
    found.max_by_key(|(length, _)| *length)
}

/// `15 de enero`
fn is_month(words: &[&str]) -> bool {
    words.iter().find(|word| !lexicon::has("of", word)).is_some_and(|word| lexicon::month(word).is_some())
}

/// One or two numbers at the start of some words.
struct Years {
    /// Number of words.
    count: usize,
    least: u8,
    most: u8,
    /// Whether years are called old, as in `34-year-old`.
    is_old: bool,
    /// Whether a plus follows the number.
    is_open: bool,
}

fn years(rest: &[&str]) -> Option<Years> {
    let year = |text: &str| text.parse::<u8>().ok().filter(|year| (1..=AGE_MAX).contains(year));
    let first = *rest.first()?;
    let old = first.strip_suffix("-old").and_then(|it| it.trim_end_matches('s').strip_suffix("-year"));
    let is_open = first.ends_with('+');
    let number = old.unwrap_or(first).trim_end_matches('+');
    let joined = number.split_once(['-', '\u{2013}']);
    let second = rest.get(2).filter(|_| is_in("age-to", rest.get(1))).and_then(|most| year(most));
    let (count, least, most) = match joined {
        Some((least, most)) => (1, year(least)?, year(most)?),
        None => match (year(number)?, second) {
            (least, Some(most)) if least < most => (3, least, most),
            (age, _) => (1, age, age),
        },
    };
    (least <= most).then_some(Years { count, least, most, is_old: old.is_some(), is_open })
}

#[cfg(test)]
mod tests {
    use super::super::extract;
    use crate::query::Query;
    use crate::time::Day;

    /// What is left of a text, and the ages that are offered.
    fn offered(text: &str) -> (String, String) {
        let query = Query { text: Some(text.to_owned()), ..Query::default() };
        let (unphrased, phrases) = extract(&query, &[], Day(20_700));
        let filters = phrases.iter().filter(|phrase| !phrase.is_applied());
        let filters: Vec<String> =
            filters.map(|phrase| format!("{}={}", phrase.parameter, phrase.value)).collect();
        assert_eq!(unphrased.measures, query.measures, "nothing is filtered");
        (unphrased.text.unwrap_or_default(), filters.join("&"))
    }

    #[test]
    fn an_age_leaves_the_text_and_is_offered_in_both_languages() {
        for (text, rest, filters) in [
            ("mayores de 60 años", "", "ageMin=60"),
            ("60 años o más", "", "ageMin=60"),
            ("60+ years", "", "ageMin=60"),
            ("aged 60 and over", "", "ageMin=60"),
            ("over 50", "", "ageMin=50"),
            ("30 or younger", "", "ageMax=30"),
            ("fellowships for journalists under 30", "fellowships for journalists", "ageMax=30"),
            ("investigadores hasta 35 años", "investigadores", "ageMax=35"),
            ("grants for people over 50 years old", "grants for people", "ageMin=50"),
            ("artists aged 18 to 30", "artists", "ageMin=18&ageMax=30"),
            ("jóvenes entre 18 y 29 años", "jóvenes", "ageMin=18&ageMax=29"),
            ("a 34-year-old nurse", "a nurse", "ageMin=34&ageMax=34"),
            ("my 8 year old son", "my son", "ageMin=8&ageMax=8"),
            ("jóvenes de 18 a 29 años", "jóvenes de", "ageMin=18&ageMax=29"),
            ("tengo 34 años y busco beca", "y busco beca", "ageMin=34&ageMax=34"),
            ("I am 67", "", "ageMin=67&ageMax=67"),
        ] {
            assert_eq!(offered(text), (rest.to_owned(), filters.to_owned()), "{text}");
        }
    }

    #[test]
    fn other_numbers_remain_text() {
        for text in [
            "20 años o más de experiencia",
            "proyecto de 20 años de experiencia",
            "préstamo de 30 años",
            "60+ employees",
            "between 10 and 20 employees",
            "between 2 and 4",
            "tengo 3 hijos",
            "mayores de 60 mil pesos",
            "programs for people over 60",
            "over 60 days",
            "up to 3 years of funding",
            "hasta el 15 de enero",
            "hasta 15 de enero",
            "under 30 minutes",
            "under 50% of the cost",
            "premios 2027",
            "30-18",
        ] {
            assert_eq!(offered(text), (text.to_owned(), String::new()), "{text}");
        }
    }
}
