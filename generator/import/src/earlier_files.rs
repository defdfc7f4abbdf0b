//! Which files earlier imports wrote, and what becomes of those that no source makes any more. `.imported` in the dataset
//! lists them, each with the `gone` rule of its source.

use std::collections::BTreeMap;

use crate::files::{ImportError, text_of};
use crate::mapping::Source;
use crate::output::{ImportOptions, Imported, Record, line_of, records};
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
    let text = text_of(&options.data.join(LIST))?;
    let lines = text.lines().filter_map(|line| line.split_once(' ')).filter(|(_, path)| is_table(path));
    let mut list: BTreeMap<String, String> =
        lines.map(|(gone, path)| (path.to_owned(), gone.to_owned())).collect();
    for path in imported.files.keys() {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".ndjson");
        let source = sources.iter().find(|source| name == source.name);
        let gone = source.and_then(|source| source.gone.as_deref()).unwrap_or("withdraw");
        list.insert(path.clone(), gone.to_owned());
    }
    list.retain(|path, gone| {
        // A source that was not chosen still makes its files.
        if !options.sources.is_empty() || imported.files.contains_key(path) {
            return true;
        }
        let shown = options.data.join(path);
        let Ok(text) = std::fs::read_to_string(&shown) else { return false };
        let (bytes, verb) = match gone.as_str() {
            "keep" => return true,
            "remove" => (Vec::new(), "removed"),
            _ => (withdrawn(&text).into_bytes(), "withdrawn"),
        };
        let rows = counted(text.lines().count(), "row");
        imported.lines.push(format!("{}: no source makes it any more, {rows} {verb}", shown.display()));
        let stays = !bytes.is_empty();
        imported.files.insert(path.clone(), bytes);
        stays
    });
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
    let withdraw = |mut record: Record| {
        record.insert("publication".to_owned(), "withdrawn".into());
        line_of(&record)
    };
    records(text).map(withdraw).collect()
}
