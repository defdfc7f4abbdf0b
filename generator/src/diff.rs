//! The differences of two snapshots as text and as a purge list for caches.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use snapshot::page::address::{COMPUTED_TAGS, DETAILS_TAG, tag_of, url_of};
use store::{GenerationDiff, PathChange};

use dataset::text::counted;

use crate::plan::named;

/// Output formats of a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DiffFormat {
    /// Text: changed records and pages; long lists are cut
    #[default]
    Words,
    /// What caches have to purge, one per line: `url ADDRESS` or `tag NAME`
    Purge,
}

/// A difference in a format; every line ends with a line feed.
pub fn report(difference: &GenerationDiff, format: DiffFormat) -> String {
    match format {
        DiffFormat::Words => text(difference),
        DiffFormat::Purge => purge(difference),
    }
}

/// Whether a path belongs to the index, from which the edge computes answers.
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

fn text(difference: &GenerationDiff) -> String {
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
    for ((table, before), (_, after)) in named(&old.counts).into_iter().zip(named(&new.counts)) {
        if before != after {
            let _ = writeln!(text, "{table}: {after}, were {before}");
        }
    }
    for (kind, tags) in by_kind(difference) {
        push_pages(&mut text, kind, &tags);
    }
    text
}

/// Changes by kind of page and cache tag. A record is added if all its pages are.
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

/// Appends the tags of a kind of page, by change.
fn push_pages(text: &mut String, kind: &str, tags: &BTreeMap<&str, PathChange>) {
    /// Number of names listed for each kind and change.
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

/// URLs have both base URLs where these differ: caches hold answers under the old one.
fn purge(difference: &GenerationDiff) -> String {
    let pages = || difference.pages.iter().map(|(path, _)| path.as_str());
    let bases = BTreeSet::from([difference.old.base_url.as_str(), difference.new.base_url.as_str()]);
    // The table has two addresses.
    let table = |url: &String| Some(format!("{}.csv", url.strip_suffix("?format=csv")?));
    let mut lines: BTreeSet<String> = pages()
        .filter_map(url_of)
        .flat_map(|url| table(&url).into_iter().chain([url]).collect::<Vec<_>>())
        .flat_map(|url| bases.iter().map(move |base| format!("url {base}{url}")).collect::<Vec<_>>())
        .collect();
    lines.extend(pages().filter(|path| !is_index(path)).map(|path| format!("tag {}", tag_of(path))));
    if pages().any(|path| !is_index(path)) {
        lines.insert(format!("tag {DETAILS_TAG}"));
    }
    if pages().any(is_index) {
        lines.extend(COMPUTED_TAGS.map(|tag| format!("tag {tag}")));
    }
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}
