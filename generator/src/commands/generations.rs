//! Commands about the generations of a root: `log`, `verify`, `rollback` and `gc`.

use std::path::Path;
use std::time::{Duration, SystemTime};

use dataset::text::counted;
use site::{number, size};
use store::{Generation, GenerationId, Publication, RECORD_KINDS, VerifyMode};

use super::stores;
use crate::cli::SigningOptions;
use crate::exit_codes::{Failure, fail, print_line, store_failure, unreadable};
use crate::load::today;

/// Lists the publications of a root, newest first.
pub(crate) fn log(root: &Path) -> Result<(), Failure> {
    let live = Generation::open_current(root).map_err(unreadable)?;
    let ids = store::list(root).map_err(unreadable)?;
    for publication in live.changes().log.iter().rev() {
        let id = ids.iter().find(|id| id.sequence == publication.sequence);
        let is_live = publication.sequence == live.id().sequence;
        print_line(line(publication, id, is_live));
    }
    Ok(())
}

fn line(publication: &Publication, id: Option<&GenerationId>, is_live: bool) -> String {
    let kinds = RECORD_KINDS.iter().zip(publication.counts).filter(|(_, counts)| *counts != [0; 3]);
    let kinds: Vec<String> = kinds
        .map(|(kind, counts)| {
            let signs = ["+", "~", "-"].into_iter().zip(counts).filter(|(_, count)| *count > 0);
            let counts: Vec<String> = signs.map(|(sign, count)| format!("{sign}{count}")).collect();
            format!("{kind} {}", counts.join(" "))
        })
        .collect();
    let records = if kinds.is_empty() { "no record changed".to_owned() } else { kinds.join(", ") };
    let name = id.map_or_else(|| format!("{:06} (removed)", publication.sequence), GenerationId::to_string);
    let day = publication.day().map(|day| format!(" for {day}")).unwrap_or_default();
    let live = if is_live { " (live)" } else { "" };
    format!("{name}{live}\n  of {}{day}: {records}", publication.published().strftime("%Y-%m-%d %H:%M"))
}

/// Whether every file of the live generation is as it was published.
pub(crate) fn verify(root: &Path) -> Result<(), Failure> {
    let report = store::verify(root, None, VerifyMode::Deep);
    let report = report.map_err(|errors| store_failure(&errors, Failure::Input))?;
    let (files, bytes) = (number(report.files.count), size(report.files.bytes));
    print_line(format_args!("good: {} has {files} files, {bytes}, all as published", report.id()));
    Ok(())
}

/// Makes an earlier generation live again.
pub(crate) fn rollback(root: &Path, generation: Option<&str>) -> Result<(), Failure> {
    let to = generation.map(|name| resolve(root, name)).transpose()?;
    let [live, of] =
        store::rollback(root, to, today()).map_err(|errors| store_failure(&errors, Failure::Output))?;
    print_line(format_args!("{live} is live, with the content of {of}"));
    Ok(())
}

/// Removes old generations of a folder or a store.
pub(crate) fn gc(root: &Path, keep: usize, days: u64, signing: &SigningOptions) -> Result<(), Failure> {
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

/// The generation of a root with a name (which need not exist), or a number. Prints why there is none.
fn resolve(root: &Path, name: &str) -> Result<GenerationId, Failure> {
    if let Ok(id) = name.parse() {
        return Ok(id);
    }
    let listed = store::list(root).map_err(|error| store_failure(&[error], Failure::Input))?;
    let number: Option<u64> = name.parse().ok();
    let found = listed.into_iter().find(|id| Some(id.sequence) == number);
    found.ok_or_else(|| {
        let problem =
            format!("no snapshot in generations/ has the name or number {name}; `opdir log` lists them");
        fail(Failure::Usage, problem)
    })
}
