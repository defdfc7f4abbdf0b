//! What only the page is asked: an order by relevance, words as words, records that keep silent, those of one
//! organization.

use crate::Html;
use crate::organization::Organizations;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::Site;
use snapshot::query::{Query, Sort, pairs};
use snapshot::record::Locale;
use snapshot::search::DocSet;
use snapshot::text::words_of;

/// Names the parameter of the facet that is shown whole.
pub(super) const ALL: &str = "all";

/// Names the organization whose programs are asked for.
pub(super) const ORGANIZATION: &str = "organization";

/// The order of a page with a text.
const RELEVANCE: &str = "relevance";

/// What a page is asked besides the question that every face knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageOptions {
    /// The order, as it was asked for.
    pub sort: Option<String>,
    /// Words that are to be taken as words, whatever they name.
    pub plain: Vec<String>,
    /// Rows of records that do not say who may apply.
    pub silent: bool,
    /// The facet of which every value is listed.
    pub all: Option<Facet>,
    /// The organization whose programs are asked for, by its number.
    pub organization: Option<u32>,
}

/// Most words of a question that may be told to be words.
const PLAIN_MAX: usize = 16;

impl PageOptions {
    /// Takes the page's own parameters out of a query string; the rest is left as it is.
    #[must_use]
    pub fn parse(query: &str, organizations: Option<&Organizations>) -> (Self, String) {
        let known = |called: &str| organizations?.find(called);
        let mut extras = Self::default();
        let mut rest = form_urlencoded::Serializer::new(String::new());
        for (name, value) in pairs(query) {
            match &*name {
                "sort" if extras.sort.is_none() && (value == RELEVANCE || Sort::parse(&value).is_some()) => {
                    extras.sort = Some(value.to_string());
                    if value != RELEVANCE {
                        rest.append_pair(&name, &value);
                    }
                }
                "plain" if extras.plain.len() < PLAIN_MAX => {
                    let words = words_of(&value).join(" ");
                    if !words.is_empty() && !extras.plain.contains(&words) {
                        extras.plain.push(words);
                    }
                }
                ALL if extras.all.is_none() && faceted(&value).is_some() => extras.all = faceted(&value),
                ORGANIZATION if extras.organization.is_none() && known(&value).is_some() => {
                    extras.organization = known(&value);
                }
                // A field that was left empty asks for nothing.
                ORGANIZATION if value.is_empty() => {}
                "unstated" if value == "true" => extras.silent = true,
                _ => {
                    rest.append_pair(&name, &value);
                }
            }
        }
        extras.plain.sort_unstable();
        (extras, rest.finish())
    }

    /// Whether the best match of a question comes first.
    pub(super) fn by_relevance(&self, query: &Query) -> bool {
        query.text.is_some() && self.sort.as_ref().is_none_or(|sort| sort == RELEVANCE)
    }

    /// The same for a feed, which knows no order of its own.
    #[must_use]
    pub fn for_feed(&self) -> Self {
        Self { organization: self.organization, ..Self::default() }
    }

    /// The documents that are asked of; `None` is every document.
    pub(crate) fn among<'a>(&self, html: &'a Html) -> Option<DocSet<'a>> {
        self.organization.map(|number| DocSet::List(html.organizations.docs(number).into()))
    }

    /// The question with these, as a query string: what makes no difference is left out.
    #[must_use]
    pub fn query_string(&self, site: &Site, html: &Html, query: &Query) -> String {
        let mut pairs = form_urlencoded::Serializer::new(canonical_query(site, query));
        if query.text.is_some() && self.sort.as_deref() == Some(Sort::Deadline.as_str()) {
            pairs.append_pair("sort", Sort::Deadline.as_str());
        }
        for words in self.plain.iter().filter(|_| query.text.is_some()) {
            pairs.append_pair("plain", words);
        }
        if self.silent {
            pairs.append_pair("unstated", "true");
        }
        if let Some(number) = self.organization {
            pairs.append_pair(ORGANIZATION, html.organizations.slug(number));
        }
        if let Some(facet) = self.all {
            pairs.append_pair(ALL, facet.spec().parameter);
        }
        pairs.finish()
    }
}

/// The facet that a parameter filters by.
fn faceted(parameter: &str) -> Option<Facet> {
    FACETS.iter().find(|spec| spec.parameter == parameter).map(|spec| spec.facet)
}

/// The query in canonical form, without its language, which the path has.
fn canonical_query(site: &Site, query: &Query) -> String {
    let neutral = Query { locale: Locale::En, ..query.clone() };
    neutral.canonical(|ordinal| site.index.values.text(ordinal))
}
