//! JSON-RPC messages, read in place: members that are not used are not parsed.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;
use snapshot::record;

use crate::reply::{RpcError, shown};

/// A request or a notification.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    /// A string or an integer, as the client wrote it; `None` in a notification.
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) method: Cow<'a, str>,
    /// Empty if absent; `None` for any value but an object.
    pub(crate) params: Option<Members<'a>>,
}

/// An error, and the id of the request if it could be read.
pub(crate) type Refused<'a> = (Option<&'a RawValue>, RpcError);

#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Reads a member so that `null` counts as present.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> Message<'a> {
    /// Reads a body.
    pub(crate) fn parse(body: &'a [u8]) -> Result<Self, Refused<'a>> {
        let raw = Self::raw(body).map_err(|fault| (None, fault))?;
        let id = raw.id.filter(|id| is_id(id));
        Self::check(&raw, id).map_err(|fault| (id, fault))
    }

    fn raw(body: &'a [u8]) -> Result<Raw<'a>, RpcError> {
        if body.is_empty() {
            return Err(RpcError::parse("the body is empty"));
        }
        let text = std::str::from_utf8(body).map_err(|_| RpcError::parse("the body is not UTF-8"))?;
        let value: &RawValue = serde_json::from_str(text).map_err(RpcError::parse)?;
        match value.get().as_bytes().first() {
            Some(b'{') => serde_json::from_str(value.get()).map_err(RpcError::invalid),
            Some(b'[') => Err(RpcError::invalid("batches are not supported, send one message")),
            _ => Err(RpcError::invalid("a message is an object")),
        }
    }

    fn check(raw: &Raw<'a>, id: Option<&'a RawValue>) -> Result<Self, RpcError> {
        if raw.jsonrpc.and_then(string).as_deref() != Some("2.0") {
            return Err(RpcError::invalid("jsonrpc must be \"2.0\""));
        }
        if raw.id.is_some() && id.is_none() {
            return Err(RpcError::invalid("id must be a string or an integer"));
        }
        if raw.result.is_some() || raw.error.is_some() {
            return Err(RpcError::invalid("this server sends no requests and takes no responses"));
        }
        let Some(method) = raw.method.and_then(string) else {
            return Err(RpcError::invalid("method must be a string"));
        };
        if let Some(fault) = raw.params.and_then(|params| repeated(params, DEPTH_MAX)) {
            return Err(fault);
        }
        let params = raw.params.map_or(Some(Members::default()), members);
        Ok(Self { id, method, params })
    }

    /// A parameter, unless it is `null`.
    pub(crate) fn param(&self, name: &str) -> Option<&'a RawValue> {
        member(self.params.as_ref()?, name)
    }
}

/// Deepest nesting of `params`; no client needs a third of it.
const DEPTH_MAX: usize = 32;

/// The error for a value that has a member twice at any depth: parsers differ in which of the two they use.
fn repeated(value: &RawValue, depth: usize) -> Option<RpcError> {
    let inner: Vec<&RawValue> = match value.get().as_bytes().first() {
        Some(b'{') => {
            let members = members(value)?.0;
            let mut names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
            names.sort_unstable();
            if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return Some(RpcError::invalid(format_args!("{} is given twice", shown(pair[0]))));
            }
            members.iter().map(|(_, value)| *value).collect()
        }
        Some(b'[') => serde_json::from_str(value.get()).ok()?,
        _ => return None,
    };
    let mut nested = inner.into_iter().filter(|value| value.get().starts_with(['{', '[']));
    match depth.checked_sub(1) {
        Some(depth) => nested.find_map(|value| repeated(value, depth)),
        None => nested.next().map(|_| RpcError::invalid("params are nested too deeply")),
    }
}

/// Whether an id is a valid string or an integer. Either is returned as the client wrote it.
fn is_id(id: &RawValue) -> bool {
    let text = id.get();
    if text.starts_with('"') {
        return string(id).is_some();
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text of a JSON string; `None` for other values.
pub(crate) fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(value.get()).ok().map(|text| text.0)
}

/// The members of a JSON object; `None` for other values.
pub(crate) fn members(value: &RawValue) -> Option<Members<'_>> {
    serde_json::from_str(value.get()).ok()
}

/// The members of `arguments`; none if there are none.
pub(crate) fn arguments(value: Option<&RawValue>) -> Result<Members<'_>, RpcError> {
    let read = value.map_or(Some(Members::default()), members);
    read.ok_or_else(|| RpcError::params("arguments must be an object"))
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Members of an object, in order. Repeated names stay.
pub(crate) type Members<'a> = record::Members<&'a RawValue>;

/// The first member with a name, unless it is `null`.
pub(crate) fn member<'a>(members: &Members<'a>, name: &str) -> Option<&'a RawValue> {
    let found = members.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    found.filter(|value| value.get() != "null")
}
