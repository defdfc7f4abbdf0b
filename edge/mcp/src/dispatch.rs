//! Dispatch: calls the method that a request names, and frames its result.

use http::StatusCode;
use serde_json::value::RawValue;

use crate::arguments::ToolError;
use crate::context::Context;
use crate::contract::{Contract, LIST_TTL_MS};
use crate::envelope::{Message, string};
use crate::protocol_version::{LEGACY, Protocol};
use crate::reply::{RpcError, json, push, push_quoted, shown};
use crate::{options, prompts_and_resources, record, search};

const TOOLS: [&str; 3] = ["search_opportunities", "get_opportunity", "list_filter_options"];

/// A request with a valid envelope.
pub(crate) struct Call<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) context: &'a Context<'a>,
    pub(crate) protocol: Protocol,
    pub(crate) message: &'a Message<'a>,
}

impl Call<'_> {
    /// The whole response to the request with this id.
    pub(crate) fn answer(&self, id: &RawValue) -> Result<Vec<u8>, RpcError> {
        let mut out = Vec::with_capacity(1024);
        push(&mut out, format_args!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{", id.get()));
        if self.protocol == Protocol::Stateless {
            push(&mut out, &self.contract.modern);
            let method = &*self.message.method;
            // Lists and resources may be cached; the answer to `server/discover` has its own members for that.
            if self.contract.list(method).is_some() || method == "resources/read" {
                push(&mut out, format_args!("\"ttlMs\":{LIST_TTL_MS},\"cacheScope\":\"public\","));
            }
        }
        self.members(&mut out)?;
        push(&mut out, "}}");
        Ok(out)
    }

    /// Appends the members of the result.
    fn members(&self, out: &mut Vec<u8>) -> Result<(), RpcError> {
        let (contract, message) = (self.contract, self.message);
        let answered = match (&*message.method, self.protocol) {
            ("initialize", Protocol::Handshake) => self.initialize(out),
            ("ping", Protocol::Handshake) => Ok(()),
            ("server/discover", Protocol::Stateless) => {
                push(out, &contract.discover);
                Ok(())
            }
            ("tools/call", _) => self.call_tool(out),
            ("prompts/get", _) => prompts_and_resources::get_prompt(contract, message, out),
            ("resources/read", _) => {
                prompts_and_resources::read_resource(self.context, self.protocol, contract, message, out)
            }
            ("completion/complete", _) => prompts_and_resources::complete(self.context, message, out),
            (method, protocol) => {
                let is_legacy = protocol == Protocol::Handshake;
                let status = if is_legacy { StatusCode::OK } else { StatusCode::NOT_FOUND };
                let list = contract.list(method).ok_or_else(|| RpcError::method(status, method))?;
                self.list(list, out)
            }
        };
        // An unknown method is reported first. Without parameters no other one has done any work.
        if message.params.is_none() {
            return Err(RpcError::params("params must be an object"));
        }
        answered
    }

    /// Answers `initialize` with the version that has a handshake, whichever is requested.
    fn initialize(&self, out: &mut Vec<u8>) -> Result<(), RpcError> {
        if self.message.param("protocolVersion").and_then(string).is_none() {
            return Err(RpcError::params("initialize needs protocolVersion, a string"));
        }
        push(out, format_args!("\"protocolVersion\":\"{LEGACY}\",{}", self.contract.initialize));
        Ok(())
    }

    /// Answers a list, which has one page.
    fn list(&self, list: &str, out: &mut Vec<u8>) -> Result<(), RpcError> {
        if self.message.param("cursor").is_some() {
            return Err(RpcError::params("Unknown cursor: the list has one page"));
        }
        push(out, list);
        Ok(())
    }

    fn call_tool(&self, out: &mut Vec<u8>) -> Result<(), RpcError> {
        let Some(name) = self.message.param("name").and_then(string) else {
            return Err(RpcError::params("tools/call needs name, a string"));
        };
        let (arguments, context) = (self.message.param("arguments"), self.context);
        let result = match &*name {
            "search_opportunities" => search::call(context, arguments),
            "get_opportunity" => record::call(context, arguments),
            "list_filter_options" => options::call(context, arguments),
            other => {
                let known = TOOLS.join(", ");
                return Err(RpcError::params(format!("Unknown tool: {}. Tools: {known}", shown(other))));
            }
        };
        match result {
            Err(ToolError::Argument(text)) => {
                let text = json(&text);
                push(
                    out,
                    format_args!("\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"isError\":true"),
                );
            }
            Err(ToolError::Rpc(error)) => return Err(error),
            Ok(structured) => push_result(&structured, out),
        }
        Ok(())
    }
}

/// The work that a request takes, in units of the search.
pub(crate) fn price(context: &Context<'_>, message: &Message<'_>) -> u64 {
    if message.method != "tools/call" {
        return 0;
    }
    let arguments = message.param("arguments");
    match message.param("name").and_then(string).as_deref() {
        Some("search_opportunities") => search::price(context, arguments),
        Some("list_filter_options") => options::price(context, arguments),
        _ => 0,
    }
}

/// Appends a tool's result twice: as text for clients that show only text, and as structured content. Both are
/// byte for byte the same JSON, so that clients that forward both can recognise the repetition.
fn push_result(structured: &[u8], out: &mut Vec<u8>) {
    out.reserve(3 * structured.len() + 100);
    push(out, "\"content\":[{\"type\":\"text\",\"text\":");
    push_quoted(structured, out);
    push(out, "}],\"structuredContent\":");
    out.extend_from_slice(structured);
    push(out, ",\"isError\":false");
}
