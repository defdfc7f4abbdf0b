//! Dispatch: calls the method that a request names, and frames its result.

use http::StatusCode;
use serde_json::value::RawValue;

use crate::arguments::{ArgumentError, ToolError};
use crate::context::Context;
use crate::contract::Contract;
use crate::envelope::{Message, string};
use crate::protocol_version::{LEGACY, Protocol};
use crate::reply::{RpcError, json, push, push_escaped, shown};
use crate::{complete, options, prompt, record, resource, search};

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
    pub(crate) fn answer(&self, id: &RawValue) -> Result<Vec<u8>, ToolError> {
        let mut out = Vec::with_capacity(1024);
        push(&mut out, format_args!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{", id.get()));
        if self.protocol == Protocol::Stateless {
            push(&mut out, &self.contract.modern);
            if is_cacheable(&self.message.method) {
                push(&mut out, &self.contract.kept);
            }
        }
        self.members(&mut out)?;
        push(&mut out, "}}");
        Ok(out)
    }

    /// Appends the members of the result.
    fn members(&self, out: &mut Vec<u8>) -> Result<(), ToolError> {
        let method = &*self.message.method;
        let handle: fn(&Self, &mut Vec<u8>) -> Result<(), ToolError> = match (method, self.protocol) {
            ("initialize", Protocol::Handshake) => Self::initialize,
            ("ping", Protocol::Handshake) => |_, _| Ok(()),
            ("server/discover", Protocol::Stateless) => |call, out| {
                push(out, &call.contract.discover);
                Ok(())
            },
            ("tools/list", _) => |call, out| call.list(&call.contract.tools, out),
            ("prompts/list", _) => |call, out| call.list(&call.contract.prompts, out),
            ("resources/list", _) => |call, out| call.list(&call.contract.resources, out),
            ("resources/templates/list", _) => |call, out| call.list(&call.contract.templates, out),
            ("tools/call", _) => Self::call_tool,
            ("prompts/get", _) => {
                |call, out| Ok(prompt::get(&call.contract.prompt_texts, call.message, out)?)
            }
            ("resources/read", _) => |call, out| {
                let guide = &call.contract.guide;
                resource::read(call.context, call.protocol, guide, call.message, out)
            },
            ("completion/complete", _) => {
                |call, out| Ok(complete::complete(call.context, call.message, out)?)
            }
            (_, Protocol::Handshake) => return Err(RpcError::method(StatusCode::OK, method).into()),
            (_, Protocol::Stateless) => return Err(RpcError::method(StatusCode::NOT_FOUND, method).into()),
        };
        if self.message.params.is_none() {
            return Err(RpcError::params("params must be an object").into());
        }
        handle(self, out)
    }

    /// Answers `initialize` with the version that has a handshake, whichever is requested.
    fn initialize(&self, out: &mut Vec<u8>) -> Result<(), ToolError> {
        if self.message.param("protocolVersion").and_then(string).is_none() {
            return Err(RpcError::params("initialize needs protocolVersion, a string").into());
        }
        push(out, format_args!("\"protocolVersion\":\"{LEGACY}\",{}", self.contract.initialize));
        Ok(())
    }

    /// Answers a list, which has one page.
    fn list(&self, list: &str, out: &mut Vec<u8>) -> Result<(), ToolError> {
        if self.message.param("cursor").is_some() {
            return Err(RpcError::params("Unknown cursor: the list has one page").into());
        }
        push(out, list);
        Ok(())
    }

    fn call_tool(&self, out: &mut Vec<u8>) -> Result<(), ToolError> {
        let Some(name) = self.message.param("name").and_then(string) else {
            return Err(RpcError::params("tools/call needs name, a string").into());
        };
        let (arguments, context) = (self.message.param("arguments"), self.context);
        let result = match &*name {
            "search_opportunities" => search::call(context, arguments),
            "get_opportunity" => record::call(context, arguments),
            "list_filter_options" => options::call(context, arguments),
            other => {
                let known = TOOLS.join(", ");
                return Err(
                    RpcError::params(format!("Unknown tool: {}. Tools: {known}", shown(other))).into()
                );
            }
        };
        match result {
            Err(ToolError::Argument(ArgumentError(text))) => {
                let text = json(&text);
                push(
                    out,
                    format_args!("\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"isError\":true"),
                );
            }
            structured => push_result(&structured?, out),
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

/// Whether 2026-07-28 lets clients cache the result of a method; that of `server/discover` has its own members.
fn is_cacheable(method: &str) -> bool {
    let lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    lists.contains(&method) || method == "resources/read"
}

/// Appends a tool's result twice: as text for clients that show only text, and as structured content. Both are
/// byte for byte the same JSON, so that clients that forward both can recognise the repetition.
fn push_result(structured: &[u8], out: &mut Vec<u8>) {
    out.reserve(3 * structured.len() + 100);
    push(out, "\"content\":[{\"type\":\"text\",\"text\":\"");
    push_escaped(structured, out);
    push(out, "\"}],\"structuredContent\":");
    out.extend_from_slice(structured);
    push(out, ",\"isError\":false");
}
