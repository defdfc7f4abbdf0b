//! `opdir preview`: served from the start, followed by the pages, and nothing of it published.

use super::harness::{Server, content, status};
use super::{BAD, Place};

/// A preview of the dataset, once it is watched.
fn started(place: &Place) -> Server {
    let server = place.preview(&["--data", "data"]);
    server.says("watching data");
    server
}

/// The token of a status.
fn seen(status: &str) -> &str {
    status.split_once("\"seen\":\"").unwrap().1.split('"').next().unwrap()
}

#[test]
fn preview_serves_the_sample_on_a_free_port() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let server = place.preview(&[]);
    let answer = server.get("/api/v1/search?q=fellowship&limit=1");
    assert_eq!(status(&answer), "200", "{answer}");
    assert!(answer.contains(r#""total":"#), "{answer}");
    assert!(!answer.contains("access-control-allow-origin"), "no other website reads drafts: {answer}");
    assert_eq!(status(&server.get_from("localhost", "/api/v1/openapi.json")), "200");
    assert_eq!(status(&server.get_from("evil.example", "/api/v1/search")), "421");
    let busy = place.opdir(&["preview", "--listen", &server.address]);
    busy.fails(4, &["error: ", &server.address, "is in use", "choose another address"]);
}

#[test]
fn preview_shows_changed_data_and_keeps_serving_when_it_breaks() {
    let place = Place::new();
    let server = started(&place);
    let found = |name: &str| {
        server.get(&format!("/api/v1/search?q={name}")).contains(&format!("\"name\":\"{name}\""))
    };
    assert!(!found("Zephyrine"));
    place.retitle("Zephyrine");
    server.says("serving the new snapshot");
    assert!(found("Zephyrine"));
    place.append("aliases.csv", BAD);
    server.says("E0201");
    server.says("still serving the last good snapshot");
    assert!(found("Zephyrine"));
    place.edit("aliases.csv", |text| text.replace(BAD, ""));
    place.retitle("Quixotry");
    server.says("serving the new snapshot");
    assert!(found("Quixotry"));
}

#[test]
fn preview_serves_what_is_wrong_from_the_start_and_the_site_once_it_is_mended() {
    let place = Place::new();
    place.append("aliases.csv", &format!("<b>{BAD}"));
    let server = started(&place);
    let page = server.get("/programs?q=anything");
    assert_eq!(status(&page), "503", "{page}");
    for words in ["1 error in the data", "data&#x2f;aliases.csv:21", "E0201", "&lt;b&gt;organisation"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("<b>organisation"), "{page}");
    let refused = server.get("/api/v1/search");
    assert!(refused.contains("503 ") && refused.contains(r#"{"error":{"message":"#), "{refused}");
    assert_eq!(status(&server.get_from("evil.example", "/")), "421");
    assert_eq!(status(&server.get_from("evil.example", "/__opdir/status")), "421");
    place.edit("aliases.csv", |text| text.replace(&format!("<b>{BAD}"), ""));
    server.says("serving the new snapshot");
    assert_eq!(status(&server.get("/programs?q=anything")), "200");
    assert_eq!(status(&server.get("/api/v1/search")), "200");
}

#[test]
fn preview_follows_the_sheet_of_a_dataset_without_writing() {
    let place = Place::new();
    let mapping = "[sources.a]\nfile = \"../a.csv\"\nkey = \"id\"\n[sources.a.programs]\nname = \"title\"\n\
                   organization = \"funder\"\nofficialUrl = \"url\"\nprogramType = { value = \"grant\" }\n";
    std::fs::write(place.path("data/import.toml"), mapping).unwrap();
    let sheet = |title: &str, url: &str| {
        let rows = format!("id,title,funder,url\n1,{title},anthropic,{url}\n");
        std::fs::write(place.path("a.csv"), rows).unwrap();
    };
    sheet("Zephyrine", "https://a.example/");
    let before = content(&place.path("data"));
    let server = started(&place);
    let found =
        |name: &str| server.get("/api/v1/search?q=grant+anthropic").contains(&format!("\"name\":\"{name}\""));
    assert!(found("Zephyrine"));
    assert_eq!(content(&place.path("data")), before);
    sheet("Quixotry", "nowhere");
    server.says("a.csv:2");
    assert!(found("Zephyrine"));
    sheet("Quixotry", "https://a.example/");
    server.says("serving the new snapshot");
    assert!(found("Quixotry"));
    std::fs::remove_file(place.path("a.csv")).unwrap();
    server.says("as its sheets cannot be read");
    server.says("serving the new snapshot");
    assert!(!found("Quixotry"));
}

#[test]
fn open_pages_of_a_preview_reload_at_once() {
    let place = Place::new();
    let server = started(&place);
    let page = server.get("/");
    let script = "<script src=\"/__opdir/preview.js\" data-generation=\"";
    let generation = page.split_once(script).unwrap().1.split('"').next().unwrap().to_owned();
    assert!(page.contains("cache-control: no-store"), "{page}");
    let first = server.get("/__opdir/status");
    assert!(first.contains(&format!("\"generation\":\"{generation}\"")), "{first}");
    assert!(first.contains("\"trouble\":null"), "{first}");
    place.append("aliases.csv", BAD);
    // Held until there is something to tell: that a build began, and how it ended.
    let mut shown = server.get(&format!("/__opdir/status?seen={}", seen(&first)));
    while shown.contains("\"building\":true") {
        shown = server.get(&format!("/__opdir/status?seen={}", seen(&shown)));
    }
    assert!(shown.contains("E0201") && shown.contains("aliases.csv:21"), "{shown}");
    assert!(shown.contains("did you mean `organization`?"), "{shown}");
    assert!(shown.contains(&generation), "the last good snapshot is still served: {shown}");
    for (path, kind) in [("/__opdir/preview.js", "text/javascript"), ("/__opdir/preview.css", "text/css")] {
        let answer = server.get(path);
        assert!(status(&answer) == "200" && answer.contains(kind), "{answer}");
    }
}

#[test]
fn a_folder_that_is_taken_away_and_put_back_is_watched_again() {
    let place = Place::new();
    let server = started(&place);
    std::fs::rename(place.path("data"), place.path("aside")).unwrap();
    server.says("still serving the last good snapshot");
    std::fs::rename(place.path("aside"), place.path("data")).unwrap();
    server.says("serving the new snapshot");
    place.append("aliases.csv", BAD);
    server.says("E0201");
}

#[test]
fn nothing_of_a_preview_is_published() {
    let place = Place::with_snapshot();
    for (path, bytes) in content(&place.path("root")) {
        let found = bytes.windows(7).any(|bytes| bytes == b"__opdir");
        assert!(!found, "{path}");
    }
}
