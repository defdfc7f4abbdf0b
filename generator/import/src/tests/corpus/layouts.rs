//! Files whose rows are more than a header and records: titles, headers of two rows, headings, notes, several tables.

use super::*;

/// A row of cells by commas.
fn row(key: &str, more: &str) -> String {
    format!("{},{more}\n", base(key).join(","))
}

const HEAD: &str = "Ref,Title,Funder,Link,Type,Max USD\n";

const TWO: &str = "A1 | fundingMaxUsd=5000\nA2 | fundingMaxUsd=6000";
const RANGES: &str = "A1 | fundingMinUsd=5 | fundingMaxUsd=9\nA2 | fundingMinUsd=6 | fundingMaxUsd=8";

/// Maps the headings of a draft to places.
const TO_PLACES: (&str, &str) = (".programs]\n", ".programs]\neligibleCountries = \"Section\"\n");

pub(super) static LAYOUTS: LazyLock<Vec<Case>> =
    LazyLock::new(|| tables().into_iter().chain(workbooks()).chain(sections()).collect());

fn tables() -> Vec<Case> {
    let [one, two] = [row("A1", "5000"), row("A2", "6000")];
    let ranges = [row("A1", "5,9"), row("A2", "6,8")].concat();
    vec![
        case(
            "titled.csv: titles above a table of commas",
            format!("Calls of 2027\nUpdated in May\n\n{HEAD}{one}{two}"),
            TWO,
        ),
        case(
            "padded.csv: titles and notes around a table, as wide as it",
            format!("Calls of 2027,,,,,\n,,,,,\n{HEAD}{one}{two},,,,,\nSource: the ministry,,,,,\n"),
            TWO,
        ),
        case("blank.csv: blank rows between groups", format!("{HEAD}{one},,,,,\n{two}"), TWO),
        case("pages.csv: a header that every page repeats", format!("{HEAD}{one}\n{HEAD}{two}"), TWO),
        case(
            "names.csv: two rows of names, the second below the first",
            format!("Ref,Title,Funder,Link,Type,Sum in USD,\n,,,,,Min,Max\n{ranges}"),
            RANGES,
        ),
        case(
            "twice.csv: two columns of one name",
            format!("Ref,Title,Funder,Link,Type,Deadline,Deadline\n{}", row("A1", "2027-01-31,2027-02-28")),
            "A1 | deadlineOn=2027-01-31",
        ),
        // The last row of a header names the columns: `Plazo` alone would be the deadline.
        case(
            "plazos.csv: a Spanish header of two rows",
            "Ref;Nombre;Entidad;Web;Tipo;Plazo;;Dotación (USD);\n;;;;;Apertura;Cierre;Mínima;Máxima\nA1;Call A1;Acme;https://a.example/A1;Ayuda;01.02.2027;28.02.2027;1.000;2.500,75\n\
             A2;Call A2;Acme;https://a.example/A2;Ayuda;;1 mar 2027;500;\n",
            "A1 | fundingMinUsd=1000 | fundingMaxUsd=2500.75 | opensOn=2027-02-01 | deadlineOn=2027-02-28\nA2 | fundingMinUsd=500 | deadlineOn=2027-03-01",
        ),
    ]
}

fn workbooks() -> Vec<Case> {
    let grouped = Plan {
        rows: vec![
            texts("|||||Sum in USD||Contact"),
            texts("Ref|Title|Funder|Link|Type|Min|Max|Person"),
            cells("A1", &[Number(5.0, "0"), Number(9.0, "0"), Text("Ana")]),
            cells("A2", &[Number(6.0, "0"), Number(8.0, "0"), Text("Bea")]),
        ],
        merged: vec!["F1:G1"],
        ..Plan::default()
    };
    let tall = Plan {
        rows: vec![
            texts("Calls of the year"),
            texts("Ref|Title|Funder|Link|Type|Sum in USD"),
            texts("|||||Min|Max"),
            cells("A1", &[Number(5.0, "0"), Number(9.0, "0")]),
            cells("A2", &[Number(6.0, "0"), Number(8.0, "0")]),
        ],
        merged: vec!["A2:A3", "B2:B3", "C2:C3", "D2:D3", "E2:E3", "F2:G2"],
        ..Plan::default()
    };
    let two = Plan {
        rows: vec![
            texts("Open calls"),
            texts("Ref|Title|Funder|Link|Type|Max USD"),
            cells("A1", &[Number(5.0, "0")]),
            cells("A2", &[Number(6.0, "0")]),
            vec![],
            texts("Past calls"),
            texts("Ref|Title|Funder|Link|Type|Deadline"),
            cells("B1", &[Day(DECEMBER)]),
            cells("B2", &[Day(DECEMBER)]),
        ],
        ..Plan::default()
    };
    vec![
        case("groups.xlsx: groups of columns above their names", xlsx(&grouped), RANGES),
        case("tall.xlsx: names that are two rows tall", xlsx(&tall), RANGES),
        case(
            "two.xlsx: two tables with headings",
            xlsx(&two),
            "A1 | fundingMaxUsd=5\nA2 | fundingMaxUsd=6\nB1 | deadlineOn=2026-12-31\nB2 | deadlineOn=2026-12-31",
        ),
    ]
}

fn sections() -> Vec<Case> {
    const TRUTH: &str = "A1 | fundingMaxUsd=5000 | eligibleCountries=[\"ES\"]\nA2 | fundingMaxUsd=6000 | eligibleCountries=[\"ES\"]\n\
             A3 | fundingMaxUsd=7000 | eligibleCountries=[\"PE\"]";
    let rows = [row("A1", "5000"), row("A2", "6000"), row("A3", "7000")];
    let [one, two, three] = &rows;
    let merged = Plan {
        rows: vec![
            texts("Ref|Title|Funder|Link|Type|Max USD"),
            texts("Spain"),
            cells("A1", &[Number(5000.0, "0")]),
            cells("A2", &[Number(6000.0, "0")]),
            texts("Peru"),
            cells("A3", &[Number(7000.0, "0")]),
            texts("Updated in May"),
        ],
        merged: vec!["A2:F2", "A5:F5"],
        ..Plan::default()
    };
    let cases = [
        case(
            "headings.csv: headings between rows",
            format!("{HEAD}Spain,,,,,\n{one}{two},,,,,\nPeru,,,,,\n{three}"),
            TRUTH,
        ),
        case("short.csv: headings as short lines", format!("{HEAD}Spain\n{one}{two}Peru\n{three}"), TRUTH),
        case(
            "repeated.csv: headings, each with the header below it",
            format!("Spain,,,,,\n{HEAD}{one}{two}\nPeru,,,,,\n{HEAD}{three}"),
            TRUTH,
        ),
        case("merged.xlsx: merged headings and a note", xlsx(&merged), TRUTH),
    ];
    cases.map(|case| case.edited(&[TO_PLACES])).into()
}
