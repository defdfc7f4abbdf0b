//! Leaves out what is not published, and what belongs to it: only published records and approved
//! facts go on, and a child goes with its parent.

use rayon::prelude::*;
use snapshot::record::{Approval, EntityRef, EntityType, PublicationStatus};
use uuid::Uuid;

use super::{Ids, find};
use crate::rows::{Row, Tables};
use crate::table::Table;

/// Why a row stays or goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Draft,
    Withdrawn,
    NotApproved,
    WithParent,
}

impl Fate {
    /// Why a row goes, unless it goes with the record that it belongs to.
    const REASONS: [(Self, &'static str); 3] =
        [(Self::Draft, "draft"), (Self::Withdrawn, "withdrawn"), (Self::NotApproved, "not approved")];

    fn new(publication: PublicationStatus, parents_stay: impl FnOnce() -> bool) -> Self {
        match publication {
            PublicationStatus::Draft => Self::Draft,
            PublicationStatus::Withdrawn => Self::Withdrawn,
            PublicationStatus::Published if parents_stay() => Self::Stays,
            PublicationStatus::Published => Self::WithParent,
        }
    }
}

/// The fates of the tables that others belong to, by position.
struct Fates<'a> {
    ids: &'a Ids,
    organizations: Vec<Fate>,
    programs: Vec<Fate>,
    cycles: Vec<Fate>,
    awards: Vec<Fate>,
    recipients: Vec<Fate>,
    facts: Vec<Fate>,
}

impl Fates<'_> {
    fn stays(&self, of: EntityRef) -> bool {
        let fates = match of.kind {
            EntityType::Organization => &self.organizations,
            EntityType::Program => &self.programs,
            EntityType::Cycle => &self.cycles,
            EntityType::Award => &self.awards,
            EntityType::Recipient => &self.recipients,
            EntityType::Fact => &self.facts,
        };
        find(self.ids.of(of.kind), of.id).is_some_and(|position| fates[position] == Fate::Stays)
    }
}

fn fates<T: Sync>(rows: &[Row<T>], fate: impl Fn(&T) -> Fate + Sync + Send) -> Vec<Fate> {
    rows.par_iter().map(|row| fate(&row.record)).collect()
}

/// Removes the rows that stay at home, and references to them. Says how many, if any.
pub(super) fn withhold(tables: &mut Tables, ids: &Ids) -> Option<String> {
    use EntityType::{Cycle, Organization, Program, Recipient};
    let mut all = Fates {
        ids,
        organizations: fates(&tables.organizations, |record| Fate::new(record.publication, || true)),
        recipients: fates(&tables.recipients, |record| Fate::new(record.publication, || true)),
        programs: Vec::new(),
        cycles: Vec::new(),
        awards: Vec::new(),
        facts: Vec::new(),
    };
    all.programs = fates(&tables.programs, |record| {
        Fate::new(record.publication, || {
            all.stays(EntityRef { kind: Organization, id: record.organization_id })
        })
    });
    all.cycles = fates(&tables.cycles, |record| {
        Fate::new(record.publication, || all.stays(EntityRef { kind: Program, id: record.program_id }))
    });
    all.awards = fates(&tables.awards, |record| {
        let with = || {
            all.stays(EntityRef { kind: Program, id: record.program_id })
                && all.stays(EntityRef { kind: Recipient, id: record.recipient_id })
        };
        Fate::new(record.publication, with)
    });
    // A fact about one season says nothing about the others, so it goes with its season.
    all.facts = fates(&tables.facts, |record| {
        let season_stays =
            || record.cycle_id.is_none_or(|cycle| all.stays(EntityRef { kind: Cycle, id: cycle }));
        let with = || all.stays(EntityRef { kind: Program, id: record.program_id }) && season_stays();
        match Fate::new(record.publication, with) {
            Fate::Stays if record.status != Approval::Approved => Fate::NotApproved,
            fate => fate,
        }
    });
    let sources =
        fates(&tables.sources, |record| Fate::new(record.publication, || all.stays(record.about())));
    forget(tables, &all, &sources);
    let left_out = remove(tables, &all, &sources);
    (!left_out.is_empty()).then(|| format!("left out, with what belongs to it: {}", left_out.join(", ")))
}

/// Empties optional references to rows that go.
fn forget(tables: &mut Tables, all: &Fates<'_>, sources: &[Fate]) {
    let source_stays =
        |id: &mut Uuid| find(&all.ids.sources, *id).is_some_and(|at| sources[at] == Fate::Stays);
    for award in &mut tables.awards {
        award.record.cycle_id.take_if(|id| !all.stays(EntityRef { kind: EntityType::Cycle, id: *id }));
    }
    for fact in &mut tables.facts {
        fact.record.source_id.take_if(|id| !source_stays(id));
    }
    for transition in &mut tables.transitions {
        transition.record.source_id.take_if(|id| !source_stays(id));
    }
    let gone = tables.vocabulary.iter().filter(|row| row.record.publication != PublicationStatus::Published);
    let gone: Vec<(String, String)> =
        gone.map(|row| (row.record.facet.clone(), row.record.value.clone())).collect();
    for row in &mut tables.vocabulary {
        let facet = &row.record.facet;
        row.record.broader.take_if(|value| gone.iter().any(|(of, gone)| of == facet && gone == value));
    }
}

fn remove(tables: &mut Tables, all: &Fates<'_>, sources: &[Fate]) -> Vec<String> {
    use EntityType::{Organization, Program};
    let transitions = fates(&tables.transitions, |record| {
        Fate::new(record.publication, || all.stays(EntityRef { kind: Program, id: record.program_id }))
    });
    let aliases =
        fates(&tables.aliases, |record| Fate::new(record.publication, || all.stays(record.about())));
    let leaders = fates(&tables.leaders, |record| {
        Fate::new(record.publication, || {
            all.stays(EntityRef { kind: Organization, id: record.organization_id })
        })
    });
    let channels = fates(&tables.channels, |record| {
        Fate::new(record.publication, || {
            all.stays(EntityRef { kind: Organization, id: record.organization_id })
        })
    });
    let posts = fates(&tables.posts, |record| {
        Fate::new(record.publication, || {
            all.stays(EntityRef { kind: Organization, id: record.organization_id })
        })
    });
    let translations =
        fates(&tables.translations, |record| Fate::new(record.publication, || all.stays(record.about())));
    let vocabulary = fates(&tables.vocabulary, |record| Fate::new(record.publication, || true));
    let synonyms = fates(&tables.synonyms, |record| Fate::new(record.publication, || true));
    let counts = [
        keep(&mut tables.organizations, &all.organizations, Table::Organizations),
        keep(&mut tables.programs, &all.programs, Table::Programs),
        keep(&mut tables.cycles, &all.cycles, Table::Cycles),
        keep(&mut tables.awards, &all.awards, Table::Awards),
        keep(&mut tables.recipients, &all.recipients, Table::Recipients),
        keep(&mut tables.sources, sources, Table::Sources),
        keep(&mut tables.facts, &all.facts, Table::Facts),
        keep(&mut tables.transitions, &transitions, Table::Lifecycle),
        keep(&mut tables.aliases, &aliases, Table::Aliases),
        keep(&mut tables.leaders, &leaders, Table::Leaders),
        keep(&mut tables.channels, &channels, Table::Channels),
        keep(&mut tables.posts, &posts, Table::Posts),
        keep(&mut tables.translations, &translations, Table::Translations),
        keep(&mut tables.vocabulary, &vocabulary, Table::Vocabulary),
        keep(&mut tables.synonyms, &synonyms, Table::Synonyms),
    ];
    counts.into_iter().flatten().collect()
}

/// Removes rows; `3 programs (2 draft, 1 withdrawn)`.
fn keep<T>(rows: &mut Vec<Row<T>>, fates: &[Fate], table: Table) -> Option<String> {
    let left_out = fates.iter().filter(|fate| **fate != Fate::Stays).count();
    if left_out == 0 {
        return None;
    }
    let mut next = fates.iter();
    rows.retain(|_| next.next() == Some(&Fate::Stays));
    let reasons = Fate::REASONS.iter().filter_map(|(reason, words)| {
        let count = fates.iter().filter(|fate| *fate == reason).count();
        (count > 0).then(|| format!("{count} {words}"))
    });
    let reasons: Vec<String> = reasons.collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    Some(format!("{} {left_out}{reasons}", table.name()))
}
