//! Places by their names: the exact name of CLDR in English or Spanish and a short list of names that
//! everybody writes. A name of two places stays two places.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use snapshot::place::{self, Place};
use snapshot::record::Locale;

use crate::text::{folded, nearest as nearest_name};

/// Names that are in no list of CLDR and mean one place.
const OTHERS: &str = "\
uk GB|u k GB|great britain GB|gran bretana GB|usa US|u s US|u s a US|united states of america US|\
estados unidos de america US|eeuu US|ee uu US|uae AE|holland NL|holanda NL|czech republic CZ|\
republica checa CZ|ivory coast CI|costa de marfil CI|cape verde CV|burma MM|swaziland SZ|macedonia MK|\
east timor TL|turkey TR|turquia TR|viet nam VN|russian federation RU|republic of korea KR|worldwide 001|\
global 001|todo el mundo 001";

/// Names of two places, whatever the lists say.
const AMBIGUOUS: [(&str, &[&str]); 5] = [
    ("america", &["US", "019"]),
    ("congo", &["CG", "CD"]),
    ("korea", &["KR", "KP"]),
    ("corea", &["KR", "KP"]),
    ("virgin islands", &["VG", "VI"]),
];

/// Codes by folded name.
static NAMES: LazyLock<BTreeMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut names: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    let mut add = |name: &str, code: &'static str| {
        let codes = names.entry(folded(name)).or_default();
        if !codes.contains(&code) {
            codes.push(code);
        }
    };
    for place in place::all() {
        Locale::ALL.iter().for_each(|locale| add(place.name(*locale), place.code));
    }
    for (name, code) in OTHERS.split('|').filter_map(|other| other.rsplit_once(' ')) {
        add(name, code);
    }
    // A state is not understood by its name, but a country of that name is not either.
    for (code, name) in place::subdivisions() {
        if let Some(codes) = names.get_mut(&folded(name)) {
            codes.push(code);
        }
    }
    for (name, codes) in AMBIGUOUS {
        names.insert(name.to_owned(), codes.to_vec());
    }
    names.values_mut().for_each(|codes| codes.sort_unstable_by_key(|code| (code.len(), *code)));
    names
});

/// The codes that a name may mean.
pub(crate) fn named(name: &str) -> &'static [&'static str] {
    NAMES.get(&folded(name)).map_or(&[], Vec::as_slice)
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
    let state = place::subdivisions().find(|(code, name)| *code == upper || name.eq_ignore_ascii_case(text));
    let both = |place: &'static Place| (place.code, place.name(Locale::En));
    by_code.map(both).or(state).or_else(|| {
        let name =
            nearest_name(&folded(text), NAMES.keys().map(String::as_str).filter(|name| name.len() > 4))?;
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
    fn exact_names_in_both_languages_and_common_ones_are_one_place() {
        for (name, code) in [
            ("Spain", "ES"),
            ("España", "ES"),
            ("ESPANA", "ES"),
            ("UK", "GB"),
            ("U.S.A.", "US"),
            ("Türkiye", "TR"),
            ("Turkey", "TR"),
            ("Côte d’Ivoire", "CI"),
            ("Africa", "002"),
            ("World", "001"),
        ] {
            assert_eq!(named(name), [code], "{name}");
        }
    }

    #[test]
    fn a_name_of_two_places_is_none_of_them() {
        assert_eq!(named("Georgia"), ["GE", "US-GA"]);
        assert_eq!(choice(named("Georgia")), "write `GE` for Georgia, `US-GA` for the state");
        for name in ["Congo", "Korea", "America", "Corea", "Virgin Islands"] {
            assert_eq!(named(name).len(), 2, "{name}");
        }
    }

    #[test]
    fn a_state_and_a_slip_of_the_pen_are_proposed_and_not_taken() {
        assert_eq!(named("California"), [""; 0]);
        assert_eq!(nearest("California"), Some(("US-CA", "California")));
        assert_eq!(nearest("Gemrany"), Some(("DE", "Germany")));
        assert_eq!(nearest("gb").map(|(code, _)| code), Some("GB"));
        assert_eq!(nearest("Atlantis"), None);
    }
}
