//! The checkboxes of the facets.

use super::{ALL, CLOSING_SOON, Splice, VALUES_MAX};
use crate::fragments::{push, push_parts};
use crate::messages::Message;
use crate::prepare::checkbox_attributes;
use snapshot::facet::{Facet, FacetSpec, GROUPS};
use snapshot::page::text::{escaped, push_grouped};
use snapshot::place::{self, Place};
use snapshot::query::{FacetValue, Page, Query};
use snapshot::record::Locale;
use snapshot::search::{FacetCounts, RankOptions};
use snapshot::text::normalized;

/// Continents, by which a long list of places is divided; other places come first.
const CONTINENTS: [&str; 5] = ["002", "009", "019", "142", "150"];

/// The names of the groups after the topics, and whether each is open.
const NAMES: [(Message, bool); GROUPS.len() - 1] =
    [(Message::Who, true), (Message::Where, true), (Message::MoreFilters, false)];

/// The continent of a place; none for regions that are not countries.
fn continent(code: &str) -> Option<&'static Place> {
    let country = place::find(code.split('-').next()?)?;
    let ancestors = country.ancestors.iter().filter(|_| country.code.starts_with(char::is_alphabetic));
    ancestors.copied().find(|code| CONTINENTS.contains(code)).and_then(place::find)
}

impl Splice<'_> {
    /// The topics, then groups of facets.
    pub(super) fn facets(&self, out: &mut Vec<u8>) {
        let Some(facets) = &self.answer.facets else { return };
        let has_options = |counts: &&FacetCounts| {
            counts.items.iter().any(|(pick, _)| !self.has_quick_filter(counts.facet, pick))
        };
        let find = |facet: &Facet| facets.iter().find(|counts| counts.facet == *facet).filter(has_options);
        let is_used = |counts: &&FacetCounts| self.is_used(counts.facet);
        let [(_, topics), groups @ ..] = GROUPS;
        topics.iter().filter_map(find).for_each(|counts| self.facet(counts, true, out));
        let loose = facets.iter().filter(|counts| GROUPS.iter().all(|(_, of)| !of.contains(&counts.facet)));
        loose.filter(is_used).for_each(|counts| self.facet(counts, true, out));
        for ((id, of), (name, is_open)) in groups.into_iter().zip(NAMES) {
            let of: Vec<&FacetCounts> = of.iter().filter_map(find).collect();
            if of.is_empty() {
                continue;
            }
            let is_open = is_open || of.iter().any(is_used);
            let open = if is_open { " open" } else { "" };
            let name = self.language.word(name);
            push(out, format_args!("<details id=\"{id}\"{open}><summary>{name}</summary>"));
            for (position, counts) in of.into_iter().enumerate() {
                self.facet(counts, position == 0 && is_open, out);
            }
            push(out, "</details>");
        }
    }

    /// Whether the query selects values of a facet, or shows all of them.
    fn is_used(&self, facet: Facet) -> bool {
        self.extras.all == Some(facet) || self.query.selected.iter().any(|(of, _)| *of == facet)
    }

    fn facet(&self, counts: &FacetCounts, is_open: bool, out: &mut Vec<u8>) {
        let (facet, spec) = (counts.facet, counts.facet.spec());
        let whole = self.extras.all == Some(facet);
        let every = whole.then(|| self.every(facet));
        let items = every.as_ref().unwrap_or(&counts.items);
        let open = if is_open || self.is_used(facet) { " open" } else { "" };
        let name = self.language.facets.text(facet as usize);
        push_parts(out, ["<details", open, "><summary>", name, "</summary><fieldset><legend class=\"vh\">"]);
        push_parts(out, [name, "</legend>"]);
        let most = items.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let mut region = None;
        for (position, (pick, count)) in items.iter().enumerate() {
            if whole && spec.is_place {
                let code = self.site.index.value_text(pick);
                let here = continent(code).map(|place| place.name(self.query.locale));
                if here != region {
                    region = here;
                    push(out, format_args!("<p>{}</p>", here.unwrap_or_default()));
                }
            }
            let on = self.is_picked(facet, pick);
            if (whole || position < VALUES_MAX || on) && !self.has_quick_filter(facet, pick) {
                self.option(facet, (pick, *count, most), (on, whole), out);
            }
        }
        if !whole && (spec.is_place || items.len() > VALUES_MAX) {
            self.all_values(spec, out);
        }
        push(out, "</fieldset></details>");
    }

    /// Whether a value stands beside the search field and not in its group.
    fn has_quick_filter(&self, facet: Facet, pick: &FacetValue) -> bool {
        facet == Facet::OpenStates && self.site.index.value_text(pick) == CLOSING_SOON
    }

    fn is_picked(&self, facet: Facet, pick: &FacetValue) -> bool {
        self.query.selected.iter().any(|(of, it)| *of == facet && it == pick)
    }

    /// Every value of a facet with results, and for places also those that records admit through a wider
    /// place.
    fn every(&self, facet: Facet) -> Vec<(FacetValue, u32)> {
        let values = &self.site.index.values;
        let named = values.of(facet).map(|ordinal| FacetValue::Value(ordinal as u32));
        let unnamed =
            place::all().filter(|it| facet.spec().is_place && values.find(facet, it.code).is_none());
        let unnamed = unnamed.filter_map(|it| place::Code::new(it.code)).map(FacetValue::Place);
        let mut items = self.counted(facet, named.chain(unnamed));
        items.retain(|(pick, count)| *count > 0 || self.is_picked(facet, pick));
        if facet.spec().is_place {
            let locale = self.query.locale;
            items.sort_by_cached_key(|(pick, _)| {
                let continent = continent(self.site.index.value_text(pick)).map(|place| place.name(locale));
                (continent.map(normalized), normalized(self.site.rows.label(facet, pick, locale)))
            });
        }
        items
    }

    /// The number of results for each value as the only selected one of its facet. Selected values are
    /// counted even if they have few results.
    fn counted(&self, facet: Facet, of: impl Iterator<Item = FacetValue>) -> Vec<(FacetValue, u32)> {
        let others = self.query.selected.iter().filter(|(other, _)| *other != facet).cloned();
        let selected = others.chain(of.map(|pick| (facet, pick))).collect();
        let query = Query { selected, page: Page { offset: 0, limit: 1 }, ..self.query.clone() };
        let options = RankOptions { shown_values: 0, ..self.options };
        let answer = self.site.index.ranked(&query, &self.dated.today, options);
        let mut facets = answer.facets.into_iter().flatten();
        facets.find(|counts| counts.facet == facet).map(|counts| counts.items).unwrap_or_default()
    }

    fn option(
        &self,
        facet: Facet,
        (pick, count, most): (&FacetValue, u32, u32),
        (on, whole): (bool, bool),
        out: &mut Vec<u8>,
    ) {
        // Length of the bar, in tenths of the longest.
        let tenths = u64::from(count) * 9 / u64::from(most.max(1));
        out.extend_from_slice(b"<label class=\"w");
        out.extend([b'0' + tenths as u8, b'"']);
        if whole {
            push(out, self.other_label(facet, pick));
        }
        out.extend_from_slice(b"><input type=\"checkbox\" ");
        match pick {
            FacetValue::Value(ordinal) => out.extend_from_slice(self.html.options.bytes(*ordinal as usize)),
            FacetValue::Place(code) => push(out, checkbox_attributes(facet.spec().parameter, code)),
        }
        out.extend_from_slice(if on { b" checked> " } else { b"> " });
        match pick {
            FacetValue::Value(ordinal) => {
                out.extend_from_slice(self.language.labels.bytes(*ordinal as usize));
            }
            FacetValue::Place(code) => push(out, self.display.place(facet, code)),
        }
        out.extend_from_slice(b" <i>");
        push_grouped(out, count.into(), self.query.locale);
        out.extend_from_slice(b"</i></label>");
    }

    /// An attribute with the label in the other language, for the filter field of the list.
    fn other_label(&self, facet: Facet, pick: &FacetValue) -> String {
        let other = if self.query.locale == Locale::En { Locale::Es } else { Locale::En };
        let label = |locale| self.site.rows.label(facet, pick, locale);
        match label(other) {
            same if same == label(self.query.locale) => String::new(),
            other => format!(" data-o=\"{}\"", escaped(other)),
        }
    }

    fn all_values(&self, spec: &FacetSpec, out: &mut Vec<u8>) {
        let and = if self.question().is_empty() { "?" } else { "&amp;" };
        let (text, name) =
            (self.language.word(Message::AllValues), self.language.facets.text(spec.facet as usize));
        push_parts(out, ["<a rel=\"nofollow\" href=\"", &self.address, and, ALL, "=", spec.parameter, "\">"]);
        push_parts(out, [text, "<span class=\"vh\">: ", name, "</span></a>"]);
    }
}
