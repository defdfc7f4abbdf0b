//! Cognates: words of English and Spanish with one origin, known by their endings, so that `biodiversity` also finds
//! `biodiversidad`. The endings are in `data/words.txt`. Only ranked searches use them, below full matches.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::search::lexicon;

/// Most records that have a word whose cognates are searched.
pub(super) const RARE: usize = 20;
/// Fewest letters before an ending.
const LETTERS_MIN: usize = 4;

/// What begins the key of a word with an ending of each language: English, Spanish.
pub(super) const LANGUAGES: [char; 2] = ['e', 's'];

/// An ending, its language and the pair of endings that it belongs to; the longest first.
static ENDINGS: LazyLock<Vec<(&str, usize, &str)>> = LazyLock::new(|| {
    let mut endings: Vec<(&str, usize, &str)> = lexicon::of_prefix("ending-").collect();
    endings.sort_by_key(|(ending, ..)| std::cmp::Reverse(ending.len()));
    endings
});

/// Keys of a folded word if it ends as words of a language do. Its cognates have the key that begins with the other
/// language and goes on alike.
pub(crate) fn cognate_keys(word: &str) -> [Option<String>; 2] {
    [0, 1].map(|language| {
        let mut endings = ENDINGS.iter().filter(|(_, of, _)| *of == language);
        let (rest, pair) = endings.find_map(|(ending, _, pair)| Some((word.strip_suffix(ending)?, pair)))?;
        let is_long = rest.chars().count() >= LETTERS_MIN;
        is_long.then(|| format!("{}{}-{pair}", LANGUAGES[language], respelled(rest)))
    })
}

/// The letters of a word as both languages have them: `photograph` and `fotograf` are one, so are `special` and
/// `especial`.
fn respelled(word: &str) -> String {
    let letters = lexicon::phrases("letters");
    let mut plain = letters.fold(Cow::Borrowed(word), |word, pair| match pair.as_slice() {
        [from, to] if word.contains(from) => Cow::Owned(word.replace(from, to)),
        _ => word,
    });
    if plain.strip_prefix("es").is_some_and(|rest| !rest.starts_with(['a', 'e', 'i', 'o', 'u'])) {
        plain = Cow::Owned(plain[1..].to_owned());
    }
    let mut letters: Vec<char> = plain.chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_cognates(one: &str, other: &str) -> bool {
        let (one, other) = (cognate_keys(one), cognate_keys(other));
        let same = |a: &Option<String>, b: &Option<String>| {
            a.is_some() && a.as_ref().map(|k| &k[1..]) == b.as_ref().map(|k| &k[1..])
        };
        same(&one[0], &other[1]) || same(&one[1], &other[0])
    }

    #[test]
    fn words_of_one_origin_are_cognates_in_both_directions() {
        for (english, spanish) in [
            ("communications", "comunicacion"),
            ("immigration", "inmigracion"),
            ("biodiversity", "biodiversidad"),
            ("photography", "fotografia"),
            ("photovoltaic", "fotovoltaica"),
            ("mathematics", "matematicas"),
            ("architecture", "arquitectura"),
            ("specialization", "especializacion"),
            ("observatory", "observatorio"),
            ("resilience", "resiliencia"),
            ("collective", "colectivos"),
        ] {
            assert!(are_cognates(english, spanish), "{english} {spanish}");
            assert!(are_cognates(spanish, english), "{spanish} {english}");
        }
    }

    #[test]
    fn words_of_one_language_other_origins_or_few_letters_are_not() {
        for (one, other) in [
            ("journalism", "periodismo"),
            ("disertation", "dissertations"),
            ("dissertation", "dissertation"),
            ("university", "universe"),
            ("nation", "nacion"),
            ("international", "internacional"),
            ("academia", "academia"),
        ] {
            assert!(!are_cognates(one, other), "{one} {other}");
        }
    }
}
