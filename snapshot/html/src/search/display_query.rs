//! A search query in words, for chips, page titles and feeds.

use std::borrow::Cow;

use super::ALL;
use super::extras::ORGANIZATION;
use crate::fragments::{Html, Language};
use crate::messages::Message;
use crate::status::push_unmarked;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::Site;
use snapshot::page::text::{grouped, push_escaped};
use snapshot::query::{PARAMETERS, pairs};

/// The bound that every amount satisfies.
const STATED: (&str, &str) = ("fundingMin", "0");

/// Maximum length of the query text in a name, in characters.
const TEXT_MAX: usize = 60;

/// The name and value pairs of a query, and what is needed to write them in words.
pub(crate) struct DisplayQuery<'a> {
    pub(super) site: &'a Site,
    pub(super) html: &'a Html,
    pub(super) language: &'a Language,
    /// Names and values of the query string, without the language and the page.
    pub(super) pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> DisplayQuery<'a> {
    /// `query_string` is in canonical form.
    pub(crate) fn new(site: &'a Site, html: &'a Html, language: &'a Language, query_string: &'a str) -> Self {
        let is_shown = |name: &str| !matches!(name, "offset" | "page" | ALL);
        Self { site, html, language, pairs: pairs(query_string).filter(|(name, _)| is_shown(name)).collect() }
    }

    /// Positions of the pairs that filter results.
    pub(super) fn filters(&self) -> impl Iterator<Item = usize> {
        let is_filter = |name: &str| !matches!(name, "sort" | "limit" | "facets" | "unstated");
        (0..self.pairs.len()).filter(move |position| is_filter(&self.pairs[*position].0))
    }

    /// Writes a filter in words: `Topic: Energy`.
    pub(super) fn push_filter(&self, out: &mut Vec<u8>, name: &str, value: &str) {
        let rank = PARAMETERS.iter().position(|parameter| parameter.name == name);
        let facet = FACETS.iter().find(|spec| spec.parameter == name);
        match (facet, rank) {
            (Some(spec), _) => {
                out.extend_from_slice(self.language.facets.bytes(spec.facet as usize));
                out.extend_from_slice(b": ");
                self.push_label(out, spec.facet, value);
            }
            (None, Some(_)) if (name, value) == STATED => {
                self.language.push_message(out, Message::AmountStated);
            }
            (None, Some(rank)) => {
                out.extend_from_slice(self.language.parameters.bytes(rank));
                if value != "true" {
                    out.extend_from_slice(b": ");
                    match value.parse() {
                        Ok(number) => out.extend_from_slice(grouped(number, self.language.locale).as_bytes()),
                        Err(_) => push_escaped(out, value),
                    }
                }
            }
            (None, None) if name == ORGANIZATION => {
                self.language.push_message(out, Message::Organization);
                out.extend_from_slice(b": ");
                self.push_organization(out, value);
            }
            (None, None) => {
                self.language.push_message(out, Message::AsWords);
                out.extend_from_slice(b": ");
                push_escaped(out, value);
            }
        }
    }

    fn push_organization(&self, out: &mut Vec<u8>, slug: &str) {
        match self.html.organizations.find(slug) {
            Some(number) => {
                let name = self.html.organizations.name(number, self.language.locale);
                out.extend_from_slice(name.as_bytes());
            }
            None => push_escaped(out, slug),
        }
    }

    fn push_label(&self, out: &mut Vec<u8>, facet: Facet, value: &str) {
        match self.site.index.values.find(facet, value) {
            Some(ordinal) => out.extend_from_slice(self.language.labels.bytes(ordinal as usize)),
            None => self.push_place(out, facet, value),
        }
    }

    pub(super) fn push_place(&self, out: &mut Vec<u8>, facet: Facet, code: &str) {
        let label = snapshot::facet::place_label(facet, code, self.language.locale);
        push_escaped(out, label.unwrap_or(code));
    }

    /// `climate · Grant · Open now`, without markup; empty for an empty query.
    pub(crate) fn name(&self) -> Vec<u8> {
        let mut words = Vec::new();
        let mut positions: Vec<usize> = self.filters().collect();
        // The text comes first.
        positions.sort_by_key(|position| self.pairs[*position].0 != "q");
        for position in positions {
            let (name, value) = &self.pairs[position];
            if !words.is_empty() {
                words.extend_from_slice(" · ".as_bytes());
            }
            match FACETS.iter().find(|spec| spec.parameter == name) {
                Some(spec) => self.push_label(&mut words, spec.facet, value),
                None if name == "q" => {
                    push_escaped(&mut words, &value.chars().take(TEXT_MAX).collect::<String>());
                }
                None if name == ORGANIZATION => self.push_organization(&mut words, value),
                None => self.push_filter(&mut words, name, value),
            }
        }
        let mut plain = Vec::with_capacity(words.len());
        push_unmarked(&mut plain, &words);
        plain
    }
}
