//! Places: countries (ISO 3166-1), regions (UN M49), subdivisions (ISO 3166-2), their names, and which
//! contains which. The tables are in `data/`: `places.csv`, `subdivisions.txt` and `place-names.csv`.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::LazyLock;

use crate::record::{Locale, words};
use crate::text::normalized;

/// A country or region.
#[derive(Debug)]
pub struct Place {
    /// ISO 3166-1 alpha-2, or three digits of M49.
    pub code: &'static str,
    /// In the order of [`Locale::ALL`], from CLDR.
    names: [&'static str; 2],
    /// ISO 3166-1 alpha-3 and numeric code of a country, empty for others.
    other_codes: [&'static str; 2],
    /// Codes of the regions that contain it, without itself.
    pub ancestors: Vec<&'static str>,
}

impl Place {
    /// Name in a language.
    pub fn name(&self, locale: Locale) -> &'static str {
        self.names[locale as usize]
    }
}

/// Sorted by code.
static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    let rows = include_str!("../data/places.csv").lines().skip(1);
    let places = rows.filter_map(|row| {
        let [code, _, english, spanish, alpha3, numeric, regions] = cells(row)?;
        let ancestors = regions.split(';').filter(|code| !code.is_empty()).collect();
        Some(Place { code, names: [english, spanish], other_codes: [alpha3, numeric], ancestors })
    });
    places.collect()
});

/// Codes of all places, sorted.
static CODES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let subdivisions = include_str!("../data/subdivisions.txt").split_ascii_whitespace();
    let mut codes: Vec<&str> = all().map(|place| place.code).chain(subdivisions).collect();
    codes.sort_unstable();
    codes
});

fn cells<const N: usize>(row: &'static str) -> Option<[&'static str; N]> {
    row.split(',').collect::<Vec<_>>().try_into().ok()
}

/// The whole world (UN M49).
pub const WORLD: &str = "001";

/// The country or region with this code.
pub fn find(code: &str) -> Option<&'static Place> {
    PLACES.binary_search_by_key(&code, |place| place.code).ok().map(|at| &PLACES[at])
}

/// Every country and region, by code.
pub fn all() -> impl Iterator<Item = &'static Place> {
    PLACES.iter()
}

words! {
    /// How people use a name of a place.
    NameKind {
        /// The name in CLDR, or another name of the place.
        Name = "name",
        /// Name of a subdivision: the English one, or in both languages; then the Spanish one; then others.
        Subdivision = "subdivision",
        /// A city, for the state or the country around it: records seldom state one.
        City = "city",
        /// Name of the people, folded, masculine and singular.
        Demonym = "demonym",
        /// An abbreviation; in small letters it may be another word.
        Capitals = "capitals",
        /// ISO 3166-1 alpha-3 or numeric code of a country.
        Code = "code",
        /// The name of several places, or single letters: found by `named`, but not in running text.
        Ambiguous = "ambiguous",
        /// More often another word, or the name of several places: a search only offers the place.
        Offered = "offered",
    }
}

/// A name of a place.
#[derive(Debug)]
pub struct PlaceName {
    /// The name as it is written.
    pub text: &'static str,
    /// How it is used.
    pub kind: NameKind,
    /// Code of the place; several codes for places that have one name together, such as the European Union.
    pub codes: Vec<&'static str>,
}

static NAMES: LazyLock<Vec<PlaceName>> = LazyLock::new(|| {
    let mut names = Vec::new();
    let mut add = |text, kind, codes: &'static str| {
        names.push(PlaceName { text, kind, codes: codes.split(' ').collect() });
    };
    for place in all() {
        Locale::ALL.iter().for_each(|locale| add(place.name(*locale), NameKind::Name, place.code));
    }
    for place in all() {
        let codes = place.other_codes.into_iter().filter(|code| !code.is_empty());
        codes.for_each(|code| add(code, NameKind::Code, place.code));
    }
    for row in include_str!("../data/place-names.csv").lines().skip(1) {
        let Some([codes, kind, texts]) = cells(row) else { continue };
        let kind = NameKind::parse(kind).unwrap_or(NameKind::Name);
        texts.split(';').for_each(|text| add(text, kind, codes));
    }
    names
});

/// Every name of every place, those of CLDR first.
pub fn names() -> &'static [PlaceName] {
    &NAMES
}

/// Positions in [`NAMES`] by normalized text.
static BY_TEXT: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, name) in NAMES.iter().enumerate() {
        by_text.entry(normalized(name.text)).or_default().push(at);
    }
    by_text
});

/// All readings of a name, whatever its case, accents and punctuation.
pub(crate) fn named(text: &str) -> impl Iterator<Item = &'static PlaceName> {
    BY_TEXT.get(&normalized(text)).into_iter().flatten().map(|at| &NAMES[*at])
}

/// The subdivisions of a country that a text names, if it begins with the name of one and does not name the country.
pub(crate) fn subdivisions_in(text: &str, country: &str) -> Vec<&'static str> {
    const WORDS: usize = 4;
    let text = normalized(text);
    let words: Vec<&str> = text.split(' ').collect();
    let is_within = |code: &str| code == country || code.split_once('-').is_some_and(|(of, _)| of == country);
    // The longest name that begins at a word: its length and its code.
    let name_at = |at: usize| {
        let of = |length: usize| {
            let names = words.get(at..at + length).map(|words| words.join(" ")).unwrap_or_default();
            let code = named(&names).flat_map(|name| &name.codes).copied().find(|code| is_within(code));
            code.map(|code| (length, code))
        };
        (1..=WORDS).rev().find_map(of)
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        match name_at(at) {
            Some((_, code)) if code == country => return Vec::new(),
            Some((length, code)) => {
                found.push(code);
                at += length;
            }
            None if at == 0 => return Vec::new(),
            None => at += 1,
        }
    }
    found
}

/// The name of a place in a language. A subdivision with one name has it in both.
pub(crate) fn label(code: &str, locale: Locale) -> Option<&'static str> {
    static SUBDIVISIONS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
        let mut names: HashMap<&str, Vec<&str>> = HashMap::new();
        for name in NAMES.iter().filter(|name| name.kind == NameKind::Subdivision) {
            names.entry(name.codes[0]).or_default().push(name.text);
        }
        names
    });
    let names = || SUBDIVISIONS.get(code)?.iter().take(locale as usize + 1).next_back().copied();
    find(code).map(|place| place.name(locale)).or_else(names)
}

/// The name of a place in a language, that of a subdivision with its country: `Georgia, United States`. A text that is
/// no code is its own name.
pub fn label_with_country(code: &str, locale: Locale) -> String {
    let country = code.split_once('-').and_then(|(country, _)| label(country, locale));
    let name = label(code, locale).unwrap_or(code);
    country.map_or_else(|| name.to_owned(), |country| format!("{name}, {country}"))
}

/// Whether a text is the code of a place.
pub fn is_place(text: &str) -> bool {
    Code::new(text).is_some()
}

/// The code of a place as a number, ordered as its text: results hold hundreds of values that may be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(u16);

impl Code {
    /// The code with this text; `None` if no place has it.
    pub fn new(text: &str) -> Option<Self> {
        CODES.binary_search(&text).ok().map(|at| Self(at as u16))
    }
}

/// The code in use here of a country that is named by its alpha-3 or numeric code.
pub(crate) fn canonical(code: &str) -> Option<&'static str> {
    named(code).find(|name| name.kind == NameKind::Code && name.text == code).map(|name| name.codes[0])
}

impl Deref for Code {
    type Target = str;

    fn deref(&self) -> &str {
        CODES[usize::from(self.0)]
    }
}

/// The place itself and every place that contains it. A text that is no code contains only itself.
pub(crate) fn with_ancestors(text: &str) -> impl Iterator<Item = &str> {
    let country = text.split_once('-').filter(|_| is_place(text)).and_then(|(country, _)| find(country));
    let regions = find(text).or(country).map_or(&[][..], |place| &place.ancestors);
    std::iter::once(text).chain(country.map(|country| country.code)).chain(regions.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_the_subdivisions_of_a_country_with_which_it_begins() {
        for (text, country, expected) in [
            ("Pennsylvania state programme", "US", &["US-PA"][..]),
            ("West Virginia only", "US", &["US-WV"]),
            ("California, Oregon and Washington", "US", &["US-CA", "US-OR", "US-WA"]),
            ("Texas hosts; applicants from anywhere in the United States", "US", &[]),
            ("US-only applicant types", "US", &[]),
            ("Residents of Pennsylvania", "US", &[]),
            ("Pennsylvania", "CA", &[]),
            ("", "US", &[]),
        ] {
            assert_eq!(subdivisions_in(text, country), expected, "{text}");
        }
    }

    #[test]
    fn every_name_is_of_a_place_and_has_a_text() {
        for name in names() {
            let is_of_places = name.codes.iter().all(|code| is_place(code));
            assert!(is_of_places && !normalized(name.text).is_empty(), "{name:?}");
        }
        assert_eq!(named("european union").flat_map(|name| &name.codes).count(), 27);
    }

    #[test]
    fn a_name_is_known_in_both_languages_and_by_each_code_of_a_country() {
        for (text, code, kind) in [
            ("PERUVIAN", "PE", NameKind::Demonym),
            ("peruano", "PE", NameKind::Demonym),
            ("República de Corea", "KR", NameKind::Name),
            ("Arabia Saudita", "SA", NameKind::Name),
            ("Myanmar", "MM", NameKind::Name),
            ("Inglaterra", "GB-ENG", NameKind::Subdivision),
            ("Côte d’Ivoire", "CI", NameKind::Name),
            ("U.K.", "GB", NameKind::Ambiguous),
            ("uk", "GB", NameKind::Name),
            ("us", "US", NameKind::Capitals),
            ("gbr", "GB", NameKind::Code),
            ("826", "GB", NameKind::Code),
        ] {
            let found: Vec<_> = named(text).filter(|name| name.kind == kind).collect();
            assert!(!found.is_empty() && found.iter().all(|name| name.codes == [code]), "{text}: {found:?}");
        }
    }

    #[test]
    fn each_code_of_a_country_stands_for_the_one_in_use() {
        let codes = [("840", Some("US")), ("USA", Some("US")), ("US", None), ("usa", None), ("", None)];
        for (given, expected) in codes {
            assert_eq!(canonical(given), expected, "{given}");
        }
        let is_used = |place: &Place| place.other_codes.iter().all(|code| !is_place(code));
        assert!(all().all(is_used), "no code means two places");
    }

    #[test]
    fn a_name_of_several_places_has_all_its_readings() {
        for (text, expected) in [
            ("Congo", vec!["CD", "CG"]),
            ("Georgia", vec!["GE", "US-GA"]),
            ("america", vec!["019", "US"]),
            ("korea", vec!["KP", "KR"]),
        ] {
            let mut codes: Vec<&str> = named(text).flat_map(|name| &name.codes).copied().collect();
            codes.sort_unstable();
            codes.dedup();
            assert_eq!(codes, expected, "{text}");
        }
    }

    #[test]
    fn a_name_is_of_one_place_unless_it_is_offered() {
        for name in names().iter().filter(|name| name.kind == NameKind::Name) {
            let is_one = |other: &PlaceName| other.kind != NameKind::Name || other.codes == name.codes;
            let is_offered = named(name.text).any(|other| other.kind == NameKind::Offered);
            assert!(is_offered || named(name.text).all(is_one), "{name:?}");
        }
    }

    #[test]
    fn a_place_has_a_label_in_each_language() {
        for (code, english, spanish) in [
            ("ES", "Spain", "España"),
            ("US-PA", "Pennsylvania", "Pensilvania"),
            ("US-OH", "Ohio", "Ohio"),
            ("US-DC", "District of Columbia", "Distrito de Columbia"),
        ] {
            let expected = [Some(english), Some(spanish)];
            assert_eq!([label(code, Locale::En), label(code, Locale::Es)], expected, "{code}");
        }
        assert_eq!(label("Narnia", Locale::En), None);
        assert_eq!(label_with_country("US-GA", Locale::Es), "Georgia, Estados Unidos");
        assert_eq!(label_with_country("GE", Locale::En), "Georgia");
    }

    #[test]
    fn codes_are_ordered_as_their_texts_and_lie_in_a_known_country() {
        assert!(Code::new("AR-B") < Code::new("AR-C") && Code::new("AR") < Code::new("AR-B"));
        assert!(CODES.iter().all(|text| Code::new(text).as_deref() == Some(text)));
        assert!(CODES.iter().all(|text| find(text.split('-').next().unwrap()).is_some()));
    }

    #[test]
    fn only_codes_are_places() {
        for code in ["NG", "002", "419", "US-NV", "MX-CMX"] {
            assert!(is_place(code), "{code}");
        }
        for code in ["ng", "Nigeria", "999", "001-X", "US-", "US-ABCD", "US-é", "", "US-ZZ", "ZZ-1", "US-pa"]
        {
            assert!(!is_place(code), "{code}");
        }
    }
}
