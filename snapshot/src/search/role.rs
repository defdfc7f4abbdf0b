//! Roles of places: whether the words around the name of a place make it a destination, a citizenship or a residence.
//! Only ranked searches read roles; a place without one is anything that names it.

use std::sync::LazyLock;

use compact_str::CompactString;
use rustc_hash::FxHashSet;

use crate::facet::Facet;
use crate::search::entities;
use crate::search::lexicon::{self, starting};
use crate::search::synonyms::label_keys;

/// The lists of cues, and the role that each gives.
const ROLES: [(&str, Facet); 3] = [
    ("destination", Facet::Destinations),
    ("citizenship", Facet::Citizenships),
    ("residence", Facet::Residences),
];

/// Keys of words for people and bodies that apply.
static PEOPLE: LazyLock<FxHashSet<CompactString>> = LazyLock::new(|| keys_of_list("people"));
/// Keys of words for places of study and work.
static VENUES: LazyLock<FxHashSet<CompactString>> = LazyLock::new(|| keys_of_list("venue"));

/// Keys of the words of a list.
fn keys_of_list(list: &str) -> FxHashSet<CompactString> {
    lexicon::words(list).flat_map(|word| label_keys(&[word])).collect()
}

fn is_of(set: &FxHashSet<CompactString>, word: &str) -> bool {
    label_keys(&[word]).iter().any(|key| set.contains(key))
}

/// Whether a word is one for people or bodies that apply.
pub(super) fn is_applicant(word: &str) -> bool {
    is_of(&PEOPLE, word)
}

/// How the place that some words name is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The facet that it is meant for; without one it is anything that names it.
    pub role: Option<Facet>,
    /// Whether every other place is meant: `outside Spain`.
    pub is_outside: bool,
    /// Number of words before the place that only say who applies from where, articles included.
    pub before: usize,
    /// The same after the place.
    pub after: usize,
}

impl Reading {
    fn of(role: Option<Facet>) -> Self {
        Self { role, ..Self::default() }
    }

    /// A reading by words that say nothing else if the role is one of applicants: `research in` Japan does.
    fn by_cue(role: Facet, before: usize, after: usize) -> Self {
        let is_idle = role != Facet::Destinations;
        let [before, after] = [before, after].map(|length| if is_idle { length } else { 0 });
        Self { before, after, ..Self::of(Some(role)) }
    }
}

/// Number of words of the longest phrase of a list that ends the words before a place.
fn ending(before: &[&str], list: &str) -> Option<usize> {
    lexicon::phrases(list).filter(|phrase| before.ends_with(phrase)).map(Vec::len).max()
}

/// Number of words before a value that mean every record without it, articles included: `not for`, `que no sean`.
pub(crate) fn negation(words: &[CompactString], start: usize) -> usize {
    let before: Vec<&str> = words[..start.min(words.len())].iter().map(CompactString::as_str).collect();
    let articles = before.iter().rev().take_while(|word| lexicon::has("article", word)).count();
    ending(&before[..before.len() - articles], "without-value").map_or(0, |length| length + articles)
}

/// How the place that `length` words from `start` on name is meant.
pub(crate) fn reading_of(words: &[CompactString], start: usize, length: usize) -> Reading {
    let words: Vec<&str> = words.iter().map(CompactString::as_str).collect();
    let Some((before, rest)) = words.split_at_checked(start) else { return Reading::default() };
    let Some((name, after)) = rest.split_at_checked(length) else { return Reading::default() };
    let articles = before.iter().rev().take_while(|word| lexicon::has("article", word)).count();
    let before = &before[..before.len() - articles];
    let after_cue =
        ROLES.iter().filter_map(|(list, role)| Some((starting(after, &format!("{list}-after"))?, *role)));
    let after_cue = after_cue.max_by_key(|(length, _)| *length);
    let is_people = entities::is_people(name);
    if let Some(outside) = outside(before, articles, after_cue, is_people) {
        return outside;
    }
    if let Some((length, role)) = after_cue {
        let same = ROLES.iter().find(|(_, other)| *other == role);
        let before = same.and_then(|(list, _)| ending(before, &format!("{list}-before")));
        return Reading::by_cue(role, before.map_or(0, |before| before + articles), length);
    }
    if is_people && ending(before, "citizenship-before").is_none() {
        return Reading::of(role_of_people(before, after));
    }
    let is_applicant = before.iter().rev().nth(1).is_some_and(|ahead| is_applicant(ahead));
    let is_last_of = |list: &str| before.last().is_some_and(|last| lexicon::has(list, last));
    let cues =
        ROLES.iter().filter_map(|(list, role)| Some((ending(before, &format!("{list}-before"))?, *role)));
    match cues.max_by_key(|(length, _)| *length) {
        Some((length @ 2.., role)) => Reading::by_cue(role, length + articles, 0),
        _ if is_applicant && is_last_of("place-in") => Reading::of(Some(Facet::Residences)),
        _ if is_applicant && is_last_of("place-of") => Reading::of(Some(Facet::Citizenships)),
        Some((length, role)) => Reading::by_cue(role, length + articles, 0),
        None => Reading::default(),
    }
}

/// The reading of a place after `outside` or `not from`. `non` and `no` stand before a people or a citizen only.
fn outside(
    before: &[&str],
    articles: usize,
    after_cue: Option<(usize, Facet)>,
    is_people: bool,
) -> Option<Reading> {
    let after = after_cue.filter(|(_, role)| *role != Facet::Destinations);
    let reading = |role, length: usize| Reading {
        role: Some(role),
        is_outside: true,
        before: length + articles,
        after: after.map_or(0, |(length, _)| length),
    };
    if let Some(length) = ending(before, "outside-citizenship") {
        return Some(reading(Facet::Citizenships, length));
    }
    let by_people = ending(before, "outside-people").filter(|_| is_people);
    let by_cue = ["outside-people", "outside-after"].iter().filter_map(|list| ending(before, list));
    if let Some(length) = by_people.or_else(|| by_cue.max().filter(|_| after.is_some())) {
        return Some(reading(after.map_or(Facet::Citizenships, |(_, role)| role), length));
    }
    let length = ending(before, "outside")?;
    let ahead = &before[..before.len() - length];
    // `Living in` gives residence, and so does `living outside`.
    let verbs = lexicon::phrases("residence-before").filter_map(|phrase| phrase.split_last());
    let verbs = verbs.map(|(_, verb)| verb).filter(|verb| !verb.is_empty() && ahead.ends_with(verb));
    match verbs.map(<[&str]>::len).max() {
        Some(verb) => Some(reading(Facet::Residences, length + verb)),
        None => Some(reading(Facet::Destinations, length)),
    }
}

/// The role of the name of a people: `a German university` is a destination, `Kenyan students` and `para peruanos`
/// are citizenships, and `Chinese medicine` is neither.
fn role_of_people(before: &[&str], after: &[&str]) -> Option<Facet> {
    let beside = [before.last(), after.first()].into_iter().flatten();
    if beside.clone().any(|word| is_of(&VENUES, word)) {
        return Some(Facet::Destinations);
    }
    let is_people = beside.clone().any(|word| is_applicant(word));
    let is_alone = after.first().is_none_or(|next| lexicon::is_stop_word(next));
    let is_language = before.last().is_some_and(|word| lexicon::has("place-in", word));
    (is_people || is_alone && !is_language).then_some(Facet::Citizenships)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words_of;

    fn reading(text: &str, name: &str) -> Reading {
        let words: Vec<CompactString> = words_of(text).into_iter().map(CompactString::from).collect();
        let name = words_of(name);
        let start = words.windows(name.len()).position(|run| run == name.as_slice()).unwrap();
        reading_of(&words, start, name.len())
    }

    fn role(text: &str, name: &str) -> Option<Facet> {
        reading(text, name).role
    }

    #[test]
    fn the_words_around_a_place_give_its_role_in_both_languages() {
        let (to, by, at) = (Facet::Destinations, Facet::Citizenships, Facet::Residences);
        for (text, name, expected) in [
            ("study in Germany", "Germany", Some(to)),
            ("scholarships to the United States", "United States", Some(to)),
            ("master at a German university", "German", Some(to)),
            ("estudiar en Chile", "Chile", Some(to)),
            ("doctorado en una universidad alemana", "alemana", Some(to)),
            ("viajar a la Argentina", "Argentina", Some(to)),
            ("grants for Kenyans", "Kenyans", Some(by)),
            ("Kenyan", "Kenyan", Some(by)),
            ("Kenyan students", "Kenyan", Some(by)),
            ("I am from Kenya", "Kenya", Some(by)),
            ("citizen of Ghana", "Ghana", Some(by)),
            ("Ghana nationals", "Ghana", Some(by)),
            ("becas para peruanos", "peruanos", Some(by)),
            ("soy de Bolivia", "Bolivia", Some(by)),
            ("ciudadana india", "india", Some(by)),
            ("pasaporte chileno", "chileno", Some(by)),
            ("estudiantes de Bolivia", "Bolivia", Some(by)),
            ("ciudadana de Ecuador", "Ecuador", Some(by)),
            ("estudiante mexicana", "mexicana", Some(by)),
            ("nonprofits based in Ohio", "Ohio", Some(at)),
            ("residents of Peru", "Peru", Some(at)),
            ("Peru residents", "Peru", Some(at)),
            ("I am living in Spain", "Spain", Some(at)),
            ("farmers in Uganda", "Uganda", Some(at)),
            ("residentes en España", "España", Some(at)),
            ("vivo en Colombia", "Colombia", Some(at)),
            ("mujeres en Ghana", "Ghana", Some(at)),
            ("Chile", "Chile", None),
            ("Serbia", "Serbia", None),
            ("research in Japan", "Japan", Some(to)),
            ("doctorado en Chile", "Chile", Some(to)),
            ("history of Japan", "Japan", None),
            ("Chinese medicine", "Chinese", None),
            ("courses in Spanish", "Spanish", None),
            ("clases en español", "español", None),
            ("in in in", "in", None),
        ] {
            assert_eq!(role(text, name), expected, "{text}");
        }
    }

    #[test]
    fn two_places_of_a_question_have_roles_of_their_own() {
        let text = "soy peruana y busco un doctorado en Francia";
        assert_eq!(role(text, "peruana"), Some(Facet::Citizenships));
        assert_eq!(role(text, "Francia"), Some(Facet::Destinations));
        let text = "Nigerian nurses based in Ireland who want to study in Norway";
        assert_eq!(role(text, "Nigerian"), Some(Facet::Citizenships));
        assert_eq!(role(text, "Ireland"), Some(Facet::Residences));
        assert_eq!(role(text, "Norway"), Some(Facet::Destinations));
    }

    #[test]
    fn words_for_every_other_place_are_read_in_both_languages() {
        let (to, by, at) = (Facet::Destinations, Facet::Citizenships, Facet::Residences);
        for (text, name, expected) in [
            ("study outside the United States", "United States", Some(to)),
            ("nonprofits based outside of California", "California", Some(at)),
            ("becas fuera de España", "España", Some(to)),
            ("vivo fuera de España", "España", Some(at)),
            ("grants for non US citizens", "US", Some(by)),
            ("students not from Kenya", "Kenya", Some(by)),
            ("becas para no estadounidenses", "estadounidenses", Some(by)),
            ("becas que no sean de Chile", "Chile", Some(by)),
            ("I am not a US citizen", "US", Some(by)),
            ("students without US citizenship", "US", Some(by)),
            ("not a national of Kenya", "Kenya", Some(by)),
            ("no soy ciudadano estadounidense", "estadounidense", Some(by)),
            ("becas sin ser ciudadana de Chile", "Chile", Some(by)),
            ("para quien no es ciudadano de Chile", "Chile", Some(by)),
            ("a doctorate without German", "German", None),
            ("not a grant in Kenya", "Kenya", None),
            ("no money in Chile", "Chile", None),
            ("farmers in Kenya", "Kenya", None),
        ] {
            let reading = reading(text, name);
            assert_eq!(reading.role.filter(|_| reading.is_outside), expected, "{text}");
        }
    }

    #[test]
    fn only_words_for_applicants_are_cues_without_meaning_of_their_own() {
        for (text, name, expected) in [
            ("residente en California", "California", (2, 0)),
            ("grants for Indian citizens", "Indian", (0, 1)),
            ("becas para ciudadanas de la Argentina", "Argentina", (3, 0)),
            ("based outside the US", "US", (3, 0)),
            ("research in Japan", "Japan", (0, 0)),
            ("Kenyan students", "Kenyan", (0, 0)),
            ("German university", "German", (0, 0)),
        ] {
            let reading = reading(text, name);
            assert_eq!((reading.before, reading.after), expected, "{text}");
        }
    }
}
