//! What clients have besides the tools: the prompt, which is instructions for a workflow with the client's arguments quoted
//! in it; resources, for clients that read rather than call; and completion of the values that both take.

use snapshot::facet::{FACETS, Facet};

use crate::context::Context;
use crate::contract::{Contract, GUIDE};
use crate::envelope::{Message, arguments, member, members, string};
use crate::protocol_version::Protocol;
use crate::reply::{RpcError, json, push, push_quoted, shown};
use crate::{options, record};

/// Name of the prompt.
const PROMPT: &str = "find_best_opportunities";
/// Languages of the prompt.
const LOCALES: [&str; 2] = ["en", "es"];

const DESCRIPTION: &str = "Interview-led matching: clarifies the applicant's situation, searches, verifies every candidate record, then ranks.";
/// Arguments that the text quotes.
const QUOTED: [&str; 3] = ["goal", "applicant", "constraints"];
/// Longest argument, in characters.
const ARGUMENT_MAX: usize = 500;

/// Answers `prompts/get`.
pub(crate) fn get_prompt(
    contract: &Contract,
    message: &Message<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let name = message.param("name").and_then(string);
    let name = name.ok_or_else(|| RpcError::params("prompts/get needs name, a string"))?;
    if name != PROMPT {
        return Err(RpcError::params(format!("Unknown prompt: {}. Prompts: {PROMPT}", shown(&name))));
    }
    let arguments = arguments(message.param("arguments"))?;
    let argument = |name: &'static str| {
        let Some(value) = member(&arguments, name) else { return Ok(None) };
        let text = string(value).filter(|text| text.chars().nth(ARGUMENT_MAX).is_none());
        let wrong = || format!("{name} must be a string of at most {ARGUMENT_MAX} characters");
        text.map(Some).ok_or_else(|| RpcError::params(wrong()))
    };
    let mut known = Vec::new();
    for name in QUOTED {
        if let Some(value) = argument(name)?.filter(|value| !value.trim().is_empty()) {
            known.push(format!("{}:{}", json(name), json(value.as_ref())));
        }
    }
    let known = format!("{{{}}}", known.join(","));
    let locale = argument("locale")?.unwrap_or_default();
    let locale = if locale.trim().is_empty() { LOCALES[0] } else { locale.trim() };
    let text = contract.prompt_texts.get(locale);
    let text = text.ok_or_else(|| RpcError::params("locale must be \"en\" or \"es\""))?;
    let text = json(&text.replacen("{known}", &known, 1));
    push(out, format_args!("\"description\":{},\"messages\":[", json(DESCRIPTION)));
    push(out, format_args!("{{\"role\":\"user\",\"content\":{{\"type\":\"text\",\"text\":{text}}}}}]"));
    Ok(())
}

/// Longest address that an answer repeats; no resource has a longer one.
const URI_MAX: usize = 2_048;

/// Template of a record's address.
const PROGRAM_TEMPLATE: &str = "opportunities://programs/{slug}";
/// Template of a facet's address.
const FACET_TEMPLATE: &str = "opportunities://facets/{facet}";

/// Answers `resources/read`.
pub(crate) fn read_resource(
    context: &Context<'_>,
    protocol: Protocol,
    contract: &Contract,
    message: &Message<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let uri = message.param("uri").and_then(string).filter(|uri| uri.len() <= URI_MAX);
    let Some(uri) = uri else { return Err(RpcError::params("resources/read needs uri, a string")) };
    push(out, format_args!("\"contents\":[{{\"uri\":{},\"mimeType\":", json(uri.as_ref())));
    if uri == GUIDE {
        push(out, format_args!("\"text/markdown\",\"text\":{}", json(&contract.guide)));
    } else {
        push(out, "\"application/json\",\"text\":");
        push_quoted(&document(context, protocol, &uri)?, out);
    }
    push(out, "}]");
    Ok(())
}

fn document(context: &Context<'_>, protocol: Protocol, uri: &str) -> Result<Vec<u8>, RpcError> {
    if let Some(facet) = uri.strip_prefix(FACET_TEMPLATE.trim_end_matches("{facet}")).and_then(Facet::parse) {
        return Ok(options::whole(context, facet));
    }
    if let Some(slug) = uri.strip_prefix(PROGRAM_TEMPLATE.trim_end_matches("{slug}"))
        && let Some(record) = record::read(context, slug, record::RecordOptions::default())?
    {
        return Ok(record);
    }
    let code = if protocol == Protocol::Handshake { -32002 } else { -32602 };
    Err(RpcError::resource(code, uri))
}

/// Most values of an answer.
const VALUES_MAX: usize = 100;
/// Most values that are counted; with more, the total is left out.
const COUNTED_MAX: usize = 10_000;

/// Answers `completion/complete`.
pub(crate) fn complete(
    context: &Context<'_>,
    message: &Message<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let reference = message.param("ref").and_then(members).unwrap_or_default();
    let argument = message.param("argument").and_then(members).unwrap_or_default();
    let text = |value| string(value);
    let (Some(name), Some(start)) =
        (member(&argument, "name").and_then(text), member(&argument, "value").and_then(text))
    else {
        let needed = "completion/complete needs argument.name and argument.value, strings";
        return Err(RpcError::params(needed));
    };
    let kind = member(&reference, "type").and_then(text).unwrap_or_default();
    let target = if kind == "ref/prompt" { "name" } else { "uri" };
    let target = member(&reference, target).and_then(text).unwrap_or_default();
    let values: Vec<&str> = match (&*kind, &*target, &*name) {
        ("ref/prompt", PROMPT, "locale") => starting(LOCALES.into_iter(), &start),
        ("ref/resource", FACET_TEMPLATE, "facet") => starting(FACETS.iter().map(|spec| spec.name), &start),
        ("ref/resource", PROGRAM_TEMPLATE, "slug") => slugs(context, &start),
        ("ref/prompt", PROMPT, _) | ("ref/resource", FACET_TEMPLATE | PROGRAM_TEMPLATE, _) => Vec::new(),
        _ => return Err(RpcError::params(format!("Unknown ref: {}", shown(&target)))),
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
