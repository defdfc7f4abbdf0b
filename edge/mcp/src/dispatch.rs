//! Methods: which one a request names, and the frame around its result.

use http::StatusCode;
use serde_json::value::RawValue;

use super::arguments::{Failure, Mistake};
use super::contract::Contract;
use super::envelope::{Message, Params, string};
use super::protocol_version::{Era, Spoken};
use super::reply::{Fault, json, push_escaped, shown};
use super::write::push;
use super::{Scope, complete, options, prompt, record, resource, search};

const TOOLS: [&str; 3] = ["search_opportunities", "get_opportunity", "list_filter_options"];

/// A request whose envelope is in order.
pub(super) struct Call<'a> {
    pub(super) contract: &'a Contract,
    pub(super) spoken: &'a Spoken,
    pub(super) scope: &'a Scope<'a>,
    pub(super) era: Era,
    pub(super) message: &'a Message<'a>,
}

impl Call<'_> {
    /// The whole response to the request with this id.
    pub(super) fn answer(&self, id: &RawValue) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::with_capacity(1024);
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        out.extend_from_slice(id.get().as_bytes());
        out.extend_from_slice(b",\"result\":{");
        if self.era == Era::Modern {
            out.extend_from_slice(self.contract.modern.as_bytes());
            if may_be_kept(&self.message.method) {
                out.extend_from_slice(self.contract.kept.as_bytes());
            }
        }
        self.members(&mut out)?;
        out.extend_from_slice(b"}}");
        Ok(out)
    }

    /// Appends the members of the result.
    fn members(&self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let method = &*self.message.method;
        let handle: fn(&Self, &mut Vec<u8>) -> Result<(), Fault> = match (method, self.era) {
            ("initialize", Era::Legacy) => Self::initialize,
            ("ping", Era::Legacy) => |_, _| Ok(()),
            ("server/discover", Era::Modern) => |call, out| {
                push(out, &call.contract.discover);
                Ok(())
            },
            ("tools/list", _) => |call, out| call.list(&call.contract.tools, out),
            ("prompts/list", _) => |call, out| call.list(&call.contract.prompts, out),
            ("resources/list", _) => |call, out| call.list(&call.contract.resources, out),
            ("resources/templates/list", _) => |call, out| call.list(&call.contract.templates, out),
            ("tools/call", _) => Self::call_tool,
            ("prompts/get", _) => |call, out| prompt::get(&call.contract.prompt_texts, call.params(), out),
            ("resources/read", _) => |call, out| {
                let guide = &call.contract.guide;
                resource::read(call.scope, call.era, guide, call.params(), out)
            },
            ("completion/complete", _) => |call, out| complete::complete(call.scope, call.params(), out),
            (_, Era::Legacy) => return Err(Fault::method(StatusCode::OK, method)),
            (_, Era::Modern) => return Err(Fault::method(StatusCode::NOT_FOUND, method)),
        };
        if matches!(self.message.params, Params::Other) {
            return Err(Fault::params("params must be an object"));
        }
        handle(self, out)
    }

    fn params(&self) -> &Params<'_> {
        &self.message.params
    }

    /// Whatever version a client names, it is told one that is spoken.
    fn initialize(&self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let Some(named) = self.params().get("protocolVersion").and_then(string) else {
            return Err(Fault::params("initialize needs protocolVersion, a string"));
        };
        push(out, "\"protocolVersion\":\"");
        push(out, self.spoken.handshake(&named));
        push(out, "\",");
        push(out, &self.contract.initialize);
        Ok(())
    }

    /// A list of one page.
    fn list(&self, list: &str, out: &mut Vec<u8>) -> Result<(), Fault> {
        if self.params().get("cursor").is_some() {
            return Err(Fault::params("Unknown cursor: the list has one page"));
        }
        push(out, list);
        Ok(())
    }

    fn call_tool(&self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let Some(name) = self.params().get("name").and_then(string) else {
            return Err(Fault::params("tools/call needs name, a string"));
        };
        let (arguments, scope) = (self.params().get("arguments"), self.scope);
        let result = match &*name {
            "search_opportunities" => search::call(scope, arguments),
            "get_opportunity" => record::call(scope, arguments),
            "list_filter_options" => options::call(scope, arguments),
            other => {
                let known = TOOLS.join(", ");
                return Err(Fault::params(format!("Unknown tool: {}. Tools: {known}", shown(other))));
            }
        };
        match result {
            Ok(structured) => push_result(&structured, out),
            Err(Failure::Mistake(Mistake(text))) => {
                push(out, "\"content\":[{\"type\":\"text\",\"text\":");
                push(out, &json(&text));
                push(out, "}],\"isError\":true");
            }
            Err(Failure::Fault(fault)) => return Err(fault),
        }
        Ok(())
    }
}

/// How much work a request is, in units of the search.
pub(super) fn price(scope: &Scope<'_>, message: &Message<'_>) -> u64 {
    if message.method != "tools/call" {
        return 0;
    }
    let arguments = message.params.get("arguments");
    match message.params.get("name").and_then(string).as_deref() {
        Some("search_opportunities") => search::price(scope, arguments),
        Some("list_filter_options") => options::price(scope, arguments),
        _ => 0,
    }
}

/// Results that 2026-07-28 lets clients keep, besides `server/discover`, which says so itself.
fn may_be_kept(method: &str) -> bool {
    let lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    lists.contains(&method) || method == "resources/read"
}

/// A tool's result twice: as text for clients that show only text, and as it is. Byte for byte the
/// same JSON, so that clients that forward both can tell.
fn push_result(structured: &[u8], out: &mut Vec<u8>) {
    out.reserve(3 * structured.len() + 100);
    push(out, "\"content\":[{\"type\":\"text\",\"text\":\"");
    push_escaped(structured, out);
    push(out, "\"}],\"structuredContent\":");
    out.extend_from_slice(structured);
    push(out, ",\"isError\":false");
}
