//! References by id: each must lead to a row, published or not, and a season to the program it is named with.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::ids::Ids;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::parallel;
use crate::record::{Record, Reference};
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;
use crate::text::{counted, quoted};

/// More than the levels of any vocabulary: a longer chain of `broader` is a loop.
const DEEPEST: usize = 64;

/// Reports references that lead nowhere, or to a season of another program.
pub(super) fn check(tables: &mut Tables, ids: &Ids, report: &mut Diagnostics) {
    let unknown = tables.incomplete.union(&tables.absent).copied().collect();
    let mut check =
        Check { ids, absent: tables.absent.clone(), unknown, missing: BTreeMap::new(), errors: Vec::new() };
    tables.run(&mut check);
    report.extend(missing_tables(tables, &check.missing));
    report.extend(check.errors);
    let awards = tables.awards.iter().map(|row| (row.at, row.record.program_id, row.record.cycle_id));
    let facts = tables.facts.iter().map(|row| (row.at, row.record.program_id, row.record.cycle_id));
    report.extend(
        awards.chain(facts).filter_map(|(at, program, cycle)| other_program(ids, at, program, cycle?)),
    );
    report.extend(broader(tables));
}

/// Tables that must exist, or that rows refer to, and do not.
fn missing_tables(tables: &Tables, missing: &BTreeMap<Table, (Location, usize)>) -> Vec<Diagnostic> {
    let needed = [Table::Organizations, Table::Programs].into_iter();
    let needed = needed.filter(|table| tables.absent.contains(table) && !missing.contains_key(table));
    let start = tables.dataset.as_ref().map(|row| row.at);
    let needed = needed.filter_map(|table| Some((table, start?, None)));
    let referred = missing.iter().map(|(table, (at, count))| (*table, *at, Some(*count)));
    let unread = |table: &Table| tables.incomplete.contains(table);
    let errors = needed.chain(referred).filter(|(table, ..)| !unread(table)).map(|(table, at, count)| {
        let name = table.name();
        let references = count.map(|count| format!(", but {} to it", counted(count, "reference")));
        let message = format!("there is no table `{name}`{}", references.unwrap_or_default());
        Diagnostic::new(Code::NoTable, at, message).help(format!("add {name}.csv or {name}.ndjson"))
    });
    errors.collect()
}

struct Check<'a> {
    ids: &'a Ids,
    absent: BTreeSet<Table>,
    /// Tables whose references cannot be checked.
    unknown: BTreeSet<Table>,
    /// Absent tables that rows refer to: the first place, and the number of references.
    missing: BTreeMap<Table, (Location, usize)>,
    errors: Vec<Diagnostic>,
}

impl Pass for Check<'_> {
    fn table<T: Record>(&mut self, _: Table, rows: &mut Vec<Row<T>>) {
        if !self.absent.is_empty() {
            for row in &*rows {
                for to in row.record.references().into_iter().flatten() {
                    if self.absent.contains(&to.table) {
                        self.missing.entry(to.table).or_insert((row.at, 0)).1 += 1;
                    }
                }
            }
        }
        let errors = parallel::flat_map(rows, |row| {
            let references = row.record.references().into_iter().flatten();
            references.filter_map(|to| self.dangling(row.at, to))
        });
        self.errors.extend(errors);
    }
}

impl Check<'_> {
    fn dangling(&self, at: Location, to: Reference) -> Option<Diagnostic> {
        let Reference { field, table, id, .. } = to;
        if self.unknown.contains(&table) || self.ids.position(table, id).is_some() {
            return None;
        }
        let message = format!("`{field}` is {id}, which is not in {}", table.name());
        let help =
            self.ids.elsewhere(id).map(|table| format!("a record with this id is in {}", table.name()));
        Some(Diagnostic::new(Code::Dangling, at, message).value(field, id.to_string()).maybe_help(help))
    }
}

fn other_program(ids: &Ids, at: Location, program: Uuid, cycle: Uuid) -> Option<Diagnostic> {
    let of_cycle = ids.cycle_programs[ids.position(Table::Cycles, cycle)?];
    let message = || format!("`programId` is {program}, but the cycle belongs to program {of_cycle}");
    (of_cycle != program).then(|| Diagnostic::new(Code::OtherProgram, at, message()).field("programId"))
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
