//! What only the page is asked: an order by relevance, words as words, records that keep silent.

use crate::page::Site;
use crate::query::{Query, Sort, pairs};
use crate::record::Locale;
use crate::search::text::words_of;

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
        pairs.finish()
    }
}

/// The question in canonical form, without its language, which the path says.
#[must_use]
pub fn question(site: &Site, query: &Query) -> String {
    let neutral = Query { locale: Locale::En, ..query.clone() };
    neutral.canonical(|ordinal| site.index.values.text(ordinal))
}
