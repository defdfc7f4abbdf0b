//! Ages in words: `over 50 years old`, `34-year-old`, `menores de 25`, `60+`. Few records state ages: the words are left
//! out of the text, and the filter is offered.

use super::Filter;
use crate::facet::Measure;
use crate::search::lexicon::{self, is_in, starting};
use crate::search::synonyms::BUILT_IN;

/// Greatest age; greater amounts are money.
pub(super) const AGE_MAX: u8 = 120;
/// Fewer years may be a duration, unless they are called old.
const YEARS_MIN: u8 = 14;

/// The ages at the start of some words: the number of words, and the filter.
pub(super) fn age(rest: &[&str]) -> Option<(usize, Filter)> {
    let longest = |lists: &[&str]| lists.iter().filter_map(|list| starting(rest, list)).max();
    let (least, most) = (longest(&["age-least", "at-least"]), longest(&["age-most", "at-most"]));
    let ahead = least.max(most);
    let at = ahead.or_else(|| starting(rest, "age-is")).unwrap_or(0);
    let number = rest.get(at)?.trim_end_matches('+');
    let old = number.strip_suffix("-year-old");
    let first = year(old.unwrap_or(number))?;
    let second = rest.get(at + 2).filter(|_| is_in("age-to", rest.get(at + 1))).and_then(|it| year(it));
    let second = second.filter(|second| *second > first);
    let numbers = at + if second.is_some() { 3 } else { 1 };
    let unit = old.map(|_| 0).or_else(|| starting(&rest[numbers..], "age-unit"));
    let years = unit.or_else(|| starting(&rest[numbers..], "year"));
    let behind = &rest[numbers + years.unwrap_or(0)..];
    let more = starting(behind, "or-more").or(rest[at].ends_with('+').then_some(0));
    let limit = more.max(starting(behind, "or-less"));
    let next = behind.get(limit.unwrap_or(0));
    // `Between 50 and 200` is no age.
    let is_bounded = at > 0 && (second.is_some() || !is_in("between", rest.first()))
        || limit.is_some()
        || second.is_some();
    let is_age = match (unit, years) {
        (Some(_), _) => true,
        _ if second.unwrap_or(first) < YEARS_MIN => false,
        (_, Some(_)) => is_bounded && !is_in("year-of", next),
        // What follows may say what the number counts.
        _ => is_bounded && next.is_none_or(|next| lexicon::is_stop_word(next)) && !is_day(&rest[numbers..]),
    };
    // `People over 65` are older people, whom synonyms name.
    if !is_age || years.is_none() && !BUILT_IN.of(&rest[..numbers]).is_empty() {
        return None;
    }
    let is_least = if limit.is_some() { Some(more == limit) } else { ahead.map(|_| least == ahead) };
    let bound = |age: u8, is_other_end: bool| (!is_other_end).then(|| f64::from(age));
    let ages =
        [bound(first, is_least == Some(false)), bound(second.unwrap_or(first), is_least == Some(true))];
    Some((rest.len() - behind.len() + limit.unwrap_or(0), Filter::Bounds(Measure::Age, ages)))
}

fn year(text: &str) -> Option<u8> {
    text.parse().ok().filter(|year| (1..=AGE_MAX).contains(year))
}

/// `15 de enero`
fn is_day(behind: &[&str]) -> bool {
    behind.iter().find(|word| !lexicon::has("of", word)).is_some_and(|word| lexicon::month(word).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;

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
            ("tengo 34 años y busco beca", "y busco beca", "ageMin=34&ageMax=34"),
            ("I am 67", "", "ageMin=67&ageMax=67"),
        ] {
            assert_eq!(parsed(text), (rest.to_owned(), filters.to_owned()), "{text}");
        }
    }

    #[test]
    fn other_numbers_remain_text() {
        for text in [
            "60+ employees",
            "between 10 and 20 employees",
            "between 2 and 4",
            "tengo 3 hijos",
            "mayores de 60 mil pesos",
            "programs for people over 60",
            "under 30 minutes",
            "under 50% of the cost",
            "premios 2027",
            "30-18",
        ] {
            assert_eq!(parsed(text), (text.to_owned(), String::new()), "{text}");
        }
    }
}
