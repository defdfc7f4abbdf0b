//! Values that are well formed and wrong.

use super::*;

fn one_fact(more: &str) -> String {
    fact(1, 1, more)
}

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
fn sums_are_possible_and_have_a_currency() {
    for sum in ["1e30", "0.004", "1e308"] {
        let more = format!(r#","fundingMaxUsd":{sum}"#);
        refused("programs.ndjson", program(1, 1, &more), "E0705 programs.ndjson:1");
        let more = format!(r#""kind":"note","amount":{sum},"currency":"USD""#);
        refused("facts.ndjson", one_fact(&more), "E0705 facts.ndjson:1");
    }
    refused("facts.ndjson", one_fact(r#""kind":"note","amount":1,"currency":"XXQ""#), "E0205 facts.ndjson:1");
    doubted("facts.ndjson", one_fact(r#""kind":"note","amount":1"#), "W0214 facts.ndjson:1");
    for sum in ["0", "0.01", "1e15"] {
        let (_, report) =
            linked(&[("programs.ndjson", program(1, 1, &format!(r#","fundingMaxUsd":{sum}"#)))]);
        assert_eq!(found(&report), [""; 0], "{sum}");
    }
}

#[test]
fn facts_are_of_a_known_kind_and_have_the_members_of_that_kind() {
    for kind in ["durationUnit", "openState", "field", "type", "lifecycle", "zodiac", "citizenships"] {
        let more = format!(r#""kind":"{kind}","value":"US""#);
        refused("facts.ndjson", one_fact(&more), "E0201 facts.ndjson:1");
    }
    refused("facts.ndjson", one_fact(r#""kind":"topic""#), "E0107 facts.ndjson:1");
    refused("facts.ndjson", one_fact(r#""kind":"country""#), "E0107 facts.ndjson:1");
    refused("facts.ndjson", one_fact(r#""kind":"note","unit":"day""#), "E0306 facts.ndjson:1");
    refused("facts.ndjson", one_fact(r#""kind":"funding","min":1000"#), "E0306 facts.ndjson:1");
    let good = r#""kind":"funding","amount":1000,"currency":"EUR""#;
    assert_eq!(found(&linked(&[("facts.ndjson", one_fact(good))]).1), [""; 0]);
}

#[test]
fn an_address_holds_no_password() {
    for address in ["https://me:secret@example.org/", "https://bank.example@evil.example/"] {
        let text = program(1, 1, "").replace("https://example.org/1", address);
        refused("programs.ndjson", text, "E0602 programs.ndjson:1");
        let more = format!(r#","websiteUrl":"{address}""#);
        refused("organizations.ndjson", organization(1, &more), "E0602 organizations.ndjson:1");
    }
}

#[test]
fn a_slug_is_not_the_name_of_another_page() {
    for slug in ["index", "404"] {
        let text = program(1, 1, "").replace("program-1", slug);
        refused("programs.ndjson", text, "E0212 programs.ndjson:1");
    }
    let text = program(1, 1, "").replace("program-1", "citation-index");
    assert_eq!(found(&linked(&[("programs.ndjson", text)]).1), [""; 0]);
}

#[test]
fn stamps_are_in_order_and_not_after_the_publication() {
    let made = r#""createdAt":"2026-01-01T00:00:00Z""#;
    let text = organization(1, "").replace(made, r#""createdAt":"2026-01-02T00:00:00Z""#);
    doubted("organizations.ndjson", text, "W0213 organizations.ndjson:1");
    let later = |row: String| row.replace(r#""updatedAt":"2026-01-01"#, r#""updatedAt":"2026-06-02"#);
    let rows = lines(&[program(1, 1, ""), later(program(2, 1, "")), later(program(3, 1, ""))]);
    let (_, report) = linked(&[("programs.ndjson", rows)]);
    assert_eq!(found(&report), ["W0304 programs.ndjson:2"]);
    assert!(report.sorted()[0].message.starts_with("2 rows of programs "), "{}", report.sorted()[0].message);
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
fn utf_8_that_was_read_as_latin_1_is_read_right() {
    let text = program(1, 1, "").replace("Program 1", "world\u{e2}\u{80}\u{99}s");
    let directory = doubted("programs.ndjson", text, "W0606 programs.ndjson:1");
    assert_eq!(directory.programs[0].name, "world’s");
}

#[test]
fn markup_and_encoding_errors_are_reported() {
    let text = program(1, 1, r#","summary":"a <b>b</b>""#);
    let directory = doubted("programs.ndjson", text, "W0607 programs.ndjson:1");
    assert_eq!(directory.programs[0].summary.as_deref(), Some("a <b>b</b>"));
    let many: Vec<String> = (1..=12)
        .map(|n| {
            let kind = if n == 12 { "fellowhsip" } else { "fellowship" };
            program(n, 1, "").replace(r#""programType":"grant""#, &format!(r#""programType":"{kind}""#))
        })
        .collect();
    let (_, report) = linked(&[("programs.ndjson", lines(&many))]);
    assert_eq!(found(&report), ["W0402 programs.ndjson:12"]);
    let meant = ("vocabulary.csv", "facet,value\ntypes,fellowhsip\n".to_owned());
    assert_eq!(found(&linked(&[("programs.ndjson", lines(&many)), meant]).1), [""; 0]);
}

#[test]
fn places_are_codes_and_the_name_of_one_is_an_error_with_its_code() {
    refused(
        "organizations.ndjson",
        organization(1, r#","countryCode":"002""#),
        "E0203 organizations.ndjson:1",
    );
    refused(
        "organizations.ndjson",
        organization(1, r#","countryCode":"Africa""#),
        "E0203 organizations.ndjson:1",
    );
    refused("facts.ndjson", fact(1, 1, r#""kind":"residence","value":"ZZ-1""#), "E0203 facts.ndjson:1");
    let good = r#","eligibleCountries":["KE","002","US-PA"]"#;
    assert!(linked(&[("programs.ndjson", program(1, 1, good))]).0.is_some());
    let named = r#","eligibleCountries":["KE","España","UK"]"#;
    let (directory, report) = linked(&[("programs.ndjson", program(1, 1, named))]);
    assert!(directory.is_none());
    assert_eq!(found(&report), ["E0203 programs.ndjson:1", "E0203 programs.ndjson:1"]);
    let helps: Vec<&str> = report.sorted().iter().filter_map(|it| it.help.as_deref()).collect();
    assert_eq!(helps, ["write `ES`", "write `GB`"]);
    let fact = fact(1, 1, r#""kind":"residence","value":"Kenya""#);
    let report = refused("facts.ndjson", fact, "E0203 facts.ndjson:1");
    assert_eq!(report.sorted()[0].message, "`value` is `Kenya`, the name of a place");
    assert_eq!(report.sorted()[0].help.as_deref(), Some("write `KE`"));
}

#[test]
fn a_name_of_two_places_is_refused_with_both_codes() {
    let report = refused(
        "programs.ndjson",
        program(1, 1, r#","eligibleCountries":["Georgia"]"#),
        "E0203 programs.ndjson:1",
    );
    let problem = report.sorted()[0];
    assert_eq!(problem.message, "`eligibleCountries` is `Georgia`, the name of several places");
    assert_eq!(problem.help.as_deref(), Some("write `GE` for Georgia, `US-GA` for the state"));
}

#[test]
fn a_label_in_place_of_its_value_is_an_error_and_a_label_of_two_values_is_a_value() {
    let words = "facet,value,labelEn,labelEs\ntypes,fellowship,Fellowship,Beca\ntypes,grant,Grant,Beca\n";
    let named = |word: &str| {
        let text =
            program(1, 1, "").replace(r#""programType":"grant""#, &format!(r#""programType":"{word}""#));
        linked(&[("programs.ndjson", text), ("vocabulary.csv", words.to_owned())])
    };
    let (directory, report) = named("Fellowship");
    assert_eq!(found(&report), ["E0213 programs.ndjson:1"]);
    assert!(directory.is_none());
    assert_eq!(report.sorted()[0].message, "`programType` is `Fellowship`, the label of a value");
    assert_eq!(report.sorted()[0].help.as_deref(), Some("write `fellowship`"));
    let (directory, report) = named("Beca");
    assert_eq!(found(&report), [""; 0]);
    assert_eq!(directory.unwrap().programs[0].program_type, "Beca");
}

#[test]
fn an_address_without_a_scheme_is_an_error_with_the_likely_one() {
    let with = |address: &str| program(1, 1, "").replace("https://example.org/1", address);
    for (bad, help) in [
        ("www.uno.example/a?b=c", Some("perhaps `https://www.uno.example/a?b=c`")),
        ("uno.example", Some("perhaps `https://uno.example`")),
        ("www", None),
        ("www.uno.example and more", None),
        ("mailto:me@uno.example", None),
    ] {
        let report = refused("programs.ndjson", with(bad), "E0601 programs.ndjson:1");
        assert_eq!(report.sorted()[0].help.as_deref(), help, "{bad}");
    }
}

#[test]
fn intervals_ages_years_units_and_sums_are_possible() {
    let program = |more: &str| program(1, 1, more);
    refused(
        "programs.ndjson",
        program(r#","fundingMinUsd":30000,"fundingMaxUsd":12000"#),
        "E0301 programs.ndjson:1",
    );
    refused("programs.ndjson", program(r#","fundingMinUsd":-1"#), "E0704 programs.ndjson:1");
    let fact = |more: &str| fact(1, 1, more);
    refused("facts.ndjson", fact(r#""kind":"age","min":30,"max":18"#), "E0301 facts.ndjson:1");
    refused("facts.ndjson", fact(r#""kind":"age","max":1990"#), "E0702 facts.ndjson:1");
    refused("facts.ndjson", fact(r#""kind":"age","min":-1"#), "E0702 facts.ndjson:1");
    refused("facts.ndjson", fact(r#""kind":"duration","min":1,"unit":"mounth""#), "E0204 facts.ndjson:1");
    refused("facts.ndjson", fact(r#""kind":"duration","min":1"#), "E0204 facts.ndjson:1");
    refused("facts.ndjson", fact(r#""kind":"note","amount":1,"currency":"euro""#), "E0205 facts.ndjson:1");
    let year = award(1, 1, 1, r#","awardYear":20019"#);
    let (_, report) = linked(&[("awards.ndjson", year), ("recipients.ndjson", recipient(1, ""))]);
    assert_eq!(found(&report), ["E0703 awards.ndjson:1"]);
}

#[test]
fn active_agrees_with_lifecycle() {
    let more = r#","lifecycle":"ended","active":true"#;
    refused("programs.ndjson", program(1, 1, more), "E0302 programs.ndjson:1");
    let more = r#","lifecycle":"active_no_applications","active":true"#;
    assert!(linked(&[("programs.ndjson", program(1, 1, more))]).0.is_some());
}
