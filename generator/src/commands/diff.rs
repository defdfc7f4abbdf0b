//! `diff`: the differences of two snapshots as text and as a purge list for caches.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use snapshot::page::address::{COMPUTED_TAGS, DETAILS_TAG, tag_of, url_of};
use store::{GenerationDiff, PathChange};

use crate::cli_values::DiffFormat;
use crate::exit_codes::{Failure, print_line, unreadable};
use crate::plan::named;

pub(crate) fn diff(old: &Path, new: Option<&Path>, format: DiffFormat) -> Result<(), Failure> {
    let difference = store::diff(old, new).map_err(unreadable)?;
    print_line(report(&difference, format).trim_end());
    Ok(())
}

/// A difference in a format; every line ends with a line feed.
pub fn report(difference: &GenerationDiff, format: DiffFormat) -> String {
    match format {
        DiffFormat::Words => text(difference),
        DiffFormat::Purge => purge(difference),
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
    for (tag, change) in by_tag(difference) {
        // Added, modified, removed.
        let _ = writeln!(text, "{} {tag}", ["+", "~", "-"][change as usize]);
    }
    text
}

/// Changes by cache tag: a record is added if all its pages are.
fn by_tag(difference: &GenerationDiff) -> BTreeMap<&str, PathChange> {
    let mut tags = BTreeMap::new();
    for (path, change) in &difference.pages {
        let known = tags.entry(tag_of(path)).or_insert(*change);
        if *known != *change {
            *known = PathChange::Modified;
        }
    }
    tags
}

/// URLs have both base URLs where these differ: caches hold answers under the old one.
fn purge(difference: &GenerationDiff) -> String {
    let pages = || difference.pages.iter().map(|(path, _)| path.as_str());
    let bases = BTreeSet::from([difference.old.base_url.as_str(), difference.new.base_url.as_str()]);
    // The table has two addresses.
    let table = |url: &String| Some(format!("{}.csv", url.strip_suffix("?format=csv")?));
    let mut lines: BTreeSet<String> = pages()
        .map(url_of)
        .flat_map(|url| table(&url).into_iter().chain([url]).collect::<Vec<_>>())
        .flat_map(|url| bases.iter().map(move |base| format!("url {base}{url}")).collect::<Vec<_>>())
        .collect();
    lines.extend(pages().map(|path| format!("tag {}", tag_of(path))));
    if !difference.pages.is_empty() {
        lines.insert(format!("tag {DETAILS_TAG}"));
    }
    if difference.is_of_index() {
        lines.extend(COMPUTED_TAGS.map(|tag| format!("tag {tag}")));
    }
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}
