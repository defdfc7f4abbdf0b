//! Values as a dataset writes them: codes for names of places, values for labels of the vocabulary, whole addresses. A note
//! counts the replacements of each field. What has several readings stays, and the check refuses it.

use std::collections::BTreeMap;
use std::path::Path;

use dataset::diagnostics::Diagnostics;
use dataset::text::{counted, quoted};
use dataset::{Input, Labels, Table};
use serde_json::Value;
use snapshot::place;

use crate::files::ImportError;
use crate::output::{Output, Outputs, path_of};

/// Replaces what records have in place of values.
pub(super) fn complete(
    data: &Path,
    outputs: &mut Outputs,
    report: &mut Diagnostics,
) -> Result<(), ImportError> {
    // With what is imported now.
    let terms = outputs.iter().filter(|((table, _), _)| *table == Table::Vocabulary);
    let lines = |output: &Output| output.rows.iter().flat_map(|(line, _)| line.bytes()).collect();
    let files = terms.map(|((table, source), output)| (path_of(*table, source), lines(output))).collect();
    let labels = Labels::read(&Input::Overlaid(data.to_owned(), &files));
    let labels = labels.map_err(|error| ImportError::Input(error.to_string()))?;
    let mut replaced: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for output in outputs.values_mut() {
        output.change(|_, record| {
            let kind = record.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
            let mut is_changed = false;
            for (field, value) in record.iter_mut() {
                let items = match value {
                    Value::Array(items) => items.as_mut_slice(),
                    one => std::slice::from_mut(one),
                };
                for item in items {
                    let Some(text) = item.as_str() else { continue };
                    let Some(meant) = meant(field, &kind, text, &labels) else { continue };
                    let example = || (0, format!("{} is `{meant}`", quoted(text)));
                    replaced.entry(field.clone()).or_insert_with(example).0 += 1;
                    (*item, is_changed) = (meant.into(), true);
                }
            }
            Ok(is_changed)
        })?;
    }
    for (field, (count, example)) in replaced {
        let count = counted(count, "text");
        report.note(format!("`{field}`: {count} read as what the dataset has for it, as {example}"));
    }
    Ok(())
}

/// Whether a text is the code of a state of the US.
pub(super) fn is_state(text: &str) -> bool {
    place::is_place(&format!("US-{text}"))
}

/// The value that a text of a field stands for.
fn meant(field: &str, kind: &str, text: &str, labels: &Labels) -> Option<String> {
    if field == "url" || field.ends_with("Url") {
        return lacks_scheme(text).then(|| format!("https://{text}"));
    }
    labels.meant(field, kind, text)
}

/// Whether it is a web address without a scheme: a host name that begins with `www.` or has a path behind it. Another name
/// with a point may be that of a file.
pub(super) fn lacks_scheme(text: &str) -> bool {
    let (host, path) = text.split_at(text.find(['/', '?', '#']).unwrap_or(text.len()));
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let labels: Vec<&str> = host.split('.').collect();
    let is_name = labels.iter().all(|it| is_label(it))
        && labels.last().is_some_and(|it| !it.contains(|c: char| c.is_ascii_digit()));
    let least = if labels[0] == "www" { 3 } else { 2 };
    is_name
        && labels.len() >= least
        && (least == 3 || path.starts_with('/'))
        && !text.contains(char::is_whitespace)
}
