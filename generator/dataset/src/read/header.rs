//! The header of a CSV table: its columns have the names of fields. A table in another form is one error, which names
//! `opdir import`.

use super::fields::{is_private, meant, unknown_field};
use super::files::IMPORT;
use super::parsed::Context;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::table::Table;
use crate::text::quoted;

/// Separators of cells that a dataset has not. No name of a field contains them.
const SEPARATORS: [(char, &str); 3] = [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")];

/// Most columns of a table. No table has so many fields; private columns beside them are few.
const COLUMNS_MAX: usize = 1_000;
/// Most names that a message lists.
const LISTED: usize = 5;

/// The problem of a table whose cells are not separated by commas.
pub(super) fn separator_problem(file: &str, context: Context) -> Option<Diagnostic> {
    let header = file.lines().find(|line| !line.is_empty())?;
    let count = |separator: char| header.matches(separator).count();
    let (_, name) = SEPARATORS.iter().find(|(separator, _)| count(*separator) > count(','))?;
    Some(other_form(context.at(1), format!("cells are separated by {name}, expected commas")))
}

fn other_form(at: Location, message: String) -> Diagnostic {
    Diagnostic::new(Code::OtherForm, at, message).help(IMPORT)
}

/// The field of each column, or a private name where it has none; none if the table has another form, so that the rows
/// cannot be read.
pub(super) fn read(
    record: &::csv::StringRecord,
    fields: &[&'static str],
    at: Location,
    table: Table,
    problems: &mut Vec<Diagnostic>,
) -> Option<Vec<String>> {
    if record.len() > COLUMNS_MAX {
        let message = format!("{} columns, at most {COLUMNS_MAX} are read", record.len());
        problems.push(other_form(at, message));
        return None;
    }
    let header: Vec<&str> = record.iter().collect();
    let known: Vec<&str> = fields.iter().chain(table.input_only_fields()).copied().collect();
    let free: Vec<&str> = known.iter().filter(|name| !header.contains(name)).copied().collect();
    let is_unknown = |name: &str| !is_private(name) && !known.contains(&name);
    let strange = header.iter().filter(|name| is_unknown(name) && meant(name, &free).is_none());
    let strange: Vec<String> = strange.map(|name| quoted(name)).collect();
    if strange.len() * 2 > header.len() {
        let (count, columns, table) = (strange.len(), header.len(), table.name());
        let more = if count > LISTED { ", …" } else { "" };
        let listed = strange[..count.min(LISTED)].join(", ") + more;
        let message = format!("{count} of {columns} columns are not fields of {table}: {listed}");
        problems.push(other_form(at, message));
        return None;
    }
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    for name in &header {
        let problem = if name.is_empty() {
            let message = "a column has no name";
            Diagnostic::new(Code::UnknownField, at, message).help("name it, or remove it")
        } else if is_unknown(name) {
            unknown_field(name, &free, table.name(), at).value((*name).to_owned(), *name)
        } else if names.iter().any(|known| known == name) {
            let message = format!("the column {} occurs twice", quoted(name));
            Diagnostic::new(Code::RepeatedField, at, message).value((*name).to_owned(), *name)
        } else {
            names.push((*name).to_owned());
            continue;
        };
        problems.push(problem);
        // The rows are checked all the same: with the field that was probably meant, or without the column.
        let field = meant(name, &free).filter(|field| !name.is_empty() && names.iter().all(|it| it != field));
        names.push(field.unwrap_or("x_").to_owned());
    }
    Some(names)
}
