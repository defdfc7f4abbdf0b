//! Rules of the vocabulary as a whole: each value once, and no loop of broader values.

use std::collections::BTreeMap;

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::registry::repeated;
use crate::rows::Tables;
use crate::table::Table;
use crate::text::quoted;

/// More than the levels of any vocabulary: a longer chain of `broader` is a loop.
const DEEPEST: usize = 64;

/// Reports values that occur again, and wrong broader values.
pub(super) fn check(tables: &Tables, report: &mut Diagnostics) {
    let mut first = BTreeMap::new();
    for row in &tables.vocabulary {
        let (facet, value) = (row.record.facet.as_str(), row.record.value.as_str());
        let place = *first.entry((facet, value)).or_insert(row.at);
        if place != row.at {
            let message = format!("{} of `{}` already has a label", quoted(value), facet.escape_debug());
            let value = ("value", value.to_owned());
            report.push(repeated(Code::DuplicateKey, (row.at, place), &message, value, report));
        }
    }
    report.extend(broader(tables));
}

/// Vocabulary values whose `broader` is no value of the facet, or leads back to themselves.
fn broader(tables: &Tables) -> Vec<Diagnostic> {
    let terms = tables.vocabulary.iter().map(|row| &row.record);
    let broader: BTreeMap<(&str, &str), Option<&str>> =
        terms.map(|term| ((term.facet.as_str(), term.value.as_str()), term.broader.as_deref())).collect();
    let errors = tables.vocabulary.iter().filter_map(|row| {
        let (facet, start) = (row.record.facet.as_str(), row.record.value.as_str());
        let above = row.record.broader.as_deref()?;
        if !broader.contains_key(&(facet, above)) {
            if tables.incomplete.contains(&Table::Vocabulary) {
                return None;
            }
            let message = format!("`broader` is {}, which is no value of this facet", quoted(above));
            return Some(Diagnostic::new(Code::Dangling, row.at, message).value("broader", above));
        }
        let mut value = above;
        for _ in 0..DEEPEST {
            value = broader.get(&(facet, value)).copied().flatten()?;
        }
        let message = format!("following `broader` from {} never ends", quoted(start));
        Some(Diagnostic::new(Code::BroaderLoop, row.at, message).value("broader", above))
    });
    errors.collect()
}
