//! A build from linked records to a published snapshot: number the documents, write the index that the edge
//! keeps in memory, open it as the edge does, render every page from it, publish.

use html::{Filler, Html};
use snapshot::page::list::Numbers;
use snapshot::page::{Dated, Site};
use snapshot::record::Directory;
use snapshot::search;
use snapshot::time::Day;
use store::sections::Sections;
use store::spill::Spill;
use store::{
    BuildInfo, Digest, NewFile, PublishOutcome, RECORD_KINDS, RecordCounts, RecordIds, Stage, StoreError,
};

use crate::downloads;
use crate::encode::Effort;
use crate::error::GenerateError;
use crate::files::{Family, File, Records};
use crate::index_files::IndexFiles;
use crate::options::BuildOptions;
use crate::pages::{PageCache, Pages, Theme};
use crate::progress::Progress;
use crate::rest::RestPages;

/// Path of the fragments of HTML pages.
const HTML: &str = "index/html.bin";

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
        let stage = Stage::begin(&options.out, &options.layout())?;
        let encodings = options.effort != Effort::None;
        let encode = |coding, body: &[u8]| options.effort.encode(coding, body);
        let put = |files: &[File]| {
            let files = files.iter();
            let new = files.map(|(path, it)| NewFile { path, body: &it.bytes, holes: &it.holes, encodings });
            stage.put_record(&new.collect::<Vec<_>>(), &encode)
        };
        let day = Day::new(options.as_of);
        let order = search::document_order(directory, day);
        let numbers = Numbers::new(directory, &order);
        let keep = |path: &'static str, file| stage.put_sections(path, file);
        let spill = stage.spill(usize::MAX);
        let files = progress.step("index", || IndexFiles::of(directory, &order, &spill, &keep))?;
        if !options.index_only {
            let labels = files.open()?;
            let base_url = &options.base_url;
            let live = options.made_from.and_then(|it| stage.live_made_with(it.tools));
            let write = || downloads::write(directory, &stage, live, (encodings, &encode));
            let (downloads, rows) = progress.step("tables", write)?;
            let (numbers, downloads) = (&numbers, &downloads[..]);
            let (site, cache) = (&labels, PageCache::default());
            let bare =
                Pages { directory, numbers, site, html: None, theme: &theme, base_url, downloads, cache };
            let keys = || Ok::<_, GenerateError>(options.made_from.map(|it| bare.keys(it.tools, &rows)));
            let keys = progress.step("keys", keys)?;
            let live = keys.as_ref().and_then(|it| bare.live_fragments(it, |record| stage.live_with(record)));
            let html = progress.step("fragments", || bare.prepare(&order, live.as_ref()))?;
            let html = stage.put_sections(HTML, html)?;
            let site = files.open()?;
            let html = Html::open(&html, &site)?;
            let dated = site.dated(day);
            let pages = Pages { site: &site, html: Some(&html), ..bare };
            let renderer = RestPages { directory, numbers, site: &site, dated: &dated, base_url };
            // The pages of other records are copied from the live snapshot.
            let changed = || match &keys {
                Some(keys) => pages.unkept(keys, Filler { html: &html, dated: &dated }, |record, renew| {
                    stage.keep(record, renew, (encodings, &encode))
                }),
                None => Records::all(directory),
            };
            let records = progress.step("as before", || Ok::<_, GenerateError>(changed()))?;
            put_pages(&pages.families(&renderer, &records, &dated), progress, &put)?;
        }
        let about = about(directory, source, options);
        progress.step("publish", || Ok(stage.publish(&about, rayon::current_num_threads())?))
    })
}

fn put_pages(
    families: &[Family<'_>],
    progress: &Progress,
    put: &(impl Fn(&[File]) -> Result<(), StoreError> + Sync),
) -> Result<(), GenerateError> {
    for family in families {
        progress.each(family.name, (family.count, "pages"), |done| {
            family.render(|files| Ok::<_, GenerateError>(put(files)?), done)
        })?;
    }
    Ok(())
}

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
#[must_use]
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
    IndexFiles::of(directory, &order, &Spill::default(), &|_, file| Ok(file.finish())).map(|files| files.0)
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
