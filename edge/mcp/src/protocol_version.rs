//! Protocol versions: which of the two a request uses, decided by the request alone, and what the
//! stateless one requires of headers and `_meta` (MCP 2026-07-28, basic/transports/streamable-http).

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, PAD};
use http::HeaderMap;

use crate::envelope::{Members, Message, member, members, string};
use crate::reply::RpcError;

/// The version with a handshake.
pub(crate) const LEGACY: &str = "2025-11-25";
/// The version without a handshake.
pub(crate) const MODERN: &str = "2026-07-28";

/// Supported versions, newest first.
pub(crate) const VERSIONS: [&str; 2] = [MODERN, LEGACY];

const VERSION: &str = "MCP-Protocol-Version";
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";

/// With padding (RFC 4648, section 4); what a last digit holds beyond its byte is ignored.
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD.with_decode_allow_trailing_bits(true));

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The protocol that a request uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// 2025-11-25.
    Handshake,
    /// 2026-07-28.
    Stateless,
}

/// Determines the protocol of a request and checks what it requires.
pub(crate) fn of(headers: &HeaderMap, message: &Message<'_>) -> Result<Protocol, RpcError> {
    let meta = message.param("_meta").and_then(members).unwrap_or_default();
    let claimed = member(&meta, META_VERSION);
    let faulty = if claimed.is_some() { RpcError::header::<String> } else { RpcError::message };
    let header = single(headers, VERSION).map_err(faulty)?;
    match (header, claimed) {
        (None | Some(LEGACY), None) => Ok(Protocol::Handshake),
        (Some(MODERN), None) => Err(RpcError::envelope(format!("_meta lacks {META_VERSION}"))),
        (Some(other), None) => Err(RpcError::version(other, &VERSIONS)),
        (None, Some(_)) => Err(RpcError::header("MCP-Protocol-Version is missing")),
        (Some(header), Some(claimed)) => {
            let Some(claimed) = string(claimed) else {
                return Err(RpcError::envelope(format!("{META_VERSION} must be a string")));
            };
            if claimed != header {
                return Err(RpcError::header(format!("MCP-Protocol-Version differs from {META_VERSION}")));
            }
            match header {
                MODERN => check_envelope(headers, message, &meta).map(|()| Protocol::Stateless),
                LEGACY => Ok(Protocol::Handshake),
                other => Err(RpcError::version(other, &VERSIONS)),
            }
        }
    }
}

/// Checks the version header of a notification, the only part of it that depends on the version.
pub(crate) fn of_notification(headers: &HeaderMap) -> Result<(), RpcError> {
    match single(headers, VERSION).map_err(RpcError::message)? {
        Some(other) if !VERSIONS.contains(&other) => Err(RpcError::version(other, &VERSIONS)),
        _ => Ok(()),
    }
}

fn check_envelope(headers: &HeaderMap, message: &Message<'_>, meta: &Members<'_>) -> Result<(), RpcError> {
    if !member(meta, META_CAPABILITIES).is_some_and(|value| value.get().starts_with('{')) {
        return Err(RpcError::envelope(format!("_meta lacks {META_CAPABILITIES}, an object")));
    }
    check_header(headers, METHOD, &message.method)?;
    let named = match &*message.method {
        "tools/call" | "prompts/get" => message.param("name"),
        "resources/read" => message.param("uri"),
        _ => None,
    };
    named.and_then(string).map_or(Ok(()), |named| check_header(headers, NAME, &named))
}

fn check_header(headers: &HeaderMap, name: &str, expected: &str) -> Result<(), RpcError> {
    match single(headers, name).map_err(RpcError::header)?.map(decoded) {
        None => Err(RpcError::header(format!("{name} is missing"))),
        Some(value) if value.as_deref() == Some(expected) => Ok(()),
        Some(_) => Err(RpcError::header(format!("{name} differs from the body"))),
    }
}

/// The value of a header; the fault of one that is there more than once, or is not ASCII.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let only = value.to_str().ok().filter(|_| values.next().is_none());
    only.map(|value| Some(value.trim())).ok_or_else(|| format!("{name} is repeated or unreadable"))
}

/// A header's value; what is not plain ASCII comes as `=?base64?…?=`.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(Cow::Borrowed(value));
    };
    String::from_utf8(BASE64.decode(encoded).ok()?).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_ascii_come_in_base64() {
        for (value, name) in [
            ("search_opportunities", Some("search_opportunities")),
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", Some("Hello, 世界")),
            ("=?base64??=", Some("")),
            ("=?base64?SGVsbG8?=", None),
            ("=?base64?%%%%?=", None),
            ("=?base64?/w==?=", None),
            ("=?base64?====?=", None),
        ] {
            assert_eq!(decoded(value).as_deref(), name, "{value}");
        }
    }
}
