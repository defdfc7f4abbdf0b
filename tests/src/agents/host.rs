//! Calls tools as a host does for its model, in process.

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use edge::answer::program_body;
use edge::reload::Live;
use http::{HeaderValue, Request, header};
use http_body_util::Full;
use mcp::{Config, Epoch, Mcp};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// What a call came to.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Whether it is a mistake of the caller.
    pub is_error: bool,
    /// What the model reads.
    pub text: String,
}

impl Reply {
    /// The answer; null where the call was a mistake.
    #[must_use]
    pub fn content(&self) -> Value {
        if self.is_error { Value::Null } else { serde_json::from_str(&self.text).unwrap() }
    }
}

/// The tool endpoint over a directory, without a server and without a limit of the rate.
pub struct Host<'a> {
    live: &'a Live,
    mcp: Mcp,
    runtime: Runtime,
}

impl<'a> Host<'a> {
    /// A host for a directory.
    #[must_use]
    pub fn new(live: &'a Live) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Self { live, mcp: Mcp::new(Config { rate_per_minute: 0, ..Config::default() }).unwrap(), runtime }
    }

    /// The result of a method.
    #[must_use]
    pub fn result(&self, method: &str, params: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = Request::post("/mcp").body(Full::new(Bytes::from(message.to_string()))).unwrap();
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::CONTENT_TYPE, json);
        let epoch = self.live.epoch();
        let detail = |slug: &str, locale| program_body(self.live, &epoch, slug, locale);
        let base_url = &epoch.generation().manifest().base_url;
        let scope = Epoch { base_url, site: epoch.site(), dated: &epoch.dated, detail };
        let (head, body) = request.into_parts();
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let answer = self.runtime.block_on(self.mcp.handle(&head.into(), body, &scope, client, 0));
        let mut body: Value = serde_json::from_slice(answer.body()).unwrap();
        assert!(body["error"].is_null(), "{message}: {body}");
        body["result"].take()
    }

    /// Calls a tool.
    #[must_use]
    pub fn call(&self, tool: &str, arguments: &Value) -> Reply {
        let mut result = self.result("tools/call", &json!({"name": tool, "arguments": arguments}));
        let Value::String(text) = result["content"][0]["text"].take() else { panic!("{tool} {arguments}") };
        Reply { is_error: result["isError"] == true, text }
    }
}
