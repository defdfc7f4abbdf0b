//! The pages of a snapshot: which there are, and the bytes of each. Files are somebody else's
//! business: every page is handed to a `put`.

pub(crate) mod csv;

use rayon::prelude::*;
use serde_json::Value as Json;
use snapshot::facet::FACETS;
use snapshot::page::detail;
use snapshot::page::export;
use snapshot::page::facet::facet;
use snapshot::page::hole::Filled;
use snapshot::page::list::{Numbers, list};
use snapshot::page::search::search;
use snapshot::page::shape::Shaper;
use snapshot::page::{Dated, Site};
use snapshot::query::{FACET_LIMIT_DEFAULT, FacetQuery, List, ListQuery, Page, Query};
use snapshot::record::{Directory, Locale};

use crate::data::describe::Describer;
use crate::site::{File, Pages, Rendered};

/// The REST contract, of a directory at another address.
pub const OPENAPI: &str = include_str!("../../schemas/openapi.json");
/// Stands in [`OPENAPI`] for the address of the directory, once and quoted.
const ELSEWHERE: &str = "\"https://directory.example\"";

/// The REST contract as a directory serves it: generated clients take their host from it.
#[must_use]
pub fn contract(base_url: &str) -> String {
    OPENAPI.replacen(ELSEWHERE, &Json::from(base_url).to_string(), 1)
}

/// Below which paths the REST pages are.
const API: &str = "public/api/v1";

/// What pages are made of.
pub struct Renderer<'a> {
    /// The records.
    pub directory: &'a Directory,
    /// Numbers of programs and cycles.
    pub numbers: &'a Numbers,
    /// The prepared rows.
    pub site: &'a Site,
    /// The day.
    pub dated: &'a Dated,
    /// Where the snapshot is published.
    pub base_url: &'a str,
}

/// A family of pages: its name for people, and how many there are; each is a file or a few.
pub struct Family<'a> {
    /// What progress shows.
    pub name: &'static str,
    /// How many pages.
    pub count: usize,
    page: Box<dyn Fn(usize) -> Rendered + Sync + 'a>,
}

impl Family<'_> {
    /// Renders every page in parallel and hands each to `put`; stops at the first error.
    ///
    /// # Errors
    ///
    /// The first error of `put` or of a template.
    pub fn render<E: Send + From<minijinja::Error>>(
        &self,
        put: impl Fn(&str, &Filled) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        (0..self.count).into_par_iter().try_for_each(|position| {
            (self.page)(position)?.iter().try_for_each(|(path, filled)| put(path, filled))
        })
    }
}

impl<'a> Renderer<'a> {
    /// Pages for people, and what machines read beside them.
    #[must_use]
    pub fn people(&'a self, pages: &'a Pages<'a>) -> Vec<Family<'a>> {
        let family = |name, count, page| Family { name, count, page };
        let (dated, directory) = (self.dated, self.directory);
        let (locales, months) = (Locale::ALL.len(), pages.months(dated));
        let mut families = vec![
            family(
                "program pages",
                locales * directory.programs.len(),
                Box::new(move |position| pages.program(position, dated)),
            ),
            family(
                "organization pages",
                locales * directory.organizations.len(),
                Box::new(move |position| pages.organization(position, dated)),
            ),
            family(
                "recipient pages",
                locales * directory.recipients.len(),
                Box::new(move |position| pages.recipient(position, dated)),
            ),
            family(
                "facet pages",
                locales * FACETS.len(),
                Box::new(move |position| pages.facet(position, dated)),
            ),
            family(
                "months",
                locales * months.len(),
                Box::new(move |position| {
                    pages.month(months[position / locales], Locale::ALL[position % locales], dated)
                }),
            ),
            family("site pages", Pages::FIXED, Box::new(move |position| pages.fixed(position, dated))),
            family(
                "site files",
                pages.machine_files(),
                Box::new(move |position| Ok(vec![pages.machine(position)])),
            ),
            family(
                "descriptions",
                Describer::FILES,
                Box::new(move |position| Ok(vec![pages.description(position)])),
            ),
        ];
        if let Some(html) = &self.site.html {
            families.push(family(
                "search pages",
                Pages::SEARCHES,
                Box::new(move |position| Ok(vec![pages.search(html, position, dated)])),
            ));
        }
        families
    }

    /// Pages of the REST interface.
    #[must_use]
    pub fn rest(&'a self) -> Vec<Family<'a>> {
        vec![
            Family {
                name: "programs",
                count: self.directory.programs.len() * Locale::ALL.len(),
                page: Box::new(|position| Ok(vec![self.program(position)])),
            },
            Family {
                name: "organizations",
                count: self.directory.organizations.len(),
                page: Box::new(|position| Ok(vec![self.organization(position)])),
            },
            Family {
                name: "recipients",
                count: self.directory.recipients.len(),
                page: Box::new(|position| Ok(vec![self.recipient(position)])),
            },
            Family {
                name: "facets",
                count: FACETS.len(),
                page: Box::new(|position| Ok(vec![self.facet(position)])),
            },
            Family {
                name: "lists",
                count: List::ALL.len(),
                page: Box::new(|position| Ok(vec![self.list(List::ALL[position])])),
            },
            Family {
                name: "downloads",
                count: 4,
                page: Box::new(|position| Ok(vec![self.download(position)])),
            },
        ]
    }

    fn shaper(&self, locale: Locale) -> Shaper<'a> {
        Shaper { directory: self.directory, locale }
    }

    fn program(&self, position: usize) -> File {
        let (program, locale) = (position / Locale::ALL.len(), Locale::ALL[position % Locale::ALL.len()]);
        let slug = &self.directory.programs[program].slug;
        let suffix = if locale == Locale::En { "" } else { ".es" };
        let filled = detail::program(&self.shaper(locale), self.numbers, self.dated, program);
        (format!("{API}/programs/{slug}{suffix}.json"), filled)
    }

    fn organization(&self, organization: usize) -> File {
        let slug = &self.directory.organizations[organization].slug;
        let filled = detail::organization(&self.shaper(Locale::En), self.numbers, self.dated, organization);
        (format!("{API}/organizations/{slug}.json"), filled)
    }

    fn recipient(&self, recipient: usize) -> File {
        let slug = &self.directory.recipients[recipient].slug;
        let filled = detail::recipient(&self.shaper(Locale::En), self.dated, recipient);
        (format!("{API}/recipients/{slug}.json"), filled)
    }

    fn facet(&self, position: usize) -> File {
        let spec = &FACETS[position];
        let first = FacetQuery { text: String::new(), page: Page { offset: 0, limit: FACET_LIMIT_DEFAULT } };
        let bytes = facet(self.site, self.dated, spec.facet, &first).bytes;
        (format!("{API}/facets/{}.json", spec.name), Filled { bytes, holes: Vec::new() })
    }

    fn list(&self, of: List) -> File {
        let bytes = list(self.site, self.dated, of, &ListQuery::default(), &[]).bytes;
        (format!("{API}/{}.json", of.name()), Filled { bytes, holes: Vec::new() })
    }

    fn download(&self, position: usize) -> File {
        let whole = |bytes| Filled { bytes, holes: Vec::new() };
        match position {
            0 => (
                format!("{API}/exports/latest.json"),
                export::json(self.site, self.dated, &self.directory.dataset),
            ),
            1 => (format!("{API}/exports/latest.csv"), csv::export(self)),
            2 => (
                format!("{API}/search.json"),
                whole(search(self.site, self.dated, &Query::default(), &[]).bytes),
            ),
            _ => (format!("{API}/openapi.json"), whole(contract(self.base_url).into_bytes())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_says_first_where_the_directory_is_and_changes_in_nothing_else() {
        let served: Json = serde_json::from_str(&contract("https://grants.example:8443")).unwrap();
        let mut expected: Json = serde_json::from_str(OPENAPI).unwrap();
        expected["servers"][0]["url"] = "https://grants.example:8443".into();
        assert_eq!(served, expected);
        assert_eq!(OPENAPI.matches(ELSEWHERE).count(), 1);
    }
}
