//! A search query in words, for chips, page titles and feeds.

use std::borrow::Cow;

use super::ALL;
use super::extras::ORGANIZATION;
use crate::fragments::{Html, Language};
use crate::messages::Message;
use crate::status::plain;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::Site;
use snapshot::page::text::{escaped, grouped};
use snapshot::query::{PARAMETERS, pairs};

/// The bound that every amount satisfies.
const STATED: (&str, &str) = ("fundingMin", "0");

/// What separates pairs in an attribute.
const AND: &str = "&amp;";

/// Bytes of a page number with its name.
const PAGE_BYTES: usize = 32;

/// Maximum length of the query text in a name, in characters.
const TEXT_MAX: usize = 60;

/// The name and value pairs of a query, and what is needed to write them in words.
pub(crate) struct DisplayQuery<'a> {
    pub(super) site: &'a Site,
    pub(super) html: &'a Html,
    pub(super) language: &'a Language,
    /// Names and values of the query string, without the language and the page.
    pub(super) pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The same as they are in the query string, where no character is one of markup.
    encoded: Vec<&'a str>,
}

impl<'a> DisplayQuery<'a> {
    /// `query_string` is in canonical form.
    pub(crate) fn new(site: &'a Site, html: &'a Html, language: &'a Language, query_string: &'a str) -> Self {
        let is_shown = |name: &str| !matches!(name, "offset" | "page" | ALL);
        let all = query_string.split('&').filter_map(|encoded| Some((pairs(encoded).next()?, encoded)));
        let (pairs, encoded) = all.filter(|((name, _), _)| is_shown(name)).unzip();
        Self { site, html, language, pairs, encoded }
    }

    /// A path with the query string, for an attribute; optionally without one of its pairs and with a page number.
    pub(super) fn address(&self, path: &str, without: Option<usize>, page: Option<u64>) -> String {
        let length: usize = self.encoded.iter().map(|pair| pair.len() + AND.len()).sum();
        let mut address = String::with_capacity(path.len() + length + PAGE_BYTES);
        address.push_str(path);
        let kept = self.encoded.iter().enumerate().filter(|(position, _)| Some(*position) != without);
        let page = page.map(|page| format!("page={page}"));
        for pair in kept.map(|(_, pair)| *pair).chain(page.as_deref()) {
            address.extend([if address.len() == path.len() { "?" } else { AND }, pair]);
        }
        address
    }

    /// Positions of the pairs that filter results.
    pub(super) fn filters(&self) -> impl Iterator<Item = usize> {
        let is_filter = |name: &str| !matches!(name, "sort" | "limit" | "facets" | "unstated" | "near");
        (0..self.pairs.len()).filter(move |position| is_filter(&self.pairs[*position].0))
    }

    /// A filter in words: `Topic: Energy`.
    pub(super) fn filter(&self, name: &str, value: &str) -> String {
        let facet = FACETS.iter().find(|spec| spec.parameter == name);
        let rank = PARAMETERS.iter().position(|parameter| facet.is_none() && parameter.name == name);
        let (name, value) = match (facet, rank) {
            (Some(spec), _) => {
                (self.language.facets.text(spec.facet as usize), self.label(spec.facet, value))
            }
            (None, Some(_)) if (name, value) == STATED => {
                return self.language.word(Message::AmountStated).to_owned();
            }
            (None, Some(rank)) if value == "true" => return self.language.parameters.text(rank).to_owned(),
            (None, Some(rank)) => {
                let number = value.parse::<u64>().map(|number| grouped(number, self.language.locale));
                (self.language.parameters.text(rank), number.unwrap_or_else(|_| escaped(value)))
            }
            (None, None) if name == ORGANIZATION => {
                (self.language.word(Message::Organization), self.organization(value))
            }
            (None, None) => (self.language.word(Message::AsWords), escaped(value)),
        };
        format!("{name}: {value}")
    }

    fn organization(&self, slug: &str) -> String {
        let name = |number| self.html.organizations.name(number, self.language.locale).to_owned();
        self.html.organizations.find(slug).map_or_else(|| escaped(slug), name)
    }

    fn label(&self, facet: Facet, value: &str) -> String {
        match self.site.index.values.find(facet, value) {
            Some(ordinal) => self.language.labels.text(ordinal as usize).to_owned(),
            None => self.place(facet, value),
        }
    }

    /// The name of a place.
    pub(super) fn place(&self, facet: Facet, code: &str) -> String {
        escaped(snapshot::facet::place_label(facet, code, self.language.locale).unwrap_or(code))
    }

    /// `climate · Grant · Open now`, without markup; empty for an empty query.
    pub(crate) fn name(&self) -> String {
        let mut words = String::new();
        let mut positions: Vec<usize> = self.filters().collect();
        // The text comes first.
        positions.sort_by_key(|position| self.pairs[*position].0 != "q");
        for position in positions {
            let (name, value) = &self.pairs[position];
            words.push_str(if words.is_empty() { "" } else { " · " });
            words.push_str(&match FACETS.iter().find(|spec| spec.parameter == name) {
                Some(spec) => self.label(spec.facet, value),
                None if name == "q" => escaped(&value.chars().take(TEXT_MAX).collect::<String>()),
                None if name == ORGANIZATION => self.organization(value),
                None => self.filter(name, value),
            });
        }
        escaped(&plain(&words))
    }
}
