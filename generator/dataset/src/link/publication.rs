//! Leaves out rows that are not published, and rows that belong to them.

use std::collections::BTreeMap;

use snapshot::record::PublicationStatus;
use uuid::Uuid;

use super::ids::Ids;
use crate::parallel;
use crate::record::Record;
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;

/// Whether a row is published, or why not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Published,
    Draft,
    Withdrawn,
    NotApproved,
    /// A row that it belongs to is left out.
    OwnerLeftOut,
}

/// The reasons that the note states.
const REASONS: [(Status, &str); 3] =
    [(Status::Draft, "draft"), (Status::Withdrawn, "withdrawn"), (Status::NotApproved, "not approved")];

/// The statuses of all rows, by table and position.
struct Statuses<'a> {
    ids: &'a Ids,
    tables: BTreeMap<Table, Vec<Status>>,
}

impl Statuses<'_> {
    fn is_published(&self, table: Table, id: Uuid) -> bool {
        let status = self.ids.position(table, id).and_then(|at| self.tables.get(&table)?.get(at));
        status == Some(&Status::Published)
    }

    fn of(&self, record: &impl Record) -> Status {
        let has_owners = || {
            let mut owners = record.references().into_iter().flatten().filter(|to| to.is_owner);
            owners.all(|to| self.is_published(to.table, to.id))
        };
        match record.publication() {
            PublicationStatus::Draft => Status::Draft,
            PublicationStatus::Withdrawn => Status::Withdrawn,
            PublicationStatus::Published if !has_owners() => Status::OwnerLeftOut,
            PublicationStatus::Published if !record.is_approved() => Status::NotApproved,
            PublicationStatus::Published => Status::Published,
        }
    }
}

impl Pass for Statuses<'_> {
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        let statuses = parallel::flat_map(rows, |row| Some(self.of(&row.record)));
        self.tables.insert(table, statuses);
    }
}

/// Removes the rows that are not published, and references to them; returns a note with their numbers.
pub(super) fn leave_out(tables: &mut Tables, ids: &Ids) -> Option<String> {
    let mut statuses = Statuses { ids, tables: BTreeMap::new() };
    tables.run(&mut statuses);
    clear_references(tables, &statuses);
    let mut removal = Removal { statuses: statuses.tables, left_out: BTreeMap::new() };
    tables.run(&mut removal);
    let left_out: Vec<String> = removal.left_out.into_values().collect();
    (!left_out.is_empty())
        .then(|| format!("left out, with the rows that belong to it: {}", left_out.join(", ")))
}

/// Clears references to rows that are left out, where the referring row stays.
fn clear_references(tables: &mut Tables, statuses: &Statuses<'_>) {
    for award in &mut tables.awards {
        award.record.cycle_id.take_if(|id| !statuses.is_published(Table::Cycles, *id));
    }
    let is_removed = |id: &mut Uuid| !statuses.is_published(Table::Sources, *id);
    for fact in &mut tables.facts {
        fact.record.source_id.take_if(is_removed);
    }
    for transition in &mut tables.transitions {
        transition.record.source_id.take_if(is_removed);
    }
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

struct Removal {
    statuses: BTreeMap<Table, Vec<Status>>,
    /// `programs 3 (2 draft, 1 withdrawn)`.
    left_out: BTreeMap<Table, String>,
}

impl Pass for Removal {
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        let statuses = self.statuses.remove(&table).unwrap_or_default();
        let count = |wanted: Status| statuses.iter().filter(|status| **status == wanted).count();
        let left_out = statuses.len() - count(Status::Published);
        if left_out == 0 {
            return;
        }
        let mut next = statuses.iter();
        rows.retain(|_| next.next() == Some(&Status::Published));
        let reasons = REASONS.iter().map(|(status, reason)| (count(*status), reason));
        let reasons =
            reasons.filter(|(count, _)| *count > 0).map(|(count, reason)| format!("{count} {reason}"));
        let reasons: Vec<String> = reasons.collect();
        let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
        self.left_out.insert(table, format!("{} {left_out}{reasons}", table.name()));
    }
}
