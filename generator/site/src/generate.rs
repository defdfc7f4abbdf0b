//! A build from linked records to a published snapshot: number the documents, write the index that the edge
//! keeps in memory, open it as the edge does, render every page from it, publish.

use std::path::PathBuf;

use html::{Html, PagesError};
use rayon::prelude::*;
use snapshot::page::findings::Findings;
use snapshot::page::list::{self, Numbers};
use snapshot::page::{Dated, Site, hole, mcp_row, row};
use snapshot::record::Directory;
use snapshot::search::{self, TooManyValues};
use snapshot::time::Day;
use store::sections::{SectionError, SectionWriter, Sections};
use store::{
    BuildInfo, Digest, NewFile, PublishOutcome, RECORD_KINDS, RecordCounts, RecordIds, Stage, StoreError,
};

use crate::downloads::write_tables;
use crate::files::File;
use crate::pages::{PageCache, Pages};
use crate::progress::Progress;
use crate::theme::{Theme, ThemeError};

/// Options of a build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The folder that holds `CURRENT`.
    pub out: PathBuf,
    /// Scheme and authority of the public address.
    pub base_url: String,
    /// The UTC day for which pages are rendered.
    pub as_of: jiff::civil::Date,
    /// Number of threads; 0 is one for each core.
    pub jobs: usize,
    /// Whether pages are left out.
    pub index_only: bool,
    /// Folder of the theme.
    pub templates: Option<PathBuf>,
}

/// Why a build failed after its data was found good.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The output could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The facets have too many values.
    #[error(transparent)]
    Values(#[from] TooManyValues),
    /// The written index could not be opened: a fault of this program.
    #[error("the index that was just written cannot be read: {0}")]
    Index(#[from] SectionError),
    /// What pages are rendered from cannot be opened.
    #[error(transparent)]
    Pages(#[from] PagesError),
    /// Templates or words cannot be used.
    #[error(transparent)]
    Theme(#[from] ThemeError),
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<minijinja::Error> for GenerateError {
    fn from(error: minijinja::Error) -> Self {
        Self::Theme(error.into())
    }
}

/// Builds and publishes a snapshot of a directory.
///
/// # Errors
///
/// If the output cannot be written, the facets have too many values, or words or templates cannot be used.
pub fn generate(
    directory: &Directory,
    source: Digest,
    options: &BuildOptions,
    progress: &Progress,
) -> Result<PublishOutcome, GenerateError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(options.jobs).build()?;
    threads.install(|| {
        let theme = Theme::load(options.templates.as_deref())?;
        theme.warnings.iter().for_each(|doubt| anstream::eprintln!("warning: {doubt}"));
        let staged = Stage::begin(&options.out)?;
        let stage = &staged;
        let order = &search::document_order(directory, Day::new(options.as_of));
        let numbers = &Numbers::new(directory, order);
        let keep = |path: &'static str, file| stage.put_sections(path, file);
        let index = || progress.step("index", || write_index(directory, order, numbers, &keep));
        if options.index_only {
            index()?;
        } else {
            let tables = || progress.step("tables", || write_tables(directory, stage));
            let (files, tables) = rayon::join(index, tables);
            let ([search, rows, lists], findings) = &files?;
            let (site, downloads) = (&Site::open(search, rows, lists)?, &tables?[..]);
            let (theme, dated, cache) = (&theme, &site.dated(Day::new(options.as_of)), PageCache::default());
            let templates = &theme.compile(&directory.dataset, &options.base_url)?;
            let html = None;
            let bare =
                Pages { directory, findings, numbers, site, dated, html, theme, templates, downloads, cache };
            store_pages(bare, order, stage, progress)?;
        }
        let about = BuildInfo {
            generated_at: directory.dataset.published_at,
            as_of: options.as_of,
            base_url: options.base_url.clone(),
            source,
            counts: record_counts(directory),
            complete: !options.index_only,
            ids: ids(directory),
        };
        progress.step("publish", || Ok(staged.publish(&about)?))
    })
}

/// Stores what the edge renders pages from, and pages; `order` gives the program of each document.
fn store_pages(
    bare: Pages<'_>,
    order: &[usize],
    stage: &Stage,
    progress: &Progress,
) -> Result<(), GenerateError> {
    let views = || -> Result<Html, GenerateError> {
        Ok(Html::open(&stage.put_sections("index/pages.bin", bare.prepare(order))?, bare.site)?)
    };
    let html = &progress.step("views", views)?;
    let pages = Pages { html: Some(html), ..bare };
    pages.families().into_par_iter().try_for_each(|family| {
        progress.each(family.name, family.count, |at| put(&(family.page)(at)?, pages.dated, stage))
    })
}

/// Stores the files of a page.
fn put(files: &[File], dated: &Dated, stage: &Stage) -> Result<(), GenerateError> {
    for (path, it) in files {
        let inputs = &hole::inputs(&it.holes, dated);
        let path = path.trim_start_matches('/');
        stage.put(NewFile { path, body: &it.bytes, holes: &it.holes, inputs })?;
    }
    Ok(())
}

/// Stores a file of the index, in memory or on disk.
type Keep<'a> = &'a (dyn Fn(&'static str, SectionWriter) -> Result<Sections, StoreError> + Sync);

/// What the facts and texts of each program state.
pub fn findings(directory: &Directory) -> Vec<Findings<'_>> {
    (0..directory.programs.len()).into_par_iter().map(|program| Findings::new(directory, program)).collect()
}

/// The files that the edge keeps in memory, of search, of programs' rows and of the other lists: of a directory whose
/// programs are documents in an order. And what the rows have of its texts.
fn write_index<'a>(
    directory: &'a Directory,
    order: &[usize],
    numbers: &Numbers,
    keep: Keep<'_>,
) -> Result<([Sections; 3], Vec<Findings<'a>>), GenerateError> {
    let search = || -> Result<_, GenerateError> {
        let (search, values) = search::write_index(directory, order)?;
        Ok((keep("index/search.bin", search)?, values))
    };
    let lists = || {
        let mut writer = SectionWriter::default();
        list::write(directory, numbers, &mut writer);
        keep("index/lists.bin", writer)
    };
    let (searched, lists) = rayon::join(search, lists);
    let (search, values) = searched?;
    let (mut rows, mut brief) = (SectionWriter::default(), SectionWriter::default());
    let findings = findings(directory);
    rayon::join(
        || {
            row::write_programs(directory, order, &mut rows);
            row::write_values(directory, &values, &mut rows);
        },
        || mcp_row::write(directory, &findings, order, &mut brief),
    );
    rows.append(brief);
    Ok(([search, keep("index/rows.bin", rows)?, lists?], findings))
}

/// The number of records in each counted table.
pub fn record_counts(directory: &Directory) -> RecordCounts {
    RecordCounts {
        organizations: directory.organizations.len() as u64,
        programs: directory.programs.len() as u64,
        cycles: directory.cycles.len() as u64,
        awards: directory.awards.len() as u64,
        recipients: directory.recipients.len() as u64,
        sources: directory.sources.len() as u64,
        facts: directory.facts.len() as u64,
    }
}

/// Ids of the records that have pages.
fn ids(directory: &Directory) -> RecordIds {
    let organizations = directory.organizations.iter().map(|it| (RECORD_KINDS[0], &it.slug, it.id));
    let programs = directory.programs.iter().map(|it| (RECORD_KINDS[1], &it.slug, it.id));
    let recipients = directory.recipients.iter().map(|it| (RECORD_KINDS[2], &it.slug, it.id));
    let all = organizations.chain(programs).chain(recipients);
    all.map(|(kind, slug, id)| (format!("{kind}/{slug}"), id)).collect()
}

/// The files of search, of programs' rows and of the other lists, in memory; for checks and tests.
///
/// # Errors
///
/// If the facets have too many values.
pub fn index_files(directory: &Directory, day: Day) -> Result<[Sections; 3], GenerateError> {
    let order = search::document_order(directory, day);
    let numbers = Numbers::new(directory, &order);
    Ok(write_index(directory, &order, &numbers, &|_, file| Ok(file.finish()))?.0)
}

/// A directory opened in memory, without files; for checks and tests.
///
/// # Errors
///
/// If the facets have too many values.
pub fn in_memory(directory: &Directory, day: Day) -> Result<(Site, Dated), GenerateError> {
    let [search, rows, lists] = index_files(directory, day)?;
    let site = Site::open(&search, &rows, &lists)?;
    let dated = site.dated(day);
    Ok((site, dated))
}
