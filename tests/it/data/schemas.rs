//! `schemas/dataset` against the checker: rows that are valid and the same with one field changed have the
//! same verdict from both. A schema sees one row, so what takes more than a row or a list of codes is the
//! checker's alone; every such exception is listed with its reason.

use std::collections::BTreeSet;
use std::path::Path;

use dataset::diagnostics::{Code, Diagnostics};
use dataset::{Input, link, read};
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

fn id(kind: u32, number: u32) -> String {
    format!("{kind:08}-0000-4000-8000-{number:012}")
}

fn stamped(row: Value) -> Value {
    with(timed(row), json!({"publication": "published"}))
}

fn fact(number: u32, kind: &str, more: Value) -> Value {
    let base = json!({"id": id(7, number), "programId": id(2, 1), "cycleId": id(3, 1), "kind": kind,
        "label": "Label", "text": "Text", "polarity": "include", "strength": "info", "sourceId": id(6, 1),
        "status": "approved", "updatedAt": WHEN, "publication": "published"});
    with(base, more)
}

fn translation(kind: &str, entity: &str, fields: &Value) -> Value {
    json!({"entityType": kind, "entityId": entity, "locale": "es", "fields": fields,
        "publication": "published"})
}

/// A table, the name of its schema, and rows of it.
type Table = (&'static str, &'static str, Vec<Value>);

/// Who runs what, and who received it.
fn people_and_programs() -> Vec<Table> {
    let organization = stamped(json!({"id": id(1, 1), "slug": "acme",
        "name": "Acme", "aliases": ["A"], "countryCode": "US", "websiteUrl": URL, "description": "Text"}));
    let program = stamped(json!({"id": id(2, 1), "organizationId": id(1, 1),
        "slug": "grants", "name": "Grants", "aliases": ["G"], "summary": "Text", "description": "Text",
        "programType": "grant", "fields": ["arts"], "eligibleCountries": ["NG"],
        "destinationCountries": ["US-PA"], "careerStages": ["early"], "fundingMinUsd": 1,
        "fundingMaxUsd": 1_000_000_000_000_000_u64, "officialUrl": URL, "active": true,
        "lifecycle": "active_accepting", "lifecycleCheckedAt": WHEN, "sourceCheckedAt": WHEN,
        "language": "en"}));
    let cycle = stamped(json!({"id": id(3, 1), "programId": id(2, 1), "label": "2026",
        "opensOn": "2026-01-01", "deadlineOn": "2026-02-01", "selectionOn": "2026-03-01",
        "decisionOn": "2026-04-01", "startsOn": "2026-05-01", "endsOn": "2026-06-01", "cohortYear": 2026,
        "applicationUrl": URL, "status": "open"}));
    let recipient = stamped(json!({"id": id(4, 1), "slug": "ann", "displayName": "Ann",
        "kind": "person", "countryCode": "US", "websiteUrl": URL, "biography": "Text"}));
    let award = stamped(json!({"id": id(5, 1), "programId": id(2, 1), "cycleId": id(3, 1),
        "recipientId": id(4, 1), "awardYear": 2025, "awardAmountUsd": 5, "projectTitle": "Text",
        "publicNotes": "Text"}));
    vec![
        ("organizations", "organization", vec![organization]),
        ("programs", "program", vec![program]),
        ("cycles", "cycle", vec![cycle]),
        ("recipients", "recipient", vec![recipient]),
        ("awards", "award", vec![award]),
    ]
}

/// What is said of them.
fn statements() -> Vec<Table> {
    let source = stamped(json!({"id": id(6, 1), "entityType": "program", "entityId": id(2, 1),
        "kind": "page", "url": URL, "title": "Text", "publisher": "Text", "publishedOn": "2026-01-01",
        "retrievedAt": WHEN, "sourceCheckedAt": WHEN}));
    let lifecycle = json!({"id": id(8, 1), "programId": id(2, 1), "fromLifecycle": "unclear",
        "toLifecycle": "active_accepting", "observedAt": WHEN, "reason": "Text", "sourceId": id(6, 1),
        "publication": "published"});
    let alias = json!({"entityType": "organization", "entityId": id(1, 1),
        "slug": "old-acme", "publication": "published"});
    let leader = json!({"id": id(9, 1), "organizationId": id(1, 1), "name": "Ann",
        "role": "Head", "url": URL, "startedOn": "2020-01-01", "endedOn": "2021-01-01",
        "publication": "published"});
    let channel = json!({"id": id(10, 1), "organizationId": id(1, 1), "kind": "website",
        "url": URL, "label": "Text", "publication": "published"});
    let post = json!({"id": id(11, 1), "organizationId": id(1, 1), "title": "Text",
        "url": URL, "summary": "Text", "publishedOn": "2026-01-01", "publication": "published"});
    vec![
        ("sources", "source", vec![source]),
        (
            "facts",
            "fact",
            vec![
                fact(1, "topic", json!({"value": "arts"})),
                fact(2, "citizenship", json!({"value": "NG"})),
                fact(3, "age", json!({"min": 18, "max": 30})),
                fact(4, "duration", json!({"min": 1, "max": 2, "unit": "year"})),
                fact(5, "funding", json!({"amount": 100, "currency": "EUR"})),
                fact(6, "note", json!({})),
            ],
        ),
        ("lifecycle", "lifecycle", vec![lifecycle]),
        ("aliases", "alias", vec![alias]),
        ("leaders", "leader", vec![leader]),
        ("channels", "channel", vec![channel]),
        ("posts", "post", vec![post]),
    ]
}

/// In which words.
fn words() -> Vec<Table> {
    let synonym = json!({"locale": "en", "terms": ["grant", "award"],
        "publication": "published"});
    let dataset = json!({"schemaVersion": "1", "name": "data", "title": "Data",
        "license": "CC BY 4.0", "publishedAt": "2026-06-01T00:00:00Z", "locales": ["en", "es"],
        "defaultLocale": "en"});
    vec![
        (
            "translations",
            "translation",
            vec![
                translation("organization", &id(1, 1), &json!({"name": "Uno", "description": "Dos"})),
                translation(
                    "program",
                    &id(2, 1),
                    &json!({"name": "Uno", "summary": "Dos", "description": "Tres"}),
                ),
                translation("cycle", &id(3, 1), &json!({"label": "Uno"})),
                translation("award", &id(5, 1), &json!({"projectTitle": "Uno", "publicNotes": "Dos"})),
                translation("recipient", &id(4, 1), &json!({"displayName": "Uno", "biography": "Dos"})),
                translation("fact", &id(7, 1), &json!({"label": "Uno", "text": "Dos"})),
            ],
        ),
        (
            "vocabulary",
            "vocabulary",
            vec![
                json!({"facet": "topics", "value": "arts", "labelEn": "Arts", "labelEs": "Artes",
                "broader": "culture", "publication": "published"}),
                json!({"facet": "topics", "value": "culture"}),
            ],
        ),
        ("synonyms", "synonym", vec![synonym]),
        ("dataset", "dataset", vec![dataset]),
    ]
}

/// Rows of every table that refer to each other, each with all of its fields; `facts` and `translations` have
/// one for each kind.
fn rows() -> Vec<Table> {
    [people_and_programs(), statements(), words()].concat()
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
    let tables = rows();
    let files: Vec<(String, String)> = tables.iter().map(|(name, _, rows)| file(name, rows)).collect();
    let (mut differences, mut cases, mut refused) = (Vec::new(), 0, 0);
    let mut mutator = Mutator::new();
    for (table, (name, schema, rows)) in tables.iter().enumerate() {
        let (schema, validator) = validator(schema);
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
