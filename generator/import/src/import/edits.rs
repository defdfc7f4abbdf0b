//! Corrections of imported records, in files of their own so that the next import keeps them: a row names
//! its record by `key`, `slug` or `id`, and states the new values of fields.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::files::{Outcome, text_of};
use crate::mapping::kinds;
use crate::output::{Output, Outputs, Record, line_of, previous};
use crate::values;
use dataset::Table;
use dataset::diagnostics::{Code, Diagnostic, Diagnostics, FileId, Location};
use dataset::text::{nearest, quoted, slug_of};

/// What an edit names its record by.
const NAMES: [&str; 3] = ["key", "slug", "id"];

/// Applies every edit to what was imported.
pub(super) fn apply(data: &Path, outputs: &mut Outputs, report: &mut Diagnostics) -> Outcome<()> {
    for table in outputs.keys().map(|(table, _)| *table).collect::<BTreeSet<_>>() {
        let path = data.join("edits").join(format!("{}.csv", table.name()));
        let text = text_of(&path)?;
        if text.is_empty() {
            continue;
        }
        let own = outputs.iter_mut().filter(|((of, _), _)| *of == table);
        let mut imported: Vec<_> = own.map(|((_, source), it)| (source, it.records(), it)).collect();
        for row in rows(text.trim_start_matches('\u{feff}'), report.add_file(path.display().to_string())) {
            let edited = row.and_then(|row| edit(table, row, data, &mut imported, report));
            edited.unwrap_or_else(|problem| report.push(problem));
        }
        for (_, records, output) in imported {
            output.rows.iter_mut().zip(&records).for_each(|((line, _), record)| *line = line_of(record));
        }
    }
    Ok(())
}

/// A source, its records of a table, and their output.
type Imported<'o> = (&'o String, Vec<Record>, &'o mut Output);

/// The rows of a file of edits. Empty cells leave what is there, `null` clears it.
fn rows(text: &str, file: FileId) -> Vec<Result<(Location, Record), Diagnostic>> {
    let mut reader = ::csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().cloned().unwrap_or_default();
    let rows = reader.records().flatten().map(|record| {
        let at = Location { file, line: dataset::csv::line_of(&record, text) };
        if record.len() != header.len() {
            let message = "the row has more or fewer cells than the header";
            return Err(Diagnostic::new(Code::CellCount, at, message));
        }
        let cells = header.iter().zip(record.iter()).filter(|(_, cell)| !cell.is_empty());
        let value = |cell: &str| if cell == "null" { Value::Null } else { cell.into() };
        Ok((at, cells.map(|(name, cell)| (name.trim().to_owned(), value(cell))).collect()))
    });
    rows.collect()
}

fn edit(
    table: Table,
    (at, row): (Location, Record),
    data: &Path,
    imported: &mut [Imported<'_>],
    report: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let wanted = NAMES.iter().find_map(|name| Some((*name, row.get(*name)?.as_str()?.to_owned())));
    let (name, wanted) = wanted.ok_or_else(|| {
        let problem = Diagnostic::new(Code::LostEdit, at, "the edit names no record");
        problem.field("key").help("fill in `key`, `slug` or `id`")
    })?;
    let mut changes = Vec::new();
    let kinds = kinds(table);
    for (field, value) in row.into_iter().filter(|(field, _)| field != name) {
        let Some((_, kind)) = kinds.iter().find(|(known, _)| *known == field) else {
            let near = nearest(&field, kinds.iter().map(|(known, _)| known.as_str()));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("`{field}` is not a field of {}", table.name());
            return Err(Diagnostic::new(Code::UnknownField, at, message).field(field).maybe_help(help));
        };
        let value = values::written(&value, &field, *kind).map_err(|wrong| {
            Diagnostic::new(wrong.code, at, wrong.message).field(field.clone()).help(wrong.help)
        })?;
        changes.push((field, value));
    }
    let rows = imported.iter_mut().flat_map(|(from, rows, _)| rows.iter_mut().map(|row| (&**from, row)));
    let found: Vec<(&String, &mut Record)> = rows.filter(|(_, row)| is_named(row, name, &wanted)).collect();
    let has_left = |record: &Record| record.get("publication").is_some_and(|it| it == "withdrawn");
    if let Some((source, _)) = found.iter().find(|(_, record)| has_left(record)) {
        let message = format!("the row of this edit, {name} {}, has left source `{source}`", quoted(&wanted));
        let help = "remove the edit, or keep it for the case that the row comes back";
        return Err(Diagnostic::new(Code::IdleEdit, at, message).value(name, wanted).help(help));
    }
    let is_found = !found.is_empty();
    for (_, record) in found {
        for (field, value) in &changes {
            if record.get(field).unwrap_or(&Value::Null) == value {
                let message = format!("`{field}` is already the value in the source");
                report.push(Diagnostic::new(Code::IdleEdit, at, message).field(field.clone()));
            } else if value.is_null() {
                record.remove(field);
            } else {
                record.insert(field.clone(), value.clone());
            }
        }
    }
    if !is_found && !is_elsewhere(data, table, name, &wanted, imported) {
        let message = format!("no imported row of {} has the {name} {}", table.name(), quoted(&wanted));
        return Err(Diagnostic::new(Code::LostEdit, at, message).value(name, wanted));
    }
    Ok(())
}

fn is_named(record: &Record, name: &str, wanted: &str) -> bool {
    let text = |name: &str| record.get(name).and_then(Value::as_str);
    let is_slug = || text("name").or(text("displayName")).is_some_and(|name| slug_of(name) == wanted);
    text(name).map_or_else(|| name == "slug" && is_slug(), |found| found == wanted)
}

/// Whether a source that was not imported this time has the record.
fn is_elsewhere(data: &Path, table: Table, name: &str, wanted: &str, imported: &[Imported<'_>]) -> bool {
    let Ok(entries) = std::fs::read_dir(data.join(table.name())) else { return false };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let sources = names.filter_map(|file| file.strip_suffix(".ndjson").map(str::to_owned));
    let mut others = sources.filter(|source| imported.iter().all(|(from, ..)| *from != source));
    others.any(|source| previous(data, table, &source).iter().any(|it| is_named(it, name, wanted)))
}
