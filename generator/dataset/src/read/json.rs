//! JSON tables: one object a line, or an array, or one object. A row is parsed straight into its
//! record; only when that fails is it taken apart to find out why.

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use snapshot::record::Members;

use super::fields::{self, Field, Value};
use super::identity::{OwnedValue, PartialRow};
use super::parsed::{Context, Parsed};
use super::text::{column, newlines, offset};
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::rows::Row;
use crate::text::quoted;

/// Text that one thread takes at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// A row of a file: its text within the file's, and the line it starts at.
#[derive(Clone, Copy)]
struct Piece<'a> {
    file: &'a str,
    text: &'a str,
    line: u32,
}

/// One object a line; blank lines are allowed.
pub(super) fn lines<T: DeserializeOwned + Send>(file: &str, context: Context) -> Parsed<T> {
    if file.trim_ascii_start().starts_with('[') {
        let message = "an array, where every line should be one object";
        let told = Diagnostic::new(Code::BadSyntax, context.at(1), message);
        let start = file.trim_ascii_start();
        let piece = Piece { file, text: file, line: 1 };
        return Parsed::fault(place(told.help("rename the file to .json"), piece, start));
    }
    let chunks = chunks(file);
    let lines: Vec<u32> = chunks.par_iter().map(|chunk| newlines(chunk.as_bytes())).collect();
    let starts = lines.iter().scan(1, |next: &mut u32, lines| {
        let start = *next;
        *next = next.saturating_add(*lines);
        Some(start)
    });
    let chunks: Vec<(&str, u32)> = chunks.into_iter().zip(starts).collect();
    let parsed: Vec<Parsed<T>> = chunks
        .into_par_iter()
        .map(|(chunk, start)| {
            let mut parsed = Parsed::empty();
            for (text, line) in chunk.lines().zip(start..) {
                if !text.trim_ascii().is_empty() {
                    row(Piece { file, text, line }, context, &mut parsed);
                }
            }
            parsed
        })
        .collect();
    join(parsed)
}

/// An array of objects, or one object.
pub(super) fn document<T: DeserializeOwned + Send>(file: &str, context: Context) -> Parsed<T> {
    let items: Vec<&RawValue> = if file.trim_ascii_start().starts_with('[') {
        match serde_json::from_str(file) {
            Ok(items) => items,
            Err(error) => return Parsed::fault(syntax(&error, Piece { file, text: file, line: 1 }, context)),
        }
    } else {
        match serde_json::from_str(file) {
            Ok(item) => vec![item],
            Err(error) => return Parsed::fault(syntax(&error, Piece { file, text: file, line: 1 }, context)),
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
    let parsed = pieces.par_chunks(256).map(|pieces| {
        let mut parsed = Parsed::empty();
        for piece in pieces {
            row(*piece, context, &mut parsed);
        }
        parsed
    });
    join(parsed.collect())
}

fn join<T>(parts: Vec<Parsed<T>>) -> Parsed<T> {
    let mut all = Parsed::empty();
    all.rows.reserve_exact(parts.iter().map(|part| part.rows.len()).sum());
    for part in parts {
        all.append(part);
    }
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

/// Where `part`, which was borrowed from `whole`, starts in it.
fn position(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

fn row<T: DeserializeOwned>(piece: Piece<'_>, context: Context, parsed: &mut Parsed<T>) {
    let at = context.at(piece.line);
    match serde_json::from_str(piece.text) {
        Ok(record) => parsed.rows.push(Row { record, at }),
        Err(_) => slow_row(piece, context, parsed),
    }
}

/// The same without private and null fields, and with a message for every fault.
fn slow_row<T: DeserializeOwned>(piece: Piece<'_>, context: Context, parsed: &mut Parsed<T>) {
    let members: Members<&RawValue> = match serde_json::from_str(piece.text) {
        Ok(members) => members,
        Err(error) => return parsed.faults.push(syntax(&error, piece, context)),
    };
    let (mut faults, mut unreadable) = (Vec::new(), Vec::new());
    let mut values: Vec<(&str, &RawValue, serde_json::Value)> = Vec::with_capacity(members.0.len());
    for (name, raw) in &members.0 {
        match serde_json::from_str(raw.get()) {
            _ if fields::is_private(name) => {}
            Ok(serde_json::Value::Null) => {}
            Ok(value) => values.push((name, raw, value)),
            Err(error) => {
                unreadable.push(name.as_str());
                let message =
                    format!("`{name}` is {}, which cannot be read: {}", quoted(raw.get()), reason(&error));
                let told =
                    Diagnostic::new(Code::BadValue, context.at(0), message).value(name.clone(), raw.get());
                faults.push(place(told, piece, raw.get()));
            }
        }
    }
    let row: Vec<Field<'_>> =
        values.iter().map(|(name, _, value)| Field { name, value: Value::Json(value) }).collect();
    let at = context.at(piece.line);
    if !faults.is_empty() {
        for problem in fields::problems::<T>(row, &unreadable, context.subject.name()) {
            let raw = values.iter().rev().find(|(name, ..)| Some(*name) == problem.field);
            let text = raw.map_or(piece.text, |(_, raw, _)| raw.get());
            faults.push(place(problem.at(context.at(0)), piece, text));
        }
        parsed.faults.append(&mut faults);
    } else if let Ok(record) = fields::record(&row) {
        parsed.rows.push(Row { record, at });
    } else {
        let fields = values.into_iter().map(|(name, raw, value)| {
            let (line, column) = spot(piece, raw.get());
            (name.to_owned(), OwnedValue::Json(value), context.at(line), column)
        });
        let column = spot(piece, piece.text).1;
        parsed.loose.push(PartialRow::new(at, fields).in_column(column));
    }
}

/// Line and column of a text within the file.
fn spot(piece: Piece<'_>, text: &str) -> (u32, Option<u32>) {
    let (row, start) = (position(piece.file, piece.text), position(piece.file, text));
    let line = piece.line + newlines(&piece.file.as_bytes()[row.min(start)..start]);
    (line, column(piece.file, start))
}

/// Puts a fault at the text it is about.
fn place(fault: Diagnostic, piece: Piece<'_>, text: &str) -> Diagnostic {
    let (line, column) = spot(piece, text);
    Diagnostic { at: Location { line, ..fault.at }, column, ..fault }
}

fn syntax(error: &serde_json::Error, piece: Piece<'_>, context: Context) -> Diagnostic {
    let at = offset(piece.text, error.line(), error.column());
    let message = if error.is_data() {
        format!("expected an object, found {}", quoted(piece.text))
    } else {
        format!("broken JSON: {}", reason(error))
    };
    let rest = piece.text.get(at..).unwrap_or("");
    place(Diagnostic::new(Code::BadSyntax, context.at(0), message), piece, rest)
}

/// The parser's words without its own line and column.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}
