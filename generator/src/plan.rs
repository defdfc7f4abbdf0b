//! What a build would change of what is live: records added, changed field by field, removed and moved.
//! Compares the linked records with the tables of the live generation; nothing is rendered. A build asks
//! the same before it publishes, and holds back what is probably a table cut in half.

mod guard;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use snapshot::facet::Facet;
use snapshot::record::field_table::FieldType;
use snapshot::record::{Directory, PROGRAM};
use snapshot::store::{Coding, Generation, StoreError};

use dataset::Table;
use site::table_lines;

pub use guard::{ExpectedCount, Guards, Percent};
pub use report::{PlanFormat, report};

/// Fields that follow from others: a change of theirs alone is none.
const FOLLOWING: [&str; 2] = ["createdAt", "updatedAt"];

/// A changed field: its name, what it says now in public, and what it would say.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// As the dataset calls it.
    pub field: String,
    /// What is live.
    pub old: Value,
    /// What would be.
    pub new: Value,
}

/// A record that stays and says something else.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// Its slug, or what else it is best called.
    pub name: String,
    /// What changes.
    pub fields: Vec<Change>,
}

/// A record at another address.
#[derive(Clone, Debug, Serialize)]
pub struct Moved {
    /// Its slug from now on.
    pub name: String,
    /// Its slug that is live.
    pub was: String,
    /// Whether the old slug would lead to the new one.
    pub has_alias: bool,
}

/// What happens to one table.
#[derive(Clone, Debug, Serialize)]
pub struct TablePlan {
    /// Its name.
    pub table: &'static str,
    /// Records that are live.
    pub live: usize,
    /// Records that come, by name.
    pub added: Vec<String>,
    /// Records that stay and change.
    pub changed: Vec<Changed>,
    /// Records that go, by name.
    pub removed: Vec<String>,
    /// Records at another address.
    pub moved: Vec<Moved>,
    /// Records that keep their slug and have another id: they count as removed and added.
    pub renumbered: usize,
}

/// How many records a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Its name.
    pub table: &'static str,
    /// Records that are live.
    pub live: usize,
    /// Records that would be.
    pub new: usize,
}

/// What a build would change.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Name of the dataset.
    pub name: String,
    /// The live generation; nothing when there is none.
    pub against: Option<String>,
    /// Tables with changes.
    pub tables: Vec<TablePlan>,
    /// Where what is live was built without tables: how many records of each there are, which is all that can be
    /// compared.
    pub counts: Vec<Counted>,
    /// Filter values that come, as `field value`.
    pub values_added: Vec<String>,
    /// Filter values that go.
    pub values_removed: Vec<String>,
    /// Whether records change and the moment of publication does not.
    pub same_moment: bool,
}

type Rows = BTreeMap<String, Value>;

impl Plan {
    /// Compares some tables of a directory with what is live under a root.
    ///
    /// # Errors
    ///
    /// If the live generation cannot be read. That there is none is no error.
    pub fn of(directory: &Directory, root: &Path, tables: &[Table]) -> Result<Self, StoreError> {
        let live = match Generation::open_current(root) {
            Ok(live) => Some(live),
            Err(StoreError::Unpublished { .. }) => None,
            Err(_) if !root.exists() => None,
            Err(error) => return Err(error),
        };
        let mut plan = Self {
            name: directory.dataset.name.clone(),
            against: live.as_ref().map(|live| live.id().to_string()),
            tables: Vec::new(),
            counts: Vec::new(),
            values_added: Vec::new(),
            values_removed: Vec::new(),
            same_moment: false,
        };
        let Some(live) = live else { return Ok(plan) };
        if !live.manifest().complete {
            plan.counts = tables.iter().filter_map(|table| counted(*table, &live, directory)).collect();
            return Ok(plan);
        }
        let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
        for table in tables {
            let Some(old) = live_rows(&live, *table)? else { continue };
            let new = rows(&table_lines(directory, *table));
            collect_values(*table, &old, &mut before);
            collect_values(*table, &new, &mut after);
            plan.tables.extend(compare(*table, &old, &new, directory));
        }
        plan.values_added = after.difference(&before).cloned().collect();
        plan.values_removed = before.difference(&after).cloned().collect();
        let moment: Timestamp = live.manifest().generated_at;
        plan.same_moment = !plan.tables.is_empty() && moment == directory.dataset.published_at;
        Ok(plan)
    }

    /// Whether nothing would change, as far as that can be told.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.counts.is_empty()
    }
}

/// How many records of a table a manifest states, and a directory has.
fn counted(table: Table, live: &Generation, directory: &Directory) -> Option<Counted> {
    let counts = &live.manifest().counts;
    let (live, new) = match table {
        Table::Organizations => (counts.organizations, directory.organizations.len()),
        Table::Programs => (counts.programs, directory.programs.len()),
        Table::Cycles => (counts.cycles, directory.cycles.len()),
        Table::Awards => (counts.awards, directory.awards.len()),
        Table::Recipients => (counts.recipients, directory.recipients.len()),
        Table::Sources => (counts.sources, directory.sources.len()),
        Table::Facts => (counts.facts, directory.facts.len()),
        _ => return None,
    };
    Some(Counted { table: table.name(), live: usize::try_from(live).unwrap_or(usize::MAX), new })
}

/// The rows of a table that are live; nothing when the generation was built without tables.
fn live_rows(live: &Generation, table: Table) -> Result<Option<Rows>, StoreError> {
    let path = format!("data/{}.ndjson", table.name());
    let Some(entry) = live.files().lookup(&[&path]) else { return Ok(None) };
    Ok(Some(rows(&live.read(entry, Coding::Identity)?)))
}

/// Rows by what makes each the record that it is.
fn rows(lines: &[u8]) -> Rows {
    let rows = serde_json::Deserializer::from_slice(lines).into_iter::<Value>().flatten();
    rows.map(|row| (identity(&row), row)).collect()
}

fn identity(row: &Value) -> String {
    if let Some(id) = row["id"].as_str() {
        return id.to_owned();
    }
    // Aliases, translations, labels and synonyms are what they are about.
    let parts = ["entityType", "entityId", "locale", "slug", "facet", "value", "terms"];
    parts.iter().map(|name| row[name].to_string()).collect::<Vec<_>>().join(" ")
}

/// What people call a record.
fn name_of(row: &Value) -> String {
    let words = ["slug", "label", "title", "name", "value", "kind"].iter();
    let named = words.filter_map(|name| row[name].as_str()).find(|name| !name.is_empty());
    named.or(row["id"].as_str()).map_or_else(|| identity(row), str::to_owned)
}

/// Filter values of programs and facts.
fn collect_values(table: Table, rows: &Rows, values: &mut BTreeSet<String>) {
    for row in rows.values() {
        match table {
            Table::Programs => {
                for field in
                    PROGRAM.iter().filter(|field| matches!(field.kind, FieldType::Word | FieldType::Words))
                {
                    let value = &row[field.name];
                    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                    let words = items.iter().filter_map(Value::as_str);
                    values.extend(words.map(|word| format!("{} {word}", field.name)));
                }
            }
            Table::Facts => {
                let kind = row["kind"].as_str().unwrap_or_default();
                if let (Some(_), Some(value)) = (Facet::of_kind(kind), row["value"].as_str()) {
                    values.insert(format!("{kind} {value}"));
                }
            }
            _ => {}
        }
    }
}

fn compare(table: Table, old: &Rows, new: &Rows, directory: &Directory) -> Option<TablePlan> {
    let gone: Vec<&Value> = old.iter().filter(|(id, _)| !new.contains_key(*id)).map(|(_, row)| row).collect();
    let come: Vec<&Value> = new.iter().filter(|(id, _)| !old.contains_key(*id)).map(|(_, row)| row).collect();
    let slugs: BTreeSet<&str> = come.iter().filter_map(|row| row["slug"].as_str()).collect();
    let mut plan = TablePlan {
        table: table.name(),
        live: old.len(),
        added: come.iter().map(|row| name_of(row)).collect(),
        changed: Vec::new(),
        removed: gone.iter().map(|row| name_of(row)).collect(),
        moved: Vec::new(),
        renumbered: gone
            .iter()
            .filter_map(|row| row["slug"].as_str())
            .filter(|slug| slugs.contains(slug))
            .count(),
    };
    for (id, before) in old {
        let Some(after) = new.get(id).filter(|after| *after != before) else { continue };
        let fields = changes(before, after);
        if let (Some(was), Some(slug)) = (before["slug"].as_str(), after["slug"].as_str())
            && was != slug
        {
            let has_alias = directory.aliases.iter().any(|alias| alias.slug == was);
            plan.moved.push(Moved { name: slug.to_owned(), was: was.to_owned(), has_alias });
        }
        if !fields.is_empty() {
            plan.changed.push(Changed { name: name_of(after), fields });
        }
    }
    plan.added.sort_unstable();
    plan.removed.sort_unstable();
    plan.changed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let is_same = plan.added.is_empty() && plan.changed.is_empty() && plan.removed.is_empty();
    (!is_same).then_some(plan)
}

fn changes(before: &Value, after: &Value) -> Vec<Change> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return Vec::new() };
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let names = names.into_iter().filter(|name| !FOLLOWING.contains(&name.as_str()));
    let changes = names.filter_map(|name| {
        let (old, new) = (&before[name], &after[name]);
        (old != new).then(|| Change { field: name.clone(), old: old.clone(), new: new.clone() })
    });
    changes.collect()
}

#[cfg(test)]
mod tests;
