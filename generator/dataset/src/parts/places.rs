//! In which parts rows are: programs in the order of their documents, other rows with their program.

use jiff::civil::Date;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use snapshot::record::{Cycle, EntityRef, EntityType, Lifecycle, Locale, PublicationStatus, Translation};
use snapshot::search::DocumentKey;
use snapshot::time::{Day, Season};
use uuid::Uuid;

use super::rows::OTHERS;
use crate::link::correct_text;
use crate::read::{InputError, TableReader};
use crate::record::{Record, Reference};
use crate::registry::Registry;
use crate::rows::Row;
use crate::table::Table;

/// The parts of rows. Rows that belong to no program are in [`OTHERS`].
#[derive(Default)]
pub(super) struct Places {
    /// Number of parts with programs.
    count: u16,
    programs: FxHashMap<Uuid, u16>,
    cycles: FxHashMap<Uuid, u16>,
    /// Awards and facts that sources and translations are about.
    entities: FxHashMap<Uuid, u16>,
    /// Sources, as far as their part is known before facts are read.
    sources: FxHashMap<Uuid, u16>,
    /// Organizations, recipients and sources of other parts, and the parts that refer to them.
    referring: FxHashSet<(Uuid, u16)>,
}

/// What the order of documents needs of a program.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProgramKey {
    id: Uuid,
    organization_id: Uuid,
    name: String,
    lifecycle: Lifecycle,
}

/// What a source is about.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SourceKey {
    id: Uuid,
    entity_type: EntityType,
    entity_id: Uuid,
}

/// A cycle: its program, its id, and its season if it is published.
type ProgramSeason = (Uuid, Uuid, Option<Season>);

impl Places {
    /// Reads what decides over the parts of programs: every program is in the part of its document on a day.
    pub(super) fn find(reader: &mut TableReader<'_>, count: usize, as_of: Date) -> Result<Self, InputError> {
        let seasons = seasons(reader)?;
        let mut programs = programs(reader, &seasons, Day::new(as_of))?;
        programs.sort_unstable();
        let mut places = Self { count: count as u16, ..Self::default() };
        for (at, (_, id, organization)) in programs.iter().enumerate() {
            let part = 1 + (at * count / programs.len()) as u16;
            places.programs.insert(*id, part);
            places.referring.insert((*organization, part));
        }
        let of_program = |program: &Uuid| places.programs.get(program).copied().unwrap_or(OTHERS as u16);
        places.cycles = seasons.iter().map(|(program, cycle, _)| (*cycle, of_program(program))).collect();
        places.find_sources(reader)?;
        reader.scan::<Translation>(Table::Translations, &mut |rows| {
            rows.iter().for_each(|row| places.want(row.record.about()));
        })?;
        Ok(places)
    }

    fn find_sources(&mut self, reader: &mut TableReader<'_>) -> Result<(), InputError> {
        reader.scan::<SourceKey>(Table::Sources, &mut |rows| {
            for SourceKey { id, entity_type, entity_id } in rows.into_iter().map(|row| row.record) {
                let about = EntityRef { kind: entity_type, id: entity_id };
                self.want(about);
                self.sources.insert(id, self.part_of_entity(Table::of(about.kind), about.id));
            }
        })
    }

    /// Keeps the part of an award or a fact once it is read.
    fn want(&mut self, of: EntityRef) {
        if matches!(of.kind, EntityType::Award | EntityType::Fact) {
            self.entities.insert(of.id, OTHERS as u16);
        }
    }

    /// Makes known to a registry what rows refer to before it is added.
    pub(super) fn announce(&self, registry: &mut Registry) {
        self.sources.keys().for_each(|id| registry.announce_source(*id));
        registry.wanted = Some(self.entities.keys().copied().collect());
    }

    /// Adds rows of a table: what they refer to has to be in their part too.
    pub(super) fn add<T: Record>(&mut self, table: Table, rows: &[Row<T>]) {
        if !matches!(table, Table::Awards | Table::Facts | Table::Lifecycle) {
            return;
        }
        for row in rows {
            let part = self.part_of(table, &row.record);
            for to in row.record.references() {
                let is_elsewhere = match to.table {
                    Table::Recipients => true,
                    Table::Sources => self.sources.get(&to.id) != Some(&part),
                    _ => false,
                };
                if is_elsewhere {
                    self.referring.insert((to.id, part));
                }
            }
            if let Some(known) = row.record.profile().id.and_then(|id| self.entities.get_mut(&id)) {
                *known = part;
            }
        }
    }

    /// The parts that a row is written to.
    pub(super) fn parts_of<T: Record>(&self, table: Table, record: &T) -> impl Iterator<Item = usize> {
        let own = usize::from(self.part_of(table, record));
        let id = record.profile().id.filter(|_| table == Table::Sources);
        let others = id.into_iter().flat_map(|id| self.referring_to(id)).filter(move |part| *part != own);
        std::iter::once(own).chain(others)
    }

    /// The parts that refer to a record, beside its own.
    pub(super) fn referring_to(&self, id: Uuid) -> impl Iterator<Item = usize> {
        let parts = 1..=self.count;
        parts.filter(move |part| self.referring.contains(&(id, *part))).map(usize::from)
    }

    fn part_of<T: Record>(&self, table: Table, record: &T) -> u16 {
        match table {
            Table::Programs => record.profile().id.map(|id| self.part_of_entity(Table::Programs, id)),
            Table::Leaders | Table::Channels | Table::Posts => None,
            // The first reference of a row is to what it belongs to.
            _ => {
                let mut references = record.references();
                references.next().map(|Reference { table, id, .. }| self.part_of_entity(table, id))
            }
        }
        .unwrap_or(OTHERS as u16)
    }

    fn part_of_entity(&self, table: Table, id: Uuid) -> u16 {
        let part = match table {
            Table::Programs => self.programs.get(&id),
            Table::Cycles => self.cycles.get(&id),
            Table::Awards | Table::Facts => self.entities.get(&id),
            _ => None,
        };
        part.copied().unwrap_or(OTHERS as u16)
    }
}

/// All cycles, by their programs.
fn seasons(reader: &mut TableReader<'_>) -> Result<Vec<ProgramSeason>, InputError> {
    let mut seasons = Vec::new();
    reader.scan::<Cycle>(Table::Cycles, &mut |rows| {
        seasons.extend(rows.into_iter().map(|row| {
            let is_published = row.record.publication == PublicationStatus::Published;
            (row.record.program_id, row.record.id, is_published.then(|| Season::of(&row.record)))
        }));
    })?;
    seasons.sort_unstable_by_key(|(program, cycle, _)| (*program, *cycle));
    Ok(seasons)
}

/// The key, the id and the organization of each program.
fn programs(
    reader: &mut TableReader<'_>,
    seasons: &[ProgramSeason],
    today: Day,
) -> Result<Vec<(DocumentKey, Uuid, Uuid)>, InputError> {
    let names = english_names(reader)?;
    let mut programs = Vec::new();
    reader.scan::<ProgramKey>(Table::Programs, &mut |rows| {
        for Row { record: ProgramKey { id, organization_id, mut name, lifecycle }, at } in rows {
            correct_text(&mut name, at);
            let start = seasons.partition_point(|(program, ..)| *program < id);
            let own = seasons[start..].iter().take_while(|(program, ..)| *program == id);
            let own = own.filter_map(|(.., season)| *season);
            let name = names.get(&id).unwrap_or(&name);
            programs.push((DocumentKey::new(lifecycle, own, name, id, today), id, organization_id));
        }
    })?;
    Ok(programs)
}

/// Names of programs that are translated into English.
fn english_names(reader: &mut TableReader<'_>) -> Result<FxHashMap<Uuid, String>, InputError> {
    let mut names = FxHashMap::default();
    reader.scan::<Translation>(Table::Translations, &mut |rows| {
        for Row { mut record, at } in rows {
            let is_published = record.publication == PublicationStatus::Published;
            let is_english = record.entity_type == EntityType::Program && record.locale == Locale::En;
            if let Some(mut name) = record.fields.remove("name").filter(|_| is_published && is_english) {
                correct_text(&mut name, at);
                names.insert(record.entity_id, name);
            }
        }
    })?;
    names.retain(|_, name: &mut String| !name.is_empty());
    Ok(names)
}
