//! Texts, addresses and other values: mended, and refused where they cannot be.

use super::*;

#[test]
fn texts_are_bounded_known_and_refused_where_they_cannot_be_mended() {
    let row = |field: &str| translation("program", &id('p', 1), &format!(r#""{field}":"A""#));
    let term = r#"{"facet":"topics","value":"a"}"#;
    let other = recipient(2, "").replace("recipient-2", "recipient-1");
    let long = format!(r#","summary":"{}""#, "x".repeat(102_401));
    for (path, text, fault) in [
        ("translations.ndjson", row("nmae"), "E0105:1"),
        ("translations.ndjson", lines(&[row("name"), row("summary")]), "E0505:2"),
        ("programs.ndjson", program(1, 1, &long), "E0701:1"),
        ("programs.ndjson", program(1, 1, r#","lifecycle":"ended","active":true"#), "E0302:1"),
        ("recipients.json", format!("[{},{other}]", recipient(1, "")), "E0502:1"),
        ("vocabulary.json", format!("[{term},{term}]"), "E0505:1"),
    ] {
        refused(path, text, &fault.replace(':', &format!(" {path}:")));
    }
    let list = program(1, 1, r#","eligibleCountries":["ES; MX,002"]"#);
    let report = refused("programs.ndjson", list, "E0203 programs.ndjson:1");
    assert_eq!(report.sorted()[0].help.as_deref(), Some("write `ES|MX|002`"));
    for (address, better) in [
        ("//o.example/3", Some("perhaps `https://o.example/3`")),
        ("https//foo.org", Some("perhaps `https://foo.org`")),
        ("foo.org/@us", Some("perhaps `https://foo.org/@us`")),
        ("a@b.example", None),
        ("mailto:a@b.example", None),
        ("notes/a.pdf", None),
    ] {
        let row = program(1, 1, "").replace("https://example.org/1", address);
        let report = refused("programs.ndjson", row, "E0601 programs.ndjson:1");
        assert_eq!(report.sorted()[0].help.as_deref(), better, "{address}");
    }
    let (_, report) = linked(&[("programs.ndjson", program(1, 1, r#","language":"Spanish""#))]);
    assert_eq!(found(&report)[0], "E0206 programs.ndjson:1");
}

#[test]
fn what_is_doubtful_is_published_as_it_is_written() {
    let at = |address: &str| program(1, 1, "").replace("https://example.org/1", address);
    let more = r##","summary":"#REF!","lifecycle":"active_no_applications","active":true"##;
    let made = r#""createdAt":"2026-01-01T00:00:00Z""#;
    let reversed = organization(1, "").replace(made, r#""createdAt":"2026-01-02T00:00:00Z""#);
    for (path, text, expected, kept) in [
        ("programs.ndjson", program(1, 1, more), &["W0609 programs.ndjson:1"][..], "#REF!"),
        ("programs.ndjson", at("http://localhost/"), &["W0610 programs.ndjson:1"], "http://localhost/"),
        ("programs.ndjson", at("HTTPS://Example.org/a%20b/../c"), &[], "HTTPS://Example.org/a%20b/../c"),
        ("organizations.ndjson", reversed, &["W0213 organizations.ndjson:1"], "2026-01-02T00:00:00Z"),
    ] {
        let (directory, report) = linked(&[(path, text)]);
        assert_eq!(found(&report), expected);
        assert!(format!("{:?}", directory.unwrap()).contains(kept), "{kept}");
    }
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
fn a_label_of_two_values_is_a_value() {
    let words = "facet,value,labelEn,labelEs\ntypes,fellowship,Fellowship,Beca\ntypes,grant,Grant,Beca\n";
    let text = program(1, 1, "").replace(r#""programType":"grant""#, r#""programType":"Beca""#);
    let (directory, report) = linked(&[("programs.ndjson", text), ("vocabulary.csv", words.to_owned())]);
    assert_eq!(found(&report), [""; 0]);
    assert_eq!(directory.unwrap().programs[0].program_type, "Beca");
}
