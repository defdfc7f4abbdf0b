//! Keys of several columns, and several rows of one key.

use super::*;

const DATASET: &str = r#"{"schemaVersion":"1","name":"t","title":"T","license":"CC BY 4.0","publishedAt":"2026-06-01T00:00:00Z"}"#;
const FIELDS: &str = r#"
[sources.grants.organizations]
name = { column = "Funder", distinct = true }
[sources.grants.programs]
name = "Title"
officialUrl = "Link"
programType = { value = "grant" }
organization = "Funder"
summary = "About"
"#;

fn place(options: &str, rows: &str) -> Place {
    let mapping = format!("[sources.grants]\nfile = \"inbox/a.csv\"\n{options}\n{FIELDS}");
    let sheet = format!("Fund,Call,Funder,Title,Link,About\n{rows}");
    Place::new(&[("dataset.json", DATASET), (FILE, &mapping), ("inbox/a.csv", &sheet)])
}

const TWO: &str = "A,1,Alba,Ocean,https://a.example/1,\nA,1,Alba,Ocean,https://a.example/1,Of the sea\n";

#[test]
fn several_columns_together_are_the_key() {
    let rows = "A,1,Alba,Ocean,https://a.example/1,\nA,2,Alba,Forest,https://a.example/2,\nB,1,Brisa,City,https://a.example/3,\n\
                Total,3,,,,\n";
    let place = place("key = [\"Fund\", \"Call\"]\nskip = [\"Total\"]", rows);
    place.imported();
    let programs = place.rows("programs/grants.ndjson");
    let keys: Vec<&str> = programs.iter().map(|row| row["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["A / 1", "A / 2", "B / 1"]);
}

#[test]
fn rows_of_one_key_are_an_error() {
    let refused = place("key = [\"Fund\", \"Call\"]", TWO).refused();
    assert_eq!((refused[0].0, refused[0].1), ("E0501", 3), "{refused:?}");
}
