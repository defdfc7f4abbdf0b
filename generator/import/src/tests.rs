//! Sources, mappings and edits: what they become, and what is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::mapping::FILE;
use crate::source::sheet::{Cell, Options, Sheet};
use dataset::diagnostics::{Code, Diagnostic, Diagnostics};

mod cells;
mod corpus;
mod drafts;
mod layouts;
mod properties;
mod reference;
mod sums;
mod workbooks;

/// What is printed of an import: a line for each note, behind those of problems.
fn notes(report: &Diagnostics) -> String {
    let mut out = b"\n".to_vec();
    report.print(dataset::diagnostics::MessageFormat::Human, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A folder of a dataset with a mapping, a source and what else is given.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(path, text)| place.write(path, text.as_bytes()));
        place
    }

    /// One of a mapping and a sheet of grants.
    fn of(mapping: &str, sheet: &str) -> Self {
        Self::new(&[(FILE, mapping), ("inbox/grants.csv", sheet)])
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn import(&self) -> (bool, Diagnostics) {
        self.import_of(&[])
    }

    /// What an import makes, before it is written.
    fn made(&self, sources: &[String]) -> (Result<Imported, ImportError>, Diagnostics) {
        let mut report = Diagnostics::new();
        let made = import(self.folder.path(), sources, None, &mut report);
        (made, report)
    }

    fn import_of(&self, sources: &[String]) -> (bool, Diagnostics) {
        let (made, report) = self.made(sources);
        let is_sound = |it: Imported| report.error_count() == 0 && it.write(self.folder.path()).is_ok();
        (made.is_ok_and(is_sound), report)
    }

    /// Imports without a fault.
    #[track_caller]
    fn imported(&self) -> Diagnostics {
        let (is_done, report) = self.import();
        assert!(is_done, "{:?}", report.sorted());
        report
    }

    /// The errors of an import and of the check of its dataset: code, place and message.
    fn checked(&self) -> Vec<(&'static str, String, String)> {
        self.write("dataset.json", DATASET.as_bytes());
        let (data, (imported, mut report)) = (self.folder.path(), self.made(&[]));
        let imported = imported.unwrap();
        let input = dataset::Input::Overlaid(data.to_owned(), &imported.files);
        drop(dataset::link(dataset::read(&input, &mut report).unwrap(), &mut report));
        imported.relocate(data, &mut report);
        let (errors, _) = report.errors(usize::MAX);
        let place = |it: String| it.rsplit('/').next().unwrap_or_default().to_owned();
        errors.into_iter().map(|it| (it.code, place(it.place), it.message)).collect()
    }

    /// Drafts a mapping of a source that is here, and gives its text.
    fn drafted(&self, source: &str) -> String {
        draft(self.folder.path(), Some(&self.folder.path().join(source)), None).unwrap();
        fs::read_to_string(self.folder.path().join(FILE)).unwrap()
    }

    /// A column of a table.
    fn column(&self, path: &str, name: &str) -> Vec<Value> {
        self.rows(path).into_iter().map(|mut row| row[name].take()).collect()
    }

    fn rows(&self, path: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join(path)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What is refused: code, line and message; nothing is written.
    #[track_caller]
    fn refused(&self) -> Vec<(&'static str, u32, String)> {
        let (is_done, report) = self.import();
        assert!(!is_done);
        assert!(!self.folder.path().join("programs").exists(), "something was written");
        let errors = report.sorted().into_iter().filter(|it| it.code.id().starts_with('E'));
        errors.map(|it| (it.code.id(), it.at.line, it.message.clone())).collect()
    }
}

impl Place {
    /// An import with one error.
    #[track_caller]
    fn refuses(&self, code: &str, line: u32, message: &str) {
        assert_eq!(self.refused(), [(code, line, message.to_owned())]);
    }

    /// An import whose check has one error: code, file and line, and message.
    #[track_caller]
    fn fails(&self, code: &str, at: &str, message: &str) {
        assert_eq!(self.checked(), [(code, at.to_owned(), message.to_owned())]);
    }
}

const DATASET: &str = r#"{"schemaVersion":"1","name":"t","title":"T","license":"CC BY 4.0","publishedAt":"2026-06-01T00:00:00Z"}"#;

const SHEET: &str = "Ref;Title;Funder;Link;Type;Deadline;Max;Who\nA1;Ocean;Acme;https://a.example/;Beca;31/12/2026 17:00 CET;1.500,00;Spain, UK\n\
    A2;Sea;Acme;https://b.example/;Beca;03/04/2027;n/a;\n";

const MAPPING: &str = r#"
[sources.grants]
file = "inbox/grants.csv"
key = "Ref"
dates = "dmy"
numbers = "1.234,56"
lists = ","
empty = ["n/a"]

[sources.grants.organizations]
name = { column = "Funder", distinct = true }

[sources.grants.programs]
name = "Title"
organization = "Funder"
officialUrl = "Link"
programType = { column = "Type", values = { "Beca" = "scholarship" } }
eligibleCountries = "Who"
fundingMaxUsd = "Max"

[sources.grants.cycles]
label = { join = ["Title", "Ref"], with = " / " }
deadlineOn = { column = "Deadline", notes = true }
"#;

fn place() -> Place {
    Place::of(MAPPING, SHEET)
}

#[test]
fn a_sheet_becomes_the_tables_of_its_mapping() {
    let place = place();
    let report = place.imported();
    assert!(report.sorted().is_empty(), "{:?}", report.sorted());
    let read = "`eligibleCountries`: 2 texts read as what the dataset has for it, as `Spain` is `ES`";
    assert!(notes(&report).contains(read), "{}", notes(&report));
    assert_eq!(place.rows("organizations/grants.ndjson"), [json!({"key": "Acme", "name": "Acme"})]);
    let program = json!({
        "key": "A1", "name": "Ocean", "organization": "Acme", "officialUrl": "https://a.example/",
        "programType": "scholarship", "eligibleCountries": ["ES", "GB"], "fundingMaxUsd": 1500
    });
    let programs = place.rows("programs/grants.ndjson");
    assert_eq!(programs[0], program);
    assert_eq!(programs[1].get("fundingMaxUsd"), None);
    let cycles = place.rows("cycles/grants.ndjson");
    assert_eq!(cycles[0], json!({"program": "A1", "label": "Ocean / A1", "deadlineOn": "2026-12-31"}));
    assert_eq!(cycles[1]["deadlineOn"], "2027-04-03");
    let note = json!({"program": "A1", "kind": "note", "label": "Deadline", "text": "2026-12-31 17:00 CET"});
    assert_eq!(place.rows("facts/grants.ndjson"), [note]);
}

#[test]
fn names_labels_and_addresses_become_what_a_dataset_has_and_are_reported() {
    let sheet =
        SHEET.replace("https://a.example/", "www.a.example/x").replace("Spain, UK", "Georgia, Africa");
    let mapping =
        MAPPING.replace("{ column = \"Type\", values = { \"Beca\" = \"scholarship\" } }", "\"Type\"");
    let place = Place::of(&mapping, &sheet);
    place.write("vocabulary.csv", b"facet,value,labelEn,labelEs\ntypes,scholarship,Scholarship,Beca\n");
    place.write("edits/programs.csv", b"key,destinationCountries\nA2,Kenya\n");
    let report = place.imported();
    let program = &place.rows("programs/grants.ndjson")[0];
    assert_eq!(program["programType"], "scholarship");
    assert_eq!(program["officialUrl"], "https://www.a.example/x");
    assert!(["a.example/x", "www.a.example"].iter().all(|text| values::lacks_scheme(text)));
    assert!(!["a.example", "notes.pdf", "me@a.example/x"].iter().any(|text| values::lacks_scheme(text)));
    assert_eq!(program["eligibleCountries"], json!(["Georgia", "002"]));
    assert_eq!(place.rows("programs/grants.ndjson")[1]["destinationCountries"], json!(["KE"]));
    assert_eq!(report.sorted().len(), 0, "{:?}", report.sorted());
    let notes = notes(&report);
    assert!(notes.contains("`officialUrl`: 1 text read as what the dataset has for it"), "{notes}");
    assert!(
        notes.contains("`programType`: 2 texts read as what the dataset has for it, as `Beca`"),
        "{notes}"
    );
}

#[test]
fn several_days_in_a_cell_are_an_error_with_each_until_the_mapping_splits_them() {
    for (cell, separator, days) in [
        ("LOI 3/4/27; full 5/1/27", ";", "2027-04-03 LOI, 2027-01-05 full"),
        ("3/4/2027 | 5/1/2027", "|", "2027-04-03, 2027-01-05"),
        ("31 de enero de 2027 y 1 de junio de 2027", " y ", "2027-01-31, 2027-06-01"),
        ("LOI March 4, 2027 & full May 1, 2027", " & ", "2027-03-04 LOI, 2027-05-01 full"),
        ("2027-01-05, 2027-06-05 17:00", ",", "2027-01-05, 2027-06-05"),
    ] {
        let sheet = SHEET.replace("03/04/2027", &format!("\"{cell}\""));
        let place = Place::of(MAPPING, &sheet);
        let message = format!("`deadlineOn` is `{cell}`, which has several days: {days} (column `Deadline`)");
        place.refuses("E0108", 3, &message);
        let split = format!("split = \"{separator}\", notes");
        place.write("import.toml", MAPPING.replace("notes", &split).as_bytes());
        place.imported();
        let found = place.rows("cycles/grants.ndjson").split_off(1);
        let found: BTreeSet<&str> = found.iter().map(|it| it["deadlineOn"].as_str().unwrap()).collect();
        let expected = days.split(", ").map(|day| day.split(' ').next().unwrap());
        assert_eq!(found, expected.collect(), "{cell}");
    }
    for cell in [
        "1/3/2031, 1/6/2031 y 1/9/2031",
        "1 March 2031, 1 June 2031 and 1 September 2031",
        "1/3/2031, not 1/6/2031",
    ] {
        let split = MAPPING.replace("notes", "split = \",\", notes");
        for mapping in [MAPPING, &split.replace("notes = true", "notes = false")] {
            let sheet = SHEET.replace("03/04/2027", &format!("\"{cell}\""));
            let place = Place::of(&mapping.replace(", notes = true", ""), &sheet);
            let error = place.refused().pop().unwrap().2;
            assert!(!error.contains("several days"), "a day may be lost: {error}");
        }
    }
    let misplaced = MAPPING.replace("\"Link\"", "{ column = \"Link\", split = \";\" }");
    assert_eq!(Place::of(&misplaced, SHEET).refused()[0].2, "`officialUrl`: `split` is for days of cycles");
}

#[test]
fn what_is_not_declared_is_refused_with_the_line_to_add_and_nothing_is_written() {
    for (gone, code, message) in [
        ("dates = \"dmy\"\n", "E0108", "`deadlineOn` is `31/12/2026 17:00 CET`, and no order of day"),
        ("numbers = \"1.234,56\"\n", "E0211", "`fundingMaxUsd` is `1.500,00`, expected a number"),
        (", notes = true", "E0108", "`deadlineOn` is `2026-12-31 17:00 CET`, a day with an hour"),
        ("\"Beca\" = \"scholarship\"", "E0201", "`programType`: `Beca` is not among `values`"),
    ] {
        let other = if gone.starts_with("\"B") { "\"Premio\" = \"prize\"" } else { "" };
        let refused = Place::of(&MAPPING.replace(gone, other), SHEET).refused();
        assert_eq!((refused[0].0, refused[0].1), (code, 2), "{gone}");
        assert!(refused[0].2.starts_with(message), "{gone}: {}", refused[0].2);
    }
}

#[test]
fn quotes_within_cells_are_kept_or_refused_and_columns_without_a_name_are_reported() {
    let pasted = SHEET.replace(';', "\t").replace("Ocean", "\"Second\" Chance").replace("Who\n", "Who\t\n");
    let pasted = pasted.replace("UK\n", "UK\textended to 1 May\n").replace("n/a\t\n", "n/a\t\t\n");
    let place = Place::of(MAPPING, &pasted);
    let report = place.imported();
    assert_eq!(place.rows("programs/grants.ndjson")[0]["name"], "\"Second\" Chance");
    let problems = report.sorted().into_iter().filter(|it| it.code.id() == "W0107");
    let new: Vec<&str> = problems.map(|it| it.message.as_str()).collect();
    assert_eq!(new, ["1 column left out, not mapped: \"\" (as `extended to 1 May`)"]);
    let sheet = SHEET.replace("Ocean", "\"Second\" Chance");
    let refused = Place::of(MAPPING, &sheet).refused();
    assert!(refused[0].2.contains("line 2: a quote inside a cell is not doubled"), "{}", refused[0].2);
}

#[test]
fn an_empty_mark_does_not_empty_what_the_mapping_itself_gives() {
    let mapping = MAPPING
        .replace("\"n/a\"]", "\"n/a\", \"2027\"]")
        .replace("label = { join = [\"Title\", \"Ref\"], with = \" / \" }", "label = { value = \"2027\" }");
    let place = Place::of(&mapping, SHEET);
    place.imported();
    assert_eq!(place.rows("cycles/grants.ndjson")[0]["label"], "2027");
}

#[test]
fn a_mapping_is_refused_with_the_word_that_was_meant() {
    for (good, bad, words) in [
        ("name = \"Title\"", "nmae = \"Title\"", "`nmae` is not a field of programs; did you mean `name`?"),
        ("dates =", "date =", "`date` is neither an option nor a table; did you mean `dates`?"),
        ("\"dmy\"", "\"ddmmyy\"", "`dates` is `ddmmyy`, it takes dmy, mdy, ymd"),
        ("1.234,56", "1.5", "`numbers` is `1.5`"),
        ("distinct = true", "distict = true", "did you mean `distinct`?"),
        ("[sources.grants.programs]", "[sources.grants.programmes]", "did you mean `programs`?"),
        ("notes = true", "notes = \"no\"", "`notes` takes true or false"),
        ("[sources.grants]", "[sources.grants", ""),
    ] {
        let mapping = MAPPING.replace(good, bad);
        let refused = Place::of(&mapping, SHEET).refused();
        assert_eq!(refused.len(), 1, "{bad}");
        assert_eq!(refused[0].0, "E0112", "{bad}");
        assert!(refused[0].2.contains(words), "{bad}: {}", refused[0].2);
        let line = 1 + mapping.lines().position(|line| line.contains(bad)).unwrap();
        assert_eq!(refused[0].1 as usize, line, "{bad}");
    }
}

#[test]
fn a_mapped_column_that_is_gone_is_an_error() {
    let renamed = SHEET.replacen("Deadline", "Closing", 1);
    let message = "the column `Deadline`, mapped to `deadlineOn`, is not in the source";
    Place::of(MAPPING, &renamed).refuses("E0114", 23, message);
}

#[test]
fn a_row_that_vanished_is_withdrawn_kept_or_removed() {
    for (gone, left, of_it, expected) in
        [("withdraw", 2, 1, Some("withdrawn")), ("keep", 2, 2, None), ("remove", 1, 1, None)]
    {
        let place = Place::of(MAPPING, &SHEET.replace("03/04/2027", "03/04/2027 17:00"));
        place.imported();
        let mapping = MAPPING.replace("key =", &format!("gone = \"{gone}\"\nkey ="));
        place.write("import.toml", mapping.as_bytes());
        place.write("inbox/grants.csv", SHEET.lines().take(2).collect::<Vec<_>>().join("\n").as_bytes());
        place.imported();
        let programs = place.rows("programs/grants.ndjson");
        let last = programs.last().unwrap()["publication"].as_str();
        assert_eq!((programs.len(), last), (left, expected), "{gone}");
        let of_it_now = ["cycles", "facts"].map(|it| place.rows(&format!("{it}/grants.ndjson")).len());
        assert_eq!(of_it_now, [of_it; 2], "{gone}");
    }
}

#[test]
fn a_source_that_is_imported_alone_leaves_what_others_use_and_nothing_that_it_makes_no_more() {
    let place = Place::of(&(MAPPING.to_owned() + &MAPPING.replace("grants", "more")), SHEET);
    place.write("inbox/more.csv", SHEET.replace("\nA", "\nB").as_bytes());
    place.imported();
    place.write("inbox/grants.csv", SHEET.replace("Acme", "Zeta").replace(" 17:00 CET", "").as_bytes());
    assert!(place.import_of(&["grants".to_owned()]).0);
    assert_eq!(place.column("organizations/grants.ndjson", "publication"), [Value::Null, Value::Null]);
    assert_eq!(place.column("facts/grants.ndjson", "publication"), ["withdrawn"]);
    assert_eq!(place.column("facts/more.ndjson", "publication"), [Value::Null]);
}

#[test]
fn what_no_source_makes_any_more_follows_its_rule() {
    for (gone, expected) in [("withdraw", Some("withdrawn")), ("keep", None)] {
        let place = place();
        place.write("import.toml", MAPPING.replace("key =", &format!("gone = \"{gone}\"\nkey =")).as_bytes());
        place.imported();
        let without = MAPPING.split("[sources.grants.cycles]").next().unwrap();
        place.write("import.toml", without.as_bytes());
        place.imported();
        let cycles = place.rows("cycles/grants.ndjson");
        assert_eq!((cycles.len(), cycles[0]["publication"].as_str()), (2, expected), "{gone}");
    }
    let place = place();
    place.write("import.toml", MAPPING.replace("key =", "gone = \"remove\"\nkey =").as_bytes());
    place.imported();
    place.write("programs/by-hand.ndjson", b"{}\n");
    place.write("import.toml", MAPPING.replace("sources.grants", "sources.other").as_bytes());
    place.imported();
    let is_there = |path: &str| place.folder.path().join(path).exists();
    assert!(!is_there("programs/grants.ndjson") && is_there("programs/other.ndjson"));
    assert!(is_there("programs/by-hand.ndjson"), "what no import wrote stays");
}

#[test]
fn a_link_out_of_the_dataset_and_a_device_are_no_sources() {
    use std::os::unix::fs::symlink;
    let targets = [("/etc/hostname", "the link leaves the dataset"), ("/dev/null", "it is no regular file")];
    for (target, reason) in targets {
        let place = Place::new(&[("import.toml", MAPPING), ("inbox/other.csv", SHEET)]);
        symlink(target, place.folder.path().join("inbox/grants.csv")).unwrap();
        let error = place.made(&[]).0.err().unwrap().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let place = Place::new(&[("import.toml", MAPPING), ("inbox/other.csv", SHEET)]);
    symlink("other.csv", place.folder.path().join("inbox/grants.csv")).unwrap();
    place.imported();
}

#[test]
fn edits_survive_the_next_import_and_one_without_a_record_is_an_error() {
    for (edits, code, line, message) in [
        ("key,name\nA9,Nobody\n", "E0115", 2, "no imported row of programs has the key `A9`"),
        ("key,name\n\nA9,Ocean\n", "E0115", 3, "no imported row of programs has the key `A9`"),
        ("key,name\n\nA1,Ocean,x\n", "E0104", 3, "the row has more or fewer cells than the header"),
        ("key,name\nA1,Ocean\nA2,Ice\nA2,Snow\n", "E0106", 4, "`name` of key `A2` is in row 3 as well"),
        ("key,naem\nA1,Ocean\n", "E0105", 2, "`naem` is not a field of programs"),
        ("key,fundingMaxUsd\nA1,1.500\n", "E0211", 2, "`fundingMaxUsd` is `1.500`, expected a number"),
    ] {
        let place = place();
        place.write("edits/programs.csv", edits.as_bytes());
        place.refuses(code, line, message);
    }
    for (file, problem) in
        [("programmes.csv", "did you mean `programs.csv`?"), ("programs.ndjson", "`<table>.csv`")]
    {
        let place = place();
        place.write(&format!("edits/{file}"), b"key,name\nA1,Ocean\n");
        let (is_done, report) = place.import();
        assert!(!is_done && notes(&report).contains(problem), "{}", notes(&report));
    }
    let place = place();
    place.write("edits/programs.csv", b"slug,name\nocean,Ocean\n");
    assert_eq!(place.imported().sorted()[0].code.id(), "W0109");
    place.write("edits/programs.csv", b"key,name,fundingMaxUsd\nA2,Seas,7\nA1,,null\n");
    for _ in 0..2 {
        place.imported();
        assert_eq!(place.column("programs/grants.ndjson", "name"), ["Ocean", "Seas"]);
        assert_eq!(place.column("programs/grants.ndjson", "fundingMaxUsd"), [Value::Null, json!(7)]);
    }
    let without = SHEET.lines().take(2).collect::<Vec<_>>().join("\n");
    place.write("inbox/grants.csv", without.as_bytes());
    let report = place.imported();
    let [left] = report.sorted()[..] else { panic!("{:?}", report.sorted()) };
    let message = "the row of this edit, key `A2`, has left source `grants`";
    assert_eq!((left.code.id(), &*left.message), ("W0109", message));
    place.write("inbox/grants.csv", SHEET.as_bytes());
    place.write("edits/programs.csv", b"key;officialUrl\nA1;ftp://a.example\n");
    let [(code, at, _)] = &place.checked()[..] else { panic!("{:?}", place.checked()) };
    assert_eq!((*code, at.as_str()), ("E0601", "programs.csv:2"), "an error of an edit is at the edit");
}

#[test]
fn an_edit_is_of_its_table_and_a_season_is_known_by_its_program() {
    let place = place();
    place.write("edits/organizations.csv", b"key,name\nAcme,Acme Fund\n");
    place.write("edits/programs.csv", b"key,name\nA1,Seas\n");
    place.write("edits/cycles.csv", b"key,deadlineOn\nA1,2027-02-01\n");
    place.imported();
    for (table, field, value) in [
        ("organizations", "name", "Acme Fund"),
        ("programs", "name", "Seas"),
        ("cycles", "deadlineOn", "2027-02-01"),
    ] {
        assert_eq!(place.column(&format!("{table}/grants.ndjson"), field)[0], value, "all are of row 2");
    }
    let several = self::place();
    several.write("edits/cycles.csv", b"key,deadlineOn\nA1,2027-02-01\n");
    several.write("import.toml", MAPPING.replace("notes = true", "split = \";\"").as_bytes());
    let days = SHEET.replace("31/12/2026 17:00 CET", "\"1/3/2027; 1/6/2027\"");
    several.write("inbox/grants.csv", days.as_bytes());
    several.refuses("E0115", 2, "2 rows of cycles are of program `A1`");
}

#[test]
fn what_an_import_would_change_is_known_before_it() {
    let place = place();
    let changed = || outdated(place.folder.path()).unwrap();
    assert_eq!(changed().len(), 4);
    place.imported();
    assert_eq!(changed(), [""; 0]);
    place.write("inbox/grants.csv", SHEET.replace("Ocean", "Waves").as_bytes());
    assert_eq!(changed(), ["cycles/grants.ndjson", "programs/grants.ndjson"]);
    place.write("inbox/grants.csv", SHEET.replace("31/12", "31/13").as_bytes());
    assert!(outdated(place.folder.path()).is_err());
    fs::remove_file(place.folder.path().join("inbox/grants.csv")).unwrap();
    assert_eq!(changed(), [""; 0], "a sheet may be elsewhere");
}

#[test]
fn rows_of_a_program_with_a_key_of_its_own_belong_to_it() {
    let sheet = "Name,Round,Funder,Link,Deadline\nA,Spring,F,https://a.example/,2031-01-01\nA,Autumn,F,https://a.example/,2031-09-01 17:00\n";
    let place = Place::of(
        "[sources.grants]\nfile = \"inbox/grants.csv\"\nkey = [\"Name\", \"Round\"]\n\
         [sources.grants.organizations]\nname = { column = \"Funder\", distinct = true }\n\
         [sources.grants.programs]\nkey = { column = \"Name\", distinct = true }\nname = \"Name\"\norganization = \"Funder\"\n\
         officialUrl = \"Link\"\nprogramType = { value = \"grant\" }\n\
         [sources.grants.cycles]\nlabel = \"Round\"\ndeadlineOn = { column = \"Deadline\", notes = true }\n",
        sheet,
    );
    assert!(place.checked().is_empty(), "{:?}", place.checked());
    place.imported();
    assert_eq!(place.column("cycles/grants.ndjson", "program"), ["A", "A"]);
    assert_eq!(place.column("facts/grants.ndjson", "program"), ["A"], "a note is of the program too");
}

#[test]
fn a_source_beside_the_tables_is_none_of_them() {
    let place = Place::of(&MAPPING.replace("inbox/grants.csv", "./programs.csv"), "");
    place.write("programs.csv", SHEET.as_bytes());
    assert!(place.checked().is_empty(), "{:?}", place.checked());
}

#[test]
fn an_import_that_cannot_write_every_table_writes_none() {
    let place = place();
    place.imported();
    let before = place.rows("organizations/grants.ndjson");
    fs::remove_dir_all(place.folder.path().join("programs")).unwrap();
    place.write("programs", b"a file where a folder should be");
    place.write("inbox/grants.csv", SHEET.replace("Acme", "Bolt").as_bytes());
    assert!(!place.import().0);
    assert_eq!(place.rows("organizations/grants.ndjson"), before);
}

#[test]
fn what_follows_from_an_error_is_none_and_what_does_not_is_one() {
    let mapping = MAPPING.split("[sources.grants.cycles]").next().unwrap();
    let check = |sheet: &str| {
        let errors = Place::of(mapping, sheet).checked();
        errors.into_iter().map(|(code, at, _)| format!("{code} {at}")).collect::<Vec<_>>()
    };
    // A table that no row makes is missing because each row lacks its value.
    assert_eq!(check(&SHEET.replace("Acme", "")), ["E0107 grants.csv:2"]);
    let errors = Place::of(MAPPING, &SHEET.replacen("Acme", "", 1)).checked();
    assert_eq!(errors[0].2, "`organization` is missing or empty (column `Funder`)");
    let labels =
        MAPPING.replace("label = { join = [\"Title\", \"Ref\"], with = \" / \" }", "label = \"Who\"");
    let message = "`label` is missing or empty, and the row's id is made of it (column `Who`)";
    Place::of(&labels, SHEET).fails("E0107", "grants.csv:3", message);
    // A sum that is not read hides no other fault of its row, a name that is not read has one fault.
    let faults = SHEET.replace(";1.500,00", ";1,5.0").replacen("Acme", "", 1);
    assert_eq!(check(&faults), ["E0107 grants.csv:2", "E0211 grants.csv:2"]);
    assert_eq!(check(&SHEET.replace("Ocean", "#REF!")), ["E0108 grants.csv:2"]);
}

#[test]
fn errors_stand_alone_and_warnings_are_counted() {
    let mut report = Diagnostics::new();
    let at = dataset::diagnostics::Location { file: report.add_file("a.csv"), line: 3 };
    report.push(Diagnostic::new(Code::NewColumn, at, "not mapped"));
    Imported::default().relocate(Path::new("data"), &mut report);
    assert_eq!(report.sorted().len(), 1);
    report.push(Diagnostic::new(Code::MissingField, at, "no key"));
    Imported::default().relocate(Path::new("data"), &mut report);
    assert_eq!(report.sorted().iter().map(|it| it.code).collect::<Vec<_>>(), [Code::MissingField]);
    assert_eq!(report.error_count(), 1);
}

#[test]
fn what_two_rows_have_of_one_program_is_joined_and_must_agree() {
    let source = |year: &str| {
        format!(
            "[sources.y{year}]\nfile = \"{year}.csv\"\nskip = [\"Old\"]\n[sources.y{year}.organizations]\nname = {{ column = \"Funder\", distinct = true }}\nwebsiteUrl = \"Site\"\n\
             [sources.y{year}.programs]\nkey = {{ column = \"No\", distinct = true }}\nname = \"Title\"\norganization = \"Funder\"\nofficialUrl = \"Link\"\nfundingMaxUsd = \"Max\"\n"
        )
    };
    let head = "No,Title,Funder,Site,Link,Max\n";
    let place = |later: &str| {
        let first = format!("{head}K1,Reefs,Acme,https://acme.example/,https://a.example/1,\n");
        let later = format!("{head}{later}");
        let mapping = format!("{}{}", source("2030"), source("2031"));
        Place::new(&[("import.toml", &mapping), ("2030.csv", &first), ("2031.csv", &later)])
    };
    // What one of them lacks, the other has.
    let joined = place("K1,Reefs,ACME,https://acme.example/x,https://a.example/1,500\n");
    // Of other records the first value stays.
    let report = joined.imported();
    for field in ["websiteUrl", "name"] {
        let note =
            format!("`{field}` of organizations: 1 row with another value than the first of the record");
        assert!(notes(&report).contains(&note), "{}", notes(&report));
    }
    let [funder] = &joined.rows("organizations/y2030.ndjson")[..] else { panic!("one funder") };
    assert_eq!(funder["websiteUrl"], "https://acme.example/");
    let program = json!({"key": "K1", "name": "Reefs", "organization": "Acme", "officialUrl": "https://a.example/1", "fundingMaxUsd": 500});
    assert_eq!(joined.rows("programs/y2030.ndjson"), [program]);
    assert_eq!(joined.rows("programs/y2031.ndjson"), [] as [Value; 0]);
    // Where they differ, each field is an error with both values and both places.
    let differ =
        place("K1,Reef,Zeta,,https://b.a/,500\nK1,Reefs,Acme,https://acme.example/x,,600\n,Bogs,Acme,,,\n");
    let folder = differ.folder.path().to_str().unwrap();
    let found = differ.refused().into_iter();
    let found: Vec<_> =
        found.map(|(id, line, it)| format!("{id} {line} {}", it.replace(folder, ""))).collect();
    let programs = "in /2030.csv:2, the same one of programs";
    let expected = [
        format!(
            "E0108 2 `officialUrl` is `https://b.a/` (column `Link`), and `https://a.example/1` {programs}"
        ),
        format!("E0108 2 `organization` is `Zeta` (column `Funder`), and `Acme` {programs}"),
        format!("E0501 2 `name` is `Reef` (column `Title`), and `Reefs` {programs}"),
        format!("E0108 3 `fundingMaxUsd` is `600` (column `Max`), and `500` {programs}"),
        "E0107 4 the row has no `key`, by which its program is known".to_owned(),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_broken_row_may_be_kept_as_a_draft() {
    let mapping = MAPPING.replace("key =", "broken = \"draft\"\nkey =");
    let sheet = SHEET.replace("03/04/2027", "31/04/2027");
    let place = Place::of(&mapping, &sheet);
    let report = place.imported();
    let mut codes = report.sorted().into_iter().map(|it| it.code.id());
    assert!(codes.any(|code| code == "W0108"), "{:?}", report.sorted());
    assert_eq!(place.rows("cycles/grants.ndjson")[1]["publication"], "draft");
    // What the check would refuse.
    place.write("inbox/grants.csv", SHEET.replace("Spain, UK", "Spain, Atlantis").as_bytes());
    place.imported();
    let record = &place.rows("programs/grants.ndjson")[0];
    assert_eq!((&record["publication"], &record["eligibleCountries"]), (&json!("draft"), &Value::Null));
    assert_eq!(place.checked(), []);
    // What a draft needs too is an error with its first cause.
    let two = SHEET.replace("https://b.example/", "https://b.example/ www.c.example");
    place.write("inbox/grants.csv", two.as_bytes());
    let note = "source `grants`, programs: 1 row kept as drafts without what is wrong in them: row 3";
    assert!(notes(&place.imported()).contains(note));
    let message =
        "`officialUrl` is `https://b.example/ www.c.example`, which is more than one address (column `Link`)";
    place.fails("E0108", "grants.csv:3", message);
}

#[test]
fn a_row_that_repeats_another_one_is_left_out() {
    let place = Place::of(MAPPING, &format!("{SHEET}{}\n", SHEET.lines().last().unwrap()));
    place.imported();
    assert_eq!(place.rows("programs/grants.ndjson").len(), 2);
}

#[test]
fn several_columns_together_are_the_key() {
    let mapping = MAPPING.replace("\"Ref\"\n", "[\"Ref\", \"Title\"]\nskip = [\"Total\"]\n");
    let sheet = SHEET.replace("A2", "A1") + "Total;3;;;;;;\n";
    let place = Place::of(&mapping, &sheet);
    place.imported();
    assert_eq!(place.column("programs/grants.ndjson", "key"), ["A1 / Ocean", "A1 / Sea"]);
}

#[test]
fn sources_that_were_cut_off_or_are_hostile_are_refused_in_plain_words() {
    let deep = format!("{}{}", "[{\"a\":".repeat(30) + "1", "}]".repeat(30));
    let nested = format!("<r><g>{}{}</g></r>", "<a>".repeat(100), "</a>".repeat(100));
    let cases: [(&[u8], &str); 11] = [
        (b"", "it is empty; if it came through a pipe"),
        (b"Ref;Title\nA1;\"Oce", "never closed: was it cut off?"),
        (b"Ref;Title;X\nA1;Ocean\n", "row 2 has 2 cells, the header has 3"),
        (b"{\"Ref\": 1}\n{\"Ref\":", "line 2 is broken JSON"),
        (b"[{\"Ref\": 1},", "it is broken JSON"),
        (b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a \"b\">]><r><g>&a;</g></r>", "it has a document type"),
        (b"<r><g><a>1</a></g>", "was it cut off?"),
        (deep.as_bytes(), "nested more than 16 deep"),
        (nested.as_bytes(), "nested more than 64 deep"),
        (b"PK\x03\x04 and no workbook", "it is no workbook"),
        (b"Ref;Title\nA1;Espa\xf1a\n", "encoding = \"windows-1252\""),
    ];
    for (bytes, words) in cases {
        let place = Place::new(&[(FILE, MAPPING)]);
        place.write("inbox/grants.csv", bytes);
        let refused = place.refused();
        assert!(refused[0].0 == "E0113" && refused[0].2.contains(words), "{words}: {refused:?}");
    }
    // An odd number of quotes is no cut, where no cell begins with one.
    let refused = Place::of(MAPPING, "Ref;Title\nA1;5\" lens\n").refused();
    assert!(refused.iter().all(|(code, ..)| *code != "E0113"));
}

#[test]
fn a_bad_byte_in_a_utf8_file_is_an_error_at_its_place_and_no_other_encoding() {
    let bytes = b"Ref;Title\nA1;Espa\xc3\xb1a\nA2;Per\xfa\n";
    let place = Place::new(&[("import.toml", MAPPING)]);
    place.write("inbox/grants.csv", bytes);
    let message = &place.refused()[0].2;
    assert!(message.contains("line 3, byte 7 (0xFA) is not UTF-8"), "{message}");
    assert!(!message.contains("encoding"), "{message}");
    let [data, file] = ["data", "inbox/grants.csv"].map(|name| place.folder.path().join(name));
    let error = draft(&data, Some(&file), None).unwrap_err().to_string();
    assert!(error.contains("line 3, byte 7"), "{error}");
}

#[test]
fn lines_are_right_after_empty_lines_and_with_either_line_end() {
    for text in ["A,B\n1,2\n\n3,4\n", "A,B\r\n1,2\r\n\r\n3,4\r\n"] {
        let lines: Vec<u32> = read_sheet(text, None).rows.iter().map(|row| row.line).collect();
        assert_eq!(lines, [2, 4], "{text:?}");
    }
}

fn read_sheet(text: &str, rows: Option<&str>) -> Sheet {
    source::read(text.as_bytes(), &Options { rows: rows.map(str::to_owned), ..Options::default() }).unwrap()
}

#[test]
fn documents_are_rows_with_a_column_for_each_pointer() {
    let json = r#"{"meta": {"n": 2}, "data": [{"id": "a", "org": {"name": "Acme"}, "tags": ["x", "y"], "n": null}, {"id": "b", "amount": 5}]}"#;
    for rows in [None, Some("/data")] {
        let sheet = read_sheet(json, rows);
        assert_eq!(sheet.rows.len(), 2);
        let at = |name: &str| sheet.rows[0].cells[sheet.column(name).unwrap()].clone();
        assert_eq!(at("org/name"), Cell::Text("Acme".to_owned()));
        assert_eq!(at("/org/name"), Cell::Text("Acme".to_owned()));
        assert_eq!(at("tags"), Cell::List(vec!["x".to_owned(), "y".to_owned()]));
        assert_eq!(at("n"), Cell::Empty);
    }
    let xml = "<?xml version=\"1.0\"?><Grants xmlns=\"urn:x\"><G><T>A &#233;</T></G><G><T>B</T></G></Grants>";
    for rows in [None, Some("Grants/G")] {
        let sheet = read_sheet(xml, rows);
        assert_eq!((sheet.rows.len(), &sheet.rows[0].cells[0]), (2, &Cell::Text("A é".to_owned())));
    }
}

#[test]
fn a_draft_proves_its_guesses_and_what_it_leaves_open_is_refused() {
    let place = Place::new(&[("inbox/grants.csv", SHEET)]);
    let text = place.drafted("inbox/grants.csv");
    for line in [
        "dates   = \"dmy\"  # proved by 31/12/2026 17:00 CET, row 2",
        "currency = \"USD\"  # ? nothing shows which currency 1.500,00, row 2, is in",
        "deadlineOn = { column = \"Deadline\", notes = true }  # 2 of 2 cells fit; hours and other texts become notes",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}\n{text}");
    }
    let question = 1 + text.lines().position(|line| line.contains("# ?")).unwrap();
    let refused = place.refused();
    assert_eq!((refused.len(), refused[0].1 as usize), (1, question), "{refused:?}");
    assert!(refused[0].2.starts_with("2 lines not decided yet"), "{}", refused[0].2);
    // With the questions stand the values that the check refuses.
    place.write("inbox/grants.csv", SHEET.replace("https://b.example/", "b@x.example").as_bytes());
    let found = place.checked().into_iter().map(|(code, at, _)| format!("{code} {at}"));
    assert_eq!(found.collect::<Vec<_>>(), [&*format!("E0112 import.toml:{question}"), "E0601 grants.csv:3"]);
    place.write("inbox/grants.csv", SHEET.as_bytes());
    place.write(FILE, text.replace("  # ?", "  #").as_bytes());
    place.imported();
    assert_eq!(place.rows("programs/grants.ndjson")[0]["name"], "Ocean");
    let before = fs::read_to_string(place.folder.path().join(FILE)).unwrap();
    let again = |name| draft(place.folder.path(), Some(&place.folder.path().join("inbox/grants.csv")), name);
    assert!(again(None).is_err_and(|it| it.to_string().contains("[sources.grants] is there already")));
    again(Some("more")).unwrap();
    let after = fs::read_to_string(place.folder.path().join(FILE)).unwrap();
    assert!(after.strip_prefix(&before).is_some_and(|it| it.contains("[sources.more]")), "{after}");
    for unread in [&b"[sources.a]\n# \xff"[..], b"[sources"] {
        place.write(FILE, unread);
        assert!(again(None).is_err());
        assert_eq!(fs::read(place.folder.path().join(FILE)).unwrap(), unread, "written over");
    }
}

#[test]
fn every_ready_mapping_fits_the_schema_and_makes_a_sound_dataset_of_its_records() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mappings");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        let name = entry.file_name().unwrap().to_str().unwrap().to_owned();
        let place = Place::new(&[("dataset.json", DATASET)]);
        let mapping = fs::read_to_string(entry.join(FILE)).unwrap();
        assert!(reference::is_valid(&mapping), "{name}");
        place.write(FILE, mapping.as_bytes());
        let inbox = fs::read_dir(entry.join("inbox")).unwrap().next().unwrap().unwrap();
        let source = format!("inbox/{}", inbox.file_name().to_str().unwrap());
        place.write(&source, &fs::read(inbox.path()).unwrap());
        let report = place.imported();
        assert!(report.sorted().is_empty(), "{name}: {:?}", report.sorted());
        assert_eq!(place.checked(), [], "{name}");
        let directory = dataset::directory(&dataset::Input::Folder(place.folder.path().to_owned()));
        let more = directory.cycles.len() + directory.awards.len();
        assert!(!directory.programs.is_empty() && more > 0, "{name}");
        count += 1;
    }
    assert_eq!(count, 7);
}

#[test]
fn leaders_keep_the_order_of_their_rows() {
    let mapping = "[sources.a]\nfile = \"inbox/a.csv\"\n[sources.a.leaders]\norganization = \"Funder\"\nname = \"Who\"\nrole = \"Role\"\n";
    let rows = "Funder,Who,Role\nAcme,Zoe,Chair\nAcme,Ana,Member\nAcme,Max,Member\n";
    let place = Place::new(&[(FILE, mapping), ("inbox/a.csv", rows)]);
    place.imported();
    assert_eq!(place.column("leaders/a.ndjson", "name"), ["Zoe", "Ana", "Max"]);
}
