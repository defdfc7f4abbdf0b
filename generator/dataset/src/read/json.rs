//! JSON tables: one object a line, an array of objects, or one object. A row is deserialized straight into its
//! record; only if that fails are its members read one by one.

use std::num::NonZeroU32;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use snapshot::record::{InternedStr, Members};

use super::fields;
use super::parsed::{Parsed, ROW_MAX, too_long};
use super::partial::{Member, PartialRow};
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::parallel::{self, SHARE};
use crate::rows::Row;
use crate::schema::value_type;
use crate::table::Table;
use crate::text::quoted;

/// Columns of longer lines are not counted.
const LONGEST_LINE: usize = 100_000;

/// A row of a file: its text within the file's, and where it starts.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    file: &'a str,
    text: &'a str,
    at: Location,
}

/// The rows of a file: one object a line; blank lines are allowed.
/// A file may come in several blocks; `start` is the place of the block's first line.
pub(super) fn lines(file: &str, start: Location) -> Result<Vec<Piece<'_>>, Diagnostic> {
    let first = file.trim_ascii_start();
    if start.line == 1 && first.starts_with('[') {
        let problem = Diagnostic::new(Code::BadSyntax, start, "an array, expected one object a line");
        let piece = Piece { file, text: file, at: start };
        return Err(place(problem.help("rename the file to .json"), piece, first));
    }
    let lines = file.lines().zip(start.line..).filter(|(text, _)| !text.trim_ascii().is_empty());
    Ok(lines.map(|(text, line)| Piece { file, text, at: Location { line, ..start } }).collect())
}

/// The rows of a file: an array of objects, or one object.
pub(super) fn document(file: &str, start: Location) -> Result<Vec<Piece<'_>>, Diagnostic> {
    let items: Result<Vec<&RawValue>, _> = if file.trim_ascii_start().starts_with('[') {
        serde_json::from_str(file)
    } else {
        serde_json::from_str(file).map(|item| vec![item])
    };
    let items = items.map_err(|error| syntax(&error, Piece { file, text: file, at: start }))?;
    let (mut at, mut seen) = (start, 0);
    let piece = |item: &RawValue| {
        let offset = position(file, item.get());
        at = at.below(&file.as_bytes()[seen..offset]);
        seen = offset;
        Piece { file, text: &file[offset..offset + item.get().len()], at }
    };
    Ok(items.into_iter().map(piece).collect())
}

/// The records of rows of a table; of `dataset.json`, of none.
pub(super) fn records<T: DeserializeOwned + Send>(pieces: &[Piece<'_>], table: Option<Table>) -> Parsed<T> {
    let mut all = Parsed::empty();
    all.rows.reserve_exact(pieces.len());
    let parts = parallel::map(pieces.chunks(SHARE), |part| {
        let mut parsed = Parsed::empty();
        part.iter().for_each(|piece| row(*piece, table, &mut parsed));
        parsed
    });
    parts.into_iter().for_each(|part| all.append(part));
    all
}

/// Offset of `part`, which is a slice of `whole`.
fn position(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

fn row<T: DeserializeOwned>(piece: Piece<'_>, table: Option<Table>, parsed: &mut Parsed<T>) {
    if piece.text.len() > ROW_MAX {
        return parsed.problems.push(too_long(piece.text.len(), piece.at));
    }
    match serde_json::from_str(piece.text) {
        Ok(record) => parsed.rows.push(Row { record, at: piece.at }),
        Err(_) => row_by_members(piece, table, parsed),
    }
}

/// Reads a row without its private and null members; one that is no record yet is completed later.
fn row_by_members<T: DeserializeOwned>(piece: Piece<'_>, table: Option<Table>, parsed: &mut Parsed<T>) {
    let at = piece.at;
    let members: Members<&RawValue> = match serde_json::from_str(piece.text) {
        Ok(members) => members,
        Err(error) => return parsed.problems.push(syntax(&error, piece)),
    };
    let (mut values, mut lost) = (Vec::with_capacity(members.0.len()), Vec::new());
    for (name, raw) in members.0.iter().filter(|(name, _)| !fields::is_private(name)) {
        let name = InternedStr::from(name.as_str());
        match serde_json::from_str(raw.get()) {
            Ok(serde_json::Value::Null) => {}
            Ok(serde_json::Value::Array(mut items)) => {
                // A list that was read has room for four items at least.
                items.shrink_to_fit();
                values.push((name, raw, items.into()));
            }
            Ok(value) => values.push((name, raw, value)),
            Err(error) => {
                lost.push(name.to_string());
                let reason = reason(&error);
                let message = format!("`{name}` is {}, which cannot be read: {reason}", quoted(raw.get()));
                let problem = Diagnostic::new(Code::BadValue, at, message).value(name.as_str(), raw.get());
                parsed.problems.push(place(problem, piece, raw.get()));
            }
        }
    }
    let typed = |name: &str, value| fields::typed(value, value_type(table, name), false);
    let row = values.iter().map(|(name, _, value)| (name.as_str(), typed(name, value)));
    match fields::record(row.collect()) {
        Ok(record) if lost.is_empty() => parsed.rows.push(Row { record, at }),
        _ => {
            let members = values.into_iter().map(|(name, raw, value)| {
                let (line, column) = line_and_column(piece, raw.get());
                let column = column.and_then(NonZeroU32::new);
                Member { name, value, line, column }
            });
            let (members, (_, column)) = (members.collect(), line_and_column(piece, piece.text));
            parsed.partial.push(PartialRow { at, column, members, is_csv: false, id: None, lost });
        }
    }
}

/// Line and column of a text within the file.
fn line_and_column(piece: Piece<'_>, text: &str) -> (u32, Option<u32>) {
    let (row, start) = (position(piece.file, piece.text), position(piece.file, text));
    (piece.at.below(&piece.file.as_bytes()[row.min(start)..start]).line, column(piece.file, start))
}

/// Column of a byte offset: a character of its line, from 1.
fn column(text: &str, offset: usize) -> Option<u32> {
    let before = &text[..text.floor_char_boundary(offset)];
    let from = before.floor_char_boundary(before.len().saturating_sub(LONGEST_LINE));
    let line = before[from..].rfind('\n').map(|newline| from + newline + 1).or((from == 0).then_some(0))?;
    u32::try_from(before[line..].chars().count() + 1).ok()
}

/// Gives a problem the place of a text.
fn place(problem: Diagnostic, piece: Piece<'_>, text: &str) -> Diagnostic {
    let (line, column) = line_and_column(piece, text);
    Diagnostic { at: Location { line, ..problem.at }, column, ..problem }
}

fn syntax(error: &serde_json::Error, piece: Piece<'_>) -> Diagnostic {
    // Parsers count lines and columns from 1.
    let lines = piece.text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let at = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let message = if error.is_data() {
        format!("expected an object, found {}", quoted(piece.text))
    } else {
        format!("broken JSON: {}", reason(error))
    };
    let rest = piece.text.get(at.min(piece.text.len())..).unwrap_or("");
    place(Diagnostic::new(Code::BadSyntax, piece.at, message), piece, rest)
}

/// The parser's message without its own line and column.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}
