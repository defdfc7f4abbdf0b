//! References lead to rows of the right table, and follow the order of what they lead to.

use super::*;

#[test]
fn references_lead_to_rows() {
    let absent = id('x', 9);
    refused("programs.ndjson", program(1, 9, ""), "E0401 programs.ndjson:1");
    refused("cycles.ndjson", lines(&[cycle(1, 1, ""), cycle(2, 9, "")]), "E0401 cycles.ndjson:2");
    refused("awards.ndjson", award(1, 1, 9, ""), "E0111 awards.ndjson:1");
    refused("sources.ndjson", source(1, "fact", &absent), "E0111 sources.ndjson:1");
    let cited = format!(r#""kind":"note","sourceId":"{absent}""#);
    refused("facts.ndjson", fact(1, 1, &cited), "E0111 facts.ndjson:1");
    let season = format!(r#""kind":"note","cycleId":"{absent}""#);
    refused("facts.ndjson", fact(1, 1, &season), "E0111 facts.ndjson:1");
    let history = transition(1, 9, "unclear", "2026-01-01T00:00:00Z");
    refused("lifecycle.ndjson", history, "E0401 lifecycle.ndjson:1");
    refused("aliases.csv", format!("entityType,entityId,slug\nprogram,{absent},a\n"), "E0401 aliases.csv:2");
    let leader = format!("id,organizationId,name\n{},{absent},A\n", id('l', 1));
    refused("leaders.csv", leader, "E0401 leaders.csv:2");
    let post = format!("id,organizationId,title,url\n{},{absent},A,https://a.example\n", id('n', 1));
    refused("posts.csv", post, "E0401 posts.csv:2");
    let translation = translation("award", &absent, r#""projectTitle":"A""#);
    refused("translations.ndjson", translation, "E0111 translations.ndjson:1");
    refused("vocabulary.csv", "facet,value,broader\ntopics,a,b\n".to_owned(), "E0401 vocabulary.csv:2");
}

#[test]
fn a_reference_into_the_wrong_table_names_the_table_of_the_id() {
    let astray = source(1, "organization", &id('p', 1));
    let report = refused("sources.ndjson", astray, "E0401 sources.ndjson:1");
    assert_eq!(report.sorted()[0].help.as_deref(), Some("a record with this id is in programs"));
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
