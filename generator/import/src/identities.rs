//! Ids and addresses that records keep when their source calls them otherwise: by another name, or by another key, where
//! the mapping declares `gone = "rename"`. A record that has them once has them in every later import.

use std::cell::LazyCell;
use std::path::Path;

use dataset::diagnostics::Diagnostics;
use dataset::text::{counted, quoted};
use dataset::{Input, Table};

use crate::files::ImportError;
use crate::output::{Outputs, keys_of, name_of, path_of, previous};

/// Gives records the ids and slugs of the last import.
pub(super) fn keep(data: &Path, outputs: &mut Outputs, report: &mut Diagnostics) -> Result<(), ImportError> {
    // Read only where a record is called otherwise.
    let earlier = LazyCell::new(|| dataset::identities(&Input::Folder(data.to_owned())));
    let mut stayed: Vec<String> = Vec::new();
    for ((table, source), output) in outputs.iter_mut() {
        if !matches!(table, Table::Organizations | Table::Programs | Table::Recipients) {
            continue;
        }
        let before = previous(data, *table, source);
        let keys = keys_of(&before);
        if before.is_empty() {
            continue;
        }
        let adopted = std::mem::take(&mut output.adopted);
        output.change(|number, record| {
            let adopted = adopted.get(&number);
            let known = record.get("key").and_then(|key| keys.get(&key.to_string()));
            let Some(at) = adopted.or(known) else { return Ok(false) };
            for field in ["id", "slug"] {
                if let Some(value) = before[*at].get(field).filter(|_| !record.contains_key(field)) {
                    record.insert(field.to_owned(), value.clone());
                }
            }
            let is_renamed = name_of(&before[*at]) != name_of(record) && !record.contains_key("slug");
            if adopted.is_none() && !is_renamed {
                return Ok(true);
            }
            let earlier = earlier.as_ref().map_err(|error| ImportError::Input(error.to_string()))?;
            let path = data.join(path_of(*table, source));
            let Some((id, slug)) = earlier.get(&format!("{}:{}", path.display(), *at + 1)) else {
                return Ok(true);
            };
            if adopted.is_some() {
                record.entry("id").or_insert_with(|| id.to_string().into());
            }
            if let Some(slug) = slug {
                record.entry("slug").or_insert_with(|| slug.as_str().into());
                let name = name_of(record).unwrap_or_default();
                stayed.push(format!("{} of {}", quoted(slug), quoted(name)));
            }
            Ok(true)
        })?;
    }
    if let Some(first) = stayed.first() {
        let kept = "kept under another name or key";
        let count = counted(stayed.len(), "slug");
        report.note(format!("{count} {kept}, as {first}; `slug` in edits/ changes one"));
    }
    Ok(())
}
