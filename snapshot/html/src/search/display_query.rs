//! A search query in words, for chips, page titles and feeds.

use std::borrow::Cow;

use snapshot::facet::Facet;
use snapshot::page::Site;
use snapshot::query::{PARAMETERS, pairs};

use super::options::{ALL, ORGANIZATION};
use crate::index::Html;
use crate::status::Words;

/// The bound that every amount satisfies.
const STATED: (&str, &str) = ("fundingMin", "0");

/// What separates pairs.
const AND: &str = "&";

/// Bytes of a page number with its name.
const PAGE_BYTES: usize = 32;

/// Maximum length of the query text in a name, in characters.
const TEXT_MAX: usize = 60;

/// The name and value pairs of a query, and what is needed to write them in words.
pub(crate) struct DisplayQuery<'a> {
    pub(super) site: &'a Site,
    pub(super) html: &'a Html,
    pub(super) words: Words<'a>,
    /// Names and values of the query string, without the language and the page.
    pub(super) pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The same as they are in the query string.
    encoded: Vec<&'a str>,
}

impl<'a> DisplayQuery<'a> {
    /// `query_string` is in canonical form.
    pub(crate) fn new(site: &'a Site, html: &'a Html, words: Words<'a>, query_string: &'a str) -> Self {
        let is_shown = |name: &str| !matches!(name, "offset" | "page" | ALL);
        let all = query_string.split('&').filter_map(|encoded| Some((pairs(encoded).next()?, encoded)));
        let (pairs, encoded) = all.filter(|((name, _), _)| is_shown(name)).unzip();
        Self { site, html, words, pairs, encoded }
    }

    /// A path with the query string; optionally without one of its pairs and with a page number.
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
        let is_filter = |name: &str| !matches!(name, "sort" | "limit" | "facets" | "near");
        (0..self.pairs.len()).filter(move |position| is_filter(&self.pairs[*position].0))
    }

    /// The name of a facet.
    pub(super) fn facet(&self, facet: Facet) -> &'a str {
        self.words.word(&format!("facet_{}", facet.spec().name))
    }

    /// A filter in words: `Topic: Energy`.
    pub(super) fn filter(&self, name: &str, value: &str) -> String {
        if let Some(facet) = Facet::of_parameter(name) {
            return format!("{}: {}", self.facet(facet), self.label(facet, value));
        }
        let is_parameter = PARAMETERS.iter().any(|parameter| parameter.name == name);
        let parameter = || self.words.word(&format!("param_{name}"));
        let (name, value) = match (is_parameter, value.parse::<u64>()) {
            (true, _) if (name, value) == STATED => return self.words.word("search_amount").to_owned(),
            (true, _) if name == ORGANIZATION => (parameter(), self.organization(value).to_owned()),
            (true, _) if value == "true" => return parameter().to_owned(),
            (true, Ok(number)) => (parameter(), self.words.grouped(number)),
            (true, Err(_)) => (parameter(), value.to_owned()),
            (false, _) => (self.words.word("search_as_words"), value.to_owned()),
        };
        format!("{name}: {value}")
    }

    fn organization<'s>(&'s self, slug: &'s str) -> &'s str {
        let organizations = &self.site.index.organizations;
        organizations.named(slug).map_or(slug, |number| organizations.name(number, self.words.locale))
    }

    pub(super) fn label<'s>(&'s self, facet: Facet, value: &'s str) -> &'s str {
        match self.site.index.values.find(facet, value) {
            Some(ordinal) => self.html.language(self.words.locale).label(ordinal).1,
            None => self.place(facet, value),
        }
    }

    /// The name of a place.
    pub(super) fn place<'s>(&self, facet: Facet, code: &'s str) -> &'s str {
        snapshot::facet::place_label(facet, code, self.words.locale).unwrap_or(code)
    }

    /// `climate · Grant · Open now`; empty for an empty query.
    pub(crate) fn name(&self) -> String {
        let mut positions: Vec<usize> = self.filters().collect();
        // The text comes first.
        positions.sort_by_key(|position| self.pairs[*position].0 != "q");
        let word = |position: usize| {
            let (name, value) = &self.pairs[position];
            match Facet::of_parameter(name) {
                Some(facet) => self.label(facet, value).to_owned(),
                None if name == "q" => value.chars().take(TEXT_MAX).collect(),
                None if name == ORGANIZATION => self.organization(value).to_owned(),
                None => self.filter(name, value),
            }
        };
        positions.into_iter().map(word).collect::<Vec<_>>().join(" · ")
    }
}
