//! A maintainer's way from nothing, or from a sheet, to a site: init, import, check, stamp, plan, build.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use super::harness::{command, content, entry, run};
use super::{BUILD, OPDIR, Place};

/// A folder with nothing in it.
fn empty() -> Place {
    Place { folder: tempfile::tempdir().unwrap() }
}

/// The small dataset that `init` writes, its two rows published.
fn started() -> Place {
    let place = empty();
    place.opdir(&["init", "data"]).succeeds();
    place.edit("organizations.csv", |text| text.replace(",draft", ","));
    place.edit("programs.csv", |text| text.replace(",draft", ","));
    place
}

/// The same with twenty programs more.
fn of_many() -> Place {
    let place = started();
    let row = |n| format!("p-{n},P {n},acme-foundation,grant,ended,https://a.example/{n},,\n");
    place.append("programs.csv", &(1..=20).map(row).collect::<String>());
    place
}

/// The first lines of their table.
fn half(whole: &str) -> String {
    whole.lines().take(12).map(|line| format!("{line}\n")).collect()
}

#[test]
fn init_writes_three_small_files_that_build() {
    let place = empty();
    place.opdir(&["init", "data"]).succeeds();
    let files: Vec<String> = content(&place.path("data")).into_keys().collect();
    assert_eq!(files, ["README.md", "dataset.json", "organizations.csv", "programs.csv"]);
    let rows = fs::read_to_string(place.path("data/programs.csv")).unwrap();
    assert_eq!(rows.lines().next().unwrap().split(',').count(), 8);
    place.opdir(&["check", "--data", "data"]).succeeds();
    place.build().fails(6, &["no program would be published", "--allow-empty"]);
    assert!(!place.path("root/CURRENT").exists());
    place.opdir(&[&BUILD[..], &["--allow-empty", "--index-only"]].concat()).succeeds();
    place.opdir(&["verify", "root"]).succeeds();
    let place = started();
    assert!(place.build().succeeds().contains("1 programs"));
}

#[test]
fn a_check_without_a_folder_is_of_the_sample_and_says_so() {
    let place = started();
    let checked = place.opdir(&["check"]).succeeds();
    assert!(checked.starts_with("good, the embedded sample: "), "{checked}");
    run(OPDIR, &place.path("data"), &["check"]).fails(2, &["dataset.json", "--data ."]);
    let checked = run(OPDIR, &place.path("data"), &["check", "--data", "."]).succeeds();
    assert!(checked.starts_with("good: "), "{checked}");
}

#[test]
fn the_summary_of_a_step_has_every_problem() {
    let place = started();
    place.edit("programs.csv", |text| text.replace("ES|MX", "Georgia"));
    let run = |more: &[&str]| place.opdir(&[&["check", "--data", "data", "--quiet"], more].concat());
    let table = place.path("summary.md");
    let ran = run(&["--message-format", "github", "--step-summary", table.to_str().unwrap()]);
    ran.fails(1, &[]);
    assert!(ran.out.contains("::error file=data/programs.csv,line=2,title=E0203::"), "{}", ran.out);
    assert!(fs::read_to_string(table).unwrap().contains("| data/programs.csv:2 | E0203 |"));
}

#[test]
fn schemas_are_printed_for_editors() {
    let place = empty();
    for (table, title) in [("programs", "Program"), ("dataset", "Dataset description")] {
        let text = place.opdir(&["schema", table]).succeeds();
        let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(schema["title"], title);
    }
    place.opdir(&["schema", "program"]).fails(2, &["there is no table program", "programs"]);
}

#[test]
fn stamps_move_only_what_changed() {
    let place = started();
    let stamp = |at: &str| place.opdir(&["stamp", "--data", "data", "--at", at]).succeeds();
    let expected = "2 new rows, 0 changed rows, published 2026-06-01T00:00:00Z";
    assert_eq!(stamp("2026-06-01T00:00:00Z").trim(), expected);
    place.edit("programs.csv", |text| text.replace("Ocean Fellows", "Ocean and Sea"));
    let expected = "0 new rows, 1 changed row, published 2026-07-01T00:00:00Z";
    assert_eq!(stamp("2026-07-01T00:00:00Z").trim(), expected);
    let stamps = fs::read_to_string(place.path("data/stamps.csv")).unwrap();
    assert_eq!(stamps.matches("2026-07-01").count(), 1, "{stamps}");
    let dataset = fs::read_to_string(place.path("data/dataset.json")).unwrap();
    assert!(dataset.contains("\"publishedAt\": \"2026-07-01T00:00:00Z\""), "{dataset}");
    let checked = place.opdir(&["check", "--data", "data"]);
    assert!(!checked.err.contains("W0303"), "{}", checked.err);
}

#[test]
fn a_plan_says_what_a_build_would_change_and_a_table_cut_in_half_is_held_back() {
    let place = of_many();
    let plan = |more: &[&str]| {
        place.opdir(&[&["plan", "--data", "data", "--out", "root", "--quiet"], more].concat())
    };
    assert!(plan(&[]).succeeds().starts_with("nothing is live"));
    place.build().succeeds();
    assert!(plan(&["--exit-code"]).succeeds().contains("no record changes"));
    place.edit("programs.csv", |whole| half(whole).replace("ocean-fellows", "sea-fellows"));
    let changed = plan(&["--exit-code"]);
    assert_eq!(changed.code, 7, "{}", changed.out);
    assert!(changed.out.contains("programs: 1 added, 0 changed, 11 removed of 21 (52 %)"), "{}", changed.out);
    let before = content(&place.path("root"));
    place
        .build()
        .fails(6, &["11 programs removed of 21 is above --max-removed 10%", "--expect-removed programs=11"]);
    assert_eq!(content(&place.path("root")), before);
    // A live table that cannot be read has a known number of records all the same.
    let id = fs::read_to_string(place.path("root/CURRENT")).unwrap();
    let live = place.path(&format!("root/generations/{}/site.zip", id.trim()));
    let sound = entry::damage(&live, "data/programs.ndjson");
    place.build().fails(6, &["10 programs fewer than 21 is above --max-removed 10%"]);
    entry::replace(&live, &sound);
    let meant = [&BUILD[..], &["--expect-removed", "programs=11"]].concat();
    place.opdir(&meant).succeeds();
}

#[test]
fn a_sheet_in_another_order_is_the_same_tables_and_a_plan_names_the_row_of_each_changed_record() {
    const HEAD: &str = "Code,Program,Funder,Link,Type,Deadline\n";
    let place = empty();
    let rows = |deadline: &str| {
        let rows = (1..=4).map(|n| format!("K{n},Call {n},Acme,https://a.example/{n},grant,{deadline}\n"));
        rows.collect::<Vec<_>>()
    };
    let sheet = |rows: &[String]| fs::write(place.path("calls.csv"), HEAD.to_owned() + &rows.concat());
    let import = || place.opdir(&["import", "data"]).succeeds();
    let first = rows("2030-03-01");
    sheet(&first).unwrap();
    place.opdir(&["import", "data", "--draft", "--from", "calls.csv"]).succeeds();
    place.edit("import.toml", |mapping| mapping.replace("# ?", "#"));
    import();
    place.build().succeeds();
    let before = content(&place.path("data"));
    let turned: Vec<String> = first.into_iter().rev().collect();
    sheet(&turned).unwrap();
    import();
    assert_eq!(content(&place.path("data")), before);
    let mut changed = turned;
    changed[1] = rows("2030-04-01").remove(2);
    sheet(&changed).unwrap();
    import();
    let plan = || place.opdir(&["plan", "--data", "data", "--out", "root", "--quiet"]).succeeds();
    let line = "deadlineOn 2030-03-01 → 2030-04-01   (calls.csv:3)";
    assert!(plan().contains(line), "{}", plan());
    // A row of another value than the table is not where it comes from.
    sheet(&rows("2030-05-01")).unwrap();
    assert!(plan().contains("→ 2030-04-01\n"), "{}", plan());
}

#[test]
fn the_ten_minutes_text_shows_what_the_program_prints() {
    let place = empty();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/import/mappings/ten-minutes.md");
    let text = fs::read_to_string(path).unwrap();
    for block in text.split("\n```").skip(1).step_by(2) {
        let (kind, content) = block.split_once('\n').unwrap();
        match kind {
            "csv" => fs::write(place.path("register.csv"), content).unwrap(),
            "toml" => content.lines().for_each(|line| {
                let name = line.split(" = ").next().unwrap();
                place.edit("import.toml", |mapping| {
                    let is_it = |known: &&str| known.trim_start_matches("# ? ").starts_with(name);
                    let before = mapping.lines().find(is_it).unwrap();
                    mapping.replace(before, line)
                });
            }),
            // It serves until it is ended.
            "sh" => assert_eq!(content, "opdir preview --data data --open"),
            _ => {
                let (command, shown) = content.split_once('\n').unwrap();
                let words: Vec<&str> = command.strip_prefix("$ opdir ").unwrap().split(' ').collect();
                let ran = place.opdir(&words);
                assert_eq!(format!("{}{}", ran.err, ran.out).trim_end(), shown.trim_end(), "{command}");
            }
        }
    }
}

#[test]
fn rows_come_through_a_pipe_and_one_that_ends_early_writes_nothing() {
    let place = empty();
    place.opdir(&["init", "data"]).succeeds();
    let mapping = "[sources.crm]\nkey = \"id\"\n[sources.crm.programs]\nname = \"title\"\norganization = { value = \"acme-foundation\" }\nofficialUrl = \"links/url\"\nprogramType = { value = \"grant\" }\n";
    fs::write(place.path("data/import.toml"), mapping).unwrap();
    let pipe = |text: &str| {
        let mut child = command(OPDIR, place.folder.path(), &["import", "data", "crm", "--from", "-"]);
        let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (text, words) in
        [("", "it is empty; if it came through a pipe"), ("id,title,url\n1,\"One", "was it cut off?")]
    {
        let (code, err) = pipe(text);
        assert!(code == Some(1) && err.contains(words), "{err}");
        assert!(!place.path("data/programs").exists());
    }
    // Of elements, only one with words of its own between them is a text.
    let row = "<row>\n <id>1</id>\n <title>On <i>red</i> gulls</title>\n <links>\n  <url>https://a.example/</url>\n </links>\n</row>\n";
    let (code, err) = pipe(&format!("<rows>\n{row}{}</rows>\n", row.replace('1', "2")));
    assert_eq!(code, Some(0), "{err}");
    let rows = fs::read_to_string(place.path("data/programs/crm.ndjson")).unwrap();
    assert!(rows.contains("On red gulls") && rows.contains("https://a.example/"), "{rows}");
}

#[test]
fn an_import_with_errors_names_all_of_them_at_the_rows_of_the_source_and_writes_nothing() {
    let place = empty();
    place.opdir(&["init", "data"]).succeeds();
    let mapping = "[sources.crm]\nfile = \"inbox/crm.csv\"\nkey = \"id\"\n[sources.crm.programs]\nname = \"title\"\norganization = \"funder\"\nofficialUrl = \"url\"\nprogramType = { value = \"grant\" }\nfundingMaxUsd = \"max\"\n";
    fs::write(place.path("data/import.toml"), mapping).unwrap();
    fs::create_dir(place.path("data/inbox")).unwrap();
    let write = |rows: &str| {
        fs::write(place.path("data/inbox/crm.csv"), format!("id,title,funder,url,max\n\n{rows}")).unwrap();
    };
    write("1,One,acme-fundation,https://a.example/,3.000\n");
    let before = content(&place.path("data"));
    for command in [&["import", "data"][..], &["import", "data", "--dry-run"]] {
        let words = ["inbox/crm.csv:3", "`fundingMaxUsd` is `3.000`", "(column `max`)", "import.toml:9"];
        place.opdir(command).fails(1, &[&words[..], &["`acme-fundation`"]].concat());
        assert_eq!(content(&place.path("data")), before);
    }
    write("1,One,acme-foundation,https://a.example/,3000\n");
    place.opdir(&["import", "data", "--dry-run"]).succeeds();
    assert!(!place.path("data/programs").exists());
    place.opdir(&["import", "data"]).succeeds();
    assert!(place.path("data/programs/crm.ndjson").exists());
}

#[test]
fn a_plan_against_what_was_built_without_tables_counts_and_says_so() {
    let place = of_many();
    place.opdir(&[&BUILD[..], &["--index-only"]].concat()).succeeds();
    let plan = place.opdir(&["plan", "--data", "data", "--out", "root", "--quiet"]).succeeds();
    assert!(plan.contains("built with --index-only") && plan.contains("programs: 21, would be 21"), "{plan}");
    place.edit("programs.csv", half);
    place.build().fails(6, &["10 programs fewer than 21", "--expect-removed programs=10"]);
}
