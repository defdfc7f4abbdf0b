//! Rows that do not say everything a record needs: their ids, slugs, references and times are made from
//! what they do say. One reading is taken, told and counted; several are an error that names them all.

mod index;
mod links;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use snapshot::record::{EntityType, Lifecycle};
use snapshot::store::Hex;
use uuid::Uuid;

use super::fields::{self, Field, Value};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Edit, Fix, Location, Safety};
use crate::labels::Labels;
use crate::rows::{Row, Tables};
use crate::stamps::{Stamps, UnstampedRow};
use crate::table::Table;
use crate::text::slug_of;
use crate::text::{counted, quoted};
use index::Indexes;

/// A value that outlives its file's text.
#[derive(Clone, Debug)]
pub(super) enum OwnedValue {
    Json(serde_json::Value),
    Cell(String),
}

/// A named value and where it stands.
#[derive(Debug)]
struct Member {
    name: String,
    value: OwnedValue,
    at: Location,
    column: Option<u32>,
}

/// A row that is no record yet.
#[derive(Debug)]
pub(super) struct PartialRow {
    at: Location,
    column: Option<u32>,
    members: Vec<Member>,
    /// Once its table was prepared.
    id: Option<Uuid>,
    /// Whether it cannot become a record, which was told.
    is_lost: bool,
}

impl PartialRow {
    pub(super) fn new(
        at: Location,
        members: impl IntoIterator<Item = (String, OwnedValue, Location, Option<u32>)>,
    ) -> Self {
        let member = |(name, value, at, column)| Member { name, value, at, column };
        Self {
            at,
            column: None,
            members: members.into_iter().map(member).collect(),
            id: None,
            is_lost: false,
        }
    }

    /// The same at a character of its line.
    pub(super) fn in_column(self, column: Option<u32>) -> Self {
        Self { column, ..self }
    }

    fn get(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// A text, without the space around it; nothing when there is none.
    fn text(&self, name: &str) -> Option<String> {
        let text = match &self.get(name)?.value {
            OwnedValue::Json(serde_json::Value::String(text)) | OwnedValue::Cell(text) => {
                text.trim().to_owned()
            }
            OwnedValue::Json(serde_json::Value::Number(number)) => number.to_string(),
            OwnedValue::Json(_) => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// A value that is no text and no number.
    fn shape(&self, name: &str) -> Option<String> {
        match &self.get(name)?.value {
            OwnedValue::Cell(_)
            | OwnedValue::Json(serde_json::Value::String(_) | serde_json::Value::Number(_)) => None,
            OwnedValue::Json(value) => Some(value.to_string()),
        }
    }

    fn list(&self, name: &str) -> Vec<String> {
        match self.get(name).map(|member| &member.value) {
            Some(OwnedValue::Cell(text)) => text.split('|').map(str::to_owned).collect(),
            Some(OwnedValue::Json(serde_json::Value::Array(items))) => {
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn set(&mut self, name: &str, value: String) {
        let (at, column) = (self.at, self.column);
        self.members.retain(|member| member.name != name);
        self.members.push(Member { name: name.to_owned(), value: OwnedValue::Cell(value), at, column });
    }

    fn remove(&mut self, name: &str) {
        self.members.retain(|member| member.name != name);
    }

    fn id(&self) -> Option<Uuid> {
        let text = self.text("id").filter(|text| text.len() == 36)?;
        Uuid::parse_str(&text).ok()
    }

    fn fault(&self, code: Code, field: &str, message: String) -> Diagnostic {
        let member = self.get(field);
        let at = member.map_or(self.at, |member| member.at);
        let column = member.map_or(self.column, |member| member.column);
        Diagnostic { column, ..Diagnostic::new(code, at, message).field(field.to_owned()) }
    }

    /// What the row says, whatever the order of its columns: what `stamps.csv` knows it by.
    fn hash(&self) -> String {
        let mut said: Vec<String> = self
            .members
            .iter()
            .filter(|member| !matches!(&*member.name, "createdAt" | "updatedAt"))
            .map(|member| match &member.value {
                OwnedValue::Cell(text) => format!("{}={text}", member.name),
                OwnedValue::Json(serde_json::Value::String(text)) => format!("{}={text}", member.name),
                OwnedValue::Json(value) => format!("{}={value}", member.name),
            })
            .collect();
        said.sort_unstable();
        Hex(&Sha256::digest(said.join("\n"))[..16]).to_string()
    }
}

/// The rows of each table that are no records yet.
pub(super) type Rows = BTreeMap<Table, Vec<PartialRow>>;

/// Makes records of rows.
pub(super) fn complete(tables: &mut Tables, rows: Rows, stamps: &Stamps, report: &mut Diagnostics) {
    if rows.values().all(Vec::is_empty) {
        return;
    }
    let dataset = tables.dataset.as_ref().map(|row| &row.record);
    let published = dataset.map_or(Timestamp::UNIX_EPOCH, |dataset| dataset.published_at);
    let name = dataset.map_or("", |dataset| dataset.name.as_str());
    let namespace = dataset.and_then(|dataset| dataset.id_namespace);
    let namespace = namespace.unwrap_or_else(|| Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()));
    let incomplete = std::mem::take(&mut tables.incomplete);
    let mut maker = Maker {
        rows,
        indexes: Indexes::new(tables),
        labels: Labels::new(&tables.vocabulary),
        namespace,
        published,
        stamps,
        incomplete,
        absent: tables.absent.clone(),
        report,
        unstamped: Vec::new(),
        made: BTreeMap::new(),
        stampless: BTreeMap::new(),
        proposals: 0,
    };
    maker.prepare_all(tables);
    maker.finish_all(tables);
    maker.tell();
    tables.unstamped = maker.unstamped;
    tables.incomplete = maker.incomplete;
}

struct Maker<'a> {
    rows: Rows,
    indexes: Indexes,
    labels: Labels,
    namespace: Uuid,
    published: Timestamp,
    stamps: &'a Stamps,
    incomplete: BTreeSet<Table>,
    absent: BTreeSet<Table>,
    report: &'a mut Diagnostics,
    unstamped: Vec<UnstampedRow>,
    /// Ids that were made, by table.
    made: BTreeMap<Table, usize>,
    /// Rows without times, by table: the first, and how many.
    stampless: BTreeMap<Table, (Location, usize)>,
    /// Unknown names that were held against all records.
    proposals: usize,
}

/// Tables whose records have times.
const STAMPED: [Table; 7] = [
    Table::Organizations,
    Table::Programs,
    Table::Cycles,
    Table::Awards,
    Table::Recipients,
    Table::Sources,
    Table::Facts,
];

/// Tables whose records have ids.
const fn has_id(table: Table) -> bool {
    !matches!(table, Table::Aliases | Table::Translations | Table::Vocabulary | Table::Synonyms)
}

/// The table of a kind of record.
fn table_of(kind: &str) -> Option<Table> {
    EntityType::parse(kind).map(Table::of)
}

/// The field that a slug is made from, where records have slugs.
const fn named(table: Table) -> Option<&'static str> {
    match table {
        Table::Organizations | Table::Programs => Some("name"),
        Table::Recipients => Some("displayName"),
        _ => None,
    }
}

impl Maker<'_> {
    /// Parents before children: what a row refers to has an id when the row gets its own.
    fn prepare_all(&mut self, tables: &Tables) {
        use Table::{
            Aliases, Awards, Channels, Cycles, Facts, Leaders, Lifecycle, Organizations, Posts, Programs,
            Recipients, Sources, Synonyms, Translations, Vocabulary,
        };
        for table in [Organizations, Programs, Recipients] {
            self.prepare(table);
            self.indexes.add_aliases(table, tables);
            self.prepare_aliases(table);
        }
        for table in [Cycles, Awards, Facts, Sources, Lifecycle, Leaders, Channels, Posts, Translations] {
            self.prepare(table);
        }
        // Aliases of what has none are refused when they are records.
        let mut rest = self.rows.remove(&Aliases).unwrap_or_default();
        rest.iter_mut().filter(|row| row.id.is_none()).for_each(|row| self.link(Aliases, row));
        self.rows.insert(Aliases, rest);
        for table in [Vocabulary, Synonyms] {
            self.prepare(table);
        }
    }

    fn prepare(&mut self, table: Table) {
        let mut rows = self.rows.remove(&table).unwrap_or_default();
        self.make_slugs(table, &mut rows);
        for row in &mut rows {
            self.link(table, row);
            self.keep_key(table, row);
            if has_id(table) && !row.is_lost {
                self.identify(table, row);
            }
        }
        for row in rows.iter().filter(|row| !row.is_lost) {
            self.indexes.add_row(table, row);
        }
        self.rows.insert(table, rows);
    }

    fn prepare_aliases(&mut self, of: Table) {
        let mut rows = self.rows.remove(&Table::Aliases).unwrap_or_default();
        for row in rows.iter_mut().filter(|row| row.id.is_none()) {
            if row.text("entityType").and_then(|kind| table_of(&kind)) == Some(of) {
                self.link(Table::Aliases, row);
                row.id = row.text("entityId").and_then(|id| Uuid::parse_str(&id).ok());
                if let (Some(id), Some(slug)) = (row.id, row.text("slug")) {
                    self.indexes.of(of).add_slug(slug, id);
                }
            }
        }
        self.rows.insert(Table::Aliases, rows);
    }

    /// What the source calls the row is no field of the record; it is in the id.
    fn keep_key(&mut self, table: Table, row: &mut PartialRow) {
        let Some(key) = row.text("key").filter(|_| has_id(table)) else { return };
        if let Some(earlier) = self.indexes.of(table).take_key(&key, row.at) {
            let place = self.place(earlier);
            let message = format!("the key {} is taken, see {place}", quoted(&key));
            let told = row.fault(Code::DuplicateId, "key", message);
            self.report.push(told.help("a `key` is unique in its table: correct one of the two"));
            row.is_lost = true;
        }
    }

    fn place(&self, at: Location) -> String {
        format!("{}:{}", self.report.file_name(at.file), at.line)
    }

    /// Slugs from names. Two rows that give one slug are told together, each with a slug of its own.
    fn make_slugs(&mut self, table: Table, rows: &mut [PartialRow]) {
        let Some(field) = named(table) else { return };
        let mut taken: BTreeMap<String, Location> = BTreeMap::new();
        for row in rows.iter() {
            if let Some(slug) = row.text("slug") {
                taken.entry(slug).or_insert(row.at);
            }
        }
        for row in rows.iter_mut().filter(|row| row.text("slug").is_none() && row.shape("slug").is_none()) {
            let Some(slug) = row.text(field).map(|name| slug_of(&name)).filter(|slug| !slug.is_empty())
            else {
                continue;
            };
            let known = taken.get(&slug).copied().or_else(|| self.indexes.of(table).place_of_slug(&slug));
            if let Some(earlier) = known {
                let place = self.place(earlier);
                let message = format!("the name gives the slug `{slug}`, which is taken, see {place}");
                let other = match row.text("organization").map(|name| slug_of(&name)) {
                    Some(owner) if !owner.is_empty() => format!("{slug}-{owner}"),
                    _ => format!("{slug}-2"),
                };
                let help = format!("write a `slug` into each: `{slug}` there, `{other}` here");
                self.report.push(row.fault(Code::DuplicateSlug, "slug", message).help(help));
                row.is_lost = true;
                continue;
            }
            taken.insert(slug.clone(), row.at);
            let message = format!("no `slug`, made from the name: `{slug}`");
            let fix = Fix { safety: Safety::Safe, edits: vec![Edit::insert("slug", &slug)] };
            self.report.push(row.fault(Code::SlugMade, "slug", message).fix(fix));
            row.set("slug", slug);
        }
    }

    /// The row's id: its own, or one made from what makes it that record.
    fn identify(&mut self, table: Table, row: &mut PartialRow) {
        if row.get("id").is_some() {
            row.id = row.id();
            return;
        }
        let Some(natural) = links::natural_key(table, row, &self.labels) else { return };
        let id = Uuid::new_v5(&self.namespace, natural.as_bytes());
        if let Some(earlier) = self.indexes.of(table).take_id(id, row.at) {
            let place = self.place(earlier);
            let message = format!("the row is the same record as {place}");
            let told =
                Diagnostic { column: row.column, ..Diagnostic::new(Code::DuplicateId, row.at, message) };
            self.report.push(told.field("key").help("remove one of them, or give each a `key` of its own"));
            row.is_lost = true;
            return;
        }
        row.id = Some(id);
        *self.made.entry(table).or_default() += 1;
    }

    fn finish_all(&mut self, tables: &mut Tables) {
        self.finish(Table::Organizations, &mut tables.organizations);
        self.finish(Table::Programs, &mut tables.programs);
        self.finish(Table::Cycles, &mut tables.cycles);
        self.finish(Table::Awards, &mut tables.awards);
        self.finish(Table::Recipients, &mut tables.recipients);
        self.finish(Table::Sources, &mut tables.sources);
        self.finish(Table::Facts, &mut tables.facts);
        self.finish(Table::Lifecycle, &mut tables.transitions);
        self.finish(Table::Aliases, &mut tables.aliases);
        self.finish(Table::Leaders, &mut tables.leaders);
        self.finish(Table::Channels, &mut tables.channels);
        self.finish(Table::Posts, &mut tables.posts);
        self.finish(Table::Translations, &mut tables.translations);
        self.finish(Table::Vocabulary, &mut tables.vocabulary);
        self.finish(Table::Synonyms, &mut tables.synonyms);
    }

    fn finish<T: DeserializeOwned>(&mut self, table: Table, records: &mut Vec<Row<T>>) {
        let rows = self.rows.remove(&table).unwrap_or_default();
        if rows.is_empty() {
            return;
        }
        for mut row in rows {
            self.link_source(table, &mut row);
            if row.is_lost {
                self.incomplete.insert(table);
                continue;
            }
            self.fill(table, &mut row);
            match row.record(table, self.report) {
                Some(record) => records.push(Row { record, at: row.at }),
                None => {
                    self.incomplete.insert(table);
                }
            }
        }
        // Leaders and channels keep the order of their tables.
        records.sort_by_key(|row| row.at);
    }

    /// What is left: id, times, and the lifecycle that nobody stated.
    fn fill(&mut self, table: Table, row: &mut PartialRow) {
        if STAMPED.contains(&table) {
            self.stamp(table, row);
        }
        if table == Table::Programs && row.text("lifecycle").is_none() && row.get("lifecycle").is_none() {
            let unclear = Lifecycle::Unclear.as_str();
            let message = format!("no `lifecycle`, published as `{unclear}`");
            self.report.push(row.fault(Code::NoLifecycle, "lifecycle", message));
            row.set("lifecycle", unclear.to_owned());
        }
        if has_id(table) {
            row.remove("key");
            if let Some(id) = row.id.filter(|_| row.get("id").is_none()) {
                row.set("id", id.to_string());
            }
        }
    }

    fn stamp(&mut self, table: Table, row: &mut PartialRow) {
        let has_created = row.get("createdAt").is_some() || table == Table::Facts;
        let has_updated = row.get("updatedAt").is_some();
        let Some(id) = row.id.filter(|_| !has_created || !has_updated) else { return };
        let known = self.stamps.find(table, id);
        if known.is_none() {
            self.stampless.entry(table).or_insert((row.at, 0)).1 += 1;
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

    fn tell(&mut self) {
        for (table, (first, count)) in std::mem::take(&mut self.stampless) {
            let rows = counted(count, "row");
            let message = format!("{rows} of {} without times, published with `publishedAt`", table.name());
            self.report.push(Diagnostic::new(Code::NoStamps, first, message));
        }
        let made: Vec<String> =
            self.made.iter().map(|(table, count)| format!("{} {count}", table.name())).collect();
        if !made.is_empty() {
            self.report.note(format!("ids were made from slugs and keys: {}", made.join(", ")));
        }
    }
}

impl PartialRow {
    fn record<T: DeserializeOwned>(&self, table: Table, report: &mut Diagnostics) -> Option<T> {
        let row: Vec<Field<'_>> = self.members.iter().map(Member::field).collect();
        let record = fields::record(&row).ok();
        if record.is_none() {
            self.tell::<T>(table.name(), report);
        }
        record
    }

    /// Why it is no record.
    pub(super) fn tell<T: DeserializeOwned>(&self, table: &str, report: &mut Diagnostics) {
        let row: Vec<Field<'_>> = self.members.iter().map(Member::field).collect();
        for problem in fields::problems::<T>(row, &[], table) {
            let named = |name| self.members.iter().rev().find(|member| member.name == name);
            let member = problem.field.and_then(named);
            let at = member.map_or(self.at, |member| member.at);
            let column = member.map_or(self.column, |member| member.column);
            report.push(Diagnostic { column, ..problem.at(at) });
        }
    }
}

impl Member {
    fn field(&self) -> Field<'_> {
        let value = match &self.value {
            OwnedValue::Json(value) => Value::Json(value),
            OwnedValue::Cell(text) => Value::Cell(text),
        };
        Field { name: &self.name, value }
    }
}
