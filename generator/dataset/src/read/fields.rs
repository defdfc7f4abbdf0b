//! A row as a list of named values, deserialized into a record: all CSV rows, and JSON rows that are not
//! plain records. Every error of serde becomes a message that names the field.

use std::cell::Cell;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use snapshot::text::fold;

use crate::day_of;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::text::{nearest, quoted, suggestion};

/// A named value of a row.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub name: &'a str,
    pub value: Value<'a>,
}

/// A value in its format.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// Of a JSON member.
    Json(&'a serde_json::Value),
    /// Of a CSV cell, never empty.
    Cell(&'a str),
}

/// Whether a field is private to the maintainers and ignored: `x_…`, and the `$schema` that editors add.
pub(super) fn is_private(name: &str) -> bool {
    name.starts_with("x_") || name == "$schema"
}

/// The record that the fields make, or the error and the position of its field; none for an error of the whole row.
pub(super) fn record<T: DeserializeOwned>(fields: &[Field<'_>]) -> Result<T, (Option<usize>, FieldError)> {
    // The position of the field that is read, none behind the last.
    let current = Cell::new(None);
    let numbered = fields.iter().enumerate().map(Some).chain([None]);
    let pairs = numbered.map_while(|field| {
        current.set(field.map(|(position, _)| position));
        field.map(|(_, field)| (field.name, field.value))
    });
    T::deserialize(MapDeserializer::new(pairs)).map_err(|error| (current.get(), error))
}

/// Values that stand in for missing ones: each type of a required field takes one of them, or a word of its list.
const STAND_INS: [&str; 4] =
    ["00000000-0000-0000-0000-000000000000", "2000-01-01", "1970-01-01T00:00:00Z", "1"];

/// The record of fields that make none, with stand-ins for what is wrong or missing, unless none fits; the names of the
/// fields whose value is another or none; and every problem with its field. `reported` fields have a problem already.
pub(super) fn mended<T: DeserializeOwned>(
    mut fields: Vec<Field<'_>>,
    reported: Vec<String>,
    table: &str,
    at: Location,
) -> (Option<T>, Vec<String>, Vec<Diagnostic>) {
    let (mut stand_ins, mut absent, mut problems) = (reported, Vec::new(), Vec::new());
    // A wrong field is removed and the rest tried again, so that one run finds all problems.
    let record = loop {
        let (position, error) = match record::<T>(&fields) {
            Ok(record) => break Some(record),
            Err(error) => error,
        };
        match (position.map(|position| fields.remove(position)), error) {
            (Some(field), error) => {
                let problem = describe(&error, field, table, at);
                problems.push(problem.value(field.name.to_owned(), field.value.written()));
                stand_ins.push(field.name.to_owned());
            }
            (None, FieldError::Missing(name)) => {
                absent.extend((!stand_ins.iter().any(|it| it == name)).then_some(name));
                if !stand_in::<T>(&mut fields, name) {
                    break None;
                }
                stand_ins.push(name.to_owned());
            }
            (None, error) => {
                problems.push(Diagnostic::new(
                    Code::BadValue,
                    at,
                    format!("the row cannot be read: {error}"),
                ));
                break None;
            }
        }
    };
    problems.extend(absence(&absent, at));
    (record, stand_ins, problems)
}

/// The name of a reference that an id stands for.
fn reference(name: &str) -> Option<&str> {
    name.strip_suffix("Id").filter(|noun| !noun.is_empty())
}

/// The problem of missing fields; one for all.
fn absence(names: &[&'static str], at: Location) -> Option<Diagnostic> {
    let (first, others) = names.split_first()?;
    // Sheets have names or keys of the records that they refer to, no ids.
    let all: Vec<String> = names.iter().map(|it| format!("`{}`", reference(it).unwrap_or(it))).collect();
    let verb = if others.is_empty() { "is" } else { "are" };
    let message = format!("{} {verb} missing or empty", all.join(", "));
    let help = Some(shape(first, "")).filter(|shape| !shape.is_empty() && others.is_empty());
    let help = help.map(|shape| match reference(first) {
        None => format!("write {shape}"),
        Some(_) => "write the slug, name or `key` of one".to_owned(),
    });
    Some(Diagnostic::new(Code::MissingField, at, message).field(*first).maybe_help(help))
}

/// Adds a missing field with a value that it takes; false if there is none.
fn stand_in<T: DeserializeOwned>(fields: &mut Vec<Field<'_>>, name: &'static str) -> bool {
    let mut values = STAND_INS.to_vec();
    while let Some(value) = values.pop() {
        fields.push(Field { name, value: Value::Cell(value) });
        match record::<T>(fields) {
            Err((Some(at), error)) if at + 1 == fields.len() => {
                if let FieldError::UnknownWord([first, ..]) = error {
                    values.push(first);
                }
                fields.pop();
            }
            _ => return true,
        }
    }
    false
}

/// Names of a record's fields: serde lists them in the error of an unknown field.
pub(super) fn names<T: DeserializeOwned>() -> &'static [&'static str] {
    match record::<T>(&[Field { name: "?", value: Value::Cell("?") }]) {
        Err((_, FieldError::UnknownField(names))) => names,
        _ => &[],
    }
}

/// A serde error by its kind, so that messages can describe it in terms of the field.
#[derive(Debug, thiserror::Error)]
#[error("{self:?}")]
pub(super) enum FieldError {
    Missing(&'static str),
    Repeated,
    UnknownField(&'static [&'static str]),
    UnknownWord(&'static [&'static str]),
    Expected(String),
    /// A number whose separator may be that of thousands or the decimal one.
    Separators,
    Other(String),
}

impl de::Error for FieldError {
    /// Of a value of another type, only what was expected counts: the value has its own words.
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        match message.rsplit_once(", expected ") {
            Some((found, expected)) if found.starts_with("invalid ") => Self::Expected(expected.to_owned()),
            _ => Self::Other(message),
        }
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::UnknownWord(expected)
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::UnknownField(expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }

    fn duplicate_field(_: &'static str) -> Self {
        Self::Repeated
    }
}

/// The problem of a field.
fn describe(error: &FieldError, field: Field<'_>, table: &str, at: Location) -> Diagnostic {
    let (name, found) = (field.name, field.value.excerpt());
    let bad = |expected: &str| Diagnostic::new(Code::BadValue, at, format!("`{name}` is {found}{expected}"));
    if let Some((what, help)) = date_in_other_format(field) {
        return bad(&format!(", {what}")).help(help);
    }
    if has_null(field) {
        return bad(", a list with a `null` item").help("remove the `null`");
    }
    match error {
        FieldError::Missing(_) => bad(""),
        FieldError::Repeated => {
            Diagnostic::new(Code::RepeatedField, at, format!("{} occurs twice", quoted(name)))
        }
        FieldError::UnknownField(known) => unknown_field(name, known, table, at),
        FieldError::UnknownWord(words) => {
            let message = format!("`{name}` is {found}, which is not one of its values");
            let word = found.trim_matches(['"', '`']);
            let help = suggestion(word, words, "it takes");
            Diagnostic::new(Code::UnknownWord, at, message).help(help)
        }
        FieldError::Separators => {
            let message = format!("`{name}` is {found}, expected a sum without separators");
            Diagnostic::new(Code::Separators, at, message)
                .maybe_help(field.value.text().and_then(both_readings))
        }
        FieldError::Expected(expected) => bad(&format!(", expected {}", shape(name, expected))),
        FieldError::Other(reason) => match shape(name, "") {
            "" => bad(&format!(": {reason}")),
            shape => bad(&format!(", expected {shape}")),
        },
    }
}

/// Whether the point of a number may separate thousands: it is the only one, before three digits.
fn is_ambiguous(text: &str) -> bool {
    let Some((whole, rest)) = text.trim().trim_start_matches('-').split_once('.') else { return false };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&whole.len())
        && rest.len() == 3
        && digits(whole)
        && digits(rest)
        && !whole.starts_with('0')
}

/// Whether a text that is no number is one with separators, and perhaps a currency.
fn has_separators(text: &str) -> bool {
    const SIGNS: [char; 9] = ['.', ',', '\'', ' ', '\u{a0}', '\u{202f}', '$', '€', '£'];
    let number = text.replace("USD", "").replace("EUR", "");
    number.contains(|c: char| c.is_ascii_digit())
        && number.contains(SIGNS)
        && number.chars().all(|c| c.is_ascii_digit() || c == '-' || SIGNS.contains(&c))
}

/// `write 3000, or 3 if …`: the possible values of a number with one separator, or with a currency.
fn both_readings(text: &str) -> Option<String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.trim_matches(|c: char| matches!(c, ' ' | '$' | '€' | '£') || c.is_ascii_alphabetic());
    let Some((whole, rest)) = number.split_once(['.', ',']) else {
        return digits(number).then(|| format!("write {number}"));
    };
    if !digits(whole) || !digits(rest) {
        return None;
    }
    let fraction = rest.trim_end_matches('0');
    let point = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
    Some(match rest.len() {
        3 => format!("write {whole}{rest}, or {point} if the separator is the decimal point"),
        _ => format!("write {point}"),
    })
}

/// Whether a JSON list has a null item.
fn has_null(field: Field<'_>) -> bool {
    matches!(field.value, Value::Json(serde_json::Value::Array(items)) if items.iter().any(serde_json::Value::is_null))
}

/// Problem and help of a date field that holds a date in another format, or a time: a time falls on different
/// days at its place and in UTC, and only the source can resolve that.
fn date_in_other_format(field: Field<'_>) -> Option<(String, String)> {
    let text = field.value.text().filter(|_| field.name.ends_with("On"))?;
    let day: Date = text.parse().ok()?;
    let Ok(moment) = text.parse::<DateTime>().map(DateTime::time) else { return None };
    if !text.contains([':', 'T', 't']) {
        return Some(("expected a date such as 2026-01-31".to_owned(), format!("write {day}")));
    }
    let in_utc = match text.parse::<Timestamp>() {
        Ok(moment) => format!("{} in UTC", day_of(moment)),
        Err(_) if moment.hour() < 12 => format!("perhaps {} in UTC", day.yesterday().ok()?),
        Err(_) => format!("perhaps {} in UTC", day.tomorrow().ok()?),
    };
    let what = format!("a time, not a date: {day} at its place, {in_utc}");
    Some((what, "write the date that the source shows, and its hour into a fact of kind `note`".to_owned()))
}

/// The problem of an unknown name.
pub(super) fn unknown_field(name: &str, known: &[&str], table: &str, at: Location) -> Diagnostic {
    let message = format!("{} is not a field of {table}", quoted(name));
    let help = meant(name, known).map_or_else(
        || format!("its fields are {}; names that start with `x_` are ignored", known.join(", ")),
        |field| format!("did you mean `{field}`?"),
    );
    Diagnostic::new(Code::UnknownField, at, message).help(help)
}

/// The field that a name in other letters or without its ending most likely stands for: `Deadline` for `deadlineOn`.
pub(super) fn meant<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    const SHORTEST: usize = 4;
    let letters: String = fold(name).chars().filter(char::is_ascii_alphanumeric).collect();
    let starts = |field: &&&str| field.to_lowercase().starts_with(&letters) && letters.len() >= SHORTEST;
    let same = known.iter().find(|field| field.eq_ignore_ascii_case(&letters));
    let mut begun = known.iter().filter(starts);
    let only = begun.next().filter(|_| begun.next().is_none());
    same.or(only).copied().or_else(|| nearest(name, known.iter().copied()))
}

/// The expected form of a field, by its name or in serde's terms.
fn shape<'a>(name: &str, expected: &'a str) -> &'a str {
    match name {
        "id" => "a UUID such as 3f0c8a52-7d5e-4c1b-9a86-2b1f0f6c9d11",
        _ if name.ends_with("Id") => "the UUID of a record",
        _ if name.ends_with("On") => "a date such as 2026-01-31",
        _ if name.ends_with("At") => "a time such as 2026-01-31T09:00:00Z",
        _ => match expected {
            "f64" => "a number",
            "i32" => "a whole number",
            "a sequence" => "a list",
            "a map" => "an object",
            "option" => "a value of another type",
            other => other,
        },
    }
}

impl<'a> Value<'a> {
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Json(value) => value.as_str(),
            Self::Cell(text) => Some(text),
        }
    }

    /// The value as it is written, a text without its quotes.
    pub(super) fn written(self) -> String {
        match self {
            Self::Json(serde_json::Value::String(text)) => text.clone(),
            Self::Json(value) => value.to_string(),
            Self::Cell(text) => text.to_owned(),
        }
    }

    fn excerpt(self) -> String {
        match self {
            Self::Json(value) => quoted(&value.to_string()),
            Self::Cell(text) => quoted(text),
        }
    }

    fn parse<T: std::str::FromStr>(text: &str, expected: &str) -> Result<T, FieldError> {
        text.trim().parse().map_err(|_| FieldError::Expected(expected.to_owned()))
    }
}

impl<'de> IntoDeserializer<'de, FieldError> for Value<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A cell has no type of its own: it is parsed as the type of the field.
impl<'de> Deserializer<'de> for Value<'de> {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self {
            Self::Cell(text) => visitor.visit_str(text),
            Self::Json(serde_json::Value::Array(items)) => {
                visitor.visit_seq(SeqDeserializer::new(items.iter().map(Value::Json)))
            }
            Self::Json(value) => value.deserialize_any(visitor).map_err(de::Error::custom),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self {
            Self::Json(serde_json::Value::Null) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self {
            Self::Cell(text) => visitor.visit_bool(Self::parse(text, "true or false")?),
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self {
            Self::Cell(text) => visitor.visit_i32(Self::parse(text, "a whole number")?),
            // `2026.0` is a whole number too.
            Self::Json(value) => match value.as_f64().filter(|number| number.fract() == 0.0) {
                Some(number) => visitor.visit_i64(number as i64),
                None => self.deserialize_any(visitor),
            },
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self {
            Self::Cell(text) if is_ambiguous(text) => Err(FieldError::Separators),
            Self::Cell(text) => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => visitor.visit_f64(number),
                Err(_) if has_separators(text) => Err(FieldError::Separators),
                _ => Err(FieldError::Expected("a number".to_owned())),
            },
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self {
            Self::Cell(text) => visitor.visit_seq(SeqDeserializer::new(text.split('|').map(Value::Cell))),
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    /// A cell holds an object as JSON.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        let Self::Cell(text) = self else { return self.deserialize_any(visitor) };
        let object: serde_json::Value =
            serde_json::from_str(text).map_err(|_| FieldError::Expected("a JSON object".to_owned()))?;
        object.deserialize_map(visitor).map_err(|_| FieldError::Expected("a JSON object of texts".to_owned()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match self.text() {
            Some(word) => visitor.visit_enum(StrDeserializer::new(word)),
            None => Err(FieldError::Expected("a word".to_owned())),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct struct identifier ignored_any
    }
}
