//! Pages about the interfaces, and files for machines: sitemaps, robots.txt, llms.txt, the OpenSearch description, and the
//! discovery of the MCP endpoint: the server card (SEP-2127), the entry for the MCP registry, and settings for common
//! clients.

use html::templates::here;
use html::view::variables;
use jiff::Timestamp;
use minijinja::{Error, Value, context};
use serde_json::{Value as Json, json};
use snapshot::facet::FACETS;
use snapshot::page::changes::FEED;
use snapshot::page::export;
use snapshot::page::hole::Filled;
use snapshot::page::search::search;
use snapshot::query::Query;
use snapshot::record::{Directory, Locale};

use super::{FIXED, Local, MISSING, Pages};
use crate::downloads::Download;
use crate::files::{document, undated};
use crate::rest::{OPENAPI, contract};

/// Maximum number of lines of an example answer.
const ANSWER: usize = 40;
/// Maximum number of addresses in one sitemap, in all languages; the protocol allows 50,000.
const SITEMAP: usize = 10_000;

/// The contract of the endpoint.
const CONTRACT: &str = include_str!("../../../../schemas/mcp.json");

/// Longest title in cards and registry entries, in characters.
const TITLE_MAX: usize = 100;

/// Path of the server card.
const CARD: &str = "/mcp/server-card";
/// Path of the registry entry, for the operator who registers the server.
const REGISTRY: &str = "/mcp/server.json";

/// The schema of that.
const ENTRY_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// A page in a sitemap, and the time of its last change.
pub(super) type Listed = (String, Option<Timestamp>);

/// What writes a file that there is one of.
type Write = fn(&Pages<'_>) -> Result<Filled, Error>;

/// The files that there is one of: where each is, and what writes it.
pub(super) static SINGLES: [(&str, Write); 13] = [
    ("/api/v1/exports/latest.json", |it| Ok(export::json(it.site, it.dated, &it.directory.dataset))),
    ("/api/v1/exports/latest.csv", |it| Ok(it.csv_export())),
    ("/api/v1/search.json", |it| Ok(undated(search(it.site, it.dated, &Query::default(), &[]).bytes))),
    ("/api/v1/openapi.json", |it| Ok(undated(contract(it.base_url())))),
    ("/data/dataset.json", |it| Ok(undated(document(&json!(it.directory.dataset))))),
    ("/data/datapackage.json", |it| Ok(undated(document(&it.data_package())))),
    ("/data/catalog.jsonld", |it| Ok(undated(document(&it.dcat())))),
    ("/data/sha256sums.txt", |it| Ok(undated(it.checksums()))),
    ("/robots.txt", |it| Ok(undated(it.robots()))),
    ("/llms.txt", |it| Ok(undated(it.llms()))),
    ("/opensearch.xml", |it| {
        it.part("opensearch.xml", context! { short_name => short_name(&it.directory.dataset.title) })
    }),
    (CARD, |it| Ok(undated(it.server_card()))),
    (REGISTRY, |it| Ok(undated(document(&it.identity(ENTRY_SCHEMA))))),
];

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

    fn server_card(&self) -> String {
        let mut card =
            self.identity("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json");
        card["remotes"][0]["supportedProtocolVersions"] = json!(["2026-07-28", "2025-11-25"]);
        document(&card)
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
        context! { clients => Vec::from(clients), files => [CARD, REGISTRY] }
    }

    /// The API reference, from the served contract.
    pub(super) fn api_view(&self) -> Value {
        let contract: Json = serde_json::from_str(OPENAPI).unwrap_or_default();
        // A map forgets the order of the file: first by tag, then by where a path stands.
        let tags = contract["tags"].as_array().into_iter().flatten().map(|tag| &tag["name"]);
        let tags: Vec<&Json> = tags.collect();
        let mut paths: Vec<(&String, &Json)> = contract["paths"].as_object().into_iter().flatten().collect();
        paths.sort_by_key(|(path, item)| {
            let tag = &item["get"]["tags"][0];
            (tags.iter().position(|known| *known == tag), OPENAPI.find(&format!("\"{path}\": {{")))
        });
        let operation = |(path, item): (&String, &Json)| {
            let (get, answered) = (&item["get"], followed(&contract, &item["get"]["responses"]["200"]));
            let own = [item, get].into_iter().filter_map(|of| of["parameters"].as_array()).flatten();
            context! {
                path,
                get => variables(get),
                example => self.example(path),
                returns => answered["description"].as_str(),
                answer => answer(&contract, answered),
                parameters => own.map(|it| variables(followed(&contract, it))).collect::<Vec<_>>(),
            }
        };
        let operations: Vec<Value> = paths.into_iter().map(operation).collect();
        let copies = [
            ("python3 keep_copy.py", include_str!("../../examples/keep_copy.py")),
            ("node keep_copy.mjs", include_str!("../../examples/keep_copy.mjs")),
        ];
        context! { operations, copies }
    }

    /// An address that can be tried, where the directory has such a record.
    fn example(&self, path: &str) -> Option<String> {
        let Directory { programs, organizations, recipients, .. } = self.directory;
        let slug = match path.split('/').nth(3) {
            Some("organizations") => organizations.first().map(|it| &*it.slug),
            Some("recipients") => recipients.first().map(|it| &*it.slug),
            _ => programs.first().map(|it| &*it.slug),
        };
        let query = match path {
            "/api/v1/search" => "?q=fellowship&open=true&limit=5".to_owned(),
            "/api/v1/details" => format!("?program={}", slug?),
            _ => String::new(),
        };
        let path = if path.contains("{slug}") { path.replace("{slug}", slug?) } else { path.to_owned() };
        Some(format!("{}{query}", path.replace("{facet}", FACETS[0].name)))
    }

    fn robots(&self) -> String {
        // A rule that ends in `?` is read without it by parsers that take it for an address with an empty
        // query, and would keep them out of `/programs/…`.
        let rule = |path| self.locales().iter().map(move |it| format!("Disallow: {}\n", here(path, *it)));
        let rules: String =
            ["/programs?*", "/programs.", "/recipients?*"].into_iter().flat_map(rule).collect();
        format!("User-agent: *\n{rules}Disallow: /mcp$\n\nSitemap: {}/sitemap.xml\n", self.base_url())
    }

    fn llms(&self) -> String {
        let (base, title) = (self.base_url(), &self.directory.dataset.title);
        let main = self.local(self.main_locale());
        let spanish = if self.locales().len() > 1 { ", in Spanish below `/es`" } else { "" };
        format!(
            "# {title}\n\n> {}. {} programs. Read-only, no key, CC BY 4.0.\n\n\
             ## Interfaces\n\n\
             - [OpenAPI]({base}/api/v1/openapi.json): REST, start with `/api/v1/search?q=`\n\
             - [MCP]({docs}): tool endpoint at `{base}/mcp`, described by its \
             [server card]({base}{CARD})\n\
             - [Export]({base}/api/v1/exports/latest): every program in one file\n\n\
             ## Records\n\n\
             - `{page}`: one program as Markdown{spanish}\n\
             - `{base}/api/v1/programs/{{slug}}`: the same as JSON, with sources\n\
             - [Sitemap]({base}/sitemap.xml): every record\n\n\
             Read a record before citing it; send people to its official page.\n",
            self.local(Locale::En).word("site_tagline"),
            self.directory.programs.len(),
            docs = main.address("/docs/mcp"),
            page = main.address("/programs/{slug}.md"),
        )
    }

    pub(super) fn part(&self, template: &str, view: Value) -> Result<Filled, Error> {
        self.templates.part(template, self.main_locale(), view).map(undated)
    }

    /// Every page, divided into sitemaps, with the time of its last change if known. Organizations and recipients have
    /// dates of their own; the day does not count.
    pub(super) fn sitemaps(&self) -> Vec<Vec<Listed>> {
        let (directory, published) = (self.directory, self.directory.dataset.published_at);
        let fixed = FIXED.iter().filter(|(path, ..)| *path != MISSING);
        let fixed = fixed.map(|(path, _, _, lists, _)| ((*path).to_owned(), lists.then_some(published)));
        let programs = directory.programs.iter().zip(&directory.program_links);
        let programs = programs.map(|(it, links)| (format!("/programs/{}", it.slug), Some(links.changed)));
        let organizations = directory.organizations.iter();
        let organizations =
            organizations.map(|it| (format!("/organizations/{}", it.slug), Some(it.updated_at)));
        let recipients = directory.recipients.iter().zip(&directory.recipient_awards).map(|(it, awards)| {
            let awards = awards.iter().map(|at| directory.awards[*at].updated_at);
            (format!("/recipients/{}", it.slug), Some(awards.fold(it.updated_at, Timestamp::max)))
        });
        let list = ("/recipients".to_owned(), Some(published));
        let all = fixed.chain([list]).chain(programs).chain(organizations).chain(recipients);
        let all: Vec<Listed> = all.collect();
        all.chunks(SITEMAP / self.locales().len()).map(<[Listed]>::to_vec).collect()
    }

    pub(super) fn sitemap(&self, listed: &[Listed]) -> Result<Filled, Error> {
        let page = |(path, changed): &Listed| {
            let address = |it: &Locale| Value::from(vec![it.as_str().to_owned(), here(path, *it)]);
            let addresses: Vec<Value> = self.locales().iter().map(address).collect();
            context! { addresses, changed => changed.map(|at| at.to_string()) }
        };
        let pages = listed.iter().map(page).collect::<Vec<_>>();
        self.part("sitemap.xml", context! { maps => (), pages })
    }
}

impl Local<'_> {
    pub(super) fn data_view(&self) -> Value {
        let programs = self.directory.programs.len();
        let file = |(href, key, format, count): (&str, &str, &str, usize)| {
            let name = href.rsplit('/').next().unwrap_or(href);
            let count = if count == 0 { String::new() } else { self.number(count) };
            context! { href, name, format, count, what => self.word(key) }
        };
        let main = |path| here(path, self.main_locale());
        let live: Vec<Value> = [
            ("/api/v1/exports/latest", "data_export_json", "JSON", programs),
            ("/api/v1/exports/latest?format=csv", "data_export_csv", "CSV", programs),
            (&*main("/programs.csv"), "follow_csv", "CSV (BOM)", programs),
            (&*main("/programs.atom"), "data_atom", "Atom", 0),
            (&*main("/programs.ics"), "data_ics", "iCalendar", 0),
            (FEED, "data_changes_atom", "Atom", 0),
        ]
        .map(file)
        .into();
        let table = |it: &Download| {
            context! {
                href => it.path(),
                name => &it.name,
                what => self.word(&format!("table_{}", it.table.name())),
                count => self.number(it.rows),
                size => size(it.body.len as usize, self.locale),
                sha256 => it.body.sha256.to_string(),
            }
        };
        context! {
            live,
            tables => self.downloads.iter().map(table).collect::<Vec<_>>(),
            json_ld => self.dataset_json_ld(),
            description => self.word("data_intro"),
        }
    }
}

/// The domain in reverse order, as a prefix of names: `example.org` is `org.example`. An IP address is unchanged.
fn reversed(domain: &str) -> String {
    if domain.parse::<std::net::Ipv4Addr>().is_ok() {
        return domain.to_owned();
    }
    domain.rsplit('.').collect::<Vec<_>>().join(".")
}

/// A title shortened to the length that OpenSearch allows: whole words, or the beginning of a long word.
fn short_name(title: &str) -> &str {
    const CHARACTERS: usize = 16;
    let title = title.trim();
    let Some((end, _)) = title.char_indices().nth(CHARACTERS) else { return title };
    let whole = if title[end..].starts_with(char::is_whitespace) {
        Some(end)
    } else {
        title[..end].rfind(char::is_whitespace)
    };
    title[..whole.unwrap_or(end)].trim_end_matches(|c: char| !c.is_alphanumeric())
}

/// A number of bytes for people, in decimal units.
fn size(bytes: usize, locale: Locale) -> String {
    let (scaled, unit) = match bytes {
        0..1_000_000 => (bytes as f64 / 1e3, "kB"),
        _ => (bytes as f64 / 1e6, "MB"),
    };
    let number = format!("{scaled:.1}");
    format!("{} {unit}", if locale == Locale::Es { number.replace('.', ",") } else { number })
}

/// A part of the contract, with its reference resolved.
fn followed<'a>(contract: &'a Json, it: &'a Json) -> &'a Json {
    let target = it["$ref"].as_str().and_then(|path| contract.pointer(path.trim_start_matches('#')));
    target.unwrap_or(it)
}

/// The beginning of the first example of an answer, and what it is an answer to.
fn answer(contract: &Json, response: &Json) -> Option<Value> {
    let content = followed(contract, response)["content"].as_object()?;
    let media = content.get("application/json").or_else(|| content.values().next())?;
    let example = followed(contract, media["examples"].as_object()?.values().next()?);
    let text = match example.get("value")? {
        Json::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).ok()?,
    };
    let mut lines: Vec<&str> = text.lines().take(ANSWER).collect();
    if lines.len() == ANSWER {
        lines.push("…");
    }
    Some(context! { to => example["summary"].as_str(), text => lines.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_hold_whole_words_of_at_most_sixteen_characters() {
        for (title, short) in [
            ("Opdir", "Opdir"),
            ("Sixteen letters!", "Sixteen letters!"),
            ("Opportunity Directory", "Opportunity"),
            ("Open grants 2026 and more", "Open grants 2026"),
            ("Grants: a directory", "Grants: a"),
            ("Becas, ayudas y más oportunidades", "Becas, ayudas y"),
            ("Forschungsförderungsdatenbank", "Forschungsförder"),
        ] {
            assert_eq!(short_name(title), short, "{title}");
        }
    }

    #[test]
    fn an_answer_is_shown_from_its_beginning() {
        let contract = serde_json::json!({ "e": { "value": { "data": [1] } } });
        let of = |examples: Json| {
            let content = serde_json::json!({ "content": { "application/json": { "examples": examples } } });
            answer(&contract, &content).map(|it| it.get_attr("text").unwrap().to_string())
        };
        let whole = of(serde_json::json!({ "a": { "$ref": "#/e" } }));
        assert_eq!(whole.as_deref(), Some("{\n  \"data\": [\n    1\n  ]\n}"));
        let long: Vec<usize> = (0..100).collect();
        let cut = of(serde_json::json!({ "a": { "value": long } })).unwrap();
        assert_eq!((cut.lines().count(), cut.lines().last()), (41, Some("…")));
        assert_eq!(of(Json::Null), None);
    }

    #[test]
    fn sizes_are_formatted_by_language() {
        assert_eq!(size(840, Locale::En), "0.8 kB");
        assert_eq!(size(1_250_000, Locale::Es), "1,2 MB");
    }

    #[test]
    fn names_begin_with_the_reversed_domain() {
        assert_eq!(reversed("data.example.org"), "org.example.data");
        assert_eq!(reversed("localhost"), "localhost");
        assert_eq!(reversed("127.0.0.1"), "127.0.0.1");
    }
}
