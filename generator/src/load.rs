//! How commands read a dataset and print its problems.

use std::path::Path;

use dataset::diagnostics::{Diagnostics, MessageFormat, PrintOptions};
use dataset::{Input, InputError, day_of, link, read, sample};
use jiff::Timestamp;
use jiff::civil::Date;
use site::Progress;
use snapshot::record::Directory;
use store::Digest;

use crate::cli::Messages;
use crate::exit_codes::{Failure, unread};

/// A valid dataset.
pub(crate) struct Loaded {
    pub(crate) directory: Directory,
    /// Hash of the input files.
    pub(crate) source: Digest,
}

/// Today, UTC.
pub(crate) fn today() -> Date {
    day_of(Timestamp::now())
}

/// The dataset folder, or the embedded sample.
pub(crate) fn input(data: Option<&Path>) -> Input<'static> {
    match data {
        Some(folder) => Input::Folder(folder.to_owned()),
        None => Input::Embedded(sample::FILES),
    }
}

/// Reads and links a dataset; `None` if `report` has errors then.
pub(crate) fn load(
    input: &Input<'_>,
    report: &mut Diagnostics,
    progress: &Progress,
) -> Result<Option<Loaded>, InputError> {
    let tables = progress.step("read", || read(input, report))?;
    let source = Digest(tables.source_sha256);
    let directory = progress.step("check", || Ok::<_, InputError>(link(tables, report)))?;
    if let Input::Folder(data) = input {
        let command = format!("`opdir import {}`", data.display());
        match import::outdated(data) {
            Ok(tables) if tables.is_empty() => {}
            Ok(tables) => report.note(format!("{command} would change {}", tables.join(", "))),
            Err(_) => report.note(format!("{command} would stop at errors")),
        }
    }
    Ok(directory.map(|directory| Loaded { directory, source }))
}

/// Loads the dataset of a command and prints its diagnostics.
pub(crate) fn load_for(data: Option<&Path>, messages: &Messages) -> Result<Loaded, Failure> {
    let mut report = Diagnostics::new();
    let loaded = load(&input(data), &mut report, &Progress::new(messages.quiet));
    let loaded = loaded.map_err(unread)?;
    show(&report, messages, false);
    loaded.ok_or(Failure::Data)
}

/// Prints diagnostics, perhaps a line for each code, and in GitHub Actions also writes them to the job summary.
pub(crate) fn show(report: &Diagnostics, messages: &Messages, summary: bool) {
    print(report, PrintOptions { format: messages.message_format, limit: messages.limit, summary });
    let summary = messages.step_summary.as_ref();
    if let Some(path) = summary.filter(|_| messages.message_format == MessageFormat::Github) {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        if let Err(error) = file.and_then(|mut file| report.markdown(&mut file)) {
            anstream::eprintln!("cannot write the job summary: {}: {error}", path.display());
        }
    }
}

/// Prints diagnostics: text to standard error, other formats to standard output.
pub(crate) fn print(report: &Diagnostics, options: PrintOptions) {
    let printed = match options.format {
        MessageFormat::Human => report.print(options, &mut anstream::stderr()),
        _ => report.print(options, &mut std::io::stdout()),
    };
    // A closed pipe is no error.
    drop(printed);
}
