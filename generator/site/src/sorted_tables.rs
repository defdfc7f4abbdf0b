//! The tables of a dataset that is read in parts: rows are collected part by part, and sorted.

use std::io;

use dataset::Table;
use rayon::prelude::*;
use snapshot::record::Directory;
use snapshot::search::IndexError;
use store::spill::{Column, Items, Sorter, Spill};
use uuid::Uuid;

use crate::downloads::{Download, RowDigests, TableStore, row_digests, table_lines, translations};
use crate::error::GenerateError;

/// Bytes before a translation that it is sorted by: id and type of the record, language.
const TRANSLATION_KEY: usize = size_of::<Uuid>() + 2;

/// Rows of each table that parts have. Rows with an id begin with it, and so are sorted by their bytes.
#[derive(Default)]
pub(crate) struct SortedTables(Vec<(Table, Option<Sorter>)>);

impl SortedTables {
    /// No rows yet.
    pub(crate) fn new(spill: &Spill) -> Self {
        let sorter = |table| is_in_parts(table).then(|| Sorter::new(spill));
        Self(Table::ALL.map(|table| (table, sorter(table))).into())
    }

    /// Adds the rows of a part; gives the hashes of all of them.
    pub(crate) fn add(&mut self, part: &Directory) -> RowDigests {
        let add = |(table, sorter): &mut (Table, Option<Sorter>)| {
            let lines = table_lines(part, *table);
            if let Some(sorter) = sorter {
                let rows = lines.split_inclusive(|byte| *byte == b'\n');
                let keys = keys(part, *table);
                let key = |at| keys.get(at).map_or(&[][..], Vec::as_slice);
                rows.enumerate().for_each(|(at, row)| sorter.push(&[key(at), row]));
            }
            row_digests(&lines)
        };
        RowDigests::of_tables(self.0.par_iter_mut().map(add).collect())
    }

    /// Stores every table; `outline` has the rows that no part has.
    pub(crate) fn write(
        self,
        outline: &Directory,
        store: &TableStore<'_>,
    ) -> Result<Vec<Download>, GenerateError> {
        let write = |(table, sorter)| {
            let lines = match sorter {
                Some(sorter) => merged(table, sorter, store.spill).map_err(IndexError::from)?,
                None => table_lines(outline, table).into(),
            };
            store.write(table, &lines, outline)
        };
        store.accepted(self.0.into_iter().map(write).collect::<Result<_, _>>()?)
    }
}

/// Whether rows of a table belong to programs, or to records that a part has copies of.
fn is_in_parts(table: Table) -> bool {
    let others = [Table::Organizations, Table::Recipients, Table::Leaders, Table::Channels, Table::Posts];
    !others.contains(&table) && !matches!(table, Table::Vocabulary | Table::Synonyms)
}

/// What the rows of a table are sorted by, where they do not begin with it.
fn keys(part: &Directory, table: Table) -> Vec<Vec<u8>> {
    match table {
        Table::Aliases => {
            // No kind is 0, which ends a slug.
            let key = |kind: u8, slug: &str| [&[1 + kind], slug.as_bytes(), &[0]].concat();
            part.aliases.iter().map(|it| key(it.entity_type as u8, &it.slug)).collect()
        }
        Table::Translations => {
            let key = |kind: u8, id: &Uuid, locale: u8| [id.as_bytes().as_slice(), &[kind, locale]].concat();
            let rows = translations(part);
            rows.iter().map(|it| key(it.entity_type as u8, &it.entity_id, it.locale as u8)).collect()
        }
        _ => Vec::new(),
    }
}

/// The rows without their keys; rows that several parts have, once.
fn merged(table: Table, sorter: Sorter, spill: &Spill) -> io::Result<Items<u8>> {
    let (mut lines, mut last) = (Column::new(spill), Vec::new());
    sorter.finish(|record| {
        if record == last {
            return;
        }
        record.clone_into(&mut last);
        let start = match table {
            Table::Aliases => record.iter().position(|byte| *byte == 0).map_or(0, |end| end + 1),
            Table::Translations => TRANSLATION_KEY,
            _ => 0,
        };
        lines.extend(record.get(start..).unwrap_or_default());
    })?;
    lines.finish()
}
