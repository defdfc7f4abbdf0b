//! The texts of a program that a search looks at.

use rustc_hash::FxHashSet;

use crate::record::{Directory, Locale};
use crate::search::terms::Mark;

/// Every text that a search looks at, with the field it stands in; in all languages, each once.
#[must_use]
pub fn texts(directory: &Directory, program: usize) -> Vec<(Mark, &str)> {
    let links = &directory.program_links[program];
    let program = &directory.programs[program];
    let organization = &directory.organizations[links.organization];
    let mut texts = vec![(Mark::Name, program.name.as_str())];
    texts.extend(program.aliases.iter().map(|alias| (Mark::Alias, alias.as_str())));
    texts.push((Mark::Organization, &organization.name));
    texts.extend(organization.aliases.iter().map(|alias| (Mark::Organization, alias.as_str())));
    let slugs = directory.organization_links[links.organization].aliases.iter();
    texts.extend(slugs.map(|alias| (Mark::Organization, directory.aliases[*alias].slug.as_str())));
    texts.extend(program.summary.iter().map(|text| (Mark::Summary, text.as_str())));
    texts.extend(program.description.iter().map(|text| (Mark::Description, text.as_str())));
    for locale in Locale::ALL {
        let translated =
            |of, field| directory.translations.get(&(of, *locale))?.get(field).map(String::as_str);
        texts.extend(translated(program.entity(), "name").map(|text| (Mark::Name, text)));
        texts.extend(translated(organization.entity(), "name").map(|text| (Mark::Organization, text)));
        texts.extend(translated(program.entity(), "summary").map(|text| (Mark::Summary, text)));
        texts.extend(translated(program.entity(), "description").map(|text| (Mark::Description, text)));
    }
    for fact in links.facts.iter().map(|fact| &directory.facts[*fact]) {
        let translated = |locale: &Locale| directory.translations.get(&(fact.entity(), *locale))?.get("text");
        let translations = Locale::ALL.iter().filter_map(translated);
        texts.extend(fact.text.iter().chain(translations).map(|text| (Mark::Fact, text.as_str())));
    }
    let mut seen = FxHashSet::default();
    texts.retain(|text| seen.insert(*text));
    texts
}
