//! A dataset that is larger than memory, as parts in temporary files. Its rows are read once, checked, and written to the
//! part of their program; programs are in parts by the order of their documents. A part is linked on its own.

mod places;
mod split;

use std::io;

use serde::Serialize;
use snapshot::record::Directory;
use store::{Column, Items, Spill};

use crate::diagnostics::{Diagnostics, Location};
use crate::link::{Advice, LateRows, build_directory, clear_references, sort};
use crate::parallel;
use crate::record::Record;
use crate::registry::{Registry, Status};
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;

pub use split::{SplitError, SplitOptions, input_bytes, split};

/// The part of organizations, recipients and what belongs to them.
const OTHERS: usize = 0;
/// Bytes before a row: table, place, number of the row, length.
const HEADER: usize = 1 + size_of::<u64>() + 2 * size_of::<u32>();

/// Rows of a part, in the order in which they were read.
struct PartRows<C>(C);

impl PartRows<Column<u8>> {
    fn new(spill: &Spill) -> Self {
        Self(Column::new(spill))
    }

    fn finish(self) -> io::Result<PartRows<Items<u8>>> {
        self.0.finish().map(PartRows)
    }
}

/// Appends a row to the bytes of a part. Rows are written as they are published, which is as they are read.
fn push_row<T: Serialize>(table: Table, row: &Row<T>, number: u32, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.push(table as u8);
    bytes.extend_from_slice(&row.at.to_bits().to_le_bytes());
    bytes.extend_from_slice(&number.to_le_bytes());
    bytes.extend_from_slice(&[0; size_of::<u32>()]);
    // Writing plain structs to memory cannot fail.
    let _ = serde_json::to_writer(&mut *bytes, &row.record);
    let length = (bytes.len() - start - HEADER) as u32;
    bytes[start + HEADER - size_of::<u32>()..start + HEADER].copy_from_slice(&length.to_le_bytes());
}

/// A row in the bytes of a part.
#[derive(Clone, Copy)]
struct WrittenRow<'a> {
    table: u8,
    at: Location,
    number: u32,
    json: &'a [u8],
    /// All of it.
    bytes: &'a [u8],
}

impl PartRows<Items<u8>> {
    fn rows(&self) -> impl Iterator<Item = WrittenRow<'_>> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let (header, after) = rest.split_first_chunk::<HEADER>()?;
            let (at, numbers) = header[1..].split_first_chunk::<8>()?;
            let (number, length) = numbers.split_first_chunk::<4>()?;
            let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
            let json = after.get(..length)?;
            let bytes = &rest[..HEADER + length];
            rest = &rest[bytes.len()..];
            let at = Location::from_bits(u64::from_le_bytes(*at));
            Some(WrittenRow { table: header[0], at, number: u32::from_le_bytes(*number), json, bytes })
        })
    }
}

/// Reads the published rows of a part.
struct Load<'a> {
    registry: &'a Registry,
    rows: Vec<WrittenRow<'a>>,
}

impl Pass for Load<'_> {
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        let written: Vec<&WrittenRow<'_>> = self.rows.iter().filter(|row| row.table == table as u8).collect();
        *rows = parallel::flat_map(&written, |row| {
            let is_published = self.registry.status(table, row.number) == Some(Status::Published);
            let record = is_published.then(|| serde_json::from_slice(row.json).ok())??;
            Some(Row { record, at: row.at })
        });
    }
}

/// A dataset in parts. All errors were found when it was split.
pub struct Parts {
    /// Dataset, vocabulary and synonyms, which every part has.
    shared: Tables,
    /// Organizations and recipients, then the programs.
    parts: Vec<PartRows<Items<u8>>>,
    registry: Registry,
    advice: Advice,
    late: LateRows,
    source: [u8; 32],
}

impl Parts {
    /// Number of parts with programs.
    #[must_use]
    pub fn count(&self) -> usize {
        self.parts.len() - 1
    }

    /// SHA-256 of the files, as [`Tables::source_sha256`].
    #[must_use]
    pub fn source_sha256(&self) -> [u8; 32] {
        self.source
    }

    /// Name of the dataset.
    #[must_use]
    pub fn dataset_name(&self) -> &str {
        self.shared.dataset.as_ref().map_or("", |row| row.record.name.as_str())
    }

    /// Number of published rows of a table.
    #[must_use]
    pub fn published(&self, table: Table) -> u64 {
        self.registry.published(table) as u64
    }

    fn load(&self, part: usize) -> Tables {
        let mut tables = Tables { dataset: self.shared.dataset.clone(), ..Tables::default() };
        let rows = self.parts[part].rows().collect();
        tables.run(&mut Load { registry: &self.registry, rows });
        self.parts[part].0.let_go();
        sort(&mut tables);
        tables.vocabulary.clone_from(&self.shared.vocabulary);
        tables.synonyms.clone_from(&self.shared.synonyms);
        tables
    }

    fn others_checked(&mut self) -> Tables {
        let tables = self.load(OTHERS);
        self.advice.add_organizations(&tables);
        tables
    }

    fn programs_checked(&mut self, part: usize, report: &mut Diagnostics) -> Tables {
        let mut tables = self.load(1 + part);
        clear_references(&mut tables, &self.registry);
        self.advice.add_programs(&mut tables, report);
        tables
    }

    /// Organizations and recipients with what belongs to them, and no programs.
    #[must_use]
    pub fn others(&mut self) -> Option<Directory> {
        build_directory(self.others_checked())
    }

    /// The programs of a part with what belongs to them, and the organizations and recipients that they refer to. Warnings
    /// about rows together are in the report.
    #[must_use]
    pub fn programs(&mut self, part: usize, report: &mut Diagnostics) -> Option<Directory> {
        build_directory(self.programs_checked(part, report))
    }

    /// Reports the warnings about rows together, of a dataset that has errors.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be used.
    pub fn warn(mut self, report: &mut Diagnostics) -> io::Result<()> {
        drop(self.others_checked());
        for part in 0..self.count() {
            drop(self.programs_checked(part, report));
        }
        self.finish(report)
    }

    /// Reports what counts all rows, once all parts were linked.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be used.
    pub fn finish(self, report: &mut Diagnostics) -> io::Result<()> {
        self.late.report(self.shared.dataset.as_ref(), report);
        self.registry.note_left_out(report);
        self.advice.finish(&self.shared, report)
    }
}
