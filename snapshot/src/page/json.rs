//! How values are written into answers.

use serde::Serialize;

use crate::time::Day;

/// Writes an integer.
pub(crate) fn push_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Writes a value as JSON. Values here are strings, numbers and plain structs, which cannot fail.
pub(crate) fn push_json(out: &mut Vec<u8>, value: &impl Serialize) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

/// Writes items with commas between them.
pub(crate) fn push_items<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(T, &mut Vec<u8>),
) {
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        push(item, out);
    }
}

/// Writes the name of a member, which has no character that is escaped, and the colon.
pub(crate) fn push_name(out: &mut Vec<u8>, name: &str) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Writes members of an object that are numbers.
pub(crate) fn push_numbers<'n>(out: &mut Vec<u8>, members: impl IntoIterator<Item = (&'n str, u64)>) {
    push_items(out, members, |(name, number), out| {
        push_name(out, name);
        push_number(out, number);
    });
}

/// Writes a day as a JSON string, or `null`.
pub(crate) fn push_day(out: &mut Vec<u8>, day: Day) {
    match day.date() {
        Some(date) => {
            out.push(b'"');
            push_date(out, date);
            out.push(b'"');
        }
        None => out.extend_from_slice(b"null"),
    }
}

/// Writes a date as `YYYY-MM-DD`.
pub(crate) fn push_date(out: &mut Vec<u8>, date: jiff::civil::Date) {
    let digit = |number: i16| b'0' + (number % 10) as u8;
    let (year, month, day) = (date.year(), i16::from(date.month()), i16::from(date.day()));
    let [century, year] = [year / 100, year].map(|year| [digit(year / 10), digit(year)]);
    let [month, day] = [month, day].map(|number| [digit(number / 10), digit(number)]);
    let text = [century[0], century[1], year[0], year[1], b'-', month[0], month[1], b'-', day[0], day[1]];
    out.extend_from_slice(&text);
}
