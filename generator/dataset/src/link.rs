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

use snapshot::record::{Dataset, Directory};
use store::spill::Spill;

use crate::diagnostics::Diagnostics;
use crate::facet_values::{self, Labels};
use crate::parallel;
use crate::record::Record;
use crate::registry::Registry;
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;
pub(crate) use advice::{Advice, untranslated};
pub(crate) use directory::build as build_directory;
pub(crate) use publication::clear_references;
pub(crate) use rules::LateRows;
pub(crate) use texts::correct_text;

/// The published directory, or none if `report` has errors, from here or from reading.
#[must_use]
pub fn link(mut tables: Tables, report: &mut Diagnostics) -> Option<Directory> {
    check(&mut tables, report).then(|| directory::build(tables))?
}

/// Corrects, checks and leaves out rows as [`link`] does; false if `report` has errors.
pub(crate) fn check(tables: &mut Tables, report: &mut Diagnostics) -> bool {
    if let Some(row) = &mut tables.dataset {
        check_dataset(row, report);
    }
    let (labels, mut late) = (Labels::new(&tables.vocabulary), LateRows::default());
    check_rows(tables, &labels, &mut late, report);
    late.report(tables.dataset.as_ref(), report);
    sort(tables);
    let mut registry = Registry::of(tables);
    vocabulary::check(tables, report);
    // In memory nothing fails.
    let _ = registry.report(tables.dataset.as_ref().map(|row| row.at), report);
    publication::leave_out(tables, &registry);
    registry.note_left_out(report);
    let mut advice = Advice::new(&Spill::default());
    advice.add_programs(tables, report);
    advice.add_organizations(tables);
    let _ = advice.finish(tables, report);
    links::check(tables, report);
    report.error_count() == 0
}

fn check_dataset(row: &mut Row<Dataset>, report: &mut Diagnostics) {
    texts::correct_dataset(row, report);
    rules::check_dataset(row, report);
}

/// Corrects rows and checks each on its own.
pub(crate) fn check_rows(
    tables: &mut Tables,
    labels: &Labels,
    late: &mut LateRows,
    report: &mut Diagnostics,
) {
    texts::correct(tables, report);
    facet_values::replace_labels(tables, labels, report);
    rules::check(tables, late, report);
}

/// Checks what all parts of a dataset have: its description, vocabulary and synonyms.
pub(crate) fn check_shared(
    shared: &mut Tables,
    registry: &mut Registry,
    late: &mut LateRows,
    report: &mut Diagnostics,
) {
    if let Some(row) = &mut shared.dataset {
        check_dataset(row, report);
    }
    check_rows(shared, &Labels::new(&shared.vocabulary), late, report);
    sort(shared);
    shared.run(registry);
    vocabulary::check(shared, report);
    publication::leave_out(shared, registry);
}

struct SortById;

impl Pass for SortById {
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        // Leaders and channels keep the order of their files, which is published.
        if !matches!(table, Table::Leaders | Table::Channels) {
            // Equal ids keep the order of reading.
            parallel::sort_by_key(rows, |row| (row.record.profile().id, row.at));
        }
    }
}

pub(crate) fn sort(tables: &mut Tables) {
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
