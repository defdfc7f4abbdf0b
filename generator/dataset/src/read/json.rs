//! JSON tables: one object a line, an array of objects, or one object. A row is deserialized straight into its
//! record; only if that fails are its members read one by one.

use std::num::NonZeroU32;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use snapshot::record::Members;

use super::fields::{self, Field, Value};
use super::parsed::{Context, Parsed};
use super::partial::{Member, OwnedValue, PartialRow};
use super::text::{ROW_MAX, column, newlines, offset, too_long};
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::rows::Row;
use crate::text::quoted;
use rayon::prelude::*;

/// Size of the parts that threads parse.
const CHUNK_BYTES: usize = 1 << 20;

/// A row of a file: its text within the file's, and the line it starts at.
#[derive(Clone, Copy)]
struct Piece<'a> {
    file: &'a str,
    text: &'a str,
    line: u32,
}

/// One object a line; blank lines are allowed.
/// A file may come in several blocks; `first` is the number of the block's first line.
pub(super) fn lines<T: DeserializeOwned + Send + Sync>(
    file: &str,
    first: u32,
    context: Context,
) -> Parsed<T> {
    let start = file.trim_ascii_start();
    if first == 1 && start.starts_with('[') {
        let problem = Diagnostic::new(Code::BadSyntax, context.at(1), "an array, expected one object a line");
        let piece = Piece { file, text: file, line: 1 };
        return Parsed::problem(place(problem.help("rename the file to .json"), piece, start));
    }
    let chunks = chunks(file);
    let lines: Vec<u32> = chunks.par_iter().map(|chunk| newlines(chunk.as_bytes())).collect();
    let starts = lines.iter().scan(first, |next: &mut u32, lines| {
        let start = *next;
        *next = next.saturating_add(*lines);
        Some(start)
    });
    let chunks: Vec<(&str, u32)> = chunks.into_iter().zip(starts).collect();
    let parsed = chunks.par_iter().map(|(chunk, start)| {
        let mut parsed = Parsed::empty();
        for (text, line) in chunk.lines().zip(*start..) {
            if !text.trim_ascii().is_empty() {
                row(Piece { file, text, line }, context, &mut parsed);
            }
        }
        parsed
    });
    join(parsed.collect())
}

/// An array of objects, or one object.
pub(super) fn document<T: DeserializeOwned + Send + Sync>(file: &str, context: Context) -> Parsed<T> {
    let items: Result<Vec<&RawValue>, _> = if file.trim_ascii_start().starts_with('[') {
        serde_json::from_str(file)
    } else {
        serde_json::from_str(file).map(|item| vec![item])
    };
    let items = match items {
        Ok(items) => items,
        Err(error) => {
            return Parsed::problem(syntax(&error, Piece { file, text: file, line: 1 }, context));
        }
    };
    let mut pieces = Vec::with_capacity(items.len());
    let (mut line, mut seen) = (1, 0);
    for item in items {
        let text = item.get();
        let start = position(file, text);
        line += newlines(&file.as_bytes()[seen..start]);
        seen = start;
        pieces.push(Piece { file, text, line });
    }
    let parsed = pieces.par_chunks(256).map(|part| {
        let mut parsed = Parsed::empty();
        part.iter().for_each(|piece| row(*piece, context, &mut parsed));
        parsed
    });
    join(parsed.collect())
}

fn join<T>(parts: Vec<Parsed<T>>) -> Parsed<T> {
    let mut all = Parsed::empty();
    all.rows.reserve_exact(parts.iter().map(|part| part.rows.len()).sum());
    all.partial.reserve_exact(parts.iter().map(|part| part.partial.len()).sum());
    parts.into_iter().for_each(|part| all.append(part));
    all
}

/// Parts of whole lines.
fn chunks(mut text: &str) -> Vec<&str> {
    let mut chunks = Vec::with_capacity(text.len() / CHUNK_BYTES + 1);
    while text.len() > CHUNK_BYTES {
        let from = text.floor_char_boundary(CHUNK_BYTES);
        let Some(end) = text[from..].find('\n') else { break };
        let (chunk, rest) = text.split_at(from + end + 1);
        chunks.push(chunk);
        text = rest;
    }
    chunks.push(text);
    chunks
}

/// Offset of `part`, which is a slice of `whole`.
fn position(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

fn row<T: DeserializeOwned>(piece: Piece<'_>, context: Context, parsed: &mut Parsed<T>) {
    let at = context.at(piece.line);
    if piece.text.len() > ROW_MAX {
        return parsed.problems.push(too_long(piece.text.len(), at));
    }
    match serde_json::from_str(piece.text) {
        Ok(record) => parsed.rows.push(Row { record, at }),
        Err(_) => row_by_members(piece, context, parsed),
    }
}

/// Reads a row without its private and null members, and reports every problem.
fn row_by_members<T: DeserializeOwned>(piece: Piece<'_>, context: Context, parsed: &mut Parsed<T>) {
    let members: Members<&RawValue> = match serde_json::from_str(piece.text) {
        Ok(members) => members,
        Err(error) => return parsed.problems.push(syntax(&error, piece, context)),
    };
    let at = context.at(piece.line);
    let mut unreadable = Vec::new();
    let mut values: Vec<(&str, &RawValue, serde_json::Value)> = Vec::with_capacity(members.0.len());
    for (name, raw) in members.0.iter().filter(|(name, _)| !fields::is_private(name)) {
        match serde_json::from_str(raw.get()) {
            Ok(serde_json::Value::Null) => {}
            Ok(serde_json::Value::Array(mut items)) => {
                // A list that was read has room for four items at least.
                items.shrink_to_fit();
                values.push((name, raw, items.into()));
            }
            Ok(value) => values.push((name, raw, value)),
            Err(error) => {
                unreadable.push(name.as_str());
                let reason = reason(&error);
                let message = format!("`{name}` is {}, which cannot be read: {reason}", quoted(raw.get()));
                let problem = Diagnostic::new(Code::BadValue, at, message).value(name.clone(), raw.get());
                parsed.problems.push(place(problem, piece, raw.get()));
            }
        }
    }
    let row: Vec<Field<'_>> =
        values.iter().map(|(name, _, value)| Field { name, value: Value::Json(value) }).collect();
    if !unreadable.is_empty() {
        for problem in fields::mended::<T>(row, &unreadable, context.name(), at).problems {
            let raw = values.iter().rev().find(|(name, ..)| Some(*name) == problem.field.as_deref());
            let text = raw.map_or(piece.text, |(_, raw, _)| raw.get());
            parsed.problems.push(place(problem, piece, text));
        }
    } else if let Ok(record) = fields::record(&row) {
        parsed.rows.push(Row { record, at });
    } else {
        let members = values.into_iter().map(|(name, raw, value)| {
            let (line, column) = line_and_column(piece, raw.get());
            let column = column.and_then(NonZeroU32::new);
            Member { name: name.into(), value: OwnedValue::Json(value), line, column }
        });
        let column = line_and_column(piece, piece.text).1;
        parsed.partial.push(PartialRow::new(at, column, members.collect()));
    }
}

/// Line and column of a text within the file.
fn line_and_column(piece: Piece<'_>, text: &str) -> (u32, Option<u32>) {
    let (row, start) = (position(piece.file, piece.text), position(piece.file, text));
    let line = piece.line + newlines(&piece.file.as_bytes()[row.min(start)..start]);
    (line, column(piece.file, start))
}

/// Gives a problem the place of a text.
fn place(problem: Diagnostic, piece: Piece<'_>, text: &str) -> Diagnostic {
    let (line, column) = line_and_column(piece, text);
    Diagnostic { at: Location { line, ..problem.at }, column, ..problem }
}

fn syntax(error: &serde_json::Error, piece: Piece<'_>, context: Context) -> Diagnostic {
    let at = offset(piece.text, error.line(), error.column());
    let message = if error.is_data() {
        format!("expected an object, found {}", quoted(piece.text))
    } else {
        format!("broken JSON: {}", reason(error))
    };
    let rest = piece.text.get(at..).unwrap_or("");
    place(Diagnostic::new(Code::BadSyntax, context.at(piece.line), message), piece, rest)
}

/// The parser's message without its own line and column.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}
