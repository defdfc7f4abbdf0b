//! `opdir-edge` as operators meet it: the real binary over good, damaged and missing snapshots.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
#![expect(clippy::disallowed_methods, reason = "what the edge may not do to files, its tests do")]

mod broken_log;
mod harness;
mod repair;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use dataset::diagnostics::Diagnostics;
use dataset::{Input, link, read, sample};
use harness::entry::{self, replace as overwrite};
use harness::{Ran, Server, client, command, content, copy, folder, get, run, status, until};
use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};
use remote::{LocalRoot, Publisher, Trust};
use site::Progress;
use site::{BuildOptions, generate};
use store::Digest;
use tempfile::TempDir;

const EDGE: &str = env!("CARGO_BIN_EXE_opdir-edge");

/// Publishes the sample under a folder where nothing is: a copy of what is built once.
fn publish(out: &Path) {
    static PUBLISHED: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = folder();
        publish_as_of(&folder.path().join("root"), date(2026, 11, 21));
        folder
    });
    copy(&PUBLISHED.path().join("root"), out);
}

/// The same, right for a day.
fn publish_as_of(out: &Path, as_of: Date) {
    let mut report = Diagnostics::new();
    let tables = read(&Input::Embedded(sample::FILES), &mut report).unwrap();
    let source = Digest(tables.source_sha256);
    let directory = link(tables, &mut report).unwrap();
    let options = BuildOptions {
        out: out.to_owned(),
        base_url: "https://directory.example".to_owned(),
        as_of,
        jobs: 0,
        index_only: false,
        templates: None,
    };
    generate(&directory, source, &options, &Progress::new(true)).unwrap();
}

fn folder_with_snapshot() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    publish(&folder.path().join("root"));
    folder
}

/// The folder of the live generation.
fn generation(root: &Path) -> PathBuf {
    let id = fs::read_to_string(root.join("CURRENT")).unwrap();
    root.join("generations").join(id.trim())
}

fn edge(folder: &TempDir, args: &[&str]) -> Ran {
    run(EDGE, folder.path(), args)
}

/// Serves the folder's snapshot, with an admin listener.
fn start(folder: &TempDir, more: &[&str]) -> Server {
    let args = ["--snapshot", "root", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    Server::start(EDGE, folder.path(), &[&args[..], more].concat(), "address=")
}

#[test]
fn a_damaged_snapshot_is_not_served() {
    let folder = folder_with_snapshot();
    let root = folder.path().join("root");
    let (generation, before) = (generation(&root), content(&root));
    let refused = |words: &[&str]| {
        for args in [&["check", "root"][..], &["--snapshot", "root", "--listen", "127.0.0.1:0"]] {
            edge(&folder, args).fails(5, words);
        }
    };
    for file in ["manifest.json", "changes.bin", "index/search.bin", "index/files.bin", "index/rows.bin"] {
        let path = generation.join(file);
        let good = fs::read(&path).unwrap();
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 1;
        overwrite(&path, &bad);
        refused(&["opdir-edge: ", file]);
        overwrite(&path, &good);
    }
    assert_eq!(content(&root), before);
    let good = edge(&folder, &["check", "root"]).succeeds();
    assert!(good.starts_with("000001-"), "{good}");
    assert!(good.contains("as of 2026-11-21, for https://directory.example"), "{good}");
    for file in ["site.zip", "index/pages.bin"] {
        fs::remove_file(generation.join(file)).unwrap();
        refused(&[file, "missing"]);
    }
}

#[test]
fn etags_of_computed_answers_are_those_of_one_program_and_of_no_other() {
    let folder = folder_with_snapshot();
    let (twin, mended) = (folder.path().join("twin"), folder.path().join("mended"));
    fs::copy(EDGE, &twin).unwrap();
    fs::copy(EDGE, &mended).unwrap();
    // What follows the sections of an executable is never run: this one does the same and is another.
    fs::OpenOptions::new().append(true).open(&mended).unwrap().write_all(b"mended").unwrap();
    let args = ["--snapshot", "root", "--listen", "127.0.0.1:0", "--today", "2026-11-21"];
    let etag = |program: &str, target: &str| {
        let server = Server::start(program, folder.path(), &args, "address=");
        let answer = server.get(target);
        assert_eq!(status(&answer), "200");
        answer.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned()
    };
    let programs = [EDGE, twin.to_str().unwrap(), mended.to_str().unwrap()];
    let [one, same, other] = programs.map(|program| etag(program, "/api/v1/search?q=research"));
    assert_eq!(one, same, "two of the same build agree");
    assert_ne!(one, other, "and a mended one does not confirm their answers");
    let [one, other] = [EDGE, programs[2]].map(|program| etag(program, "/api/v1/recipients/afrilabs"));
    assert_eq!(one, other, "a file is what it is, whoever sends it");
}

#[test]
fn a_snapshot_of_another_version_says_so() {
    let folder = folder_with_snapshot();
    let root = folder.path().join("root");
    overwrite(&generation(&root).join("manifest.json"), b"{\"format\": 9999}");
    edge(&folder, &["check", "root"]).fails(5, &["manifest.json", "format 9999", "rebuild"]);
}

#[test]
fn a_snapshot_that_is_not_there_ends_with_3() {
    let folder = tempfile::tempdir().unwrap();
    edge(&folder, &["check", "nowhere"]).fails(3, &["opdir-edge: ", "nowhere"]);
    edge(&folder, &["check", "."]).fails(3, &["CURRENT", "no snapshot was published here", "opdir build"]);
    edge(&folder, &["--snapshot", "nowhere"]).fails(3, &["nowhere"]);
}

#[test]
fn a_current_that_is_no_file_is_named_at_once() {
    let folder = folder_with_snapshot();
    let current = folder.path().join("root/CURRENT");
    let url = format!("file://{}", folder.path().join("root").display());
    for (make, kind) in [("mkfifo", "a named pipe has this name"), ("mkdir", "a folder has this")] {
        let _ = fs::remove_file(&current);
        assert!(Command::new(make).arg(&current).status().unwrap().success());
        edge(&folder, &["--snapshot", "root"]).fails(5, &["CURRENT: neither a regular file"]);
        let follows = ["--snapshot", "new", "--source", &url];
        drop(Server::start(EDGE, folder.path(), &follows, &format!("reading CURRENT: {kind}")));
    }
}

#[test]
fn wrong_usage_and_settings_that_are_gone_end_with_2() {
    let folder = tempfile::tempdir().unwrap();
    edge(&folder, &[]).fails(2, &["--help"]);
    for (args, words) in [
        ("--listen 127.0.0.1:0", &["--snapshot"][..]),
        ("--snapshot root --listen nowhere", &["--listen", "nowhere"]),
        ("--snapshot root --today yesterday", &["--today", "yesterday"]),
        ("--snapshot root --snapshots", &["--snapshots"]),
        ("--snapshot root --max-connections 0", &["--max-connections", "0"]),
        ("--snapshot root --fetch lazy", &["--fetch is gone", "remove the setting"]),
        ("--snapshot root --fetch=full", &["--fetch is gone", "remove the setting"]),
        ("--snapshot root --body-disk 2000000", &["--body-disk is gone", "remove the setting"]),
    ] {
        edge(&folder, &args.split(' ').collect::<Vec<_>>()).fails(2, words);
    }
    for variable in ["OPDIR_EDGE_FETCH", "OPDIR_EDGE_BODY_DISK"] {
        let mut serve = command(EDGE, folder.path(), &["--snapshot", "root"]);
        let output = serve.env(variable, "lazy").output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(&format!("{variable} is gone")), "{error}");
    }
}

#[test]
fn a_busy_port_ends_with_4_while_a_store_is_followed_too() {
    let folder = tempfile::tempdir().unwrap();
    let url = store(&folder);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let args = ["--snapshot", "root", "--source", &url, "--listen"];
    edge(&folder, &[&args[..], &[&taken]].concat()).fails(4, &["opdir-edge: ", &taken, "is in use"]);
    let admin = ["127.0.0.1:0", "--admin-listen", &taken];
    edge(&folder, &[&args[..], &admin].concat()).fails(4, &["opdir-edge: ", &taken, "is in use"]);
}

/// The answer of the tool that gives a record.
fn called(server: &Server, slug: &str) -> String {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get_opportunity","arguments":{{"slug":"{slug}"}}}}}}"#
    );
    let head = "Content-Type: application/json\r\nAccept: application/json, text/event-stream";
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: directory.example\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut stream = TcpStream::connect(&server.address).unwrap();
    String::from_utf8(client::exchange(&mut stream, request.as_bytes()).unwrap().body).unwrap()
}

#[test]
fn a_flood_for_damaged_bodies_has_a_few_lines_of_log_and_shows_their_paths() {
    const SLUG: &str = "graduate-research-fellowship-program";
    let folder = folder_with_snapshot();
    let root = folder.path().join("root");
    let archive = generation(&root).join("site.zip");
    let damaged = [format!("programs/{SLUG}.html"), format!("api/v1/programs/{SLUG}.json")];
    let server = start(&folder, &["--today", "2026-11-21"]);
    let admin = &server.admin;
    let good = damaged.each_ref().map(|path| entry::damage(&archive, path));
    // Another file, though of the same generation, is opened anew.
    server.says("serving a generation");
    for _ in 0..300 {
        let [page, record] = ["", "/api/v1"].map(|start| server.get(&format!("{start}/programs/{SLUG}")));
        assert_eq!((status(&page), status(&record)), ("500", "500"));
        assert!(page.contains("text/html") && record.contains("application/json"), "{page}{record}");
    }
    let called = called(&server, SLUG);
    assert!(called.contains("-32603") && !called.contains("No published opportunity"), "{called}");
    assert_eq!(status(&server.get("/about")), "200");
    let ready = get(admin, "localhost", "/readyz");
    assert!(status(&ready) == "200" && ready.contains("\"state\":\"degraded\""), "{ready}");
    for path in &damaged {
        assert!(ready.contains(&format!("\"{path}\":\"")), "{ready}");
    }
    assert!(get(admin, "localhost", "/metrics").contains("edge_damaged_bodies 2\n"));
    let lines = [(); 2].map(|()| server.says(""));
    assert!(!server.has_printed(""), "one line for each: {lines:#?}");
    // Put back, they are served, and nothing is left to do.
    overwrite(&archive, &good[0]);
    for path in &damaged {
        let (target, _) = path.rsplit_once('.').unwrap();
        assert_eq!(status(&server.get(&format!("/{target}"))), "200");
    }
    assert!(get(admin, "localhost", "/readyz").contains("\"state\":\"ready\""));
}

#[test]
fn print_config_shows_what_would_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let print =
        |args: &[&str]| edge(&folder, &[&["--snapshot", "root", "--print-config"], args].concat()).succeeds();
    let text = print(&["--allowed-host", "a.example"]);
    assert!(text.contains("root") && text.contains("a.example") && text.contains("127.0.0.1:8080"), "{text}");
    for setting in ["--mcp-rate=60", "--client-ip-header=x-forwarded-for", "# --trusted-proxy is off"] {
        assert!(text.contains(setting), "{setting} of {text}");
    }
    let settings = [
        "--mcp-rate=7",
        "--shared-egress=192.0.2.0/24=600",
        "--trusted-proxy=10.0.0.0/8",
        "--client-ip-header=cf-connecting-ip",
        "--max-connections=3",
        "--access-log",
    ];
    let text = print(&[&["--mcp-origin=https://a.example,https://b.example"], &settings[..]].concat());
    let lines: Vec<&str> = text.lines().collect();
    let origins = ["--mcp-origin=https://a.example", "--mcp-origin=https://b.example", "# --today is off"];
    for line in settings.iter().chain(&origins) {
        assert!(lines.contains(line), "{line} of {text}");
    }
    let help = edge(&folder, &["--help"]).succeeds();
    let flags =
        help.lines().filter_map(|line| line.trim_start().trim_start_matches("-h, ").strip_prefix("--"));
    for flag in flags.filter_map(|flag| flag.split([' ', '[']).next()) {
        let is_setting = !["help", "version", "print-config"].contains(&flag);
        let is_of = |line: &&str| {
            let rest = line.trim_start_matches("# ").strip_prefix("--").and_then(|it| it.strip_prefix(flag));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ' ']))
        };
        assert_eq!(lines.iter().any(is_of), is_setting, "--{flag} of {text}");
    }
    let (secret, public) = ("RWRT".repeat(53), "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3");
    let text = print(&["--source=https://user:hidden@host/site", &format!("--trust={secret},{public}")]);
    assert!(text.contains("--source=https://host/site\n--trust=a text of 212 characters\n"), "{text}");
    assert!(text.contains(&format!("--trust={public}\n")) && !text.contains(&secret), "{text}");
}

#[test]
fn out_of_descriptors_a_record_is_there_again_shortly() {
    let folder = folder_with_snapshot();
    let args =
        ["-c", "ulimit -n 64 && exec \"$0\" \"$@\"", EDGE, "--snapshot", "root", "--listen", "127.0.0.1:0"];
    let args = [&args[..], &["--today", "2026-11-21", "--max-connections", "1000"]].concat();
    let server = Server::of(&mut command("sh", folder.path(), &args), "address=");
    let connect = || TcpStream::connect(&server.address).unwrap();
    let mut kept = connect();
    let mut ask = |target: &str| {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        client::exchange(&mut kept, request.as_bytes()).unwrap().head
    };
    assert_eq!(status(&ask("/about")), "200");
    let mut crowd: Vec<TcpStream> = (0..100).map(|_| connect()).collect();
    crowd.iter().for_each(|it| it.set_nonblocking(true).unwrap());
    // One that is closed as soon as it is accepted found no descriptor left.
    let mut is_closed = || crowd.iter_mut().any(|it| matches!(it.read(&mut [0]), Ok(0)));
    until(10, "no descriptors are left", &mut is_closed);
    let refused = ask("/api/v1/exports/latest");
    assert_eq!(status(&refused), "503", "{refused}");
    assert!(refused.contains("\r\nretry-after: 2"), "{refused}");
    assert_eq!(status(&ask("/about")), "200", "what is in memory is there");
    drop(crowd);
    until(60, "it comes back", || status(&ask("/api/v1/exports/latest")) == "200");
}

#[test]
fn it_serves_the_approved_hosts_and_no_other() {
    let folder = folder_with_snapshot();
    let args =
        ["--snapshot=root", "--listen=127.0.0.1:0", "--allowed-host=mirror.example", "--today=2026-11-21"];
    let server = Server::start(EDGE, folder.path(), &args, " hosts=");
    assert_eq!(server.address, r#""directory.example,mirror.example,localhost,127.0.0.1,[::1]""#);
    let server = Server::start(EDGE, folder.path(), &args, "address=");
    for (host, target, expected) in [
        ("directory.example", "/api/v1/search", "200"),
        ("mirror.example:8443", "/api/v1/search", "200"),
        ("localhost", "/api/v1/facets/topics", "200"),
        ("evil.example", "/api/v1/search", "421"),
        ("evil.example", "/api/v1/search?q=x", "421"),
        ("[2001:db8::7]:80", "/mcp", "421"),
        ("[::1]:9", "/api/v1/search", "200"),
        ("localhost", "/api/v1/programs/no-such-program", "404"),
        ("localhost", "/api/v1/organizations/nsf", "308"),
        ("localhost", "/api/v1/facets/topics?limit=0", "400"),
    ] {
        let answer = server.get_from(host, target);
        assert_eq!(status(&answer), expected, "{host} {target}: {answer}");
    }
    let named = [(); 2].map(|()| server.says("host=").split_once("host=").unwrap().1.to_owned());
    assert_eq!(named, ["evil.example", "[2001:db8::7]:80"], "each once");
}

#[test]
fn a_request_whose_client_leaves_is_logged_and_counted() {
    let folder = folder_with_snapshot();
    let server = start(&folder, &["--access-log"]);
    let list = server.get("/api/v1/programs?limit=100&facets=false");
    // Every other text of a slug is that of an organization.
    let slugs = list.split("\"slug\":\"").skip(1).step_by(2).map(|rest| rest.split('"').next().unwrap());
    let query: String = slugs.map(|slug| format!("&program={slug}")).collect();
    // Eight have their turn, and of these one is worked for; the others wait, more than the pool has places for.
    let streams = [(); 120].map(|()| TcpStream::connect(&server.address).unwrap());
    for (nth, mut stream) in streams.iter().enumerate() {
        write!(stream, "GET /api/v1/details?x={nth:03}{query} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    }
    drop(streams);
    let lines = [(); 120].map(|()| server.says("target=/api/v1/details?x="));
    let targets = lines.each_ref().map(|line| &line.split_once("?x=").unwrap().1[..3]);
    assert_eq!(BTreeSet::from(targets).len(), 120, "each is logged once: {lines:#?}");
    let left = lines.iter().filter(|line| line.contains("status=499 bytes=0 ")).count();
    assert!(left > 20, "{lines:#?}");
    let metrics = get(&server.admin, "localhost", "/metrics");
    let counted = format!("http_response_status_code=\"499\"}} {left}\n");
    for it in [counted, format!("edge_abandoned_total {left}\n"), "edge_overload_refusals_total 0".into()] {
        assert!(metrics.contains(&it), "{metrics}");
    }
}

#[test]
fn the_admin_listener_shows_use_and_process_and_frees_the_places_of_the_idle() {
    let folder = folder_with_snapshot();
    let server = start(&folder, &["--max-connections", "40"]);
    let mut idle: Vec<_> = (0..16).map(|_| TcpStream::connect(&server.admin).unwrap()).collect();
    let mut over = TcpStream::connect(&server.admin).unwrap();
    assert!(!matches!(over.read(&mut [0]), Ok(1)), "a quarter is for one address");
    assert!(!matches!(idle[0].read(&mut [0]), Ok(1)), "it is closed after a while");
    let kept = TcpStream::connect(&server.address).unwrap();
    assert_eq!(status(&server.get("/about")), "200");
    let metrics = get(&server.admin, "localhost", "/metrics");
    let value = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {metrics}")).parse::<u64>().unwrap()
    };
    let build = concat!("edge_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\",build=\"");
    assert!(metrics.contains(build) && value("process_resident_memory_bytes") > 1 << 20);
    assert!(value("process_open_fds") > 5 && value("process_max_fds") > value("process_open_fds"));
    assert!(value("process_start_time_seconds") > 1_700_000_000);
    let time = metrics.split_once("counter\nprocess_cpu_seconds_total ").unwrap().1.lines().next().unwrap();
    assert!((0.01..60.0).contains(&time.parse().unwrap()), "{time}");
    assert!((1..=2).contains(&value("edge_connections")));
    assert_eq!((value("edge_connections_limit"), value("edge_flight_limit_bytes")), (40, 64 << 20));
    for pool in ["searches", "reads"] {
        let value = |name: &str| value(&format!("{name}{{pool=\"{pool}\"}}"));
        assert!(value("edge_pool_limit") > 0 && value("edge_pool_running") + value("edge_pool_waiting") == 0);
    }
    assert_eq!(value("edge_saturated{resource=\"connections\"}"), 0);
    drop(kept);
    // As of several addresses: of one there are sixteen at most.
    let server = start(&folder, &["--max-connections", "16"]);
    let _all: Vec<_> = (0..16).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    let mut ready = String::new();
    until(60, "all connections are taken", || {
        ready = get(&server.admin, "localhost", "/readyz");
        ready.contains(r#""saturated":["connections"]"#)
    });
    assert!(status(&ready) == "200" && ready.contains(r#""state":"degraded""#), "{ready}");
}

#[test]
fn a_new_snapshot_is_taken_and_a_damaged_one_is_refused_while_the_old_one_serves() {
    let folder = folder_with_snapshot();
    let root = folder.path().join("root");
    let server = start(&folder, &[]);
    publish_as_of(&root, date(2026, 11, 22));
    let live = fs::read_to_string(root.join("CURRENT")).unwrap();
    server.says(&format!("serving a generation generation=\"{}\"", live.trim()));
    overwrite(&root.join("CURRENT"), b"000009-00000000000000000000000000000000\n");
    server.says("refused");
    assert_eq!(status(&server.get("/api/v1/search")), "200");
    overwrite(&root.join("CURRENT"), live.as_bytes());
    assert_eq!(status(&server.get("/api/v1/search")), "200");
}

/// Cuts a file to nothing where it lies, so that whoever has it mapped loses its bytes.
fn cut(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_len(0).unwrap();
}

#[test]
fn an_index_that_is_overwritten_does_not_end_the_edge() {
    let folder = folder_with_snapshot();
    let root = folder.path().join("root");
    let server = start(&folder, &["--today", "2026-11-21"]);
    let generation = generation(&root);
    cut(&generation.join("changes.bin"));
    for file in fs::read_dir(generation.join("index")).unwrap() {
        cut(&file.unwrap().path());
    }
    for target in [
        "/api/v1/search?q=research&limit=2",
        "/api/v1/search?sort=name&offset=3",
        "/api/v1/awards?offset=1",
        "/api/v1/facets/topics?q=a",
        "/api/v1/programs/graduate-research-fellowship-program",
        "/programs?q=grant",
        "/es/programs?q=beca",
        "/api/v1/search?q=fellowship",
    ] {
        let answer = server.get(target);
        assert_eq!(status(&answer), "200", "{target}: {answer}");
    }
}

/// An edge on a socket as a service manager hands it over: as descriptor 3, named by LISTEN_FDS.
fn on_socket(folder: &Path, socket: &TcpListener, redirection: &str, more: &[&str]) -> Command {
    let script = format!("LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3<&0 </dev/null {redirection}");
    let args = [&["-c", &script, EDGE, "--snapshot", "root", "--today", "2026-11-21"], more].concat();
    let mut command = command("sh", folder, &args);
    command.stdin(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())));
    command
}

#[test]
fn a_restart_on_a_handed_over_socket_loses_no_request() {
    let folder = folder_with_snapshot();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = || Server::of(&mut on_socket(folder.path(), &socket, "", &[]), "address=");
    let first = start();
    assert_eq!(first.address, socket.local_addr().unwrap().to_string());
    let _second = start();
    let address = first.address.clone();
    let answered = AtomicU32::new(0);
    let ask = || {
        for _ in 0..40 {
            let answer = get(&address, &address, "/api/v1/search?limit=1");
            assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with('}'), "{answer}");
            answered.fetch_add(1, Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let clients = [(); 3].map(|()| scope.spawn(ask));
        while answered.load(Relaxed) < 30 && clients.iter().any(|client| !client.is_finished()) {
            std::thread::yield_now();
        }
        drop(first);
    });
    assert_eq!(answered.load(Relaxed), 120);
}

#[test]
fn the_service_manager_is_notified_of_start_and_stop() {
    let folder = folder_with_snapshot();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let said = || {
        let mut text = [0; 256];
        let length = socket.recv(&mut text).unwrap();
        String::from_utf8(text[..length].to_vec()).unwrap()
    };
    let args = ["--snapshot", "root", "--listen", "127.0.0.1:0", "--today", "2026-11-21"];
    let server = Server::of(command(EDGE, folder.path(), &args).env("NOTIFY_SOCKET", &path), "address=");
    assert_eq!(said().trim(), "READY=1");
    drop(server);
    assert_eq!(said().trim(), "STOPPING=1");
}

#[test]
fn a_store_is_followed_and_one_that_is_gone_stops_neither_the_edge_nor_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let (url, built) = (store(&folder), folder.path().join("built"));
    let [store, away] = ["store", "away"].map(|name| folder.path().join(name));
    let args = ["--snapshot", "root", "--source", &url, "--poll", "1", "--listen", "127.0.0.1:0"];
    let host = "directory.example";
    let server = Server::start(EDGE, folder.path(), &args, "address=");
    assert_eq!(status(&server.get_from(host, "/api/v1/search")), "200");
    publish_as_of(&built, date(2026, 11, 22));
    push(&built, &url);
    server.says("serving a generation");
    fs::rename(&store, &away).unwrap();
    server.says("the store is not followed just now");
    assert_eq!(status(&server.get_from(host, "/api/v1/search")), "200");
    drop(server);
    let server = Server::start(EDGE, folder.path(), &args, "address=");
    assert_eq!(status(&server.get_from(host, "/api/v1/search")), "200");
    let refused = |more: &[&str]| edge(&folder, &[&["--snapshot", "new"], more].concat());
    let unsigned = refused(&["--source", "s3://user:secret@bucket/site"]);
    unsigned.fails(2, &["no key is trusted", "--trust"]);
    assert!(!unsigned.err.contains("secret"), "{}", unsigned.err);
    refused(&["--source", "bucket/site", "--allow-unsigned"]).fails(2, &["s3://bucket/folder"]);
    refused(&["--source", "ftp://a.example/site", "--allow-unsigned"]).fails(2, &["ftp is not supported"]);
    fs::rename(&away, &store).unwrap();
    refused(&["--source", &url, "--trust", KEY]).fails(5, &["CURRENT is not signed"]);
}

/// Of the minisign project itself.
const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

/// A store with the sample, of what is in `built`; gives its address.
fn store(folder: &TempDir) -> String {
    let url = format!("file://{}", folder.path().join("store").display());
    let built = folder.path().join("built");
    publish(&built);
    push(&built, &url);
    url
}

/// Pushes a root's live generation to a store, unsigned.
fn push(root: &Path, url: &str) {
    push_before(SignedDuration::ZERO, None, root, url);
}

/// The same some time ago, good for a while.
fn push_before(ago: SignedDuration, valid_for: Option<Duration>, root: &Path, url: &str) {
    let (trust, target) = (Trust::new(&[], true).unwrap(), remote::open(url).unwrap());
    let clock = || Timestamp::now() - ago;
    let warn = |text: &str| panic!("{text}");
    let publisher = Publisher {
        target: &*target,
        trust: &trust,
        sign: None,
        valid_for,
        recover: false,
        clock: &clock,
        warn: &warn,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let source = LocalRoot::open(root).unwrap();
    assert!(!runtime.block_on(publisher.push(&source)).unwrap().unchanged);
}
