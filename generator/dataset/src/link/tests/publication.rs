//! What is not published leaves no trace.

use super::*;

/// `tests/it/data/canary.rs` looks for traces of them in a whole snapshot.
#[test]
fn drafts_and_what_belongs_to_them_are_left_out_and_counted() {
    let draft = r#","publication":"draft""#;
    let note = |number, program, more: &str| fact(number, program, &format!(r#""kind":"note"{more}"#));
    let citing = format!(r#","sourceId":"{}""#, id('s', 2));
    let season = |number| format!(r#","cycleId":"{}""#, id('c', number));
    let translation = |kind: &str, of| translation(kind, &id(of, 2), r#""name":"A""#);
    let facts = [
        note(1, 1, &citing),
        note(2, 2, ""),
        note(3, 1, &season(3)),
        note(4, 1, r#","status":"proposed""#),
        note(5, 1, r#","status":"rejected""#),
        note(6, 1, r#","publication":"withdrawn""#),
    ];
    let files = [
        ("organizations.ndjson", lines(&[organization(1, ""), organization(2, draft)])),
        ("programs.ndjson", lines(&[program(1, 1, ""), program(2, 1, draft), program(3, 2, "")])),
        ("cycles.ndjson", lines(&[cycle(1, 1, ""), cycle(2, 3, ""), cycle(3, 1, draft)])),
        ("facts.ndjson", lines(&facts)),
        ("recipients.ndjson", lines(&[recipient(1, ""), recipient(2, r#","publication":"withdrawn""#)])),
        ("awards.ndjson", lines(&[award(1, 1, 1, &season(3)), award(2, 1, 2, ""), award(3, 2, 1, "")])),
        ("sources.ndjson", lines(&[source(1, "program", &id('p', 2)), source(2, "fact", &id('f', 5))])),
        ("translations.ndjson", lines(&[translation("program", 'p'), translation("organization", 'o')])),
        ("aliases.ndjson", format!(r#"{{"entityType":"program","entityId":"{}","slug":"a"}}"#, id('p', 3))),
        ("vocabulary.csv", "facet,value,broader,publication\ntopics,a,b,\ntopics,b,,draft\n".to_owned()),
    ];
    let (directory, report) = linked(&files);
    assert_eq!(found(&report), [""; 0]);
    let directory = directory.unwrap();
    assert_eq!((directory.facts.len(), directory.facts[0].source_id, directory.sources.len()), (1, None, 0));
    assert_eq!((directory.awards.len(), directory.awards[0].cycle_id), (1, None));
    let note = "not published, with all that belongs to it: organizations 1 (1 draft), programs 2 (1 draft), \
                cycles 2 (1 draft), awards 2, recipients 1 (1 withdrawn), sources 2, \
                facts 5 (1 withdrawn, 2 not approved), aliases 1, translations 2, vocabulary 1 (1 draft)";
    assert_eq!(report.notes, [note, "no text in `es`: organizations 1, programs 1"]);
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
