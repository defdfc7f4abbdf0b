//! Rows to a [`Directory`]: corrects texts, checks every rule, leaves out unpublished rows, and resolves
//! references. Every row that passes is correct from here on.

mod advice;
mod contradicted;
mod directory;
mod ids;
mod links;
mod publication;
mod rules;
mod texts;
mod vocabulary;

use snapshot::record::Directory;

use crate::diagnostics::Diagnostics;
use crate::facet_values;
use crate::parallel;
use crate::record::Record;
use crate::registry::Registry;
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;
pub(crate) use advice::{Advice, untranslated};
use rules::LateRows;
use store::Spill;

/// The published directory, or none if `report` has errors, from here or from reading.
#[must_use]
pub fn link(mut tables: Tables, report: &mut Diagnostics) -> Option<Directory> {
    check(&mut tables, report).then(|| directory::build(tables))?
}

/// Corrects, checks and leaves out rows as [`link`] does; false if `report` has errors.
pub(crate) fn check(tables: &mut Tables, report: &mut Diagnostics) -> bool {
    texts::correct(tables, report);
    facet_values::replace_labels(tables, report);
    sort(tables);
    let mut registry = Registry::of(tables);
    if let Some(row) = &tables.dataset {
        rules::check_dataset(row, report);
    }
    let mut late = LateRows::default();
    rules::check(tables, &mut late, report);
    late.report(tables.dataset.as_ref().map(|row| row.record.published_at), report);
    vocabulary::check(tables, report);
    let start = tables.dataset.as_ref().map(|row| row.at);
    // In memory nothing fails.
    let _ = registry.report(start, report);
    publication::leave_out(tables, &registry, report);
    let mut advice = Advice::new(&Spill::default());
    advice.add_programs(tables, report);
    advice.add_organizations(tables);
    let _ = advice.finish(tables, report);
    links::check(tables, report);
    report.error_count() == 0
}

struct SortById;

impl Pass for SortById {
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        // Leaders and channels keep the order of their files, which is published.
        if !matches!(table, Table::Leaders | Table::Channels) {
            // Equal ids keep the order of reading.
            parallel::sort_by_key(rows, |row| (row.record.id(), row.at));
        }
    }
}

fn sort(tables: &mut Tables) {
    tables.run(&mut SortById);
    tables
        .aliases
        .sort_by(|a, b| (a.record.entity_type, &a.record.slug).cmp(&(b.record.entity_type, &b.record.slug)));
    tables
        .vocabulary
        .sort_by(|a, b| (&a.record.facet, &a.record.value).cmp(&(&b.record.facet, &b.record.value)));
    tables
        .synonyms
        .sort_by(|a, b| (a.record.locale, &a.record.terms).cmp(&(b.record.locale, &b.record.terms)));
}

#[cfg(test)]
mod tests;
