//! Reads parts, each on its own.

use std::io;

use snapshot::record::Directory;
use store::spill::Items;

use super::rows::{OTHERS, WrittenRow, rows_of};
use crate::diagnostics::Diagnostics;
use crate::link::{Advice, LateRows, build_directory, clear_references, sort};
use crate::parallel;
use crate::read::{FileHashes, source_sha256};
use crate::registry::{Registry, Status};
use crate::rows::{Row, Tables};
use crate::table::Table;

/// A dataset in parts. All errors were found when it was split.
pub struct Parts {
    /// Dataset, vocabulary and synonyms, which every part has.
    pub(super) shared: Tables,
    /// Organizations and recipients, then the programs.
    pub(super) parts: Vec<Items<u8>>,
    pub(super) registry: Registry,
    pub(super) advice: Advice,
    pub(super) late: LateRows,
    pub(super) hashes: FileHashes,
}

impl Parts {
    /// Number of parts with programs.
    pub fn count(&self) -> usize {
        self.parts.len() - 1
    }

    /// SHA-256 of each file.
    pub fn file_hashes(&self) -> &FileHashes {
        &self.hashes
    }

    /// SHA-256 of the files, as [`Tables::source_sha256`].
    pub fn source_sha256(&self) -> [u8; 32] {
        source_sha256(&self.hashes)
    }

    /// Name of the dataset.
    pub fn dataset_name(&self) -> &str {
        self.shared.dataset.as_ref().map_or("", |row| row.record.name.as_str())
    }

    /// Number of published rows of a table.
    pub fn published(&self, table: Table) -> u64 {
        self.registry.published(table) as u64
    }

    /// The published rows of a part.
    fn load(&self, part: usize) -> Tables {
        let mut tables = Tables { dataset: self.shared.dataset.clone(), ..Tables::default() };
        let mut written: [Vec<WrittenRow<'_>>; Table::ALL.len()] = Default::default();
        rows_of(&self.parts[part]).for_each(|row| written[usize::from(row.table)].push(row));
        each_table!(tables, |table, rows| {
            *rows = parallel::flat_map(&written[table as usize], |row| {
                let is_published = self.registry.status(table, row.number) == Some(Status::Published);
                let record = is_published.then(|| serde_json::from_slice(row.json).ok())??;
                Some(Row { record, at: row.at })
            });
        });
        self.parts[part].let_go();
        clear_references(&mut tables, &self.registry);
        sort(&mut tables);
        tables.vocabulary.clone_from(&self.shared.vocabulary);
        tables.synonyms.clone_from(&self.shared.synonyms);
        tables
    }

    /// Organizations and recipients with what belongs to them, and no programs.
    pub fn others(&mut self) -> Option<Directory> {
        let tables = self.load(OTHERS);
        self.advice.add_organizations(&tables);
        build_directory(tables)
    }

    /// The programs of a part with what belongs to them, and the organizations and recipients that they refer to.
    pub fn programs(&self, part: usize) -> Option<Directory> {
        build_directory(self.load(1 + part))
    }

    /// The same for the first time: warnings about rows together are in the report.
    pub fn check_programs(&mut self, part: usize, report: &mut Diagnostics) -> Option<Directory> {
        let mut tables = self.load(1 + part);
        self.advice.add_programs(&mut tables, report);
        build_directory(tables)
    }

    /// Reports the warnings about rows together, of a dataset that has errors.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be used.
    pub fn warn(mut self, report: &mut Diagnostics) -> io::Result<()> {
        drop(self.others());
        (0..self.count()).for_each(|part| drop(self.check_programs(part, report)));
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
