//! `build`: a snapshot of a dataset, held back if it is probably a mistake.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anstyle::Style;
use dataset::Table;
use site::{
    BuildOptions, GenerateError, Progress, TableReview, generate, number, record_counts, seconds, size,
};
use snapshot::page::list;
use snapshot::record::Directory;
use store::{self, Body, Generation, GenerationId, PublishOutcome};

use crate::cli::Build;
use crate::exit_codes::{Failure, fail, generate_failure, print_line};
use crate::load::{load_for, today};
use crate::plan::{self, Counted, Plan};
use crate::plan_report;

pub(crate) fn build(build: &Build) -> Result<(), Failure> {
    let start = Instant::now();
    let mut options = BuildOptions {
        out: build.out.clone(),
        base_url: build.base_url.clone(),
        as_of: build.as_of.unwrap_or_else(today),
        jobs: build.jobs,
        made_from: None,
        index_only: build.index_only,
        templates: build.templates.clone(),
    };
    options.made_from = options.made_from(&build.data);
    let live = live(&build.out);
    if let Some(live) = live.as_ref().filter(|live| options.is_unchanged(live)) {
        print_line(unchanged(live.id(), start.elapsed()));
        return Ok(());
    }
    let progress = Progress::new(build.messages.quiet);
    let loaded = load_for(Some(&build.data), &build.messages)?;
    let directory = &loaded.directory;
    // Another one may have been published since.
    let is_live = live.as_ref().map(Generation::id) == store::live_id(&build.out).ok();
    let live = if is_live { live } else { self::live(&build.out) };
    let published = guarded(build, live.as_ref(), directory, |review| {
        generate(directory, loaded.source, &options, &progress, review)
    })?;
    print_line(summary(&published, &build.out, start.elapsed()));
    Ok(())
}

/// Publishes a build that is no mistake by its name and its numbers of records, and then by its tables.
fn guarded(
    build: &Build,
    live: Option<&Generation>,
    directory: &Directory,
    publish: impl FnOnce(&dyn TableReview) -> Result<PublishOutcome, GenerateError>,
) -> Result<PublishOutcome, Failure> {
    let (name, counts) = (&directory.dataset.name, &record_counts(directory));
    check_identity(build, live, name, counts.programs)?;
    let live = live.filter(|_| !build.replace && counts.programs > 0);
    let with_tables = live.filter(|live| live.manifest().complete && !build.index_only);
    let by_counts = Plan::of_counts(name, counts, live);
    if with_tables.is_none() {
        accept(build, &by_counts)?;
    }
    let review = LiveReview { build, live: with_tables, counts: by_counts.counts, plan: Mutex::default() };
    let published = publish(&review).map_err(|error| match error {
        GenerateError::HeldBack => Failure::HeldBack,
        error => generate_failure(error),
    })?;
    if let Some(lines) = plan_report::aliases(&review.plan()) {
        print_line(lines.trim_end());
    }
    Ok(published)
}

/// Compares the tables of a build with those of the live generation, if they are to be compared.
struct LiveReview<'a> {
    build: &'a Build,
    live: Option<&'a Generation>,
    counts: Vec<Counted>,
    plan: Mutex<Plan>,
}

impl TableReview for LiveReview<'_> {
    fn table(&self, table: Table, lines: &[u8], body: Body, directory: &Directory) {
        let Some(live) = self.live else { return };
        match plan::table_changes(table, (lines, body), directory, live) {
            Ok(changes) => self.plan().tables.extend(changes),
            // The live table is damaged, which this build repairs; how many records it had is known.
            Err(_) => {
                self.plan().counts.extend(self.counts.iter().filter(|counted| counted.table == table.name()));
            }
        }
    }

    fn accepts(&self) -> bool {
        let mut plan = self.plan();
        plan.tables.sort_by_key(|changes| Table::parse(changes.table));
        accept(self.build, &plan).is_ok()
    }
}

impl LiveReview<'_> {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fails if a plan exceeds the limits of a build, and prints by how much.
fn accept(build: &Build, plan: &Plan) -> Result<(), Failure> {
    let violations = build.guards.violations(plan).into_iter();
    let failures = violations.map(|violation| fail(Failure::HeldBack, violation));
    failures.reduce(|_, last| last).map_or(Ok(()), Err)
}

/// The live generation. If it cannot be read, publishing reports it.
fn live(root: &Path) -> Option<Generation> {
    plan::live(root).ok().flatten()
}

/// Stops a build that is probably a mistake: of no programs, or of another dataset.
fn check_identity(
    build: &Build,
    live: Option<&Generation>,
    name: &str,
    programs: u64,
) -> Result<(), Failure> {
    if programs == 0 && !build.allow_empty {
        let message = "no program would be published; use --allow-empty if this is intended";
        return Err(fail(Failure::HeldBack, message));
    }
    if build.replace {
        return Ok(());
    }
    let live = live.and_then(|live| list::dataset_name(&live.index("lists.bin").ok()?));
    if let Some(live) = live.filter(|live| live != name) {
        let message = format_args!(
            "the live snapshot is of dataset `{live}`, this is `{name}`; use --replace to replace it"
        );
        return Err(fail(Failure::HeldBack, message));
    }
    Ok(())
}

fn unchanged(id: GenerationId, time: Duration) -> String {
    let bold = Style::new().bold();
    format!("unchanged: {bold}{id}{bold:#} is live already, after {}", seconds(time))
}

/// The output of a build.
fn summary(published: &PublishOutcome, out: &Path, time: Duration) -> String {
    let bold = Style::new().bold();
    let manifest = &published.manifest;
    let id = manifest.id();
    if published.unchanged {
        return unchanged(id, time);
    }
    let shared = match published.copied {
        0 => String::new(),
        files => format!(", {} of them as in the previous snapshot", number(files)),
    };
    format!(
        "{bold}{id}{bold:#} is live in {}, after {}\n  {} programs as of {} for {}\n  {} files, {}{shared}\n\
         next: opdir-edge --snapshot {}",
        out.display(),
        seconds(time),
        number(manifest.counts.programs),
        manifest.as_of,
        manifest.base_url,
        number(manifest.files.count),
        size(manifest.files.bytes),
        out.display(),
    )
}
