//! What is due, with each reason once, and what is not.

use jiff::civil::date;

use super::*;
use crate::due::{Due, Reason, due};
use crate::link_report::LinkReport;

/// What is due on the 1st of June 2026, without missing translations.
fn due_of(files: &[(&str, String)], links: Option<&str>) -> Vec<Due> {
    let mut report = Diagnostics::new();
    let links = links.map(|json| LinkReport::parse(json.as_bytes()).unwrap());
    let tables = Tables { links, ..tables(files, &mut report) };
    let mut list = due(tables, &mut report, date(2026, 6, 1)).unwrap();
    list.retain(|due| due.reason != Reason::Untranslated);
    list
}

/// Program, reason and day of each, as far as they are known.
fn reasons(list: &[Due]) -> Vec<String> {
    let since = |due: &Due| due.since.map(|day| format!(" {day}")).unwrap_or_default();
    let reason =
        |due: &Due| format!("{} {:?}{}", due.program, due.reason, since(due)).trim_start().to_owned();
    list.iter().map(reason).collect()
}

/// Checked shortly before.
fn fresh(number: u32, more: &str) -> String {
    program(number, 1, &format!(r#","sourceCheckedAt":"2026-05-01T00:00:00Z"{more}"#))
}

#[test]
fn records_are_due_a_year_after_the_last_check() {
    let checked = |number, day: &str| program(number, 1, &format!(r#","sourceCheckedAt":"{day}T00:00:00Z""#));
    let rows = [checked(1, "2025-05-31"), checked(2, "2025-06-01"), program(3, 1, "")];
    let list = due_of(&[("programs.ndjson", lines(&rows))], None);
    assert_eq!(reasons(&list), ["program-1 Unchecked 2025-05-31", "program-3 Unchecked"]);
    let Due { file, line, organization, .. } = &list[1];
    assert_eq!((&**file, *line, &**organization), ("programs.ndjson", 3, "org-1"));
}

#[test]
fn programs_are_due_when_their_last_deadline_has_passed_or_they_are_open_for_years() {
    let rows = [
        fresh(1, ""),
        fresh(2, ""),
        fresh(3, r#","lifecycle":"active_accepting""#),
        fresh(4, r#","lifecycle":"active_accepting""#),
        fresh(5, r#","lifecycle":"ended""#),
        fresh(6, ""),
    ];
    let cycles = [
        cycle(1, 1, r#","deadlineOn":"2026-05-31""#),
        cycle(2, 1, r#","deadlineOn":"2025-05-31""#),
        cycle(3, 2, r#","deadlineOn":"2026-05-31""#),
        cycle(4, 2, r#","opensOn":"2026-09-01""#),
        cycle(5, 3, r#","opensOn":"2024-05-01""#),
        cycle(6, 4, r#","opensOn":"2024-07-01""#),
        cycle(7, 5, r#","deadlineOn":"2020-01-01""#),
        cycle(8, 6, r#","deadlineOn":"2026-06-01""#),
    ];
    let list = due_of(&[("programs.ndjson", lines(&rows)), ("cycles.ndjson", lines(&cycles))], None);
    let expected = ["program-1 DeadlinePassed 2026-05-31", "program-3 OpenForYears 2024-05-01"];
    assert_eq!(reasons(&list), expected);
}

#[test]
fn programs_with_one_address_are_due_and_name_each_other() {
    let at = |number: u32, address: &str| {
        fresh(number, "").replace(&format!("https://example.org/{number}"), address)
    };
    let rows = [at(1, "https://example.org/"), at(2, "HTTPS://EXAMPLE.org"), at(3, "https://example.org/x")];
    let list = due_of(&[("programs.ndjson", lines(&rows))], None);
    let notes: Vec<&str> = list.iter().map(|due| due.note.as_str()).collect();
    let note = |of: u32| format!("has the official URL of program-{of}: https://example.org/");
    assert_eq!(notes, [note(2), note(1)]);
}

#[test]
fn contradictions_and_links_are_due_at_their_program() {
    let links = r#"{"error_map": {"x": [{"url": "https://example.org/1", "status": {"text": "404 Not Found"}}]},
        "redirect_map": {"x": [{"origin": "https://org.example/", "redirects": [{"url": "https://new.example/", "code": 301}]},
            {"origin": "https://apply.example/", "redirects": [{"url": "https://new.example/a", "code": 308}]}]}}"#;
    let application = r#","deadlineOn":"2026-07-01","applicationUrl":"https://apply.example/""#;
    let files = [
        ("organizations.ndjson", organization(1, r#","websiteUrl":"https://org.example""#)),
        ("programs.ndjson", fresh(1, r#","description":"No undergrads.""#)),
        ("facts.ndjson", fact(1, 1, r#""kind":"career","value":"undergraduate""#)),
        ("cycles.ndjson", cycle(1, 1, application)),
    ];
    let list = due_of(&files, Some(links));
    let expected = ["MovedLink", "program-1 DeadLink", "program-1 MovedLink", "program-1 Contradicted"];
    assert_eq!(reasons(&list), expected);
    let places = list.iter().map(|due| due.file.as_str()).collect::<Vec<_>>();
    assert_eq!(places, ["organizations.ndjson", "programs.ndjson", "cycles.ndjson", "facts.ndjson"]);
    assert_eq!(list[1].note, "`https://example.org/1` fails: 404 Not Found");
    assert_eq!(list[2].note, "`https://apply.example/` has moved to `https://new.example/a`");
    let mut report = Diagnostics::new();
    let links = Some(LinkReport::parse(links.as_bytes()).unwrap());
    assert!(link(Tables { links, ..tables(&files, &mut report) }, &mut report).is_some());
    let found = found(&report);
    for warning in ["W0611 programs.ndjson:1", "W0612 organizations.ndjson:1", "W0612 cycles.ndjson:1"] {
        assert!(found.iter().any(|it| it == warning), "{warning}: {found:?}");
    }
}

#[test]
fn records_without_a_text_in_a_language_are_due() {
    let mut report = Diagnostics::new();
    let list = due(tables(&[("programs.ndjson", fresh(1, ""))], &mut report), &mut report, date(2026, 6, 1));
    let list = list.unwrap();
    assert_eq!(reasons(&list), ["Untranslated", "program-1 Untranslated"]);
    let csv = crate::text::csv_of(&list);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "organization,program,reason,since,note,file,line");
    assert_eq!(lines[2], "org-1,program-1,untranslated,,has no text in `es`,programs.ndjson,1");
}

#[test]
fn nothing_is_due_of_a_dataset_with_errors() {
    let mut report = Diagnostics::new();
    let tables = tables(&[("programs.ndjson", program(1, 2, ""))], &mut report);
    assert!(due(tables, &mut report, date(2026, 6, 1)).is_none() && report.error_count() > 0);
}
