//! The Rust SDK as a client of a running edge, in every way in which it begins a session.
//!
//!   cargo run --manifest-path tests/clients/rust/Cargo.toml -- http://localhost:8080/mcp
//!
//! The edge must run with --mcp-rate 0.

use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, CallToolResult, GetPromptRequestParams, ReadResourceRequestParams};
use rmcp::model::{ProtocolVersion, ResourceContents};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tokio::net::{TcpStream, UnixListener};

type Client = RunningService<RoleClient, ()>;

#[tokio::main]
async fn main() {
    let url = std::env::args().nth(1).expect("usage: rust-client http://HOST:PORT/mcp");
    let handshake = ClientLifecycleMode::Initialize;
    let none = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let newest = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    try_all(&url, handshake, &ProtocolVersion::V_2025_11_25).await;
    try_all(&url, none, &ProtocolVersion::V_2026_07_28).await;
    try_all(&url, newest, &ProtocolVersion::V_2026_07_28).await;
}

/// What `schemas/` has of the tools.
fn contract() -> Value {
    serde_json::from_str(include_str!("../../../schemas/mcp.json")).unwrap()
}

/// Hands connections on to the edge: without TLS, the SDK's client speaks HTTP over Unix sockets only.
async fn relay(listener: UnixListener, address: String) {
    while let Ok((mut client, _)) = listener.accept().await {
        let address = address.clone();
        tokio::spawn(async move {
            let mut server = TcpStream::connect(address).await.unwrap();
            // Ends when either side does.
            let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
        });
    }
}

/// Connects in a way, checks the version that is then spoken, and uses every tool, prompt and resource.
async fn try_all(url: &str, lifecycle: ClientLifecycleMode, version: &ProtocolVersion) {
    let address = url.trim_start_matches("http://").split('/').next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("edge.sock");
    tokio::spawn(relay(UnixListener::bind(&socket).unwrap(), address.to_owned()));
    let transport = StreamableHttpClientTransport::from_unix_socket(socket.to_str().unwrap(), url);
    let client = ().serve_with_lifecycle(transport, lifecycle).await.unwrap();
    let server = client.peer_info().unwrap();
    assert_eq!(server.protocol_version, *version);
    assert!(server.server_info.as_ref().unwrap().name.ends_with("-public"));
    assert_eq!(server.instructions, Some(unlimited(contract()["instructions"].as_str().unwrap())));
    lists(&client).await;
    tools(&client).await;
    texts(&client).await;
    client.cancel().await.unwrap();
}

/// The instructions of a server without a limit of the rate.
fn unlimited(instructions: &str) -> String {
    instructions.replace(" At most 60 requests per minute per client.", "")
}

/// What the client understood of the lists is what the contract says, written out again.
async fn lists(client: &Client) {
    let contract = contract();
    assert_eq!(json!(client.list_all_tools().await.unwrap()), contract["tools"]);
    assert_eq!(json!(client.list_all_prompts().await.unwrap()), contract["prompts"]);
    assert_eq!(json!(client.list_all_resources().await.unwrap()), contract["resources"]);
    let templates = client.list_all_resource_templates().await.unwrap();
    assert_eq!(json!(templates), contract["resourceTemplates"]);
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> Result<CallToolResult, ServiceError> {
    let arguments = arguments.as_object().unwrap().clone();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await
}

async fn structured(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let result = call(client, tool, arguments).await.unwrap();
    assert_eq!(result.is_error, Some(false));
    let structured = result.structured_content.unwrap();
    let text = &result.content[0].as_text().unwrap().text;
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured);
    structured
}

async fn tools(client: &Client) {
    let found = structured(client, "search_opportunities", json!({"limit": 3})).await;
    let rows = found["opportunities"].as_array().unwrap();
    assert!(rows.len() == 3 && found["total"].as_u64().unwrap() >= 3, "{found}");
    for row in rows {
        let read = structured(client, "get_opportunity", json!({"slug": row["slug"], "locale": "es"})).await;
        for name in ["slug", "recordUrl", "officialUrl", "sourceCheckedAt"] {
            assert_eq!(read["opportunity"][name], row[name], "{name}");
        }
    }
    let types = structured(client, "list_filter_options", json!({"facet": "types"})).await;
    let value = types["data"][0]["value"].clone();
    let filtered = structured(client, "search_opportunities", json!({"type": [value]})).await;
    assert_eq!(filtered["total"], types["data"][0]["count"]);
    let mistake = call(client, "search_opportunities", json!({"limit": 0})).await.unwrap();
    assert_eq!((mistake.is_error, mistake.structured_content), (Some(true), None));
    match call(client, "no_such_tool", json!({})).await {
        Err(ServiceError::McpError(error)) => assert_eq!(error.code.0, -32602),
        other => panic!("{other:?}"),
    }
}

async fn texts(client: &Client) {
    let arguments = json!({"locale": "es", "goal": "una beca"}).as_object().unwrap().clone();
    let prompt = GetPromptRequestParams::new("find_best_opportunities").with_arguments(arguments);
    let prompt = client.get_prompt(prompt).await.unwrap();
    let text = &prompt.messages[0].content.as_text().unwrap().text;
    assert!(text.starts_with("Ayúdame") && text.contains(r#"{"goal":"una beca"}"#), "{text}");
    let locales = client.complete_prompt_simple("find_best_opportunities", "locale", "e").await.unwrap();
    assert_eq!(locales, ["en", "es"]);
    let facets = client.complete_resource_simple("opportunities://facets/{facet}", "facet", "co").await;
    assert_eq!(facets.unwrap(), ["countries"]);
    let guide = client.read_resource(ReadResourceRequestParams::new("opportunities://guide")).await.unwrap();
    let [ResourceContents::TextResourceContents { text, .. }] = &*guide.contents else { panic!("{guide:?}") };
    assert!(text.starts_with("# Guide"));
}
