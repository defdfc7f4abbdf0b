//! `build`: a snapshot of a dataset, held back if it is probably a mistake.

use std::path::Path;
use std::time::{Duration, Instant};

use anstyle::Style;
use site::{BuildOptions, Progress, generate, number, seconds, size};
use snapshot::record::Directory;
use store::{Generation, PublishOutcome, StoreError};

use crate::cli::Build;
use crate::exit_codes::{Failure, fail, generate_failure, print_line};
use crate::load::{load_for, today};
use crate::plan::{self, Plan};
use crate::plan_report;

pub(crate) fn build(build: &Build) -> Result<(), Failure> {
    let start = Instant::now();
    let options = BuildOptions {
        out: build.out.clone(),
        base_url: build.base_url.clone(),
        as_of: build.as_of.unwrap_or_else(today),
        jobs: build.jobs,
        index_only: build.index_only,
        templates: build.templates.clone(),
    };
    let progress = Progress::new(build.messages.quiet);
    let loaded = load_for(Some(&build.data), &build.messages)?;
    let directory = &loaded.directory;
    let plan = accepted(build, directory)?;
    let published = generate(directory, loaded.source, &options, &progress).map_err(generate_failure)?;
    if let Some(lines) = plan_report::aliases(&plan) {
        print_line(lines.trim_end());
    }
    print_line(summary(&published, &build.out, start.elapsed()));
    Ok(())
}

/// What a build changes, if it is no mistake by its name, by its numbers of records, and by its tables.
fn accepted(build: &Build, directory: &Directory) -> Result<Plan, Failure> {
    let live = match plan::live(&build.out) {
        Err(error @ StoreError::Damaged { .. }) if !build.replace => {
            let help = "no change can be compared with it; use --replace to replace it, with its history";
            return Err(fail(Failure::HeldBack, format_args!("{error}\n  help: {help}")));
        }
        // What else cannot be read, publishing reports.
        live => live.ok().flatten(),
    };
    if let Some(mistake) = mistake(build, live.as_ref(), directory) {
        return Err(fail(Failure::HeldBack, mistake));
    }
    let live = live.as_ref().filter(|_| !build.replace && !directory.programs.is_empty());
    let plan = match build.index_only {
        true => Plan::of_counts(directory, live),
        // A damaged live table is repaired by this build.
        false => Plan::compare(directory, live).0,
    };
    let violations = build.guards.violations(&plan).into_iter();
    let failures = violations.map(|violation| fail(Failure::HeldBack, violation));
    failures.reduce(|_, last| last).map_or(Ok(plan), Err)
}

/// Why a build is probably a mistake: of no programs, or of another dataset.
fn mistake(build: &Build, live: Option<&Generation>, directory: &Directory) -> Option<String> {
    let no_pages =
        "the live snapshot has pages, an index has none; use another --out, or --replace to remove them";
    if directory.programs.is_empty() && !build.allow_empty {
        return Some("no program would be published; use --allow-empty if this is intended".to_owned());
    }
    let live = live.filter(|_| !build.replace)?;
    let has_pages = build.index_only && live.manifest().complete;
    has_pages.then(|| no_pages.to_owned()).or_else(|| plan::other_dataset(directory, Some(live)))
}

/// The output of a build.
fn summary(published: &PublishOutcome, out: &Path, time: Duration) -> String {
    let bold = Style::new().bold();
    let manifest = &published.manifest;
    let id = manifest.id();
    if published.unchanged {
        return format!("unchanged: {bold}{id}{bold:#} is live already, after {}", seconds(time));
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
