//! Responses: statuses, headers, and JSON-RPC errors as bytes.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write as _;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use serde_json::value::RawValue;
use store::Coding;

use net::conditional::negotiate;
use net::encode::encode;
use net::rate_limit::Quota;

/// Longest echo of a caller's text in a message, in characters.
const ECHO_MAX: usize = 80;

/// A JSON-RPC error and the HTTP status of its response. Codes are those of JSON-RPC, those of MCP (-32020 and
/// -32022) and, for errors of HTTP, the status.
#[derive(Clone, Debug)]
pub(crate) struct RpcError {
    pub(crate) status: StatusCode,
    code: i32,
    message: Cow<'static, str>,
    /// JSON.
    data: Option<String>,
    retry_after: Option<u64>,
    /// Whether the connection is closed after the response.
    pub(crate) close: bool,
}

impl RpcError {
    fn new(status: StatusCode, code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, code, message: message.into(), data: None, retry_after: None, close: false }
    }

    /// An error of HTTP rather than of JSON-RPC.
    pub(crate) fn transport(status: StatusCode, message: &'static str) -> Self {
        Self::new(status, i32::from(status.as_u16()), message)
    }

    pub(crate) fn too_large(limit: usize, close: bool) -> Self {
        let data = Some(format!("{{\"limitBytes\":{limit}}}"));
        let message = format!("The request body is longer than {} KiB", limit / 1024);
        Self { data, close, ..Self::new(StatusCode::PAYLOAD_TOO_LARGE, 413, message) }
    }

    pub(crate) fn rate(Quota { per_minute, reset: retry_after, .. }: Quota) -> Self {
        let message = format!("Rate limit exceeded; retry after {retry_after} s");
        let data = format!("{{\"retryAfterSeconds\":{retry_after},\"limitPerMinute\":{per_minute}}}");
        let fault = Self::new(StatusCode::TOO_MANY_REQUESTS, 429, message);
        Self { data: Some(data), retry_after: Some(retry_after), ..fault }
    }

    /// Too much work is under way; the same request may be sent again.
    pub(crate) fn busy() -> Self {
        let message = "Too many searches are under way; retry after 2 s";
        let fault = Self::transport(StatusCode::SERVICE_UNAVAILABLE, message);
        Self { data: Some("{\"retryAfterSeconds\":2}".to_owned()), retry_after: Some(2), ..fault }
    }

    /// Not JSON.
    pub(crate) fn parse(reason: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32700, format!("Parse error: {reason}"))
    }

    /// JSON, but not a message that this endpoint accepts.
    pub(crate) fn message<T: Into<Cow<'static, str>>>(reason: T) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32600, reason)
    }

    /// JSON, but not a message of JSON-RPC.
    pub(crate) fn invalid(reason: impl Display) -> Self {
        Self::message(format!("Invalid request: {reason}"))
    }

    /// A header is missing or contradicts the body.
    pub(crate) fn header<T: Into<Cow<'static, str>>>(reason: T) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32020, reason)
    }

    /// `_meta` of a stateless request is incomplete.
    pub(crate) fn envelope(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32602, reason)
    }

    /// A protocol version that is not one of the supported ones.
    pub(crate) fn version(requested: &str, supported: &[&str]) -> Self {
        let (supported, requested) = (json(supported), json(&shown(requested)));
        let data = format!("{{\"supported\":{supported},\"requested\":{requested}}}");
        let fault = Self::new(StatusCode::BAD_REQUEST, -32022, "Unsupported protocol version");
        Self { data: Some(data), ..fault }
    }

    pub(crate) fn method(status: StatusCode, method: &str) -> Self {
        Self::new(status, -32601, format!("Method not found: {}", shown(method)))
    }

    pub(crate) fn params(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::OK, -32602, reason)
    }

    /// No such resource; the code depends on the protocol version.
    pub(crate) fn resource(code: i32, uri: &str) -> Self {
        let data = Some(format!("{{\"uri\":{}}}", json(&uri)));
        Self { data, ..Self::new(StatusCode::OK, code, "Resource not found") }
    }

    pub(crate) fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, -32603, "Internal error")
    }

    /// The response to the request with this id; `None` if the id could not be read.
    pub(crate) fn response(&self, id: Option<&RawValue>, caller: &Caller) -> Response<Bytes> {
        let id = id.map_or(String::new(), |id| format!(",\"id\":{}", id.get()));
        let data = self.data.as_ref().map_or(String::new(), |data| format!(",\"data\":{data}"));
        let error = format!("{{\"code\":{},\"message\":{}{data}}}", self.code, json(&self.message));
        let body = format!("{{\"jsonrpc\":\"2.0\"{id},\"error\":{error}}}");
        let mut response = caller.response(self.status, body);
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.close {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Who a response is for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    /// The browser origin of the request.
    pub(crate) origin: Option<HeaderValue>,
    pub(crate) quota: Option<Quota>,
}

impl Caller {
    /// A response, with CORS headers for the origin of the request, and what is left of the caller's quota
    /// (draft-ietf-httpapi-ratelimit-headers).
    pub(crate) fn response(&self, status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let mut set = |name, value| drop(headers.insert(name, value));
        let fixed = HeaderValue::from_static;
        if status != StatusCode::NO_CONTENT && status != StatusCode::ACCEPTED {
            set(header::CONTENT_TYPE, fixed("application/json"));
        }
        set(header::CACHE_CONTROL, fixed("no-store"));
        set(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
        set(header::VARY, fixed("Origin"));
        if matches!(status, StatusCode::NO_CONTENT | StatusCode::METHOD_NOT_ALLOWED) {
            set(header::ALLOW, fixed("POST, OPTIONS"));
        }
        if status == StatusCode::NO_CONTENT {
            set(header::ACCESS_CONTROL_ALLOW_METHODS, fixed("POST, OPTIONS"));
            set(header::ACCESS_CONTROL_ALLOW_HEADERS, fixed(ALLOW_HEADERS));
            set(header::ACCESS_CONTROL_MAX_AGE, fixed("86400"));
        }
        if let Some(Quota { per_minute, remaining, reset }) = self.quota {
            let policy = format!("\"mcp\";q={per_minute};w=60");
            let left = format!("\"mcp\";r={remaining};t={reset}");
            for (name, value) in [("ratelimit-policy", policy), ("ratelimit", left)] {
                let value = HeaderValue::try_from(value).unwrap_or(fixed(""));
                set(HeaderName::from_static(name), value);
            }
        }
        if let Some(origin) = &self.origin {
            set(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            set(header::ACCESS_CONTROL_EXPOSE_HEADERS, fixed("Retry-After, RateLimit, RateLimit-Policy"));
        }
        response
    }
}

/// Responses shorter than this, in bytes, are not compressed.
const CODED_MIN: usize = 1_024;

/// Compresses a response with gzip if the client accepts it and the body is long enough.
pub(crate) fn coded(headers: &HeaderMap, mut response: Response<Bytes>) -> Response<Bytes> {
    if response.body().len() < CODED_MIN || negotiate(headers, || true) != Coding::Gzip {
        return response;
    }
    if let Some(body) = encode(Coding::Gzip, response.body()) {
        *response.body_mut() = body.into();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    response
}

const ALLOW_HEADERS: &str =
    "Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID";

/// A value as JSON. Callers pass only values that always serialize.
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Appends JSON that is already encoded.
pub(crate) fn push(out: &mut Vec<u8>, text: impl Display) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{text}");
}

/// A client's text as messages quote it: one line, cut.
pub(crate) fn shown(text: &str) -> String {
    let (end, mark) = text.char_indices().nth(ECHO_MAX).map_or((text.len(), ""), |(end, _)| (end, "…"));
    text[..end].replace(char::is_control, " ") + mark
}

/// Appends JSON as a JSON string.
pub(crate) fn push_quoted(json: &[u8], out: &mut Vec<u8>) {
    // What is JSON is UTF-8, and writing to memory cannot fail.
    let _ = serde_json::to_writer(out, std::str::from_utf8(json).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_text_is_shown_in_one_line_of_80_characters() {
        assert_eq!(shown("a\nb\u{7f}"), "a b ");
        assert_eq!(shown(&"é".repeat(100)), format!("{}…", "é".repeat(80)));
    }
}
