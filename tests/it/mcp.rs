//! The MCP endpoint, in process.

mod answers;
mod discovery;
mod injected;
mod pipeline;
mod property;
mod relevance;
mod rest;
mod tools;
mod words;

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use mcp::{Config, Context, Endpoint};
use net::blocking_pool::Outcome;
use serde_json::{Value, json};
use snapshot::page::list::Numbers;
use snapshot::page::shape::Shaper;
use snapshot::page::{Dated, detail};
use snapshot::record::Locale;
use snapshot::search::document_order;
use snapshot::time::Day;
use tests::synth::TODAY;

use tests::world::World;

use crate::server::real_data;

const BASE: &str = "https://directory.example";

/// An endpoint over a world.
struct Server {
    world: World,
    dated: Dated,
    numbers: Numbers,
    mcp: Endpoint,
    runtime: tokio::runtime::Runtime,
}

impl Server {
    /// Without a limit of the rate.
    fn new(world: World) -> Self {
        Self::with(world, Config { rate_per_minute: 0, ..Config::default() })
    }

    fn with(world: World, config: Config) -> Self {
        let day = Day::new(TODAY);
        Self {
            dated: world.site.dated(day),
            numbers: Numbers::new(&world.directory, &document_order(&world.directory, day)),
            mcp: Endpoint::new(config).unwrap(),
            runtime: tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap(),
            world,
        }
    }

    fn detail(&self, slug: &str, locale: Locale) -> Option<Bytes> {
        let directory = &self.world.directory;
        let program = directory.programs.iter().position(|program| program.slug == slug)?;
        let shaper = Shaper { directory, locale };
        Some(detail::program(&shaper, &self.numbers, &self.dated, program).bytes.into())
    }

    /// Answers a request of a client at a time.
    fn handle<B>(&self, request: Request<B>, client: &str, now_ms: u64) -> Response<Bytes>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        self.handle_at(BASE, request, client, now_ms)
    }

    /// The same for a directory at another address.
    fn handle_at<B>(&self, base_url: &str, request: Request<B>, client: &str, now_ms: u64) -> Response<Bytes>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let detail = |slug: &str, locale| Ok(self.detail(slug, locale));
        let (site, dated) = (&self.world.site, &self.dated);
        let context = Context { base_url, site, dated, detail: &detail };
        let client: IpAddr = client.parse().unwrap();
        let (head, body) = request.into_parts();
        let call = self.mcp.call(Arc::new(head.into()), body, &context, client, now_ms);
        match self.runtime.block_on(call) {
            Outcome::Ready(response) => response,
            Outcome::Heavy(call) => call.respond(&context),
        }
    }

    fn send(&self, request: Request<Full<Bytes>>) -> Response<Bytes> {
        self.handle(request, "192.0.2.1", 0)
    }

    /// Result of a 2025-11-25 request that succeeds.
    fn result(&self, method: &str, params: &Value) -> Value {
        let response = self.send(post(request(method, params), &[]));
        assert_eq!(response.status(), 200);
        let mut body = body(&response);
        assert_eq!(body["id"], 1, "{body}");
        assert!(body.get("error").is_none(), "{body}");
        body["result"].take()
    }

    /// `structuredContent` of a call that succeeds; the text must be the same bytes.
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let response = self.send(post(request("tools/call", &params), &[]));
        let raw = std::str::from_utf8(response.body()).unwrap();
        let mut result = body(&response)["result"].take();
        assert_eq!(result["isError"], false, "{raw}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(raw.contains(&format!(",\"structuredContent\":{text},\"isError\":false")));
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        result["structuredContent"].take()
    }

    fn search(&self, arguments: &Value) -> Value {
        self.call("search_opportunities", arguments)
    }

    fn options(&self, arguments: &Value) -> Value {
        self.call("list_filter_options", arguments)
    }

    /// Text of a call that is a mistake.
    fn mistake(&self, tool: &str, arguments: &Value) -> String {
        let result = self.result("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], true, "{result}");
        assert!(result.get("structuredContent").is_none());
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

/// Members by their names, in this order.
fn picked(value: &Value, names: &str) -> Value {
    names.split(' ').map(|name| value[name].clone()).collect()
}

/// The same of every row of a search.
fn rows(found: &Value, names: &str) -> Value {
    found["opportunities"].as_array().unwrap().iter().map(|row| picked(row, names)).collect()
}

/// An endpoint over synthetic programs.
static SYNTHETIC: LazyLock<Server> = LazyLock::new(|| Server::new(World::synthetic(300, 11)));

/// An endpoint over the published dataset, where there is one.
static PUBLISHED: LazyLock<Option<Server>> =
    LazyLock::new(|| Some(Server::new(World::folder(&real_data()?))));

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// A request to the endpoint; headers replace those that clients usually send.
fn post(body: impl AsRef<[u8]>, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let mut request = Request::post("/mcp").body(Full::new(Bytes::copy_from_slice(body.as_ref()))).unwrap();
    let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let given = |name: &str| headers.iter().any(|(given, _)| *given == name);
    for (name, value) in usual.iter().filter(|(name, _)| !given(name)).chain(headers) {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().append(name, HeaderValue::from_str(value).unwrap());
    }
    request
}

fn body(response: &Response<Bytes>) -> Value {
    serde_json::from_slice(response.body()).unwrap()
}

/// What `schemas/mcp.json` says.
fn contract() -> Value {
    serde_json::from_str(include_str!("../../schemas/mcp.json")).unwrap()
}
