//! Organizations: the programs of each, the names by which it is found, and its list of programs on a day.
//!
//! ```text
//! org.slug.at .slug        slugs, sorted: their positions are the organizations' numbers
//! org.key.at .key          slugs, names and other names: folded words joined by spaces, sorted
//! org.of.at .of            organizations of each key
//! org.docs.at .docs        documents of each organization
//! org.en.at .en  org.es.*  names
//! ```

use std::collections::BTreeMap;

use snapshot::record::Locale;
use snapshot::search::{Lists, Strings};
use snapshot::text::words_of;
use store::sections::{SectionError, SectionWriter, Sections};

const SLUGS: (&str, &str) = ("org.slug.at", "org.slug");
const KEYS: (&str, &str) = ("org.key.at", "org.key");
const OF: (&str, &str) = ("org.of.at", "org.of");
const DOCS: (&str, &str) = ("org.docs.at", "org.docs");
const NAMES: [(&str, &str); 2] = [("org.en.at", "org.en"), ("org.es.at", "org.es")];

/// Maximum number of organizations suggested for an ambiguous name.
const NEAR_MAX: usize = 6;
/// Maximum number of names compared for suggestions.
const LOOKED_MAX: usize = 10_000;

/// An organization, as the generator prepares it.
#[derive(Clone, Debug, Default)]
pub struct OrganizationEntry {
    /// Its slug.
    pub slug: String,
    /// Other slugs, names and acronyms, not folded.
    pub called: Vec<String>,
    /// Its name in each language.
    pub names: [String; 2],
    /// Its documents, ascending.
    pub docs: Vec<u32>,
}

/// Writes the sections; `known` is sorted by slug.
pub(super) fn write(known: &[OrganizationEntry], writer: &mut SectionWriter) {
    let mut keys: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (number, it) in (0..).zip(known) {
        for called in it.called.iter().chain([&it.slug]) {
            let of = keys.entry(words_of(called).join(" ")).or_default();
            if of.last() != Some(&number) {
                of.push(number);
            }
        }
    }
    keys.remove("");
    Strings::write(writer, SLUGS, known.iter().map(|it| it.slug.as_bytes()));
    Strings::write(writer, KEYS, keys.keys().map(String::as_bytes));
    Lists::write(writer, OF, keys.values().map(Vec::as_slice));
    Lists::write(writer, DOCS, known.iter().map(|it| it.docs.as_slice()));
    for (language, names) in NAMES.into_iter().enumerate() {
        Strings::write(writer, names, known.iter().map(|it| it.names[language].as_bytes()));
    }
}

/// The organizations of a snapshot.
pub struct Organizations {
    slugs: Strings,
    keys: Strings,
    of: Lists,
    docs: Lists,
    names: [Strings; 2],
}

impl Organizations {
    pub(super) fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let slugs = Strings::open(sections, SLUGS)?;
        let it = Self {
            keys: Strings::open(sections, KEYS)?,
            of: Lists::open_below(sections, OF, slugs.count())?,
            docs: Lists::open_below(sections, DOCS, count)?,
            names: [Strings::open(sections, NAMES[0])?, Strings::open(sections, NAMES[1])?],
            slugs,
        };
        let named = it.names.iter().all(|names| names.count() == it.slugs.count());
        match named && it.keys.count() == it.of.count() && it.docs.count() == it.slugs.count() {
            true => Ok(it),
            false => Err(SectionError::Content(SLUGS.0, "does not fit the others")),
        }
    }

    /// The organization with this slug, or the only one with this name, or the only one whose name starts with it.
    pub fn find(&self, called: &str) -> Option<u32> {
        if let Some(number) = self.slugs.find(called.as_bytes()) {
            return u32::try_from(number).ok();
        }
        let key = words_of(called).join(" ");
        if key.is_empty() {
            return None;
        }
        if let Some(position) = self.keys.find(key.as_bytes()) {
            return <[u32; 1]>::try_from(self.of.get(position)).ok().map(|[number]| number);
        }
        let start = self.keys.lower_bound(0..self.keys.count(), key.as_bytes());
        let begins = |position: &usize| self.keys.bytes(*position).starts_with(key.as_bytes());
        let mut found =
            (start..self.keys.count()).take_while(begins).flat_map(|position| self.of.get(position));
        let first = found.next()?;
        found.all(|other| other == first).then_some(*first)
    }

    /// Candidates for an ambiguous name: organizations whose name starts with it, else those whose name contains
    /// the beginning of each word; those with most programs first.
    pub(crate) fn near(&self, called: &str) -> Vec<u32> {
        let words = words_of(called);
        let key = words.join(" ");
        if key.is_empty() {
            return Vec::new();
        }
        let start = self.keys.lower_bound(0..self.keys.count(), key.as_bytes());
        let begins = |position: &usize| self.keys.bytes(*position).starts_with(key.as_bytes());
        let mut found: Vec<usize> = (start..self.keys.count()).take_while(begins).take(LOOKED_MAX).collect();
        if found.is_empty() {
            let has = |key: &str, word: &String| key.split(' ').any(|own| own.starts_with(word.as_str()));
            let fits = |position: &usize| words.iter().all(|word| has(self.keys.text(*position), word));
            found.extend((0..self.keys.count().min(LOOKED_MAX)).filter(fits));
        }
        let mut near: Vec<u32> =
            found.into_iter().flat_map(|position| self.of.get(position)).copied().collect();
        near.sort_unstable();
        near.dedup();
        near.sort_by_key(|number| std::cmp::Reverse(self.docs(*number).len()));
        near.truncate(NEAR_MAX);
        near
    }

    /// The slug of an organization.
    pub(crate) fn slug(&self, number: u32) -> &str {
        self.slugs.text(number as usize)
    }

    /// Its name.
    pub(crate) fn name(&self, number: u32, locale: Locale) -> &str {
        self.names[locale as usize].text(number as usize)
    }

    /// Its documents, ascending.
    pub(crate) fn docs(&self, number: u32) -> &[u32] {
        self.docs.get(number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(slug: &str, called: &[&str], docs: &[u32]) -> OrganizationEntry {
        let called = called.iter().map(|it| (*it).to_owned()).collect();
        OrganizationEntry {
            slug: slug.to_owned(),
            called,
            docs: docs.to_vec(),
            ..OrganizationEntry::default()
        }
    }

    #[test]
    fn an_organization_is_found_by_a_unique_name() {
        let all = [
            known("nih", &["National Institutes of Health", "NIH"], &[0]),
            known("nsf", &["National Science Foundation"], &[1, 2]),
            known("same-a", &["Same"], &[]),
            known("same-b", &["Same"], &[]),
        ];
        let mut writer = SectionWriter::default();
        write(&all, &mut writer);
        let open = Organizations::open(&writer.finish(), 3).unwrap();
        assert_eq!(open.find("nsf"), Some(1));
        assert_eq!(open.find("national science FOUNDATION"), Some(1));
        assert_eq!(open.find("National Sci"), Some(1));
        assert_eq!(open.find("National"), None);
        assert_eq!(open.find("Same"), None);
        assert_eq!(open.find("same-b"), Some(3));
        assert_eq!([open.find(""), open.find("zzz")], [None, None]);
        assert_eq!(open.docs(1), [1, 2]);
        assert_eq!(open.near("National"), [1, 0]);
        assert_eq!(open.near("same"), [2, 3]);
        assert_eq!(open.near("health nat"), [0]);
        assert_eq!([open.near("zzz"), open.near("?")], [[0; 0]; 2]);
    }
}
