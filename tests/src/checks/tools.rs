//! Whatever is sent to the tool endpoint, what goes out is a status of the contract and valid JSON-RPC.

use std::sync::Arc;

use bytes::Bytes;
use edge::Server;
use http::{HeaderValue, Request, StatusCode, header};
use serde_json::Value;

use crate::in_process;

const STATUSES: [u16; 12] = [200, 202, 204, 400, 403, 404, 405, 406, 408, 413, 415, 429];

/// An answer is what the contract allows; what it must be follows from the status alone.
pub fn check(shown: &str, status: StatusCode, body: &[u8]) {
    let status = status.as_u16();
    assert!(STATUSES.contains(&status), "{status} {shown}");
    if body.is_empty() {
        assert!(matches!(status, 202 | 204), "{status} {shown}");
        return;
    }
    let body: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(body["jsonrpc"], "2.0");
    assert!(body.get("id").is_none_or(|id| id.is_string() || id.is_number()), "{body}");
    match body.get("result") {
        Some(result) => assert!(status == 200 && result.is_object() && body.get("error").is_none(), "{body}"),
        None => {
            assert!(body["error"]["code"].is_i64() && body["error"]["message"].is_string(), "{body}");
            assert_ne!(body["error"]["code"], -32603, "{shown}");
            assert!(body["error"]["message"].as_str().unwrap().chars().count() < 300, "{body}");
        }
    }
}

/// Sends a body as a client of 2025-11-25, and with the headers that one of 2026-07-28 adds.
pub fn holds(server: &Arc<Server>, body: &[u8]) {
    let shown = String::from_utf8_lossy(body);
    for is_modern in [false, true] {
        let reply = in_process::ask(server, request(body, is_modern));
        check(&shown, reply.status, &reply.body);
    }
}

fn request(body: &[u8], is_modern: bool) -> Request<Bytes> {
    let mut request = Request::post("/mcp").body(Bytes::copy_from_slice(body)).unwrap();
    let headers = request.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    if is_modern {
        let message: Value = serde_json::from_slice(body).unwrap_or_default();
        headers.insert("mcp-protocol-version", HeaderValue::from_static("2026-07-28"));
        let named = [("mcp-method", &message["method"]), ("mcp-name", &message["params"]["name"])];
        for (name, value) in named {
            if let Some(Ok(value)) = value.as_str().map(HeaderValue::from_str) {
                headers.insert(name, value);
            }
        }
    }
    request
}
