//! Rows to a [`Directory`]: corrects texts, checks every rule, leaves out unpublished rows, and resolves
//! references. Every row that passes is correct from here on.

mod advice;
mod directory;
mod rules;
mod texts;

use snapshot::record::{Directory, PublicationStatus, Term};

use crate::diagnostics::Diagnostics;
use crate::facet_values::{self, Labels};
use crate::registry::{Registry, Status};
use crate::rows::{Record, Tables};
use crate::table::Table;
pub(crate) use advice::untranslated;

/// The published directory, or none if `report` has errors, from here or from reading.
pub fn link(mut tables: Tables, report: &mut Diagnostics) -> Option<Directory> {
    check(&mut tables, report).then(|| directory::build(tables))?
}

/// Corrects, checks and leaves out rows as [`link`] does; false if `report` has errors.
pub(crate) fn check(tables: &mut Tables, report: &mut Diagnostics) -> bool {
    let labels = Labels::new(&tables.vocabulary);
    let mut found = Diagnostics::new();
    texts::correct(tables, &mut found);
    facet_values::check_labels(tables, &labels, &mut found);
    rules::check(tables, &mut found);
    // Stand-ins of rows that are no records have no problems of their own.
    report.extend(found.list.into_iter().filter(|it| {
        let mut stand_ins = tables.broken.get(&it.at).into_iter().flatten();
        !stand_ins.any(|field| it.field.as_deref() == Some(field))
    }));
    tables.drop_broken();
    sort(tables);
    let registry = Registry::of(tables, report);
    leave_out(tables, &registry);
    registry.note_left_out(report);
    advice::check(tables, report);
    texts::check_links(tables, report);
    report.error_count() == 0
}

fn sort(tables: &mut Tables) {
    each_table!(tables, |table, rows| {
        // Leaders and channels keep the order of their files, which is published.
        if !matches!(table, Table::Leaders | Table::Channels) {
            // It is stable, and sorts keys that have one type for all tables, not rows.
            rows.sort_by_cached_key(|row| row.record.profile().id);
        }
    });
    let Tables { aliases, vocabulary, synonyms, .. } = tables;
    aliases
        .sort_by(|a, b| (a.record.entity_type, &a.record.slug).cmp(&(b.record.entity_type, &b.record.slug)));
    vocabulary.sort_by(|a, b| (&a.record.facet, &a.record.value).cmp(&(&b.record.facet, &b.record.value)));
    synonyms.sort_by(|a, b| (a.record.locale, &a.record.terms).cmp(&(b.record.locale, &b.record.terms)));
}

/// Removes the rows that are not published, and references to them.
fn leave_out(tables: &mut Tables, registry: &Registry) {
    clear_broader(tables);
    clear_references(tables, registry);
    each_table!(tables, |table, rows| {
        let mut number = 0..;
        rows.retain(|_| number.next().and_then(|row| registry.status(table, row)) == Some(Status::Published));
    });
}

/// Clears references to rows that are left out, where the referring row stays.
fn clear_references(tables: &mut Tables, registry: &Registry) {
    for award in &mut tables.awards {
        award.record.cycle_id.take_if(|id| !registry.is_published(Table::Cycles, *id));
    }
    let facts = tables.facts.iter_mut().map(|row| &mut row.record.source_id);
    for source in facts.chain(tables.transitions.iter_mut().map(|row| &mut row.record.source_id)) {
        source.take_if(|id| !registry.is_published(Table::Sources, *id));
    }
}

/// Clears broader values that are left out.
fn clear_broader(tables: &mut Tables) {
    let removed = tables.vocabulary.iter().map(|row| &row.record);
    let removed = removed.filter(|term| term.publication != PublicationStatus::Published);
    let removed: Vec<(String, String)> = removed.map(|it| (it.facet.clone(), it.value.clone())).collect();
    for row in &mut tables.vocabulary {
        let Term { facet, broader, .. } = &mut row.record;
        broader.take_if(|value| removed.contains(&(facet.clone(), value.clone())));
    }
}

#[cfg(test)]
mod tests;
