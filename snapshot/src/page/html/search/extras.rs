//! What only the page is asked: an order by relevance, words as words, records that keep silent.

use crate::facet::{FACETS, Facet};
use crate::page::Site;
use crate::query::{Query, Sort, pairs};
use crate::record::Locale;
use crate::search::text::words_of;

/// Names the parameter of the facet that is shown whole.
pub(super) const ALL: &str = "all";

/// The order of a page with a text.
const RELEVANCE: &str = "relevance";

/// What a page is asked besides the question that every face knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// The order, as it was asked for.
    pub sort: Option<String>,
    /// Words that are to be taken as words, whatever they name.
    pub plain: Vec<String>,
    /// Rows of records that do not say who may apply.
    pub silent: bool,
    /// The facet of which every value is listed.
    pub all: Option<Facet>,
}

/// Most words of a question that may be told to be words.
const PLAIN_MAX: usize = 16;

impl Extras {
    /// Takes the page's own parameters out of a query string; the rest is left as it is.
    #[must_use]
    pub fn take(query: &str) -> (Self, String) {
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

    /// The question with these, as a query string: what makes no difference is left out.
    #[must_use]
    pub fn question(&self, site: &Site, query: &Query) -> String {
        let mut pairs = form_urlencoded::Serializer::new(question(site, query));
        if query.text.is_some() && self.sort.as_deref() == Some(Sort::Deadline.as_str()) {
            pairs.append_pair("sort", Sort::Deadline.as_str());
        }
        for words in self.plain.iter().filter(|_| query.text.is_some()) {
            pairs.append_pair("plain", words);
        }
        if self.silent {
            pairs.append_pair("unstated", "true");
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

/// The question in canonical form, without its language, which the path says.
#[must_use]
pub fn question(site: &Site, query: &Query) -> String {
    let neutral = Query { locale: Locale::En, ..query.clone() };
    neutral.canonical(|ordinal| site.index.values.text(ordinal))
}
