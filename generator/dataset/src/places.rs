//! Places by their names: those of the table of [`place`], and those that `place-names.csv` adds from Unicode CLDR 48
//! (Unicode License v3) in German, French, Portuguese and Italian. A name of two places stays two places.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use snapshot::place::{self, NameKind, Place};
use snapshot::record::Locale;
use snapshot::text::normalized;

use crate::text::{data_rows, nearest as nearest_name};

/// Codes by folded name.
static NAMES: LazyLock<BTreeMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut names: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for name in place::names() {
        let [code] = name.codes[..] else { continue };
        let codes = match name.kind {
            NameKind::Name | NameKind::Capitals | NameKind::Ambiguous => {
                names.entry(normalized(name.text)).or_default()
            }
            // The name of a state is not accepted, nor is a country of the same name.
            NameKind::Subdivision => match names.get_mut(&normalized(name.text)) {
                Some(codes) => codes,
                None => continue,
            },
            _ => continue,
        };
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    for [code, texts] in data_rows(include_str!("place-names.csv")) {
        for text in texts.split(';') {
            let codes = names.entry(normalized(text)).or_default();
            codes.extend((!codes.contains(&code)).then_some(code));
        }
    }
    names.values_mut().for_each(|codes| codes.sort_unstable_by_key(|code| (code.len(), *code)));
    names
});

/// The codes that a name may mean.
pub(crate) fn named(name: &str) -> &'static [&'static str] {
    NAMES.get(&normalized(name)).map_or(&[], Vec::as_slice)
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
        let names = "ES ESPANA|TR Turkey|CI Côte d’Ivoire|001 World|DE Allemagne|GB Royaume-Uni|ES Espanha|\
                     US Estados Unidos da América|DE Deutschland|US Stati Uniti";
        for (code, name) in names.split('|').filter_map(|name| name.split_once(' ')) {
            assert_eq!(named(name), [code], "{name}");
        }
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
