//! What is not published leaves no trace.

use super::*;

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
    tables.extend(diagnostics_with_drafts());
    tables
}

/// The same for diagnostics about other records.
fn diagnostics_with_drafts() -> Vec<(&'static str, String)> {
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
        [
            "not published, with all that belongs to it: organizations 1 (1 draft), programs 2 (1 draft), \
          cycles 2 (1 draft), awards 2, recipients 1 (1 withdrawn), sources 1, \
          facts 5 (1 withdrawn, 2 not approved), aliases 1, translations 2, vocabulary 1 (1 draft)",
            "no text in `es`: organizations 1, programs 1"
        ]
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

#[test]
fn a_program_changed_when_anything_that_belongs_to_it_did() {
    let later = |row: &str| {
        row.replace(r#""updatedAt":"2026-01-01T00:00:00Z""#, r#""updatedAt":"2026-02-01T00:00:00Z""#)
    };
    let rows = [
        ("programs.ndjson", program(1, 1, "")),
        ("cycles.ndjson", cycle(1, 1, "")),
        ("recipients.ndjson", recipient(1, "")),
        ("awards.ndjson", award(1, 1, 1, "")),
        ("facts.ndjson", fact(1, 1, r#""kind":"note","text":"A note""#)),
        ("sources.ndjson", source(1, "program", &id('p', 1))),
        ("organizations.ndjson", organization(1, "")),
    ];
    for (at, (table, _)) in rows.iter().enumerate() {
        let mut rows = rows.clone();
        rows[at].1 = later(&rows[at].1);
        let changed = linked(&rows).0.unwrap().program_links[0].changed;
        let month = if matches!(*table, "recipients.ndjson" | "organizations.ndjson") { "01" } else { "02" };
        assert_eq!(changed.to_string(), format!("2026-{month}-01T00:00:00Z"), "{table}");
    }
}
