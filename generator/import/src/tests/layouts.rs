//! Sheets that are more than a header and records: what has two readings is refused with both until the mapping declares one.

use super::*;
use crate::source::read;

const FIELDS: &str = r#"
[sources.a.programs]
name = "Title"
officialUrl = "Link"
programType = { value = "grant" }
"#;
const HEAD: &str = "Ref,Title,Link\n";
const ROWS: &str = "A1,Ocean,https://a.example/1\nA2,Sea,https://a.example/2\n";

fn place(options: &str, rows: &str) -> Place {
    let mapping = format!("[sources.a]\nfile = \"inbox/a.csv\"\nkey = \"Ref\"\n{options}\n{FIELDS}");
    Place::new(&[(FILE, &mapping), ("inbox/a.csv", rows)])
}

/// Code, line, message and help of the only error.
#[track_caller]
fn error(place: &Place) -> (&'static str, u32, String, String) {
    let (is_done, report) = place.import();
    let errors = report.sorted().into_iter().filter(|it| it.code.id().starts_with('E'));
    let errors: Vec<_> = errors.collect();
    let [error] = errors[..] else { panic!("{errors:?}") };
    assert!(!is_done);
    (error.code.id(), error.at.line, error.message.clone(), error.help.clone().unwrap_or_default())
}

fn sheet(text: &str, how: &Options) -> Result<Sheet, String> {
    read(text.as_bytes(), how)
}

#[test]
fn a_row_with_one_cell_is_no_record_until_the_mapping_declares_what_it_is() {
    let rows = format!("{HEAD}Spain,,\n{ROWS}Peru,,\nA3,City,https://a.example/3\nUpdated in May,,\n");
    let (code, line, message, help) = error(&place("", &rows));
    assert_eq!((code, line), ("E0113", 2));
    assert_eq!(message, "source `a`: 3 rows with one cell: 2 `Spain`, 5 `Peru`, 7 `Updated in May`");
    assert!(help.contains("sections = \"NAME\"") && help.contains("sections = \"\""), "{help}");
    let (_, line, message, help) = error(&place("sections = \"Where\"", &rows));
    assert_eq!((line, &*help), (7, "list them in `skip`"));
    assert_eq!(message, "source `a`: 1 row with one cell and no rows below: 7 `Updated in May`");

    let taken = place("sections = \"Where\"\nskip = [\"Updated*\"]", &rows);
    let mapping = fs::read_to_string(taken.folder.path().join(FILE)).unwrap();
    taken.write(FILE, format!("{mapping}eligibleCountries = \"Where\"\n").as_bytes());
    taken.imported();
    let countries = [json!(["ES"]), json!(["ES"]), json!(["PE"])];
    assert_eq!(taken.column("programs/a.ndjson", "eligibleCountries"), countries);

    let left = place("skip = [\"Spain\", \"Peru\", \"Updated in May\"]", &rows);
    left.imported();
    assert_eq!(left.rows("programs/a.ndjson").len(), 3);
}

#[test]
fn rows_with_one_cell_may_be_records() {
    let organizations = "[sources.a]\nfile = \"inbox/a.csv\"\nsections = \"\"\n[sources.a.organizations]\nname = \"Name\"\ncountryCode = \"Country\"\nwebsiteUrl = \"Site\"\n";
    let rows = "Name,Country,Site\nAcme,,\nBrisa,ES,https://b.example/\n";
    let place = Place::new(&[(FILE, organizations), ("inbox/a.csv", rows)]);
    place.imported();
    assert_eq!(place.rows("organizations/a.ndjson").len(), 2);
    // In a sheet of two columns they are records anyway.
    assert!(sheet("Name,Country\nAcme,\n", &Options::default()).unwrap().lone.is_empty());
}

#[test]
fn a_heading_without_rows_above_another_is_left_to_the_mapping() {
    let how = Options { sections: Some("Where".to_owned()), ..Options::default() };
    let found = sheet(&format!("{HEAD}Europe,,\nSpain,,\n{ROWS}"), &how).unwrap();
    let lone: Vec<(u32, &str)> = found.lone.iter().map(|it| (it.line, &*it.text)).collect();
    assert_eq!(lone, [(2, "Europe")]);
    assert_eq!(found.rows[0].cells[3], Cell::Text("Spain".to_owned()));
    let taken = Options { sections: Some("Title".to_owned()), ..Options::default() };
    let refused = sheet(&format!("{HEAD}{ROWS}"), &taken).unwrap_err();
    assert_eq!(refused, "it has a column \"Title\" already: give `sections` another name");
}

#[test]
fn two_tables_in_a_sheet_are_refused_with_the_lines_of_both() {
    let second = "Past calls,,\nRef,Name,Year\nB1,Coast,2020\nB2,Shore,2021\n";
    let rows = format!("Open calls,,\n{HEAD}{ROWS},,\n{second}");
    let (code, line, message, help) = error(&place("", &rows));
    assert_eq!((code, line), ("E0113", 7));
    assert_eq!(message, "source `a`: rows 2 and 7 name columns: it has several tables");
    assert_eq!(help, "declare which: table = \"Open calls\" or table = \"Past calls\"");
    for table in ["Open calls", "2"] {
        let place = place(&format!("table = \"{table}\""), &rows);
        place.imported();
        assert_eq!(place.rows("programs/a.ndjson").len(), 2, "{table}");
    }
    for table in ["Past calls", "7"] {
        let past = Options { table: Some(table.to_owned()), ..Options::default() };
        let past = sheet(&rows, &past).unwrap();
        assert_eq!(past.columns, ["Ref", "Name", "Year"]);
        assert_eq!((past.rows.len(), past.rows[0].line), (2, 8));
        assert_eq!(past.notes, ["4 rows of other tables left out: rows 1, 2, 3, 4"]);
    }
    let empty = Options { table: Some("5".to_owned()), ..Options::default() };
    assert_eq!(sheet(&rows, &empty).unwrap_err(), "row 5, which `table` declares, has nothing");
    let lost = Options { table: Some("Calls".to_owned()), ..Options::default() };
    let refused = sheet(&rows, &lost).unwrap_err();
    assert_eq!(refused, "it has no table \"Calls\"; there are \"Open calls\", \"Past calls\"");
}

#[test]
fn rows_of_records_are_no_second_table() {
    for rows in [
        // A gap, and words only.
        format!("{HEAD}{ROWS}\nNone,Coast,tbc\nA4,Shore,https://a.example/4\n"),
        // Every row has words only.
        "Ref,Title,Link\nA,Ocean,x\n\nB,Sea,y\nC,Coast,z\n".to_owned(),
    ] {
        let found = sheet(&rows, &Options::default()).unwrap();
        assert!(found.tables.is_empty(), "{rows}: {:?}", found.tables);
    }
}

#[test]
fn names_of_two_rows_are_joined_by_declaration() {
    let below = "Ref,Title,Sum,,Day,\n,,Min,Max,LOI,Full\nA1,Ocean,1,2,3,4\n";
    let above = ",,Sum,,Day,\nRef,Title,Min,Max,LOI,Full\nA1,Ocean,1,2,3,4\n";
    let both = Options { header_rows: Some(2), ..Options::default() };
    for text in [below, above] {
        let found = sheet(text, &both).unwrap();
        assert_eq!(found.columns, ["Ref", "Title", "Sum / Min", "Sum / Max", "Day / LOI", "Day / Full"]);
        assert_eq!((found.rows.len(), found.rows[0].line), (1, 3));
    }
    let (_, line, message, help) =
        error(&place("", "Ref,Title,Link,\n,,Text,Address\nA1,Ocean,Here,https://a.example/\n"));
    assert_eq!(line, 2);
    let expected = "source `a`: rows 1 and 2 both name columns: `Ref`, `Title`, `Link`; `Text`, `Address`";
    assert_eq!(message, expected);
    assert_eq!(help, "declare header_rows = 2; or header_rows = 1 if row 2 is a record");
    let one = Options { header_rows: Some(1), ..Options::default() };
    assert_eq!(sheet(below, &one).unwrap().rows.len(), 2);
}

#[test]
fn a_column_that_is_there_twice_is_not_mapped() {
    let (code, _, message, help) =
        error(&place("", "Ref,Title,Title,Link\nA1,Ocean,Sea,https://a.example/\n"));
    assert_eq!((code, &*message), ("E0114", "the column `Title`, mapped to `name`, is there more than once"));
    assert_eq!(help, "map `Title (2)`, or add it to `ignore`; or declare header_rows");
}

#[test]
fn the_separator_parts_every_row_alike_outside_of_quotes() {
    let rows = "Name,Who\nA,\"schools; clubs; choirs; bands\"\nB,\"clubs; schools; bands; choirs\"\n";
    for (text, columns) in [
        (rows, vec!["Name", "Who"]),
        ("Name;Sum;Day\nA;1,50;x\nB;2,50;y\n", vec!["Name", "Sum", "Day"]),
        ("Funds, grants, prizes\nName|Who\nA|x\nB|y\n", vec!["Name", "Who"]),
        ("Name\tSize\nA\t\"5\nB\t6\"\n", vec!["Name", "Size"]),
    ] {
        assert_eq!(read(text.as_bytes(), &Options::default()).unwrap().columns, columns);
    }
}
