//! Descriptions of the downloads by four standards, from the JSON Schemas of the dataset: Data Package (v2),
//! CSVW, DCAT 3 (in `dcat`) and Croissant 1.1.

use serde_json::{Value, json};
use snapshot::record::Dataset;
use store::Digest;

use dataset::schema::{self, Column, TableSchema, ValueType};

use super::{Download, FOLDER, Format};
use crate::files::{document, stated};

pub(super) const LICENSE: &str = "https://creativecommons.org/licenses/by/4.0/";

/// The inputs of a description.
#[derive(Clone, Copy)]
pub(crate) struct Describer<'a> {
    /// Metadata of the dataset.
    pub dataset: &'a Dataset,
    /// One sentence about the dataset.
    pub about: &'a str,
    /// Scheme and authority of the public address.
    pub base_url: &'a str,
    /// The files.
    pub downloads: &'a [Download],
}

/// Writes the text of a file that describes the downloads.
type Describe = fn(&Describer<'_>) -> String;

/// The files that describe the downloads, by their names in the folder of downloads.
pub(crate) const DESCRIPTIONS: [(&str, Describe); 6] = [
    ("dataset.json", |it| document(&json!(it.dataset))),
    ("datapackage.json", |it| document(&it.data_package())),
    ("csv-metadata.json", |it| document(&it.csvw())),
    ("catalog.jsonld", |it| document(&it.catalog())),
    ("croissant.json", |it| document(&it.croissant())),
    ("sha256sums.txt", |it| it.sums()),
];

/// Names of a type in Table Schema, CSVW and Croissant.
const fn names(of: ValueType) -> [&'static str; 3] {
    match of {
        ValueType::Text | ValueType::Uuid => ["string", "string", "sc:Text"],
        ValueType::Url => ["string", "anyURI", "sc:URL"],
        ValueType::Date => ["date", "date", "sc:Date"],
        ValueType::Time => ["datetime", "dateTime", "sc:DateTime"],
        ValueType::Integer => ["integer", "integer", "sc:Integer"],
        ValueType::Number => ["number", "number", "sc:Float"],
        ValueType::Boolean => ["boolean", "boolean", "sc:Boolean"],
        ValueType::List => ["list", "string", "sc:Text"],
        ValueType::Object => ["object", "json", "sc:Text"],
    }
}

impl Describer<'_> {
    pub(super) fn address(&self, name: &str) -> String {
        format!("{}{FOLDER}/{name}", self.base_url)
    }

    fn tables(&self) -> impl Iterator<Item = (&Download, &TableSchema)> {
        let csv = self.downloads.iter().filter(|it| it.format == Format::Csv);
        csv.map(|it| (it, schema::published(it.table)))
    }

    /// For `sha256sum --check`.
    fn sums(&self) -> String {
        self.downloads.iter().map(|it| format!("{}  {}\n", it.body.sha256, it.name())).collect()
    }

    /// The day the dataset was published, as a version is written.
    fn day(&self) -> String {
        self.dataset.published_at.strftime("%Y.%-m.%-d").to_string()
    }

    /// A semantic version: that day, and the beginning of the hash of all tables as the build that it is. Equal tables
    /// have equal versions.
    fn version(&self) -> String {
        const DIGITS: usize = 12;
        let hash = Digest::of(self.sums().as_bytes()).to_string();
        format!("{}+{}", self.day(), hash.get(..DIGITS).unwrap_or_default())
    }

    /// <https://datapackage.org/standard/data-package/>
    fn data_package(&self) -> Value {
        let resource = |(it, schema): (&Download, &TableSchema)| {
            json!({
                "name": it.table.name(),
                "title": schema.title,
                "description": schema.description,
                "type": "table",
                "path": it.name(),
                "format": "csv",
                "mediatype": it.format.media_type(),
                "encoding": "utf-8",
                "bytes": it.body.len,
                "hash": format!("sha256:{}", it.body.sha256),
                "dialect": { "lineTerminator": "\r\n" },
                "schema": table_schema(&schema.columns),
            })
        };
        json!({
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
            "name": self.dataset.name,
            "id": self.address("datapackage.json"),
            "title": self.dataset.title,
            "description": self.about,
            "version": self.version(),
            "homepage": format!("{}{FOLDER}", self.base_url),
            "created": self.dataset.published_at,
            "licenses": [{
                "name": "CC-BY-4.0",
                "title": "Creative Commons Attribution 4.0",
                "path": LICENSE,
            }],
            "resources": self.tables().map(resource).collect::<Vec<_>>(),
        })
    }

    /// <https://www.w3.org/TR/tabular-metadata/>; the name of the file is where readers look for it.
    fn csvw(&self) -> Value {
        let column = |field: &Column| {
            stated(json!({
                "name": field.name,
                "titles": field.name,
                "datatype": names(field.value_type)[1],
                "required": field.required,
                "separator": is_list(field).then_some("|"),
                "dc:description": field.description,
            }))
        };
        let table = |(it, schema): (&Download, &TableSchema)| {
            // Strict readers refuse a foreign key that may be empty; the other descriptions list those.
            let key = |(field, target): (&Column, &str)| {
                json!({
                    "columnReference": field.name,
                    "reference": { "resource": format!("{target}.csv"), "columnReference": "id" },
                })
            };
            let keys = references(&schema.columns).filter(|(field, _)| field.required).map(key);
            let described = stated(json!({
                "columns": schema.columns.iter().map(column).collect::<Vec<_>>(),
                "foreignKeys": keys.collect::<Vec<_>>(),
                "primaryKey": has_id(&schema.columns).then_some("id"),
            }));
            json!({
                "url": it.name(),
                "dc:title": schema.title,
                "dc:description": schema.description,
                "tableSchema": described,
            })
        };
        json!({
            "@context": ["http://www.w3.org/ns/csvw", { "@language": "en" }],
            "dc:title": self.dataset.title,
            "dc:license": { "@id": LICENSE },
            "dc:modified": { "@value": self.dataset.published_at, "@type": "xsd:dateTime" },
            "dialect": { "encoding": "utf-8", "header": true },
            "tables": self.tables().map(table).collect::<Vec<_>>(),
        })
    }

    /// <https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html>
    fn croissant(&self) -> Value {
        let file = |(it, _): (&Download, &TableSchema)| {
            json!({
                "@id": it.name(),
                "@type": "cr:FileObject",
                "name": it.name(),
                "contentUrl": self.address(&it.name()),
                "encodingFormat": it.format.media_type(),
                "contentSize": format!("{} B", it.body.len),
                "sha256": it.body.sha256,
            })
        };
        let records = |(it, schema): (&Download, &TableSchema)| {
            let table = it.table.name();
            let fields: Vec<Value> = schema.columns.iter().map(|field| croissant_field(it, field)).collect();
            stated(json!({
                "@id": table,
                "@type": "cr:RecordSet",
                "name": table,
                "description": schema.description,
                "field": fields,
                "key": has_id(&schema.columns).then(|| json!({ "@id": format!("{table}/id") })),
            }))
        };
        json!({
            "@context": croissant_context(),
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.1",
            "name": self.dataset.name,
            "alternateName": self.dataset.title,
            "description": self.about,
            "url": format!("{}{FOLDER}", self.base_url),
            "license": LICENSE,
            "version": self.day(),
            "datePublished": self.dataset.published_at,
            "inLanguage": self.dataset.locales,
            "citeAs": format!("{} ({page})", self.dataset.title, page = self.base_url),
            "distribution": self.tables().map(file).collect::<Vec<_>>(),
            "recordSet": self.tables().filter(|(it, _)| it.rows > 0).map(records).collect::<Vec<_>>(),
        })
    }
}

/// <https://datapackage.org/standard/table-schema/>
fn table_schema(fields: &[Column]) -> Value {
    let field = |field: &Column| {
        let constraints = json!({
            "required": field.required,
            "enum": (!field.allowed.is_empty()).then_some(&field.allowed),
        });
        let format = match field.value_type {
            ValueType::Uuid => Some("uuid"),
            ValueType::Url => Some("uri"),
            _ => None,
        };
        stated(json!({
            "name": field.name,
            "type": names(field.value_type)[0],
            "constraints": stated(constraints),
            "format": format,
            "delimiter": is_list(field).then_some("|"),
            "description": field.description,
        }))
    };
    let key = |(field, target): (&Column, &str)| json!({ "fields": [field.name], "reference": { "resource": target, "fields": ["id"] } });
    stated(json!({
        "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
        "fields": fields.iter().map(field).collect::<Vec<_>>(),
        "missingValues": [""],
        "foreignKeys": references(fields).map(key).collect::<Vec<_>>(),
        "primaryKey": has_id(fields).then_some(["id"]),
    }))
}

/// The columns that hold ids of another table's rows, with the name of that table.
fn references(fields: &[Column]) -> impl Iterator<Item = (&Column, &'static str)> {
    fields.iter().filter_map(|field| Some((field, field.references?.name())))
}

fn is_list(field: &Column) -> bool {
    field.value_type == ValueType::List
}

fn has_id(fields: &[Column]) -> bool {
    fields.iter().any(|field| field.name == "id")
}

fn croissant_field(of: &Download, field: &Column) -> Value {
    let table = of.table.name();
    let list = is_list(field);
    let source = json!({
        "fileObject": { "@id": of.name() },
        "extract": { "column": field.name },
        "transform": list.then(|| json!({ "separator": "|" })),
    });
    stated(json!({
        "@id": format!("{table}/{}", field.name),
        "@type": "cr:Field",
        "name": field.name,
        "dataType": names(field.value_type)[2],
        "source": stated(source),
        "description": field.description,
        "repeated": list.then_some(true),
        "references": field.references.map(|target| json!({ "field": { "@id": format!("{}/id", target.name()) } })),
    }))
}

/// The context that the specification requires, verbatim.
fn croissant_context() -> Value {
    let mut context = json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "sc": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "data": { "@id": "cr:data", "@type": "@json" },
        "examples": { "@id": "cr:examples", "@type": "@json" },
        "dataType": { "@id": "cr:dataType", "@type": "@vocab" },
        "name": { "@container": "@language" },
        "description": { "@container": "@language" },
    });
    const PLAIN: &str = "arrayShape citeAs column containedIn equivalentProperty extract field fileProperty \
        fileObject fileSet format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet \
        references regex repeated replace samplingRate separator source subField transform";
    for name in PLAIN.split_whitespace() {
        context[name] = json!(format!("cr:{name}"));
    }
    context
}
