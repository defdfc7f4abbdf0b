//! The JSON Schemas of the tables: which columns are published, and what each holds.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};
use snapshot::record::Members;

use crate::table::Table;

/// JSON Schema of `dataset.json`.
pub const DATASET: &str = include_str!("../../../schemas/dataset/dataset.schema.json");

/// Type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named by what it is")]
pub enum ValueType {
    Text,
    Uuid,
    Url,
    Date,
    Time,
    Integer,
    Number,
    Boolean,
    List,
    Object,
}

/// A published column.
#[derive(Clone, Debug)]
pub struct Column {
    /// As files name it.
    pub name: String,
    /// Of its values.
    pub value_type: ValueType,
    /// One or two sentences of English.
    pub description: Option<String>,
    /// Whether every published record has a value.
    pub required: bool,
    /// The only allowed values, of a closed list.
    pub allowed: Vec<Value>,
    /// The table that its values are ids of.
    pub references: Option<Table>,
}

/// A published table.
#[derive(Clone, Debug, Default)]
pub struct TableSchema {
    /// A few words of English.
    pub title: String,
    /// One or two sentences of English.
    pub description: String,
    /// In order.
    pub columns: Vec<Column>,
}

/// What is published of a table.
pub fn published(table: Table) -> &'static TableSchema {
    static ALL: LazyLock<[TableSchema; Table::ALL.len()]> =
        LazyLock::new(|| Table::ALL.map(|table| parse(table).unwrap_or_default()));
    &ALL[table as usize]
}

/// The type of a field of a record; a text where none is known.
pub(crate) fn value_type(table: Option<Table>, name: &str) -> ValueType {
    let mut columns = table.into_iter().flat_map(|table| &published(table).columns);
    columns.find(|column| column.name == name).map_or(ValueType::Text, |column| column.value_type)
}

#[derive(Deserialize)]
struct Schema {
    title: String,
    description: String,
    /// What every published record has, also where its maintainers need not write it.
    #[serde(rename = "x-published")]
    required: Vec<String>,
    properties: Members<Value>,
    #[serde(rename = "$defs", default)]
    definitions: Map<String, Value>,
}

fn parse(table: Table) -> Option<TableSchema> {
    // Published tables hold nothing else than published records and approved facts.
    let hidden = |name: &str| name == "publication" || table == Table::Facts && name == "status";
    let schema: Schema = serde_json::from_str(table.json_schema()).ok()?;
    let mut columns = Vec::new();
    // Write-only properties refer to records by slug, key or name; published rows have ids.
    let shown = schema.properties.0.into_iter().filter(|(_, property)| property["writeOnly"] != true);
    for (name, property) in shown.filter(|(name, _)| !hidden(name)) {
        let own = property["oneOf"].get(0).unwrap_or(&property);
        let reference = own["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        let resolved = reference.and_then(|name| schema.definitions.get(name)).unwrap_or(own);
        let description = property["description"].as_str().or(resolved["description"].as_str());
        let allowed = resolved["enum"].as_array().into_iter().flatten();
        columns.push(Column {
            value_type: type_of(reference, resolved),
            description: description.map(str::to_owned),
            required: schema.required.contains(&name),
            allowed: allowed.filter(|value| !value.is_null()).cloned().collect(),
            references: references(table, &name),
            name,
        });
    }
    Some(TableSchema { title: schema.title, description: schema.description, columns })
}

fn type_of(reference: Option<&str>, schema: &Value) -> ValueType {
    let json_type = schema["type"].get(0).unwrap_or(&schema["type"]).as_str();
    match (reference, schema["format"].as_str(), json_type) {
        (Some("url"), ..) => ValueType::Url,
        (_, Some("uuid"), _) => ValueType::Uuid,
        (_, Some("date"), _) => ValueType::Date,
        (_, Some("date-time"), _) => ValueType::Time,
        (.., Some("integer")) => ValueType::Integer,
        (.., Some("number")) => ValueType::Number,
        (.., Some("boolean")) => ValueType::Boolean,
        (.., Some("array")) => ValueType::List,
        (.., Some("object")) => ValueType::Object,
        _ => ValueType::Text,
    }
}

fn references(table: Table, column: &str) -> Option<Table> {
    let noun = column.strip_suffix("Id")?;
    Table::ALL.into_iter().find(|target| target.noun() == noun && *target != table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_order_of_the_schema_and_only_published_fields() {
        let names = |table| published(table).columns.iter().map(|column| column.name.as_str());
        let facts: Vec<&str> = names(Table::Facts).collect();
        assert_eq!(facts[..4], ["id", "programId", "cycleId", "kind"]);
        assert!(!facts.iter().any(|name| ["status", "publication", "program"].contains(name)));
        assert!(names(Table::Cycles).any(|name| name == "status"));
        assert!(Table::ALL.iter().all(|table| !published(*table).columns.is_empty()));
    }

    #[test]
    fn value_types_follow_definitions_and_alternatives() {
        let columns = &published(Table::Cycles).columns;
        let column = |name: &str| columns.iter().find(|column| column.name == name).unwrap();
        assert_eq!(column("id").value_type, ValueType::Uuid);
        assert_eq!(column("deadlineOn").value_type, ValueType::Date);
        assert_eq!(column("cohortYear").value_type, ValueType::Integer);
        assert_eq!(column("applicationUrl").value_type, ValueType::Url);
        assert_eq!(column("updatedAt").value_type, ValueType::Time);
        assert_eq!(column("status").value_type, ValueType::Text);
        assert_eq!((column("programId").references, column("id").references), (Some(Table::Programs), None));
    }
}
