//! Which files earlier imports wrote, and what becomes of those that no source makes any more. `.imported` in the dataset
//! lists them, each with the `gone` rule of its source.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::files::ImportError;
use crate::mapping::Source;
use crate::output::{ImportOptions, Imported};
use dataset::Table;
use dataset::text::counted;

/// Name of the list.
const LIST: &str = ".imported";

/// Adds what becomes of files whose source or table is no longer in the mapping, and the new list.
pub(super) fn add(
    options: &ImportOptions<'_>,
    sources: &[Source],
    imported: &mut Imported,
) -> Result<(), ImportError> {
    let path = options.data.join(LIST);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(ImportError::input(&path, error)),
    };
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let mut list: BTreeMap<String, String> = lines
        .filter(|(_, path)| is_table(path))
        .map(|(gone, path)| (path.to_owned(), gone.to_owned()))
        .collect();
    for path in imported.files.keys() {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".ndjson");
        let source = sources.iter().find(|source| name == source.name);
        let gone = source.and_then(|source| source.gone.as_deref()).unwrap_or("withdraw");
        list.insert(path.clone(), gone.to_owned());
    }
    // A source that was not chosen still makes its files.
    let is_all = options.sources.is_empty();
    let lost: Vec<(String, String)> = list
        .iter()
        .filter(|(path, _)| is_all && !imported.files.contains_key(*path))
        .map(|(path, gone)| (path.clone(), gone.clone()))
        .collect();
    for (path, gone) in lost {
        let Ok(text) = std::fs::read_to_string(options.data.join(&path)) else {
            list.remove(&path);
            continue;
        };
        let (bytes, verb) = match gone.as_str() {
            "keep" => continue,
            "remove" => (Vec::new(), "removed"),
            _ => (withdrawn(&text).into_bytes(), "withdrawn"),
        };
        let rows = counted(text.lines().count(), "row");
        let shown = options.data.join(&path);
        imported.lines.push(format!("{}: no source makes it any more, {rows} {verb}", shown.display()));
        if bytes.is_empty() {
            list.remove(&path);
        }
        imported.files.insert(path, bytes);
    }
    let list: String = list.iter().map(|(path, gone)| format!("{gone} {path}\n")).collect();
    imported.files.insert(LIST.to_owned(), list.into_bytes());
    Ok(())
}

/// Whether a path of the list is that of a table: the list is read from disk.
fn is_table(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(&parts[..], [table, file] if Table::parse(table).is_some() && file.ends_with(".ndjson") && !file.starts_with('.'))
}

fn withdrawn(text: &str) -> String {
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.map(|mut row| {
        row["publication"] = json!("withdrawn");
        format!("{row}\n")
    })
    .collect()
}
