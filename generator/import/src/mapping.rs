//! `import.toml`: which file is read how, and which field is made from which column. What is not known is refused with the
//! nearest known word. Its JSON Schema has its words, their types and descriptions; the fields of tables are added from
//! `dataset::schema`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use toml::{Table as Toml, Value};

use crate::source::sheet::Options;
use dataset::Table;
use dataset::schema::{ValueType, published};
use dataset::text::nearest;

/// Name of the mapping.
pub const FILE: &str = "import.toml";

const SCHEMA: &str = include_str!("../../../schemas/import.schema.json");

static PARSED: LazyLock<Json> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap_or_default());

/// One source; what its words mean is in the schema. The default declares nothing: values are in the dataset's own forms.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Source {
    #[serde(skip)]
    pub name: String,
    pub file: Option<String>,
    #[serde(flatten)]
    pub reading: Options,
    /// The columns whose texts together are the key.
    pub key: Vec<String>,
    pub dates: Option<DateOrder>,
    pub numbers: Option<NumberForm>,
    pub currency: Option<String>,
    pub lists: Option<String>,
    pub empty: Vec<String>,
    pub ignore: Vec<String>,
    pub gone: Option<String>,
    pub broken: Option<String>,
    #[serde(skip)]
    pub targets: Vec<Target>,
}

impl Source {
    /// The fields of every table.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Mapped> {
        self.targets.iter().flat_map(|target| &target.fields)
    }
}

/// Fields of one table.
pub(super) struct Target {
    pub table: Table,
    pub fields: Vec<Mapped>,
}

/// A field, its type, and how it is made.
pub(super) type Mapped = (String, ValueType, Rule);

impl Target {
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|(name, ..)| name == field)
    }

    /// Whether the mapping states every field itself.
    pub(super) fn is_fixed(&self) -> bool {
        self.fields.iter().all(|(.., rule)| rule.value.is_some())
    }

    /// The field that there is one row for each value of.
    pub(super) fn distinct(&self) -> Option<&str> {
        self.fields.iter().find(|(.., rule)| rule.distinct).map(|(name, ..)| name.as_str())
    }
}

/// How one field is made.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Rule {
    /// One column, or those that are joined.
    #[serde(rename = "join")]
    pub columns: Vec<String>,
    pub with: Option<String>,
    pub value: Option<String>,
    pub values: BTreeMap<String, String>,
    pub distinct: bool,
    pub split: Option<String>,
    /// Whether the hour of a day, and a text that is not understood, become notes.
    pub notes: bool,
    pub default: Option<String>,
}

impl Rule {
    /// A rule that takes one column as it is.
    pub(super) fn of(column: &str) -> Self {
        Self { columns: vec![column.to_owned()], ..Self::default() }
    }

    /// The line of a field with this rule of one column, as a draft writes it, with a comment behind it.
    pub(super) fn line(&self, field: &str, comment: &str) -> String {
        format!("{field} = {}{comment}\n", self.to_toml())
    }

    /// A rule of one column, as a draft writes it.
    pub(super) fn to_toml(&self) -> String {
        let column = quoted(self.columns.first().map_or("", String::as_str));
        let mut words = vec![format!("column = {column}")];
        if !self.values.is_empty() {
            let mut pairs: Vec<_> = self.values.iter().collect();
            // What stands for all other words comes last.
            pairs.sort_by_key(|(from, _)| *from == "*");
            let pairs = pairs.into_iter().map(|(from, to)| format!("{} = {}", quoted(from), quoted(to)));
            words.push(format!("values = {{ {} }}", pairs.collect::<Vec<_>>().join(", ")));
        }
        words.extend(self.distinct.then(|| "distinct = true".to_owned()));
        words.extend(self.notes.then(|| "notes = true".to_owned()));
        if words.len() == 1 { column } else { format!("{{ {} }}", words.join(", ")) }
    }
}

/// What comes first of day, month and year where all are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DateOrder {
    Dmy,
    Mdy,
    Ymd,
    /// Seconds or milliseconds since 1970.
    Epoch,
}

impl DateOrder {
    /// As a mapping declares it.
    pub(super) fn name(self) -> &'static str {
        ["dmy", "mdy", "ymd", "epoch"][self as usize]
    }
}

/// What separates thousands and cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct NumberForm {
    pub group: Option<char>,
    pub decimal: Option<char>,
}

impl std::fmt::Display for NumberForm {
    /// As a mapping declares it.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = |sign: Option<char>| sign.map(String::from).unwrap_or_default();
        let cents = if self.decimal.is_some() { "56" } else { "" };
        write!(out, "1{}234{}{cents}", sign(self.group), sign(self.decimal))
    }
}

impl TryFrom<String> for NumberForm {
    type Error = String;

    /// From one thousand two hundred thirty-four and 56 hundredths, as the source writes it.
    fn try_from(text: String) -> Result<Self, String> {
        let signs = || [None].into_iter().chain(['.', ',', ' ', '\'', '\u{a0}', '\u{202f}'].map(Some));
        let mut forms = signs().flat_map(|group| signs().map(move |decimal| Self { group, decimal }));
        let is_meant = |it: &Self| (it.group.is_none() || it.group != it.decimal) && it.to_string() == text;
        forms.find(is_meant).ok_or_else(|| format!("`numbers` is `{text}`; write 1234.56 as the source does"))
    }
}

/// What is wrong, and a word of the file to find it by.
pub(super) type MappingError = (String, String);

/// Reads the mapping.
pub(super) fn read(text: &str) -> Result<Vec<Source>, MappingError> {
    let file: Toml = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().and_then(|span| text.get(..span.start)).and_then(|it| it.lines().last());
        (error.message().to_owned(), line.unwrap_or_default().trim_start_matches('[').to_owned())
    })?;
    if let Some(name) = file.keys().find(|name| *name != "sources") {
        return Err((format!("`{name}` is not known; a source is [sources.NAME]"), name.clone()));
    }
    let sources = file.get("sources").and_then(Value::as_table);
    let sources = sources.ok_or_else(|| ("there is no [sources.NAME]".to_owned(), String::new()))?;
    sources.iter().map(|(name, value)| source(name, value)).collect()
}

fn source(name: &str, value: &Value) -> Result<Source, MappingError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(is_plain) {
        let message = format!("`{name}` becomes the name of a file: small letters, digits and hyphens only");
        return Err((message, name.to_owned()));
    }
    let no_table = || (format!("`{name}` is no table: write [sources.{name}]"), name.to_owned());
    let (mut declared, mut targets) = (Toml::new(), Vec::new());
    for (word, value) in value.as_table().ok_or_else(no_table)? {
        match (options().get(word), Table::parse(word)) {
            (Some(schema), _) => drop(declared.insert(word.clone(), checked(word, schema, value)?)),
            (None, Some(table)) => targets.push(target(table, value)?),
            (None, None) => {
                let hint = hint(word, words(options()).chain(Table::ALL.map(Table::name)));
                return Err((format!("`{word}` is neither an option nor a table{hint}"), word.clone()));
            }
        }
    }
    if targets.is_empty() {
        return Err((format!("nothing is mapped: add [sources.{name}.programs]"), name.to_owned()));
    }
    // Parents first: what has one row for each value is what other rows name.
    targets.sort_by_key(|target| target.table);
    if let Some(key) = declared.get_mut("key").filter(|key| key.is_str()) {
        *key = Value::Array(vec![key.clone()]);
    }
    // The schema cannot state the forms of numbers.
    let source = declared.try_into().map_err(|error| (error.message().to_owned(), "numbers".to_owned()))?;
    Ok(Source { name: name.to_owned(), targets, ..source })
}

/// The value of a word, if its schema allows it.
fn checked(word: &str, schema: &Json, value: &Value) -> Result<Value, MappingError> {
    fault(schema, value).map_or_else(|| Ok(value.clone()), |it| Err((format!("`{word}` {it}"), word.into())))
}

fn hint<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(word, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// A text as TOML writes it.
pub(super) fn quoted(text: &str) -> String {
    // As JSON does, but for one letter.
    Json::from(text).to_string().replace('\u{7f}', "\\u007F")
}

fn target(table: Table, value: &Value) -> Result<Target, MappingError> {
    let name = table.name();
    let no_table = || (format!("`{name}` is no table of fields"), name.to_owned());
    let kinds = mapped(table);
    let mut fields = Vec::new();
    for (field, value) in value.as_table().ok_or_else(no_table)? {
        let Some((_, kind)) = kinds.iter().find(|(known, _)| known == field) else {
            let hint = hint(field, kinds.iter().map(|(known, _)| known.as_str()));
            return Err((format!("`{field}` is not a field of {name}{hint}"), field.clone()));
        };
        let rule = rule(field, value)?;
        if rule.split.is_some() && (table != Table::Cycles || *kind != ValueType::Date) {
            return Err((format!("`{field}`: `split` is for days of cycles"), field.clone()));
        }
        fields.push((field.clone(), *kind, rule));
    }
    if fields.iter().filter(|(.., rule)| rule.distinct).count() > 1 {
        let message = format!("two fields of {name} are `distinct`; one row is made for each value of one");
        return Err((message, name.to_owned()));
    }
    Ok(Target { table, fields })
}

fn rule(field: &str, value: &Value) -> Result<Rule, MappingError> {
    let wrong = |message: String| (format!("`{field}`: {message}"), field.to_owned());
    let mut members = match value {
        Value::String(column) => return Ok(Rule::of(column)),
        Value::Table(members) => members.clone(),
        _ => return Err(wrong("expected the name of a column, or { column = … }".to_owned())),
    };
    for (word, value) in &members {
        let Some(schema) = rule_words().get(word) else {
            let hint = hint(word, words(rule_words()));
            return Err(wrong(format!("`{word}` is not known in rules{hint}")));
        };
        checked(word, schema, value).map_err(|(message, _)| wrong(message))?;
    }
    let column = members.remove("column");
    if let Value::Array(joined) = members.entry("join").or_insert(Value::Array(Vec::new())) {
        joined.extend(column);
    }
    let rule: Rule = members.try_into().map_err(|it: toml::de::Error| wrong(it.message().to_owned()))?;
    match (rule.columns.is_empty(), rule.value.is_some()) {
        (true, false) => Err(wrong("expected `column`, `join` or `value`".to_owned())),
        (false, true) => Err(wrong("`value` and a column exclude each other: keep one".to_owned())),
        _ => Ok(rule),
    }
}

/// The words that a source may have beside its tables, each with its schema.
fn options() -> &'static Json {
    &PARSED["$defs"]["source"]["properties"]
}

/// The words of a rule.
fn rule_words() -> &'static Json {
    &PARSED["$defs"]["rule"]["oneOf"][1]["properties"]
}

/// The words of such an object.
fn words(schemas: &'static Json) -> impl Iterator<Item = &'static str> {
    schemas.as_object().into_iter().flatten().map(|(word, _)| word.as_str())
}

/// Why the schema of a word does not allow a value.
fn fault(schema: &Json, value: &Value) -> Option<String> {
    if let Some(several) = schema["oneOf"].as_array() {
        // A text, or a list of them.
        let own = several.iter().find(|it| (it["type"] == "array") == value.is_array());
        return own.and_then(|own| fault(own, value));
    }
    let no_list = "is no list of texts";
    let (fits, wrong) = match schema["type"].as_str() {
        Some("array") => (value.as_array().is_some_and(|it| it.iter().all(Value::is_str)), no_list),
        Some("object") => {
            let wrong = "is no table of texts: { \"Beca\" = \"scholarship\" }";
            (value.as_table().is_some_and(|it| it.values().all(Value::is_str)), wrong)
        }
        Some("boolean") => (value.is_bool(), "takes true or false, without quotes"),
        Some("integer") => (matches!(value, Value::Integer(1..=9)), "takes a number from 1 to 9"),
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
    let words: Vec<&str> = schema["enum"].as_array()?.iter().filter_map(Json::as_str).collect();
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

/// What a rule for programs may make that is no field: a note with the words of the source on who may apply.
pub(super) const ELIGIBILITY: &str = "eligibility";

/// What a rule of a mapping may be for: a field, who may apply, or a text that a row of translations has in its language.
pub(super) fn mapped(table: Table) -> Vec<(String, ValueType)> {
    let mut mapped = kinds(table);
    if table == Table::Programs {
        mapped.push((ELIGIBILITY.to_owned(), ValueType::Text));
    }
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
            let own = || {
                (name == ELIGIBILITY).then(|| "Who may apply, in words: a note of the program.".to_owned())
            };
            let column = columns.iter().find(|it| it.name == name);
            let description = column.and_then(|it| it.description.clone()).or_else(own).unwrap_or_default();
            (name, json!({ "$ref": "#/$defs/rule", "description": description }))
        });
        schema["$defs"]["source"]["properties"][table.name()] = json!({
            "description": published(table).description,
            "type": "object",
            "additionalProperties": false,
            "properties": fields.collect::<Map<String, Json>>(),
        });
    }
    format!("{schema:#}")
}
