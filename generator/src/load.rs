//! What commands begin with: a dataset is read and judged, and its problems are told.

use std::path::Path;

use jiff::civil::Date;
use snapshot::record::Directory;
use snapshot::store::Digest;

use dataset::diagnostics::{Diagnostics, MessageFormat, PrintOptions};
use dataset::{Input, InputError, link, read, sample};
use site::Progress;

/// A directory that was read and found good.
pub struct Loaded {
    /// The records.
    pub directory: Directory,
    /// Hash of the input files.
    pub source: Digest,
}

/// Today, UTC.
#[must_use]
pub fn today() -> Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// Where the data of a command is.
#[must_use]
pub fn input(data: Option<&Path>) -> Input<'static> {
    match data {
        Some(folder) => Input::Folder(folder.to_owned()),
        None => Input::Embedded(sample::FILES),
    }
}

/// Reads and judges a dataset. Problems are told by `tell`; `None` when there are errors among them.
///
/// # Errors
///
/// If the input cannot be read; what is wrong with its rows is told and gives nothing.
pub fn load(
    input: &Input<'_>,
    tell: impl FnOnce(&Diagnostics),
    progress: &Progress,
) -> Result<Option<Loaded>, InputError> {
    let mut report = Diagnostics::new();
    let tables = progress.step("read", || read(input, &mut report))?;
    let source = Digest(tables.source_sha256);
    let directory = progress.step("check", || Ok::<_, InputError>(link(tables, &mut report)))?;
    tell(&report);
    Ok(directory.map(|directory| Loaded { directory, source }))
}

/// Prints problems: those for people beside the progress, those for machines as the result.
pub fn print(report: &Diagnostics, options: PrintOptions) {
    let printed = match options.format {
        MessageFormat::Human | MessageFormat::Short => report.print(options, &mut anstream::stderr()),
        _ => report.print(options, &mut std::io::stdout()),
    };
    // A reader that went away wants no more messages.
    drop(printed);
}
