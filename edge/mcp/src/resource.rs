//! Resources: the guide, a record or a facet, for clients that read resources rather than call tools.

use snapshot::facet::Facet;

use crate::arguments::ToolError;
use crate::context::Context;
use crate::contract::GUIDE;
use crate::envelope::{Message, string};
use crate::protocol_version::Protocol;
use crate::reply::{RpcError, json, push, push_escaped};
use crate::{options, record};

/// Prefix of a record's address, before the slug.
const PROGRAMS: &str = "opportunities://programs/";
/// Prefix of a facet's address, before the name.
const FACETS: &str = "opportunities://facets/";
/// Longest address that an answer repeats; no resource has a longer one.
const URI_MAX: usize = 2_048;

/// Template of a record's address.
pub(crate) const PROGRAM_TEMPLATE: &str = "opportunities://programs/{slug}";
/// Template of a facet's address.
pub(crate) const FACET_TEMPLATE: &str = "opportunities://facets/{facet}";

/// Answers `resources/read`.
pub(crate) fn read(
    context: &Context<'_>,
    protocol: Protocol,
    guide: &str,
    message: &Message<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ToolError> {
    let uri = message.param("uri").and_then(string).filter(|uri| uri.len() <= URI_MAX);
    let Some(uri) = uri else { return Err(RpcError::params("resources/read needs uri, a string").into()) };
    push(out, format_args!("\"contents\":[{{\"uri\":{},\"mimeType\":", json(uri.as_ref())));
    if uri == GUIDE {
        push(out, format_args!("\"text/markdown\",\"text\":{}", json(guide)));
    } else {
        push(out, "\"application/json\",\"text\":\"");
        push_escaped(&document(context, protocol, &uri)?, out);
        out.push(b'"');
    }
    push(out, "}]");
    Ok(())
}

fn document(context: &Context<'_>, protocol: Protocol, uri: &str) -> Result<Vec<u8>, ToolError> {
    if let Some(facet) = uri.strip_prefix(FACETS).and_then(Facet::parse) {
        return Ok(options::whole(context, facet));
    }
    if let Some(slug) = uri.strip_prefix(PROGRAMS)
        && let Some(record) = record::read(context, slug, record::RecordOptions::DEFAULT)?
    {
        return Ok(record);
    }
    let code = if protocol == Protocol::Handshake { -32002 } else { -32602 };
    Err(RpcError::resource(code, uri).into())
}
