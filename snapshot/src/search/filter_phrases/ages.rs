//! Ages in words: `over 50 years old`, `people over 40`, `34 year old`, `menores de 25`. Money, durations and other
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
    /// A least age, or a least amount.
    Least { of_age: bool },
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
const CUES: [(&str, Cue); 7] = [
    ("age-least", Cue::Least { of_age: true }),
    ("age-most", Cue::Most { of_age: true }),
    ("at-least", Cue::Least { of_age: false }),
    ("at-most", Cue::Most { of_age: false }),
    ("age-is", Cue::Is),
    ("age-has", Cue::Has),
    ("of", Cue::None),
];

/// What the last words before an age are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    People,
    /// Nothing, or opportunities.
    Open,
    Other,
}

/// The ages at the start of some words: the number of words, and the least and the greatest age.
pub(super) fn age(rest: &[&str], before: &[&str]) -> Option<(usize, [Option<f64>; 2])> {
    let cues = CUES.iter().rev().filter_map(|(list, cue)| Some((starting(rest, list)?, *cue)));
    let (length, cue) = cues.max_by_key(|(length, _)| *length).unwrap_or((0, Cue::None));
    let (count, least, most, is_old) = years(&rest[length..])?;
    let number = length + count;
    let old = if is_old { Some(0) } else { starting(&rest[number..], "age-unit") };
    let unit = old.or_else(|| starting(&rest[number..], "year"));
    let length = number + unit.unwrap_or(0);
    let is_month = |word: &&str| lexicon::month(word).is_some();
    let is_day = rest[number..].iter().find(|word| !lexicon::has("of", word)).is_some_and(is_month);
    let of_cue = match (old, unit) {
        (Some(_), _) => true,
        (_, Some(_)) => most >= YEARS_MIN && are_ages(cue, subject(before), rest.get(length)),
        _ => is_age(cue, subject(before), rest.get(length)),
    };
    let (least, most) = (Some(f64::from(least)), Some(f64::from(most)));
    let bounds = match cue {
        // `People over 65` are older people, whom synonyms name too.
        Cue::Least { .. } if !BUILT_IN.of(&rest[..number]).is_empty() => return None,
        Cue::Least { .. } => [least, None],
        Cue::Most { .. } => [None, most],
        _ => [least, most],
    };
    (of_cue && !is_day).then_some((length, bounds))
}

/// Whether a number of years is an age, from its cue, what stands before it, and the next word.
fn are_ages(cue: Cue, subject: Subject, next: Option<&&str>) -> bool {
    match cue {
        Cue::Least { of_age: true } | Cue::Most { of_age: true } => true,
        Cue::Is | Cue::Has => !is_in("year-of", next),
        _ => subject != Subject::Other && !is_in("year-of", next),
    }
}

/// Whether a bare number is an age.
fn is_age(cue: Cue, subject: Subject, next: Option<&&str>) -> bool {
    let goes_on = next.is_none_or(|next| lexicon::is_stop_word(next));
    let counts = |list: &&str| is_in(list, next);
    match cue {
        _ if ["counted", "thousand", "million", "dollar"].iter().any(counts) => false,
        Cue::Least { of_age } => of_age && subject == Subject::People,
        Cue::Most { of_age } => of_age || goes_on,
        Cue::Is => goes_on,
        Cue::Has | Cue::None => false,
    }
}

/// One or two numbers at the start of some words: how many words, the least, the greatest, and whether years are
/// called old, as in `34-year-old`.
fn years(rest: &[&str]) -> Option<(usize, u8, u8, bool)> {
    let year = |text: &str| text.parse::<u8>().ok().filter(|year| (1..=AGE_MAX).contains(year));
    let first = *rest.first()?;
    let bare = first.strip_suffix("-old").and_then(|it| it.trim_end_matches('s').strip_suffix("-year"));
    if let Some((least, most)) = bare.unwrap_or(first).split_once(['-', '\u{2013}']) {
        let (least, most) = (year(least)?, year(most)?);
        return (least < most).then_some((1, least, most, bare.is_some()));
    }
    let least = year(bare.unwrap_or(first))?;
    let most =
        rest.get(2).and_then(|most| year(most)).filter(|most| least < *most && is_in("age-to", rest.get(1)));
    Some(most.map_or((1, least, least, bare.is_some()), |most| (3, least, most, false)))
}

fn subject(before: &[&str]) -> Subject {
    for word in before.iter().rev() {
        if is_applicant(word) {
            return Subject::People;
        }
        if is_in("kind", Some(word)) {
            return Subject::Open;
        }
        if !lexicon::is_stop_word(word) {
            return Subject::Other;
        }
    }
    Subject::Open
}
