//! What is not published leaves no trace.

use super::*;

/// A canary stands in whatever may not be published.
#[test]
fn drafts_and_what_belongs_to_them_never_leave() {
    let draft = r#","description":"canary","publication":"draft""#;
    let programs = [program(1, 1, ""), program(2, 1, draft), program(3, 2, r#","summary":"canary""#)];
    let unpublished = |number, program, more: &str| cycle(number, program, more).replace("Season", "canary");
    let drafted = unpublished(3, 1, r#","publication":"draft""#);
    let canary = r#""kind":"note","text":"canary""#;
    let noted = |number, more: &str| fact(number, 1, &format!("{canary}{more}"));
    let facts = [
        fact(1, 1, r#""kind":"note","text":"kept""#),
        fact(2, 2, canary),
        noted(3, &format!(r#","cycleId":"{}""#, id('c', 3))),
        noted(4, r#","status":"proposed""#),
        noted(5, r#","status":"rejected""#),
        noted(6, r#","publication":"withdrawn""#),
    ];
    let withdrawn = recipient(2, r#","biography":"canary","publication":"withdrawn""#);
    let title = r#","projectTitle":"canary""#;
    let kept = award(1, 1, 1, &format!(r#","cycleId":"{}""#, id('c', 3)));
    let translation = |kind: &str, of| translation(kind, &id(of, 2), r#""name":"canary""#);
    let alias = format!(r#"{{"entityType":"program","entityId":"{}","slug":"canary"}}"#, id('p', 3));
    let words = "facet,value,broader,publication\ntopics,a,canary,\ntopics,canary,,draft\n";
    let files = [
        ("organizations.ndjson", lines(&[organization(1, ""), organization(2, draft)])),
        ("programs.ndjson", lines(&programs)),
        ("cycles.ndjson", lines(&[cycle(1, 1, ""), unpublished(2, 3, ""), drafted])),
        ("facts.ndjson", lines(&facts)),
        ("recipients.ndjson", lines(&[recipient(1, ""), withdrawn])),
        ("awards.ndjson", lines(&[kept, award(2, 1, 2, title), award(3, 2, 1, title)])),
        ("sources.ndjson", source(1, "program", &id('p', 2)).replace("page", "canary")),
        ("translations.ndjson", lines(&[translation("program", 'p'), translation("organization", 'o')])),
        ("aliases.ndjson", alias),
        ("vocabulary.csv", words.to_owned()),
    ];
    let (directory, report) = linked(&files);
    assert_eq!(found(&report), [""; 0]);
    let directory = directory.unwrap();
    assert!(!format!("{directory:?}").contains("canary"));
    assert_eq!(directory.facts.len(), 1);
    assert_eq!(directory.awards.len(), 1);
    assert_eq!(directory.awards[0].cycle_id, None);
    let note = "not published, with all that belongs to it: organizations 1 (1 draft), programs 2 (1 draft), \
                cycles 2 (1 draft), awards 2, recipients 1 (1 withdrawn), sources 1, \
                facts 5 (1 withdrawn, 2 not approved), aliases 1, translations 2, vocabulary 1 (1 draft)";
    assert_eq!(report.notes, [note, "no text in `es`: organizations 1, programs 1"]);
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
