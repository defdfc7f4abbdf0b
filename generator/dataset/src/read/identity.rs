//! Completes partial rows: derives their ids, slugs, references and timestamps. Unambiguous values are used and
//! reported; ambiguous ones are errors that list the candidates.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use snapshot::record::{Alias, EntityType, Lifecycle};
use uuid::Uuid;

use super::fields;
use super::identity_index::Index;
use super::partial::{PartialRow, PartialRows};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::rows::{Record, Row, Tables};
use crate::stamps::{Stamps, UnstampedRow};
use crate::table::Table;
use crate::text::{LONGEST_SLUG, is_spelt, nearest, quoted, slug_of};

/// How many unknown names are compared with all known ones.
const SUGGESTIONS: usize = 200;

/// What was derived, and what rows do without. It is no problem: a note says what else a row may state.
const IDS: &str = "ids derived from slugs and keys";
const SLUGS: &str = "slugs made from names";
const UNCLEAR: &str = "no `lifecycle`, published as `unclear`";
const STAMPLESS: &str = "no timestamps (`opdir stamp` writes them)";

/// Adds the records of partial rows to their tables.
pub(super) fn complete(tables: &mut Tables, rows: PartialRows, report: &mut Diagnostics) {
    if rows.values().all(Vec::is_empty) {
        return;
    }
    let dataset = tables.dataset.as_ref().map(|row| &row.record);
    // A day that is no placeholder for none.
    let published = dataset.map_or(Timestamp::constant(1_000_000_000, 0), |dataset| dataset.published_at);
    let name = dataset.map_or("", |dataset| dataset.name.as_str());
    let namespace = dataset.and_then(|dataset| dataset.id_namespace);
    let namespace = namespace.unwrap_or_else(|| Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()));
    let mut indexes: [Index; Table::ALL.len()] = Default::default();
    each_table!(tables, |table, rows| indexes[table as usize].add_records(table, rows));
    let mut completer = Completer {
        rows,
        indexes,
        absent: &tables.absent,
        incomplete: &mut tables.incomplete,
        suggestions: 0,
        namespace,
        published,
        stamps: &tables.stamps,
        report,
        unstamped: &mut tables.unstamped,
        notes: BTreeMap::new(),
        broken: &mut tables.broken,
    };
    // Owners come first, so that a row's references have ids when the row gets its own.
    each_table!(tables, |table, _rows| completer.prepare(table, &tables.aliases));
    // What is left to resolve refers to sources, and the names of others are a part of the memory.
    let others = (0..).zip(&mut completer.indexes).filter(|(at, _)| *at != Table::Sources as usize);
    others.for_each(|(_, index)| *index = Index::default());
    each_table!(tables, |table, rows| completer.complete(table, rows));
    for what in [IDS, SLUGS, UNCLEAR, STAMPLESS] {
        let Some(counts) = completer.notes.get(what) else { continue };
        let counts: Vec<String> =
            counts.iter().map(|(table, count)| format!("{} {count}", table.name())).collect();
        completer.report.note(format!("{what}: {}", counts.join(", ")));
    }
}

struct Completer<'a> {
    rows: PartialRows,
    /// The records of each table.
    indexes: [Index; Table::ALL.len()],
    /// Tables without a file.
    absent: &'a BTreeSet<Table>,
    /// Tables that lost rows to errors.
    incomplete: &'a mut BTreeSet<Table>,
    /// Unknown names that were compared with all known ones.
    suggestions: usize,
    /// Of derived ids.
    namespace: Uuid,
    published: Timestamp,
    stamps: &'a Stamps,
    report: &'a mut Diagnostics,
    unstamped: &'a mut Vec<UnstampedRow>,
    /// The number of rows of each note, by table.
    notes: BTreeMap<&'static str, BTreeMap<Table, usize>>,
    /// Stand-ins of rows that are no records, by place.
    broken: &'a mut BTreeMap<Location, Vec<String>>,
}

/// Whether the records of a table have ids.
fn has_id(table: Table) -> bool {
    table.input_only_fields().contains(&"key")
}

/// The table of the record that a row is about.
fn entity_table(row: &PartialRow) -> Option<Table> {
    EntityType::parse(&row.text("entityType")?).map(Table::of)
}

/// The fields that identify a row's record, as one text; none if a required one is missing.
fn natural_key(table: Table, row: &PartialRow) -> Option<String> {
    let noun = table.noun();
    if let Some(key) = row.text("key") {
        return Some(format!("{noun}\nkey\n{key}"));
    }
    let (required, others) = table.natural_key();
    if required.iter().any(|field| row.text(field).is_none()) {
        return None;
    }
    let parts = required.iter().chain(others).map(|field| row.text(field).unwrap_or_default());
    Some([noun.to_owned()].into_iter().chain(parts).collect::<Vec<_>>().join("\n"))
}

impl Completer<'_> {
    /// Resolves the references of a table's rows, and gives the rows slugs and ids.
    fn prepare(&mut self, table: Table, aliases: &[Row<Alias>]) {
        if table == Table::Aliases {
            // Those of other kinds of records; the rules reject them.
            return self.prepare_aliases(None);
        }
        let mut rows = self.rows.remove(&table).unwrap_or_default();
        if Table::WITH_SLUGS.contains(&table) {
            self.derive_slugs(table, &mut rows);
        }
        for row in &mut rows {
            self.resolve_all(table, row);
            self.take_key(table, row);
            if has_id(table) && !row.is_lost() {
                self.identify(table, row);
            }
            if row.is_lost() {
                self.incomplete.insert(table);
            } else {
                self.indexes[table as usize].add_row(table, row);
            }
        }
        self.rows.insert(table, rows);
        if Table::WITH_SLUGS.contains(&table) {
            let aliases = aliases.iter().map(|row| &row.record);
            for it in aliases.filter(|it| Table::of(it.entity_type) == table) {
                self.indexes[table as usize].add_slug(it.slug.clone(), it.entity_id);
            }
            self.prepare_aliases(Some(table));
        }
    }

    /// Resolves the aliases of one table, or those that are left.
    fn prepare_aliases(&mut self, of: Option<Table>) {
        let mut rows = self.rows.remove(&Table::Aliases).unwrap_or_default();
        let open = rows.iter_mut().filter(|row| row.id.is_none() && !row.is_lost());
        for row in open.filter(|row| of.is_none() || entity_table(row) == of) {
            self.resolve_all(Table::Aliases, row);
            row.id = row.uuid("entityId").filter(|_| of.is_some());
            if let (Some(of), Some(id), Some(slug)) = (of, row.id, row.text("slug")) {
                self.indexes[of as usize].add_slug(slug, id);
            }
        }
        self.rows.insert(Table::Aliases, rows);
    }

    /// Every reference of a row but that to its source, in the order in which they depend on each other. Sources refer
    /// to facts, so that one comes last.
    fn resolve_all(&mut self, table: Table, row: &mut PartialRow) {
        for name in table.input_only_fields() {
            if let Some(found) = row.other_value(name) {
                let message = format!("`{name}` is {}, expected a text", quoted(&found));
                self.report.push(row.problem(Code::BadValue, name, message).value(*name, found));
                row.lose(format!("{name}Id"));
                row.remove(name);
            }
            let target = match *name {
                "source" => None,
                // An unknown kind is reported by its own field.
                "entity" => entity_table(row),
                name => Table::ALL.into_iter().find(|table| table.noun() == name),
            };
            if let Some(target) = target {
                self.resolve(row, name, target);
            }
        }
    }

    fn resolve(&mut self, row: &mut PartialRow, name: &'static str, target: Table) {
        let id_field = format!("{name}Id");
        let Some(text) = row.text(name) else { return row.remove(name) };
        let program = row.uuid("programId").filter(|_| target == Table::Cycles);
        let index = &self.indexes[target as usize];
        match &index.find(&text, program)[..] {
            _ if row.get(&id_field).is_some() => {
                let message = format!("`{name}` and `{id_field}` are both given");
                let problem = row.problem(Code::RepeatedField, name, message);
                self.report.push(problem.help("keep one of the two"));
                row.lose(id_field);
            }
            [] => self.report_unknown(row, name, text, target),
            [id] => row.set(&id_field, id.to_string()),
            ids => {
                let places = ids.iter().filter_map(|id| index.places.get(id));
                let places: Vec<String> =
                    places.map(|(at, slug)| format!("`{slug}` ({})", self.report.place(*at))).collect();
                let (count, noun) = (ids.len(), target.noun());
                let message = format!("`{name}` is {}, which is the name of {count} {noun}s", quoted(&text));
                let help = format!("write the slug or the `key` of one: {}", places.join(", "));
                self.report.push(row.problem(Code::Dangling, name, message).value(name, text).help(help));
                row.lose(id_field);
            }
        }
        row.remove(name);
    }

    fn report_unknown(&mut self, row: &mut PartialRow, name: &'static str, text: String, target: Table) {
        row.lose(format!("{name}Id"));
        // The record may be in a row that was lost.
        if self.incomplete.contains(&target) {
            return;
        }
        let (noun, table) = (target.noun(), target.name());
        let (what, help) = if self.absent.contains(&target) {
            (format!("and there is no table `{table}`"), format!("add {table}.csv with a row for it"))
        } else {
            self.suggestions += 1;
            let index = &self.indexes[target as usize];
            let known = (self.suggestions <= SUGGESTIONS).then(|| index.spellings());
            let help = nearest(&text, known.into_iter().flatten()).map_or_else(
                || format!("add a row to {table}, or write the slug, `key` or name of an existing one"),
                |near| format!("did you mean `{near}`?"),
            );
            (format!("which is no {noun}"), help)
        };
        let message = format!("`{name}` is {}, {what}", quoted(&text));
        self.report.push(row.problem(Code::Dangling, name, message).value(name, text).help(help));
    }

    /// Registers the row's name in its source. It is no field of the record, but the id is derived from it.
    fn take_key(&mut self, table: Table, row: &mut PartialRow) {
        let Some(key) = row.text("key").filter(|_| has_id(table)) else { return };
        if let Some(earlier) = self.indexes[table as usize].take_key(&key, row.at) {
            let place = self.report.place(earlier);
            let message = format!("the key {} is taken, see {place}", quoted(&key));
            let error = row.problem(Code::DuplicateId, "key", message);
            self.report.push(error.help("a `key` is unique in its table: correct one of the two"));
            row.lose("key");
        }
    }

    /// Derives slugs from names. Of rows of one slug, the first key has it, and the keys of the others are added to theirs,
    /// so that the order of rows does not matter; without keys, a slug that is taken is an error with a proposal for both.
    fn derive_slugs(&mut self, table: Table, rows: &mut [PartialRow]) {
        // Of equal slugs the first place is kept.
        let stated = rows.iter().rev().filter_map(|row| Some((row.text("slug")?, row.at)));
        let mut taken: BTreeMap<String, Location> = stated.collect();
        let is_open = |row: &&mut PartialRow| row.text("slug").is_none() && row.other_value("slug").is_none();
        let mut rows: Vec<&mut PartialRow> = rows.iter_mut().filter(is_open).collect();
        rows.sort_by_cached_key(|row| row.text("key"));
        for row in rows {
            let Some(name) = row.text("name").or_else(|| row.text("displayName")) else { continue };
            let hash = |text: &str| {
                Uuid::new_v5(&self.namespace, text.as_bytes()).simple().to_string()[..8].to_owned()
            };
            let short =
                |text: &str| Some(slug_of(text)).filter(|slug| !slug.is_empty() && is_spelt(text, slug));
            let key = row.text("key");
            let by_key = || key.as_deref().map(|key| short(key).unwrap_or_else(|| hash(key)));
            let by_name = || format!("{}-{}", table.noun(), hash(&name));
            let own = short(&name).or_else(by_key).unwrap_or_else(by_name);
            // Of a joined slug that is too long, its end is a hash.
            let joined = |end: String| match format!("{own}-{end}") {
                s if s.len() > LONGEST_SLUG => slug_of(&s[..LONGEST_SLUG - 9]) + "-" + &hash(&s),
                short => short,
            };
            let ends = by_key().filter(|key| *key != own).into_iter().chain(key.as_deref().map(hash));
            let index = &self.indexes[table as usize];
            let known = |slug: &String| taken.get(slug).copied().or_else(|| index.place_of_slug(slug));
            let mut slugs = std::iter::once(own.clone()).chain(ends.map(joined));
            let Some(slug) = slugs.find(|slug| known(slug).is_none()) else {
                let place = known(&own).map(|earlier| self.report.place(earlier)).unwrap_or_default();
                let message = format!("the name gives the slug `{own}`, which is taken, see {place}");
                let owner = row.text("organization").map(|name| slug_of(&name));
                let other = joined(owner.filter(|it| !it.is_empty()).unwrap_or_else(|| "2".to_owned()));
                let help = format!("write a `slug` into each: `{own}` there, `{other}` here");
                self.report.push(row.problem(Code::DuplicateSlug, "slug", message).help(help));
                row.lose("slug");
                continue;
            };
            taken.insert(slug.clone(), row.at);
            row.set("slug", slug);
            self.count(SLUGS, table);
        }
    }

    /// The row's id: its own, or one derived from its natural key.
    fn identify(&mut self, table: Table, row: &mut PartialRow) {
        if row.get("id").is_some() {
            row.id = row.text("id").filter(|text| text.len() == 36).and_then(|_| row.uuid("id"));
            return;
        }
        let Some(natural) = natural_key(table, row) else {
            self.report_missing_part(table, row);
            return;
        };
        let id = Uuid::new_v5(&self.namespace, natural.as_bytes());
        if let Some(earlier) = self.indexes[table as usize].take_id(id, row.at) {
            let message = format!("the row is the same record as {}", self.report.place(earlier));
            let error = row.problem(Code::DuplicateId, "key", message);
            let error = Diagnostic { at: row.at, column: row.column, ..error };
            self.report.push(error.help("remove one of them, or give each a `key` of its own"));
            row.lose("id");
            return;
        }
        row.id = Some(id);
        self.count(IDS, table);
    }

    /// Reports the field of which the id would be made; a reference that is lost has its own error.
    fn report_missing_part(&mut self, table: Table, row: &mut PartialRow) {
        let is_missing = |field: &&&str| row.text(field).is_none() && row.other_value(field).is_none();
        let missing = table.natural_key().0.iter().find(is_missing).copied();
        if let Some(field) = missing.filter(|field| !field.ends_with("Id") && *field != "slug") {
            let message = format!("`{field}` is missing or empty, and the row's id is made of it");
            self.report.push(row.problem(Code::MissingField, field, message).help("add the value"));
            row.lose(field);
        }
    }

    /// Sets timestamps, a missing lifecycle, and the id. Timestamps of a row that is lost count for nobody.
    fn fill(&mut self, table: Table, fields: &[&str], row: &mut PartialRow) {
        if fields.contains(&"updatedAt") && !row.is_lost() {
            self.stamp(table, fields, row);
        }
        if table == Table::Programs && row.text("lifecycle").is_none() && row.get("lifecycle").is_none() {
            self.count(UNCLEAR, table);
            row.set("lifecycle", Lifecycle::Unclear.as_str().to_owned());
        }
        if has_id(table) {
            row.remove("key");
            if let Some(id) = row.id.filter(|_| row.get("id").is_none()) {
                row.set("id", id.to_string());
            }
        }
    }

    fn stamp(&mut self, table: Table, fields: &[&str], row: &mut PartialRow) {
        let has_created = row.get("createdAt").is_some() || !fields.contains(&"createdAt");
        let has_updated = row.get("updatedAt").is_some();
        let Some(id) = row.id.filter(|_| !has_created || !has_updated) else { return };
        let known = self.stamps.find(table, id);
        if known.is_none() {
            self.count(STAMPLESS, table);
        }
        self.unstamped.push(UnstampedRow { table, id, hash: row.hash() });
        let (created, updated) = known.unwrap_or((self.published, self.published));
        if !has_created {
            let stated = row.text("updatedAt").and_then(|text| text.parse::<Timestamp>().ok());
            row.set("createdAt", stated.map_or(created, |stated| stated.min(created)).to_string());
        }
        if !has_updated {
            row.set("updatedAt", updated.to_string());
        }
    }

    fn count(&mut self, what: &'static str, table: Table) {
        *self.notes.entry(what).or_default().entry(table).or_default() += 1;
    }

    /// Adds the completed records.
    fn complete<T: Record>(&mut self, table: Table, records: &mut Vec<Row<T>>) {
        let rows = self.rows.remove(&table).unwrap_or_default();
        if rows.is_empty() {
            return;
        }
        records.reserve_exact(rows.len());
        let fields = fields::names::<T>();
        for mut row in rows {
            if table.input_only_fields().contains(&"source") {
                self.resolve(&mut row, "source", Table::Sources);
            }
            self.fill(table, &fields, &mut row);
            let (record, stand_ins) = row.record(Some(table), self.report);
            if record.is_none() || !stand_ins.is_empty() {
                self.incomplete.insert(table);
                self.broken.insert(row.at, stand_ins);
            }
            records.extend(record.map(|record| Row { record, at: row.at }));
        }
        // Leaders and channels keep the order of their files.
        records.sort_by_cached_key(|row| row.at);
    }
}
