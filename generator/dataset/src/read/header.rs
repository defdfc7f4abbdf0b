//! The header of a CSV table: what separates its cells, and which field each column is.

use serde::de::DeserializeOwned;
use snapshot::search::fold;

use super::fields;
use crate::diagnostics::{Code, Diagnostic, Edit, Fix, Location, Safety};
use crate::table::Table;
use crate::text::quoted;

/// What separates cells, the most usual first.
const SEPARATORS: [(u8, &str); 4] = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs"), (b'|', "bars")];

/// Other names of columns, folded, that mean one field in their table.
const ALIASES: [(Table, &[(&str, &str)]); 5] = [
    (
        Table::Organizations,
        &[
            ("title", "name"),
            ("nombre", "name"),
            ("country", "countryCode"),
            ("pais", "countryCode"),
            ("url", "websiteUrl"),
            ("website", "websiteUrl"),
            ("link", "websiteUrl"),
            ("sitioweb", "websiteUrl"),
            ("descripcion", "description"),
        ],
    ),
    (
        Table::Programs,
        &[
            ("title", "name"),
            ("nombre", "name"),
            ("url", "officialUrl"),
            ("link", "officialUrl"),
            ("website", "officialUrl"),
            ("enlace", "officialUrl"),
            ("type", "programType"),
            ("tipo", "programType"),
            ("organisation", "organization"),
            ("organizacion", "organization"),
            ("funder", "organization"),
            ("provider", "organization"),
            ("resumen", "summary"),
            ("descripcion", "description"),
        ],
    ),
    (
        Table::Cycles,
        &[
            ("programme", "program"),
            ("name", "label"),
            ("title", "label"),
            ("season", "label"),
            ("opens", "opensOn"),
            ("deadline", "deadlineOn"),
            ("url", "applicationUrl"),
            ("link", "applicationUrl"),
        ],
    ),
    (
        Table::Recipients,
        &[
            ("name", "displayName"),
            ("country", "countryCode"),
            ("url", "websiteUrl"),
            ("website", "websiteUrl"),
            ("bio", "biography"),
        ],
    ),
    (
        Table::Awards,
        &[
            ("programme", "program"),
            ("year", "awardYear"),
            ("title", "projectTitle"),
            ("notes", "publicNotes"),
        ],
    ),
];

/// A header that was read.
pub(super) struct Header {
    /// The field of each column; nothing when the rows cannot be read by it.
    pub names: Option<Vec<String>>,
    /// What was understood, or is wrong.
    pub told: Vec<Diagnostic>,
}

/// The separator that makes most cells of the header fields.
pub(super) fn separator<T: DeserializeOwned>(file: &str, table: Table) -> u8 {
    let line = file.lines().find(|line| !line.is_empty()).unwrap_or_default();
    let fields_by = |separator: u8| {
        let cells = line.split(char::from(separator)).map(|cell| cell.trim().trim_matches('"'));
        cells.filter(|cell| field::<T>(cell, table).is_some() || fields::is_private(cell)).count()
    };
    let best = SEPARATORS.iter().rev().max_by_key(|(separator, _)| fields_by(*separator));
    best.filter(|(separator, _)| fields_by(*separator) > 0).map_or(b',', |(separator, _)| *separator)
}

/// Which field each column is.
pub(super) fn read<T: DeserializeOwned>(
    record: &::csv::StringRecord,
    separator: u8,
    at: Location,
    table: Table,
) -> Header {
    let mut told = Vec::new();
    let written: Vec<&str> = record.iter().map(str::trim).collect();
    if let Some((_, name)) = SEPARATORS.iter().find(|(known, _)| *known == separator && separator != b',') {
        let message = format!("cells are separated by {name}, and were read so");
        told.push(Diagnostic::new(Code::OtherSeparator, at, message));
    }
    let mut names: Vec<String> = Vec::with_capacity(written.len());
    let mut is_good = true;
    for name in &written {
        let known = if fields::is_private(name) { Some(*name) } else { field::<T>(name, table) };
        let fault = match known {
            // One column of the field's own name is that field, whatever others are called.
            Some(known) if known != *name && written.contains(&known) => {
                Some(unknown::<T>(name, &written, at, table))
            }
            Some(known) if names.iter().any(|earlier| earlier == known) => {
                let message = format!("the column {} occurs twice", quoted(name));
                Some(Diagnostic::new(Code::RepeatedField, at, message).value((*name).to_owned(), *name))
            }
            None => Some(unknown::<T>(name, &written, at, table)),
            Some(known) => {
                if known != *name {
                    let message = format!("the column {} understood as `{known}`", quoted(name));
                    let edits = vec![Edit::header(name, known)];
                    let understood = Diagnostic::new(Code::HeaderUnderstood, at, message);
                    told.push(
                        understood.value(known.to_owned(), *name).fix(Fix { safety: Safety::Safe, edits }),
                    );
                }
                None
            }
        };
        names.push(known.unwrap_or(name).to_owned());
        is_good &= fault.is_none();
        told.extend(fault);
    }
    Header { names: is_good.then_some(names), told }
}

/// The field that a column's name means.
fn field<T: DeserializeOwned>(name: &str, table: Table) -> Option<&'static str> {
    let known = || fields::names::<T>().iter().chain(table.input_only_fields()).copied();
    if let Some(exact) = known().find(|known| *known == name) {
        return Some(exact);
    }
    let key = key(name);
    let aliases = ALIASES.iter().find(|(of, _)| *of == table).map_or(&[][..], |(_, aliases)| aliases);
    let alias = || aliases.iter().find(|(alias, _)| *alias == key).map(|(_, field)| *field);
    known().find(|known| known.eq_ignore_ascii_case(&key)).or_else(alias)
}

/// A name without case, accents, spaces and signs.
fn key(name: &str) -> String {
    fold(name).chars().filter(char::is_ascii_alphanumeric).collect()
}

fn unknown<T: DeserializeOwned>(name: &str, header: &[&str], at: Location, table: Table) -> Diagnostic {
    if name.is_empty() {
        return Diagnostic::new(Code::UnknownField, at, "a column has no name").help("name it, or remove it");
    }
    let known: Vec<&str> = fields::names::<T>().iter().chain(table.input_only_fields()).copied().collect();
    let free: Vec<&str> = known.iter().filter(|known| !header.contains(known)).copied().collect();
    let (code, message, help) = fields::unknown_field(name, &free, table.name());
    let near = crate::text::nearest(name, free.iter().copied());
    let edits = near.map(|near| vec![Edit::header(name, near)]);
    let fix = edits.map(|edits| Fix { safety: Safety::Unsafe, edits });
    let told = Diagnostic::new(code, at, message).maybe_help(help).value(name.to_owned(), name);
    Diagnostic { fix, ..told }
}
