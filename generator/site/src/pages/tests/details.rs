//! Details of a record's page that its source puts in words: durations, shares, deadlines and calendars.

use serde_json::{Value, json};
use snapshot::record::{Lifecycle, Program};

use super::applicants::{record, stating};
use super::*;

/// The page of a program with these facts.
fn page(facts: &[Value], ending: &str) -> String {
    let (files, slug) = stating("en", facts);
    record(&files, &slug, ending).to_owned()
}

#[test]
fn a_duration_has_the_words_of_its_source_that_state_more() {
    let duration = |months: u32, text: &str| json!({ "kind": "duration", "min": months, "max": months, "unit": "month", "text": text });
    for (months, text, expected) in [
        (36, "Full funding up to 36 months", "\u{201c}Full funding up to 36 months\u{201d}"),
        (36, "Of projects that were funded", "36 months \u{201c}Of projects that were funded\u{201d}"),
        (12, "12 months", "12 months"),
        (
            10,
            "00-$10,000 a term + paid for 10 months; travel",
            "10 months \u{201c}paid for 10 months\u{201d}",
        ),
        (1, "", "1 month"),
    ] {
        let page = page(&[duration(months, text)], "md");
        assert!(page.contains(&format!("- Duration: {expected}\n")), "{text}");
    }
    let page = page(&[duration(36, "up to 36 months"), duration(12, "up to 12 months")], "md");
    assert_eq!(page.matches("- Duration: \u{201c}up to ").count(), 2);
}

#[test]
fn a_place_has_the_words_of_its_source_unless_they_are_quoted_above() {
    let place = json!({ "kind": "residence", "value": "US-CA", "label": "California", "text": "Los Angeles County only" });
    let line =
        |facts: &[Value]| between(&page(facts, "html"), "<dt>Where</dt>", "</div>").unwrap().to_owned();
    let shown = line(std::slice::from_ref(&place));
    assert!(shown.contains("California</a> (<span dir=\"auto\">Los Angeles County only</span>)"), "{shown}");
    let note = json!({ "kind": "note", "value": "eligibility-text", "text": "Los Angeles County only; cities may apply" });
    let shown = line(&[place, note]);
    assert!(!shown.contains("</a> ("), "{shown}");
    let country =
        json!({ "kind": "country", "value": "KE", "label": "Kenya", "text": "national call (Kenya)" });
    assert!(page(&[country], "md").contains("- Where: Kenya (national call)\n"));
    let to = json!({ "kind": "destination", "value": "RS", "label": "Serbia" });
    assert!(page(&[to], "md").contains("- Where: Destination: Serbia\n"));
}

#[test]
fn whom_a_term_includes_stands_with_the_applicant() {
    let applicant = |value: &str, label: &str, text: &str| json!({ "kind": "applicant", "value": value, "label": label, "text": text });
    let state = applicant("state", "State government", "State (excludes hospitals");
    let other = applicant("state", "State government", "State (only parks)");
    let note = json!({ "kind": "note", "value": "accomplishments", "label": "Done", "text": "280 parks" });
    let women = applicant("artist", "Artist", "Pupils (women)");
    let page = page(&[state, other, women, note.clone(), note], "html");
    assert!(page.contains("State government</a> (<span dir=\"auto\">excludes hospitals</span>)"), "{page}");
    assert!(page.contains("Artist</a>, "), "{page}");
    for once in ["excludes hospitals", "only parks", "(women)", "280 parks"] {
        assert_eq!(page.matches(once).count(), 1, "{once}: {page}");
    }
}

#[test]
fn a_share_with_a_number_stands_with_the_conditions() {
    let pays = |text: &str| json!({ "kind": "fundingShape", "value": "cost-shared", "label": "Match", "text": text });
    for (text, shown, is_condition) in [
        ("12.5 % of the costs", "12.5 % of the costs", true),
        ("0.5", "50\u{a0}%", true),
        ("0.125", "0.125", true),
        ("1", "1", true),
        ("Varies", "Varies", false),
    ] {
        let page = page(&[pays(text)], "html");
        let making = page.split_once("come from</summary>").map_or("", |(_, rest)| rest);
        let shown = format!(">{shown}<");
        assert!(page.contains(&shown) && making.contains(&shown) != is_condition, "{text}: {page}");
    }
}

#[test]
fn a_placeholder_in_a_note_of_the_deadline_is_named_one() {
    for (text, expected) in [("2099-12-31", "none; the source has 31 December 2099"), ("Mid-May", "Mid-May")]
    {
        let note = json!({ "kind": "note", "value": "deadline-text", "label": "Deadline", "text": text });
        assert!(page(&[note], "md").contains(&format!("Deadline: {expected}")), "{text}");
    }
}

#[test]
fn a_calendar_is_offered_where_a_deadline_is_ahead() {
    for (year, is_offered) in [(2020, false), (2030, true)] {
        let mut directory = few();
        let deadline = date(year, 5, 1);
        directory.cycles.iter_mut().for_each(|cycle| cycle.deadline_on = Some(deadline));
        let is_active = |it: &&Program| it.lifecycle == Lifecycle::ActiveAccepting;
        let of = |it: &Program| directory.cycles.iter().any(|cycle| cycle.program_id == it.id);
        let slug = &directory.programs.iter().filter(is_active).find(|it| of(it)).unwrap().slug.clone();
        let page = &site_of(&directory)[&format!("/programs/{slug}.html")];
        assert_eq!(page.contains("calendar.google.com"), is_offered, "{year}");
    }
}

#[test]
fn a_placeholder_in_the_table_of_seasons_is_named_one() {
    let mut directory = few();
    let cycle = directory.cycles.iter_mut().find(|it| it.deadline_on.is_some()).unwrap();
    cycle.deadline_on = Some(date(2099, 12, 31));
    let slug = &directory.programs.iter().find(|it| it.id == cycle.program_id).unwrap().slug.clone();
    let page = &site_of(&directory)[&format!("/programs/{slug}.html")];
    assert!(page.contains("<td>none; the source has 31 December 2099</td>"), "{page}");
}
