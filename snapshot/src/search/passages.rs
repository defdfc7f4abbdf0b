//! The texts of a program that a search looks at.

use rustc_hash::FxHashSet;

use crate::record::{Directory, Locale};
use crate::search::terms::Mark;

/// Every text that a search looks at, with the field it stands in; in all languages, each once.
#[must_use]
pub fn searchable_texts(directory: &Directory, program: usize) -> Vec<(Mark, &str)> {
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
    let cycles = || links.cycles.iter().map(|cycle| &directory.cycles[*cycle]);
    let labels = cycles().map(|cycle| cycle.label.as_str());
    texts.extend(labels.filter(|label| names_a_season(label)).map(|label| (Mark::Fact, label)));
    let addresses = cycles().filter_map(|cycle| cycle.application_url.as_deref());
    let addresses = std::iter::once(program.official_url.as_str()).chain(addresses);
    texts.extend(addresses.filter_map(call_code).map(|code| (Mark::Alias, code)));
    let mut seen = FxHashSet::default();
    texts.retain(|text| seen.insert(*text));
    texts
}

/// Whether a label tells a season from others: `2026`, `HORIZON-CL5-2027-01`, and not `Annual`.
fn names_a_season(label: &str) -> bool {
    label.bytes().any(|byte| byte.is_ascii_digit())
}

/// The code of a call where an address ends with it: `…/topic-details/HORIZON-CL5-2027-01-D1-07`.
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
    fn an_address_that_ends_with_the_code_of_a_call_names_it() {
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
    fn a_label_that_every_season_may_have_names_none() {
        for (label, is_one) in [("2026", true), ("HORIZON-CL5-2027-01", true), ("Annual", false), ("", false)]
        {
            assert_eq!(names_a_season(label), is_one, "{label}");
        }
    }
}
