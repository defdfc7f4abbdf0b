//! Rows to a [`Directory`]: the only place where input is judged. Mends what can be mended, checks
//! every rule over every row, leaves out what is not published, and resolves references.

mod advice;
mod directory;
mod labels;
mod publication;
mod references;
mod rules;
mod spelling;
mod stamps;
mod texts;
mod uniqueness;

use rayon::prelude::*;
use snapshot::record::{
    Award, Channel, Cycle, Directory, EntityType, Fact, Leader, Organization, Post, Program, Recipient,
    Source, Transition,
};
use uuid::Uuid;

use crate::diagnostics::Diagnostics;
use crate::rows::{Row, Tables};

/// The published directory, or nothing when `report` holds errors, from here or from reading.
#[must_use]
pub fn link(mut tables: Tables, report: &mut Diagnostics) -> Option<Directory> {
    texts::mend(&mut tables, report);
    labels::understand(&mut tables, report);
    sort(&mut tables);
    let ids = Ids::new(&tables);
    rules::check(&tables, report);
    stamps::check(&tables, report);
    uniqueness::check(&tables, report);
    references::check(&tables, &ids, report);
    if let Some(left_out) = publication::withhold(&mut tables, &ids) {
        report.note(left_out);
    }
    advice::give(&tables, report);
    if report.error_count() > 0 {
        return None;
    }
    directory::build(tables)
}

/// A record with an identity of its own.
trait Identified {
    fn id(&self) -> Uuid;
}

macro_rules! identified {
    ($($record:ident)+) => {
        $(impl Identified for $record {
            fn id(&self) -> Uuid {
                self.id
            }
        })+
    };
}

identified! { Organization Program Cycle Award Recipient Source Fact Transition Leader Channel Post }

/// By id; leaders and channels keep the order of their tables, which means something.
fn sort(tables: &mut Tables) {
    by_id(&mut tables.organizations);
    by_id(&mut tables.programs);
    by_id(&mut tables.cycles);
    by_id(&mut tables.awards);
    by_id(&mut tables.recipients);
    by_id(&mut tables.sources);
    by_id(&mut tables.facts);
    by_id(&mut tables.transitions);
    by_id(&mut tables.posts);
    tables.aliases.par_sort_by(|a, b| {
        (a.record.entity_type, &a.record.slug).cmp(&(b.record.entity_type, &b.record.slug))
    });
    tables
        .vocabulary
        .par_sort_by(|a, b| (&a.record.facet, &a.record.value).cmp(&(&b.record.facet, &b.record.value)));
    tables
        .synonyms
        .par_sort_by(|a, b| (a.record.locale, &a.record.terms).cmp(&(b.record.locale, &b.record.terms)));
}

fn by_id<T: Identified + Send>(rows: &mut [Row<T>]) {
    // In place, for a table may fill half of the memory; rows that share an id stay in reading order.
    rows.par_sort_unstable_by_key(|row| (row.record.id(), row.at));
}

/// The ids of the tables that others refer to, sorted as the tables are: an id's position here is
/// its row's position there.
struct Ids {
    organizations: Vec<Uuid>,
    programs: Vec<Uuid>,
    cycles: Vec<Uuid>,
    awards: Vec<Uuid>,
    recipients: Vec<Uuid>,
    sources: Vec<Uuid>,
    facts: Vec<Uuid>,
}

impl Ids {
    fn new(tables: &Tables) -> Self {
        fn list<T: Identified>(rows: &[Row<T>]) -> Vec<Uuid> {
            rows.iter().map(|row| row.record.id()).collect()
        }
        Self {
            organizations: list(&tables.organizations),
            programs: list(&tables.programs),
            cycles: list(&tables.cycles),
            awards: list(&tables.awards),
            recipients: list(&tables.recipients),
            sources: list(&tables.sources),
            facts: list(&tables.facts),
        }
    }

    fn of(&self, kind: EntityType) -> &[Uuid] {
        match kind {
            EntityType::Organization => &self.organizations,
            EntityType::Program => &self.programs,
            EntityType::Cycle => &self.cycles,
            EntityType::Award => &self.awards,
            EntityType::Recipient => &self.recipients,
            EntityType::Fact => &self.facts,
        }
    }
}

/// Position of an id in a sorted list.
fn find(ids: &[Uuid], id: Uuid) -> Option<usize> {
    ids.binary_search(&id).ok()
}

#[cfg(test)]
mod tests;
