//! Texts of programs: all that a search reads, and titles. A query that is a name, an alias or a slug is about
//! that record, in the singular or plural, with or without acronyms.
//!
//! ```text
//! title.at .text       names, aliases and slugs, see [`keys`], sorted
//! title.docs.at .docs  documents of each
//! ```

use rustc_hash::FxHashSet;

use crate::distinct::distinct;
use crate::record::{Directory, Locale};
use crate::search::synonyms::label_keys;
use crate::search::table::{Lists, Pair, Strings, StringsWriter};
use crate::search::terms::Mark;
use crate::text::words_of;
use store::sections::{SectionError, SectionWriter, Sections};

const KEYS: Pair = ("title.at", "title.text");
const DOCS: Pair = ("title.docs.at", "title.docs");

/// The titles, open.
pub(super) struct Titles {
    keys: Strings,
    docs: Lists,
}

/// Writes the sections; `order` gives the program of each document. Keys stand in one list: a program has a dozen.
pub(super) fn write(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let (mut all, mut docs) = (StringsWriter::default(), Vec::new());
    for (doc, program) in (0u32..).zip(order) {
        let texts = stated_texts(directory, *program).into_iter();
        let names = texts.filter(|(mark, _)| matches!(mark, Mark::Name | Mark::Alias)).map(|(_, text)| text);
        let names = names.chain([directory.programs[*program].slug.as_str()]);
        for key in distinct(names.flat_map(keys).filter(|key| !key.is_empty())) {
            all.push(key.as_bytes());
            docs.push(doc);
        }
    }
    let key = |at: &u32| all.get(*at as usize);
    // Documents were added in their order.
    let mut order: Vec<u32> = (0..docs.len() as u32).collect();
    order.sort_unstable_by(|a, b| key(a).cmp(key(b)).then(a.cmp(b)));
    let titles = || order.chunk_by(|a, b| key(a) == key(b));
    Strings::write(writer, KEYS, titles().map(|same| key(&same[0])));
    let docs = |same: &[u32]| same.iter().map(|at| docs[*at as usize]).collect::<Vec<_>>();
    Lists::write(writer, DOCS, titles().map(docs));
}

impl Titles {
    /// Opens the sections of an index over `count` documents.
    pub(super) fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let keys = Strings::open(sections, KEYS)?;
        Ok(Self { docs: Lists::open_many(sections, DOCS, keys.count(), count)?, keys })
    }

    /// Documents that have a text as their title.
    pub(super) fn find(&self, text: &str) -> &[u32] {
        let position = keys(text).iter().find_map(|key| self.keys.find(key.as_bytes()));
        position.map_or(&[], |position| self.docs.get(position))
    }
}

/// Keys of a title, the most exact first: its folded words, and each in the singular of English and of Spanish; then
/// the same without acronyms, if enough long words are left to be a name.
fn keys(title: &str) -> Vec<String> {
    const NAME_MIN: usize = 3;
    let is_acronym = |piece: &&str| {
        let letters = || piece.chars().filter(|c| c.is_alphabetic());
        letters().count() > 1 && letters().all(char::is_uppercase)
    };
    let rest: Vec<&str> = title.split_whitespace().filter(|piece| !is_acronym(piece)).collect();
    let rest = words_of(&rest.join(" "));
    let long = rest.iter().filter(|word| word.chars().count() > 3).count();
    let names = [Some(words_of(title)), Some(rest).filter(|_| long >= NAME_MIN)];
    let keys =
        |words: Vec<String>| [vec![words.join(" ")], label_keys(&words).map(String::from).into()].concat();
    names.into_iter().flatten().flat_map(keys).collect()
}

/// The texts of a program that a search reads, with their fields: in all languages, each once.
pub fn searchable_texts(directory: &Directory, program: usize) -> Vec<(Mark, &str)> {
    let (mut texts, mut seen) = (stated_texts(directory, program), FxHashSet::default());
    texts.retain(|text| seen.insert(*text));
    texts
}

/// The same, where some may stand several times.
fn stated_texts(directory: &Directory, program: usize) -> Vec<(Mark, &str)> {
    let links = &directory.program_links[program];
    let it = &directory.programs[program];
    let organization = &directory.organizations[links.organization];
    let mut texts = vec![(Mark::Name, it.name.as_str())];
    texts.extend(it.aliases.iter().map(|alias| (Mark::Alias, alias.as_str())));
    texts.push((Mark::Organization, &organization.name));
    texts.extend(organization.aliases.iter().map(|alias| (Mark::Organization, alias.as_str())));
    let slugs = directory.organization_links[links.organization].aliases.iter();
    texts.extend(slugs.map(|alias| (Mark::Organization, directory.aliases[*alias].slug.as_str())));
    texts.extend(it.summary.iter().map(|text| (Mark::Summary, text.as_str())));
    texts.extend(it.description.iter().map(|text| (Mark::Description, text.as_str())));
    for locale in Locale::ALL {
        for (mark, of, field) in [
            (Mark::Name, it.entity(), "name"),
            (Mark::Organization, organization.entity(), "name"),
            (Mark::Summary, it.entity(), "summary"),
            (Mark::Description, it.entity(), "description"),
        ] {
            texts.extend(directory.translation(of, *locale, field).map(|text| (mark, text)));
        }
    }
    for fact in directory.facts_of(program) {
        let translated = |locale: &Locale| directory.translation(fact.entity(), *locale, "text");
        let translations = Locale::ALL.iter().filter_map(translated);
        texts.extend(fact.text.as_deref().into_iter().chain(translations).map(|text| (Mark::Fact, text)));
    }
    let cycles = || links.cycles.iter().map(|cycle| &directory.cycles[*cycle]);
    let labels = cycles().map(|cycle| cycle.label.as_str());
    // One with a number names one season, as `2026` and `HORIZON-CL5-2027-01` do and `Annual` does not.
    let labels = labels.filter(|label| label.bytes().any(|byte| byte.is_ascii_digit()));
    texts.extend(labels.map(|label| (Mark::Fact, label)));
    let addresses = cycles().filter_map(|cycle| cycle.application_url.as_deref());
    let addresses = std::iter::once(it.official_url.as_str()).chain(addresses);
    texts.extend(addresses.filter_map(call_code).map(|code| (Mark::Alias, code)));
    texts
}

/// The code of a call at the end of an address: `…/topic-details/HORIZON-CL5-2027-01-D1-07`.
fn call_code(address: &str) -> Option<&str> {
    const LENGTHS: std::ops::RangeInclusive<usize> = 8..=80;
    let last = address.split(['?', '#']).next()?.trim_end_matches('/').rsplit('/').next()?;
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-';
    let is_code = last.bytes().all(is_part)
        && last.bytes().any(|byte| byte.is_ascii_digit())
        && last.bytes().filter(u8::is_ascii_uppercase).count() >= 2
        && last.contains('-');
    (is_code && LENGTHS.contains(&last.len())).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_call_is_read_from_the_end_of_an_address() {
        for (address, code) in [
            ("https://a.example/topic-details/HORIZON-CL5-2027-01-D1-07", Some("HORIZON-CL5-2027-01-D1-07")),
            ("https://a.example/topic-details/LIFE-2026-SAP-CLIMA/?lang=en", Some("LIFE-2026-SAP-CLIMA")),
            ("https://a.example/opportunity/ddc111aa-2808-4719-9c09-d7995a9a4860", None),
            ("https://a.example/competitive-calls-cs/44087099", None),
            ("https://a.example/GRANTS-AND-PRIZES", None),
            ("https://a.example/2026-2027", None),
            ("https://a.example/", None),
            ("", None),
        ] {
            assert_eq!(call_code(address), code, "{address}");
        }
    }

    #[test]
    fn a_name_is_found_in_the_singular_or_plural_and_with_or_without_acronyms() {
        let is_name = |typed: &str, name: &str| keys(typed).iter().any(|key| keys(name).contains(key));
        for (typed, name) in [
            ("lake survey award", "Lake Survey Awards"),
            ("QXZ Lake Survey Award", "Lake Survey Awards (QXZ)"),
            ("Lake Survey Awards", "QXZ Lake Survey Award"),
            ("QXZ Lake Survey Awards", "Lake Survey Award"),
            ("beca de estudio lacustre", "Becas de Estudios Lacustres (BEL)"),
            ("BEL Becas de Estudios Lacustres", "Beca de Estudio Lacustre"),
        ] {
            assert!(is_name(typed, name), "{typed} is {name}");
        }
        for (typed, name) in [
            ("lake awards", "QXZ Lake Awards"),
            ("awards for lakes", "QXZ Awards for Lakes"),
            ("lake survey", "Lake Survey Awards"),
            ("lake survey fellow", "Lake Survey Fellowship"),
            ("becas", "Becas BEL"),
        ] {
            assert!(!is_name(typed, name), "{typed} is not {name}");
        }
    }
}
