//! The JSON Schema of `import.toml`: its words, their types and descriptions. The fields of tables are added from
//! `dataset::schema`.

use std::sync::LazyLock;

use dataset::Table;
use dataset::schema::{ValueType, published};
use serde_json::{Map, Value, json};

const SCHEMA: &str = include_str!("../../../schemas/import.schema.json");

static PARSED: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap_or_default());

/// Words that a source may have beside its tables.
pub(super) fn options() -> impl Iterator<Item = &'static str> {
    words(&PARSED["$defs"]["source"]["properties"])
}

/// Words of a rule.
pub(super) fn rule_words() -> impl Iterator<Item = &'static str> {
    words(&PARSED["$defs"]["rule"]["oneOf"][1]["properties"])
}

fn words(properties: &'static Value) -> impl Iterator<Item = &'static str> {
    properties.as_object().into_iter().flatten().map(|(name, _)| name.as_str())
}

/// The fields that a mapping may make.
pub(super) fn kinds(table: Table) -> Vec<(String, ValueType)> {
    let columns = &published(table).columns;
    let mut kinds: Vec<_> = columns.iter().map(|it| (it.name.clone(), it.value_type)).collect();
    kinds.extend(table.input_only_fields().iter().map(|name| ((*name).to_owned(), ValueType::Text)));
    kinds.push(("publication".to_owned(), ValueType::Text));
    kinds
}

/// The JSON Schema of `import.toml`, with the fields of every table; for editors.
#[must_use]
pub fn json_schema() -> String {
    let mut schema = PARSED.clone();
    for table in Table::ALL {
        let columns = &published(table).columns;
        let fields = kinds(table).into_iter().map(|(name, _)| {
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
