//! One fault a test: which rule, at which line; and what a sound dataset becomes.

use super::*;
use crate::read::{Input, read};

mod doubts;
mod due;
mod identity;
mod publication;
mod references;
mod texts;

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
        linked(&[("dataset.json", dataset.replace(r#","defaultLocale":"en""#, default))])
    };
    let each_once = |shown| format!("`locales` is {shown}, expected `en`, `es` or both, each once");
    for (locales, code, message, help) in [
        ("[]", "E0210", each_once("[]"), r#"`["en"]` or `["es"]`"#),
        (r#"["es","es"]"#, "E0210", each_once("[es, es]"), r#"`["en"]` or `["es"]`"#),
        (r#"["en","es","en"]"#, "E0210", each_once("[en, es, en]"), r#"`["en"]` or `["es"]`"#),
        (
            r#"["de"]"#,
            "E0201",
            "`locales` is `[\"de\"]`, which is not one of its values".to_owned(),
            "en, es",
        ),
    ] {
        let (directory, report) = with(locales, "");
        let [problem] = report.sorted()[..] else { panic!("{report:?}") };
        assert!(
            directory.is_none() && problem.code.id() == code && problem.message == message,
            "{problem:?}"
        );
        assert!(problem.help.as_deref().is_some_and(|it| it.contains(help)), "{problem:?}");
    }
    for (locales, default, published) in [
        ("null", "", "[En, Es] En"),
        (r#"["es","en"]"#, "", "[Es, En] En"),
        (r#"["en"]"#, "", "[En] En"),
        (r#"["es"]"#, "", "[Es] Es"),
        (r#"["es"]"#, r#","defaultLocale":"en""#, "[Es] En"),
        (r#"["en","es"]"#, r#","defaultLocale":"es""#, "[En, Es] Es"),
    ] {
        let dataset = with(locales, default).0.unwrap().dataset;
        assert_eq!(format!("{:?} {:?}", dataset.locales, dataset.language()), published, "{locales}");
    }
}
