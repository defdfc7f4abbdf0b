//! The slugs, aliases, keys, ids and names of a table's records.

use std::collections::{BTreeMap, BTreeSet};

use snapshot::text::normalized;
use uuid::Uuid;

use crate::diagnostics::Location;
use crate::read::partial::PartialRow;
use crate::rows::Profiles;
use crate::table::Table;
use crate::text::lowered;

/// A record, and its name in lower case where folding takes signs or accents off it.
type Named = (Uuid, Option<Box<str>>);

/// Finds the records of one table.
#[derive(Default)]
pub(super) struct Index {
    slugs: BTreeMap<String, Uuid>,
    keys: BTreeMap<String, (Location, Option<Uuid>)>,
    ids: BTreeMap<Uuid, Location>,
    /// Records by their folded names, with the name in lower case where that is another one (`c++ fund` of `c fund`).
    names: BTreeMap<String, Vec<Named>>,
    /// Place and slug, or name, for messages.
    pub places: BTreeMap<Uuid, (Location, String)>,
}

impl Index {
    pub(super) fn add_slug(&mut self, slug: String, id: Uuid) {
        self.slugs.entry(slug).or_insert(id);
    }

    /// Registers a key; returns the place of the row that already has it.
    pub(super) fn take_key(&mut self, key: &str, at: Location) -> Option<Location> {
        let earlier = self.keys.get(key).map(|(earlier, _)| *earlier);
        self.keys.entry(key.to_owned()).or_insert((at, None));
        earlier
    }

    /// Registers an id; returns the place of the row that already has it.
    pub(super) fn take_id(&mut self, id: Uuid, at: Location) -> Option<Location> {
        let earlier = self.ids.get(&id).copied();
        self.ids.entry(id).or_insert(at);
        earlier
    }

    pub(super) fn place_of_slug(&self, slug: &str) -> Option<Location> {
        self.places.get(self.slugs.get(slug)?).map(|(at, _)| *at)
    }

    /// Every slug, key and name, for suggestions.
    pub(super) fn spellings(&self) -> impl Iterator<Item = &str> {
        self.slugs.keys().chain(self.keys.keys()).chain(self.names.keys()).map(String::as_str)
    }

    /// The records that a text refers to: one by slug, key or id, else by name, within a program before others. Of names
    /// that differ by signs or accents only, it is the one that is written so.
    pub(super) fn find(&self, text: &str, program: Option<Uuid>) -> Vec<Uuid> {
        let own = self.slugs.get(text).or_else(|| self.keys.get(text)?.1.as_ref()).copied();
        let id = || Uuid::parse_str(text).ok().filter(|id| self.ids.contains_key(id));
        if let Some(id) = own.or_else(id) {
            return vec![id];
        }
        let (name, as_written) = forms(text);
        let within = program.and_then(|program| self.names.get(&format!("{program} {name}")));
        let found = within.or_else(|| self.names.get(&name)).map(Vec::as_slice).unwrap_or_default();
        let same: BTreeSet<Uuid> =
            found.iter().filter(|(_, written)| *written == as_written).map(|it| it.0).collect();
        let all: BTreeSet<Uuid> = found.iter().map(|it| it.0).collect();
        (if same.is_empty() { all } else { same }).into_iter().collect()
    }

    /// Adds the rows of a table that are records already.
    pub(super) fn add_records(&mut self, table: Table, rows: &dyn Profiles) {
        for (at, profile) in rows.iter() {
            let Some(id) = profile.id else { return };
            let slug = profile.slug.map(|(_, slug, _)| slug);
            let names = profile.names.into_iter().flatten();
            let names = names.chain(profile.aliases.iter().map(String::as_str));
            let program = profile.references[0].filter(|_| table == Table::Cycles).map(|to| to.id);
            self.add((id, at), slug, names, program);
        }
    }

    fn add<'n>(
        &mut self,
        (id, at): (Uuid, Location),
        slug: Option<&str>,
        names: impl Iterator<Item = &'n str>,
        program: Option<Uuid>,
    ) {
        self.ids.entry(id).or_insert(at);
        if let Some(slug) = slug {
            self.slugs.insert(slug.to_owned(), id);
        }
        let mut names = names.peekable();
        let shown = slug.or(names.peek().copied()).unwrap_or_default();
        self.places.entry(id).or_insert_with(|| (at, shown.to_owned()));
        for (name, as_written) in names.map(forms).filter(|(name, _)| !name.is_empty()) {
            let within = program.map(|program| format!("{program} {name}"));
            for name in within.into_iter().chain([name]) {
                self.names.entry(name).or_default().push((id, as_written.clone()));
            }
        }
    }

    /// Adds a row that has an id.
    pub(super) fn add_row(&mut self, table: Table, row: &PartialRow) {
        let Some(id) = row.id else { return };
        let mut names: Vec<String> = Vec::new();
        if !matches!(table, Table::Awards | Table::Facts) {
            let fields = ["name", "displayName", "label", "title", "url"];
            names.extend(fields.into_iter().filter_map(|field| row.text(field)));
            names.extend(row.list("aliases"));
        }
        let program = row.uuid("programId").filter(|_| table == Table::Cycles);
        let slug = row.text("slug");
        self.add((id, row.at), slug.as_deref(), names.iter().map(String::as_str), program);
        if let Some((_, of)) = row.text("key").and_then(|key| self.keys.get_mut(&key)) {
            *of = Some(id);
        }
    }
}

/// The folded form of a name, and the name in lower case if folding takes signs or accents off it. A name of signs alone
/// stays.
fn forms(name: &str) -> (String, Option<Box<str>>) {
    let lower = lowered(name);
    match normalized(name) {
        folded if folded.is_empty() || folded == lower => (lower, None),
        folded => (folded, Some(lower.into())),
    }
}
