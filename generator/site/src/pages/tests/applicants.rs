//! Who can apply, as rows, feeds and record pages state it of facts that are contradicting, many, long, foreign or hostile.

use serde_json::{Value, json};
use snapshot::record::Fact;

use super::*;

/// The site where the first program has no texts and these facts, and the slug of that program.
pub(super) fn stating(language: &str, facts: &[Value]) -> (Files, String) {
    let mut directory = few();
    let from = directory.facts.len();
    for (number, fact) in facts.iter().enumerate() {
        let mut whole = json!({
            "id": format!("ffffffff-0000-5000-8000-{number:012}"), "programId": directory.programs[0].id,
            "updatedAt": "2026-01-01T00:00:00Z",
        });
        whole.as_object_mut().unwrap().extend(fact.as_object().unwrap().clone());
        directory.facts.push(serde_json::from_value::<Fact>(whole).unwrap());
    }
    directory.program_links[0].facts = (from..directory.facts.len()).collect();
    directory.translations.clear();
    let program = &mut directory.programs[0];
    (program.summary, program.description, program.language) = (None, None, Some(language.into()));
    (program.career_stages, program.eligible_countries) = Default::default();
    // The feed has the newest.
    program.created_at = directory.dataset.published_at;
    let slug = program.slug.to_string();
    (site_of(&directory), slug)
}

pub(super) fn record<'f>(files: &'f Files, slug: &str, ending: &str) -> &'f str {
    &files[&format!("/programs/{slug}.{ending}")]
}

/// The line about applicants in the feed: as plain as in a row.
fn in_feed<'f>(files: &'f Files, slug: &str) -> &'f str {
    let entry =
        files["/programs.atom"].split("<entry>").find(|entry| entry.contains(&format!("/programs/{slug}\"")));
    let line = entry.unwrap().split_once("Who can apply: ").unwrap().1;
    line.split(['\n', '<']).next().unwrap()
}

fn applicant(value: &str, label: &str) -> Value {
    json!({ "kind": "applicant", "value": value, "label": label })
}

fn note(text: &str) -> Value {
    json!({ "kind": "note", "value": "eligibility-text", "label": "Eligibility", "text": text })
}

#[test]
fn the_words_of_the_source_stand_before_labels_unless_they_have_all_of_these() {
    let facts = [
        applicant("school", "School"),
        note("Any school of the county may apply."),
        applicant("nonprofit", "Nonprofit"),
    ];
    for (facts, labels) in [(&facts[..], " In short: Nonprofit, School"), (&facts[..2], "")] {
        let (files, slug) = stating("en", facts);
        let line = format!("\u{201c}Any school of the county may apply.\u{201d}{labels}");
        assert!(record(&files, &slug, "md").contains(&format!("- Who can apply: {line}\n")));
        assert_eq!(in_feed(&files, &slug), line);
    }
}

#[test]
fn a_program_has_its_own_label_of_a_value_and_its_criteria_are_quoted() {
    let facts = [
        applicant("individual", "Municipality"),
        json!({ "kind": "note", "value": "eligibility-criterion", "label": "You served", "text": "Yes" }),
        json!({ "kind": "note", "value": "eligibility-criterion", "label": "You are of age", "text": "over 50" }),
        json!({ "kind": "note", "value": "population", "label": "Population served", "text": "Ports of the lake" }),
        json!({ "kind": "age", "label": "Youth", "min": 16, "max": 21, "unit": "year" }),
        json!({ "kind": "audience", "value": "youth", "label": "Youth" }),
    ];
    let (files, slug) = stating("en", &facts);
    let page = record(&files, &slug, "md");
    let who = "- Who can apply: \u{201c}You served; You are of age: over 50\u{201d} In short: Municipality\n";
    let lines = [who, "- Meant for: Ports of the lake\n"];
    assert!(lines.iter().all(|line| page.contains(line)) && !page.contains("- Age: "), "{page}");
    assert!(files[&format!("/es/programs/{slug}.md")].contains("En resumen: Municipio\n"));
}

#[test]
fn of_contradicting_facts_both_are_shown_with_their_texts() {
    let yes = "Any public school of the county may apply.";
    let no = "No school of another county may apply, the guide states.";
    let [mut one, mut other] = [applicant("school", "School"), applicant("school", "School")];
    (one["text"], other["text"], other["polarity"]) = (yes.into(), no.into(), "exclude".into());
    let (files, slug) = stating("en", &[one, other]);
    for ending in ["html", "md"] {
        let page = record(&files, &slug, ending);
        assert!([yes, no, "oes not apply to"].iter().all(|text| page.contains(text)), "{page}");
    }
    let line = in_feed(&files, &slug);
    assert!(line.starts_with("\u{201c}Any public school of the county may apply.\u{201d}"), "{line}");
}

#[test]
fn what_a_text_excludes_is_no_applicant_and_where_is_in_its_words() {
    let text = "Citizens of Chile or permanent residents; doctoral students; no postdocs";
    let career =
        |value: &str, label: &str| json!({ "kind": "career", "value": value, "label": label, "text": text });
    let citizens = json!({ "kind": "citizenship", "value": "CL", "text": text });
    let facts = [
        applicant("individual", "Individual"),
        career("doctoral-candidate", "Doctoral"),
        career("postdoc", "Postdoc"),
    ];
    let (files, slug) = stating("en", &[&facts[..], &[citizens]].concat());
    let page = record(&files, &slug, "html");
    let (key, rest) = page.split_once("class=\"go\"").unwrap();
    assert!(!key.contains(">Postdoc<") && key.contains(">Doctoral<"), "{key}");
    assert!(key.contains(">Chile</a> and some others<"), "{key}");
    assert!(record(&files, &slug, "md").contains("- Where: Citizenship: Chile and some others\n"));
    assert!(rest.contains("Does not apply to <b dir=\"auto\">Postdoc</b>"), "{rest}");
    let (files, slug) = stating("en", &facts);
    assert!(record(&files, &slug, "html").contains("<dd>not stated separately</dd>"));
}

#[test]
fn of_very_many_applicants_a_row_names_three() {
    let facts: Vec<Value> =
        (0..68).map(|number| applicant(&format!("body-{number:02}"), &format!("Body {number:02}"))).collect();
    let (files, slug) = stating("en", &facts);
    let line = in_feed(&files, &slug);
    assert!(line.starts_with("Body 00, Body 01, Body 02, 65 more"), "{line}");
    let page = record(&files, &slug, "html");
    assert!(page.contains("<details><summary>63 more</summary>") && page.contains("Body 67"));
}

#[test]
fn a_text_in_a_third_language_has_that_language() {
    let mut fact = applicant("municipality", "Commune");
    fact["text"] = "Toutes les communes de la r\u{e9}gion".into();
    let (files, slug) = stating("fr", &[fact]);
    for prefix in ["", "/es"] {
        let page = &files[&format!("{prefix}/programs/{slug}.html")];
        assert!(page.contains("<q lang=\"fr\" dir=\"auto\">Toutes les communes"), "{page}");
    }
}

#[test]
fn a_very_long_sentence_is_cut_between_words() {
    let sentence = format!("Applicants must be residents{}.", " of a county with a park".repeat(83));
    let (files, slug) = stating("en", &[note(&sentence)]);
    let of_page = record(&files, &slug, "md").split_once("Who can apply: ").unwrap().1;
    for (text, most) in [(in_feed(&files, &slug), 160), (of_page, 600)] {
        let (quoted, _) = text.trim_start_matches('\u{201c}').split_once('\u{201d}').unwrap();
        assert!(quoted.chars().count() <= most + 1 && quoted.ends_with('\u{2026}'), "{quoted}");
        let mut words = sentence.trim_end_matches('.').split(' ');
        assert!(words.any(|word| quoted.ends_with(&format!(" {word}\u{2026}"))), "{quoted}");
    }
}
