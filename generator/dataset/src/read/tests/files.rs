//! The files of a folder: which are tables, in which encoding, and what their hash depends on.

use super::*;

#[test]
fn files_in_other_encodings_are_recognised() {
    let (_, report) = tables_of("organizations.csv", b"id,slug\n1,Espa\xf1a\n");
    assert_eq!(found(&report), ["E0101 organizations.csv:2"]);
    let diagnostic = report.sorted()[0];
    let expected = "file is not UTF-8; it looks like Windows-1252 (byte F1, number 7 of its line)";
    assert_eq!(diagnostic.message, expected);
    assert_eq!(diagnostic.help.as_deref(), Some("iconv -f windows-1252 -t utf-8"));
    let (_, report) = tables_of("organizations.csv", b"id,slug\n1,Espa\xf1a \x81\n");
    assert_eq!(report.sorted()[0].help.as_deref(), Some("save it as UTF-8 in the program that wrote it"));
    for utf16 in [&b"\xff\xfei\0d"[..], b"i\0d\0", b"\0i\0d", b"n\0o\0m\0\xf1\0"] {
        let (_, report) = tables_of("organizations.csv", utf16);
        assert_eq!(report.sorted()[0].message, "file is not UTF-8; it looks like UTF-16");
        assert!(
            report.sorted()[0].help.as_ref().unwrap().contains("`opdir import DATA --draft --from FILE`")
        );
    }
}

#[test]
fn files_other_than_tables_are_reported_except_readmes() {
    for (path, help) in [
        ("organisations.csv", "did you mean `organizations`, with .ndjson, .jsonl, .json or .csv?"),
        ("Programs/a.json", "did you mean `programs/`?"),
        ("awards.ndjson.gz", "did you mean `awards`, with .ndjson, .jsonl, .json or .csv?"),
        ("program.csv", ""),
        ("programs.xlsx", ""),
        ("book.xlsx", ""),
    ] {
        let (tables, report) = tables_of(path, b"x");
        assert_eq!(found(&report), [format!("E0110 {path}:1")]);
        assert!(report.sorted()[0].help.as_deref().unwrap_or_default().contains(help), "{path}");
        assert_eq!(tables.incomplete.contains(&Table::Programs), path.to_lowercase().starts_with("program"));
    }
    assert_eq!(found(&tables_of("notes.pdf", b"x").1), ["W0101 notes.pdf:1"]);
    fault("awards.ndjson", " \n", "W0102 awards.ndjson:1");
    for path in ["README.md", "LICENSE", "programs/README.md"] {
        assert_eq!(found(&tables_of(path, b"x").1), [""; 0], "{path}");
    }
}

#[test]
fn there_is_one_dataset_json_and_what_it_lacks_or_has_wrong_is_named() {
    for (from, to, expected) in [
        (r#""license""#, r#""defaultLocale":"fr","license""#, "it takes en, es"),
        (DATASET, " ", "name the folder that holds dataset.json; `opdir init` writes an example"),
        (DATASET, "[]", "name the folder that holds dataset.json; `opdir init` writes an example"),
    ] {
        let text = DATASET.replace(from, to);
        let more: (&str, &[u8]) = ("organizations.csv", b"name,key\nA,a\n");
        let (tables, mut report) = read_all(&[("dataset.json", text.as_bytes()), more]);
        assert!(link(tables, &mut report).is_none());
        let found: Vec<_> = report.sorted().into_iter().filter(|it| it.code.id() != "W0102").collect();
        let [problem] = found[..] else { panic!("{found:?}") };
        assert_eq!(problem.help.as_deref(), Some(expected), "{text}");
    }
    for (from, to, expected) in [
        (r#""name":"t","title":"T","#, "", "`name`, `title` are missing or empty"),
        ("2026-06-01T00:00:00Z", "1 June 2026", "expected a time such as 2026-01-31T09:00:00Z"),
        (r#""license""#, r#""locales":"en","license""#, "`locales` is `\"en\"`, expected a list"),
    ] {
        let (_, report) = read_all(&[("dataset.json", DATASET.replace(from, to).as_bytes())]);
        assert!(report.sorted()[0].message.ends_with(expected), "{:?}", report.sorted());
    }
    let (tables, mut report) = read_all(&[]);
    assert_eq!(found(&report), ["E0109 dataset.json:1"]);
    assert!(link(tables, &mut report).is_none());
    let two = format!("[{DATASET},\n{DATASET}]");
    assert_eq!(found(&read_all(&[("dataset.json", two.as_bytes())]).1), ["E0102 dataset.json:2"]);
}

#[test]
fn a_folder_is_read_in_order_without_hidden_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("dataset.json", "{}");
    write(".hidden.csv", "x");
    write("organizations/.git/b.json", "x");
    write("organizations/b.json", &ORGANIZATION.replace("Acme", "B"));
    write("organizations/a.json", &ORGANIZATION.replace("Acme", "A"));
    let mut report = Diagnostics::new();
    let tables = read(&Input::Folder(folder.path().to_owned()), &mut report).unwrap();
    let names: Vec<&str> = tables.organizations.iter().map(|row| row.record.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
    assert!(report.sorted().iter().all(|d| report.file_name(d.at.file).ends_with("dataset.json")));
}

#[test]
fn the_source_hash_depends_on_paths_and_contents_alone() {
    let hash = |path: &str, bytes: &[u8]| tables_of(path, bytes).0.source_sha256;
    let one = hash("organizations.ndjson", ORGANIZATION.as_bytes());
    assert_eq!(one, hash("organizations.ndjson", ORGANIZATION.as_bytes()));
    assert_ne!(one, hash("organizations.jsonl", ORGANIZATION.as_bytes()));
    assert_ne!(one, hash("organizations.ndjson", b"{}"));
}

#[test]
fn a_link_out_of_the_dataset_and_a_file_that_is_none_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("sources.csv"), "id\n").unwrap();
    std::fs::write(folder.path().join("facts.csv"), "id\n").unwrap();
    let refusal = |name: &str, target: &std::path::Path| {
        let path = folder.path().join(name);
        symlink(target, &path).unwrap();
        let error = read(&Input::Folder(folder.path().to_owned()), &mut Diagnostics::new()).err();
        std::fs::remove_file(path).unwrap();
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    let (file, device) = (outside.path().join("sources.csv"), std::path::Path::new("/dev/null"));
    for (name, target) in [("sources.csv", &*file), ("sources", outside.path()), ("sources.csv", device)] {
        assert!(refusal(name, target).contains("the link leaves the dataset"), "{name}");
    }
    assert_eq!(refusal("sources.csv", &folder.path().join("facts.csv")), "");
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("programs.csv")).unwrap();
    let error = read(&Input::Folder(folder.path().to_owned()), &mut Diagnostics::new()).err().unwrap();
    assert!(error.to_string().contains("it is no regular file"), "{error}");
}
