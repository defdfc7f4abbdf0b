//! The commands, one function each, and what they print. Results go to standard output, the rest to
//! standard error.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use anstyle::Style;
use clap::CommandFactory as _;
use indicatif::{HumanBytes, HumanCount};
use snapshot::page::list;
use snapshot::record::Directory;
use snapshot::store::{self, Generation, GenerationId, PublishOutcome, StoreError, VerifyMode};

use crate::cli::{self, Build, Check, Command, Keys, Messages};
use crate::diff::{self, DiffFormat};
use crate::exit_codes::{
    Failure, fail, generate_failure, import_failure, key_failure, store_failure, theme_failure,
};
use crate::export::{self, ExportError};
use crate::keys;
use crate::load::{Loaded, input, load, print, today};
use crate::log::{self, LogFormat, ResolveError};
use crate::plan::{self, Guards, Plan};
use crate::{preview, remote_commands, stamp, status};
use dataset::diagnostics::{Diagnostics, MessageFormat, Safety, explain};
use dataset::text::counted;
use dataset::{Table, link, read};
use import::fix::FixedFiles;
use site::{BuildOptions, Effort, Fingerprint, Progress, Theme, ThemeError, generate, seconds};

/// Runs a command.
#[must_use]
pub fn run(command: Command) -> ExitCode {
    let result = match command {
        Command::Build(build) => self::build(&build),
        Command::Check(options) => check(&options),
        Command::Import(options) => import(&options),
        Command::Plan(options) => plan(&options),
        Command::Preview(options) => preview::preview(&options),
        Command::Verify { root, fast } => verify(&root, fast),
        Command::Diff { old, new, format } => diff(&old, new.as_deref(), format),
        Command::Log { root, format } => log(&root, format),
        Command::Status { edges } => status(&edges),
        Command::Rollback { root, generation } => rollback(&root, generation.as_deref()),
        Command::Export { root, dir, pretty, compress } => export(&root, &dir, pretty, compress),
        Command::Push(options) => remote_commands::push(&options).map(say),
        Command::Pull(options) => remote_commands::pull(&options).map(say),
        Command::Gc { root, keep, days, signing } => gc(&root, keep, days, &signing),
        Command::Keys(what) => keys(&what),
        Command::Theme(cli::Theme::New { dir, files }) => theme(Theme::create(&dir, &files)),
        Command::Theme(cli::Theme::Diff { dir }) => theme(Theme::diff(&dir)),
        Command::Explain { code } => explain_code(&code),
        Command::Completions { shell } => completions(shell),
        Command::Schema { table } => schema(&table),
        Command::Init { dir, sample } => init(&dir, sample),
        Command::Stamp { data, at } => stamp::stamp(&data, at).map(say),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure as u8),
    }
}

fn load_for(data: Option<&Path>, messages: &Messages) -> Result<Loaded, Failure> {
    let progress = Progress::new(messages.quiet);
    let tell = |report: &Diagnostics| tell(report, messages);
    match load(&input(data), tell, &progress) {
        Ok(Some(loaded)) => Ok(loaded),
        Ok(None) => Err(Failure::Data),
        Err(error) => Err(fail(Failure::Input, error)),
    }
}

fn tell(report: &Diagnostics, messages: &Messages) {
    print(report, messages.print_options());
    let summary = messages.step_summary.as_ref();
    if let Some(path) = summary.filter(|_| messages.message_format == MessageFormat::Github) {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        if let Err(error) = file.and_then(|mut file| report.markdown(&mut file)) {
            anstream::eprintln!("the summary could not be written: {}: {error}", path.display());
        }
    }
}

fn check(options: &Check) -> Result<(), Failure> {
    if options.diff {
        return fix(options);
    }
    if options.fix {
        fix(options)?;
    }
    let loaded = load_for(options.data.as_deref(), &options.messages)?;
    let directory = &loaded.directory;
    if options.messages.message_format == MessageFormat::Human {
        say(format_args!(
            "good: {}, {}, {}, {}, {}",
            counted(directory.programs.len(), "program"),
            counted(directory.organizations.len(), "organization"),
            counted(directory.cycles.len(), "cycle"),
            counted(directory.awards.len(), "award"),
            counted(directory.recipients.len(), "recipient"),
        ));
    }
    Ok(())
}

/// Imports, and then judges the dataset that came of it.
fn import(options: &cli::Import) -> Result<(), Failure> {
    if options.draft {
        let name = options.sources.first().map(String::as_str);
        return import::draft(&options.data, options.from.as_deref(), name)
            .map(say)
            .map_err(|error| import_failure(&error));
    }
    let import = import::ImportOptions {
        data: &options.data,
        sources: &options.sources,
        from: options.from.as_deref(),
        dry_run: options.dry_run,
    };
    let mut report = Diagnostics::new();
    let said = import::import(&import, &mut report).map_err(|error| import_failure(&error));
    let (Ok(_), false) = (&said, options.dry_run) else {
        tell(&report, &options.messages);
        return said.map(|said| said.into_iter().for_each(say));
    };
    said?.into_iter().for_each(say);
    // One report of both: a program that reads it takes one document.
    let progress = Progress::new(options.messages.quiet);
    let tell_both = |found: &Diagnostics| {
        report.append(found);
        tell(&report, &options.messages);
    };
    match load(&input(Some(&options.data)), tell_both, &progress) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(Failure::Data),
        Err(error) => Err(fail(Failure::Input, error)),
    }
}

/// Mends what can be fixed, or shows it.
fn fix(options: &Check) -> Result<(), Failure> {
    let input = input(options.data.as_deref());
    let mut report = Diagnostics::new();
    let tables = read(&input, &mut report).map_err(|error| fail(Failure::Input, error))?;
    drop(link(tables, &mut report));
    let fixed = FixedFiles::plan(&report, if options.r#unsafe { Safety::Unsafe } else { Safety::Safe })
        .map_err(|error| import_failure(&error))?;
    fixed.skipped().iter().for_each(|line| anstream::eprintln!("{line}"));
    if options.diff {
        if !fixed.is_empty() {
            say(fixed.diff().trim_end());
        }
        return if fixed.is_empty() { Ok(()) } else { Err(Failure::Data) };
    }
    fixed.write().map_err(|error| import_failure(&error))?;
    anstream::eprintln!("{}", fixed.summary());
    Ok(())
}

/// Prints a line to standard output; a reader that went away is no error.
fn say(line: impl Display) {
    let _ = writeln!(anstream::stdout(), "{line}");
}

fn build(build: &Build) -> Result<(), Failure> {
    let start = Instant::now();
    let mut options = BuildOptions {
        out: build.out.clone(),
        base_url: build.base_url.clone(),
        as_of: build.as_of.unwrap_or_else(today),
        jobs: build.jobs,
        effort: build.compress,
        layout: build.layout,
        fingerprint: None,
        index_only: build.index_only,
        templates: build.templates.clone(),
    };
    options.fingerprint = Fingerprint::compute(&options, &build.data);
    if let Some(id) = options.fingerprint.and_then(|it| it.live_generation(&build.out)) {
        say(unchanged(id, start.elapsed()));
        return Ok(());
    }
    let loaded = load_for(Some(&build.data), &build.messages)?;
    guard(build, &loaded.directory)?;
    let progress = Progress::new(build.messages.quiet);
    let published = generate(&loaded.directory, loaded.source, &options, &progress)
        .map_err(|error| generate_failure(&error))?;
    say(summary(&published, &build.out, start.elapsed()));
    Ok(())
}

/// Holds back what is probably a mistake: a directory of nothing, or another one than what is live.
fn guard(build: &Build, directory: &Directory) -> Result<(), Failure> {
    if directory.programs.is_empty() && !build.allow_empty {
        let message = "no program would be published; --allow-empty, if that is right";
        return Err(fail(Failure::HeldBack, message));
    }
    let name = &directory.dataset.name;
    match live_name(&build.out).filter(|live| live != name && !build.replace) {
        None if build.replace || directory.programs.is_empty() => Ok(()),
        None => {
            // What is live and cannot be read, publishing complains of.
            let plan = Plan::of(directory, &build.out, Guards::tables()).ok();
            let held = plan.map(|plan| build.guards.violations(&plan)).unwrap_or_default();
            let failures = held.into_iter().map(|reason| fail(Failure::HeldBack, reason));
            failures.reduce(|_, last| last).map_or(Ok(()), Err)
        }
        Some(live) => Err(fail(
            Failure::HeldBack,
            format_args!(
                "`{live}` is live and this dataset is `{name}`; --replace, if one takes the other's place"
            ),
        )),
    }
}

fn plan(options: &cli::Plan) -> Result<(), Failure> {
    let loaded = load_for(Some(&options.data), &options.messages)?;
    let plan = Plan::of(&loaded.directory, &options.out, &Table::ALL);
    let plan = plan.map_err(|error| store_failure(&[error], Failure::Input))?;
    let held = options.guards.violations(&plan);
    say(plan::report(&plan, &held, options.format).trim_end());
    let changes = plan.against.is_none() || !plan.is_empty();
    if options.exit_code && changes { Err(Failure::Changes) } else { Ok(()) }
}

/// Name of the dataset that is live under a root. What cannot be read has none: publishing says why.
fn live_name(root: &Path) -> Option<String> {
    let generation = Generation::open_current(root).ok()?;
    list::dataset_name(&generation.index("lists.bin").ok()?)
}

fn unchanged(id: GenerationId, time: Duration) -> String {
    let bold = Style::new().bold();
    format!("unchanged: {bold}{id}{bold:#} is live already, after {}", seconds(time))
}

/// The closing lines of a build.
fn summary(published: &PublishOutcome, out: &Path, time: Duration) -> String {
    let bold = Style::new().bold();
    let manifest = &published.manifest;
    let id = manifest.id();
    if published.unchanged {
        return unchanged(id, time);
    }
    let shared = match published.linked.files {
        0 => String::new(),
        files => format!(", {} of them shared with the snapshot before", HumanCount(files)),
    };
    format!(
        "{bold}{id}{bold:#} is live in {}, after {}\n  {} programs as of {} for {}\n  {} files, {}{shared}\n\
         next: opdir-edge --snapshot {}",
        out.display(),
        seconds(time),
        HumanCount(manifest.counts.programs),
        manifest.as_of,
        manifest.base_url,
        HumanCount(manifest.files.count),
        HumanBytes(manifest.files.bytes),
        out.display(),
    )
}

fn verify(root: &Path, fast: bool) -> Result<(), Failure> {
    let mode = if fast { VerifyMode::Fast } else { VerifyMode::Deep };
    let jobs = std::thread::available_parallelism().map_or(1, Into::into);
    match store::verify(root, None, mode, jobs, &|_, _| ()) {
        Ok(report) => {
            let (files, bytes) = (HumanCount(report.files), HumanBytes(report.bytes));
            say(format_args!("good: {} has {files} files, {bytes}, all as published", report.id));
            Ok(())
        }
        Err(faults) => Err(store_failure(&faults, Failure::Input)),
    }
}

fn diff(old: &Path, new: Option<&Path>, format: DiffFormat) -> Result<(), Failure> {
    let difference = store::diff(old, new).map_err(|error| store_failure(&[error], Failure::Input))?;
    say(diff::report(&difference, format).trim_end());
    Ok(())
}

fn log(root: &Path, format: LogFormat) -> Result<(), Failure> {
    let told = log::report(root, format).map_err(|error| store_failure(&[error], Failure::Input))?;
    say(told.trim_end());
    Ok(())
}

fn status(edges: &[String]) -> Result<(), Failure> {
    let (told, is_well) = status::report(edges);
    say(told);
    if is_well { Ok(()) } else { Err(Failure::Verification) }
}

fn rollback(root: &Path, generation: Option<&str>) -> Result<(), Failure> {
    let named = |name| {
        log::resolve(root, name).map_err(|error| match error {
            ResolveError::Store(error) => store_failure(&[error], Failure::Input),
            other => fail(Failure::Usage, other),
        })
    };
    let to = generation.map(named).transpose()?;
    let id = store::rollback(root, to, today()).map_err(|faults| store_failure(&faults, Failure::Output))?;
    say(format_args!("{id} is live"));
    Ok(())
}

fn export(root: &Path, dir: &Path, pretty: bool, effort: Effort) -> Result<(), Failure> {
    if export::lies_in(dir, &root.join("generations")) {
        let problem = format_args!("{} is among the snapshots; name a folder beside them", dir.display());
        return Err(fail(Failure::Usage, problem));
    }
    let generation =
        Generation::open_current(root).map_err(|error| store_failure(&[error], Failure::Input))?;
    match export::export(&generation, dir, pretty, effort) {
        Ok(files) => {
            let files = counted(files, "file");
            say(format_args!("{} is in {}, {files}", generation.id(), dir.display()));
            Ok(())
        }
        Err(ExportError::Store(error)) => Err(store_failure(&[error], Failure::Input)),
        Err(error @ ExportError::Index(_)) => Err(fail(Failure::Input, error)),
        Err(error) => Err(fail(Failure::Output, error)),
    }
}

fn gc(root: &Path, keep: usize, days: u64, signing: &cli::SigningOptions) -> Result<(), Failure> {
    let age = Duration::from_secs(days.saturating_mul(86_400));
    if let Some(url) = remote_commands::is_store(root) {
        return remote_commands::collect(url, signing, keep, age).map(say);
    }
    let since = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
    let removed = store::gc(root, keep, since).map_err(|error| store_failure(&[error], Failure::Output))?;
    removed.iter().for_each(|id| say(format_args!("removed {id}")));
    say(format_args!("{} removed", counted(removed.len(), "generation")));
    Ok(())
}

fn keys(what: &Keys) -> Result<(), Failure> {
    let said = match what {
        Keys::New { file } => keys::new(file),
        Keys::Public { file } => keys::public(file.as_deref()),
        Keys::Sign { file, key } => {
            keys::sign(file, key.as_deref()).map(|path| format!("signed: {}", path.display()))
        }
        Keys::Verify { file, trust } => keys::verify(file, trust).map(|key| format!("good: signed by {key}")),
    };
    said.map(say).map_err(|error| key_failure(&error))
}

fn theme(lines: Result<Vec<String>, ThemeError>) -> Result<(), Failure> {
    lines.map(|lines| lines.into_iter().for_each(say)).map_err(|error| theme_failure(&error))
}

fn explain_code(code: &str) -> Result<(), Failure> {
    match explain(code) {
        Some(text) => {
            say(text.trim_end());
            Ok(())
        }
        None => {
            Err(fail(Failure::Usage, format_args!("there is no code {code}; check prints them in brackets")))
        }
    }
}

fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::Cli::command(), "opdir", &mut script);
    say(String::from_utf8_lossy(&script).trim_end());
    Ok(())
}

fn schema(name: &str) -> Result<(), Failure> {
    let text = match Table::parse(name) {
        Some(table) => table.json_schema(),
        None if name == "dataset" => dataset::schema::DATASET,
        None => {
            let known = Table::ALL.map(Table::name).join(", ");
            return Err(fail(
                Failure::Usage,
                format_args!("there is no table {name}; there are dataset, {known}"),
            ));
        }
    };
    say(text.trim_end());
    Ok(())
}

fn init(dir: &Path, with_sample: bool) -> Result<(), Failure> {
    let files = dataset::init(dir, with_sample).map_err(|error| fail(Failure::Output, error))?;
    let dir = dir.display();
    say(format_args!("{} in {dir}\nnext: opdir preview --data {dir}", counted(files, "file")));
    Ok(())
}
