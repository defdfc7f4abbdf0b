//! Leaves out rows that are not published, and rows that belong to them.

use snapshot::record::PublicationStatus;
use uuid::Uuid;

use crate::record::Record;
use crate::registry::{Registry, Status};
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;

/// Removes the rows that are not published, and references to them. The tables have the rows of the registry, in its order.
pub(super) fn leave_out(tables: &mut Tables, registry: &Registry) {
    clear_broader(tables);
    clear_references(tables, registry);
    tables.run(&mut Removal(registry));
}

/// Clears references to rows that are left out, where the referring row stays.
pub(crate) fn clear_references(tables: &mut Tables, registry: &Registry) {
    for award in &mut tables.awards {
        award.record.cycle_id.take_if(|id| !registry.is_published(Table::Cycles, *id));
    }
    let is_removed = |id: &mut Uuid| !registry.is_published(Table::Sources, *id);
    for fact in &mut tables.facts {
        fact.record.source_id.take_if(is_removed);
    }
    for transition in &mut tables.transitions {
        transition.record.source_id.take_if(is_removed);
    }
}

/// Clears broader values that are left out.
fn clear_broader(tables: &mut Tables) {
    let removed =
        tables.vocabulary.iter().filter(|row| row.record.publication != PublicationStatus::Published);
    let removed: Vec<(String, String)> =
        removed.map(|row| (row.record.facet.clone(), row.record.value.clone())).collect();
    for row in &mut tables.vocabulary {
        let facet = &row.record.facet;
        row.record
            .broader
            .take_if(|value| removed.iter().any(|(of, removed)| of == facet && removed == value));
    }
}

struct Removal<'a>(&'a Registry);

impl Pass for Removal<'_> {
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        let mut number = 0..;
        rows.retain(|_| number.next().and_then(|row| self.0.status(table, row)) == Some(Status::Published));
    }
}
