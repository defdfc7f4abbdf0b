//! Names of rows in a plan, which people know the records by, and the rows that are one record with another id.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use snapshot::record::Directory;
use store::{Coding, Generation, StoreError};

use dataset::Table;

use super::versions::{identity, table_file};

/// Fields that name the record that a row belongs to.
const OWNERS: [&str; 4] = ["programId", "entityId", "organizationId", "recipientId"];

/// Names of rows in reports: the slugs of what they belong to, and their own.
pub(super) struct Names(BTreeMap<String, String>);

impl Names {
    /// Those that some rows need. What the directory has no longer is in the live tables.
    pub(super) fn of<'r>(
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
        for table in Table::WITH_SLUGS {
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

    pub(super) fn name(&self, row: &Value) -> String {
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
    pub(super) fn with_value(&self, row: &Value) -> String {
        let name = self.name(row);
        let mut stated =
            ["amount", "deadlineOn", "awardYear", "value", "text"].iter().map(|field| &row[field]);
        let is_new = |value: &&Value| row["slug"].is_null() && row["label"].as_str() != value.as_str();
        let Some(value) = stated.find(|it| !is_blank(it)).filter(is_new) else { return name };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let currency = row["currency"].as_str().filter(|_| value.is_number());
        format!("{name}: {text}{}", currency.map(|it| format!(" {it}")).unwrap_or_default())
    }
}

/// Takes the pairs out of both lists that are one record with another id: an id is made of the values of a fact, so a
/// record that says something else has another one. They have one name, which no other record of a list has.
pub(super) fn take_pairs<'r>(
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

pub(super) fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty) || value.as_str() == Some("")
}
