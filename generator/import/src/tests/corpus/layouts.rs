//! Files whose rows are more than a header and records: titles, headers of two rows, headings, notes, several tables.

use super::*;

/// A row of cells by commas.
fn row(key: &str, more: &str) -> String {
    format!("{},{more}\n", base(key).join(","))
}

const HEAD: &str = "Ref,Title,Funder,Link,Type,Max USD\n";

const TWO: &[&str] = &["A1 | fundingMaxUsd=5000", "A2 | fundingMaxUsd=6000"];
const RANGES: &[&str] = &["A1 | fundingMinUsd=5 | fundingMaxUsd=9", "A2 | fundingMinUsd=6 | fundingMaxUsd=8"];

/// Maps the headings of a draft to places.
const TO_PLACES: (&str, &str) = (".programs]\n", ".programs]\neligibleCountries = \"Section\"\n");

pub(super) static LAYOUTS: LazyLock<Vec<Case>> =
    LazyLock::new(|| tables().into_iter().chain([spanish()]).chain(workbooks()).chain(sections()).collect());

fn tables() -> Vec<Case> {
    let rows = [row("A1", "5000"), row("A2", "6000")].concat();
    vec![
        case(
            "titles above a table of commas",
            "titled.csv",
            format!("Calls of 2027\nUpdated in May\n\n{HEAD}{rows}"),
            TWO,
        ),
        case(
            "titles and notes around a table, as wide as it",
            "padded.csv",
            format!("Calls of 2027,,,,,\n,,,,,\n{HEAD}{rows},,,,,\nSource: the ministry,,,,,\n"),
            TWO,
        ),
        case(
            "blank rows between groups",
            "blank.csv",
            format!("{HEAD}{},,,,,\n{}", row("A1", "5000"), row("A2", "6000")),
            TWO,
        ),
        case(
            "a header that every page repeats",
            "pages.csv",
            format!("{HEAD}{}\n{HEAD}{}", row("A1", "5000"), row("A2", "6000")),
            TWO,
        ),
        case(
            "two rows of names, the second below the first",
            "names.csv",
            format!(
                "Ref,Title,Funder,Link,Type,Sum in USD,\n,,,,,Min,Max\n{}{}",
                row("A1", "5,9"),
                row("A2", "6,8")
            ),
            RANGES,
        ),
        case(
            "two columns of one name",
            "twice.csv",
            format!("Ref,Title,Funder,Link,Type,Deadline,Deadline\n{}", row("A1", "2027-01-31,2027-02-28")),
            &[],
        ),
    ]
}

/// The last row of a header names the columns: `Plazo` alone would be the deadline.
fn spanish() -> Case {
    case(
        "a Spanish header of two rows",
        "plazos.csv",
        "Ref;Nombre;Entidad;Web;Tipo;Plazo;;Dotación (USD);\n\
         ;;;;;Apertura;Cierre;Mínima;Máxima\n\
         A1;Call A1;Acme;https://a.example/A1;Ayuda;01.02.2027;28.02.2027;1.000;2.500,75\n\
         A2;Call A2;Acme;https://a.example/A2;Ayuda;;1 mar 2027;500;\n",
        &[
            "A1 | fundingMinUsd=1000 | fundingMaxUsd=2500.75 | opensOn=2027-02-01 | deadlineOn=2027-02-28",
            "A2 | fundingMinUsd=500 | deadlineOn=2027-03-01",
        ],
    )
}

fn workbooks() -> Vec<Case> {
    let grouped = Plan {
        rows: vec![
            texts(&["", "", "", "", "", "Sum in USD", "", "Contact"]),
            texts(&["Ref", "Title", "Funder", "Link", "Type", "Min", "Max", "Person"]),
            cells("A1", &[Number(5.0, "0"), Number(9.0, "0"), Text("Ana")]),
            cells("A2", &[Number(6.0, "0"), Number(8.0, "0"), Text("Bea")]),
        ],
        across: vec![(1, 5, 6)],
        ..Plan::default()
    };
    let tall = Plan {
        rows: vec![
            texts(&["Calls of the year"]),
            texts(&["Ref", "Title", "Funder", "Link", "Type", "Sum in USD"]),
            texts(&["", "", "", "", "", "Min", "Max"]),
            cells("A1", &[Number(5.0, "0"), Number(9.0, "0")]),
            cells("A2", &[Number(6.0, "0"), Number(8.0, "0")]),
        ],
        merged: (0..5).map(|column| (column, 2, 3)).collect(),
        across: vec![(2, 5, 6)],
        ..Plan::default()
    };
    let two = Plan {
        rows: vec![
            texts(&["Open calls"]),
            texts(&["Ref", "Title", "Funder", "Link", "Type", "Max USD"]),
            cells("A1", &[Number(5.0, "0")]),
            cells("A2", &[Number(6.0, "0")]),
            vec![],
            texts(&["Past calls"]),
            texts(&["Ref", "Title", "Funder", "Link", "Type", "Deadline"]),
            cells("B1", &[Day(DECEMBER)]),
            cells("B2", &[Day(DECEMBER)]),
        ],
        ..Plan::default()
    };
    vec![
        case("groups of columns above their names", "groups.xlsx", xlsx(&grouped), RANGES),
        case("names that are two rows tall", "tall.xlsx", xlsx(&tall), RANGES),
        case(
            "two tables with headings",
            "two.xlsx",
            xlsx(&two),
            &[
                "A1 | fundingMaxUsd=5",
                "A2 | fundingMaxUsd=6",
                "B1 | deadlineOn=2026-12-31",
                "B2 | deadlineOn=2026-12-31",
            ],
        ),
    ]
}

fn sections() -> Vec<Case> {
    const TRUTH: &[&str] = &[
        "A1 | fundingMaxUsd=5000 | eligibleCountries=[\"ES\"]",
        "A2 | fundingMaxUsd=6000 | eligibleCountries=[\"ES\"]",
        "A3 | fundingMaxUsd=7000 | eligibleCountries=[\"PE\"]",
    ];
    let rows = [row("A1", "5000"), row("A2", "6000"), row("A3", "7000")];
    let [one, two, three] = &rows;
    let merged = Plan {
        rows: vec![
            texts(&["Ref", "Title", "Funder", "Link", "Type", "Max USD"]),
            texts(&["Spain"]),
            cells("A1", &[Number(5000.0, "0")]),
            cells("A2", &[Number(6000.0, "0")]),
            texts(&["Peru"]),
            cells("A3", &[Number(7000.0, "0")]),
            texts(&["Updated in May"]),
        ],
        across: vec![(2, 0, 5), (5, 0, 5)],
        ..Plan::default()
    };
    vec![
        Case {
            edits: &[TO_PLACES],
            ..case(
                "headings between rows",
                "headings.csv",
                format!("{HEAD}Spain,,,,,\n{one}{two},,,,,\nPeru,,,,,\n{three}"),
                TRUTH,
            )
        },
        Case {
            edits: &[TO_PLACES],
            ..case(
                "headings as short lines",
                "short.csv",
                format!("{HEAD}Spain\n{one}{two}Peru\n{three}"),
                TRUTH,
            )
        },
        Case {
            edits: &[TO_PLACES],
            ..case(
                "headings, each with the header below it",
                "repeated.csv",
                format!("Spain,,,,,\n{HEAD}{one}{two}\nPeru,,,,,\n{HEAD}{three}"),
                TRUTH,
            )
        },
        Case {
            edits: &[TO_PLACES],
            ..case("merged headings and a note", "merged.xlsx", xlsx(&merged), TRUTH)
        },
    ]
}
