//! Splits a dataset: finds the part of every program, then reads, checks and writes table after table.

use std::io;

use jiff::civil::Date;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use snapshot::search::IndexError;
use store::spill::{Column, Spill};
use uuid::Uuid;

use super::load::Parts;
use super::places::Places;
use super::rows::{OTHERS, push_row, rows_of};
use crate::diagnostics::Diagnostics;
use crate::facet_values::Labels;
use crate::link::{Advice, LateRows, check_rows, check_shared};
use crate::parallel;
use crate::read::{Input, InputError, TableReader};
use crate::record::Record;
use crate::registry::Registry;
use crate::rows::{Row, Tabled, Tables};
use crate::table::Table;

/// Rows that a thread writes at a time.
const SHARE: usize = 2048;

/// Why a dataset cannot be split.
#[derive(Debug, thiserror::Error)]
pub enum SplitError {
    /// A file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A temporary file could not be written or read.
    #[error(transparent)]
    Write(#[from] IndexError),
}

/// How a dataset is split.
#[derive(Clone, Debug)]
pub struct SplitOptions {
    /// The day by which documents are ordered.
    pub as_of: Date,
    /// Bytes of files for each part.
    pub part_bytes: u64,
    /// Where parts are kept.
    pub spill: Spill,
}

/// Bytes of the files of a dataset.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn input_bytes(input: &Input<'_>) -> Result<u64, InputError> {
    Ok(TableReader::open(input, &mut Diagnostics::new())?.bytes())
}

/// Splits a dataset and reports the problems of its rows. `None` if it has to be read as a whole: it is one part, or it
/// has rows without ids, which are derived from all rows.
///
/// # Errors
///
/// If a file cannot be read, or a temporary file cannot be written.
pub fn split(
    input: &Input<'_>,
    options: &SplitOptions,
    report: &mut Diagnostics,
) -> Result<Option<Parts>, SplitError> {
    let mut reader = TableReader::open(input, report)?;
    let count = reader.bytes().div_ceil(options.part_bytes.max(1)) as usize;
    if count < 2 {
        return Ok(None);
    }
    let mut shared = Tables { dataset: reader.dataset(report)?, ..Tables::default() };
    // Only rows without ids have stamps; they are part of the source's hash.
    reader.stamps(report)?;
    reader.rows(Table::Vocabulary, report, &mut |rows, _| shared.vocabulary.extend(rows))?;
    reader.rows(Table::Synonyms, report, &mut |rows, _| shared.synonyms.extend(rows))?;
    let places = Places::find(&mut reader, count, options.as_of)?;
    let mut registry = Registry::new(reader.absent.clone(), &options.spill);
    places.announce(&mut registry);
    let mut late = LateRows::default();
    check_shared(&mut shared, &mut registry, &mut late, report);
    let mut split = Split {
        parts: (0..=count).map(|_| Column::new(&options.spill)).collect(),
        labels: Labels::new(&shared.vocabulary),
        registry,
        late,
        places,
        reader,
        shared,
        report,
    };
    let mut none = Tables::default();
    each_table!(none, |table, rows| split.read(table, rows)?);
    split.finish(&options.spill)
}

/// A dataset that is being split.
struct Split<'a, 'r> {
    parts: Vec<Column<u8>>,
    labels: Labels,
    registry: Registry,
    late: LateRows,
    places: Places,
    reader: TableReader<'a>,
    shared: Tables,
    report: &'r mut Diagnostics,
}

impl Split<'_, '_> {
    /// Reads a table, and writes its rows to their parts.
    fn read<T: Tabled>(&mut self, table: Table, _: &mut Vec<Row<T>>) -> Result<(), InputError> {
        if matches!(table, Table::Vocabulary | Table::Synonyms) {
            return Ok(());
        }
        let Self { parts, labels, registry, late, places, reader, shared, report, .. } = self;
        let read = reader.rows(table, report, &mut |rows, report| {
            let mut chunk = Tables { dataset: shared.dataset.clone(), ..Tables::default() };
            *T::rows(&mut chunk) = rows;
            check_rows(&mut chunk, labels, late, report);
            let rows = std::mem::take(T::rows(&mut chunk));
            let first = registry.add(table, &rows);
            places.add(table, &rows);
            write(parts, table, first, &rows, places);
        });
        registry.incomplete.clone_from(&reader.incomplete);
        read
    }

    fn finish(mut self, spill: &Spill) -> Result<Option<Parts>, SplitError> {
        if self.reader.has_partial_rows {
            return Ok(None);
        }
        let start = self.shared.dataset.as_ref().map(|row| row.at);
        self.registry.report(start, self.report).map_err(IndexError::from)?;
        let mut parts = self.parts.into_iter();
        let others = parts.next().map(Column::finish).transpose().map_err(IndexError::from)?;
        let mut programs: Vec<_> = parts.collect();
        others.iter().for_each(|others| self.places.copy(others, &mut programs));
        let programs = programs.into_iter().map(Column::finish);
        Ok(Some(Parts {
            parts: others
                .into_iter()
                .map(Ok)
                .chain(programs)
                .collect::<io::Result<_>>()
                .map_err(IndexError::from)?,
            shared: self.shared,
            registry: self.registry,
            advice: Advice::new(spill),
            late: self.late,
            hashes: self.reader.hashes,
        }))
    }
}

/// Appends rows to their parts; the numbers of the rows begin with `first`.
fn write<T: Record>(parts: &mut [Column<u8>], table: Table, first: u32, rows: &[Row<T>], places: &Places) {
    let shares: Vec<(u32, &[Row<T>])> =
        rows.chunks(SHARE).enumerate().map(|(at, share)| (first + (at * SHARE) as u32, share)).collect();
    let written = parallel::numbers(shares.len(), &|at| {
        let (first, share) = shares[at];
        let mut bytes = vec![Vec::new(); parts.len()];
        for (number, row) in (first..).zip(share) {
            for part in places.parts_of(table, &row.record) {
                push_row(table, row, number, &mut bytes[part]);
            }
        }
        bytes
    });
    for share in written {
        parts.iter_mut().zip(share).for_each(|(part, bytes)| part.extend(&bytes));
    }
}

/// What names the organization or recipient that a row is, or belongs to.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    id: Option<Uuid>,
    entity_id: Option<Uuid>,
}

impl Places {
    /// Copies organizations and recipients, with their translations and former slugs, to the parts that refer to them.
    fn copy(&self, others: &[u8], programs: &mut [Column<u8>]) {
        let is_shown = |table: u8| {
            let tables = [Table::Organizations, Table::Recipients, Table::Translations, Table::Aliases];
            tables.iter().any(|shown| *shown as u8 == table)
        };
        for row in rows_of(others).filter(|row| is_shown(row.table)) {
            let owner: Option<Owner> = serde_json::from_slice(row.json).ok();
            let Some(id) = owner.and_then(|owner| owner.entity_id.or(owner.id)) else { continue };
            let parts: FxHashSet<usize> = self.referring_to(id).collect();
            for part in parts.into_iter().filter(|part| *part != OTHERS) {
                programs[part - 1].extend(row.bytes);
            }
        }
    }
}
