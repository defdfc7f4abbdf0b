//! The REST pages of a snapshot and their bytes.

use serde_json::Value as Json;
use snapshot::facet::FacetSpec;
use snapshot::page::detail;
use snapshot::page::export;
use snapshot::page::facet::facet;
use snapshot::page::hole::{self, Filled, Rule, cut};
use snapshot::page::listing::list;
use snapshot::page::shape::Shaper;
use snapshot::query::{FacetQuery, List, ListQuery};
use snapshot::record::Locale;

use crate::csv_rows;
use crate::files::{File, undated};
use crate::pages::Pages;

/// The REST contract, of a directory at another address.
pub(crate) const OPENAPI: &str = include_str!("../../../schemas/openapi.json");
/// Stands in [`OPENAPI`] for the address of the directory, once and quoted.
const ELSEWHERE: &str = "\"https://directory.example\"";

/// The REST contract as a directory serves it: generated clients take their host from it.
pub(crate) fn contract(base_url: &str) -> String {
    OPENAPI.replacen(ELSEWHERE, &Json::from(base_url).to_string(), 1)
}

/// A page by its path below that of the API.
fn file(name: &str, filled: Filled) -> File {
    (format!("/api/v1/{name}"), filled)
}

impl<'a> Pages<'a> {
    /// The answers about a program.
    pub(crate) fn rest_program(&self, at: usize) -> Vec<File> {
        let page = |locale| {
            let suffix = if locale == Locale::Es { ".es" } else { "" };
            let name = format!("programs/{}{suffix}.json", self.directory.programs[at].slug);
            file(&name, detail::program(&self.shaper(locale), self.numbers, self.dated, at))
        };
        Locale::ALL.iter().copied().map(page).collect()
    }

    /// The answer about an organization.
    pub(crate) fn rest_organization(&self, at: usize) -> Vec<File> {
        let name = format!("organizations/{}.json", self.directory.organizations[at].slug);
        vec![file(&name, detail::organization(&self.shaper(Locale::En), self.numbers, self.dated, at))]
    }

    /// The answer about a recipient.
    pub(crate) fn rest_recipient(&self, at: usize) -> Vec<File> {
        let name = format!("recipients/{}.json", self.directory.recipients[at].slug);
        vec![file(&name, detail::recipient(&self.shaper(Locale::En), self.dated, at))]
    }

    /// The values of a facet.
    pub(crate) fn rest_facet(&self, spec: &FacetSpec) -> File {
        let values = facet(self.site, self.dated, spec.facet, &FacetQuery::default());
        file(&format!("facets/{}.json", spec.name), undated(values.bytes))
    }

    /// The first page of a list.
    pub(crate) fn rest_list(&self, of: List) -> File {
        let rows = list(self.site, self.dated, of, &ListQuery::default(), &[]);
        file(&format!("{}.json", of.as_str()), undated(rows.bytes))
    }

    /// The CSV export of the same rows, in the same order, as the JSON export.
    pub(crate) fn csv_export(&self) -> Filled {
        let shaper = self.shaper(Locale::En);
        let mut program_of = vec![0; self.numbers.doc_of.len()];
        self.numbers.doc_of.iter().enumerate().for_each(|(program, doc)| program_of[*doc as usize] = program);
        let mut table = csv_rows::head().into_bytes();
        for doc in export::documents(self.site) {
            let row = shaper.program_summary(program_of[*doc as usize]);
            table.extend(csv_rows::line(&row, Rule::NextDeadlineText.mark(*doc as usize)));
        }
        cut(&table, hole::TEXT, self.dated)
    }

    pub(crate) fn shaper(&self, locale: Locale) -> Shaper<'a> {
        Shaper { directory: self.directory, locale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_served_contract_differs_from_the_source_only_in_the_first_server_address() {
        let served: Json = serde_json::from_str(&contract("https://grants.example:8443")).unwrap();
        let mut expected: Json = serde_json::from_str(OPENAPI).unwrap();
        expected["servers"][0]["url"] = "https://grants.example:8443".into();
        assert_eq!(served, expected);
        assert_eq!(OPENAPI.matches(ELSEWHERE).count(), 1);
    }
}
