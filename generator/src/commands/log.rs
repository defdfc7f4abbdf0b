//! `log`: the publications of a root, and generations by number.

use std::path::Path;

use store::{Generation, GenerationId, Publication, RECORD_KINDS};

use crate::exit_codes::{Failure, fail, print_line, store_failure, unreadable};

/// Prints the publications of a root, newest first.
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

/// The generation of a root with a name (which need not exist), or a number. Prints why there is none.
pub(super) fn resolve(root: &Path, name: &str) -> Result<GenerationId, Failure> {
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
