//! Places by their names: those of the table of [`place`], and those that `place-names.csv` adds from Unicode CLDR 48
//! (Unicode License v3) in German, French, Portuguese and Italian. A name of two places stays two places.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use snapshot::place::{self, NameKind, Place};
use snapshot::record::Locale;
use snapshot::text::normalized;

use crate::text::{data_rows, nearest as nearest_name};

/// Codes by folded name, or by the code of three letters.
static NAMES: LazyLock<BTreeMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut names: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for name in place::names() {
        let [code] = name.codes[..] else { continue };
        let is_code = name.kind == NameKind::Code;
        let key = if is_code { name.text.to_owned() } else { normalized(name.text) };
        let is_accepted = match name.kind {
            NameKind::Name | NameKind::Capitals | NameKind::Ambiguous => true,
            // The name of a state is not accepted, nor is a country of the same name.
            NameKind::Subdivision => names.contains_key(&key),
            // ISO 3166-1 alpha-3, only in capitals: no folded name looks like it.
            NameKind::Code => name.text.starts_with(char::is_alphabetic),
            _ => false,
        };
        if is_accepted {
            names.entry(key).or_default().push(code);
        }
    }
    for [code, texts] in data_rows(include_str!("place-names.csv")) {
        texts.split(';').for_each(|text| names.entry(normalized(text)).or_default().push(code));
    }
    for codes in names.values_mut() {
        codes.sort_unstable_by_key(|code| (code.len(), *code));
        codes.dedup();
    }
    names
});

/// The codes that a name, or a code of three letters, may mean.
pub(crate) fn named(name: &str) -> &'static [&'static str] {
    NAMES.get(&normalized(name)).or_else(|| NAMES.get(name)).map_or(&[], Vec::as_slice)
}

/// `write `GE` for Georgia, `US-GA` for the state`.
pub(crate) fn choice(codes: &[&str]) -> String {
    let named = codes.iter().map(|code| match place::find(code) {
        Some(place) if code.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("`{code}` for the region {}", place.name(Locale::En))
        }
        Some(place) => format!("`{code}` for {}", place.name(Locale::En)),
        None => format!("`{code}` for the state"),
    });
    format!("write {}", named.collect::<Vec<_>>().join(", "))
}

/// The place that was probably meant by what is no name: code and English name.
pub(crate) fn nearest(text: &str) -> Option<(&'static str, &'static str)> {
    let upper = text.trim().to_uppercase();
    let by_code = place::all().find(|place| place.code == upper);
    let mut states = place::names().iter().filter(|name| name.kind == NameKind::Subdivision);
    let state = states.find(|name| {
        let code = name.codes[0];
        code == upper || code.strip_prefix("US-") == Some(&*upper) || name.text.eq_ignore_ascii_case(text)
    });
    let state = state.map(|name| (name.codes[0], name.text));
    let both = |place: &'static Place| (place.code, place.name(Locale::En));
    by_code.map(both).or(state).or_else(|| {
        let name =
            nearest_name(&normalized(text), NAMES.keys().map(String::as_str).filter(|name| name.len() > 4))?;
        match NAMES.get(name)?.as_slice() {
            [code] => place::find(code).map(both),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_and_common_ones_are_one_place_in_six_languages() {
        for (name, code) in [
            ("ESPANA", "ES"),
            ("Turkey", "TR"),
            ("Côte d’Ivoire", "CI"),
            ("World", "001"),
            ("Allemagne", "DE"),
            ("Royaume-Uni", "GB"),
            ("Espanha", "ES"),
            ("Estados Unidos da América", "US"),
            ("Deutschland", "DE"),
            ("Stati Uniti", "US"),
            ("KEN", "KE"),
        ] {
            assert_eq!(named(name), [code], "{name}");
        }
        assert_eq!(named("per"), [""; 0], "a word, and not Peru");
    }

    #[test]
    fn a_name_of_two_places_is_none_of_them() {
        assert_eq!(named("Georgia"), ["GE", "US-GA"]);
        assert_eq!(choice(named("Georgia")), "write `GE` for Georgia, `US-GA` for the state");
        assert_eq!(named("Géorgie"), ["GE", "US-GA"]);
        for name in ["Congo", "Korea", "America", "Corea", "Virgin Islands", "Corée", "Amerika", "Granada"] {
            assert_eq!(named(name).len(), 2, "{name}");
        }
    }

    #[test]
    fn every_name_is_of_a_place_and_of_no_other_one_by_chance() {
        for [code, texts] in data_rows(include_str!("place-names.csv")) {
            assert!(place::is_place(code), "{code}");
            for text in texts.split(';') {
                let is_meant = ["Amerika", "Corée", "Coreia", "Géorgie", "Granada"].contains(&text);
                assert_eq!(named(text).len(), if is_meant { 2 } else { 1 }, "{text}");
            }
        }
    }

    #[test]
    fn a_state_and_a_slip_of_the_pen_are_proposed_and_not_taken() {
        assert_eq!(named("California"), [""; 0]);
        assert_eq!(nearest("California"), Some(("US-CA", "California")));
        assert_eq!(nearest("WI"), Some(("US-WI", "Wisconsin")));
        assert_eq!(nearest("Gemrany"), Some(("DE", "Germany")));
        assert_eq!(nearest("gb").map(|(code, _)| code), Some("GB"));
        assert_eq!(nearest("Atlantis"), None);
    }
}
