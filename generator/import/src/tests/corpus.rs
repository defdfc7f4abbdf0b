//! Files as maintainers have them, each with its truth. Whatever is imported is compared cell by cell: an import that is
//! refused costs a round, a value that is wrong without a message is a fault.

use std::sync::LazyLock;

use build::Made::{self, Day, Error, Link, Nothing, Number, Struck, Text, Unsaved};
use build::{Plan, ods, xlsx};

use super::*;

pub(super) mod build;
mod layouts;

/// A file, what is corrected in its draft after every question is answered as proposed, and what it states.
struct Case {
    /// The file's name, and what it is.
    label: &'static str,
    bytes: Vec<u8>,
    edits: &'static [(&'static str, &'static str)],
    /// Its [`records`]; none if the file itself must be corrected.
    truth: &'static str,
}

/// The columns that most files have.
const HEADER: [&str; 5] = ["Ref", "Title", "Funder", "Link", "Type"];

/// The cells of these columns.
fn base(key: &str) -> [String; 5] {
    [key.into(), format!("Call {key}"), "Acme".into(), format!("https://a.example/{key}"), "Grant".into()]
}

/// The records of some lines, each of a program: `A1 | fundingMaxUsd=5 | deadlineOn=2027-03-01 | Sum: 5 EUR`.
/// A field that a season has already begins another one.
fn records(lines: &str) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for line in lines.lines() {
        let mut parts = line.split(" | ");
        let [key, name, organization, url, _] = base(parts.next().unwrap());
        let mut program = json!({
            "key": key, "name": name, "organization": organization, "officialUrl": url, "programType": "grant"
        });
        let mut seasons: Vec<Value> = Vec::new();
        for part in parts {
            let Some((field, text)) = part.split_once('=') else {
                let (label, sum) = part.rsplit_once(": ").unwrap();
                let (amount, currency) = sum.split_once(' ').unwrap();
                let amount = json!(snapshot::record::Number(amount.parse().unwrap()));
                let sum = json!({"program": key, "kind": "funding", "label": label, "amount": amount, "currency": currency});
                all.push(("facts".to_owned(), sum));
                continue;
            };
            let value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
            if !["deadlineOn", "opensOn", "status", "applicationUrl", "label"].contains(&field) {
                program[field] = value;
                continue;
            }
            let is_other =
                |it: &Value| it[field] != Value::Null && (field != "label" || it["label"] != "Current call");
            if seasons.last().is_none_or(is_other) {
                seasons.push(json!({"program": key, "label": "Current call"}));
            }
            seasons.last_mut().unwrap()[field] = value;
        }
        all.push(("programs".to_owned(), program));
        all.extend(seasons.into_iter().map(|season| ("cycles".to_owned(), season)));
    }
    all
}

/// Lines of cells: the header and a row with key A1, A2 … for each of what stands behind.
fn lines(separator: &str, columns: &str, rows: &str) -> String {
    let header = HEADER.join(separator);
    let rows = (1..).zip(rows.split('\n')).map(|(number, row)| {
        let first = base(&format!("A{number}")).join(separator);
        format!("{first}{separator}{row}\n")
    });
    format!("{header}{separator}{columns}\n") + &rows.collect::<String>()
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// A row of a workbook.
fn cells(key: &str, more: &[Made]) -> Vec<Made> {
    base(key).map(|text| Text(leak(text))).into_iter().chain(more.iter().cloned()).collect()
}

/// Cells of texts, which bars part.
fn texts(all: &'static str) -> Vec<Made> {
    all.split('|').map(|text| if text.is_empty() { Nothing } else { Text(text) }).collect()
}

/// The same as rows of a workbook.
fn rows(columns: &[&'static str], rows: &[&[Made]]) -> Vec<Vec<Made>> {
    let header = HEADER.iter().chain(columns).map(|name| Text(name)).collect();
    let rows = rows.iter().enumerate().map(|(number, row)| cells(&format!("A{}", number + 1), row));
    std::iter::once(header).chain(rows).collect()
}

fn case(label: &'static str, bytes: impl Into<Vec<u8>>, truth: &'static str) -> Case {
    Case { label, bytes: bytes.into(), edits: &[], truth }
}

impl Case {
    fn edited(self, edits: &'static [(&'static str, &'static str)]) -> Self {
        Self { edits, ..self }
    }
}

/// 31 December 2026, 3 April 2027.
const DECEMBER: f64 = 46387.0;
const APRIL: f64 = 46480.0;

static TEXTS: LazyLock<Vec<Case>> = LazyLock::new(|| {
    vec![
        case(
            "convocatorias.csv: a Spanish ministry's list in Windows-1252",
            encoding_rs::WINDOWS_1252
                .encode(
                    "Ref;Título;Organismo;Enlace;Tipo;Importe máximo;Plazo\nA1;Call A1;Acme;https://a.example/A1;Ayuda;1.500,00 €;31/12/2026\n\
                     A2;Call A2;Acme;https://a.example/A2;Ayuda;12.000,50 €;sin plazo\nA3;Call A3;Acme;https://a.example/A3;Ayuda;;1 de febrero de 2027\n",
                )
                .0,
            "A1 | deadlineOn=2026-12-31 | Importe máximo: 1500 EUR\nA2 | status=rolling | Importe máximo: 12000.5 EUR\nA3 | deadlineOn=2027-02-01",
        ),
        case(
            "grid.csv: an export of Airtable",
            lines(",", "Max amount,Deadline", "\"$5,000.00\",12/31/2026\n\"$12,500.00\",4/3/2027\n,"),
            "A1 | fundingMaxUsd=5000 | deadlineOn=2026-12-31\nA2 | fundingMaxUsd=12500 | deadlineOn=2027-04-03\nA3",
        ),
        case(
            "sheet.csv: an export of Google Sheets with formulas that failed",
            lines(",", "Max USD,Deadline", "5000,#REF!\nTBC,2027-04-03"),
            "A1 | fundingMaxUsd=5000\nA2 | deadlineOn=2027-04-03",
        )
        .edited(&[("empty   = [\"TBC\"]", "empty   = [\"TBC\", \"#REF!\"]")]),
        case(
            "stages.csv: two deadlines in a cell",
            lines(
                ",",
                "Deadline",
                "LOI 3/4/27; full 5/1/27\nStage 1: 31 January 2027; 1 June 2027;\n31/12/2026\nrolling\n",
            ),
            "A1 | label=Current call: LOI | deadlineOn=2027-04-03 | label=Current call: full | deadlineOn=2027-01-05\n\
             A2 | label=Current call: Stage 1 | deadlineOn=2027-01-31 | label=Current call: 2 | deadlineOn=2027-06-01\nA3 | deadlineOn=2026-12-31\nA4 | status=rolling\nA5",
        )
        .edited(&[(
            "deadlineOn = { column = \"Deadline\", values",
            "deadlineOn = { column = \"Deadline\", split = \";\", values",
        )]),
        case(
            "foerderung.csv: a German list in UTF-16",
            {
                let text = "Nr\tBezeichnung\tStiftung\tWebseite\tTyp\tHöchstbetrag\tFrist\nA1\tCall A1\tAcme\thttps://a.example/A1\tZuschuss\t1,5 Mio. EUR\t31.12.2026\n\
                            A2\tCall A2\tAcme\thttps://a.example/A2\tZuschuss\tbis zu 250.000 €\tjederzeit\n\
                            A3\tCall A3\tAcme\thttps://a.example/A3\tZuschuss\t12.500,00 €\t3. März 2027\n";
                let units = text.encode_utf16().flat_map(u16::to_le_bytes);
                [0xff, 0xfe].into_iter().chain(units).collect::<Vec<u8>>()
            },
            "A1 | deadlineOn=2026-12-31 | Höchstbetrag: 1500000 EUR\nA2 | status=rolling | Höchstbetrag (bis zu 250.000 €): 250000 EUR\n\
             A3 | deadlineOn=2027-03-03 | Höchstbetrag: 12500 EUR",
        ),
        case(
            "appels.csv: a French list with narrow spaces",
            "Réf;Titre;Financeur;Lien;Type d'aide;Montant maximum;Date limite\nA1;Call A1;Acme;https://a.example/A1;Subvention;1\u{202f}500,00\u{a0}€;31 décembre 2026\n\
             A2;Call A2;Acme;https://a.example/A2;Subvention;jusqu'à 20\u{a0}000 €;1er mars 2027\nA3;Call A3;Acme;https://a.example/A3;Subvention;;en continu\n",
            "A1 | deadlineOn=2026-12-31 | Montant maximum: 1500 EUR\nA2 | deadlineOn=2027-03-01 | Montant maximum (jusqu'à 20\u{a0}000 €): 20000 EUR\nA3 | status=rolling",
        ),
        case(
            "miles.csv: a Spanish header with a factor",
            lines(";", "Importe (miles €)", "2,5\n12\nhasta 0,75"),
            "A1 | Importe: 2500 EUR\nA2 | Importe: 12000 EUR\nA3 | Importe (hasta 0,75, × 1000): 750 EUR",
        ),
        case(
            "uk.csv: pounds, one of them without a sign, and limits",
            lines(",", "Award", "£5000\n2500\n\"£500 - £1,500\"\nup to £900"),
            "A1 | Award: 5000 GBP\nA2 | Award: 2500 GBP\nA3 | Award (£500 - £1,500): 1500 GBP\nA4 | Award (up to £900): 900 GBP",
        ),
        case(
            "divisas.csv: two currencies and a sum without one",
            lines(";", "Importe máximo", "5000\n€ 12.500,00\n300 USD\nde 1.000 a 2.000 €\nhasta 3 mil USD"),
            "A1 | fundingMaxUsd=5000\nA2 | Importe máximo: 12500 EUR\nA3 | fundingMaxUsd=300\nA4 | Importe máximo (de 1.000 a 2.000 €): 2000 EUR\nA5 | fundingMaxUsd=3000",
        )
        .edited(&[("currency = \"…\"", "currency = \"USD\"")]),
        case(
            "traps.csv: the funder's country and a category",
            "Ref,Title,Funder,Link,Category,Country,Max age\nA1,Call A1,Acme,https://a.example/A1,Health,US,35\nA2,Call A2,Acme,https://a.example/A2,Arts,FR,40\n",
            "A1 | destinationCountries=[\"US\"]\nA2 | destinationCountries=[\"FR\"]",
        )
        .edited(&[
            ("name = \"Title\"", "programType = { value = \"grant\" }\nname = \"Title\""),
            ("programType = { column", "# programType = { column"),
            ("eligibleCountries = \"Country\"", "destinationCountries = \"Country\""),
        ]),
        case(
            "few.csv: rows with few values and a sum below",
            lines(
                ",",
                "Max USD,Deadline,Summary,Fields",
                "5000,2026-12-31,About the sea,Ocean\n6000,2027-01-31,About ice,Ice",
            ) + "A3,Call A3,Acme,https://a.example/A3,Grant,,,,\nTotal,,,,,11000,,,\n",
            "A1 | fundingMaxUsd=5000 | summary=About the sea | fields=[\"Ocean\"] | deadlineOn=2026-12-31\n\
             A2 | fundingMaxUsd=6000 | summary=About ice | fields=[\"Ice\"] | deadlineOn=2027-01-31\nA3",
        ),
        case(
            "nulls.csv: marks of nothing",
            lines(",", "Max USD,Deadline,Summary", "NULL,n/a,#N/A\n5000,TBC,Text"),
            "A1\nA2 | fundingMaxUsd=5000 | summary=Text",
        ),
        case(
            "ranges.csv: ranges, limits and rates of pay",
            lines(",", "Max", "US$ 500 – 3000\nup to USD 2k\nUS$ 15 per hour\nfrom 800 USD\n€900"),
            "A1 | fundingMinUsd=500 | fundingMaxUsd=3000\nA2 | fundingMaxUsd=2000\nA3 | Max (US$ 15 per hour): 15 USD\nA4 | fundingMinUsd=800\nA5 | Max: 900 EUR",
        ),
        case(
            "portal.json: a portal's JSON, its rows one level down",
            r#"{"meta": {"n": 2}, "data": {"items": [
                {"id": "A1", "title": "Call A1", "funder": {"name": "Acme"}, "url": "https://a.example/A1", "type": "Grant",
                 "maximum": 5000, "currency": "GBP", "deadline": "2026-12-31"},
                {"id": "A2", "title": "Call A2", "funder": {"name": "Acme"}, "url": "https://a.example/A2", "type": "Grant",
                 "maximum": 6000, "currency": "USD", "deadline": null}]}}"#,
            "A1 | deadlineOn=2026-12-31 | maximum: 5000 GBP\nA2 | fundingMaxUsd=6000",
        ),
        case(
            "calls.ndjson: days as milliseconds in NDJSON",
            "{\"Ref\":\"A1\",\"Title\":\"Call A1\",\"Funder\":\"Acme\",\"Link\":\"https://a.example/A1\",\"Type\":\"Grant\",\"Deadline\":1798675200000}\n\
             {\"Ref\":\"A2\",\"Title\":\"Call A2\",\"Funder\":\"Acme\",\"Link\":\"https://a.example/A2\",\"Type\":\"Grant\",\"Deadline\":1806710400}\n",
            "A1 | deadlineOn=2026-12-31\nA2 | deadlineOn=2027-04-03",
        )
        .edited(&[
            ("dates   = \"dmy\"", "dates   = \"epoch\""),
            ("key     =", "dates   = \"epoch\"\nkey     ="),
        ]),
        case(
            "extract.xml: XML with compact days",
            "<Grants><G><Ref>A1</Ref><Title>Call A1</Title><Funder>Acme</Funder><Link>https://a.example/A1</Link>\
             <Type>Grant</Type><AwardCeiling>5000</AwardCeiling><CloseDate>12312026</CloseDate></G>\
             <G><Ref>A2</Ref><Title>Call A2</Title><Funder>Acme</Funder><Link>https://a.example/A2</Link><Type>Grant</Type><CloseDate>04032027</CloseDate></G></Grants>",
            "A1 | fundingMaxUsd=5000 | deadlineOn=2026-12-31\nA2 | deadlineOn=2027-04-03",
        ),
    ]
});

static WORKBOOKS: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let plan = |rows| Plan { rows, ..Plan::default() };
    let mut titled = vec![vec![Text("Grants 2027")], vec![Text("updated in May")], vec![]];
    titled.extend(rows(
        &["Max", "Deadline"],
        &[&[Number(5000.0, "\"$\"#,##0"), Day(DECEMBER)], &[Number(6000.0, "\"$\"#,##0"), Day(APRIL)]],
    ));
    titled.push(vec![Text("Total"), Nothing, Nothing, Nothing, Nothing, Number(11000.0, "\"$\"#,##0")]);
    let [one, two, three] = ["one", "two", "three"].map(|text| [Text(text), Number(1.0, "0")]);
    let mut crossed = rows(&["Summary", "Max USD"], &[&one, &two, &three]);
    crossed.push(["A4", "Call A4", "Acme", "https://a.example/A4", "Grant", "four"].map(Struck).into());
    let dated = |cells: &[Made]| {
        let cells: Vec<&[Made]> = cells.iter().map(std::slice::from_ref).collect();
        rows(&["Deadline"], &cells)
    };
    vec![
        case(
            "list.xlsx: a foundation's workbook with title rows and a sum",
            xlsx(&plan(titled)),
            "A1 | fundingMaxUsd=5000 | deadlineOn=2026-12-31\nA2 | fundingMaxUsd=6000 | deadlineOn=2027-04-03",
        ),
        case(
            "formats.xlsx: number formats of four currencies",
            xlsx(&plan(rows(
                &["Max"],
                &[
                    &[Number(5000.0, "[$£-809]#,##0.00")],
                    &[Number(6000.0, "#,##0.00\\ [$€-407]")],
                    &[Number(7000.0, "[$R$-416] #,##0.00")],
                    &[Number(8000.0, "[$$-409]#,##0.00")],
                ],
            ))),
            "A1 | Max: 5000 GBP\nA2 | Max: 6000 EUR\nA3 | Max: 7000 BRL\nA4 | fundingMaxUsd=8000",
        ),
        case(
            "contradiction.xlsx: a format that contradicts the header",
            xlsx(&plan(rows(
                &["Max (GBP)"],
                &[&[Number(5000.0, "[$£-809]#,##0.00")], &[Number(6000.0, "#,##0.00\\ [$€-407]")]],
            ))),
            "",
        ),
        case(
            "hidden.xlsx: hidden rows and columns, and a row struck through",
            xlsx(&Plan { rows: crossed, hidden_rows: vec![3], hidden_columns: vec![6], ..Plan::default() }),
            "A1 | summary=one\nA3 | summary=three",
        ),
        case(
            "merged.xlsx: merged cells",
            xlsx(&Plan {
                rows: dated(&[Day(DECEMBER), Nothing, Day(APRIL)]),
                merged: vec!["F2:F3"],
                ..Plan::default()
            }),
            "A1 | deadlineOn=2026-12-31\nA2 | deadlineOn=2026-12-31\nA3 | deadlineOn=2027-04-03",
        )
        .edited(&[("key     =", "merged  = \"fill\"\nkey     =")]),
        case(
            "formulas.xlsx: formulas that were never computed or failed",
            xlsx(&plan(rows(&["Max USD"], &[&[Unsaved], &[Number(5.0, "0")], &[Error("#N/A")]]))),
            "A1\nA2 | fundingMaxUsd=5\nA3",
        )
        .edited(&[("empty   = [", "empty   = [\"a formula without a saved value\", ")]),
        case(
            "links.xlsx: links behind texts",
            xlsx(&plan(rows(
                &["Apply", "Deadline"],
                &[
                    &[Link("Apply here", "https://apply.example/#1"), Day(DECEMBER)],
                    &[Text("https://apply.example/2"), Day(APRIL)],
                ],
            ))),
            "A1 | applicationUrl=https://apply.example/#1 | deadlineOn=2026-12-31\nA2 | applicationUrl=https://apply.example/2 | deadlineOn=2027-04-03",
        ),
        case(
            "days.xlsx: days beside texts",
            xlsx(&plan(dated(&[Day(DECEMBER), Text("31/01/2027"), Text("3/4/2027")]))),
            "A1 | deadlineOn=2026-12-31\nA2 | deadlineOn=2027-01-31\nA3 | deadlineOn=2027-04-03",
        ),
        case(
            "swapped.xlsx: days that the spreadsheet program swapped",
            xlsx(&plan(dated(&[Day(APRIL), Text("31/01/2027"), Text("28/02/2027")]))),
            "",
        ),
        case(
            "editais.ods: a Portuguese sheet of LibreOffice",
            ods(&Plan {
                rows: vec![
                    texts("Código|Título do edital|Financiadora|Ligação|Tipo|Valor máximo|Prazo|Interno"),
                    [
                        texts("A1|Call A1|Acme"),
                        vec![Link("aqui", "https://a.example/A1"), Text("apoio"), Number(1500.5, "BRL")],
                        vec![Day(DECEMBER), Text("x")],
                    ]
                    .concat(),
                    cells("A2", &[Number(2000.0, "EUR"), Error("#REF!"), Text("x")]),
                    cells("A3", &[]),
                    cells("A4", &[Text("tbc")]),
                ],
                hidden_rows: vec![4],
                hidden_columns: vec![7],
                ..Plan::default()
            }),
            "A1 | deadlineOn=2026-12-31 | Valor máximo: 1500.5 BRL\nA2 | Valor máximo: 2000 EUR\nA4",
        )
        .edited(&[("empty   = [\"tbc\"]", "empty   = [\"tbc\", \"#REF!\"]")]),
    ]
});

/// Every question of a draft answered as it is proposed.
fn answered(mapping: &str) -> String {
    let lines = mapping.lines().map(|line| match line.strip_prefix("# ? ") {
        Some(proposed) => proposed.split("  ").next().unwrap().to_owned(),
        None => line.split("  # ?").next().unwrap().to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The records of three tables.
fn published(place: &Place) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for table in ["programs", "cycles", "facts"] {
        let Ok(entries) = fs::read_dir(place.folder.path().join(table)) else { continue };
        for entry in entries {
            let name = entry.unwrap().file_name().into_string().unwrap();
            all.extend(place.rows(&format!("{table}/{name}")).into_iter().map(|row| (table.to_owned(), row)));
        }
    }
    all
}

fn differences(place: &Place, truth: &str) -> Vec<String> {
    let (truth, found) = (records(truth), published(place));
    let more = found.iter().filter(|row| !truth.contains(row)).map(|(table, row)| format!("+ {table} {row}"));
    let less = truth.iter().filter(|row| !found.contains(row)).map(|(table, row)| format!("- {table} {row}"));
    more.chain(less).collect()
}

#[test]
fn no_cell_of_the_corpus_is_published_wrong_without_a_message() {
    let cases = || TEXTS.iter().chain(&*WORKBOOKS).chain(&*layouts::LAYOUTS);
    let (count, mut first, mut second, mut wrong) = (cases().count(), 0, 0, Vec::new());
    for Case { label, bytes, edits, truth } in cases() {
        let (place, source) = (Place::new(&[]), format!("inbox/{}", label.split(':').next().unwrap()));
        place.write(&source, bytes);
        if let Err(error) = draft(place.folder.path(), Some(&place.folder.path().join(&source)), None) {
            wrong.extend((!truth.is_empty()).then(|| format!("{label}: {error}")));
            continue;
        }
        let mapping = fs::read_to_string(place.folder.path().join(FILE)).unwrap();
        let is_first = place.import().0;
        if is_first {
            first += 1;
            let found = differences(&place, truth).into_iter();
            wrong.extend(found.map(|it| format!("{label}: first: {it}\n{mapping}")));
        }
        let mut mapping = answered(&mapping);
        edits.iter().for_each(|(from, to)| mapping = mapping.replacen(from, to, 1));
        place.write(FILE, mapping.as_bytes());
        let (is_done, report) = place.import();
        match (is_done, truth.is_empty()) {
            (true, _) => {
                second += 1;
                let differences = differences(&place, truth);
                wrong.extend(differences.iter().map(|it| format!("{label}: {it}")));
                wrong.extend((!differences.is_empty()).then_some(mapping));
            }
            (false, false) => wrong.push(format!("{label}: {:#?}\n{mapping}", report.sorted())),
            (false, true) => second += usize::from(is_first),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{first} of {count} imported as drafted, {second} after one edit");
    assert!(count >= 40 && second >= 34, "{first} and {second} of {count}");
}
