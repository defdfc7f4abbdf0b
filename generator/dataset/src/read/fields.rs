//! A row as a list of named values, and the one way to make a record of it: JSON members on the
//! slow path, CSV cells always. Whatever serde refuses becomes a message that names the field.

use std::cell::Cell;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::diagnostics::{Code, Diagnostic, Location};
use crate::text::{nearest, quoted};

/// A named value of a row.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub name: &'a str,
    pub value: Value<'a>,
}

/// A value as its format gives it.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// Of a JSON member.
    Json(&'a serde_json::Value),
    /// Of a CSV cell, never empty.
    Cell(&'a str),
}

/// What is wrong with a row, ready to be placed.
pub(super) struct Problem<'a> {
    /// The field it is about; absent for a missing one.
    pub field: Option<&'a str>,
    pub code: Code,
    pub message: String,
    pub help: Option<String>,
    /// What stands there, as it is written.
    pub value: Option<String>,
}

impl Problem<'_> {
    /// The same at a place.
    pub(super) fn at(self, at: Location) -> Diagnostic {
        let told = Diagnostic::new(self.code, at, self.message).maybe_help(self.help);
        match (self.field, self.value) {
            (Some(field), Some(value)) => told.value(field.to_owned(), value),
            (Some(field), None) => told.field(field.to_owned()),
            (None, _) => told,
        }
    }
}

/// Fields whose name starts so belong to the maintainers and are ignored; editors write where the schema is.
pub(super) fn is_private(name: &str) -> bool {
    name.starts_with("x_") || name == "$schema"
}

/// The record that the fields make.
pub(super) fn record<T: DeserializeOwned>(fields: &[Field<'_>]) -> Result<T, Refusal> {
    let current = Cell::new(None);
    let row = RowDeserializer { fields, next: 0, current: &current };
    T::deserialize(row).map_err(|fault| Refusal { position: current.get(), fault })
}

/// Every problem of fields that make no record; `unreadable` ones are told elsewhere.
pub(super) fn problems<'a, T: DeserializeOwned>(
    mut fields: Vec<Field<'a>>,
    unreadable: &[&str],
    table: &str,
) -> Vec<Problem<'a>> {
    let mut problems: Vec<Problem<'a>> = Vec::new();
    // A refused field is set aside and the rest tried again, so that one run tells them all.
    while let Err(refusal) = record::<T>(&fields) {
        let refused = refusal.position.filter(|position| *position < fields.len());
        let field = refused.map(|position| fields.remove(position));
        let (code, message, help) = describe(&refusal.fault, field, table);
        let is_set_aside = |name: &str| {
            unreadable.contains(&name) || problems.iter().any(|problem| problem.field == Some(name))
        };
        if !matches!(refusal.fault, Fault::Missing(name) if is_set_aside(name)) {
            let name = match refusal.fault {
                Fault::Missing(name) => Some(name),
                _ => field.map(|field| field.name),
            };
            let value = field.map(|field| field.value.written());
            problems.push(Problem { field: name, code, message, help, value });
        }
        if field.is_none() {
            break;
        }
    }
    problems
}

/// Names of a record's fields. Asking for a field that cannot exist makes serde tell them.
pub(super) fn names<T: DeserializeOwned>() -> &'static [&'static str] {
    match record::<T>(&[Field { name: "?", value: Value::Cell("?") }]) {
        Err(Refusal { fault: Fault::UnknownField(names), .. }) => names,
        _ => &[],
    }
}

/// A serde error and the field it arose at; none when the row as a whole was refused.
#[derive(Debug)]
pub(super) struct Refusal {
    position: Option<usize>,
    fault: Fault,
}

/// What serde says, kept apart so that it can be said in the field's terms.
#[derive(Debug)]
pub(super) enum Fault {
    Missing(&'static str),
    Repeated,
    UnknownField(&'static [&'static str]),
    UnknownWord(&'static [&'static str]),
    Expected(String),
    /// A number with a separator that is read as a thousand's by some and as a decimal one by others.
    Separators,
    Other(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Other(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Expected(expected.to_string())
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Expected(expected.to_string())
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

fn describe(fault: &Fault, field: Option<Field<'_>>, table: &str) -> (Code, String, Option<String>) {
    let name = field.map_or("", |field| field.name);
    let found = field.map(|field| field.value.excerpt()).unwrap_or_default();
    if let Some(field) = field
        && let Some((what, help)) = other_spelling(field)
    {
        return (Code::BadValue, format!("`{name}` is {found}, {what}"), Some(help));
    }
    if field.is_some_and(has_null) {
        let message = format!("`{name}` is {found}, a list with an item that is nothing");
        return (Code::BadValue, message, Some("leave the `null` out".to_owned()));
    }
    match fault {
        Fault::Missing(name) => {
            let help = Some(shape(name, "")).filter(|shape| !shape.is_empty());
            let message = format!("`{name}` is missing or empty");
            (Code::MissingField, message, help.map(|shape| format!("write {shape}")))
        }
        Fault::Repeated => (Code::RepeatedField, format!("{} occurs twice", quoted(name)), None),
        Fault::UnknownField(known) => unknown_field(name, known, table),
        Fault::UnknownWord(words) => {
            let help = match nearest(found.trim_matches(['"', '`']), words.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it takes {}", words.join(", ")),
            };
            (Code::UnknownWord, format!("`{name}` is {found}, which is not one of its values"), Some(help))
        }
        Fault::Separators => {
            let message = format!("`{name}` is {found}, expected a sum without separators");
            (Code::Separators, message, field.and_then(|field| both_readings(field.value.text()?)))
        }
        Fault::Expected(expected) => {
            let message = format!("`{name}` is {found}, expected {}", shape(name, expected));
            (Code::BadValue, message, None)
        }
        Fault::Other(reason) => {
            let message = match shape(name, "") {
                "" => format!("`{name}` is {found}: {reason}"),
                shape => format!("`{name}` is {found}, expected {shape}"),
            };
            (Code::BadValue, message, None)
        }
    }
}

/// Whether a number has a separator that may stand before thousands: three digits after the only one.
fn is_ambiguous(text: &str) -> bool {
    let Some((whole, rest)) = text.trim().trim_start_matches('-').split_once('.') else { return false };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&whole.len())
        && rest.len() == 3
        && digits(whole)
        && digits(rest)
        && !whole.starts_with('0')
}

/// Whether a text that is no number is one with separators, and perhaps a sign of money.
fn has_separators(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let others = text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let signs = others.replace("USD", "").replace("EUR", "");
    digits > 0
        && signs.contains(['.', ',', '\'', ' ', '\u{a0}', '\u{202f}', '$', '€', '£'])
        && signs
            .chars()
            .all(|c| matches!(c, '.' | ',' | '\'' | ' ' | '\u{a0}' | '\u{202f}' | '$' | '€' | '£' | '-'))
}

/// `write 3000, or 3 for three`: what a number with one separator may be.
fn both_readings(text: &str) -> Option<String> {
    let (whole, rest) = text.split_once(['.', ','])?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(rest) {
        return None;
    }
    let fraction = rest.trim_end_matches('0');
    let point = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
    Some(match rest.len() {
        3 => format!("write {whole}{rest}, or {point} if what follows is a fraction"),
        _ => format!("write {point}"),
    })
}

/// Whether a list of JSON has an item that is nothing.
fn has_null(field: Field<'_>) -> bool {
    matches!(field.value, Value::Json(serde_json::Value::Array(items)) if items.iter().any(serde_json::Value::is_null))
}

/// What a field of a day says when it says it in another way than the dataset writes days: a moment is
/// on two days, one where it was written and one in UTC, and only the source knows which is meant.
fn other_spelling(field: Field<'_>) -> Option<(String, String)> {
    let text = field.value.text().filter(|_| field.name.ends_with("On"))?;
    let day: Date = text.parse().ok()?;
    let Ok(moment) = text.parse::<DateTime>().map(DateTime::time) else { return None };
    if !text.contains([':', 'T', 't']) {
        return Some(("expected a date such as 2026-01-31".to_owned(), format!("write {day}")));
    }
    let in_utc = match text.parse::<Timestamp>() {
        Ok(moment) => format!("{} in UTC", moment.to_zoned(TimeZone::UTC).date()),
        Err(_) if moment.hour() < 12 => format!("perhaps {} in UTC", day.yesterday().ok()?),
        Err(_) => format!("perhaps {} in UTC", day.tomorrow().ok()?),
    };
    let what = format!("which is a moment and no day: {day} where it was written, {in_utc}");
    Some((what, "write the day that the source prints, and its hour into a fact of kind `note`".to_owned()))
}

/// An unknown name, with the known one that was probably meant.
pub(super) fn unknown_field(name: &str, known: &[&str], table: &str) -> (Code, String, Option<String>) {
    let message = format!("{} is not a field of {table}", quoted(name));
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its fields are {}; names that start with `x_` are ignored", known.join(", ")),
    };
    (Code::UnknownField, message, Some(help))
}

/// What a field should look like: by its name where that tells, else in serde's words.
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

    /// What stands there, a text without its quotes.
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

    fn parse<T: std::str::FromStr>(text: &str, expected: &str) -> Result<T, Fault> {
        text.trim().parse().map_err(|_| Fault::Expected(expected.to_owned()))
    }
}

impl<'de> IntoDeserializer<'de, Fault> for Value<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A cell has no type of its own: it is read as what the field asks for.
impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Cell(text) => visitor.visit_str(text),
            Self::Json(value) => json(value, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Json(serde_json::Value::Null) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Cell(text) => visitor.visit_bool(Self::parse(text, "true or false")?),
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Cell(text) => visitor.visit_i32(Self::parse(text, "a whole number")?),
            // `2026.0` is a whole number too.
            Self::Json(value) => match value.as_f64().filter(|number| number.fract() == 0.0) {
                Some(number) => visitor.visit_i64(number as i64),
                None => self.deserialize_any(visitor),
            },
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Cell(text) if is_ambiguous(text) => Err(Fault::Separators),
            Self::Cell(text) => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => visitor.visit_f64(number),
                Err(_) if has_separators(text) => Err(Fault::Separators),
                _ => Err(Fault::Expected("a number".to_owned())),
            },
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Cell(text) => visitor.visit_seq(SeqDeserializer::new(text.split('|').map(Value::Cell))),
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    /// A cell holds an object as JSON.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Self::Cell(text) = self else { return self.deserialize_any(visitor) };
        let object: serde_json::Value =
            serde_json::from_str(text).map_err(|_| Fault::Expected("a JSON object".to_owned()))?;
        object.deserialize_map(visitor).map_err(|_| Fault::Expected("a JSON object of texts".to_owned()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self {
            Self::Cell(word) => visitor.visit_enum(StrDeserializer::new(word)),
            Self::Json(serde_json::Value::String(word)) => {
                visitor.visit_enum(StrDeserializer::new(word.as_str()))
            }
            Self::Json(_) => Err(Fault::Expected("a word".to_owned())),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct struct identifier ignored_any
    }
}

fn json<'de, V: Visitor<'de>>(value: &'de serde_json::Value, visitor: V) -> Result<V::Value, Fault> {
    match value {
        serde_json::Value::Null => visitor.visit_unit(),
        serde_json::Value::Bool(value) => visitor.visit_bool(*value),
        serde_json::Value::String(text) => visitor.visit_str(text),
        serde_json::Value::Array(items) => {
            visitor.visit_seq(SeqDeserializer::new(items.iter().map(Value::Json)))
        }
        serde_json::Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.as_str(), Value::Json(value)));
            visitor.visit_map(MapDeserializer::new(members))
        }
        serde_json::Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => visitor.visit_u64(number),
            (_, Some(number)) => visitor.visit_i64(number),
            _ => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
        },
    }
}

/// Hands the fields to a record's `Deserialize` and remembers which one it is at.
struct RowDeserializer<'de, 'c> {
    fields: &'de [Field<'de>],
    next: usize,
    current: &'c Cell<Option<usize>>,
}

impl<'de> Deserializer<'de> for RowDeserializer<'de, '_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> de::MapAccess<'de> for RowDeserializer<'de, '_> {
    type Error = Fault;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let Some(field) = self.fields.get(self.next) else {
            self.current.set(None);
            return Ok(None);
        };
        self.current.set(Some(self.next));
        seed.deserialize(StrDeserializer::new(field.name)).map(Some)
    }

    fn next_value_seed<S: de::DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let Some(field) = self.fields.get(self.next) else {
            return Err(Fault::Other("a value without a name".to_owned()));
        };
        self.next += 1;
        seed.deserialize(field.value)
    }
}
