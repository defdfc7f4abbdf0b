//! Discovery of the MCP endpoint: the server card (SEP-2127), the catalog that links to it, the entry for the MCP
//! registry, and settings for common clients.

use minijinja::{Value, context};
use serde_json::{Value as Json, json};

use super::Pages;
use crate::files::document;

/// The contract of the endpoint.
const CONTRACT: &str = include_str!("../../../../schemas/mcp.json");

/// Longest title in cards and registry entries, in characters.
const TITLE_MAX: usize = 100;

/// Path of the server card.
pub(super) const CARD: &str = "/mcp/server-card";
/// Path of the catalog of the site's servers.
pub(super) const CATALOG: &str = "/.well-known/ai-catalog.json";
/// Path of the registry entry, for the operator who registers the server.
pub(super) const REGISTRY: &str = "/mcp/server.json";

impl Pages<'_> {
    fn endpoint(&self) -> String {
        format!("{}/mcp", self.base_url())
    }

    /// The name by which the endpoint identifies itself.
    fn server(&self) -> String {
        format!("{}-public", self.directory.dataset.name)
    }

    /// Properties that card and registry entry have in common.
    fn identity(&self, schema: &str) -> Json {
        let contract: Json = serde_json::from_str(CONTRACT).unwrap_or_default();
        let title: String = self.directory.dataset.title.chars().take(TITLE_MAX).collect();
        json!({
            "$schema": schema,
            "name": format!("{}/{}", reversed(&self.templates.site.host), self.server()),
            "title": title,
            "description": contract["serverInfo"]["description"],
            "version": env!("CARGO_PKG_VERSION"),
            "websiteUrl": self.base_url(),
            "remotes": [{ "type": "streamable-http", "url": self.endpoint() }],
        })
    }

    pub(super) fn server_card(&self) -> String {
        let mut card =
            self.identity("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json");
        card["remotes"][0]["supportedProtocolVersions"] = json!(["2026-07-28", "2025-11-25"]);
        document(&card)
    }

    pub(super) fn registry_entry(&self) -> String {
        document(
            &self.identity("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
        )
    }

    pub(super) fn catalog(&self) -> String {
        document(&json!({
            "specVersion": "1.0",
            "entries": [{
                "identifier": format!("urn:air:{}:mcp:{}", self.templates.site.host, self.server()),
                "displayName": self.directory.dataset.title,
                "type": "application/mcp-server-card+json",
                "url": format!("{}{CARD}", self.base_url()),
            }],
        }))
    }

    /// The page about the endpoint: its settings for each client, and the files for programs.
    pub(super) fn mcp_view(&self) -> Value {
        let (name, url) = (self.directory.dataset.name.as_str(), self.endpoint());
        let servers = |key: &str, server: Json| format!("{:#}", json!({ key: { name: server } }));
        let clients = [
            ("Claude Code", "", format!("claude mcp add --transport http {name} {url}")),
            ("Codex", "~/.codex/config.toml", format!("[mcp_servers.{name}]\nurl = \"{url}\"")),
            ("Cursor", "~/.cursor/mcp.json", servers("mcpServers", json!({ "url": url }))),
            ("Gemini CLI", "~/.gemini/settings.json", servers("mcpServers", json!({ "httpUrl": url }))),
            ("VS Code", ".vscode/mcp.json", servers("servers", json!({ "type": "http", "url": url }))),
            (
                "stdio",
                "",
                servers("mcpServers", json!({ "command": "npx", "args": ["-y", "mcp-remote", url] })),
            ),
        ];
        let clients = clients.map(|(name, file, settings)| context! { name, file, settings });
        context! { clients => Vec::from(clients), files => [CARD, CATALOG, REGISTRY] }
    }
}

/// The domain in reverse order, as a prefix of names: `example.org` is `org.example`. An IP address is unchanged.
fn reversed(domain: &str) -> String {
    if domain.parse::<std::net::Ipv4Addr>().is_ok() {
        return domain.to_owned();
    }
    domain.rsplit('.').collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_the_reversed_domain() {
        assert_eq!(reversed("data.example.org"), "org.example.data");
        assert_eq!(reversed("localhost"), "localhost");
        assert_eq!(reversed("127.0.0.1"), "127.0.0.1");
    }
}
