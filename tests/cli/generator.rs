//! `opdir` as people meet it: the real binary, in folders of its own, on good and on bad input.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod dataset;
mod harness;
mod keys;
mod preview;
mod push_pull;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use harness::{Ran, Server, content, copy, entry, folder, run, status};
use tempfile::TempDir;

const OPDIR: &str = env!("CARGO_BIN_EXE_opdir");
/// Where the site will be.
const BASE: &str = "https://directory.example";
/// A day on which the sample has something of everything.
const DAY: &str = "2026-11-21";
/// Builds the folder's data.
const BUILD: [&str; 9] = ["build", "--base-url", BASE, "--data", "data", "--out", "root", "--as-of", DAY];

/// A row of `aliases.csv` with a word that is none of its list.
const BAD: &str = "organisation,00000000-0000-4000-8000-000000000000,x\n";

/// A folder with a dataset in `data`, and room for snapshots in `root`.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    /// The sample with every seventh of its programs: the others take most of the time of a build, and show nothing new.
    fn of(folder: TempDir) -> Self {
        let place = Self { folder };
        place.opdir(&["init", "--sample", "data"]).succeeds();
        let draft = |(at, row): (usize, &str)| match at % 7 {
            0 => format!("{row}\n"),
            _ => row.replacen('{', "{\"publication\":\"draft\",", 1) + "\n",
        };
        for file in ["es", "fellowships-and-scholarships", "grants-prizes-and-other"] {
            place.edit(&format!("programs/{file}.ndjson"), |text| {
                text.lines().enumerate().map(draft).collect()
            });
        }
        place
    }

    /// With a snapshot of the data, built once and copied.
    fn with_snapshot() -> Self {
        static BUILT: LazyLock<Place> = LazyLock::new(|| {
            let place = Place::of(folder());
            place.build().succeeds();
            place
        });
        let place = Self { folder: tempfile::tempdir().unwrap() };
        ["data", "root"].iter().for_each(|name| copy(&BUILT.path(name), &place.path(name)));
        place
    }

    fn opdir(&self, args: &[&str]) -> Ran {
        run(OPDIR, self.folder.path(), args)
    }

    /// Starts a preview on a free port.
    fn preview(&self, more: &[&str]) -> Server {
        let args = [&["preview", "--listen", "127.0.0.1:0"], more].concat();
        Server::start(OPDIR, self.folder.path(), &args, "http://")
    }

    fn build(&self) -> Ran {
        self.opdir(&BUILD)
    }

    fn build_of(&self, data: &str, out: &str) -> Ran {
        self.opdir(&["build", "--base-url", BASE, "--data", data, "--out", out])
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn live(&self) -> String {
        fs::read_to_string(self.path("root/CURRENT")).unwrap().trim().to_owned()
    }

    /// Changes a file of the dataset.
    fn edit(&self, file: &str, change: impl Fn(&str) -> String) {
        let path = self.path("data").join(file);
        fs::write(&path, change(&fs::read_to_string(&path).unwrap())).unwrap();
    }

    fn append(&self, file: &str, text: &str) {
        self.edit(file, |before| format!("{before}{text}"));
    }

    /// Retitles a program: a change of the data that is good.
    fn retitle(&self, name: &str) {
        self.edit("programs/grants-prizes-and-other.ndjson", |before| {
            let (head, rest) = before.split_once(r#""name":""#).unwrap();
            let (_, tail) = rest.split_once('"').unwrap();
            format!(r#"{head}"name":"{name}"{tail}"#)
        });
    }

    /// Damages a file of the live generation.
    fn damage(&self, file: &str) {
        let path = self.path("root/generations").join(self.live()).join(file);
        let mut bytes = fs::read(&path).unwrap();
        // Of a manifest, where it names no file.
        let at = bytes.len() / 8;
        bytes[at] ^= 1;
        entry::replace(&path, &bytes);
    }
}

#[test]
fn init_check_build_and_verify_lead_from_nothing_to_a_snapshot() {
    let place = Place::new();
    let checked = place.opdir(&["check", "--data", "data"]);
    assert!(checked.err.contains("0 errors"), "{}", checked.err);
    assert!(checked.succeeds().starts_with("good: "));
    let built = place.opdir(&[&BUILD[..], &["--quiet"]].concat());
    assert!(!built.err.contains(" ms"), "quiet prints results only: {}", built.err);
    let built = built.succeeds();
    assert!(built.contains("is live in root") && built.contains("as of 2026-11-21"), "{built}");
    assert!(built.contains("opdir-edge --snapshot root"), "{built}");
    let verified = place.opdir(&["verify", "root"]).succeeds();
    assert!(verified.starts_with(&format!("good: {}", place.live())), "{verified}");
}

#[test]
fn broken_data_is_reported_by_line_and_leaves_the_snapshot_alone() {
    let lost = r#"{"id":"00000000-0000-4000-8000-000000000001","programId":"00000000-0000-4000-8000-000000000002","label":"x","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}"#;
    let json = "{\"id\": \"7\",\n";
    let cases: [(&str, &str, &[&str]); 3] = [
        ("cycles.ndjson", json, &["cycles.ndjson:133:", "error[E0102]"]),
        ("cycles.ndjson", lost, &["cycles.ndjson:133:", "error[E0401]", "programId"]),
        ("aliases.csv", BAD, &["aliases.csv:21:", "error[E0201]", "organization"]),
    ];
    let place = Place::with_snapshot();
    let before = content(&place.path("root"));
    for (file, line, words) in cases {
        let good = fs::read(place.path("data").join(file)).unwrap();
        place.append(file, line);
        let checked = place.opdir(&["check", "--data", "data"]);
        checked.fails(1, words);
        checked.fails(1, &["1 error,"]);
        assert!(!checked.out.contains("good"), "{line}: {}", checked.out);
        place.build().fails(1, words);
        assert_eq!(content(&place.path("root")), before, "{line}");
        fs::write(place.path("data").join(file), good).unwrap();
    }
    place.build().succeeds();
    assert!(place.opdir(&["explain", "e0401"]).succeeds().starts_with("E0401: "));
}

#[test]
fn completions_and_manual_pages_have_every_command() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    place.opdir(&["man", "--out", "manuals"]).succeeds();
    for script in ["opdir.bash", "opdir.fish", "_opdir"] {
        let script = fs::read_to_string(place.path("manuals").join("completions").join(script)).unwrap();
        assert!(["preview", "rollback", "base-url"].iter().all(|word| script.contains(word)), "{script}");
    }
    let all = ["man/opdir/opdir-preview.1", "man/opdir-edge/opdir-edge-check.1", "completions/_opdir-edge"];
    assert!(all.iter().all(|path| place.path("manuals").join(path).exists()));
}

#[test]
fn data_that_is_not_there_ends_with_3() {
    let place = Place::with_snapshot();
    let before = content(&place.path("root"));
    for command in [
        &["check"][..],
        &["build", "--base-url", BASE, "--out", "root"],
        &["preview", "--listen", "127.0.0.1:0"],
    ] {
        let run = |data| place.opdir(&[command, &["--data", data]].concat());
        run("nowhere").fails(3, &["error: ", "nowhere", "does not exist"]);
        run("data/dataset.json").fails(3, &["dataset.json", "not a folder", "name the folder"]);
    }
    assert_eq!(content(&place.path("root")), before);
    fs::create_dir(place.path("empty")).unwrap();
    place.opdir(&["check", "--data", "empty"]).fails(1, &["E0109", "dataset.json", "opdir init"]);
}

#[test]
fn an_output_that_cannot_be_written_ends_with_4() {
    let place = Place::new();
    fs::write(place.path("file"), "mine").unwrap();
    place.build_of("data", "file").fails(4, &["error: ", "file"]);
    place.opdir(&["init", "file"]).fails(4, &["error: ", "file"]);
    fs::create_dir(place.path("sealed")).unwrap();
    fs::set_permissions(place.path("sealed"), fs::Permissions::from_mode(0o555)).unwrap();
    let sealed = place.build_of("data", "sealed");
    // Root may write everywhere.
    if sealed.code != 0 {
        sealed.fails(4, &["sealed", "ermission denied"]);
    }
    assert_eq!(fs::read(place.path("file")).unwrap(), b"mine");
}

#[test]
fn a_folder_of_another_program_is_left_alone() {
    let place = Place::new();
    let before = content(&place.path("data"));
    place.opdir(&["init", "--sample", "other"]).succeeds();
    place.build_of("other", "data").fails(4, &["data", "not a snapshot directory", "empty directory"]);
    place.opdir(&["init", "data"]).fails(4, &["data is not empty"]);
    for root in ["data", "nowhere", "data/dataset.json"] {
        let one = ["rollback", "gc", "log", "verify", "diff"].map(|command| vec![command, root]);
        let two = [vec!["export", root, "other-site"], vec!["push", root, "file:///nowhere"]];
        for args in one.into_iter().chain(two) {
            place.opdir(&args).fails(3, &[root, "no snapshot was published here", "opdir build"]);
        }
    }
    place.opdir(&["plan", "--data", "other", "--out", "data/dataset.json"]).fails(3, &["dataset.json"]);
    assert_eq!(content(&place.path("data")), before);
}

#[test]
fn what_is_probably_a_mistake_is_held_back() {
    let place = Place::with_snapshot();
    let before = content(&place.path("root"));
    place.opdir(&["build", "--out", "root"]).fails(2, &["--data", "--base-url"]);
    place.edit("dataset.json", |text| text.replace("\"name\": \"", "\"name\": \"another-"));
    place.build().fails(6, &["the live snapshot is of dataset", "another-", "--replace"]);
    let plan = place.opdir(&["plan", "--data", "data", "--out", "root"]).succeeds();
    assert!(plan.contains("held back: the live snapshot is of dataset"), "{plan}");
    place.opdir(&[&BUILD[..], &["--index-only"]].concat()).fails(6, &["has pages", "--replace"]);
    assert_eq!(content(&place.path("root")), before);
    place.opdir(&[&BUILD[..], &["--replace", "--index-only"]].concat()).succeeds();
}

#[test]
fn a_damaged_snapshot_is_named_file_by_file_and_the_next_build_mends_it() {
    for file in ["site.zip", "index/search.bin", "manifest.json", "changes.bin"] {
        let place = Place::with_snapshot();
        place.damage(file);
        place.opdir(&["verify", "root"]).fails(5, &["error: ", file, "build again"]);
        let mut again = place.build();
        if ["manifest.json", "changes.bin"].contains(&file) {
            again.fails(6, &[file, "no change can be compared", "--replace"]);
            again = place.opdir(&[&BUILD[..], &["--replace"]].concat());
        }
        let again = again.succeeds();
        assert!(again.contains("is live"), "{file}: {again}");
        place.opdir(&["verify", "root"]).succeeds();
    }
}

#[test]
fn an_unchanged_build_publishes_nothing_and_an_export_is_a_site() {
    let place = Place::with_snapshot();
    assert!(place.build().succeeds().starts_with("unchanged: 000001-"));
    assert!(place.opdir(&["export", "root", "site", "--pretty"]).succeeds().contains("is in site, "));
    assert!(place.path("site/programs").join("graduate-research-fellowship-program/index.html").exists());
    assert!(place.path("site/api/v1/openapi.json.gz").exists());
    place.opdir(&["export", "root", "site"]).fails(4, &["site is not empty"]);
}

#[test]
fn wrong_usage_ends_with_2_before_anything_is_done() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let run = |line: &str| place.opdir(&line.split(' ').collect::<Vec<_>>());
    place.opdir(&[]).fails(2, &["Usage: opdir"]);
    for (values, words) in [
        ("example.org", &["--base-url", "https://example.org"][..]),
        ("ftp://example.org", &["--base-url", "http or https"]),
        ("https://example.org/path", &["--base-url", "scheme and host"]),
        ("https://me:pw@example.org", &["scheme and host"]),
        ("https://example.org --as-of 2026-02-30", &["--as-of", "2026-02-30"]),
        ("https://example.org --jobs many", &["--jobs", "many"]),
        ("https://example.org --memory 2GB", &["--memory is gone: leave it out"]),
    ] {
        run(&format!("build --data data --out root --base-url {values}")).fails(2, words);
    }
    for (line, words) in [
        ("build", &["--data", "--out", "--base-url"][..]),
        ("preview --listen 8080", &["--listen", "8080"]),
        ("explain E9999", &["error: ", "E9999"]),
        ("bild", &["bild", "build"]),
        ("status root", &["status is gone: `opdir log`"]),
        ("theme diff folder", &["diff is gone: `opdir theme new`"]),
    ] {
        run(line).fails(2, words);
    }
    for line in [
        "log s3://bucket/site",
        "export file:///site public",
        "push s3://bucket/site site",
        "pull s3://bucket/site s3://bucket/site",
        "build --data data --base-url https://directory.example --out gs://bucket",
    ] {
        run(line).fails(2, &["`opdir pull` downloads"]);
    }
    for line in [
        "log https://user:secret@host/site",
        "build --data data --out out --base-url https://user:secret@host",
        "verify site --no-such https://user:secret@host",
        "init data https://user:secret@host",
    ] {
        let ran = run(line);
        assert!(ran.code == 2 && !ran.err.contains("secret"), "{line}: {}", ran.err);
    }
    for time in ["0h", "0d", "3651d", "99999999999d", "18446744073709551615d", "-1h", "7", "d", "7é", "1m"] {
        run(&format!("push root file:///store --valid-for={time}")).fails(2, &["from 1h to 3650d"]);
    }
    for share in ["101%", "-1%", "ten", "NaN"] {
        run(&format!("plan --data data --out root --max-removed={share}")).fails(2, &["from 0% to 100%"]);
    }
    for count in ["programs", "programs=x", "seasons=3", "=3"] {
        run(&format!("plan --data data --out root --expect-removed={count}")).fails(2, &["programs=412"]);
    }
}

#[test]
fn messages_for_machines_are_one_a_line_on_standard_output() {
    let place = Place::new();
    place.append("aliases.csv", BAD);
    let json = place.opdir(&["check", "--data", "data", "--message-format", "json", "--quiet"]);
    json.fails(1, &[]);
    let lines: Vec<serde_json::Value> =
        json.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let error = lines.iter().find(|line| line["severity"] == "error").unwrap();
    assert_eq!((error["code"].as_str(), error["line"].as_u64()), (Some("E0201"), Some(21)));
    assert!(error["file"].as_str().unwrap().ends_with("aliases.csv"));
    assert_eq!(lines.last().unwrap()["errors"], 1);
    assert_eq!(json.err, "");
}

#[test]
fn rollback_goes_back_and_gc_keeps_what_is_live() {
    let place = Place::with_snapshot();
    let first = place.live();
    place.opdir(&["rollback", "root"]).fails(2, &["CURRENT", "no earlier one"]);
    place.retitle("Second name");
    place.build().succeeds();
    let second = place.live();
    assert_ne!(first, second);
    place.opdir(&["rollback", "root", &first.replace("000001", "000009")]).fails(3, &["no such generation"]);
    let third = first.replace("000001", "000003");
    let back = format!("{third} is live, with the content of {first}\n");
    assert_eq!(place.opdir(&["rollback", "root"]).succeeds(), back);
    assert_eq!(place.live(), third);
    let log = place.opdir(&["log", "root"]).succeeds();
    assert!(log.starts_with(&format!("{third} (live)\n")) && log.contains(&format!("\n{first}\n")), "{log}");
    place.opdir(&["rollback", "root", "9"]).fails(2, &["number 9", "opdir log"]);
    assert_eq!(place.opdir(&["rollback", "root", "1"]).succeeds(), back);
    assert_eq!(place.opdir(&["rollback", "root", &first]).succeeds(), back);
    let fourth = second.replace("000002", "000004");
    let forth = place.opdir(&["rollback", "root", &second]).succeeds();
    assert_eq!(forth, format!("{fourth} is live, with the content of {second}\n"));
    assert_eq!(place.opdir(&["gc", "root"]).succeeds(), "0 generations removed\n");
    let removed = place.opdir(&["gc", "root", "--keep", "1", "--days", "0"]).succeeds();
    let expected = format!("removed {third}\nremoved {second}\nremoved {first}\n3 generations removed\n");
    assert_eq!(removed, expected);
    assert!(!place.path("root/generations").join(&first).exists());
    place.opdir(&["verify", "root"]).succeeds();
}

#[test]
fn diff_tells_what_changed_and_what_caches_have_to_drop() {
    let place = Place::with_snapshot();
    let first = format!("root/generations/{}", place.live());
    place.opdir(&["diff", "root"]).fails(2, &["root", "no earlier one"]);
    place.retitle("Another name");
    place.build().succeeds();
    let words = place.opdir(&["diff", "root"]).succeeds();
    assert!(words.starts_with("000001-") && words.contains("\n~ programs/"), "{words}");
    assert_eq!(place.opdir(&["diff", &first, "root"]).succeeds(), words);
    let purge = place.opdir(&["diff", "root", "--format", "purge"]).succeeds();
    assert!(purge.lines().all(|line| line.starts_with("url http") || line.starts_with("tag ")), "{purge}");
    assert!(purge.contains("tag search\n"), "{purge}");
    place.opdir(&["diff", "root", "--format", "prose"]).fails(2, &["--format", "prose"]);
}

#[test]
fn the_readmes_requests_are_answered() {
    let read = |path| fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let readmes = ["README.md", "edge/README.md"].map(read).concat();
    let requests = readmes.lines().filter(|line| line.starts_with("curl ") && !line.contains("POST"));
    let targets: Vec<&str> =
        requests.map(|line| line.split('\'').nth(1).unwrap().split_once("8080").unwrap().1).collect();
    assert_eq!(targets.len(), 10);
    let server = Place { folder: tempfile::tempdir().unwrap() }.preview(&[]);
    for target in targets {
        let answer = server.get(target);
        let expected = if target.ends_with("/organizations/nsf") { "308" } else { "200" };
        assert_eq!(status(&answer), expected, "{target}: {answer}");
        assert!(!answer.contains(r#""total":0,"#), "{target} finds nothing");
        assert!(answer.contains("format=csv") || !answer.contains(r#""invalid":[""#), "{target}");
    }
}
