//! What a build would change in the live generation: records added, changed field by field, removed and moved.
//! Compares the linked records with the tables of the live generation; nothing is rendered. A build makes the same
//! comparison and stops before it publishes what is probably a truncated table (`guards`).

mod names;
mod table;
mod versions;

use std::path::Path;

use jiff::Timestamp;
use rayon::prelude::*;
use serde::Serialize;
use snapshot::page::list;
use snapshot::record::Directory;
use store::{Generation, RecordCounts, StoreError};

use dataset::Table;
use site::record_counts;

use versions::Versions;

use table::compare_table;
pub(crate) use table::{Blanked, Changed, TablePlan};

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

/// The live generation of a root, if there is one.
///
/// # Errors
///
/// If it cannot be read. A root without one is no error.
pub(crate) fn live(root: &Path) -> Result<Option<Generation>, StoreError> {
    match Generation::open_current(root) {
        Ok(live) => Ok(Some(live)),
        Err(StoreError::Unpublished { .. }) if !root.is_file() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Why a build would stop if the live generation is of another dataset.
pub(crate) fn other_dataset(directory: &Directory, live: Option<&Generation>) -> Option<String> {
    let name = &directory.dataset.name;
    let live = live.and_then(|live| list::dataset_name(&live.index("lists.bin").ok()?));
    let live = live.filter(|live| live != name)?;
    Some(format!("the live snapshot is of dataset `{live}`, this is `{name}`; use --replace to replace it"))
}

impl Plan {
    /// Compares numbers of records with those of the live generation.
    pub(crate) fn of_counts(directory: &Directory, live: Option<&Generation>) -> Self {
        let live_counts = live.into_iter().flat_map(|live| named(&live.manifest().counts));
        let pairs = live_counts.zip(named(&record_counts(directory)));
        let counts = pairs.map(|((table, live), (_, new))| Counted { table, live, new }).collect();
        let against = live.map(|live| live.id().to_string());
        Self { name: directory.dataset.name.clone(), against, counts, ..Self::default() }
    }

    /// Compares a directory with the live generation. Of a table that cannot be read, numbers of records are compared, and the
    /// error is given too.
    pub(crate) fn compare(directory: &Directory, live: Option<&Generation>) -> (Self, Option<StoreError>) {
        let mut plan = Self::of_counts(directory, live);
        let Some(live) = live.filter(|live| live.manifest().complete) else { return (plan, None) };
        let compare = |table| -> Result<_, StoreError> {
            let versions = Versions::of(table, directory, live)?;
            let changes = versions.map(|versions| compare_table(table, &versions, directory, Some(live)));
            Ok(changes.transpose()?.flatten())
        };
        let compared: Vec<_> = Table::ALL.into_par_iter().map(|table| (table, compare(table))).collect();
        let mut unread = None;
        for (table, changes) in compared {
            match changes {
                Ok(changes) => {
                    plan.counts.retain(|counted| counted.table != table.name());
                    plan.tables.extend(changes);
                }
                Err(error) => unread = Some(error),
            }
        }
        let moment: Timestamp = live.manifest().generated_at;
        plan.same_moment = !plan.tables.is_empty() && moment == directory.dataset.published_at;
        (plan, unread)
    }

    /// The changed records, to be completed by the rows that they come from.
    pub(crate) fn changed(&mut self) -> impl Iterator<Item = &mut Changed> {
        self.tables.iter_mut().flat_map(|table| &mut table.changed)
    }

    /// Whether no change is known.
    pub(crate) const fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.counts.is_empty()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::table::{Change, Moved};
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
                .map(|number| Changed {
                    name: format!("changed-{number}"),
                    fields: vec![field()],
                    id: number.to_string(),
                    from: Some(format!("grants.csv:{}", number + 2)),
                })
                .collect(),
            removed: (0..removed).map(|number| format!("removed-{number}")).collect(),
            moved: vec![moved],
            blanked: Vec::new(),
        };
        Plan {
            name: "t".to_owned(),
            against: Some("000041-5dff".to_owned()),
            tables: vec![table],
            counts: Vec::new(),
            same_moment: true,
        }
    }
}
