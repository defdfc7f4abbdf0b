//! FacetResponse: a facet's values over all programs, looked up by part of value or label.

use crate::facet::Facet;
use crate::page::json::{push_items, push_numbers};
use crate::page::{Dated, Paged, Site, push_json};
use crate::place;
use crate::query::{FacetQuery, FacetValue};
use crate::record::Locale;
use crate::text::fold;

/// Answers a query to the facet endpoint. Labels are English: it has no language parameter.
#[must_use]
pub fn facet(site: &Site, dated: &Dated, facet: Facet, query: &FacetQuery) -> Paged {
    let items = options(site, dated, facet, &query.text, Locale::En);
    let shown = &items[query.page.range(items.len())];
    let mut out = Vec::with_capacity(200 + 80 * shown.len());
    out.extend_from_slice(b"{\"data\":[");
    push_items(&mut out, shown, |(value, count), out| {
        site.rows.push_item(facet, value, *count, Locale::En, out);
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
/// that records name and, when a text is given, places that records admit without naming them.
#[must_use]
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
    let fits = |value: &str, label: &str| {
        wanted.is_empty() || fold(value).contains(&wanted) || fold(label).contains(&wanted)
    };
    let named = values.of(facet).filter(|ordinal| counts[*ordinal] > 0).filter_map(|ordinal| {
        let pick = FacetValue::Value(ordinal as u32);
        let label = site.rows.label(facet, &pick, locale);
        fits(values.text(ordinal as u32), label).then_some((pick, counts[ordinal]))
    });
    let mut items: Vec<(FacetValue, u32)> = named.collect();
    if facet.spec().is_place && !wanted.is_empty() {
        let unnamed = place::all().filter(|place| values.find(facet, place.code).is_none());
        let found = unnamed.filter(|place| fits(place.code, place.name(locale)));
        let counted = found.filter_map(|place| {
            let docs = values.docs_of_place(facet, place.code);
            Some((FacetValue::Place(place::Code::new(place.code)?), docs.len() as u32))
        });
        items.extend(counted.filter(|(_, count)| *count > 0));
    }
    items.sort_by(|(a, count), (b, other)| {
        other.cmp(count).then_with(|| site.index.value_text(a).cmp(site.index.value_text(b)))
    });
    items
}
