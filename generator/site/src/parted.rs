//! A build of a dataset that is larger than memory: it is split into parts, and each part is added to the index on its own.

use dataset::diagnostics::Diagnostics;
use dataset::parts::{Parts, SplitError, SplitOptions, input_bytes, split};
use dataset::{Input, Table};
use snapshot::record::Directory;
use snapshot::search::{self, IndexError};
use snapshot::time::Day;
use store::spill::Spill;
use store::{BuildInfo, Digest, PublishOutcome, RecordCounts, RecordIds, Stage};

use crate::error::GenerateError;
use crate::index_files::IndexFilesWriter;
use crate::options::BuildOptions;
use crate::progress::Progress;

/// Share of the memory that files of one part may have: its records take twice as much, and again when they are written,
/// and the next part is read meanwhile.
const PART: u64 = 12;
/// Share of the memory for what is collected or sorted at once.
const BUDGET: u64 = 4;

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

    /// Name of the dataset.
    #[must_use]
    pub fn dataset_name(&self) -> &str {
        self.parts.dataset_name()
    }

    /// Number of published records.
    #[must_use]
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

    /// Builds and publishes the snapshot; warnings about rows together are in the report.
    ///
    /// # Errors
    ///
    /// If the output cannot be written, or the facets have too many values.
    pub fn publish(
        self,
        options: &BuildOptions,
        report: &mut Diagnostics,
        progress: &Progress,
    ) -> Result<PublishOutcome, GenerateError> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(options.jobs).build()?;
        threads.install(|| self.publish_parts(options, report, progress))
    }

    fn publish_parts(
        mut self,
        options: &BuildOptions,
        report: &mut Diagnostics,
        progress: &Progress,
    ) -> Result<PublishOutcome, GenerateError> {
        let counts = self.counts();
        let mut index = IndexFilesWriter::new(&self.spill);
        let others = self.parts.others().ok_or(GenerateError::Parts)?;
        index.add_others(&others);
        let (count, parts) = (self.parts.count(), &mut self.parts);
        let mut load = |part: usize| (part < count).then(|| parts.programs(part, report));
        progress.each("index", (count, "parts"), |done| {
            let mut next = load(0);
            for part in 0..count {
                let directory = next.flatten().ok_or(GenerateError::Parts)?;
                let add = || {
                    let order = search::document_order(&directory, Day::new(options.as_of));
                    index.add_programs(&directory, &order);
                };
                ((), next) = rayon::join(add, || load(part + 1));
                done();
            }
            Ok::<_, GenerateError>(())
        })?;
        let stage = &self.stage;
        progress.step("join", || index.finish(&others, &|path, file| stage.put_sections(path, file)))?;
        let about = about(&others, Digest(self.parts.source_sha256()), counts, options);
        self.parts.finish(report).map_err(IndexError::from)?;
        progress.step("publish", || Ok(self.stage.publish(&about, rayon::current_num_threads())?))
    }
}

fn about(others: &Directory, source: Digest, counts: RecordCounts, options: &BuildOptions) -> BuildInfo {
    BuildInfo {
        generated_at: others.dataset.published_at,
        as_of: options.as_of,
        base_url: options.base_url.clone(),
        source,
        counts,
        complete: false,
        made_from: options.made_from,
        ids: RecordIds::default(),
    }
}
