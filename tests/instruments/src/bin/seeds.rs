//! Writes what the fuzz targets begin with: a folder for each, a file for each input.

use std::io;
use std::path::{Path, PathBuf};

use clap::Parser;
use dataset::Input;
use edge::templates;
use serde_json::{Value, json};
use snapshot::query::PARAMETERS;
use tests::checks::store::{Other, Root};
use tests::judge::Judged;
use tests::judge::judged::SAMPLE;
use tests::questions::{Class, questions};
use tests::snapshots::load;

/// Writes inputs for the fuzz targets to begin with.
#[derive(Parser)]
struct Arguments {
    /// Folder to write into; created if need be.
    out: PathBuf,
}

/// Headers after the byte that chooses the resource; see `tests::checks::request`.
const HEADERS: [&str; 8] = [
    "0\x01",
    "0W/\x02, \"a\", \x03\n0*",
    "1\x05",
    "1Fri, 20 Nov 2026 06:00:00 GMT",
    "2bytes=0-99\n3\x01",
    "2bytes=-5\n3\x05",
    "2bytes=99999999999999999999-",
    "4gzip;q=0.5, br;q=0, zstd, *;q=0.001, identity;q=0\n5text/html",
];

fn main() -> io::Result<()> {
    let out = Arguments::parse().out;
    let ask = |target: &str| target.replace("{slug}", "a%2Db").replace("{facet}", "countries");
    let paths = templates().map(ask);
    let pages = ["/es", "/es/programs.csv?q=a", "/programs.ics", "/programs/a.jsonld", "//x.example/%2e%2e"];
    put(&out, "path", paths.chain(pages.map(str::to_owned)))?;
    put(&out, "query", queries())?;
    put(&out, "understand", Judged::read(SAMPLE).into_iter().map(|judged| judged.text))?;
    let resources = ["0", "1", "2", "3"].into_iter();
    put(&out, "headers", resources.flat_map(|choice| HEADERS.map(|lines| format!("{choice}{lines}"))))?;
    put(&out, "manifest", manifests()?)?;
    // Adds nothing to a number of each file.
    put(&out, "index", [9, 10, 11].map(|file| [file, 1, 0, 0, 0, 0, 0, 0]))?;
    put(&out, "mcp", messages().map(|message| message.to_string()))
}

fn put<T: AsRef<[u8]>>(out: &Path, target: &str, inputs: impl IntoIterator<Item = T>) -> io::Result<()> {
    let folder = out.join(target);
    std::fs::create_dir_all(&folder)?;
    for (number, input) in inputs.into_iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number}")), input)?;
    }
    Ok(())
}

/// Questions of every class, every parameter, and texts that try the reader.
fn queries() -> impl Iterator<Item = String> {
    let asked = Class::ALL.into_iter().flat_map(|class| questions(class, 3, 1));
    let values = ["0", "7", "true", "false", "name", "recent", "es", "open", "grant", "KE", "2027-01-01"];
    let named = values.map(|value| {
        let pairs = PARAMETERS.iter().map(|parameter| format!("{}={value}", parameter.name));
        pairs.collect::<Vec<_>>().join("&")
    });
    let texts =
        ["\"field work\" -nsf", "-\"a b\" --c -", "\"\"\" \"", "é\u{301} 🎓 Ñandú", "R&D I+D", "a* ~b"];
    let texts = texts.into_iter().map(str::to_owned).chain([format!("\"{}", "ab ".repeat(3_333))]);
    let texts = texts
        .map(|text| url::form_urlencoded::Serializer::new(String::new()).append_pair("q", &text).finish());
    asked.chain(named).chain(texts)
}

/// The files of a root as they are, each after the byte that chooses it, and other spellings of its id.
fn manifests() -> io::Result<Vec<Vec<u8>>> {
    let root = Root::new();
    let good = |(choice, other)| Ok([&[choice], &*std::fs::read(root.path(other))?].concat());
    let mut inputs: Vec<Vec<u8>> = (0..).zip(Other::ALL).map(good).collect::<io::Result<_>>()?;
    let id = std::fs::read_to_string(root.path(Other::Current))?;
    let spellings = [id[1..].to_owned(), format!("+{id}"), format!("0{id}"), id.to_uppercase()];
    inputs.extend(spellings.map(|spelling| format!("\0{spelling}").into_bytes()));
    Ok(inputs)
}

fn messages() -> impl Iterator<Item = Value> {
    let slug = load(&Input::Embedded(dataset::sample::FILES)).0.programs[0].slug.clone();
    let search = json!({
        "query": "\"field work\" -nsf", "country": ["KE"], "sort": "relevance", "limit": 3, "openOnly": true,
        "deadlineFrom": "2026-12-01", "ageMin": 18, "locale": "es"
    });
    let calls = [
        ("search_opportunities", search),
        ("search_opportunities", json!({"query": "becas", "offset": 1})),
        ("get_opportunity", json!({"slug": slug, "locale": "es"})),
        ("list_filter_options", json!({"facet": "countries", "q": "k"})),
    ];
    let calls = calls.map(|(name, arguments)| ("tools/call", json!({"name": name, "arguments": arguments})));
    let others = [
        ("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}})),
        ("server/discover", json!({})),
        ("tools/list", json!({"cursor": ""})),
        ("prompts/get", json!({"name": "find_best_opportunities", "arguments": {"goal": "a"}})),
        ("resources/read", json!({"uri": "opportunities://programs/a"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": "opportunities://programs/{slug}"}, "argument": {"name": "slug", "value": "a"}}),
        ),
        ("notifications/initialized", json!({})),
    ];
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    calls.into_iter().chain(others).flat_map(move |(method, params)| {
        let mut modern = params.clone();
        modern["_meta"] = meta.clone();
        [params, modern].map(|params| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    })
}
