//! Same dataset, day and address, same bytes: whatever the folder, the time zone, the language and
//! the number of threads.

use std::path::{Path, PathBuf};
use std::process::Command;

use dataset::Input;
use generator::export;
use http::{StatusCode, header};
use site::BuildOptions;
use store::{Digest, Generation};
use tests::in_process::{get, send};
use tests::snapshots::{files, open};

use crate::data::words::cases;
use crate::schema::Schema;
use crate::server::{SAMPLE, build, load, options};

/// Where [`builds_into_the_given_folder`] builds, and with how many threads.
const OUT: &str = "OPDIR_TEST_OUT";
const JOBS: &str = "OPDIR_TEST_JOBS";

#[test]
#[ignore = "a part of other tests, which run it in processes of their own"]
fn builds_into_the_given_folder() {
    let out = PathBuf::from(std::env::var_os(OUT).unwrap());
    let jobs = std::env::var(JOBS).unwrap().parse().unwrap();
    let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
    build(&directory, source, &BuildOptions { jobs, ..options(&out) });
}

/// Builds in a process of its own.
fn build_elsewhere(out: &Path, zone: &str, language: &str, jobs: usize) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "store::publish::builds_into_the_given_folder"]).current_dir(out);
    command.env("TZ", zone).env("LC_ALL", language).env(OUT, out).env(JOBS, jobs.to_string());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn folder_time_zone_language_and_threads_change_no_byte() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    build_elsewhere(here.path(), "Pacific/Kiritimati", "C", 1);
    build_elsewhere(there.path(), "Pacific/Pago_Pago", "es_ES.UTF-8", 3);
    let (here, there) = (files(here.path()), files(there.path()));
    assert!(here.len() > 5 && here.len() <= 12, "{:?}", here.keys());
    assert_eq!(here.keys().collect::<Vec<_>>(), there.keys().collect::<Vec<_>>());
    let different: Vec<&PathBuf> = here.keys().filter(|path| here[*path] != there[*path]).collect();
    assert_eq!(different, [""; 0].map(Path::new));
}

#[test]
fn a_manifest_is_as_its_schema_says() {
    let live = Generation::open_current(&SAMPLE.root).unwrap();
    let value = serde_json::from_slice(&live.manifest().to_bytes()).unwrap();
    let schema = serde_json::from_str(include_str!("../../../schemas/manifest.schema.json")).unwrap();
    Schema::new(&schema).check("manifest.json", &value);
}

#[test]
fn the_style_sheet_of_the_look_before_is_served_and_exported() {
    let (folder, theme) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let directory = cases().directory;
    let templates = Some(theme.path().to_owned());
    let build_with = |style: &str| {
        std::fs::write(theme.path().join("theme.css"), style).unwrap();
        let options = BuildOptions { templates: templates.clone(), ..options(folder.path()) };
        build(&directory, Digest([0; 32]), &options);
        let server = open(folder.path(), 1 << 20);
        let home = String::from_utf8(get(&server, "/").body.to_vec()).unwrap();
        let sheet = home.split('"').find(|part| part.ends_with(".css")).unwrap().to_owned();
        (server, sheet)
    };
    let (_, before) = build_with("h1{color:red}");
    let (server, now) = build_with("h1{color:blue}");
    assert_ne!(before, now);
    let [old, new] = [&before, &now].map(|sheet| get(&server, sheet));
    assert_eq!((old.status, new.status), (StatusCode::OK, StatusCode::OK));
    assert!(old.body.ends_with(b"h1{color:red}") && new.body.ends_with(b"h1{color:blue}"));
    for name in [header::CONTENT_TYPE, header::CACHE_CONTROL, header::VARY] {
        assert_eq!(old.headers.get(&name), new.headers.get(&name), "{name}");
    }
    let known = [(header::IF_NONE_MATCH, old.headers[header::ETAG].to_str().unwrap())];
    assert_eq!(send(&server, "GET", &before, &known).status, StatusCode::NOT_MODIFIED);
    assert_eq!(get(&server, "/assets/site-0000000000.css").status, StatusCode::NOT_FOUND);
    let out = folder.path().join("out");
    export(&Generation::open_current(folder.path()).unwrap(), &out, false, "").unwrap();
    assert_eq!(std::fs::read(out.join(&before[1..])).unwrap(), old.body);
}
