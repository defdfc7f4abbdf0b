//! Calls tools as a host does for its model, in process.

use std::sync::Arc;

use edge::Server;
use serde_json::{Value, json};

use crate::in_process;

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

/// The tool endpoint over a directory, without a connection and without a limit of the rate.
pub struct Host<'a> {
    live: &'a Arc<Server>,
}

impl<'a> Host<'a> {
    /// A host for a directory.
    #[must_use]
    pub fn new(live: &'a Arc<Server>) -> Self {
        Self { live }
    }

    /// The result of a method.
    #[must_use]
    pub fn result(&self, method: &str, params: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let reply = in_process::post(self.live, message.to_string());
        let mut body: Value = serde_json::from_slice(&reply.body).unwrap();
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
