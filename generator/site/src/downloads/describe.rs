//! Descriptions of the downloads by two standards, from the JSON Schemas of the dataset: Data Package (v2) here, DCAT 3 in
//! `dcat`.

use serde_json::{Value, json};
use store::Digest;

use dataset::schema::{self, Column, ValueType};

use super::{CSV, Download, FOLDER};
use crate::files::stated;
use crate::pages::Pages;

pub(super) const LICENSE: &str = "https://creativecommons.org/licenses/by/4.0/";

/// Name of a type in Table Schema, and the format of its texts.
const fn type_name(of: ValueType) -> (&'static str, Option<&'static str>) {
    match of {
        ValueType::Text => ("string", None),
        ValueType::Uuid => ("string", Some("uuid")),
        ValueType::Url => ("string", Some("uri")),
        ValueType::Date => ("date", None),
        ValueType::Time => ("datetime", None),
        ValueType::Integer => ("integer", None),
        ValueType::Number => ("number", None),
        ValueType::Boolean => ("boolean", None),
        ValueType::List => ("list", None),
        ValueType::Object => ("object", None),
    }
}

impl Pages<'_> {
    pub(super) fn download_address(&self, name: &str) -> String {
        format!("{}{FOLDER}/{name}", self.base_url())
    }

    /// For `sha256sum --check`.
    pub(crate) fn checksums(&self) -> String {
        self.downloads.iter().map(|it| format!("{}  {}\n", it.body.sha256, it.name)).collect()
    }

    /// A semantic version: the day the dataset was published, and the beginning of the hash of all tables as the build
    /// that it is. Equal tables have equal versions.
    fn data_version(&self) -> String {
        const DIGITS: usize = 12;
        let hash = Digest::of(self.checksums().as_bytes()).to_string();
        let day = self.directory.dataset.published_at.strftime("%Y.%-m.%-d");
        format!("{day}+{}", hash.get(..DIGITS).unwrap_or_default())
    }

    /// <https://datapackage.org/standard/data-package/>
    pub(crate) fn data_package(&self) -> Value {
        let resource = |it: &Download| {
            let schema = schema::published(it.table);
            json!({
                "name": it.table.name(),
                "title": schema.title,
                "description": schema.description,
                "type": "table",
                "path": it.name,
                "format": "csv",
                "mediatype": it.media_type,
                "encoding": "utf-8",
                "bytes": it.body.len,
                "hash": format!("sha256:{}", it.body.sha256),
                "dialect": { "lineTerminator": "\r\n" },
                "schema": table_schema(&schema.columns),
            })
        };
        let tables = self.downloads.iter().filter(|it| it.media_type == CSV);
        json!({
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
            "name": self.directory.dataset.name,
            "id": self.download_address("datapackage.json"),
            "title": self.directory.dataset.title,
            "description": self.local(self.main_locale()).word("about_1"),
            "version": self.data_version(),
            "homepage": self.data_page(),
            "created": self.directory.dataset.published_at,
            "licenses": [{
                "name": "CC-BY-4.0",
                "title": "Creative Commons Attribution 4.0",
                "path": LICENSE,
            }],
            "resources": tables.map(resource).collect::<Vec<_>>(),
        })
    }

    pub(super) fn data_page(&self) -> String {
        format!("{}{FOLDER}", self.base_url())
    }
}

/// <https://datapackage.org/standard/table-schema/>
fn table_schema(fields: &[Column]) -> Value {
    let field = |field: &Column| {
        let constraints = json!({
            "required": field.required,
            "enum": (!field.allowed.is_empty()).then_some(&field.allowed),
        });
        let (kind, format) = type_name(field.value_type);
        stated(json!({
            "name": field.name,
            "type": kind,
            "constraints": stated(constraints),
            "format": format,
            "delimiter": (field.value_type == ValueType::List).then_some("|"),
            "description": field.description,
        }))
    };
    // Columns that hold ids of another table's rows.
    let key = |field: &Column| {
        let table = field.references?.name();
        Some(json!({ "fields": [field.name], "reference": { "resource": table, "fields": ["id"] } }))
    };
    stated(json!({
        "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
        "fields": fields.iter().map(field).collect::<Vec<_>>(),
        "missingValues": [""],
        "foreignKeys": fields.iter().filter_map(key).collect::<Vec<_>>(),
        "primaryKey": fields.iter().any(|field| field.name == "id").then_some(["id"]),
    }))
}
