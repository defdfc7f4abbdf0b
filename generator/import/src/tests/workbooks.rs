//! Workbooks made by hand: dates of either epoch, formulas that failed, hidden sheets, merged cells, and ones
//! that are made to hurt.

use super::corpus::build::{opendocument, workbook};
use super::*;

fn text(place: &str, text: &str) -> String {
    format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

/// Rows under the columns Ref and Day.
fn sheet_of(rows: &[String]) -> String {
    let header = format!("<row r=\"1\">{}{}</row>", text("A1", "Ref"), text("B1", "Day"));
    let rows: String =
        rows.iter().enumerate().map(|(n, row)| format!("<row r=\"{}\">{row}</row>", n + 2)).collect();
    format!("<sheetData>{header}{rows}</sheetData>")
}

fn read_book(bytes: &[u8], name: Option<&str>) -> Result<Sheet, String> {
    source::read(bytes, &Options { sheet: name.map(str::to_owned), ..Options::default() })
}

#[test]
fn dates_of_either_epoch_are_the_days_that_people_see() {
    let rows = sheet_of(&[format!("{}<c r=\"B2\" s=\"1\"><v>46387</v></c>", text("A2", "A1"))]);
    let day = |is_1904: bool| {
        read_book(&workbook(&[("Calls", "visible", &rows)], is_1904), None).unwrap().rows[0].cells[1].text()
    };
    assert_eq!(day(false), "2026-12-31");
    // The epochs are four years and a day apart.
    assert_eq!(day(true), "2031-01-01");
}

#[test]
fn the_only_visible_sheet_is_read_and_several_need_a_name() {
    let rows = sheet_of(&[text("A2", "A1")]);
    let hidden = workbook(&[("Old", "hidden", &rows), ("Calls", "visible", &rows)], false);
    let sheet = read_book(&hidden, None).unwrap();
    assert_eq!(sheet.rows.len(), 1);
    assert_eq!(sheet.notes, ["hidden sheets are left out: Old; `sheet` takes one"]);
    let two = workbook(&[("Calls", "visible", &rows), ("People", "visible", &rows)], false);
    let error = read_book(&two, None).unwrap_err();
    assert_eq!(error, "it has several sheets; name one, as sheet = \"Calls\", \"People\"");
    assert!(read_book(&two, Some("People")).is_ok());
    let error = read_book(&two, Some("Poeple")).unwrap_err();
    assert_eq!(error, "it has no sheet \"Poeple\"; there are \"Calls\", \"People\"");
}

#[test]
fn hidden_and_struck_rows_are_counted_with_their_places() {
    let cell = |line: usize| text(&format!("A{line}"), &format!("K{line}"));
    let rows = |count: usize| {
        let cells = (2..2 + count).map(cell).collect::<Vec<_>>();
        let struck = |line: usize| cell(line).replace("<c ", "<c s=\"2\" ");
        let sheet = sheet_of(&cells).replace("<row r=\"3\"", "<row r=\"3\" hidden=\"1\"");
        let struck = (5..count).fold(sheet, |sheet, line| sheet.replace(&cell(line), &struck(line)));
        read_book(&workbook(&[("Calls", "visible", &struck)], false), None).unwrap().notes
    };
    let what = "left out, hidden or struck through; hidden = \"take\" takes them";
    assert_eq!(rows(7), [format!("3 rows {what}: rows 3, 5, 6")]);
    assert_eq!(rows(16), [format!("12 rows {what}: rows 3, 5, 6, 7, 8, 9, 10, 11, 12, 13 …")]);
}

#[test]
fn merged_cells_are_declared() {
    let day = "<c r=\"B2\" s=\"1\"><v>46387</v></c>";
    let rows = sheet_of(&[format!("{}{day}", text("A2", "A1")), text("A3", "A2")]);
    let rows = format!("{rows}<mergeCells count=\"1\"><mergeCell ref=\"B2:B3\"/></mergeCells>");
    let book = workbook(&[("Calls", "visible", &rows)], false);
    for (merged, second) in [
        (None, Cell::Broken("merged with row 2".to_owned())),
        (Some("first"), Cell::Empty),
        (Some("fill"), Cell::Moment(jiff::civil::date(2026, 12, 31).into())),
    ] {
        let sheet = source::read(&book, &Options { merged: merged.map(str::to_owned), ..Options::default() })
            .unwrap();
        assert_eq!(sheet.rows[1].cells[1], second);
    }
    // Merged by twos, a reference is no key, though the words for what is missing differ.
    let row = |line: usize| text(&format!("A{line}"), &line.to_string()) + &text(&format!("B{line}"), "soon");
    let rows = sheet_of(&[2, 3, 4, 5].map(row));
    let rows = format!("{rows}<mergeCells><mergeCell ref=\"A2:A3\"/><mergeCell ref=\"A4:A5\"/></mergeCells>");
    let place = Place::new(&[]);
    place.write("book.xlsx", &workbook(&[("Calls", "visible", &rows)], false));
    assert!(place.drafted("book.xlsx").contains("# ? key = \"…\""));
}

#[test]
fn a_column_half_of_dates_and_half_of_texts_is_refused() {
    let rows = sheet_of(&[
        format!("{}<c r=\"B2\" s=\"1\"><v>46480</v></c>", text("A2", "A1")),
        format!("{}{}", text("A3", "A2"), text("B3", "31/12/2026")),
    ]);
    let mapping = "[sources.book]\nfile = \"inbox/book.xlsx\"\nkey = \"Ref\"\ndates = \"dmy\"\n[sources.book.programs]\nname = \"Ref\"\n[sources.book.cycles]\nlabel = \"Ref\"\ndeadlineOn = \"Day\"\n";
    let place = Place::new(&[("import.toml", mapping)]);
    place.write("inbox/book.xlsx", &workbook(&[("Calls", "visible", &rows)], false));
    let refused = place.refused();
    assert_eq!((refused[0].0, refused[0].1), ("E0108", 3));
    assert!(refused[0].2.contains("1 dates and 1 texts"), "{}", refused[0].2);
    let rows = sheet_of(&[format!("{}{}", text("A2", "A1"), text("B2", "soon"))]);
    place.write("inbox/book.xlsx", &workbook(&[("Open calls", "visible", &rows)], false));
    let message =
        "`deadlineOn` is `soon`, which is no day: `soon` is not understood (column `Day`, 'Open calls'!B2)";
    place.refuses("E0108", 2, message);
}

#[test]
fn a_cell_in_the_last_corner_and_a_file_that_unpacks_without_end_cost_nothing() {
    let corner = format!(
        "<sheetData><row r=\"1\">{}</row><row r=\"1048\"><c r=\"XFD1048\"><v>1</v></c></row></sheetData>",
        text("A1", "Ref")
    );
    let many = "<sheetData><row r=\"1048576\"><c r=\"A1048576\"><v>1</v></c></row></sheetData>";
    let last = |line| format!("<row r=\"{line}\"><c r=\"ALL{line}\"><v>1</v></c></row>");
    let sparse = format!("<sheetData>{}</sheetData>", (1..5_002).map(last).collect::<String>());
    for (rows, limit) in [
        (&*corner, "more than 1000 columns (row 1048)"),
        (many, "more than 200000 rows"),
        (&sparse, "more than 5000000 cells, or as much text"),
    ] {
        let error = read_book(&workbook(&[("Calls", "visible", rows)], false), None).unwrap_err();
        assert_eq!(error, format!("it has {limit}"));
    }
    let book = workbook(&[("Calls", "visible", &" ".repeat(3 << 20))], false);
    source::archive::unpacks(&book, 4 << 20).unwrap();
    let error = source::archive::unpacks(&book, 2 << 20).unwrap_err();
    assert!(error.contains("it unpacks to more than 2 MB"), "{error}");
}

#[test]
fn links_of_formulas_are_addresses_and_those_that_no_field_takes_are_counted() {
    let link = |at: &str| {
        format!("<c r=\"{at}\" t=\"str\"><f>HYPERLINK(\"https://a.example/{at}\",\"x\")</f><v>page</v></c>")
    };
    let rows = sheet_of(&[format!("{}{}", text("A2", "A1"), link("B2")), link("A3") + &link("B3")]);
    let mapping = "[sources.a]\nfile = \"a\"\n[sources.a.programs]\nname = \"Ref\"\nofficialUrl = \"Day\"\n";
    let place = Place::new(&[(FILE, mapping)]);
    place.write("a", &workbook(&[("Calls", "visible", &rows)], false));
    let note = "source `a`: `Ref`: 1 cell with links that no field takes: row 3";
    assert!(notes(&place.imported()).contains(note));
    let addresses = ["https://a.example/B2", "https://a.example/B3"];
    assert_eq!(place.column("programs/a.ndjson", "officialUrl"), addresses);
    // A part of an address is none.
    assert_eq!(Cell::hyperlink("HYPERLINK(\"https://a.example/\"&A2)"), None);
}

#[test]
fn a_date_of_opendocument_is_what_the_sheet_shows() {
    for (shown, is_day) in [("January 15", false), ("1/17", false), ("May 2017", false), ("15/01/17", true)] {
        let cell = format!(
            "<table:table-cell office:value-type=\"date\" office:date-value=\"2017-01-15\"><text:p>{shown}</text:p></table:table-cell>"
        );
        let book = opendocument(&format!(
            "<table:table table:name=\"A\"><table:table-row><table:table-cell office:value-type=\"string\"><text:p>Day</text:p></table:table-cell></table:table-row><table:table-row>{cell}</table:table-row></table:table>"
        ));
        let read = read_book(&book, None).unwrap();
        assert_eq!(matches!(read.rows[0].cells[0], Cell::Moment(_)), is_day, "{shown}");
    }
}

#[test]
fn the_comment_of_a_cell_is_no_text_and_no_link_of_it() {
    let comment = "<office:annotation><dc:creator>Ann</dc:creator><text:p>see <text:a xlink:href=\"https://x.example/\">it</text:a></text:p></office:annotation>";
    let cells =
        ["<text:p>Ref</text:p>", &*format!("{comment}<text:p>one</text:p>{comment}<text:p>two</text:p>")];
    let rows = cells.map(|it| format!("<table:table-row><table:table-cell office:value-type=\"string\">{it}</table:table-cell></table:table-row>"));
    let book = opendocument(&format!("<table:table table:name=\"A\">{}</table:table>", rows.concat()));
    assert_eq!(read_book(&book, None).unwrap().rows[0].cells, [Cell::Text("one\ntwo".to_owned())]);
}

/// A sheet of texts: rows by lines, cells by bars; empty ones have no cell.
fn sheet(rows: &str) -> String {
    let row = |(number, row): (usize, &str)| {
        let cells = ('A'..='Z').zip(row.split('|')).filter(|(_, it)| !it.is_empty());
        let cells: String = cells.map(|(column, it)| text(&format!("{column}{number}"), it)).collect();
        format!("<row r=\"{number}\">{cells}</row>")
    };
    format!("<sheetData>{}</sheetData>", (1..).zip(rows.lines()).map(row).collect::<String>())
}

/// A workbook that is drafted, and its mapping.
fn drafted(sheets: [(&str, &str); 2]) -> (Place, String) {
    let place = Place::new(&[]);
    place.write("inbox/a.xlsx", &workbook(&sheets.map(|(name, rows)| (name, "visible", rows)), false));
    let mapping = place.drafted("inbox/a.xlsx");
    (place, mapping)
}

#[test]
fn a_register_with_titles_sums_and_a_second_sheet_is_imported_as_it_is_drafted() {
    let calls = sheet(
        "Register of calls\n||||Money\nRef.|Call title|Funder|Who may apply|Min|Max|Deadline|Link|Type\n\
         A1|Sea|Acme|EU; Norway|-|€1.500,00|31/12/2026|www.a.example|Beca\n\
         A2|Ice|Zeta|Spain|€500,00|€3.000,00|rolling|https://b.example/|Prize\nTotal|2",
    );
    let funders = sheet("Name|Website\nAcme|https://acme.example/\nZeta|www.z.example");
    let (place, mapping) = drafted([("Calls", &calls), ("Funders", &funders)]);
    assert!(place.folder.path().join("dataset.json").exists());
    for line in [
        "file    = \"inbox/a.xlsx\"",
        "skip    = [\"Total\"]  # sums and rows without values: 6",
        "name = \"Name\"  # 2 of 2 in column \"Funder\" of sheet \"Calls\"",
        "amount = \"Max\"",
    ] {
        assert!(mapping.contains(line), "{line}: {mapping}");
    }
    place.imported();
    let programs = place.rows("programs/calls.ndjson");
    assert_eq!(programs.len(), 2, "a sum is no program");
    assert_eq!(programs[0]["programType"], "scholarship");
    let countries = programs[0]["eligibleCountries"].as_array().unwrap();
    assert_eq!((countries.len(), &countries[0], &countries[27]), (28, &json!("AT"), &json!("NO")));
    assert_eq!(place.column("facts/calls.ndjson", "amount"), [json!(1500), json!(3000)]);
    let organizations = place.rows("organizations/funders.ndjson");
    assert_eq!((organizations.len(), &organizations[1]["key"]), (2, &json!("Zeta")));
}

/// A workbook of two sheets of calls: reference, title and funder of each.
fn two_sheets(grants: &str, prizes: &str) -> Vec<u8> {
    let [grants, prizes] = [grants, prizes].map(|calls| {
        let rows = calls.lines().map(|it| format!("\n{it}|https://a.example/{}|Prize", &it[..2]));
        sheet(&("Ref.|Call title|Funder|Link|Type".to_owned() + &rows.collect::<String>()))
    });
    workbook(&[("Grants", "visible", &grants), ("Prizes", "visible", &prizes)], false)
}

/// Organizations of every file of a dataset without errors; a mark follows those that are not published.
fn organizations(place: &Place) -> Vec<String> {
    let _ = dataset::directory(&dataset::Input::Folder(place.folder.path().to_owned()));
    let rows = ["grants", "prizes"].map(|it| place.rows(&format!("organizations/{it}.ndjson"))).concat();
    let mark = |row: &Value| row["publication"].as_str().map_or("", |_| " -");
    let names = rows.iter().map(|row| row["name"].as_str().unwrap().to_owned() + mark(row));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn sheets_that_share_a_funder_make_one_organization_of_it() {
    let (grants, prizes) = ("G1|Sea|Acme\nG2|Ice|Zeta", "P1|Song|Acme\nP2|Dance|Muse");
    let place = Place::new(&[]);
    place.write("inbox/calls.xlsx", &two_sheets(grants, prizes));
    let mapping = place.drafted("inbox/calls.xlsx");
    assert_eq!(mapping.matches("name = { column = \"Funder\", distinct = true }").count(), 2, "{mapping}");
    place.imported();
    assert_eq!(organizations(&place), ["Acme", "Muse", "Zeta"]);
    // The first sheet no longer names it: the second one does, and it is not withdrawn.
    place.write("inbox/calls.xlsx", &two_sheets("G2|Ice|Zeta", prizes));
    place.imported();
    assert_eq!(organizations(&place), ["Acme", "Muse", "Zeta"]);
    // The first sheet names it again, first in an import of its own.
    place.write("inbox/calls.xlsx", &two_sheets(grants, prizes));
    for sources in [&["grants".to_owned()][..], &["prizes".to_owned()], &[]] {
        assert!(place.import_of(sources).0);
        assert_eq!(organizations(&place), ["Acme", "Muse", "Zeta"], "{sources:?}");
    }
    // No sheet names it any more.
    place.write("inbox/calls.xlsx", &two_sheets("G2|Ice|Zeta", "P2|Dance|Muse"));
    place.imported();
    assert_eq!(organizations(&place), ["Acme -", "Muse", "Zeta"]);
}

#[test]
fn a_cell_that_is_struck_through_is_no_value_until_the_mapping_takes_it() {
    let struck = text("B2", "Wave").replace("<c ", "<c s=\"2\" ");
    let rows = sheet_of(&[format!("{}{struck}", text("A2", "1"))]);
    let book = workbook(&[("Calls", "visible", &rows)], false);
    let title = |hidden: Option<&str>| {
        let how = Options { hidden: hidden.map(str::to_owned), ..Options::default() };
        source::read(&book, &how).unwrap().rows[0].cells[1].clone()
    };
    assert_eq!(title(None), Cell::Broken("struck through".to_owned()));
    assert_eq!(title(Some("take")), Cell::Text("Wave".to_owned()));
}

#[test]
fn a_program_on_two_sheets_is_drafted_once_with_the_seasons_of_both() {
    let [one, two] = [("Reef", "Dune", 2030), ("Dune", "Bog", 2031)].map(|(one, two, year)| {
        let rows = [one, two].map(|it| format!("{it}|X|Grant|https://x.example/{it}|{year}-03-01\n"));
        sheet(&format!("Title|Funder|Type|Link|Deadline\n{}", rows.concat()))
    });
    let (place, _) = drafted([("Calls 2030", &one), ("Calls 2031", &two)]);
    let notes = notes(&place.imported());
    assert!(notes.contains("of programs of earlier rows; if others, change `distinct`: row 2"), "{notes}");
    let count = |table: &str| ["0", "1"].map(|at| place.rows(&format!("{table}/calls-203{at}.ndjson")).len());
    assert_eq!((count("programs"), count("cycles")), ([2, 1], [2, 2]));
    assert_eq!(place.rows("cycles/calls-2031.ndjson")[0]["label"], "Calls 2031");
}

#[test]
fn a_sheet_of_past_programs_is_no_sheet_of_funders() {
    let [past, open] = [["C", "D"], ["A", "B"]].map(|[one, two]| {
        let second = format!("{two}|Y|Grant|https://y.example/{two}");
        sheet(&format!("Scheme|Funder|Type|Link\n{one}|X|Grant|https://x.example/{one}\n{second}"))
    });
    let (_, mapping) = drafted([("Past", &past), ("Open", &open)]);
    assert!(mapping.contains("[sources.past.programs]"), "{mapping}");
    let expected = "# ? programs, as its columns say; or organizations by \"Funder\"";
    assert!(mapping.contains(expected), "{mapping}");
}
