//! References by id: each must lead to a row, published or not, and a season must be of the
//! program it is named with.

use std::collections::BTreeMap;

use rayon::prelude::*;
use snapshot::record::{
    Alias, Award, Channel, Cycle, EntityRef, EntityType, Fact, Leader, Post, Program, Source, Transition,
    Translation,
};
use uuid::Uuid;

use super::{Ids, find};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::rows::{Row, Tables};
use crate::table::Table;
use crate::text::{counted, quoted};

/// No vocabulary has more levels; who climbs further goes in a circle.
const DEEPEST: usize = 64;

/// Field that refers, table that it refers into, id.
type Reference = (&'static str, Table, Uuid);

trait Refers {
    fn references(&self) -> [Option<Reference>; 3];
}

macro_rules! refers {
    ($($record:ident, $this:ident => $references:expr;)+) => {
        $(impl Refers for $record {
            fn references(&self) -> [Option<Reference>; 3] {
                let $this = self;
                $references
            }
        })+
    };
}

const fn organization(id: Uuid) -> Option<Reference> {
    Some(("organizationId", Table::Organizations, id))
}

const fn program(id: Uuid) -> Option<Reference> {
    Some(("programId", Table::Programs, id))
}

const fn entity(of: EntityRef) -> Option<Reference> {
    Some(("entityId", Table::of(of.kind), of.id))
}

fn cycle(id: Option<Uuid>) -> Option<Reference> {
    id.map(|id| ("cycleId", Table::Cycles, id))
}

fn source(id: Option<Uuid>) -> Option<Reference> {
    id.map(|id| ("sourceId", Table::Sources, id))
}

refers! {
    Program, this => [organization(this.organization_id), None, None];
    Cycle, this => [program(this.program_id), None, None];
    Award, this => [
        program(this.program_id),
        cycle(this.cycle_id),
        Some(("recipientId", Table::Recipients, this.recipient_id)),
    ];
    Source, this => [entity(this.about()), None, None];
    Fact, this => [program(this.program_id), cycle(this.cycle_id), source(this.source_id)];
    Transition, this => [program(this.program_id), source(this.source_id), None];
    Alias, this => [entity(this.about()), None, None];
    Leader, this => [organization(this.organization_id), None, None];
    Channel, this => [organization(this.organization_id), None, None];
    Post, this => [organization(this.organization_id), None, None];
    Translation, this => [entity(this.about()), None, None];
}

/// Reports references that lead nowhere, or astray.
pub(super) fn check(tables: &Tables, ids: &Ids, report: &mut Diagnostics) {
    let judge = Judge { tables, ids };
    let mut lost = BTreeMap::new();
    judge.leads_nowhere(&tables.programs, &mut lost);
    judge.leads_nowhere(&tables.cycles, &mut lost);
    judge.leads_nowhere(&tables.awards, &mut lost);
    judge.leads_nowhere(&tables.sources, &mut lost);
    judge.leads_nowhere(&tables.facts, &mut lost);
    judge.leads_nowhere(&tables.transitions, &mut lost);
    judge.leads_nowhere(&tables.aliases, &mut lost);
    judge.leads_nowhere(&tables.leaders, &mut lost);
    judge.leads_nowhere(&tables.channels, &mut lost);
    judge.leads_nowhere(&tables.posts, &mut lost);
    judge.leads_nowhere(&tables.translations, &mut lost);
    report.extend(missing(tables, &lost));
    judge.check(&tables.programs, report);
    judge.check(&tables.cycles, report);
    judge.check(&tables.awards, report);
    judge.check(&tables.sources, report);
    judge.check(&tables.facts, report);
    judge.check(&tables.transitions, report);
    judge.check(&tables.aliases, report);
    judge.check(&tables.leaders, report);
    judge.check(&tables.channels, report);
    judge.check(&tables.posts, report);
    judge.check(&tables.translations, report);
    let awards = tables.awards.par_iter();
    let astray = awards.filter_map(|row| judge.astray(row.at, row.record.program_id, row.record.cycle_id));
    report.extend(astray.collect::<Vec<_>>());
    let facts = tables.facts.par_iter();
    let astray = facts.filter_map(|row| judge.astray(row.at, row.record.program_id, row.record.cycle_id));
    report.extend(astray.collect::<Vec<_>>());
    report.extend(broader(tables));
}

/// Tables that are not there although they must be, or although rows refer to them.
fn missing(tables: &Tables, lost: &BTreeMap<Table, (Location, usize)>) -> Vec<Diagnostic> {
    let needed = [Table::Organizations, Table::Programs].into_iter();
    let needed = needed.filter(|table| tables.absent.contains(table) && !lost.contains_key(table));
    let start = tables.dataset.as_ref().map(|row| row.at);
    let needed = needed.filter_map(|table| Some((table, start?, None)));
    let referred = lost.iter().map(|(table, (at, count))| (*table, *at, Some(*count)));
    let unread = |table: &Table| tables.incomplete.contains(table);
    let faults = needed.chain(referred).filter(|(table, ..)| !unread(table)).map(|(table, at, count)| {
        let name = table.name();
        let message = match count {
            None => format!("there is no table `{name}`"),
            Some(count) => {
                format!("there is no table `{name}`, to which {} lead", counted(count, "reference"))
            }
        };
        Diagnostic::new(Code::NoTable, at, message).help(format!("add {name}.csv or {name}.ndjson"))
    });
    faults.collect()
}

struct Judge<'a> {
    tables: &'a Tables,
    ids: &'a Ids,
}

impl Judge<'_> {
    fn check<T: Refers + Sync>(&self, rows: &[Row<T>], report: &mut Diagnostics) {
        let faults: Vec<Diagnostic> = rows
            .par_iter()
            .flat_map_iter(|row| {
                row.record.references().into_iter().flatten().filter_map(|to| self.dangling(row.at, to))
            })
            .collect();
        report.extend(faults);
    }

    /// Counts references into tables that are not there, each table with the first place.
    fn leads_nowhere<T: Refers>(&self, rows: &[Row<T>], lost: &mut BTreeMap<Table, (Location, usize)>) {
        if self.tables.absent.is_empty() {
            return;
        }
        for row in rows {
            for (_, table, _) in row.record.references().into_iter().flatten() {
                if self.tables.absent.contains(&table) {
                    lost.entry(table).or_insert((row.at, 0)).1 += 1;
                }
            }
        }
    }

    fn ids(&self, table: Table) -> &[Uuid] {
        let kind = EntityType::ALL.iter().find(|kind| Table::of(**kind) == table);
        kind.map_or(&self.ids.sources, |kind| self.ids.of(*kind))
    }

    fn dangling(&self, at: Location, (field, table, id): Reference) -> Option<Diagnostic> {
        let unknown = self.tables.incomplete.contains(&table) || self.tables.absent.contains(&table);
        if unknown || find(self.ids(table), id).is_some() {
            return None;
        }
        let message = format!("`{field}` is {id}, which is not in {}", table.name());
        let elsewhere = EntityType::ALL.iter().find(|kind| find(self.ids.of(**kind), id).is_some());
        let help = elsewhere.map(|kind| format!("a record with this id is in {}", Table::of(*kind).name()));
        Some(Diagnostic::new(Code::Dangling, at, message).value(field, id.to_string()).maybe_help(help))
    }

    fn astray(&self, at: Location, program_id: Uuid, cycle_id: Option<Uuid>) -> Option<Diagnostic> {
        let cycle = &self.tables.cycles[find(&self.ids.cycles, cycle_id?)?].record;
        let message =
            || format!("`programId` is {program_id}, but the cycle belongs to program {}", cycle.program_id);
        (cycle.program_id != program_id)
            .then(|| Diagnostic::new(Code::OtherProgram, at, message()).field("programId"))
    }
}

/// Vocabulary values whose `broader` is no value of the facet, or leads back to themselves.
fn broader(tables: &Tables) -> Vec<Diagnostic> {
    let terms = tables.vocabulary.iter().map(|row| &row.record);
    let broader: BTreeMap<(&str, &str), Option<&str>> =
        terms.map(|term| ((term.facet.as_str(), term.value.as_str()), term.broader.as_deref())).collect();
    let faults = tables.vocabulary.iter().filter_map(|row| {
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
    faults.collect()
}
