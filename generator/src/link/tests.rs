//! One fault a test: which rule, at which line; and what a sound dataset becomes.

use std::path::PathBuf;
use std::time::Instant;

use super::*;
use crate::diagnostics::{Code, MessageFormat};
use crate::read::{Input, read};

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

fn transition(number: u32, program: u32, to: &str, at: &str) -> String {
    let (id, of) = (id('t', number), id('p', program));
    format!(r#"{{"id":"{id}","programId":"{of}","toLifecycle":"{to}","observedAt":"{at}"}}"#)
}

/// Files of one dataset; `dataset.json`, an organization and a program are there unless given.
fn linked(files: &[(&str, String)]) -> (Option<Directory>, Diagnostics) {
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
    let mut report = Diagnostics::new();
    let tables = read(&Input::Embedded(&files), &mut report).unwrap();
    let directory = link(tables, &mut report);
    (directory, report)
}

/// What was found: `E0401 cycles.ndjson:2`.
fn found(report: &Diagnostics) -> Vec<String> {
    let line = |d: &&crate::diagnostics::Diagnostic| {
        format!("{} {}:{}", d.code.id(), report.file_name(d.at.file), d.at.line)
    };
    told(report).iter().map(line).collect()
}

/// What was reported, but for texts that the small records here have in no other language.
fn told(report: &Diagnostics) -> Vec<&crate::diagnostics::Diagnostic> {
    report.sorted().into_iter().filter(|d| d.code != Code::MissingTranslation).collect()
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
fn dataset_must_carry_the_version_licence_and_its_default_language() {
    let dataset = |from: &str, to: &str| DATASET.replace(from, to);
    refused("dataset.json", dataset(r#"Version":"1""#, r#"Version":"2""#), "E0209 dataset.json:1");
    refused("dataset.json", dataset("CC BY 4.0", "CC0"), "E0208 dataset.json:1");
    let (_, report) = linked(&[("dataset.json", dataset(r#"["en","es"]"#, r#"["en"]"#))]);
    assert_eq!(found(&report)[0], "E0210 dataset.json:1");
}

#[test]
fn ids_and_slugs_are_unique() {
    let twice = lines(&[program(1, 1, ""), program(1, 1, "").replace("program-1", "other")]);
    let (_, report) = linked(&[("programs.ndjson", twice)]);
    assert_eq!(found(&report), ["E0501 programs.ndjson:2", "W0401 programs.ndjson:2"]);
    let twice = lines(&[program(1, 1, ""), program(2, 1, "").replace("program-2", "program-1")]);
    let report = refused("programs.ndjson", twice, "E0502 programs.ndjson:2");
    assert!(told(&report)[0].message.ends_with("see programs.ndjson:1"));
    let channel = format!(
        r#"{{"id":"{}","organizationId":"{}","kind":"website","url":"https://a.example"}}"#,
        id('h', 1),
        id('o', 1)
    );
    refused("channels.ndjson", lines(&[channel.clone(), channel]), "E0501 channels.ndjson:2");
}

#[test]
fn slugs_have_the_normal_form() {
    for bad in ["Ocean", "ocean_fellows", "ocean--fellows", "-ocean", "año", &"x".repeat(201)] {
        let text = program(1, 1, "").replace("program-1", bad);
        refused("programs.ndjson", text, "E0202 programs.ndjson:1");
    }
    let report = refused(
        "programs.ndjson",
        program(1, 1, "").replace("program-1", "Año_Nuevo"),
        "E0202 programs.ndjson:1",
    );
    assert_eq!(told(&report)[0].help.as_deref(), Some("write it as `ano-nuevo`"));
}

#[test]
fn aliases_lead_from_free_slugs_to_records_that_have_one() {
    let alias = |slug: &str, kind: &str, of: &str| format!("{kind},{of},{slug}");
    let csv = |rows: &[String]| format!("entityType,entityId,slug\n{}\n", rows.join("\n"));
    let org = id('o', 1);
    let good = alias("acme", "organization", &org);
    refused("aliases.csv", csv(&[alias("org-1", "organization", &org)]), "E0503 aliases.csv:2");
    refused("aliases.csv", csv(&[good.clone(), good.clone()]), "E0504 aliases.csv:3");
    refused("aliases.csv", csv(&[alias("ACME", "organization", &org)]), "E0202 aliases.csv:2");
    let cycles = ("cycles.ndjson", cycle(1, 1, ""));
    let aliases = ("aliases.csv", csv(&[alias("x", "cycle", &id('c', 1))]));
    assert_eq!(found(&linked(&[cycles, aliases]).1), ["E0305 aliases.csv:2"]);
    let directory = linked(&[("aliases.csv", csv(&[good, alias("program-1x", "program", &id('p', 1))]))]).0;
    let directory = directory.unwrap();
    assert_eq!(directory.organization_links[0].aliases, [0]);
    assert_eq!(directory.aliases[0].slug, "acme");
}

#[test]
fn references_lead_to_rows() {
    let nobody = id('x', 9);
    refused("programs.ndjson", program(1, 9, ""), "E0401 programs.ndjson:1");
    refused("cycles.ndjson", lines(&[cycle(1, 1, ""), cycle(2, 9, "")]), "E0401 cycles.ndjson:2");
    refused("awards.ndjson", award(1, 1, 9, ""), "E0111 awards.ndjson:1");
    refused("sources.ndjson", source(1, "fact", &nobody), "E0111 sources.ndjson:1");
    let cited = format!(r#""kind":"note","sourceId":"{nobody}""#);
    refused("facts.ndjson", fact(1, 1, &cited), "E0111 facts.ndjson:1");
    let season = format!(r#""kind":"note","cycleId":"{nobody}""#);
    refused("facts.ndjson", fact(1, 1, &season), "E0111 facts.ndjson:1");
    let history = transition(1, 9, "unclear", "2026-01-01T00:00:00Z");
    refused("lifecycle.ndjson", history, "E0401 lifecycle.ndjson:1");
    refused("aliases.csv", format!("entityType,entityId,slug\nprogram,{nobody},a\n"), "E0401 aliases.csv:2");
    let leader = format!("id,organizationId,name\n{},{nobody},A\n", id('l', 1));
    refused("leaders.csv", leader, "E0401 leaders.csv:2");
    let post = format!("id,organizationId,title,url\n{},{nobody},A,https://a.example\n", id('n', 1));
    refused("posts.csv", post, "E0401 posts.csv:2");
    let translation = format!(
        r#"{{"entityType":"award","entityId":"{nobody}","locale":"es","fields":{{"projectTitle":"A"}}}}"#
    );
    refused("translations.ndjson", translation, "E0111 translations.ndjson:1");
    refused("vocabulary.csv", "facet,value,broader\ntopics,a,b\n".to_owned(), "E0401 vocabulary.csv:2");
}

#[test]
fn a_reference_into_the_wrong_table_says_where_the_id_is() {
    let astray = source(1, "organization", &id('p', 1));
    let report = refused("sources.ndjson", astray, "E0401 sources.ndjson:1");
    assert_eq!(told(&report)[0].help.as_deref(), Some("a record with this id is in programs"));
}

#[test]
fn rows_lost_to_errors_do_not_make_references_dangle() {
    let broken = program(1, 1, "").replace("unclear", "unclera");
    let (_, report) = linked(&[("programs.ndjson", broken), ("cycles.ndjson", cycle(1, 1, ""))]);
    assert_eq!(found(&report), ["E0201 programs.ndjson:1"]);
}

#[test]
fn a_season_is_of_the_program_it_is_named_with() {
    let programs = ("programs.ndjson", lines(&[program(1, 1, ""), program(2, 1, "")]));
    let cycles = ("cycles.ndjson", cycle(1, 2, ""));
    let season = format!(r#""kind":"note","cycleId":"{}""#, id('c', 1));
    let (_, report) = linked(&[programs, cycles, ("facts.ndjson", fact(1, 1, &season))]);
    assert_eq!(found(&report), ["E0303 facts.ndjson:1"]);
}

#[test]
fn a_vocabulary_has_known_facets_no_repetition_and_no_loop() {
    let csv = |rows: &str| format!("facet,value,broader\n{rows}");
    refused("vocabulary.csv", csv("topic,a,\n"), "E0207 vocabulary.csv:2");
    refused("vocabulary.csv", csv("topics,a,\ntopics,a,\n"), "E0505 vocabulary.csv:3");
    let (_, report) = linked(&[("vocabulary.csv", csv("topics,a,b\ntopics,b,a\ntopics,c,\n"))]);
    assert_eq!(found(&report), ["E0304 vocabulary.csv:2", "E0304 vocabulary.csv:3"]);
}

#[test]
fn translations_are_of_known_texts_and_once() {
    let row = |field: &str| {
        let of = id('p', 1);
        format!(r#"{{"entityType":"program","entityId":"{of}","locale":"es","fields":{{"{field}":"A"}}}}"#)
    };
    refused("translations.ndjson", row("nmae"), "E0105 translations.ndjson:1");
    refused("translations.ndjson", lines(&[row("name"), row("summary")]), "E0505 translations.ndjson:2");
}

#[test]
fn addresses_are_http_urls() {
    for bad in ["www.example.org", "javascript:alert(1)", "ftp://example.org", "https://", "mailto:a@b.c"] {
        let text = program(1, 1, "").replace("https://example.org/1", bad);
        refused("programs.ndjson", text, "E0601 programs.ndjson:1");
    }
    let text = program(1, 1, "").replace("https://example.org/1", "www.example.org");
    let report = refused("programs.ndjson", text, "E0601 programs.ndjson:1");
    assert_eq!(told(&report)[0].help.as_deref(), Some("perhaps `https://www.example.org`"));
}

#[test]
fn places_are_codes() {
    refused(
        "organizations.ndjson",
        organization(1, r#","countryCode":"UK""#),
        "E0203 organizations.ndjson:1",
    );
    refused(
        "organizations.ndjson",
        organization(1, r#","countryCode":"002""#),
        "E0203 organizations.ndjson:1",
    );
    refused(
        "programs.ndjson",
        program(1, 1, r#","eligibleCountries":["KE","Kenya"]"#),
        "E0203 programs.ndjson:1",
    );
    refused("facts.ndjson", fact(1, 1, r#""kind":"residence","value":"ZZ-1""#), "E0203 facts.ndjson:1");
    let good = r#","eligibleCountries":["KE","002","US-PA"]"#;
    assert!(linked(&[("programs.ndjson", program(1, 1, good))]).0.is_some());
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

#[test]
fn texts_are_bounded_and_required_ones_not_blank() {
    let long = format!(r#","summary":"{}""#, "x".repeat(102_401));
    refused("programs.ndjson", program(1, 1, &long), "E0701 programs.ndjson:1");
    let blank = program(1, 1, "").replace("Program 1", " ");
    refused("programs.ndjson", blank, "E0107 programs.ndjson:1");
    let (_, report) = linked(&[("programs.ndjson", program(1, 1, r#","language":"Spanish""#))]);
    assert_eq!(found(&report)[0], "E0206 programs.ndjson:1");
}

#[test]
fn controls_spaces_and_foreign_letters_in_addresses_are_mended() {
    let text = program(1, 1, r#","summary":"a\u0000b\u009dc\u202ed\u007fe\tf""#);
    let directory = doubted("programs.ndjson", text, "W0601 programs.ndjson:1");
    assert_eq!(directory.programs[0].summary.as_deref(), Some("abcde\tf"));
    let text = program(1, 1, r#","summary":" a b\n""#);
    let directory = doubted("programs.ndjson", text, "W0603 programs.ndjson:1");
    assert_eq!(directory.programs[0].summary.as_deref(), Some("a b"));
    let text = program(1, 1, "").replace("https://example.org/1", "https://example.org/año?q=a|b c");
    let directory = doubted("programs.ndjson", text, "W0602 programs.ndjson:1");
    assert_eq!(directory.programs[0].official_url, "https://example.org/a%C3%B1o?q=a%7Cb%20c");
}

#[test]
fn an_optional_address_that_cannot_be_opened_is_left_out() {
    let text = organization(1, r#","websiteUrl":"http://Blog:example.org""#);
    let directory = doubted("organizations.ndjson", text, "W0604 organizations.ndjson:1");
    assert_eq!(directory.organizations[0].website_url, None);
    let text = organization(1, r#","websiteUrl":"javascript:1""#);
    refused("organizations.ndjson", text, "E0601 organizations.ndjson:1");
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
    let leader =
        format!(r#"{{"id":"{}","organizationId":"{}"{}}}"#, id('l', 1), id('o', 1), texts(&["name", "role"]));
    let channel = format!(
        r#"{{"id":"{}","organizationId":"{}","url":"https://a.example"{}}}"#,
        id('h', 1),
        id('o', 1),
        texts(&["kind", "label"])
    );
    let post = format!(
        r#"{{"id":"{}","organizationId":"{}","url":"https://a.example"{}}}"#,
        id('n', 1),
        id('o', 1),
        texts(&["title", "summary"])
    );
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
        ("leaders.ndjson", leader),
        ("channels.ndjson", channel),
        ("posts.ndjson", post),
        ("lifecycle.ndjson", history),
        ("sources.ndjson", page.replace('}', &(texts(&["title", "publisher"]) + "}"))),
        (
            "translations.ndjson",
            format!(
                r#"{{"entityType":"program","entityId":"{}","locale":"es","fields":{{"name":"{dirty}"}}}}"#,
                id('p', 1)
            ),
        ),
        ("vocabulary.ndjson", format!(r#"{{"facet":"topics"{}}}"#, texts(&["value", "labelEn", "labelEs"]))),
        ("synonyms.ndjson", format!(r#"{{"locale":"en","terms":["{dirty}","other"]}}"#)),
    ];
    let directory = linked(&files).0.unwrap();
    let everything = format!("{directory:?}");
    assert!(!everything.contains("u{202e}") && !everything.contains("x \""), "{everything}");
}

#[test]
fn doubtful_dates_are_told_and_kept() {
    let season = |more: &str| cycle(1, 1, more);
    let directory = doubted(
        "cycles.ndjson",
        season(r#","opensOn":"2026-09-01","deadlineOn":"2026-08-01""#),
        "W0201 cycles.ndjson:1",
    );
    assert_eq!(directory.cycles[0].opens_on, Some(jiff::civil::date(2026, 9, 1)));
    doubted("cycles.ndjson", season(r#","deadlineOn":"9999-12-31""#), "W0202 cycles.ndjson:1");
    doubted("cycles.ndjson", season(r#","startsOn":"1970-01-01""#), "W0202 cycles.ndjson:1");
    let over = r#","deadlineOn":"2026-05-31","status":"open""#;
    doubted("cycles.ndjson", season(over), "W0203 cycles.ndjson:1");
    let later = r#","opensOn":"2026-06-02","status":"open""#;
    doubted("cycles.ndjson", season(later), "W0203 cycles.ndjson:1");
    let fits = r#","deadlineOn":"2026-07-31","status":"upcoming""#;
    assert_eq!(found(&linked(&[("cycles.ndjson", season(fits))]).1), [""; 0]);
}

#[test]
fn doubts_about_programs_are_told() {
    let accepting = ("programs.ndjson", program(1, 1, r#","lifecycle":"active_accepting""#));
    let over = ("cycles.ndjson", cycle(1, 1, r#","deadlineOn":"2026-05-31""#));
    assert_eq!(found(&linked(&[accepting.clone(), over]).1), ["W0204 programs.ndjson:1"]);
    let history = lines(&[
        transition(1, 1, "ended", "2026-02-01T00:00:00Z"),
        transition(2, 1, "active_accepting", "2026-01-01T00:00:00Z"),
    ]);
    assert_eq!(found(&linked(&[accepting, ("lifecycle.ndjson", history)]).1), ["W0205 programs.ndjson:1"]);
    doubted("programs.ndjson", program(1, 1, r#","fields":["a|b"]"#), "W0206 programs.ndjson:1");
    let twins = lines(&[program(1, 1, ""), program(2, 1, "").replace("Program 2", "PROGRÁM  1")]);
    doubted("programs.ndjson", twins, "W0401 programs.ndjson:2");
    doubted("programs.ndjson", program(1, 1, r#","publication":"draft""#), "W0103 dataset.json:1");
}

#[test]
fn a_wage_that_stands_for_the_whole_sum_is_told() {
    let pays = |more: &str| program(1, 1, more);
    let wage = r#","fundingMinUsd":20,"fundingMaxUsd":25"#;
    let described = format!(r#"{wage},"description":"Amount: $20-$25/hour, 10-week summer term""#);
    doubted("programs.ndjson", pays(&described), "W0305 programs.ndjson:1");
    let stated = r#""kind":"benefit","value":"stipend","text":"25 USD a la semana""#;
    let rows = [("programs.ndjson", pays(wage)), ("facts.ndjson", fact(1, 1, stated))];
    assert_eq!(found(&linked(&rows).1), ["W0305 programs.ndjson:1"]);
    for sum in [
        r#","fundingMaxUsd":25,"description":"US$25 for each book, read within months""#,
        r#","fundingMaxUsd":10,"description":"A 10-week term""#,
        r#","fundingMaxUsd":2000,"description":"US$2,000 per month""#,
    ] {
        assert_eq!(found(&linked(&[("programs.ndjson", pays(sum))]).1), [""; 0], "{sum}");
    }
}

#[test]
fn records_that_are_younger_than_the_publication_are_told_once_a_table() {
    let updated = |text: String, at: &str| text.replace(r#""updatedAt":"2026-01-01T00:00:00Z""#, at);
    let same = r#""updatedAt":"2026-06-01T00:00:00Z""#;
    let late = r#""updatedAt":"2999-01-01T00:00:00Z""#;
    let rows = [
        updated(program(1, 1, ""), same),
        updated(program(2, 1, ""), late),
        updated(program(3, 1, ""), late),
    ];
    let files =
        [("programs.ndjson", rows.join("\n")), ("organizations.ndjson", updated(organization(1, ""), late))];
    let (_, report) = linked(&files);
    let told: Vec<String> = found(&report).into_iter().filter(|it| it.starts_with("W0304")).collect();
    assert_eq!(told, ["W0304 organizations.ndjson:1", "W0304 programs.ndjson:2"]);
    let (_, report) = linked(&[("programs.ndjson", updated(program(1, 1, ""), same))]);
    assert_eq!(found(&report), [""; 0]);
}

#[test]
fn stale_checks_and_missing_translations_are_told_once() {
    let checked = |number, day: &str| program(number, 1, &format!(r#","sourceCheckedAt":"{day}T00:00:00Z""#));
    let rows = [checked(1, "2025-05-31"), checked(2, "2024-01-01"), checked(3, "2025-06-01")].join("\n");
    let (_, report) = linked(&[("programs.ndjson", rows)]);
    assert_eq!(found(&report), ["W0301 programs.ndjson:1"]);
    assert!(told(&report)[0].message.starts_with("2 of 3 programs "));
    let rows = [program(1, 1, ""), program(2, 1, r#","language":"es""#), program(3, 1, "")].join("\n");
    let spanish = format!(
        r#"{{"entityType":"program","entityId":"{}","locale":"es","fields":{{"name":"Uno"}}}}"#,
        id('p', 1)
    );
    let files = [("programs.ndjson", rows), ("translations.ndjson", spanish)];
    let (_, report) = linked(&files);
    let messages: Vec<String> = report.sorted().iter().map(|d| d.message.clone()).collect();
    assert_eq!(
        messages,
        [
            "1 of 1 organization have no text in `es`",
            "1 of 3 programs have no text in `en`",
            "1 of 3 programs have no text in `es`"
        ]
    );
    let places = ["W0302 organizations.ndjson:1", "W0302 programs.ndjson:2", "W0302 programs.ndjson:3"];
    let found = report.sorted();
    let found =
        found.iter().map(|d| format!("{} {}:{}", d.code.id(), report.file_name(d.at.file), d.at.line));
    assert_eq!(found.collect::<Vec<_>>(), places);
}

/// A canary stands in whatever may not be published.
fn tables_with_drafts() -> Vec<(&'static str, String)> {
    let draft = r#","description":"canary","publication":"draft""#;
    let canary = r#""kind":"note","text":"canary""#;
    let of_draft_season = format!(r#"{canary},"cycleId":"{}""#, id('c', 3));
    let mut tables = vec![
        ("organizations.ndjson", lines(&[organization(1, ""), organization(2, draft)])),
        (
            "programs.ndjson",
            [program(1, 1, ""), program(2, 1, draft), program(3, 2, r#","summary":"canary""#)].join("\n"),
        ),
        (
            "cycles.ndjson",
            [
                cycle(1, 1, ""),
                cycle(2, 3, "").replace("Season", "canary"),
                cycle(3, 1, r#","publication":"draft""#).replace("Season", "canary"),
            ]
            .join("\n"),
        ),
        (
            "facts.ndjson",
            [
                fact(1, 1, r#""kind":"note","text":"kept""#),
                fact(2, 2, canary),
                fact(3, 1, &of_draft_season),
                fact(4, 1, &format!(r#"{canary},"status":"proposed""#)),
                fact(5, 1, &format!(r#"{canary},"status":"rejected""#)),
                fact(6, 1, &format!(r#"{canary},"publication":"withdrawn""#)),
            ]
            .join("\n"),
        ),
        (
            "recipients.ndjson",
            lines(&[recipient(1, ""), recipient(2, r#","biography":"canary","publication":"withdrawn""#)]),
        ),
        (
            "awards.ndjson",
            [
                award(1, 1, 1, &format!(r#","cycleId":"{}""#, id('c', 3))),
                award(2, 1, 2, r#","projectTitle":"canary""#),
                award(3, 2, 1, r#","projectTitle":"canary""#),
            ]
            .join("\n"),
        ),
    ];
    tables.extend(said_of_drafts());
    tables
}

/// The same in what is said of records elsewhere.
fn said_of_drafts() -> Vec<(&'static str, String)> {
    let translation = |kind: &str, of: String| {
        format!(r#"{{"entityType":"{kind}","entityId":"{of}","locale":"es","fields":{{"name":"canary"}}}}"#)
    };
    vec![
        ("sources.ndjson", source(1, "program", &id('p', 2)).replace("page", "canary")),
        (
            "translations.ndjson",
            lines(&[translation("program", id('p', 2)), translation("organization", id('o', 2))]),
        ),
        (
            "aliases.ndjson",
            format!(r#"{{"entityType":"program","entityId":"{}","slug":"canary"}}"#, id('p', 3)),
        ),
        (
            "vocabulary.csv",
            "facet,value,broader,publication\ntopics,a,canary,\ntopics,canary,,draft\n".into(),
        ),
    ]
}

#[test]
fn drafts_and_what_belongs_to_them_never_leave() {
    let (directory, report) = linked(&tables_with_drafts());
    assert_eq!(found(&report), [""; 0]);
    let directory = directory.unwrap();
    assert!(!format!("{directory:?}").contains("canary"));
    assert_eq!(directory.facts.len(), 1);
    assert_eq!(directory.awards.len(), 1);
    assert_eq!(directory.awards[0].cycle_id, None);
    assert_eq!(
        report.notes(),
        ["left out, with what belongs to it: organizations 1 (1 draft), programs 2 (1 draft), \
          cycles 2 (1 draft), awards 2, recipients 1 (1 withdrawn), sources 1, \
          facts 5 (1 withdrawn, 2 not approved), aliases 1, translations 2, vocabulary 1 (1 draft)"]
    );
}

#[test]
fn rejected_facts_leave_no_trace_in_references() {
    let source_of_rejected = source(1, "fact", &id('f', 2));
    let citing = format!(r#""kind":"note","sourceId":"{}""#, id('s', 1));
    let files = [
        ("facts.ndjson", lines(&[fact(1, 1, &citing), fact(2, 1, r#""kind":"note","status":"rejected""#)])),
        ("sources.ndjson", source_of_rejected),
    ];
    let directory = linked(&files).0.unwrap();
    assert_eq!(directory.facts[0].source_id, None);
    assert!(directory.sources.is_empty());
}

/// Rows whose order is not that of their ids.
fn tables_out_of_order() -> Vec<(&'static str, String)> {
    let year = |year: i32| format!(r#","awardYear":{year}"#);
    let due = |day: &str| format!(r#","deadlineOn":"{day}""#);
    let mut tables = vec![
        (
            "programs.ndjson",
            lines(&[
                program(2, 1, "").replace("Program 2", "A"),
                program(1, 1, "").replace("Program 1", "B"),
            ]),
        ),
        (
            "cycles.ndjson",
            [cycle(3, 1, ""), cycle(2, 1, &due("2026-07-01")), cycle(1, 1, &due("2026-08-01"))].join("\n"),
        ),
        (
            "facts.ndjson",
            [
                fact(1, 1, r#""kind":"topic","value":"b""#),
                fact(2, 1, r#""kind":"topic","value":"a""#),
                fact(3, 1, &format!(r#""kind":"note","sourceId":"{}""#, id('s', 1))),
            ]
            .join("\n"),
        ),
        ("recipients.ndjson", recipient(1, "")),
        ("awards.ndjson", lines(&[award(1, 1, 1, &year(2019)), award(2, 2, 1, &year(2021))])),
    ];
    tables.extend(more_out_of_order());
    tables
}

fn more_out_of_order() -> Vec<(&'static str, String)> {
    let leader =
        |number| format!(r#"{{"id":"{}","organizationId":"{}","name":"A"}}"#, id('l', number), id('o', 1));
    let post = |number, day: &str| {
        format!(
            r#"{{"id":"{}","organizationId":"{}","title":"A","url":"https://a.example"{day}}}"#,
            id('n', number),
            id('o', 1)
        )
    };
    vec![
        (
            "sources.ndjson",
            [
                source(1, "organization", &id('o', 1)),
                source(2, "program", &id('p', 1)),
                source(3, "cycle", &id('c', 1)),
            ]
            .join("\n"),
        ),
        (
            "lifecycle.ndjson",
            lines(&[
                transition(1, 1, "ended", "2026-01-01T00:00:00Z"),
                transition(2, 1, "unclear", "2026-02-01T00:00:00Z"),
            ]),
        ),
        ("leaders.ndjson", lines(&[leader(2), leader(1)])),
        (
            "posts.ndjson",
            [
                post(1, ""),
                post(2, r#","publishedOn":"2025-01-01""#),
                post(3, r#","publishedOn":"2026-01-01""#),
            ]
            .join("\n"),
        ),
    ]
}

#[test]
fn records_are_sorted_by_id_and_links_follow_their_order() {
    let (directory, report) = linked(&tables_out_of_order());
    assert_eq!(found(&report), [""; 0]);
    let directory = directory.unwrap();
    assert_eq!(directory.programs[0].name, "B");
    let links = &directory.program_links[0];
    assert_eq!(links.cycles, [0, 1, 2]);
    assert_eq!(links.facts, [2, 1, 0]);
    assert_eq!(links.awards, [0]);
    assert_eq!(links.sources, [0, 1]);
    assert_eq!(links.transitions, [1, 0]);
    assert_eq!(directory.cycle_sources[0], [2]);
    let links = &directory.organization_links[0];
    assert_eq!(links.programs, [1, 0]);
    assert_eq!(links.awards, [1, 0]);
    assert_eq!(links.posts, [2, 1, 0]);
    assert_eq!(links.leaders, [0, 1]);
    assert_eq!(directory.leaders[0].id.to_string(), id('l', 2));
    assert_eq!(directory.recipient_awards[0], [1, 0]);
    assert_eq!((directory.award_links[1].program, directory.award_links[1].recipient), (1, 0));
}

/// Set `OPDIR_TEST_DATA` to the folder of a real dataset.
#[test]
#[expect(clippy::disallowed_methods, reason = "which dataset, is a setting of the test run")]
fn real_data_has_no_errors() {
    let Some(folder) = std::env::var_os("OPDIR_TEST_DATA") else { return };
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

#[test]
fn every_code_is_given_by_some_test() {
    let tests = [include_str!("tests.rs"), include_str!("tests/values.rs"), include_str!("../read/tests.rs")];
    for code in Code::ALL {
        assert!(tests.iter().any(|text| text.contains(&format!("\"{} ", code.id()))), "{}", code.id());
    }
}
