//! Corrections of imported records, in files of their own so that the next import keeps them: a row names
//! its record by `key`, `slug` or `id`, and states the new values of fields.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::files::{ImportError, Outcome, text_of};
use crate::mapping::kinds;
use crate::output::{Output, Outputs, Record, line_of, previous, record_of};
use crate::values;
use dataset::Table;
use dataset::diagnostics::{Code, Diagnostic, Diagnostics, FileId, Location};
use dataset::text::{nearest, quoted, slug_of};

/// What an edit names its record by.
const NAMES: [&str; 3] = ["key", "slug", "id"];

/// Fields of records that edits changed, each record by its table and its row in the source, which may make records of
/// several; and where the edit is.
pub(crate) type Edited = BTreeMap<(Table, Location, String), Location>;

/// Applies every edit to what was imported.
pub(super) fn apply(data: &Path, outputs: &mut Outputs, report: &mut Diagnostics) -> Outcome<Edited> {
    let mut edited = Edited::new();
    for path in files(&data.join("edits"))? {
        let file = report.add_file(path.display().to_string());
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_csv = path.extension().is_some_and(|it| it == "csv");
        let Some(table) = Table::parse(&stem).filter(|_| is_csv) else {
            let near = nearest(&stem, Table::ALL.map(Table::name)).unwrap_or("programs");
            let message = format!("`{}` is not read: edits are in `<table>.csv`", path.display());
            let problem = Diagnostic::new(Code::LostEdit, Location { file, line: 1 }, message);
            report.push(problem.help(format!("did you mean `{near}.csv`?")));
            continue;
        };
        let text = text_of(&path)?;
        let own = outputs.iter_mut().filter(|((of, _), _)| *of == table);
        let records = |it: &Output| it.rows.iter().map(|(line, _)| record_of(line)).collect();
        let mut imported: Vec<_> = own.map(|((_, source), it)| (source, records(it), it)).collect();
        for row in rows(text.trim_start_matches('\u{feff}'), file) {
            let done = row.and_then(|row| edit(table, row, data, (&mut imported, &mut edited), report));
            done.unwrap_or_else(|problem| report.push(problem));
        }
        for (_, records, output) in imported {
            output.rows.iter_mut().zip(&records).for_each(|((line, _), record)| *line = line_of(record));
        }
    }
    Ok(edited)
}

/// The files of a folder by name, but for texts about them and those of a program that has one open; none without it.
fn files(folder: &Path) -> Outcome<BTreeSet<PathBuf>> {
    let is_text = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.extension().is_none_or(|it| it == "md" || it == "txt") || name.starts_with(['.', '~'])
    };
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(ImportError::input(folder, error)),
        Ok(entries) => Ok(entries.flatten().map(|it| it.path()).filter(|it| !is_text(it)).collect()),
    }
}

/// A source, its records of a table, and their output.
type Editable<'o> = (&'o String, Vec<Record>, &'o mut Output);

/// The rows of a file of edits. Empty cells leave what is there, `null` clears it.
fn rows(text: &str, file: FileId) -> Vec<Result<(Location, Record), Diagnostic>> {
    // As spreadsheet programs of some languages write it.
    let is_parted = text.lines().next().is_some_and(|header| header.contains(';'));
    let delimiter = if is_parted { b';' } else { b',' };
    let mut reader =
        ::csv::ReaderBuilder::new().flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
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
    (imported, edited): (&mut [Editable<'_>], &mut Edited),
    report: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let wanted = NAMES.iter().find_map(|name| Some((*name, row.get(*name)?.as_str()?.to_owned())));
    let (name, wanted) = wanted.ok_or_else(|| {
        let problem = Diagnostic::new(Code::LostEdit, at, "the edit names no record");
        problem.field("key").help("fill in `key`, `slug` or `id`")
    })?;
    let changes = changes(table, row, name, at)?;
    let rows = imported.iter_mut().flat_map(|(from, rows, output)| {
        rows.iter_mut().zip(&output.rows).map(|(row, (_, place))| (&**from, row, *place))
    });
    let found: Vec<_> = rows.filter(|(_, row, _)| is_named(row, name, &wanted)).collect();
    if let [(_, first, _), _, ..] = &found[..]
        && name == "key"
        && !first.contains_key(name)
    {
        let message = format!("{} rows of {} are of program {}", found.len(), table.name(), quoted(&wanted));
        let help = format!("give rows of {} a `key` of their own in the mapping", table.name());
        return Err(Diagnostic::new(Code::LostEdit, at, message).value(name, wanted).help(help));
    }
    let has_left = |record: &Record| record.get("publication").is_some_and(|it| it == "withdrawn");
    if let Some((source, ..)) = found.iter().find(|(_, record, _)| has_left(record)) {
        let message = format!("the row of this edit, {name} {}, has left source `{source}`", quoted(&wanted));
        let help = "remove the edit, or keep it for the case that the row comes back";
        return Err(Diagnostic::new(Code::IdleEdit, at, message).value(name, wanted).help(help));
    }
    let is_found = !found.is_empty();
    for (_, record, place) in found {
        for (field, value) in &changes {
            let before = place.and_then(|place| edited.insert((table, place, field.clone()), at));
            if let Some(before) = before {
                let line = before.line;
                let message = format!("`{field}` of {name} {} is in row {line} as well", quoted(&wanted));
                let problem = Diagnostic::new(Code::RepeatedField, at, message).field(field.clone());
                return Err(problem.help("keep one of the two"));
            }
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
        let help = (name == "id").then(|| "derived ids stand in no row: name it by `key`".to_owned());
        return Err(Diagnostic::new(Code::LostEdit, at, message).value(name, wanted).maybe_help(help));
    }
    Ok(())
}

/// The fields that an edit changes, with their values.
fn changes(table: Table, row: Record, name: &str, at: Location) -> Result<Vec<(String, Value)>, Diagnostic> {
    let kinds = kinds(table);
    let changes = row.into_iter().filter(|(field, _)| field != name).map(|(field, value)| {
        let Some((_, kind)) = kinds.iter().find(|(known, _)| *known == field) else {
            let near = nearest(&field, kinds.iter().map(|(known, _)| known.as_str()));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("`{field}` is not a field of {}", table.name());
            return Err(Diagnostic::new(Code::UnknownField, at, message).field(field).maybe_help(help));
        };
        let value = values::written(&value, &field, *kind).map_err(|wrong| {
            Diagnostic::new(wrong.code, at, wrong.message).field(field.clone()).help(wrong.help)
        })?;
        Ok((field, value))
    });
    changes.collect()
}

/// Whether an edit means a record. One without a slug or a key has that of its name or of its program.
fn is_named(record: &Record, name: &str, wanted: &str) -> bool {
    let text = |name: &str| record.get(name).and_then(Value::as_str);
    let derived = || match name {
        "slug" => text("name").or(text("displayName")).map(slug_of),
        "key" => text("program").map(str::to_owned),
        _ => None,
    };
    text(name).map(str::to_owned).or_else(derived).is_some_and(|found| found == wanted)
}

/// Whether a source that was not imported this time has the record.
fn is_elsewhere(data: &Path, table: Table, name: &str, wanted: &str, imported: &[Editable<'_>]) -> bool {
    let Ok(entries) = std::fs::read_dir(data.join(table.name())) else { return false };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let sources = names.filter_map(|file| file.strip_suffix(".ndjson").map(str::to_owned));
    let mut others = sources.filter(|source| imported.iter().all(|(from, ..)| *from != source));
    others.any(|source| previous(data, table, &source).iter().any(|it| is_named(it, name, wanted)))
}
