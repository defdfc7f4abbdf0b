//! What a build would change in the live generation: records added, changed field by field, removed and moved.
//! Compares the linked records with the tables of the live generation; nothing is rendered. A build makes the same
//! comparison and stops before it publishes what is probably a truncated table (`guards`).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::Date;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use snapshot::facet::Facet;
use snapshot::record::field_table::FieldType;
use snapshot::record::{Directory, PROGRAM};
use snapshot::time::{Day, Season};
use store::{Body, Coding, Digest, FileEntry, Generation, RecordCounts, StoreError};

use dataset::Table;
use dataset::text::nearest;
use site::{record_counts, table_lines};

/// Derived fields: a row in which only these differ is unchanged. An id that differs is that of a pair.
const DERIVED: [&str; 3] = ["id", "createdAt", "updatedAt"];

/// A changed field.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Change {
    /// Name of the field.
    pub(crate) field: String,
    /// The live value.
    pub(crate) old: Value,
    /// The new value.
    pub(crate) new: Value,
}

/// A record with changed fields.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Changed {
    /// Slug, or else label, title, name, value or id.
    pub(crate) name: String,
    /// The changed fields.
    pub(crate) fields: Vec<Change>,
}

/// A record whose slug changes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Moved {
    /// The new slug.
    pub(crate) name: String,
    /// The live slug.
    pub(crate) was: String,
    /// Whether an alias redirects the live slug.
    pub(crate) has_alias: bool,
}

/// The changes of one table.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TablePlan {
    /// Name of the table.
    pub(crate) table: &'static str,
    /// Number of live records.
    pub(crate) live: usize,
    /// Names of the added records.
    pub(crate) added: Vec<String>,
    /// Changed records.
    pub(crate) changed: Vec<Changed>,
    /// Names of the removed records.
    pub(crate) removed: Vec<String>,
    /// Records with a new slug.
    pub(crate) moved: Vec<Moved>,
    /// Number of records that keep their slug but get another id; they count as removed and added.
    pub(crate) renumbered: usize,
    /// Fields that lose their value in some records.
    pub(crate) blanked: Vec<Blanked>,
}

/// A field that loses its value.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Blanked {
    /// Name of the field.
    pub(crate) field: String,
    /// Number of live records with a value.
    pub(crate) live: usize,
    /// Number of those that would have none.
    pub(crate) count: usize,
}

/// Numbers of records of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Counted {
    /// Name of the table.
    pub(crate) table: &'static str,
    /// Number of live records.
    pub(crate) live: u64,
    /// Number of records after the build.
    pub(crate) new: u64,
}

/// What a build would change.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Plan {
    /// Name of the dataset.
    pub(crate) name: String,
    /// Id of the live generation.
    pub(crate) against: Option<String>,
    /// Tables with changes.
    pub(crate) tables: Vec<TablePlan>,
    /// Record counts, which are all that can be compared with a live generation that was built with `--index-only`.
    pub(crate) counts: Vec<Counted>,
    /// New filter values, as `field value`.
    pub(crate) values_added: Vec<String>,
    /// Filter values that no record has any more.
    pub(crate) values_removed: Vec<String>,
    /// Seasons whose status differs between the live day and the day of the build, as `program, label: open → closed`.
    pub(crate) turned: Vec<String>,
    /// Whether records change while `publishedAt` stays the same.
    pub(crate) same_moment: bool,
}

/// Names of the counted tables with their numbers of records.
pub(crate) fn named(counts: &RecordCounts) -> [(&'static str, u64); 7] {
    [
        ("organizations", counts.organizations),
        ("programs", counts.programs),
        ("cycles", counts.cycles),
        ("awards", counts.awards),
        ("recipients", counts.recipients),
        ("sources", counts.sources),
        ("facts", counts.facts),
    ]
}

type Rows = BTreeMap<String, Value>;

/// The live generation of a root, if there is one.
///
/// # Errors
///
/// If it cannot be read. A root without one is no error.
pub(crate) fn live(root: &Path) -> Result<Option<Generation>, StoreError> {
    match Generation::open_current(root) {
        Ok(live) => Ok(Some(live)),
        Err(StoreError::Unpublished { .. }) => Ok(None),
        Err(_) if !root.exists() => Ok(None),
        Err(error) => Err(error),
    }
}

impl Plan {
    /// Compares numbers of records with those of the live generation.
    pub(crate) fn of_counts(name: &str, counts: &RecordCounts, live: Option<&Generation>) -> Self {
        let live_counts = live.map(|live| live.manifest().counts);
        let pairs = live_counts.iter().flat_map(|live| named(live).into_iter().zip(named(counts)));
        let counts = pairs.map(|((table, live), (_, new))| Counted { table, live, new }).collect();
        let against = live.map(|live| live.id().to_string());
        Self { name: name.to_owned(), against, counts, ..Self::default() }
    }

    /// Compares a directory, as of a day, with the live generation.
    ///
    /// # Errors
    ///
    /// If the live generation cannot be read.
    pub(crate) fn compare(
        directory: &Directory,
        live: Option<&Generation>,
        as_of: Date,
    ) -> Result<Self, StoreError> {
        let mut plan = Self::of_counts(&directory.dataset.name, &record_counts(directory), live);
        let Some(live) = live else { return Ok(plan) };
        plan.turned = turned(directory, live.manifest().as_of, as_of);
        if !live.manifest().complete {
            return Ok(plan);
        }
        plan.counts.clear();
        let mut values = Values::default();
        let compared = Table::ALL.into_par_iter().map(|table| {
            let versions = Versions::of(table, directory, live)?;
            let changes =
                versions.as_ref().map(|versions| compare_table(table, versions, directory, Some(live)));
            let changes = changes.transpose()?.flatten();
            Ok((changes, versions.filter(|_| Values::has(table)).map(|versions| (table, versions))))
        });
        for (changes, versions) in compared.collect::<Result<Vec<_>, StoreError>>()? {
            plan.tables.extend(changes);
            versions.into_iter().for_each(|(table, versions)| values.add(table, versions));
        }
        (plan.values_added, plan.values_removed) = values.difference();
        let moment: Timestamp = live.manifest().generated_at;
        plan.same_moment = !plan.tables.is_empty() && moment == directory.dataset.published_at;
        Ok(plan)
    }

    /// Whether no change is known.
    pub(crate) const fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.counts.is_empty()
    }
}

/// The changes of a table, given as its new lines with their length and hash; `directory` has the aliases of all records.
///
/// # Errors
///
/// If the live generation cannot be read.
pub(crate) fn table_changes(
    table: Table,
    new: (&[u8], Body),
    directory: &Directory,
    live: &Generation,
) -> Result<Option<TablePlan>, StoreError> {
    let Some(entry) = table_file(table, live) else { return Ok(None) };
    let versions = Versions::differing(entry, new, live)?;
    let changes = versions.map(|versions| compare_table(table, &versions, directory, Some(live)));
    Ok(changes.transpose()?.flatten())
}

/// Seasons whose status differs between two days.
fn turned(directory: &Directory, before: Date, after: Date) -> Vec<String> {
    if before == after {
        return Vec::new();
    }
    let slugs: BTreeMap<_, _> = directory.programs.iter().map(|it| (it.id, it.slug.as_str())).collect();
    let turned = directory.cycles.iter().filter_map(|cycle| {
        let season = Season::of(cycle);
        let [old, new] = [before, after].map(|day| season.status(Day::new(day)).as_str());
        let slug = slugs.get(&cycle.program_id).copied().unwrap_or_default();
        (old != new).then(|| format!("{slug}, {}: {old} → {new}", cycle.label))
    });
    turned.collect()
}

/// A table, live and new. Most lines are the same in both: they are parsed only where all rows count.
struct Versions {
    /// Number of live rows.
    live: usize,
    /// The live rows, and the parts of them that are the new ones too.
    text: Vec<u8>,
    same: Vec<Range<usize>>,
    /// The other live rows.
    old: Rows,
    /// The other new rows.
    new: Rows,
}

impl Versions {
    /// Those of a table; `None` if the live generation does not have it.
    fn of(table: Table, directory: &Directory, live: &Generation) -> Result<Option<Self>, StoreError> {
        let Some(entry) = table_file(table, live) else { return Ok(None) };
        let new = table_lines(directory, table);
        let body = Body { len: new.len() as u64, sha256: Digest::of(&new) };
        Ok(Some(Self::differing(entry, (&new, body), live)?.unwrap_or_else(|| Self::unchanged(new))))
    }

    /// Those of a file with new lines; `None` if these are the live ones.
    fn differing(
        entry: FileEntry<'_>,
        (new, body): (&[u8], Body),
        live: &Generation,
    ) -> Result<Option<Self>, StoreError> {
        if entry.identity() == body {
            return Ok(None);
        }
        Ok(Some(Self::new(live.read(entry, Coding::Identity)?, new)))
    }

    fn new(text: Vec<u8>, new: &[u8]) -> Self {
        let lines = |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect() };
        let (old, new) = (lines(&text), lines(new));
        // Only lines between the first and the last difference are hashed.
        let pairs = || old.iter().zip(&new);
        let before = pairs().take_while(|(old, new)| old == new).count();
        let after = old[before..].iter().rev().zip(new[before..].iter().rev());
        let after = after.take_while(|(old, new)| old == new).count();
        let length = |lines: &[&[u8]]| lines.iter().map(|line| line.len()).sum::<usize>();
        let start = length(&old[..before]);
        let mut same = vec![0..start, text.len() - length(&old[old.len() - after..])..text.len()];
        let of_new: HashSet<&[u8]> = new[before..new.len() - after].iter().copied().collect();
        let (mut of_old, mut at) = (HashSet::new(), start);
        for line in &old[before..old.len() - after] {
            if of_old.insert(*line) && of_new.contains(line) {
                same.push(at..at + line.len());
            }
            at += line.len();
        }
        let live = old.len();
        let (old, new) =
            (rows(of_old.difference(&of_new).copied()), rows(of_new.difference(&of_old).copied()));
        Self { live, text, same, old, new }
    }

    /// A table with the same lines in both.
    fn unchanged(text: Vec<u8>) -> Self {
        let live = text.iter().filter(|byte| **byte == b'\n').count();
        let same = std::iter::once(0..text.len()).collect();
        Self { live, text, same, old: Rows::new(), new: Rows::new() }
    }

    /// The rows that are the same in both.
    fn same(&self) -> impl Iterator<Item = Value> {
        let parts = self.same.iter().map(|part| &self.text[part.clone()]);
        parts.flat_map(|part| serde_json::Deserializer::from_slice(part).into_iter().flatten())
    }
}

/// The file of a table in the live generation.
fn table_file(table: Table, live: &Generation) -> Option<FileEntry<'_>> {
    live.files().lookup(&[&format!("data/{}.ndjson", table.name())])
}

/// Rows by identity.
fn rows<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Rows {
    let rows = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    rows.map(|row| (identity(&row), row)).collect()
}

fn identity(row: &Value) -> String {
    if let Some(id) = row["id"].as_str() {
        return id.to_owned();
    }
    // Aliases, translations, labels and synonyms have no id: these fields identify them.
    let parts = ["entityType", "entityId", "locale", "slug", "facet", "value", "terms"];
    parts.iter().map(|name| row[name].to_string()).collect::<Vec<_>>().join(" ")
}

/// Fields that name the record that a row belongs to.
const OWNERS: [&str; 4] = ["programId", "entityId", "organizationId", "recipientId"];

/// Names of rows in reports: the slugs of what they belong to, and their own.
struct Names(BTreeMap<String, String>);

impl Names {
    /// Those that some rows need. What the directory has no longer is in the live tables.
    fn of<'r>(
        rows: impl Iterator<Item = &'r Value>,
        directory: &Directory,
        live: Option<&Generation>,
    ) -> Result<Self, StoreError> {
        let owners = rows.filter(|row| row["slug"].is_null());
        let owners = owners.flat_map(|row| OWNERS.iter().filter_map(|field| row[field].as_str()));
        let mut open: BTreeSet<String> = owners.map(str::to_owned).collect();
        let mut names = BTreeMap::new();
        let programs = directory.programs.iter().map(|it| (it.id, &it.slug));
        let organizations = directory.organizations.iter().map(|it| (it.id, &it.slug));
        let recipients = directory.recipients.iter().map(|it| (it.id, &it.slug));
        let known = programs.chain(organizations).chain(recipients).filter(|_| !open.is_empty());
        let known = known.map(|(id, slug)| (id.to_string(), slug.to_string()));
        names.extend(known.filter(|(id, _)| open.contains(id)));
        open.retain(|id| !names.contains_key(id));
        for table in [Table::Programs, Table::Organizations, Table::Recipients] {
            let entry = live.and_then(|live| Some((live, table_file(table, live)?)));
            let Some((live, entry)) = entry.filter(|_| !open.is_empty()) else { continue };
            let text = live.read(entry, Coding::Identity)?;
            for row in serde_json::Deserializer::from_slice(&text).into_iter::<Value>().flatten() {
                if let (Some(id), Some(slug)) = (row["id"].as_str(), row["slug"].as_str())
                    && open.remove(id)
                {
                    names.insert(id.to_owned(), slug.to_owned());
                }
            }
        }
        Ok(Self(names))
    }

    fn name(&self, row: &Value) -> String {
        if let Some(slug) = row["slug"].as_str().filter(|_| row["entityId"].is_null()) {
            return slug.to_owned();
        }
        let owners = OWNERS.iter().filter_map(|field| Some(self.0.get(row[field].as_str()?)?.as_str()));
        let own = ["label", "title", "name", "slug", "value", "kind", "locale"].iter();
        let own = own.filter_map(|name| row[name].as_str()).find(|name| !name.is_empty());
        let parts: Vec<&str> = owners.chain(own).collect();
        if parts.is_empty() {
            row["id"].as_str().map_or_else(|| identity(row), str::to_owned)
        } else {
            parts.join(", ")
        }
    }

    /// The name of a record that comes or leaves, with its value.
    fn with_value(&self, row: &Value) -> String {
        let stated = ["amount", "deadlineOn", "awardYear", "value", "text"].iter();
        let name = self.name(row);
        let stated = stated.filter_map(|field| Some(&row[field]).filter(|value| !is_blank(value))).next();
        let stated = stated
            .filter(|_| row["slug"].is_null() && row["label"].as_str() != stated.and_then(Value::as_str));
        match stated {
            None => name,
            Some(value) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let currency = row["currency"].as_str().filter(|_| value.is_number());
                format!("{name}: {text}{}", currency.map(|it| format!(" {it}")).unwrap_or_default())
            }
        }
    }
}

/// Takes the pairs out of both lists that are one record with another id: an id is made of the values of a fact, so a
/// record that says something else has another one. They have one name, which no other record of a list has.
fn take_pairs<'r>(
    removed: &mut Vec<&'r Value>,
    added: &mut Vec<&'r Value>,
    names: &Names,
) -> Vec<(&'r Value, &'r Value)> {
    fn by_name<'r>(rows: &[&'r Value], names: &Names) -> BTreeMap<String, Option<&'r Value>> {
        let mut named = BTreeMap::new();
        for row in rows.iter().copied().filter(|row| row["slug"].is_null()) {
            named.entry(names.name(row)).and_modify(|known| *known = None).or_insert(Some(row));
        }
        named
    }
    let (old, new) = (by_name(removed, names), by_name(added, names));
    let pairs = old.into_iter().filter_map(|(name, old)| Some((old?, (*new.get(&name)?)?)));
    let pairs: Vec<(&Value, &Value)> = pairs.collect();
    let paired: BTreeSet<_> =
        pairs.iter().flat_map(|(old, new)| [*old, *new]).map(std::ptr::from_ref).collect();
    removed.retain(|row| !paired.contains(&std::ptr::from_ref(*row)));
    added.retain(|row| !paired.contains(&std::ptr::from_ref(*row)));
    pairs
}

/// The filter values of programs and facts in the rows that differ.
#[derive(Default)]
struct Values {
    tables: Vec<(Table, Versions)>,
    old: BTreeSet<String>,
    new: BTreeSet<String>,
}

impl Values {
    /// Whether rows of a table have filter values.
    const fn has(table: Table) -> bool {
        matches!(table, Table::Programs | Table::Facts)
    }

    fn add(&mut self, table: Table, versions: Versions) {
        versions.old.values().for_each(|row| collect_values(table, row, &mut self.old));
        versions.new.values().for_each(|row| collect_values(table, row, &mut self.new));
        self.tables.push((table, versions));
    }

    /// Values that no live row has, and values that no new row has.
    fn difference(self) -> (Vec<String>, Vec<String>) {
        let mut same = BTreeSet::new();
        if self.old != self.new {
            let rows = self.tables.iter().flat_map(|(table, of)| of.same().map(|row| (*table, row)));
            rows.for_each(|(table, row)| collect_values(table, &row, &mut same));
        }
        let only_in = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            one.difference(other).filter(|value| !same.contains(*value)).cloned().collect()
        };
        (only_in(&self.new, &self.old), only_in(&self.old, &self.new))
    }
}

/// Collects the filter values of a program or a fact.
fn collect_values(table: Table, row: &Value, values: &mut BTreeSet<String>) {
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

/// The changes of a table.
///
/// # Errors
///
/// If the live generation cannot be read.
fn compare_table(
    table: Table,
    versions: &Versions,
    directory: &Directory,
    live: Option<&Generation>,
) -> Result<Option<TablePlan>, StoreError> {
    let Versions { old, new, .. } = versions;
    let only_in = |rows, others: &Rows| -> Vec<&Value> {
        let rows: &Rows = rows;
        rows.iter().filter(|(id, _)| !others.contains_key(*id)).map(|(_, row)| row).collect()
    };
    let (mut removed, mut added) = (only_in(old, new), only_in(new, old));
    let names = Names::of(old.values().chain(new.values()), directory, live)?;
    let pairs = take_pairs(&mut removed, &mut added, &names);
    let slugs: BTreeSet<&str> = added.iter().filter_map(|row| row["slug"].as_str()).collect();
    let reused = removed.iter().filter_map(|row| row["slug"].as_str()).filter(|slug| slugs.contains(slug));
    let mut plan = TablePlan {
        table: table.name(),
        live: versions.live,
        added: added.iter().map(|row| names.with_value(row)).collect(),
        removed: removed.iter().map(|row| names.with_value(row)).collect(),
        renumbered: reused.count(),
        ..TablePlan::default()
    };
    let mut blanked: BTreeMap<&String, usize> = BTreeMap::new();
    let same = old.iter().filter_map(|(id, before)| Some((before, new.get(id)?)));
    for (before, after) in same.filter(|(before, after)| before != after).chain(pairs) {
        let fields = changes(before, after);
        if let (Some(was), Some(slug)) = (before["slug"].as_str(), after["slug"].as_str())
            && was != slug
        {
            let has_alias = directory.aliases.iter().any(|alias| alias.slug == was);
            plan.moved.push(Moved { name: slug.to_owned(), was: was.to_owned(), has_alias });
        }
        let lost = before.as_object().into_iter().flatten();
        for (field, _) in lost.filter(|(field, value)| !is_blank(value) && is_blank(&after[*field])) {
            *blanked.entry(field).or_default() += 1;
        }
        if !fields.is_empty() {
            plan.changed.push(Changed { name: names.name(after), fields });
        }
    }
    let filled = |field: &String| {
        let is_filled = |row: &Value| !is_blank(&row[field]);
        old.values().filter(|row| is_filled(row)).count() + versions.same().filter(is_filled).count()
    };
    let blanked = blanked.into_iter();
    plan.blanked =
        blanked.map(|(field, count)| Blanked { field: field.clone(), live: filled(field), count }).collect();
    plan.moved.extend(renamed(&removed, &added, directory));
    plan.added.sort_unstable();
    plan.removed.sort_unstable();
    plan.changed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let is_same = plan.added.is_empty() && plan.changed.is_empty() && plan.removed.is_empty();
    Ok((!is_same).then_some(plan))
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty) || value.as_str() == Some("")
}

/// Removed records that were probably renamed: an added one has the same address, or almost the same name.
fn renamed(removed: &[&Value], added: &[&Value], directory: &Directory) -> Vec<Moved> {
    let text = |row: &Value, field: &str| row[field].as_str().map(str::to_owned);
    let moved = removed.iter().filter_map(|before| {
        let was = text(before, "slug")?;
        let is_same = |after: &&&Value| {
            let is_alike = |field| before[field].is_string() && before[field] == after[field];
            let names = text(before, "name").zip(text(after, "name"));
            is_alike("officialUrl")
                || is_alike("websiteUrl")
                || names.is_some_and(|(before, after)| nearest(&before, [after.as_str()]).is_some())
        };
        let mut found = added.iter().filter(is_same);
        let name = text(found.next().filter(|_| found.next().is_none())?, "slug")?;
        let has_alias = directory.aliases.iter().any(|alias| alias.slug == was);
        (name != was).then_some(Moved { name, was, has_alias })
    });
    moved.collect()
}

fn changes(before: &Value, after: &Value) -> Vec<Change> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return Vec::new() };
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let names = names.into_iter().filter(|name| !DERIVED.contains(&name.as_str()));
    let changes = names.filter_map(|name| {
        let (old, new) = (&before[name], &after[name]);
        (old != new).then(|| Change { field: name.clone(), old: old.clone(), new: new.clone() })
    });
    changes.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;

    /// A plan of one table with so many live, removed and changed records.
    pub(crate) fn plan(live: usize, removed: usize, changed: usize) -> Plan {
        let field =
            || Change { field: "deadlineOn".to_owned(), old: json!("2026-12-01"), new: json!("2027-01-15") };
        let moved = Moved { name: "acme".to_owned(), was: "acme-travel".to_owned(), has_alias: false };
        let table = TablePlan {
            table: "programs",
            live,
            added: vec!["new|<b>".to_owned()],
            changed: (0..changed)
                .map(|number| Changed { name: format!("changed-{number}"), fields: vec![field()] })
                .collect(),
            removed: (0..removed).map(|number| format!("removed-{number}")).collect(),
            moved: vec![moved],
            renumbered: 0,
            blanked: Vec::new(),
        };
        Plan {
            name: "t".to_owned(),
            against: Some("000041-5dff".to_owned()),
            tables: vec![table],
            counts: Vec::new(),
            values_added: vec!["programType prize".to_owned()],
            values_removed: Vec::new(),
            turned: Vec::new(),
            same_moment: true,
        }
    }

    #[test]
    fn a_removed_record_with_the_address_of_an_added_one_was_probably_renamed() {
        let directory = dataset::directory(&dataset::Input::Embedded(dataset::sample::FILES));
        let row = |slug: &str, name: &str, url: &str| json!({"slug": slug, "name": name, "officialUrl": url});
        let old =
            [row("sea", "Sea", "https://a.example/1"), row("ice-fund", "Ice Fund", "https://a.example/2")];
        let new = [
            row("ocean", "Ocean", "https://a.example/1"),
            row("ice-funds", "Ice Funds", "https://a.example/3"),
            row("land", "Land", "https://a.example/4"),
        ];
        let (removed, added): (Vec<_>, Vec<_>) = (old.iter().collect(), new.iter().collect());
        let moved = renamed(&removed, &added, &directory);
        let pairs: Vec<_> = moved.iter().map(|it| (it.was.as_str(), it.name.as_str())).collect();
        assert_eq!(pairs, [("sea", "ocean"), ("ice-fund", "ice-funds")]);
    }

    #[test]
    fn lines_that_are_the_same_count_where_all_rows_do() {
        let directory = dataset::directory(&dataset::Input::Embedded(dataset::sample::FILES));
        let row = |id: &str, kind: &str, url: &str| {
            format!("{}\n", json!({"id": id, "programType": kind, "officialUrl": url}))
        };
        let live = row("a", "grant", "https://a.example") + &row("b", "prize", "https://b.example");
        let new = row("a", "grant", "https://a.example") + &row("b", "grant", "");
        let versions = Versions::new(live.into_bytes(), new.as_bytes());
        let plan = compare_table(Table::Programs, &versions, &directory, None);
        let plan = plan.expect("nothing is read").expect("a row differs");
        assert_eq!((plan.live, plan.changed.len()), (2, 1));
        let blanked: Vec<_> = plan.blanked.iter().map(|it| (it.field.as_str(), it.live, it.count)).collect();
        assert_eq!(blanked, [("officialUrl", 2, 1)]);
        let mut values = Values::default();
        values.add(Table::Programs, versions);
        // The other row had `grant` before.
        assert_eq!(values.difference(), (Vec::new(), vec!["programType prize".to_owned()]));
    }

    #[test]
    fn a_season_and_a_sum_are_named_with_their_program_and_a_sum_that_changes_is_one_change() {
        let directory = dataset::directory(&dataset::Input::Embedded(dataset::sample::FILES));
        let program = &directory.programs[0];
        let fact = |id: &str, label: &str, amount: u32| {
            let row = json!({"id": id, "programId": program.id.to_string(), "kind": "funding", "label": label, "amount": amount, "currency": "EUR"});
            format!("{row}\n")
        };
        let live = fact("a", "Most", 3000) + &fact("b", "Least", 10) + &fact("c", "Twice", 1);
        let new = fact("d", "Most", 300_000) + &fact("e", "Twice", 2) + &fact("f", "Twice", 3);
        let versions = Versions::new(live.into_bytes(), new.as_bytes());
        let plan = compare_table(Table::Facts, &versions, &directory, None);
        let plan = plan.expect("nothing is read").expect("a row differs");
        let slug = &program.slug;
        let [changed] = &plan.changed[..] else { panic!("{plan:?}") };
        assert_eq!(changed.name, format!("{slug}, Most"));
        let [change] = &changed.fields[..] else { panic!("{changed:?}") };
        assert_eq!(
            (change.field.as_str(), &change.old, &change.new),
            ("amount", &json!(3000), &json!(300_000))
        );
        assert_eq!(plan.removed, [format!("{slug}, Least: 10 EUR"), format!("{slug}, Twice: 1 EUR")]);
        assert_eq!(plan.added, [format!("{slug}, Twice: 2 EUR"), format!("{slug}, Twice: 3 EUR")]);
    }

    #[test]
    fn a_row_in_which_only_its_times_differ_is_unchanged() {
        let before = json!({"id": "a", "name": "A", "updatedAt": "2026-01-01T00:00:00Z"});
        let mut after = before.clone();
        after["updatedAt"] = "2026-02-01T00:00:00Z".into();
        assert!(changes(&before, &after).is_empty());
        after["name"] = "B".into();
        assert_eq!(changes(&before, &after)[0].field, "name");
    }
}
