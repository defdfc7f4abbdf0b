//! What changed, as the files of an export: whoever folds them holds what is exported and what `/changes` tells, over
//! random histories with rollbacks, at whatever pace; and no file ever says something else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use dataset::Input;
use edge::Server;
use generator::{SUMS, export};
use serde_json::{Value, json};
use store::{Digest, Generation, Hex, rollback};
use tests::snapshots::files;
use tests::synth::rng::Rng;

use super::changes::next;
use super::diff::{ask, open};
use crate::schema::Schema;
use crate::server::{AS_OF, build, load, options};

const SCHEMA: &str = include_str!("../../../schemas/changes.schema.json");

/// Records by address, with their versions.
type Copy = BTreeMap<String, String>;

/// Publishes a directory whose records say a number each; of 0 there is none.
fn publish(root: &Path, [foundation, one, two, person]: [u8; 4]) {
    let dataset = br#"{"schemaVersion":"1","name":"small","title":"Small & new","license":"CC BY 4.0",
        "publishedAt":"2026-11-20T06:00:00Z","idNamespace":"6ba7b812-9dad-11d1-80b4-00c04fd430c8"}"#;
    let organizations = format!("slug,name\nfoundation,Foundation {foundation}\n");
    let mut programs = "slug,name,organization,programType,officialUrl\n".to_owned();
    for (slug, text) in [("one", one), ("two", two)].iter().filter(|(_, text)| *text > 0) {
        programs.push_str(&format!(
            "{slug},Grant <{slug}> {text},foundation,grant,https://foundation.example/{slug}\n"
        ));
    }
    let mut recipients = "slug,displayName,kind\n".to_owned();
    if person > 0 {
        recipients.push_str(&format!("person,Person {person},person\n"));
    }
    let files: [(&str, &[u8]); 4] = [
        ("dataset.json", dataset),
        ("organizations.csv", organizations.as_bytes()),
        ("programs.csv", programs.as_bytes()),
        ("recipients.csv", recipients.as_bytes()),
    ];
    let (directory, source) = load(&Input::Embedded(&files));
    build(&directory, source, &options(root));
}

fn fold(lines: &str, copy: &mut Copy) {
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let url = line["url"].as_str().unwrap().to_owned();
        match line["op"].as_str().unwrap() {
            "upsert" => copy.insert(url, line["version"].as_str().unwrap().to_owned()),
            _ => copy.remove(&url),
        };
    }
}

/// Addresses of the records that a feed of all changes leaves.
fn fold_feed(feed: &str) -> BTreeSet<String> {
    let mut there = BTreeSet::new();
    for line in feed.lines().rev() {
        let of = |start: &str| Some(line.strip_prefix(start)?.split(['<', '"']).next()?.to_owned());
        let api =
            |page: String| page.replacen(crate::server::HOST, &format!("{}/api/v1", crate::server::HOST), 1);
        there.extend(of("<entry><id>").map(api));
        of("<at:deleted-entry ref=\"").map(api).map(|gone| there.remove(&gone));
    }
    there
}

/// Who follows the files of exports, as the README says.
#[derive(Default)]
struct Reader {
    root: String,
    sequence: u64,
    copy: Copy,
}

impl Reader {
    fn follow(&mut self, dir: &Path) {
        let index: Value = read_json(&dir.join("changes/index.json"));
        let root = index["root"].as_str().unwrap();
        if self.root != root || self.sequence < index["floor"].as_u64().unwrap() {
            *self = Self { root: root.to_owned(), ..Self::default() };
        }
        for file in index["files"].as_array().unwrap() {
            if file["seq"].as_u64().unwrap() > self.sequence {
                let name = dir.join("changes").join(file["name"].as_str().unwrap());
                fold(&std::fs::read_to_string(name).unwrap(), &mut self.copy);
            }
        }
        self.sequence = index["sequence"].as_u64().unwrap();
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// All lines that an edge tells from the beginning.
pub(super) fn change_lines(live: &Arc<Server>) -> String {
    let (mut at, mut lines) = ("/changes?limit=2".to_owned(), String::new());
    loop {
        let reply = ask(live, &at);
        if reply.body.is_empty() {
            return lines;
        }
        lines.push_str(std::str::from_utf8(&reply.body).unwrap());
        at = next(&reply);
    }
}

/// Addresses of the records whose pages were exported.
fn exported(dir: &Path) -> BTreeSet<String> {
    let names = ["organizations", "programs", "recipients"].into_iter().flat_map(|kind| {
        let folder = std::fs::read_dir(dir.join("api/v1").join(kind)).into_iter().flatten();
        let slugs = folder.map(|file| file.unwrap().file_name().into_string().unwrap());
        let slugs = slugs.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()));
        slugs.filter(|slug| !slug.contains('.')).map(move |slug| format!("{kind}/{slug}"))
    });
    names.map(|record| format!("https://{}/api/v1/{record}", crate::server::HOST)).collect()
}

#[test]
fn folding_the_files_gives_what_is_exported_and_what_the_edge_tells_over_any_history() {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for seed in [1, 2, 3] {
        let (root, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut rng = Rng::new(&[seed]);
        let mut readers = [Reader::default(), Reader::default()];
        for step in 0..5 {
            publish(root.path(), std::array::from_fn(|_| rng.below(4) as u8));
            if rng.percent(25) {
                // The first has nothing to go back to.
                let _ = rollback(root.path(), None, AS_OF);
            }
            let what = format!("seed {seed}, step {step}");
            let dir = out.path().join(step.to_string());
            let generation = Generation::open_current(root.path()).unwrap();
            export(&generation, &dir, false, "").unwrap();
            let live = open(root.path());
            let lines = change_lines(&live);
            let index = read_json(&dir.join("changes/index.json"));
            let names = index["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap());
            let mut concatenated = Vec::new();
            for name in names {
                let bytes = std::fs::read(dir.join("changes").join(name)).unwrap();
                concatenated.extend_from_slice(&bytes);
                let before = files.insert(name.to_owned(), bytes.clone());
                assert!(before.is_none_or(|before| before == bytes), "{what}: {name} says something else");
            }
            // A client of the edge that begins gets no removals; the files are also for those that return.
            let concatenated = String::from_utf8(concatenated).unwrap();
            let is_there = |line: &&str| !line.contains("\"op\":\"delete\"");
            let there: String = concatenated.split_inclusive('\n').filter(is_there).collect();
            assert_eq!(there, lines, "{what}");
            let (mut expected, mut anew) = (Copy::new(), Reader::default());
            fold(&lines, &mut expected);
            anew.follow(&dir);
            assert_eq!(anew.copy, expected, "{what}");
            assert_eq!(expected.keys().cloned().collect::<BTreeSet<_>>(), exported(&dir), "{what}");
            for reader in &mut readers {
                if rng.percent(75) {
                    reader.follow(&dir);
                    assert_eq!(reader.copy, expected, "{what}");
                }
            }
            let feed = std::fs::read(dir.join("changes.atom")).unwrap();
            assert!(ask(&live, "/changes.atom").body == feed, "{what}: the feed");
            assert_eq!(fold_feed(std::str::from_utf8(&feed).unwrap()), exported(&dir), "{what}: the feed");
        }
    }
}

#[test]
fn the_index_is_as_its_schema_says_and_goes_on_at_an_edge() {
    let (root, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    publish(root.path(), [1, 1, 1, 1]);
    publish(root.path(), [1, 0, 2, 1]);
    let generation = Generation::open_current(root.path()).unwrap();
    let dir = out.path().join("site");
    export(&generation, &dir, true, "").unwrap();
    let index = read_json(&dir.join("changes/index.json"));
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    Schema::new(&schema).check("index", &index);
    let line = Schema::new(&json!({ "$ref": "#/$defs/line", "$defs": schema["$defs"] }));
    for text in change_lines(&open(root.path())).lines() {
        line.check("line", &serde_json::from_str(text).unwrap());
    }
    assert_eq!(index["sequence"], 2);
    assert_eq!(index["floor"], 0);
    assert_eq!(index["generation"], Hex(&generation.id().hash).to_string());
    let counts: Vec<(Value, Value)> = index["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["seq"].clone(), it["lines"].clone()))
        .collect();
    // The person stays; the foundation lists its programs, one of which goes and one changes.
    assert_eq!(counts, [(json!(1), json!(1)), (json!(2), json!(3))]);
    let position = format!("{}.{}", index["root"].as_str().unwrap(), index["sequence"]);
    let reply = ask(&open(root.path()), &format!("/changes?since={position}"));
    assert_eq!((reply.status.as_u16(), reply.body.len()), (200, 0));
}

#[test]
fn the_sums_of_an_export_are_those_of_its_files_and_of_the_snapshot() {
    let (root, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    publish(root.path(), [1, 1, 1, 1]);
    let generation = Generation::open_current(root.path()).unwrap();
    let dir = out.path().join("site");
    let count = export(&generation, &dir, false, "").unwrap();
    let sums = std::fs::read_to_string(dir.join(SUMS)).unwrap();
    let listed: BTreeMap<&str, &str> =
        sums.lines().map(|line| line.split_once("  ").unwrap()).map(|(sum, path)| (path, sum)).collect();
    assert_eq!(listed.len() + 1, count);
    for (path, sum) in &listed {
        assert_eq!(Digest::of(&std::fs::read(dir.join(path)).unwrap()).to_string(), *sum, "{path}");
    }
    let pages: Vec<_> = generation.files().entries().collect();
    let is_listed = |entry: &store::FileEntry<'_>| {
        listed.get(entry.path()) == Some(&&*entry.identity().sha256.to_string())
    };
    assert!(pages.len() > 100 && pages.iter().all(is_listed));
}

#[test]
fn every_address_of_an_export_below_a_path_leads_to_a_file_of_it() {
    let (root, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    publish(root.path(), [1, 1, 1, 1]);
    let generation = Generation::open_current(root.path()).unwrap();
    let dir = out.path().join("site");
    export(&generation, &dir, true, "/repo").unwrap();
    let base_url = &generation.manifest().base_url;
    let all = files(&dir);
    let is_page =
        |path: &Path| ["html", "atom", "ndjson"].iter().any(|end| path.extension() == Some(end.as_ref()));
    let pages: Vec<_> = all.iter().filter(|(path, _)| is_page(path)).collect();
    for (path, page) in &pages {
        let (path, page) = (path.display(), std::str::from_utf8(page).unwrap());
        let page = page.replace(&format!("\"{base_url}"), "\"").replace(":\"/", "=\"/");
        for address in page.split("=\"/").skip(1).map(|rest| rest.split(['"', '?', '#']).next().unwrap()) {
            let own = address.strip_prefix("repo").unwrap_or_else(|| panic!("{path}: /{address}"));
            let own = own.trim_matches('/');
            let names = ["", "/index.html"].map(|end| format!("{own}{end}"));
            // Only an edge answers these.
            let is_file = own.is_empty() || names.iter().any(|name| all.contains_key(Path::new(name)));
            let of_edge = ["changes", "mcp", "programs", "search", "details"];
            assert!(is_file || of_edge.contains(&own.trim_start_matches("api/v1/")), "{path}: /{address}");
        }
    }
    assert!(
        pages.len() > 50 && ["404.html", "es/404.html"].iter().all(|name| all.contains_key(Path::new(name)))
    );
}
