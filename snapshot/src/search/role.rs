//! Roles of places: whether the words around the name of a place make it a destination, a citizenship or a residence.
//! Only ranked searches read roles; a place without one is anything that names it.

use std::sync::LazyLock;

use compact_str::CompactString;
use rustc_hash::FxHashSet;

use crate::facet::Facet;
use crate::search::synonyms::label_keys;
use crate::search::{entities, lexicon};

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
/// Keys of the words of a list, and of their plurals. Stems would take `research` for `researcher`.
fn keys_of_list(list: &str) -> FxHashSet<CompactString> {
    let forms = lexicon::words(list).flat_map(|word| [word.to_owned(), format!("{word}s")]);
    forms.flat_map(|word| label_keys(&[word])).collect()
}

fn is_of(set: &FxHashSet<CompactString>, words: &[&str]) -> bool {
    label_keys(words).iter().any(|key| set.contains(key))
}

/// The role of the place that `length` words from `start` on name: the facet of places that it is meant for.
#[must_use]
pub fn role_of(words: &[CompactString], start: usize, length: usize) -> Option<Facet> {
    let words: Vec<&str> = words.iter().map(CompactString::as_str).collect();
    let (before, rest) = words.split_at_checked(start)?;
    let (name, after) = rest.split_at_checked(length)?;
    let articles = before.iter().rev().take_while(|word| lexicon::has("article", word)).count();
    let before = &before[..before.len() - articles];
    let is_people = |word: Option<&&str>| word.is_some_and(|word| is_of(&PEOPLE, &[word]));
    let follows = |list: &str| lexicon::phrases(list).any(|phrase| after.starts_with(phrase));
    let after_cue = ROLES.iter().find(|(list, _)| follows(&format!("{list}-after")));
    if let Some((_, role)) = after_cue {
        return Some(*role);
    }
    if entities::is_people(name) {
        return role_of_people(before, after);
    }
    let (ahead, last) = (before.iter().rev().nth(1), before.last()?);
    if is_people(ahead) && lexicon::has("place-in", last) {
        return Some(Facet::Residences);
    }
    if is_people(ahead) && lexicon::has("place-of", last) {
        return Some(Facet::Citizenships);
    }
    let longest = |list: &str| {
        let ending = lexicon::phrases(list).filter(|phrase| before.ends_with(phrase));
        ending.map(Vec::len).max().unwrap_or(0)
    };
    let cues = ROLES.iter().map(|(list, role)| (longest(&format!("{list}-before")), *role));
    cues.max_by_key(|(length, _)| *length).filter(|(length, _)| *length > 0).map(|(_, role)| role)
}

/// The role of the name of a people: `a German university` is a destination, `Kenyan students` and `para peruanos`
/// are citizenships, and `Chinese medicine` is neither.
fn role_of_people(before: &[&str], after: &[&str]) -> Option<Facet> {
    let beside = [before.last(), after.first()].into_iter().flatten();
    if beside.clone().any(|word| is_of(&VENUES, &[word])) {
        return Some(Facet::Destinations);
    }
    let is_people = beside.clone().any(|word| is_of(&PEOPLE, &[word]));
    let is_alone = after.first().is_none_or(|next| lexicon::is_stop_word(next));
    let is_language = before.last().is_some_and(|word| lexicon::has("place-in", word));
    (is_people || is_alone && !is_language).then_some(Facet::Citizenships)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words_of;

    fn role(text: &str, name: &str) -> Option<Facet> {
        let words: Vec<CompactString> = words_of(text).into_iter().map(CompactString::from).collect();
        let name = words_of(name);
        let start = words.windows(name.len()).position(|run| run == name.as_slice()).unwrap();
        role_of(&words, start, name.len())
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
}
