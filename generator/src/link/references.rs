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
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location, quoted};
use crate::read::{Row, Table, Tables};

/// No vocabulary has more levels; who climbs further goes in a circle.
const DEEPEST: usize = 64;

/// Field that refers, table that it refers into, id.
type Reference = (&'static str, Table, Uuid);

trait Refers {
    fn references(&self) -> [Option<Reference>; 3];
}

const fn table_of(kind: EntityType) -> Table {
    match kind {
        EntityType::Organization => Table::Organizations,
        EntityType::Program => Table::Programs,
        EntityType::Cycle => Table::Cycles,
        EntityType::Award => Table::Awards,
        EntityType::Recipient => Table::Recipients,
        EntityType::Fact => Table::Facts,
    }
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
    Some(("entityId", table_of(of.kind), of.id))
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

    fn ids(&self, table: Table) -> &[Uuid] {
        let kind = EntityType::ALL.iter().find(|kind| table_of(**kind) == table);
        kind.map_or(&self.ids.sources, |kind| self.ids.of(*kind))
    }

    fn dangling(&self, at: Location, (field, table, id): Reference) -> Option<Diagnostic> {
        if find(self.ids(table), id).is_some() || self.tables.incomplete.contains(&table) {
            return None;
        }
        let message = format!("`{field}` is {id}, which is not in {}", table.name());
        let elsewhere = EntityType::ALL.iter().find(|kind| find(self.ids.of(**kind), id).is_some());
        let help = elsewhere.map(|kind| format!("a record with this id is in {}", table_of(*kind).name()));
        Some(Diagnostic::new(Code::Dangling, at, message).maybe_help(help))
    }

    fn astray(&self, at: Location, program_id: Uuid, cycle_id: Option<Uuid>) -> Option<Diagnostic> {
        let cycle = &self.tables.cycles[find(&self.ids.cycles, cycle_id?)?].record;
        let message =
            || format!("`programId` is {program_id}, but the cycle belongs to program {}", cycle.program_id);
        (cycle.program_id != program_id).then(|| Diagnostic::new(Code::OtherProgram, at, message()))
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
            return Some(Diagnostic::new(Code::Dangling, row.at, message));
        }
        let mut value = above;
        for _ in 0..DEEPEST {
            value = broader.get(&(facet, value)).copied().flatten()?;
        }
        let message = format!("following `broader` from {} never ends", quoted(start));
        Some(Diagnostic::new(Code::BroaderLoop, row.at, message))
    });
    faults.collect()
}
