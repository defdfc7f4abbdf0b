//! The schema of `import.toml` accepts what is read and refuses what is not, and the reference page is made from it.

use boon::{Compiler, Draft, Schemas};

use super::*;
use crate::mapping::{self, json_schema};

pub(super) fn is_valid(mapping: &str) -> bool {
    let value: toml::Value = toml::from_str(mapping).unwrap();
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.set_default_draft(Draft::V2020_12);
    compiler.add_resource("file:///import", serde_json::from_str(&json_schema()).unwrap()).unwrap();
    let index = compiler.compile("file:///import", &mut schemas).unwrap();
    schemas.validate(&serde_json::to_value(value).unwrap(), index).is_ok()
}

#[test]
fn schema_and_reader_accept_and_refuse_the_same() {
    let source =
        |options: &str, field: &str| format!("[sources.a]\n{options}\n[sources.a.programs]\n{field}\n");
    let name = r#"name = "Title""#;
    for mapping in [
        source("file = \"a.csv\"\ndates = \"dmy\"\nempty = [\"-\"]\nskip = [\"Total\"]", name),
        source(
            "hidden = \"take\"\nmerged = \"fill\"\ngone = \"keep\"\nbroken = \"draft\"\ncurrency = \"EUR\"",
            name,
        ),
        source("key = [\"A\", \"B\"]", name),
        source("header_rows = 2\ntable = \"5\"\nsections = \"Region\"", name),
        source("", r#"name = { join = ["A", "B"], with = ", ", default = "?" }"#),
        source("", r#"programType = { value = "grant" }"#),
        source("", r#"programType = { column = "Kind", values = { "Beca" = "scholarship" } }"#),
        source("", r#"organization = { column = "Funder", distinct = true }"#),
    ] {
        assert!(mapping::read(&mapping).is_ok() && is_valid(&mapping), "{mapping}");
    }
    let options = r#"dates = "dym" | dates = 1 | key = [] | key = 1 | header_rows = 0 | header_rows = "2" | sections = false | empty = "-" |
        hidden = true | merged = "all" | gone = "delete" | currency = "euro" | colour = "red""#;
    let fields = r#"nome = "Title" | name = 1 | name = {} | name = { column = "A", value = "B" } | name = { column = "A", distinct = "yes" } |
        name = { column = "A", values = "B" } | name = { column = "A", values = { "B" = 1 } } | name = { column = "A", time = "keep" } |
        name = { column = "A", colour = "red" }"#;
    let of_options = options.split('|').map(|options| source(options, name));
    let of_fields = fields.split('|').map(|field| source("", field));
    let whole = ["[tables.a]\n", "[sources.\"a/b\".programs]\nname = \"Title\"\n"].map(str::to_owned);
    for mapping in of_options.chain(of_fields).chain(whole) {
        assert!(mapping::read(&mapping).is_err() && !is_valid(&mapping), "{mapping}");
    }
    assert!(mapping::read(&source("numbers = \"1.234.56\"", name)).is_err());
}

/// The page that the schema gives.
fn page() -> String {
    let schema: Value = serde_json::from_str(include_str!("../../../../schemas/import.schema.json")).unwrap();
    let rows = |properties: &Value| {
        let rows = properties.as_object().unwrap().iter().map(|(name, property)| {
            let takes = match (&property["enum"], property["type"].as_str()) {
                (Value::Array(words), _) => words
                    .iter()
                    .map(|word| format!("`{}`", word.as_str().unwrap()))
                    .collect::<Vec<_>>()
                    .join(", "),
                _ if property["oneOf"].is_array() => "text, or list of texts".to_owned(),
                (_, Some("array")) => "list of texts".to_owned(),
                (_, Some("object")) => "table of texts".to_owned(),
                (_, Some("integer")) => format!("{} to {}", property["minimum"], property["maximum"]),
                (_, Some("boolean")) => "`true`, `false`".to_owned(),
                _ => "text".to_owned(),
            };
            let default =
                property["default"].as_str().map(|it| format!(" Default: `{it}`.")).unwrap_or_default();
            let description = property["description"].as_str().unwrap().replace('|', "\\|");
            format!("| `{name}` | {takes} | {description}{default} |\n")
        });
        rows.collect::<String>()
    };
    let description = |value: &Value| value["description"].as_str().unwrap().to_owned();
    let [source, rule] = ["source", "rule"].map(|name| &schema["$defs"][name]);
    format!(
        "# import.toml\n\n{}\n\n{}\n\n## Options of a source\n\n| word | takes | meaning |\n|---|---|---|\n{}\n## Rules of a \
         field\n\n{}\n\n| word | takes | meaning |\n|---|---|---|\n{}\n`opdir schema import` prints the JSON Schema, with the \
         fields of every table; `opdir schema TABLE` describes these.\n",
        description(&schema),
        description(source),
        rows(&source["properties"]),
        description(rule),
        rows(&rule["oneOf"][1]["properties"]),
    )
}

#[test]
fn the_reference_page_is_what_the_schema_gives() {
    let found = include_str!("../../reference.md");
    assert!(found == page(), "reference.md is not what schemas/import.schema.json gives:\n{}", page());
}
