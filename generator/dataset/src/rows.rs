//! The rows of every table, between reading and linking.

use std::collections::{BTreeMap, BTreeSet};

use snapshot::record::{
    Alias, Award, Channel, Cycle, Dataset, Fact, Leader, Organization, Post, Program, Recipient, Source,
    Synonym, Term, Transition, Translation,
};

use crate::diagnostics::Location;
use crate::link_report::LinkReport;
use crate::record::{Profile, Record};
use crate::stamps::{Stamps, UnstampedRow};
use crate::table::Table;

/// A record and where it was read.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// The record.
    pub record: T,
    /// Where it starts.
    pub at: Location,
}

/// The rows of a table without their type: what is compiled for it is compiled once.
pub(crate) trait Profiles: Sync {
    /// Number of rows.
    fn count(&self) -> usize;

    /// Where a row starts, and what the rules need of it.
    fn profile(&self, row: usize) -> (Location, Profile<'_>);
}

impl<T: Record> Profiles for Vec<Row<T>> {
    fn count(&self) -> usize {
        self.len()
    }

    fn profile(&self, row: usize) -> (Location, Profile<'_>) {
        (self[row].at, self[row].record.profile())
    }
}

macro_rules! tables {
    ($dollar:tt $($table:ident $rows:ident: $record:ident)+) => {
        /// Every row of a dataset, in the order of the files' paths and lines.
        #[derive(Debug, Default)]
        pub struct Tables {
            /// `dataset.json`; none if it is missing or broken, which was reported.
            pub dataset: Option<Row<Dataset>>,
            $(pub(crate) $rows: Vec<Row<$record>>,)+
            /// What a link checker found.
            pub links: Option<LinkReport>,
            /// Tables without a file.
            pub(crate) absent: BTreeSet<Table>,
            /// Tables that lost rows to errors: a reference into them cannot be checked.
            pub(crate) incomplete: BTreeSet<Table>,
            /// Rows that are no records, with the fields whose values only stand in: their other values are checked.
            pub(crate) broken: BTreeMap<Location, Vec<String>>,
            /// Rows without timestamps of their own.
            pub unstamped: Vec<UnstampedRow>,
            /// The timestamps of `stamps.csv`.
            pub stamps: Stamps,
            /// SHA-256 of the lines `digest  path` of all files read, sorted by path, as `sha256sum` prints them.
            pub source_sha256: [u8; 32],
        }

        /// Does something with each table and its rows, owners before the rows that belong to them.
        macro_rules! each_table {
            ($dollar tables:ident, |$dollar table:ident, $dollar of:ident| $dollar body:expr) => {
                $({
                    let ($dollar table, $dollar of) =
                        ($dollar crate::table::Table::$table, &mut $dollar tables.$rows);
                    $dollar body;
                })+
            };
        }
    };
}

tables! { $
    Organizations organizations: Organization
    Programs programs: Program
    Recipients recipients: Recipient
    Cycles cycles: Cycle
    Awards awards: Award
    Facts facts: Fact
    Lifecycle transitions: Transition
    Sources sources: Source
    Aliases aliases: Alias
    Leaders leaders: Leader
    Channels channels: Channel
    Posts posts: Post
    Translations translations: Translation
    Vocabulary vocabulary: Term
    Synonyms synonyms: Synonym
}

impl Tables {
    /// Drops the rows that are no records.
    pub(crate) fn drop_broken(&mut self) {
        let broken = std::mem::take(&mut self.broken);
        if !broken.is_empty() {
            each_table!(self, |_table, rows| rows.retain(|row| !broken.contains_key(&row.at)));
        }
    }
}
