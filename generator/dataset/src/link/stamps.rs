//! When records were made and changed: in this order, and not after the dataset was published.

use jiff::Timestamp;
use snapshot::record::{Award, Cycle, Fact, Organization, Program, Recipient, Source};

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::rows::{Row, Tables};
use crate::table::Table;
use crate::text::counted;

trait Stamped {
    /// When it was made, where its table says so, and when it was last changed.
    fn stamps(&self) -> (Option<Timestamp>, Timestamp);
}

macro_rules! stamped {
    ($($record:ident)+) => {
        $(impl Stamped for $record {
            fn stamps(&self) -> (Option<Timestamp>, Timestamp) {
                (Some(self.created_at), self.updated_at)
            }
        })+
    };
}

stamped! { Organization Program Cycle Award Recipient Source }

impl Stamped for Fact {
    fn stamps(&self) -> (Option<Timestamp>, Timestamp) {
        (None, self.updated_at)
    }
}

/// Reports stamps in the wrong order.
pub(super) fn check(tables: &Tables, report: &mut Diagnostics) {
    let published = tables.dataset.as_ref().map(|row| row.record.published_at);
    check_table(Table::Organizations, &tables.organizations, published, report);
    check_table(Table::Programs, &tables.programs, published, report);
    check_table(Table::Cycles, &tables.cycles, published, report);
    check_table(Table::Awards, &tables.awards, published, report);
    check_table(Table::Recipients, &tables.recipients, published, report);
    check_table(Table::Sources, &tables.sources, published, report);
    check_table(Table::Facts, &tables.facts, published, report);
}

fn check_table<T: Stamped>(
    table: Table,
    rows: &[Row<T>],
    published: Option<Timestamp>,
    report: &mut Diagnostics,
) {
    let mut after = Vec::new();
    for row in rows {
        let (created, updated) = row.record.stamps();
        if let Some(created) = created.filter(|created| *created > updated) {
            let message = format!("`updatedAt` is {updated}, before `createdAt`, which is {created}");
            report.push(Diagnostic::new(Code::TimesReversed, row.at, message));
        }
        if published.is_some_and(|published| updated.max(created.unwrap_or(updated)) > published) {
            after.push(row.at);
        }
    }
    if let (Some(first), Some(published)) = (after.iter().min(), published) {
        let rows = counted(after.len(), "row");
        let message = format!("{rows} of {} changed after `publishedAt`, {published}", table.name());
        report.push(Diagnostic::new(Code::AfterPublication, *first, message));
    }
}
