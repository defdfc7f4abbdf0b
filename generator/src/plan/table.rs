//! The changes of one table, field by field.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use snapshot::record::Directory;
use store::{Generation, StoreError};

use dataset::Table;
use dataset::text::nearest;

use super::names::{Names, is_blank, take_pairs};
use super::versions::{Rows, Versions};

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
    /// Id of the record.
    #[serde(skip)]
    pub(crate) id: String,
    /// The row of a sheet that the record is imported from, as `grants.csv:14`.
    pub(crate) from: Option<String>,
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

/// The changes of a table.
///
/// # Errors
///
/// If the live generation cannot be read.
pub(super) fn compare_table(
    table: Table,
    versions: &Versions,
    directory: &Directory,
    live: Option<&Generation>,
) -> Result<Option<TablePlan>, StoreError> {
    let (old, new) = (&versions.old, &versions.new);
    let only_in = |rows, others: &Rows| -> Vec<&Value> {
        let rows: &Rows = rows;
        rows.iter().filter(|(id, _)| !others.contains_key(*id)).map(|(_, row)| row).collect()
    };
    let (mut removed, mut added) = (only_in(old, new), only_in(new, old));
    let names = Names::of(old.values().chain(new.values()), directory, live)?;
    let pairs = take_pairs(&mut removed, &mut added, &names);
    let mut plan = TablePlan {
        table: table.name(),
        live: versions.live_count(),
        added: added.iter().map(|row| names.with_value(row)).collect(),
        removed: removed.iter().map(|row| names.with_value(row)).collect(),
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
            let id = after["id"].as_str().unwrap_or_default().to_owned();
            plan.changed.push(Changed { name: names.name(after), fields, id, from: None });
        }
    }
    let filled = |field: &String| versions.live().filter(|row| !is_blank(&row[field])).count();
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
mod tests {
    use serde_json::json;

    use super::*;

    /// What two versions of a table differ in.
    fn compared(table: Table, live: String, new: &str, directory: &Directory) -> TablePlan {
        let versions = Versions::new(live.into_bytes(), new.as_bytes());
        compare_table(table, &versions, directory, None).expect("nothing is read").expect("a row differs")
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
        let plan = compared(Table::Programs, live, &new, &directory);
        assert_eq!((plan.live, plan.changed.len()), (2, 1));
        let blanked: Vec<_> = plan.blanked.iter().map(|it| (it.field.as_str(), it.live, it.count)).collect();
        assert_eq!(blanked, [("officialUrl", 2, 1)]);
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
        let plan = compared(Table::Facts, live, &new, &directory);
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
