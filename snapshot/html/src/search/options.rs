//! Parameters of the search page that the API does not have: sort by relevance, literal words, records near a named one,
//! and all values of a facet. An organization may be given by its name, and a value
//! chosen on the home page as one parameter, `pick=topic:energy`.

use snapshot::facet::Facet;
use snapshot::page::Site;
use snapshot::query::{Query, Sort, pairs};
use snapshot::record::Locale;
use snapshot::text::words_of;

/// Parameter that names the facet shown with all its values.
pub(super) const ALL: &str = "all";

/// Parameter that names an organization.
pub(super) const ORGANIZATION: &str = "organization";

/// Parameter of a value and its parameter: a list of a form has one name, and values of several.
const PICK: &str = "pick";

/// Most empty values of an address that a person types; a form sends more.
const EMPTY_MAX: usize = 4;

/// Default sort order of a query with text.
const RELEVANCE: &str = "relevance";

/// Options of the search page besides the query that it shares with the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageOptions {
    /// The requested sort order.
    pub sort: Option<String>,
    /// Words to match literally, even if they name a facet value.
    pub plain: Vec<String>,
    /// Whether partial matches follow a record that the query names.
    pub with_near: bool,
    /// The facet shown with all its values.
    pub all: Option<Facet>,
}

/// Maximum number of literal words in a query.
const PLAIN_MAX: usize = 16;

impl PageOptions {
    /// Splits a query string into the page's own parameters and the rest, in which organizations that were named have
    /// their slugs.
    pub fn parse(query: &str, site: &Site) -> (Self, String) {
        let organizations = &site.index.organizations;
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
                ALL if extras.all.is_none() && Facet::of_parameter(&value).is_some() => {
                    extras.all = Facet::of_parameter(&value);
                }
                ORGANIZATION => {
                    let slug = organizations.named(&value).map(|number| organizations.slug(number));
                    rest.append_pair(&name, slug.unwrap_or(&value));
                }
                PICK => {
                    let chosen = value
                        .split_once(':')
                        .filter(|(parameter, _)| Facet::of_parameter(parameter).is_some());
                    if let Some((parameter, value)) = chosen {
                        rest.append_pair(parameter, value);
                    }
                }
                "near" if value == "true" => extras.with_near = true,
                _ => {
                    rest.append_pair(&name, &value);
                }
            }
        }
        extras.plain.sort_unstable();
        (extras, rest.finish())
    }

    /// Whether a form made an address, with fields that were left empty or values that were chosen from lists: a shorter
    /// one finds the same.
    pub fn is_of_form(query: &str) -> bool {
        pairs(query).any(|(name, _)| name == PICK)
            || pairs(query).filter(|(_, value)| value.is_empty()).count() > EMPTY_MAX
    }

    /// Whether results are sorted by relevance.
    pub(super) fn by_relevance(&self, query: &Query) -> bool {
        query.text.is_some() && self.sort.as_ref().is_none_or(|sort| sort == RELEVANCE)
    }

    /// The query with these options as a query string in canonical form.
    pub fn query_string(&self, site: &Site, query: &Query) -> String {
        // The language is part of the path.
        let neutral = Query { locale: Locale::En, ..query.clone() };
        let canonical = neutral.canonical(|ordinal| site.index.values.text(ordinal));
        let mut pairs = form_urlencoded::Serializer::new(canonical);
        if query.text.is_some() && self.sort.as_deref() == Some(Sort::Deadline.as_str()) {
            pairs.append_pair("sort", Sort::Deadline.as_str());
        }
        for words in self.plain.iter().filter(|_| query.text.is_some()) {
            pairs.append_pair("plain", words);
        }
        if self.with_near {
            pairs.append_pair("near", "true");
        }
        if let Some(facet) = self.all {
            pairs.append_pair(ALL, facet.spec().parameter);
        }
        pairs.finish()
    }
}
