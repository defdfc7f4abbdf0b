//! An edge comes back by itself: from a damaged folder, without its store, with no room for a file.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::SignedDuration;
use store::{VerifyMode, verify};
use tempfile::TempDir;

use super::harness::{Server, command, copy, get, status, until};
use super::{EDGE, generation, overwrite, publish, push_before, store};

const HOST: &str = "directory.example";

/// Arguments of an edge that follows a store.
fn followed(url: &str) -> [&str; 8] {
    ["--snapshot", "root", "--source", url, "--poll", "1", "--listen", "127.0.0.1:0"]
}

/// Starts an edge that follows a store, with an admin listener.
fn follow(folder: &TempDir, url: &str) -> Server {
    let args = [&followed(url)[..], &["--admin-listen", "127.0.0.1:0"]].concat();
    Server::start(EDGE, folder.path(), &args, "address=")
}

fn is_ready(server: &Server) -> bool {
    get(&server.admin, HOST, "/readyz").contains("\"state\":\"ready\"")
}

fn archive(root: &Path) -> PathBuf {
    generation(root).join("site.zip")
}

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    overwrite(path, &bytes[..bytes.len() / 2]);
}

fn flip(path: &Path, part: usize) {
    let mut bytes = fs::read(path).unwrap();
    let at = (bytes.len() / 8 * part).min(bytes.len() - 40);
    bytes[at] ^= 1;
    overwrite(path, &bytes);
}

type Damage = (&'static str, fn(&Path));

const DAMAGES: [Damage; 21] = [
    ("the archive is gone", |root| fs::remove_file(archive(root)).unwrap()),
    ("the archive is cut", |root| cut(&archive(root))),
    ("the archive is empty", |root| overwrite(&archive(root), b"")),
    ("the archive is longer", |root| {
        overwrite(&archive(root), &[&fs::read(archive(root)).unwrap()[..], b"x"].concat());
    }),
    ("a byte in the middle of the archive differs", |root| flip(&archive(root), 4)),
    ("a byte of the archive's directory differs", |root| flip(&archive(root), 8)),
    ("the archive is a folder", |root| {
        fs::remove_file(archive(root)).unwrap();
        fs::create_dir(archive(root)).unwrap();
    }),
    ("the index is gone", |root| fs::remove_dir_all(generation(root).join("index")).unwrap()),
    ("the manifest is gone", |root| fs::remove_file(generation(root).join("manifest.json")).unwrap()),
    ("the manifest is cut", |root| cut(&generation(root).join("manifest.json"))),
    ("a byte of the manifest differs", |root| flip(&generation(root).join("manifest.json"), 3)),
    ("the table is gone", |root| fs::remove_file(generation(root).join("index/files.bin")).unwrap()),
    ("the table is cut", |root| cut(&generation(root).join("index/files.bin"))),
    ("a byte of the table differs", |root| flip(&generation(root).join("index/files.bin"), 5)),
    ("the table is a link", |root| {
        let table = generation(root).join("index/files.bin");
        fs::rename(&table, root.join("away")).unwrap();
        std::os::unix::fs::symlink("../../../away", table).unwrap();
    }),
    ("the changes are gone", |root| fs::remove_file(generation(root).join("changes.bin")).unwrap()),
    ("the generation is gone", |root| fs::remove_dir_all(generation(root)).unwrap()),
    ("all generations are gone", |root| fs::remove_dir_all(root.join("generations")).unwrap()),
    ("CURRENT is gone", |root| fs::remove_file(root.join("CURRENT")).unwrap()),
    ("CURRENT is garbage", |root| overwrite(&root.join("CURRENT"), b"\xff\0")),
    ("CURRENT names no generation", |root| {
        overwrite(&root.join("CURRENT"), format!("000099-{}\n", "0".repeat(32)).as_bytes());
    }),
];

#[test]
fn every_damage_of_its_folder_is_repaired_at_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let [root, whole] = ["root", "whole"].map(|name| folder.path().join(name));
    let url = store(&folder);
    drop(follow(&folder, &url));
    copy(&root, &whole);
    for (name, damage) in DAMAGES {
        fs::remove_dir_all(&root).unwrap();
        copy(&whole, &root);
        damage(&root);
        let server = follow(&folder, &url);
        let is_sound = || verify(&root, None, VerifyMode::Deep).is_ok();
        // Damage that opening does not read is found by the first poll.
        until(30, name, || is_sound() && is_ready(&server));
        assert_eq!(status(&server.get_from(HOST, "/api/v1/search?q=grant")), "200", "{name}");
        assert!(!root.join("incoming").exists(), "{name}");
        assert!(!generation(&root).join("index/files.bin").is_symlink(), "{name}");
    }
}

/// Writes zeros over all of a file, which stays the same file.
fn wipe(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
    file.write_all_at(&vec![0; length], 0).unwrap();
}

#[test]
fn damage_that_a_request_finds_is_repaired_from_the_store_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let url = store(&folder);
    let server = follow(&folder, &url);
    wipe(&archive(&folder.path().join("root")));
    assert_ne!(status(&server.get_from(HOST, "/about")), "200");
    until(30, "it is repaired", || status(&server.get_from(HOST, "/about")) == "200");
    assert!(is_ready(&server));
}

#[test]
fn without_a_store_a_hangup_opens_the_restored_folder() {
    let folder = tempfile::tempdir().unwrap();
    drop(follow(&folder, &store(&folder)));
    let archive = archive(&folder.path().join("root"));
    let whole = fs::read(&archive).unwrap();
    let server =
        Server::start(EDGE, folder.path(), &["--snapshot", "root", "--listen", "127.0.0.1:0"], "address=");
    wipe(&archive);
    assert_ne!(status(&server.get_from(HOST, "/about")), "200");
    overwrite(&archive, &whole);
    server.hangup();
    server.says("serving a generation");
    assert_eq!(status(&server.get_from(HOST, "/about")), "200");
}

#[test]
fn a_damaged_folder_waits_for_its_store() {
    let folder = tempfile::tempdir().unwrap();
    let url = store(&folder);
    drop(follow(&folder, &url));
    cut(&archive(&folder.path().join("root")));
    let [store, away] = ["store", "away"].map(|name| folder.path().join(name));
    fs::rename(&store, &away).unwrap();
    let server = Server::start(EDGE, folder.path(), &followed(&url), "the store is not followed just now");
    fs::rename(&away, &store).unwrap();
    server.says("address=");
}

#[test]
fn an_edge_restarted_without_its_store_knows_that_it_has_expired() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let url = format!("file://{}", store.display());
    let built = folder.path().join("built");
    publish(&built);
    push_before(SignedDuration::from_hours(48), Some(Duration::from_secs(3600)), &built, &url);
    let is_expired = |admin: &str| {
        let ready = get(admin, HOST, "/readyz");
        get(admin, HOST, "/metrics").contains("edge_source_expired 1\n")
            && ready.contains("\"ready\":true")
            && ready.contains("\"state\":\"degraded\"")
            && ready.contains("\"expired\":true")
    };
    let server = follow(&folder, &url);
    assert!(is_expired(&server.admin));
    drop(server);
    fs::rename(&store, folder.path().join("away")).unwrap();
    let server = follow(&folder, &url);
    assert!(is_expired(&server.admin), "{}", get(&server.admin, HOST, "/readyz"));
}

#[test]
fn a_store_that_is_back_is_not_failing_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let url = store(&folder);
    let server = follow(&folder, &url);
    let [store, away] = ["store", "away"].map(|name| folder.path().join(name));
    let becomes = |failing: &str, seconds| {
        let line = format!("edge_source_failing {failing}\n");
        until(seconds, &line, || get(&server.admin, HOST, "/metrics").contains(&line));
    };
    fs::rename(&store, &away).unwrap();
    becomes("1", 10);
    fs::rename(&away, &store).unwrap();
    becomes("0", 3);
}

#[test]
fn a_limit_on_file_sizes_is_an_error_and_no_end() {
    let folder = tempfile::tempdir().unwrap();
    let url = store(&folder);
    let script = "ulimit -f 16; exec \"$@\"";
    let args = [&["-c", script, "bash", EDGE][..], &followed(&url)].concat();
    let server = Server::of(&mut command("bash", folder.path(), &args), "no space is left");
    // The next poll comes within a second.
    std::thread::sleep(Duration::from_millis(1200));
    assert!(server.is_running(), "the signal is ignored");
    assert!(!server.has_printed("no space is left"), "it is logged once");
}
