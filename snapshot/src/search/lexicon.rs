//! Words with a role of their own in queries, from `data/words.txt`: function words, carrier words, months, and the
//! words that filter phrases and labels are made of.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::place::{self, NameKind};
use crate::text::words_of;

/// A phrase of the lexicon, as words.
type Phrase = Vec<&'static str>;

/// The phrases of a use in English and Spanish, and their first and last words: most words of a query are none of these.
#[derive(Default)]
struct List {
    phrases: [Vec<Phrase>; 2],
    first: FxHashSet<&'static str>,
    last: FxHashSet<&'static str>,
}

/// The lists of the lexicon by use.
static LEXICON: LazyLock<FxHashMap<&str, List>> = LazyLock::new(|| {
    let mut lists: FxHashMap<&str, List> = FxHashMap::default();
    for line in include_str!("../../data/words.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some((head, phrases)) = line.split_once(": ") else { continue };
        let (name, languages) = head.split_once(' ').unwrap_or((head, "en"));
        let list = lists.entry(name).or_default();
        let phrases: Vec<Phrase> = phrases.split(", ").map(|phrase| phrase.split(' ').collect()).collect();
        list.first.extend(phrases.iter().filter_map(|phrase| phrase.first()));
        list.last.extend(phrases.iter().filter_map(|phrase| phrase.last()));
        for (language, phrases_of) in ["en", "es"].iter().zip(&mut list.phrases) {
            phrases_of.extend(phrases.iter().filter(|_| languages.contains(language)).cloned());
        }
    }
    lists
});

/// The phrases of a use in both languages, the English ones first.
pub(super) fn phrases(name: &str) -> impl Iterator<Item = &'static Phrase> {
    LEXICON.get(name).into_iter().flat_map(|list| &list.phrases).flatten()
}

/// The first words of the phrases of a use in both languages.
pub(super) fn words(name: &str) -> impl Iterator<Item = &'static str> {
    phrases(name).filter_map(|phrase| phrase.first().copied())
}

/// Whether a word is a phrase of a use.
pub(super) fn has(name: &str, word: &str) -> bool {
    starting(&[word], name).is_some()
}

/// Number of words of the longest phrase of a use that some words start with.
pub(super) fn starting(words: &[&str], name: &str) -> Option<usize> {
    LEXICON.get(name).filter(|list| words.first().is_some_and(|first| list.first.contains(first)))?;
    phrases(name).filter(|phrase| words.starts_with(phrase)).map(Vec::len).max()
}

/// Number of words of the longest phrase of a use that some words end with.
pub(super) fn ending(words: &[&str], name: &str) -> Option<usize> {
    LEXICON.get(name).filter(|list| words.last().is_some_and(|last| list.last.contains(last)))?;
    phrases(name).filter(|phrase| words.ends_with(phrase)).map(Vec::len).max()
}

/// Whether there is a word, and it is a phrase of a use.
pub(super) fn is_in(name: &str, word: Option<&&str>) -> bool {
    word.is_some_and(|word| has(name, word))
}

/// Whether a word is a stop word of either language, homonyms included.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOPS.iter().any(|words| words.contains(word))
}

/// The language of a word that is a stop word of it and of no other: English 0, Spanish 1.
pub fn language_of_stop_word(word: &str) -> Option<usize> {
    match [0, 1].map(|language: usize| STOPS[language].contains(word)) {
        [true, false] if !HOMONYMS.contains(word) => Some(0),
        [false, true] if !HOMONYMS.contains(word) => Some(1),
        _ => None,
    }
}

/// Words of one use in English and Spanish.
type WordsOf = [FxHashSet<&'static str>; 2];

/// The single words of some lists.
fn words_of_lists(names: &[&str]) -> WordsOf {
    [0, 1].map(|language: usize| {
        let lists = names.iter().filter_map(|name| Some(&LEXICON.get(name)?.phrases[language]));
        lists.flatten().filter(|phrase| phrase.len() == 1).flatten().copied().collect()
    })
}

static FUNCTION: LazyLock<WordsOf> = LazyLock::new(|| words_of_lists(&["function"]));
static STOPS: LazyLock<WordsOf> = LazyLock::new(|| words_of_lists(&["function", "carrier"]));
/// Phrases of several words that are carrier words together, by their first words.
static CARRIER_PHRASES: LazyLock<FxHashMap<&str, Vec<&Phrase>>> = LazyLock::new(|| {
    let mut by_first: FxHashMap<&str, Vec<&Phrase>> = FxHashMap::default();
    let phrases =
        ["carrier", "no-limit", "without"].into_iter().flat_map(phrases).filter(|phrase| phrase.len() > 1);
    phrases.for_each(|it| by_first.entry(it[0]).or_default().push(it));
    by_first
});
static HOMONYMS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| words("homonym").collect());
static MONTHS: LazyLock<FxHashMap<&str, i8>> = LazyLock::new(|| {
    let of_month =
        |month| words(&format!("month-{month}")).map(move |name| (name, month)).collect::<Vec<_>>();
    (1..=12).flat_map(of_month).collect()
});
static PLACE_WORDS: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let kinds = [NameKind::Name, NameKind::Demonym];
    let names = place::names().iter().filter(|name| kinds.contains(&name.kind));
    names.flat_map(|name| words_of(name.text)).collect()
});

/// Words of the two languages that a search knows: of the field, and others that are easily taken for slips.
static KNOWN: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let of_the_field = words_of(include_str!("../../data/synonyms.txt"));
    of_the_field.into_iter().chain(words("known").map(str::to_owned)).collect()
});

/// The month of a folded name, 1 to 12.
pub(super) fn month(name: &str) -> Option<i8> {
    MONTHS.get(name).copied()
}

/// Which words of a query are stop words, by position: function words, and carrier words alone or together as "I run".
pub fn stop_words(words: &[&str]) -> Vec<bool> {
    let mut stops = small_words(words, &STOPS);
    for at in 0..words.len() {
        let starting = CARRIER_PHRASES.get(words[at]).into_iter().flatten();
        let length = starting.filter(|it| words[at..].starts_with(it)).map(|it| it.len()).max();
        stops[at..at + length.unwrap_or(0)].fill(true);
    }
    stops
}

/// Which words of a query are function words, by position.
pub(super) fn function_words(words: &[&str]) -> Vec<bool> {
    small_words(words, &FUNCTION)
}

/// Which words of a query are of a use, by position. A homonym is one only if the query has another stop word of its
/// language and none of the other.
fn small_words(words: &[&str], small: &WordsOf) -> Vec<bool> {
    let certain = |language: usize, word: &str| STOPS[language].contains(word) && !HOMONYMS.contains(word);
    let has_only = |language: usize| {
        words.iter().any(|word| certain(language, word) && !STOPS[1 - language].contains(word))
    };
    let spoken = [has_only(0), has_only(1)];
    let is_small = |word: &&str| {
        (0..2).any(|language| {
            let is_sure = !HOMONYMS.contains(word) || spoken[language] && !spoken[1 - language];
            small[language].contains(word) && is_sure
        })
    };
    words.iter().map(is_small).collect()
}

/// Whether a folded word is known without any record, maybe in the singular, and so not a misspelling.
pub(crate) fn is_known_word(word: &str) -> bool {
    let mut forms = [Some(word), word.strip_suffix('s'), word.strip_suffix("es")].into_iter().flatten();
    is_stop_word(word)
        || MONTHS.contains_key(word)
        || PLACE_WORDS.contains(word)
        || forms.any(|form| KNOWN.contains(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_depend_on_the_language_of_the_query_and_some_on_the_words_beside_them() {
        for (text, stop_words) in [
            ("looking for grants in kenya", "looking for in"),
            ("busco becas para mi doctorado", "busco para mi"),
            ("grants from the sea", "from the"),
            ("becas que son para mujeres", "que son para"),
            ("songs for my son", "for my"),
            ("i run a farm", "i run a"),
            ("a fun run", "a"),
            ("trabajo en una granja", "trabajo en una"),
            ("trabajo digno", ""),
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            let found = words.iter().zip(super::stop_words(&words)).filter(|(_, is_stop)| *is_stop);
            assert_eq!(found.map(|(word, _)| *word).collect::<Vec<_>>().join(" "), stop_words, "{text}");
        }
    }

    #[test]
    fn names_of_places_months_and_stop_words_are_known() {
        let words = "peru nigeria kenyan peruano enero march para zimbabwe agronomy apicultura theatre leaks \
                     expanding presencial autistic jabon";
        for word in words.split(' ') {
            assert!(is_known_word(word), "{word}");
        }
        assert!(!is_known_word("agriculutre"));
    }

    #[test]
    fn every_list_has_folded_phrases_only() {
        for phrase in LEXICON.values().flat_map(|list| &list.phrases).flatten() {
            let text = phrase.join(" ");
            assert!(!text.is_empty() && crate::text::fold(text.trim()) == text, "{text}");
        }
        assert_eq!((1..=12).filter(|month| MONTHS.values().any(|known| known == month)).count(), 12);
    }
}
