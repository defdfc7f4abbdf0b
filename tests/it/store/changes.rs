//! Whoever follows `/changes` of an edge has what it serves, over edits, a turn of the day and a rollback.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use edge::Server;
use http::header;
use serde_json::Value;
use store::rollback;
use tests::in_process::Reply;

use crate::server::AS_OF;
use crate::store::diff::{Edit, ask, open, publish, publish_on};
use crate::store::exported::change_lines;

/// The address that an answer says to ask next.
pub(super) fn next(reply: &Reply) -> String {
    let links = reply.headers.get(header::LINK).unwrap().to_str().unwrap();
    let link = links.split(", ").find(|link| link.ends_with("rel=\"next\"")).unwrap();
    let address = link.trim_start_matches('<').split_once('>').unwrap().0;
    address[address.find("/changes").unwrap()..].to_owned()
}

/// Follows until there is nothing new, and fetches what changed: a reader holds every record that is served, and nothing
/// else. Gives the address to go on at, and how many lines came.
fn follow(root: &Path, from: &str, bodies: &mut BTreeMap<String, Vec<u8>>) -> (String, usize) {
    let live = open(root);
    let (mut at, mut lines) = (from.to_owned(), 0);
    loop {
        let reply = ask(&live, &at);
        assert_eq!(reply.status, 200, "{at}");
        at = next(&reply);
        if reply.body.is_empty() {
            break;
        }
        for line in std::str::from_utf8(&reply.body).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let url = line["url"].as_str().unwrap();
            let path = url[url.find("/api/").unwrap()..].to_owned();
            match line["op"].as_str().unwrap() {
                "upsert" => drop(bodies.insert(path.clone(), ask(&live, &path).body.to_vec())),
                _ => drop(bodies.remove(&path)),
            }
            lines += 1;
        }
    }
    for (path, body) in &*bodies {
        let served = ask(&live, path);
        assert!(served.status == 200 && served.body == *body, "{path} is not what is served");
    }
    let counts = store::Generation::open_current(root).unwrap().manifest().counts;
    assert_eq!(bodies.len() as u64, counts.programs + counts.organizations + counts.recipients);
    (at, lines)
}

#[test]
fn following_the_changes_gives_what_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    publish(root, &[]);
    let mut bodies = BTreeMap::new();
    let (mut at, all) = follow(root, "/changes?limit=7", &mut bodies);
    assert_eq!(all, bodies.len());
    let id = store::Generation::open_current(root).unwrap().id().to_string();
    for target in ["/changes", "/api/v1/search", "/programs", "/api/v1/exports/latest"] {
        let stated = ask(&open(root), target).headers["opdir-generation"].to_str().unwrap().to_owned();
        assert!(id.ends_with(&format!("-{stated}")), "{target}: {stated}");
    }
    let edit = |from, to| vec![Edit { file: "cycles.ndjson", from, to }];
    for edits in [
        // It is gone and new, and others show it.
        vec![Edit { file: "recipients.csv", from: "afrilabs", to: "afrilabs-network" }],
        // The day itself, which pages of the program and of its organization show.
        edit("\"deadlineOn\":\"2027-02-05\"", "\"deadlineOn\":\"2027-02-06\""),
        // A word that no page shows, from which the status of the season follows.
        edit("\"status\":\"upcoming\"", "\"status\":\"open\""),
        edit("\"opensOn\":\"2023-07-18\",\"deadlineOn\":\"2023-10-20\"", "\"deadlineOn\":\"2027-10-20\""),
        vec![],
    ] {
        publish(root, &edits);
        let lines;
        (at, lines) = follow(root, &at, &mut bodies);
        assert!((1..all).contains(&lines), "{lines} lines");
    }
    publish_on(root, &[], AS_OF.tomorrow().unwrap());
    let (at, turned) = follow(root, &at, &mut bodies);
    assert_eq!(turned, 0, "the turn of the day changes no record");
    rollback(root, None, AS_OF).unwrap();
    follow(root, &at, &mut bodies);
}

#[test]
fn the_changes_as_one_object_are_the_lines() {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), &[]);
    let live = open(folder.path());
    let (mut objects, mut at) = (Vec::<Value>::new(), "/api/v1/changes?limit=50".to_owned());
    loop {
        let object = ask(&live, &at);
        assert_eq!(object.headers["content-type"], "application/json");
        let body: Value = serde_json::from_slice(&object.body).unwrap();
        let data = body["data"].as_array().unwrap();
        objects.extend(data.iter().cloned());
        let next = body["meta"]["next"].as_str().unwrap();
        assert_eq!(body["meta"], serde_json::json!({"limit": 50, "count": data.len(), "next": next}));
        let linked = object.headers[header::LINK].to_str().unwrap().to_owned();
        assert!(linked.contains("/api/v1/changes?since=") && linked.contains("rel=\"next\""), "{linked}");
        at = format!("/api/v1/changes?since={next}&limit=50");
        if data.is_empty() {
            break;
        }
    }
    let lines = change_lines(&live);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 100);
    assert_eq!(lines, objects);
    for (fault, status) in [("since=x", 400), ("limit=0", 400), ("since=0123456789abcdef.1", 410)] {
        assert_eq!(ask(&live, &format!("/api/v1/changes?{fault}")).status, status, "{fault}");
    }
}

#[test]
fn after_a_rollback_the_same_question_has_another_answer_and_another_etag() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    publish(root, &[]);
    let live = open(root);
    let read_all = |live: &Arc<Server>| {
        ["/changes?limit=1000", "/changes.atom"].map(|address| {
            let reply = ask(live, address);
            (reply.headers["etag"].clone(), reply.headers["opdir-generation"].clone(), reply.body)
        })
    };
    let first = read_all(&live);
    publish(root, &[Edit { file: "recipients.csv", from: "afrilabs", to: "afrilabs-network" }]);
    rollback(root, None, AS_OF).unwrap();
    live.refresh();
    for (first, back) in first.into_iter().zip(read_all(&live)) {
        assert_eq!(first.1, back.1, "the same generation");
        assert_ne!(first.2, back.2, "another history");
        assert_ne!(first.0, back.0);
    }
}

#[test]
fn the_feed_names_what_changed_last_and_what_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    publish(root, &[]);
    let (live, nothing) = (open(root), ask(&open(root), "/changes.atom").body);
    let first = String::from_utf8(nothing.to_vec()).unwrap();
    assert_eq!((first.matches("<entry>").count(), first.matches("<at:deleted-entry ").count()), (100, 0));
    publish(root, &[Edit { file: "recipients.csv", from: "afrilabs", to: "afrilabs-network" }]);
    live.refresh();
    let reply = ask(&live, "/changes.atom");
    assert_eq!(reply.headers["content-type"], "application/atom+xml; charset=utf-8");
    assert_eq!(reply.headers["cache-tag"], "all,changes");
    let feed = String::from_utf8(reply.body.to_vec()).unwrap();
    let gone = "<at:deleted-entry ref=\"https://directory.example/recipients/afrilabs\" when=\"2026-11-20T06:00:01Z\"/>";
    let new = "<entry><id>https://directory.example/recipients/afrilabs-network</id><title>afrilabs-network</title>\
               <updated>2026-11-20T06:00:01Z</updated>";
    let gone_at = feed.find(gone).expect("what is gone");
    let new_at = feed.find(new).expect("what is new");
    let old_at = feed.find("<updated>2026-11-20T06:00:00Z</updated><link").unwrap();
    assert!(new_at < old_at && gone_at < old_at, "the newest first");
    assert_eq!(feed.matches("<entry>").count() + feed.matches("<at:deleted-entry ").count(), 100);
    for kind in ["programs", "organizations"] {
        let of_kind = format!("<id>https://directory.example/{kind}/");
        let entry = feed.split("<entry>").find(|entry| entry.starts_with(&of_kind));
        let Some(entry) = entry else { continue };
        let (slug, rest) = entry[of_kind.len()..].split_once("</id><title>").unwrap();
        assert_ne!(rest.split_once("</title>").unwrap().0, slug, "a name stands for the record");
    }
}

#[test]
fn a_cursor_that_is_invalid_or_of_another_directory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), &[]);
    let live = open(folder.path());
    let at = next(&ask(&live, "/changes?limit=1"));
    let since = |text: &str| ask(&live, &format!("/changes?since={text}")).status.as_u16();
    for wrong in [
        "",
        "x",
        "0123456789abcdef",
        "0123456789abcdef.x",
        "0123456789abcdef.1.2",
        "0123456789abcdef.1.0.a/b",
        "0123456789abcdef.%2B1",
        "0123456789ABCDEF.1",
        "0123456789abcdef.99999999999999999999999",
        "0123456789abcdef.1.0.programs/..",
        "0123456789abcdef.1&since=0123456789abcdef.2",
    ] {
        assert_eq!(since(wrong), 400, "{wrong}");
    }
    let body = ask(&live, &format!("/changes?since={}&limit=0&utm_source=x", "x".repeat(500))).body;
    let faults: Value = serde_json::from_slice(&body).unwrap();
    let stated = faults["error"]["details"].as_array().unwrap();
    let stated: Vec<_> = stated.iter().map(|it| it["parameter"].as_str().unwrap()).collect();
    assert_eq!(stated, ["since", "limit"], "every fault at once");
    assert!(faults["error"]["details"][0]["value"].as_str().unwrap().chars().count() <= 101);
    assert_eq!(since("0123456789abcdef.1"), 410);
    for limit in ["0", "5001", "x", "", "%2B5", "-1", "99999999999999999999999"] {
        assert_eq!(ask(&live, &format!("/changes?limit={limit}")).status, 400, "{limit}");
    }
    let ahead = at.replace(".1.", ".9.");
    // An edge that is behind says nothing and keeps the position.
    assert_eq!(ask(&live, &ahead).body.len(), 0);
    assert_eq!(next(&ask(&live, &ahead)), ahead);
    let root = &at["/changes?since=".len()..][..16];
    for far in ["999999", "18446744073709551615", "1.999999.programs/a", "999999.0.programs/a"] {
        let reply = ask(&live, &format!("/changes?since={root}.{far}"));
        let fault: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(reply.status, 400, "{far}");
        let reason = &fault["error"]["details"][0]["reason"];
        assert_eq!(*reason, format!("beyond the newest position, which is {root}.1"), "{far}");
    }
    assert_eq!(ask(&live, &format!("/changes?since={root}.1")).body.len(), 0, "the newest position");
}
