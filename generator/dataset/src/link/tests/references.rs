//! References lead to rows of the right table, and follow the order of what they lead to.

use super::*;

#[test]
fn references_lead_to_rows_of_the_right_table() {
    let absent = id('x', 9);
    let naming = |field: &str| fact(1, 1, &format!(r#""kind":"note","{field}":"{absent}""#));
    let of_none = |row: String| row.replace(&id('o', 1), &absent);
    for (path, text, fault) in [
        ("programs.ndjson", program(1, 9, ""), "E0401:1"),
        ("cycles.ndjson", lines(&[cycle(1, 1, ""), cycle(2, 9, "")]), "E0401:2"),
        ("awards.ndjson", award(1, 1, 9, ""), "E0111:1"),
        ("sources.ndjson", source(1, "fact", &absent), "E0111:1"),
        ("facts.ndjson", naming("sourceId"), "E0111:1"),
        ("facts.ndjson", naming("cycleId"), "E0111:1"),
        ("lifecycle.ndjson", transition(1, 9, "unclear", "2026-01-01T00:00:00Z"), "E0401:1"),
        ("aliases.csv", format!("entityType,entityId,slug\nprogram,{absent},a\n"), "E0401:2"),
        ("leaders.ndjson", of_none(belonging('l', 1, r#","name":"A""#)), "E0401:1"),
        ("posts.ndjson", of_none(belonging('n', 1, r#","title":"A","url":"https://a.example""#)), "E0401:1"),
        ("translations.ndjson", translation("award", &absent, r#""projectTitle":"A""#), "E0111:1"),
        ("vocabulary.csv", "facet,value\ntopics,a\ntopics,a\n".to_owned(), "E0505:3"),
    ] {
        refused(path, text, &fault.replace(':', &format!(" {path}:")));
    }
    let astray = source(1, "organization", &id('p', 1));
    let report = refused("sources.ndjson", astray, "E0401 sources.ndjson:1");
    assert_eq!(report.sorted()[0].help.as_deref(), Some("a record with this id is in programs"));
    let season = format!(r#""kind":"note","cycleId":"{}""#, id('c', 1));
    let of_another = [
        ("programs.ndjson", lines(&[program(1, 1, ""), program(2, 1, "")])),
        ("cycles.ndjson", cycle(1, 2, "")),
        ("facts.ndjson", fact(1, 1, &season)),
    ];
    assert_eq!(found(&linked(&of_another).1), ["E0303 facts.ndjson:1"]);
    let broken = program(1, 1, "").replace("unclear", "unclera");
    let files = [("programs.ndjson", broken), ("cycles.ndjson", cycle(1, 1, ""))];
    assert_eq!(found(&linked(&files).1), ["E0201 programs.ndjson:1"], "none leads nowhere by another fault");
    let rows = "facet,value,broader\ntopics,a,b\ntopics,b,a\ntopics,c,\n".to_owned();
    let (_, report) = linked(&[("vocabulary.csv", rows)]);
    assert_eq!(found(&report), ["E0304 vocabulary.csv:2", "E0304 vocabulary.csv:3"]);
}

#[test]
fn records_are_sorted_by_id_and_links_follow_their_order() {
    let named = |number, name: &str| program(number, 1, "").replace(&format!("Program {number}"), name);
    let year = |year: i32| format!(r#","awardYear":{year}"#);
    let due = |day: &str| format!(r#","deadlineOn":"{day}""#);
    let cycles = [cycle(3, 1, ""), cycle(2, 1, &due("2026-07-01")), cycle(1, 1, &due("2026-08-01"))];
    let topic = |number, value: &str| fact(number, 1, &format!(r#""kind":"topic","value":"{value}""#));
    let cited = fact(3, 1, &format!(r#""kind":"note","sourceId":"{}""#, id('s', 1)));
    let sources = [(1, "organization", 'o'), (2, "program", 'p'), (3, "cycle", 'c')];
    let sources = sources.map(|(number, kind, of)| source(number, kind, &id(of, 1)));
    let moment = |month: u32| format!("2026-0{month}-01T00:00:00Z");
    let history = [transition(1, 1, "ended", &moment(1)), transition(2, 1, "unclear", &moment(2))];
    let leader = |number| belonging('l', number, r#","name":"A""#);
    let post = |number, day: &str| {
        belonging('n', number, &format!(r#","title":"A","url":"https://a.example"{day}"#))
    };
    let on = |year: i32| format!(r#","publishedOn":"{year}-01-01""#);
    // Rows whose order is not that of their ids.
    let files = [
        ("programs.ndjson", lines(&[named(2, "A"), named(1, "B")])),
        ("cycles.ndjson", lines(&cycles)),
        ("facts.ndjson", lines(&[topic(1, "b"), topic(2, "a"), cited])),
        ("recipients.ndjson", recipient(1, "")),
        ("awards.ndjson", lines(&[award(1, 1, 1, &year(2019)), award(2, 2, 1, &year(2021))])),
        ("sources.ndjson", lines(&sources)),
        ("lifecycle.ndjson", lines(&history)),
        ("leaders.ndjson", lines(&[leader(2), leader(1)])),
        ("posts.ndjson", lines(&[post(1, ""), post(2, &on(2025)), post(3, &on(2026))])),
    ];
    let (directory, report) = linked(&files);
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
