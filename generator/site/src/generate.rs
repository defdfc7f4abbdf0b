//! A build from linked records to a published snapshot: number the documents, write the index that the edge
//! keeps in memory, open it as the edge does, render every page from it, publish.

use snapshot::page::list::Numbers;
use snapshot::page::{Dated, Site};
use snapshot::record::Directory;
use snapshot::search;
use snapshot::time::Day;
use store::sections::Sections;
use store::{BuildInfo, Digest, PublishOutcome, RECORD_KINDS, RecordCounts, RecordIds, Stage};

use crate::downloads::{TableReview, TableStore};
use crate::error::GenerateError;
use crate::index_files::IndexFiles;
use crate::options::BuildOptions;
use crate::page_files::PageFiles;
use crate::progress::Progress;
use crate::theme::Theme;

/// Builds and publishes a snapshot of a directory, unless `review` does not accept its tables.
///
/// # Errors
///
/// If the output cannot be written, the facets have too many values, or words or templates cannot be used; or
/// [`GenerateError::HeldBack`].
pub fn generate(
    directory: &Directory,
    source: Digest,
    options: &BuildOptions,
    progress: &Progress,
    review: &dyn TableReview,
) -> Result<PublishOutcome, GenerateError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(options.jobs).build()?;
    threads.install(|| {
        let theme = load_theme(options)?;
        let staged = Stage::begin(&options.out)?;
        let stage = &staged;
        let order = &search::document_order(directory, Day::new(options.as_of));
        let numbers = &Numbers::new(directory, order);
        let keep = |path: &'static str, file| stage.put_sections(path, file);
        let index = || progress.step("index", || IndexFiles::of(directory, order, numbers, &keep));
        if options.index_only {
            index()?;
        } else {
            let tables = TableStore::new(stage, review);
            let tables = || progress.step("tables", || tables.write_all(directory));
            let (files, tables) = rayon::join(index, tables);
            let (site, theme, downloads) = (&files?.open()?, &theme, &tables?[..]);
            PageFiles { stage, options, progress, theme, site, directory, order, numbers, downloads }
                .store()?;
        }
        let about = about(directory, source, options);
        progress.step("publish", || Ok(staged.publish(&about, rayon::current_num_threads())?))
    })
}

/// The theme of a build; its warnings are printed.
fn load_theme(options: &BuildOptions) -> Result<Theme, GenerateError> {
    let theme = Theme::load(options.templates.as_deref())?;
    theme.warnings.iter().for_each(|doubt| anstream::eprintln!("warning: {doubt}"));
    Ok(theme)
}

/// What a build states about itself.
fn about(directory: &Directory, source: Digest, options: &BuildOptions) -> BuildInfo {
    BuildInfo {
        generated_at: directory.dataset.published_at,
        as_of: options.as_of,
        base_url: options.base_url.clone(),
        source,
        counts: record_counts(directory),
        complete: !options.index_only,
        made_from: options.made_from,
        ids: ids(directory),
    }
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
    IndexFiles::of(directory, &order, &numbers, &|_, file| Ok(file.finish())).map(|files| files.0)
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
