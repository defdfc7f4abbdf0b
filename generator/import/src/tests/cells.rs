//! Cells that are read whole or not at all: texts with structure, guards, names that look like numbers, and limits.

use super::corpus::build::opendocument;
use super::*;
use crate::source::read;

const MAPPING: &str = "[sources.a]\nfile = \"inbox/a\"\nkey = \"Ref\"\nempty = [\"tbc\"]\nlists = \",\"\n[sources.a.organizations]\nname = { column = \"Funder\", distinct = true }\n\
    [sources.a.programs]\nname = { join = [\"Title\", \"City\"], with = \", \" }\norganization = \"Funder\"\n\
    officialUrl = \"Link\"\nprogramType = { value = \"grant\" }\nfields = { column = \"Topics\", values = { \"Sea, Ice\" = \"Sea|Ice\", \"*\" = \"*\" } }\n";

const HEAD: &str = "Ref,Title,City,Funder,Link,Topics\n";

/// The place of a source with some rows.
fn place(rows: &str) -> Place {
    Place::new(&[(FILE, MAPPING), ("inbox/a", &format!("{HEAD}{rows}"))])
}

#[test]
fn guards_are_taken_off_and_empty_words_are_empty_in_joined_texts_too() {
    let place = place(
        "\"=\"\"007\"\"\",\"=\"\"The Tern\"\"\",tbc,C++ Club,https://a.example/1,Sea\n'-8,'=1+1,Porto,C# Club,https://a.example/2,SEA\n9,'s-Graveland,tbc,C#  club,https://a.example/3,Sea\n",
    );
    let report = place.imported();
    assert_eq!(place.column("programs/a.ndjson", "fields"), [json!(["Sea"]), json!(["Sea"]), json!(["Sea"])]);
    assert!(notes(&report).contains("`fields`: 1 text read as what the dataset has for it, as `SEA`"));
    assert_eq!(place.column("programs/a.ndjson", "key"), ["-8", "007", "9"]);
    assert_eq!(place.column("programs/a.ndjson", "name"), ["=1+1, Porto", "The Tern", "'s-Graveland"]);
    // Names that differ by signs are two, by case and spaces one.
    assert_eq!(place.column("organizations/a.ndjson", "name"), ["C# Club", "C++ Club"]);
}

#[test]
fn a_link_to_a_mail_address_is_the_address() {
    for (cell, text) in [
        ("mailto:grants@x.org", "grants@x.org"),
        (" MAILTO:grants@x.org ", "grants@x.org"),
        ("MailTo:grants@x.org?subject=Call%201", "grants@x.org"),
        ("mailto:?subject=x", "mailto:?subject=x"),
        ("mailto:a@x.org or b@x.org", "mailto:a@x.org or b@x.org"),
        ("or é mailto:a@x.org", "or é mailto:a@x.org"),
    ] {
        assert_eq!(Cell::of_text(cell).text(), text);
    }
}

#[test]
fn entities_of_a_table_are_read_once() {
    let text = |cell: &str| {
        read(format!("a,b\n{cell},1\n").as_bytes(), &Options::default()).unwrap().rows[0].cells[0].text()
    };
    assert_eq!(text("R&amp;D &#64257;x&nbsp;y"), "R&D \u{fb01}x\u{a0}y");
    assert_eq!(text("&amp;amp; R&D; x"), "&amp; R&D; x");
    assert_eq!(text("&lt;b&gt;&amp;amp;&lt;/b&gt;"), "&lt;b&gt;&amp;amp;&lt;/b&gt;");
}

#[test]
fn names_of_one_long_slug_have_slugs_within_the_limit() {
    let long = "A".repeat(220);
    let place = place(&format!("1,{long},,X,https://a.example/1,\n2,{long},,X,https://a.example/2,\n"));
    assert_eq!(place.checked(), []);
}

#[test]
fn a_separator_in_quotes_or_in_a_known_value_separates_nothing() {
    let place = place(
        "1,A,,X,https://a.example/1,\"Art,\"\"Boats, large\"\",Music\"\n2,B,,X,https://a.example/2,\"Sea, Ice\"\n3,C,,X,https://a.example/3,\"5\"\" discs, Film\"\n",
    );
    place.imported();
    let fields =
        [json!(["Art", "Boats, large", "Music"]), json!(["Sea", "Ice"]), json!(["5\" discs", "Film"])];
    assert_eq!(place.column("programs/a.ndjson", "fields"), fields);
}

#[test]
fn a_cell_with_two_addresses_is_refused_and_an_archived_page_is_one() {
    let cells =
        ["https://a.example/1 https://b.example", "www.a.example; www.b.example", "http://https://a.example"];
    for cell in cells {
        let refused = place(&format!("1,A,,X,{cell},\n")).refused();
        assert_eq!((refused[0].0, refused[0].2.contains("more than one address")), ("E0108", true), "{cell}");
    }
    place("1,A,,X,https://old.example/2027/https://b.example/,\n").imported();
}

#[test]
fn a_code_of_a_state_that_is_a_countrys_is_an_error_with_both_in_a_column_of_states() {
    let sheet = |header: &str, values: &str, places: &str| {
        let rule = format!("{{ column = \"{header}\", values = {{ {values}\"*\" = \"*\" }} }}");
        let mapping = MAPPING.replace("fields = ", &format!("eligibleCountries = {rule}\nfields = "));
        let rows = format!("1,A,,X,https://a.example/1,,{places}\n");
        Place::new(&[(FILE, &mapping), ("inbox/a", &(HEAD.replace('\n', &format!(",{header}\n")) + &rows))])
    };
    sheet("Where", "", "\"KE, IL\"").imported();
    for (header, values, places, message) in [
        ("Where", "", "\"US-WI, IL\"", "`IL`, which is Israel or"),
        ("Where", "WI = \"US-WI\", ", "\"WI, CA\"", "`CA`, which is Canada or"),
        ("Home State", "", "MN", "`MN`, which is Mongolia or"),
        ("Estado(s)", "", "GA", "`GA`, which is Gabon or"),
        ("Where", "SP = \"BR\", ", "\"SP, PR, AL\"", "`PR`, which is Puerto Rico or, among `SP`, the state"),
    ] {
        let refused = sheet(header, values, places).refused();
        assert!(refused[0].0 == "E0108" && refused[0].2.contains(message), "{refused:?}");
    }
    sheet("Where", "EL = \"GR\", XX = \"\", EU = \"ES|FR\", ", "\"EL, XX, EU, UK, FR\"").imported();
    let place = sheet("State", "IL = \"US-IL\", CA = \"CA\", ", "\"IL, CA\"");
    place.imported();
    assert_eq!(place.rows("programs/a.ndjson")[0]["eligibleCountries"], json!(["US-IL", "CA"]));
}

#[test]
fn what_the_mapping_alone_states_is_one_record() {
    let place = place("1,A,,Fund of the North,https://a.example/1,\n2,B,,X,https://a.example/2,\n");
    let fixed = MAPPING
        .replace("{ column = \"Funder\", distinct = true }", "{ value = \"Fund of the North\" }")
        .replace("organization = \"Funder\"", "organization = { value = \"Fund of the North\" }");
    place.write(FILE, fixed.as_bytes());
    place.imported();
    assert_eq!(place.rows("organizations/a.ndjson"), [json!({"name": "Fund of the North"})]);
    assert_eq!(place.rows("programs/a.ndjson").len(), 2);
}

#[test]
fn rows_that_leave_and_come_with_the_same_names_are_one_error() {
    let rows = "1,A,,X,https://a.example/1,\n2,B,,X,https://a.example/2,\n";
    let place = place(rows);
    place.imported();
    place
        .write("inbox/a", format!("{HEAD}{}", rows.replace("1,A", "Z1,A").replace("2,B", "Z2,B")).as_bytes());
    let (is_done, report) = place.import();
    let errors: Vec<_> = report.sorted().into_iter().filter(|it| it.code.id().starts_with('E')).collect();
    let [error] = errors[..] else { panic!("{errors:?}") };
    let message = "2 rows of programs left source `a`, and 2 came with the same names";
    assert!(!is_done && error.message.contains(message), "{error:?}");
    assert_eq!(error.at.line, 2);
    // The place is that of the row that came, not of the first one.
    let rows = "2,B,,X,https://a.example/2,\nZ1,A,,X,https://a.example/1,\n";
    place.write("inbox/a", format!("{HEAD}{rows}").as_bytes());
    let (_, report) = place.import();
    let error = report.sorted().into_iter().find(|it| it.code == Code::DuplicateId).unwrap();
    assert_eq!(error.at.line, 3, "{error:?}");
    place.write(FILE, MAPPING.replace("empty", "gone = \"remove\"\nempty").as_bytes());
    place.imported();
}

#[test]
fn a_record_keeps_its_id_and_address_under_another_key_and_under_another_name() {
    let rows = "1,Kelp Call,,X,https://a.example/1,\n2,Otter Call,,X,https://a.example/2,\n3,Seal Call,,X,https://a.example/3,\n";
    let seasons = "[sources.a.cycles]\nkey = \"Ref\"\nlabel = { value = \"Call\" }\n";
    let mapping = format!("{MAPPING}{seasons}");
    let place = place(rows);
    place.write(FILE, mapping.as_bytes());
    place.imported();
    let known = |place: &Place| {
        let all = dataset::identities(&dataset::Input::Folder(place.folder.path().to_owned())).unwrap();
        let programs = all.into_iter().filter(|(place, _)| place.contains("programs"));
        programs.map(|(_, identity)| identity).collect::<BTreeSet<_>>()
    };
    let before = known(&place);
    // One key is corrected, in another place; another record leaves, and does not come back under another key.
    let corrected = "2,Otter Call,,X,https://a.example/2,\nK-1,Kelp Call,,X,https://a.example/1,\n";
    place.write("inbox/a", format!("{HEAD}{corrected}").as_bytes());
    assert!(!place.import().0);
    place.write(FILE, mapping.replace("empty", "gone = \"rename\"\nempty").as_bytes());
    place.imported();
    assert_eq!(known(&place), before);
    // What it has once, it keeps without the word and under another name.
    place.write(FILE, mapping.as_bytes());
    place.write("inbox/a", format!("{HEAD}{}", corrected.replace("Call", "Grant")).as_bytes());
    let report = place.imported();
    assert!(notes(&report).contains("\n1 slug kept"), "{}", notes(&report));
    place.imported();
    assert_eq!(known(&place), before);
    assert!(place.rows("programs/a.ndjson").iter().any(|row| row["name"] == "Otter Grant"));
    assert!(place.checked().is_empty(), "the season of the old key is of the program: {:?}", place.checked());
}

#[test]
fn a_record_keeps_its_address_when_another_one_of_its_name_comes_or_an_edit_wants_it() {
    let rows = "2,Kelp Call,,X,https://a.example/2,\n3,Otter Call,,X,https://a.example/3,\n";
    let place = place(rows);
    place.imported();
    place.write("inbox/a", format!("{HEAD}1,Kelp Call,,X,https://a.example/1,\n{rows}").as_bytes());
    place.imported();
    assert_eq!(place.column("programs/a.ndjson", "slug"), [json!(null), json!("kelp-call"), json!(null)]);
    place.write("edits/programs.csv", b"key,slug\n1,otter-call\n");
    let [(code, at, message)] = &place.checked()[..] else { panic!("one error") };
    assert_eq!((*code, at.as_str()), ("E0502", "a:4"));
    assert!(message.contains("`otter-call` is taken, see ") && message.ends_with("inbox/a:2"), "{message}");
}

#[test]
fn an_element_is_columns_of_its_attributes_and_elements_whose_text_is_whole() {
    for (xml, rows, expected) in [
        (
            r#"<r xmlns:a="urn:a"><g a:id="7" type="x">The row's own text.<d type="1" on="2026-01-02"/><d type="2" on="2026-03-04"/><n>A &lt; B</n><n xml:lang="es">C</n><m type="a b">x</m></g><g/></r>"#,
            2,
            "@id: 7; @type: x; d[type=1]@on: 2026-01-02; d[type=2]@on: 2026-03-04; n: A < B; n[lang=es]: C; m@type: a b; m: x",
        ),
        (
            "<calls><call><title>Notes on <i>Larus</i> gulls</title><gas>CO<sub>2</sub> Fund</gas>\
             <about>For <b>schools</b>\n only.<p>Not for <a href=\"https://f.example/?a>b\">firms</a>.</p>No fee.<br/>Twice.</about>\
             <sum currency=\"EUR\"><most>5</most></sum></call></calls>",
            1,
            "title: Notes on Larus gulls; gas: CO2 Fund; about: For schools only.\nNot for firms (https://f.example/?a%3Eb).\nNo fee.\nTwice.; \
             sum@currency: EUR; sum/most: 5",
        ),
        // Paragraphs alone are the text of their element; beside what is no markup, and in the row itself, they are columns.
        (
            "<calls><call><about>\n <p>For <b>schools</b>.</p>\n <p>No fee.</p>\n</about><who><div><ul><li>Firms</li><li>Clubs</li></ul></div><p>Others</p></who>\
             <place><iso>ES</iso><p>Cádiz</p><p>Jerez</p></place><p>Own</p><p>words</p></call></calls>",
            1,
            "about: For schools.\nNo fee.; who: Firms\nClubs\nOthers; place/iso: ES; place/p: Cádiz|Jerez; p: Own|words",
        ),
    ] {
        let sheet = read(xml.as_bytes(), &Options::default()).unwrap();
        let columns = sheet.columns.iter().zip(&sheet.rows[0].cells);
        let columns: Vec<String> = columns.map(|(name, cell)| format!("{name}: {}", cell.text())).collect();
        assert_eq!((columns.join("; "), sheet.rows.len()), (expected.to_owned(), rows));
    }
}

#[test]
fn long_numbers_of_a_document_are_the_digits_that_it_has() {
    let json = r#"[{"id": 9007199254740993}, {"id": 9007199254740992}, {"id": 5}, {"id": 123456789012345678901234567890}]"#;
    let sheet = read(json.as_bytes(), &Options::default()).unwrap();
    let cells: Vec<String> = sheet.rows.iter().map(|row| row.cells[0].text()).collect();
    assert_eq!(cells[..3], ["9007199254740993", "9007199254740992", "5"]);
    assert!(matches!(sheet.rows[3].cells[0], Cell::Broken(_)));
}

#[test]
fn a_source_that_is_too_large_is_refused_by_the_limit_that_it_passes() {
    let repeated = |columns: usize, rows: usize, text: &str| {
        opendocument(&format!(
            "<table:table table:name=\"A\"><table:table-row table:number-rows-repeated=\"{rows}\"><table:table-cell table:number-columns-repeated=\"{columns}\" \
             office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell></table:table-row></table:table>"
        ))
    };
    let wide = |open: &str, close: &str, one: &str| {
        let cells: Vec<String> = (0..1_001).map(|at| one.replace('#', &at.to_string())).collect();
        format!("{open}{}{close}", cells.join(if open.starts_with('<') { "" } else { "," })).into_bytes()
    };
    for (bytes, limit) in [
        (repeated(900, 190_000, "x"), "more than 5000000 cells"),
        (repeated(2, 100_000, &"x".repeat(30_000)), "more than 5000000 cells"),
        (repeated(1_000, 1, &"x".repeat(200_000)), "more than 5000000 cells"),
        (repeated(1, 300_000, "x"), "more than 200000 rows"),
        (wide("", "\n1\n", "c#"), "more than 1000 columns"),
        (wide("[{", "}]", "\"c#\":1"), "more than 1000 columns"),
        (wide("<r><i>", "</i><i/></r>", "<c#>1</c#>"), "more than 1000 columns"),
        (format!("a,b\n{}\n", "x".repeat(17 << 20)).into_bytes(), "line 2 has more than 16 MB"),
        (format!("[{}1]", "1,".repeat(3_000_001)).into_bytes(), "more than 3000000 values"),
    ] {
        let error = read(&bytes, &Options::default()).unwrap_err();
        assert!(error.contains(limit), "{error}");
    }
    let tables: String =
        (0..300).map(|at| format!("<table:table table:name=\"{at}\"></table:table>")).collect();
    let error = read(&opendocument(&tables), &Options::default()).unwrap_err();
    assert_eq!(error, "it has more than 256 sheets");
}

#[test]
fn a_column_whose_name_has_another_order_than_the_mapping_is_an_error() {
    let mapping = "[sources.a]\nfile = \"inbox/a\"\nkey = \"Ref\"\ndates = \"mdy\"\n[sources.a.programs]\nname = \"Ref\"\n\
        [sources.a.cycles]\nlabel = \"Ref\"\ndeadlineOn = \"Ends (DD/MM/YY)\"\n";
    let place = Place::new(&[(FILE, mapping), ("inbox/a", "Ref,Ends (DD/MM/YY)\nA,03/04/2027\n")]);
    place.refuses("E0108", 1, "the column `Ends (DD/MM/YY)` names dmy, and `dates` declares mdy");
}

#[test]
fn the_cells_that_become_notes_are_counted_with_their_rows() {
    let mapping = "[sources.a]\nfile = \"inbox/a\"\nkey = \"Ref\"\nskip = [\"Sum\"]\nignore = [\"Title\"]\n[sources.a.programs]\nname = \"Ref\"\n\
        [sources.a.cycles]\nlabel = \"Ref\"\ndeadlineOn = { column = \"Ends\", notes = true }\n";
    let rows = "Ref,Title,Ends,Person\nA,x,Opens 3 April 2027,B\nC,x,4 April 2027 noon,D\nE,x,5 April 2027,F\nSum,3,,\n";
    let place = Place::new(&[(FILE, mapping), ("inbox/a", rows)]);
    let report = place.imported();
    let shown = format!("{report:?}");
    for note in [
        "source `a`: 1 row left out, as `skip` lists them: row 5",
        "source `a`: 1 column left out, as `ignore` lists them: `Title`",
        "1 column left out, not mapped: `Person`",
        "source `a`: `Ends`: 2 cells published as notes: rows 2, 3",
    ] {
        assert!(shown.contains(note), "{shown}");
    }
    let days = [Value::Null, json!("2027-04-04"), json!("2027-04-05")];
    assert_eq!(place.column("cycles/a.ndjson", "deadlineOn"), days);
    assert_eq!(place.rows("facts/a.ndjson")[0]["text"], "Opens 3 April 2027");
}

#[test]
fn markup_of_html_becomes_text_with_lines_and_addresses() {
    let cell = |html: &str| match source::html::plain(&Cell::Text(html.to_owned())) {
        None => html.to_owned(),
        Some(Cell::Link(text, address)) => format!("{text} -> {address}"),
        Some(cell) => cell.text(),
    };
    for (html, text) in [
        ("<p>For <b>schools</b>\nonly.</p><p>No fee.</p>", "For schools only.\nNo fee."),
        ("One<br>Two<BR/>Three &amp; four&nbsp;five", "One\nTwo\nThree & four five"),
        ("<ul class=\"x\"><li>A</li><li>B</li></ul>", "A\nB"),
        (
            "see <a href=\"https://a.example/?a=1&amp;b=2\">the <i>page</i></a>.",
            "see the page (https://a.example/?a=1&b=2).",
        ),
        ("<a href='https://a.example/'>Apply</a>", "Apply -> https://a.example/"),
        ("to <a href='mailto:a@b.org?subject=x'>a@b.org</a>!", "to a@b.org!"),
        ("CO<sub>2</sub> &#8364; &#x41;", "CO2 € A"),
        ("<p> </p>", ""),
        // What is no markup stays: comparisons, places for words, addresses, and entities that stand alone.
        ("a < b and b > c", "a < b and b > c"),
        ("<Name of the fund>", "<Name of the fund>"),
        ("<https://a.example/>", "<https://a.example/>"),
        ("R&amp;D", "R&amp;D"),
        ("<b>R&D; x &unknown; y</b>", "R&D; x &unknown; y"),
    ] {
        assert_eq!(cell(html), text, "{html}");
    }
    let html = "Ref,Title,City,Funder,Link,Topics\n1,<b>Kelp</b> Call,,X,\"<a href=\"\"https://a.example/1\"\">page</a>\",\"<i>Sea</i>,Moss\"\n";
    let place = place("");
    place.write("inbox/a", html.as_bytes());
    place.imported();
    let row = &place.rows("programs/a.ndjson")[0];
    assert_eq!((&row["name"], &row["officialUrl"]), (&json!("Kelp Call"), &json!("https://a.example/1")));
    assert_eq!(row["fields"], json!(["Sea", "Moss"]));
}

#[test]
fn a_repeated_key_is_one_error_and_numbers_of_another_form_are_one() {
    let rows = "1,A,,X,https://a.example/1,\n2,B,,X,https://a.example/2,\n2,C,,Y,https://a.example/3,\n";
    let place = place(rows);
    place.fails("E0501", "a:4", "the key `2` is that of row 3 too");
    let sums = (1..=30).map(|n| format!("{n},A{n},\u{20ac} {n}.000,X,https://a.example/{n},\n"));
    let sums = format!("{HEAD}{}", sums.collect::<String>());
    let mapping = format!("{MAPPING}fundingMaxUsd = \"City\"\n");
    let place = Place::new(&[(FILE, &mapping), ("inbox/a", &sums)]);
    let errors = place.checked();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].2.contains("(30 rows: 2, 3, 4 \u{2026})"), "{errors:?}");
}

#[test]
fn a_place_in_a_message_is_that_of_the_sheet_too() {
    let other = MAPPING.replace("sources.a", "sources.b").replace("inbox/a", "inbox/b");
    let place = place("9,Z,,X,https://a.example/9,\n1,A,,X,https://a.example/1,\n");
    place.write(FILE, format!("{MAPPING}{other}").as_bytes());
    let rows = "8,Y,,X,https://a.example/9,\n1,B,,X,https://a.example/1,\n";
    place.write("inbox/b", format!("{HEAD}{rows}").as_bytes());
    let errors = place.checked();
    let [(code, at, message)] = &errors[..] else { panic!("{errors:?}") };
    assert_eq!((*code, at.as_str()), ("E0501", "b:3"));
    assert!(message.starts_with("the key `1` is taken, see ") && message.ends_with("inbox/a:3"), "{message}");
}

#[test]
fn a_row_without_a_key_is_an_error_that_stays_and_nothing_has_an_empty_key() {
    let cycles = "[sources.a.cycles]\nlabel = { value = \"2027\" }\ndeadlineOn = { column = \"City\", notes = true }\n";
    let mapping = MAPPING.replace("join = [\"Title\", \"City\"], with = \", \"", "column = \"Title\"");
    let mapping = format!("{mapping}{cycles}");
    for key in ["", "tbc"] {
        let rows = format!(
            "1,A,2027-03-01,X,https://a.example/1,\n{key},B,2027-03-02 noon,X,https://a.example/2,\n"
        );
        let place = Place::new(&[(FILE, &mapping), ("inbox/a", &format!("{HEAD}{rows}"))]);
        place.fails("E0107", "a:3", "the row has no key");
        let files = place.made(&[]).0.unwrap().files;
        let written = files.values().map(|it| String::from_utf8_lossy(it)).collect::<String>();
        assert!(written.contains("\"key\":\"1\"") && !written.contains(":\"\""), "{written}");
    }
}
