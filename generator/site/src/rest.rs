//! The REST pages of a snapshot and their bytes. The caller stores them: every page is passed to a `put`.

use serde_json::Value as Json;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::detail;
use snapshot::page::export;
use snapshot::page::facet::facet;
use snapshot::page::hole::{Filled, Rule, Syntax, cut};
use snapshot::page::search::search;
use snapshot::page::shape::Shaper;
use snapshot::page::{Dated, Site};
use snapshot::page::{list::Numbers, listing::list};
use snapshot::query::{self, ExportFormat, FACET_LIMIT_DEFAULT, FacetQuery, List, ListQuery, Query};
use snapshot::record::{Directory, Locale};

use crate::csv_rows;
use crate::files::{Family, Records};

/// The REST contract, of a directory at another address.
pub const OPENAPI: &str = include_str!("../../../schemas/openapi.json");
/// Stands in [`OPENAPI`] for the address of the directory, once and quoted.
const ELSEWHERE: &str = "\"https://directory.example\"";

/// The REST contract as a directory serves it: generated clients take their host from it.
#[must_use]
pub(crate) fn contract(base_url: &str) -> String {
    OPENAPI.replacen(ELSEWHERE, &Json::from(base_url).to_string(), 1)
}

/// Path prefixes of the REST pages.
pub(crate) const API: &str = "public/api/v1";

/// The inputs of REST pages.
pub struct RestPages<'a> {
    /// The records.
    pub directory: &'a Directory,
    /// Numbers of programs and cycles.
    pub numbers: &'a Numbers,
    /// The prepared rows.
    pub site: &'a Site,
    /// The day.
    pub dated: &'a Dated,
    /// Scheme and authority of the public address.
    pub base_url: &'a str,
}

/// A page of the REST interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Program(usize, Locale),
    Organization(usize),
    Recipient(usize),
    Facet(Facet),
    /// The first rows of a list.
    List(List),
    /// The first results of a search.
    Search,
    Export(ExportFormat),
    Contract,
}

impl<'a> RestPages<'a> {
    /// Pages of the REST interface, of these records and of the whole.
    #[must_use]
    pub fn rest(&'a self, records: &Records) -> Vec<Family<'a>> {
        let spoken = |program| Locale::ALL.iter().map(move |locale| Page::Program(program, *locale));
        let downloads =
            [Page::Export(ExportFormat::Json), Page::Export(ExportFormat::Csv), Page::Search, Page::Contract];
        let families: [(_, Vec<Page>); 6] = [
            ("programs", records.programs.iter().copied().flat_map(spoken).collect()),
            ("organizations", records.organizations.iter().copied().map(Page::Organization).collect()),
            ("recipients", records.recipients.iter().copied().map(Page::Recipient).collect()),
            ("facets", FACETS.iter().map(|spec| Page::Facet(spec.facet)).collect()),
            ("lists", List::ALL.iter().copied().map(Page::List).collect()),
            ("downloads", downloads.into()),
        ];
        let make = |page: &Page| Ok(vec![(self.path(*page), self.make(*page))]);
        families.into_iter().map(|(name, pages)| Family::new(name, pages, make)).collect()
    }

    /// Path of a page in the snapshot.
    fn path(&self, page: Page) -> String {
        let directory = self.directory;
        let name = match page {
            Page::Program(at, Locale::En) => format!("programs/{}.json", directory.programs[at].slug),
            Page::Program(at, locale) => {
                format!("programs/{}.{}.json", directory.programs[at].slug, locale.as_str())
            }
            Page::Organization(at) => format!("organizations/{}.json", directory.organizations[at].slug),
            Page::Recipient(at) => format!("recipients/{}.json", directory.recipients[at].slug),
            Page::Facet(facet) => format!("facets/{}.json", facet.spec().name),
            Page::List(of) => format!("{}.json", of.as_str()),
            Page::Search => "search.json".to_owned(),
            Page::Export(ExportFormat::Json) => "exports/latest.json".to_owned(),
            Page::Export(ExportFormat::Csv) => "exports/latest.csv".to_owned(),
            Page::Contract => "openapi.json".to_owned(),
        };
        format!("{API}/{name}")
    }

    fn make(&self, page: Page) -> Filled {
        let whole = |bytes| Filled { bytes, holes: Vec::new() };
        let (site, dated, english) = (self.site, self.dated, self.shaper(Locale::En));
        match page {
            Page::Program(at, locale) => detail::program(&self.shaper(locale), self.numbers, dated, at),
            Page::Organization(at) => detail::organization(&english, self.numbers, dated, at),
            Page::Recipient(at) => detail::recipient(&english, dated, at),
            Page::Facet(of) => {
                let page = query::Page { offset: 0, limit: FACET_LIMIT_DEFAULT };
                whole(facet(site, dated, of, &FacetQuery { text: String::new(), page }).bytes)
            }
            Page::List(of) => whole(list(site, dated, of, &ListQuery::default(), &[]).bytes),
            Page::Search => whole(search(site, dated, &Query::default(), &[]).bytes),
            Page::Export(ExportFormat::Json) => export::json(site, dated, &self.directory.dataset),
            Page::Export(ExportFormat::Csv) => csv_export(self),
            Page::Contract => whole(contract(self.base_url).into_bytes()),
        }
    }

    fn shaper(&self, locale: Locale) -> Shaper<'a> {
        Shaper { directory: self.directory, locale }
    }
}

/// The CSV export of the same rows, in the same order, as the JSON export.
fn csv_export(renderer: &RestPages<'_>) -> Filled {
    let shaper = Shaper { directory: renderer.directory, locale: Locale::En };
    let mut program_of = vec![0; renderer.numbers.doc_of.len()];
    renderer.numbers.doc_of.iter().enumerate().for_each(|(program, doc)| program_of[*doc as usize] = program);
    let mut table = csv_rows::head().into_bytes();
    for doc in export::documents(renderer.site) {
        let row = shaper.program_summary(program_of[*doc as usize]);
        table.extend(csv_rows::line(&row, Rule::NextDeadlineText.mark(*doc as usize)));
    }
    cut(&table, Syntax::Text, renderer.dated)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    #[test]
    fn progress_never_passes_its_end_where_a_page_is_more_than_one_file() {
        let file = |name: &str| (name.to_owned(), Filled { bytes: Vec::new(), holes: Vec::new() });
        let twins = |page: &usize| Ok(vec![file(&format!("{page}.html")), file(&format!("{page}.md"))]);
        let family = Family::new("twins", vec![1, 2, 3], twins);
        let (files, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let put = |_: &str, _: &Filled| {
            files.fetch_add(1, Relaxed);
            Ok::<(), minijinja::Error>(())
        };
        let rendered = family.render(put, || {
            done.fetch_add(1, Relaxed);
        });
        assert!(rendered.is_ok());
        assert_eq!((files.into_inner(), done.into_inner(), family.count), (6, 3, 3));
    }

    #[test]
    fn the_served_contract_differs_from_the_source_only_in_the_first_server_address() {
        let served: Json = serde_json::from_str(&contract("https://grants.example:8443")).unwrap();
        let mut expected: Json = serde_json::from_str(OPENAPI).unwrap();
        expected["servers"][0]["url"] = "https://grants.example:8443".into();
        assert_eq!(served, expected);
        assert_eq!(OPENAPI.matches(ELSEWHERE).count(), 1);
    }
}
