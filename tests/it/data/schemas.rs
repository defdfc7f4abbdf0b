//! `schemas/dataset` against the checker: rows that are valid and the same with one field changed have the
//! same verdict from both. A schema sees one row, so what takes more than a row or a list of codes is the
//! checker's alone; every such exception is listed with its reason.

use std::collections::BTreeSet;
use std::path::Path;

use dataset::diagnostics::{Code, Diagnostics};
use dataset::{Input, Table, link, read};
use serde_json::{Map, Value, json};

use crate::records::{timed, with};
use crate::schema::Schema;

/// What only the checker refuses.
const BEYOND_SCHEMAS: [(Code, &str); 15] = [
    (Code::Dangling, "another row decides"),
    (Code::OtherProgram, "another row decides"),
    (Code::DuplicateId, "another row decides"),
    (Code::DuplicateSlug, "another row decides"),
    (Code::AliasIsSlug, "another row decides"),
    (Code::DuplicateAlias, "another row decides"),
    (Code::DuplicateKey, "another row decides"),
    (Code::BroaderLoop, "another row decides"),
    (Code::LabelForValue, "another row decides"),
    (Code::MinAboveMax, "JSON Schema compares no two fields"),
    (Code::BadPlace, "the schema has the form of codes, not the list of places"),
    (Code::BadCurrency, "the schema has the form of codes, not the list of currencies"),
    (Code::BadUrl, "the schema has the form of addresses; hosts and ports take a parser"),
    (Code::TextTooLong, "the limit is one of bytes, JSON Schema counts characters"),
    (Code::LostLetter, "the schema would have to name invisible characters in every text"),
];

/// What the checker mends, with a warning, before it judges.
const MENDED: [(Code, &str); 4] = [
    (Code::SpaceTrimmed, "the space is gone before it is judged"),
    (Code::ControlsRemoved, "the characters are gone before it is judged"),
    (Code::UrlEncoded, "the address is encoded before it is judged"),
    (Code::UrlLeftOut, "an optional address that cannot be opened is left out"),
];

const WHEN: &str = "2026-01-01T00:00:00Z";
const URL: &str = "https://example.org/";

/// Every table, and what a dataset says of itself.
pub(super) fn tables() -> impl Iterator<Item = &'static str> {
    Table::ALL.iter().map(|table| table.name()).chain(["dataset"])
}

fn id(table: &str) -> String {
    format!("{:08}-0000-4000-8000-000000000001", tables().position(|it| it == table).unwrap())
}

/// A row of a table with all of its fields that takes every text, as `Text`; rows of different tables refer to each other.
pub(super) fn whole(table: &str) -> Value {
    let [organization, program, cycle, recipient, source] =
        ["organizations", "programs", "cycles", "recipients", "sources"].map(id);
    let row = match table {
        "organizations" => json!({"slug": "acme", "name": "Text", "aliases": ["Text"], "countryCode": "US",
            "websiteUrl": URL, "description": "Text"}),
        "programs" => {
            json!({"organizationId": organization, "slug": "grants", "name": "Text", "aliases": ["Text"],
            "summary": "Text", "description": "Text", "programType": "Text", "fields": ["Text"],
            "eligibleCountries": ["NG"], "destinationCountries": ["US-PA"], "careerStages": ["Text"],
            "fundingMinUsd": 1, "fundingMaxUsd": 1_000_000_000_000_000_u64, "officialUrl": URL, "active": true,
            "lifecycle": "active_accepting", "lifecycleCheckedAt": WHEN, "sourceCheckedAt": WHEN, "language": "en"})
        }
        "cycles" => {
            json!({"programId": program, "label": "Text", "opensOn": "2026-01-01", "deadlineOn": "2026-02-01",
            "selectionOn": "2026-03-01", "decisionOn": "2026-04-01", "startsOn": "2026-05-01", "endsOn": "2026-06-01",
            "cohortYear": 2026, "applicationUrl": URL, "status": "open"})
        }
        "recipients" => json!({"slug": "ann", "displayName": "Text", "kind": "person", "countryCode": "US",
            "websiteUrl": URL, "biography": "Text"}),
        "awards" => {
            json!({"programId": program, "cycleId": cycle, "recipientId": recipient, "awardYear": 2025,
            "awardAmountUsd": 5, "projectTitle": "Text", "publicNotes": "Text"})
        }
        "facts" => {
            json!({"programId": program, "cycleId": cycle, "kind": "note", "label": "Text", "text": "Text",
            "polarity": "include", "strength": "info", "sourceId": source, "status": "approved"})
        }
        "sources" => {
            json!({"entityType": "program", "entityId": program, "kind": "Text", "url": URL, "title": "Text",
            "publisher": "Text", "publishedOn": "2026-01-01", "retrievedAt": WHEN, "sourceCheckedAt": WHEN})
        }
        "lifecycle" => {
            json!({"programId": program, "fromLifecycle": "unclear", "toLifecycle": "active_accepting",
            "observedAt": WHEN, "reason": "Text", "sourceId": source})
        }
        "leaders" => json!({"organizationId": organization, "name": "Text", "role": "Text", "url": URL,
            "startedOn": "2020-01-01", "endedOn": "2021-01-01"}),
        "channels" => json!({"organizationId": organization, "kind": "Text", "url": URL, "label": "Text"}),
        "posts" => json!({"organizationId": organization, "title": "Text", "url": URL, "summary": "Text",
            "publishedOn": "2026-01-01"}),
        "aliases" => json!({"entityType": "program", "entityId": program, "slug": "old-grants"}),
        "translations" => json!({"entityType": "program", "entityId": program, "locale": "es",
            "fields": {"name": "Text", "summary": "Text", "description": "Text"}}),
        "vocabulary" => json!({"facet": "topics", "value": "Text", "labelEn": "A Text", "labelEs": "Un Text",
            "broader": "culture"}),
        "synonyms" => json!({"locale": "en", "terms": ["Text", "Texts"]}),
        _ => {
            return json!({"schemaVersion": "1", "name": "data", "title": "Data", "license": "CC BY 4.0",
                "publishedAt": "2026-06-01T00:00:00Z", "locales": ["en", "es"], "defaultLocale": "en"});
        }
    };
    let row = with(row, json!({"publication": "published"}));
    match table {
        "aliases" | "translations" | "vocabulary" | "synonyms" => row,
        "leaders" | "channels" | "posts" | "lifecycle" => with(row, json!({"id": id(table)})),
        "facts" => with(row, json!({"id": id(table), "updatedAt": WHEN})),
        _ => with(timed(row), json!({"id": id(table)})),
    }
}

/// Rows of a table that refer to those of others; of `facts` and `translations` one for each kind.
pub(super) fn rows(table: &str) -> Vec<Value> {
    let variants = match table {
        "facts" => json!([{"kind": "topic", "value": "Text"}, {"kind": "citizenship", "value": "NG"},
            {"kind": "age", "min": 18, "max": 30}, {"kind": "duration", "min": 1, "max": 2, "unit": "year"},
            {"kind": "funding", "amount": 100, "currency": "EUR"}, {}]),
        "translations" => {
            json!([{}, {"entityType": "organization", "fields": {"name": "Uno", "description": "Dos"}},
            {"entityType": "cycle", "fields": {"label": "Uno"}},
            {"entityType": "award", "fields": {"projectTitle": "Uno", "publicNotes": "Dos"}},
            {"entityType": "recipient", "fields": {"displayName": "Uno", "biography": "Dos"}},
            {"entityType": "fact", "fields": {"label": "Uno", "text": "Dos"}}])
        }
        "vocabulary" => json!([{}, {"value": "culture", "labelEn": "Culture", "broader": null}]),
        _ => json!([{}]),
    };
    let mut rows = Vec::new();
    for (number, more) in variants.as_array().unwrap().iter().enumerate() {
        let mut row = with(whole(table), more.clone());
        match (table, more["entityType"].as_str()) {
            ("facts", _) => row["id"] = id(table).replace("-4000-", &format!("-400{number}-")).into(),
            (_, Some(kind)) => row["entityId"] = id(&format!("{kind}s")).into(),
            _ => {}
        }
        rows.push(row);
    }
    rows
}

/// The name of a table's schema.
fn schema_of(table: &str) -> &str {
    if table == "aliases" { "alias" } else { table.strip_suffix('s').unwrap_or(table) }
}

/// Words, codes, numbers, days, moments, addresses, lists and objects, right in one field and wrong in another.
fn values() -> Vec<Value> {
    let mut values: Vec<Value> = serde_json::from_str(include_str!("values.json")).unwrap();
    values.extend(["a".repeat(200), "a".repeat(201), "w ".repeat(60_000)].map(Value::from));
    values
}

/// Every word of a closed list in a schema.
fn words_of(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => members.values().for_each(|member| words_of(member, words)),
        Value::Array(items) => {
            words.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
            items.iter().for_each(|item| words_of(item, words));
        }
        _ => {}
    }
}

/// Of the values of a field whose kind was tested before, one in so many is tried. `SCHEMA_CASES=all` tries each.
const SAMPLE: usize = 24;

/// Which values fields are given: all where a field is the first of its kind, else some, other ones each time.
struct Mutator {
    is_sampled: bool,
    kinds: BTreeSet<String>,
    fields: usize,
}

impl Mutator {
    fn new() -> Self {
        let is_sampled = std::env::var_os("SCHEMA_CASES").is_none();
        Self { is_sampled, kinds: BTreeSet::new(), fields: 0 }
    }

    /// The row as it is, and with one field another, gone or too many.
    fn mutations(&mut self, row: &Value, schema: &Value) -> Vec<(String, Value)> {
        let Value::Object(row) = row else { return Vec::new() };
        let mut values = values();
        let mut words = BTreeSet::new();
        words_of(schema, &mut words);
        values.extend(words.into_iter().map(Value::from));
        let mut mutations = vec![("nothing".to_owned(), Value::Object(row.clone()))];
        let mut add = |what: String, change: &dyn Fn(&mut Map<String, Value>)| {
            let mut row = row.clone();
            change(&mut row);
            mutations.push((what, Value::Object(row)));
        };
        for (field, kind) in schema["properties"].as_object().unwrap() {
            add(format!("no {field}"), &|row| drop(row.remove(field)));
            let every = if self.is_new(kind) || !self.is_sampled { 1 } else { SAMPLE };
            for value in values.iter().skip(self.fields % every).step_by(every) {
                let shown: String = value.to_string().chars().take(60).collect();
                add(format!("{field} = {shown}"), &|row| drop(row.insert(field.clone(), value.clone())));
            }
            self.fields += 1;
        }
        for name in ["unknown", "X_note", "x_note", "x_"] {
            add(format!("{name} too"), &|row| drop(row.insert(name.to_owned(), json!([1]))));
        }
        mutations
    }

    /// Whether no field before had the same schema, descriptions aside.
    fn is_new(&mut self, kind: &Value) -> bool {
        let mut kind = kind.clone();
        if let Value::Object(members) = &mut kind {
            members.retain(|name, _| !["description", "examples"].contains(&name.as_str()));
        }
        self.kinds.insert(kind.to_string())
    }
}

/// The name and the text of a table's file.
fn file(name: &str, rows: &[Value]) -> (String, String) {
    let name = if name == "dataset" { "dataset.json".to_owned() } else { format!("{name}.ndjson") };
    (name, rows.iter().map(|row| format!("{row}\n")).collect())
}

/// Errors and warnings of a dataset in which one table has another text.
fn checked(files: &[(String, String)], table: usize, changed: &str) -> Vec<Code> {
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .enumerate()
        .map(|(at, (name, text))| (name.as_str(), if at == table { changed } else { text }.as_bytes()))
        .collect();
    let mut report = Diagnostics::new();
    let read = read(&Input::Embedded(&files), &mut report).unwrap();
    let linked = link(read, &mut report);
    assert_eq!(linked.is_some(), report.error_count() == 0, "{changed}");
    report.sorted().iter().map(|diagnostic| diagnostic.code).collect()
}

fn validator(name: &str) -> (Value, Schema) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/dataset");
    let text = std::fs::read_to_string(folder.join(format!("{name}.schema.json"))).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = Schema::new(&schema);
    (schema, validator)
}

/// The calendar's last moment is a day before that of RFC 3339.
const TOO_LATE: &str = "9999-12-31T23:59:59Z";

/// Whether verdicts that differ do so for a reason that is listed.
fn is_excused(valid: bool, codes: &[Code], found: &Value) -> bool {
    let listed = |list: &[(Code, &str)], code: &Code| list.iter().any(|(known, _)| known == code);
    if valid {
        if found == TOO_LATE {
            return true;
        }
        let mut errors = codes.iter().filter(|code| code.id().starts_with('E'));
        return errors.all(|code| listed(&BEYOND_SCHEMAS, code));
    }
    codes.iter().any(|code| listed(&MENDED, code)) || is_blank(found)
}

/// Blank texts, and blank items of lists, are no texts to the checker, as empty cells are in CSV; a pattern
/// that is for words cannot say so too.
fn is_blank(found: &Value) -> bool {
    match found {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().any(is_blank),
        Value::Object(members) => members.values().any(is_blank),
        _ => false,
    }
}

#[test]
fn schemas_and_checker_say_the_same_of_valid_rows_and_of_every_change_of_a_field() {
    let tables: Vec<_> = tables().map(|name| (name, rows(name))).collect();
    let files: Vec<(String, String)> = tables.iter().map(|(name, rows)| file(name, rows)).collect();
    let (mut differences, mut cases, mut refused) = (Vec::new(), 0, 0);
    let mut mutator = Mutator::new();
    for (table, (name, rows)) in tables.iter().enumerate() {
        let (schema, validator) = validator(schema_of(name));
        for (number, row) in rows.iter().enumerate() {
            for (what, changed) in mutator.mutations(row, &schema) {
                let valid = validator.is_valid(&changed);
                let mut rows = rows.clone();
                rows[number] = changed.clone();
                let codes = checked(&files, table, &file(name, &rows).1);
                let accepted = codes.iter().all(|code| !code.id().starts_with('E'));
                cases += 1;
                refused += usize::from(!accepted);
                assert!(what != "nothing" || valid && accepted, "{name}: {changed} {codes:?}");
                let field = what.split(' ').next().unwrap();
                if valid != accepted && !is_excused(valid, &codes, &changed[field]) {
                    let codes: BTreeSet<&str> = codes.iter().map(|code| code.id()).collect();
                    let verdict = if valid { "valid" } else { "invalid" };
                    differences.push(format!("{name} {number}: {what}: schema {verdict}, checker {codes:?}"));
                }
            }
        }
    }
    assert!(cases > 3_000 && refused > cases / 2, "{refused} of {cases}");
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}
