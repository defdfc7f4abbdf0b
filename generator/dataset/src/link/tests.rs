//! One fault a test: which rule, at which line; and what a sound dataset becomes.

use std::path::PathBuf;
use std::time::Instant;

use snapshot::record::Locale;

use super::*;
use crate::diagnostics::MessageFormat;
use crate::read::{Input, read};

mod doubts;
mod due;
mod identity;
mod publication;
mod references;
mod texts;
mod values;

const DATASET: &str = r#"{"schemaVersion":"1","name":"test","title":"Test","license":"CC BY 4.0","publishedAt":"2026-06-01T00:00:00Z","locales":["en","es"],"defaultLocale":"en"}"#;
const TIMES: &str = r#""createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z""#;

/// `id('a', 1)` is a UUID that shows which record it is.
fn id(kind: char, number: u32) -> String {
    let kind = kind as u32;
    format!("{kind:08x}-0000-4000-8000-{number:012x}")
}

fn organization(number: u32, more: &str) -> String {
    let id = id('o', number);
    format!(r#"{{"id":"{id}","slug":"org-{number}","name":"Org {number}",{TIMES}{more}}}"#)
}

fn program(number: u32, organization: u32, more: &str) -> String {
    let (id, of) = (id('p', number), id('o', organization));
    let lifecycle = if more.contains("lifecycle") { "" } else { r#","lifecycle":"unclear""# };
    format!(
        r#"{{"id":"{id}","organizationId":"{of}","slug":"program-{number}","name":"Program {number}","programType":"grant","officialUrl":"https://example.org/{number}"{lifecycle},{TIMES}{more}}}"#
    )
}

fn cycle(number: u32, program: u32, more: &str) -> String {
    let (id, of) = (id('c', number), id('p', program));
    format!(r#"{{"id":"{id}","programId":"{of}","label":"Season {number}",{TIMES}{more}}}"#)
}

fn recipient(number: u32, more: &str) -> String {
    let id = id('r', number);
    format!(
        r#"{{"id":"{id}","slug":"recipient-{number}","displayName":"Recipient {number}","kind":"person",{TIMES}{more}}}"#
    )
}

fn award(number: u32, program: u32, recipient: u32, more: &str) -> String {
    let (id, of, to) = (id('a', number), id('p', program), id('r', recipient));
    let year = if more.contains("awardYear") { "" } else { r#","awardYear":2020"# };
    format!(r#"{{"id":"{id}","programId":"{of}","recipientId":"{to}"{year},{TIMES}{more}}}"#)
}

fn fact(number: u32, program: u32, more: &str) -> String {
    let (id, of) = (id('f', number), id('p', program));
    format!(r#"{{"id":"{id}","programId":"{of}","updatedAt":"2026-01-01T00:00:00Z",{more}}}"#)
}

fn source(number: u32, kind: &str, of: &str) -> String {
    let id = id('s', number);
    format!(
        r#"{{"id":"{id}","entityType":"{kind}","entityId":"{of}","kind":"page","retrievedAt":"2026-01-01T00:00:00Z",{TIMES}}}"#
    )
}

/// A leader, a channel or a post of the first organization.
fn belonging(kind: char, number: u32, more: &str) -> String {
    format!(r#"{{"id":"{}","organizationId":"{}"{more}}}"#, id(kind, number), id('o', 1))
}

fn translation(kind: &str, of: &str, fields: &str) -> String {
    format!(r#"{{"entityType":"{kind}","entityId":"{of}","locale":"es","fields":{{{fields}}}}}"#)
}

fn transition(number: u32, program: u32, to: &str, at: &str) -> String {
    let (id, of) = (id('t', number), id('p', program));
    format!(r#"{{"id":"{id}","programId":"{of}","toLifecycle":"{to}","observedAt":"{at}"}}"#)
}

/// Files of one dataset; `dataset.json`, an organization and a program are there unless given.
fn linked(files: &[(&str, String)]) -> (Option<Directory>, Diagnostics) {
    let mut report = Diagnostics::new();
    let tables = tables(files, &mut report);
    let directory = link(tables, &mut report);
    (directory, report)
}

fn tables(files: &[(&str, String)], report: &mut Diagnostics) -> Tables {
    let mut all = vec![
        ("dataset.json", DATASET.to_owned()),
        ("organizations.ndjson", organization(1, "")),
        ("programs.ndjson", program(1, 1, "")),
    ];
    for (path, text) in files {
        all.retain(|(known, _)| known != path);
        all.push((path, text.clone()));
    }
    let files: Vec<(&str, &[u8])> = all.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    read(&Input::Embedded(&files), report).unwrap()
}

/// What was found: `E0401 cycles.ndjson:2`.
fn found(report: &Diagnostics) -> Vec<String> {
    let line = |d: &&crate::diagnostics::Diagnostic| {
        format!("{} {}:{}", d.code.id(), report.file_name(d.at.file), d.at.line)
    };
    report.sorted().iter().map(line).collect()
}

#[track_caller]
fn refused(path: &str, text: String, expected: &str) -> Diagnostics {
    let (directory, report) = linked(&[(path, text)]);
    assert_eq!(found(&report), [expected]);
    assert!(directory.is_none());
    report
}

#[track_caller]
fn doubted(path: &str, text: String, expected: &str) -> Directory {
    let (directory, report) = linked(&[(path, text)]);
    assert_eq!(found(&report), [expected]);
    directory.unwrap()
}

fn lines(rows: &[String]) -> String {
    rows.join("\n")
}

#[test]
fn a_sound_dataset_has_nothing_to_report() {
    let (directory, report) = linked(&[]);
    assert_eq!(found(&report), [""; 0]);
    assert_eq!(directory.unwrap().programs[0].slug, "program-1");
}

#[test]
fn a_dataset_of_another_version_or_licence_is_refused() {
    refused("dataset.json", DATASET.replace(r#"Version":"1""#, r#"Version":"2""#), "E0209 dataset.json:1");
    refused("dataset.json", DATASET.replace("CC BY 4.0", "CC0"), "E0208 dataset.json:1");
}

#[test]
fn a_contact_is_a_mail_address_or_a_web_address() {
    let with = |contact: &str| {
        let of = format!(r#","contact":{},"locales""#, serde_json::Value::from(contact));
        linked(&[("dataset.json", DATASET.replace(r#","locales""#, &of))])
    };
    for contact in ["grants@example.org", "https://example.org/contact?about=grants"] {
        let (directory, report) = with(contact);
        assert!(directory.is_some() && found(&report).is_empty(), "{contact}");
    }
    let none = r#"|grants|a@b@c|@b|a@|javascript:alert(1)@b|a b@c|https://|http://a.example/" x="|a@b?bcc=c"#;
    for contact in none.split('|') {
        let (_, report) = with(contact);
        assert_eq!(found(&report), ["E0601 dataset.json:1"], "{contact}");
    }
}

#[test]
fn a_site_has_english_spanish_or_both_each_once() {
    let with = |locales: &str, default: &str| {
        let dataset = DATASET.replace(r#""locales":["en","es"]"#, &format!(r#""locales":{locales}"#));
        let dataset = dataset.replace(r#","defaultLocale":"en""#, default);
        linked(&[("dataset.json", dataset)])
    };
    for (locales, shown) in
        [("[]", "[]"), (r#"["es","es"]"#, "[es, es]"), (r#"["en","es","en"]"#, "[en, es, en]")]
    {
        let (directory, report) = with(locales, "");
        assert!(directory.is_none());
        assert_eq!(found(&report), ["E0210 dataset.json:1"], "{locales}");
        let problem = report.sorted()[0];
        let message = format!("`locales` is {shown}, expected `en`, `es` or both, each once");
        assert_eq!(problem.message, message);
        assert!(problem.help.as_deref().is_some_and(|help| help.contains(r#"`["en"]` or `["es"]`"#)));
    }
    let (directory, report) = with(r#"["de"]"#, "");
    assert!(directory.is_none());
    let problem = report.sorted()[0];
    assert_eq!(problem.message, "`locales` is `[\"de\"]`, which is not one of its values");
    assert!(problem.help.as_deref().is_some_and(|help| help.contains("en, es")), "{:?}", problem.help);
    let (en, es) = (Locale::En, Locale::Es);
    for (locales, default, published, language) in [
        ("null", "", &[en, es][..], en),
        (r#"["es","en"]"#, "", &[es, en], en),
        (r#"["en"]"#, "", &[en], en),
        (r#"["es"]"#, "", &[es], es),
        (r#"["es"]"#, r#","defaultLocale":"en""#, &[es], en),
        (r#"["en","es"]"#, r#","defaultLocale":"es""#, &[en, es], es),
    ] {
        let dataset = with(locales, default).0.unwrap().dataset;
        assert_eq!((&dataset.locales[..], dataset.language()), (published, language), "{locales}");
    }
}

/// Set `OPDIR_TEST_DATA` to the folder of a real dataset.
#[test]
#[expect(clippy::disallowed_methods, reason = "which dataset, is a setting of the test run")]
fn real_data_has_no_errors() {
    let Some(folder) = std::env::var_os("OPDIR_TEST_DATA") else {
        return eprintln!("left out: OPDIR_TEST_DATA names no dataset");
    };
    let mut report = Diagnostics::new();
    let start = Instant::now();
    let tables = read(&Input::Folder(PathBuf::from(folder)), &mut report).unwrap();
    let read_in = start.elapsed();
    let directory = link(tables, &mut report);
    eprintln!("read {read_in:?}, linked {:?}", start.elapsed() - read_in);
    report.print(MessageFormat::Human, &mut std::io::stderr()).unwrap();
    assert_eq!(report.error_count(), 0);
    assert!(!directory.unwrap().programs.is_empty());
}
