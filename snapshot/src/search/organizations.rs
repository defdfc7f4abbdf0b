//! Organizations: the programs that each offers, and the slugs and names by which it is found. A program is of one
//! organization, the one that its record names.
//!
//! ```text
//! org.slug.at .slug           slugs, sorted: their positions are the organizations' numbers
//! org.former.at .former .is   former slugs, sorted, and the organization of each
//! org.key.at .key             slugs, former slugs, names and other names: folded words joined by spaces, sorted
//! org.of.at .of               organizations of each key
//! org.docs.at .docs           documents of each organization
//! org.en.at .en  org.es.*     names
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::distinct::distinct;
use crate::record::{Directory, Locale};
use crate::search::set::{DocSet, union};
use crate::search::table::{Lists, Pair, Strings, check_below, column};
use crate::text::words_of;
use store::sections::{Section, SectionError, SectionWriter, Sections};

const SLUGS: Pair = ("org.slug.at", "org.slug");
const FORMER: Pair = ("org.former.at", "org.former");
const FORMER_OF: &str = "org.former.is";
const KEYS: Pair = ("org.key.at", "org.key");
const OF: Pair = ("org.of.at", "org.of");
const DOCS: Pair = ("org.docs.at", "org.docs");
const NAMES: [Pair; 2] = [("org.en.at", "org.en"), ("org.es.at", "org.es")];

/// Most organizations that are suggested for an ambiguous name.
const NEAR_MAX: usize = 6;
/// Most names that are compared for suggestions.
const LOOKED_MAX: usize = 10_000;

/// Writes the sections; `order` gives the program of each document.
pub(super) fn write(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let all = &directory.organizations;
    let mut by_slug: Vec<usize> = (0..all.len()).collect();
    by_slug.sort_by(|a, b| all[*a].slug.cmp(&all[*b].slug));
    let mut docs = vec![Vec::new(); all.len()];
    (0..)
        .zip(order)
        .for_each(|(doc, program)| docs[directory.program_links[*program].organization].push(doc));
    let (mut former, mut keys) = (BTreeMap::new(), BTreeMap::<String, Vec<u32>>::new());
    let name = |at: usize, locale| directory.text(all[at].entity(), locale, "name", &all[at].name);
    for (number, at) in (0u32..).zip(by_slug.iter().copied()) {
        let aliases = directory.organization_links[at].aliases.iter();
        let slugs: Vec<&str> = aliases.map(|alias| directory.aliases[*alias].slug.as_str()).collect();
        former.extend(slugs.iter().map(|slug| (*slug, number)));
        let names = Locale::ALL.iter().map(|locale| name(at, *locale));
        let others = all[at].aliases.iter().map(AsRef::as_ref);
        for called in names.chain(others).chain(slugs).chain([all[at].slug.as_str()]) {
            let of = keys.entry(words_of(called).join(" ")).or_default();
            if of.last() != Some(&number) {
                of.push(number);
            }
        }
    }
    keys.remove("");
    Strings::write(writer, SLUGS, by_slug.iter().map(|at| all[*at].slug.as_str()));
    Strings::write(writer, FORMER, former.keys());
    writer.put(FORMER_OF, former.into_values().collect::<Vec<u32>>());
    Strings::write(writer, KEYS, keys.keys());
    Lists::write(writer, OF, keys.values());
    Lists::write(writer, DOCS, by_slug.iter().map(|at| &docs[*at]));
    for (names, locale) in NAMES.into_iter().zip(Locale::ALL) {
        Strings::write(writer, names, by_slug.iter().map(|at| name(*at, *locale)));
    }
}

/// The organizations of a snapshot.
#[derive(Clone)]
pub struct Organizations {
    slugs: Strings,
    former: Strings,
    former_of: Section<u32>,
    keys: Strings,
    of: Lists,
    docs: Lists,
    names: [Strings; 2],
}

impl Organizations {
    /// Opens the sections beside those of `programs` documents.
    pub(super) fn open(sections: &Sections, programs: usize) -> Result<Self, SectionError> {
        let slugs = Strings::open(sections, SLUGS)?;
        let (former, keys) = (Strings::open(sections, FORMER)?, Strings::open(sections, KEYS)?);
        let count = slugs.count();
        let former_of = column::<u32>(sections, FORMER_OF, former.count())?;
        check_below(FORMER_OF, &former_of, count)?;
        let names = |locale: usize| Strings::open_len(sections, NAMES[locale], count);
        Ok(Self {
            former,
            former_of,
            of: Lists::open_many(sections, OF, keys.count(), count)?,
            keys,
            docs: Lists::open_many(sections, DOCS, count, programs)?,
            names: [names(0)?, names(1)?],
            slugs,
        })
    }

    /// Number of organizations.
    pub fn count(&self) -> usize {
        self.slugs.count()
    }

    /// The organization with this slug, now or formerly.
    pub(crate) fn find(&self, slug: &str) -> Option<u32> {
        let number = self.slugs.find(slug.as_bytes()).map(|number| number as u32);
        number.or_else(|| self.former_of.get(self.former.find(slug.as_bytes())?).copied())
    }

    /// Its slug, from that or a former one.
    pub fn canonical(&self, slug: &str) -> Option<&str> {
        self.find(slug).map(|number| self.slug(number))
    }

    /// The organization with this slug, or the only one with this name, or the only one whose name begins with it.
    pub fn named(&self, called: &str) -> Option<u32> {
        if let Some(number) = self.find(called) {
            return Some(number);
        }
        let key = words_of(called).join(" ");
        if let Some(position) = self.keys.find(key.as_bytes()) {
            return <[u32; 1]>::try_from(self.of.get(position)).ok().map(|[number]| number);
        }
        let mut found = self.beginning_with(&key).flat_map(|position| self.of.get(position));
        let first = found.next()?;
        found.all(|other| other == first).then_some(*first)
    }

    /// Candidates for an ambiguous name: organizations whose name begins with it, else those whose name has the
    /// beginning of each word; those with most programs first.
    pub fn near(&self, called: &str) -> Vec<u32> {
        let words = words_of(called);
        let mut found: Vec<usize> = self.beginning_with(&words.join(" ")).take(LOOKED_MAX).collect();
        if found.is_empty() && !words.is_empty() {
            let has = |key: &str, word: &String| key.split(' ').any(|own| own.starts_with(word.as_str()));
            let fits = |position: &usize| words.iter().all(|word| has(self.keys.text(*position), word));
            found.extend((0..self.keys.count().min(LOOKED_MAX)).filter(fits));
        }
        let mut near = distinct(found.into_iter().flat_map(|position| self.of.get(position)).copied());
        near.sort_by_key(|number| Reverse(self.docs(*number).len()));
        near.truncate(NEAR_MAX);
        near
    }

    /// Positions of the keys that begin with some words; none for no word.
    fn beginning_with(&self, key: &str) -> impl Iterator<Item = usize> {
        let end = if key.is_empty() { 0 } else { self.keys.count() };
        let start = self.keys.lower_bound(0..end, key.as_bytes());
        (start..end).take_while(move |position| self.keys.get(*position).starts_with(key.as_bytes()))
    }

    /// The slug of an organization.
    pub fn slug(&self, number: u32) -> &str {
        self.slugs.text(number as usize)
    }

    /// Its name.
    pub fn name(&self, number: u32, locale: Locale) -> &str {
        self.names[locale as usize].text(number as usize)
    }

    /// Its documents, ascending.
    pub fn docs(&self, number: u32) -> &[u32] {
        self.docs.get(number as usize)
    }

    /// Documents of any organization of a list of slugs, out of `programs`; `None` for an empty list.
    pub(crate) fn docs_of_any(&self, slugs: &[String], programs: usize) -> Option<DocSet<'_>> {
        let numbers = slugs.iter().filter_map(|slug| self.find(slug));
        let docs = numbers.map(|number| DocSet::list(self.docs(number)));
        (!slugs.is_empty()).then(|| union(docs.collect(), programs))
    }
}
