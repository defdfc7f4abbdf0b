//! Words with a role of their own in questions: small words that nobody looks for, months, and words
//! that are never taken for slips of others. Lists of this project.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::place;
use crate::record::Locale;
use crate::search::text::words_of;

/// Small words of English, folded, and what people say around a wish.
const ENGLISH: &str = "a an the and or of for to in on at by with from into about as is are was were be been am \
    i im me my we our us you your he she his her they their them it its this that these those there here who \
    whom which what where when how why do does did doing can could would should may might must shall has have \
    had having if so than then but not no nor any some such only own same too very just also both each more \
    most other over under up out off while during before after between through per via within without \
    looking look find finding search searching seeking seek want wants wanted need needs needing help please \
    give get getting show list available apply applying wish like interested hoping trying someone anyone \
    somebody something ones one money funding funds opportunity opportunities program programs programme \
    programmes pay paying afford become cannot little resident residents citizen citizens based people finished become becoming runs running makes making made attend attending thing \
    things way ways kind anything something hello thanks thank";

/// The same of Spanish.
const SPANISH: &str = "el la los las lo un una unos unas y e o u de del al a en con por para sin sobre entre hasta \
    desde segun mi mis tu tus su sus nuestro nuestra nuestros nuestras yo me te se nos le les que quien quienes \
    cual cuales como cuando donde cuanto es son era eran fue fueron ser soy somos estoy esta este estas estos \
    ese esa esos esas eso esto hay ha han he hemos tengo tiene tienen tener si no ni mas muy ya tambien pero \
    porque pues solo cada otro otra otros otras todo toda todos todas algun alguna algunos algunas busco \
    buscar buscamos buscando necesito necesita necesitamos quiero quiere queremos quisiera deseo puedo puede \
    pueden encontrar hacer obtener solicitar dame muestra ver contra siendo dinero \
    financiamiento financiacion fondos financia oportunidad oportunidades programa programas primer residentes ciudadanos personas ir \
    voy vamos vivo vivimos acabo algo alguien hola gracias";

/// Small words of both languages that are words of weight in the other one.
const TWO_FACED: &str = "sea era son has he once no me use do mas ser list ver look";

const MONTHS: &str = "january february march april may june july august september october november december \
    jan feb mar apr jun jul aug sep sept oct nov dec enero febrero marzo abril mayo junio julio agosto \
    septiembre setiembre octubre noviembre diciembre";

fn set(words: &'static str) -> FxHashSet<&'static str> {
    words.split_whitespace().collect()
}

static STOPS: LazyLock<[FxHashSet<&'static str>; 2]> = LazyLock::new(|| [set(ENGLISH), set(SPANISH)]);
static TWO: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| set(TWO_FACED));
static MONTH_SET: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| set(MONTHS));
static PLACE_WORDS: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let names = place::all().flat_map(|place| Locale::ALL.iter().map(|locale| place.name(*locale)));
    let demonyms = place::demonyms().map(|(_, name)| name);
    names.chain(demonyms).flat_map(words_of).collect()
});

/// Which words of a question are small words, by position. A word that is one in one language and of
/// weight in the other counts only beside another small word of its language and none of the other.
#[must_use]
pub fn stop_words(words: &[&str]) -> Vec<bool> {
    let plain = |language: usize, word: &str| STOPS[language].contains(word) && !TWO.contains(word);
    let only = |language: usize| {
        words.iter().any(|word| plain(language, word) && !STOPS[1 - language].contains(word))
    };
    let spoken = [only(0), only(1)];
    let is_stop = |word: &&str| {
        (0..2).any(|language| {
            plain(language, word)
                || STOPS[language].contains(*word) && spoken[language] && !spoken[1 - language]
        })
    };
    words.iter().map(is_stop).collect()
}

/// Whether a folded word is known without any record: it is no slip of another one.
#[must_use]
pub fn is_known_word(word: &str) -> bool {
    STOPS.iter().any(|words| words.contains(word)) || MONTH_SET.contains(word) || PLACE_WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(text: &str) -> Vec<String> {
        let words: Vec<&str> = text.split(' ').collect();
        let stop_words = stop_words(&words);
        words.iter().zip(stop_words).filter(|(_, stop)| *stop).map(|(word, _)| (*word).to_owned()).collect()
    }

    #[test]
    fn small_words_are_told_by_their_language() {
        assert_eq!(small("looking for grants in kenya"), ["looking", "for", "in"]);
        assert_eq!(small("busco becas para mi doctorado"), ["busco", "para", "mi"]);
        assert_eq!(small("grants from the sea"), ["from", "the"]);
        assert_eq!(small("becas que son para mujeres"), ["que", "son", "para"]);
        assert_eq!(small("songs for my son"), ["for", "my"]);
    }

    #[test]
    fn names_of_places_months_and_small_words_are_no_slips() {
        for word in ["peru", "nigeria", "kenyan", "peruano", "enero", "march", "para", "zimbabwe"] {
            assert!(is_known_word(word), "{word}");
        }
        assert!(!is_known_word("agriculutre"));
    }
}
