//! The files by which programs find the endpoint say of it what it says of itself.

use serde_json::{Value, json};

use crate::server::{HOST, SAMPLE};

/// A file that is served as it is, with its media type.
fn file(path: &str, media_type: &str) -> Value {
    let response = SAMPLE.get(path);
    assert_eq!((response.status, response.header("content-type")), (200, media_type), "{path}");
    assert_eq!(response.header("access-control-allow-origin"), "*");
    response.json()
}

/// What the endpoint answers to a request.
fn call(message: &Value, headers: &str) -> Value {
    let body = message.to_string();
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n{headers}");
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let response = SAMPLE.send("POST", "/mcp", request.as_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["result"].take()
}

/// What card and registry entry owe to their schemas: server-card v1 and server.json of 2025-12-11.
fn check_identity(it: &Value, schema: &str) {
    assert_eq!(it["$schema"], format!("https://static.modelcontextprotocol.io/schemas/{schema}.schema.json"));
    let text = |name: &str| it[name].as_str().unwrap().to_owned();
    for (name, most) in [("name", 200), ("version", 255), ("title", 100), ("description", 100)] {
        assert!((1..=most).contains(&text(name).chars().count()), "{name}");
    }
    let name = text("name");
    let (domain, server) = name.split_once('/').unwrap();
    let only =
        |text: &str, more: &[char]| text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(&c));
    assert!(only(domain, &['.', '-']) && only(server, &['.', '_', '-']), "{name}");
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}
    });
    let info = &call(&initialize, "")["serverInfo"];
    assert_eq!((domain, server), ("example.directory", info["name"].as_str().unwrap()));
    for name in ["version", "title", "description", "websiteUrl"] {
        assert_eq!(it[name], info[name], "{name}");
    }
    let [remote] = it["remotes"].as_array().unwrap().as_slice() else { panic!("{it}") };
    assert_eq!(remote["type"], "streamable-http");
    assert_eq!(remote["url"], format!("https://{HOST}/mcp"));
}

#[test]
fn the_card_and_the_registry_entry_name_the_server_as_it_names_itself() {
    let card = file("/mcp/server-card", "application/mcp-server-card+json");
    check_identity(&card, "v1/server-card");
    let members: Vec<&String> = card.as_object().unwrap().keys().collect();
    assert_eq!(members, ["$schema", "description", "name", "remotes", "title", "version", "websiteUrl"]);
    let discover = json!({
        "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
        }}
    });
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n";
    let versions = &call(&discover, headers)["supportedVersions"];
    assert_eq!(card["remotes"][0]["supportedProtocolVersions"], *versions);
    let entry = file("/mcp/server.json", "application/json");
    check_identity(&entry, "2025-12-11/server");
}

#[test]
fn the_page_has_settings_for_every_common_client_in_both_languages() {
    for path in ["/docs/mcp", "/es/docs/mcp"] {
        let page = SAMPLE.get(path).text().replace("&quot;", "\"").replace("&#34;", "\"");
        let address = format!("https://{HOST}/mcp");
        for (client, setting) in [
            ("Claude Code", format!("claude mcp add --transport http opdir-sample {address}\n")),
            ("Codex", format!("url = \"{address}\"")),
            ("Cursor", format!("\"url\": \"{address}\"")),
            ("Gemini CLI", format!("\"httpUrl\": \"{address}\"")),
            ("VS Code", format!("\"type\": \"http\",\n      \"url\": \"{address}\"")),
            ("stdio", format!("\"mcp-remote\",\n        \"{address}\"")),
        ] {
            let (_, rest) = page.split_once(&format!("<h3>{client}")).unwrap();
            let shown = rest.split("</pre>").next().unwrap();
            assert!(shown.contains(setting.trim_end()), "{client} at {path}: {shown}");
        }
    }
}
