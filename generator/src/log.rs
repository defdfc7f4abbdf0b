//! What was published when, told to people and programs; and which snapshot somebody means by a few letters of its name.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use snapshot::store::{self, Generation, GenerationId, Publication, RECORD_KINDS, StoreError};

/// How publications are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// A line each, the newest first
    #[default]
    Words,
    /// One JSON object a line, the newest first
    Json,
}

/// The publications of a root, the newest first, each line ended.
///
/// # Errors
///
/// If nothing was published there, or the live snapshot cannot be read.
pub fn report(root: &Path, format: LogFormat) -> Result<String, StoreError> {
    let live = Generation::open_current(root)?;
    let ids: Vec<GenerationId> = store::list(root)?.into_iter().map(|listed| listed.id).collect();
    let mut text = String::new();
    for publication in live.changes().log().iter().rev() {
        let id = ids.iter().find(|id| id.sequence == publication.sequence);
        let is_live = publication.sequence == live.id().sequence;
        let _ = match format {
            LogFormat::Words => writeln!(text, "{}", words(publication, id, is_live)),
            LogFormat::Json => writeln!(text, "{}", object(publication, id, is_live)),
        };
    }
    Ok(text)
}

fn words(publication: &Publication, id: Option<&GenerationId>, is_live: bool) -> String {
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

fn object(publication: &Publication, id: Option<&GenerationId>, is_live: bool) -> serde_json::Value {
    let mut object = json!({
        "sequence": publication.sequence,
        "generation": id.map(GenerationId::to_string),
        "live": is_live,
        "publishedAt": publication.published().to_string(),
        "asOf": publication.day().map(|day| day.to_string()),
    });
    for (kind, [added, changed, removed]) in RECORD_KINDS.iter().zip(publication.counts) {
        object[*kind] = json!({"added": added, "changed": changed, "removed": removed});
    }
    object
}

/// Why a name means no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The root cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing begins so.
    #[error("no snapshot in generations/ is called {0}; `opdir log` lists them")]
    Unknown(String),
    /// Several do.
    #[error("{0} may be {1} or {2}; name more of it")]
    Several(String, GenerationId, GenerationId),
}

/// The snapshot of a root that is meant by its whole name, which need not be there, its number, or as much of either part as no other has.
///
/// # Errors
///
/// If it is none or several.
pub fn resolve(root: &Path, name: &str) -> Result<GenerationId, ResolveError> {
    if let Ok(id) = name.parse() {
        return Ok(id);
    }
    let ids: Vec<GenerationId> = store::list(root)?.into_iter().map(|listed| listed.id).collect();
    let number: Option<u64> = name.parse().ok();
    let exact = ids.iter().find(|id| Some(id.sequence) == number);
    if let Some(id) = exact {
        return Ok(*id);
    }
    let begins = |id: &&GenerationId| {
        let text = id.to_string();
        let hash = text.split_once('-').map_or("", |(_, hash)| hash);
        !name.is_empty() && (text.starts_with(name) || hash.starts_with(name))
    };
    let mut found = ids.iter().filter(begins);
    match (found.next(), found.next()) {
        (Some(id), None) => Ok(*id),
        (Some(one), Some(other)) => Err(ResolveError::Several(name.to_owned(), *one, *other)),
        (None, _) => Err(ResolveError::Unknown(name.to_owned())),
    }
}
