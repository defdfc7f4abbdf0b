//! The JSON Schema of `import.toml`: its words, their types and descriptions. The fields of tables are added from
//! `dataset::schema`.

use std::sync::LazyLock;

use dataset::Table;
use dataset::schema::{ValueType, published};
use serde_json::{Map, Value, json};
use toml::Value as Toml;

const SCHEMA: &str = include_str!("../../../schemas/import.schema.json");

static PARSED: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap_or_default());

/// The words that a source may have beside its tables, each with its schema.
pub(super) fn options() -> &'static Value {
    &PARSED["$defs"]["source"]["properties"]
}

/// The words of a rule.
pub(super) fn rule_words() -> &'static Value {
    &PARSED["$defs"]["rule"]["oneOf"][1]["properties"]
}

/// The words of such an object.
pub(super) fn words(schemas: &'static Value) -> impl Iterator<Item = &'static str> {
    schemas.as_object().into_iter().flatten().map(|(word, _)| word.as_str())
}

/// Why the schema of a word does not allow a value.
pub(super) fn fault(schema: &Value, value: &Toml) -> Option<String> {
    if let Some(several) = schema["oneOf"].as_array() {
        // A text, or a list of them.
        let own = several.iter().find(|it| (it["type"] == "array") == value.is_array());
        return own.and_then(|own| fault(own, value));
    }
    let (fits, wrong) = match schema["type"].as_str() {
        Some("array") => {
            (value.as_array().is_some_and(|it| it.iter().all(Toml::is_str)), "is no list of texts")
        }
        Some("object") => {
            let wrong = "is no table of texts: { \"Beca\" = \"scholarship\" }";
            (value.as_table().is_some_and(|it| it.values().all(Toml::is_str)), wrong)
        }
        Some("boolean") => (value.is_bool(), "takes true or false, without quotes"),
        Some("integer") => (matches!(value, Toml::Integer(1..=9)), "takes a number from 1 to 9"),
        _ => (value.is_str(), "is no text"),
    };
    if !fits {
        return Some(wrong.to_owned());
    }
    if value.as_array().is_some_and(Vec::is_empty) && schema["minItems"].is_u64() {
        return Some("names no column".to_owned());
    }
    let text = value.as_str()?;
    if schema["pattern"].is_string() && !is_currency(text) {
        return Some(format!("is `{text}`, it takes a code such as EUR"));
    }
    let words: Vec<&str> = schema["enum"].as_array()?.iter().filter_map(Value::as_str).collect();
    (!words.contains(&text)).then(|| format!("is `{text}`, it takes {}", words.join(", ")))
}

/// Whether a text has the form of a currency's code.
pub(super) fn is_currency(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The fields that a mapping may make.
pub(super) fn kinds(table: Table) -> Vec<(String, ValueType)> {
    let columns = &published(table).columns;
    let mut kinds: Vec<_> = columns.iter().map(|it| (it.name.clone(), it.value_type)).collect();
    kinds.extend(table.input_only_fields().iter().map(|name| ((*name).to_owned(), ValueType::Text)));
    kinds.push(("publication".to_owned(), ValueType::Text));
    kinds
}

/// What a rule of a mapping may be for: a field, or a text that a row of translations has in its language.
pub(super) fn mapped(table: Table) -> Vec<(String, ValueType)> {
    let mut mapped = kinds(table);
    if table == Table::Translations {
        let columns = Table::ALL.iter().flat_map(|it| &published(*it).columns);
        for column in columns.filter(|it| it.value_type == ValueType::Text) {
            if mapped.iter().all(|(name, _)| *name != column.name) {
                mapped.push((column.name.clone(), ValueType::Text));
            }
        }
    }
    mapped
}

/// The JSON Schema of `import.toml`, with the fields of every table; for editors.
pub fn json_schema() -> String {
    let mut schema = PARSED.clone();
    for table in Table::ALL {
        let columns = &published(table).columns;
        let fields = mapped(table).into_iter().map(|(name, _)| {
            let column = columns.iter().find(|column| column.name == name);
            let description = column.and_then(|column| column.description.clone());
            let rule = json!({ "$ref": "#/$defs/rule", "description": description.unwrap_or_default() });
            (name, rule)
        });
        let fields: Map<String, Value> = fields.collect();
        schema["$defs"]["source"]["properties"][table.name()] = json!({
            "description": published(table).description,
            "type": "object",
            "additionalProperties": false,
            "properties": fields,
        });
    }
    format!("{schema:#}")
}
