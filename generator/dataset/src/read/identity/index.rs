//! What the records of a table can be called: slug, alias, key, id and name.

use std::collections::BTreeMap;

use snapshot::record::{EntityType, Organization, Program, Recipient};
use uuid::Uuid;

use super::{PartialRow, table_of};
use crate::diagnostics::Location;
use crate::rows::{Row, Tables};
use crate::table::Table;
use crate::text::folded;

/// The names of one table's records.
#[derive(Default)]
pub(super) struct Index {
    slugs: BTreeMap<String, Uuid>,
    keys: BTreeMap<String, (Location, Option<Uuid>)>,
    ids: BTreeMap<Uuid, Location>,
    names: BTreeMap<String, Vec<Uuid>>,
    /// For messages.
    places: BTreeMap<Uuid, (Location, String)>,
}

/// What a name leads to.
pub(super) enum Found {
    /// One record, by what stays.
    One(Uuid),
    /// One record, by its name.
    ByName(Uuid),
    Several(Vec<Uuid>),
    None,
}

impl Index {
    pub(super) fn add_slug(&mut self, slug: String, id: Uuid) {
        self.slugs.entry(slug).or_insert(id);
    }

    /// The place of the row that has the key already.
    pub(super) fn take_key(&mut self, key: &str, at: Location) -> Option<Location> {
        if let Some((earlier, _)) = self.keys.get(key) {
            return Some(*earlier);
        }
        self.keys.insert(key.to_owned(), (at, None));
        None
    }

    /// The place of the row that has the id already.
    pub(super) fn take_id(&mut self, id: Uuid, at: Location) -> Option<Location> {
        if let Some(earlier) = self.ids.get(&id) {
            return Some(*earlier);
        }
        self.ids.insert(id, at);
        None
    }

    pub(super) fn place_of_slug(&self, slug: &str) -> Option<Location> {
        self.places.get(self.slugs.get(slug)?).map(|(at, _)| *at)
    }

    /// Where a record is, and what it is best called.
    pub(super) fn place(&self, id: Uuid) -> Option<&(Location, String)> {
        self.places.get(&id)
    }

    /// Everything that leads to a record, for what was probably meant.
    pub(super) fn spellings(&self) -> impl Iterator<Item = &str> {
        self.slugs.keys().chain(self.keys.keys()).chain(self.names.keys()).map(String::as_str)
    }

    pub(super) fn find(&self, text: &str, within: Option<Uuid>) -> Found {
        if let Some(id) = self.slugs.get(text) {
            return Found::One(*id);
        }
        if let Some((_, Some(id))) = self.keys.get(text) {
            return Found::One(*id);
        }
        if let Some(id) = Uuid::parse_str(text).ok().filter(|id| self.ids.contains_key(id)) {
            return Found::One(id);
        }
        let name = folded(text);
        let own = within.and_then(|within| self.names.get(&format!("{within} {name}")));
        match own.or_else(|| self.names.get(&name)).map(Vec::as_slice) {
            None | Some([]) => Found::None,
            Some([id]) => Found::ByName(*id),
            Some(ids) => Found::Several(ids.to_vec()),
        }
    }

    fn add(&mut self, id: Uuid, at: Location, slug: Option<&str>, names: &[&str], within: Option<Uuid>) {
        self.ids.entry(id).or_insert(at);
        if let Some(slug) = slug {
            self.slugs.insert(slug.to_owned(), id);
        }
        let called = slug.or(names.first().copied()).unwrap_or_default();
        self.places.entry(id).or_insert_with(|| (at, called.to_owned()));
        for name in names.iter().map(|name| folded(name)).filter(|name| !name.is_empty()) {
            let own = within.map(|within| format!("{within} {name}"));
            for name in own.into_iter().chain([name]) {
                let known = self.names.entry(name).or_default();
                if !known.contains(&id) {
                    known.push(id);
                }
            }
        }
    }
}

/// The names of every table's records.
#[derive(Default)]
pub(super) struct Indexes(BTreeMap<Table, Index>);

impl Indexes {
    /// Of the rows that are records already.
    pub(super) fn new(tables: &Tables) -> Self {
        let mut all = Self::default();
        all.named(Table::Organizations, &tables.organizations, |it: &Organization| {
            (it.id, &it.slug, &it.name, &it.aliases[..])
        });
        all.named(Table::Programs, &tables.programs, |it: &Program| {
            (it.id, &it.slug, &it.name, &it.aliases[..])
        });
        all.named(Table::Recipients, &tables.recipients, |it: &Recipient| {
            (it.id, &it.slug, &it.display_name, &[])
        });
        let cycles = all.of(Table::Cycles);
        for row in &tables.cycles {
            let record = &row.record;
            cycles.add(record.id, row.at, None, &[&record.label], Some(record.program_id));
        }
        let sources = all.of(Table::Sources);
        for row in &tables.sources {
            let record = &row.record;
            let names: Vec<&str> = record.title.iter().chain(&record.url).map(String::as_str).collect();
            sources.add(record.id, row.at, None, &names, None);
        }
        tables
            .awards
            .iter()
            .for_each(|row| all.of(Table::Awards).add(row.record.id, row.at, None, &[], None));
        tables.facts.iter().for_each(|row| all.of(Table::Facts).add(row.record.id, row.at, None, &[], None));
        all
    }

    pub(super) fn of(&mut self, table: Table) -> &mut Index {
        self.0.entry(table).or_default()
    }

    fn named<T>(
        &mut self,
        table: Table,
        rows: &[Row<T>],
        read: impl for<'t> Fn(&'t T) -> (Uuid, &'t String, &'t String, &'t [String]),
    ) {
        let index = self.of(table);
        for row in rows {
            let (id, slug, name, aliases) = read(&row.record);
            let names: Vec<&str> = std::iter::once(name).chain(aliases).map(String::as_str).collect();
            index.add(id, row.at, Some(slug), &names, None);
        }
    }

    /// Former slugs, of rows that are records already.
    pub(super) fn add_aliases(&mut self, table: Table, tables: &Tables) {
        for row in &tables.aliases {
            let record = &row.record;
            if table_of(EntityType::as_str(record.entity_type)) == Some(table) {
                self.of(table).add_slug(record.slug.clone(), record.entity_id);
            }
        }
    }

    /// A row that has an id now.
    pub(super) fn add_row(&mut self, table: Table, row: &PartialRow) {
        let Some(id) = row.id else { return };
        let mut names: Vec<String> = ["name", "displayName", "label", "title", "url"]
            .into_iter()
            .filter_map(|field| row.text(field))
            .collect();
        names.extend(row.list("aliases"));
        let names: Vec<&str> = match table {
            Table::Awards | Table::Facts => Vec::new(),
            _ => names.iter().map(String::as_str).collect(),
        };
        let program = row.text("programId").and_then(|id| Uuid::parse_str(&id).ok());
        let within = program.filter(|_| table == Table::Cycles);
        let index = self.of(table);
        index.add(id, row.at, row.text("slug").as_deref(), &names, within);
        if let Some((_, of)) = row.text("key").and_then(|key| index.keys.get_mut(&key)) {
            *of = Some(id);
        }
    }
}
