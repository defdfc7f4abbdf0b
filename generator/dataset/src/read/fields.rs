//! A row as a list of named values, deserialized into a record: all CSV rows, and JSON rows that are not
//! plain records. What serde says of a value that is wrong becomes a message in terms of its field.

use std::cell::Cell;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde_json::{Error, Value, json};
use snapshot::record::InternedStr;
use snapshot::text::fold;

use crate::day_of;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::schema::ValueType;
use crate::text::{nearest, quoted, suggestion};

/// A named value of a row.
pub(super) type NamedValue = (&'static str, Value);

/// Whether a field is private to the maintainers and ignored: `x_…`, and the `$schema` that editors add.
pub(super) fn is_private(name: &str) -> bool {
    name.starts_with("x_") || name == "$schema"
}

/// A value as its field has it: the text of a cell by the type of the field, a whole number without its fraction. What is
/// of another type stays.
pub(super) fn typed(value: &Value, kind: ValueType, is_csv: bool) -> Value {
    // `2026.0` is a whole number too.
    let whole = value.as_f64().filter(|it| kind == ValueType::Integer && it.fract() == 0.0);
    match value {
        Value::String(text) if is_csv => of_cell(text, kind),
        _ => whole.map_or_else(|| value.clone(), |it| (it as i64).into()),
    }
}

/// The text of a cell by the type of its field; the text itself where it is none of it, or where a separator may be that of
/// thousands or the decimal one.
pub(super) fn of_cell(text: &str, kind: ValueType) -> Value {
    let bare = text.trim();
    let read = match kind {
        ValueType::Boolean => bare.parse().ok().map(Value::Bool),
        ValueType::Integer => bare.parse::<i64>().ok().map(Value::from),
        ValueType::Number if is_ambiguous(bare) => None,
        ValueType::Number => bare.parse().ok().filter(|it: &f64| it.is_finite()).map(Value::from),
        ValueType::List => Some(text.split('|').collect()),
        ValueType::Object => serde_json::from_str(text).ok(),
        _ => None,
    };
    read.unwrap_or_else(|| text.into())
}

/// The record that the fields make, or the error and the position of its field; none for an error of the whole row.
pub(super) fn record<T: DeserializeOwned>(fields: Vec<NamedValue>) -> Result<T, (Option<usize>, String)> {
    // The position of the field that is read, none behind the last.
    let current = Cell::new(None);
    let numbered = fields.into_iter().enumerate().map(Some).chain([None]);
    let pairs = numbered.map_while(|field| {
        current.set(field.as_ref().map(|(position, _)| *position));
        field.map(|(_, field)| field)
    });
    T::deserialize(MapDeserializer::new(pairs)).map_err(|error: Error| (current.get(), error.to_string()))
}

/// The record of fields that make none, with stand-ins for what is wrong or missing, unless none fits; the names of the
/// fields whose value is another or none; and every problem with its field. `reported` fields have a problem already.
pub(super) fn mended<T: DeserializeOwned>(
    mut fields: Vec<NamedValue>,
    is_csv: bool,
    reported: Vec<String>,
    table: &str,
    at: Location,
) -> (Option<T>, Vec<String>, Vec<Diagnostic>) {
    let (mut stand_ins, mut absent, mut problems) = (reported, Vec::new(), Vec::new());
    // A wrong field is removed and the rest tried again, so that one run finds all problems.
    let record = loop {
        let (position, error) = match record::<T>(fields.clone()) {
            Ok(record) => break Some(record),
            Err(error) => error,
        };
        let missing = error.strip_prefix("missing field `").map(|it| name_of(it.trim_end_matches('`')));
        match (position.map(|position| fields.remove(position)), missing) {
            (Some(field), _) => {
                let problem = describe(&error, &field, is_csv, table, at);
                problems.push(problem.value(field.0, written(&field.1)));
                stand_ins.push(field.0.to_owned());
            }
            (None, Some(name)) => {
                absent.extend((!stand_ins.iter().any(|it| it == name)).then_some(name));
                if !stand_in::<T>(&mut fields, name) {
                    break None;
                }
                stand_ins.push(name.to_owned());
            }
            (None, None) => {
                let message = format!("the row cannot be read: {error}");
                problems.push(Diagnostic::new(Code::BadValue, at, message));
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

/// Adds a missing field with a value that it takes: each type of a required field takes one of some, or a word of its list.
/// False if there is none.
fn stand_in<T: DeserializeOwned>(fields: &mut Vec<NamedValue>, name: &'static str) -> bool {
    let texts = ["00000000-0000-0000-0000-000000000000", "2000-01-01", "1970-01-01T00:00:00Z", "1"];
    let mut values: Vec<Value> = texts.map(Value::from).into_iter().chain([json!(1), json!(["1"])]).collect();
    while let Some(value) = values.pop() {
        fields.push((name, value));
        match record::<T>(fields.clone()) {
            Err((Some(at), error)) if at + 1 == fields.len() => {
                values.extend(listed(&error).first().map(|word| Value::from(*word)));
                fields.pop();
            }
            _ => return true,
        }
    }
    false
}

/// Names of a record's fields: serde lists them in the error of an unknown field.
pub(super) fn names<T: DeserializeOwned>() -> Vec<&'static str> {
    let unknown = record::<T>(vec![("?", Value::Null)]).err();
    unknown.iter().flat_map(|(_, error)| listed(error)).map(name_of).collect()
}

fn name_of(text: &str) -> &'static str {
    InternedStr::from(text).as_str()
}

/// What serde expected in place of an unknown field or word.
fn listed(error: &str) -> Vec<&str> {
    let known = error.rsplit_once(", expected ").filter(|_| error.starts_with("unknown "));
    known.map_or_else(Vec::new, |(_, listed)| listed.split('`').skip(1).step_by(2).collect())
}

/// A value as it is written, a text without its quotes.
pub(super) fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The problem of a field.
fn describe(error: &str, (name, value): &NamedValue, is_csv: bool, table: &str, at: Location) -> Diagnostic {
    let found = quoted(&if is_csv { written(value) } else { value.to_string() });
    let text = value.as_str().unwrap_or_default();
    let bad = |expected: &str| Diagnostic::new(Code::BadValue, at, format!("`{name}` is {found}{expected}"));
    if let Some((what, help)) = date_in_other_format(name, text) {
        return bad(&format!(", {what}")).help(help);
    }
    if value.as_array().is_some_and(|items| items.iter().any(Value::is_null)) {
        return bad(", a list with a `null` item").help("remove the `null`");
    }
    // Of a value of another type, only what was expected counts: the value has its own words.
    let (kind, expected) = error.rsplit_once(", expected ").unwrap_or((error, ""));
    match kind.split(' ').next().unwrap_or_default() {
        "duplicate" => Diagnostic::new(Code::RepeatedField, at, format!("{} occurs twice", quoted(name))),
        "unknown" if kind.starts_with("unknown field") => unknown_field(name, &listed(error), table, at),
        "unknown" => {
            let message = format!("`{name}` is {found}, which is not one of its values");
            let help = suggestion(found.trim_matches(['"', '`']), &listed(error), "it takes");
            Diagnostic::new(Code::UnknownWord, at, message).help(help)
        }
        "invalid" if is_csv && expected == "f64" && has_separators(text) => {
            let message = format!("`{name}` is {found}, expected a sum without separators");
            Diagnostic::new(Code::Separators, at, message).maybe_help(both_readings(text))
        }
        "invalid" => bad(&format!(", expected {}", shape(name, expected))),
        _ => match shape(name, "") {
            "" => bad(&format!(": {error}")),
            shape => bad(&format!(", expected {shape}")),
        },
    }
}

/// Whether the point of a number may separate thousands: it is the only one, before three digits.
fn is_ambiguous(text: &str) -> bool {
    let Some((whole, rest)) = text.trim().trim_start_matches('-').split_once('.') else { return false };
    let are_digits = [whole, rest].concat().bytes().all(|byte| byte.is_ascii_digit());
    are_digits && (1..=3).contains(&whole.len()) && rest.len() == 3 && !whole.starts_with('0')
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

/// Problem and help of a date field that holds a date in another format, or a time: a time falls on different
/// days at its place and in UTC, and only the source can resolve that.
fn date_in_other_format(name: &str, text: &str) -> Option<(String, String)> {
    let day: Date = text.parse().ok().filter(|_| name.ends_with("On"))?;
    let moment = text.parse::<DateTime>().ok()?;
    if !text.contains([':', 'T', 't']) {
        return Some(("expected a date such as 2026-01-31".to_owned(), format!("write {day}")));
    }
    let other = if moment.hour() < 12 { day.yesterday() } else { day.tomorrow() }.ok()?;
    let in_utc = text.parse::<Timestamp>().map_or(format!("perhaps {other}"), |it| day_of(it).to_string());
    let what = format!("a time, not a date: {day} at its place, {in_utc} in UTC");
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
    match expected {
        _ if name == "id" => "a UUID such as 3f0c8a52-7d5e-4c1b-9a86-2b1f0f6c9d11",
        _ if name.ends_with("Id") => "the UUID of a record",
        _ if name.ends_with("On") => "a date such as 2026-01-31",
        _ if name.ends_with("At") => "a time such as 2026-01-31T09:00:00Z",
        "f64" => "a number",
        "i32" => "a whole number",
        "a boolean" => "true or false",
        "string or map" => "a word",
        "a sequence" => "a list",
        "a map" => "an object",
        "option" => "a value of another type",
        other => other,
    }
}
