//! What a draft states about a source, and what it leaves open.

use super::*;

/// The draft of a file.
struct Draft(String);

impl Draft {
    #[track_caller]
    fn has(&self, lines: &[&str]) {
        for line in lines {
            assert!(self.0.lines().any(|it| it == *line), "{line}\n{}", self.0);
        }
    }
}

fn drafted(file: &str, text: &str) -> Draft {
    let path = format!("inbox/{file}");
    Draft(Place::new(&[(&path, text)]).drafted(&path))
}

#[test]
fn evidence_is_what_the_import_takes() {
    let mapping = drafted(
        "a.csv",
        "Title,Funder,URL,Deadline,Max award,Country\nOne,Acme,https://x.example/1,30/02/2027,10-20k,\"Georgia, US\"\nTwo,Acme,https://x.example/2,28/02/2027,\"$1,000.50\",US\n\
         Three,Acme,https://x.example/3,31/03/2027,~$3000,Peru\n",
    );
    mapping.has(&[
            "dates   = \"dmy\"  # proved by 28/02/2027, row 3",
            "lists   = \",\"  # ? does the comma separate countries, or a place from its country: Georgia, US",
            "name = \"Title\"  # 3 of 3 cells fit",
            "fundingMaxUsd = \"Max award\"  # ? 1 of 3 cells fit, not 10-20k, row 2",
            "deadlineOn = \"Deadline\"  # 2 of 3 cells fit, not 30/02/2027, row 2",
            "programType = { value = \"opportunity\" }  # no column has a kind, such as grant",
            "eligibleCountries = \"Country\"  # ? are these the countries whose people may apply? \"Country\" alone does not say; 2 of 3 cells fit, not Georgia, US, row 2",
    ]);
}

#[test]
fn a_copied_id_is_a_question_about_the_key() {
    let sheet = "ID,Name,Funder,Link\n1,A,X,https://a.example/1\n2,B,X,https://a.example/2\n2,C,X,https://a.example/3\n4,D,X,https://a.example/4\n";
    drafted("a.csv", sheet)
        .has(&["key     = \"Name\"  # ? or is it \"ID\", where only 2 is in two rows, 3 and 4"]);
    drafted("a.csv", &sheet.replace("2,C", "3,C")).has(&["key     = \"ID\"  # different in every row"]);
}

#[test]
fn two_columns_that_differ_together_are_the_key() {
    let rounds = "Title,Round,Funder,Closes,Max\nA,1st,X,2031-01-01,€5\nA,2nd,X,2031-01-01,€5\nB,1st,X,2031-01-01,€5\n";
    let key = "key     = [\"Title\", \"Round\"]  # ? together different in every row, as no column alone is; if rows of one name are seasons of one program, add to programs: key = { column = \"Title\", distinct = true }";
    drafted("a.csv", rounds).has(&[key, "label = \"Round\"", "cycle = \"Round\""]);
    let key = "key     = [\"Title\", \"Funder\"]  # together different in every row, as no column alone is";
    drafted("a.csv", "Title,Funder\nA,X\nA,Y\nB,X\n").has(&[key]);
    let mapping = drafted("a.csv", "Title,Funder\nA,X\nA,X\nB,X\nB,\n");
    assert!(line(&mapping, "# ? key = ").contains("no columns distinguish rows"));
}

#[test]
fn two_names_in_a_cell_of_organizations_are_a_question() {
    let drafted = |cell: &str| {
        let rows = "A,Acme\nB,Umbrella\nC,\"Smith, Jones & Co\"\nD,";
        drafted("a.csv", &format!("Title,Funder\n{rows}{cell}\n")).0
    };
    let two = "Acme; Other|Acme and Umbrella|Acme and Sons|Ashdown Trust & Beacon Fund|Fundación X y Ayuntamiento de Cádiz";
    for cell in two.split('|') {
        let question = format!("? \"{cell}\" is one, or add to both rules: values = {{ \"{cell}\" = ");
        assert!(drafted(cell).contains(&question), "{cell}");
    }
    for cell in ["Acme", "Church & Dwight", "Trust for Arts and Crafts"] {
        assert!(!drafted(cell).contains("both rules"), "{cell}");
    }
}

#[test]
fn a_sign_is_of_no_language() {
    let signs = b"Caf\xe9 Culture Grants,\xa3500,\x22\xa32\n\x22\xa31,\xa315k\nYoung people 11\x9625\n\x22\xa33,\x22\xa33\n\xa3750\n\x22\xa35,\x22\xa35\n\x22up to \xa34\n\xa3200,\x22\xa31\nCreative \xc9coles,\xa31.5k,\xa33k\n\x22\xa32,\x22\xa310\n\xa3100,\xa3500\n\xa350,\xa3300\n\x93Big Lunch\x94 packs\n\x22\xa360";
    for text in [&b"Award\n\xa3500\n"[..], signs] {
        assert_eq!(source::guess(text).as_deref(), Some("windows-1252"));
    }
}

/// Columns of a sheet of programs with their cells, and a line of the draft or, after `=/`, what stands nowhere in it: sums by
/// the name of their column; what nothing takes is a question; a comma where parts of cells recur, of which prose proves
/// nothing; places, whose codes are of states among other states and of countries among other countries; forms, which no cell
/// contradicts.
const COLUMNS: &str = r#"
Award (EUR): 5 | 6 => amount = "Award (EUR)"  # 2 of 2 cells fit
Amount (€000s): 5 | 6 => amount = "Amount (€000s)"  # 2 of 2 cells fit
Importe (USD): 5 | 6 => fundingMaxUsd = "Importe (USD)"  # ? is this the largest sum of one award? "Importe (USD)" alone does not say; 2 of 2 cells fit
Award USD '000: 5 | 6 => fundingMaxUsd = "Award USD '000"  # ? is this the largest sum of one award? "Award USD '000" alone does not say; 2 of 2 cells fit
Max age: 5 | 6 =/ Usd =
Edad mínima: 5 | 6 =/ Usd =
Max participants: 5 | 6 =/ Usd =
Duración máxima (meses): 5 | 6 =/ Usd =

Per year (EUR): 300 | 500 => amount = "Per year (EUR)"  # 2 of 2 cells fit
Apply online until: 2027-03-04 | 2027-05-01 => ignore  = ["Apply online until"]  # ? not published; "Apply online until" has days in 2 of 2 cells: deadlineOn?
Submissions: 2027-03-04 | 2027-05-01 => ignore  = ["Submissions"]  # ? not published; "Submissions" has days in 2 of 2 cells: deadlineOn?
Coverage: Spain | Peru; Kenya | Chile | France | Italy | Brazil | Ghana | India | Malta | Nepal => ignore  = ["Coverage"]  # ? not published; "Coverage" has places in 10 of 10 cells: eligibleCountries?
Coverage: Spain | Peru; Kenya | Chile | France | Italy | Brazil | Ghana | India | Malta | by arrangement => ignore  = ["Coverage"]  # ? not published; "Coverage" has places in 9 of 10 cells: eligibleCountries?
Coverage: Spain | Peru | by arrangement => ignore  = ["Coverage"]  # not published

Topics: Film, Radio and Press | Sport | Wood, Iron & Clay => # ? lists   = ","  # does it separate values? Parts recur in 0 of 2, not in Film, Radio and Press
Topics: Small grants; for the young, in spring | Small grants; for the young, in spring | Sport => # ? lists   = ";"  # does it separate values? Parts recur in 0 of 1, not in Small grants; for the young, in spring
Topics: Film, and radio | Film, and radio | Sport => # ? lists   = ","  # does it separate values? Parts recur in 0 of 1, not in Film, and radio
Topics: Film | Film, radio and press | Sport => # ? lists   = ","  # does it separate values? Parts recur in 0 of 1, not in Film, radio and press
Topics: Film,""Radio, large"" | Press,Sport => lists   = ","  # as in Film,"Radio, large"
Topics: Film, Radio | Radio | Film, Radio, Press => lists   = ","  # as in Film, Radio
Topics: Film, Radio | Radio | Film, Radio, Press => fields = "Topics"  # 3 of 3 cells fit

Eligible countries: Charities | Schools =/ eligibleCountries =
Eligible countries: ZA | NA => empty   = ["NA"]  # ? what stands for nothing; NA is Namibia too
Eligible countries: Alemanha | Espagne, Österreich => lists   = ","  # as in Espagne, Österreich
Eligible countries: DE | TX => eligibleCountries = { column = "Eligible countries", values = { "DE" = "US-DE", "TX" = "US-TX", "*" = "*" } }  # 2 of 2 cells fit
Eligible countries: DE | ES => eligibleCountries = "Eligible countries"  # 2 of 2 cells fit
Eligible countries: DE | CA => eligibleCountries = { column = "Eligible countries", values = { "CA" = "US-CA", "DE" = "US-DE", "*" = "*" } }  # ? states of the US, or countries: DE is Germany?
Topics: Brittany | France => eligibleCountries = "Topics"  # ? are these the countries whose people may apply? "Topics" alone does not say; 1 of 2 cells fit, not Brittany, row 2
Topics: Brittany | France =/ fields =
Topics: Aragón | Galicia => eligibleCountries = "Topics"  # ? are these the countries whose people may apply? "Topics" alone does not say; 0 of 2 cells fit, not Aragón, row 2
Topics: Aragón | Galicia =/ fields =
State: IA | KS, NE => lists   = ","  # as in KS, NE
State: IA | KS, NE => eligibleCountries = { column = "State", values = { "IA" = "US-IA", "KS" = "US-KS", "NE" = "US-NE", "*" = "*" } }  # ? are these the countries whose people may apply? "State" alone does not say; 2 of 2 cells fit
State: IA | KS, NE =/ lifecycle
State: California | Texas =/ lifecycle
State: north | south =/ lifecycle

Monthly stipend: $2,500 | $3,000 => amount = "Monthly stipend"  # 2 of 2 cells fit
Max award (USD per month): 500 | 600 => amount = "Max award (USD per month)"  # 2 of 2 cells fit
Stipend: US$500 a month | US$600 a month =/ fundingMaxUsd
Country: Spain / France | Chile => eligibleCountries = "Country"  # ? are these the countries whose people may apply? "Country" alone does not say; 1 of 2 cells fit, not Spain / France, row 2
Max award: N/a | 5 => empty   = ["N/a"]  # what stands for nothing
Language: EN | pt-br | English => language = "Language"  # 2 of 3 cells fit, not English, row 4
Deadline: 31/01/2027 | 01/31/2027 | 30/01/2027 => dates   = "dmy"  # ? 2 cells are written so, as 31/01/2027, row 2; 1 as "mdy": 01/31/2027, row 3
Deadline (MM/DD/YYYY): 03/04/2027 | 05/06/2027 => dates   = "mdy"  # proved by the column's name "Deadline (MM/DD/YYYY)"
Max: €2.000 | 5 => numbers = "1.234,56"  # proved by €2.000, row 2
Max: KWD 1.500 | 5 => numbers = "1.234,56"  # ? or "1,234.56": KWD 1.500, row 2, may be both, and no row decides
Max (M€): 1.500 | 5 => numbers = "1.234,56"  # ? or "1,234.56": 1.500, row 2, may be both, and no row decides
Max: €1,500 million | 5 => numbers = "1,234.56"  # ? or "1.234,56": €1,500 million, row 2, may be both, and no row decides
Award: £5000 | 2500 | £500 - £900 | up to £700 => currency = "GBP"  # ? nothing shows which currency 2500, row 3, is in; others show GBP
Amount: US$500 - US$900 | US$500 | US$700 => fundingMinUsd = "Amount"  # 1 of 3 cells have a least sum, as US$500 - US$900
Max award: US$500 - US$900 | US$500 | US$700 => fundingMinUsd = "Max award"  # ? 1 of 3 cells have a least sum, as US$500 - US$900
Max award: US$500 - US$900 | US$500 - US$700 => fundingMinUsd = "Max award"  # ? 2 of 2 cells have a least sum, as US$500 - US$900"#;

#[test]
fn a_column_is_drafted_as_its_name_and_all_of_its_cells_show() {
    for row in COLUMNS.lines().filter(|row| !row.is_empty()) {
        let (column, expected) = row.split_once(" => ").or_else(|| row.split_once(" =/ ")).unwrap();
        let (name, cells) = column.split_once(": ").unwrap();
        let mapping = with_column(name, &cells.split(" | ").collect::<Vec<_>>()).0;
        let is_there = mapping.lines().any(|line| line == expected);
        let is_right = if row.contains(" => ") { is_there } else { !mapping.contains(expected) };
        assert!(is_right, "{row}\n{mapping}");
    }
    let sums: Vec<String> = (1..30).map(|at| format!("€{at},000")).chain(["€4,50".to_owned()]).collect();
    let sums: Vec<&str> = sums.iter().map(String::as_str).collect();
    let line = "numbers = \"1,234.56\"  # ? 29 cells are written so, as €1,000, row 2; 1 as \"1.234,56\": €4,50, row 31";
    with_column("Max award", &sums).has(&[line]);
    let tag = values::written(&json!("ZH-hant-tw"), &"language".to_owned(), dataset::schema::ValueType::Text);
    assert!(tag.is_ok_and(|it| it == "zh-Hant-TW"));
}

#[test]
fn a_sheet_is_drafted_as_its_columns_together_show() {
    for (sheet, lines) in [
        (
            "Name;Funder;Link;Age;;Award (€);\n;;;Min;Max;Min;Max\nA;X;https://a.example/1;18;30;5;6\n",
            &["amount = \"Award (€) / Max\"  # 1 of 1 cells fit"][..],
        ),
        (
            "Name,Funder,Type,Link\nA,F,grant,Https://a.example/\nB,F,grant,b.example\nC,F,grant,c.example/young\n",
            &["officialUrl = \"Link\"  # 2 of 3 cells fit, not b.example, row 3"],
        ),
        (
            "Max. award,Funder,Grant,Link\n$500,Acme,One,https://x.example/1\n$600,Acme,Two,https://x.example/2\n$1100,Total,,\n",
            &[
                "key     = \"Grant\"  # different in every row",
                "skip    = [\"Total\"]  # sums and rows without values: 4",
            ],
        ),
    ] {
        drafted("a.csv", sheet).has(lines);
    }
    let rows = r#"[{"no":"a","title":"A","funder":"X","url":"https://a.example/","sum":{"value":7,"currency":"GBP"}}]"#;
    let mapping = drafted("a.json", rows);
    assert!(mapping.0.contains("\"sum/value\" has sums in 1 of 1 cells: fundingMaxUsd?"), "{}", mapping.0);
}

/// A draft of programs with one more column, `name`.
fn with_column(name: &str, cells: &[&str]) -> Draft {
    let rows =
        (1..).zip(cells).map(|(at, cell)| format!("P{at},F,grant,https://a.example/{at},\"{cell}\"\n"));
    drafted("a.csv", &format!("Name,Funder,Type,Link,{name}\n{}", rows.collect::<String>()))
}

#[test]
fn a_page_of_text_names_no_column() {
    for (before, is_name) in [("the ", true), (&*"the ".repeat(300), false)] {
        let mapping = with_column(&format!("{before}deadline"), &["2027-03-01", "2027-04-01"]);
        assert_eq!(mapping.0.contains("deadlineOn = "), is_name, "{}", mapping.0);
    }
}

/// The line of a mapping that begins with a name.
fn line(mapping: &Draft, name: &str) -> String {
    mapping.0.lines().find(|it| it.starts_with(name)).unwrap().to_owned()
}

#[test]
fn what_the_cells_or_a_note_answer_is_no_question() {
    // The words prove what the name does not.
    let mapping =
        drafted("a.csv", "Name,Funder,Category,How to apply,Notes\nA,F,Grant,https://a.example/,x\n");
    assert!(line(&mapping, "programType").ends_with("  # 1 of 1 cells fit"), "{}", mapping.0);
    // The only address is the page, and notes are not published.
    mapping.has(&[
        "officialUrl = \"How to apply\"  # 1 of 1 cells fit",
        "ignore  = [\"Notes\"]  # not published",
    ]);
}

#[test]
fn texts_in_spanish_are_drafted_as_such_and_those_of_other_languages_are_not() {
    let of = |first: &str, second: &str| {
        drafted(
            "a.csv",
            &format!("No,Name,Funder,Deadline\n1,{first},X,2027-01-05\n2,{second},X,2027-01-06\n"),
        )
    };
    let spanish = of("Becas para los jóvenes", "Ayudas a la creación");
    spanish.has(&[
        "language = { value = \"es\" }  # 2 of 2 texts and columns have Spanish words, 0 English ones",
        "label = { value = \"Convocatoria actual\" }",
    ]);
    for (first, second) in [
        ("Grants for the young", "Los Angeles fund"),
        ("Bourses de la ville", "Aide à la création"),
        ("Bolsas para jovens", "Prêmio de la mar"),
    ] {
        assert!(!of(first, second).0.contains("language"), "{first}");
    }
}

#[test]
fn no_column_of_days_sums_or_addresses_is_left_out_without_a_question() {
    for (column, cells, field) in [
        ("Deadlines", ["1 March 2031, 1 June 2031", "2 March 2031"], "deadlineOn"),
        ("When", ["1/3/2031; 1/6/2031", "2/3/2031"], "deadlineOn"),
        ("Cuantías", ["1.000 €", "2.000 €"], "fundingMaxUsd"),
        ("Worth", ["USD 1,000", "USD 2,000"], "fundingMaxUsd"),
        ("How much?", ["£1,000", "£2,000"], "fundingMaxUsd"),
        ("Hyperlink", ["https://a.example/1", "www.a.example"], "officialUrl"),
        ("Enlaces", ["https://a.example/1", "https://a.example/2"], "officialUrl"),
    ] {
        let [one, two] = cells;
        let mapping =
            drafted("a.csv", &format!("No,Name,Funder,{column}\n1,A,X,\"{one}\"\n2,B,X,\"{two}\"\n")).0;
        let mut open = mapping.lines().filter(|line| line.contains("# ?") && !line.starts_with("# ?"));
        let is_of = |line: &str| {
            line.contains(&format!("{column:?}")) && (line.contains(field) || line.starts_with("amount"))
        };
        assert!(open.any(is_of), "{column}: {mapping}");
    }
}

#[test]
fn who_may_apply_is_published_in_the_words_of_the_sheet_and_places_alone_as_places() {
    let sheet = |column: &str, cells: [&str; 2]| {
        let [one, two] = cells;
        format!(
            "No,Name,Funder,Link,Kind,{column}\n1,A,X,https://a.example/1,Grant,{one}\n2,B,X,https://a.example/2,Grant,{two}\n"
        )
    };
    for column in ["Who can apply", "Eligibility", "Quién puede solicitarla", "Requisitos"] {
        let place = Place::new(&[("inbox/a.csv", &sheet(column, ["Artists from Spain", "n/a"]))]);
        Draft(place.drafted("inbox/a.csv"))
            .has(&[&format!("eligibility = \"{column}\"  # 1 of 1 cells fit")]);
        assert!(place.checked().is_empty(), "{:?}", place.checked());
        place.imported();
        let note = json!({"program": "1", "kind": "note", "value": "eligibility-text", "label": column, "text": "Artists from Spain"});
        assert_eq!(place.rows("facts/a.ndjson"), [note]);
        let places = drafted("a.csv", &sheet(column, ["Spain", "France"]));
        places.has(&[&format!("eligibleCountries = \"{column}\"  # 2 of 2 cells fit")]);
    }
}

#[test]
fn columns_named_for_a_language_are_drafted_as_translations() {
    let sheet = "No,Name,Name@es,Summary,Summary@es,Funder,Type,Link\n7,Sea grants,Becas de mar,For all,Para todos,X,Grant,https://a.example/7\n\
                 8,Ice prize,,Cold,,X,Prize,https://a.example/8\n9,Elm prize,Premio,Warm,,X,Prize,https://a.example/9\n";
    let row = |key: &str, texts: Value| json!({"entityType": "program", "entity": key, "locale": "es", "fields": texts});
    let texts = json!({"name": "Becas de mar", "summary": "Para todos"});
    let rows = [row("7", texts), row("9", json!({"name": "Premio"}))];
    for (from, to) in [("", ""), ("Name@es", "Título @ES"), ("Summary,", "Notes,")] {
        let place = Place::new(&[("inbox/a.csv", &sheet.replacen(from, to, 1))]);
        let mapping = Draft(place.drafted("inbox/a.csv"));
        assert!(!mapping.0.contains("# ?"), "{}", mapping.0);
        mapping.has(&["summary = \"Summary@es\"  # 1 of 1 cells fit"]);
        assert!(place.checked().is_empty(), "{:?}", place.checked());
        place.imported();
        assert_eq!(place.rows("translations/a.ndjson"), rows);
        assert_eq!(place.column("programs/a.ndjson", "name"), ["Sea grants", "Ice prize", "Elm prize"]);
    }
    drafted("a.xml", "<r><g><no>1</no><name>A</name><name lang=\"es\">B</name></g><g><no>2</no></g></r>")
        .has(&["name = \"name[lang=es]\"  # 1 of 1 cells fit"]);
    // Without a name that has no language, the first is a question, and the other one its translation.
    let both = drafted("a.csv", "No,Name@en,Name@es,Funder\n1,One,Uno,X\n2,Two,Dos,X\n");
    assert!(line(&both, "name = \"Name@en\"").contains("# ? is this the name?"), "{}", both.0);
    both.has(&["name = \"Name@es\"  # 2 of 2 cells fit"]);
}
