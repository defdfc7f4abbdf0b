//! Statuses, bodies and headers of every refusal, and the two protocol versions.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Frame;

use super::*;
use crate::server::SAMPLE;

const LEGACY: (&str, &str) = ("mcp-protocol-version", "2025-11-25");
const MODERN: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn server() -> Server {
    let config = Config {
        rate_per_minute: 0,
        origins: ["http://localhost:3000/", "vscode-file://vscode-app"].map(str::to_owned).to_vec(),
        body_deadline: Duration::from_millis(30),
        ..Config::default()
    };
    Server::with(World::synthetic(30, 1), config)
}

/// Status and error code, `0` where the body is empty, `1` for a result.
fn outcome(response: &Response<Bytes>) -> (u16, i64) {
    if response.body().is_empty() {
        return (response.status().as_u16(), 0);
    }
    assert_eq!(response.headers()["content-type"], "application/json");
    let body = body(response);
    assert_eq!(body["jsonrpc"], "2.0");
    assert_ne!(body.get("id"), Some(&Value::Null));
    (
        response.status().as_u16(),
        if body.get("result").is_some() { 1 } else { body["error"]["code"].as_i64().unwrap() },
    )
}

#[test]
fn every_refusal_below_the_message_has_its_status_and_code() {
    let server = server();
    for (expected, headers) in [
        ((200, 1), &[][..]),
        ((200, 1), &[("origin", BASE)]),
        ((200, 1), &[("origin", "http://LOCALHOST:3000")]),
        ((403, 403), &[("origin", "https://evil.example")]),
        ((200, 1), &[("origin", "https://Directory.example:443")]),
        ((200, 1), &[("origin", "vscode-file://vscode-app")]),
        ((403, 403), &[("origin", "null")]),
        ((403, 403), &[("origin", "")]),
        ((403, 403), &[("origin", "http://directory.example")]),
        ((403, 403), &[("origin", "https://directory.example:444")]),
        ((403, 403), &[("origin", "https://directory.example.evil.com")]),
        ((403, 403), &[("origin", "https://evil.com/https://directory.example")]),
        ((403, 403), &[("origin", "https://user@directory.example")]),
        ((403, 403), &[("origin", "http://localhost")]),
        ((403, 403), &[("origin", BASE), ("origin", BASE)]),
        ((415, 415), &[("content-type", "text/plain")]),
        ((415, 415), &[("content-type", "application/json; charset=latin1")]),
        ((415, 415), &[("content-type", "application/json"), ("content-type", "application/json")]),
        ((415, 415), &[("content-encoding", "gzip")]),
        ((200, 1), &[("content-encoding", "identity")]),
        ((200, 1), &[("content-type", "Application/JSON; charset=\"UTF-8\"")]),
        ((200, 1), &[("accept", "*/*")]),
        ((200, 1), &[("accept", "application/json")]),
        ((200, 1), &[("accept", "text/event-stream")]),
        ((200, 1), &[("accept", "text/html, application/*;q=0.1")]),
        ((406, 406), &[("accept", "text/html")]),
        ((406, 406), &[("accept", "application/json;q=0")]),
        ((406, 406), &[("accept", "")]),
        ((200, 1), &[LEGACY]),
        ((200, 1), &[("mcp-session-id", "x"), ("last-event-id", "y")]),
        ((400, -32022), &[("mcp-protocol-version", "1999-01-01")]),
        ((400, -32022), &[("mcp-protocol-version", "2024-11-05")]),
        ((400, -32022), &[("mcp-protocol-version", "2025-03-26")]),
        ((400, -32022), &[("mcp-protocol-version", "2025-06-18")]),
        ((400, -32022), &[("mcp-protocol-version", "garbage")]),
        ((400, -32600), &[LEGACY, LEGACY]),
        ((400, -32602), &[MODERN]),
    ] {
        assert_eq!(outcome(&server.send(post(PING, headers))), expected, "{headers:?}");
    }
    for (name, status) in
        [("GET", 405), ("DELETE", 405), ("HEAD", 405), ("PUT", 405), ("PATCH", 405), ("OPTIONS", 204)]
    {
        let mut request = post("", &[]);
        *request.method_mut() = name.parse().unwrap();
        let response = server.send(request);
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.headers()["allow"], "POST, OPTIONS");
    }
}

#[test]
fn every_message_has_its_status_and_code() {
    let server = server();
    let message = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",{rest}}}");
    let call = |rest: &str| message(&format!("\"id\":\"a\",\"method\":\"tools/call\",\"params\":{rest}"));
    for (expected, body) in [
        ((400, -32700), String::new()),
        ((400, -32700), "{".to_owned()),
        ((400, -32700), "{}{}".to_owned()),
        ((400, -32600), "[]".to_owned()),
        ((400, -32600), format!("[{PING}]")),
        ((400, -32700), "\u{feff}{}".to_owned()),
        ((400, -32600), "null".to_owned()),
        ((400, -32600), "42".to_owned()),
        ((400, -32600), "{}".to_owned()),
        ((400, -32600), message("\"id\":null,\"method\":\"ping\"")),
        ((400, -32600), message("\"id\":1.5,\"method\":\"ping\"")),
        ((400, -32600), message("\"id\":1e3,\"method\":\"ping\"")),
        ((400, -32600), message("\"id\":[],\"method\":\"ping\"")),
        ((400, -32600), message("\"id\":\"\\ud800\",\"method\":\"ping\"")),
        ((400, -32600), message("\"id\":1,\"id\":2,\"method\":\"ping\"")),
        ((400, -32600), message("\"id\":1,\"method\":3")),
        ((400, -32600), message("\"id\":1,\"method\":\"ping\",\"error\":null")),
        ((400, -32600), message("\"id\":1")),
        ((400, -32600), message("\"id\":1,\"result\":{}")),
        ((400, -32600), message("\"method\":\"ping\"")),
        ((400, -32600), PING.replace("2.0", "1.0")),
        ((202, 0), message("\"method\":\"notifications/initialized\"")),
        ((202, 0), message("\"method\":\"notifications/whatever\",\"params\":[]")),
        ((200, 1), message("\"id\":0,\"method\":\"ping\"")),
        ((200, 1), message("\"id\":-7,\"method\":\"ping\",\"params\":{\"unknown\":[1]}")),
        ((200, -32602), message("\"id\":1,\"method\":\"ping\",\"params\":[]")),
        ((200, -32601), message("\"id\":1,\"method\":\"server/discover\"")),
        ((200, -32601), message("\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"info\"}")),
        ((200, -32601), message("\"id\":1,\"method\":\"resources/subscribe\"")),
        ((200, -32601), message("\"id\":1,\"method\":\"tasks/list\"")),
        ((200, -32601), message("\"id\":1,\"method\":\"\"")),
        ((200, -32602), message("\"id\":1,\"method\":\"initialize\"")),
        ((200, -32602), message("\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}")),
        ((200, 1), message("\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":null}")),
        ((200, -32602), call("{}")),
        ((200, -32602), call("{\"name\":\"x\"}")),
        ((200, -32602), call("{\"name\":\"search_opportunities\",\"arguments\":[]}")),
        ((200, 1), call("{\"name\":\"search_opportunities\"}")),
        ((200, 1), call("{\"name\":\"search_opportunities\",\"arguments\":null,\"task\":{\"ttl\":1}}")),
        ((200, 1), call("{\"name\":\"list_filter_options\",\"arguments\":{}}")),
    ] {
        assert_eq!(outcome(&server.send(post(&body, &[]))), expected, "{body}");
    }
    let version = message("\"method\":\"notifications/initialized\"");
    for (header, expected) in [(("mcp-protocol-version", "2024-11-05"), (400, -32022)), (MODERN, (202, 0))] {
        assert_eq!(outcome(&server.send(post(&version, &[header]))), expected);
    }
    assert_eq!(outcome(&server.send(post(b"\"\xff\"", &[]))), (400, -32700));
}

#[test]
fn an_id_stays_as_it_was_written_in_answers_and_refusals() {
    let server = server();
    let message = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",{rest}}}");
    for (id, body) in [
        ("7", PING.replace("2.0", "1.0").replace("\"id\":1", "\"id\":7")),
        ("\"a\"", message("\"id\":\"a\"")),
        ("12345678901234567890123", message("\"id\":12345678901234567890123,\"method\":\"p\\u0069ng\"")),
        ("\"\\u00e9\"", message("\"id\":\"\\u00e9\",\"method\":\"ping\",\"params\":null")),
    ] {
        let answer = server.send(post(&body, &[]));
        let text = String::from_utf8_lossy(answer.body()).into_owned();
        assert!(text.contains(&format!("\"id\":{id},")), "{text}");
    }
}

#[test]
fn a_repeated_member_is_refused_at_any_depth() {
    let server = server();
    let answered = |params: &str| {
        let body = PING.replace("}", &format!(",\"params\":{params}}}"));
        outcome(&server.send(post(&body, &[])))
    };
    let nested = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    for params in [
        r#"{"name":"a","name":"b"}"#,
        r#"{"arguments":{"query":"a","query":"b"}}"#,
        r#"{"a":[[{"\u0062":1,"b":2}]]}"#,
        &nested(33),
    ] {
        assert_eq!(answered(params), (400, -32600), "{params}");
    }
    for params in [r#"{"a":{"b":1},"c":{"b":1}}"#, r#"{"a":["b","b"]}"#, &nested(32)] {
        assert_eq!(answered(params), (200, 1), "{params}");
    }
}

fn modern(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(method, &params)
}

#[test]
fn a_stateless_request_is_served_only_when_headers_and_envelope_are_whole() {
    let server = server();
    let list = modern("tools/list", json!({}));
    let named = |name: &str| modern("tools/call", json!({"name": name, "arguments": {}}));
    let method = ("mcp-method", "tools/list");
    let calls = ("mcp-method", "tools/call");
    let [listen, read] = ["subscriptions/listen", "resources/read"].map(|method| ("mcp-method", method));
    let tool = ("mcp-name", "search_opportunities");
    let coded = ("mcp-name", "=?base64?c2VhcmNoX29wcG9ydHVuaXRpZXM=?=");
    let without = |key: &str| {
        let mut message: Value = serde_json::from_str(&list).unwrap();
        message["params"]["_meta"].as_object_mut().unwrap().remove(&format!("io.modelcontextprotocol/{key}"));
        message.to_string()
    };
    let version = |version: &str| list.replace("2026-07-28", version);
    for (expected, body, headers) in [
        ((200, 1), list.clone(), &[MODERN, method][..]),
        ((400, -32020), list.clone(), &[method]),
        ((400, -32020), list.clone(), &[MODERN, MODERN, method]),
        ((400, -32020), list.clone(), &[LEGACY, method]),
        ((400, -32602), without("protocolVersion"), &[MODERN, method]),
        ((400, -32602), without("clientCapabilities"), &[MODERN, method]),
        ((400, -32022), version("2099-01-01"), &[("mcp-protocol-version", "2099-01-01"), method]),
        ((200, 1), version("2025-11-25"), &[LEGACY]),
        ((400, -32020), list.clone(), &[MODERN]),
        ((400, -32020), list.clone(), &[MODERN, ("mcp-method", "Tools/List")]),
        ((400, -32020), list.clone(), &[MODERN, method, method]),
        ((200, 1), named("search_opportunities"), &[MODERN, calls, tool]),
        ((200, 1), named("search_opportunities"), &[MODERN, calls, coded]),
        ((400, -32020), named("search_opportunities"), &[MODERN, calls]),
        ((400, -32020), named("get_opportunity"), &[MODERN, calls, tool]),
        ((200, -32602), named("x"), &[MODERN, calls, ("mcp-name", "x")]),
        ((404, -32601), modern("ping", json!({})), &[MODERN, ("mcp-method", "ping")]),
        ((404, -32601), modern("initialize", json!({})), &[MODERN, ("mcp-method", "initialize")]),
        ((404, -32601), modern("subscriptions/listen", json!({})), &[MODERN, listen]),
        (
            (200, -32602),
            modern("resources/read", json!({"uri": "x:y"})),
            &[MODERN, read, ("mcp-name", "x:y")],
        ),
    ] {
        assert_eq!(outcome(&server.send(post(&body, headers))), expected, "{body} {headers:?}");
    }
    let refused = body(&server.send(post(version("2099-01-01"), &[("mcp-protocol-version", "2099-01-01")])));
    let versions = json!({"supported": ["2026-07-28", "2025-11-25"], "requested": "2099-01-01"});
    assert_eq!(refused["error"]["data"], versions);
    assert_eq!(refused["id"], 1);
}

#[test]
fn both_versions_answer_from_the_contract_and_the_stateless_one_says_what_may_be_kept() {
    let server = server();
    let contract = contract();
    let initialized = server.result("initialize", &json!({"protocolVersion": "2024-11-05"}));
    assert_eq!(initialized["protocolVersion"], "2025-11-25");
    assert_eq!(initialized["serverInfo"]["name"], "synthetic-directory-public");
    assert_eq!(initialized["serverInfo"]["version"], contract["serverInfo"]["version"]);
    assert_eq!(initialized["serverInfo"]["websiteUrl"], BASE);
    let capabilities = json!({"tools": {}, "prompts": {}, "resources": {}, "completions": {}});
    assert_eq!(initialized["capabilities"], capabilities);
    assert_eq!(server.result("ping", &json!({})), json!({}));
    for (method, name) in [
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        assert_eq!(server.result(method, &json!({})), json!({name: contract[name]}));
        let response = server.send(post(modern(method, json!({})), &[MODERN, ("mcp-method", method)]));
        let result = &body(&response)["result"];
        assert_eq!(result[name], contract[name]);
        assert_eq!(picked(result, "resultType ttlMs cacheScope"), json!(["complete", 300_000, "public"]));
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"], initialized["serverInfo"]);
    }
    let discover = post(modern("server/discover", json!({})), &[MODERN, ("mcp-method", "server/discover")]);
    let discovered = &body(&server.send(discover))["result"];
    assert_eq!(discovered["supportedVersions"], json!(["2026-07-28", "2025-11-25"]));
    assert_eq!((&discovered["ttlMs"], &discovered["resultType"]), (&json!(3_600_000), &json!("complete")));
    assert_eq!(discovered["capabilities"], initialized["capabilities"]);
}

#[test]
fn a_new_address_holds_from_the_next_request_on_and_the_rate_is_not_forgotten() {
    let server = Server::with(World::synthetic(30, 1), Config { rate_per_minute: 4, ..Config::default() });
    let other = "https://moved.example";
    let initialize = request("initialize", &json!({"protocolVersion": "2025-11-25"}));
    let search = request("tools/call", &json!({"name": "search_opportunities", "arguments": {"limit": 1}}));
    let ask = |base: &str, origin: &str, message: &str| {
        server.handle_at(base, post(message, &[("origin", origin)]), "192.0.2.1", 0)
    };
    for base in [BASE, other] {
        assert_eq!(body(&ask(base, base, &initialize))["result"]["serverInfo"]["websiteUrl"], base);
        let found = body(&ask(base, base, &search));
        let record = found["result"]["structuredContent"]["opportunities"][0]["recordUrl"].as_str().unwrap();
        assert!(record.starts_with(&format!("{base}/programs/")), "{record}");
    }
    assert_eq!(ask(other, BASE, &search).status(), 403);
    assert_eq!(ask(other, other, &search).status(), 429);
}

#[test]
fn answers_are_for_one_origin_never_stored_and_never_with_credentials() {
    let server = server();
    let plain = server.send(post(PING, &[]));
    assert!(plain.headers().get("access-control-allow-origin").is_none());
    let allowed = [("origin", "http://localhost:3000")];
    let mut preflight = post("", &allowed);
    *preflight.method_mut() = http::Method::OPTIONS;
    let preflight = server.send(preflight);
    for response in
        [&plain, &server.send(post(PING, &allowed)), &server.send(post("{", &allowed)), &preflight]
    {
        let headers = response.headers();
        for (name, value) in
            [("cache-control", "no-store"), ("vary", "Origin"), ("x-content-type-options", "nosniff")]
        {
            assert_eq!(headers[name], value);
        }
        for absent in ["access-control-allow-credentials", "set-cookie", "mcp-session-id"] {
            assert!(headers.get(absent).is_none(), "{absent}");
        }
    }
    assert_eq!(preflight.headers()["access-control-allow-origin"], "http://localhost:3000");
    assert_eq!(preflight.headers()["access-control-allow-methods"], "POST, OPTIONS");
    assert_eq!(preflight.headers()["access-control-max-age"], "86400");
    let allowed = preflight.headers()["access-control-allow-headers"].to_str().unwrap();
    for header in ["Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
        assert!(allowed.contains(header));
    }
    let mut forbidden = post("", &[("origin", "https://evil.example")]);
    *forbidden.method_mut() = http::Method::OPTIONS;
    let forbidden = server.send(forbidden);
    assert_eq!(forbidden.status(), 403);
    assert!(forbidden.headers().get("access-control-allow-origin").is_none());
    assert!(!String::from_utf8_lossy(forbidden.body()).contains("evil"));
}

/// A body of spaces in pieces; one that stalls never ends.
struct Pieces {
    left: usize,
    length: usize,
    stalls: bool,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match (self.left, self.stalls) {
            (0, true) => Poll::Pending,
            (0, false) => Poll::Ready(None),
            _ => {
                self.left -= 1;
                Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![b' '; self.length])))))
            }
        }
    }
}

#[test]
fn a_fault_of_the_server_costs_one_answer_and_tells_nothing() {
    let server = server();
    let slug = &server.world.directory.programs[0].slug;
    let call = request("tools/call", &json!({"name": "get_opportunity", "arguments": {"slug": slug}}));
    let ask = |detail: fn(&str, Locale) -> Result<Option<Bytes>, mcp::Unreadable>| {
        let (site, dated) = (&server.world.site, &server.dated);
        let context = mcp::Context { base_url: BASE, site, dated, detail: &detail };
        let (head, body) = post(&call, &[]).into_parts();
        let call = server.mcp.call(Arc::new(head.into()), body, &context, [192, 0, 2, 1].into(), 0);
        let Outcome::Ready(response) = server.runtime.block_on(call) else { panic!("it was not answered") };
        response
    };
    for detail in
        [|_: &str, _| panic!("secret"), |_: &str, _| Ok(None), |_: &str, _| Ok(Some("secret".into()))]
    {
        let response = ask(detail);
        assert_eq!(response.status(), 500);
        let expected =
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}});
        assert_eq!(body(&response), expected);
    }
    assert_eq!(server.send(post(&call, &[])).status(), 200);
}

#[test]
fn a_wrong_host_is_refused_before_anything_else_in_the_same_form() {
    let ask = |path: &str, host: &str| {
        let head = format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: https://evil.example\r\n");
        let request = format!("{head}Content-Length: {}\r\n\r\n{PING}", PING.len());
        let response = SAMPLE.send("POST", path, request.as_bytes());
        (response.status, response.json()["error"]["code"].as_i64(), response.json().get("id").is_some())
    };
    for path in ["/mcp", "/mcp/"] {
        assert_eq!(ask(path, "elsewhere.example"), (421, Some(421), false));
        assert_eq!(ask(path, crate::server::HOST), (403, Some(403), false));
    }
}

#[test]
fn a_body_is_read_to_its_end_before_it_is_refused_up_to_four_mebibytes() {
    let server = server();
    let send = |left, length, stalls, headers: &[(&str, &str)]| {
        let request = post("", headers).map(|_| Pieces { left, length, stalls });
        let response = server.handle(request, "192.0.2.1", 0);
        let closes = response.headers().get("connection").is_some();
        (response.status().as_u16(), closes, body(&response)["error"]["data"]["limitBytes"].as_i64())
    };
    const KIB: usize = 1024;
    assert_eq!(send(64, KIB, false, &[]), (400, false, None));
    assert_eq!(send(65, KIB, false, &[]), (413, false, Some(65_536)));
    assert_eq!(send(1, 65 * KIB, false, &[("content-length", "66560")]), (413, false, Some(65_536)));
    assert_eq!(send(4 * KIB, KIB, false, &[]), (413, false, Some(65_536)));
    assert_eq!(send(4 * KIB + 1, KIB, false, &[]), (413, true, Some(65_536)));
    let waits = [("expect", "100-continue"), ("content-length", "100000")];
    assert_eq!(send(0, 0, true, &waits), (413, true, Some(65_536)));
    assert_eq!(send(1, KIB, true, &[]), (408, false, None));
    assert_eq!(send(65, KIB, true, &[]), (413, true, Some(65_536)));
}

#[test]
fn the_61st_request_in_a_minute_is_refused_with_the_exact_time_to_wait() {
    let server = Server::with(World::synthetic(30, 1), Config::default());
    let send = |client: &str, now_ms| server.handle(post(PING, &[("content-length", "40")]), client, now_ms);
    let limits = |response: &Response<Bytes>| {
        assert_eq!(response.headers()["ratelimit-policy"], "\"mcp\";q=60;w=60");
        response.headers()["ratelimit"].to_str().unwrap().to_owned()
    };
    for request in 0..60 {
        let response = send("192.0.2.1", request * 100);
        assert_eq!(response.status(), 200);
        let reset = (60_000 - request * 100).div_ceil(1_000);
        assert_eq!(limits(&response), format!("\"mcp\";r={};t={reset}", 59 - request));
    }
    let refused = send("192.0.2.1", 6_000);
    assert_eq!(limits(&refused), "\"mcp\";r=0;t=54");
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (429, &HeaderValue::from(54)));
    let refusal = body(&refused);
    assert_eq!(refusal["id"], 1);
    assert_eq!(refusal["error"]["data"], json!({"retryAfterSeconds": 54, "limitPerMinute": 60}));
    assert_eq!(send("192.0.2.2", 6_000).status(), 200);
    assert_eq!(send("192.0.2.1", 59_999).headers()["retry-after"], "1");
    assert_eq!(send("192.0.2.1", 60_000).status(), 200);
    assert_eq!(send("192.0.2.1", 60_099).status(), 429);
    let mut preflight = post("", &[]);
    *preflight.method_mut() = http::Method::OPTIONS;
    assert_eq!(server.handle(preflight, "192.0.2.1", 60_099).status(), 204);
    let without_length = server.handle(post(PING, &[]), "192.0.2.1", 60_099);
    assert!(body(&without_length).get("id").is_none());
    // Without a limit there is nothing to state.
    assert!(Server::new(World::synthetic(3, 1)).send(post(PING, &[])).headers().get("ratelimit").is_none());
}
