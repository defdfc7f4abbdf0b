//! The list of HTML pages and of the files for machines, and their paths.

use html::Feed;
use jiff::civil::Date;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::Dated;
use snapshot::record::Locale;

use super::feeds::JSON_FEED;
use super::theme::Script;
use super::{Pages, mcp};
use crate::downloads::describe::Description;
use crate::files::{Family, Records};
use crate::files::{Rendered, whole};

/// A page, or a file for machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    /// Of a program.
    Program(usize, Locale),
    /// Of an organization.
    Organization(usize, Locale),
    /// Of a recipient.
    Recipient(usize, Locale),
    /// All values of a facet.
    Facet(Facet, Locale),
    /// The deadlines of the month that begins on a day.
    Month(Date, Locale),
    /// One that every dataset has.
    Fixed(Fixed, Locale),
    /// The search page or one of its feeds, for an empty query.
    Search(Option<Feed>, Locale),
    /// A file for machines.
    Machine(Machine),
    /// A description of the downloads.
    Description(Description),
}

/// Pages that every dataset has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixed {
    Home,
    Deadlines,
    Browse,
    Organizations,
    Recipients,
    /// The shortlist, which is stored in the browser.
    Shortlist,
    Data,
    Api,
    Mcp,
    About,
    /// The page for missing pages.
    Missing,
}

impl Fixed {
    pub(super) const ALL: [Self; 11] = [
        Self::Home,
        Self::Deadlines,
        Self::Browse,
        Self::Organizations,
        Self::Recipients,
        Self::Shortlist,
        Self::Data,
        Self::Api,
        Self::Mcp,
        Self::About,
        Self::Missing,
    ];

    /// Where it is.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::Home => "/",
            Self::Deadlines => "/deadlines",
            Self::Browse => "/browse",
            Self::Organizations => "/organizations",
            Self::Recipients => "/recipients",
            Self::Shortlist => "/shortlist",
            Self::Data => "/data",
            Self::Api => "/docs/api",
            Self::Mcp => "/docs/mcp",
            Self::About => "/about",
            Self::Missing => "/404",
        }
    }

    /// Whether it shows records and so changes with the dataset.
    pub(super) const fn lists_records(self) -> bool {
        matches!(
            self,
            Self::Home | Self::Deadlines | Self::Browse | Self::Organizations | Self::Recipients | Self::Data
        )
    }

    /// Locale key of its description for search engines.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Home | Self::About => "about_1",
            Self::Deadlines => "deadlines_intro",
            Self::Browse => "browse_intro",
            Self::Organizations => "organizations_intro",
            Self::Recipients => "recipients_intro",
            Self::Shortlist => "shortlist_intro",
            Self::Data => "data_intro",
            Self::Api => "api_intro",
            Self::Mcp => "mcp_intro",
            Self::Missing => "error_text",
        }
    }
}

/// Assets and files for machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    Style,
    Script(Script),
    Robots,
    Llms,
    OpenSearch,
    SitemapIndex,
    /// By its number, from 1.
    Sitemap(usize),
    NewPrograms(Locale),
    ServerCard,
    Catalog,
    RegistryEntry,
    /// A file of the operator's theme.
    ThemeFile(usize),
}

impl Page {
    /// Where it is, without the prefix of its language.
    pub(super) fn path(self, pages: &Pages<'_>) -> String {
        let directory = pages.directory;
        match self {
            Self::Program(at, _) => format!("/programs/{}", directory.programs[at].slug),
            Self::Organization(at, _) => format!("/organizations/{}", directory.organizations[at].slug),
            Self::Recipient(at, _) => format!("/recipients/{}", directory.recipients[at].slug),
            Self::Facet(facet, _) => format!("/facets/{}", facet.spec().name),
            Self::Month(month, _) => html::month_path(Locale::En, month),
            Self::Fixed(fixed, _) => fixed.path().to_owned(),
            Self::Search(None, _) => "/programs".to_owned(),
            Self::Search(Some(feed), _) => format!("/programs.{}", feed.extension()),
            Self::Machine(machine) => machine.path(pages),
            Self::Description(description) => description.path(),
        }
    }
}

impl Machine {
    fn path(self, pages: &Pages<'_>) -> String {
        match self {
            Self::Style => pages.theme.css.path(),
            Self::Script(script) => pages.theme.script(script).path(),
            Self::Robots => "/robots.txt".to_owned(),
            Self::Llms => "/llms.txt".to_owned(),
            Self::OpenSearch => "/opensearch.xml".to_owned(),
            Self::SitemapIndex => "/sitemap.xml".to_owned(),
            Self::Sitemap(number) => format!("/sitemap-{number}.xml"),
            Self::NewPrograms(locale) => super::here(JSON_FEED, locale),
            Self::ServerCard => mcp::CARD.to_owned(),
            Self::Catalog => mcp::CATALOG.to_owned(),
            Self::RegistryEntry => mcp::REGISTRY.to_owned(),
            Self::ThemeFile(at) => pages.theme.extras[at].path.clone(),
        }
    }
}

/// One of each in every language.
fn spoken<T: Copy>(of: impl IntoIterator<Item = T>, page: fn(T, Locale) -> Page) -> Vec<Page> {
    of.into_iter().flat_map(|it| Locale::ALL.iter().map(move |locale| page(it, *locale))).collect()
}

impl<'a> Pages<'a> {
    /// Pages of these records, every other page and every file beside them, by family.
    #[must_use]
    pub fn families(&'a self, records: &Records, dated: &'a Dated) -> Vec<Family<'a>> {
        let of = |records: &[usize], page| spoken(records.iter().copied(), page);
        let feeds = [None].into_iter().chain(Feed::ALL.map(Some));
        let searches = if self.html.is_some() { spoken(feeds, Page::Search) } else { Vec::new() };
        let families = [
            ("program pages", of(&records.programs, Page::Program)),
            ("organization pages", of(&records.organizations, Page::Organization)),
            ("recipient pages", of(&records.recipients, Page::Recipient)),
            ("facet pages", spoken(FACETS.iter().map(|spec| spec.facet), Page::Facet)),
            ("months", spoken(self.months(dated), Page::Month)),
            ("site pages", spoken(Fixed::ALL, Page::Fixed)),
            ("site files", self.machine_files().into_iter().map(Page::Machine).collect()),
            ("descriptions", Description::ALL.map(Page::Description).into()),
            ("search pages", searches),
        ];
        let families = families.into_iter().filter(|(_, pages)| !pages.is_empty());
        families.map(|(name, pages)| Family::new(name, pages, |page| self.make(*page, dated))).collect()
    }

    fn make(&self, page: Page, dated: &Dated) -> Rendered {
        match page {
            Page::Program(program, locale) => self.program(program, locale, dated),
            Page::Organization(organization, locale) => self.organization(organization, locale, dated),
            Page::Recipient(recipient, locale) => self.recipient(recipient, locale, dated),
            Page::Facet(facet, locale) => self.facet(facet, locale, dated),
            Page::Month(month, locale) => self.month(month, locale, dated),
            Page::Fixed(fixed, locale) => self.fixed(fixed, locale, dated),
            Page::Search(feed, locale) => Ok(self.search(feed, locale, dated).into_iter().collect()),
            Page::Machine(machine) => {
                Ok(vec![whole(format!("public{}", machine.path(self)), self.machine(machine))])
            }
            Page::Description(description) => {
                Ok(vec![whole(format!("public{}", description.path()), self.description(description))])
            }
        }
    }

    fn machine_files(&self) -> Vec<Machine> {
        let mut files = vec![
            Machine::Style,
            Machine::Robots,
            Machine::Llms,
            Machine::OpenSearch,
            Machine::SitemapIndex,
            Machine::NewPrograms(Locale::En),
            Machine::NewPrograms(Locale::Es),
            Machine::ServerCard,
            Machine::Catalog,
            Machine::RegistryEntry,
        ];
        files.extend(Script::ALL.map(Machine::Script));
        files.extend((1..=self.sitemaps()).map(Machine::Sitemap));
        files.extend((0..self.theme.extras.len()).map(Machine::ThemeFile));
        files
    }
}
