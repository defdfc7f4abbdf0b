//! The JSON Schemas of the tables: which fields are published, and what each holds.

use serde::Deserialize;
use serde_json::{Map, Value};
use snapshot::record::Members;

use crate::read::Table;

/// JSON Schema of `dataset.json`.
pub const DATASET: &str = include_str!("../../../schemas/dataset/dataset.schema.json");

/// JSON Schema of a table's records.
pub const fn schema(table: Table) -> &'static str {
    macro_rules! of {
        ($name:literal) => {
            include_str!(concat!("../../../schemas/dataset/", $name, ".schema.json"))
        };
    }
    match table {
        Table::Organizations => of!("organization"),
        Table::Programs => of!("program"),
        Table::Cycles => of!("cycle"),
        Table::Awards => of!("award"),
        Table::Recipients => of!("recipient"),
        Table::Sources => of!("source"),
        Table::Facts => of!("fact"),
        Table::Lifecycle => of!("lifecycle"),
        Table::Aliases => of!("alias"),
        Table::Leaders => of!("leader"),
        Table::Channels => of!("channel"),
        Table::Posts => of!("post"),
        Table::Translations => of!("translation"),
        Table::Vocabulary => of!("vocabulary"),
        Table::Synonyms => of!("synonym"),
    }
}

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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

/// A column.
pub struct Field {
    pub name: String,
    pub kind: Kind,
    pub description: Option<String>,
    pub required: bool,
    /// The only values there are, if they are counted.
    pub words: Vec<Value>,
}

#[derive(Deserialize)]
pub struct Schema {
    pub title: String,
    pub description: String,
    /// What every published record has, whether its maintainers wrote it or not.
    #[serde(rename = "x-published")]
    required: Vec<String>,
    properties: Members<Value>,
    #[serde(rename = "$defs", default)]
    definitions: Map<String, Value>,
}

pub fn table(table: Table) -> Option<(Schema, Vec<Field>)> {
    // Published tables hold nothing else than published records and approved facts.
    let hidden = |name: &str| name == "publication" || table == Table::Facts && name == "status";
    let mut schema: Schema = serde_json::from_str(schema(table)).ok()?;
    let properties = std::mem::take(&mut schema.properties).0;
    // What is only written names records in the words of maintainers; published rows have ids.
    let shown = |(name, property): &(String, Value)| !hidden(name) && property["writeOnly"] != true;
    let fields = properties.into_iter().filter(shown).map(|(name, property)| {
        let own = property["oneOf"].get(0).unwrap_or(&property);
        let reference = own["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        let resolved = reference.and_then(|name| schema.definitions.get(name)).unwrap_or(own);
        let description = property["description"].as_str().or(resolved["description"].as_str());
        let words = resolved["enum"].as_array().into_iter().flatten();
        Field {
            kind: kind(reference, resolved),
            description: description.map(str::to_owned),
            required: schema.required.contains(&name),
            words: words.filter(|word| !word.is_null()).cloned().collect(),
            name,
        }
    });
    let fields = fields.collect();
    Some((schema, fields))
}

fn kind(reference: Option<&str>, schema: &Value) -> Kind {
    let of = schema["type"].get(0).unwrap_or(&schema["type"]).as_str();
    match (reference, schema["format"].as_str(), of) {
        (Some("url"), ..) => Kind::Url,
        (_, Some("uuid"), _) => Kind::Uuid,
        (_, Some("date"), _) => Kind::Date,
        (_, Some("date-time"), _) => Kind::Time,
        (.., Some("integer")) => Kind::Integer,
        (.., Some("number")) => Kind::Number,
        (.., Some("boolean")) => Kind::Boolean,
        (.., Some("array")) => Kind::List,
        (.., Some("object")) => Kind::Object,
        _ => Kind::Text,
    }
}

/// Columns of a table, in order.
pub fn columns(table: Table) -> Vec<String> {
    self::table(table)
        .map(|(_, fields)| fields.into_iter().map(|field| field.name).collect())
        .unwrap_or_default()
}

/// Fields of a table that are published, and what each holds.
pub fn kinds(table: Table) -> Vec<(String, Kind)> {
    self::table(table)
        .map(|(_, fields)| fields.into_iter().map(|it| (it.name, it.kind)).collect())
        .unwrap_or_default()
}

/// The table that a column's values are ids of.
pub fn points_to(table: Table, column: &str) -> Option<Table> {
    match column {
        "organizationId" => Some(Table::Organizations),
        "programId" => Some(Table::Programs),
        "cycleId" => Some(Table::Cycles),
        "recipientId" => Some(Table::Recipients),
        "sourceId" => Some(Table::Sources),
        _ => None,
    }
    .filter(|target| *target != table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_in_the_order_of_the_schema_without_what_is_never_published() {
        let facts = columns(Table::Facts);
        assert_eq!(facts[..4], ["id", "programId", "cycleId", "kind"]);
        assert!(!facts.iter().any(|name| name == "status" || name == "publication"));
        assert!(columns(Table::Cycles).iter().any(|name| name == "status"));
    }

    #[test]
    fn kinds_follow_references_and_unions() {
        let (_, fields) = table(Table::Cycles).unwrap();
        let kind = |name: &str| fields.iter().find(|field| field.name == name).unwrap().kind;
        assert_eq!(kind("id"), Kind::Uuid);
        assert_eq!(kind("deadlineOn"), Kind::Date);
        assert_eq!(kind("cohortYear"), Kind::Integer);
        assert_eq!(kind("applicationUrl"), Kind::Url);
        assert_eq!(kind("updatedAt"), Kind::Time);
        assert_eq!(kind("status"), Kind::Text);
    }
}
