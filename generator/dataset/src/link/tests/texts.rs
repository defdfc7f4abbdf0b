//! Texts and addresses: bounded, mended, and refused where they cannot be.

use super::*;

#[test]
fn translations_are_of_known_texts_and_once() {
    let row = |field: &str| translation("program", &id('p', 1), &format!(r#""{field}":"A""#));
    refused("translations.ndjson", row("nmae"), "E0105 translations.ndjson:1");
    refused("translations.ndjson", lines(&[row("name"), row("summary")]), "E0505 translations.ndjson:2");
}

#[test]
fn traces_of_conversions_and_private_addresses_are_reported_and_published_as_they_are() {
    let directory =
        doubted("programs.ndjson", program(1, 1, ",\"summary\":\"#REF!\""), "W0609 programs.ndjson:1");
    assert_eq!(directory.programs[0].summary.as_deref(), Some("#REF!"));
    let text = program(1, 1, "").replace("https://example.org/1", "http://localhost:8080/1");
    doubted("programs.ndjson", text, "W0610 programs.ndjson:1");
}

#[test]
fn texts_are_bounded_and_languages_known() {
    let long = format!(r#","summary":"{}""#, "x".repeat(102_401));
    refused("programs.ndjson", program(1, 1, &long), "E0701 programs.ndjson:1");
    let (_, report) = linked(&[("programs.ndjson", program(1, 1, r#","language":"Spanish""#))]);
    assert_eq!(found(&report)[0], "E0206 programs.ndjson:1");
}

#[test]
fn an_optional_address_that_cannot_be_opened_is_left_out() {
    let text = organization(1, r#","websiteUrl":"http://Blog:example.org""#);
    let directory = doubted("organizations.ndjson", text, "W0604 organizations.ndjson:1");
    assert_eq!(directory.organizations[0].website_url, None);
}

#[test]
fn an_address_that_is_fine_stays_as_it_is_written() {
    let text = program(1, 1, "").replace("https://example.org/1", "HTTPS://Example.org/a%20b/../c");
    let (directory, report) = linked(&[("programs.ndjson", text)]);
    assert_eq!(found(&report), [""; 0]);
    assert_eq!(directory.unwrap().programs[0].official_url, "HTTPS://Example.org/a%20b/../c");
}

/// A record whose every text is given, so that a text left out of the table of texts shows.
#[test]
fn every_text_of_every_record_is_mended() {
    let dirty = r"\u202ex ";
    let texts =
        |names: &[&str]| -> String { names.iter().map(|name| format!(r#","{name}":"{dirty}""#)).collect() };
    let org = organization(1, &(texts(&["description"]) + &format!(r#","aliases":["{dirty}"]"#)));
    let lists = format!(r#","fields":["{dirty}"],"careerStages":["{dirty}"],"aliases":["{dirty}"]"#);
    let prog = program(1, 1, &(texts(&["summary", "description"]) + &lists)).replace("grant", dirty);
    let address = r#","url":"https://a.example""#.to_owned();
    let history =
        transition(1, 1, "unclear", "2026-01-01T00:00:00Z").replace('}', &(texts(&["reason"]) + "}"));
    let page = source(1, "program", &id('p', 1)).replace(r#""page""#, &format!(r#""{dirty}""#));
    let files = [
        ("organizations.ndjson", org),
        ("programs.ndjson", prog),
        ("cycles.ndjson", cycle(1, 1, "").replace("Season 1", dirty)),
        ("recipients.ndjson", recipient(1, &texts(&["biography"])).replace("Recipient 1", dirty)),
        ("awards.ndjson", award(1, 1, 1, &texts(&["projectTitle", "publicNotes"]))),
        ("facts.ndjson", fact(1, 1, &(r#""kind":"note""#.to_owned() + &texts(&["value", "label", "text"])))),
        ("leaders.ndjson", belonging('l', 1, &texts(&["name", "role"]))),
        ("channels.ndjson", belonging('h', 1, &(texts(&["kind", "label"]) + &address))),
        ("posts.ndjson", belonging('n', 1, &(texts(&["title", "summary"]) + &address))),
        ("lifecycle.ndjson", history),
        ("sources.ndjson", page.replace('}', &(texts(&["title", "publisher"]) + "}"))),
        ("translations.ndjson", translation("program", &id('p', 1), &format!(r#""name":"{dirty}""#))),
        ("vocabulary.ndjson", format!(r#"{{"facet":"topics"{}}}"#, texts(&["value", "labelEn", "labelEs"]))),
        ("synonyms.ndjson", format!(r#"{{"locale":"en","terms":["{dirty}","other"]}}"#)),
    ];
    let directory = linked(&files).0.unwrap();
    let everything = format!("{directory:?}");
    assert!(!everything.contains("u{202e}") && !everything.contains("x \""), "{everything}");
}
