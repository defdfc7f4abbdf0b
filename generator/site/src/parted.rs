//! A build of a dataset that is larger than memory: it is split into parts, and each part is added to the index on its own.

use dataset::diagnostics::Diagnostics;
use dataset::parts::{Outline, Parts, SplitError, SplitOptions, input_bytes, split};
use dataset::{FileHashes, Input, Table};
use snapshot::record::Directory;
use snapshot::search::{self, IndexError};
use snapshot::time::Day;
use store::spill::Spill;
use store::{Digest, PublishOutcome, RecordCounts, Stage};

use crate::downloads::{Download, RowDigests, TableReview, TableStore};
use crate::error::GenerateError;
use crate::generate::{about, load_theme};
use crate::index_files::IndexFilesWriter;
use crate::options::BuildOptions;
use crate::page_files::{self, FirstVisit, PageFiles, Part, Visit};
use crate::progress::Progress;
use crate::sorted_tables::SortedTables;

/// Share of the memory that files of one part may have: its records take twice as much, and again when they are written,
/// and the next part is read meanwhile.
const PART: u64 = 24;
/// Share of the memory for what is collected or sorted at once, and the share of that for tables, which are sorted beside it.
const BUDGET: u64 = 4;
const TABLES: usize = 4;

/// A dataset in parts, checked, and the generation that it becomes.
pub struct PartedBuild {
    stage: Stage,
    spill: Spill,
    parts: Parts,
}

impl PartedBuild {
    /// Least memory that a build is meant for, in bytes.
    pub const MEMORY_MIN: u64 = 64 << 20;

    /// Splits and checks a dataset; problems are in the report. `None` if it fits into the memory, or has rows without ids,
    /// and so has to be read as a whole.
    ///
    /// # Errors
    ///
    /// If the input cannot be read, or the output cannot be written.
    pub fn begin(
        input: &Input<'_>,
        memory: u64,
        options: &BuildOptions,
        report: &mut Diagnostics,
        progress: &Progress,
    ) -> Result<Option<Self>, GenerateError> {
        if input_bytes(input).map_err(SplitError::from)? <= memory / 2 {
            return Ok(None);
        }
        let stage = Stage::begin(&options.out, &options.layout())?;
        let spill = stage.spill((memory / BUDGET) as usize);
        let how = SplitOptions { as_of: options.as_of, part_bytes: memory / PART, spill: spill.clone() };
        let parts = progress.step("read, check", || split(input, &how, report))?;
        Ok(parts.map(|parts| Self { stage, spill, parts }))
    }

    /// Reports the warnings about rows together, of a dataset that has errors.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be used.
    pub fn warn(self, report: &mut Diagnostics) -> Result<(), GenerateError> {
        Ok(self.parts.warn(report).map_err(IndexError::from)?)
    }

    /// SHA-256 of each file of the dataset.
    pub fn file_hashes(&self) -> &FileHashes {
        self.parts.file_hashes()
    }

    /// Name of the dataset.
    pub fn dataset_name(&self) -> &str {
        self.parts.dataset_name()
    }

    /// Number of published records.
    pub fn counts(&self) -> RecordCounts {
        let count = |table| self.parts.published(table);
        RecordCounts {
            organizations: count(Table::Organizations),
            programs: count(Table::Programs),
            cycles: count(Table::Cycles),
            awards: count(Table::Awards),
            recipients: count(Table::Recipients),
            sources: count(Table::Sources),
            facts: count(Table::Facts),
        }
    }

    /// Builds and publishes the snapshot, unless `review` does not accept its tables; warnings about rows together are in
    /// the report.
    ///
    /// # Errors
    ///
    /// If the output cannot be written, or the facets have too many values.
    pub fn publish(
        self,
        options: &BuildOptions,
        report: &mut Diagnostics,
        progress: &Progress,
        review: &dyn TableReview,
    ) -> Result<PublishOutcome, GenerateError> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(options.jobs).build()?;
        threads.install(|| self.publish_parts(options, report, progress, review))
    }

    fn publish_parts(
        mut self,
        options: &BuildOptions,
        report: &mut Diagnostics,
        progress: &Progress,
        review: &dyn TableReview,
    ) -> Result<PublishOutcome, GenerateError> {
        let theme = load_theme(options)?;
        let mut index = IndexFilesWriter::new(&self.spill);
        let others = self.parts.others().ok_or(GenerateError::Parts)?;
        index.add_others(&others);
        let mut tables = SortedTables::new(&self.spill.share(TABLES));
        if !options.index_only {
            tables.add(&others);
        }
        let mut outline = Outline::new(&self.spill);
        let parts = &mut self.parts;
        progress.each("index", (parts.count(), "parts"), |done| {
            in_turn(
                parts.count(),
                |part| parts.check_programs(part, report),
                |part| {
                    index.add_programs(&part, &search::document_order(&part, Day::new(options.as_of)));
                    if !options.index_only {
                        outline.add(part);
                    }
                    done();
                    Ok(())
                },
            )
        })?;
        let (source, counts) = (Digest(self.parts.source_sha256()), self.counts());
        let Self { stage, spill, parts } = self;
        let finish = |parts: Parts, report: &mut Diagnostics| parts.finish(report).map_err(IndexError::from);
        // The rest of an index needs their memory.
        let parts = if options.index_only { finish(parts, report).map(|()| None)? } else { Some(parts) };
        let keep = |path: &'static str, file| stage.put_sections(path, file);
        let files = progress.step("join", || index.finish(&others, &keep))?;
        let all = outline.finish(others).map_err(IndexError::from)?.ok_or(GenerateError::Parts)?;
        if let Some(parts) = parts {
            let (stage, spill, theme, site, directory) = (&stage, &spill, &theme, &files.open()?, &all);
            let build = PageFiles { stage, options, progress, theme, site, directory, spill };
            let store = TableStore::new(stage, options, spill, review);
            build.store(&mut PartsOfBuild { parts: &parts, tables, store })?;
            finish(parts, report)?;
        }
        let about = about(&all, source, counts, options);
        drop(all);
        progress.step("publish", || Ok(stage.publish(&about, rayon::current_num_threads())?))
    }
}

/// Loads parts and uses each while the next one is loaded.
fn in_turn(
    count: usize,
    mut load: impl FnMut(usize) -> Option<Directory> + Send,
    mut visit: impl FnMut(Directory) -> Result<(), GenerateError> + Send,
) -> Result<(), GenerateError> {
    let mut load = |part: usize| (part < count).then(|| load(part));
    let mut next = load(0);
    for part in 0..count {
        let directory = next.flatten().ok_or(GenerateError::Parts)?;
        let visited;
        (visited, next) = rayon::join(|| visit(directory), || load(part + 1));
        visited?;
    }
    Ok(())
}

/// The parts of a dataset, as pages are made from them.
struct PartsOfBuild<'a> {
    parts: &'a Parts,
    tables: SortedTables,
    store: TableStore<'a>,
}

impl page_files::Parts for PartsOfBuild<'_> {
    fn first(
        &mut self,
        build: &PageFiles<'_>,
        visit: FirstVisit<'_>,
    ) -> Result<Vec<Download>, GenerateError> {
        let mut tables = std::mem::take(&mut self.tables);
        build.progress.each("fragments", (self.parts.count(), "parts"), |done| {
            self.again(build, &mut |part| {
                let digests = tables.add(part.directory);
                visit(part, &digests)?;
                done();
                Ok(())
            })
        })?;
        build.progress.step("tables", || tables.write(build.directory, &self.store))
    }

    fn again(&mut self, build: &PageFiles<'_>, visit: Visit<'_>) -> Result<(), GenerateError> {
        in_turn(
            self.parts.count(),
            |part| self.parts.programs(part),
            |directory| {
                let order = search::document_order(&directory, build.day());
                visit(Part { directory: &directory, order: &order })
            },
        )
    }

    fn all_digests(&self) -> Option<&RowDigests> {
        None
    }
}
