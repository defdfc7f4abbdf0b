//! Formats, places of problems, and bytes that are not text.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::link::link;
use snapshot::record::Organization;

mod files;
mod loose;

const ORGANIZATION: &str = r#"{"id":"6f000000-0000-4000-8000-000000000001","slug":"acme","name":"Acme","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}"#;
const HEADER: &str = "id,slug,name,createdAt,updatedAt";
const CELLS: &str =
    "6f000000-0000-4000-8000-000000000001,acme,Acme,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z";

const DATASET: &str = r#"{"schemaVersion":"1","name":"t","title":"T","license":"CC BY 4.0","publishedAt":"2026-06-01T00:00:00Z"}"#;
const ID: &str = "6f000000-0000-4000-8000-000000000001";

fn tables_of(path: &str, bytes: &[u8]) -> (Tables, Diagnostics) {
    let (mut tables, report) = read_all(&[("dataset.json", DATASET.as_bytes()), (path, bytes)]);
    tables.drop_broken();
    (tables, report)
}

fn read_all(files: &[(&str, &[u8])]) -> (Tables, Diagnostics) {
    let mut report = Diagnostics::new();
    let tables = read(&Input::Embedded(files), &mut report).unwrap();
    (tables, report)
}

/// What was found: `E0108 organizations.csv:3:7`, columns where known.
fn found(report: &Diagnostics) -> Vec<String> {
    let list = report.sorted().into_iter().map(|d| {
        let column = d.column.map(|column| format!(":{column}")).unwrap_or_default();
        format!("{} {}:{}{column}", d.code.id(), report.file_name(d.at.file), d.at.line)
    });
    list.collect()
}

#[track_caller]
fn read_one(path: &str, text: &str) -> Organization {
    let (tables, report) = tables_of(path, text.as_bytes());
    assert_eq!(found(&report), [""; 0], "{:?}", report.sorted());
    tables.organizations.into_iter().next().unwrap().record
}

#[track_caller]
fn fault(path: &str, text: &str, expected: &str) -> Diagnostic {
    let (tables, report) = tables_of(path, text.as_bytes());
    assert_eq!(found(&report), [expected], "{:?}", report.sorted());
    let is_header = ["E0105", "E0106"].iter().any(|code| *expected == format!("{code} {path}:1"));
    if expected.starts_with('E') && !is_header {
        assert!(tables.incomplete.contains(&Table::Organizations));
    }
    report.sorted()[0].clone()
}

#[test]
fn every_format_gives_the_same_record() {
    let csv = format!("{HEADER}\n{CELLS}\n");
    let forms = [
        ("organizations.ndjson", ORGANIZATION.to_owned()),
        ("organizations.jsonl", format!("\n{ORGANIZATION}\r\n\n")),
        ("organizations.json", format!("[{ORGANIZATION}]")),
        ("organizations/acme.json", ORGANIZATION.to_owned()),
        ("organizations/europe/acme.json", format!("[\n{ORGANIZATION}\n]")),
        ("organizations.csv", csv.clone()),
        ("organizations/all.csv", format!("\u{feff}{}", csv.replace('\n', "\r\n"))),
    ];
    for (path, text) in forms {
        assert_eq!(read_one(path, &text).name, "Acme", "{path}");
    }
}

#[test]
fn cells_are_read_by_the_type_of_their_field() {
    let text = format!("{HEADER},aliases,countryCode,x_note,publication\n{CELLS},A|B,,\"x\ny\",draft\n");
    let record = read_one("organizations.csv", &text);
    assert_eq!((&record.aliases[..], record.country_code), (&["A".to_owned(), "B".to_owned()][..], None));
    assert_eq!(record.publication, snapshot::record::PublicationStatus::Draft);
    let row = format!("{ID},{ID},age,18,35.5,1e3,2026-01-01T00:00:00Z");
    let facts = format!("id,programId,kind,min,max,amount,updatedAt\n{row}\n");
    let fact = &tables_of("facts.csv", facts.as_bytes()).0.facts[0].record;
    assert_eq!((fact.min.unwrap().0, fact.max.unwrap().0, fact.amount.unwrap().0), (18.0, 35.5, 1000.0));
    let texts =
        format!("entityType,entityId,locale,fields\nprogram,{ID},es,\"{{\"\"name\"\":\"\"Uno\"\"}}\"\n");
    let (tables, _) = tables_of("translations.csv", texts.as_bytes());
    assert_eq!(tables.translations[0].record.fields["name"], "Uno");
}

#[test]
fn a_number_that_two_countries_read_differently_is_refused() {
    let with = |amount: &str| {
        let row = format!("{ID},{ID},note,\"{amount}\",USD,2026-01-01T00:00:00Z");
        tables_of("facts.csv", format!("id,programId,kind,amount,currency,updatedAt\n{row}\n").as_bytes())
    };
    for (bad, help) in [
        ("3.000", "write 3000, or 3 if the separator is the decimal point"),
        ("12.500", "write 12500, or 12.5 if the separator is the decimal point"),
        ("1,5", "write 1.5"),
        ("EUR 500", "write 500"),
    ] {
        let (_, report) = with(bad);
        let [problem] = report.sorted()[..] else { panic!("{report:?}") };
        assert_eq!(problem.message, format!("`amount` is `{bad}`, expected a sum without separators"));
        assert_eq!(problem.help.as_deref().unwrap_or_default(), help);
    }
    for good in ["0.125", "1500.000", "3.00", "3.0001", "3000"] {
        assert_eq!(found(&with(good).1), [""; 0], "{good}");
    }
}

#[test]
fn lines_of_csv_are_physical_ones() {
    let text = format!("{HEADER}\r\n\r\n{}\r\nbroken\r\n", CELLS.replace("Acme", "\"Ac\r\n\r\nme\""));
    let (tables, report) = tables_of("organizations.csv", text.as_bytes());
    assert_eq!(tables.organizations[0].at.line, 3);
    assert_eq!(found(&report), ["E0104 organizations.csv:6"]);
}

#[test]
fn lines_and_columns_of_json_are_physical_ones() {
    let pretty = "[\n  {\"id\": 5,\n   \"slug\":\"a\"},\n {\"ñ\":1, \"nmae\": 2}]";
    let (_, report) = tables_of("organizations.json", pretty.as_bytes());
    let expected = [
        "E0107 organizations.json:2:3",
        "E0108 organizations.json:2:10",
        "E0107 organizations.json:4:2",
        "E0105 organizations.json:4:7",
        "E0105 organizations.json:4:18",
    ];
    assert_eq!(found(&report), expected);
}

#[test]
fn lines_are_right_in_every_block_of_a_file_that_is_read_in_several() {
    let (folder, mut report) = (tempfile::tempdir().unwrap(), Diagnostics::new());
    let blank = format!("{}\n", " ".repeat(1 << 20));
    let text = format!("{ORGANIZATION}\n{}{ORGANIZATION}\n{{}}\n[\n", blank.repeat(40));
    std::fs::write(folder.path().join("organizations.ndjson"), text).unwrap();
    let mut tables = read(&Input::Folder(folder.path().to_owned()), &mut report).unwrap();
    tables.drop_broken();
    let lines: Vec<u32> = tables.organizations.iter().map(|row| row.at.line).collect();
    assert_eq!(lines, [1, 42]);
    let mut problems: Vec<u32> = report.sorted().iter().map(|problem| problem.at.line).collect();
    problems.sort_unstable();
    assert_eq!(problems, [1, 43, 44], "of dataset.json and the last rows");
}

#[test]
fn what_is_broken_is_placed_and_a_table_in_another_form_is_one_error_that_names_the_import() {
    let [csv, json, ndjson] = ["csv", "json", "ndjson"].map(|format| format!("organizations.{format}"));
    let with = |from: &str, to: &str| ORGANIZATION.replace(from, to);
    let conflict = format!("{ORGANIZATION}\n<<<<<<< HEAD\n{ORGANIZATION}\n=======\n>>>>>>> other\n");
    let text = format!("{HEADER}\n{CELLS}\n");
    let columns: Vec<String> = (0..900).map(|n| format!("column{n}")).collect();
    let wide = |columns: usize| {
        let header: String = (0..columns).map(|n| format!("x_{n},")).collect();
        format!("{header}{HEADER}\n{}{CELLS}\n", ",".repeat(columns))
    };
    let long = "x".repeat(16 << 20);
    let rows = format!("{ORGANIZATION}\n\n{{\"name\":\"{long}\"}}\n");
    let titles = text.replace("slug,name", "Título,Enlace").replace("createdAt", "Plazo");
    read_one(&csv, &wide(995));
    for (path, text, fault, shown) in [
        (&ndjson, format!("{ORGANIZATION}\n{{\"id\": \"a\",}}\n"), "E0102 2:12", ""),
        (&json, "[\n{\"id\": }\n]".to_owned(), "E0102 2:8", ""),
        (&ndjson, "[1]".to_owned(), "E0102 1:1", ""),
        (&ndjson, conflict, "E0102 2", "a merge conflict"),
        (&ndjson, format!("[\n{ORGANIZATION}\n]"), "E0102 1:1", "rename the file to .json"),
        (&ndjson, with("}", r#","aliases":["a",null]}"#), "E0108 1:154", "remove the `null`"),
        (&ndjson, with("Acme", r"\ud800"), "E0108 1:67", "`name` is"),
        (&csv, text.replace(',', ";"), "E0116 1", "cells are separated by semicolons, expected commas"),
        (&csv, format!("\"{}\"\n", HEADER.replace(',', "\";\"")), "E0116 1", "separated by semicolons"),
        (&csv, text.replace(',', "\t"), "E0116 1", "separated by tabs"),
        (&csv, text.replace(',', "|"), "E0116 1", "separated by bars"),
        (&csv, titles, "E0116 1", "3 of 5 columns are not fields of organizations: `Título`, `Enlace`, `P"),
        (&csv, columns.join(","), "E0116 1", " `column4`, …"),
        (&csv, wide(996), "E0116 1", "1001 columns, at most 1000 are read"),
        (&csv, format!("{text}{long},{CELLS}\n"), "E0102 3", "the row has 17 MiB, at most 16 are read"),
        (&json, format!("[{}]", rows.replacen("\n\n", ",\n\n", 1)), "E0102 3", "the row has 17 MiB"),
        (&ndjson, rows, "E0102 3", "the row has 17 MiB"),
    ] {
        let problem = self::fault(path, &text, &fault.replace(' ', &format!(" {path}:")));
        let (message, help) = (&problem.message, problem.help.unwrap_or_default());
        assert!(message.contains(shown) || help.contains(shown), "{shown}: {message} {help}");
        assert!(!fault.starts_with("E0116") || help.contains("`opdir import DATA --draft --from "), "{help}");
    }
}

/// The line that would be read, and the problem of its day.
fn day_problem(day: &str) -> (String, String) {
    let times = "2026-01-01T00:00:00Z,2026-01-01T00:00:00Z";
    let csv = format!("id,programId,label,createdAt,updatedAt,deadlineOn\n{ID},{ID},A,{times},{day}\n");
    let (tables, report) = tables_of("cycles.csv", csv.as_bytes());
    assert!(tables.cycles.is_empty(), "{day}");
    assert_eq!(found(&report), ["E0108 cycles.csv:2"], "{day}");
    let problem = report.sorted()[0].clone();
    (problem.message, problem.help.unwrap_or_default())
}

#[test]
fn a_day_with_an_hour_is_refused_with_both_days() {
    for (day, here, in_utc) in [
        ("2027-01-31T23:59:00-08:00", "2027-01-31 at its place", "2027-02-01 in UTC"),
        ("2027-01-31T00:30:00+05:30", "2027-01-31 at its place", "2027-01-30 in UTC"),
        ("2027-01-31T23:59:00[America/New_York]", "2027-01-31 at its place", "perhaps 2027-02-01 in UTC"),
        ("2027-01-31 09:00", "2027-01-31 at its place", "perhaps 2027-01-30 in UTC"),
    ] {
        let (message, help) = day_problem(day);
        assert!(message.contains(here) && message.contains(in_utc), "{message}");
        assert!(help.contains("`note`"), "{help}");
    }
    assert_eq!(day_problem("20270131").1, "write 2027-01-31");
    assert!(day_problem("31/01/2027").0.ends_with("expected a date such as 2026-01-31"));
}

/// Bytes that come close to what the parsers expect, and bytes that do not.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let short = [
        "\"", "\"\"", ",", "\n", "\r\n", "{", "}", "[", "]", ":", "id", "slug", "x_", "\"id\":", "null",
        "1e999", "-0", "\\u0000", "\\ud800", "\u{202e}", "ñ", "|", ";", " ", "\u{feff}",
    ];
    let long = ["2026-01-01T00:00:00Z", ID, HEADER, CELLS, ORGANIZATION];
    let tokens = prop::sample::select([&short[..], &long].concat());
    let near = prop::collection::vec(tokens, 0..40).prop_map(|tokens| tokens.concat().into_bytes());
    prop_oneof![prop::collection::vec(any::<u8>(), 0..200), near]
}

proptest! {
    #[test]
    fn no_bytes_make_reading_or_linking_panic(bytes in hostile()) {
        for name in ["organizations", "translations", "vocabulary", "facts"] {
            for format in ["csv", "ndjson", "json"] {
                let (tables, mut report) = tables_of(&format!("{name}.{format}"), &bytes);
                let directory = link(tables, &mut report);
                prop_assert!(directory.is_none() || report.error_count() == 0);
                report.print(crate::diagnostics::MessageFormat::Human, &mut Vec::new()).unwrap();
            }
        }
        let (tables, mut report) = read_all(&[("dataset.json", &bytes)]);
        prop_assert!(link(tables, &mut report).is_none());
    }
}
