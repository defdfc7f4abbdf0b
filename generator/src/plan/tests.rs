//! Plans by hand: what is told of rows before and after, and what is held back.

use serde_json::json;

use super::*;

fn table(live: usize, removed: usize, changed: usize) -> Plan {
    let change = |number: usize| Changed {
        name: format!("changed-{number}"),
        fields: vec![Change {
            field: "deadlineOn".to_owned(),
            old: json!("2026-12-01"),
            new: json!("2027-01-15"),
        }],
    };
    Plan {
        name: "t".to_owned(),
        against: Some("000041-5dff".to_owned()),
        tables: vec![TablePlan {
            table: "programs",
            live,
            added: vec!["new|<b>".to_owned()],
            changed: (0..changed).map(change).collect(),
            removed: (0..removed).map(|number| format!("gone-{number}")).collect(),
            moved: vec![Moved { name: "acme".to_owned(), was: "acme-travel".to_owned(), has_alias: false }],
            renumbered: 0,
        }],
        counts: Vec::new(),
        values_added: vec!["programType prize".to_owned()],
        values_removed: Vec::new(),
        same_moment: true,
    }
}

fn guards(args: &[&str]) -> Guards {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        guards: Guards,
    }
    let line = std::iter::once("x").chain(args.iter().copied());
    <Line as clap::Parser>::try_parse_from(line).unwrap().guards
}

#[test]
fn a_table_cut_in_half_is_held_back_until_the_exact_count_is_named() {
    let plan = table(100, 11, 0);
    let held = guards(&[]).violations(&plan);
    let expected = "11 programs removed of 100 is above --max-removed 10%\n  help: if all should go: opdir build … --expect-removed programs=11";
    assert_eq!(held, [expected]);
    assert_eq!(guards(&["--expect-removed", "programs=10"]).violations(&plan).len(), 1);
    assert_eq!(guards(&["--expect-removed", "programs=11"]).violations(&plan), [""; 0]);
    assert_eq!(guards(&["--max-removed", "11%"]).violations(&plan), [""; 0]);
    assert_eq!(guards(&[]).violations(&table(100, 10, 50)), [""; 0]);
    assert_eq!(guards(&[]).violations(&table(100, 0, 51)).len(), 1);
    assert_eq!(guards(&[]).violations(&table(9, 9, 9)), [""; 0]);
}

#[test]
fn what_was_built_without_tables_is_counted_and_says_so() {
    let mut plan = table(100, 0, 0);
    plan.tables.clear();
    plan.counts = vec![
        Counted { table: "programs", live: 100, new: 89 },
        Counted { table: "facts", live: 100, new: 0 },
        Counted { table: "organizations", live: 100, new: 90 },
    ];
    let expected = "11 programs fewer than 100 is above --max-removed 10%\n  help: if all should go: opdir build … --expect-removed programs=11";
    assert_eq!(guards(&[]).violations(&plan), [expected]);
    assert_eq!(guards(&["--expect-removed", "programs=11"]).violations(&plan), [""; 0]);
    let text = report(&plan, &[], PlanFormat::Words);
    assert!(
        text.contains("built with --index-only") && text.contains("programs: 100, would be 89\n"),
        "{text}"
    );
    assert!(!text.contains("no record changes") && !plan.is_empty(), "{text}");
    assert!(report(&plan, &[], PlanFormat::Markdown).contains("programs: 100, would be 89"));
}

#[test]
fn options_that_mean_nothing_are_refused() {
    for bad in ["101%", "-1%", "ten", "NaN"] {
        assert!(bad.parse::<Percent>().is_err(), "{bad}");
    }
    for bad in ["programs", "programs=x", "cycles=3", "=3"] {
        assert!(bad.parse::<ExpectedCount>().is_err(), "{bad}");
    }
}

#[test]
fn words_name_what_goes_first_and_cut_long_lists() {
    let text = report(&table(100, 12, 1), &["why".to_owned()], PlanFormat::Words);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "against 000041-5dff:");
    assert_eq!(lines[1], "programs: 1 added, 1 changed, 12 removed of 100 (12 %)");
    assert_eq!(lines[2], "  - gone-0");
    assert_eq!(lines[12], "  - … and 2 more");
    assert_eq!(lines[13], "  > acme was acme-travel; add to aliases.csv: program,acme,acme-travel");
    assert_eq!(lines[14], "  ~ changed-0   deadlineOn 2026-12-01 → 2027-01-15");
    assert_eq!(lines[16], "filter values that come: programType prize");
    assert!(lines[17].starts_with("records change and `publishedAt` does not"));
    assert_eq!(lines[18], "held back: why");
}

#[test]
fn markdown_is_marked_escaped_and_short_enough_for_a_comment() {
    let text = report(&table(100, 3, 1), &[], PlanFormat::Markdown);
    assert!(text.starts_with("<!-- opdir-plan t -->\n"), "{text}");
    assert!(text.contains("new\\|&lt;b>"), "{text}");
    let mut long = table(100, 3, 1);
    long.tables = vec![long.tables[0].clone(); 3000];
    let text = report(&long, &[], PlanFormat::Markdown);
    assert!(text.chars().count() <= 60_000 && text.ends_with("shows all of it.\n"));
}

#[test]
fn a_time_that_follows_is_no_change() {
    let before = json!({"id": "a", "name": "A", "updatedAt": "2026-01-01T00:00:00Z"});
    let mut after = before.clone();
    after["updatedAt"] = "2026-02-01T00:00:00Z".into();
    assert!(changes(&before, &after).is_empty());
    after["name"] = "B".into();
    assert_eq!(changes(&before, &after)[0].field, "name");
}
