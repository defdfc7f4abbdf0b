//! Ages in words: `over 50 years old`, `people over 40`, `34 year old`, `menores de 25`, `60+`. Money, durations and other
//! numbers are none.

use crate::search::lexicon::{self, is_in, starting};
use crate::search::role::is_applicant;
use crate::search::synonyms::BUILT_IN;

/// Greatest age; greater amounts are money.
pub(super) const AGE_MAX: u8 = 120;
/// Fewer years may be a duration, unless they are called old.
const YEARS_MIN: u8 = 14;

/// What words before a number make of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cue {
    /// A least age.
    Over,
    /// A least age, or a least amount.
    Least { of_age: bool },
    /// The same behind the number: `60 and over`, `60+`.
    OrMore,
    /// A greatest age, or a greatest amount.
    Most { of_age: bool },
    /// The age of a person: `aged 34`.
    Is,
    /// The same if years follow: `tengo 34 años`.
    Has,
    /// The same if years follow and people or nothing stand before: `mujer de 34 años`.
    None,
}

/// The lists of the lexicon that are cues. Of two that are as long, the first is meant.
const CUES: [(&str, Cue); 8] = [
    ("age-over", Cue::Over),
    ("age-least", Cue::Least { of_age: true }),
    ("age-most", Cue::Most { of_age: true }),
    ("at-least", Cue::Least { of_age: false }),
    ("at-most", Cue::Most { of_age: false }),
    ("age-is", Cue::Is),
    ("age-has", Cue::Has),
    ("of", Cue::None),
];

/// The lists of cues behind an age.
const ENDINGS: [(&str, Cue); 4] = [
    ("or-older", Cue::Over),
    ("or-more", Cue::OrMore),
    ("or-younger", Cue::Most { of_age: true }),
    ("or-less", Cue::Most { of_age: false }),
];

/// What the last words before an age are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    People,
    Nothing,
    Opportunities,
    Other,
}

/// The ages at the start of some words: the number of words, and the least and the greatest age.
pub(super) fn age(rest: &[&str], before: &[&str]) -> Option<(usize, [Option<f64>; 2])> {
    let (length, cue) = cue(rest);
    let Years { count, least, most, is_old, is_open } = years(&rest[length..])?;
    let number = length + count;
    let old = if is_old { Some(0) } else { starting(&rest[number..], "age-unit") };
    let unit = old.or_else(|| starting(&rest[number..], "year"));
    let length = number + unit.unwrap_or(0);
    let behind = |(list, cue)| starting(&rest[length..], list).map(|length| (length, cue));
    let ending = if is_open { Some((0, Cue::OrMore)) } else { ENDINGS.into_iter().find_map(behind) };
    let (cue, length) = match (cue, ending) {
        (Cue::Is, Some((ending, Cue::OrMore))) => (Cue::Over, length + ending),
        (Cue::Is | Cue::Has | Cue::None, Some((ending, cue))) => (cue, length + ending),
        _ => (cue, length),
    };
    let is_month = |word: &&str| lexicon::month(word).is_some();
    let is_day = rest[number..].iter().find(|word| !lexicon::has("of", word)).is_some_and(is_month);
    let of_cue = match (old, unit) {
        (Some(_), _) => true,
        (_, Some(_)) => most >= YEARS_MIN && are_ages(cue, subject(before), rest.get(length)),
        _ => is_age(cue, (least, most), subject(before), rest.get(length)),
    };
    let (least, most) = (Some(f64::from(least)), Some(f64::from(most)));
    let bounds = match cue {
        // `People over 65` are older people, whom synonyms name too.
        Cue::Over | Cue::Least { .. } if unit.is_none() && !BUILT_IN.of(&rest[..number]).is_empty() => {
            return None;
        }
        Cue::Over | Cue::Least { .. } | Cue::OrMore => [least, None],
        Cue::Most { .. } => [None, most],
        _ => [least, most],
    };
    (of_cue && !is_day).then_some((length, bounds))
}

/// The least age that words may mean which are no filter: `over 60`.
pub(super) fn offered(rest: &[&str]) -> Option<(usize, f64)> {
    let (length, cue) = cue(rest);
    let Years { count, least, most, .. } = years(&rest[length..])?;
    let length = length + count;
    let is_whole = least == most && !is_counted(rest.get(length)) && goes_on(rest.get(length));
    let is_least = matches!(cue, Cue::Over | Cue::Least { of_age: true });
    (is_least && is_whole && least >= YEARS_MIN).then(|| (length, f64::from(least)))
}

/// The longest cue at the start of some words, and its number of words.
fn cue(rest: &[&str]) -> (usize, Cue) {
    let cues = CUES.iter().rev().map(|(list, cue)| (starting(rest, list).unwrap_or(0), *cue));
    let longest = cues.max_by_key(|(length, _)| *length).filter(|(length, _)| *length > 0);
    longest.unwrap_or((0, Cue::None))
}

/// Whether a number of years is an age, from its cue, what stands before it, and the next word.
fn are_ages(cue: Cue, subject: Subject, next: Option<&&str>) -> bool {
    match cue {
        Cue::Over | Cue::Least { of_age: true } | Cue::Most { of_age: true } => true,
        Cue::Is | Cue::Has => !is_in("year-of", next),
        _ => subject != Subject::Other && !is_in("year-of", next),
    }
}

/// Whether bare numbers are ages.
fn is_age(cue: Cue, (least, most): (u8, u8), subject: Subject, next: Option<&&str>) -> bool {
    let is_near = matches!(subject, Subject::People | Subject::Nothing);
    match cue {
        _ if is_counted(next) => false,
        Cue::Over => true,
        Cue::OrMore => goes_on(next) && is_near,
        Cue::Least { of_age } => of_age && subject == Subject::People,
        Cue::Most { of_age } => of_age || goes_on(next),
        Cue::Is => goes_on(next),
        Cue::Has => least < most && most >= YEARS_MIN && goes_on(next) && subject != Subject::Other,
        Cue::None => false,
    }
}

fn goes_on(next: Option<&&str>) -> bool {
    next.is_none_or(|next| lexicon::is_stop_word(next))
}

/// Whether a word after a number says what it counts.
fn is_counted(next: Option<&&str>) -> bool {
    ["counted", "thousand", "million", "dollar", "other-currency"].iter().any(|list| is_in(list, next))
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
    let bare = first.strip_suffix("-old").and_then(|it| it.trim_end_matches('s').strip_suffix("-year"));
    let (is_old, is_open) = (bare.is_some(), first.ends_with('+'));
    if let Some((least, most)) = bare.unwrap_or(first).split_once(['-', '\u{2013}']) {
        let (least, most) = (year(least)?, year(most)?);
        return (least < most).then_some(Years { count: 1, least, most, is_old, is_open });
    }
    let least = year(bare.unwrap_or(first.strip_suffix('+').unwrap_or(first)))?;
    let most =
        rest.get(2).and_then(|most| year(most)).filter(|most| least < *most && is_in("age-to", rest.get(1)));
    let one = Years { count: 1, least, most: least, is_old, is_open };
    Some(most.map_or(one, |most| Years { count: 3, least, most, is_old: false, is_open: false }))
}

fn subject(before: &[&str]) -> Subject {
    for word in before.iter().rev() {
        if is_applicant(word) {
            return Subject::People;
        }
        if is_in("kind", Some(word)) {
            return Subject::Opportunities;
        }
        if !lexicon::is_stop_word(word) {
            return Subject::Other;
        }
    }
    Subject::Nothing
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::super::{PhraseUse, extract};
    use crate::query::Query;
    use crate::time::Day;

    #[test]
    fn a_limit_of_age_stands_before_or_behind_a_number_in_both_languages() {
        for (text, filters) in [
            ("mayores de 60 años", "ageMin=60"),
            ("mayor de 65 años", "ageMin=65"),
            ("más de 60 años", "ageMin=60"),
            ("al menos 60 años", "ageMin=60"),
            ("60 años o más", "ageMin=60"),
            ("older than 60", "ageMin=60"),
            ("mayores de 18", "ageMin=18"),
            ("60+", "ageMin=60"),
            ("60+ years", "ageMin=60"),
            ("60 and older", "ageMin=60"),
            ("aged 60 and over", "ageMin=60"),
            ("aged 18 or more", "ageMin=18"),
            ("30 or younger", "ageMax=30"),
            ("30 años o menos", "ageMax=30"),
            ("aged 30 and under", "ageMax=30"),
            ("between 18 and 25", "ageMin=18&ageMax=25"),
            ("entre 18 y 25", "ageMin=18&ageMax=25"),
            ("I am 67", "ageMin=67&ageMax=67"),
        ] {
            assert_eq!(parsed(text), (String::new(), filters.to_owned()), "{text}");
        }
        for text in [
            "20 años o más de experiencia",
            "60+ employees",
            "grants 60+",
            "between 10 and 20 employees",
            "between 2 and 4",
            "windows 60+",
            "mayores de 60 mil",
        ] {
            assert_eq!(parsed(text), (text.to_owned(), String::new()), "{text}");
        }
    }

    #[test]
    fn a_number_that_may_be_an_age_remains_text_and_the_age_is_offered() {
        for (text, offered) in [
            ("over 60", vec![("over 60", "60")]),
            ("programs for people over 65", vec![("over 65", "65")]),
            ("grants over 50", vec![("over 50", "50")]),
            ("over 50 employees", vec![]),
            ("over 60 days", vec![]),
            ("over 60 projects", vec![]),
        ] {
            let query = Query { text: Some(text.to_owned()), ..Query::default() };
            let (unphrased, phrases) = extract(&query, &[], Day(20_700));
            let of = |phrases: &[super::super::FilterPhrase]| {
                phrases.iter().map(|it| (it.words.clone(), it.value.clone(), it.used)).collect::<Vec<_>>()
            };
            let used = PhraseUse::Offered;
            let expected =
                offered.iter().map(|(words, value)| ((*words).to_owned(), (*value).to_owned(), used));
            assert_eq!((unphrased, of(&phrases)), (query, expected.collect()), "{text}");
        }
    }
}
