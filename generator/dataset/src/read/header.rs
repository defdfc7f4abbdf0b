//! The header of a CSV table: what separates its cells, and which field each column is.

use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use snapshot::text::fold;

use super::fields;
use crate::diagnostics::{Code, Diagnostic, Edit, Fix, Location, Safety};
use crate::table::Table;
use crate::text::{data_rows, nearest, quoted};

/// Separators of cells, the most usual first.
const SEPARATORS: [(u8, &str); 4] = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs"), (b'|', "bars")];

/// Unambiguous synonyms of columns: table, synonym without case and accents, field.
static SYNONYMS: LazyLock<Vec<(Option<Table>, &str, &str)>> = LazyLock::new(|| {
    let rows = data_rows(include_str!("header.csv"));
    rows.flat_map(|[table, field, _, names]| {
        names.split('|').map(move |name| (Table::parse(table), name, field))
    })
    .collect()
});

/// The separator that gives the most known fields in the header.
pub(super) fn separator<T: DeserializeOwned>(file: &str, table: Table) -> u8 {
    let line = file.lines().find(|line| !line.is_empty()).unwrap_or_default();
    let known_fields = |separator: u8| {
        let cells = line.split(char::from(separator)).map(|cell| cell.trim().trim_matches('"'));
        cells.filter(|cell| field::<T>(cell, table).is_some() || fields::is_private(cell)).count()
    };
    let best = SEPARATORS.iter().rev().max_by_key(|(separator, _)| known_fields(*separator));
    best.filter(|(separator, _)| known_fields(*separator) > 0).map_or(b',', |(separator, _)| *separator)
}

/// The field of each column; none if the header has errors, so that the rows cannot be read.
pub(super) fn read<T: DeserializeOwned>(
    record: &::csv::StringRecord,
    separator: u8,
    at: Location,
    table: Table,
    problems: &mut Vec<Diagnostic>,
) -> Option<Vec<String>> {
    let header: Vec<&str> = record.iter().map(str::trim).collect();
    if let Some((_, name)) = SEPARATORS.iter().find(|(known, _)| *known == separator && separator != b',') {
        let message = format!("cells are separated by {name}, and were read as such");
        problems.push(Diagnostic::new(Code::OtherSeparator, at, message));
    }
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    let mut is_good = true;
    for name in &header {
        let known = if fields::is_private(name) { Some(*name) } else { field::<T>(name, table) };
        let error = match known {
            // A column with the field's own name is that field; synonyms beside it are unknown.
            Some(known) if known != *name && header.contains(&known) => {
                Some(unknown::<T>(name, &header, at, table))
            }
            Some(known) if names.iter().any(|earlier| earlier == known) => {
                let message = format!("the column {} occurs twice", quoted(name));
                Some(Diagnostic::new(Code::RepeatedField, at, message).value((*name).to_owned(), *name))
            }
            None => Some(unknown::<T>(name, &header, at, table)),
            Some(known) => {
                if known != *name {
                    let message = format!("the column {} was read as `{known}`", quoted(name));
                    let fix = Fix { safety: Safety::Safe, edits: vec![Edit::header(name, known)] };
                    let warning = Diagnostic::new(Code::HeaderUnderstood, at, message);
                    problems.push(warning.value(known.to_owned(), *name).fix(fix));
                }
                None
            }
        };
        names.push(known.unwrap_or(name).to_owned());
        is_good &= error.is_none();
        problems.extend(error);
    }
    is_good.then_some(names)
}

/// Names of the record's fields and of those that only input rows have.
fn field_names<T: DeserializeOwned>(table: Table) -> impl Iterator<Item = &'static str> {
    fields::names::<T>().iter().chain(table.input_only_fields()).copied()
}

/// The field with a name, in any case and spacing, or with a synonym.
fn field<T: DeserializeOwned>(name: &str, table: Table) -> Option<&'static str> {
    if let Some(exact) = field_names::<T>(table).find(|known| *known == name) {
        return Some(exact);
    }
    // Without case, accents, spaces and signs.
    let key: String = fold(name).chars().filter(char::is_ascii_alphanumeric).collect();
    let synonym = || SYNONYMS.iter().find(|(of, synonym, _)| *of == Some(table) && *synonym == key);
    field_names::<T>(table)
        .find(|known| known.eq_ignore_ascii_case(&key))
        .or_else(|| synonym().map(|(.., field)| *field))
}

fn unknown<T: DeserializeOwned>(name: &str, header: &[&str], at: Location, table: Table) -> Diagnostic {
    if name.is_empty() {
        return Diagnostic::new(Code::UnknownField, at, "a column has no name").help("name it, or remove it");
    }
    let free: Vec<&str> = field_names::<T>(table).filter(|known| !header.contains(known)).collect();
    let near = nearest(name, free.iter().copied());
    let fix = near.map(|near| Fix { safety: Safety::Unsafe, edits: vec![Edit::header(name, near)] });
    let problem = fields::unknown_field(name, &free, table.name(), at).value(name.to_owned(), name);
    Diagnostic { fix, ..problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::published;

    #[test]
    fn every_synonym_is_folded_and_means_a_field_of_its_table() {
        assert!(SYNONYMS.len() > 30);
        for (table, synonym, field) in SYNONYMS.iter() {
            let table = table.unwrap();
            let is_column = published(table).columns.iter().any(|column| column.name == *field);
            assert!(is_column || table.input_only_fields().contains(field), "{field} of {table:?}");
            assert!(synonym.bytes().all(|byte| byte.is_ascii_lowercase()), "{synonym}");
        }
    }
}
