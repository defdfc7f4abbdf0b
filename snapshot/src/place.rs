//! Places: countries (ISO 3166-1), regions (UN M49), subdivisions (ISO 3166-2), their names and
//! what contains what. The tables are `data/places.csv` and `data/subdivisions.csv`; their notices are
//! beside them.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::LazyLock;

use crate::record::Locale;

/// A country or region of the table.
#[derive(Debug)]
pub struct Place {
    /// ISO 3166-1 alpha-2 or three M49 digits.
    pub code: &'static str,
    english: &'static str,
    spanish: &'static str,
    /// Codes of the regions that contain it, widest or narrowest first, without itself.
    pub ancestors: Vec<&'static str>,
}

static PLACES: LazyLock<HashMap<&'static str, Place>> = LazyLock::new(|| {
    let rows = include_str!("../data/places.csv").lines().skip(1);
    let places = rows.filter_map(|row| {
        let mut cells = row.split(',');
        let (code, _kind) = (cells.next()?, cells.next()?);
        let (english, spanish, within) = (cells.next()?, cells.next()?, cells.next()?);
        let ancestors = within.split(';').filter(|code| !code.is_empty()).collect();
        Some((code, Place { code, english, spanish, ancestors }))
    });
    places.collect()
});

/// Subdivisions of each country, sorted: what follows the hyphen of their codes.
static SUBDIVISIONS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let rows = include_str!("../data/subdivisions.csv").lines().skip(1);
    let countries = rows.filter_map(|row| row.split_once(','));
    countries.map(|(country, parts)| (country, parts.split(';').collect())).collect()
});

impl Place {
    /// Name in a language, from CLDR.
    #[must_use]
    pub fn name(&self, locale: Locale) -> &'static str {
        match locale {
            Locale::En => self.english,
            Locale::Es => self.spanish,
        }
    }
}

/// The country or region with this code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Place> {
    PLACES.get(code)
}

/// Every country and region, in no particular order.
pub fn all() -> impl Iterator<Item = &'static Place> {
    PLACES.values()
}

static DEMONYMS: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let rows = include_str!("../data/demonyms.txt").lines();
    let names = rows.filter_map(|row| row.split_once(' ')).flat_map(|(code, names)| {
        // The last word is the Spanish one; several of a language are separated by commas, and a name
        // of two words is English.
        let (english, spanish) = names.rsplit_once(' ').unwrap_or((names, names));
        english.split(',').chain(spanish.split(',')).map(move |name| (code, name))
    });
    names.collect()
});

/// What people from a place are called, in English and Spanish, folded, masculine and singular: code
/// and name.
pub fn demonyms() -> impl Iterator<Item = (&'static str, &'static str)> {
    DEMONYMS.iter().copied()
}

/// Subdivisions that people name: ISO 3166-2 code and name.
pub fn subdivisions() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("../data/subdivision-names.txt").lines().filter_map(|row| row.split_once(' '))
}

/// The country of an ISO 3166-2 code such as `US-PA`, when it is one.
#[must_use]
pub fn country_of_subdivision(code: &str) -> Option<&'static Place> {
    let (country, part) = code.split_once('-')?;
    SUBDIVISIONS.get(country)?.binary_search(&part).ok()?;
    find(country)
}

/// Whether a place filter or a record may name it.
#[must_use]
pub fn is_place(code: &str) -> bool {
    find(code).is_some() || country_of_subdivision(code).is_some()
}

/// The code of a place, held without a string of its own: answers have hundreds of values that may be
/// one. Sorted as its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code {
    text: [u8; Self::MOST],
    length: u8,
}

impl Code {
    /// Length of the longest, a subdivision such as `GB-ABC`, in bytes.
    const MOST: usize = 6;

    /// The code of a place; nothing when it is none.
    #[must_use]
    pub fn new(code: &str) -> Option<Self> {
        let mut text = [0; Self::MOST];
        text.get_mut(..code.len()).filter(|_| is_place(code))?.copy_from_slice(code.as_bytes());
        Some(Self { text, length: code.len() as u8 })
    }
}

impl Deref for Code {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(&self.text[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// The place itself and everything that contains it. A code that is no place contains itself only.
pub fn with_ancestors(code: &str) -> impl Iterator<Item = &str> {
    let place = find(code);
    let country = if place.is_none() { country_of_subdivision(code) } else { None };
    let containing = place.or(country).map_or(&[][..], |place| &place.ancestors);
    std::iter::once(code).chain(country.map(|country| country.code)).chain(containing.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_code_and_nothing_else_has() {
        let codes: Vec<&str> = all().map(|place| place.code).chain(["US-PA", "GB-ABC", "FR-6AE"]).collect();
        for code in codes {
            assert_eq!(Code::new(code).as_deref(), Some(code));
        }
        for none in ["", "Kenya", "US-", "US-ABCD", "zz", "\u{1f1f0}\u{1f1ea}"] {
            assert_eq!(Code::new(none), None, "{none}");
        }
        assert!(Code::new("AR-B") < Code::new("AR-C") && Code::new("AR") < Code::new("AR-B"));
    }

    #[test]
    fn a_subdivision_lies_in_its_country_and_its_regions() {
        assert_eq!(with_ancestors("US-PA").collect::<Vec<_>>(), ["US-PA", "US", "001", "003", "019", "021"]);
        assert_eq!(with_ancestors("001").collect::<Vec<_>>(), ["001"]);
        assert_eq!(with_ancestors("Narnia").collect::<Vec<_>>(), ["Narnia"]);
    }

    #[test]
    fn every_demonym_is_of_a_place() {
        assert!(demonyms().all(|(code, name)| find(code).is_some() && !name.is_empty()));
        for known in [("PE", "peruvian"), ("PE", "peruano"), ("CV", "cape verdean"), ("002", "africano")] {
            assert!(demonyms().any(|demonym| demonym == known), "{known:?}");
        }
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
