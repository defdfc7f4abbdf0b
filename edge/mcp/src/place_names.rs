//! What people call places besides their names in CLDR: everyday names, codes of three letters, and the
//! codes of three digits that countries have in M49.

use std::collections::HashMap;
use std::sync::LazyLock;

/// ISO 3166-1 alpha-2, alpha-3 and numeric codes, a country a line.
const COUNTRIES: &str = include_str!("countries.txt");

/// States of the European Union, which has no code in M49.
const UNION: &str = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK";

/// Names, folded, and what they stand for: codes with spaces between them are meant together. A name
/// that is there more than once has several readings.
#[rustfmt::skip]
const NAMES: [(&str, &str); 58] = [
    ("america", "019"), ("america", "US"), ("bolivia", "BO"), ("britain", "GB"), ("brunei", "BN"),
    ("burma", "MM"), ("cape verde", "CV"), ("china", "CN"), ("congo", "CD"), ("congo", "CG"),
    ("czech republic", "CZ"), ("dr congo", "CD"), ("drc", "CD"), ("east timor", "TL"), ("ee uu", "US"),
    ("eeuu", "US"), ("england", "GB-ENG"), ("escocia", "GB-SCT"), ("eu", UNION), ("european union", UNION),
    ("gales", "GB-WLS"), ("gran bretana", "GB"), ("great britain", "GB"), ("holanda", "NL"),
    ("holland", "NL"), ("hong kong", "HK"), ("inglaterra", "GB-ENG"), ("irlanda del norte", "GB-NIR"),
    ("ivory coast", "CI"), ("korea", "KP"), ("korea", "KR"), ("latam", "419"), ("macau", "MO"),
    ("macedonia", "MK"), ("north korea", "KP"), ("northern ireland", "GB-NIR"), ("palestine", "PS"),
    ("republica checa", "CZ"), ("republic of ireland", "IE"), ("republic of korea", "KR"), ("russia", "RU"),
    ("scotland", "GB-SCT"), ("south korea", "KR"), ("swaziland", "SZ"), ("syria", "SY"), ("taiwan", "TW"),
    ("tanzania", "TZ"), ("the netherlands", "NL"), ("turkey", "TR"), ("u k", "GB"), ("u s", "US"),
    ("u s a", "US"), ("uae", "AE"), ("uk", "GB"), ("ue", UNION), ("union europea", UNION),
    ("united states of america", "US"), ("wales", "GB-WLS"),
];

static CODES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let rows = COUNTRIES.lines().filter_map(|row| {
        let mut codes = row.split(' ');
        Some((codes.next()?, codes.next()?, codes.next()?))
    });
    rows.flat_map(|(code, letters, digits)| [(letters.to_lowercase(), code), (digits.to_owned(), code)])
        .collect()
});

/// What a folded name, or a code in small letters, may stand for; each reading is a list of codes.
pub(super) fn readings(name: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let named = NAMES.iter().filter(move |(known, _)| *known == name).map(|(_, codes)| *codes);
    named.chain(CODES.get(name).copied()).map(|codes| codes.split(' ').collect())
}

#[cfg(test)]
mod tests {
    use snapshot::place;
    use snapshot::search::fold;

    use super::*;

    #[test]
    fn names_and_codes_stand_for_places_that_there_are() {
        for (name, codes) in NAMES {
            assert_eq!(fold(name), name);
            assert!(codes.split(' ').all(place::is_place), "{name}");
        }
        assert!(CODES.values().all(|code| place::find(code).is_some()));
        assert_eq!(UNION.split(' ').count(), 27);
    }

    #[test]
    fn a_country_is_known_by_each_of_its_codes() {
        for (name, expected) in [
            ("uk", vec![vec!["GB"]]),
            ("gbr", vec![vec!["GB"]]),
            ("826", vec![vec!["GB"]]),
            ("korea", vec![vec!["KP"], vec!["KR"]]),
            ("narnia", vec![]),
        ] {
            assert_eq!(readings(name).collect::<Vec<_>>(), expected, "{name}");
        }
    }
}
