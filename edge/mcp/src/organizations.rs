//! Organizations as values of a filter: those that a text names, and those that `list_filter_options` lists.

use std::cmp::Reverse;

use net::blocking_pool::TEXT_UNITS;
use snapshot::query::{FacetValue, Query};
use snapshot::record::Locale;
use snapshot::search::DocSet;
use snapshot::text::fold;

use crate::context::Context;
use crate::reply::{json, push, shown};
use crate::vocabulary::is_code;

/// The name under which `list_filter_options` lists them, and the filter.
pub(crate) const LISTED: &str = "organizations";
pub(crate) const FILTER: &str = "organization";

/// Work of comparing a text with all of their names, in units of the search.
pub(crate) fn units(context: &Context<'_>) -> u64 {
    context.site.index.organizations.count() as u64 * TEXT_UNITS
}

/// The error for a text that names none, or several.
pub(crate) fn refuse(context: &Context<'_>, given: &str) -> String {
    let all = &context.site.index.organizations;
    let near: Vec<String> =
        all.near(given).into_iter().map(|it| all.slug(it)).filter(|slug| is_code(slug)).map(json).collect();
    let nearest = if near.is_empty() { String::new() } else { format!(" Nearest: {}.", near.join(", ")) };
    format!("{FILTER} value {} is the name of no single organization.{nearest}", json(&shown(given)))
}

/// The numbers of those with records that match the other filters and names that hold a text, with the number of such
/// records, most first.
pub(crate) fn counted(context: &Context<'_>, query: &Query, text: &str) -> Vec<(FacetValue, u32)> {
    let (index, text) = (&context.site.index, fold(text));
    let all = &index.organizations;
    let others = Query { organizations: Vec::new(), ..query.clone() };
    let found = index.matching(&others, &context.dated.today);
    let count = |number: u32| DocSet::List(all.docs(number).into()).and(&found).len();
    let near = all.near(&text);
    let holds = |number: &u32| {
        let mut names = Locale::ALL.iter().map(|locale| all.name(*number, *locale));
        all.slug(*number).contains(&text)
            || names.any(|name| fold(name).contains(&text))
            || near.contains(number)
    };
    let numbers = (0..all.count() as u32).filter(holds);
    let mut items: Vec<(FacetValue, u32)> =
        numbers.map(|number| (FacetValue::Value(number), count(number) as u32)).collect();
    items.retain(|(_, count)| *count > 0);
    items.sort_by_key(|(_, count)| Reverse(*count));
    items
}

/// Appends one as an item of a list of values.
pub(crate) fn push_item(
    context: &Context<'_>,
    (value, count): &(FacetValue, u32),
    locale: Locale,
    out: &mut Vec<u8>,
) {
    let FacetValue::Value(number) = value else { return };
    let all = &context.site.index.organizations;
    let (slug, name) = (json(all.slug(*number)), json(all.name(*number, locale)));
    push(out, format_args!("{{\"value\":{slug},\"label\":{name},\"count\":{count}}}"));
}
