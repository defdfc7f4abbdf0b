//! What a draft is made from: every sheet of a source, and where it stands.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use crate::source;
use crate::source::sheet::{Cell, EMPTY, Reading, Sheet};
use crate::vocabulary::{FIELDS, Field};
use dataset::Table;
use dataset::schema::ValueType;

/// A sheet that was read, and how.
pub(super) struct Found {
    /// Its name, where its source has several.
    pub name: Option<String>,
    /// Its encoding, where that is not UTF-8.
    pub encoding: Option<String>,
    pub sheet: Sheet,
}

impl Found {
    /// The first lines of its source in a mapping.
    pub(super) fn heading(&self, name: &str, file: Option<&Path>) -> String {
        let file = file.map(|file| format!("file    = {}\n", quoted(&file.display().to_string())));
        let sheet = self.name.as_ref().map(|sheet| format!("sheet   = {}\n", quoted(sheet)));
        format!("\n[sources.{name}]\n{}{}", file.unwrap_or_default(), sheet.unwrap_or_default())
    }
}

/// A draft of the mapping of a sheet.
pub(super) struct Draft<'s> {
    pub sheet: &'s Sheet,
    /// Every sheet of the source.
    pub others: &'s [Found],
}

/// The column of each mapped field, and whether its name leaves no doubt.
pub(super) type Taken = BTreeMap<(Table, &'static str), (usize, bool)>;

impl Draft<'_> {
    /// What the cells of a column have, without empty ones.
    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = String> {
        self.sheet
            .rows
            .iter()
            .filter_map(move |row| row.cells.get(column))
            .filter(|cell| !cell.is_empty())
            .map(Cell::text)
    }
}

pub(super) fn fields_of(table: Table) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |field| field.table == table)
}

/// The columns of mapped fields with a type of values.
pub(super) fn columns_of(taken: &Taken, value_type: ValueType) -> impl Iterator<Item = usize> {
    let is_typed = move |table: Table, name: &str| {
        fields_of(table).any(|field| field.name == name && field.value_type() == value_type)
    };
    taken.iter().filter(move |((table, name), _)| is_typed(*table, name)).map(|(_, (column, _))| *column)
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

/// Every sheet of a source that has rows.
pub(super) fn sheets(bytes: &[u8]) -> Result<Vec<Found>, String> {
    let names = source::sheets(bytes)?;
    if names.len() > 1 {
        let read = names.into_iter().map(|name| {
            let sheet = match source::read(bytes, &Reading { sheet: Some(&name), ..Reading::default() }) {
                Err(reason) if reason == EMPTY => Ok(Sheet::default()),
                other => other.map_err(|reason| format!("sheet \"{name}\": {reason}")),
            };
            Ok(Found { name: Some(name), encoding: None, sheet: sheet? })
        });
        let mut read = read.collect::<Result<Vec<Found>, String>>()?;
        read.retain(|found| !found.sheet.rows.is_empty());
        return if read.is_empty() { Err("no sheet of it has rows".to_owned()) } else { Ok(read) };
    }
    let (sheet, encoding) = match source::read(bytes, &Reading::default()) {
        Ok(sheet) => (sheet, None),
        Err(reason) if std::str::from_utf8(bytes).is_ok() => return Err(reason),
        Err(reason) => {
            let Some(guess) = source::guess(bytes) else { return Err(reason) };
            let how = Reading { encoding: Some(&guess), ..Reading::default() };
            (source::read(bytes, &how).map_err(|_| reason)?, Some(guess))
        }
    };
    Ok(vec![Found { name: None, encoding, sheet }])
}

/// Where a file is, seen from the folder of a dataset: both can then be moved together.
pub(super) fn beside(file: &Path, data: &Path) -> PathBuf {
    let whole = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.canonicalize().unwrap_or(path)
    };
    let (file, data) = (whole(file), whole(data));
    let common = file.components().zip(data.components()).take_while(|(one, other)| one == other).count();
    if common < 2 {
        return file;
    }
    let up = data.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

/// The start of a text, for a comment.
pub(super) fn one_line(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
    text.trim().to_owned()
}
