//! Nothing unpublished leaves the building: words planted in drafts, in withdrawn records, in what
//! belongs to them and in facts that are not approved are looked for in every byte of a snapshot.

use std::collections::BTreeMap;
use std::path::Path;

use dataset::Input;
use serde_json::{Value, json};
use uuid::Uuid;

use tests::snapshots::contents;

use crate::data::schemas::{tables, whole};
use crate::records::with;
use crate::server::{build, load, options};

/// Files and bodies of a snapshot of a dataset, lower-cased: indexes hold folded text.
fn snapshot_of(input: &Input<'_>) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let (directory, source) = load(input);
    build(&directory, source, &options(folder.path()));
    let lower = |(path, bytes): (std::path::PathBuf, Vec<u8>)| (path, bytes.to_ascii_lowercase());
    contents(folder.path()).into_iter().map(lower).collect()
}

/// Whether lower-case bytes hold a needle in any case.
fn holds(bytes: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(bytes, &needle.to_ascii_lowercase()).is_some()
}

fn holders<'a>(files: &'a BTreeMap<std::path::PathBuf, Vec<u8>>, needle: &[u8]) -> Vec<&'a Path> {
    files.iter().filter(|(_, bytes)| holds(bytes, needle)).map(|(path, _)| path.as_path()).collect()
}

/// Ids of records that are published and of those that are not differ at their start.
fn id(published: bool, kind: u128, number: u128) -> String {
    let start: u128 = if published { 0xaaaa_aaaa } else { 0xcafe_cafe };
    Uuid::from_u128(start << 96 | 0x5000_8000_0000_0000_0000 | kind << 16 | number).to_string()
}

/// A record of a kind with a word in every text; `of` is the id that it belongs to.
fn record(entity: &str, own: &str, word: &str, of: &str, recipient: &str) -> Value {
    let mut row = whole(entity);
    let members = row.as_object_mut().unwrap();
    members.retain(|name, _| !["cycleId", "sourceId", "broader"].contains(&name.as_str()));
    let slug = format!("{word}-{}", &own[own.len() - 8..]);
    let parents = ["organizationId", "programId", "entityId"].map(|name| (name, of));
    let own = [("id", own), ("slug", &slug), ("recipientId", recipient)];
    for (name, value) in parents.into_iter().chain(own) {
        members.entry(name).and_modify(|member| *member = value.into());
    }
    match entity {
        "facts" => row = with(row, json!({"kind": "topic", "value": "Text"})),
        "vocabulary" => row["value"] = slug.into(),
        _ => {}
    }
    let url = "https://example.org/";
    let text = row.to_string().replace("Text", word).replace(url, &format!("{url}{word}"));
    serde_json::from_str(&text).unwrap()
}

/// A published record of every kind, and around each of them everything that must stay inside.
fn crafted() -> Vec<(String, String)> {
    let kind = |entity: &str| tables().position(|it| it == entity).unwrap() as u128;
    let of_organization = ["programs", "leaders", "channels", "posts"];
    let parent = |entity: &str, published: bool, number: u128| {
        let parent = if of_organization.contains(&entity) { "organizations" } else { "programs" };
        id(published, kind(parent), number)
    };
    let table = |entity: &str| {
        let recipient = id(true, kind("recipients"), 1);
        let inside = |number: u128, of: &str| {
            record(entity, &id(false, kind(entity), number), "zyxcanary", of, &recipient)
        };
        let open_parent = parent(entity, true, 1);
        let mut rows =
            vec![record(entity, &id(true, kind(entity), 1), "zyxpublic", &open_parent, &recipient)];
        rows.push(with(inside(1, &open_parent), json!({"publication": "draft"})));
        rows.push(with(inside(2, &open_parent), json!({"publication": "withdrawn"})));
        if !matches!(entity, "organizations" | "recipients" | "vocabulary" | "synonyms") {
            rows.push(inside(3, &parent(entity, false, 1)));
            rows.push(inside(4, &parent(entity, false, 2)));
        }
        match entity {
            "facts" => {
                rows.push(with(inside(5, &open_parent), json!({"status": "proposed"})));
                rows.push(with(inside(6, &open_parent), json!({"status": "rejected"})));
                rows.push(with(inside(7, &open_parent), json!({"cycleId": id(false, kind("cycles"), 1)})));
                rows[0]["sourceId"] = id(false, kind("sources"), 1).into();
            }
            "awards" => {
                let to_draft = json!({"recipientId": id(false, kind("recipients"), 1)});
                rows.push(with(inside(5, &open_parent), to_draft));
                rows[0]["cycleId"] = id(false, kind("cycles"), 1).into();
            }
            "lifecycle" => rows[0]["sourceId"] = id(false, kind("sources"), 2).into(),
            "translations" => {
                // One record has one translation into a language.
                rows[1]["entityType"] = "organization".into();
                rows[1]["entityId"] = id(true, kind("organizations"), 1).into();
                rows[1]["fields"] = json!({"name": "zyxcanary", "description": "zyxcanary"});
                rows[2]["entityType"] = "recipient".into();
                rows[2]["entityId"] = id(true, kind("recipients"), 1).into();
                rows[2]["fields"] = json!({"biography": "zyxcanary"});
            }
            _ => {}
        }
        let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
        (format!("{entity}.ndjson"), lines.join("\n"))
    };
    let dataset = ("dataset.json".to_owned(), whole("dataset").to_string());
    tables().filter(|it| *it != "dataset").map(table).chain([dataset]).collect()
}

#[test]
fn no_byte_of_a_snapshot_knows_a_draft_of_any_kind() {
    let tables = crafted();
    let input: Vec<(&str, &[u8])> =
        tables.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    let files = snapshot_of(&Input::Embedded(&input));
    assert!(holders(&files, b"zyxpublic").len() > 10, "what is published is there");
    assert_eq!(holders(&files, b"zyxcanar"), [""; 0].map(Path::new));
    assert_eq!(holders(&files, b"cafecafe-"), [""; 0].map(Path::new));
    assert_eq!(holders(&files, &[0xca, 0xfe, 0xca, 0xfe]), [""; 0].map(Path::new));
}
