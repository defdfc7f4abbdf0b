//! `import.toml`: which file is read how, and which field is made from which column. What is not known is
//! refused with the nearest known word.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::str::FromStr;

use toml::{Table as Toml, Value};

use super::forms::{DateOrder, NumberForm};
use super::schema::{kinds, options, rule_words};
use dataset::Table;
use dataset::schema::ValueType;
use dataset::text::nearest;

/// Name of the mapping.
pub(super) const FILE: &str = "import.toml";

/// What happens to a record whose row is gone from its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gone {
    #[default]
    Withdraw,
    Keep,
    Remove,
}

impl Gone {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Withdraw => "withdraw",
            Self::Keep => "keep",
            Self::Remove => "remove",
        }
    }
}

/// What is made of several rows of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicates {
    First,
    Merge,
}

/// One source. The default declares nothing: values are in the dataset's own forms.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub name: String,
    pub file: Option<String>,
    pub sheet: Option<String>,
    pub rows: Option<String>,
    /// Which of several tables in one sheet.
    pub table: Option<String>,
    pub header_rows: Option<usize>,
    /// The column that headings between rows become.
    pub sections: Option<String>,
    pub encoding: Option<String>,
    /// The columns whose texts together are the key.
    pub key: Vec<String>,
    /// Several rows of one key: whether they are merged, or all but the first left out.
    pub duplicates: Option<Duplicates>,
    pub dates: Option<DateOrder>,
    pub numbers: Option<NumberForm>,
    /// Of sums that show none.
    pub currency: Option<String>,
    pub lists: Option<String>,
    pub empty: Vec<String>,
    pub ignore: Vec<String>,
    /// Keys of rows that are no records, such as sums.
    pub skip: Vec<String>,
    /// Whether hidden rows and columns are taken.
    pub takes_hidden: bool,
    pub merged: Option<String>,
    pub gone: Gone,
    /// Whether a row that fails becomes a draft without what failed.
    pub drafts_broken: bool,
    pub targets: Vec<Target>,
}

/// Fields of one table.
#[derive(Debug)]
pub(super) struct Target {
    pub table: Table,
    pub fields: Vec<(String, ValueType, Rule)>,
}

impl Target {
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|(name, ..)| name == field)
    }

    /// The field that there is one row for each value of.
    pub(super) fn distinct(&self) -> Option<&str> {
        self.fields.iter().find(|(.., rule)| rule.distinct).map(|(name, ..)| name.as_str())
    }
}

/// How one field is made.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    pub columns: Vec<String>,
    pub with: String,
    pub value: Option<String>,
    pub values: BTreeMap<String, String>,
    pub distinct: bool,
    /// What stands between the days of several seasons in one cell.
    pub split: Option<String>,
    /// Whether an hour beside the day goes into a note.
    pub notes_time: bool,
    pub default: Option<String>,
}

/// What is wrong, and a word of the file to find it by.
pub(super) type Wrong = (String, String);

/// Reads the mapping.
pub(super) fn read(text: &str) -> Result<Vec<Source>, Wrong> {
    let file: Toml = text.parse().map_err(|error: toml::de::Error| {
        let line =
            error.span().and_then(|span| text.get(..span.start)).and_then(|before| before.lines().last());
        (error.message().to_owned(), line.unwrap_or_default().trim_start_matches('[').to_owned())
    })?;
    if let Some(name) = file.keys().find(|name| *name != "sources") {
        return Err((format!("`{name}` is not known; a source is [sources.NAME]"), name.clone()));
    }
    let Some(Value::Table(sources)) = file.get("sources") else {
        return Err(("there is no [sources.NAME]".to_owned(), String::new()));
    };
    sources.iter().map(|(name, value)| source(name, value)).collect()
}

fn source(name: &str, value: &Value) -> Result<Source, Wrong> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(is_plain) {
        let message = format!("`{name}` becomes the name of a file: small letters, digits and hyphens only");
        return Err((message, name.to_owned()));
    }
    let Value::Table(members) = value else {
        return Err((format!("`{name}` is no table: write [sources.{name}]"), name.to_owned()));
    };
    let targets = targets(name, members)?;
    let text = |word: &str| text(members, word);
    let currency = text("currency")?;
    if let Some(code) = currency.as_ref().filter(|code| !is_currency(code)) {
        return Err((format!("`currency` is `{code}`, it takes a code such as EUR"), "currency".to_owned()));
    }
    let one_of = |word: &'static str, known: &[&str]| match text(word)? {
        Some(found) if !known.contains(&found.as_str()) => {
            Err((format!("`{word}` is `{found}`, it takes {}", known.join(", ")), word.to_owned()))
        }
        found => Ok(found),
    };
    let gone = match one_of("gone", &["withdraw", "keep", "remove"])?.as_deref() {
        Some("keep") => Gone::Keep,
        Some("remove") => Gone::Remove,
        _ => Gone::Withdraw,
    };
    Ok(Source {
        name: name.to_owned(),
        file: text("file")?,
        sheet: text("sheet")?,
        rows: text("rows")?,
        table: text("table")?,
        header_rows: header_rows(members)?,
        sections: text("sections")?,
        encoding: text("encoding")?,
        key: key(members)?,
        duplicates: match one_of("duplicates", &["error", "first", "merge"])?.as_deref() {
            Some("first") => Some(Duplicates::First),
            Some("merge") => Some(Duplicates::Merge),
            _ => None,
        },
        dates: form(members, "dates")?,
        numbers: form(members, "numbers")?,
        currency,
        lists: text("lists")?,
        empty: texts(members, "empty")?,
        ignore: texts(members, "ignore")?,
        skip: texts(members, "skip")?,
        takes_hidden: one_of("hidden", &["skip", "take"])?.as_deref() == Some("take"),
        merged: one_of("merged", &["fill", "first"])?,
        gone,
        drafts_broken: one_of("broken", &["stop", "draft"])?.as_deref() == Some("draft"),
        targets,
    })
}

/// The columns of the key.
fn key(members: &Toml) -> Result<Vec<String>, Wrong> {
    match members.get("key") {
        Some(Value::Array(columns)) if columns.is_empty() => {
            Err(("`key` names no column".to_owned(), "key".to_owned()))
        }
        Some(Value::Array(_)) => texts(members, "key"),
        _ => Ok(text(members, "key")?.into_iter().collect()),
    }
}

fn header_rows(members: &Toml) -> Result<Option<usize>, Wrong> {
    match members.get("header_rows") {
        None => Ok(None),
        Some(Value::Integer(rows @ 1..=9)) => Ok(usize::try_from(*rows).ok()),
        Some(_) => Err(("`header_rows` takes a number from 1 to 9".to_owned(), "header_rows".to_owned())),
    }
}

/// Tables and what their fields are made of.
fn targets(name: &str, members: &Toml) -> Result<Vec<Target>, Wrong> {
    let mut targets = Vec::new();
    for (word, value) in members.iter().filter(|(word, _)| options().all(|option| option != *word)) {
        let Some(table) = Table::parse(word) else {
            let known = options().chain(Table::ALL.map(Table::name));
            let hint = hint(word, known);
            return Err((format!("`{word}` is neither an option nor a table{hint}"), word.clone()));
        };
        targets.push(target(table, value)?);
    }
    if targets.is_empty() {
        let message = format!("nothing is mapped: add [sources.{name}.programs]");
        return Err((message, name.to_owned()));
    }
    // Parents first: what has one row for each value is what other rows name.
    targets.sort_by_key(|target| target.table);
    Ok(targets)
}

fn hint<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(word, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// A text as TOML writes it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => drop(write!(out, "\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a text has the form of a currency's code.
pub(super) fn is_currency(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn text(members: &Toml, word: &str) -> Result<Option<String>, Wrong> {
    match members.get(word) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err((format!("`{word}` is no text"), word.to_owned())),
    }
}

fn form<T: FromStr<Err = String>>(members: &Toml, word: &str) -> Result<Option<T>, Wrong> {
    text(members, word)?.map(|form| form.parse().map_err(|error| (error, word.to_owned()))).transpose()
}

fn texts(members: &Toml, word: &str) -> Result<Vec<String>, Wrong> {
    let wrong = || (format!("`{word}` is no list of texts"), word.to_owned());
    let Some(value) = members.get(word) else { return Ok(Vec::new()) };
    let items = value.as_array().ok_or_else(wrong)?;
    items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn target(table: Table, value: &Value) -> Result<Target, Wrong> {
    let name = table.name();
    let Value::Table(members) = value else {
        return Err((format!("`{name}` is no table of fields"), name.to_owned()));
    };
    let kinds = kinds(table);
    let mut fields = Vec::new();
    for (field, value) in members {
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
        return Err((
            format!("two fields of {name} are `distinct`; one row is made for each value of one"),
            name.to_owned(),
        ));
    }
    Ok(Target { table, fields })
}

fn rule(field: &str, value: &Value) -> Result<Rule, Wrong> {
    let wrong = |message: String| (format!("`{field}`: {message}"), field.to_owned());
    let with = " ".to_owned();
    let members = match value {
        Value::String(column) => return Ok(Rule { columns: vec![column.clone()], with, ..Rule::default() }),
        Value::Table(members) => members,
        _ => return Err(wrong("expected the name of a column, or { column = … }".to_owned())),
    };
    if let Some(word) = members.keys().find(|word| rule_words().all(|known| known != *word)) {
        let near = nearest(word, rule_words()).map(|near| format!("did you mean `{near}`?"));
        let near = near.unwrap_or_else(|| rule_words().collect::<Vec<_>>().join(", "));
        return Err(wrong(format!("`{word}` is not known; {near}")));
    }
    let mut columns = texts(members, "join")?;
    columns.extend(text(members, "column")?);
    let mut values = BTreeMap::new();
    let listed = match members.get("values") {
        None => None,
        Some(Value::Table(listed)) => Some(listed),
        Some(_) => return Err(wrong("`values` is no table: { \"Beca\" = \"scholarship\" }".to_owned())),
    };
    for (from, to) in listed.into_iter().flatten() {
        let to = to.as_str().ok_or_else(|| wrong("`values` has a value that is no text".to_owned()))?;
        values.insert(from.clone(), to.to_owned());
    }
    let rule = Rule {
        columns,
        with: text(members, "with")?.unwrap_or(with),
        value: text(members, "value")?,
        values,
        distinct: match members.get("distinct") {
            None => false,
            Some(Value::Boolean(distinct)) => *distinct,
            Some(_) => return Err(wrong("`distinct` takes true or false, without quotes".to_owned())),
        },
        split: text(members, "split")?,
        notes_time: match text(members, "time")?.as_deref() {
            None => false,
            Some("note") => true,
            Some(other) => return Err(wrong(format!("`time` is `{other}`, it takes note"))),
        },
        default: text(members, "default")?,
    };
    match (rule.columns.is_empty(), rule.value.is_some()) {
        (true, false) => Err(wrong("expected `column`, `join` or `value`".to_owned())),
        (false, true) => Err(wrong("`value` and a column exclude each other: keep one".to_owned())),
        _ => Ok(rule),
    }
}
