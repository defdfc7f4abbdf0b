//! FacetResponse: a facet's values over all programs, looked up by part of value or label.

use crate::facet::Facet;
use crate::page::json::{push_items, push_numbers};
use crate::page::{Dated, Paged, Site, push_json};
use crate::place;
use crate::query::{FacetQuery, FacetValue};
use crate::record::Locale;
use crate::text::fold;

/// Answers a query to the facet endpoint.
pub fn facet(site: &Site, dated: &Dated, facet: Facet, query: &FacetQuery) -> Paged {
    let items = options(site, dated, facet, &query.text, query.locale);
    let shown = &items[query.page.range(items.len())];
    let mut out = Vec::with_capacity(200 + 80 * shown.len());
    out.extend_from_slice(b"{\"data\":[");
    push_items(&mut out, shown, |(value, count), out| {
        site.rows.push_item(facet, value, *count, query.locale, out);
    });
    out.extend_from_slice(b"],\"meta\":{\"facet\":");
    push_json(&mut out, &facet.spec().name);
    out.extend_from_slice(b",\"q\":");
    push_json(&mut out, &query.text);
    out.push(b',');
    let (count, total) = (shown.len() as u64, items.len() as u64);
    let page =
        [("limit", query.page.limit), ("offset", query.page.offset), ("count", count), ("total", total)];
    push_numbers(&mut out, page);
    out.extend_from_slice(b"}}");
    Paged { bytes: out, total: items.len() }
}

/// Values of a facet with their counts over all programs, by count descending, then value: those
/// that records include and, when a text is given, places that records admit without naming them. A text is part
/// of the value or its label; of places, part of the name in either language, or any other name.
pub fn options(
    site: &Site,
    dated: &Dated,
    facet: Facet,
    text: &str,
    locale: Locale,
) -> Vec<(FacetValue, u32)> {
    let values = &site.index.values;
    let counts = site.index.totals(&dated.today);
    let wanted = fold(text);
    let is_place = facet.spec().is_place && !wanted.is_empty();
    let locales = if is_place { Locale::ALL } else { std::slice::from_ref(&locale) };
    let places: Vec<&str> =
        place::named(text).filter(|_| is_place).flat_map(|name| &name.codes).copied().collect();
    let is_in = |text: &str| fold(text).contains(&wanted);
    let unlisted = if wanted.is_empty() { values.only_excluded(facet) } else { &[] };
    let is_listed = |ordinal: &usize| counts[*ordinal] > 0 && !unlisted.contains(&(*ordinal as u32));
    let named = values.of(facet).filter(is_listed).filter_map(|ordinal| {
        let (pick, value) = (FacetValue::Value(ordinal as u32), values.text(ordinal as u32));
        let labels = || locales.iter().any(|locale| is_in(site.rows.label(facet, &pick, *locale)));
        let fits = wanted.is_empty() || places.contains(&value) || is_in(value) || labels();
        fits.then_some((pick, counts[ordinal]))
    });
    let mut items: Vec<(FacetValue, u32)> = named.collect();
    if is_place {
        let unnamed = place::all().filter(|place| values.find(facet, place.code).is_none());
        let names = |place: &place::Place| locales.iter().any(|locale| is_in(place.name(*locale)));
        let found = unnamed.filter(|it| places.contains(&it.code) || is_in(it.code) || names(it));
        let counted = found.filter_map(|place| {
            let docs = values.docs_of_place(facet, place.code);
            Some((FacetValue::Place(place::Code::new(place.code)?), docs.len() as u32))
        });
        items.extend(counted.filter(|(_, count)| *count > 0));
    }
    site.index.sort_by_count(&mut items);
    items
}
