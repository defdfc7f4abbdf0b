//! The contract in `schemas/mcp.json`, rendered once for a directory: lists, handshakes and texts, which requests
//! only copy.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol_version::VERSIONS;
use crate::reply::json;

/// A [`File`].
pub(crate) const FILE: &str = include_str!("../../../schemas/mcp.json");

/// The sentence of the instructions that states the rate limit; a sentence with the configured limit replaces it.
const RATE_SENTENCE: &str = " At most 60 requests per minute per client.";

/// How long clients may cache the answer to `server/discover`, and lists, in milliseconds.
const DISCOVER_TTL_MS: u32 = 3_600_000;
pub(crate) const LIST_TTL_MS: u32 = 300_000;

/// The members of `schemas/mcp.json` that are read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct File<'a> {
    server_info: ServerInfo,
    instructions: String,
    #[serde(borrow)]
    tools: &'a RawValue,
    #[serde(borrow)]
    prompts: &'a RawValue,
    #[serde(borrow)]
    resources: &'a RawValue,
    #[serde(borrow)]
    resource_templates: &'a RawValue,
    prompt_texts: BTreeMap<String, String>,
    resource_texts: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct ServerInfo {
    description: String,
}

/// Members of results that never change. JSON without the braces around it.
pub(crate) struct Contract {
    /// The members after the version in the answer to a handshake.
    pub(crate) initialize: String,
    pub(crate) discover: String,
    /// Methods that list, and the lists.
    lists: [(&'static str, String); 4],
    /// The first members of every 2026-07-28 result.
    pub(crate) modern: String,
    /// The prompt's text by language; `{known}` stands for its arguments.
    pub(crate) prompt_texts: BTreeMap<String, String>,
    /// The guide's text.
    pub(crate) guide: String,
}

/// Address of the guide.
pub(crate) const GUIDE: &str = "opportunities://guide";

impl Contract {
    /// Renders everything for a directory at an address, known by a name and a title.
    pub(crate) fn new(
        file: &File<'_>,
        rate_per_minute: u32,
        base_url: &str,
        (name, title): (&str, &str),
    ) -> Self {
        let info = format!(
            "{{\"name\":{},\"title\":{},\"version\":{},\"description\":{},\"websiteUrl\":{}}}",
            json(&format!("{name}-public")),
            json(title),
            json(env!("CARGO_PKG_VERSION")),
            json(&file.server_info.description),
            json(base_url),
        );
        let instructions = json(&instructions(&file.instructions, rate_per_minute));
        let capabilities = "{\"tools\":{},\"prompts\":{},\"resources\":{},\"completions\":{}}";
        let versions = json(&VERSIONS);
        let list = |name: &str, list: &RawValue| format!("\"{name}\":{}", compact(list.get()));
        Self {
            initialize: format!(
                "\"capabilities\":{capabilities},\"serverInfo\":{info},\"instructions\":{instructions}"
            ),
            discover: format!(
                "\"supportedVersions\":{versions},\"capabilities\":{capabilities},\
                 \"instructions\":{instructions},\"ttlMs\":{DISCOVER_TTL_MS},\"cacheScope\":\"public\""
            ),
            lists: [
                ("tools/list", list("tools", file.tools)),
                ("prompts/list", list("prompts", file.prompts)),
                ("resources/list", list("resources", file.resources)),
                ("resources/templates/list", list("resourceTemplates", file.resource_templates)),
            ],
            modern: format!(
                "\"resultType\":\"complete\",\"_meta\":{{\"io.modelcontextprotocol/serverInfo\":{info}}},"
            ),
            prompt_texts: file.prompt_texts.clone(),
            guide: file.resource_texts.get(GUIDE).cloned().unwrap_or_default(),
        }
    }

    /// The list that a method answers with.
    pub(crate) fn list(&self, method: &str) -> Option<&str> {
        self.lists.iter().find(|(known, _)| *known == method).map(|(_, list)| list.as_str())
    }
}

fn instructions(text: &str, rate_per_minute: u32) -> String {
    let sentence = match rate_per_minute {
        0 => String::new(),
        rate => format!(" At most {rate} requests per minute per client."),
    };
    text.replace(RATE_SENTENCE, &sentence)
}

/// JSON without the spaces between its tokens, members in their order.
fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in json.chars() {
        if quoted || !c.is_ascii_whitespace() {
            out.push(c);
        }
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && c == '\\' && !escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_json_keeps_strings_and_order() {
        assert_eq!(
            compact(r#"{ "b" : [ 1, "x \" y\\" ],\n "a": { } }"#.replace("\\n", "\n").as_str()),
            r#"{"b":[1,"x \" y\\"],"a":{}}"#
        );
    }

    #[test]
    fn the_instructions_state_the_configured_limit() {
        let file: File<'_> = serde_json::from_str(FILE).unwrap();
        assert!(file.instructions.ends_with(RATE_SENTENCE));
        assert_eq!(instructions(&file.instructions, 60), file.instructions);
        assert!(instructions(&file.instructions, 5).ends_with("At most 5 requests per minute per client."));
        assert!(!instructions(&file.instructions, 0).contains("per minute"));
        assert!(file.instructions.len() < 1200);
        assert!(file.resource_texts.contains_key(GUIDE));
    }
}
