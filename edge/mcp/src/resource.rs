//! Resources: the guide, one record, one facet. Few, for clients that read resources rather than
//! call tools.

use snapshot::facet::Facet;

use super::contract::GUIDE;
use super::envelope::{Params, string};
use super::protocol_version::Era;
use super::reply::{Fault, json, push_escaped};
use super::write::push;
use super::{Scope, options, record};

/// What precedes the slug in a record's address.
const PROGRAMS: &str = "opportunities://programs/";
/// What precedes the name in a facet's address.
const FACETS: &str = "opportunities://facets/";
/// Longest address that an answer repeats; no resource has a longer one.
const URI_MAX: usize = 2_048;

/// Template of a record's address.
pub(super) const PROGRAM_TEMPLATE: &str = "opportunities://programs/{slug}";
/// Template of a facet's address.
pub(super) const FACET_TEMPLATE: &str = "opportunities://facets/{facet}";

/// Answers `resources/read`.
pub(super) fn read(
    scope: &Scope<'_>,
    era: Era,
    guide: &str,
    params: &Params<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let uri = params.get("uri").and_then(string).filter(|uri| uri.len() <= URI_MAX);
    let Some(uri) = uri else { return Err(Fault::params("resources/read needs uri, a string")) };
    push(out, "\"contents\":[{\"uri\":");
    push(out, &json(uri.as_ref()));
    push(out, ",\"mimeType\":");
    if uri == GUIDE {
        push(out, "\"text/markdown\",\"text\":");
        push(out, &json(guide));
    } else {
        push(out, "\"application/json\",\"text\":\"");
        push_escaped(&document(scope, era, &uri)?, out);
        out.push(b'"');
    }
    push(out, "}]");
    Ok(())
}

fn document(scope: &Scope<'_>, era: Era, uri: &str) -> Result<Vec<u8>, Fault> {
    if let Some(facet) = uri.strip_prefix(FACETS).and_then(Facet::parse) {
        return Ok(options::whole(scope, facet));
    }
    let record =
        uri.strip_prefix(PROGRAMS).and_then(|slug| record::read(scope, slug, record::Asked::DEFAULT));
    record.unwrap_or_else(|| {
        let code = match era {
            Era::Legacy => -32002,
            Era::Modern => -32602,
        };
        Err(Fault::resource(code, uri))
    })
}
