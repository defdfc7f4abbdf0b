//! An edge that fetches bodies when they are asked for: with its store, without it for a while, and back.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use jiff::civil::date;
use tempfile::TempDir;

use super::harness::{Server, content, get, status};
use super::{EDGE, edge, publish, publish_as_of, push};

/// Starts an edge that fetches bodies when they are asked for; gives the address of its admin listener too.
fn lazy(folder: &TempDir, url: &str) -> (Server, String) {
    let args = ["--snapshot", "root", "--source", url, "--fetch", "lazy", "--poll", "1"];
    let more = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let server = Server::start(EDGE, folder.path(), &[&args[..], &more].concat(), "address=");
    let admin = server.admin.clone();
    (server, admin)
}

/// Pages of records that a build has put somewhere: paths to ask for, and their bodies.
fn pages_of(built: &Path) -> Vec<(String, Vec<u8>)> {
    let id = fs::read_to_string(built.join("CURRENT")).unwrap();
    let public = built.join("generations").join(id.trim()).join("public");
    let pages = content(&public.join("api/v1/recipients")).into_iter();
    pages
        .map(|(name, body)| (format!("/api/v1/recipients/{}", name.trim_end_matches(".json")), body))
        .collect()
}

const HOST: &str = "directory.example";

#[test]
fn bodies_not_fetched_ahead_are_fetched_when_requested_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let [store, gone] = ["store", "gone"].map(|name| folder.path().join(name));
    let url = format!("file://{}", store.display());
    let built = folder.path().join("built");
    publish(&built);
    push(&built, &url);
    let pages = pages_of(&built);
    let asked = |server: &Server, (path, body): &(String, Vec<u8>)| {
        let answer = server.get_from(HOST, path);
        assert_eq!(status(&answer), "200", "{answer}");
        assert!(answer.ends_with(std::str::from_utf8(body).unwrap()), "{answer}");
    };
    let (server, admin) = lazy(&folder, &url);
    assert!(get(&admin, "localhost", "/snapshot").contains("\"fetch\":\"lazy\",\"kept\":0"));
    for page in [&pages[0], &pages[1], &pages[0]] {
        asked(&server, page);
    }
    // The store is away: what was asked for once is there, and search; all else is not, for now.
    fs::rename(&store, &gone).unwrap();
    asked(&server, &pages[0]);
    let answer = server.get_from(HOST, &pages[2].0);
    assert!(status(&answer) == "503" && answer.contains("retry-after: 2"), "{answer}");
    assert_eq!(status(&server.get_from(HOST, "/api/v1/search?q=grant")), "200");
    assert_eq!(status(&server.get_from(HOST, "/api/v1/facets/topics")), "200");
    let ready = get(&admin, "localhost", "/readyz");
    assert!(
        ready.contains("\"ready\":true")
            && ready.contains("\"state\":\"degraded\"")
            && ready.contains("not there"),
        "{ready}"
    );
    let metrics = get(&admin, "localhost", "/metrics");
    assert!(metrics.contains("edge_body_fetches_total 2\n"), "{metrics}");
    drop(server);
    let (server, admin) = lazy(&folder, &url);
    asked(&server, &pages[1]);
    assert_eq!(status(&server.get_from(HOST, &pages[2].0)), "503");
    fs::rename(&gone, &store).unwrap();
    asked(&server, &pages[2]);
    assert!(get(&admin, "localhost", "/readyz").contains("\"state\":\"ready\""));
    // The next generation takes its place while it is asked.
    publish_as_of(&built, date(2026, 11, 22));
    push(&built, &url);
    server.says("serving a new generation");
    pages_of(&built).iter().for_each(|page| asked(&server, page));
}

#[test]
fn a_page_that_the_store_does_not_give_is_503_for_people_and_an_unknown_path_is_404_without_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let [store, gone] = ["store", "gone"].map(|name| folder.path().join(name));
    let url = format!("file://{}", store.display());
    let built = folder.path().join("built");
    publish(&built);
    push(&built, &url);
    let (server, admin) = lazy(&folder, &url);
    let fetched = || -> Vec<String> {
        let metrics = get(&admin, "localhost", "/metrics");
        metrics.lines().filter(|line| line.starts_with("edge_body_fetch")).map(str::to_owned).collect()
    };
    let unknown = || {
        let before = fetched();
        for path in ["/nothing", "/es/nothing", "/programs/none", "/nothing.css", "/404"] {
            assert_eq!(status(&server.get_from(HOST, path)), "404", "{path}");
        }
        assert_eq!(fetched(), before);
    };
    unknown();
    fs::rename(&store, &gone).unwrap();
    unknown();
    for (path, language, words) in [
        ("/programs/statistics", "en", "Please try again"),
        ("/es/programs/statistics", "es", "Vuelva a intentarlo"),
    ] {
        let answer = server.get_from(HOST, path);
        assert_eq!(status(&answer), "503", "{path}");
        for part in ["retry-after: 2", "content-type: text/html", "cache-control: no-store", "<h1>", words] {
            assert!(answer.contains(part), "{path} without {part}: {answer}");
        }
        assert!(answer.contains(&format!("content-language: {language}")), "{answer}");
    }
    fs::rename(&gone, &store).unwrap();
    assert_eq!(status(&server.get_from(HOST, "/es/programs/statistics")), "200");
}

/// The answer of the tool that gives a record.
pub(super) fn called(server: &Server, slug: &str) -> String {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get_opportunity","arguments":{{"slug":"{slug}"}}}}}}"#
    );
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nConnection: close";
    let length = body.len();
    let request =
        format!("POST /mcp HTTP/1.1\r\nHost: {HOST}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn tools_give_records_that_are_not_fetched_ahead_and_do_not_call_them_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let [store, gone] = ["store", "gone"].map(|name| folder.path().join(name));
    let url = format!("file://{}", store.display());
    let built = folder.path().join("built");
    publish(&built);
    push(&built, &url);
    let id = fs::read_to_string(built.join("CURRENT")).unwrap();
    let programs = content(&built.join("generations").join(id.trim()).join("public/api/v1/programs"));
    let slugs: Vec<&str> = programs
        .keys()
        .filter_map(|name| name.strip_suffix(".json"))
        .filter(|slug| !slug.contains('.'))
        .collect();
    let (server, _) = lazy(&folder, &url);
    for _ in 0..2 {
        let answer = called(&server, slugs[0]);
        assert!(status(&answer) == "200" && answer.contains("structuredContent"), "{answer}");
    }
    fs::rename(&store, &gone).unwrap();
    assert!(called(&server, slugs[0]).contains("structuredContent"), "it is kept");
    let answer = called(&server, slugs[1]);
    assert!(answer.contains("-32603") && !answer.contains("No published opportunity"), "{answer}");
    assert!(called(&server, "there-is-none").contains("No published opportunity"));
    fs::rename(&gone, &store).unwrap();
    assert!(called(&server, slugs[1]).contains("structuredContent"));
}

#[test]
fn a_root_without_bodies_is_served_with_its_store_only_and_becomes_whole_when_it_should_be() {
    let folder = tempfile::tempdir().unwrap();
    let [store, gone, root] = ["store", "gone", "root"].map(|name| folder.path().join(name));
    let url = format!("file://{}", store.display());
    let built = folder.path().join("built");
    publish(&built);
    push(&built, &url);
    let pages = pages_of(&built);
    let (server, _) = lazy(&folder, &url);
    assert_eq!(status(&server.get_from(HOST, &pages[0].0)), "200");
    drop(server);
    edge(&folder, &["check", "root"]).fails(3, &["only its index is here", "opdir pull"]);
    edge(&folder, &["--snapshot", "root"]).fails(3, &["only its index is here"]);
    let full = ["--snapshot", "root", "--source", &url, "--poll", "1", "--listen", "127.0.0.1:0"];
    // Its store is away: then it is served as it is, and made whole once that is back.
    fs::rename(&store, &gone).unwrap();
    let server = Server::start(EDGE, folder.path(), &full, "address=");
    assert_eq!(status(&server.get_from(HOST, &pages[0].0)), "200");
    assert_eq!(status(&server.get_from(HOST, &pages[1].0)), "503");
    fs::rename(&gone, &store).unwrap();
    server.says("serving a new generation");
    fs::rename(&store, &gone).unwrap();
    pages.iter().for_each(|(path, _)| assert_eq!(status(&server.get_from(HOST, path)), "200"));
    drop(server);
    edge(&folder, &["check", "root"]).succeeds();
    let server = Server::start(EDGE, folder.path(), &full, "address=");
    assert!(!root.join("bodies").exists(), "nobody needs it");
    drop(server);
    let (server, _) = lazy(&folder, &url);
    assert_eq!(status(&server.get_from(HOST, &pages[2].0)), "200", "what is whole stays so");
    drop(server);
    edge(&folder, &["--snapshot", "root", "--fetch", "lazy"]).fails(2, &["--source"]);
    edge(&folder, &["--snapshot", "root", "--source", &url, "--body-disk", "2000000"])
        .fails(2, &["--fetch lazy"]);
}
