//! Members of JSON rows as ranges of bytes, and what is written into them.

use std::ops::Range;

use serde_json::value::RawValue;
use snapshot::record::Members;

use super::change::{Change, splice};

/// A row: its object's text, where that starts, and the lines it stands on.
struct Row<'t> {
    text: &'t str,
    start: usize,
    lines: Range<u32>,
}

/// The bytes with changes in their members.
pub(super) fn json(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(bytes) else { return bytes.to_vec() };
    let rows = rows(text);
    let mut parts = Vec::new();
    for change in changes {
        let first = rows.partition_point(|row| row.lines.end <= change.line);
        let on_line = rows[first..].iter().take_while(|row| row.lines.start <= change.line);
        // Rows that share a line are distinguished by their values.
        on_line.for_each(|row| parts.extend(edited(row, change)));
    }
    parts.sort_by_key(|(range, _): &(Range<usize>, String)| (range.start, range.end));
    parts.dedup_by(|a, b| a.0 == b.0 && !a.0.is_empty());
    splice(text, parts).into_bytes()
}

/// The text of a member of a file of one object; empty if it has none.
pub(super) fn text_of(bytes: &[u8], field: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    value.and_then(|value| value[field].as_str().map(str::to_owned)).unwrap_or_default()
}

fn rows(text: &str) -> Vec<Row<'_>> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - body.len();
    let row = |piece: &str, before: u32| {
        let lines = u32::try_from(piece.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(0);
        before..before + lines + 1
    };
    let mut rows = Vec::new();
    if body.trim_start().starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(body).unwrap_or_default();
        let (mut line, mut seen) = (1, 0);
        for item in items {
            let piece = item.get();
            let start = (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
            let breaks =
                text.get(seen..start).map_or(0, |gap| gap.bytes().filter(|byte| *byte == b'\n').count());
            line += u32::try_from(breaks).unwrap_or(0);
            seen = start;
            rows.push(Row { text: piece, start, lines: row(piece, line) });
        }
        return rows;
    }
    if serde_json::from_str::<&RawValue>(body).is_ok() {
        let piece = body.trim();
        let start = mark + (body.len() - body.trim_start().len());
        let before = text[..start].bytes().filter(|byte| *byte == b'\n').count();
        let line = 1 + u32::try_from(before).unwrap_or(0);
        return vec![Row { text: piece, start, lines: row(piece, line) }];
    }
    let mut at = mark;
    for (line, whole) in (1..).zip(body.split_inclusive('\n')) {
        let piece = whole.trim();
        if !piece.is_empty() {
            let start = at + (whole.len() - whole.trim_start().len());
            rows.push(Row { text: piece, start, lines: line..line + 1 });
        }
        at += whole.len();
    }
    rows
}

fn edited(row: &Row<'_>, change: &Change) -> Vec<(Range<usize>, String)> {
    let Ok(members) = serde_json::from_str::<Members<&RawValue>>(row.text) else { return Vec::new() };
    let edit = &change.edit;
    let known = members.0.iter().find(|(name, _)| *name == edit.field).map(|(_, raw)| raw.get());
    let Some(from) = &edit.from else {
        if known.is_some_and(|raw| raw != "null" && raw != "\"\"") {
            return Vec::new();
        }
        return match known {
            Some(raw) => vec![(span(row, raw), text(&edit.to))],
            None => vec![inserted(row, &edit.field, &edit.to)],
        };
    };
    let Some(raw) = known else { return Vec::new() };
    let mut found = Vec::new();
    collect(raw, from, &mut found);
    found.into_iter().map(|raw| (span(row, raw), written(raw, &edit.to))).collect()
}

/// Values that are a text, items of a list and values of an object among them.
fn collect<'t>(raw: &'t str, from: &str, found: &mut Vec<&'t str>) {
    if raw.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
        items.into_iter().for_each(|item| collect(item.get(), from, found));
    } else if raw.starts_with('{') {
        if let Ok(members) = serde_json::from_str::<Members<&RawValue>>(raw) {
            members.0.into_iter().for_each(|(_, value)| collect(value.get(), from, found));
        }
    } else if raw == from || serde_json::from_str::<String>(raw).is_ok_and(|text| text == from) {
        found.push(raw);
    } else if let (Ok(number), Ok(other)) = (raw.parse::<f64>(), from.parse::<f64>())
        && number.to_bits() == other.to_bits()
    {
        found.push(raw);
    }
}

fn span(row: &Row<'_>, raw: &str) -> Range<usize> {
    let within = (raw.as_ptr() as usize).saturating_sub(row.text.as_ptr() as usize);
    row.start + within..row.start + within + raw.len()
}

/// A text as JSON writes it.
fn text(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// A value in the form of the one that it replaces.
fn written(raw: &str, value: &str) -> String {
    if raw.starts_with('"') { text(value) } else { value.to_owned() }
}

/// A member before the others, spaced as they are.
fn inserted(row: &Row<'_>, field: &str, value: &str) -> (Range<usize>, String) {
    let inner = row.text.get(1..).unwrap_or_default();
    let space = &inner[..inner.len() - inner.trim_start().len()];
    let at = row.start + 1;
    let comma = if inner.trim_start().starts_with('}') { "" } else { "," };
    (at..at, format!("{space}{}:{}{comma}", text(field), text(value)))
}
