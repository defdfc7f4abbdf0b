//! ErrorResponse: the body of every refused request.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::facet::FACETS;
use crate::page::push_json;
use crate::query::ParameterError;

fn response(message: &str, details: Option<impl Serialize>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Body<'a, D> {
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<D>,
    }
    let mut out = Vec::new();
    push_json(&mut out, &BTreeMap::from([("error", Body { message, details })]));
    out
}

/// ErrorResponse with details.
pub(crate) fn with_details(message: &str, details: impl Serialize) -> Vec<u8> {
    response(message, Some(details))
}

/// ErrorResponse without details.
pub fn message(message: &str) -> Vec<u8> {
    response(message, None::<()>)
}

/// 404 of a facet that does not exist: names those that do.
pub fn unknown_facet() -> Vec<u8> {
    let allowed: Vec<&str> = FACETS.iter().map(|spec| spec.name).collect();
    with_details("There is no such facet.", BTreeMap::from([("allowed", allowed)]))
}

/// 400 of a facet query: names every fault.
pub fn facet_faults(faults: &[ParameterError]) -> Vec<u8> {
    with_details("The facet query is malformed.", faults)
}

/// 400 of a query for details.
pub fn details_fault(fault: &ParameterError) -> Vec<u8> {
    with_details("The query names too many records.", [fault])
}

/// 400 of a query for changes: names every fault.
pub fn changes_faults(faults: &[ParameterError]) -> Vec<u8> {
    with_details("The question for changes is malformed.", faults)
}

/// 400 of an export format.
pub fn export_format(value: &str) -> Vec<u8> {
    let reason = "not an export format; json and csv are".to_owned();
    let fault = ParameterError { parameter: "format", value: value.to_owned(), reason };
    with_details("The export format is unknown.", [fault])
}

/// 400 of a feed without a filter that exists: names what was given instead.
pub fn feed_filters(invalid: &[String]) -> Vec<u8> {
    let message = "No filter of this feed is one that exists; without any, it has the whole directory.";
    with_details(message, BTreeMap::from([("invalid", invalid)]))
}

/// 404 of a record, or 308 of an organization: names the canonical slug when there is one.
pub fn moved(message: &str, canonical_slug: &str) -> Vec<u8> {
    with_details(message, BTreeMap::from([("canonicalSlug", canonical_slug)]))
}
