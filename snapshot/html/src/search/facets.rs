//! The checkboxes of the facets; template `facets.html`.

use minijinja::{Value, context};
use snapshot::facet::{Facet, GROUPS};
use snapshot::place::{self, Place};
use snapshot::query::{FacetValue, Page, Query};
use snapshot::record::Locale;
use snapshot::search::{FacetCounts, RankOptions};
use snapshot::text::normalized;

use super::options::ALL;
use super::{CLOSING_SOON, Search, VALUES_MAX};

/// Continents, by which a long list of places is divided; other places come first.
const CONTINENTS: [&str; 5] = ["002", "009", "019", "142", "150"];

/// The names of the groups after the topics, and whether each is open.
const NAMES: [(&str, bool); GROUPS.len() - 1] =
    [("line_who", true), ("filter_where", true), ("filter_more", false)];

/// The continent of a place; none for regions that are not countries.
fn continent(code: &str) -> Option<&'static Place> {
    let country = place::find(code.split('-').next()?)?;
    let ancestors = country.ancestors.iter().filter(|_| country.code.starts_with(char::is_alphabetic));
    ancestors.copied().find(|code| CONTINENTS.contains(code)).and_then(place::find)
}

impl Search<'_> {
    /// The topics and what is in no group, then groups of facets.
    pub(super) fn groups(&self) -> Value {
        let facets = self.answer.facets.as_deref().unwrap_or_default();
        let has_options = |counts: &&FacetCounts| {
            counts.items.iter().any(|(pick, _)| !self.has_quick_filter(counts.facet, pick))
        };
        let find = |facet: &Facet| facets.iter().find(|counts| counts.facet == *facet).filter(has_options);
        let is_used = |counts: &&FacetCounts| self.is_used(counts.facet);
        let [(_, topics), groups @ ..] = GROUPS;
        let loose = facets.iter().filter(|counts| GROUPS.iter().all(|(_, of)| !of.contains(&counts.facet)));
        let loose = topics.iter().filter_map(find).chain(loose.filter(is_used));
        let group = |((id, of), (name, is_open)): ((&'static str, &[Facet]), (&str, bool))| {
            let of: Vec<&FacetCounts> = of.iter().filter_map(find).collect();
            let is_open = is_open || of.iter().any(is_used);
            let facets = of.into_iter().enumerate();
            let facets: Vec<_> = facets.map(|(at, counts)| self.facet(counts, at == 0 && is_open)).collect();
            (!facets.is_empty()).then(|| context! { id, name => self.words.word(name), is_open, facets })
        };
        context! {
            loose => loose.map(|counts| self.facet(counts, true)).collect::<Vec<_>>(),
            groups => groups.into_iter().zip(NAMES).filter_map(group).collect::<Vec<_>>(),
        }
    }

    /// Whether the query selects values of a facet, or shows all of them.
    fn is_used(&self, facet: Facet) -> bool {
        self.extras.all == Some(facet) || self.query.selected.iter().any(|(of, _)| *of == facet)
    }

    /// A facet and its values as checkboxes.
    fn facet(&self, counts: &FacetCounts, is_open: bool) -> Value {
        let (facet, spec, locale) = (counts.facet, counts.facet.spec(), self.query.locale);
        let whole = self.extras.all == Some(facet);
        let every = whole.then(|| self.every(facet));
        let items = every.as_ref().unwrap_or(&counts.items);
        let most = items.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let mut region = None;
        let mut values = Vec::new();
        for (position, (pick, count)) in items.iter().enumerate() {
            let is_on = self.query.selected.contains(&(facet, *pick));
            if !(whole || position < VALUES_MAX || is_on) || self.has_quick_filter(facet, pick) {
                continue;
            }
            let value = self.site.index.value_text(pick);
            let (lang, text) = match pick {
                FacetValue::Value(ordinal) => self.html.language(locale).label(*ordinal),
                FacetValue::Place(code) => (None, self.display.place(facet, code)),
            };
            let here = continent(value).filter(|_| whole && spec.is_place).map(|place| place.name(locale));
            values.push(context! {
                // The continent that begins with it.
                region => here.filter(|here| region != Some(*here)),
                value, text, lang,
                // The label in the other language, for the filter field of the list.
                other => self.other_label(facet, pick).filter(|_| whole),
                is_on,
                count => self.words.grouped(*count),
                // Length of the bar, in tenths of the longest.
                tenths => u64::from(*count) * 9 / u64::from(most.max(1)),
            });
            region = here;
        }
        // The address of the page that shows all its values.
        let all = !whole && (spec.is_place || items.len() > VALUES_MAX);
        let and = if self.address.contains('?') { "&" } else { "?" };
        context! {
            name => self.display.facet(facet),
            parameter => spec.parameter,
            is_open => is_open || self.is_used(facet),
            values,
            all => all.then(|| format!("{}{and}{ALL}={}", self.address, spec.parameter)),
        }
    }

    /// Whether a value stands beside the search field and not in its group.
    fn has_quick_filter(&self, facet: Facet, pick: &FacetValue) -> bool {
        facet == Facet::OpenStates && self.site.index.value_text(pick) == CLOSING_SOON
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
        items.retain(|(pick, count)| *count > 0 || self.query.selected.contains(&(facet, *pick)));
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

    fn other_label<'v>(&'v self, facet: Facet, pick: &'v FacetValue) -> Option<&'v str> {
        let other = if self.query.locale == Locale::En { Locale::Es } else { Locale::En };
        let label = |locale| self.site.rows.label(facet, pick, locale);
        Some(label(other)).filter(|it| *it != label(self.query.locale))
    }
}
