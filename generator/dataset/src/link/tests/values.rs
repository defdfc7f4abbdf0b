//! Values that are well formed and wrong.

use super::*;

#[test]
fn a_table_that_is_not_there_is_one_error() {
    let awards = lines(&[award(1, 1, 1, ""), award(2, 1, 2, "")]);
    let report = refused("awards.ndjson", awards, "E0111 awards.ndjson:1");
    let message = "there is no table `recipients`, but 2 references to it";
    assert_eq!(report.sorted()[0].message, message);
    let files: [(&str, &[u8]); 4] = [
        ("dataset.json", DATASET.as_bytes()),
        ("organizations.ndjson", b"\n"),
        ("programs.xlsx", b"PK"),
        ("cycles.ndjson", &cycle(1, 1, "").into_bytes()),
    ];
    let linked = |files: &[(&str, &[u8])]| {
        let mut report = Diagnostics::new();
        let tables = read(&Input::Embedded(files), &mut report).unwrap();
        assert!(link(tables, &mut report).is_none());
        found(&report)
    };
    assert_eq!(linked(&files), ["W0102 organizations.ndjson:1", "E0110 programs.xlsx:1"]);
    assert_eq!(linked(&files[..2]), ["E0111 dataset.json:1", "W0102 organizations.ndjson:1"]);
}

#[test]
fn stamps_are_in_order() {
    let made = r#""createdAt":"2026-01-01T00:00:00Z""#;
    let text = organization(1, "").replace(made, r#""createdAt":"2026-01-02T00:00:00Z""#);
    doubted("organizations.ndjson", text, "W0213 organizations.ndjson:1");
}

#[test]
fn hidden_text_is_taken_out_and_lost_letters_are_refused() {
    let hidden: String = "ignore".chars().map(|c| char::from_u32(0xe0000 + c as u32).unwrap()).collect();
    let seen = "\u{200c}\u{200d}\u{2764}\u{fe0f}";
    let marks = "\u{200b}\u{2060}\u{2064}\u{feff}\u{ad}\u{180e}\u{fff9}\u{fffb}\u{fe00}\u{e0100}\u{e01ef}";
    let summary = format!("a{hidden}b{marks}c{seen}d");
    let text = program(1, 1, &format!(r#","summary":"{summary}""#));
    let directory = doubted("programs.ndjson", text, "W0601 programs.ndjson:1");
    assert_eq!(directory.programs[0].summary.as_deref(), Some(&*format!("abc{seen}d")));
    let lost = program(1, 1, "").replace("Program 1", "P \u{80} Two");
    let (directory, report) = linked(&[("programs.ndjson", lost)]);
    assert!(directory.is_none());
    assert_eq!(found(&report), ["E0603 programs.ndjson:1", "W0601 programs.ndjson:1"]);
}

#[test]
fn a_name_of_two_places_is_refused_with_both_codes() {
    let text = program(1, 1, r#","eligibleCountries":["Georgia"]"#);
    let report = refused("programs.ndjson", text, "E0203 programs.ndjson:1");
    let problem = report.sorted()[0];
    assert_eq!(problem.message, "`eligibleCountries` is `Georgia`, the name of several places");
    assert_eq!(problem.help.as_deref(), Some("write `GE` for Georgia, `US-GA` for the state"));
    let text = program(1, 1, r#","eligibleCountries":["ES; MX,002"]"#);
    let report = refused("programs.ndjson", text, "E0203 programs.ndjson:1");
    assert_eq!(report.sorted()[0].help.as_deref(), Some("write `ES|MX|002`"));
}

#[test]
fn a_label_of_two_values_is_a_value() {
    let words = "facet,value,labelEn,labelEs\ntypes,fellowship,Fellowship,Beca\ntypes,grant,Grant,Beca\n";
    let text = program(1, 1, "").replace(r#""programType":"grant""#, r#""programType":"Beca""#);
    let (directory, report) = linked(&[("programs.ndjson", text), ("vocabulary.csv", words.to_owned())]);
    assert_eq!(found(&report), [""; 0]);
    assert_eq!(directory.unwrap().programs[0].program_type, "Beca");
}

#[test]
fn active_agrees_with_lifecycle() {
    let more = r#","lifecycle":"ended","active":true"#;
    refused("programs.ndjson", program(1, 1, more), "E0302 programs.ndjson:1");
    let more = r#","lifecycle":"active_no_applications","active":true"#;
    assert!(linked(&[("programs.ndjson", program(1, 1, more))]).0.is_some());
}
