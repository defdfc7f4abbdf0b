//! What changed from one snapshot to another, told to people, to programs and to caches.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::json;
use snapshot::page::address::{COMPUTED_TAGS, tag_of, url_of};
use snapshot::store::{GenerationDiff, Manifest, PathChange};

use dataset::text::counted;

/// How a difference is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DiffFormat {
    /// For people: which records and pages, long lists cut
    #[default]
    Words,
    /// One JSON object, with every file
    Json,
    /// What caches have to drop: a line `url ADDRESS` or `tag NAME` each
    Purge,
}

/// A difference in a format, each line ended.
#[must_use]
pub fn report(difference: &GenerationDiff, format: DiffFormat) -> String {
    match format {
        DiffFormat::Words => words(difference),
        DiffFormat::Json => format!("{}\n", json(difference)),
        DiffFormat::Purge => purge(difference),
    }
}

/// Whether a path is of what the edge computes answers from.
fn is_index(path: &str) -> bool {
    path.starts_with("index/")
}

const fn name_of(change: PathChange) -> &'static str {
    match change {
        PathChange::Added => "added",
        PathChange::Modified => "changed",
        PathChange::Removed => "removed",
    }
}

fn words(difference: &GenerationDiff) -> String {
    let (old, new) = (&difference.old, &difference.new);
    let mut text = format!("{} to {}\n", old.id(), new.id());
    if old.hash == new.hash {
        text.push_str("the same, file by file\n");
        return text;
    }
    if old.as_of != new.as_of {
        let _ = writeln!(text, "as of {}, was {}", new.as_of, old.as_of);
    }
    if old.base_url != new.base_url {
        let _ = writeln!(text, "for {}, was {}", new.base_url, old.base_url);
    }
    for (noun, before, after) in counts(old, new) {
        if before != after {
            let _ = writeln!(text, "{noun}: {after}, were {before}");
        }
    }
    for (kind, tags) in by_kind(difference) {
        heading(&mut text, kind, &tags);
    }
    text
}

/// Kind of page and, of each tag, what happened to it: a record is added when all its pages are.
type Kinds<'a> = BTreeMap<&'a str, BTreeMap<&'a str, PathChange>>;

fn by_kind(difference: &GenerationDiff) -> Kinds<'_> {
    let mut kinds = Kinds::new();
    for (path, change) in &difference.pages {
        let tag = tag_of(path);
        let kind = match tag.split_once('/') {
            Some((kind @ ("programs" | "organizations" | "recipients"), _)) => kind,
            _ if is_index(path) => continue,
            _ => "other pages",
        };
        let known = kinds.entry(kind).or_default().entry(tag).or_insert(*change);
        if *known != *change {
            *known = PathChange::Modified;
        }
    }
    kinds
}

fn heading(text: &mut String, kind: &str, tags: &BTreeMap<&str, PathChange>) {
    /// Names that are listed of each kind and change.
    const SHOWN: usize = 20;
    for (change, sign) in [(PathChange::Added, '+'), (PathChange::Modified, '~'), (PathChange::Removed, '-')]
    {
        let names: Vec<&str> =
            tags.iter().filter(|(_, happened)| **happened == change).map(|(tag, _)| *tag).collect();
        if names.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{kind}: {} {}", names.len(), name_of(change));
        for name in names.iter().take(SHOWN) {
            let _ = writeln!(text, "  {sign} {name}");
        }
        if names.len() > SHOWN {
            let _ = writeln!(text, "  and {}", counted(names.len() - SHOWN, "other"));
        }
    }
}

/// Records by entity: name, in the old one, in the new one.
fn counts(old: &Manifest, new: &Manifest) -> [(&'static str, u64, u64); 7] {
    let (old, new) = (&old.counts, &new.counts);
    [
        ("organizations", old.organizations, new.organizations),
        ("programs", old.programs, new.programs),
        ("cycles", old.cycles, new.cycles),
        ("awards", old.awards, new.awards),
        ("recipients", old.recipients, new.recipients),
        ("sources", old.sources, new.sources),
        ("facts", old.facts, new.facts),
    ]
}

fn json(difference: &GenerationDiff) -> serde_json::Value {
    let side = |manifest: &Manifest| {
        json!({
            "id": manifest.id().to_string(),
            "generatedAt": manifest.generated_at.to_string(),
            "asOf": manifest.as_of.to_string(),
            "baseUrl": manifest.base_url,
            "counts": manifest.counts,
        })
    };
    let page = |(path, change): &(String, PathChange)| {
        let tag = if is_index(path) { None } else { Some(tag_of(path)) };
        json!({"path": path, "change": name_of(*change), "url": url_of(path), "tag": tag})
    };
    json!({
        "old": side(&difference.old),
        "new": side(&difference.new),
        "files": difference.pages.iter().map(page).collect::<Vec<_>>(),
    })
}

/// Addresses are told with both base URLs where they differ: caches hold answers under the old one.
fn purge(difference: &GenerationDiff) -> String {
    let pages = || difference.pages.iter().map(|(path, _)| path.as_str());
    let bases = BTreeSet::from([difference.old.base_url.as_str(), difference.new.base_url.as_str()]);
    let mut lines: BTreeSet<String> = pages()
        .filter_map(url_of)
        .flat_map(|url| bases.iter().map(move |base| format!("url {base}{url}")).collect::<Vec<_>>())
        .collect();
    lines.extend(pages().filter(|path| !is_index(path)).map(|path| format!("tag {}", tag_of(path))));
    if pages().any(is_index) {
        lines.extend(COMPUTED_TAGS.map(|tag| format!("tag {tag}")));
    }
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}
