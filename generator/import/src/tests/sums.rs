//! Sums whose currency nothing shows, sums of other currencies, and rows of totals.

use super::*;
use crate::source::sheet::Row;
use dataset::schema::ValueType;

const TO_DOLLARS: &str = "fundingMinUsd = \"Award\"\nfundingMaxUsd = \"Award\"\n";
const TO_FACTS: &str =
    "[sources.a.facts]\nkind = { value = \"funding\" }\nlabel = { value = \"Award\" }\namount = \"Award\"\n";

/// A name, a link and a sum in each row.
fn place(options: &str, fields: &str, sums: &[&str]) -> Place {
    let mapping = format!(
        "[sources.a]\nfile = \"a.csv\"\nkey = \"Name\"\n{options}\n[sources.a.programs]\nname = \"Name\"\nofficialUrl = \"Link\"\nprogramType = {{ value = \"grant\" }}\n{fields}"
    );
    let rows = sums.iter().enumerate().map(|(at, sum)| format!("N{at};https://a.example/{at};{sum}\n"));
    let sheet = format!("Name;Link;Award\n{}", rows.collect::<String>());
    Place::new(&[(FILE, &mapping), ("a.csv", &sheet)])
}

#[test]
fn a_sum_without_a_currency_is_one_error_among_others_and_stated_where_the_field_is_dollars() {
    for (fields, field) in [(TO_FACTS, "amount"), (&*format!("{TO_DOLLARS}{TO_FACTS}"), "fundingMaxUsd")] {
        let message = format!("`{field}` is `2500`: nothing shows its currency (column `Award`)");
        place("", fields, &["£5000", "2500", "up to £700"]).refuses("E0205", 3, &message);
    }
    let report = place("", TO_DOLLARS, &["2500", "US$ 300"]).imported();
    let note = "source `a`: `fundingMaxUsd`: 1 sum without a currency taken as US dollars; `currency` declares another";
    assert!(notes(&report).contains(note), "{}", notes(&report));
    let report = place("currency = \"USD\"", TO_DOLLARS, &["2500"]).imported();
    assert!(!notes(&report).contains("without a currency"));
}

#[test]
fn a_declared_currency_is_that_of_sums_that_show_none_or_no_single_one() {
    let fields = format!("{TO_DOLLARS}{TO_FACTS}");
    let place = place("currency = \"CAD\"", &fields, &["2500", "€300", "$ 40", "USD 5", "£500 - £900"]);
    place.imported();
    let facts = place.rows("facts/a.ndjson");
    let facts: Vec<String> =
        facts.iter().map(|it| format!("{} {} {}", it["label"], it["amount"], it["currency"])).collect();
    let labels = ["\"Award\" 2500 \"CAD\"", "\"Award\" 300 \"EUR\"", "\"Award\" 40 \"CAD\""];
    assert_eq!(facts[..3], labels);
    assert_eq!(facts[3..], ["\"Award (£500 - £900)\" 900 \"GBP\""]);
    assert_eq!(place.rows("programs/a.ndjson")[3]["fundingMaxUsd"], 5);
}

#[test]
fn a_word_and_a_factor_of_two_readings_are_no_numbers() {
    let word = "`fundingMaxUsd` is `varies`: `varies` is not understood (column `Award`)";
    place("numbers = \"1,234.56\"", TO_DOLLARS, &["varies"]).refuses("E0108", 2, word);
    let factor = "`amount` is `3 mil €`, which may be thousands or millions (column `Award`)";
    place("currency = \"EUR\"", TO_FACTS, &["3 mil €"]).refuses("E0108", 2, factor);
    let read = place("numbers = \"1.234,56\"", TO_FACTS, &["3 mil €"]);
    read.imported();
    assert_eq!(read.rows("facts/a.ndjson")[0]["amount"], 3000);
    let fields = TO_FACTS.replace("amount = \"Award\"", "amount = \"Award (mil $)\"");
    let headed = place("currency = \"USD\"", &fields, &[]);
    headed.write("a.csv", b"Name;Link;Award (mil $)\nN0;https://a.example/0;3\n");
    assert!(headed.refused()[0].2.contains("may be either of two"));
}

#[test]
fn a_row_without_a_key_is_skipped_by_its_first_text() {
    let place = place("", TO_DOLLARS, &["US$ 2500"]);
    let mapping = fs::read_to_string(place.folder.path().join(FILE)).unwrap();
    place.write("a.csv", "Award;Name;Link\nUS$ 2500;One;https://a.example/1\n3000;;Total\n".as_bytes());
    let (_, report) = place.import();
    let problem = report.sorted()[0];
    assert_eq!((problem.at.line, &*problem.message), (3, "the row has no key"));
    assert!(problem.help.as_ref().unwrap().contains("list what is no record in `skip`"));
    place.write(FILE, mapping.replace("key =", "skip = [\"Total\"]\nkey =").as_bytes());
    place.imported();
    assert_eq!(place.rows("programs/a.ndjson").len(), 1);
}

#[test]
fn what_a_number_format_shows_is_read_in_the_form_of_the_program_that_shows_it() {
    let numbers = mapping::NumberForm::try_from("1.234,56".to_owned()).ok();
    let source = mapping::Source { numbers, ..Default::default() };
    let (name, kind) = ("fundingMaxUsd".to_owned(), ValueType::Number);
    let (rule, sheet) = Default::default();
    let to =
        values::CellField { name: &name, kind, rule: &rule, source: &source, sheet: &sheet, money: None };
    let cell = Cell::Shown("$2.5 million".to_owned());
    assert!(to.make(&cell, &Row::default()).is_ok_and(|made| made.value == 2_500_000));
}

#[test]
fn a_row_without_a_sum_makes_no_fact_of_its_currency() {
    let place = place("", &format!("{TO_FACTS}currency = \"Name\"\n"), &["500", ""]);
    place.write("a.csv", b"Name;Link;Award\nEUR;https://a.example/1;500\nGBP;https://a.example/2;\n");
    place.imported();
    assert_eq!(place.rows("facts/a.ndjson").len(), 1);
}
