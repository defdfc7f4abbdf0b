//! What is published in a folder: `verify`, `diff`, `log`, `rollback`, `export`, `gc`.

use std::path::Path;
use std::time::{Duration, SystemTime};

use dataset::text::counted;
use site::{number, size};
use store::{self, Generation, VerifyMode};

use crate::cli;
use crate::diff::{self, DiffFormat};
use crate::exit_codes::{Failure, fail, print_line, store_failure, unreadable};
use crate::export::{self, ExportError};
use crate::load::today;
use crate::log;
use crate::stores;

pub(crate) fn verify(root: &Path) -> Result<(), Failure> {
    let jobs = std::thread::available_parallelism().map_or(1, Into::into);
    let report = store::verify(root, None, VerifyMode::Deep, jobs);
    let report = report.map_err(|errors| store_failure(&errors, Failure::Input))?;
    let (files, bytes) = (number(report.files.count), size(report.files.bytes));
    print_line(format_args!("good: {} has {files} files, {bytes}, all as published", report.id()));
    Ok(())
}

pub(crate) fn diff(old: &Path, new: Option<&Path>, format: DiffFormat) -> Result<(), Failure> {
    let difference = store::diff(old, new).map_err(unreadable)?;
    print_line(diff::report(&difference, format).trim_end());
    Ok(())
}

pub(crate) fn log(root: &Path) -> Result<(), Failure> {
    let report = log::report(root).map_err(unreadable)?;
    print_line(report.trim_end());
    Ok(())
}

pub(crate) fn rollback(root: &Path, generation: Option<&str>) -> Result<(), Failure> {
    let to = generation.map(|name| log::resolve(root, name)).transpose()?;
    let [live, of] =
        store::rollback(root, to, today()).map_err(|errors| store_failure(&errors, Failure::Output))?;
    print_line(format_args!("{live} is live, with the content of {of}"));
    Ok(())
}

pub(crate) fn export(root: &Path, dir: &Path, (pretty, prefix): (bool, &str)) -> Result<(), Failure> {
    if export::is_inside(dir, &root.join("generations")) {
        let message = format_args!("{} is inside generations/; name a folder elsewhere", dir.display());
        return Err(fail(Failure::Usage, message));
    }
    let generation = Generation::open_current(root).map_err(unreadable)?;
    let files = export::export(&generation, dir, pretty, prefix).map_err(|error| match error {
        ExportError::Store(error) => unreadable(error),
        ExportError::Index(_) => fail(Failure::Input, error),
        _ => fail(Failure::Output, error),
    })?;
    print_line(format_args!("{} is in {}, {}", generation.id(), dir.display(), counted(files, "file")));
    Ok(())
}

pub(crate) fn gc(root: &Path, keep: usize, days: u64, signing: &cli::SigningOptions) -> Result<(), Failure> {
    let age = Duration::from_secs(days.saturating_mul(86_400));
    if let Some(url) = stores::is_store(root) {
        return stores::collect(url, signing, keep, age).map(print_line);
    }
    let since = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
    let removed = store::gc(root, keep, since).map_err(|error| store_failure(&[error], Failure::Output))?;
    removed.iter().for_each(|id| print_line(format_args!("removed {id}")));
    print_line(format_args!("{} removed", counted(removed.len(), "generation")));
    Ok(())
}
