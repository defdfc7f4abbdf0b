//! JSON: an array, lines of objects, or an object with the array inside. Members of members are columns by
//! their pointer.

use std::fmt::Display;

use serde_json::{Number, Value};

use super::html::decoded;
use super::sheet::{Cell, MOST_ROWS, MOST_VALUES, Sheet, within};

/// Most levels of members in members.
const DEEPEST: usize = 16;

pub(super) fn read(text: &str, rows: Option<&str>) -> Result<Sheet, String> {
    within(text.bytes().filter(|byte| *byte == b',').count(), MOST_VALUES, "values")?;
    let items: Vec<(u32, Value)> = match serde_json::from_str::<Value>(text) {
        Ok(value) => (1..).zip(array(value, rows)?).collect(),
        Err(error) if text.trim_start().starts_with('[') => {
            return Err(format!("it is broken JSON: {error}; was it cut off?"));
        }
        Err(_) => lines(text)?,
    };
    within(items.len(), MOST_ROWS, "rows")?;
    let named = items.into_iter().map(|(line, item)| {
        let Value::Object(members) = item else { return Err(format!("row {line} is no object")) };
        let mut named = Vec::new();
        members.into_iter().try_for_each(|(name, value)| flatten(&name, value, 0, &mut named))?;
        Ok((line, named))
    });
    Sheet::of_named(named.collect::<Result<_, String>>()?)
}

fn lines(text: &str) -> Result<Vec<(u32, Value)>, String> {
    let rows = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()).map(|(line, text)| {
        let broken = |error| format!("line {line} is broken JSON: {error}; was it cut off?");
        Ok((line, serde_json::from_str(text).map_err(broken)?))
    });
    rows.collect()
}

/// The rows: the value at a pointer, or the only array there is.
fn array(mut value: Value, rows: Option<&str>) -> Result<Vec<Value>, String> {
    let mut found: Vec<String> = rows.into_iter().map(str::to_owned).collect();
    if rows.is_none() && value.is_array() {
        found.push(String::new());
    } else if rows.is_none() {
        arrays(&value, "", 2, &mut found);
    }
    match &found[..] {
        [] if value.is_object() => Ok(vec![value]),
        [] => Err("it is neither an array nor an object".to_owned()),
        [only] => match value.pointer_mut(only).map(Value::take) {
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(format!("what stands at rows = \"{only}\" is no array")),
            None => Err(format!("nothing stands at rows = \"{only}\"")),
        },
        all => Err(format!("it has several arrays; name one, as rows = \"{}\"", all.join("\" or \""))),
    }
}

/// Pointers of the arrays of objects in an object; what stands nearest hides what is in other members.
fn arrays(value: &Value, path: &str, levels: usize, found: &mut Vec<String>) {
    let members = || value.as_object().into_iter().flatten();
    let rows = |it: &Value| it.as_array().is_some_and(|it| it.iter().all(Value::is_object) && !it.is_empty());
    found.extend(members().filter(|(_, value)| rows(value)).map(|(name, _)| format!("{path}/{name}")));
    for (name, inner) in members().filter(|_| levels > 1 && found.is_empty()).collect::<Vec<_>>() {
        arrays(inner, &format!("{path}/{name}"), levels - 1, found);
    }
}

/// A number; a whole one with more digits than a sum has is a name, whose digits stay.
fn number_cell(number: &Number) -> Cell {
    /// The largest number below which each whole one is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(value) if value.abs() < EXACT => Cell::Number(value),
        Some(_) if !number.is_f64() => Cell::Text(number.to_string()),
        _ => Cell::Broken("a number of too many digits: write it as a text".to_owned()),
    }
}

fn flatten(name: &str, value: Value, depth: usize, named: &mut Vec<(String, Cell)>) -> Result<(), String> {
    if depth > DEEPEST {
        return Err(format!("it is nested more than {DEEPEST} deep"));
    }
    let mut inner = |own: &dyn Display, value| flatten(&format!("{name}/{own}"), value, depth + 1, named);
    let cell = match value {
        Value::Object(members) => return members.into_iter().try_for_each(|(own, it)| inner(&own, it)),
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            return items.into_iter().enumerate().try_for_each(|(position, item)| inner(&position, item));
        }
        Value::Array(items) => Cell::List(
            items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect(),
        ),
        Value::Null => Cell::Empty,
        Value::Bool(flag) => Cell::Text(flag.to_string()),
        Value::Number(number) => number_cell(&number),
        Value::String(text) => Cell::of_text(&decoded(&text)),
    };
    named.push((name.to_owned(), cell));
    Ok(())
}
