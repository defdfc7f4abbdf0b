//! `completion/complete`: values for the prompt's arguments and the variables of resource addresses.

use snapshot::facet::FACETS;

use crate::arguments::ToolError;
use crate::context::Context;
use crate::envelope::{Message, members, string};
use crate::prompt;
use crate::reply::{RpcError, json, push, shown};
use crate::resource::{FACET_TEMPLATE, PROGRAM_TEMPLATE};

/// Most values of an answer.
const VALUES_MAX: usize = 100;
/// Most values that are counted; with more, the total is left out.
const COUNTED_MAX: usize = 10_000;

/// Answers `completion/complete`.
pub(crate) fn complete(
    context: &Context<'_>,
    message: &Message<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ToolError> {
    let reference = message.param("ref").and_then(members).unwrap_or_default();
    let argument = message.param("argument").and_then(members).unwrap_or_default();
    let text = |value| string(value);
    let (Some(name), Some(start)) =
        (argument.get("name").and_then(text), argument.get("value").and_then(text))
    else {
        let needed = "completion/complete needs argument.name and argument.value, strings";
        return Err(RpcError::params(needed).into());
    };
    let kind = reference.get("type").and_then(text).unwrap_or_default();
    let target = if kind == "ref/prompt" { "name" } else { "uri" };
    let target = reference.get(target).and_then(text).unwrap_or_default();
    let values: Vec<&str> = match (&*kind, &*target, &*name) {
        ("ref/prompt", prompt::NAME, "locale") => starting(prompt::LOCALES.into_iter(), &start),
        ("ref/resource", FACET_TEMPLATE, "facet") => starting(FACETS.iter().map(|spec| spec.name), &start),
        ("ref/resource", PROGRAM_TEMPLATE, "slug") => slugs(context, &start),
        ("ref/prompt", prompt::NAME, _) | ("ref/resource", FACET_TEMPLATE | PROGRAM_TEMPLATE, _) => {
            Vec::new()
        }
        _ => return Err(RpcError::params(format!("Unknown ref: {}", shown(&target))).into()),
    };
    push(out, format_args!("\"completion\":{{\"values\":{}", json(&values[..values.len().min(VALUES_MAX)])));
    if values.len() < COUNTED_MAX {
        push(out, format_args!(",\"total\":{}", values.len()));
    }
    push(out, format_args!(",\"hasMore\":{}}}", values.len() > VALUES_MAX));
    Ok(())
}

fn starting<'a>(words: impl Iterator<Item = &'a str>, start: &str) -> Vec<&'a str> {
    words.filter(|word| word.starts_with(start)).collect()
}

fn slugs<'a>(context: &Context<'a>, start: &str) -> Vec<&'a str> {
    let index = &context.site.index;
    let first = index.by_slug().partition_point(|doc| index.slug(*doc) < start);
    let slugs = index.by_slug()[first..].iter().map(|doc| index.slug(*doc));
    slugs.take_while(|slug| slug.starts_with(start)).take(COUNTED_MAX).collect()
}
