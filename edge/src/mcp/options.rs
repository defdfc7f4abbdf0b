//! `list_filter_options`: the live values of a facet.

use serde_json::value::RawValue;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::facet::options;
use snapshot::query::{FACET_LIMIT_DEFAULT, LIMIT_RANGE, LIST_TEXT_MAX, OFFSET_MAX, Page};
use snapshot::record::Locale;

use super::Scope;
use super::arguments::{Arguments, Failure, Mistake};
use super::nearest;
use super::reply::{json, shown};
use super::write::{push, push_number, push_optional};
use crate::searches::TEXT_UNITS;

const KNOWN: [&str; 4] = ["facet", "q", "limit", "offset"];
const ALIASES: [(&str, &str); 2] = [("query", "q"), ("search", "q")];

/// How much work a call is.
pub(super) fn price(scope: &Scope<'_>, raw: Option<&RawValue>) -> u64 {
    let facet = Arguments::read(raw, &KNOWN, &ALIASES).ok().and_then(|arguments| facet(&arguments).ok());
    facet.map_or(0, |facet| scope.site.index.values.of(facet).len() as u64 * TEXT_UNITS)
}

/// Answers a call.
pub(super) fn call(scope: &Scope<'_>, raw: Option<&RawValue>) -> Result<Vec<u8>, Failure> {
    let arguments = Arguments::read(raw, &KNOWN, &ALIASES)?;
    let facet = facet(&arguments)?;
    let text = arguments.text("q", LIST_TEXT_MAX)?.unwrap_or_default();
    let limit = arguments.integer("limit", LIMIT_RANGE)?.unwrap_or(FACET_LIMIT_DEFAULT);
    let offset = arguments.integer("offset", (0, OFFSET_MAX))?.unwrap_or(0);
    Ok(list(scope, facet, &text, &Page { offset, limit }))
}

/// A facet by its name, or by the name of the filter that takes its values.
fn facet(arguments: &Arguments<'_>) -> Result<Facet, Mistake> {
    let names = || FACETS.iter().map(|spec| spec.name);
    let all = || names().collect::<Vec<_>>().join(", ");
    let Some(given) = arguments.text("facet", LIST_TEXT_MAX)? else {
        return Err(arguments.wrong("facet", &format!("one of {}", all())));
    };
    let by_filter = || FACETS.iter().find(|spec| spec.parameter == given).map(|spec| spec.facet);
    Facet::parse(&given).or_else(by_filter).ok_or_else(|| {
        let meant = nearest::word(&given, names());
        let meant = meant.map_or(String::new(), |meant| format!(" Did you mean {}?", json(meant)));
        Mistake(format!("Unknown facet {}.{meant} Facets: {}.", json(&shown(&given)), all()))
    })
}

/// A page of a facet's values.
pub(super) fn list(scope: &Scope<'_>, facet: Facet, text: &str, page: &Page) -> Vec<u8> {
    let items = options(scope.site, scope.dated, facet, text, Locale::En);
    let range = page.range(items.len());
    let shown = &items[range.clone()];
    let mut out = Vec::with_capacity(200 + 80 * shown.len());
    push(&mut out, "{\"data\":[");
    for (position, (value, count)) in shown.iter().enumerate() {
        push(&mut out, if position > 0 { "," } else { "" });
        scope.site.rows.push_item(facet, value, *count, Locale::En, &mut out);
    }
    push(&mut out, "],\"facet\":");
    push(&mut out, &json(facet.spec().name));
    push(&mut out, ",\"q\":");
    push(&mut out, &json(text));
    push(&mut out, ",\"limit\":");
    push_number(&mut out, page.limit);
    push(&mut out, ",\"offset\":");
    push_number(&mut out, page.offset);
    push(&mut out, ",\"total\":");
    push_number(&mut out, items.len());
    push(&mut out, ",\"nextOffset\":");
    push_optional(&mut out, Some(range.end as u64).filter(|end| *end < items.len() as u64));
    out.push(b'}');
    out
}
